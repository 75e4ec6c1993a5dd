"""Gradients that are products of matrices in the wrong order, or that forget what a whole row shares."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ..formulas.elementwise_formulas import symbols
from ..judging.case import Case
from ..messages import say, shown
from .rearranged import Explanation

_CLOSE = 1e-9
_MEASURED = 1e-6
_LARGEST = 2**14


def wrong_order(case: Case, i: int) -> Explanation | None:
    """Whether both the gradient and the right one are products of the upstream gradient and another input."""
    e, g = case.at(i)[0].elements, case.exam.upstreams[0]
    if len(g) != 1 or g[0].ndim < 2 or len(case.shapes[i]) < 2 or e.analytic.size > _LARGEST or not _is_plain(case, i):
        return None
    written = right = ""
    for text, value in _products(case, i, g[0]):
        written = written or (text if _is(value, e.analytic, _CLOSE) else "")
        right = right or (text if _is(value, e.numeric, _MEASURED) else "")
    if not written or not right or written == right:
        return None
    return Explanation("rearranged", "", "product", {"written": written, "right": right})


def _products(case: Case, i: int, g: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    upstream, _ = symbols(case)
    for name, b in zip(case.names, case.subject.arrays, strict=True):
        if b.ndim < 2:
            continue
        for first, second in (((upstream, g), (shown(name), b)), ((shown(name), b), (upstream, g))):
            for p, a in _turned(*first):
                for q, c in _turned(*second):
                    if a.shape[-1] == c.shape[-2] and (*a.shape[:-1], c.shape[-1]) == case.shapes[i]:
                        yield f"{p} @ {q}", a @ c


def _turned(name: str, a: np.ndarray) -> tuple[tuple[str, np.ndarray], tuple[str, np.ndarray]]:
    return (name, a), (f"{name}.T", np.swapaxes(a, -1, -2))


def forgotten_in_row(case: Case, i: int) -> Explanation | None:
    """Whether what is missing is a sum over an axis: the second term of softmax and its like."""
    e, upstream = case.at(i)[0].elements, case.exam.upstreams[0]
    shape = case.shapes[i]
    if len(upstream) != 1 or upstream[0].shape != shape or not _is_plain(case, i):
        return None
    lost = (e.numeric - e.analytic).reshape(shape)
    (y,) = case.subject.run().values()
    for axis in reversed(range(len(shape))):
        for text, term in _shared(upstream[0], case.subject.arrays[i], y, axis):
            for scale, sized in _scaled(term, case.subject.arrays[i], axis):
                for factor, key in ((1.0, "missing"), (2.0, "sign")):
                    for sign in (1.0, -1.0):
                        if _is(factor * sign * sized, lost, _MEASURED):
                            words = f"{'-' if sign < 0 else '+'} {_in_their_names(case, i, text + scale)}"
                            how = say(f"missing_term.row_{key}", axis=axis)
                            return Explanation("missing_term", how, formulas={"term": words})
    return None


def _in_their_names(case: Case, i: int, formula: str) -> str:
    """A formula in ``g``, ``x`` and ``y`` with what they are called here."""
    upstream, result = symbols(case)
    x = case.names[i] if case.names[i].isidentifier() else "x"
    return re.sub(r"\b[gxy]\b", lambda found: {"g": upstream, "x": x, "y": result}[found[0]], formula)


def _shared(g: np.ndarray, x: np.ndarray, y: np.ndarray, axis: int) -> Iterator[tuple[str, np.ndarray]]:
    """Terms that every element of a row shares, times what is its own; ``p`` stands for exp(y)."""

    def total(a: np.ndarray) -> np.ndarray:
        return np.sum(a, axis=axis, keepdims=True)

    with np.errstate(all="ignore"):
        p = np.exp(y)
        sums = {"sum(g)": total(g), "sum(g * y)": total(g * y), "sum(g * x)": total(g * x), "mean(g)": total(g) / n
                if (n := x.shape[axis]) else total(g), "mean(g * y)": total(g * y) / x.shape[axis]}  # fmt: skip
        own = {"": np.ones_like(y), "y * ": y, "x * ": x, "exp(y) * ": p}
        for mine, a in own.items():
            for text, b in sums.items():
                yield mine + text, a * b
        yield "(y * sum(g * y) - g * y * y)", y * total(g * y) - g * y * y
        yield "exp(y) * (sum(g) - g)", p * (total(g) - g)
        yield "g - exp(y) * sum(g) + g * exp(y)", p * g - p * total(g)


def _scaled(term: np.ndarray, x: np.ndarray, axis: int) -> Iterator[tuple[str, np.ndarray]]:
    with np.errstate(all="ignore"):
        total, square = np.sum(x, axis=axis, keepdims=True), np.sum(x * x, axis=axis, keepdims=True)
        spread = np.std(x, axis=axis, keepdims=True)
        yield "", term
        yield " / sum(x)", term / total
        yield " / sum(x)**2", term / total**2
        yield " / sqrt(sum(x * x))", term / np.sqrt(square)
        yield " / sqrt(sum(x * x))**3", term / np.sqrt(square) ** 3
        yield " / std(x)", term / spread


def _is(value: np.ndarray, wanted: np.ndarray, close: float) -> bool:
    size = np.max(np.abs(wanted))
    return bool(size > 0 and np.max(np.abs(value.ravel() - wanted.ravel())) <= close * size)


def _is_plain(case: Case, i: int) -> bool:
    """Whether every element was measured and is finite, and there are enough to tell products apart."""
    c = case.at(i)[0]
    finite = np.isfinite(c.elements.analytic) & np.isfinite(c.elements.numeric)
    return bool(c.measured.all() and finite.all() and c.measured.size > 2)
