"""Expressions of numbers: sums, products, powers and calls, and the rules that make them simpler.

Every rule holds everywhere: for NaN, for infinities and for both zeros it gives what the steps give, up to rounding.
Three exceptions are asked for by name, since they need more. Where every value is finite (``finite=True``), a product
with a sum is multiplied out and opposite terms are joined, of such expressions only as are finite for all finite
inputs: ``inf - inf`` is NaN, and ``x / x`` at 0 as well. And where the sign of a zero shows (``strict=True``: below a
fraction line, in a function that is not known here), ``a + 0`` stays, since ``-0.0 + 0`` is ``0.0``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

_SHORT = 1000  # 0.1 is one tenth, and not the binary fraction beside it

MOST_TERMS = 24
"""A product is multiplied out if no more terms come of it."""

SMOOTH = frozenset(
    (
        "sin",
        "cos",
        "exp",
        "tanh",
        "sinh",
        "cosh",
        "arctan",
        "sigmoid",
        "sigmoid_slope",
        "softplus",
        "erf",
        "sum",
        "mean",
    )
)
"""Functions that are finite wherever their argument is, and all their derivatives; overflow is rounding."""

TOTAL = SMOOTH | {"relu", "abs", "maximum", "minimum", "_both_zero"}
"""Functions that are finite wherever their argument is."""

SAME_FOR_BOTH_ZEROS = TOTAL | {"log", "log1p", "expm1", "sqrt", "tan", "arcsin", "arccos", "sum", "mean"}


@dataclass(frozen=True)
class Expression:
    """What all kinds have in common."""

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The expressions that it is made of."""
        return ()

    @cached_property
    def size(self) -> int:
        """How many signs it takes to write it."""
        return 1 + sum([part.size for part in self.parts])


@dataclass(frozen=True)
class Number(Expression):
    """A finite number, exactly."""

    value: Fraction


@dataclass(frozen=True)
class Name(Expression):
    """A value with a name: an input, a constant, or one that the user named, which then has a ``definition``."""

    text: str
    step: int
    definition: Expression | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Call(Expression):
    """A function that is not one of the four operations and powers."""

    function: str
    arguments: tuple[Expression, ...]
    attributes: tuple[tuple[str, str], ...] = ()

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.arguments


@dataclass(frozen=True)
class Power(Expression):
    """``base ** exponent``"""

    base: Expression
    exponent: Expression

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.base, self.exponent


@dataclass(frozen=True)
class Product(Expression):
    """A coefficient times factors, of which none is a number or a product and no two are powers of the same."""

    coefficient: Fraction
    factors: tuple[Expression, ...]

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.factors


@dataclass(frozen=True)
class Sum(Expression):
    """Terms that are added, of which none is a sum unless the sign of a zero shows."""

    terms: tuple[Expression, ...]

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.terms


ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))
_MINUS_ONE = Number(Fraction(-1))


def number(value: float) -> Number | None:
    """A number as an expression; None for NaN, infinities and -0.0, which no rule may touch."""
    if not math.isfinite(value) or (value == 0 and math.copysign(1, value) < 0):
        return None
    short = Fraction(value).limit_denominator(_SHORT)
    return Number(short if float(short) == value else Fraction(value))


def split(expression: Expression) -> tuple[Fraction, tuple[Expression, ...]]:
    """Coefficient and factors.

    Examples
    --------
    >>> x = Name("x", 0)
    >>> split(x) == (1, (x,)), split(Number(Fraction(3))) == (3, ())
    (True, True)
    """
    match expression:
        case Number(value):
            return value, ()
        case Product(coefficient, factors):
            return coefficient, factors
    return Fraction(1), (expression,)


def terms_of(expression: Expression) -> tuple[Expression, ...]:
    """The terms of a sum; anything else is one term."""
    return expression.terms if isinstance(expression, Sum) else (expression,)


def is_total(expression: Expression, functions: Set[str] = TOTAL) -> bool:
    """Whether it is finite wherever the inputs are."""
    match expression:
        case Name(definition=definition):
            return definition is None or is_total(definition, functions)
        case Call(function, arguments):
            return function in functions and all(is_total(one, functions) for one in arguments)
        case Power(base, Sum(terms)):  # what the gradient of a power of 0 has: 1 where the base is 0
            return is_total(base) and Call("_both_zero", (base, ZERO)) in terms
        case Power(base, exponent):
            return is_total(base, functions) and _whole(exponent) > 0
    return all(is_total(part, functions) for part in expression.parts)


def is_smooth(expression: Expression) -> bool:
    """Whether it and all its derivatives are finite wherever the inputs are."""
    return is_total(expression, SMOOTH)


def _whole(exponent: Expression) -> int:
    """A whole number as an exponent; 0 for every other."""
    return int(exponent.value) if isinstance(exponent, Number) and exponent.value.denominator == 1 else 0


