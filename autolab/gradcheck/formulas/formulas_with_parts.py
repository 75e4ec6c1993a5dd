"""What a backward computes and what it should, as formulas: for elementwise functions, pieces of them, and reductions.

If no formula can be made of the inputs and the result alone, parts of the forward help, in a product or a sum of two.

Which short product of known values, or sum of two such products, equals a given one.

In logarithms a product is a sum. Every product of two is projected to a number by weights that add up to 0, so that
constant factors vanish; with that of two more values it must give the number of what is wanted. So millions of products
are tried in milliseconds, and the few that are left are compared at every point.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, combinations_with_replacement, islice
from math import prod

import numpy as np

from ..judging.case import Case, CheckedInput
from ..messages import Kind
from .elementwise_formulas import (
    FACTORS,
    MEASURED,
    WRITTEN,
    Formula,
    Rule,
    known_parts,
    length,
    rule_of_both,
    short_rule,
)
from .forward_parts import ForwardParts, forward_parts
from .row_formulas import row_rule
from .samples import LEAST, RESULT, UPSTREAM, Named, Samples, free, sampled

Term = tuple[str, np.ndarray]
"""The text of a product and its values."""

_POINTS = 48
"""How many points are projected; formulas are compared at all of them."""

_CLEAR = 1e-2
"""A point is projected if the wanted value there is at least this fraction of the largest."""

LEAST_SHARE = 1e-3
"""Whatever is smaller than this share of another value could be left over from its rounding or its difference."""

MOST_NAMES = 12
_MOST_HITS = 400
_MOST_SUMS = 60
_MOST_LETTERS = 6
"""How many values enter sums, differences, and products of three within a sum."""

_MOST_SHORT = 24
"""How many values enter products of two within a sum."""

_HEAVIEST = 5
"""The longest product that a reader takes in at a glance: a letter counts 1, any other factor 2."""

_ODD = 12
"""Penalty for sums of two letters, whose origin is unclear."""

_APART = 1e-8
_NEAR = 1e-9
"""Products nearer to parallel make no sum; a sum that leaves less than this share is compared. Both are squared."""

_USUAL = (Fraction(1), Fraction(2))
_PLAIN = (*map(Fraction, range(1, 7)), Fraction(1, 2))

_NOTHING = 7
"""The length of a term that is the upstream gradient alone: that of a letter."""


def clear_points(samples: Samples) -> np.ndarray:
    """Samples at which both gradients and, if possible, their difference are clear; a selection if there are many."""
    targets = samples.written, samples.measured, samples.measured - samples.written
    clear = [np.abs(t) >= _CLEAR * np.max(np.abs(t)) for t in targets]
    everywhere, two = np.flatnonzero(np.logical_and.reduce(clear)), np.flatnonzero(clear[0] & clear[1])
    chosen = everywhere if everywhere.size >= LEAST else two
    return chosen[np.linspace(0, chosen.size - 1, min(chosen.size, _POINTS)).astype(int)]


class ProductSearch:
    """A search among the products of values.

    Parameters
    ----------
    samples : Samples
        A product may be divided by how many elements a reduction has, rather than by the bare number.
    names : dict
        The values of the inputs and of the result, which is the last.
    parts : ForwardParts
        Other values. By its single numbers a product may be multiplied and divided.
    upstream : str
        What formulas call the upstream gradient.
    chosen : array of int
        The points that are projected.

    Attributes
    ----------
    values : dict
        The factors, of which no two are multiples of one another, and none is 0 at a chosen point.
    """

    def __init__(self, samples: Samples, names: Named, parts: ForwardParts, upstream: str, chosen: np.ndarray) -> None:
        self._constants, self._counts, self._upstream, self._chosen = parts.constants, samples.counts, upstream, chosen
        self._usual = {text for text, _ in known_parts(dict(names))}  # of equally long formulas, theirs come first
        weights = np.random.default_rng(0).normal(size=(chosen.size, 2))
        self._weights = weights - weights.mean(axis=0)
        *inputs, result = names
        others = dict(list(parts.values.items())[: MOST_NAMES - len(names)])
        self._letters = {**{name: names[name] for name in inputs}, **others, result: names[result]}
        found: dict[tuple[float, ...], Term] = {(0.0, 0.0): ("1", chosen)}
        for text, v in _factors(self._letters, parts.constants):
            if np.isfinite(v).all() and (v[chosen] != 0).all():  # multiples of one another count once, x and abs(x) too
                found.setdefault(tuple(np.round(self._projected(v), 9) + 0.0), (text, v))
        _, *values = found.values()
        self.values, self._texts = dict(values), [text for text, _ in values]
        logs = np.array([self._projected(v) for v in self.values.values()]).reshape(-1, 2)
        signed = np.concatenate([logs, -logs, np.zeros((1, 2))])  # value k above, below as k + count; the last is 1
        pairs, sums = _paired(signed, np.arange(len(signed)))
        order = np.argsort(sums[:, 0])
        self._pairs, self._sums = pairs[order], sums[order]
        plain = [k for k, text in enumerate(self._texts) if text in self._letters]
        self._more = _paired(signed, np.array([*plain, *[k + len(logs) for k in plain], 2 * len(logs)]))

    def _projected(self, value: np.ndarray) -> np.ndarray:
        return np.log(np.abs(value[self._chosen])) @ self._weights

    # ------------------------------------------------------------------ what is found
    def product(self, target: np.ndarray, close: float) -> list[Term]:
        """The shortest product that fits ``target``, with a simple factor or a constant; empty if there is none."""
        size = np.max(np.abs(target))
        if not np.isfinite(size) or not (target[self._chosen] != 0).all():
            return []
        for formula in self._candidates(target, 100 * close):
            value = formula.value(self.values)
            factor = float(value @ target / (value @ value))
            if np.max(np.abs(factor * value - target)) <= close * size:
                text, exact = self._with_factor(formula, factor, 10 * close)
                if text:
                    return [(text, exact * value)]
        return []

    def beside(self, terms: list[Term], target: np.ndarray, close: float) -> list[Term]:
        """One of ``terms`` and a product whose sum fits ``target``; empty if there is none."""
        for term in terms:
            if not _cancels(target, term[1]) and (other := self.product(target - term[1], close)):
                return [term, *other]
        return []

    def sums(self, target: np.ndarray, close: float) -> Iterator[list[Term]]:
        """Sums of two short products that fit ``target``, the shortest first."""
        size = np.max(np.abs(target))
        if not 0 < size < np.inf:
            return
        for formulas in self._near_sums(target):
            values = np.stack([f.value(self.values) for f in formulas], axis=1)
            scales = np.max(np.abs(values), axis=0)
            if not (np.isfinite(scales) & (scales > 0)).all():
                continue  # a product of very large or small numbers
            factors = np.linalg.lstsq(values / scales, target / size, rcond=None)[0] * (size / scales)
            if np.max(np.abs(values @ factors - target)) <= close * size:
                named = [self._with_factor(f, float(k), 10 * close) for f, k in zip(formulas, factors, strict=True)]
                if all([text for text, _ in named]) and not _cancels(target, factors[0] * values[:, 0]):
                    yield [(text, exact * v) for (text, exact), v in zip(named, values.T, strict=True)]

    # ------------------------------------------------------------------ how it is found
    def _candidates(self, target: np.ndarray, window: float) -> list[Formula]:
        """Formulas with the projection of ``target``, the shortest first."""
        more, sums = self._more
        rest = self._projected(target) - sums
        first = np.searchsorted(self._sums[:, 0], rest[:, 0] - window)
        past = np.searchsorted(self._sums[:, 0], rest[:, 0] + window)
        found: set[Formula] = set()
        for k in np.flatnonzero(past > first):
            near = np.arange(first[k], past[k])
            for pair in near[np.abs(self._sums[near, 1] - rest[k, 1]) <= window]:
                formula = self._formula([*self._pairs[pair], *more[k]])
                if formula is not None and self._weight(formula) <= _HEAVIEST:
                    found.add(formula)
        return sorted(found, key=self._rank)[:_MOST_HITS]

    def _near_sums(self, target: np.ndarray) -> list[tuple[Formula, Formula]]:
        """Pairs of short products of which a sum comes close to ``target``, the shortest first."""
        formulas, units, angles = self._short
        shares = units @ (target[self._chosen] / np.linalg.norm(target[self._chosen]))
        rest = 1 - angles * angles
        left = rest - (shares[:, None] ** 2 + shares**2 - 2 * angles * shares[:, None] * shares)
        near = np.argwhere(np.triu((rest > _APART) & (left <= _NEAR * rest)))
        ranks = {k: self._rank(formulas[k])[:2] for k in np.unique(near).tolist()}
        pairs = sorted(near.tolist(), key=lambda ab: (*np.add(ranks[ab[0]], ranks[ab[1]]), *ab))
        return [(formulas[a], formulas[b]) for a, b in pairs[:_MOST_SUMS]]

    @cached_property
    def _short(self) -> tuple[list[Formula], np.ndarray, np.ndarray]:
        """Products of two short values and of three letters, their directions at the chosen points, and the cosines."""
        count = len(self._texts)
        kinds = [0 if text in self._letters else 1 if text.startswith("(1 ") else 2 for text in self._texts]
        short = sorted(range(count), key=lambda k: (kinds[k], len(self._texts[k])))[:_MOST_SHORT]
        letters = [k for k in short if kinds[k] == 0][:_MOST_LETTERS]
        letters += [k + count for k in letters]
        pairs = combinations_with_replacement([*letters, *[k for k in short if kinds[k]], 2 * count], 2)
        signed = [[*pair, 2 * count] for pair in pairs] + [*map(list, combinations_with_replacement(letters, 3))]
        products = {f: of for of in signed if (f := self._formula(of)) is not None}
        values = np.stack([v[self._chosen] for v in self.values.values()])
        units = np.prod(np.concatenate([values, 1 / values, np.ones_like(values[:1])])[[*products.values()]], axis=1)
        units /= np.linalg.norm(units, axis=1, keepdims=True)
        return list(products), units, units @ units.T

    def _formula(self, signed: list[int]) -> Formula | None:
        """The product of values, each above or below; None if one is both."""
        count = len(self._texts)
        above = sorted([k for k in signed if k < count])
        below = sorted([k - count for k in signed if count <= k < 2 * count])
        if set(above) & set(below):
            return None
        return Formula(tuple([self._texts[k] for k in above]), tuple([self._texts[k] for k in below]))

    def _weight(self, formula: Formula) -> int:
        return sum([1 if text in self._letters else 2 for text in (*formula.above, *formula.below)])

    def _rank(self, formula: Formula) -> tuple[int, int, str]:
        """The sort key: short formulas first, then those with few parts of the forward."""
        texts = [*formula.above, *formula.below]
        odd = sum([text.startswith("(") and not text.startswith("(1 ") for text in texts])
        size = (length(formula, self._letters) or _NOTHING) + _ODD * odd
        return size, sum([text not in self._usual for text in texts]), str(texts)

    def _with_factor(self, formula: Formula, factor: float, close: float) -> tuple[str, float]:
        """The text with a simple factor, if need be besides constants, and the exact one; empty if there is none."""
        for constants, value, factors in self._multiples():
            rest = factor / value
            simple = Fraction(rest).limit_denominator(4)
            if abs(simple) in factors and abs(float(simple) - rest) <= close * abs(rest):
                whole = Formula((*constants.above, *formula.above), (*constants.below, *formula.below))
                return whole.text(simple, self._upstream), float(simple) * value
        return "", factor

    def _multiples(self) -> Iterator[tuple[Formula, float, Sequence[Fraction]]]:
        """Products of up to two constants that are no simple numbers, each with the factors that may stand before it.

        A number of elements may be 3 or 4 by chance, and so comes before all factors but the most usual.
        """
        for factors in (_USUAL, _PLAIN, FACTORS) if self._counts else (FACTORS,):
            yield Formula((), ()), 1.0, factors
            for name, c in self._counts.items():
                yield Formula((), (name,)), 1 / c, factors if factors is _USUAL else FACTORS
        known = {name: c for name, c in self._constants.items() if c and abs(Fraction(c)) not in FACTORS}
        for names in [names for count in (1, 2) for names in combinations_with_replacement(known, count)]:
            value = prod([known[name] for name in names])
            yield Formula(names, ()), value, FACTORS
            yield Formula((), names), 1 / value, FACTORS


def _cancels(total: np.ndarray, term: np.ndarray) -> bool:
    """Whether a term is so much larger than the sum that rounding could be taken for the rest."""
    return bool(np.max(np.abs(total)) < LEAST_SHARE * np.max(np.abs(term)))


def _factors(letters: Named, constants: Mapping[str, float]) -> Iterator[Term]:
    yield from known_parts(letters)
    size = len(next(iter(letters.values())))
    summed = [*letters.items(), *[(name, np.full(size, c)) for name, c in constants.items()]]
    for (p, v), (q, w) in combinations(summed[:_MOST_LETTERS], 2):
        yield f"({p} + {q})", v + w
        yield f"({p} - {q})", v - w


def _paired(signed: np.ndarray, of: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of the numbers ``of`` what is signed, and their sums."""
    first, second = np.triu_indices(of.size)
    return np.stack([of[first], of[second]], axis=1), signed[of[first]] + signed[of[second]]


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
