"""``torch.save`` and ``torch.load``, for what has a state and for states."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from .npz import read_npz, save_npz

_INSIDE = ":/"
"""Between the names of nested states."""


class _SavedState:
    """A state that is there already, as something to be saved."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        self._state = dict(_flat(state))

    def state(self) -> Mapping[str, Any]:
        """The state itself."""
        return self._state

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Nothing loads into it."""
        raise TypeError("save: a state is loaded into a model: model.load_state_dict(autolab.load(path))")


def _flat(state: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in state.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{name}{_INSIDE}")
        else:
            yield f"{above}{name}", value


def save(target: Any, file: str | os.PathLike[str]) -> None:
    """`save_npz` in PyTorch's order, also of what ``model.state_dict()`` gave, and of dicts of states and numbers.

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
    stateful: Any = _SavedState(target) if isinstance(target, Mapping) else target
    save_npz(file, stateful)


def load(file: str | os.PathLike[str], map_location: Any = None, weights_only: bool = True) -> dict[str, Any]:
    """The state that `save` wrote, or the dict of several; numbers come back as arrays without axes.

    A state is in memory and goes where the model is, so the other two arguments of PyTorch's change nothing.
    """
    found: dict[str, Any] = {}
    for name, value in read_npz(file).items():
        *above, last = name.split(_INSIDE)
        inside = found
        for part in above:
            inside = inside.setdefault(part, {})
        inside[last] = value
    return found
