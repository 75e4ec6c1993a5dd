"""Traced arrays that a function keeps, in a list or on an object, become NumPy arrays when the trace ends."""

from __future__ import annotations

import contextlib
import gc
from collections import deque
from collections.abc import Iterator
from types import CellType, FrameType
from typing import Any

from .array import TracedArray, made_here


@contextlib.contextmanager
def nothing_kept() -> Iterator[None]:
    """At the end, replace traced arrays made inside by their values, wherever they are referenced."""
    token = made_here.set([])
    try:
        yield
    finally:
        made = made_here.get() or []
        made_here.reset(token)
        replaced([array for one in made if (array := one()) is not None])


def replaced(kept: list[Any]) -> None:
    """Replace arrays that carry a value by that value, wherever they are referenced."""
    values: dict[int, Any] = {id(array): array._value for array in kept}
    while kept:
        held: list[Any] = []
        asked = tuple(kept)  # since Python 3.13 it is among the referrers of its own items
        for holder in gc.get_referrers(*asked):
            if holder is asked:
                continue
            if type(holder) is tuple:  # immutable: a new one replaces it
                held.append(holder)
                values[id(holder)] = tuple([values.get(id(item), item) for item in holder])
            elif holder is not kept and not isinstance(holder, FrameType | TracedArray):
                _replace_in(holder, values)
        kept = held


def _replace_in(holder: Any, values: dict[int, Any]) -> None:
    if isinstance(holder, list | deque | dict):
        pairs = list(holder.items() if isinstance(holder, dict) else enumerate(holder))
        for key, item in pairs:
            if id(item) in values:
                holder[key] = values[id(item)]
    elif isinstance(holder, CellType):
        holder.cell_contents = values.get(id(holder.cell_contents), holder.cell_contents)
    else:
        names = [name for kind in type(holder).__mro__ for name in kind.__dict__.get("__slots__", ())]
        for name in [*names, *getattr(holder, "__dict__", ())]:
            item = getattr(holder, name, None)
            if id(item) in values:
                with contextlib.suppress(AttributeError, TypeError):
                    object.__setattr__(holder, name, values[id(item)])
