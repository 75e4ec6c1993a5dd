"""Time AutoLab on a GPU beside what the GPU, CuPy and PyTorch do, as ratios of one run; README.md says how to read it.

Times come from events on the device, after a warm-up; each is the median of several rounds that take turns. A row that
fails says why, and the others go on. Without a GPU it says so and stops. No result of it is in this repository yet: it
has not been run on a GPU.
"""

from __future__ import annotations

import argparse
import json
import platform
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

from gpu_speed.clock import Clock, device, device_clock, give_back, torch_or_none
from gpu_speed.rows import ROWS, Figure, Options, failed

from autolab.engine.backend import gpu_status
from autolab.shared.files import write

RESULTS = Path(__file__).parent / "results"


def figures(options: Options, limit: float, clock: Clock = device_clock) -> Iterator[Figure]:
    """The figures of all rows; a row that fails, or has no time left, is one that says so."""
    start = monotonic()
    for row in ROWS:
        name = row.__name__.replace("_", " ")
        if monotonic() - start > limit:
            yield Figure(name, error=f"left out: {limit:g} seconds were over")
            continue
        try:
            yield from row(options, clock)
        except Exception as error:  # whatever CUDA, CuPy or PyTorch raise: the other rows are worth having
            yield failed(name, error)
        finally:
            give_back()


def line(figure: Figure) -> str:
    """A figure as it is printed."""
    if figure.seconds is None:
        return f"{figure.name:<44} no figure. {figure.error}"
    ratio = "" if figure.ratio is None else f"{figure.ratio:7.3f} {figure.to}"
    verdict = ""
    if figure.holds is not None:
        goal = f"at least {figure.least:g}" if figure.least is not None else f"at most {figure.most:g}"
        verdict = f"   {goal}: {'reached' if figure.holds else 'NOT REACHED'}"
    return f"{figure.name:<44} {figure.seconds * 1e6:12.2f} µs   {ratio}{verdict}"


def machine() -> dict[str, Any]:
    """What it was run on."""
    cupy, torch = device(), torch_or_none()
    return {
        "gpu": cupy.cuda.runtime.getDeviceProperties(0)["name"].decode(),
        "cupy": cupy.__version__,
        "torch": None if torch is None else torch.__version__,
        "python": platform.python_version(),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def save(found: list[Figure], options: Options, folder: Path) -> Path:
    """Write the figures to a file that has the GPU's name."""
    facts = machine()
    path = folder / f"gpu-{re.sub(r'[^a-z0-9]+', '-', facts['gpu'].lower()).strip('-')}.json"
    rows = [{**asdict(figure), "holds": figure.holds} for figure in found]
    path.parent.mkdir(exist_ok=True)
    write(path, json.dumps({"machine": facts, "options": asdict(options), "figures": rows}, indent=1) + "\n")
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    usual = Options()
    parser.add_argument("--exponent", type=int, default=usual.exponent, help="2 to this power numbers in an array")
    parser.add_argument("--width", type=int, default=usual.width, help="width and batch of the wide layers")
    parser.add_argument("--pixels", type=int, default=usual.pixels, help="elements of the heatmap")
    parser.add_argument("--rounds", type=int, default=usual.rounds, help="turns of each piece of work")
    parser.add_argument("--seconds", type=float, default=420, help="no row begins after so many seconds")
    parser.add_argument("--folder", type=Path, default=RESULTS, help="where the figures are saved")
    given = parser.parse_args()
    status = gpu_status()
    if status.state != "ok":
        print(f"{parser.prog}: this benchmark needs a GPU. {status.detail}.", file=sys.stderr)
        return 1
    options = Options(given.exponent, given.width, usual.small, given.pixels, given.rounds)
    print(status.detail, flush=True)
    found = []
    for figure in figures(options, given.seconds):
        found.append(figure)
        print(line(figure), flush=True)
        path = save(found, options, given.folder)  # after each, so that a run that is cut off leaves what it has
    print(f"saved in {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
