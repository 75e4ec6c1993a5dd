"""jet: Taylor coefficients of any order, propagated through the steps of a run without a pass over the graph.

The coefficients of a value are computed one order at a time, those of all steps in step. Sums, products and quotients
have recurrences of their own. Every other function follows its declared rules: they say what y' is, as steps that use
x', x and y, whose coefficients are propagated in the same way. The coefficient k of y is that of y', one order lower,
over k. No function needs a second rule, and a step that a rule names again (sin in that of cos) is the same step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property, partial
from typing import Any

import numpy as np

from ..engine import Node, Primitive, Variable, check_whole, get_array_module, nodes_below, using_config, wrap
from ..engine.observe import ForwardEvent
from ..engine.schema import as_arrays
from ..functions import div, einsum, matmul, mul, solve, stack
from ..functions.elementwise.powers import ratio
from ..shared.structure import filled
from .applied import AppliedFunction, Wrt, all_places, checked_wrt, same
from .forward_mode import Tape, node_of, spread, through

QUOTIENTS: dict[Any, tuple[int, int, Callable[[Any, Any], Any]]] = {
    div.function: (0, 1, mul),
    ratio.function: (0, 1, mul),
    solve.function: (1, 0, matmul),
}
"""Where the numerator and the denominator stand, and the product that the function undoes."""

_HOMOGENEOUS: dict[str, dict[str, Any]] = {"pad": {"constant_values": 0}}
"""The attributes of linear functions that add a constant, without it."""

Row = Sequence[Any]
"""The coefficients of one order, one per result of a step; None for zeros."""


def jet(fn: Callable[..., Any], x: Any, v: Any, order: int, wrt: Wrt | None = None) -> Any:
    """The Taylor coefficients of ``fn`` at ``x`` in the direction ``v``, up to an order.

    The coefficients ``c[k]`` are those of ``fn(x + t * v) = c[0] + c[1] * t + c[2] * t**2 + ...``. They contain the
    factorials: the derivative of order k is ``k! * c[k]``.

    Parameters
    ----------
    fn : callable
        Takes Variables, returns a Variable or a nested structure of them.
    x
        The tuple of its arguments; a single argument need not be in a tuple.
    v
        The direction, in the structure of the arguments (of those chosen by ``wrt``).
    order : int
        The highest order, at least 0.
    wrt : int, str or tuple of them, optional
        The arguments that move; by default all.

    Returns
    -------
    Variable, or a structure of them like the result of ``fn``
        A result of some shape becomes an array of shape ``(order + 1, *shape)`` and of the same dtype.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type, structure, shape or value, or ``fn`` does not return Variables.
    RuntimeError
        If a step cannot be followed: its function can be differentiated only once, or it was hidden from observers.

    Notes
    -----
    The work grows with the square of the order for functions whose rules lead back to themselves, which is most; powers
    with a broken exponent lead to another power for each order. At a kink the coefficients are those of the side that
    the gradient takes there (`autolab.functions` has them in ``conventions.toml``), or the mean of both sides where
    the gradient is that. Branches are those taken at ``x``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.transforms import jet
    >>> jet(np.exp, 0.0, 1.0, order=3).data * [1, 1, 2, 6]
    array([1., 1., 1., 1.])
    >>> jet(lambda x, y: x * y, (2.0, 3.0), (1.0, 10.0), order=2)
    variable([ 6. 23. 10.])
    """
    check_whole("jet", "order", order, 0)
    arguments, everything = all_places(x)
    tape = Tape()
    with tape:
        point = AppliedFunction("jet", fn, everything if wrt is None else checked_wrt("jet", wrt), arguments, {})
    directions = point.matched("the direction", v)
    differentiable = point.depends_on_others(*directions)
    found = coefficients(tape, point.inputs, directions, point.outputs, order, differentiable)
    if found is None:
        raise RuntimeError(
            f"jet: {point.name:.60} computes a result in a step that is hidden from observers, so its coefficients are "
            "unknown; expected functions of Variables, which can be observed"
        )
    return filled(point.value, iter([stack(c) if differentiable else wrap(_stacked(c), None) for c in found]))


def _stacked(each: list[Any]) -> Any:
    return get_array_module(*each).stack(each)


def coefficients(
    tape: Tape,
    inputs: Sequence[Variable],
    directions: Sequence[Variable],
    outputs: Sequence[Variable],
    order: int,
    differentiable: bool = False,
) -> list[list[Any]] | None:
    """For each output of a taped run its coefficients, as arrays; as Variables if they are to be differentiable.

    None if an output depends on the inputs through a step that is not on the tape.
    """
    jets = Propagation(differentiable)
    for x, v in zip(inputs, directions, strict=True):
        if x.node is not None:
            jets.series[x.node] = jets.series_of(x, partial(_along, jets.value(v)))
    if _has_gap(tape.made, set(jets.series), outputs):
        return None
    try:
        followed = jets.follow(tape.made)
        for k in range(1, order + 1):
            for series in followed:  # from the first step on: a long chain must not become a deep recursion
                series.at(k)
        return [_all(y, None if y.node is None else jets.series.get(y.node), order, jets.value) for y in outputs]
    finally:
        jets.end()


def _has_gap(steps: Sequence[ForwardEvent], inputs: set[Node], outputs: Sequence[Variable]) -> bool:
    """Whether a value that a step or the caller uses was made from the inputs by a step that is not here."""
    nodes = [node for step in steps if (node := node_of(step)) is not None]
    known = inputs | {y.node for step in steps for y in step.outputs if y.node is not None}
    used = {edge.parent for node in nodes for edge in node.edges} | {y.node for y in outputs if y.node is not None}
    return not inputs.isdisjoint(nodes_below(*[node for node in used - known if node.order]))


def _all(y: Variable, series: Series | None, order: int, value: Callable[[Variable], Any]) -> list[Any]:
    zeros = get_array_module(y._data).zeros_like(y._data)
    found = [None if series is None else series.at(k) for k in range(1, order + 1)]
    return [value(y), *[zeros if c is None else c for c in found]]


class Series:
    """The Taylor coefficients of one value; each is computed when it is first asked for, after those before it.

    None stands for zeros.
    """

    def __init__(self, first: Any, following: Callable[[int], Any]) -> None:
        self._known, self._following = [first], following

    def at(self, k: int) -> Any:
        """The coefficient of order ``k``."""
        while len(self._known) <= k:
            self._known.append(self._following(len(self._known)))
        return self._known[k]

    def upto(self, k: int) -> list[Any]:
        """The coefficients up to order ``k``."""
        self.at(k)
        return self._known[: k + 1]

    def end(self) -> None:
        """Forget how further coefficients are computed."""
        self._following = _nothing
        slope = self.__dict__.pop("slope", None)
        if slope is not None:
            slope.end()

    @cached_property
    def slope(self) -> Series:
        """The coefficients of the derivative."""
        return Series(self.at(1), lambda k: None if (c := self.at(k + 1)) is None else c * (k + 1))


class Propagation:
    """The series of the values of a run, found by their nodes."""

    def __init__(self, differentiable: bool) -> None:
        self.series: dict[Node, Series] = {}
        self.differentiable = differentiable
        self._known: dict[Any, tuple[ForwardEvent, list[Series]]] = {}  # the steps keep the ids in the keys from reuse
        self._made: list[Series] = []

    def value(self, y: Variable) -> Any:
        """What coefficients are computed from: arrays, or Variables if they are to be differentiable."""
        return y if self.differentiable else y._data

    def series_of(self, y: Variable, following: Callable[[int], Any]) -> Series:
        """A new series that begins with a value."""
        self._made.append(Series(self.value(y), following))
        return self._made[-1]

    def end(self) -> None:
        """Forget how coefficients are computed: a function of its own derivative is a reference cycle."""
        for series in self._made:
            series.end()

    def follow(self, steps: Sequence[ForwardEvent]) -> list[Series]:
        """Give the results of the steps that depend on known series their own, which are returned."""
        followed = []
        for step in steps:
            node = node_of(step)
            edges = [] if node is None else [edge for edge in node.edges if edge.parent in self.series]
            moving = {edge.place: self.series[edge.parent] for edge in edges}
            if node is None or not moving or all([y.node is None or y.node in self.series for y in step.outputs]):
                continue
            if _vanishes(step, moving):
                continue
            key = _key(step, moving)
            if key is None or key not in self._known:
                results = _Step(self, step, node, moving).results
                self._known[id(step) if key is None else key] = step, results
            else:
                results = self._known[key][1]
            self.series |= {y.node: s for y, s in zip(step.outputs, results, strict=True) if y.node is not None}
            followed += results
        return followed

    def leaf(self, series: Series, like: Variable) -> Variable:
        """A Variable that stands for a series, so that the steps that use it can be followed."""
        first = _zeros(like) if (c := series.at(0)) is None else c
        x = same(first) if isinstance(first, Variable) else wrap(first, Node.leaf())
        if x.node is None:
            x = wrap(x._data, Node.leaf())
        self.series[x.node] = series  # type: ignore[index]
        return x


def _key(step: ForwardEvent, moving: Mapping[int, Series]) -> Any:
    """What two steps have in common that have the same results; None if it is not known."""
    inputs = [id(moving[i]) if i in moving else _constant(x) for i, x in enumerate(step.inputs)]
    key = step.function, *inputs, *[(name, type(v), v) for name, v in sorted(step.attributes.items())]
    try:
        hash(key)
    except TypeError:
        return None
    return key if isinstance(step.function, Primitive) else None


def _constant(x: Any) -> Any:
    """A number by its value; arrays are not compared, as no rule leads back to its own function by one."""
    data = getattr(x, "_data", x)
    if isinstance(data, np.ndarray | np.generic) and data.size == 1:
        return data.shape, data.dtype, data.tobytes()
    return [] if hasattr(data, "shape") else (type(x), x)


def _splits(series: Sequence[Series], k: int) -> list[tuple[Any, ...]]:
    """Coefficients of each series whose orders add up to ``k``, where none of them is zero."""
    if len(series) < 2:
        return [(c,) for one in series if (c := one.at(k)) is not None]
    first, *rest = series
    if len(rest) > 1:
        return [(c, *more) for j, c in enumerate(first.upto(k)) if c is not None for more in _splits(rest, k - j)]
    pairs = zip(first.upto(k), reversed(rest[0].upto(k)), strict=True)
    return [pair for pair in pairs if pair[0] is not None and pair[1] is not None]


@cache
def _factors(function: Primitive) -> frozenset[str] | None:
    """The inputs of which a declared function is a product, none if it is linear in all together; None if neither.

    The rules say it: that of a factor names the other factors, that of what is only added names no value that may move.
    """
    values = {*function.declared, *function.schema.outputs}
    named = {i: values & {*function.retained[i]} for i in function.declared}
    once = all([i not in names and names <= {*function.declared} for i, names in named.items()])
    return frozenset([i for i, names in named.items() if names]) if once or function is einsum.function else None


def _is_declared(function: Any) -> bool:
    """Whether it is one of AutoLab's own declared functions; a user's may do other things than its rules say."""
    return isinstance(function, Primitive) and function.run is function.forward


def _vanishes(step: ForwardEvent, moving: Mapping[int, Series]) -> bool:
    """Whether a step is a product with a constant 0: there the powers of powers end."""
    names = _factors(step.function) if _is_declared(step.function) else None
    places = {i for i in range(len(step.inputs)) if step.function.input_at(i) in names} if names else set()
    fixed = [getattr(step.inputs[i], "_data", step.inputs[i]) for i in places - moving.keys()]
    return moving.keys() <= places and any([isinstance(x, np.ndarray | np.generic) and not x.any() for x in fixed])


def _along(v: Any, k: int) -> Any:
    """The coefficients of a value that moves at constant speed."""
    return v if k == 1 else None


def _nothing(k: int) -> None:
    """The coefficients of a constant."""


def _zeros(x: Any) -> Any:
    return get_array_module(data := getattr(x, "_data", x)).zeros_like(data)


class _Step:
    """A step whose inputs at some places move, and the ways to the coefficients of its results."""

    def __init__(self, jets: Propagation, step: ForwardEvent, node: Node, moving: dict[int, Series]) -> None:
        self.jets, self.step, self.node, self.moving = jets, step, node, moving
        self.function, self._like = step.function, [y._data for y in step.outputs]
        self._rows, row = dict[int, Row](), self._way()
        self.results = [jets.series_of(y, partial(self._at, row, i)) for i, y in enumerate(step.outputs)]

    def _at(self, row: Callable[[int], Row], i: int, k: int) -> Any:
        """The coefficient of order ``k`` of result ``i``."""
        if k not in self._rows:
            each = zip(row(k), self._like, strict=True)
            self._rows[k] = [None if c is None else spread(c, y) for c, y in each]
        return self._rows[k][i]

    def _way(self) -> Callable[[int], Row]:
        """The function of an order that gives the coefficients of that order."""
        function = self.function
        if not _is_declared(function):
            return self._by_rule
        if function in QUOTIENTS and not self._is_stack_with_vector():
            self._hold(QUOTIENTS[function][1:2])
            return self._quotient
        names = _factors(function)
        if names is None:
            return self._by_rule
        factors = [i for i in range(len(self.step.inputs)) if function.input_at(i) in names]
        self._hold(factors)
        return partial(self._product, factors) if factors else self._linear

    def _is_stack_with_vector(self) -> bool:
        """Whether a stack of equations has one vector on its right, which is not the shape of the results."""
        above = self.step.inputs[QUOTIENTS[self.function][0]]
        return self.function is solve.function and above.ndim == 1 < self.step.outputs[0].ndim

    def _linear(self, k: int) -> Row:
        """The same function of the coefficients; inputs that do not move count as zeros."""
        found = {i: c for i, series in self.moving.items() if (c := series.at(k)) is not None}
        if not self.function.elementwise:
            return self._applied(found.items()) if found else [None] * len(self.step.outputs)
        y, edges = self._like[0], [edge for edge in self.node.edges if edge.place in found]
        shares = [edge.rule(spread(found[edge.place], y), edge.saved) for edge in edges]
        return [sum(shares[1:], start=shares[0]) if shares else None]

    def _product(self, factors: Sequence[int], k: int) -> Row:
        """Cauchy's product over the moving factors, and the coefficients of what is only added."""
        moving = [i for i in factors if i in self.moving]
        added = [(i, c) for i, series in self.moving.items() if i not in factors and (c := series.at(k)) is not None]
        total, all_move = None, len(moving) == len(self._still)
        for split in _splits([self.moving[i] for i in moving], k):
            share = self._call(*split) if all_move else self._applied([*zip(moving, split, strict=True), *added])[0]
            if total is None:
                total, added = share, []
            else:
                total += share  # a result of our own
        if added:
            total = self._applied([*[(i, _zeros(self._still[i])) for i in factors], *added])[0]
        return [total]

    def _quotient(self, k: int) -> Row:
        """y * b = a, solved for the coefficient of y."""
        above, below, product = QUOTIENTS[self.function]
        y, a, b = self.results[0], self.moving.get(above), self.moving.get(below)
        total = None if a is None else a.at(k)
        fixed = []
        if b is not None:
            fixed = [(below, b.at(0))]
            for c, d in zip(b.upto(k)[1:], reversed(y.upto(k - 1)), strict=True):
                if c is not None and d is not None:
                    total = -product(c, d) if total is None else total - product(c, d)
        return [None] if total is None else self._applied([(above, total), *fixed])

    def _by_rule(self, k: int) -> Row:
        """The coefficients of y', one order lower, over ``k``."""
        steps, slopes = self._slopes
        for series in steps:
            series.at(k - 1)
        return [None if s is None or (c := s.at(k - 1)) is None else c / k for s in slopes]

    @cached_property
    def _slopes(self) -> tuple[list[Series], list[Series | None]]:
        """The steps that the rules take from x', x and y to y', and the series of y', one per result."""
        jets = self.jets
        with using_config("enable_backprop", True):
            leaves = {i: jets.leaf(series.slope, self.step.inputs[i]) for i, series in self.moving.items()}
            tape = Tape()
            with tape:
                found = through(self.step, leaves, True)
        known = [y for y in found if y is not None]
        steps = jets.follow(_needed(tape.made, known))
        return steps, [None if y is None else jets.series.get(y.node) or jets.series_of(y, _nothing) for y in found]

    def _applied(self, given: Iterable[tuple[int, Any]]) -> Row:
        """The function of coefficients at their places; what else could move is zero."""
        inputs = [*self._still]
        for i, c in given:
            inputs[i] = c
        y = self._call(*inputs)
        return y if self.function.several else [y]

    def _hold(self, factors: Sequence[int]) -> None:
        """Prepare calls of the function: inputs that do not move are constant if they are factors, else zeros."""
        function, attributes = self.function, self.step.attributes | _HOMOGENEOUS.get(self.function.name, {})
        inputs = [*self.step.inputs]
        for i, x in enumerate(inputs):
            if x is not None and function.plan(i) is not None and i not in factors:
                inputs[i] = _zeros(x)
        self._call = lambda *each: function.apply(each, attributes)
        if not self.jets.differentiable and get_array_module(self.step.outputs[0]._data) is np:
            inputs = [getattr(x, "_data", x) for x in inputs]
            inputs = inputs if all([type(x) is np.ndarray for x in inputs]) else as_arrays(function, inputs)
            self._call = partial(function.run, np, **attributes)  # the same without checks
        self._still = inputs


def _needed(steps: Sequence[ForwardEvent], results: Sequence[Variable]) -> list[ForwardEvent]:
    """The steps from which the results were computed: a transposed rule leaves others behind."""
    wanted, found = {y.node for y in results if y.node is not None}, list[ForwardEvent]()
    for step in reversed(steps):
        node = node_of(step)
        if node is not None and any([y.node in wanted for y in step.outputs]):
            found.append(step)
            wanted |= {edge.parent for edge in node.edges}
    return found[::-1]
