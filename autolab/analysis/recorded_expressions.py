"""What a recording and its derivatives compute, as expressions: simplified, in the user's names, term by term.

Which terms of a derivative came from which terms of the order below.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..recording.model import LEAVES, Operand, Recording, Snapshot, Step
from .expressions import (
    ONE,
    SAME_FOR_BOTH_ZEROS,
    ZERO,
    Expression,
    FunctionCall,
    Name,
    Number,
    Product,
    Rules,
    Sum,
    differentiated,
    evaluate,
    is_smooth,
    number,
    slope_of,
    split,
    terms_of,
)

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


MOST_STEPS = 400
MOST_SIGNS = 240
"""Longer expressions are not shown: nobody would read them."""

_SAME = {"broadcast_to", "reshape", "_beside_leader"}
_ARITHMETIC = ("add", "sub", "mul", "div", "pow", "neg", "square", "reciprocal", "muladd")


class NotReadableError(Exception):
    """The program is too long for formulas, or does something that no formula can express."""


@dataclass(frozen=True, eq=False)
class Derivation:
    """A function and its derivatives as expressions.

    ``orders`` holds the expression of each order, that of the function first. ``names`` are the values of the function
    that the user named, in program order, with their definitions. ``values`` holds the recorded value of each name and
    each call in the expressions. ``inputs`` are the names of the inputs; ``steps`` maps expressions to the steps that
    compute them.
    """

    orders: tuple[Expression, ...]
    names: tuple[Name, ...]
    inputs: tuple[Name, ...]
    values: dict[Expression, np.ndarray]
    wrt: Name
    steps: dict[Expression, int]

    def value(self, expression: Expression) -> Any:
        """The value of an expression at the recorded point."""
        with np.errstate(all="ignore"):
            return evaluate(expression, self.values.__getitem__)


def derivation(recording: Recording) -> Derivation:
    """The expressions of a recording with its derivatives.

    Raises
    ------
    NotReadableError
        If there is more than one output, the program is long, or the formula would not give the recorded numbers.

    Examples
    --------
    >>> import autolab
    >>> def cube(x):
    ...     y = x**3
    ...     return y
    >>> found = derivation(autolab.record(cube, 2.0, options={"order": 2}))
    >>> [float(found.value(order)) for order in found.orders]
    [8.0, 12.0, 12.0]
    """
    graphs = (recording, *recording.higher)
    if len(recording.outputs) != 1 or sum([len(graph.steps) for graph in graphs]) > MOST_STEPS:
        raise NotReadableError
    reader = _ExpressionReader(graphs)
    orders = tuple([reader.at(graph.outputs[0]) for graph in graphs])
    wrt = next((name for name in reader.inputs if name.text == recording.wrt), reader.inputs[0])
    names, inputs = tuple(reader.named.values()), tuple(reader.inputs)
    found = Derivation(orders, names, inputs, reader.values, wrt, reader.origins())
    for order in range(1, len(orders)):
        found = replace(found, orders=(*found.orders[:order], as_written(found, order), *found.orders[order + 1 :]))
    for graph, expression in zip(graphs, found.orders, strict=True):
        if not _agrees(found, expression, reader.steps[graph.outputs[0]].value):
            raise NotReadableError
    return found


def as_computed(recording: Recording) -> tuple[Expression | None, ...]:
    """What each order computes, step by step and not simplified, in terms of the inputs; None for an expression that
    is too long.

    Examples
    --------
    >>> import autolab
    >>> as_computed(autolab.record(lambda x: x + 0, 2.0))[0].function
    'add'
    """
    found: list[Expression | None] = []
    graphs = (recording, *recording.higher)
    reader = _ExpressionReader(graphs, simplifies=False)
    for graph in graphs:
        try:
            found.append(reader.at(graph.outputs[0]))
        except NotReadableError:
            found.append(None)
    return tuple(found)


def _agrees(found: Derivation, order: Expression, recorded: Snapshot | None) -> bool:
    """Whether the formula agrees with the recorded value, up to the rounding of its terms."""
    if recorded is None or not recorded.is_whole:
        return False
    value, size = found.value(order), sum([np.abs(found.value(term)) for term in terms_of(order)])
    slack = math.sqrt(recorded.precision)
    with np.errstate(all="ignore"):
        close = np.abs(value - recorded.values) <= slack * (size + np.abs(recorded.values))
        alike = (value == recorded.values) | (np.isnan(value) & np.isnan(recorded.values))
    return bool(np.all(close | alike))


class _ExpressionReader:
    """Turns steps into expressions. A value that the user named appears by its name wherever it is used or occurs
    again."""

    def __init__(self, graphs: tuple[Recording, ...], simplifies: bool = True) -> None:
        self.steps: dict[int, Step] = {}
        self._simplifies = simplifies
        for graph in graphs:
            self.steps |= {step.id: step for step in graph.steps if step.id not in self.steps}
        self.inputs: list[Name] = []
        self.named: dict[Expression, Name] = {}
        self.values: dict[Expression, np.ndarray] = {}
        self._rules = Rules(finite=all(map(_is_finite, self.steps.values())))
        self._known: dict[tuple[int, bool], Expression] = {}
        self._output = graphs[0].outputs[0]
        self._ones = {start for graph in graphs for start in graph.starts}
        self._results = {graph.outputs[0] for graph in graphs}
        counts = Counter([step.name for step in graphs[0].steps])
        self._once = {name for name, count in counts.items() if name and count == 1}
        for step in sorted(self.steps.values(), key=lambda step: step.id) if simplifies else ():
            found = self.at(step.id)
            if step.id == self._output:
                self._rules.smooth = is_smooth(found)

    def origins(self) -> dict[Expression, int]:
        """For each expression that steps compute, the first of them."""
        return {found: step for (step, _), found in reversed(self._known.items())}

    def at(self, step: int, strict: bool = False) -> Expression:
        """The expression of a step; ``strict`` if the sign of a zero matters."""
        if step not in self.steps:
            raise NotReadableError
        found = self._known.get((step, strict))
        if found is None:
            found = self._known[step, strict] = self._made(self.steps[step], strict)
            if found.size > MOST_SIGNS:
                raise NotReadableError
        return found

    def _made(self, step: Step, strict: bool) -> Expression:
        if step.kind in LEAVES:
            return self._leaf(step)
        if step.kind != "call" or step.value is None or not step.value.is_whole:
            raise NotReadableError
        found = self._call(step, strict)
        if self._simplifies and step.order == 0 and not strict:
            self._rules.kept |= {found} if isinstance(found, Sum) else set()
            if step.name in self._once and step.id != self._output and not isinstance(found, Name | Number):
                return self._name(step, found)
        return self.named.get(found, found)

    def _name(self, step: Step, definition: Expression | None = None) -> Name:
        assert step.value is not None
        name = Name(str(step.name or step.source or "?"), step.id, definition)
        self.values[name] = step.value.values
        if definition is not None:
            self.named[definition] = name
        return name

    def _leaf(self, step: Step) -> Expression:
        if step.value is None or not step.value.is_whole:
            raise NotReadableError
        is_plain = step.order == 0 and step.name is None and step.value.size == 1
        if step.kind == "constant" and (is_plain or step.id in self._ones | self._results):  # others may be masks
            values = step.value.values.reshape(-1)
            alike = number(float(values[0])) if values.dtype.kind in "iuf" and (values == values[0]).all() else None
            if alike is not None:
                return alike
        found = self._name(replace(step, name=step.name if step.order == 0 else _of_all(step.value)))
        if step.kind == "input":
            self.inputs.append(found)
        return found

    # ------------------------------------------------------------------ calls
    def _call(self, step: Step, strict: bool) -> Expression:
        function = step.function or ""
        uses = step.operands
        if self._simplifies and function in _ARITHMETIC and not step.attributes and self._keeps_its_shape(step):
            return self._arithmetic(function, uses, strict)
        if function == "zeros_like":
            return ZERO
        if function in _SAME and uses and uses[0].step is not None:
            inner = self.at(uses[0].step)
            if isinstance(inner, Number) or function == "_beside_leader":  # the slope does not depend on it
                return inner
        safe = function in SAME_FOR_BOTH_ZEROS
        found = FunctionCall(function, tuple([self._operand(use, not safe) for use in uses]), step.attributes)
        match found:
            case FunctionCall("transpose", (FunctionCall("transpose", (inner,), ()),), ()) if self._simplifies:
                return inner
        assert step.value is not None
        self.values.setdefault(found, step.value.values)
        return found

    def _keeps_its_shape(self, step: Step) -> bool:
        """Whether every operand that is not a plain number has the shape of the result: an array of ones with more
        elements than the other operand is not a neutral factor."""
        assert step.value is not None
        for use in step.operands:
            value = None if use.step is None else self.steps[use.step].value
            if value is not None and value.shape != step.value.shape and not isinstance(self._operand(use), Number):
                return False
        return True

    def _operand(self, use: Operand, strict: bool = False) -> Expression:
        if use.step is not None:
            return self.at(use.step, strict)
        try:
            found = number(float(use.constant or ""))
        except ValueError:
            found = None
        if found is None:
            raise NotReadableError
        return found

    def _arithmetic(self, function: str, uses: tuple[Operand, ...], strict: bool) -> Expression:
        rules, minus = self._rules, Number(-ONE.value)
        if function in ("div", "reciprocal"):
            above = ONE if function == "reciprocal" else self._operand(uses[0], strict)
            return rules.quotient(above, self._operand(uses[-1], True), strict)
        if function == "pow":
            exponent = self._operand(uses[1])
            is_above = isinstance(exponent, Number) and exponent.value >= 0
            return rules.power(self._operand(uses[0], strict or not is_above), exponent)
        values = [self._operand(use, strict) for use in uses]
        match function:
            case "add":
                return rules.sum(values, strict)
            case "sub":
                return self._difference(values[0], values[1], strict)
            case "neg":
                return rules.product([minus, values[0]], strict)
            case "square":
                return rules.power(values[0], Number(2 * ONE.value))
            case "muladd":
                return rules.sum([rules.product(values[:2], strict), values[2]], strict)
        return rules.product(values, strict)

    def _difference(self, a: Expression, b: Expression, strict: bool) -> Expression:
        if strict and b == ZERO:
            return a  # a - 0 is a, for both zeros
        return self._rules.sum([a, self._rules.product([Number(-ONE.value), b], strict)], strict)


def _of_all(value: Snapshot) -> str:
    """The name of a constant that the engine created."""
    return f"{value.minimum:g}" if value.minimum is not None and value.minimum == value.maximum else "constants"


def _is_finite(step: Step) -> bool:
    return step.value is None or step.value.nan_count + step.value.inf_count == 0
