"""Which way through a function a wrong gradient forgets: the user's own forward is run on Variables, way by way.

NumPy's functions, applied to Variables, leave a graph, and on this graph every edge has a share of the gradient. If the
wrong gradient is the right one without the share of one edge (or two), that way is what the backward forgets. No
numeric derivative is needed, but the traced gradient must agree with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ..authoring.context_function import ContextFunction
from ..authoring.marks import Marks
from ..authoring.simple_function import SimpleFunction
from ..engine.authored import ArrayForward, Authored, Call
from ..engine.backward import grad
from ..engine.config import using_config
from ..engine.node import Node, Whole
from ..engine.observe import BackwardEvent, ForwardEvent, observe
from ..engine.variable import Variable
from .case import Case
from .messages import say, shown
from .rearranged import Explanation

_CLOSE = 1e-6
_MOST_WAYS = 24
_SIGNS = (("missing_term.path", -1.0), ("missing_term.path_sign", -2.0))


@dataclass(frozen=True, eq=False)
class _Application:
    """One call of a function that the user wrote, and the upstream gradients of its results."""

    function: Authored
    inputs: tuple[Any, ...]
    outputs: tuple[Variable, ...]
    upstream: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class _Way:
    """An edge of the traced graph: the function that it leads back to (or comes from, if that is the input itself),
    and its share of the gradient, flat."""

    function: str
    share: np.ndarray


def forgotten_way(case: Case, i: int) -> Explanation | None:
    """The way on which a share of the gradient of input ``i`` is lost or has the wrong sign, if one is found."""
    here = case.at(i)[0]
    if not np.isfinite(here.elements.analytic).all():
        return None
    try:
        found = _traced(case, i)
    except Exception:  # the forward is not written for Variables, or in a way that leaves no graph
        return None
    if found is None:
        return None
    right, ways = found
    e, known = here.elements, here.measured & ~here.elements.unsure
    slack = 10 * e.tolerance[known] + _CLOSE * np.abs(right[known])
    if not known.any() or (np.abs(right - e.numeric)[known] > slack).any():
        return None
    return _explained(e.analytic - right, right, ways)


def _explained(lost: np.ndarray, right: np.ndarray, ways: list[_Way]) -> Explanation | None:
    size = max(np.max(np.abs(right)), np.max(np.abs(lost)))
    telling = [w for w in ways if _differs(w.share, 0 * right, size) and _differs(w.share, right, size)][:_MOST_WAYS]
    for way in telling:
        for key, factor in _SIGNS:
            if not _differs(lost, factor * way.share, size):
                return Explanation("missing_term", say(key, function=shown(way.function)))
    for first, second in combinations(telling, 2):
        if not _differs(lost, -first.share - second.share, size):
            names = f"{shown(first.function)} and through {shown(second.function)}"
            return Explanation("missing_term", say("missing_term.path", function=names))
    return None


def _differs(a: np.ndarray, b: np.ndarray, size: float) -> bool:
    return bool(np.max(np.abs(a - b)) > _CLOSE * size)


def _traced(case: Case, i: int) -> tuple[np.ndarray, list[_Way]] | None:
    """The gradient that the traced forward gives, and the share of every edge of its graph."""
    found = _application(case, i)
    if found is None:
        return None
    application, place = found
    names: dict[Node, tuple[str, Variable]] = {}

    def hook(event: ForwardEvent | BackwardEvent) -> None:
        if isinstance(event, ForwardEvent):
            names.update({y.node: (event.function.name, y) for y in event.outputs if y.node is not None})

    leaves = [Variable(x.data) if isinstance(x, Variable) else x for x in application.inputs]
    with using_config("enable_backprop", True), observe(hook):
        ys = _forward(application.function, leaves)
    pairs = list(zip(ys, application.outputs, strict=True))
    if not all(isinstance(y, Variable) and np.allclose(y.data, z.data, rtol=1e-9, atol=0) for y, z in pairs):
        return None
    x, size = leaves[place], case.tables[0].arrays[i].size
    starts = [np.zeros(y.shape) if g is None else g for y, g in zip(ys, application.upstream, strict=True)]
    ways = list(_ways(ys, starts, x, names))
    return _flat(grad(ys, [x], starts)[0], size), ways


def _forward(function: Authored, arguments: list[Any]) -> tuple[Any, ...]:
    """The results of the user's forward on Variables, by an object of its own."""
    own = copy(function)
    own._call = Call(own.name, len(arguments))
    if isinstance(own, ContextFunction):
        own._marks = Marks(own.name, tuple(arguments), False)
        returned = type(own).forward(own, *arguments)
    elif isinstance(own, SimpleFunction):
        returned = own.forward(*arguments)
    elif isinstance(own, ArrayForward):
        returned = own.forward(tuple(arguments))
    else:
        return ()
    return returned if isinstance(returned, tuple) else (returned,)


def _application(case: Case, i: int) -> tuple[_Application, int] | None:
    """The one written function that takes the input itself, if nothing else does; and which of its inputs that is."""
    subject, forwards, upstream = case.subject, [], {}

    def hook(event: ForwardEvent | BackwardEvent) -> None:
        if isinstance(event, ForwardEvent):
            forwards.append(event)
        elif isinstance(event.node, Whole):
            upstream[event.node.function] = tuple(event.node.gradients(event.upstream))

    with observe(hook):
        run = subject.run()
        subject.gradients(run, case.exam.upstreams[0])
    leaf = run.inputs[i]
    takers = [(event, k) for event in forwards for k, x in enumerate(event.inputs) if x is leaf]
    if len(takers) != 1 or not isinstance(takers[0][0].function, Authored):
        return None
    (event, place) = takers[0]
    if event.function not in upstream:
        return None
    return _Application(event.function, event.inputs, event.outputs, upstream[event.function]), place


def _ways(
    ys: tuple[Any, ...], starts: list[Any], x: Variable, names: dict[Node, tuple[str, Variable]]
) -> Iterator[_Way]:
    """The edges of the graph in the order of a backward pass, with what reaches ``x`` through each."""
    events: list[BackwardEvent] = []

    def hook(event: ForwardEvent | BackwardEvent) -> None:
        if isinstance(event, BackwardEvent):
            events.append(event)

    with observe(hook):
        grad(ys, [x], starts)
    for event in events:
        name = names[event.node][0] if event.node in names else ""
        for parent, share in zip(event.node.parents, event.gradients, strict=True):
            if not name or share is None or isinstance(share, dict):
                continue
            if parent is x.node:
                yield _Way(name, _flat(share, x.size))
            elif parent in names:
                yield _Way(names[parent][0], _flat(grad([names[parent][1]], [x], [share])[0], x.size))


def _flat(g: Any, size: int) -> np.ndarray:
    if g is None:
        return np.zeros(size)
    return np.asarray(g.data if isinstance(g, Variable) else g, np.float64).ravel()
