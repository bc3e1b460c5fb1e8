#!/bin/bash
# The memory of a process of its own (lent_owner), served by examples/lent.
# usage: lent.sh memfd|plain|kill|zero|gone SERVER FOLDER-OF-PROGRAMS
set -u
what=$1 server=$2 owner=$3/lent_owner
work=$(mktemp -d)
pids=
# shellcheck disable=SC2064,SC2086
trap 'for pid in $pids; do kill -9 "$pid" 2>/dev/null; done; rm -rf "$work"' EXIT
cd "$work" || exit 1

fail()
{
	echo "$*"
	for file in served said; do [ ! -f $file ] || sed "s/^/$file: /" $file | tail -n 20; done
	exit 1
}

# begin SNAPSHOT NEAR [POLICIES...]
begin()
{
	rm -f socket served
	"$server" socket "$1" store "${@:2}" >served 2>&1 &
	pid=$!
	pids="$pids $pid"
	while [ ! -S socket ] && kill -0 $pid 2>/dev/null; do sleep 0.01; done
}

# own SNAPSHOT MIB SECONDS NEAR-MIB KIND: its words are right, and the server ends without an error.
own()
{
	timeout 60 "$owner" socket "$@" >said 2>&1
	local status=$?
	[ $status -eq 77 ] && { cat said; exit 77; }
	[ $status -eq 0 ] || fail "the owner ended with $status"
	wait $pid || fail "the server ended with $?"
	cat said served
}

# The newest server's process.
serving()
{
	sed -n 's/^serving by //p' served | tail -n 1
}

case $what in
memfd)
	for policies in 'lrm locality' 'cp:observe=0 none' 'mhpe:touched=0 tree' 'auto fit'; do
		# shellcheck disable=SC2086
		begin words 8M $policies
		own words 32 1 8 memfd
		grep -q '^[1-9][0-9]* faults, [1-9][0-9]* chunks' served || fail "$policies: nothing was evicted"
	done
	;;
plain)
	begin words 40M
	own words 32 2 0 plain
	begin words 8M
	timeout 10 "$owner" socket words 32 1 0 plain >said 2>&1 &
	other=$!
	wait $pid && fail "no page can leave, and the server took it"
	grep -q 'no page can leave memory' served || fail "does not say why"
	kill $other
	;;
kill)
	begin words 8M lrm locality
	(
		for _ in $(seq 12); do
			sleep 0.4
			kill -9 "$(serving)"
		done
	) 2>/dev/null &
	own words 32 6 8 memfd
	[ "$(grep -c '^serving by' served)" -ge 8 ] || fail "only $(grep -c '^serving by' served) servers"
	;;
zero)
	begin - 4M lrm none
	own - 16 2 4 memfd
	begin - 20M
	(sleep 0.5; kill -9 "$(serving)") &
	own - 16 2 0 plain
	;;
gone)
	# The store is gone when the next server begins.
	begin words 4M
	mkfifo end
	"$owner" socket words 16 0 0 keep <end >said 2>&1 &
	first=$!
	pids="$pids $first"
	exec 3>end
	while ! grep -q written said; do
		kill -0 $first 2>/dev/null || { grep -q '^skipped' said && exit 77; fail "the owner has ended"; }
		sleep 0.01
	done
	mv store kept
	kill -9 "$(serving)"
	wait $pid && fail "a server without its store goes on"
	grep -q 'cannot open store' served || fail "does not say that the store is gone"
	kill -9 $first
	;;
esac
