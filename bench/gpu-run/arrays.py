"""Array libraries that are not PyTorch: prints one JSON line with a checksum of each kind.

    tide run --gpu-near 2G -- python3 bench/gpu-run/arrays.py cupy
    tide run --gpu-near 2G -- python3 bench/gpu-run/arrays.py jax
"""
import hashlib
import json
import os
import sys

# What is measured to choose an algorithm differs from run to run, and so do last bits.
os.environ.setdefault("XLA_FLAGS", "--xla_gpu_deterministic_ops=true --xla_gpu_autotune_level=0")


def digest(*arrays):
    return hashlib.sha256(b"".join(a.tobytes() for a in arrays)).hexdigest()[:16]


def with_cupy():
    import cupy
    import cupyx.scipy.sparse as sparse
    draw = cupy.random.RandomState(1)
    layers = [draw.standard_normal((8192, 8192), dtype=cupy.float32) / 90 for _ in range(14)]
    x = draw.standard_normal((8192, 32), dtype=cupy.float32)
    for _ in range(3):
        for w in layers:
            x = cupy.tanh(w @ x)
    rows = cupy.arange(1 << 20).repeat(16)
    columns = draw.randint(0, 1 << 20, size=rows.size).astype(cupy.int32)
    matrix = sparse.csr_matrix((cupy.ones(rows.size, cupy.float32), (rows, columns)),
                               shape=(1 << 20, 1 << 20))
    v = cupy.ones(1 << 20, cupy.float32)
    for _ in range(4):
        v = matrix @ v / 16
    keys = cupy.sort(draw.randint(0, 1 << 30, size=1 << 26))
    wave = cupy.fft.fft(draw.standard_normal(1 << 24, dtype=cupy.float32))
    return {"dense": digest(x.get()), "sparse": digest(v.get()), "sorted": digest(keys[::4097].get()),
            "fft": digest(wave[::4097].get()), "peak_bytes": cupy.get_default_memory_pool().total_bytes()}


def with_jax():
    import jax
    import jax.numpy as jnp
    keys = jax.random.split(jax.random.PRNGKey(1), 16)
    layers = [jax.random.normal(k, (8192, 8192), jnp.float32) / 90 for k in keys[:14]]
    x = jax.random.normal(keys[14], (8192, 32), jnp.float32)
    layer = jax.jit(lambda w, x: jnp.tanh(w @ x))
    for _ in range(3):
        for w in layers:
            x = layer(w, x)
    gradient = jax.jit(jax.grad(lambda w, x: (layer(w, x) ** 2).sum()))(layers[3], x)
    order = jnp.sort(jax.random.normal(keys[15], (1 << 26,), jnp.float32))
    import numpy
    return {"dense": digest(numpy.asarray(x)), "gradient": digest(numpy.asarray(gradient)[::97]),
            "sorted": digest(numpy.asarray(order[::4097]))}


print(json.dumps({"cupy": with_cupy, "jax": with_jax}[sys.argv[1]]()))
