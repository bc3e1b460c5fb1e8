"""A mixture of experts with uneven routing: of each layer's experts, few do most of the work. Prints
one JSON line: a checksum, and how long a step takes.

    tide run --gpu-near 3G -- python3 bench/gpu-run/experts.py
    tide run --gpu-near 3G --gpu-evict lrm -- python3 bench/gpu-run/experts.py
"""
import argparse
import json
import random
import statistics
import time

import torch


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument("--layers", type=int, default=4)
    p.add_argument("--experts", type=int, default=32, help="of a layer")
    p.add_argument("--tokens", type=int, default=8, help="of a step; each goes to two experts")
    p.add_argument("--steps", type=int, default=60)
    p.add_argument("--skew", type=float, default=1.2)
    return p.parse_args()


@torch.no_grad()
def main():
    args = arguments()
    torch.manual_seed(1)
    draw = random.Random(1)
    wide, width = 8192, 2048

    def weight(*shape):
        return torch.randn(*shape, device="cuda", dtype=torch.bfloat16) / shape[0] ** 0.5

    layers = [[(weight(width, wide), weight(wide, width)) for _ in range(args.experts)]
              for _ in range(args.layers)]
    orders = [draw.sample(range(args.experts), args.experts) for _ in range(args.layers)]
    shares = [(i + 1) ** -args.skew for i in range(args.experts)]
    x = torch.randn(args.tokens, width, device="cuda", dtype=torch.bfloat16)
    times = []
    for _ in range(args.steps):
        torch.cuda.synchronize()
        since = time.perf_counter()
        for experts, order in zip(layers, orders):
            routed = {}
            for token in range(args.tokens):
                for rank in draw.choices(range(args.experts), shares, k=2):
                    routed.setdefault(order[rank], []).append(token)
            y = torch.zeros_like(x)
            for expert, tokens in routed.items():
                up, down = experts[expert]
                rows = torch.tensor(tokens, device="cuda")
                y.index_put_((rows,), torch.relu(x[rows] @ up) @ down, accumulate=True)
            x = torch.nn.functional.layer_norm(x + y, (width,))
        torch.cuda.synchronize()
        times.append(time.perf_counter() - since)
    print(json.dumps({"sum": float(x.double().sum().item()).hex(),
                      "step_s": statistics.mean(times[len(times) // 2:]), "steps_s": times,
                      "peak_bytes": torch.cuda.max_memory_allocated()}))


main()
