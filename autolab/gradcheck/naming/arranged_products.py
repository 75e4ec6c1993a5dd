"""Gradients as formulas of whole arrays: products in the wrong order, or without the sum over a row."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement

import numpy as np

from ..formulas.elementwise_formulas import rule_of_both
from ..formulas.forward_parts import parts_at
from ..formulas.row_formulas import MEASURED, WRITTEN, first_fitting, row_names, row_statistics, row_sums, shared_parts
from ..formulas.samples import Named, symbols
from ..judging.case import CheckedInput
from ..judging.finding import Explanation, because
from ..messages import shown
from .rearranged import is_plain

_LARGEST = 2**14
_LEAST = 6
"""Of fewer elements parts of the forward are not tried: one of many is soon like them."""

_MOST = 6


def wrong_order(checked: CheckedInput) -> Explanation | None:
    """Whether both the gradient and the right one are products of the upstream gradient and another input."""
    e, g = checked.here.elements, checked.case.upstreams
    are_matrices = len(g) == 1 and g[0].ndim >= 2 and checked.value.ndim >= 2
    if not are_matrices or e.analytic.size > _LARGEST or not is_plain(checked):
        return None
    products = {text: value.ravel() for text, value in _products(checked, g[0])}
    if not products:
        return None
    values, targets = np.stack([*products.values()]), ((e.analytic, WRITTEN), (e.numeric, MEASURED))
    rule = rule_of_both(*[first_fitting([*products], values, *target) for target in targets])
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
    if len(upstreams) != 1 or upstreams[0].shape != shape or not is_plain(checked):
        return None
    lost = e.numeric - e.analytic
    upstream, _ = symbols(checked.case)
    names = row_names(checked)
    parts = parts_at(checked) if lost.size >= _LEAST else {}
    names |= {} if {upstream, *names} & parts.keys() else parts
    for axis in reversed(range(len(shape))):
        terms = _terms(upstream, upstreams[0], names, axis)
        stacked = np.stack([*terms.values()])
        for below, divisor in _divisors(names, axis):
            values = (stacked / divisor).reshape(len(terms), -1)
            for key, factor in (("row_missing", 1.0), ("row_sign", 2.0)):
                for sign, share in (("+", lost / factor), ("-", -lost / factor)):
                    if term := first_fitting([*terms], values, share, MEASURED):
                        return because("missing_term", key, formulas={"term": f"{sign} {term}{below}"}, axis=axis)
    return None


def _terms(upstream: str, g: np.ndarray, names: Named, axis: int) -> Named:
    """Sums and means over the row, all of it or all the rest of it, times what is each element's own."""
    own, sums = row_sums(upstream, g, names, axis)
    for text, v in [(upstream, g), *[(f"{upstream} * {name}", g * v) for name, v in own.items()]]:
        sums[f"(sum({text}) - {text})"] = sums[f"sum({text})"] - v
    factors = {"": np.ones_like(g), **{f"{name} * ": v for name, v in own.items()}}
    return {mine + text: a * b for mine, a in factors.items() for text, b in sums.items()}


def _divisors(names: Named, axis: int) -> Iterator[tuple[str, np.ndarray]]:
    """What a row has once, and powers and products of that."""
    yield "", np.ones(())
    for text, v in row_statistics(names, axis).items():
        yield from [(f" / {text}", v), (f" / {text}**2", v**2), (f" / {text}**3", v**3)]
    shared = list(shared_parts(names, axis).items())[:_MOST]
    yield from [(f" / {part}", v) for part, v in shared]
    for (a, v), (b, w) in combinations_with_replacement(shared, 2):
        yield f" / ({a} * {b})", v * w
