#!/usr/bin/env bash
# Builds a release into a directory, dist/ unless another one is named:
#
#   counterfoil-VERSION-SYSTEM-PROCESSOR   static binaries (.exe for Windows)
#   ….cdx.json                             what is in each of them (CycloneDX)
#   counterfoil-VERSION.mcpb               the bundle for desktop clients
#   server.json                            what the MCP registry is told; only with DOWNLOADS
#   THIRD_PARTY_LICENSES, SHA256SUMS
#
# It needs Go and nothing else. The same commit, built with the same Go, makes the
# same bytes, wherever it lies. Where the files will be downloaded from is
# for whoever releases to know:
#
#   DOWNLOADS=https://… release/build.sh
#
# Nothing is signed.
set -euo pipefail
cd "$(dirname "$0")/.."

# The Go that is installed, and never another one fetched on the way.
export GOTOOLCHAIN=local

version=$(sed -n 's/^  "version": "\(.*\)",\{0,1\}$/\1/p' server.json)
dir=${1:-dist}
if [[ -e $dir ]]; then
	echo "$dir is there already; a release is laid in a directory of its own" >&2
	exit 1
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
name=$dir/counterfoil-$version

release/notices.sh >"$dir/THIRD_PARTY_LICENSES"

for target in darwin/amd64 darwin/arm64 linux/amd64 linux/arm64 windows/amd64 windows/arm64; do
	os=${target%/*} arch=${target#*/} suffix=
	[[ $os != windows ]] || suffix=.exe
	echo "$target"
	# No cgo, no paths of this machine, no symbol table. The version is a constant
	# of the program, so that no flag can give it another one.
	CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build -trimpath -ldflags '-s -w' -o "$name-$os-$arch$suffix" .
	# It warns that this project and Go itself are no modules that could be fetched;
	# their licences are in LICENSE and THIRD_PARTY_LICENSES.
	if ! said=$(go tool -modfile=release/sbom/go.mod cyclonedx-gomod bin -json -std -licenses -noserial -notimestamp \
		-version "v$version" -output "$name-$os-$arch.cdx.json" "$name-$os-$arch$suffix" 2>&1); then
		printf '%s\n' "$said" >&2
		exit 1
	fi
done

go run ./release bundle "$dir"
if [[ -n ${DOWNLOADS:-} ]]; then
	go run ./release listing "$dir" "$DOWNLOADS"
fi

cd "$dir"
files=(*) # before there is one more
sha256sum "${files[@]}" >SHA256SUMS
