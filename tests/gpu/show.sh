#!/bin/sh
# How the results of tide gpu are shown, and how it ends, with documents that are given.
# usage: show.sh FAKES   (TIDE from the environment)
set -u

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$TIDE" "$1"/*.so "$work/"
cd "$work" || exit 1
FAKE_DOCUMENT=$work/document
export FAKE_DOCUMENT
bad=0

# check WHAT: what came out is what stands on standard input.
check()
{
	diff -u - result || { echo "show: $1"; bad=1; }
}

# tide_gpu WORDS...: output, errors and status in one.
tide_gpu()
{
	{
		./tide gpu "$@" 2>errors
		status=$?
		cat errors
		echo "status $status"
	} >result
}

echo '{"device": {"name": "Fake GPU", "memory_bytes": 1073741824, "integrated": false}}' >document
tide_gpu info --quick --progress=always
check 'what the driver says' <<'END'
name        Fake GPU
memory      1 GiB
integrated  no
tide gpu info: quick yes
status 0
END
echo '{"device": {"name": "Fake GPU"}, "limits": {"ok": true, "rows": [
	{"what": "copy", "bytes": 4096, "read_gbps": 1.25, "time_ns": 2600, "per_second": 1530000},
	{"what": "copy", "bytes": 65536, "read_gbps": 16.0, "time_ns": 4100.5},
	{"what": "flag", "round_trip_ns": 1600}],
	"claims": [{"what": "bulk copy", "target": ">= 45", "measured": 44.5, "ok": false},
	{"what": "disk", "target": null, "measured": 3.1, "ok": null}]}}' >document
tide_gpu info
check 'limits' <<'END'
name  Fake GPU

limits
what   bytes       read     time      rate  round trip
copy   4 KiB   1.2 GB/s  2.60 us  1.53 M/s
copy  64 KiB  16.0 GB/s  4.10 us
flag                                           1.60 us
  MISSED bulk copy: 44.5, target >= 45
  -      disk: 3.1, target -
status 0
END

echo '{"parts": [{"name": "pressure", "ok": true, "accesses": 1000000, "time_ns": 1500000000, "detail": ""},
	{"name": "errors", "ok": false, "accesses": 10, "time_ns": 12, "detail": "a read that failed gave 7"}],
	"ok": false}' >document
tide_gpu selftest --only press,err --thorough --seed 7 --folder . --progress=always
check 'selftest, with a part that failed' <<'END'
part               accesses     time  detail
pressure  ok      1,000,000   1.50 s
errors    FAILED         10  12.0 ns  a read that failed gave 7
tide gpu selftest: part press,err
tide gpu selftest: thorough yes
tide gpu selftest: folder .
tide gpu selftest: seed 7
tide gpu: not all is well: errors: see what is printed
status 1
END

cat >document <<'END'
{"device": {"name": "Fake GPU"}, "ok": false,
 "micro": {"hit": {"ok": true, "rows": [{"what": "cursor", "stream_gbps": 4000.0, "of_raw_share": 0.925}],
   "claims": [{"what": "streaming with the cursor, share of raw", "target": 0.9, "measured": 0.925, "ok": true}]},
  "storage": {"ok": false, "error": "no space", "rows": []}},
 "apps": {"ok": false, "config": {"near_bytes": 268435456, "host_bytes": 1073741824, "page_bytes": 65536,
   "transfer": "zero-copy"},
  "runs": [
  {"app": "srad", "place": "bam", "oversubscribe": 2, "data_bytes": 2684354560, "time_ns": 2000000000,
   "verified": true, "speedup": 1.0, "accuracy": null,
   "counts": {"accesses": 1000, "hits": 900, "faults": 100, "tier2_hits": 0, "tier2_misses": 100, "tier3_reads": 100}},
  {"app": "srad", "place": "reuse", "oversubscribe": 2, "data_bytes": 2684354560, "time_ns": 1000000000,
   "verified": true, "speedup": 2.0, "accuracy": 0.875,
   "counts": {"accesses": 1000, "hits": 900, "faults": 100, "tier2_hits": 60, "tier2_misses": 40, "tier3_reads": 40}},
  {"app": "bfs", "place": "bam", "oversubscribe": 2, "data_bytes": 2684354560, "time_ns": 3000000000,
   "verified": false, "speedup": 1.0, "accuracy": null,
   "counts": {"accesses": 0, "hits": 0, "faults": 0, "tier2_hits": 0, "tier2_misses": 0, "tier3_reads": 0}},
  {"app": "bfs", "place": "reuse", "oversubscribe": 2, "error": "disk full", "counts": {}}],
  "means": [{"place": "reuse", "oversubscribe": 2, "speedup": 2.0, "apps": 1}]}}
