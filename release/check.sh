#!/usr/bin/env bash
# Builds a release and checks it: what go test ./... leaves out because it takes
# minutes, or Node. It needs Go, and Node 20 or later with npm; it leaves nothing.
#
# Fetched by their own clients, into a directory that is removed at the end:
#   @anthropic-ai/mcpb      validates the manifest, unpacks the bundle, and fills in
#                           placeholders as the clients that use it do
#   dockerfile-utils        lints the Dockerfile
#   the MCP registry's own Go module, which holds the schema of server.json
set -euo pipefail
cd "$(dirname "$0")/.."

mcpb=@anthropic-ai/mcpb@2.1.2
dockerfile_utils=dockerfile-utils@0.16.3
schemas=github.com/modelcontextprotocol/registry@v1.8.9
schemas_sum=h1:2pYB31q/uSezVbXu+D+Hr3HMimGFspgS1RTMljm1bVI=

export GOTOOLCHAIN=local
# One of the two builds below is made from a copy, which has no revision.
export GOFLAGS="${GOFLAGS:+$GOFLAGS }-buildvcs=false"

step() { printf '\n== %s\n' "$*"; }

# refused runs a command that has to fail: a check that cannot is none.
refused() {
	if "$@" >"$work/said" 2>&1; then
		echo "this should have been refused: $*" >&2
		exit 1
	fi
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(sed -n 's/^  "version": "\(.*\)",\{0,1\}$/\1/p' server.json)

step "from npm: $mcpb, $dockerfile_utils; node $(node --version)"
npm install --prefix "$work/npm" --no-save --no-audit --no-fund --loglevel=error "$mcpb" "$dockerfile_utils"
PATH=$work/npm/node_modules/.bin:$PATH

step 'Dockerfile: linted, not built'
if ! lint=$(dockerfile-utils lint Dockerfile) || [[ -n $lint ]]; then
	printf '%s\n' "$lint"
	exit 1
fi
sed 's/^COPY/COPPY/' Dockerfile >"$work/Dockerfile"
refused dockerfile-utils lint "$work/Dockerfile"

step 'build: six binaries, their bills, notices, bundle, listing, sums'
# An address that belongs to nobody; whoever releases gives the real one.
export DOWNLOADS=https://example.com/counterfoil
release/build.sh "$work/release"

step 'every file is what it should be; the binaries are static and tell nothing of this machine'
go run ./release inspect "$work/release"

step 'the same bytes again, from another directory'
mkdir "$work/another place"
tar --exclude=./.git --exclude=./dist -cf - . | tar -xf - -C "$work/another place"
"$work/another place/release/build.sh" "$work/again"
diff -r "$work/release" "$work/again"
cat "$work/release/SHA256SUMS"

step 'one version: the binary says that of server.json'
said=$("$work/release/counterfoil-$version-$(go env GOOS)-$(go env GOARCH)" version)
echo "$said"
[[ $said == "counterfoil $version ("* ]]

step 'manifest.json: mcpb validate'
mcpb validate release/manifest.json
sed 's/"sensitive": true/"sensitive": "yes"/' release/manifest.json >"$work/manifest.json"
refused mcpb validate "$work/manifest.json"

step 'bundle: unpacked, started, and asked for its tools'
mcpb unpack "$work/release/counterfoil-$version.mcpb" "$work/bundle"
cmp release/manifest.json "$work/bundle/manifest.json"
node release/check-bundle.mjs "$work/npm/node_modules" "$work/bundle"

step 'bundle: once more, unpacked by a client that loses the modes'
find "$work/bundle" -type f -exec chmod 0600 {} +
node release/check-bundle.mjs "$work/npm/node_modules" "$work/bundle"

step "server.json: the registry's schema of 2025-12-11, from $schemas"
found=$(cd "$work" && GOFLAGS=-mod=mod go mod download -json "$schemas")
field() { sed -n "s/^[[:space:]]*\"$1\": \"\(.*\)\",\{0,1\}$/\1/p" <<<"$found"; }
if [[ $(field Sum) != "$schemas_sum" ]]; then
	echo "$schemas is another one: $(field Sum)" >&2
	exit 1
fi
schema=$(field Dir)/internal/validators/schemas/2025-12-11.json
go run ./release conform "$schema" server.json
go run ./release conform "$schema" "$work/release/server.json"
cat "$work/release/server.json"
sed 's/"description": "/&Much longer than a description may be: /' server.json >"$work/server.json"
refused go run ./release conform "$schema" "$work/server.json"
grep -q maxLength "$work/said"

step 'all of it holds'
