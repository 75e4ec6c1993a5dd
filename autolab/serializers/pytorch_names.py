"""``torch.save`` and ``torch.load``, for what has a state and for states."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from .npz import read_npz, save_npz


class _SavedState:
    """A state that is there already, as something to be saved."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        self._state = state

    def state(self) -> Mapping[str, Any]:
        """The state itself."""
        return self._state

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Nothing loads into it."""
        raise TypeError("save: a state is loaded into a model: model.load_state_dict(autolab.load(path))")


def save(target: Any, file: str | os.PathLike[str]) -> None:
    """`save_npz` in PyTorch's order, also of what ``model.state_dict()`` gave.

    Examples
    --------
    >>> import autolab, tempfile
    >>> from autolab import links as L
    >>> model, twin = L.Linear(3, 2), L.Linear(3, 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     autolab.save(model.state_dict(), f"{folder}/model.npz")
    ...     twin.load_state_dict(autolab.load(f"{folder}/model.npz"))
    >>> bool((model.W.data == twin.W.data).all())
    True
    """
    stateful: Any = _SavedState(target) if isinstance(target, Mapping) else target
    save_npz(file, stateful)


def load(file: str | os.PathLike[str]) -> dict[str, Any]:
    """The state that `save` wrote."""
    return dict(read_npz(file))
