"""What AutoLab does while the clock runs."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

import autolab
from autolab import Variable, fuse, get_array_module, no_grad, to_gpu
from autolab import functions as F
from autolab.recording.arrays import snapshot
from autolab.views.draw.heatmap_svg import Panel, heatmaps

from .clock import Work


@fuse
def muladd(x: Any, y: Any, z: Any) -> Any:
    """Product and sum."""
    return x * y + z


def muladd_works(size: int) -> dict[str, tuple[Work, int]]:
    """A copy of ``size`` float32 numbers, and the fused product and sum: the work, and the arrays it must move.

    ``forward and backward`` is what a step inside a larger graph does: the upstream gradient comes from above and goes
    on as the gradient of ``z``. ``grad()`` gives each gradient as an array of the caller's own, also that one.
    """
    arrays = [to_gpu(np.linspace(low, 1, size, dtype=np.float32)) for low in (0.1, 0.2, 0.3)]
    xs = [Variable(a) for a in arrays]
    target, ones = arrays[0].copy(), get_array_module(arrays[0]).ones_like(arrays[0])

    def copy() -> Any:
        target[...] = arrays[0]
        return target

    def forward() -> Any:
        with no_grad():
            return muladd(*xs).data

    def both() -> Any:
        w = muladd(*xs)
        return [g for _, g in w.node.function.pull(w.node, ones, False)]

    def through_grad() -> Any:
        return [g.data for g in autolab.grad(muladd(*xs), xs, ones)]

    return {"copy": (copy, 2), "forward": (forward, 4), "forward and backward": (both, 9), "grad()": (through_grad, 11)}


def operations() -> dict[str, tuple[Work, Work]]:
    """Small operations of AutoLab, each beside the same of the array library alone: the host's time is what counts."""
    a, b = to_gpu(np.linspace(0, 1, 16, dtype=np.float32)), to_gpu(np.linspace(1, 2, 16, dtype=np.float32))
    xp, x, y = get_array_module(a), Variable(a), Variable(b)
    return {
        "add": (lambda: x + y, lambda: xp.add(a, b)),
        "tanh": (lambda: F.tanh(x), lambda: xp.tanh(a)),
        "times a number": (lambda: x * 2.0, lambda: xp.multiply(a, 2.0)),
        "sum": (lambda: F.sum(x), lambda: a.sum()),
    }


def layers(width: int, batch: int, linear: Callable[..., Any] = F.linear) -> Work:
    """A step of gradients through three layers."""
    rng = np.random.default_rng(0)
    ws = [Variable(to_gpu((rng.normal(size=(width, width)) / width**0.5).astype(np.float32))) for _ in range(3)]
    bs = [Variable(to_gpu(np.zeros(width, np.float32))) for _ in range(3)]
    x = to_gpu(rng.normal(size=(batch, width)).astype(np.float32))

    def step() -> Any:
        y: Any = Variable(x, requires_grad=False)
        for w, b in zip(ws, bs, strict=True):
            y = F.relu(linear(y, w, b))
        return [g.data for g in autolab.grad(F.sum(y), [*ws, *bs])]

    return step


def linear_by_sums(x: Variable, w: Variable, b: Variable) -> Variable:
    """A linear layer without cuBLAS, which CuPy refuses while a stream is captured (cupy/cupy#6290).

    It is made of products of elements and their sums, as good as a matrix product where the layer is small.
    """
    return F.sum(F.expand_dims(x, axis=-2) * w, axis=-1) + b


def captured(work: Work) -> Work:
    """``work`` as a CUDA graph, replayed; what cannot be captured raises here."""
    xp = get_array_module(to_gpu(np.zeros(1)))
    stream, pool = xp.cuda.Stream(non_blocking=True), xp.cuda.MemoryPool()
    with xp.cuda.using_allocator(pool.malloc), stream:
        for _ in range(3):
            work()
        stream.synchronize()
        stream.begin_capture()
        try:
            kept = work()
        except Exception:
            with suppress(Exception):  # the first error says more
                stream.end_capture()
            raise
        graph = stream.end_capture()

    def replay() -> Any:
        graph.launch()
        return kept, pool  # the graph writes there as long as it lives

    return replay


def heatmap(size: int) -> Work:
    """The heatmap of ``size`` float32 numbers: reduced on the device, and drawn."""
    xp = get_array_module(to_gpu(np.zeros(1)))
    x = xp.sin(xp.arange(size, dtype=np.float32).reshape(-1, min(size, 1000)))
    return lambda: heatmaps([Panel("x", snapshot(x))])
