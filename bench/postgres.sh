#!/usr/bin/env bash
# Starts or stops a Postgres of its own for bench, in a directory that is made
# for it, as a user who is not root, on the loopback alone.
#
#     bench/postgres.sh start DIR    prints what to give to -postgres
#     bench/postgres.sh stop DIR
#
# It needs the programs of Postgres (apt-get install postgresql). Commits are as
# durable as Postgres makes them by itself (fsync and synchronous_commit on).
set -euo pipefail
verb=${1:?start or stop} dir=${2:?a directory}
port=${PGPORT:-55432}
bin=$(dirname "$(ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -1 || command -v initdb)")

as=()
if [[ $(id -u) == 0 ]]; then
	as=(runuser -u postgres --)
fi

case $verb in
start)
	if [[ ! -d $dir ]]; then
		mkdir -p "$dir"
		if ((${#as[@]})); then
			chown postgres "$dir"
		fi
		"${as[@]}" "$bin/initdb" -D "$dir" -U bench -A trust >/dev/null
	fi
	"${as[@]}" "$bin/pg_ctl" -D "$dir" -w -l "$dir/log" \
		-o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories='$dir'" start >/dev/null
	"${as[@]}" "$bin/psql" -h 127.0.0.1 -p "$port" -U bench -d postgres -qc 'CREATE DATABASE bench' 2>/dev/null || true
	echo "postgres://bench@127.0.0.1:$port/bench?sslmode=disable"
	;;
stop)
	"${as[@]}" "$bin/pg_ctl" -D "$dir" -m fast stop >/dev/null
	;;
*)
	echo "start or stop, not $verb" >&2
	exit 2
	;;
esac
