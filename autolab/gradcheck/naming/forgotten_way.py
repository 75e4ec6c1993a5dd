"""Which path through a function a wrong gradient omits: the user's own forward is run on Variables, path by path.

NumPy's functions, applied to Variables, record a graph, in which every edge has a share of the gradient. If the wrong
gradient is the right one without the share of one edge (or two), the backward omits that path; if the upstream gradient
passes one edge unchanged, it omits the derivative of that step. No numeric derivative
is needed, but the traced gradient must agree with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any, Literal

import numpy as np

from ...authoring import ContextFunction, SimpleFunction
from ...authoring.base import ArrayForward, Authored
from ...authoring.call import Call
from ...authoring.marks import Marks
from ...engine import MultiOutputNode, Node, Primitive, Variable, grad, using_config
from ...engine.observe import BackwardEvent, ForwardEvent, observe
from ...shared.numerals import signed
from ...transforms.forward_mode import Tape
from ..judging.case import CheckedInput
from ..judging.finding import Explanation, because
from ..measuring.point import FAINT, attempted
from ..messages import shown
from .multiples import lengths_of, named

_CLOSE = 1e-6
_MOST_WAYS = 24
_LEAST = 3
"""With fewer numbers, what is missing is easily a multiple of some share."""


@dataclass(frozen=True, eq=False)
class Way:
    """What a backward may omit at one place of the traced graph, and its share of the gradient, flat.

    A ``path`` is an edge: its function is the one that it leads back to (or comes from, if that is the input itself).
    A ``step`` is the derivative of a function, ``inner`` that of everything inside it; a ``square`` is the one in
    tanh' = 1 - tanh**2, a ``transposition`` that of a square matrix in a product. With a ``step`` on one path only,
    ``beyond`` is the function of that step.
    """

    function: str
    share: np.ndarray
    forgets: Literal["path", "step", "inner", "square", "transposition", "step on a path"] = "path"
    beyond: str = ""


Names = dict[Node, tuple[str, Variable, ForwardEvent]]
"""For each node of a traced graph the name of its function, its result and the step."""

Traced = tuple[np.ndarray, list[Way]]
"""The gradient that the traced forward gives, flat, and the share of every edge of its graph."""


def forgotten_way(checked: CheckedInput) -> Explanation | None:
    """The path on which a share of the gradient is lost or has the wrong sign, if one is found."""
    e, known = checked.here.elements, checked.here.sure
    if not np.isfinite(e.analytic).all():
        return None
    found = attempted(_traced, checked)
    if found is None:  # the forward does not accept Variables, or records no graph
        return None
    right, ways = found
    slack = 10 * e.tolerance[known] + _CLOSE * np.abs(right[known])
    if not known.any() or (np.abs(right - e.numeric)[known] > slack).any():
        return None
    lost = e.analytic - right
    close = _CLOSE * max(np.max(np.abs(right)), np.max(np.abs(lost)))
    telling = [w for w in ways if np.max(np.abs(w.share)) > close and np.max(np.abs(w.share - right)) > close]
    candidates = _candidates(telling, lost, lengths_of(checked.case))
    return next((why for share, why in candidates if np.max(np.abs(lost - share)) <= close), None)


def _candidates(ways: list[Way], lost: np.ndarray, lengths: set[int]) -> Iterator[tuple[np.ndarray, Explanation]]:
    """What may be lost, and what it would mean: a way or its sign, the derivative of a step, a part of a way, two
    ways, or one of two while the other counts twice."""
    steps = [w for w in ways if w.forgets in ("step", "inner")][:_MOST_WAYS]
    edges = [w for w in ways if w.forgets == "path"][:_MOST_WAYS]
    for way in edges:
        yield -way.share, because("missing_term", "path", function=shown(way.function))
        yield -2.0 * way.share, because("missing_term", "path_sign", function=shown(way.function))
    for step in steps:
        yield -step.share, because("wrong_function", step.forgets, "chain", function=shown(step.function))
    for count in (1, 2):
        for some in combinations(edges, count):
            through, share = (
                " and through ".join([shown(w.function) for w in some]),
                np.sum([w.share for w in some], axis=0),
            )
            if count > 1:
                yield -share, because("missing_term", "path", function=through)
            known = named(1.0 + float(lost @ share / max(share @ share, FAINT)), lengths)
            if known is not None and lost.size >= _LEAST:
                found = because("missing_term", "path_factor", function=through, factor=signed(known[0]))
                yield (known[1] - 1.0) * share, found
    for twice, lacking in permutations(edges, 2):
        one, other = shown(twice.function), shown(lacking.function)
        yield twice.share - lacking.share, because("missing_term", "path_twice", function=one, other=other)
    for way in [w for w in ways if w.forgets in ("square", "transposition")][:_MOST_WAYS]:
        yield -way.share, because("wrong_function", way.forgets, "derivative", function=shown(way.function))
    for way in [w for w in ways if w.beyond]:
        yield -way.share, because("missing_term", "path_step", function=shown(way.function), step=shown(way.beyond))


def _traced(checked: CheckedInput) -> Traced | None:
    found = _application(checked)
    if found is None:
        return None
    call, place, upstream = found
    elsewhere = getattr(call.function, "traced", None)  # a function of another library traces itself
    if elsewhere is not None:
        return elsewhere(place, upstream)
    leaves, tape = [Variable(x.array) if isinstance(x, Variable) else x for x in call.inputs], Tape()
    with using_config("enable_backprop", True), tape:
        ys = _forward(call, leaves)
    ys = ys if isinstance(ys, tuple) else (ys,)
    names = {y.node: (step.function.name, y, step) for step in tape.steps for y in step.outputs if y.node is not None}
    pairs = list(zip(ys, call.outputs, strict=True))
    if not all(isinstance(y, Variable) and np.allclose(y.array, z.array, rtol=1e-9, atol=0) for y, z in pairs):
        return None
    x = leaves[place]
    starts = [np.zeros(y.shape) if g is None else g for y, g in zip(ys, upstream, strict=True)]
    return _flat(grad(ys, [x], starts)[0], x.size), list(_ways(ys, starts, x, names))


def _forward(call: ForwardEvent, arguments: list[Any]) -> Any:
    """The result of the user's forward for Variables, called on a separate object."""
    if isinstance(call.function, Primitive):
        return call.function.forward(np, *arguments, **call.attributes)
    own = copy(call.function)
    own._call = Call(own.name, len(arguments))
    if isinstance(own, ContextFunction):
        own._marks = Marks(own.name, tuple(arguments), False)
        return type(own).forward(own, *arguments)
    if isinstance(own, SimpleFunction):
        return own.forward(*arguments)
    return own.forward(tuple(arguments)) if isinstance(own, ArrayForward) else ()


