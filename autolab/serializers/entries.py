"""What both formats share: what may stand in a file, and the checks before any array is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ..engine.backend import as_array, is_array, to_cpu
from ..engine.errors import a_kind
from ..files import FileFormatError

MAX_BYTES = 2 << 30
MAX_ENTRIES = 100_000

EMPTY = "autolab:empty/"
"""Stands before the name of a parameter without a size."""


class Stateful(Protocol):
    """What can be saved: its state is a flat dictionary of arrays and numbers by name."""

    def state(self) -> dict[str, Any]: ...
    def load_state(self, state: dict[str, Any]) -> None: ...


@dataclass(frozen=True)
class Entry:
    """An array in a file, before it is read."""

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype

    @property
    def nbytes(self) -> int:
        """How much memory it would take."""
        total = self.dtype.itemsize
        for n in self.shape:
            total *= n
        return total


def flattened(function: str, target: Any) -> dict[str, np.ndarray]:
    """The state of ``target`` as NumPy arrays by name."""
    check_target(function, target)
    arrays = {}
    for name, value in target.state().items():
        if value is None:
            arrays[EMPTY + name] = np.zeros(0)
        else:
            what = f"{function}: {name!r:.100}"
            arrays[name] = to_cpu(value) if is_array(value) else as_array(value, what)
    return arrays


def check_target(function: str, target: Any) -> None:
    """A TypeError unless ``target`` is something with a state, and no class of such things."""
    if isinstance(target, type) or not callable(getattr(target, "load_state", None)):
        what = f"the class {target.__name__:.60}" if isinstance(target, type) else a_kind(target)
        raise TypeError(f"{function}: got {what}; expected a Link, an Optimizer or a Trainer")


def restored(arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """The state that `flattened` made arrays of."""
    return {name.removeprefix(EMPTY): None if name.startswith(EMPTY) else array for name, array in arrays.items()}


def check(path: Any, entries: Iterable[Entry], max_bytes: int) -> None:
    """Refuse a file whose names, kinds or sizes are not those of a saved state."""
    seen: set[str] = set()
    total = 0
    for entry in entries:
        _check_name(path, entry.name)
        if entry.name in seen:
            raise refused(path, f"{entry.name!r:.100} stands in it twice")
        seen.add(entry.name)
        if len(seen) > MAX_ENTRIES:
            raise refused(path, f"it has more than {MAX_ENTRIES} entries")
        if entry.dtype.kind not in "biuf" or entry.dtype.hasobject:
            raise refused(path, f"{entry.name!r:.100} is of type {entry.dtype}; expected numbers")
        total += entry.nbytes
        if total > max_bytes:
            raise FileFormatError(
                f"{path}: {entry.name!r:.60} would need {_size(entry.nbytes)} (limit {_size(max_bytes)} in all). "
                "Nothing was loaded. Raise max_bytes if you trust the file."
            )


def _check_name(path: Any, name: str) -> None:
    parts = name.split("/")
    if not name or len(name) > 1000 or name.startswith("/") or ".." in parts or "\\" in name or "\0" in name:
        raise refused(path, f"the name {name!r:.100} is not one of a parameter")


def refused(path: Any, why: str) -> FileFormatError:
    """The error that says why nothing was loaded."""
    return FileFormatError(f"{path}: {why}. Nothing was loaded.")


def _size(nbytes: int) -> str:
    amount, unit = float(nbytes), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB", "PiB"):
        if amount < 1024:
            break
        amount, unit = amount / 1024, larger
    return f"{amount:.3g} {unit}"
