#!/usr/bin/env bash
# Prints the licences of everything that the binaries hold beside this project's
# own code, on any system: who gives a binary away has to give these with it.
set -euo pipefail
cd "$(dirname "$0")/.."

echo 'Counterfoil, which is under the licence in LICENSE, holds the software named below.'

notice() { # name directory
	local found=0 file
	for file in "$2"/LICEN[CS]E* "$2"/COPYING* "$2"/NOTICE*; do
		[[ -f $file ]] || continue
		found=1
		printf '\n%s\n%s, %s\n\n' '----------------------------------------' "$1" "${file##*/}"
		cat "$file"
	done
	if ((!found)); then
		echo "$1 has no licence that could be found" >&2
		return 1
	fi
}

notice "Go, $(go env GOVERSION)" "$(go env GOROOT)"

modules=$(
	for os in darwin linux windows; do
		GOOS=$os CGO_ENABLED=0 go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}{{"\t"}}{{.Dir}}{{end}}{{end}}' .
	done | LC_ALL=C sort -u
)
while IFS=$'\t' read -r module directory; do
	notice "$module" "$directory"
done <<<"$modules"
