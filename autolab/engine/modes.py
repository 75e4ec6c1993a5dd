"""Modes: a process default, overridden per context: a thread, or a task of asyncio.

The modes of a context are one `Modes`, which never changes: entering a block, leaving it, or assigning computes another
one and publishes that by a single call, so an interrupt finds the one or the other.

`overrides` holds a token for every `Modes` that may have switched backprop off, in any context, `watchers` one for
every `Modes` with observers, and `listeners` one for every `Modes` that hears what leaves the graph. While they are
empty, the hot path asks no further: looking into the context costs more than many a step. A token is a weak reference
that takes itself out, by one C call, once nobody holds its modes: a task that was started inside a block holds them
until it ends. A token too many is slow, never wrong.
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
    """The modes of one context: what was set there is in the instance, the process default in the class."""

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
        """`enable_backprop` for who takes no step (see `left_open`)."""
        return bool(self.__dict__.get("enable_backprop", Modes.enable_backprop))

    def joins(self, args: Iterable[Any]) -> bool:
        """Whether a step that is taken now joins the graph, if one of its arguments does."""
        return self.enable_backprop

    def __getattr__(self, name: str) -> Any:
        if name != "rng":
            raise AttributeError(name)
        Modes.rng = numpys_generator()  # on first use, as numpy.random takes long to import
        return Modes.rng


def numpys_generator() -> np.random.Generator:
    """A generator that draws from where NumPy's own functions draw, which people seed with ``numpy.random.seed``."""
    return np.random.Generator(np.random.get_bit_generator())  # type: ignore[attr-defined]


defaults = Modes({})
current: ContextVar[Modes] = ContextVar("autolab_modes", default=defaults)

modes = current.get
"""The modes of this context."""


def unset_modes() -> None:
    """Let this context have the process default of every mode: for a thread that took over a whole context."""
    current.set(defaults)


def backprop_enabled() -> bool:
    """Whether a function applied now, in this context, joins the graph."""
    return not overrides or modes().recording
