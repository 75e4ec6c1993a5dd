"""``torch.save`` and ``torch.load``, for what has a state and for states."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..engine.numpy_protocol import unwrap
from ..shared.files import reading
from .npz import load_npz, read_npz, save_npz

_INSIDE = ":/"
"""Between the names of nested states."""
_LAYOUT = "autolab:layout"
"""The name of what says how they are nested."""


class _SavedState:
    """A state that is there already, as something to be saved."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        self._state: dict[str, Any] = {}
        told = json.dumps(_told(state, "", self._state))
        if self._state.keys() != state.keys():
            self._state[_LAYOUT] = np.frombuffer(told.encode(), np.uint8)

    def state(self) -> Mapping[str, Any]:
        """The state itself."""
        return self._state

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Nothing loads into it."""
        raise TypeError("save: a state is loaded into a model: model.load_state_dict(autolab.load(path))")


def _told(value: Any, path: str, arrays: dict[str, Any]) -> Any:
    """A value as JSON has it: in brackets, with the word for what it is; arrays by the names that they get."""
    if isinstance(value, Mapping):
        return ["dict", [[key, _told(one, f"{path}{_INSIDE}{key}", arrays)] for key, one in value.items()]]
    if isinstance(value, list | tuple):
        kind = "list" if isinstance(value, list) else "tuple"
        return [kind, [_told(one, f"{path}{_INSIDE}{i}", arrays) for i, one in enumerate(value)]]
    if value is None or isinstance(value, bool | int | float | str):
        return ["value", value]
    arrays[path.removeprefix(_INSIDE)] = unwrap(value)  # of a loss that is kept, the number
    return ["array", path.removeprefix(_INSIDE)]


def _made(told: Any, arrays: Mapping[str, Any]) -> Any:
    kind, value = told
    if kind == "dict":
        return {key: _made(one, arrays) for key, one in value}
    if kind in ("list", "tuple"):
        found = [_made(one, arrays) for one in value]
        return found if kind == "list" else tuple(found)
    return arrays[value] if kind == "array" else value


def save(target: Any, file: Any) -> None:
    """`save_npz` in PyTorch's order or NumPy's, also of what ``model.state_dict()`` gave, and of dicts of such states.

    Beside them may be numbers and words, also in lists.

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
    if isinstance(target, str | os.PathLike):  # as numpy.save has it
        target, file = file, target
    stateful: Any = _SavedState(target) if isinstance(target, Mapping) else target
    save_npz(file, stateful)


def load(file: Any, map_location: Any = None, weights_only: bool = True) -> dict[str, Any]:
    """The state that `save` wrote, or the dict of several, with the numbers and words beside them.

    A state is in memory and goes where the model is, so the other two arguments of PyTorch's change nothing; a model or
    optimizer in second place is given its state, as by `load_npz`; ``model.load(path)`` does the same.
    """
    if hasattr(file, "load_state"):  # as a method has it
        file, map_location = map_location, file
    if hasattr(map_location, "load_state"):
        load_npz(file, map_location)
    arrays = read_npz(file)
    if _LAYOUT not in arrays:
        return arrays
    with reading(file):
        found: dict[str, Any] = _made(json.loads(arrays[_LAYOUT].tobytes()), arrays)
    return found
