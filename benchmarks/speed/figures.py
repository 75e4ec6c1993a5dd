"""Figures beside the numbers to reach: printed as a table and as one line of JSON, and kept."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from typing import Any

from autolab.shared.files import write

from .environment import BENCHMARKS, commit, machine

Goals = Mapping[str, tuple[float | None, str]]
"""By the name of a figure: the number to reach, or None, and the unit."""


def tell(benchmark: str, about: str | None, measure: Callable[[], Mapping[str, Any]], goals: Goals) -> None:
    """Run a benchmark from the command line; ``--save`` writes what it found to ``results/<benchmark>.json``."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--save", action="store_true", help="write the line of JSON under benchmarks/results")
    save = parser.parse_args().save
    found = measure()
    width = max(map(len, goals))
    for name, (goal, unit) in goals.items():
        print(f"{name:{width}} {found[name]:13,.2f} {unit:5} {'' if goal is None else f'goal {goal:,}'}".rstrip())
    line = json.dumps({"benchmark": benchmark, "commit": commit(), "machine": machine(), **found})
    print(line)
    if save:
        write(BENCHMARKS / "results" / f"{benchmark}.json", line + "\n")
