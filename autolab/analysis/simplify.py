"""The rules that simplify expressions while they are built.

Every rule holds everywhere: for NaN, infinities and both zeros, the result is that of the steps, up to rounding.
``x / x`` is not 1, ``0 * x`` not 0 and ``2 * x - x`` not ``x``, since ``x`` may be 0 or infinite. If every value is
finite (``finite=True``), ``0 * x`` is dropped, opposite terms are combined and products with sums are multiplied out,
but only for expressions that are finite for all finite inputs. Where the sign of a zero matters (``strict=True``: in a
denominator, or in a function that is not known here), ``a + 0`` stays, since ``-0.0 + 0`` is ``0.0``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from .expressions import MINUS_ONE, ONE, ZERO, Expression, Number, Power, Product, Sum, is_total, split, terms_of, whole

MOST_TERMS = 24
"""A product is multiplied out only if it has no more terms than this afterwards."""


@dataclass
class Rules:
    """Simplifies expressions while they are built.

    Parameters
    ----------
    finite : bool
        Whether every value is finite, which allows more rules.
    kept : set
        Sums that are not multiplied out in a product, because the user wrote them this way.
    smooth : bool
        Whether the differentiated expression and all its derivatives are finite everywhere. A factor next to a 0 is
        then never infinite: a power of ``x`` in a denominator came from ``x ** 0``, whose gradient the engine computes
        without it where ``x`` is 0.

    Examples
    --------
    >>> from autolab.analysis.expressions import Name
    >>> rules, x = Rules(), Name("x", 0)
    >>> rules.product([ONE, x]) == rules.power(x, ONE) == rules.sum([x, ZERO]) == x
    True
    >>> rules.product([ZERO, x]) == ZERO, Rules(finite=True).product([ZERO, x]) == ZERO
    (False, True)
    """

    finite: bool = False
    kept: set[Expression] = field(default_factory=set)
    smooth: bool = False

    # ------------------------------------------------------------------ products
    def product(self, factors: Iterable[Expression], strict: bool = False) -> Expression:
        """The product of expressions."""
        coefficient, inner = split_all(factors)
        found = _combined(inner)
        if coefficient == 0 and found and not (self.finite and (self.smooth or all(map(is_total, found)))):
            return Product(coefficient, found)  # 0 times an infinity is NaN
        if coefficient == 0 or not found:
            return Number(coefficient)
        summed = None if strict else self._to_multiply_out(coefficient, found)
        if summed is not None:
            others = [factor for factor in found if factor is not summed]
            return self.sum([self.product([Number(coefficient), *others, term]) for term in summed.terms])
        return scaled(coefficient, found)

    def _to_multiply_out(self, coefficient: Fraction, factors: Sequence[Expression]) -> Sum | None:
        """The sum over which to distribute the other factors: always for a number, else only if all are finite."""
        sums = [factor for factor in factors if isinstance(factor, Sum) and factor not in self.kept]
        if not sums or (len(factors) == 1 and coefficient == 1):
            return None
        if len(factors) > 1 and not (self.finite and all(map(is_total, factors))):
            return None
        return sums[0] if math.prod([len(one.terms) for one in sums]) <= MOST_TERMS else None

    def power(self, base: Expression, exponent: Expression) -> Expression:
        """``base ** exponent``; anything to the power of 0 is 1, even NaN."""
        if exponent == ONE:
            return base
        if exponent == ZERO:
            return ONE
        if isinstance(base, Number) and 0 < whole(exponent) < 64:
            return Number(base.value ** whole(exponent))
        inner, outer = whole(base.exponent) if isinstance(base, Power) else 0, whole(exponent)
        if isinstance(base, Power) and inner and outer and max(inner, outer) > 0:
            return Power(base.base, Number(Fraction(inner * outer)))
        return Power(base, exponent)

    def quotient(self, a: Expression, b: Expression, strict: bool = False) -> Expression:
        """``a / b``, where ``b`` was built strictly."""
        if isinstance(b, Number) and b.value:
            return self.product([a, Number(1 / b.value)], strict)
        coefficient, factors = split(b)
        if coefficient == 0:
            return self.product([a, Power(b, MINUS_ONE)], strict)
        return self.product([a, Number(1 / coefficient), *[self.power(f, MINUS_ONE) for f in factors]], strict)

    # ------------------------------------------------------------------ sums
    def sum(self, terms: Iterable[Expression], strict: bool = False) -> Expression:
        """The sum of expressions."""
        if strict:
            found = tuple(terms)
            return found[0] if len(found) == 1 else Sum(found)
        constant = Fraction(0)
        collected: dict[frozenset[Expression], list[tuple[Fraction, tuple[Expression, ...]]]] = {}
        for term in [inner for outer in terms for inner in terms_of(outer)]:
            coefficient, factors = split(term)
            if factors:
                self._collect(collected.setdefault(frozenset(factors), []), coefficient, factors)
            else:
                constant += coefficient
        made = [scaled(*one) for same in collected.values() for one in same]
        if constant or not made:
            made.append(Number(constant))
        return made[0] if len(made) == 1 else Sum(tuple(made))

    def _collect(
        self, same: list[tuple[Fraction, tuple[Expression, ...]]], new: Fraction, factors: tuple[Expression, ...]
    ) -> None:
        """Combine a term with those of the same factors. ``2 a - a`` is NaN for an infinite ``a``, but ``a`` is not."""
        free = self.finite and all(map(is_total, factors))
        for k, (old, before) in enumerate(same):
            if old * new > 0 or free:
                same[k : k + 1] = [(old + new, before)] if old + new else []
                return
        if new or not free:
            same.append((new, factors))


def split_all(factors: Iterable[Expression]) -> tuple[Fraction, tuple[Expression, ...]]:
    """The coefficient and the factors of a product of expressions."""
    parts = [split(factor) for factor in factors]
    return math.prod([own for own, _ in parts], start=Fraction(1)), tuple([one for _, inner in parts for one in inner])


def scaled(coefficient: Fraction, factors: tuple[Expression, ...]) -> Expression:
    """The product of a coefficient and factors, at least one; a factor alone is itself."""
    return factors[0] if coefficient == 1 and len(factors) == 1 else Product(coefficient, factors)


def _combined(factors: Iterable[Expression]) -> tuple[Expression, ...]:
    """The factors in their original order, with integer powers of the same base combined, separately in numerator and
    denominator: x / x is not 1."""
    found: dict[tuple[Expression, bool], int] = {}
    for factor in factors:
        base, exponent = (factor.base, factor.exponent) if isinstance(factor, Power) else (factor, ONE)
        times = whole(exponent)
        if times == 0:
            base, times = factor, 1  # x ** 0.5 twice is not x: it is NaN below 0
        found[base, times > 0] = found.get((base, times > 0), 0) + times
    return tuple([base if times == 1 else Power(base, Number(Fraction(times))) for (base, _), times in found.items()])
