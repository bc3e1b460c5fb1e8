#!/bin/sh
# Policies from shared objects: a right one runs, a wrong one is stopped or ejected, and what is
# no policy is refused.
# usage: policy.sh FOLDER-OF-THE-SHARED-OBJECTS   (TIDE from the environment)
set -eu

cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

fail()
{
	echo "$1" >&2
	bad=1
}

# sim POLICY OPTIONS...: output in $work/out and $work/error, exit status in $status
sim()
{
	status=0
	"$TIDE" sim --workload zipf:pages=5000,accesses=100000 --near 20% --evict "$@" \
		>"$work/out" 2>"$work/error" || status=$?
}

# refused STATUS TEXT: one line that begins so, and no result
refused()
{
	[ "$status" -eq "$1" ] || fail "exit status $status instead of $1: $2"
	[ "$(wc -l <"$work/error")" -eq 1 ] || fail "not one line of error: $(cat "$work/error")"
	[ ! -s "$work/out" ] || fail "a refused run printed a result"
	case $(cat "$work/error") in
	"tide sim: $2"*) ;;
	*) fail "wanted '$2', got '$(cat "$work/error")'" ;;
	esac
}

# says KEY VALUE: the JSON result has it
says()
{
	[ "$status" -eq 0 ] || fail "exit status $status: $(cat "$work/error")"
	grep -q "\"$1\": $2[,}]*\$" "$work/out" || fail "no \"$1\": $2 in the result"
}

sim ./sampled-lru.so --json
says policy_errors 0
says evict '"./sampled-lru.so"'
grep -q '"mean_victim_age"' "$work/out" || fail "sampled-lru did not report"

# One that was compiled for an older tide does the same.
mv "$work/out" "$work/now"
sim ./sampled-lru-0.1.so --json
sed 's/sampled-lru-0\.1/sampled-lru/' "$work/out" >"$work/then"
# The record names the bytes of the plug-in, which differ.
grep -v -e second -e '"settings"' "$work/now" >"$work/a"
grep -v -e second -e '"settings"' "$work/then" >"$work/b"
cmp -s "$work/a" "$work/b" || fail "compiled for 0.1, sampled-lru gives another result"

# One whose struct is shorter has no callbacks behind its end.
sim ./older.so --json
says policy_errors 0

# Drawing nearly all of them is nearly lru.
faults()
{
	sim "$1" --chunk 4K --prefetch none --json
	sed -n 's/.*"faults": \([0-9]*\).*/\1/p' "$work/out"
}
lru=$(faults lru) few=$(faults ./sampled-lru.so:samples=1) many=$(faults ./sampled-lru.so:samples=99)
off=$((many > lru ? many - lru : lru - many))
[ $((off * 100)) -le "$lru" ] || fail "99 samples: $many faults, lru $lru"
[ "$few" -gt "$many" ] || fail "1 sample: $few faults, 99 samples: $many"

sim ./sampled-lru.so:samples=0
refused 2 'evict policy sampled-lru'
sim ./sampled-lru.so:sample=3
refused 2 'evict policy sampled-lru'

# With lists of tide/list.h. Without a share for protected chunks it is lru; with one, pages used once
# do less harm.
sim ./segmented-lru.so --json
says policy_errors 0
grep -q '"promoted"' "$work/out" || fail "segmented-lru did not report"
none=$(faults ./segmented-lru.so:protected=0) most=$(faults ./segmented-lru.so)
[ "$none" -eq "$lru" ] || fail "nothing protected: $none faults, lru $lru"
[ "$most" -lt "$lru" ] || fail "80% protected: $most faults, lru $lru"

sim ./invalid.so
refused 1 'evict policy invalid gave an invalid answer at access '
sim ./invalid.so --replace-invalid --json
says policy_errors 16
says ejected '"invalid"'
sim ./invalid.so --replace-invalid
grep -q '^ejected  *invalid$' "$work/out" || fail "the table does not say who was ejected"

sim ./other-api.so
refused 2 './other-api.so was built for policy api '
sim ./newer.so
refused 2 './newer.so has a callback that this tide does not know: '
sim ./no-policy.so
refused 2 './no-policy.so is no policy: '
sim ./missing.so
refused 2 'cannot load policy: ./missing.so'
echo 'no shared object' >"$work/text.so"
sim "$work/text.so"
refused 2 "cannot load policy: $work/text.so"
exit $bad
