#!/bin/sh
# How the results of tide gpu are shown, and how it ends, with results that are given.
# usage: show.sh FAKES DRIVER   (TIDE from the environment)
set -u

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$TIDE" "$1"/*.so "$work/"
cd "$work" || exit 1
FAKE_RESULT=device
LD_LIBRARY_PATH=$2
export FAKE_RESULT LD_LIBRARY_PATH
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

tide_gpu info --quick --progress=always
check 'what the driver says' <<'END'
name             Fake GPU
device           0
devices          1
driver           13.0
runtime          13.0
capability       9.0
multiprocessors  2
warps            128
memory           1 GiB
free             512 MiB
l2               1 MiB
gpu-near         yes: CUDA 13.0, GPU 0 maps its own memory and the host's
tide gpu info: quick yes
status 0
END
FAKE_RESULT=all
tide_gpu info
check 'limits' <<'END'
name             Fake GPU
device           0
devices          1
driver           13.0
runtime          13.0
capability       9.0
multiprocessors  2
warps            128
memory           1 GiB
free             512 MiB
l2               1 MiB
gpu-near         yes: CUDA 13.0, GPU 0 maps its own memory and the host's

limits
what   bytes  count     time       rate     rate
copy   4 KiB         2.60 us   1.2 GB/s
copy  64 KiB         4.10 us  16.0 GB/s
flag          1,000  1.60 ms             625 k/s
  MISSED bulk copy: 44.5, target >= 45
  MISSED disk: -, target no file
status 0
END
tide_gpu info --json
sed -i 's/"tide": "[0-9.]*"/"tide": "VERSION"/' result
check 'limits as JSON' <<'END'
{
  "tide": "VERSION",
  "verb": "gpu info",
  "device": {
    "name": "Fake GPU",
    "device": 0,
    "devices": 1,
    "driver": "13.0",
    "runtime": "13.0",
    "capability": "9.0",
    "multiprocessors": 2,
    "warps": 128,
    "memory_bytes": 1073741824,
    "free_bytes": 536870912,
    "l2_bytes": 1048576
  },
  "gpu_near": {
    "ok": true,
    "detail": "CUDA 13.0, GPU 0 maps its own memory and the host's",
    "fix": null
  },
  "limits": {
    "rows": [
      {
        "what": "copy",
        "bytes": 4096,
        "time_ns": 2600,
        "gbps": 1.25
      },
      {
        "what": "copy",
        "bytes": 65536,
        "time_ns": 4100,
        "gbps": 16.0
      },
      {
        "what": "flag",
        "count": 1000,
        "time_ns": 1600000,
        "per_second": 625000.0
      }
    ],
    "claims": [
      {
        "what": "bulk copy",
        "target": ">= 45",
        "measured": 44.5,
        "ok": false
      },
      {
        "what": "disk",
        "target": "no file",
        "measured": null,
        "ok": false
      }
    ],
    "ok": false
  }
}
status 0
END

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

tide_gpu bench --app srad,bfs --place bam,reuse --micro hit,storage --oversubscribe 2 --near 256M \
	--host 1G --page 64K --transfer zero-copy --timeout 5s --progress=always
check 'bench' <<'END'
device  Fake GPU

hit
what    bytes         rate  ratio  of
cursor  1 MiB  4000.0 GB/s  0.93x  raw
  holds  cursor / raw: 0.925, target >= 0.9

storage: no space

app   place  x     data    time  speedup  tier 1  tier 2  tier 3 reads  accuracy  verified
srad  bam    2  2.5 GiB  2.00 s    1.00x  90.00%   0.00%           100         -  yes
srad  reuse  2  2.5 GiB  1.00 s    2.00x  90.00%  60.00%            40    87.50%  yes
bfs   bam    2  2.5 GiB  3.00 s    1.00x                             0         -  WRONG
bfs   reuse  2        -       -        -                             0         -  disk full
srad, reuse: ejected mine, after invalid answers

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
tide_gpu bench --json
sed -n '/"runs"/,/]/p' result >some
mv some result
check 'runs as JSON' <<'END'
    "runs": [
      {
        "app": "srad",
        "place": "bam",
        "oversubscribe": 2.0,
        "data_bytes": 2684354560,
        "time_ns": 2000000000,
        "speedup": 1.0,
        "verified": true,
        "accuracy": null,
        "config": {
          "near_bytes": 0,
          "host_bytes": 0,
          "page_bytes": 0,
          "oversubscribe": 2.0,
          "resident": false,
          "iterations": 0,
          "seed": 0
        },
        "shape": {}
      },
      {
        "app": "srad",
        "place": "reuse",
        "oversubscribe": 2.0,
        "data_bytes": 2684354560,
        "time_ns": 1000000000,
        "speedup": 2.0,
        "verified": true,
        "accuracy": 0.875,
        "config": {
          "near_bytes": 0,
          "host_bytes": 0,
          "page_bytes": 0,
          "oversubscribe": 2.0,
          "resident": false,
          "iterations": 0,
          "seed": 0
        },
        "shape": {},
        "verb": "gpu",
        "counts": {
          "hits": 900
        },
        "policy": {
          "ejected": "mine"
        },
        "checksum": "0x00000000000000ff"
      },
      {
        "app": "bfs",
        "place": "bam",
        "oversubscribe": 2.0,
        "data_bytes": 2684354560,
        "time_ns": 3000000000,
        "speedup": 1.0,
        "verified": false,
        "accuracy": null,
        "config": {
          "near_bytes": 0,
          "host_bytes": 0,
          "page_bytes": 0,
          "oversubscribe": 2.0,
          "resident": false,
          "iterations": 0,
          "seed": 0
        },
        "shape": {}
      },
      {
        "app": "bfs",
        "place": "reuse",
        "oversubscribe": 2.0,
        "error": "disk full",
        "verified": null,
        "accuracy": null
      }
    ],
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
FAKE_RESULT=device
FAKE_ERROR='the GPU is gone: look at dmesg' tide_gpu bench --json
sed -i 's/"tide": "[0-9.]*"/"tide": "VERSION"/' result
check 'a bench that is cut short' <<'END'
{
  "tide": "VERSION",
  "verb": "gpu bench",
  "error": "the GPU is gone: look at dmesg",
  "micro": {},
  "device": {
    "name": "Fake GPU",
    "device": 0,
    "devices": 1,
    "driver": "13.0",
    "runtime": "13.0",
    "capability": "9.0",
    "multiprocessors": 2,
    "warps": 128,
    "memory_bytes": 1073741824,
    "free_bytes": 536870912,
    "l2_bytes": 1048576
  },
  "ok": false
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
FAKE_RESULT=none FAKE_ERROR='the GPU is gone: look at dmesg' tide_gpu selftest
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
