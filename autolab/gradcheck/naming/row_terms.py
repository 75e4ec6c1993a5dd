"""The sum over a row that a gradient forgets, written with what the forward calls the values on its way."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement

import numpy as np

from ..formulas.elementwise_formulas import symbols
from ..formulas.forward_parts import parts_at
from ..judging.case import Case
from ..messages import say
from .rearranged import Explanation

_CLOSE = 1e-6
_LEAST = 6
_MOST = 6


def forgotten_with_parts(case: Case, i: int) -> Explanation | None:
    """Whether what is missing is a sum over an axis, times parts of the forward that a row has or shares."""
    c, upstreams, shape = case.at(i)[0], case.exam.upstreams[0], case.shapes[i]
    lost = (c.elements.numeric - c.elements.analytic).reshape(shape)
    if len(upstreams) != 1 or upstreams[0].shape != shape or not c.measured.all() or not np.isfinite(lost).all():
        return None
    if lost.size < _LEAST or not lost.any():
        return None
    try:
        parts = parts_at(case, i)
    except Exception:  # what runs alone does not always run when it is followed
        return None
    upstream, result = symbols(case)
    x = case.names[i] if case.names[i].isidentifier() else "x"
    if not parts or {upstream, result, x} & parts.keys():
        return None
    (y,) = case.subject.run().values()
    names = {result: y, x: case.subject.arrays[i], **parts}
    with np.errstate(all="ignore"):
        for axis in reversed(range(len(shape))):
            term = _term(lost, names, upstream, upstreams[0], axis)
            if term:
                how = say("missing_term.row_missing", axis=axis)
                return Explanation("missing_term", how, formulas={"term": term})
    return None


def _term(lost: np.ndarray, names: dict[str, np.ndarray], upstream: str, g: np.ndarray, axis: int) -> str:
    """A sum or mean over the row, times what is each element's own, divided by what a row has once, that is lost."""
    once = tuple([1 if k == axis else n for k, n in enumerate(g.shape)])
    own = {name: v for name, v in names.items() if v.shape == g.shape}
    shared = dict([(name, v) for name, v in names.items() if v.shape in (once, ()) and g.shape != once][:_MOST])
    sums = {f"sum({upstream})": g, **{f"sum({upstream} * {name})": g * v for name, v in own.items()}}
    totals = {text: np.sum(v, axis=axis, keepdims=True) for text, v in sums.items()}
    totals |= {text.replace("sum", "mean", 1): v / g.shape[axis] for text, v in totals.items()}
    factors = {"": np.ones_like(g), **{f"{name} * ": v for name, v in own.items()}}
    texts = [mine + text for mine in factors for text in totals]
    terms = np.stack([(a * b).ravel() for a in factors.values() for b in totals.values()])
    for below, divisor in _divisors(shared):
        wanted = (lost * divisor).ravel()
        for sign, signed in (("+", terms), ("-", -terms)):
            close = np.max(np.abs(signed - wanted), axis=1) <= _CLOSE * np.max(np.abs(wanted))
            if close.any():
                return f"{sign} {texts[int(np.argmax(close))]}{below}"
    return ""


def _divisors(shared: dict[str, np.ndarray]) -> Iterator[tuple[str, np.ndarray]]:
    yield "", np.ones(())
    for name, v in shared.items():
        yield f" / {name}", v
    for (a, v), (b, w) in combinations_with_replacement(shared.items(), 2):
        yield f" / ({a} * {b})", v * w
