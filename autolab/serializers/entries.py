"""The common part of both formats: what a file may contain, and the checks before any array is read."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..engine import a_kind, as_array, is_array, to_cpu
from ..shared.files import FileFormatError, free_bytes, reading, refused, shown_path, visible
from ..shared.state_layout import FREE, Layout, check_layout, layout_of, most_names, quoted, slot_for

EMPTY = "autolab:empty/"
"""Prefix of the name of a parameter that has no size yet."""


class Stateful(Protocol):
    """An object that can be saved: its state is a flat dictionary of arrays and numbers by name."""

    def state(self) -> dict[str, Any]: ...
    def load_state(self, state: Mapping[str, Any], /) -> None: ...


@dataclass(frozen=True)
class Entry:
    """An array of numbers in a file, before it is read; ``read`` reads it and verifies its checksum."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype
    read: Callable[[], np.ndarray]

    @property
    def nbytes(self) -> int:
        """The memory that it would take, in bytes."""
        return math.prod(self.shape) * self.dtype.itemsize


class Reading(Mapping[str, "np.ndarray | None"]):
    """The state in a file, read lazily: each access reads an array, which belongs to the caller."""

    handed_over = True

    def __init__(self, path: Any, entries: Mapping[str, Entry | None]) -> None:
        self._path, self._entries = path, entries

    def __getitem__(self, name: str) -> np.ndarray | None:
        entry = self._entries[name]
        if entry is None:
            return None
        with reading(self._path):
            return entry.read()

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


class Stored(Protocol):
    """Opens a file that has at most ``most`` names; gives its entries."""

    def __call__(self, path: Any, most: int, /) -> AbstractContextManager[list[Entry]]: ...


def load(function: str, stored: Stored, path: Any, target: Any, max_bytes: int | None) -> None:
    """Load a file into ``target``, if all of its entries fit."""
    check_target(function, target)
    layout = layout_of(target)
    with stored(path, most_names(layout)) as entries:
        state = checked(path, entries, layout, max_bytes)
        try:
            check_layout(function, layout, state)
            target.load_state(Reading(path, state))
        except FileFormatError:
            raise
        except ValueError as error:  # the file belongs to another model
            raise FileFormatError(f"{shown_path(path)}: {visible(error, 190)}") from None


def read_all(stored: Stored, path: Any, max_bytes: int | None = None) -> dict[str, np.ndarray]:
    """All arrays in a file, by their names there."""
    with stored(path, most_names(FREE)) as entries:
        checked(path, entries, FREE, max_bytes)
        with reading(path):
            return {entry.name: entry.read() for entry in entries}


def flattened(function: str, target: Any) -> dict[str, np.ndarray]:
    """The state of ``target`` as NumPy arrays by name."""
    check_target(function, target)
    arrays = {}
    for name, value in target.state().items():
        if wrong := wrong_name(name):
            raise ValueError(f"{function}: {wrong}")
        if value is None:
            arrays[EMPTY + name] = np.zeros(0)
        else:
            what = f"{function}: {quoted(name)}"
            arrays[name] = to_cpu(value) if is_array(value) else as_array(value, what)
    return arrays


def check_target(function: str, target: Any) -> None:
    """Raise a TypeError unless ``target`` has a state; a class has none."""
    if isinstance(target, type) or not callable(getattr(target, "load_state", None)):
        what = f"the class {target.__name__:.60}" if isinstance(target, type) else a_kind(target)
        raise TypeError(f"{function}: got {what}; expected a Link, an Optimizer or a Trainer")


def checked(path: Any, entries: list[Entry], layout: Layout, max_bytes: int | None) -> dict[str, Entry | None]:
    """The entries by name, None for those without a size, after checking that names and sizes are safe to read."""
    found: dict[str, Entry | None] = {}
    free = total = 0
    limit = free_bytes(os.stat(path).st_size) if max_bytes is None else max_bytes
    for entry in entries:
        name = entry.name.removeprefix(EMPTY)
        if wrong := wrong_name(name):
            raise refused(path, wrong)
        if name in found:
            raise refused(path, f"{quoted(name)} occurs in it twice")
        if name != entry.name and entry.shape != (0,):
            raise refused(path, f"{quoted(name)} is marked as empty but is not")
        found[name] = None if name != entry.name else entry
        slot = slot_for(layout, name)
        total += entry.nbytes
        free += max(0, entry.nbytes - (slot.nbytes if slot else 0))
        if (free if max_bytes is None else total) > limit:
            raise FileFormatError(
                f"{shown_path(path)}: {quoted(name)} would need {_size(entry.nbytes)} (limit {_size(limit)} in all). "
                "Nothing was loaded. Raise max_bytes if you trust the file."
            )
    return found


def wrong_name(name: str) -> str | None:
    """Why this cannot be the name of an entry; None if it can."""
    parts = name.split("/")
    if len(name) > 1000 or not {"", ".", ".."}.isdisjoint(parts) or "\\" in name or "\0" in name:
        return f"the name {quoted(name)} is not one of a parameter"
    return None


def _size(nbytes: int) -> str:
    amount, unit = float(nbytes), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB", "PiB"):
        if amount < 1024:
            break
        amount, unit = amount / 1024, larger
    return f"{amount:.3g} {unit}"
