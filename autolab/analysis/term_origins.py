"""Which terms of a derivative came from which terms of the order below."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .differentiation_rules import differentiated, slope_of
from .expressions import ONE, ZERO, Expression, FunctionCall, Number, Product, Sum, split, terms_of
from .simplify import Rules

if TYPE_CHECKING:
    from .recorded_expressions import Derivation

_RULES = {
    "sin": lambda u, y, r: r.product([FunctionCall("cos", (u,))]),
    "cos": lambda u, y, r: r.product([Number(-ONE.value), FunctionCall("sin", (u,))]),
    "exp": lambda u, y, r: y,
    "log": lambda u, y, r: r.quotient(ONE, u),
    "tanh": lambda u, y, r: r.sum([ONE, r.product([Number(-ONE.value), y, y])]),
    "sigmoid": lambda u, y, r: FunctionCall("sigmoid_slope", (u,)),
    "sinh": lambda u, y, r: FunctionCall("cosh", (u,)),
    "cosh": lambda u, y, r: FunctionCall("sinh", (u,)),
    "sqrt": lambda u, y, r: r.product([Number(ONE.value / 2), r.quotient(ONE, y)]),
}


def origins(found: Derivation, order: int) -> list[list[tuple[int, Expression]]]:
    """For each term of an order, the terms of the order below that it came from, each with the factor that was
    differentiated there; if that is unknown, all terms, each as its own factor.

    Examples
    --------
    >>> import autolab
    >>> from autolab.analysis.recorded_expressions import derivation
    >>> product = autolab.record(lambda x: x**2 * autolab.functions.sin(x), 1.0, options={"order": 1})
    >>> [[(k, type(factor).__name__) for k, factor in term] for term in origins(derivation(product), 1)]
    [[(0, 'Power')], [(0, 'FunctionCall')]]
    """
    below, rules = terms_of(found.orders[order - 1]), Rules(finite=True)
    made: dict[frozenset[Expression], list[tuple[int, Expression]]] = {}
    for k, term in enumerate(below):
        for factor, results in _product_rule(term, found, rules):
            for one in results:
                made.setdefault(_sign(one), []).append((k, factor))
    everything = [(k, term) for k, term in enumerate(below)]
    return [made.get(_sign(term), everything) for term in terms_of(found.orders[order])]


def _sign(term: Expression) -> frozenset[Expression]:
    """What identifies a term, apart from its coefficient."""
    return frozenset(term.factors if isinstance(term, Product) else () if isinstance(term, Number) else (term,))


def _product_rule(term: Expression, found: Derivation, rules: Rules) -> list[tuple[Expression, tuple[Expression, ...]]]:
    factors = term.factors if isinstance(term, Product) else (term,)
    results = []
    for factor in factors:
        try:
            slope = _slope(factor, found, rules)
        except LookupError:  # a function that is unknown here
            continue
        if slope != ZERO:
            others = [other for other in factors if other is not factor]
            results.append((factor, terms_of(rules.product([*others, slope]))))
    return results


def _slope(expression: Expression, found: Derivation, rules: Rules) -> Expression:
    """The derivative with respect to the input, in the same names."""
    named = {name.definition: name for name in found.names}

    def local(call: FunctionCall, _: int) -> Expression:
        return _RULES[call.function](call.arguments[0], named.get(call, call), rules)

    def whole(factor: Expression) -> Expression:
        part = slope_of(factor)
        return factor if part is None else _slope(part, found, rules)

    terms = map(split, terms_of(differentiated(expression, found.wrt, local).result))
    return rules.sum([rules.product([Number(size), *map(whole, factors)]) for size, factors in terms])


def as_written(found: Derivation, order: int) -> Expression:
    """The terms in the order of those they came from, as when differentiating by hand from the first to the last."""
    terms = terms_of(found.orders[order])
    if len(terms) < 2:
        return found.orders[order]
    below = terms_of(found.orders[order - 1])
    given = dict(zip(terms, origins(found, order), strict=True))
    first = {term: min([(k, _index_in(factor, below[k])) for k, factor in of]) for term, of in given.items()}
    return Sum(tuple(sorted(terms, key=lambda term: first[term])))


def _index_in(factor: Expression, term: Expression) -> int:
    """The index of a factor in a term; 0 for the term itself."""
    return term.factors.index(factor) if isinstance(term, Product) and factor in term.factors else 0
