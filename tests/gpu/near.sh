#!/bin/sh
# Whether a machine can run --gpu-near, and why not, with drivers that answer as told.
# usage: near.sh FAKES   (TIDE from the environment)
set -u

LD_LIBRARY_PATH=$1/driver
export LD_LIBRARY_PATH
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp "$TIDE" "$work/tide" # beside no library
bad=0

# says NAME=VALUE OK TEXT...: what tide doctor finds, of a driver that answers so.
says()
{
	set_to=$1
	shift
	got=$(env "$set_to" "$work/tide" doctor | sed -n 's/^gpu-near  *//p' | tr -s ' ')
	case $got in
	"$*"*) ;;
	*) echo "$set_to: wanted $* and got $got"; bad=1 ;;
	esac
}

says FAKE_VERSION=12030 missing the driver is for CUDA 12.3, and 12.4 is needed
says FAKE_VERSION=12040 missing no libtide_preload_gpu.so
says FAKE_DEVICES=0 missing the driver shows no GPU 0
says FAKE_INIT=100 missing the driver answers with error 100
says FAKE_PIECES=0 missing GPU 0 has no virtual memory management
says FAKE_HOST=0 missing GPU 0 cannot map memory of a NUMA node of the host
printf 'no library' >"$work/libcuda.so.1"
says LD_LIBRARY_PATH="$work" missing
# What is to be done is said too.
FAKE_HOST=0 "$work/tide" doctor | grep -q '^  gpu-near  *install a newer driver' || { echo 'no fix'; bad=1; }

# With the library: the machine can, or the program is not started.
if [ -e "$1/run/libtide_preload_gpu.so" ]; then
	cp "$1/run/libtide_preload_gpu.so" "$work/"
	says FAKE_VERSION=13000 ok CUDA 13.0
	FAKE_PIECES=0 "$work/tide" run --gpu-near 8G touch "$work/ran" 2>"$work/said"
	[ $? -eq 3 ] || { echo "not status 3: $(cat "$work/said")"; bad=1; }
	grep -q '^tide run: no --gpu-near on this machine: GPU 0 has no virtual memory management: use' "$work/said" ||
		{ cat "$work/said"; bad=1; }
	[ ! -e "$work/ran" ] || { echo 'it ran all the same'; bad=1; }
fi
exit $bad