def _application(checked: CheckedInput) -> tuple[ForwardEvent, int, tuple[Any, ...]] | None:
    """The call of the one written function that takes the input itself, if nothing else does; which of its inputs that
    is; and the upstream gradients of its results."""
    events: list[ForwardEvent | BackwardEvent] = []
    with observe(events.append):
        run = checked.case.subject.run()
        checked.case.subject.gradients(run, checked.case.upstreams)
    leaf, calls = run.inputs[checked.place], [event for event in events if isinstance(event, ForwardEvent)]
    takers = [(call, k) for call in calls for k, x in enumerate(call.inputs) if x is leaf]
    if len(takers) != 1 or not _is_written(takers[0][0].function):
        return None
    ((call, place),) = takers
    passes = [event for event in events if isinstance(event, BackwardEvent) and event.node.function is call.function]
    for node, upstream in [(event.node, event.upstream) for event in passes]:
        if isinstance(node, MultiOutputNode):
            return call, place, tuple(node.gradients(upstream))
        if node is call.outputs[0].node:
            return call, place, (upstream,)
    return None


def _is_written(function: Any) -> bool:
    """Whether it is a function that someone wrote, not one of those that AutoLab itself declares."""
    if isinstance(function, Primitive):
        return not function.several and not function.forward.__module__.startswith("autolab.")
    return isinstance(function, Authored)


