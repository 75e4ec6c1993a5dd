"""NumPy functions composed of other functions, for Variables: ``np.select``, ``np.linspace`` and similar ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import index
from typing import Any

import numpy as np

from ..engine import as_array
from ..engine.numpy_protocol import adapt, unwrap
from .arrays.joining import place_of


def _listed(function: str, name: str, values: Any) -> list[Any]:
    if not isinstance(values, list | tuple) and np.ndim(values) == 0:
        raise TypeError(f"numpy.{function}: {name} is {values!r:.60}; expected a list")
    return list(values)


@adapt(np.select)
def _select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Any:
    condlist, choicelist = _listed("select", "condlist", condlist), _listed("select", "choicelist", choicelist)
    if len(condlist) != len(choicelist):
        raise ValueError(
            f"numpy.select: got {len(condlist)} conditions and {len(choicelist)} choices; expected equal numbers"
        )
    found = default
    for condition, choice in list(zip(condlist, choicelist, strict=True))[::-1]:
        found = np.where(unwrap(condition), choice, found)
    return found


@adapt(np.choose)
def _choose(a: Any, choices: Sequence[Any]) -> Any:
    places, choices = as_array(unwrap(a), "numpy.choose: a"), _listed("choose", "choices", choices)
    if places.min(initial=0) < 0 or places.max(initial=0) >= len(choices):
        raise ValueError(f"numpy.choose: a has numbers outside 0 to {len(choices) - 1}; expected one for each choice")
    return _select([places == i for i in range(len(choices))], choices)


@adapt(np.compress)
def _compress(condition: Any, a: Any, axis: int | None = None) -> Any:
    condition = as_array(unwrap(condition), "numpy.compress: condition")
    if condition.ndim != 1:
        raise ValueError(f"numpy.compress: condition has {condition.ndim} axes; expected 1")
    if axis is not None:
        place_of("compress", axis, np.shape(a))
    return np.take(a, np.flatnonzero(condition), axis)


@adapt(np.cov)
def _cov(m: Any, rowvar: bool = True, bias: bool = False, ddof: int | None = None) -> Any:
    if ddof is not None and not float(ddof).is_integer():
        raise ValueError(f"numpy.cov: ddof is {ddof}; expected an integer")
    rows = m if rowvar or m.ndim < 2 else m.T
    off = rows - rows.mean(axis=-1, keepdims=True)
    return off @ off.T / max(rows.shape[-1] - (int(bias == 0) if ddof is None else ddof), 0)


@adapt(np.corrcoef)
def _corrcoef(x: Any, rowvar: bool = True) -> Any:
    found = _cov(x, rowvar)
    spread = np.sqrt(np.diagonal(found))
    return found / spread[:, None] / spread


@adapt(np.interp)
def _interp(x: Any, xp: Any, fp: Any) -> Any:
    xp, fp = [given if hasattr(given, "requires_grad") else np.asarray(given) for given in (xp, fp)]
    i = np.clip(np.searchsorted(unwrap(xp), unwrap(x)) - 1, 0, len(xp) - 2)
    share = np.clip((x - xp[i]) / (xp[i + 1] - xp[i]), 0, 1)
    return fp[i] + share * (fp[i + 1] - fp[i])


@adapt(np.rollaxis)
def _rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    place, end = place_of("rollaxis", axis, np.shape(a)), index(start) + np.ndim(a) * (start < 0)
    if not 0 <= end <= np.ndim(a):
        raise ValueError(f"rollaxis: start is {start}; expected {-np.ndim(a)} to {np.ndim(a)}")
    return np.moveaxis(a, place, end - (place < end))


@adapt(np.linspace)
def _linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True) -> Any:
    ndim = max(np.ndim(start), np.ndim(stop))
    share = np.linspace(0.0, 1.0, num, endpoint).reshape(num, *[1] * ndim)
    return start + share * (stop - start)


adapt(np.linalg.multi_dot)(lambda arrays: reduce(np.matmul, arrays))


@adapt(np.linalg.cond)
def _cond(x: Any) -> Any:
    values = np.linalg.svd(x, compute_uv=False)
    return values[..., 0] / values[..., -1]


@adapt(np.extract)
def _extract(condition: Any, arr: Any) -> Any:
    arr = arr if hasattr(arr, "requires_grad") else as_array(arr, "numpy.extract: arr")
    return np.ravel(arr)[np.flatnonzero(unwrap(condition))]


@adapt(np.polyval)
def _polyval(p: Any, x: Any) -> Any:
    x = x if hasattr(x, "requires_grad") else as_array(x, "numpy.polyval: x")
    return reduce(lambda y, c: y * x + c, p, np.zeros_like(x))
