"""What a backward computes and what it should, as formulas of whole arrays: where all elements of a row share sums, as
in softmax, and where matrices are multiplied.

For rows both are sought among ``own * (g - own * sum(g * own)) / shared`` and a second term of that kind, along every
axis; if that fails, a sum over an axis that is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement

import numpy as np

from ..judging.case import Case, CheckedInput
from ..judging.finding import Explanation, because
from ..messages import shown
from .elementwise_formulas import Rule, rule_of_both
from .forward_parts import parts_at
from .samples import Named, symbols

WRITTEN = 1e-9
MEASURED = 1e-6
"""A formula fits if it is off by at most this fraction of the largest value: rounding, and the error of differences."""

_LEAST = 6
"""With fewer elements, one of many formulas fits by chance."""

_LARGEST, _LARGEST_PRODUCT = 4096, 2**14
_COMPARED = 48
_MOST, _MOST_SHARED = 4, 6
"""How many parts of the forward are tried; and how many of those with one value per row, in products of two."""


def row_rule(checked: CheckedInput) -> Rule:
    """The formulas for an input. Both are known, or neither."""
    case, e, upstreams = checked.case, checked.here.elements, checked.case.upstreams
    if len(upstreams) != 1 or upstreams[0].shape != checked.shape or e.size > _LARGEST:
        return {}
    known = np.flatnonzero(checked.here.measured)
    if known.size < _LEAST or not np.isfinite([e.analytic[known], e.numeric[known]]).all():
        return {}
    known = known[np.linspace(0, known.size - 1, min(known.size, _COMPARED)).astype(int)]
    names, parts = _row_names(checked), list(parts_at(checked).items())[:_MOST]
    names |= {name: v for name, v in parts if name not in {*names, *symbols(case)}}
    right = _fitting(case, names, known, e.numeric[known], MEASURED)
    return rule_of_both(_fitting(case, names, known, e.analytic[known], WRITTEN) if right else "", right)


def _row_names(checked: CheckedInput) -> Named:
    """The result, the input and the exponential of the result, by their names."""
    _, result = symbols(checked.case)
    (y,) = checked.case.subject.run().values()
    x = checked.name if checked.name.isidentifier() else "x"
    return {result: y, x: checked.value, f"exp({result})": np.exp(y)}


def _fitting(case: Case, names: Named, known: np.ndarray, target: np.ndarray, close: float) -> str:
    """The first formula that fits at the ``known`` elements, trying the last axis first; empty if none does."""
    upstream, g = symbols(case)[0], case.upstreams[0]
    for axis in reversed(range(g.ndim)):
        along = "" if g.ndim == 1 else f", axis={axis}"
        found = _numerators(upstream, g, names, axis, along)
        texts = sorted(found, key=lambda text: (text.count(upstream), len(text)))
        values = np.stack([np.broadcast_to(found[text], g.shape).ravel()[known] for text in texts])
        for divisor, below in _divisors(names, axis, along):
            wanted = target * np.broadcast_to(below, g.shape).ravel()[known]
            if text := _first_fitting(texts, values, wanted, close):
                return _divided(text, divisor)
    return ""


def _first_fitting(texts: Sequence[str], values: np.ndarray, target: np.ndarray, close: float) -> str:
    """The first formula whose row of ``values`` equals ``target`` up to a tolerance; empty if there is none."""
    size = np.max(np.abs(target))
    fits = np.flatnonzero(np.max(np.abs(values - target), axis=1) <= close * size)
    return texts[fits[0]] if size > 0 and fits.size else ""


def _numerators(upstream: str, g: np.ndarray, names: Named, axis: int, along: str) -> Named:
    """The numerators of the formulas."""
    own, sums = _row_sums(upstream, g, names, axis, along)
    terms = {**sums, **{f"{name} * {text}": v * total for name, v in own.items() for text, total in sums.items()}}
    plain = [text for text in sums if f"({upstream}{along})" in text]
    bodies: Named = {upstream: g, **{f"{upstream} - {text}": g - v for text, v in terms.items()}}
    bodies |= {f"{upstream} - {a} - {b}": g - sums[a] - v for a in plain for b, v in terms.items() if b != a}
    found = dict(bodies)
    for name, v in own.items():
        found |= {f"{name} * {text}" if " " not in text else f"{name} * ({text})": v * b for text, b in bodies.items()}
    return found


def _row_sums(upstream: str, g: np.ndarray, names: Named, axis: int, along: str = "") -> tuple[Named, Named]:
    """What is each element's own; sums and means over a row of the upstream gradient, and of it times one of these."""
    own, sums = {name: v for name, v in names.items() if v.shape == g.shape}, {}
    for text, v in ((upstream, g), *[(f"{upstream} * {name}", g * v) for name, v in own.items()]):
        sums[f"sum({text}{along})"] = v.sum(axis=axis, keepdims=True)
        sums[f"mean({text}{along})"] = v.mean(axis=axis, keepdims=True)
    return own, sums


def _shared_parts(names: Named, axis: int) -> Named:
    """The parts of the forward with one value per row."""
    _, x, *_ = names.values()
    once = tuple([1 if k == axis else n for k, n in enumerate(x.shape)])
    return {text: v for text, v in names.items() if v.shape in (once, ()) and v.shape != x.shape}


