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

# verbs_of [VERB]: the verbs that its help lists.
verbs_of()
{
	"$TIDE" "$@" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z0-9-]*\) .*/\1/p'
}

verbs=$(verbs_of)
[ -n "$verbs" ] || complain "tide --help lists no verbs"
for verb in $verbs; do
	[ "$verb" = help ] && continue
	[ -f "$man/tide-$verb.1.scd" ] || complain "there is no manual page of tide $verb"
	check_options "tide-$verb" "$verb"
	for own in $(verbs_of "$verb"); do
		check_options "tide-$verb" "$verb" "$own"
	done
done
# What tide(1) lists is there.
for verb in $(sed -n '/^# VERBS/,/^# /s/^\*\([a-z0-9-]*\)\*$/\1/p' "$man/tide.1.scd"); do
	echo "$verbs" | grep -qx "$verb" || complain "tide(1) lists $verb, which is no verb"
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
