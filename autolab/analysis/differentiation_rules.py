"""How a derivative is derived, rule by rule: the slope of each part of an expression, and the rule behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from .expressions import ONE, ZERO, Expression, FunctionCall, Name, Number, Power, Product, Sum, split, terms_of
from .simplify import Rules, scaled, split_all

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