END
tide_gpu bench --app srad,bfs --place bam,reuse --micro hit,storage --oversubscribe 2 --near 256M \
	--host 1G --page 64K --transfer zero-copy --timeout 5s --progress=always
check 'bench' <<'END'
device  Fake GPU

hit
what         stream  of raw
cursor  4000.0 GB/s  92.50%
  holds  streaming with the cursor, share of raw: 0.925, target 0.9

storage: no space

app   place  x     data    time  speedup  tier 1  tier 2  tier 3 reads  accuracy  verified
srad  bam    2  2.5 GiB  2.00 s    1.00x  90.00%   0.00%           100         -  yes
srad  reuse  2  2.5 GiB  1.00 s    2.00x  90.00%  60.00%            40    87.50%  yes
bfs   bam    2  2.5 GiB  3.00 s    1.00x                             0         -  WRONG
bfs   reuse  2        -       -        -                             0         -  disk full

geometric means over bam
place  x  speedup  apps
reuse  2    2.00x     1
tide gpu bench: micro hit,storage
tide gpu bench: app srad,bfs
tide gpu bench: place bam,reuse
tide gpu bench: oversubscribe 2
tide gpu bench: near 256M
tide gpu bench: host 1G
tide gpu bench: page 64K
tide gpu bench: transfer zero-copy
tide gpu bench: timeout 5s
tide gpu: not all is well: storage, applications: see what is printed
status 1
END

tide_gpu bench --app srad --orchestrate host --evict mhpe --prefetch pattern --progress=always --json
grep -E '^tide|^status' result >some
mv some result
check 'options of host orchestration' <<'END'
tide gpu bench: app srad
tide gpu bench: orchestrate host
tide gpu bench: evict mhpe
tide gpu bench: prefetch pattern
tide gpu: not all is well: storage, applications: see what is printed
status 1
END

# A call that fails: what it had is printed all the same, and says that it is not all.
echo '{"device": {"name": "Fake GPU"}}' >document
FAKE_ERROR='the GPU is gone: look at dmesg' tide_gpu bench --json
sed -i 's/"tide": "[0-9.]*"/"tide": "VERSION"/' result
check 'a bench that is cut short' <<'END'
{
  "tide": "VERSION",
  "verb": "gpu bench",
  "error": "the GPU is gone: look at dmesg",
  "device": {
    "name": "Fake GPU"
  }
}
tide gpu: the GPU is gone: look at dmesg
status 1
END
FAKE_ERROR='the GPU is gone: look at dmesg' tide_gpu bench
check 'the same as a table' <<'END'
device  Fake GPU
tide gpu: the GPU is gone: look at dmesg
status 1
END
FAKE_DOCUMENT='' FAKE_ERROR='the GPU is gone: look at dmesg' tide_gpu selftest
check 'a call that fails at once' <<'END'
tide gpu: the GPU is gone: look at dmesg
status 1
END
tide_gpu info --device 3
check 'a GPU that is not there' <<'END'
tide gpu: no GPU 3, there is one: give --device 0
status 3
END

./tide --complete gpu selftest --only '' >result
./tide --complete gpu bench --app '' >>result
check 'completion from the module' <<'END'
pressure
errors
srad
END
exit $bad
