"""A row of the table of `engine.py`: the goals, the measurements of every library, and how they are printed.

This module does not import NumPy, since a cold start counts imports.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

OURS = os.environ.get("BENCHMARK_OF", "autolab")
"""Whose shares are told: AutoLab's, or with ``BENCHMARK_OF=compiled`` those of `autolab.compile`."""
LIMIT = "limit"
"""The entrant that computes a row's matrix products and nothing else, by the BLAS of NumPy: nobody who computes the row
with it can be faster. It has no results to compare."""
Row = dict[str, Any]
Fingerprint = Mapping[str, Any]
CHAIN = {"torch": 0.5, "dezero": 0.2, "chainer": 0.05, "autograd": 0.25, "mygrad": 0.35}
GOALS: dict[str, dict[str, float]] = {
    "chain, arrays": CHAIN,
    "chain, numbers": {"torch": 0.5},
    "tiny net": {"torch": 0.25},
    "MLP": {"torch": 0.8, "chainer": 0.55},
    "MulAdd composed": {"torch": 0.7},
    "MulAdd as one function": {"torch": 0.65},
    "MulAdd fused": {"torch": 0.8},
    "formula fused": {"torch": 0.8},
    "Linear": {"numpy": 1.05},
    "tanh, order 4": {"torch": 0.65},
    "gradcheck, Linear": {"torch": 0.35},
    "gradcheck, a user's Linear": {"torch": 0.35},
    "MLP epoch": {"torch": 0.7, "chainer": 0.55},
    "convnet step": {"torch": 1.4},
    "attention block": {"torch": 1.0},
    "deep chain: peak": {OURS: 28.5},  # "28 arrays" to the whole array
    "deep chain: growth": {OURS: 0.5},
    "deep chain: cyclic garbage": {OURS: 0},
    "long chain: time per time of a tenth": {OURS: 12},
    "long chain: free": {OURS: 1},
    "long chain: cyclic garbage": {OURS: 0},
    "first gradient of a cold interpreter": {OURS: 150},
}
COMPILED: dict[str, dict[str, float]] = {
    "chain, arrays": {"torch": 0.2, "numpy": 1.1},
    "tiny net": {"torch": 0.25, "numpy": 1.15},
    "MLP": {"torch": 0.65},
    "MulAdd fused": {"torch": 0.8},
    "tanh, order 4": {"torch": 0.2},
}
if OURS == "compiled":
    GOALS = COMPILED
"""By row, AutoLab's share of another library's figure in one run, or a figure of its own."""
LEGEND = f"""\
Medians; in brackets {OURS}'s share of that library's figure in the same round (below 1: {OURS} is less).
~  part of that library's work is in another dtype than {OURS}'s (its numbers are the same within the tolerance)."""


class DifferentResultsError(AssertionError):
    """Raised if a library's results differ from AutoLab's, so that its time means nothing."""


def row(title: str, unit: str, samples: Mapping[str, Sequence[float]], other_dtype: Sequence[str] = ()) -> Row:
    """Medians, and for each other library the median over the rounds of AutoLab's share of its figure."""
    cells: dict[str, dict[str, Any]] = {}
    for name, values in samples.items():
        cells[name] = {"median": median(values)}
        if name != OURS and OURS in samples and min(values) > 0:
            cells[name]["ratio"] = median(a / b for a, b in zip(samples[OURS], values, strict=True))
        if name in other_dtype:
            cells[name]["other_dtype"] = True
    return {"title": title, "unit": unit, "cells": cells}


def compare(title: str, results: Mapping[str, Sequence[Fingerprint]], rtol: float) -> list[str]:
    """Return the libraries whose results have another dtype than AutoLab's; raise where shapes or numbers differ."""
    ours = results[OURS]
    for name, theirs in results.items():
        if len(theirs) != len(ours):
            raise DifferentResultsError(f"{title}: {name} gives {len(theirs)} results, {OURS} {len(ours)}")
        for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            pairs = zip(a["projections"], b["projections"], strict=True)
            near = all(math.isclose(p, q, rel_tol=0, abs_tol=rtol * a["norm"]) for p, q in pairs)
            if a["shape"] != b["shape"] or not near:
                raise DifferentResultsError(f"{title}: result {i} of {name} differs from that of {OURS}: {b}, {a}")
    dtypes = [r["dtype"] for r in ours]
    return [name for name, theirs in results.items() if [r["dtype"] for r in theirs] != dtypes]


def agree(title: str, results: Mapping[str, Sequence[float]]) -> None:
    """Raise unless all libraries computed the same few numbers."""
    for name, numbers in results.items():
        pairs = zip(results[OURS], numbers, strict=True)
        if not all(math.isclose(ours, theirs, rel_tol=1e-3, abs_tol=1e-6) for ours, theirs in pairs):
            raise DifferentResultsError(f"{title}: {name} computes {numbers}, {OURS} {results[OURS]}")


def verdicts(row: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """Return {name: (reached, goal)} for the goals of a row; a library that is not in the row has no goal."""
    found = {}
    for name, goal in GOALS.get(row["title"], {}).items():
        cell = row["cells"].get(name)
        if cell is not None:
            found[name] = (cell["median"] if name == OURS else cell["ratio"], goal)
    return found


def table(rows: Iterable[Row], names: Sequence[str]) -> str:
    """One line per row: AutoLab's figure, and each other library's, with AutoLab's share of it in brackets."""
    lines = [["", *names, "to reach"], *[[_title(r), *[_cell(r, n) for n in names], _goals(r)] for r in rows]]
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join(_line(line, widths) for line in lines)


def heading(facts: Mapping[str, Any]) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in facts["versions"].items())
    left_out = [f"left out: {name} ({reason})" for name, reason in facts["left_out"].items()]
    machine = ", ".join(facts["machine"].values())
    return "\n".join(
        [f"AutoLab {facts['commit']}, against {versions}", f"{machine}; one BLAS thread, one core", *left_out]
    )


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *middle, last = cells
    padded = [cell.rjust(width) for cell, width in zip(middle, widths[1:-1], strict=True)]
    return "  ".join([first.ljust(widths[0]), *padded, last]).rstrip()


def _title(row: Row) -> str:
    return f"{row['title']}, {row['unit']}" if row["unit"] else row["title"]


def _cell(row: Row, name: str) -> str:
    cell = row["cells"].get(name)
    if cell is None:
        return "–"
    if "failed" in cell:
        return cell["failed"]
    share = f" ({number(cell['ratio'])})" if "ratio" in cell else ""
    return number(cell["median"]) + ("~" if cell.get("other_dtype") else "") + share


def _goals(row: Row) -> str:
    said = []
    for name, (reached, goal) in verdicts(row).items():
        whose = "" if name == OURS else f" of {name}"
        said.append(f"{'ok' if reached <= goal else 'MISSED'} ≤ {goal:g}{whose}")
    return ", ".join(said)


def number(value: float | int) -> str:
    """A number with three digits and no exponent; integers are unchanged."""
    if isinstance(value, int) or abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
