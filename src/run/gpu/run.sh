#!/bin/sh
# Claim:    the orders and layouts that tide reproduce observuvm gives to gmm, srk, sr2 and spm are
#           those of NVIDIA's libraries.
# Baseline: the libraries themselves, recorded on this GPU.
#
# Usage: src/run/gpu/run.sh TIDE FOLDER [NAME N PAUSE]...
#
# Needs CUDA 12 or later with the Compute Sanitizer, which comes with it, and a GPU with memory for
# twice the matrices. Leaves NAME-N.txt in FOLDER, and prints what each policy makes of it.
set -eu
[ $# -ge 2 ] || { sed -n 's/^# //p' "$0" >&2; exit 2; }
tide=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
folder=$2
shift 2
[ $# -gt 0 ] || set -- gmm 8192 2000 gmm 16384 10000 srk 8960 2000 srk 35840 400000 \
	sr2 6816 4000 sr2 27264 300000 lu 10033 2000 spm 65536 2000 spmr 65536 2000 \
	spmr 1048576 100000 gmv 14080 200 gmvt 14080 200

here=$(cd "$(dirname "$0")" && pwd)
cuda=$(dirname "$(dirname "$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)")")
sanitizer=$cuda/compute-sanitizer
mkdir -p "$folder"
cd "$folder"
"$cuda/bin/nvcc" --fatbin --compile-as-tools-patch -arch=native -I "$sanitizer/include" \
	-o patch.fatbin -c "$here/patch.cu"
"$cuda/bin/nvcc" -O2 -arch=native -I "$sanitizer/include" -o gpu_pages "$here/gpu_pages.cu" \
	-L "$sanitizer" -Xlinker -rpath="$sanitizer" -lsanitizer-public -lcublas -lcusolver -lcusparse

while [ $# -ge 3 ]; do
	trace=$1-$2.txt
	rm -f "$trace"
	echo "== $1 $2"
	./gpu_pages "$1" "$2" "$3" "$trace"
	"$tide" compare --trace "$trace" --page 64K --chunk 2M --near 66.67% \
		--policies lrm+tree --policies observ-lru+tree --policies observ-lfu+tree \
		--policies cp+tree --policies tournament+tree --policies tournament+fdp \
		--policies tournament+rgp --policies lrm+early-adaptor
	shift 3
done
