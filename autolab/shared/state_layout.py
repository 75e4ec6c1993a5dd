"""What the entries of a saved state must be: known before any of them is read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from .files import visible

BELOW = "/*"
"""Ends a name that stands for all names under it; alone, it stands for every name."""

_TAKES = {"f": "fiu", "i": "iu", "u": "iu", "b": "b"}
"""The kinds of numbers that may be loaded, by the kind that is wanted: truth values are no weights."""

_MOST_BELOW = 8
"""Names under one whose shape is known: what an optimizer remembers of a parameter."""

_MOST_FREE = 1000


class Header(Protocol):
    """An array, or an entry of a file before it is read."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype: ...


@dataclass(frozen=True)
class Slot:
    """The place of one entry.

    Attributes
    ----------
    shape : tuple of int or None
        None: that is not known.
    dtype : numpy.dtype or None
        What the entry becomes; None: any numbers.
    empty : bool
        Whether the entry may say that there is no array.
    count : bool
        Whether a single whole number will do as well.
    """

    shape: tuple[int, ...] | None = None
    dtype: np.dtype | None = None
    empty: bool = False
    count: bool = False

    def takes(self, header: Header) -> bool:
        """Whether an entry of this shape and dtype fits."""
        kind = header.dtype.kind
        if self.count and header.shape == () and kind in "iu":
            return True
        return self.shape in (None, header.shape) and (self.dtype is None or kind in _TAKES[self.dtype.kind])

    @property
    def nbytes(self) -> int:
        """What it needs, as far as that is known."""
        if self.shape is None:
            return 0
        return int(np.prod(self.shape, dtype=object)) * (8 if self.dtype is None else self.dtype.itemsize)


Layout = Mapping[str, Slot]

FREE: Layout = {BELOW: Slot()}
"""The layout of what does not say what it takes."""

TEXT = Slot(None, np.dtype(np.uint8))
NUMBER = Slot((), np.dtype(np.float64))
COUNT = Slot((), np.dtype(np.int64))
TRUTH = Slot((), np.dtype(np.bool_))


def layout_of(target: Any) -> Layout:
    """What ``target`` takes, where it says so."""
    found = getattr(target, "state_layout", None)
    return found() if callable(found) else FREE


def is_handed_over(state: Mapping[str, Any]) -> bool:
    """Whether the arrays of a state belong to who asks for them, as those read from a file do: they need no copy."""
    return bool(getattr(state, "handed_over", False))


def slot_for(layout: Layout, name: str) -> Slot | None:
    """The place of an entry; None: there is none."""
    if name in layout:
        return layout[name]
    above = name
    while above:
        above = above.rpartition("/")[0]
        if above + BELOW in layout:
            return layout[above + BELOW]
    return None


def most_names(layout: Layout) -> int:
    """How many names a state of this layout has at most, those of groups counted."""
    most = 0
    for name, slot in layout.items():
        free = _MOST_FREE if slot.shape is None else _MOST_BELOW
        most += name.count("/") + (free if name.endswith(BELOW) else 1)
    return most if BELOW not in layout else 100_000


def check_layout(who: str, layout: Layout, found: Mapping[str, Header | None]) -> None:
    """A ValueError that names ``who`` if an entry is unknown, missing, or not what its place takes.

    Parameters
    ----------
    found : mapping of str to array or entry
        None stands for what has no size.
    """
    check_names(who, layout, found)
    for name, header in found.items():
        slot = slot_for(layout, name)
        assert slot is not None  # the names were checked
        check_entry(who, name, slot, header)


def check_names(who: str, layout: Layout, found: Iterable[str]) -> None:
    """A ValueError that names ``who`` if a name is unknown or missing."""
    names = set(found)
    if unknown := [name for name in names if slot_for(layout, name) is None]:
        raise ValueError(f"{who}: it has no {named(unknown)}; nothing was loaded")
    if missing := [name for name in layout if not name.endswith(BELOW) and name not in names]:
        raise ValueError(f"{who}: {named(missing)} is missing; nothing was loaded")


def check_entry(who: str, name: str, slot: Slot, header: Header | None) -> None:
    """A ValueError that names ``who`` if an array, or None, is not what its place takes."""
    if header is None and not slot.empty:
        found = f"{quoted(name)} has no size in what is loaded"
        raise ValueError(f"{who}: {found}; expected {slot.shape}; nothing was loaded")
    if header is not None and not slot.takes(header):
        fits = slot.shape in (None, header.shape)
        found = f"is of {header.dtype}" if fits else f"has shape {visible(header.shape, 60)}"
        expected = slot.dtype if fits else slot.shape
        raise ValueError(f"{who}: {quoted(name)} {found}; expected {expected}; nothing was loaded")


def named(names: list[str]) -> str:
    """Some names for a message, in order."""
    few = ", ".join([visible(name, 60) for name in sorted(names[:1000])[:3]])
    return few + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def quoted(name: str) -> str:
    """A name that may come from a file, for a message."""
    return f"'{visible(name, 60)}'"


def under(part: str, layout: Layout) -> dict[str, Slot]:
    """``layout`` with ``part/`` before its names."""
    return {f"{part}{name}" if name == BELOW else f"{part}/{name}": slot for name, slot in layout.items()}


# ---------------------------------------------------------------------------------------------------- texts in a state
def text_state(value: Any, **options: Any) -> np.ndarray:
    """What JSON can hold, as an array of bytes that can be saved with the other arrays of a state."""
    return np.frombuffer(json.dumps(value, **options).encode(), np.uint8)


@contextmanager
def unpacking(who: str) -> Iterator[None]:
    """Turn what a text with something else in it makes the block raise into a ValueError that names ``who``."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        what = f"its saved state is not one of its kind ({visible(error)})"
        raise ValueError(f"{who}: {what}; nothing was loaded") from None


def text_of(state: Any) -> Any:
    """What `text_state` made an array of."""
    return json.loads(bytes(np.asarray(state, np.uint8)).decode())
