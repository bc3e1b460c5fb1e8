#!/bin/sh
# The ways of ways.txt in the buffer pool. An invalid answer is replaced and the policy ejected, and all bytes
# are right; a policy that does not return ends the program, with a sentence; what is refused is refused.
# usage: pool.sh OUTCOME FOLDER-OF-THE-POLICIES   (TIDE from the environment)
# The outcome names the function that is called.
# shellcheck disable=SC2317,SC2086
# shellcheck source=tests/hostile/help.sh
. "$(dirname "$0")/help.sh"
TMPDIR=$work
export TMPDIR

# try VERB OPTIONS...: status is left in $status, and what was said in out and error
try()
{
	status=0
	tried=$((tried + 1))
	HOSTILE=$way HOSTILE_ITSELF="$policies/$role.so" timeout 60 "$TIDE" pool "$@" --main 64p --device 64p \
		--watchdog 1s "--$role" "$policies/$role.so" >"$work/out" 2>"$work/error" || status=$?
}

fail()
{
	echo "$way of $role: status $status: $(head -c 600 "$work/error")" >&2
	bad=1
}

count()
{
	try bench --accesses 3000 --updates 30% --json
	errors=$(sed -n 's/^ *"policy_errors": \([0-9]*\),*$/\1/p' "$work/out")
}

invalid()
{
	count
	{ [ $status -eq 0 ] && [ "$errors" = 16 ] && grep -q '"ejected": "hostile"' "$work/out"; } || fail
	try check --calls 3000
	[ $status -eq 0 ] || fail
}

fine()
{
	count
	{ [ $status -eq 0 ] && [ "$errors" = 0 ] && grep -q '"ejected": null' "$work/out"; } || fail
}

refused()
{
	count
	{ [ $status -ne 0 ] && [ $status -lt 124 ] && grep -qE "$text" "$work/error"; } || fail
}

written()
{
	refused
}

# The watchdog ends the program as abort() does.
loops()
{
	count
	{ [ $status -ne 0 ] && [ $status -ne 124 ] &&
		grep -q "has not returned from ${way#loop-} for" "$work/error"; } || fail
}

while read -r way role what text; do
	[ "$what" = "$outcome" ] || continue
	case $way in
	# What no pool gives: pages without a fault, hints of accesses, kernels. And a policy says its needs before
	# the watchdog begins.
	victim-planned | loop-expect_access | loop-on_boundary | loop-needs_with) continue ;;
	esac
	[ "$role" != prefetch ] || continue
	"$outcome"
done <"$here/ways.txt"
finish
