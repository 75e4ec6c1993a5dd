"""Rows of pooling and of attention."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autolab import Variable
from autolab import functions as F
from helpers.cases import Case, Make, arrays, cases_with, dtype_of, fixed, layouts
from helpers.followed import anp
from helpers.rows import Bad, Row


def _x(*shape: int) -> Variable:
    return Variable(np.ones(shape))


def _lines(x: Any, kernel: int, stride: int | None, padding: int, fill: float) -> list[Any]:
    """What each element of a window sees, window by window."""
    edge = np.full((*x.shape[:2], padding), fill, dtype_of(x))
    x = anp.concatenate([edge, x, edge], axis=2)
    step = stride or kernel
    return [x[:, :, i : i + kernel] for i in range(0, x.shape[2] - kernel + 1, step)]


def _max_pool1d(x: Any, kernel: int, stride: int | None = None, padding: int = 0) -> Any:
    return anp.stack([anp.max(line, axis=2) for line in _lines(x, kernel, stride, padding, -1e30)], axis=2)


def _avg_pool1d(x: Any, kernel: int, stride: int | None = None, padding: int = 0) -> Any:
    return anp.stack([anp.sum(line, axis=2) / kernel for line in _lines(x, kernel, stride, padding, 0.0)], axis=2)


def _over_places(reduce: Any) -> Any:
    return lambda x, keepdims=False: reduce(x, axis=tuple(range(2, x.ndim)), keepdims=keepdims)


def _tied(*shape: int) -> Make:
    return lambda rng, dtype: (rng.integers(0, 2, shape).astype(dtype),)


_SEQUENCES = (
    *cases_with(
        ("halves", ((2, 3, 6),), {"kernel": 2}),
        ("something left over", ((2, 3, 7),), {"kernel": 3}),
        ("overlapping", ((2, 2, 6),), {"kernel": 3, "stride": 2}),
        ("gaps", ((2, 2, 7),), {"kernel": 2, "stride": 3}),
        ("padded", ((2, 2, 5),), {"kernel": 3, "stride": 1, "padding": 1}),
        ("the whole sequence", ((2, 2, 4),), {"kernel": 4}),
        ("no examples", ((0, 2, 4),), {"kernel": 2}),
        ("no channels", ((2, 0, 4),), {"kernel": 2, "padding": 1}),
    ),
    Case("ties", _tied(2, 2, 6), lambda f, x: f(x, kernel=2)),
    Case("ties of overlapping windows", _tied(2, 2, 5), lambda f, x: f(x, kernel=3, stride=1, padding=1)),
    *layouts((4, 2, 4), call=fixed(kernel=2)),
)

_PLACES = (
    *cases_with(
        ("sequence", ((2, 3, 5),), {}),
        ("image", ((2, 3, 4, 5),), {}),
        ("kept", ((2, 3, 4, 5),), {"keepdims": True}),
        ("volume", ((1, 2, 2, 3, 2),), {}),
        ("one place", ((2, 3, 1, 1),), {}),
        ("no examples", ((0, 3, 4),), {}),
    ),
    Case("ties", _tied(2, 2, 6), lambda f, x: f(x)),
    *layouts((3, 4, 3)),
)


def _pooling_errors(function: Any) -> tuple[Bad, ...]:
    name = function.__name__
    return (
        Bad(lambda: function(_x(4, 4), 2), ValueError, rf"{name}: .*expected x \(examples, channels, length\)"),
        Bad(lambda: function(_x(1, 1, 4, 4), 2), ValueError, rf"{name}: .*expected x \(examples, channels, length\)"),
        Bad(lambda: function(_x(1, 1, 2), 3), ValueError, rf"{name}: .*window of size \(3,\) does not fit"),
        Bad(lambda: function(_x(1, 1, 4), 2, padding=2), ValueError, rf"{name}: .*padding \(2,\) is as wide"),
        Bad(lambda: function(_x(1, 1, 4), (2, 2)), ValueError, rf"{name}: .*kernel is \(2, 2\)"),
        Bad(lambda: function(_x(1, 1, 4), 1.5), ValueError, f"{name}: .*kernel is 1.5; expected an int or 1 of them"),
        Bad(lambda: function(_x(1, 1, 4)), TypeError, "kernel"),
    )


def _global_errors(function: Any) -> tuple[Bad, ...]:
    name = function.__name__
    return (
        Bad(lambda: function(_x(2, 3)), ValueError, rf"{name}: x has shape \(2, 3\); expected \(examples, channels, "),
        Bad(lambda: function(_x(2, 3, 0)), ValueError, rf"{name}: x has shape \(2, 3, 0\); .*, not empty"),
        Bad(lambda: function("text"), TypeError, f"{name}: input 'x': got str 'text'"),
        Bad(lambda: function(np.ones((1, 1, 1), complex)), TypeError, f"{name}: .*complex"),
    )


def _attention(
    query: Any, key: Any, value: Any, mask: Any = None, causal: bool = False, scale: float | None = None
) -> Any:
    scores = anp.einsum("...ls,...ks->...lk", query, key) * (query.shape[-1] ** -0.5 if scale is None else scale)
    seen = np.ones(scores.shape[-2:], bool)
    if causal:
        seen = np.tril(seen)
    if mask is not None and dtype_of(mask).kind == "b":
        seen = seen & mask
    elif mask is not None:
        numbers = mask
        while hasattr(numbers, "_value"):
            numbers = numbers._value
        seen = seen & np.isfinite(numbers)
        scores = scores + (anp.where(seen, mask, 0.0) if isinstance(mask, np.ndarray) else mask)
    seen = np.broadcast_to(seen, scores.shape)
    scores = anp.where(seen, scores, np.array(-1e30, dtype_of(scores)))
    e = anp.where(seen, anp.exp(scores - anp.max(scores, axis=-1, keepdims=True)), 0) if scores.size else scores
    total = anp.sum(e, axis=-1, keepdims=True)
    weights = e / (total + (dtype_of(total).type(1) * ~seen.any(axis=-1, keepdims=True)))
    return anp.einsum("...lk,...kw->...lw", weights.astype(dtype_of(query)) if not e.size else weights, value)


_MASKED = arrays((2, 2, 4), (2, 3, 4), (2, 3, 2))
_SOME = np.array([[True, False, True], [True, True, True]])
_NONE = np.array([[False, False, False], [True, False, True]])
_FLOATS = np.array([[0.5, -math.inf, -0.25], [0.0, 1.0, 2.0]])

ROWS = (
    Row(F.max_pool1d, _max_pool1d, _SEQUENCES, _pooling_errors(F.max_pool1d)),
    Row(F.avg_pool1d, _avg_pool1d, _SEQUENCES, _pooling_errors(F.avg_pool1d), exact=False),
    Row(F.global_max_pool, _over_places(anp.max), _PLACES, _global_errors(F.global_max_pool)),
    Row(F.global_avg_pool, _over_places(anp.mean), _PLACES, _global_errors(F.global_avg_pool), exact=False),
    Row(
        F.attention,
        _attention,
        (
            *cases_with(
                ("batch", ((2, 3, 4), (2, 5, 4), (2, 5, 3)), {}),
                ("one sequence", ((3, 2), (4, 2), (4, 2)), {}),
                ("heads", ((2, 2, 3, 2), (2, 2, 3, 2), (2, 2, 3, 2)), {"causal": True}),
                ("stacks that broadcast", ((2, 3, 2), (4, 2), (4, 3)), {"scale": 0.3}),
                ("more queries than keys", ((4, 2), (3, 2), (3, 2)), {"causal": True}),
                ("no examples", ((0, 3, 2), (0, 4, 2), (0, 4, 2)), {}),
                ("no queries", ((0, 2), (4, 2), (4, 3)), {}),
            ),
            *[
                Case(
                    label, arrays((2, 2, 4), (2, 3, 4), (2, 3, 2)), lambda f, *xs, m=mask, c=causal: f(*xs, m, causal=c)
                )
                for label, mask, causal in (
                    ("a mask", _SOME, False),
                    ("a query that sees nothing", _NONE, False),
                    ("a mask for each", np.stack([_SOME, _NONE]), True),
                )
            ],
            Case(
                "a mask of floats",
                _MASKED,
                lambda f, *xs: f(*xs, _FLOATS.astype(dtype_of(xs[0]))),
            ),
            Case("a mask that is trained", arrays((2, 4), (3, 4), (3, 2), (2, 3)), lambda f, *xs: f(*xs)),
            Case("a value with itself", arrays((2, 3, 4)), lambda f, x: f(x, x, x)),
            *layouts((5, 4), call=lambda f, x: f(x, x, x, causal=True)),
        ),
        (
            Bad(lambda: F.attention(_x(2, 3), _x(2, 4), _x(2, 3)), ValueError, r"attention: query has shape \(2, 3\)"),
            Bad(lambda: F.attention(_x(2, 3), _x(4, 3), _x(2, 3)), ValueError, r"attention: .*value \(2, 3\)"),
            Bad(lambda: F.attention(_x(3), _x(4, 3), _x(4, 3)), ValueError, r"attention: query has shape \(3,\)"),
            Bad(
                lambda: F.attention(_x(2, 3), _x(4, 3), _x(4, 3), np.ones((2, 3), bool)),
                ValueError,
                r"attention: mask has shape \(2, 3\); expected one that broadcasts to \(2, 4\)",
            ),
            Bad(
                lambda: F.attention(_x(2, 3), _x(4, 3), _x(4, 3), np.ones((5, 2, 4), bool)),
                ValueError,
                r"attention: mask has shape \(5, 2, 4\); expected one",
            ),
            Bad(
                lambda: F.attention(_x(2, 3), _x(4, 3), _x(4, 3), np.ones((2, 4), int)),
                TypeError,
                "attention: mask is of dtype int64; expected booleans",
            ),
            Bad(lambda: F.attention(_x(2, 3, 4), _x(5, 3, 4), _x(5, 3, 4)), ValueError, r"attention: query has shape"),
            Bad(lambda: F.attention(_x(2, 3), _x(4, 3), _x(4, 3), scale="a"), ValueError, "attention: scale is 'a'"),
            Bad(lambda: F.attention("text", _x(4, 3), _x(4, 3)), TypeError, "attention: input 'query': got str 'text'"),
        ),
        exact=False,
        rounding=16,
    ),
)
