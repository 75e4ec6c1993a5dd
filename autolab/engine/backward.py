"""The backward pass, the only one. It is iterative, and stores nothing until everything is computed."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

import numpy as np

from .arrays import HALF, stopwatch
from .backend import get_array_module, numpys
from .configuration import using_config
from .errors import no_switch
from .gradient_arrays import SlicedGradient, sum_of_halves
from .modes import backprop_enabled, modes, watchers
from .node import Leaf, Node
from .observe import BackwardEvent, notify
from .primitive import Primitive
from .store import Gradients, added, gradient_hooks, guards, hooked, last, note_pass, own, publish, retained, summed
from .variable import Variable, wrap
from .walks import Ways

watched_nodes: dict[weakref.ref[Node], Callable[[bool], None]] = {}
"""Callbacks for nodes that `autolab.debug` watches: called with False before a visit and with True after it."""


class _Every:
    """A set that contains every node."""

    def __contains__(self, node: object) -> bool:
        return True


Wanted = frozenset[Node] | _Every
Pairs = list[tuple[Node, Any]]


def backward(y: Variable, retain_grad: bool = False, create_graph: bool = False, gradient: Any = None) -> None:
    """See `Variable.backward`."""
    if type(retain_grad) is not bool or type(create_graph) is not bool:
        raise no_switch("backward", retain_grad=retain_grad, create_graph=create_graph)
    root = y.node
    if root is None:
        raise RuntimeError(
            "backward: this value depends on no Variable that requires a gradient: integers never do, make them "
            "floats; zeros(n) does with requires_grad=True; what is computed in no_grad, from .data or detach() does "
            "not. After `w = w - lr * w.grad` in no_grad, w is such a value: write w -= lr * w.grad"
        )
    given = getattr(root, "given", False)
    if given and gradient is not None:
        raise ValueError("backward: got an upstream gradient, and y.grad is set; expected one of the two")
    start = root.grad if given else None if gradient is None else y._gradient(gradient, "Variable.backward: gradient")
    keep: Wanted = frozenset([node for ref in {*retained} if (node := ref()) is not None]) if retained else frozenset()
    keep = _Every() if retain_grad else keep
    found = _visit([(root, _seed(y, start, create_graph, 0))], create_graph, keep)
    if given:
        found.pop(root, None)  # a start gradient set by the user stays as it is
    found = {n: g if n.order else hooked(n, g) for n, g in found.items()} if gradient_hooks else found
    stores = _store(found, None if root in keep else root, {id(start._data)} if start is not None else set())
    note_pass(y, stores, start)


def gradients(
    ys: list[Variable], starts: list[Any], create_graph: bool, keep: Wanted, floor: int = 0, ways: Ways | None = None
) -> Gradients:
    """Gradients of the leaves and of the nodes in ``keep``; nodes with an order up to ``floor`` are not visited. Where
    ``ways`` are given, functions that can leave gradients out compute only those that lead there."""
    seeds = [
        (y.node, _seed(y, start, create_graph, i))
        for i, (y, start) in enumerate(zip(ys, starts, strict=True))
        if y.node is not None
    ]
    return _visit(seeds, create_graph, keep, floor, ways)


def _visit(seeds: Pairs, create_graph: bool, keep: Wanted, floor: int = 0, ways: Ways | None = None) -> Gradients:
    if create_graph and not backprop_enabled():
        with using_config("enable_backprop", True):
            return _visit(seeds, True, keep, floor, ways)
    on_host = create_graph or not seeds or type(seeds[0][1]) in numpys  # on a GPU `pull` runs a node as one kernel
    if keep or watched_nodes or gradient_hooks or (watchers and modes().hooks) or not on_host:
        return _sweep_observed(seeds, create_graph, keep, floor, ways)
    return _sweep(seeds, create_graph, ways)


def _seed(y: Variable, start: Any, create_graph: bool, i: int) -> Any:
    """The upstream gradient of output ``i``: an array, or a Variable under ``create_graph``."""
    data = y._data
    if start is None:
        if data.size != 1:
            raise RuntimeError(
                f"backward: the output has {data.size} elements and no upstream gradient; set y.grad or "
                "call y.backward(g) with one of its shape (grad: grad_outputs), or take the sum of y first"
            )
        plain = type(data) is np.ndarray  # `ones_like` takes five times as long
        g = np.array(1, data.dtype, ndmin=data.ndim) if plain else get_array_module(data).ones_like(data)
    elif create_graph and isinstance(start, Variable) and type(start._data) is type(data):
        g = start if start.dtype == y.dtype else Primitive.cast(start, dtype=y.dtype)
    else:
        g = y._like(start, f"grad: grad_outputs[{i}]")
    if g.shape != data.shape:
        raise ValueError(f"grad: grad_outputs[{i}] has shape {g.shape}; expected {data.shape}, that of its output")
    return wrap(g, None) if create_graph and not isinstance(g, Variable) else g


def _sweep(seeds: Pairs, create_graph: bool, ways: Ways | None) -> Gradients:
    """Visit the nodes in descending order, on plain arrays or, with ``create_graph``, on Variables.

    The gradients are kept in a dictionary of this pass, so that an interrupt, another thread or a nested pass does not
    see them. The next node is mostly a parent of the last one: it is kept in a variable, and only the others go through
    the heap. The loop over the edges of a plain node is that of `Primitive.pull`; other nodes have their own `pull`.
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
        if type(g) is SlicedGradient:
            g = g.whole()
        following = upstream = None
        highest = -heap[0][0] if heap else 0
        edge: Any = node
        if type(node) is not Node:
            deliver(node.function.pull(node, g, create_graph, ways), grads, heap)
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
            if parent.order > highest:  # it is visited next, and the former next one goes to the heap
                if following is not None:
                    deliver([(following, upstream)], grads, heap)
                following, upstream, highest = parent, gradient, parent.order
            elif parent is following:
                upstream = sum_of_halves(upstream, gradient) if gradient.dtype is HALF else upstream + gradient
            elif parent in mine:
                if type(gradient) is SlicedGradient:
                    grads[parent][gradient.index] += gradient.g
                else:
                    grads[parent] += gradient  # in place: this pass made the buffer (a 0-d result is a new object)
            elif parent in grads:
                if gradient.dtype is HALF:
                    grads[parent] = sum_of_halves(grads[parent], gradient)
                else:
                    grads[parent] = grads[parent] + gradient
                if not create_graph:
                    mine.add(parent)
            else:
                grads[parent] = gradient
                if parent.order:
                    heappush(heap, (-parent.order, parent))
        node, g = following, upstream
        gradient = None  # hold no gradient longer than its node
    return grads


