"""The sum over a row that a gradient forgets: in the names of the input, the result and parts of the forward."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement

import numpy as np

from ..formulas.elementwise_formulas import symbols
from ..formulas.forward_parts import parts_at
from ..formulas.row_formulas import Named, row_sums
from ..judging.case import Case
from ..messages import say
from .rearranged import Explanation, is_plain

_CLOSE = 1e-6
_LEAST = 6
"""Of fewer elements parts of the forward are not tried: one of many is soon like them."""

_MOST = 6


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
                    if term := _fitting(terms, lost * divisor / factor):
                        how = say(f"missing_term.row_{key}", axis=axis)
                        return Explanation("missing_term", how, formulas={"term": term + below})
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


def _fitting(terms: Named, wanted: np.ndarray) -> str:
    """The first of the terms that is what is wanted, or its negative, with its sign."""
    size = np.max(np.abs(wanted))
    values = np.stack([*terms.values()]).reshape(len(terms), -1)
    for sign, signed in (("+", values), ("-", -values)):
        close = np.max(np.abs(signed - wanted.ravel()), axis=1) <= _CLOSE * size
        if size > 0 and close.any():
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
