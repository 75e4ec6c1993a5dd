"""Gradients that are products of matrices in the wrong order."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..formulas.elementwise_formulas import symbols
from ..judging.case import Case
from ..messages import shown
from .rearranged import Explanation, is_plain

_CLOSE = 1e-9
_MEASURED = 1e-6
_LARGEST = 2**14


def wrong_order(case: Case, i: int) -> Explanation | None:
    """Whether both the gradient and the right one are products of the upstream gradient and another input."""
    e, g = case.at(i)[0].elements, case.exam.upstreams[0]
    if len(g) != 1 or g[0].ndim < 2 or len(case.shapes[i]) < 2 or e.analytic.size > _LARGEST or not is_plain(case, i):
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


def _is(value: np.ndarray, wanted: np.ndarray, close: float) -> bool:
    size = np.max(np.abs(wanted))
    return bool(size > 0 and np.max(np.abs(value.ravel() - wanted.ravel())) <= close * size)
