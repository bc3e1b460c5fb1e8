#!/bin/sh
# The manual page of a verb names every option of its help, and every count and figure with the words
# of its list; and there is a page for every verb.
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
for verb in info selftest bench; do
	check_options tide-gpu gpu "$verb"
done
for verb in bench check; do
	check_options tide-pool pool "$verb"
done
for paper in $("$TIDE" reproduce --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
	check_options tide-reproduce reproduce "$paper"
done

# LIST MACRO PAGE: every name of the list with its words.
check_list()
{
	sed -n "s/^$2(\([a-z0-9_]*\), \"\(.*\)\")\$/\1:\2/p" "$TIDE_SOURCE/include/tide/$1" |
		while IFS=: read -r name help; do
			grep -A 1 "^|  $name\$" "$man/$3.1.scd" | grep -q "^:  $help\$" ||
				echo "$3(1) does not have $name: $help"
		done
}

missing=$(check_list counters.def TIDE_COUNTER tide-sim
	check_list figures.def TIDE_FIGURE tide-run
	check_list gpu_figures.def TIDE_FIGURE tide-gpu
	check_list pool_figures.def TIDE_FIGURE tide-pool)
[ -z "$missing" ] || complain "$missing"
exit $bad
