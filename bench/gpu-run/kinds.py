"""What programs do with PyTorch, with and without a budget: prints a checksum for each kind."""
import sys
import torch

torch.backends.cuda.matmul.allow_tf32 = False
torch.manual_seed(0)


def mlp():
    ws = [torch.randn(4096, 4096, device="cuda") / 64 for _ in range(24)]
    x = torch.randn(64, 4096, device="cuda")
    for _ in range(4):
        for w in ws:
            x = torch.tanh(x @ w)
    return x.double().sum().item()


def streams():
    a = torch.randn(64 << 20, device="cuda")
    ss = [torch.cuda.Stream() for _ in range(4)]
    outs = []
    torch.cuda.synchronize()
    for i, s in enumerate(ss):
        with torch.cuda.stream(s):
            b = a * (i + 1)
            for _ in range(5):
                b = b.sin() + a
            outs.append(b)
    torch.cuda.synchronize()
    return sum(o.double().sum().item() for o in outs)


def copies():
    h = torch.arange(48 << 20, dtype=torch.float32).pin_memory()
    ds = [h.to("cuda", non_blocking=True) + i for i in range(6)]
    back = [d.cpu() for d in ds]
    return sum(b.double().sum().item() for b in back)


def graph():
    ws = [torch.randn(2048, 2048, device="cuda") / 45 for _ in range(40)]
    x = torch.randn(64, 2048, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for w in ws:
            x @ w
    torch.cuda.current_stream().wait_stream(side)
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g):
        y = x
        for w in ws:
            y = torch.relu(y @ w)
    for _ in range(3):
        g.replay()
    return y.double().sum().item()


def train():
    torch.manual_seed(1)
    net = torch.nn.Sequential(*[torch.nn.Linear(3072, 3072) for _ in range(16)]).cuda()
    opt = torch.optim.AdamW(net.parameters(), lr=1e-4)
    x = torch.randn(32, 3072, device="cuda")
    for _ in range(5):
        opt.zero_grad()
        loss = net(x).pow(2).mean()
        loss.backward()
        opt.step()
    return loss.item()


for name in sys.argv[1:] or ["mlp", "streams", "copies", "graph", "train"]:
    print(name, repr(globals()[name]()), flush=True)
    torch.cuda.empty_cache()
