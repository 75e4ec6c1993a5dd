"""Gradients as formulas of whole arrays: products in the wrong order, or without the sum that a row shares."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement

import numpy as np

from ..formulas.forward_parts import parts_at
from ..formulas.row_formulas import Named, row_sums
from ..formulas.samples import symbols
from ..judging.case import Case
from ..messages import say, shown
from .explanation import Explanation, because
from .rearranged import is_plain

_CLOSE = 1e-9
_MEASURED = 1e-6
_LARGEST = 2**14
_LEAST = 6
"""Of fewer elements parts of the forward are not tried: one of many is soon like them."""

_MOST = 6


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
    return because("rearranged", "", "product", written=written, right=right)


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


def forgotten_in_row(case: Case, i: int) -> Explanation | None:
    """Whether what is missing is a sum over an axis: the second term of softmax and its like."""
    e, upstreams, shape = case.at(i)[0].elements, case.exam.upstreams[0], case.shapes[i]
    if len(upstreams) != 1 or upstreams[0].shape != shape or not is_plain(case, i):
        return None
    lost = (e.numeric - e.analytic).reshape(shape)
    upstream, result = symbols(case)
    x = case.names[i] if case.names[i].isidentifier() else "x"
    (y,) = case.subject.run().values()
    known = {result: y, x: case.subject.arrays[i]}
    parts = _parts(case, i, {upstream, *known})
    with np.errstate(all="ignore"):
        names = {**known, f"exp({result})": np.exp(y), **parts}
        for axis in reversed(range(len(shape))):
            terms = _terms(upstream, upstreams[0], names, axis)
            for below, divisor in _divisors(x, known[x], parts, axis):
                for key, factor in (("missing", 1.0), ("sign", 2.0)):
                    if term := _fitting(terms, factor / divisor, lost):
                        how = say(f"missing_term.row_{key}", axis=axis)
                        return because("missing_term", how, term=term + below)
    return None


def _parts(case: Case, i: int, taken: set[str]) -> Named:
    """The parts of the forward; none if one has the name of something else."""
    if case.subject.arrays[i].size < _LEAST:
        return {}
    try:
        parts = parts_at(case, i)
    except Exception:  # what runs alone does not always run when it is followed
        return {}
    return {} if taken & parts.keys() else parts


def _terms(upstream: str, g: np.ndarray, names: Named, axis: int) -> Named:
    """Sums and means over the row, all of it or all the rest of it, times what is each element's own."""
    own = {name: v for name, v in names.items() if v.shape == g.shape}
    sums = row_sums(upstream, g, own, axis)
    for text, v in [(upstream, g), *[(f"{upstream} * {name}", g * v) for name, v in own.items()]]:
        sums[f"(sum({text}) - {text})"] = sums[f"sum({text})"] - v
    factors = {"": np.ones_like(g), **{f"{name} * ": v for name, v in own.items()}}
    return {mine + text: a * b for mine, a in factors.items() for text, b in sums.items()}


def _fitting(terms: Named, scale: np.ndarray, wanted: np.ndarray) -> str:
    """The first of the terms that times the scale is what is wanted, or its negative, with its sign."""
    values = (scale * np.stack([*terms.values()])).reshape(len(terms), -1)
    for sign, signed in (("+", values), ("-", -values)):
        close = np.max(np.abs(signed - wanted.ravel()), axis=1) <= _MEASURED * np.max(np.abs(wanted))
        if close.any() and wanted.any():
            return f"{sign} {[*terms][int(np.argmax(close))]}"
    return ""


def _divisors(name: str, x: np.ndarray, parts: Named, axis: int) -> Iterator[tuple[str, np.ndarray]]:
    """What a row has once: statistics of the input, and parts of the forward."""
    total, square = x.sum(axis=axis, keepdims=True), (x * x).sum(axis=axis, keepdims=True)
    yield "", np.ones(())
    yield f" / sum({name})", total
    yield f" / sum({name})**2", total**2
    yield f" / sqrt(sum({name} * {name}))", np.sqrt(square)
    yield f" / sqrt(sum({name} * {name}))**3", np.sqrt(square) ** 3
    yield f" / std({name})", x.std(axis=axis, keepdims=True)
    shared = [(part, v) for part, v in parts.items() if v.shape in (total.shape, ()) and v.shape != x.shape][:_MOST]
    yield from [(f" / {part}", v) for part, v in shared]
    for (a, v), (b, w) in combinations_with_replacement(shared, 2):
        yield f" / ({a} * {b})", v * w
