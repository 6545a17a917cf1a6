#!/usr/bin/env bash
# The tests that watch the kernel: the two syncs of an act and their order around
# its send, and a disk that cannot sync. `go test ./...` skips them where there is
# no strace; here it is installed, and nothing may be skipped.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v strace >/dev/null; then
	apt-get update -q
	DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends strace
fi

said=$(mktemp)
trap 'rm -f "$said"' EXIT
go test -count=1 -v ./e2e -run '^(TestTwoSyncs|TestSyncError)' | tee "$said"
if grep -q -- '--- SKIP' "$said" || ! grep -q -- '--- PASS: TestTwoSyncs' "$said"; then
	echo 'strace is here, and yet not everything was played' >&2
	exit 1
fi
