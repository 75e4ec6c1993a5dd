"""AutoLab on a GPU compared with the GPU's bandwidth, CuPy and PyTorch, as ratios within one run: `make bench-gpu`.

Times come from events on the device, after a warm-up; each is the median of several rounds that take turns. A row that
fails says why, and the others continue. Without a GPU, it says so and stops. README.md in this folder says how to read
the table; `readme.py` puts the saved one into docs/speed.md.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

import gpu_works as works
from gpu_works import Clock, Work

from autolab import functions as F
from autolab.engine.backend import gpu_status
from autolab.shared.files import write

RESULTS = Path(__file__).parent / "results"


def size(default: int, told: str) -> Any:
    """One of the options, with its help for the command line."""
    return field(default=default, metadata={"help": told})


@dataclass(frozen=True)
class Options:
    """The sizes of the timed workloads, which can be set on the command line."""

    exponent: int = size(28, "2 to this power numbers in an array")
    width: int = size(4096, "width and batch of the wide layers")
    small: int = size(64, "width and batch of the small layers")
    pixels: int = size(10**9, "elements of the heatmap")
    rounds: int = size(7, "turns of each piece of work")


@dataclass(frozen=True)
class Figure:
    """One figure: its time, its ratio to another time of the same run, and the goal for that ratio.

    ``error`` says why there is no figure.
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
        """Whether the goal is reached; None without a goal or a ratio."""
        if self.ratio is None or (self.least is None and self.most is None):
            return None
        return (self.least is None or self.ratio >= self.least) and (self.most is None or self.ratio <= self.most)


def failed(name: str, error: Exception) -> Figure:
    """A row that says why there is no figure."""
    return Figure(name, error=f"{type(error).__name__}: {error}"[:300])


def bandwidth(options: Options, clock: Clock) -> list[Figure]:
    """A fused product and sum, relative to the bandwidth of a copy and to PyTorch's unfused operations."""
    size, torch = 2**options.exponent, works.torch_or_none()
    ours = works.muladd_works(size)
    others = works.torch_muladd_works(torch, size) if torch else {}
    every = {name: work for name, (work, _) in ours.items()} | {f"PyTorch {name}": w for name, w in others.items()}
    seconds = works.medians(every, clock, 5, options.rounds)
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


def kernels(options: Options, clock: Clock) -> list[Figure]:
    """The kernels of declared functions, relative to the bandwidth of a copy."""
    every = works.kernel_works(2**options.exponent)
    seconds = works.medians({name: work for name, (work, _) in every.items()}, clock, 5, options.rounds)
    speed = {name: arrays / seconds[name] for name, (_, arrays) in every.items()}
    copy = next(iter(speed.values()))
    return [Figure(name, seconds[name], speed[name] / copy, "of the copy's bandwidth") for name in every]


def overhead(options: Options, clock: Clock) -> list[Figure]:
    """Small operations, relative to the array library alone."""
    found = []
    for name, (ours, raw) in works.operations().items():
        seconds = works.medians({"ours": ours, "raw": raw}, clock, 1000, options.rounds)
        found.append(Figure(name, seconds["ours"], seconds["ours"] / seconds["raw"], "x CuPy alone", most=1.3))
    return found


def network(options: Options, clock: Clock) -> list[Figure]:
    """Three wide layers, where matrix products dominate."""
    return _beside_torch("", works.layers(options.width, options.width), options, options.width, clock, 1.05)


def small_network(options: Options, clock: Clock) -> list[Figure]:
    """Three small layers, where the host dominates."""
    return _beside_torch(", eager", works.layers(options.small, options.small), options, options.small, clock)


def small_network_captured(options: Options, clock: Clock) -> list[Figure]:
    """The same as a CUDA graph, without matrix products, which CuPy cannot capture."""
    found = []
    for how, linear in ((", as a CUDA graph", F.linear), (", by sums, as a CUDA graph", works.linear_by_sums)):
        try:
            step = works.captured(works.layers(options.small, options.small, linear))
        except Exception as error:  # the other measurement is still useful
            found.append(failed(f"three layers of {options.small}{how}", error))
        else:
            found += _beside_torch(how, step, options, options.small, clock, 1.0)
    return found


