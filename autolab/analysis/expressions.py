"""Expressions of numbers as plain data: sums, products, powers and calls."""

from __future__ import annotations

import math
from collections.abc import Callable, Set
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

_SHORT = 1000  # 0.1 means one tenth, not the nearest binary fraction

_SMOOTH = ("sin", "cos", "exp", "tanh", "sinh", "cosh", "arctan", "sigmoid", "sigmoid_slope", "softplus", "erf")
SMOOTH = frozenset({*_SMOOTH, "sum", "mean"})
"""Functions that, with all their derivatives, are finite wherever their argument is; overflow counts as rounding."""

TOTAL = SMOOTH | {"relu", "abs", "maximum", "minimum", "_both_zero"}
"""Functions that are finite wherever their argument is."""

SAME_FOR_BOTH_ZEROS = TOTAL | {"log", "log1p", "expm1", "sqrt", "tan", "arcsin", "arccos"}


@dataclass(frozen=True)
class Expression:
    """The base class of all expressions."""

    @property
    def parts(self) -> tuple[Expression, ...]:
        """The expressions that it consists of."""
        return ()

    @cached_property
    def size(self) -> int:
        """The number of symbols that it takes to write it."""
        return 1 + sum([part.size for part in self.parts])


@dataclass(frozen=True)
class Number(Expression):
    """A finite number, as an exact fraction."""

    value: Fraction


@dataclass(frozen=True)
class Name(Expression):
    """A value with a name: an input, a constant, or one that the user named, which then has a ``definition``."""

    text: str
    step: int
    definition: Expression | None = field(default=None, compare=False)


@dataclass(frozen=True)
class FunctionCall(Expression):
    """A function other than the four basic operations and powers."""

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
    """A coefficient times factors, none of which is a number or a product, and no two are powers of the same base."""

    coefficient: Fraction
    factors: tuple[Expression, ...]

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.factors


@dataclass(frozen=True)
class Sum(Expression):
    """A sum of terms, none of which is a sum itself unless the sign of a zero matters."""

    terms: tuple[Expression, ...]

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.terms


ZERO, ONE = Number(Fraction(0)), Number(Fraction(1))
MINUS_ONE = Number(Fraction(-1))


def number(value: float) -> Number | None:
    """A number as an expression; None for NaN, infinities and -0.0, to which no rule may be applied."""
    if not math.isfinite(value) or (value == 0 and math.copysign(1, value) < 0):
        return None
    short = Fraction(value).limit_denominator(_SHORT)
    return Number(short if float(short) == value else Fraction(value))


def split(expression: Expression) -> tuple[Fraction, tuple[Expression, ...]]:
    """The coefficient and the factors of an expression.

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
    """Whether an expression is finite wherever the inputs are."""
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
    """Whether an expression and all its derivatives are finite wherever the inputs are."""
    return is_total(expression, SMOOTH)


def whole(exponent: Expression) -> int:
    """The value of an integer exponent; 0 for any other."""
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