def _sweep_observed(seeds: Pairs, create_graph: bool, keep: Wanted, floor: int, ways: Ways | None) -> Gradients:
    """The same through `pull`; keeps the gradients that arrive at the nodes in ``keep``, and notifies observers."""
    grads: Gradients = {}
    kept: Gradients = {}
    heap: list[tuple[int, Node]] = []
    deliver(seeds, grads, heap)
    observed = bool(watchers and modes().hooks)
    while heap:
        node = heappop(heap)[1]
        g = grads.pop(node)
        g = g.whole() if type(g) is SlicedGradient else g
        g = hooked(node, g, create_graph) if gradient_hooks else g
        if node in keep:
            kept[node] = g
        watching = watched_nodes.get(weakref.ref(node)) if watched_nodes else None
        if watching is not None:
            watching(False)
        stop = stopwatch(get_array_module(getattr(g, "_data", g))) if observed else None
        pairs = node.function.pull(node, g, create_graph, ways)
        if watching is not None:
            watching(True)
        if stop is not None:
            notify(BackwardEvent(node, g, tuple([gradient for _, gradient in pairs]), stop()))
        deliver(pairs, grads, heap, floor)
        del pairs, g  # hold no gradient longer than its node
    grads.update(kept)
    return grads


def deliver(pairs: Pairs, grads: Gradients, heap: list[tuple[int, Node]], floor: int = 0) -> None:
    """Add each gradient to that of its parent; new parents go to the heap if their order is above ``floor``."""
    for parent, gradient in pairs:
        if gradient is None:
            continue
        if parent in grads:
            before = grads[parent]
            grads[parent] = sum_of_halves(before, gradient) if gradient.dtype is HALF else before + gradient
        else:
            grads[parent] = gradient
            if parent.order > floor:
                heappush(heap, (-parent.order, parent))


def _store(found: Gradients, root: Node | None, seen: set[int], is_held: bool = False) -> list[tuple[Node, str, Any]]:
    """Store what a pass has found on its nodes: those of leaves, and retained ones, accumulate; others are replaced."""
    last.held = None  # where a thread's first pass is noticed, see `guards`
    if guards and not is_held:
        with guards[0]:
            return _store(found, root, seen, True)
    stores: list[tuple[Node, str, Any]] = []
    for node, g in found.items():
        if isinstance(node, Leaf):
            g, before, passes = own(g, seen), node.grad, 1
            if before is not None:
                g, passes = added(before, g), (node.passes or 1) + 1
            stores.append((node, "grad", g))
            if node.passes != passes:
                stores.append((node, "passes", passes))
            if node.moved > 0:
                stores.append((node, "moved", -node.moved))
            if node.given:
                stores.append((node, "given", False))
        elif not isinstance(g, dict) and node is not root:
            # left out are functions with several results (their parts have the gradients) and the start filled in by us
            stores += (node, "grad", summed(node, g, seen)), (node, "given", False)
    publish(stores)
    return stores


Variable._backward = backward