def _beside_torch(
    how: str, step: Work, options: Options, width: int, clock: Clock, most: float | None = None
) -> list[Figure]:
    torch = works.torch_or_none()
    every = {"ours": step} | ({"torch": works.torch_layers(torch, width, width)} if torch else {})
    seconds = works.medians(every, clock, 3 if width > 1000 else 200, options.rounds)
    ratio = seconds["ours"] / seconds["torch"] if torch else None
    to = "x PyTorch eager" if torch else ""
    return [Figure(f"three layers of {width}{how}", seconds["ours"], ratio, to, most=most)]


def picture(options: Options, clock: Clock) -> list[Figure]:
    """A heatmap of very many elements, timed by the host's clock."""
    seconds = works.medians({"heatmap": works.heatmap(options.pixels)}, works.wall_clock, 1, options.rounds)["heatmap"]
    return [Figure(f"heatmap of {options.pixels:.0e} elements", seconds, seconds / 0.2, "x 200 ms", most=1.0)]


ROWS = (bandwidth, kernels, overhead, network, small_network, picture, small_network_captured)


def figures(options: Options, limit: float, clock: Clock = works.device_clock) -> Iterator[Figure]:
    """The figures of all rows; a row that fails or has no time left says so."""
    start = monotonic()
    for row in ROWS:
        name = row.__name__.replace("_", " ")
        if monotonic() - start > limit:
            yield Figure(name, error=f"left out: {limit:g} seconds were over")
            continue
        try:
            yield from row(options, clock)
        except Exception as error:  # whatever CUDA, CuPy or PyTorch raise: the other rows are still useful
            yield failed(name, error)
        finally:
            works.give_back()


def line(figure: Figure) -> str:
    """A figure as a line of text."""
    if figure.seconds is None:
        return f"{figure.name:<44} no figure. {figure.error}"
    ratio = "" if figure.ratio is None else f"{figure.ratio:7.3f} {figure.to}"
    verdict = ""
    if figure.holds is not None:
        goal = f"at least {figure.least:g}" if figure.least is not None else f"at most {figure.most:g}"
        verdict = f"   {goal}: {'reached' if figure.holds else 'NOT REACHED'}"
    return f"{figure.name:<44} {figure.seconds * 1e6:12.2f} µs   {ratio}{verdict}"


def machine() -> dict[str, Any]:
    """A description of the machine."""
    cupy, torch = works.device(), works.torch_or_none()
    return {
        "gpu": cupy.cuda.runtime.getDeviceProperties(0)["name"].decode(),
        "cupy": cupy.__version__,
        "torch": None if torch is None else torch.__version__,
        "python": platform.python_version(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def save(found: list[Figure], options: Options, folder: Path) -> Path:
    """Write the figures to a file named after the GPU."""
    facts = machine()
    path = folder / f"gpu-{re.sub(r'[^a-z0-9]+', '-', facts['gpu'].lower()).strip('-')}.json"
    rows = [{**asdict(figure), "holds": figure.holds} for figure in found]
    path.parent.mkdir(exist_ok=True)
    write(path, json.dumps({"machine": facts, "options": asdict(options), "figures": rows}, indent=1) + "\n")
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    for one in fields(Options):
        parser.add_argument(f"--{one.name}", type=int, default=one.default, help=one.metadata["help"])
    parser.add_argument("--seconds", type=float, default=420, help="no row begins after so many seconds")
    parser.add_argument("--folder", type=Path, default=RESULTS, help="where the figures are saved")
    given = parser.parse_args()
    status = gpu_status()
    if status.state != "ok":
        print(f"{parser.prog}: this benchmark needs a GPU. {status.detail}.", file=sys.stderr)
        return 1
    options = Options(**{one.name: getattr(given, one.name) for one in fields(Options)})
    print(status.detail, flush=True)
    found = []
    for figure in figures(options, given.seconds):
        found.append(figure)
        print(line(figure), flush=True)
        path = save(found, options, given.folder)  # after each row, so that an interrupted run keeps its results
    print(f"saved in {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
