"""backward() and grad(): the only traversal of the graph. It is iterative, and nothing is stored before all is
computed."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from itertools import starmap
from typing import Any, overload

import numpy as np

from .arrays import array_of
from .backend import get_array_module, stopwatch
from .config import modes, recording, watchers
from .errors import a_kind
from .node import Leaf, Node
from .observe import BackwardEvent, notify
from .primitive import Primitive
from .switches import using_config
from .variable import Variable, wrap

Gradients = dict[Node, Any]

guards: dict[weakref.ref[Node], Callable[[], None]] = {}
"""What is called before a node is visited, for nodes whose values somebody watches: `autolab.debug` enters it."""


class _Every:
    """A set that has every node."""

    def __contains__(self, node: object) -> bool:
        return True


Wanted = frozenset[Node] | _Every


def backward(y: Variable, retain_grad: bool = False, create_graph: bool = False) -> None:
    """See `Variable.backward`."""
    if type(retain_grad) is not bool or type(create_graph) is not bool:
        raise _no_switch("backward", retain_grad=retain_grad, create_graph=create_graph)
    root = y.node
    if root is None:
        raise RuntimeError(
            "backward: this value depends on no Variable that requires a gradient: integers never do, make them "
            "floats; nor does what is computed inside no_grad or from .data. After `w -= lr * w.grad` inside no_grad, "
            "w is such a value: write w.data -= lr * w.grad.data"
        )
    given = getattr(root, "given", False)
    start = root.grad if given else None
    found = _gradients([y], [start], create_graph, keep=_Every() if retain_grad else frozenset())
    if given:
        found.pop(root, None)  # the start gradient that the user set stays as it is
    publish(_stored(found, root, {id(start._data)} if start is not None else set()))
    _last.output = weakref.ref(y)


@overload
def grad(outputs: Any, inputs: Variable, grad_outputs: Any = None, create_graph: bool = False) -> Variable | None: ...
@overload
def grad(
    outputs: Any, inputs: Sequence[Variable], grad_outputs: Any = None, create_graph: bool = False
) -> tuple[Variable | None, ...]: ...
def grad(outputs: Any, inputs: Any = None, grad_outputs: Any = None, create_graph: bool = False) -> Any:
    """Gradients of ``outputs`` with respect to ``inputs``; they are returned, and no ``.grad`` changes.

    Parameters
    ----------
    outputs : Variable or sequence of Variables
    inputs : Variable or sequence of Variables
        May be leaves or values in between.
    grad_outputs : Variable, array or a sequence of them, optional
        The upstream gradient of each output, of its shape. It may be left out (or None) for outputs of one element: 1.
    create_graph : bool
        Make the result differentiable, for gradients of higher order.

    Returns
    -------
    Variable, or tuple of Variables
        A Variable for a Variable, a tuple for a sequence. Each has its input's shape and dtype; None for an input
        that no output depends on.

    Raises
    ------
    TypeError
        If an output or input is not a Variable.
    ValueError
        If an upstream gradient has the wrong shape, or their number is wrong.
    RuntimeError
        If an output of more than one element has no upstream gradient.

    Examples
    --------
    >>> from autolab import Variable, grad
    >>> x = Variable(3.0)
    >>> first = grad(x ** 3, x, create_graph=True)
    >>> first, grad(first, x)
    (variable(27.0), variable(18.0))
    """
    if type(create_graph) is not bool:
        raise _no_switch("grad", create_graph=create_graph)
    ys = _variables("outputs", outputs)
    xs = _variables("inputs", inputs)
    starts = [None] * len(ys) if grad_outputs is None else _sequence(grad_outputs)
    if len(starts) != len(ys):
        raise ValueError(
            f"grad: got {len(starts)} grad_outputs; expected {len(ys)}, one per output. The upstream gradient of one "
            "output is an array or a Variable, not a list of numbers"
        )
    inner = frozenset([x.node for x in xs if x.node is not None and x.node.order])
    found = _gradients(ys, starts, create_graph, keep=inner)
    seen = {id(getattr(start, "array", start)) for start in starts}  # the caller's own arrays
    result = tuple([_own(found[x.node], seen) if x.node in found else None for x in xs])
    return result[0] if isinstance(inputs, Variable) else result


def _no_switch(function: str, **switches: Any) -> TypeError:
    given = ", ".join([f"{name} is {a_kind(value)}" for name, value in switches.items()])
    where = "y.grad" if function == "backward" else "grad_outputs"
    return TypeError(f"{function}: {given}; expected True or False. An upstream gradient goes to {where}")


def _sequence(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _variables(what: str, values: Any) -> list[Variable]:
    found = _sequence(values)
    for value in found:
        if not isinstance(value, Variable):
            hint = "; for a function there is autolab.transforms.grad(f)(x)" if callable(value) else ""
            raise TypeError(f"grad: {what} has {a_kind(value)}; expected a Variable or a sequence of them{hint}")
    return found


def _gradients(ys: list[Variable], starts: list[Any], create_graph: bool, keep: Wanted) -> Gradients:
    """Gradients of the leaves and of the nodes in ``keep``."""
    seeds = [
        (y.node, _seed(y, start, create_graph, i))
        for i, (y, start) in enumerate(zip(ys, starts, strict=True))
        if y.node is not None
    ]
    if create_graph and not recording():
        with using_config("enable_backprop", True):
            return _visit(seeds, True, keep)
    return _visit(seeds, create_graph, keep)


def _visit(seeds: list[tuple[Node, Any]], create_graph: bool, keep: Wanted) -> Gradients:
    on_host = create_graph or not seeds or type(seeds[0][1]) is np.ndarray
    if keep or guards or (watchers and modes().hooks) or not on_host:  # on a GPU `pull` makes one kernel of a node
        return _sweep_observed(seeds, create_graph, keep)
    return _sweep(seeds, create_graph)


def _seed(y: Variable, start: Any, create_graph: bool, i: int) -> Any:
    """The upstream gradient of output ``i``: an array, or a Variable under ``create_graph``."""
    if start is None:
        if y.size != 1:
            raise RuntimeError(
                f"backward: the output has {y.size} elements and no upstream gradient; set y.grad (grad: grad_outputs) "
                "to an array of its shape, or take the sum of y first"
            )
        g = get_array_module(y._data).ones_like(y._data)
    elif create_graph and isinstance(start, Variable) and type(start._data) is type(y._data):
        g = start if start.dtype == y.dtype else Primitive.cast(start, dtype=y.dtype)
    else:
        g = y._like(start, f"grad: grad_outputs[{i}]")
    if g.shape != y.shape:
        raise ValueError(f"grad: grad_outputs[{i}] has shape {g.shape}; expected {y.shape}, that of its output")
    return wrap(g, None) if create_graph and not isinstance(g, Variable) else g


def _sweep(seeds: list[tuple[Node, Any]], create_graph: bool) -> Gradients:
    """Visit the nodes by falling order, on plain arrays or, under ``create_graph``, on Variables.

    The gradients live in a dictionary of this pass, so that an interrupt, another thread or a nested pass sees nothing.
    The next node is mostly one that the last one led to: it stays at hand, and only the others wait in the heap.
    """
    grads: Gradients = {}
    heap: list[tuple[int, Node]] = []
    mine: set[Node] = set()
    deliver(seeds, grads, heap)
    node: Any = None
    while node is not None or heap:
        if node is None:
            node = heappop(heap)[1]
            g = grads.pop(node)
        following = upstream = None
        highest = -heap[0][0] if heap else 0
        edge: Any = node
        if type(node) is not Node:
            deliver(node.function.pull(node, g, create_graph), grads, heap)
            edge = None
        while edge is not None:
            saved = edge.saved
            if create_graph and saved is not None:
                saved = node.function.revived(node, edge)
            gradient = edge.rule(g, saved)
            if edge.fit is not None and not (
                hasattr(gradient, "shape") and (gradient.shape, gradient.dtype) == edge.fit
            ):
                gradient = node.function.fit(gradient, edge, g)
            parent, edge = edge.parent, edge.more
            if parent.order > highest:  # it stays at hand, and what stayed so far waits
                if following is not None:
                    deliver([(following, upstream)], grads, heap)
                following, upstream, highest = parent, gradient, parent.order
            elif parent is following:
                upstream = upstream + gradient
            elif parent in mine:
                grads[parent] += gradient  # in place: this pass made the buffer (a 0-d result is a new object)
            elif parent in grads:
                grads[parent] = grads[parent] + gradient
                mine.add(parent)
            else:
                grads[parent] = gradient
                if parent.order:
                    heappush(heap, (-parent.order, parent))
        node, g = following, upstream
        gradient = None  # hold no gradient longer than its node
    return grads


def _sweep_observed(seeds: list[tuple[Node, Any]], create_graph: bool, keep: Wanted) -> Gradients:
    """The same walk through `pull`, which keeps what arrives at the nodes in ``keep`` and tells those who listen."""
    grads: Gradients = {}
    kept: Gradients = {}
    heap: list[tuple[int, Node]] = []
    deliver(seeds, grads, heap)
    hooked = bool(watchers and modes().hooks)
    while heap:
        node = heappop(heap)[1]
        g = grads.pop(node)
        if node in keep:
            kept[node] = g
        if guards and (guard := guards.get(weakref.ref(node))) is not None:
            guard()
        stop = stopwatch(get_array_module(getattr(g, "_data", g))) if hooked else None
        pairs = node.function.pull(node, g, create_graph)
        if stop is not None:
            notify(BackwardEvent(node, g, tuple([gradient for _, gradient in pairs]), stop()))
        deliver(pairs, grads, heap)
        del pairs, g  # hold no gradient longer than its node
    grads.update(kept)
    return grads


def deliver(pairs: list[tuple[Node, Any]], grads: Gradients, heap: list[tuple[int, Node]], floor: int = 0) -> None:
    """Add each gradient to its parent's; one met for the first time waits in the heap, if above ``floor``."""
    for parent, gradient in pairs:
        if gradient is None:
            continue
        if parent in grads:
            grads[parent] = grads[parent] + gradient
        else:
            grads[parent] = gradient
            if parent.order > floor:
                heappush(heap, (-parent.order, parent))


