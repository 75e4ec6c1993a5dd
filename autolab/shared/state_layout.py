"""The expected entries of a saved state, which are checked before any of them is read.

The state of a random generator as an array, so that it can be saved with everything else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from .files import visible

BELOW = "/*"
"""Suffix of a name that matches all names under it; alone, it matches every name."""

_TAKES = {"f": "fiu", "i": "iu", "u": "iu", "b": "b"}
"""The dtype kinds that may be loaded, by the kind that is expected; booleans are not accepted as weights."""

_MOST_BELOW = 8
"""The most names under a name whose shape is known: an optimizer's state for a parameter."""

_MOST_FREE = 1000


class Header(Protocol):
    """An array, or an entry of a file before it is read."""

    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype: ...


@dataclass(frozen=True)
class Slot:
    """What is expected of one entry.

    Attributes
    ----------
    shape : tuple of int or None
        None if it is unknown.
    dtype : numpy.dtype or None
        The dtype that the entry is converted to; None accepts any numbers.
    empty : bool
        Whether the entry may be empty, for a parameter that has no size yet.
    count : bool
        Whether a single number is accepted as well.
    """

    shape: tuple[int, ...] | None = None
    dtype: np.dtype | None = None
    empty: bool = False
    count: bool = False

    def takes(self, header: Header) -> bool:
        """Whether an entry of this shape and dtype fits."""
        kind = header.dtype.kind
        if self.count and header.shape == () and kind in "iuf":
            return True
        return self.shape in (None, header.shape) and (self.dtype is None or kind in _TAKES[self.dtype.kind])

    @property
    def nbytes(self) -> int:
        """The memory that it needs, in bytes; 0 if the shape is unknown."""
        if self.shape is None:
            return 0
        return int(np.prod(self.shape, dtype=object)) * (8 if self.dtype is None else self.dtype.itemsize)


Layout = Mapping[str, Slot]

FREE: Layout = {BELOW: Slot()}
"""The layout of objects that do not define one: anything is accepted."""

TEXT = Slot(None, np.dtype(np.uint8))
NUMBER = Slot((), np.dtype(np.float64))
COUNT = Slot((), np.dtype(np.int64))
TRUTH = Slot((), np.dtype(np.bool_))


def layout_of(target: Any) -> Layout:
    """The layout that ``target`` defines, or `FREE`."""
    found = getattr(target, "state_layout", None)
    return found() if callable(found) else FREE


def is_handed_over(state: Mapping[str, Any]) -> bool:
    """Whether the arrays of a state belong to the caller, as those read from a file do, and need not be copied."""
    return bool(getattr(state, "handed_over", False))


def slot_for(layout: Layout, name: str) -> Slot | None:
    """The slot for an entry; None if the name is unknown."""
    if name in layout:
        return layout[name]
    above = name
    while above:
        above = above.rpartition("/")[0]
        if above + BELOW in layout:
            return layout[above + BELOW]
    return None


def most_names(layout: Layout) -> int:
    """The largest number of names, including groups, in a state of this layout."""
    most = 0
    for name, slot in layout.items():
        free = _MOST_FREE if slot.shape is None else _MOST_BELOW
        most += name.count("/") + (free if name.endswith(BELOW) else 1)
    return most if BELOW not in layout else 100_000


def check_layout(who: str, layout: Layout, found: Mapping[str, Header | None]) -> None:
    """Raise a ValueError that names ``who`` if an entry is unknown, missing, or does not fit its slot.

    Parameters
    ----------
    found : mapping of str to array or entry
        None for those that have no size.
    """
    check_names(who, layout, found)
    for name, header in found.items():
        slot = slot_for(layout, name)
        assert slot is not None  # the names were checked
        check_entry(who, name, slot, header)


