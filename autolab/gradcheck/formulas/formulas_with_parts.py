"""What a backward computes and what it should, as formulas: for elementwise functions, pieces of them, and reductions.

If no formula can be made of the inputs and the result alone, parts of the forward help, in a product or a sum of two.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice

import numpy as np

from ..judging.case import Case, CheckedInput
from ..messages import Kind
from .elementwise_formulas import MEASURED, WRITTEN, Rule, rule_of_both, short_rule
from .forward_parts import ForwardParts, forward_parts
from .product_search import LEAST_SHARE, MOST_NAMES, ProductSearch, Term, clear_points
from .row_formulas import row_rule
from .samples import LEAST, RESULT, UPSTREAM, Named, Samples, free, sampled

_NEAR_ZERO = 0.02
_SIGNS = re.compile(r"[<>] 0|sign|abs")

_TRIED = 4
"""For this many sums, try whether the other formula shares a term."""


def rule_of(checked: CheckedInput, kind: Kind) -> Rule:
    """The simplest formulas that fit an input. Both are known, or neither.

    If a gradient is wrong at some elements only, the formulas may be those of these elements: a ``piece``.
    """
    samples = sampled(checked)
    if samples is None:
        return row_rule(checked)
    if kind != "local_error":
        rule = _rule(checked, samples) or _of_two_signs(checked, samples)
        if rule or checked.wrong.all():
            return rule
    wrong = sampled(checked, wrong_alone=True)
    rule = {} if wrong is None else _rule(checked, wrong)
    return {**rule, "piece": True} if rule else {}


def _rule(checked: CheckedInput, samples: Samples) -> Rule:
    is_counted = samples.is_reduction and samples.measured.any()
    rule = {} if is_counted else short_rule(samples)
    if rule and _holds_near_zero(checked, samples, rule):
        return rule
    parts, x = forward_parts(checked, samples.points, list(samples.names.values())), samples.names[samples.name]
    values = {**parts.values, **samples.statistics}
    density = {f"normal_pdf({samples.name})": np.exp(-x * x / 2) / np.sqrt(2 * np.pi)}  # no forward computes it for erf
    plain, dense = [replace(parts, values=every) for every in (values, {**density, **values})]
    return _with_parts(checked.case, samples, plain) or _with_parts(checked.case, samples, dense)


def _holds_near_zero(checked: CheckedInput, samples: Samples, rule: Rule) -> bool:
    """Whether formulas that depend on the sign really change at 0, and not at a threshold close to it."""
    if not _SIGNS.search("".join(rule.values())):
        return True
    near = _near_zero(checked, samples)
    return near is not None and short_rule(near) == rule


def _of_two_signs(checked: CheckedInput, samples: Samples) -> Rule:
    """The formulas for positive and for negative elements, as for a leaky ReLU; they must also hold near 0."""
    near = _near_zero(checked, samples)
    if near is None:
        return {}
    name, rules = samples.name, []
    for sign in (1, -1):
        parts = [seen.where(sign * seen.names[name] > 0) for seen in (samples, near)]
        found = [short_rule(part) if part.written.size >= LEAST else {} for part in parts]
        if found[0] != found[1] or not found[0]:
            return {}
        rules.append(found[0])
    above, below = rules
    return {key: f"{above[key]} for {name} > 0 and {below[key]} for {name} < 0" for key in above}


def _near_zero(checked: CheckedInput, samples: Samples) -> Samples | None:
    """The samples of an elementwise function near 0."""
    return None if samples.is_reduction else sampled(checked, scale=_NEAR_ZERO)


def _with_parts(case: Case, samples: Samples, parts: ForwardParts) -> Rule:
    names = _named(case, samples, parts)
    is_small = np.max(np.abs(samples.measured - samples.written)) < LEAST_SHARE * np.max(np.abs(samples.measured))
    are_told = len(samples.names) == len(names) <= MOST_NAMES and not set(names) & parts.taken
    chosen = clear_points(samples)
    if is_small or not are_told or chosen.size < LEAST:
        return {}
    upstream = free(UPSTREAM, {*names, *parts.taken})
    search = ProductSearch(samples, names, parts, upstream, chosen)
    if not search.values:
        return {}
    written, right = _found(search, samples.written, samples.measured)
    return rule_of_both(_text(written, right) if samples.written.any() else "0", _text(right, written))


def _found(search: ProductSearch, written: np.ndarray, right: np.ndarray) -> list[list[Term]]:
    """The terms of both formulas; if one is a sum, preferably with a term of the other."""
    targets = (written, WRITTEN), (right, MEASURED)
    found, sums = [search.product(*target) for target in targets], [search.sums(*target) for target in targets]
    for k in (0, 1):
        if found[1 - k] and not found[k]:
            found[k] = search.beside(found[1 - k], *targets[k]) or next(sums[k], [])
    if any(found):
        return found
    tried: list[list[list[Term]]] = [[], []]
    for k in (1, 0):
        tried[k] = list(islice(sums[k], _TRIED))
        for one in tried[k]:
            if other := search.beside(one, *targets[1 - k]):
                return [other, one] if k else [one, other]
    return [next(iter(terms), []) for terms in tried]


def _named(case: Case, samples: Samples, parts: ForwardParts) -> Named:
    """The named inputs and the result; the result, and inputs without their own name, are called as in the forward."""
    *inputs, _ = samples.names
    result = free(RESULT, {*inputs, *parts.taken})
    unnamed = {k for k, name in enumerate(case.subject.names) if not name.isidentifier()} | {len(inputs)}
    usual = zip(parts.known, [*inputs, result], strict=True)
    letters = [own if own and k in unnamed else name for k, (own, name) in enumerate(usual)]
    return dict(zip(letters, samples.names.values(), strict=True))


def _text(terms: list[Term], others: list[Term]) -> str:
    """The sum of the terms: first what ``others`` have too, one with a minus last."""
    shared = {text for text, _ in others}
    texts = sorted([text for text, _ in terms], key=lambda text: (text.startswith("-"), text not in shared, len(text)))
    return " + ".join(texts).replace(" + -", " - ")
