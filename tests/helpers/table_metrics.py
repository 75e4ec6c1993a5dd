"""Rows of the scores of predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from autolab import Variable
from autolab import functions as F
from helpers.cases import Case, arrays, dtype_of, layouts
from helpers.rows import Bad, Row

_LABELS = np.array([2, 0, 1, 2, 2])
_MATRIX = np.array([[0, 1, 2], [2, 2, 0]])


def _x(*shape: int) -> Variable:
    return Variable(np.ones(shape))


def _tables(x: Any, t: Any, axis: int, ignore_label: Any) -> tuple[int, dict[tuple[int, int], int]]:
    """How often each pair of given and right class comes up."""
    x, t = np.moveaxis(np.asarray(x), axis, -1), np.asarray(t)
    found: dict[tuple[int, int], int] = {}
    for place in np.ndindex(*t.shape):
        if t[place] != ignore_label:
            pair = int(np.argmax(x[place])), int(t[place])
            found[pair] = found.get(pair, 0) + 1
    return x.shape[-1], found


def _score(parts: Any) -> Any:
    """``parts(hits, given, there)`` are a numerator and a denominator."""

    def score(x: Any, t: Any, axis: int = -1, average: str = "macro", ignore_label: Any = None) -> Any:
        classes, found = _tables(x, t, axis, ignore_label)
        counts = []
        for c in range(classes):
            given = sum(n for (g, _), n in found.items() if g == c)
            counts.append((found.get((c, c), 0), given, sum(n for (_, r), n in found.items() if r == c)))
        if average == "micro":
            a, b = parts(*[sum(c[i] for c in counts) for i in range(3)])
            return np.asarray(a / max(b, 1), dtype_of(x))
        shares = [parts(*c)[0] / max(parts(*c)[1], 1) for c in counts]
        if average == "none":
            return np.array(shares, dtype_of(x))
        present = [s for s, c in zip(shares, counts, strict=True) if c[1] + c[2]]
        return np.asarray(sum(present) / max(len(present), 1), dtype_of(x))

    return score


def _labelled(labels: np.ndarray, **options: Any) -> Any:
    return lambda f, x: f(x, labels, **options)


def _scores(function: Any, parts: Any) -> Row:
    name = function.__name__
    return Row(
        function,
        _score(parts),
        (
            Case("batch", arrays((5, 3)), _labelled(_LABELS)),
            Case("by class", arrays((5, 3)), _labelled(_LABELS, average="none")),
            Case("all together", arrays((5, 3)), _labelled(_LABELS, average="micro")),
            Case("a class that is nowhere", arrays((5, 6)), _labelled(_LABELS)),
            Case("sequence", arrays((2, 3, 4)), _labelled(_MATRIX, average="none")),
            Case("in the middle", arrays((2, 4, 3)), _labelled(_MATRIX, axis=1)),
            Case("ignored", arrays((5, 3)), _labelled(_LABELS, ignore_label=2)),
            Case("all ignored", arrays((5, 3)), _labelled(_LABELS * 0, ignore_label=0)),
            Case("no examples", arrays((0, 3)), _labelled(_LABELS[:0])),
            *layouts((5, 4), call=lambda f, x: f(x, np.arange(len(x)) % x.shape[1])),
        ),
        (
            Bad(lambda: function(_x(2, 3), np.array([0, 3])), ValueError, f"{name}: .*t holds 3, but the classes go"),
            Bad(lambda: function(_x(2, 3), np.array([0.5, 1])), TypeError, f"{name}: t is of dtype float64"),
            Bad(lambda: function(_x(2, 3), np.array([0])), ValueError, rf"{name}: .*expected t of shape \(2,\)"),
            Bad(lambda: function(_x(2, 3), np.array([0, 1]), average="best"), ValueError, f"{name}: .*average is 'be"),
        ),
        order=0,
        exact=False,
    )


def _r2_score(x: Any, t: Any) -> Any:
    x, t = np.asarray(x), np.asarray(t)
    if x.size == 0:
        return np.zeros((), dtype_of(x))
    left, whole = ((t - x) ** 2).sum(axis=0), ((t - t.mean(axis=0)) ** 2).sum(axis=0)
    shares = [1 - a / b if b else float(a == 0) for a, b in zip(left.ravel(), whole.ravel(), strict=True)]
    return np.asarray(np.mean(shares), dtype_of(x))


ROWS = (
    _scores(F.precision, lambda hits, given, there: (hits, given)),
    _scores(F.recall, lambda hits, given, there: (hits, there)),
    _scores(F.f1_score, lambda hits, given, there: (2 * hits, given + there)),
    Row(
        F.r2_score,
        _r2_score,
        (
            Case("vectors", arrays((5,), (5,))),
            Case("several numbers", arrays((5, 4), (5, 4))),
            Case("images", arrays((4, 2, 3), (4, 2, 3))),
            Case("two examples", arrays((2,), (2,))),
            Case("long", arrays((50,), (50,))),
            Case("targets that do not vary", arrays((5, 2)), lambda f, x: f(x, np.ones(x.shape, dtype_of(x)))),
            Case("a value with itself", arrays((5, 2)), lambda f, x: f(x, x)),
            *layouts((5, 4), call=lambda f, x: f(x, x[::-1])),
            Case("nothing beside", arrays((3, 0), (3, 0)), lambda f, x, t: f(x, t)),
        ),
        (
            Bad(lambda: F.r2_score(_x(3), _x(2)), ValueError, "r2_score: .*expected x and t of the same shape"),
            Bad(lambda: F.r2_score(_x(1), _x(1)), ValueError, "r2_score: .*with two examples or more"),
        ),
        order=0,
        exact=False,
        rounding=64,
    ),
)
