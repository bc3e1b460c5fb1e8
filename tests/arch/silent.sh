#!/bin/sh
# Nothing below src/cli prints or exits: the library asks the linker for none of these.
# usage: silent.sh LIBTIDE.A
set -eu

banned='v?printf|puts|putchar|perror|v?(err|warn)x?|stderr|_?exit|_Exit|quick_exit|abort|raise'

# Those who end a program that would otherwise stand still for ever: of the pager, of the pool and of
# GPU memory (watch). And of the last (queue, work), where a decision of the engine cannot be kept for
# want of a few bytes.
# The guard of a memory cgroup (group) is a process of its own.
undefined=$(nm -A --undefined-only "$1" |
	grep -vE ':group\.c\.o:.* U _exit$' |
	grep -vE ':(watchdog|policy_watch|queue|watch|work)\.c\.o:.* U abort$')
[ -n "$undefined" ] || { echo "nm says nothing about $1"; exit 1; }
echo "$undefined" | grep -E " U (__)?($banned)(_chk)?\$" && {
	echo "the library prints or exits: return an error instead, see tide/error.h"
	exit 1
}
exit 0
