"""A row of the table: what one workload measured of every library. Without NumPy, as the runner may have none."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

OURS = "autolab"
Row = dict[str, Any]
Fingerprint = Mapping[str, Any]


class DifferentResultsError(AssertionError):
    """A library computed something else than AutoLab, so that its time means nothing."""


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
