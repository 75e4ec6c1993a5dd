"""Time on the device: events around work that is warm, and medians of rounds that take turns."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from autolab import get_array_module, to_gpu

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
    """Seconds per call by the host's clock, until the device is done."""
    cuda = device().cuda
    start = perf_counter()
    for _ in range(times):
        work()
    cuda.Device().synchronize()
    return (perf_counter() - start) / times


def medians(works: dict[str, Work], clock: Clock, times: int, rounds: int) -> dict[str, float]:
    """The median of each work's times; they take turns, so that a warmer GPU is so for all."""
    for work in works.values():
        for _ in range(3):
            work()  # compiles the kernels and fills the memory pool
    found: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            found[name].append(clock(work, times))
    return {name: statistics.median(seconds) for name, seconds in found.items()}


def give_back() -> None:
    """Return the memory of a row that is done."""
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