def check_names(who: str, layout: Layout, found: Iterable[str]) -> None:
    """Raise a ValueError that names ``who`` if a name is unknown or missing."""
    names = set(found)
    unknown = [name for name in names if slot_for(layout, name) is None]
    missing = [name for name in layout if not name.endswith(BELOW) and name not in names]
    room = (2, 30) if unknown and missing else (3, 60)
    lacks = {"the loaded state lacks": missing, "what it is loaded into lacks": unknown}
    if said := [f"{side} {named(names, *room)}" for side, names in lacks.items() if names]:
        raise ValueError(f"{who}: {'; '.join(said)}; nothing was loaded")


def check_entry(who: str, name: str, slot: Slot, header: Header | None) -> None:
    """Raise a ValueError that names ``who`` if an array, or None, does not fit its slot."""
    if header is None and not slot.empty:
        found = f"{quoted(name)} has no size in the loaded state"
        raise ValueError(f"{who}: {found}; expected {slot.shape}; nothing was loaded")
    if header is not None and not slot.takes(header):
        fits = slot.shape in (None, header.shape)
        found = f"is of {header.dtype}" if fits else f"has shape {visible(header.shape, 60)}"
        expected = slot.dtype if fits else slot.shape
        raise ValueError(f"{who}: {quoted(name)} {found}; expected {expected}; nothing was loaded")


def named(names: list[str], most: int = 3, longest: int = 60) -> str:
    """The first names in order, for a message."""
    few = ", ".join([visible(name, longest) for name in sorted(names[:1000])[:most]])
    return few + (f" and {len(names) - most} more" if len(names) > most else "")


def quoted(name: str) -> str:
    """A name that may come from a file, for a message."""
    return f"'{visible(name, 60)}'"


def under(part: str, layout: Layout) -> dict[str, Slot]:
    """``layout`` with ``part/`` prepended to its names."""
    return {f"{part}{name}" if name == BELOW else f"{part}/{name}": slot for name, slot in layout.items()}


# ---------------------------------------------------------------------------------------------------- texts in a state
def text_state(value: Any, **options: Any) -> np.ndarray:
    """A value that JSON can represent, as an array of bytes that can be saved with the other arrays of a state."""
    return np.frombuffer(json.dumps(value, **options).encode(), np.uint8)


@contextmanager
def unpacking(who: str) -> Iterator[None]:
    """Turn any error that an unexpected text causes in the block into a ValueError that names ``who``."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        what = f"its saved state is not one of its kind ({visible(error)})"
        raise ValueError(f"{who}: {what}; nothing was loaded") from None


def text_of(state: Any) -> Any:
    """The value that `text_state` has turned into an array."""
    return json.loads(bytes(np.asarray(state, np.uint8)).decode())


def generator_state(rng: np.random.Generator) -> np.ndarray:
    """The state as JSON, in an array of bytes."""
    return text_state(rng.bit_generator.state, default=_listed)


def generator_store(rng: np.random.Generator, state: Any) -> tuple[Any, str, dict[str, Any]]:
    """The assignment, for `publish`, that restores the state of a generator of the same kind in ``rng``.

    Raises
    ------
    ValueError
        If ``state`` is not a result of `generator_state` for this kind of generator.
    """
    kind = type(rng.bit_generator)
    with unpacking(f"{kind.__name__} generator"):
        found = text_of(state)
        trial = kind()
        _check_positions(found, trial.state)
        trial.state = found
    return rng.bit_generator, "state", found


def _check_positions(state: Any, usual: Any) -> None:
    """Check the position in the generator's table, from which it would read; NumPy does not check its bounds."""
    for table, position, found, kind in (
        ("key", "pos", state["state"], usual["state"]),
        ("buffer", "buffer_pos", state, usual),
    ):
        if position in kind:
            place = found[position]
            if type(place) is not int or not 0 <= place <= len(kind[table]) == len(found[table]):
                raise ValueError(f"{position} is {place!r} in a table of {len(found[table])} numbers")


def _listed(value: Any) -> Any:
    return value.tolist()
