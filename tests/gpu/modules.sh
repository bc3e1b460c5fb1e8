#!/bin/sh
# A module of the GPU exports its tables and nothing else, and loads where there is neither a driver
# nor CUDA.
# usage: modules.sh SYMBOLS MODULE
set -eu

exported=$(nm -D --defined-only "$2" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
	sort | xargs)
[ "$exported" = "$1" ] || { echo "$2 exports: $exported"; exit 1; }

needed=$(readelf -d "$2" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
[ -n "$needed" ] || { echo "$2 needs nothing: is it a library?"; exit 1; }
case $needed in
*libcuda* | *libnv* | *libtide* | *libstdc*)
	echo "$2 needs: $needed"
	exit 1
	;;
esac
