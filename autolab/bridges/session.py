"""The session of a live view of another library's function: its inputs are moved as arrays, the library computes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..engine.backend import Array
from ..recording.model import Recording
from ..recording.origins import Origins
from ..transforms.tracing import Untraceable
from ..views.graph.exploration_state import ExplorationState
from ..views.graph.explorer import Explorer
from ..views.graph.session import Session

OPTIONS = ("upstream", "budget", "replace", "parameters", "seconds", "train")


class BridgeSession(Session):
    """A function of another library and the point at which it is looked at; `run` is what a bridge writes.

    Parameters
    ----------
    fn : callable
    name : str
        What it is called.
    arrays : mapping of str to array
        The inputs by their names.
    options : mapping
        Those of ``autolab.explore``, but for the higher orders and fused functions of AutoLab's own.
    """

    library: str
    """What it is called, for the sentences of views."""

    max_order = 0
    """Derivatives of higher order are written in the function itself."""

    def __init__(
        self, fn: Callable[..., Any], name: str, arrays: Mapping[str, np.ndarray], options: Mapping[str, Any]
    ) -> None:
        unknown = ", ".join([f"{key!r:.60}" for key in options if key not in OPTIONS])
        if unknown:
            names = ", ".join([f"{key!r}" for key in OPTIONS])
            raise TypeError(f"explore: unknown options {unknown:.150}; expected {names} for a function of this library")
        super().__init__(_Named(fn, name, self.library), (), options, arrays)

    def run(
        self, arrays: Mapping[str, np.ndarray], upstream: Callable[[int, np.ndarray], Any], check: Callable[[], None]
    ) -> tuple[Recording, dict[int, np.ndarray]]:
        """The recording at a point, and ones of the shapes of the outputs that have a gradient, by their positions.

        ``upstream(position, ones)`` gives an output's upstream gradient, ``check`` is called at every step.
        """
        raise NotImplementedError

    def record(self, state: ExplorationState | None = None, check: Callable[[], None] = lambda: None) -> Recording:
        state = state or self.state
        origins = Origins(self.bound.fn)
        recording, self.outputs = self.run(state.inputs, self._start(state), check)
        origins.settle()
        self.origins, self.recording = origins, recording
        if self._upstream is not None:
            self._keep_upstream(state)
        return recording

    def _start(self, state: ExplorationState) -> Callable[[int, np.ndarray], Any]:
        """The upstream gradient of an output: what was given or set, where it fits, else ones."""

        def start(position: int, ones: np.ndarray) -> Any:
            if self._upstream is not None:
                several = isinstance(self._upstream, list | tuple)
                return self._upstream[position] if several else self._upstream
            array = state.arrays.get(position)
            return ones if array is None or array.shape != ones.shape else array

        return start

    def _keep_upstream(self, state: ExplorationState) -> None:
        """What was given becomes a part of the state."""
        start = self._start(state)
        arrays: dict[Any, Array] = {**state.arrays}
        arrays |= {i: np.asarray(start(i, ones), dtype=ones.dtype) for i, ones in self.outputs.items()}
        self._begin(replace(state, arrays=arrays))

    def settings(self) -> dict[str, tuple[str, tuple[str, ...]]]:
        return {}

    def _chosen(self, setting: str, value: Any) -> ExplorationState:
        if setting in ("order", "wrt"):
            raise ValueError("explore: derivatives of higher order are written in the function itself in this library")
        return super()._chosen(setting, value)


class _Named:
    """A function under the names of its inputs, which need not be those of parameters: ``batch[x]``."""

    def __init__(self, fn: Callable[..., Any], name: str, library: str) -> None:
        self.__wrapped__, self.__name__, self._library = fn, name, library
        self.__signature__ = inspect.Signature([inspect.Parameter("inputs", inspect.Parameter.VAR_KEYWORD)])

    def __call__(self, **inputs: Any) -> Any:
        """The session runs the function; a saved page asks whether it could."""
        raise Untraceable(f"{self._library} computes it")


def opened(session: BridgeSession) -> Explorer:
    """The live view of a session, shown; in plain Python it is saved as a page."""
    explorer = Explorer(session)
    explorer._save_here("explore", "explore", explorer.recording.function)
    return explorer
