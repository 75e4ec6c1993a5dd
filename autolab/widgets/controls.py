"""Controls: how the inputs of an exploration can be moved, as plain data.

A number becomes a slider, a small array a grid of cells; what is too large, or not finite, is shown as text.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..display.escape import clean
from ..engine.backend import Array, to_cpu

MAX_CELLS = 64
MAX_COLUMNS = 8


def control(name: str, value: Array, initial: Array) -> dict[str, Any]:
    """The control of one input.

    Parameters
    ----------
    name : str
        The input's name in the signature.
    value, initial : array
        Where it stands, and where it stood when the exploration began: the range follows from both.

    Examples
    --------
    >>> control("x", np.array(2.0), np.array(2.0))
    {'name': 'x', 'label': 'x', 'kind': 'slider', 'value': 2.0, 'min': -5.0, 'max': 5.0, 'step': 0.01}
    """
    names = {"name": name, "label": clean(name)}
    if not is_movable(value):
        return {**names, "kind": "fixed", "text": f"{value.dtype} {tuple(value.shape)}"}
    now, before = to_cpu(value), to_cpu(initial)
    limits = _limits(now, before)
    if now.ndim == 0:
        return {**names, "kind": "slider", "value": now.item(), **limits}
    rows = now.reshape(-1, now.shape[-1]).tolist()
    return {**names, "kind": "grid", "shape": list(now.shape), "values": rows, **limits}


def is_movable(value: Array) -> bool:
    """Whether the elements of an array are few, finite and no truth values."""
    small = value.size <= MAX_CELLS and (value.ndim < 2 or (value.ndim == 2 and value.shape[1] <= MAX_COLUMNS))
    return bool(small and value.size and value.dtype.kind in "iuf" and np.isfinite(to_cpu(value)).all())


def _limits(now: np.ndarray, before: np.ndarray) -> dict[str, float]:
    """A range about zero that holds both, and a step of two more digits than its end has."""
    first = float(np.abs(before).max(initial=0, where=np.isfinite(before)))
    end = _round_up(max(2 * first or 5.0, float(np.abs(now).max())))
    step = float(f"1e{math.floor(math.log10(end)) - 2}")
    low = 0.0 if now.dtype.kind == "u" else -end
    return {"min": low, "max": end, "step": step if now.dtype.kind == "f" else max(1.0, step)}


def _round_up(size: float) -> float:
    """The next of 1, 2, 5, 10 ... times a power of ten."""
    size = min(max(size, 1e-300), 1e300)
    power = float(f"1e{math.floor(math.log10(size))}")
    return next(power * n for n in (1, 2, 5, 10) if power * n >= size * (1 - 1e-12))
