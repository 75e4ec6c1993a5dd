"""Modes: a process default, which a context (a thread or an asyncio task) can override.

The modes of a context are one immutable `Modes`: entering or leaving a block, or assigning, computes a new one and
publishes it by a single call, so that an interrupt sees either the old or the new one.

`overrides` holds a token for every `Modes` that may have switched backprop off, in any context, `watchers` one for
every `Modes` with observers, and `listeners` one for every `Modes` notified of values that leave the graph. While they
are empty, the hot path checks nothing else: looking into the context costs more than many a step. A token is a weak
reference that removes itself, by one C call, when its modes are freed: a task started inside a block holds them until
it ends. A superfluous token costs time but is never wrong.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from contextvars import ContextVar
from typing import Any

import numpy as np

overrides: set[object] = set()
watchers: set[object] = set()
listeners: set[object] = set()


class Modes:
    """The modes of one context: its own settings are in the instance, the process defaults in the class."""

    __slots__ = ("__dict__", "__weakref__", "unheard")
    enable_backprop: bool = True
    train: bool = True
    rng: np.random.Generator
    hooks: tuple[Any, ...] = ()  # of observe()
    exits: tuple[Any, ...] = ()  # of watch_leaving()
    marks: tuple[Any, ...] = ()  # of scope()
    block: Any = None  # the innermost that is open,
    before: Modes | None = None  # and what was set before it
    unheard: Modes | None

    def __init__(self, own: dict[str, Any]) -> None:
        self.__dict__, self.unheard = own, None
        if "enable_backprop" in own:
            overrides.add(weakref.ref(self, overrides.discard))
        if own.get("hooks"):
            watchers.add(weakref.ref(self, watchers.discard))
        if own.get("exits"):
            listeners.add(weakref.ref(self, listeners.discard))

    @property
    def recording(self) -> bool:
        """`enable_backprop`, for code that does not take a step: never warns (see `configuration`)."""
        return bool(self.__dict__.get("enable_backprop", Modes.enable_backprop))

    def joins(self, args: Iterable[Any]) -> bool:
        """Whether a step taken now joins the graph if one of its arguments requires a gradient."""
        return self.enable_backprop

    def __getattr__(self, name: str) -> Any:
        if name != "rng":
            raise AttributeError(name)
        Modes.rng = numpys_generator()  # on first use, because importing numpy.random is slow
        return Modes.rng


def numpys_generator() -> np.random.Generator:
    """A generator on the state of NumPy's own functions, which users seed with ``numpy.random.seed``."""
    return np.random.Generator(np.random.get_bit_generator())  # type: ignore[attr-defined]


defaults = Modes({})
current: ContextVar[Modes] = ContextVar("autolab_modes", default=defaults)

modes = current.get
"""The modes of this context."""


def unset_modes() -> None:
    """Reset all modes of this context to the process defaults: for a thread that inherited a whole context."""
    current.set(defaults)


def backprop_enabled() -> bool:
    """Whether a function applied now, in this context, joins the graph."""
    return not overrides or modes().recording
