"""The workloads that `gpu.py` times, in AutoLab and in PyTorch, and the clocks."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from contextlib import suppress
from time import perf_counter
from typing import Any

import numpy as np

import autolab
from autolab import Variable, fuse, get_array_module, no_grad, to_gpu
from autolab import functions as F
from autolab.recording.arrays import snapshot
from autolab.views.draw.heatmap_svg import Panel, heatmaps

Work = Callable[[], Any]
Clock = Callable[[Work, int], float]
"""Seconds for one call of a piece of work that is called so many times."""


def device() -> Any:
    """The GPU's array library."""
    return get_array_module(to_gpu(np.zeros(1)))


def device_clock(work: Work, times: int) -> float:
    """Seconds per call between two events on the device's default stream, which PyTorch uses as well."""
    cuda = device().cuda
    start, end = cuda.Event(), cuda.Event()
    start.record()
    for _ in range(times):
        work()
    end.record()
    end.synchronize()
    return float(cuda.get_elapsed_time(start, end)) / 1000 / times


def wall_clock(work: Work, times: int) -> float:
    """Seconds per call by the host's clock, until the device has finished."""
    cuda = device().cuda
    start = perf_counter()
    for _ in range(times):
        work()
    cuda.Device().synchronize()
    return (perf_counter() - start) / times


def medians(works: dict[str, Work], clock: Clock, times: int, rounds: int) -> dict[str, float]:
    """The median of each workload's times; they take turns, so that a warmer GPU affects all of them."""
    for work in works.values():
        for _ in range(3):
            work()  # compiles the kernels and fills the memory pool
    found: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            found[name].append(clock(work, times))
    return {name: statistics.median(seconds) for name, seconds in found.items()}


def give_back() -> None:
    """Free the memory of a row that is finished."""
    device().get_default_memory_pool().free_all_blocks()
    torch = torch_or_none()
    if torch is not None:
        torch.cuda.empty_cache()


def torch_or_none() -> Any:
    """PyTorch with a GPU, if it is installed."""
    try:
        import torch
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


# ------------------------------------------------------------------------------------------------------- AutoLab
@fuse
def muladd(x: Any, y: Any, z: Any) -> Any:
    """Product and sum."""
    return x * y + z


def muladd_works(size: int) -> dict[str, tuple[Work, int]]:
    """A copy of ``size`` float32 numbers, and the fused product and sum: the work, and the arrays it must move.

    ``forward and backward`` is what a step inside a larger graph does: the upstream gradient arrives and is passed on
    as the gradient of ``z``. ``grad()`` returns each gradient, including that one, as a separate array.
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


def kernel_works(size: int) -> dict[str, tuple[Work, int]]:
    """Declared functions in both directions over ``size`` float32 numbers, and the arrays each kernel must move."""
    x, g = [to_gpu(np.linspace(low, 1, size, dtype=np.float32)) for low in (-1, 0.5)]
    target, found = x.copy(), dict[str, tuple[Work, int]]()

    def copy() -> None:
        target[...] = x

    def add(function: Callable[..., Any], inputs: int) -> None:
        xs = [Variable(x) for _ in range(inputs)]

        def forward() -> Any:
            with no_grad():
                return function(*xs).data

        y: Any = function(*xs)
        found[function.__name__] = (forward, inputs + 1)
        backward = lambda: [gradient for _, gradient in y.node.function.pull(y.node, g, False)]  # noqa: E731
        found[f"{function.__name__}, backward"] = (backward, 1 + 2 * inputs)

    for function, inputs in ((F.gelu, 1), (F.softplus, 1), (F.tanh, 1), (F.mul, 2)):
        add(function, inputs)
    return {"copy, beside kernels": (copy, 2)} | found


def operations() -> dict[str, tuple[Work, Work]]:
    """Small operations of AutoLab, each with its counterpart in the array library alone: the host's time counts."""
    a, b = to_gpu(np.linspace(0, 1, 16, dtype=np.float32)), to_gpu(np.linspace(1, 2, 16, dtype=np.float32))
    xp, x, y = get_array_module(a), Variable(a), Variable(b)
    return {
        "add": (lambda: x + y, lambda: xp.add(a, b)),
        "tanh": (lambda: F.tanh(x), lambda: xp.tanh(a)),
        "times a number": (lambda: x * 2.0, lambda: xp.multiply(a, 2.0)),
        "sum": (lambda: F.sum(x), lambda: a.sum()),
    }


def layers(width: int, batch: int, linear: Callable[..., Any] = F.linear) -> Work:
    """Forward and backward through three layers."""
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

    It uses elementwise products and sums, which are as good as a matrix product for a small layer.
    """
    return F.sum(F.expand_dims(x, axis=-2) * w, axis=-1) + b


def captured(work: Work) -> Work:
    """``work`` as a CUDA graph, to be replayed; raises here if it cannot be captured."""
    xp = device()
    stream, pool = xp.cuda.Stream(non_blocking=True), xp.cuda.MemoryPool()
    with xp.cuda.using_allocator(pool.malloc), stream:
        for _ in range(3):
            work()
        stream.synchronize()
        stream.begin_capture()
        try:
            kept = work()
        except Exception:
            with suppress(Exception):  # the first error is more informative
                stream.end_capture()
            raise
        graph = stream.end_capture()

    def replay() -> Any:
        graph.launch()
        return kept, pool  # the graph writes there as long as it exists

    return replay


def heatmap(size: int) -> Work:
    """The heatmap of ``size`` float32 numbers: reduced on the device, then drawn."""
    xp = device()
    x = xp.sin(xp.arange(size, dtype=np.float32).reshape(-1, min(size, 1000)))
    return lambda: heatmaps([Panel("x", snapshot(x))])


# ------------------------------------------------------------------------------- PyTorch, eager, where it is there
def torch_muladd_works(torch: Any, size: int) -> dict[str, Work]:
    """Product and sum, forward and with the gradients of all three."""
    xs = [torch.linspace(low, 1, size, device="cuda", requires_grad=True) for low in (0.1, 0.2, 0.3)]
    ones = torch.ones(size, device="cuda")

    def forward() -> Any:
        with torch.no_grad():
            return xs[0] * xs[1] + xs[2]

    both = lambda: torch.autograd.grad(xs[0] * xs[1] + xs[2], xs, ones)  # noqa: E731
    return {"forward": forward, "forward and backward": both}


def torch_layers(torch: Any, width: int, batch: int) -> Work:
    """Forward and backward through three layers, in full float32."""
    torch.backends.cuda.matmul.allow_tf32 = False
    ws = [(torch.randn(width, width, device="cuda") / width**0.5).requires_grad_() for _ in range(3)]
    bs = [torch.zeros(width, device="cuda", requires_grad=True) for _ in range(3)]
    x = torch.randn(batch, width, device="cuda")

    def step() -> Any:
        y = x
        for w, b in zip(ws, bs, strict=True):
            y = torch.relu(torch.nn.functional.linear(y, w, b))
        return torch.autograd.grad(y.sum(), [*ws, *bs])

    return step
