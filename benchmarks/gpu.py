"""Time AutoLab on a GPU beside what the GPU can do, as ratios of one run; README.md in this folder says how to read it.

Times come from events on the device, after a warm-up; each is the median of several rounds that take turns. Without a
GPU it says so and stops. No result of it is in this repository yet: it has not been run on a GPU.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import autolab
from autolab import FunctionNode, Variable, elementwise_kernel, get_array_module, no_grad, to_gpu
from autolab import functions as F
from autolab.engine.backend import gpu_status

Work = Callable[[], Any]
Clock = Callable[[Work, int], float]
"""Seconds for one call of a piece of work that is called so many times."""


class MulAdd(FunctionNode):
    """``x * y + z`` with one kernel forward and one backward."""

    def forward_gpu(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        self.retain_inputs((0, 1))
        return (elementwise_kernel("T x, T y, T z", "T w", "w = x * y + z", "muladd_fwd")(*inputs),)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> tuple[Any, ...]:
        x, y = self.get_retained_inputs()
        (g,) = grad_outputs
        kernel = elementwise_kernel("T x, T y, T g", "T gx, T gy", "gx = y * g; gy = x * g", "muladd_bwd")
        gx, gy = kernel(x.data, y.data, g.data)
        return Variable(gx, requires_grad=False), Variable(gy, requires_grad=False), g


def muladd(size: int) -> dict[str, tuple[Work, float]]:
    """A copy of ``size`` float32 numbers, and a fused product and sum: the work, and the arrays it must move."""
    arrays = [to_gpu(np.linspace(low, 1, size, dtype=np.float32)) for low in (0.1, 0.2, 0.3)]
    xs = [Variable(a) for a in arrays]
    target, ones = arrays[0].copy(), get_array_module(arrays[0]).ones_like(arrays[0])

    def copy() -> Any:
        target[...] = arrays[0]
        return target

    def forward() -> Any:
        with no_grad():
            return MulAdd().apply(tuple(xs))[0].data

    def both() -> Any:
        (w,) = MulAdd().apply(tuple(xs))
        return [g.data for g in autolab.grad(w, xs, ones)]

    return {"copy": (copy, 2), "muladd forward": (forward, 4), "muladd forward and backward": (both, 9)}


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


def layers(width: int) -> tuple[Work, Work]:
    """A step of gradients through three layers at batch ``width``, and the eight matrix products in it alone."""
    rng = np.random.default_rng(0)
    ws = [Variable(to_gpu((rng.normal(size=(width, width)) / width**0.5).astype(np.float32))) for _ in range(3)]
    x = to_gpu(rng.normal(size=(width, width)).astype(np.float32))
    xp = get_array_module(x)

    def step() -> Any:
        y: Any = Variable(x, requires_grad=False)
        for w in ws:
            y = F.relu(F.linear(y, w))
        return [g.data for g in autolab.grad(F.sum(y), ws)]

    def products() -> Any:
        for _ in range(8):  # 3 forward, 3 for the weights, 2 for the inputs of the later layers
            y = xp.matmul(x, ws[0].data)
        return y

    return step, products


def device_clock(work: Work, times: int) -> float:
    """Seconds per call between two events on the device."""
    cuda = get_array_module(to_gpu(np.zeros(1))).cuda
    start, end = cuda.Event(), cuda.Event()
    start.record()
    for _ in range(times):
        work()
    end.record()
    end.synchronize()
    return float(cuda.get_elapsed_time(start, end)) / 1000 / times


def medians(works: dict[str, Work], clock: Clock, times: int, rounds: int) -> dict[str, float]:
    """The median of each work's times; they take turns, so that a warmer GPU is so for all."""
    for work in works.values():
        work()  # compiles the kernels and fills the memory pool
    found: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            found[name].append(clock(work, times))
    return {name: statistics.median(seconds) for name, seconds in found.items()}


def table(size: int, width: int, rounds: int, clock: Clock = device_clock) -> list[str]:
    """The lines that are printed: for each work its time and its ratio to what it is measured by."""
    lines = []
    bandwidth = muladd(size)
    seconds = medians({name: work for name, (work, _) in bandwidth.items()}, clock, 5, rounds)
    speed = {name: arrays * size * 4 / seconds[name] / 1e9 for name, (_, arrays) in bandwidth.items()}
    for name, gigabytes in speed.items():
        lines.append(f"{name:<30} {gigabytes:9.1f} GB/s   {gigabytes / speed['copy']:5.2f} of the copy's bandwidth")
    for name, (ours, raw) in operations().items():
        both = medians({"ours": ours, "raw": raw}, clock, 1000, rounds)
        lines.append(f"{name:<30} {both['ours'] * 1e6:9.2f} µs     {both['ours'] / both['raw']:5.2f} x CuPy alone")
    step, products = layers(width)
    both = medians({"step": step, "products": products}, clock, 3, rounds)
    ratio = both["step"] / both["products"]
    lines.append(
        f"{f'three layers of {width}':<30} {both['step'] * 1e3:9.2f} ms     {ratio:5.2f} x its matrix products"
    )
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--exponent", type=int, default=28, help="2 to this power numbers in an array (default 28)")
    parser.add_argument("--width", type=int, default=4096, help="width and batch of the layers (default 4096)")
    parser.add_argument("--rounds", type=int, default=7, help="turns of each piece of work (default 7)")
    options = parser.parse_args()
    status = gpu_status()
    if status.state != "ok":
        print(f"{parser.prog}: this benchmark needs a GPU. {status.detail}.", file=sys.stderr)
        return 1
    print(status.detail, *table(2**options.exponent, options.width, options.rounds), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
