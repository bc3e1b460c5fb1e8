"""Passes through a stack of transformer layers whose random weights are larger than the GPU memory
that tide gives the program. It knows nothing of tide.

    python3 examples/gpu_run/torch_loop.py
    tide run --gpu-near 6G -- python3 examples/gpu_run/torch_loop.py
    tide run --gpu-near 6G --gpu-trust args -- python3 examples/gpu_run/torch_loop.py

The defaults have 12 GiB of weights. The checksums of all three are the same.
"""

import argparse
import time

import torch
from torch import nn
from torch.nn import functional


class Layer(nn.Module):
    """Attention, then two dense layers: 12 x width x width weights."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before = nn.LayerNorm(width)
        self.between = nn.LayerNorm(width)
        self.mixed = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)

    def attend(self, x):
        batch, words, width = x.shape
        parts = self.mixed(x).view(batch, words, 3, self.heads, width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(mixed.transpose(1, 2).reshape(batch, words, width))

    def forward(self, x):
        x = x + self.attend(self.before(x))
        return x + self.down(functional.gelu(self.up(self.between(x))))


def checksum(x):
    """Of every bit, whatever the order of the sum is."""
    bits = x.contiguous().view(torch.int16).to(torch.int64)
    places = torch.arange(1, bits.numel() + 1, device=bits.device)
    return int((bits.flatten() * places).sum())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--layers", type=int, default=32)
    parser.add_argument("--width", type=int, default=4096)
    parser.add_argument("--heads", type=int, default=32)
    parser.add_argument("--words", type=int, default=256)
    parser.add_argument("--passes", type=int, default=5)
    args = parser.parse_args()

    torch.manual_seed(1)
    with torch.device("cuda"), torch.no_grad():
        torch.set_default_dtype(torch.bfloat16)
        layers = [Layer(args.width, args.heads) for _ in range(args.layers)]
        x = torch.randn(1, args.words, args.width)
        weights = sum(p.numel() * p.element_size() for layer in layers for p in layer.parameters())
        print(f"weights: {weights / 2**30:.1f} GiB")
        for number in range(args.passes):
            torch.cuda.synchronize()
            begun = time.perf_counter()
            y = x
            for layer in layers:
                y = layer(y)
            torch.cuda.synchronize()
            print(f"pass {number}: {time.perf_counter() - begun:.3f} s, checksum {checksum(y)}")


if __name__ == "__main__":
    main()
