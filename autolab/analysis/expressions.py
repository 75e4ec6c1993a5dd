"""Expressions of numbers as plain data: sums, products, powers and calls.

The rules that simplify expressions while they are built.

Every rule holds everywhere: for NaN, infinities and both zeros, the result is that of the steps, up to rounding.
``x / x`` is not 1, ``0 * x`` not 0 and ``2 * x - x`` not ``x``, since ``x`` may be 0 or infinite. If every value is
finite (``finite=True``), ``0 * x`` is dropped, opposite terms are combined and products with sums are multiplied out,
but only for expressions that are finite for all finite inputs. Where the sign of a zero matters (``strict=True``: in a
denominator, or in a function that is not known here), ``a + 0`` stays, since ``-0.0 + 0`` is ``0.0``.

How a derivative is derived, rule by rule: the slope of each part of an expression, and the rule behind it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
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


SLOPE = "′"
"""The function that denotes a slope that is still to be found."""

Local = Callable[[FunctionCall, int], Expression]
"""The derivative of a call with respect to one of its arguments, in terms of the arguments."""


@dataclass(frozen=True)
class RuleLine:
    """The slope of ``of`` is ``result``, by a ``rule``; slopes of parts appear in it as calls of `SLOPE`.

    The rules are ``sum``, ``factor`` (a constant factor), ``product``, ``power``, ``power_chain``, ``known`` (a
    function of the input itself) and ``chain``.
    """

    rule: str
    of: Expression
    result: Expression


def lines(expression: Expression, wrt: Name, local: Local) -> list[RuleLine]:
    """The slope of an expression, followed by those of its parts, each once.

    Examples
    --------
    >>> x = Name("x", 0)
    >>> square = Power(x, Number(Fraction(2)))
    >>> found = lines(Power(Sum((square, ONE)), Number(Fraction(3))), x, lambda call, i: ZERO)
    >>> [line.rule for line in found], found[-1].of == square
    (['power_chain', 'sum', 'power'], True)
    """
    found: dict[Expression, RuleLine] = {}
    todo = [expression]
    while todo:
        of = todo.pop()
        if of not in found:
            line = found[of] = differentiated(of, wrt, local)
            factors = [factor for term in terms_of(line.result) for factor in split(term)[1]]
            todo += [part for part in map(slope_of, reversed(factors)) if part is not None]
    return list(found.values())


def depends(expression: Expression, wrt: Name) -> bool:
    """Whether an expression depends on the input."""
    inner = expression.definition if isinstance(expression, Name) else None
    parts = expression.parts if inner is None else (inner,)
    return expression == wrt or any([depends(part, wrt) for part in parts])


def slope_of(factor: Expression) -> Expression | None:
    """The part whose slope a factor denotes; None for an ordinary factor."""
    return factor.arguments[0] if isinstance(factor, FunctionCall) and factor.function == SLOPE else None


def _slope(of: Expression, wrt: Name) -> Expression:
    return ONE if of == wrt else FunctionCall(SLOPE, (of,)) if depends(of, wrt) else ZERO


def differentiated(of: Expression, wrt: Name, local: Local) -> RuleLine:
    """The rule for the outermost operation of an expression."""
    match of:
        case Name(definition=definition) if definition is not None:
            return replace(differentiated(definition, wrt, local), of=of)
        case Sum(terms):
            parts = [(split(term)[0], _times(Fraction(1), split(term)[1])) for term in terms]
            return RuleLine("sum", of, _added([_times(size, [_slope(part, wrt)]) for size, part in parts]))
        case Product(coefficient, factors):
            moving = [k for k, factor in enumerate(factors) if depends(factor, wrt)]
            made = [_times(coefficient, [*factors[:k], _slope(factors[k], wrt), *factors[k + 1 :]]) for k in moving]
            return RuleLine("product" if len(moving) > 1 else "factor", of, _added(made))
        case Power(base, Number(value)):
            lower = Rules().power(base, Number(value - 1))
            return RuleLine("power" if base == wrt else "power_chain", of, _times(value, [lower, _slope(base, wrt)]))
        case Power(base, exponent):
            return replace(differentiated(FunctionCall("pow", (base, exponent)), wrt, local), of=of)
        case FunctionCall(_, arguments):
            moving = [i for i, argument in enumerate(arguments) if depends(argument, wrt)]
            made = [_times(Fraction(1), [local(of, i), _slope(arguments[i], wrt)]) for i in moving]
            return RuleLine("known" if arguments == (wrt,) else "chain", of, _added(made))
    return RuleLine("known", of, _slope(of, wrt))


def _times(coefficient: Fraction, factors: Sequence[Expression]) -> Expression:
    """A product that is not simplified, except that numbers are multiplied."""
    own, inner = split_all(factors)
    return scaled(coefficient * own, inner) if inner and coefficient * own else Number(coefficient * own)


def _added(terms: Sequence[Expression]) -> Expression:
    kept = tuple([term for term in terms if term != ZERO])
    return Sum(kept) if len(kept) > 1 else kept[0] if kept else ZERO


def replaced(
    expression: Expression,
    names: Mapping[Name, Expression],
    rules: Rules,
    calls: Callable[[FunctionCall], Expression] = lambda call: call,
) -> Expression:
    """An expression with its names, and its calls, replaced by other expressions."""
    inner = [replaced(part, names, rules, calls) for part in expression.parts]
    match expression:
        case Sum():
            return rules.sum(inner)
        case Product(coefficient):
            return rules.product([Number(coefficient), *inner])
        case Power():
            return rules.power(*inner)
        case FunctionCall(function, _, attributes):
            return calls(FunctionCall(function, tuple(inner), attributes))
        case Name():
            return names.get(expression, expression)
    return expression
