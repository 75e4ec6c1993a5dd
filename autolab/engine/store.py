"""Atomic stores, and what a backward pass stores: arrays that no two gradients share."""

from __future__ import annotations

import os
import sys
import threading
import time
import weakref
from collections.abc import Iterable
from itertools import starmap
from typing import Any

import numpy as np

from .arrays import array_of
from .gradient_arrays import SlicedGradient
from .node import Node
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


gradient_hooks: dict[weakref.ref[Node], tuple[Any, ...]] = {}
"""Node -> the hooks that its gradient goes through, in this order: that of a leaf before it is stored, that of a
computed value before the rules of its function; `authoring.hooks` adds them."""


def hooked(node: Node, g: Any, as_variable: bool = True) -> Any:
    """A whole gradient of a node after its hooks, if it has any: they get arrays that no two of them share."""
    hooks = gradient_hooks.get(weakref.ref(node))
    if hooks is None:
        return g
    g = own(g, set())
    for hook in hooks:
        g = hook(g)
    return g if as_variable else g._data


# ---------------------------------------------------------------------- threads that add to the same gradients
guards: list[threading.RLock] = []
"""Empty as long as a single thread makes backward passes, which then pays nothing; later the lock that is held from
reading the gradients of the leaves until the sums are stored."""

UNGUARDED = {"autolab.engine.backward": "_store", "autolab.transforms.compiling.compiled_program": "_run_adding"}
"""The functions that add to gradients, and hold no lock while `guards` is empty, by their modules."""

_guard = threading.RLock()  # a rule, an observer or a finalizer may run a pass of its own
_entering = threading.Lock()
_known: list[int] = []


def exclusive() -> threading.RLock:
    """The lock for other code that adds to gradients: it is held in any case."""
    _ = last.held
    return _guard


def _enter() -> None:
    """The first use of `last` in a thread: the second thread to come turns the lock on.

    It waits until the first has left the code that it entered without the lock.
    """
    with _entering:
        if not _known:
            _known.append(threading.get_ident())
        elif not guards:
            guards.append(_guard)
            while _is_adding():
                time.sleep(1e-5)


def _is_adding() -> bool:
    """Whether another thread is inside a function of `UNGUARDED`."""
    for thread, top in sys._current_frames().items():
        frame = None if thread == threading.get_ident() else top
        while frame is not None:
            if UNGUARDED.get(frame.f_globals.get("__name__", "")) == frame.f_code.co_name:
                return True
            frame = frame.f_back
    return False


def _after_fork() -> None:
    """Only the thread that forked goes on: what the others held is free."""
    global _guard, _entering
    _guard, _entering = threading.RLock(), threading.Lock()
    guards[:] = [_guard] * len(guards)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class _Last(threading.local):
    """The output of this thread's last backward pass, as long as it exists."""

    output: weakref.ref[Variable] | None = None
    held: Variable | None = None
    start: Variable | None = None

    def __init__(self) -> None:
        _enter()


last = _Last()


def last_output() -> Variable | None:
    """The value from which this thread's last backward pass started; None if there was none, or it no longer exists."""
    return None if last.output is None else last.output()


def last_start(output: Variable) -> Variable | None:
    """The upstream gradient of this thread's last backward pass, if that started at ``output``."""
    latest = last_output()
    if latest is None or latest.node is not output.node:
        return None
    return wrap(np.ones_like(output._data), None) if last.start is None else last.start


def note_pass(output: Variable, stores: list[tuple[Any, str, Any]], start: Variable | None) -> None:
    """Note what a backward pass from ``output`` has stored; it started with ``start``, or with 1.

    The graph can explain why a gradient is 0 everywhere, NaN or infinite; in these cases the output is held until the
    next pass. Mostly the first element rules this out. Arrays on a GPU are not checked, as that would synchronize.
    """
    last.output, last.start = weakref.ref(output), start
    for _, name, value in stores:
        if name == "grad" and type(data := value._data) is np.ndarray and data.size:
            first = data.item(0)
            if first - first != 0 if first else not data.any():
                last.held = output
