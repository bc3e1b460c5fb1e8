#!/bin/sh
# The ways of ways.txt under the pager: a program that uses more memory than is near. An invalid
# answer is replaced and the policy ejected, with a sentence, and the program ends well; a policy
# that does not return ends the program, with a sentence; what is refused is refused.
# usage: run.sh OUTCOME FOLDER-OF-THE-POLICIES PROGRAM   (TIDE from the environment)
# The outcome names the function that is called, and some words are several options.
# shellcheck disable=SC2317,SC2086
# shellcheck source=tests/hostile/help.sh
. "$(dirname "$0")/help.sh"
program=$3

# try OPTIONS...: status is left in $status, and what was said in error
try()
{
	status=0
	tried=$((tried + 1))
	case $role in
	evict) set -- --prefetch sequential:n=40 "$@" ;;
	place) set -- --host 4M "$@" ;;
	esac
	HOSTILE=$way HOSTILE_ITSELF="$policies/$role.so" timeout 60 "$TIDE" run --near 4M \
		--threshold 64K --watchdog 1s --service "$service" \
		"--$role" "$policies/$role.so" "$@" -- "$program" >"$work/out" 2>"$work/error" ||
		status=$?
}

fail()
{
	echo "$way of $role, $service: status $status: $(head -c 600 "$work/error")" >&2
	bad=1
}

ends_well()
{
	[ $status -eq 0 ] && grep -q '^all is well$' "$work/out"
}

invalid()
{
	try
	{ ends_well && grep -q 'ejected hostile, after invalid answers' "$work/error"; } || fail
}

refused()
{
	try
	{ [ $status -ne 0 ] && [ $status -lt 124 ] && grep -qE "$text" "$work/error"; } || fail
}

fine()
{
	try
	ends_well || fail
}

loops()
{
	try
	# The watchdog of a program ends it as abort() does.
	{ [ $status -ne 0 ] && [ $status -ne 124 ] &&
		grep -q "policy hostile has not returned from ${way#loop-} for" "$work/error"; } || fail
}

"$TIDE" run --near 4M --threshold 64K -- "$program" >"$work/out" 2>"$work/error" || {
	cat "$work/error"
	grep -q userfaultfd "$work/error" && exit 77
}
while read -r way role what text; do
	[ "$what" = "$outcome" ] || continue
	case $way in
	# What no pager gives: far pages, accesses to every page, hints of accesses, kernels.
	remote-far | remote-byte | notice-remote | loop-on_access | loop-expect_access | loop-on_boundary) continue ;;
	# Before the watchdog of the pager begins, and after its end.
	loop-needs_with | loop-chunk_bytes_with | loop-create | loop-destroy | loop-report) continue ;;
	# A placement of the pager needs a file behind tier 2.
	*) [ "$role" != place ] || continue ;;
	esac
	for service in signal thread; do
		"$outcome"
	done
done <"$here/ways.txt"
finish
