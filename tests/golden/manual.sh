#!/bin/sh
# The manual page of a verb names every option of its help, and has the lists of counts and figures;
# and there is a page for every verb.
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
listed=$(sed -n '/^# VERBS/,/^# /s/^\*\([a-z0-9-]*\)\*$/\1/p' "$man/tide.1.scd")
for verb in $listed; do
	echo "$verbs" | grep -qx "$verb" || complain "tide(1) lists $verb, which is no verb"
done

# PAGE LIST: it has the whole list.
check_list()
{
	grep -q "^@$2@\$" "$man/$1.1.scd" || complain "$1(1) does not have the list of $2"
}

check_list tide-sim counters.def
check_list tide-run figures.def
check_list tide-run mech/vmm/figures.def
check_list tide-gpu gpu_figures.def
check_list tide-pool pool_figures.def
exit $bad
