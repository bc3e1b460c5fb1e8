#!/bin/sh
# Every way of ways.txt in the simulator, without a clock and with one. No run may end by a signal or
# not at all, and an error is one line.
# usage: sim.sh OUTCOME FOLDER-OF-THE-POLICIES   (TIDE from the environment)
# The outcome names the function that is called, and some words are several options.
# shellcheck disable=SC2317,SC2086
# shellcheck source=tests/hostile/help.sh
. "$(dirname "$0")/help.sh"

fail()
{
	echo "$way of $role ($*): status $status: $(head -c 600 "$work/error")" >&2
	bad=1
}

# try OPTIONS...: the way's policy in its role, with what the role needs; status is left in $status
try()
{
	status=0
	tried=$((tried + 1))
	case "$role $*" in
	*--prefetch*) ;;
	evict*) set -- --prefetch sequential:n=40 "$@" ;;
	place*) set -- --host 20% "$@" ;;
	esac
	HOSTILE=$way HOSTILE_ITSELF="$policies/$role.so" timeout 60 "$TIDE" sim \
		--workload zipf:pages=3000,accesses=20000 --near 20% --watchdog 1s --json \
		"--$role" "$policies/$role.so" "$@" >"$work/out" 2>"$work/error" || status=$?
}

# says TEXT: one line, and the status of a failure
says()
{
	[ $status -eq 1 ] || [ $status -eq 2 ] || return 1
	[ "$(wc -l <"$work/error")" -eq 1 ] && grep -qE "^tide[ a-z]*: .*($1)" "$work/error"
}

refused()
{
	for more in '' --replace-invalid; do
			try $model $more
		says "$text" || fail "refused, $model $more"
	done
}

invalid()
{
	try $model
	says "$text" || fail "invalid, $model"
	try $model --replace-invalid
	{ [ $status -eq 0 ] && [ "$(number policy_errors)" -eq 16 ] &&
		grep -q '"ejected": "hostile"' "$work/out"; } || fail "replaced, $model"
}

written()
{
	try $model
	says "$text" || fail "written, $model"
}

fine()
{
	try $model
	{ [ $status -eq 0 ] && [ "$(number policy_errors)" -eq 0 ]; } || fail "fine, $model"
}

loops()
{
	try ${text:-$model}
	says "policy .*has not returned from ${way#loop-} for [12] s" || fail "loops, $model"
}

while read -r way role what text; do
	[ "$what" = "$outcome" ] || continue
	for model in --functional "--model h200"; do
		# What loops takes a second: one model is enough.
		[ "$outcome $model" != "loops --model h200" ] || continue
		"$outcome"
	done
done <"$here/ways.txt"
finish