def _row_statistics(names: Named, axis: int, along: str = "") -> Named:
    """Statistics of the input with one value per row."""
    _, (name, x), *_ = names.items()
    square = (x * x).sum(axis=axis, keepdims=True)
    return {
        f"std({name}{along})": x.std(axis=axis, keepdims=True),
        f"sum({name}{along})": x.sum(axis=axis, keepdims=True),
        f"sqrt(sum({name} * {name}{along}))": np.sqrt(square),
        f"sqrt(mean({name} * {name}{along}))": np.sqrt(square / x.shape[axis]),
    }


def _divisors(names: Named, axis: int, along: str) -> Iterator[tuple[str, np.ndarray]]:
    """What a row has once, and what the forward divided it by, if that is one number: with an epsilon it is no plain
    statistic."""
    yield "", np.ones(())
    yield from _shared_parts(names, axis).items()
    yield from _row_statistics(names, axis, along).items()
    (result, y), (name, x), *_ = names.items()
    for text, v in ((name, x), (f"({name} - mean({name}{along}))", x - x.mean(axis=axis, keepdims=True))):
        ratio = v / y
        if (np.ptp(ratio, axis=axis) <= MEASURED * np.abs(ratio).min(axis=axis)).all():
            yield f"({text} / {result})", ratio.mean(axis=axis, keepdims=True)


def _divided(text: str, divisor: str) -> str:
    is_sum = " - " in text and not text.endswith("))")
    if not divisor:
        return text
    return f"({text}) / {divisor}" if is_sum else f"{text} / {divisor}"


# ---------------------------------------------------------------------- mistakes in products and sums
def wrong_order(checked: CheckedInput) -> Explanation | None:
    """Whether both the gradient and the right one are products of the upstream gradient and another input."""
    e, g = checked.here.elements, checked.case.upstreams
    are_matrices = len(g) == 1 and g[0].ndim >= 2 and checked.value.ndim >= 2
    if not are_matrices or e.analytic.size > _LARGEST_PRODUCT or not checked.is_plain:
        return None
    products = {text: value.ravel() for text, value in _products(checked, g[0])}
    if not products:
        return None
    values, targets = np.stack([*products.values()]), ((e.analytic, WRITTEN), (e.numeric, MEASURED))
    rule = rule_of_both(*[_first_fitting([*products], values, *target) for target in targets])
    return Explanation("rearranged", evidence=rule, cause="product") if rule else None


def _products(checked: CheckedInput, g: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    upstream = (symbols(checked.case)[0], g)
    for factor in [(shown(x.name), x.value) for x in checked.case.inputs if x.value.ndim >= 2]:
        for first, second in ((upstream, factor), (factor, upstream)):
            for p, a in _turned(*first):
                for q, c in _turned(*second):
                    is_product = c.shape[:-2] in ((), a.shape[:-2]) and a.shape[-1] == c.shape[-2]
                    if is_product and (*a.shape[:-1], c.shape[-1]) == checked.shape:
                        yield f"{p} @ {q}", a @ c


def _turned(name: str, a: np.ndarray) -> tuple[tuple[str, np.ndarray], tuple[str, np.ndarray]]:
    return (name, a), (f"{name}.T", np.swapaxes(a, -1, -2))


def forgotten_in_row(checked: CheckedInput) -> Explanation | None:
    """Whether the missing part is a sum over an axis, such as the second term of softmax."""
    e, upstreams, shape = checked.here.elements, checked.case.upstreams, checked.shape
    if len(upstreams) != 1 or upstreams[0].shape != shape or not checked.is_plain:
        return None
    lost = e.numeric - e.analytic
    upstream, _ = symbols(checked.case)
    names = _row_names(checked)
    parts = parts_at(checked) if lost.size >= _LEAST else {}
    names |= {} if {upstream, *names} & parts.keys() else parts
    for axis in reversed(range(len(shape))):
        terms = _terms(upstream, upstreams[0], names, axis)
        stacked = np.stack([*terms.values()])
        for below, divisor in _powers_shared(names, axis):
            values = (stacked / divisor).reshape(len(terms), -1)
            for key, factor in (("row_missing", 1.0), ("row_sign", 2.0)):
                for sign, share in (("+", lost / factor), ("-", -lost / factor)):
                    if term := _first_fitting([*terms], values, share, MEASURED):
                        return because("missing_term", key, formulas={"term": f"{sign} {term}{below}"}, axis=axis)
    return None


def _terms(upstream: str, g: np.ndarray, names: Named, axis: int) -> Named:
    """Sums and means over the row, all of it or all the rest of it, times what is each element's own."""
    own, sums = _row_sums(upstream, g, names, axis)
    for text, v in [(upstream, g), *[(f"{upstream} * {name}", g * v) for name, v in own.items()]]:
        sums[f"(sum({text}) - {text})"] = sums[f"sum({text})"] - v
    factors = {"": np.ones_like(g), **{f"{name} * ": v for name, v in own.items()}}
    return {mine + text: a * b for mine, a in factors.items() for text, b in sums.items()}


def _powers_shared(names: Named, axis: int) -> Iterator[tuple[str, np.ndarray]]:
    """What a row has once, and powers and products of that."""
    yield "", np.ones(())
    for text, v in _row_statistics(names, axis).items():
        yield from [(f" / {text}", v), (f" / {text}**2", v**2), (f" / {text}**3", v**3)]
    shared = list(_shared_parts(names, axis).items())[:_MOST_SHARED]
    yield from [(f" / {part}", v) for part, v in shared]
    for (a, v), (b, w) in combinations_with_replacement(shared, 2):
        yield f" / ({a} * {b})", v * w
