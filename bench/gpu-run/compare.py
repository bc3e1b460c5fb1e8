"""`tide run --gpu-near` beside what a user would use instead: programs that others wrote or would
write, each alone, in a budget by tide with both trusts, and, where there is one, by another way.
All runs of a part are made by turns; figures are medians. The exit status is 1 if any result differs
from that of the program alone.

    python3 bench/gpu-run/compare.py build/release/tide [--parts llama,train] [--repeat 3]

It needs a GPU, and for most parts PyTorch; a part whose program cannot run alone is left out.
LIBRARIES and LAUNCHES are the programs built from libraries.c and launches.c.
"""
import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
ARGS, NONE = ["--gpu-trust", "args"], []
LLAMA_GIB = 12.55  # of weights


def python(name, *arguments):
    return [sys.executable, str(HERE / f"{name}.py"), *arguments]


def budgets(size, *more):
    return {"args": ["--gpu-near", size, *ARGS, *more], "none": ["--gpu-near", size, *NONE, *more]}


def built(name):
    path = os.environ.get(name.upper())
    return [path] if path else None


def parts():
    """NAME: (program, {way: options of tide run}, {way: another program})."""
    llama = python("llama", "--layers", "32")
    all_parts = {
        "llama": (llama, budgets("6G"), {"accelerate": llama + ["--accelerate", "6G"]}),
        "train": (python("train"), budgets("2424M"), {}),
        "train-fused": (python("train", "--adam", "fused"), budgets("2424M"), {}),
        "train-single": (python("train", "--adam", "single"), budgets("2424M"), {}),
        "experts": (python("experts"), {**budgets("3G"), "lrm": ["--gpu-near", "3G", *ARGS, "--gpu-evict", "lrm"],
                                        "lrm alone": ["--gpu-near", "3G", *ARGS, "--gpu-evict", "lrm",
                                                      "--gpu-prefetch", "none"]}, {}),
        "cupy": (python("arrays", "cupy"), budgets("3G"), {}),
        "jax": (python("arrays", "jax"), budgets("2G"), {}),
        "kinds": (python("kinds"), budgets("1G"), {}),
        "libraries": (built("libraries"), budgets("900M"), {}),
        "launches": (built("launches"), {"args": ["--gpu-near", "8G", *ARGS], "none": ["--gpu-near", "8G"]}, {}),
        "train-fits": (python("train"), {"none": ["--gpu-near", "60G"]}, {}),
        "llama-fits": (llama, {"none": ["--gpu-near", "60G"]}, {}),
    }
    for share in (25, 45, 75):
        size = LLAMA_GIB * share / 100
        ways = budgets(f"{int(size * 1024)}M")
        all_parts[f"llama-{share}"] = (llama, ways, {"accelerate": llama + ["--accelerate", f"{size:.3f}G"]})
    return all_parts


def run(command, log, name, limit):
    """Its result, a dict; None if it failed."""
    since = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as process:
        try:
            out, said = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # tide, and the program
            out, said = process.communicate()
            print(f"{name}: more than {limit} s", flush=True)
    took = time.perf_counter() - since
    if log:
        (log / f"{name}.err").write_text(said)
    if process.returncode:
        print(f"{name}: status {process.returncode}: {said.strip().splitlines()[-1:]}", flush=True)
        return None
    lines = out.strip().splitlines()
    if lines[-1].startswith("{"):
        return {"took_s": took, **json.loads(lines[-1])}
    return {"took_s": took, "sum": lines}


def same(a, b):
    """Everything that is a text or a list of texts must be equal."""
    def texts(r):
        return {k: v for k, v in r.items() if isinstance(v, str) or k in ("sum", "tokens")}
    return texts(a) == texts(b)


def figures(samples):
    names = [k for k, v in samples[0].items() if k.endswith(("_s", "_ns")) and isinstance(v, float | int)]
    return {k: statistics.median(s[k] for s in samples) for k in names}


def compare(name, part, args):
    program, ways, others = part
    if not program:
        print(f"{name} is left out: its program is not given", flush=True)
        return True
    commands = {"alone": program}
    for way, options in ways.items():
        commands[way] = [args.tide, "run", *options, "--stats", f"{args.scratch}/{name}.{way}.json", "--", *program]
    commands.update(others)
    samples, right = {way: [] for way in commands}, True
    for turn in range(args.repeat):
        for way, command in commands.items():
            result = run(command, args.log, f"{name}.{way}", args.limit)
            if result is None:
                right = False
                if way == "alone":
                    return True  # it cannot run here
                continue
            samples[way].append(result)
            if not same(samples["alone"][0], result):
                print(f"{name}: {way} gives another result", flush=True)
                right = False
    for way, results in samples.items():
        if results:
            said = "  ".join(f"{k} {v:.4g}" for k, v in figures(results).items())
            print(f"{name:14} {way:14} {said}{moved(args, name, way)}", flush=True)
    return right


def moved(args, name, way):
    path = pathlib.Path(f"{args.scratch}/{name}.{way}.json")
    if not path.exists():
        return ""
    gpu = find(json.loads(path.read_text()), "in_bytes")
    if not gpu:
        return ""
    return (f"  in {gpu['in_bytes'] / 2**30:.1f} GiB  out {gpu['out_bytes'] / 2**30:.1f}"
            f"  clean {gpu['clean_bytes'] / 2**30:.1f}  most {gpu['near_most_bytes'] / 2**30:.2f}"
            f"  aside {gpu['unmanaged_most_bytes'] / 2**20:.0f} MiB"
            f"  over the bus {gpu['remote_launches']} of {gpu['launches']}")


def find(node, key):
    """The object of a JSON document that has this key."""
    if isinstance(node, dict):
        if key in node:
            return node
        node = list(node.values())
    if isinstance(node, list):
        for child in node:
            found = find(child, key)
            if found:
                return found
    return None


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tide")
    p.add_argument("--parts", default="llama,train,experts,cupy,jax,kinds,libraries,launches")
    p.add_argument("--repeat", type=int, default=1)
    p.add_argument("--limit", type=int, default=180, help="seconds for one run")
    p.add_argument("--scratch", default="/tmp")
    p.add_argument("--log", type=pathlib.Path, help="folder for what each run says")
    args = p.parse_args()
    right = True
    for name in args.parts.split(","):
        right &= compare(name, parts()[name], args)
    sys.exit(0 if right else 1)


main()
