#!/bin/sh
# The manual page of a verb names every option of its help, tide-sim(1) every count, with the
# words of counters.def; and there is a page for every verb.
# usage: manual.sh   (TIDE and TIDE_SOURCE from the environment)
set -u
man=$TIDE_SOURCE/docs/man
bad=0

complain()
{
	echo "$1"
	bad=1
}

# PAGE HELP-COMMAND...
check_options()
{
	page=$man/$1.1.scd
	shift
	for option in $("$TIDE" "$@" --help | sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p'); do
		grep -q -e "\*$option\*" "$page" || complain "$page does not describe $option of tide $*"
	done
}

verbs=$("$TIDE" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ -n "$verbs" ] || complain "tide --help lists no verbs"
for verb in $verbs; do
	grep -q "^\*$verb\*" "$man/tide.1.scd" || complain "tide(1) does not list $verb"
	[ "$verb" = help ] && continue
	[ -f "$man/tide-$verb.1.scd" ] || complain "there is no manual page of tide $verb"
	check_options "tide-$verb" "$verb"
done
for verb in info head convert generate; do
	check_options tide-trace trace "$verb"
done
for paper in $("$TIDE" reproduce --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
	check_options tide-reproduce reproduce "$paper"
done

missing=$(sed -n 's/^TIDE_COUNTER(\([a-z0-9_]*\), "\(.*\)")$/\1:\2/p' \
	"$TIDE_SOURCE/include/tide/counters.def" |
	while IFS=: read -r name help; do
		grep -A 1 "^|  $name\$" "$man/tide-sim.1.scd" | grep -q "^:  $help\$" ||
			echo "tide-sim(1) does not have the count $name: $help"
	done)
[ -z "$missing" ] || complain "$missing"
exit $bad
