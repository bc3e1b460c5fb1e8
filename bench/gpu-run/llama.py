"""A language model of transformers with random weights: the tokens that it makes after a short
prompt, how long each takes, and how long a prefill takes. Prints one JSON line.

    tide run --gpu-near 6G -- python3 bench/gpu-run/llama.py --layers 32
    python3 bench/gpu-run/llama.py --layers 32 --accelerate 6G    # what one would use instead
"""
import argparse
import hashlib
import json
import statistics
import time

import torch
from transformers import LlamaConfig, LlamaForCausalLM


def arguments():
    p = argparse.ArgumentParser()
    p.add_argument("--layers", type=int, default=32)
    p.add_argument("--prefill", type=int, default=2048)
    p.add_argument("--prompt", type=int, default=32)
    p.add_argument("--tokens", type=int, default=16)
    p.add_argument("--accelerate", help="memory of the card that accelerate may use, such as 6G")
    return p.parse_args()


def make(args):
    config = LlamaConfig(hidden_size=4096, intermediate_size=11008, num_attention_heads=32,
                         num_hidden_layers=args.layers, vocab_size=32000,
                         max_position_embeddings=4096)
    torch.manual_seed(1)
    torch.set_default_dtype(torch.bfloat16)
    with torch.device("cuda"):
        model = LlamaForCausalLM(config)
    return model.eval()


def offload(model, limit):
    """The layers that do not fit stay in pinned host memory, and come for each use."""
    import accelerate
    model = model.to("cpu")
    torch.cuda.empty_cache()
    bytes_ = int(float(limit.rstrip("G")) * 2**30)
    where = accelerate.infer_auto_device_map(model, {0: bytes_, "cpu": 2**40},
                                             no_split_module_classes=["LlamaDecoderLayer"])
    for p in model.parameters():
        p.data = p.data.pin_memory()
    return accelerate.dispatch_model(model, where)


@torch.no_grad()
def run(model, args):
    def timed(call):
        torch.cuda.synchronize()
        since = time.perf_counter()
        result = call()
        torch.cuda.synchronize()
        return result, time.perf_counter() - since

    def words(n):
        return torch.arange(n, device="cuda")[None] * 7 % 32000

    out, _ = timed(lambda: model(words(args.prompt), use_cache=True))
    times, tokens = [], []
    for _ in range(args.tokens):
        past, token = out.past_key_values, out.logits[:, -1:].argmax(-1)
        tokens.append(int(token))
        out, took = timed(lambda: model(token, past_key_values=past, use_cache=True))
        times.append(took)
    last = out.logits.float().sum().item()
    del out, past
    prefills = [timed(lambda: model(words(args.prefill), logits_to_keep=1))[1] for _ in range(4)]
    digest = hashlib.sha256(str((tokens, last)).encode()).hexdigest()[:12]
    return {"token_s": statistics.median(times[len(times) // 2:]), "prefill_s": min(prefills),
            "sum": digest, "tokens_s": times, "prefills_s": prefills, "tokens": tokens}


def main():
    args = arguments()
    since = time.perf_counter()
    model = make(args)
    if args.accelerate:
        model = offload(model, args.accelerate)
    torch.cuda.synchronize()
    loaded = time.perf_counter() - since
    result = run(model, args)
    result.update(load_s=loaded, peak_bytes=torch.cuda.max_memory_allocated())
    print(json.dumps(result))


main()
