"""Expressions of numbers as plain data: sums, products, powers and calls."""

from __future__ import annotations

import math
from collections.abc import Callable, Set
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

_SHORT = 1000  # 0.1 is one tenth, and not the binary fraction beside it

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
class FunctionCall(Expression):
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
MINUS_ONE = Number(Fraction(-1))


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
        case FunctionCall(function, arguments):
            return function in functions and all(is_total(one, functions) for one in arguments)
        case Power(base, Sum(terms)):  # what the gradient of a power of 0 has: 1 where the base is 0
            return is_total(base) and FunctionCall("_both_zero", (base, ZERO)) in terms
        case Power(base, exponent):
            return is_total(base, functions) and whole(exponent) > 0
    return all(is_total(part, functions) for part in expression.parts)


def is_smooth(expression: Expression) -> bool:
    """Whether it and all its derivatives are finite wherever the inputs are."""
    return is_total(expression, SMOOTH)


def whole(exponent: Expression) -> int:
    """A whole number as an exponent; 0 for every other."""
    return int(exponent.value) if isinstance(exponent, Number) and exponent.value.denominator == 1 else 0


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
