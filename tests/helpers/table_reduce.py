"""Rows of the functions that reduce, run along or order axes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autolab import Variable
from autolab import functions as F
from helpers.cases import Case, arrays, cases_with, dtype_of, fixed, layouts
from helpers.followed import anp
from helpers.rows import Bad, Row
from helpers.table_arrangement import moved

_AXES: tuple[tuple[str, tuple[tuple[int, ...], ...], dict[str, Any]], ...] = (
    ("everything", ((5, 4),), {}),
    ("a scalar", ((),), {}),
    ("one element", ((1,),), {}),
    ("rows", ((5, 4),), {"axis": 0}),
    ("last axis", ((2, 3, 4),), {"axis": -1}),
    ("two axes", ((2, 3, 4),), {"axis": (0, -1)}),
    ("swapped axes", ((2, 3, 4),), {"axis": (2, 0)}),
    ("no axis", ((2, 3),), {"axis": ()}),
    ("kept", ((2, 3, 4),), {"axis": (1,), "keepdims": True}),
    ("all kept", ((2, 3),), {"keepdims": True}),
    ("no rows", ((0, 3),), {"axis": 1}),
)


def _x(*shape: int) -> Variable:
    return Variable(np.ones(shape))


def _cases(*more: tuple[str, tuple[tuple[int, ...], ...], dict[str, Any]], without: str = "") -> tuple[Case, ...]:
    labelled = [case for case in _AXES if case[0] != without]
    return (*cases_with(*labelled, *more), *layouts((5, 4), call=fixed(axis=0)))


def _axis_errors(function: Callable[..., Any]) -> tuple[Bad, ...]:
    name = function.__name__
    return (
        Bad(lambda: function(_x(2), axis=1), ValueError, f"{name}: .*axis=1: expected (an|no) axis"),
        Bad(lambda: function(_x(2, 3), axis=-3), ValueError, f"{name}: .*axis=-3: expected (an|no) axis"),
    )


def _empty(function: Callable[..., Any]) -> Bad:
    return Bad(lambda: function(_x(0, 3), axis=0), ValueError, f"{function.__name__}: .*expected at least one element")


def _normalize(x: Any, ord: Any = None, axis: Any = -1, eps: float = 1e-12) -> Any:
    p = ord or 2
    length = anp.sum(anp.abs(x) ** p, axis=axis, keepdims=True) ** (1 / p)
    return x / anp.maximum(length, eps)


def _cosine(a: Any, b: Any, axis: int = -1, eps: float = 1e-8) -> Any:
    return anp.sum(_normalize(a, axis=axis, eps=eps) * _normalize(b, axis=axis, eps=eps), axis=axis)


def _mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    n = np.size(x) / max(1, np.size(np.sum(np.ones(np.shape(x)), axis=axis)))
    return anp.sum(x, axis=axis, keepdims=keepdims) / n


def _var(x: Any, axis: Any = None, ddof: int = 0, keepdims: bool = False) -> Any:
    n = np.size(x) / max(1, np.size(np.sum(np.ones(np.shape(x)), axis=axis)))
    return anp.sum((x - _mean(x, axis, True)) ** 2, axis=axis, keepdims=keepdims) / (n - ddof)


def _std(x: Any, **attributes: Any) -> Any:
    """With slope 0 where all elements are equal."""
    squared = _var(x, **attributes)
    same = squared == 0
    return anp.where(same, 0 * squared, anp.sqrt(squared + same))


def _prod(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """One factor after the other: no division."""
    axes = tuple(range(x.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    for a in sorted([a % x.ndim for a in axes], reverse=True):
        factors = [x[(slice(None),) * a + (slice(i, i + 1),)] for i in range(x.shape[a])]
        total = factors[0]
        for factor in factors[1:]:
            total = total * factor
        x = total if keepdims else anp.reshape(total, x.shape[:a] + x.shape[a + 1 :])
    return x * 1.0


def _logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return anp.log(anp.sum(anp.exp(x), axis=axis, keepdims=keepdims))


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if ord in (np.inf, -np.inf):
        return (anp.max if ord > 0 else anp.min)(anp.abs(x), axis=axis, keepdims=keepdims)
    if ord not in (None, 2, "fro"):
        return anp.sum(anp.abs(x) ** ord, axis=axis, keepdims=keepdims) ** (1 / ord)
    return anp.sqrt(anp.sum(x * x, axis=axis, keepdims=keepdims))


def _cumprod(x: Any, axis: Any = None) -> Any:
    x, axis = (anp.reshape(x, (-1,)), 0) if axis is None else (x, axis % x.ndim)
    parts = [x[(slice(None),) * axis + (slice(i + 1),)] for i in range(x.shape[axis])]
    return anp.concatenate([_prod(part, axis, True) for part in parts] or [x * 1.0], axis=axis)


def _sorted(x: Any, axis: Any = -1) -> Any:
    if axis is None:
        return _sorted(anp.reshape(x, (-1,)))
    return moved(np.take_along_axis)(x, indices=_plain_order(x, axis), axis=axis)


def _plain_order(x: Any, axis: int) -> np.ndarray:
    while hasattr(x, "_value"):
        x = x._value
    return np.argsort(x, axis=axis)


_RUNNING = (
    *cases_with(
        ("flat", ((2, 3),), {}),
        ("rows", ((3, 2),), {"axis": 0}),
        ("last axis", ((2, 3, 4),), {"axis": -1}),
        ("middle", ((2, 5, 3),), {"axis": 1}),
        ("one", ((1, 3),), {"axis": 0}),
        ("long", ((9,),), {"axis": 0}),
        ("a scalar", ((),), {}),
        ("nothing", ((0, 3),), {"axis": 0}),
        ("no columns", ((0, 3),), {"axis": 1}),
    ),
    *layouts((5, 4), call=fixed(axis=0)),
)

ROWS = (
    Row(F.mean, _mean, _cases(), _axis_errors(F.mean), exact=False),
    Row(
        F.var,
        _var,
        _cases(("unbiased", ((5, 4),), {"axis": 0, "ddof": 1}), ("all unbiased", ((5, 4),), {"ddof": 1})),
        _axis_errors(F.var),
        exact=False,
    ),
    Row(
        F.std,
        _std,
        cases_with(
            *_AXES,
            ("unbiased", ((5, 4),), {"axis": 0, "ddof": 1}),
            ("all unbiased", ((5, 4),), {"ddof": 1}),
        )
        + layouts((5, 4), call=fixed(axis=0)),
        _axis_errors(F.std),
        exact=False,
    ),
    Row(
        F.prod,
        _prod,
        _cases(("long", ((3, 9),), {"axis": 1}), ("none", ((0, 3),), {"axis": 1})),
        _axis_errors(F.prod),
        order=3,
        exact=False,
    ),
    *[
        Row(function, reference, _cases(), (*_axis_errors(function), _empty(function)))
        for function, reference in ((F.max, anp.max), (F.min, anp.min))
    ],
    Row(
        F.logsumexp,
        _logsumexp,
        _cases(),
        (*_axis_errors(F.logsumexp), _empty(F.logsumexp)),
        order=3,
        exact=False,
        rounding=16,
    ),
    Row(
        F.norm,
        _norm,
        (
            *_cases(
                ("one vector", ((5,),), {"ord": 2}), ("rows", ((5, 4),), {"ord": 2, "axis": -1}), without="no axis"
            ),
            *cases_with(
                ("sum of sizes", ((5,),), {"ord": 1}),
                ("sums of sizes", ((5, 4),), {"ord": 1, "axis": 0}),
                ("kept sums of sizes", ((5, 4),), {"ord": 1, "axis": (1,), "keepdims": True}),
                ("a matrix", ((5, 4),), {"ord": "fro"}),
                ("matrices", ((2, 5, 4),), {"ord": "fro", "axis": (-1, 0), "keepdims": True}),
                *[(f"of order {p}", ((5, 4),), {"ord": p, "axis": 0}) for p in (1.5, 3, 0.5, -1, np.inf, -np.inf)],
                *[(f"kept, of order {p}", ((2, 3),), {"ord": p, "axis": -1, "keepdims": True}) for p in (4, np.inf)],
                *[(f"no rows, of order {p}", ((0, 3),), {"ord": p, "axis": 1}) for p in (3, np.inf)],
            ),
        ),
        (
            *[
                Bad(lambda p=p: F.norm(_x(2), ord=p), ValueError, rf"norm: .*ord={p!r}; exp")
                for p in (np.nan, "nuc", 1j)
            ],
            Bad(lambda: F.norm(_x(2), ord="fro"), ValueError, "norm: .*'fro' for matrices"),
            Bad(lambda: F.norm(_x(2, 2), ord=2), ValueError, "norm: .*ord=2 over 2 axes is not a vector norm"),
            Bad(lambda: F.norm(_x(2, 2, 2), axis=(0, 1, 2)), ValueError, "norm: "),
            Bad(lambda: F.norm(_x(2), axis=1), ValueError, "norm: .*axis"),
        ),
        exact=False,
    ),
    Row(
        F.normalize,
        _normalize,
        (
            *cases_with(
                ("rows", ((5, 4),), {}),
                ("vector", ((4,),), {}),
                ("columns", ((5, 4),), {"axis": 0}),
                ("all", ((5, 4),), {"axis": None}),
                ("matrices", ((2, 3, 4),), {"axis": (1, 2)}),
                ("by sums", ((5, 4),), {"ord": 1}),
                ("of order 3", ((5, 4),), {"ord": 3, "axis": 0}),
                ("shorter than eps", ((5, 4),), {"eps": 100.0}),
                ("no rows", ((0, 3),), {}),
                ("one element", ((3, 1),), {}),
            ),
            *layouts((5, 4), call=fixed(axis=0)),
        ),
        (
            Bad(
                lambda: F.normalize(_x(2), eps=-1.0),
                ValueError,
                "normalize: eps is -1.0; expected a number of at least",
            ),
            Bad(lambda: F.normalize(_x()), ValueError, r"normalize: got shape \(\); expected vectors"),
            Bad(lambda: F.normalize("text"), TypeError, "normalize: input 'x': got str 'text'"),
            Bad(lambda: F.normalize(1j), TypeError, "normalize: input 'x': got complex 1j"),
        ),
        exact=False,
    ),
    Row(
        F.cosine_similarity,
        _cosine,
        (
            *cases_with(
                ("rows", ((5, 4), (5, 4)), {}),
                ("vectors", ((4,), (4,)), {}),
                ("columns", ((5, 4), (5, 4)), {"axis": 0}),
                ("in the middle", ((2, 3, 4), (2, 3, 4)), {"axis": 1}),
                ("from the end", ((2, 3, 4), (2, 3, 4)), {"axis": -2}),
                ("no rows", ((0, 3), (0, 3)), {}),
                ("a wide eps", ((5, 4), (5, 4)), {"eps": 100.0}),
            ),
            Case("a value with itself", arrays((5, 4)), lambda f, x: f(x, x[::-1])),
            Case("one constant", arrays((2, 4)), lambda f, x: f(x, np.ones((2, 4), dtype_of(x)))),
            *layouts((5, 4), call=lambda f, x: f(x, x * x)),
        ),
        (
            Bad(lambda: F.cosine_similarity(_x(2), _x(3)), ValueError, r"cosine_similarity: a has shape \(2,\), b has"),
            Bad(lambda: F.cosine_similarity(_x(), _x()), ValueError, r"cosine_similarity: got shape \(\); expected"),
            Bad(lambda: F.cosine_similarity(_x(2), "text"), TypeError, "cosine_similarity: input 'b': got str 'text'"),
        ),
        exact=False,
        rounding=16,
    ),
    Row(F.cumsum, anp.cumsum, _RUNNING, _axis_errors(F.cumsum)),
    Row(F.cumprod, _cumprod, _RUNNING, _axis_errors(F.cumprod), order=3, exact=False),
    Row(
        F.sort,
        _sorted,
        (
            *cases_with(
                ("last axis", ((3, 5),), {}),
                ("rows", ((5, 3),), {"axis": 0}),
                ("from the end", ((2, 5, 3),), {"axis": -2}),
                ("flat", ((3, 4),), {"axis": None}),
                ("vector", ((7,),), {}),
                ("nothing", ((0, 3),), {"axis": 0}),
            ),
            *layouts((5, 4), call=fixed(axis=0)),
        ),
        (
            *_axis_errors(F.sort),
            Bad(lambda: F.sort(_x()), ValueError, "sort: .*axis=-1: expected (an|no) axis"),
        ),
    ),
)