def _ways(ys: tuple[Any, ...], starts: list[Any], x: Variable, names: Names, nested: bool = False) -> Iterator[Way]:
    """The edges of the graph in the order of a backward pass, with the share that reaches ``x`` through each; with
    ``nested`` nothing else."""
    events: list[ForwardEvent | BackwardEvent] = []
    with observe(events.append):
        grad(ys, [x], starts)
    for event in events:
        if isinstance(event, BackwardEvent) and event.node in names:
            yield from _edges(names[event.node][0], event, x, names, nested)


def _edges(name: str, event: BackwardEvent, x: Variable, names: Names, nested: bool) -> Iterator[Way]:
    """The edges of one application of a function; of an elementwise one also the step over its derivative."""
    reached: dict[Node, np.ndarray] = {}
    for parent, share in zip(event.node.parents, event.gradients, strict=True):
        found = _reaching(parent, share, x, names)
        if found is not None:
            yield Way(name if parent is x.node else names[parent][0], found)
            reached[parent] = found + reached.get(parent, 0.0)
    if nested:
        return
    if name == "matmul":
        yield from _untransposed(event, x, names)
    if not getattr(event.node.function, "elementwise", False):
        return
    for parent, total in reached.items():
        taken = x if parent is x.node else names[parent][1]
        passed = _reaching(parent, event.upstream, x, names) if np.shape(event.upstream) == taken.shape else None
        if passed is not None:
            yield Way(name, total - passed, "step")
            yield from _on_one_path(name, event, parent, x, names)
        if passed is not None and name == "tanh":
            unsquared = _reaching(parent, event.upstream * (1 - names[event.node][1].array), x, names)
            if unsquared is not None:
                yield Way(name, total - unsquared, "square")
    if reached and np.shape(event.upstream) == x.shape:
        yield Way(name, sum(reached.values()) - _flat(event.upstream, x.size), "inner")


def _on_one_path(name: str, event: BackwardEvent, parent: Node, x: Variable, names: Names) -> Iterator[Way]:
    """The derivative of an elementwise step, for each path behind it alone."""
    given = [g for node, g in zip(event.node.parents, event.gradients, strict=True) if node is parent]
    if parent is x.node or len(given) != 1:
        return
    taken = (names[parent][1],)
    paths = [list(_ways(taken, [g], x, names, nested=True)) for g in (given[0], event.upstream)]
    for right, without in zip(*paths, strict=False):
        yield Way(right.function, right.share - without.share, "step on a path", name)


def _untransposed(event: BackwardEvent, x: Variable, names: Names) -> Iterator[Way]:
    """The transposition of each square factor of a product of matrices."""
    factors = names[event.node][2].inputs[:2]
    (a, b), g = [v.array if isinstance(v, Variable) else v for v in factors], event.upstream
    for factor, other, right, wrong in zip(factors, (b, a), ((g, b.T), (a.T, g)), ((g, b), (a, g)), strict=True):
        node = getattr(factor, "node", None)
        if node is not None and np.ndim(other) == 2 == np.ndim(g) and len(set(np.shape(other))) == 1:
            lost = _reaching(node, np.matmul(*right) - np.matmul(*wrong), x, names)
            if lost is not None:
                yield Way("matmul", lost, "transposition")


def _reaching(parent: Node, g: Any, x: Variable, names: Names) -> np.ndarray | None:
    """What a gradient arriving at a node contributes to that of ``x``, flat; None if the node is not in the graph."""
    if g is None or isinstance(g, dict) or (parent is not x.node and parent not in names):
        return None
    return _flat(g if parent is x.node else grad([names[parent][1]], [x], [g])[0], x.size)


def _flat(g: Any, size: int) -> np.ndarray:
    if g is None:
        return np.zeros(size)
    return np.asarray(g.array if isinstance(g, Variable) else g, np.float64).ravel()
