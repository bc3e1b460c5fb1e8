"""Training with Adam: a transformer with random weights and deterministic algorithms. Prints one
JSON line: the last loss, bit for bit, and how long a step takes.

    python3 bench/gpu-run/train.py
    tide run --gpu-near 2424M -- python3 bench/gpu-run/train.py
"""
import os

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
import argparse
import json
import statistics
import time

import torch
from torch import nn


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument("--layers", type=int, default=10)
    p.add_argument("--width", type=int, default=1408)
    p.add_argument("--tokens", type=int, default=512, help="of one step")
    p.add_argument("--steps", type=int, default=20)
    p.add_argument("--adam", choices=["foreach", "fused", "single"], default="foreach",
                   help="whether a kernel of the optimizer takes many tensors, as by default")
    return p.parse_args()


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 8 * width), nn.Linear(8 * width, width)

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (-1, 64)).transpose(1, 2)
                   for t in self.qkv(self.norm1(x)).chunk(3, -1))
        mixed = torch.softmax(q @ k.transpose(-1, -2) / 8, -1) @ v
        x = x + self.out(mixed.transpose(1, 2).flatten(-2))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


def main():
    args = arguments()
    torch.use_deterministic_algorithms(True)
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.manual_seed(1)
    with torch.device("cuda"):
        net = nn.Sequential(*[Block(args.width) for _ in range(args.layers)])
    opt = torch.optim.Adam(net.parameters(), lr=1e-4, foreach=args.adam == "foreach",
                           fused=args.adam == "fused")
    x = torch.randn(args.tokens // 512, 512, args.width, device="cuda")
    times = []
    for _ in range(args.steps):
        torch.cuda.synchronize()
        since = time.perf_counter()
        opt.zero_grad()
        loss = (net(x) - x.flip(0)).pow(2).mean()
        loss.backward()
        opt.step()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - since)
    weights = sum(p.numel() for p in net.parameters())
    print(json.dumps({"sum": float(loss.item()).hex(), "step_s": statistics.median(times[len(times) // 2:]),
                      "weights": weights, "state_bytes": 16 * weights,
                      "peak_bytes": torch.cuda.max_memory_allocated(), "steps_s": times}))


main()