def publish(stores: Iterable[tuple[Any, str, Any]]) -> None:
    """Set attributes, given as ``(object, name, value)``, all of them or none, in one call of C.

    An interrupt is seen between two bytecodes, so it falls before or after all of them. What can fail must have
    happened before: the objects' own ``__setattr__`` and properties are not asked.
    """
    any(starmap(object.__setattr__, list(stores)))  # which runs through all of them, as a store returns None


def _stored(found: Gradients, root: Node, seen: set[int]) -> list[tuple[Node, str, Any]]:
    """What a pass stores on its nodes: a leaf's gradient adds to the one it has, that of a value in between replaces
    it."""
    stores: list[tuple[Node, str, Any]] = []
    for node, g in found.items():
        if isinstance(node, Leaf):
            stores += _stores(node, _own(g, seen))
        elif not isinstance(g, dict) and node is not root:
            # left out are functions with several results (their parts have the gradients) and the start filled in by us
            stores += (node, "grad", _own(g, seen)), (node, "given", False)
    return stores


def _stores(leaf: Leaf, g: Variable) -> list[tuple[Node, str, Any]]:
    """What changes at a leaf: mostly the gradient and nothing else."""
    before, passes = leaf.grad, 1
    if before is not None:
        g, passes = _sum(before, g), (leaf.passes or 1) + 1
    stores: list[tuple[Node, str, Any]] = [(leaf, "grad", g)]
    if leaf.passes != passes:
        stores.append((leaf, "passes", passes))
    if leaf.moved:
        stores.append((leaf, "moved", False))
    if leaf.given:
        stores.append((leaf, "given", False))
    return stores


def _sum(before: Variable, g: Variable) -> Variable:
    if before.shape != g.shape:  # the Variable got other data in between
        raise ValueError(
            f"backward: a Variable has a gradient of shape {before.shape}, to which one of shape {g.shape} cannot be "
            "added; expected the same shape: after giving it data of another shape, call cleargrad()"
        )
    if before.node is None and g.node is None:
        return wrap(array_of(before._data + g._data), None)
    return before + g


def _own(g: Any, seen: set[int]) -> Variable:
    """A Variable whose array no other gradient shares: rules may hand one array to several inputs, or a view."""
    if type(g) is np.ndarray:  # the usual case
        data, node = g, None
    else:
        data, node = (g._data, g.node) if isinstance(g, Variable) else (array_of(g), None)
    if data.base is not None or id(data) in seen:
        data = data.copy()
    seen.add(id(data))
    return wrap(data, node)


class _Last(threading.local):
    """The output of this thread's last backward pass, as long as somebody holds it."""

    output: weakref.ref[Variable] | None = None


_last = _Last()


def last_output() -> Variable | None:
    """Where this thread's last backward pass started; None if there was none, or nobody holds that value any more."""
    return None if _last.output is None else _last.output()


Variable._backward = backward
