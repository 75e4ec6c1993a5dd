"""Functions of NumPy that are made of others: ``np.select``, ``np.cov`` and their like, of Variables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from ..engine.numpy_protocol import adapt, unwrap


@adapt(np.select)
def _select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Any:
    if len(condlist) != len(choicelist):
        raise ValueError(
            f"numpy.select: got {len(condlist)} conditions and {len(choicelist)} choices; expected as many"
        )
    found = default
    for condition, choice in list(zip(condlist, choicelist, strict=True))[::-1]:
        found = np.where(unwrap(condition), choice, found)
    return found


@adapt(np.choose)
def _choose(a: Any, choices: Sequence[Any]) -> Any:
    places = np.asarray(unwrap(a))
    if places.min(initial=0) < 0 or places.max(initial=0) >= len(choices):
        raise ValueError(
            f"numpy.choose: a has numbers outside of 0 to {len(choices) - 1}; expected one for each choice"
        )
    return _select([places == i for i in range(len(choices))], choices)


@adapt(np.compress)
def _compress(condition: Any, a: Any, axis: int | None = None) -> Any:
    return np.take(a, np.flatnonzero(unwrap(condition)), axis=axis)


@adapt(np.extract)
def _extract(condition: Any, arr: Any) -> Any:
    return _compress(np.ravel(unwrap(condition)), arr)


@adapt(np.rollaxis)
def _rollaxis(a: Any, axis: int, start: int = 0) -> Any:
    axis, start = axis % a.ndim, start + a.ndim * (start < 0)
    return np.moveaxis(a, axis, start - (axis < start))


@adapt(np.linspace)
def _linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True) -> Any:
    ndim = max(np.ndim(start), np.ndim(stop))
    share = np.linspace(0.0, 1.0, num, endpoint).reshape(num, *[1] * ndim)
    return start + share * (stop - start)


@adapt(np.cov)
def _cov(m: Any, rowvar: bool = True, bias: bool = False, ddof: int | None = None) -> Any:
    rows = m if rowvar or np.ndim(m) == 1 else np.transpose(m)
    count = rows.shape[-1]
    off = rows - rows.mean(axis=-1, keepdims=True)
    divisor = count - ((0 if bias else 1) if ddof is None else ddof)
    return (off * off).sum() / divisor if off.ndim == 1 else off @ off.T / divisor


@adapt(np.linalg.multi_dot)
def _multi_dot(arrays: Sequence[Any]) -> Any:
    return reduce(np.matmul, arrays)
