#!/bin/sh
# The same command line gives the same document, whatever the number of cores; another seed
# another one. Only the times may differ.
# usage: same-twice.sh   (TIDE and TIDE_SOURCE from the environment)
set -u
bad=0

document()
{
	"$TIDE" "$@" --json | sed -e 's/"seconds": *[-+0-9.e]*//' -e 's/"accesses_per_second": *[-+0-9.e]*//'
}

same()
{
	[ -n "$(document "$@")" ] && [ "$(document "$@")" = "$(document "$@")" ] && return
	echo "differs from run to run: tide $*"
	bad=1
}

input="--workload zipf:pages=2000,accesses=50000 --near 25% --page 4K --chunk 16K"
# shellcheck disable=SC2086 # the words of $input
{
	same sim $input --evict random --prefetch tree
	same sim $input --evict lru --prefetch none --seed 7
	same compare $input
	[ "$(document compare $input --jobs 1)" = "$(document compare $input --jobs 8)" ] || {
		echo "compare depends on --jobs"
		bad=1
	}
	[ "$(document sim $input --evict random)" != "$(document sim $input --evict random --seed 2)" ] || {
		echo "--seed changes nothing"
		bad=1
	}
}
exit $bad
