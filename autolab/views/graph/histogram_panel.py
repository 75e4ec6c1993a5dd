"""Histograms of a step's value and gradient; that of the gradient as far as the walk has progressed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...recording.model import Snapshot
from ..draw import number
from .questions import Reader, answers

BINS = 24


@answers("histogram", "answers", identity=int, k=(int, type(None)))
def histogram(reader: Reader, identity: int, k: int | None) -> list[dict[str, Any]] | None:
    """For the value and the gradient of a step: ``counts`` of its finite elements in `BINS` equal bins between ``low``
    and ``high``. At moment ``k`` of the walk, the gradient is the sum of the shares that have arrived.

    None if a step is not an array, or not all of its elements were kept.
    """
    step = reader.walk.steps.get(identity)
    if step is None or step.value is None or step.value.size < 2:
        return None
    gradient = step.grad if k is None else reader.walk.before(k + 1, identity)
    shown = [("value", step.value), ("gradient", gradient)]
    return [_spread(name, kept) for name, kept in shown if kept is not None and kept.is_whole]


def _spread(name: str, kept: Snapshot) -> dict[str, Any]:
    values = kept.values[np.isfinite(kept.values)].astype(np.float64)
    low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)
    with np.errstate(over="ignore"):
        places = (values - low) / (high - low) if 0 < high - low < np.inf else np.full(values.shape, 0.5)
    counts = np.bincount(np.minimum((places * BINS).astype(np.intp), BINS - 1), minlength=BINS)
    text = f"{name}: {number(low)} to {number(high)}" if low != high else f"{name}: all {number(low)}"
    return {"name": name, "low": number(low), "high": number(high), "counts": counts.tolist(), "text": text}
