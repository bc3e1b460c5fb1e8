#!/bin/sh
# The libraries of the GPU that a program finds, or does not: one line, and status 3.
# usage: door.sh FAKES   (TIDE from the environment)
set -u

fakes=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
cp "$TIDE" "$work/bin/tide"
bad=0

# says STATUS PATTERN [VERB...]: what it says now; without a verb, gpu info.
says()
{
	wanted=$1
	pattern=$2
	shift 2
	[ $# -gt 0 ] || set -- gpu info
	"$work/bin/tide" "$@" >"$work/out" 2>"$work/err"
	status=$?
	if [ $status -ne "$wanted" ] || [ "$(wc -l <"$work/err")" -ne 1 ] ||
		! grep -q "$pattern" "$work/err"; then
		echo "$*: wanted $wanted and $pattern; got $status: $(cat "$work/err")"
		bad=1
	fi
}

# put KIND PART...: these libraries lie beside the program.
put()
{
	kind=$1
	shift
	rm -f "$work/bin/"*.so
	for part; do
		cp "$fakes/$kind/libtide_$part.so" "$work/bin/"
	done
}

# Device memory of the pool is behind the same door.
pool_says()
{
	says "$1" "$2" pool check --device-kind cuda --folder "$work"
}

pool_says 3 'no libtide_cuda.so beside '

put old cuda
pool_says 3 'libtide_cuda.so .* is of another version (999, '
says 3 'libtide_cuda.so .* is of another version (999, '

put good cuda
says 3 'no libtide_gpu.so with this program: build tide where there is an nvcc'
FAKE_MISSING='no GPU: get one' says 3 '^tide gpu: no GPU: get one$'

FAKE_MISSING='no GPU: get one' pool_says 3 '^tide pool: no GPU: get one$'
pool_says 1 '^tide pool: no 2097152 bytes on the fake GPU$'
put oldpool cuda
pool_says 3 'has no device memory for this version: install both anew'
put good cuda

cp "$fakes/old/libtide_gpu.so" "$work/bin/"
says 3 'libtide_gpu.so is of another version'

echo 'not a library' >"$work/bin/libtide_cuda.so"
says 3 'libtide_cuda.so cannot be loaded: '

cp "$fakes/good/libtide_gpu.so" "$work/bin/libtide_cuda.so"
says 3 "is not one of tide's: remove it"

# Installed: from bin to where modules are, and there beside each other.
put good
mkdir -p "$work/lib/tide" "$work/lib/$("${CC:-cc}" -print-multiarch 2>/dev/null)/tide"
for folder in "$work"/lib/tide "$work"/lib/*/tide; do
	cp "$fakes/good/libtide_cuda.so" "$fakes/good/libtide_gpu.so" "$folder/"
done
FAKE_RESULT=device "$work/bin/tide" gpu info >"$work/out" 2>"$work/err" ||
	{ cat "$work/err"; bad=1; }
grep -q 'Fake GPU' "$work/out" || { echo "no Fake GPU: $(cat "$work/out")"; bad=1; }
exit $bad
