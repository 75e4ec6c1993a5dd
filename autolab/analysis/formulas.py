"""The formulas of a function of one number and its derivatives: those that hold wherever its curves are drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from ..engine import Primitive, Variable, grad
from ..engine.observe import ForwardEvent, observe
from ..engine.undisturbed import quietly
from ..recording import Recording, record
from ..recording.recorder import attributes_of
from .curves import Curves
from .expressions import (
    ONE,
    SLOPE,
    ZERO,
    Expression,
    FunctionCall,
    Name,
    RuleLine,
    Rules,
    evaluate,
    lines,
    replaced,
    terms_of,
)
from .recorded_expressions import Derivation, NotReadableError, as_computed, derivation

MOST_LINES = 24
"""Longer derivations are not shown: nobody would read them."""

_EACH = 8  # the stride of samples that are computed one by one
_CLOSE, _FEW = 1e-6, 3  # this many samples may differ, at a kink or next to a pole
_BESIDE: tuple[Callable[[Any], Callable[..., Any]], ...] = (  # times a factor: its derivative is never constant
    lambda f: lambda s, a: s * f((a,)),
    lambda f: lambda s, a, b: s * f((a, b)),
    lambda f: lambda s, a, b, c: s * f((a, b, c)),
)
_GUARDS: dict[str, Expression | None] = {"_zero": ZERO, "_both_zero": ZERO, "_inside": ONE, "clip": None}
"""The usual values of functions that guard against overflow or define the slope at 0; None for the first argument."""

Functions = dict[tuple[str, tuple[tuple[str, str], ...]], Callable[[tuple[Any, ...]], Any]]


@dataclass(frozen=True, eq=False)
class Formulas:
    """The formulas of a function of one number and its derivatives.

    ``orders`` are the formulas of f, f', f'' ..., as far as they are known; ``computed`` are the same as computed, not
    simplified, or None. ``found`` is the derivation that they were read from, ``tidied`` whether guards (such as
    against overflow), which never act on these curves, are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.analysis import Study
    >>> formulas = Study(np.tanh, 0.5, order=1).data.formulas
    >>> len(formulas.orders), float(formulas.value(formulas.orders[1], 0.0))
    (5, 1.0)
    >>> [line.rule for line in formulas.derivation(1)]
    ['known']
    """

    orders: tuple[Expression, ...] = ()
    computed: tuple[Expression | None, ...] = ()
    found: Derivation | None = None
    functions: Functions = field(default_factory=dict)
    tidied: bool = False
    _derived: dict[int, list[RuleLine] | None] = field(init=False, default_factory=dict)

    def value(self, expression: Expression, x: Any) -> Any:
        """The value of an expression at ``x``, a number, an array or a Variable; for a Variable, it is a Variable."""
        with quietly():
            return evaluate(expression, partial(self._known, x))

    def _known(self, x: Any, leaf: Expression) -> Any:
        known = partial(self._known, x)
        match leaf:
            case FunctionCall(function, (inner,)) if function == SLOPE:
                at = Variable(np.asarray(x, np.float64))
                y = self.value(inner, at)
                slope = grad([y], [at], [Variable(np.ones(y.shape))])[0] if isinstance(y, Variable) else None
                return np.zeros(at.shape) if slope is None else slope.data
            case FunctionCall(function, arguments, attributes):
                return self.functions[function, attributes](tuple([evaluate(one, known) for one in arguments]))
            case Name(definition=inner) if inner is not None:
                return evaluate(inner, known)
        assert self.found is not None
        return x if leaf == self.found.wrt else self.found.values[leaf]

    def derivation(self, order: int) -> list[RuleLine] | None:
        """How the formula of an order is derived from that of the order below; None if a rule is not known.

        Slopes that a line leaves open are found in later lines.
        """
        assert self.found is not None and 0 < order < len(self.orders)
        if order not in self._derived:  # the same at every point
            try:
                self._derived[order] = lines(self.orders[order - 1], self.found.wrt, self._local)
            except (NotReadableError, LookupError):
                self._derived[order] = None
        return self._derived[order]

    def _local(self, call: FunctionCall, i: int) -> Expression:
        """The derivative of a call with respect to an argument, read from a recording of just that function."""
        assert self.found is not None
        if len(call.arguments) > len(_BESIDE):
            raise NotReadableError
        apply = _BESIDE[len(call.arguments) - 1](self.functions[call.function, call.attributes])
        x = self.found.value(self.found.wrt)
        values = [np.float64(self.value(argument, x)) for argument in call.arguments]
        with observe(partial(_learn, self.functions)), quietly():
            try:
                recording = record(apply, 1.0, *values, options={"order": 1, "wrt": "abc"[i]})
            except TypeError:  # an argument must be an integer, such as a class index
                raise NotReadableError from None
        alone = derivation(recording)
        if len(alone.orders) < 2:
            return ZERO
        given = dict(zip("sabc", (ONE, *call.arguments), strict=False))
        found = replaced(alone.orders[1], {one: given[one.text] for one in alone.inputs}, Rules())
        return _tidied(found) if self.tidied else found


NO_FORMULAS = Formulas()


def _learn(functions: Functions, event: Any) -> None:
    if isinstance(event, ForwardEvent) and isinstance(event.function, Primitive):
        key = event.function.name, attributes_of(event)
        functions.setdefault(key, partial(event.function.apply, attributes=event.attributes))


def read_formulas(recorded: Callable[[], Recording], curves: Curves) -> Formulas:
    """The formulas of as many orders as can be read and agree with the curves: a formula that holds on only one branch
    of the function is rejected.

    Parameters
    ----------
    recorded : callable
        Returns a recording of the function with its derivatives.
    curves : Curves
    """
    functions: Functions = {}
    with observe(partial(_learn, functions)):
        recording = recorded()
    for count in range(len(recording.higher), -1, -1):
        kept = replace(recording, higher=recording.higher[:count])
        try:
            found = derivation(kept)
        except NotReadableError:
            continue
        orders = (*found.orders, *[ZERO] * (len(curves.y) - 1 - count))
        made = Formulas(orders, as_computed(kept), found, functions)
        tidied = _as_far_as_right(replace(made, orders=tuple(map(_tidied, orders)), tidied=True), curves)
        return max(tidied, _as_far_as_right(made, curves), key=lambda one: len(one.orders))
    return NO_FORMULAS


def _tidied(expression: Expression) -> Expression:
    """The expression without guards; whether it still agrees with the curves is checked afterwards."""
    return replaced(expression, {}, Rules(), lambda call: _GUARDS.get(call.function, call) or call.arguments[0])


def _as_far_as_right(made: Formulas, curves: Curves) -> Formulas:
    if curves.together:
        agree = [_agrees(made, order, y, curves.x) for order, y in zip(made.orders, curves.y, strict=True)]
    else:  # the function does not take arrays
        at = curves.x[::_EACH]
        rows = zip(made.orders, curves.y[:, ::_EACH], strict=True)
        agree = [all([_agrees(made, order, *one) for one in zip(y, at, strict=True)]) for order, y in rows]
    return replace(made, orders=made.orders[: [*agree, False].index(False)])


@np.errstate(all="ignore")
def _agrees(made: Formulas, order: Expression, y: np.ndarray, x: np.ndarray) -> bool:
    try:
        value, size = made.value(order, x), sum([np.abs(made.value(term, x)) for term in terms_of(order)])
    except LookupError:  # a user's function, unknown here
        return False
    far = np.isfinite(y) & ~(np.abs(value - y) <= _CLOSE * (size + np.abs(y)))
    return bool(np.count_nonzero(far) <= (_FEW if far.size > 1 else 0))
