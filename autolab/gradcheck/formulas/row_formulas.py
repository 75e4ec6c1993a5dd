"""What a backward computes and what it should where all elements of a row share sums, as in softmax: both as formulas.

Both are sought among ``own * (g - own * sum(g * own)) / shared`` and a second term of that kind, along every axis.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..judging.case import Case
from .elementwise_formulas import NO_RULE, Rule
from .forward_parts import parts_at
from .samples import symbols

_WRITTEN = 1e-9
_MEASURED = 1e-6
_LEAST = 6
_LARGEST = 4096
_COMPARED = 48
_MOST = 4
"""So many parts of the forward are taken."""

Named = dict[str, np.ndarray]


def row_rule(case: Case, i: int) -> Rule:
    """The formulas for input ``i``. Both are known, or neither."""
    c, upstreams, shape = case.at(i)[0], case.exam.upstreams[0], case.shapes[i]
    if len(upstreams) != 1 or upstreams[0].shape != shape or c.measured.size > _LARGEST:
        return NO_RULE
    known = np.flatnonzero(c.measured)
    if known.size < _LEAST or not np.isfinite([c.elements.analytic[known], c.elements.numeric[known]]).all():
        return NO_RULE
    known = known[np.linspace(0, known.size - 1, min(known.size, _COMPARED)).astype(int)]
    try:
        names = _names(case, i)
    except Exception:  # what runs alone does not always run when it is followed
        return NO_RULE
    with np.errstate(all="ignore"):
        right = _fitting(case, i, names, known, c.elements.numeric[known], _MEASURED)
        written = _fitting(case, i, names, known, c.elements.analytic[known], _WRITTEN) if right else ""
    return Rule(written, right) if written and right and written != right else NO_RULE


def _names(case: Case, i: int) -> Named:
    """The input, the result and the parts of the forward, by their names."""
    result, x = symbols(case)[1], case.names[i] if case.names[i].isidentifier() else "x"
    (y,) = case.subject.run().values()
    known = {result: y, x: case.subject.arrays[i]}
    parts = parts_at(case, i)
    return {**known, **{name: v for name, v in list(parts.items())[:_MOST] if name not in {*known, *symbols(case)}}}


def _fitting(case: Case, i: int, names: Named, known: np.ndarray, target: np.ndarray, close: float) -> str:
    """The first formula that fits at the ``known`` elements, those along the last axis first; empty if none does."""
    upstream, g = symbols(case)[0], case.exam.upstreams[0][0]
    for axis in reversed(range(g.ndim)):
        found = _numerators(upstream, g, names, axis, "" if g.ndim == 1 else f", axis={axis}")
        texts = sorted(found, key=lambda text: (text.count(upstream), len(text)))
        values = np.stack([np.broadcast_to(found[text], g.shape).ravel()[known] for text in texts])
        for divisor, below in _divisors(case, i, names, axis, g.ndim == 1):
            wanted = target * np.broadcast_to(below, g.shape).ravel()[known]
            gaps = np.max(np.abs(values - wanted), axis=1)
            fits = np.flatnonzero(gaps <= close * np.max(np.abs(wanted)))
            if fits.size:
                return _divided(texts[fits[0]], divisor)
    return ""


def _numerators(upstream: str, g: np.ndarray, names: Named, axis: int, along: str) -> Named:
    """Formulas without their divisor."""
    result = next(iter(names))
    own = {name: v for name, v in names.items() if v.shape == g.shape} | {f"exp({result})": np.exp(names[result])}
    sums = row_sums(upstream, g, own, axis, along)
    terms = {**sums, **{f"{name} * {text}": v * total for name, v in own.items() for text, total in sums.items()}}
    plain = [text for text in sums if f"({upstream}{along})" in text]
    bodies: Named = {upstream: g, **{f"{upstream} - {text}": g - v for text, v in terms.items()}}
    bodies |= {f"{upstream} - {a} - {b}": g - sums[a] - v for a in plain for b, v in terms.items() if b != a}
    found = dict(bodies)
    for name, v in own.items():
        found |= {f"{name} * {text}" if " " not in text else f"{name} * ({text})": v * b for text, b in bodies.items()}
    return found


def row_sums(upstream: str, g: np.ndarray, own: Named, axis: int, along: str = "") -> Named:
    """Sums and means over a row of the upstream gradient, and of it times what is each element's own."""
    sums = {}
    for text, v in ((upstream, g), *[(f"{upstream} * {name}", g * v) for name, v in own.items()]):
        sums[f"sum({text}{along})"] = v.sum(axis=axis, keepdims=True)
        sums[f"mean({text}{along})"] = v.mean(axis=axis, keepdims=True)
    return sums


def _divisors(case: Case, i: int, names: Named, axis: int, is_vector: bool) -> Iterator[tuple[str, np.ndarray]]:
    """What a row has once: parts of the forward, and statistics of the input."""
    x = case.subject.arrays[i]
    name, along = list(names)[1], "" if is_vector else f", axis={axis}"
    once = tuple([1 if k == axis else n for k, n in enumerate(x.shape)])
    yield "", np.ones(())
    for text, v in names.items():
        if v.shape in (once, ()) and v.shape != x.shape:
            yield text, v
    yield f"std({name}{along})", x.std(axis=axis, keepdims=True)
    yield f"sum({name}{along})", x.sum(axis=axis, keepdims=True)
    norm = np.sqrt((x * x).sum(axis=axis, keepdims=True))
    yield f"sqrt(sum({name} * {name}{along}))", norm
    yield f"sqrt(mean({name} * {name}{along}))", norm / np.sqrt(x.shape[axis])
    yield from _of_result(names, axis, along)


def _of_result(names: Named, axis: int, along: str) -> Iterator[tuple[str, np.ndarray]]:
    """What the forward divided a row by, if it divided it by one number: with an epsilon it is no plain statistic."""
    (result, y), (name, x) = list(names.items())[:2]
    for text, v in ((name, x), (f"({name} - mean({name}{along}))", x - x.mean(axis=axis, keepdims=True))):
        ratio = v / y
        if (np.ptp(ratio, axis=axis) <= _MEASURED * np.abs(ratio).min(axis=axis)).all():
            yield f"({text} / {result})", ratio.mean(axis=axis, keepdims=True)


def _divided(text: str, divisor: str) -> str:
    is_sum = " - " in text and not text.endswith("))")
    if not divisor:
        return text
    return f"({text}) / {divisor}" if is_sum else f"{text} / {divisor}"
