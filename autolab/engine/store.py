"""Atomic stores, and what a backward pass stores: arrays that no two gradients share."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable
from itertools import starmap
from typing import Any

import numpy as np

from .arrays import array_of
from .node import Node
from .sliced_gradient import SlicedGradient
from .variable import Variable, wrap

Gradients = dict[Node, Any]

retained: set[weakref.ref[Node]] = set()
"""Nodes whose gradients every pass keeps: ``x.retain_grad()`` adds them."""


def publish(stores: Iterable[tuple[Any, str, Any]]) -> None:
    """Set attributes, given as ``(object, name, value)``, all or none, in a single C call.

    Interrupts are handled between bytecodes, so they come before or after all stores. Anything that can fail must be
    done before: the ``__setattr__`` and properties of the objects are bypassed.
    """
    any(starmap(object.__setattr__, list(stores)))  # visits all, because a store returns None


def added(before: Variable, g: Variable) -> Variable:
    """The gradient of a leaf with that of another pass added."""
    if before.shape != g.shape:  # the Variable was given new data in between
        raise ValueError(
            f"backward: a Variable has a gradient of shape {before.shape}, to which one of shape {g.shape} cannot be "
            "added; expected the same shape: after giving it data of another shape, call cleargrad()"
        )
    if before.node is None and g.node is None:
        return wrap(array_of(before._data + g._data), None)
    return before + g


def own(g: Any, seen: set[int]) -> Variable:
    """A Variable whose array no other gradient shares: rules may return one array for several inputs, or a view."""
    if type(g) is np.ndarray:  # the usual case
        data, node = g, None
    else:
        g = g.whole() if type(g) is SlicedGradient else g  # of a sum of halves perhaps a Variable
        data, node = (g._data, g.node) if isinstance(g, Variable) else (array_of(g), None)
    if data.base is not None or id(data) in seen:
        data = data.copy()
    seen.add(id(data))
    return wrap(data, node)


def summed(node: Node, g: Any, seen: set[int]) -> Variable:
    """The gradient of a computed value as an own array; added to an earlier one if the node retains its gradient."""
    before = getattr(node, "grad", None) if weakref.ref(node) in retained else None
    return own(g, seen) if before is None else added(before, own(g, seen))


leaf_hooks: dict[weakref.ref[Node], tuple[Any, ...]] = {}
"""Leaf -> the hooks applied to its gradient before it is stored; `authoring.hooks` adds them."""


def arrived(leaf: Node, g: Any, seen: set[int]) -> Variable:
    """The gradient of a leaf as an own array, after its hooks."""
    found = own(g, seen)
    for hook in leaf_hooks.get(weakref.ref(leaf), ()):
        found = hook(found)
    return found


class _Last(threading.local):
    """The output of this thread's last backward pass, as long as it exists."""

    output: weakref.ref[Variable] | None = None
    held: Variable | None = None
    start: Variable | None = None


_last = _Last()


def last_output() -> Variable | None:
    """The value from which this thread's last backward pass started; None if there was none, or it no longer exists."""
    return None if _last.output is None else _last.output()


def last_start(output: Variable) -> Variable | None:
    """The upstream gradient of this thread's last backward pass, if that started at ``output``."""
    last = last_output()
    if last is None or last.node is not output.node:
        return None
    return wrap(np.ones_like(output._data), None) if _last.start is None else _last.start


def note_pass(output: Variable, stores: list[tuple[Any, str, Any]], start: Variable | None) -> None:
    """Note what a backward pass from ``output`` has stored; it started with ``start``, or with 1.

    The graph can explain why a gradient is 0 everywhere, NaN or infinite; in these cases the output is held until the
    next pass. Mostly the first element rules this out. Arrays on a GPU are not checked, as that would synchronize.
    """
    held = None
    for _, name, value in stores:
        if name == "grad" and type(data := value._data) is np.ndarray and data.size:
            first = data.item(0)
            if first - first != 0 if first else not data.any():
                held = output
    _last.output, _last.held, _last.start = weakref.ref(output), held, start
