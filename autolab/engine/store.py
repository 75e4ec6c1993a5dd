"""Storing all or nothing, and what is stored of a backward pass: arrays that no two gradients share."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable
from itertools import starmap
from typing import Any

import numpy as np

from .arrays import array_of
from .node import Node
from .variable import Variable, wrap

Gradients = dict[Node, Any]

retained: set[weakref.ref[Node]] = set()
"""Nodes whose gradient is kept by every pass that comes by: ``x.retain_grad()`` enters them."""


def publish(stores: Iterable[tuple[Any, str, Any]]) -> None:
    """Set attributes, given as ``(object, name, value)``, all of them or none, in one call of C.

    An interrupt is seen between two bytecodes, so it falls before or after all of them. What can fail must have
    happened before: the objects' own ``__setattr__`` and properties are not asked.
    """
    any(starmap(object.__setattr__, list(stores)))  # which runs through all of them, as a store returns None


def added(before: Variable, g: Variable) -> Variable:
    """The gradient of a leaf with that of one more pass."""
    if before.shape != g.shape:  # the Variable got other data in between
        raise ValueError(
            f"backward: a Variable has a gradient of shape {before.shape}, to which one of shape {g.shape} cannot be "
            "added; expected the same shape: after giving it data of another shape, call cleargrad()"
        )
    if before.node is None and g.node is None:
        return wrap(array_of(before._data + g._data), None)
    return before + g


def own(g: Any, seen: set[int]) -> Variable:
    """A Variable whose array no other gradient shares: rules may hand one array to several inputs, or a view."""
    if type(g) is np.ndarray:  # the usual case
        data, node = g, None
    else:
        data, node = (g._data, g.node) if isinstance(g, Variable) else (array_of(g), None)
    if data.base is not None or id(data) in seen:
        data = data.copy()
    seen.add(id(data))
    return wrap(data, node)


leaf_hooks: dict[weakref.ref[Node], tuple[Any, ...]] = {}
"""Leaf -> what its gradient goes through before it is stored: `authoring.hooks` enters it."""


def arrived(leaf: Node, g: Any, seen: set[int]) -> Variable:
    """`own` of the gradient of a leaf, after its hooks."""
    found = own(g, seen)
    for hook in leaf_hooks.get(weakref.ref(leaf), ()):
        found = hook(found)
    return found


class _Last(threading.local):
    """The output of this thread's last backward pass, as long as somebody holds it."""

    output: weakref.ref[Variable] | None = None
    held: Variable | None = None
    start: Variable | None = None


_last = _Last()


def last_output() -> Variable | None:
    """Where this thread's last backward pass started; None if there was none, or nobody holds that value any more."""
    return None if _last.output is None else _last.output()


def last_start(output: Variable) -> Variable | None:
    """The upstream gradient of this thread's last backward pass, if that began at ``output``."""
    last = last_output()
    if last is None or last.node is not output.node:
        return None
    return wrap(np.ones_like(output._data), None) if _last.start is None else _last.start


def note_pass(output: Variable, stores: list[tuple[Any, str, Any]], start: Variable | None) -> None:
    """A backward pass from ``output`` has stored this; it began with ``start``, or with 1.

    Why a gradient is 0 everywhere, NaN or infinite, the graph tells, so there the output is held until the next pass.
    Mostly the first element says that it is not so. Arrays on a GPU are not asked: they would have to be waited for.
    """
    held = None
    for _, name, value in stores:
        if name == "grad" and type(data := value._data) is np.ndarray and data.size:
            first = data.item(0)
            if first - first != 0 if first else not data.any():
                held = output
    _last.output, _last.held, _last.start = weakref.ref(output), held, start
