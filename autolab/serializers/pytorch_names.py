"""``torch.save`` and ``torch.load``, for objects with a state and for state dictionaries."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..engine import unwrap
from ..shared.files import reading
from .npz import load_npz, read_npz, save_npz

_INSIDE = ":/"
"""Separates the names of nested states."""
_LAYOUT = "autolab:layout"
"""The name of the entry that describes how they are nested."""


class _SavedState:
    """Wraps an existing state, so that it can be saved."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        self._state: dict[str, Any] = {}
        layout = json.dumps(_layout_of(state, "", self._state))
        if self._state.keys() != state.keys():
            self._state[_LAYOUT] = np.frombuffer(layout.encode(), np.uint8)

    def state(self) -> Mapping[str, Any]:
        """The state itself."""
        return self._state

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Raises: nothing can be loaded into it."""
        raise TypeError("save: a state is loaded into a model: model.load_state_dict(autolab.load(path))")


def _layout_of(value: Any, path: str, arrays: dict[str, Any]) -> Any:
    """A value for JSON, as a pair of its kind and content; arrays are put into ``arrays`` and replaced by names."""
    if isinstance(value, Mapping):
        return ["dict", [[key, _layout_of(one, f"{path}{_INSIDE}{key}", arrays)] for key, one in value.items()]]
    if isinstance(value, list | tuple):
        kind = "list" if isinstance(value, list) else "tuple"
        return [kind, [_layout_of(one, f"{path}{_INSIDE}{i}", arrays) for i, one in enumerate(value)]]
    if value is None or isinstance(value, bool | int | float | str):
        return ["value", value]
    arrays[path.removeprefix(_INSIDE)] = unwrap(value)  # a loss is saved as its number
    return ["array", path.removeprefix(_INSIDE)]


def _rebuilt(layout: Any, arrays: Mapping[str, Any]) -> Any:
    kind, value = layout
    if kind == "dict":
        return {key: _rebuilt(one, arrays) for key, one in value}
    if kind in ("list", "tuple"):
        found = [_rebuilt(one, arrays) for one in value]
        return found if kind == "list" else tuple(found)
    return arrays[value] if kind == "array" else value


def save(target: Any, file: Any) -> None:
    """Save a link, an optimizer or a trainer, or a state such as ``model.state_dict()``, as `save_npz` does.

    The file may be the second argument, as in PyTorch, or the first, as in NumPy. States can be nested in dictionaries,
    lists and tuples, together with numbers and strings.

    Examples
    --------
    >>> import autolab, tempfile
    >>> from autolab import links as L
    >>> model, twin = L.Linear(3, 2), L.Linear(3, 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     autolab.save(model.state_dict(), f"{folder}/model.npz")
    ...     differences = twin.load_state_dict(autolab.load(f"{folder}/model.npz"))
    >>> bool((model.W.data == twin.W.data).all())
    True
    """
    if isinstance(target, str | os.PathLike):  # numpy.save takes the file first
        target, file = file, target
    stateful: Any = _SavedState(target) if isinstance(target, Mapping) else target
    save_npz(file, stateful)


def load(file: Any, map_location: Any = None, weights_only: bool = True) -> dict[str, Any]:
    """Load what `save` saved: a state, or nested states with numbers and strings.

    PyTorch's arguments ``map_location`` and ``weights_only`` have no effect: arrays are loaded into main memory, and
    `Link.load_state` moves them to the model's device. A model or optimizer as the second argument is given the state,
    as by `load_npz`; ``model.load(path)`` does the same.
    """
    if hasattr(file, "load_state"):  # called as a method
        file, map_location = map_location, file
    if hasattr(map_location, "load_state"):
        load_npz(file, map_location)
    arrays = read_npz(file)
    if _LAYOUT not in arrays:
        return arrays
    with reading(file):
        found: dict[str, Any] = _rebuilt(json.loads(arrays[_LAYOUT].tobytes()), arrays)
    return found
