"""The rows: each runs its pieces of work in turns and says how they compare, and by which goal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autolab import functions as F

from . import torch_works, works
from .clock import Clock, medians, torch_or_none, wall_clock


@dataclass(frozen=True)
class Options:
    """The sizes of what is timed."""

    exponent: int = 28
    width: int = 4096
    small: int = 64
    pixels: int = 10**9
    rounds: int = 7


@dataclass(frozen=True)
class Figure:
    """One figure: its time, its ratio to something of the same run, and the goal of that ratio.

    ``error`` says why there is none.
    """

    name: str
    seconds: float | None = None
    ratio: float | None = None
    to: str = ""
    least: float | None = None
    most: float | None = None
    error: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether the goal is reached; None where there is no goal or no ratio."""
        if self.ratio is None or (self.least is None and self.most is None):
            return None
        return (self.least is None or self.ratio >= self.least) and (self.most is None or self.ratio <= self.most)


def failed(name: str, error: Exception) -> Figure:
    """A row that says why it has no figure."""
    return Figure(name, error=f"{type(error).__name__}: {error}"[:300])


def bandwidth(options: Options, clock: Clock) -> list[Figure]:
    """A fused product and sum, by the bandwidth of a copy and by PyTorch's composite."""
    size, torch = 2**options.exponent, torch_or_none()
    ours = works.muladd_works(size)
    others = torch_works.muladd_works(torch, size) if torch else {}
    every = {name: work for name, (work, _) in ours.items()} | {f"PyTorch {name}": w for name, w in others.items()}
    seconds = medians(every, clock, 5, options.rounds)
    speed = {name: arrays / seconds[name] for name, (_, arrays) in ours.items()}
    goals = {"forward": (0.9, 0.72), "forward and backward": (0.9, 0.8)}
    found = []
    for name in ours:
        least, most = goals.get(name, (None, None))
        title = f"muladd 2^{options.exponent}, {name}" if name != "copy" else "copy"
        share = speed[name] / speed["copy"]
        found.append(Figure(title, seconds[name], share, "of the copy's bandwidth", least=least))
        if f"PyTorch {name}" in seconds:
            ratio = seconds[name] / seconds[f"PyTorch {name}"]
            found.append(Figure(title, seconds[name], ratio, "x PyTorch eager", most=most))
    return found


def overhead(options: Options, clock: Clock) -> list[Figure]:
    """Small operations beside the array library alone."""
    found = []
    for name, (ours, raw) in works.operations().items():
        seconds = medians({"ours": ours, "raw": raw}, clock, 1000, options.rounds)
        found.append(Figure(name, seconds["ours"], seconds["ours"] / seconds["raw"], "x CuPy alone", most=1.3))
    return found


def network(options: Options, clock: Clock) -> list[Figure]:
    """Three wide layers, where the matrix products are most of it."""
    title = f"three layers of {options.width}"
    return _beside_torch(title, works.layers(options.width, options.width), options, options.width, clock, 1.05)


def small_network(options: Options, clock: Clock) -> list[Figure]:
    """Three small layers, where the host is most of it."""
    title = f"three layers of {options.small}, eager"
    return _beside_torch(title, works.layers(options.small, options.small), options, options.small, clock, None)


def small_network_captured(options: Options, clock: Clock) -> list[Figure]:
    """The same as a CUDA graph, and without matrix products, which CuPy does not let into one."""
    found = []
    for how, linear in (("as a CUDA graph", F.linear), ("by sums, as a CUDA graph", works.linear_by_sums)):
        title = f"three layers of {options.small}, {how}"
        try:
            step = works.captured(works.layers(options.small, options.small, linear))
        except Exception as error:  # the other way is worth having
            found.append(failed(title, error))
        else:
            found += _beside_torch(title, step, options, options.small, clock, 1.0)
    return found


def _beside_torch(
    title: str, step: Callable[[], Any], options: Options, width: int, clock: Clock, most: float | None
) -> list[Figure]:
    torch = torch_or_none()
    every = {"ours": step} | ({"torch": torch_works.layers(torch, width, width)} if torch else {})
    seconds = medians(every, clock, 3 if width > 1000 else 200, options.rounds)
    ratio = seconds["ours"] / seconds["torch"] if torch else None
    return [Figure(title, seconds["ours"], ratio, "x PyTorch eager" if torch else "", most=most)]


def picture(options: Options, clock: Clock) -> list[Figure]:
    """A heatmap of very many elements, by the host's clock."""
    seconds = medians({"heatmap": works.heatmap(options.pixels)}, wall_clock, 1, options.rounds)["heatmap"]
    return [Figure(f"heatmap of {options.pixels:.0e} elements", seconds, seconds / 0.2, "x 200 ms", most=1.0)]


ROWS = (bandwidth, overhead, network, small_network, picture, small_network_captured)
