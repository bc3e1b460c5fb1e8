#!/bin/sh
# The ways of ways.txt in the GPU runtime with orchestrate=host. An invalid answer is replaced and
# the policy ejected, and all bytes are right; a policy that does not return makes the call fail,
# with a sentence; what is refused is refused.
# usage: gpu.sh OUTCOME FOLDER-OF-THE-POLICIES PROGRAM
# The outcome names the function that is called, and some words are several options.
# shellcheck disable=SC2317,SC2086
# shellcheck source=tests/hostile/help.sh
. "$(dirname "$0")/help.sh"
program=$3

# try TIMEOUT: status is left in $status, what was said in error
try()
{
	status=0
	tried=$((tried + 1))
	HOSTILE=$way HOSTILE_ITSELF="$policies/$role.so" timeout 120 "$program" "$role" \
		"$policies/$role.so" "$1" >"$work/out" 2>"$work/error" || status=$?
}

fail()
{
	echo "$way of $role: status $status: $(head -c 600 "$work/error")" >&2
	bad=1
}

# says TEXT: the first line, which a failed call has said
says()
{
	[ $status -eq 3 ] && head -1 "$work/error" | grep -qE "^[a-z]+: .*($1)"
}

refused()
{
	try 60s
	says "$text" || fail
}

written()
{
	refused
}

invalid()
{
	try 60s
	{ [ $status -eq 0 ] && [ "$(number policy_errors)" -eq 16 ] &&
		grep -q '"ejected": "hostile"' "$work/out"; } || fail
}

fine()
{
	try 60s
	{ [ $status -eq 0 ] && [ "$(number policy_errors)" -eq 0 ]; } || fail
}

loops()
{
	try 1s
	says "policy .*has not returned from ${way#loop-} for [12] s" || fail
}

# What the runtime does not give is refused: far pages, and accesses to every page.
judge()
{
	case $way in
	remote-far | remote-byte | notice-remote) what=refused text='leaves pages where they are' ;;
	loop-on_access) what=refused text='needs every access' ;;
	esac
}

while read -r way role what text; do
	# Placements of the runtime are compiled into kernels: none comes out of a file. Hints of
	# accesses are for the simulator.
	{ [ "${way#\#}" = "$way" ] && [ "$role" != place ] && [ "$way" != loop-expect_access ]; } || continue
	judge
	[ "$what" = "$outcome" ] || continue
	"$outcome"
done <"$here/ways.txt"
finish
