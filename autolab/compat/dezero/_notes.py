"""Notes on what computed a Variable, found by the Variable.

The engine's nodes point to no Variable, and one function of DeZero's may be several of them; so the facade notes for
each result the call that returned it. A note holds the arguments, as DeZero's functions hold their inputs, and goes
when the result goes.
"""

from __future__ import annotations

import weakref
from collections import deque
from typing import Any

from ...engine.variable import Variable as Engine


class _Result(weakref.ref[Engine]):
    """A reference to a result, and the key of its note."""

    __slots__ = ("key",)

    key: int


_notes: dict[int, tuple[_Result, Any]] = {}
_leaving: deque[Any] = deque()
_is_leaving: list[bool] = []


def _left(
    result: _Result,
    notes: dict[int, tuple[_Result, Any]] = _notes,
    leaving: deque[Any] = _leaving,
    is_leaving: list[bool] = _is_leaving,
) -> None:
    """Drop the note of a result that is gone. What only it held is dropped one after the other, without recursion.

    As the interpreter ends, results go after the names of this module; so what is needed comes with the function.
    """
    leaving.append(notes.pop(result.key, None))
    if not is_leaving:
        is_leaving.append(True)
        try:
            while leaving:
                leaving.pop()
        finally:
            is_leaving.clear()


def note(y: Engine, creator: Any) -> Any:
    """Note what computed a Variable. Returns the reference to it."""
    result = _Result(y, _left)
    result.key = id(y)
    _notes[result.key] = result, creator
    return result


def noted(y: Engine) -> Any:
    """What computed a Variable, or None if nothing was noted."""
    found = _notes.get(id(y))
    return None if found is None else found[1]


def forget(y: Engine) -> None:
    """Drop the note of a Variable that has become a leaf."""
    _leaving.append(_notes.pop(id(y), None))
    _leaving.clear()


by_hand: weakref.WeakSet[Any] = weakref.WeakSet()
"""The functions of readers who connect their graphs themselves, with `set_creator`."""


def functions_below(y: Any) -> list[Any]:
    """The functions that computed a Variable, each once, in the order in which the book's get_dot_graph visits them."""
    waiting, found = [f for f in [y.creator] if f is not None], dict[Any, None]()
    seen = {*waiting}
    while waiting:
        f = waiting.pop()
        found[f] = None
        for x in f.inputs:
            if x.creator is not None and x.creator not in seen:
                seen.add(x.creator)
                waiting.append(x.creator)
    return [*found]