@dataclass
class Rules:
    """Makes expressions simpler while they are built.

    Parameters
    ----------
    finite : bool
        Whether every value is finite, so that more may be done.
    kept : set
        Sums that stay as they are in a product, because somebody wrote them so.
    smooth : bool
        Whether what is differentiated is finite everywhere with all its derivatives. A factor beside a 0 is then never
        infinite: a power of ``x`` below the line came from ``x ** 0``, whose gradient the engine computes without it
        where ``x`` is 0.

    Examples
    --------
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
        coefficient, powers = Fraction(1), _Powers()
        for factor in factors:
            own, inner = split(factor)
            coefficient *= own
            for one in inner:
                powers.multiply(one)
        found = tuple(powers)
        if coefficient == 0 and found and not (self.finite and (self.smooth or all(map(is_total, found)))):
            return Product(coefficient, found)  # 0 times an infinity is NaN
        if coefficient == 0 or not found:
            return Number(coefficient)
        summed = None if strict else self._to_multiply_out(coefficient, found)
        if summed is not None:
            others = [factor for factor in found if factor is not summed]
            return self.sum([self.product([Number(coefficient), *others, term]) for term in summed.terms])
        return found[0] if coefficient == 1 and len(found) == 1 else Product(coefficient, found)

    def _to_multiply_out(self, coefficient: Fraction, factors: Sequence[Expression]) -> Sum | None:
        """The sum over which to distribute the other factors: a number always may be, others where all are finite."""
        sums = [factor for factor in factors if isinstance(factor, Sum) and factor not in self.kept]
        if not sums or (len(factors) == 1 and coefficient == 1):
            return None
        if len(factors) > 1 and not (self.finite and all(map(is_total, factors))):
            return None
        return sums[0] if math.prod([len(one.terms) for one in sums]) <= MOST_TERMS else None

    def power(self, base: Expression, exponent: Expression) -> Expression:
        """``base ** exponent``; to the power of 0 everything is 1, NaN as well."""
        if exponent == ONE:
            return base
        if exponent == ZERO:
            return ONE
        if isinstance(base, Number) and 0 < _whole(exponent) < 64:
            return Number(base.value ** _whole(exponent))
        inner, outer = _whole(base.exponent) if isinstance(base, Power) else 0, _whole(exponent)
        if isinstance(base, Power) and inner and outer and max(inner, outer) > 0:
            return Power(base.base, Number(Fraction(inner * outer)))
        return Power(base, exponent)

    def quotient(self, a: Expression, b: Expression, strict: bool = False) -> Expression:
        """``a / b``, where ``b`` was built strictly."""
        if isinstance(b, Number) and b.value:
            return self.product([a, Number(1 / b.value)], strict)
        coefficient, factors = split(b)
        if coefficient == 0:
            return self.product([a, Power(b, _MINUS_ONE)], strict)
        return self.product([a, Number(1 / coefficient), *[self.power(f, _MINUS_ONE) for f in factors]], strict)

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
        made = [_product(*one) for same in collected.values() for one in same]
        if constant or not made:
            made.append(Number(constant))
        return made[0] if len(made) == 1 else Sum(tuple(made))

    def _collect(
        self, same: list[tuple[Fraction, tuple[Expression, ...]]], new: Fraction, factors: tuple[Expression, ...]
    ) -> None:
        """Join a term with those of the same factors. ``2 a - a`` is NaN for an infinite ``a``, and ``a`` is not."""
        free = self.finite and all(map(is_total, factors))
        for k, (old, before) in enumerate(same):
            if old * new > 0 or free:
                same[k : k + 1] = [(old + new, before)] if old + new else []
                return
        if new or not free:
            same.append((new, factors))


def _product(coefficient: Fraction, factors: tuple[Expression, ...]) -> Expression:
    return factors[0] if coefficient == 1 and len(factors) == 1 else Product(coefficient, factors)


class _Powers:
    """Factors in the order in which they came, with whole powers of the same one joined, above and below the line."""

    def __init__(self) -> None:
        self._found: dict[tuple[Expression, int], int] = {}

    def multiply(self, factor: Expression) -> None:
        base, exponent = (factor.base, factor.exponent) if isinstance(factor, Power) else (factor, ONE)
        whole = _whole(exponent)
        if whole == 0:
            base, whole = factor, 1  # x ** 0.5 twice is not x: it is NaN below 0
        place = base, 1 if whole > 0 else -1  # and x / x is not 1
        self._found[place] = self._found.get(place, 0) + whole

    def __iter__(self) -> Iterator[Expression]:
        for (base, _), exponent in self._found.items():
            yield base if exponent == 1 else Power(base, Number(Fraction(exponent)))


# ---------------------------------------------------------------------------------------------------- values
def evaluate(expression: Expression, known: Callable[[Expression], Any]) -> Any:
    """The value of an expression, with ``known`` for names and calls. Powers may need ``np.errstate``."""
    match expression:
        case Number(value):
            return np.float64(_rounded(value))
        case Sum(terms):
            values = [evaluate(term, known) for term in terms]
            return sum(values[1:], values[0])
        case Product(coefficient, factors):
            value = evaluate(factors[0], known)
            for factor in factors[1:]:
                value = value * evaluate(factor, known)
            return value if coefficient == 1 else _rounded(coefficient) * value
        case Power(base, exponent):
            return evaluate(base, known) ** evaluate(exponent, known)
    return known(expression)


def _rounded(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)
