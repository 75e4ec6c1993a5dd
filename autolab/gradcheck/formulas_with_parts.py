"""The formulas of an elementwise backward where the inputs and the result alone have none: with the parts of the
forward, as a product or as a sum of two.

In logarithms a product is a sum. Every short product is projected to one number by weights that add up to 0, so that
constant factors vanish; what has the number of the wanted one is then compared at every point. That tries millions of
products in milliseconds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from itertools import combinations, combinations_with_replacement

import numpy as np

from .case import Case
from .elementwise_formulas import (
    FACTORS,
    LEAST,
    MEASURED,
    WRITTEN,
    Formula,
    Rule,
    Samples,
    known_parts,
    length,
    sampled,
    short_rule,
)
from .forward_parts import Parts, forward_parts

_POINTS = 48
"""So many points are projected; the comparison is at all."""

_CLEAR = 1e-2
"""A point is projected if what is wanted is there no less than this fraction of the largest."""

_WINDOW = 1e-5
_MOST_HITS = 400
_MOST_SUMMED = 6
"""Sums and differences are made of so many names."""

_LEAST_SHARE = 1e-3
"""A second term must have this share of the whole, or what differences leave could be taken for it."""


def elementwise_rule(case: Case, i: int) -> Rule:
    """The formulas for input ``i``: the simplest, where some fit. Both are known, or neither."""
    samples = sampled(case, i)
    if samples is None:
        return Rule("", "")
    rule = short_rule(case, samples)
    if rule.written and rule.right:
        return rule
    try:
        parts = forward_parts(case, i, samples.points, list(samples.names.values()))
    except Exception:  # what runs once does not always run when it is followed
        parts = None
    if parts is None or not (parts.values or parts.constants):
        return Rule("", "")
    with np.errstate(all="ignore"):
        return _with_parts(case, samples, parts)


def _with_parts(case: Case, samples: Samples, parts: Parts) -> Rule:
    names = _named(case, samples, parts)
    upstream = next(name for name in ("g", "upstream", "upstream_") if name not in {*names, *parts.taken})
    if len(names) < len(samples.names) or set(names) & parts.taken:
        return Rule("", "")
    lost = samples.measured - samples.written
    if np.max(np.abs(lost)) < _LEAST_SHARE * np.max(np.abs(samples.measured)):
        return Rule("", "")
    search = _search(names, parts, (samples.written, samples.measured, lost))
    if search is None:
        return Rule("", "")
    written = search.formula(samples.written, WRITTEN, upstream)
    right = search.formula(samples.measured, MEASURED, upstream)
    if written and not right:
        right = _sum(written, search.formula(lost, MEASURED, upstream))
    elif right and not written:
        written = _sum(right, search.formula(-lost, MEASURED, upstream))
    return Rule(written, right) if written and right and written != right else Rule("", "")


def _named(case: Case, samples: Samples, parts: Parts) -> dict[str, np.ndarray]:
    """The inputs and the result: inputs without a name of their own, and the result, as the forward calls them."""
    *inputs, _ = samples.names
    result = next(name for name in ("y", "out", "out_") if name not in {*inputs, *parts.taken})
    unnamed = {k for k, name in enumerate(case.names) if not name.isidentifier()} | {len(inputs)}
    letters = [own if own and k in unnamed else name for k, (own, name) in
               enumerate(zip(parts.known, [*inputs, result], strict=True))]  # fmt: skip
    return dict(zip(letters, samples.names.values(), strict=True))


def _sum(first: str, second: str) -> str:
    if not second:
        return ""
    return f"{first} - {second[1:]}" if second.startswith("-") else f"{first} + {second}"


# ---------------------------------------------------------------------- the search
def _search(names: Mapping[str, np.ndarray], parts: Parts, targets: tuple[np.ndarray, ...]) -> _Search | None:
    """A search where the first two of ``targets`` are clear, and if possible all of them."""
    clear = [np.abs(t) >= _CLEAR * np.max(np.abs(t)) for t in targets]
    everywhere, both = np.flatnonzero(np.logical_and.reduce(clear)), np.flatnonzero(clear[0] & clear[1])
    chosen = everywhere if everywhere.size >= LEAST else both
    if chosen.size < LEAST:
        return None
    chosen = chosen[np.linspace(0, chosen.size - 1, min(chosen.size, _POINTS)).astype(int)]
    usual = {text for text, _ in known_parts(dict(names))}
    *inputs, result = names
    letters = {name: names[name] for name in inputs} | parts.values | {result: names[result]}
    atoms = {text: v for text, v in _atoms(letters, parts.constants)
             if np.isfinite(v).all() and (v[chosen] != 0).all() and (v[chosen] != v[chosen[0]]).any()}  # fmt: skip
    weights = np.random.default_rng(0).normal(size=(chosen.size, 2))
    return _Search(letters, usual, parts.constants, atoms, chosen, weights - weights.mean(axis=0))


def _atoms(letters: dict[str, np.ndarray], constants: Mapping[str, float]) -> Iterator[tuple[str, np.ndarray]]:
    yield from known_parts(letters)
    summed = list((letters | constants).items())
    for (p, v), (q, w) in combinations(summed[:_MOST_SUMMED], 2):
        yield f"({p} + {q})", v + w
        yield f"({p} - {q})", v - w


class _Search:
    """All products of two atoms by their projections, in order; with up to two names more they make formulas.

    ``usual`` are the atoms without a part: of formulas of one length theirs come first.
    """

    def __init__(
        self,
        names: Collection[str],
        usual: set[str],
        constants: Mapping[str, float],
        atoms: Mapping[str, np.ndarray],
        chosen: np.ndarray,
        weights: np.ndarray,
    ) -> None:
        self._names, self._usual, self._constants, self._atoms = names, usual, constants, atoms
        self._chosen, self._weights = chosen, weights
        self._texts = list(atoms)
        logs = np.log(np.abs(np.stack([v[chosen] for v in atoms.values()]))) @ weights
        signed = np.concatenate([logs, -logs, np.zeros((1, 2))])  # the last stands for 1
        one = len(signed) - 1
        self._pairs, self._sums = _summed(signed, np.arange(one + 1))
        order = np.argsort(self._sums[:, 0])
        self._pairs, self._sums = self._pairs[order], self._sums[order]
        plain = [k for k, text in enumerate(self._texts) if text in names]
        self._more, self._more_sums = _summed(signed, np.array([*plain, *[k + len(logs) for k in plain], one]))

    def formula(self, target: np.ndarray, close: float, upstream: str) -> str:
        """The shortest formula that fits ``target`` with a simple factor or a constant; empty if there is none."""
        size = np.max(np.abs(target))
        if not np.isfinite(size) or not (target[self._chosen] != 0).all():
            return ""
        for formula in self._candidates(target, 100 * close):
            value = np.ones_like(target)
            for text in formula.above:
                value = value * self._atoms[text]
            for text in formula.below:
                value = value / self._atoms[text]
            factor = float(value @ target / (value @ value))
            if np.max(np.abs(factor * value - target)) <= close * size:
                text = self._with_factor(formula, factor, 10 * close, upstream)
                if text:
                    return text
        return ""

    def _with_factor(self, formula: Formula, factor: float, close: float, upstream: str) -> str:
        for constants, value in self._multiples():
            rest = factor / value
            simple = Fraction(rest).limit_denominator(4)
            if abs(simple) in FACTORS and abs(float(simple) - rest) <= close * abs(rest):
                whole = Formula((*constants.above, *formula.above), (*constants.below, *formula.below))
                return whole.text(simple, upstream)
        return ""

    def _multiples(self) -> Iterator[tuple[Formula, float]]:
        """Products of up to two constants of the forward."""
        yield Formula((), ()), 1.0
        known = {name: c for name, c in self._constants.items() if c and abs(Fraction(c)) not in FACTORS}
        for name, c in known.items():
            yield Formula((name,), ()), c
            yield Formula((), (name,)), 1 / c
        for (a, c), (b, d) in combinations_with_replacement(known.items(), 2):
            yield Formula((a, b), ()), c * d
            yield Formula((), (a, b)), 1 / (c * d)

    def _candidates(self, target: np.ndarray, window: float) -> list[Formula]:
        """Formulas with the projection of ``target``, the shortest first."""
        wanted = np.log(np.abs(target[self._chosen])) @ self._weights
        rest = wanted - self._more_sums
        first = np.searchsorted(self._sums[:, 0], rest[:, 0] - window)
        past = np.searchsorted(self._sums[:, 0], rest[:, 0] + window)
        found: set[Formula] = set()
        for more in np.flatnonzero(past > first):
            near = np.arange(first[more], past[more])
            for pair in near[np.abs(self._sums[near, 1] - rest[more, 1]) <= window]:
                formula = self._formula([*self._pairs[pair], *self._more[more]])
                if formula is not None:
                    found.add(formula)
        return sorted(found, key=self._rank)[:_MOST_HITS]

    def _formula(self, signed: list[int]) -> Formula | None:
        """The product of signed atoms, each above or below; None if one is both."""
        count = len(self._texts)
        above = sorted([k for k in signed if k < count])
        below = sorted([k - count for k in signed if count <= k < 2 * count])
        if set(above) & set(below):
            return None
        return Formula(tuple([self._texts[k] for k in above]), tuple([self._texts[k] for k in below]))

    def _rank(self, formula: Formula) -> tuple[int, bool]:
        return length(formula, self._names), not self._usual.issuperset((*formula.above, *formula.below))


def _summed(signed: np.ndarray, of: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of the numbers ``of`` what is signed, and their sums."""
    first, second = np.triu_indices(of.size)
    return np.stack([of[first], of[second]], axis=1), signed[of[first]] + signed[of[second]]
