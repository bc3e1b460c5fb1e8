#!/bin/sh
# What cannot be is refused, each time with one clear line.
# usage: pager_refusals.sh FOLDER-OF-THE-PROGRAMS
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/live/pager_help.sh
. "$here/pager_help.sh"

mkdir files
attempt 60 "$1/pager_refusals" "$work/files"
[ "$status" -eq 0 ] || fail "status $status: $(tail -n 2 out) $(cat error)"
# Which policies there are is not what this is about.
sed 's/0x[0-9a-f]*/ADDRESS/g; s/known ones are .*/known ones are NAMES/' out >said
diff -u - said <<'LINES' || fail "other lines than these"
0: no size of near memory: give one, say 512M
.near_size = "0": near memory of 0: give `near_size` at least one chunk
.near_size = "much": near memory of 'much' is no size: write 512M, 1024p (pages) or 75% (of the footprint)
.near_size = "50%": near memory of '50%': a program's footprint is not known: give a size, say 512M
.near_size = "32K": near memory of '32K' has fewer than 24 chunks: give more, say 512M, or a smaller chunk
.near_size = "64K": near memory of '64K' has fewer than 24 chunks: give more, say 512M, or a smaller chunk
.near_size = "4M", .page = "2K": page of '2K': the pager takes 4K, 8K, 16K, 32K, 64K
.near_size = "4M", .page = "6K": page of '6K': the pager takes 4K, 8K, 16K, 32K, 64K
.near_size = "4M", .page = "128K": page of '128K': the pager takes 4K, 8K, 16K, 32K, 64K
.near_size = "4M", .chunk = "65p": chunk of 65 pages is more than 64: give a smaller `chunk` or a larger `page`
.near_size = "4M", .chunk = "6K": chunk of 6144 bytes is not a multiple of the page of 4096 bytes: give `chunk` as 1 to 64 pages
.near_size = "4M", .page = "64K", .chunk = "64p": near memory of '4M' has fewer than 24 chunks: give more, say 512M, or a smaller chunk
.near_size = "99999999T": near memory of '99999999T' is no size: write 512M, 1024p (pages) or 75% (of the footprint)
.near_size = "4M", .host = "-1": host memory of '-1' is no size: write 512M, 1024p (pages) or 75% (of the footprint)
.near_size = "4M", .host = "some": host memory of 'some' is no size: write 512M, 1024p (pages) or 75% (of the footprint)
.near_size = "4M", .evict = "opt": evict policy opt needs the future, which only a recorded trace or a workload has: save the input to a file first
.near_size = "4M", .evict = "lru": evict policy lru needs every access, and the pager with mapping around sees only faults: tide sim sees them all
.near_size = "4M", .evict = "mru": evict policy mru needs every access, and the pager with mapping around sees only faults: tide sim sees them all
.near_size = "4M", .evict = "lfu": evict policy lfu needs every access, and the pager with mapping around sees only faults: tide sim sees them all
.near_size = "4M", .evict = "reserved-lru": evict policy reserved-lru needs every access, and the pager with mapping around sees only faults: tide sim sees them all
.near_size = "4M", .evict = "arc", .chunk = "1p": evict policy arc needs every access, and the pager with mapping around sees only faults: tide sim sees them all
.near_size = "4M", .evict = "leu", .chunk = "16p": evict policy leu works on chunks of one page: give `chunk` the size of `page`
.near_size = "4M", .evict = "tournament:of=lru+lrm": evict policy lru needs every access, and the pager with mapping around sees only faults: tide sim sees them all
.near_size = "4M", .evict = "best": no evict policy best: known ones are NAMES
.near_size = "4M", .evict = "mhpe:t9=1": evict policy mhpe has no parameter t9 (did you mean t1?): it takes t1, t2, t3, interval, fd, touched
.near_size = "4M", .evict = "pattern": pattern is a policy for `prefetch`, not for `evict`: known ones are NAMES
.near_size = "4M", .evict = "./missing.so": cannot load policy: ./missing.so: cannot open shared object file: No such file or directory: name a shared object that is compiled for it
.near_size = "4M", .evict = "mhpe", .mapping = "fast": evict policy mhpe needs to know which pages were touched, and the pager with mapping fast moves chunks whole: give `mapping` exact
.near_size = "4M", .evict = "observ-lru", .mapping = "fast": evict policy observ-lru needs notices by observation, and the pager with mapping fast gives none: choose another policy
.near_size = "4M", .prefetch = "best": no prefetch policy best: known ones are NAMES
.near_size = "4M", .place = "reuse", .host = "1M", .chunk = "16p": placement reuse chooses between tiers 2 and 3: give storage, a file
.near_size = "4M", .place = "bam", .chunk = "1p", .prefetch = "none": a placement policy needs the size of tier 2: give `host`
.near_size = "4M", .place = "hmm", .host = "1M", .chunk = "1p", .prefetch = "none": placement hmm chooses between tiers 2 and 3: give storage, a file
.near_size = "4M", .host_kind = "snappy": unknown kind of tier 2 'snappy': give one of plain, lz4, zstd
.near_size = "4M", .mapping = "slow": unknown mapping 'slow': give one of auto, exact, around, fast, copy
.near_size = "4M", .service = "fork": unknown service 'fork': give one of auto, signal, thread
.near_size = "4M", .seed = "one": seed of 'one' is no number: give 0 to 2^64 - 1
.near_size = "4M", .watchdog = "soon": watchdog of 'soon': give seconds, 0 for none
.near_size = "4M", .inject = "read=ENONE:3": no failure to inject is called 'read=ENONE:3': give some of read=EIO:1000, write=ENOSPC:5, short=100, delay=200us, sync
.near_size = "4M", .inject = "reed=EIO:3": no failure to inject is called 'reed=EIO:3': give some of read=EIO:1000, write=ENOSPC:5, short=100, delay=200us, sync
.near_size = "4M", .inject = "read=EIO:0": no failure to inject is called 'read=EIO:0': give some of read=EIO:1000, write=ENOSPC:5, short=100, delay=200us, sync
.near_size = "4M", .storage = "/nowhere/far": cannot open /nowhere/far: No such file or directory: give another file
.near_size = "4M", .log = "/nowhere/log": cannot write the decision log /nowhere/log: No such file or directory: give another name
.near_size = "4M", .record = "/nowhere/trace.tide": cannot write /nowhere/trace.tide: No such file or directory: give another name
.near_size = "4M", .storage = "/": cannot open /: Is a directory: give another file
0 .path = NULL: nothing to map: give a size
(size_t)1 << 62 .path = NULL: a mapping of 4611686018427387904 bytes is too large
64 * MIB .path = NULL: all mappings together are 16384 pages, near memory and tier 2 have 3072: give storage, or a larger tier 2
0 .path = "/nowhere/file": cannot open /nowhere/file: No such file or directory: give another file
0 .path = folder: FOLDER is neither a file nor a block device: give one of these
0 .path = empty: FOLDER/empty has nothing at the offset
0 .path = file, .offset = 100: the offset in FOLDER/file is no multiple of the page size: 4096
0 .path = file, .offset = 16 * MIB: FOLDER/file has nothing at the offset
64 * MIB .path = file: all mappings together are 16384 pages, near memory and tier 2 have 3072: give storage, or a larger tier 2
MIB .at = (void *)ADDRESS: the address ADDRESS is no multiple of the chunk size: 65536
MIB .at = (void *)((uintptr_t)stdout & ~(64 * KIB - 1)): the address ADDRESS is in use: give another, or none
tide_unmap(t, at + 1, 4096, &err): the address is no multiple of the page size: 4096
tide_advise(t, at, 4096, (enum tide_advice)77, &err): unknown advice 77
tide_advise(t, of_file, 4096, TIDE_DROP, &err): pages of a shared file cannot be dropped: unmap them
LINES
