#!/bin/bash
# The bash completion offers every verb (src/cli/cmd_VERB.c, or a folder src/cli/VERB) and the names of the policies.
# usage: completion.sh SOURCE-DIR   (TIDE from the environment)
set -eu

# shellcheck source=completion/tide.bash
source "$1/completion/tide.bash"
bad=0

# offers WANTED WORDS...: completing the last of WORDS offers WANTED.
offers()
{
	local wanted=$1
	shift
	COMP_WORDS=("$TIDE" "$@") COMP_CWORD=$#
	_tide "$TIDE"
	[[ " ${COMPREPLY[*]} " == *" $wanted "* ]] && return
	echo "completing '$*' offers '${COMPREPLY[*]}', not $wanted"
	bad=1
}

for file in "$1"/src/cli/cmd_*.c "$1"/src/cli/*/; do
	verb=$(basename "$file" .c)
	offers "${verb#cmd_}" ""
done
offers --near sim --ne
offers reserved-lru sim --evict res
offers reserved-lru sim --evict =
offers t1= sim --evict mhpe :
offers t1= sim --evict mhpe : t
offers 16,t2= sim --evict mhpe : t1 = 16,t
offers adapt= sim --evict = cp : ad
offers 0 sim --evict cp : adapt =
offers skew= compare --workload zipf : s
offers writeback= sim --model h200 : w
offers p= sweep --place random : ""
offers convert trace ""
exit $bad
