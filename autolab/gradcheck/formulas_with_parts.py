"""The formulas of an elementwise backward where the inputs and the result alone have none: with the parts of the
forward too, as a product or as a sum of two."""

from __future__ import annotations

from itertools import islice

import numpy as np

from .case import Case
from .elementwise_formulas import MEASURED, WRITTEN, Rule, Samples, sampled, short_rule
from .forward_parts import ForwardParts, forward_parts
from .product_search import LEAST_SHARE, ProductSearch, Term

_TRIED = 4
"""Of so many sums it is tried whether the other one has a term in common."""


def elementwise_rule(case: Case, i: int) -> Rule:
    """The formulas for input ``i``: the simplest that fit. Both are known, or neither."""
    samples = sampled(case, i)
    if samples is None:
        return Rule("", "")
    rule = short_rule(case, samples)
    if rule.written and rule.right:
        return rule
    try:
        parts = forward_parts(case, i, samples.points, list(samples.names.values()))
    except Exception:  # what runs alone does not always run when it is followed
        parts = None
    if parts is None:
        parts = ForwardParts({}, {}, [""] * len(samples.names), frozenset())
    with np.errstate(all="ignore"):
        return _with_parts(case, samples, parts)


def _with_parts(case: Case, samples: Samples, parts: ForwardParts) -> Rule:
    names = _named(case, samples, parts)
    lost = samples.measured - samples.written
    is_small = np.max(np.abs(lost)) < LEAST_SHARE * np.max(np.abs(samples.measured))
    if is_small or len(names) < len(samples.names) or set(names) & parts.taken:
        return Rule("", "")
    upstream = next(name for name in ("g", "upstream", "upstream_") if name not in {*names, *parts.taken})
    targets = samples.written, samples.measured, lost
    search = ProductSearch.where_clear(targets, names, parts.values, parts.constants, upstream)
    if search is None:
        return Rule("", "")
    written, right = _found(search, samples.written, samples.measured)
    rule = Rule(_text(written, right), _text(right, written))
    return rule if rule.written and rule.right and rule.written != rule.right else Rule("", "")


def _found(search: ProductSearch, written: np.ndarray, right: np.ndarray) -> tuple[list[Term], list[Term]]:
    """The terms of both; if one is a sum, preferably with a term of the other."""
    first, second = search.product(written, WRITTEN), search.product(right, MEASURED)
    if second and not first:
        first = search.beside(second, written, WRITTEN) or next(search.sums(written, WRITTEN), [])
    elif first and not second:
        second = search.beside(first, right, MEASURED) or next(search.sums(right, MEASURED), [])
    if first or second:
        return first, second
    seconds = list(islice(search.sums(right, MEASURED), _TRIED))
    for second in seconds:
        if first := search.beside(second, written, WRITTEN):
            return first, second
    firsts = list(islice(search.sums(written, WRITTEN), _TRIED))
    for first in firsts:
        if second := search.beside(first, right, MEASURED):
            return first, second
    return next(iter(firsts), []), next(iter(seconds), [])


def _named(case: Case, samples: Samples, parts: ForwardParts) -> dict[str, np.ndarray]:
    """The inputs and the result: inputs without a name of their own, and the result, as the forward calls them."""
    *inputs, _ = samples.names
    result = next(name for name in ("y", "out", "out_") if name not in {*inputs, *parts.taken})
    unnamed = {k for k, name in enumerate(case.names) if not name.isidentifier()} | {len(inputs)}
    usual = zip(parts.known, [*inputs, result], strict=True)
    letters = [own if own and k in unnamed else name for k, (own, name) in enumerate(usual)]
    return dict(zip(letters, samples.names.values(), strict=True))


def _text(terms: list[Term], others: list[Term]) -> str:
    """The sum of the terms: first what ``others`` have too, one with a minus last."""
    shared = {text for text, _ in others}
    texts = sorted([text for text, _ in terms], key=lambda text: (text.startswith("-"), text not in shared, len(text)))
    return " + ".join(texts).replace(" + -", " - ")
