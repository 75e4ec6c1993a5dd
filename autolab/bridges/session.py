"""The session of a live view of another library's function: its inputs are moved as arrays, the library computes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
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
from .run import BridgeRun

OPTIONS = ("upstream", "budget", "replace", "parameters", "seconds", "train", "tokens")

_LITERAL = 1000
"""An array of more elements is no text."""


class BridgeSession(Session):
    """A function of another library and the point at which it is looked at.

    Parameters
    ----------
    inputs : BridgeInputs
        The function with its arguments.
    options : mapping
        Those of ``autolab.explore``, but for the higher orders and fused functions of AutoLab's own.
    """

    runs: type[BridgeRun]
    """The class of its runs."""

    max_order = 0
    """Derivatives of higher order are written in the function itself."""

    def __init__(self, inputs: Any, options: Mapping[str, Any]) -> None:
        unknown = ", ".join([f"{key!r:.60}" for key in options if key not in OPTIONS])
        if unknown:
            names = ", ".join([f"{key!r}" for key in OPTIONS])
            raise TypeError(f"explore: unknown options {unknown:.150}; expected {names} for a function of this library")
        self._inputs, self.library = inputs, inputs.library.title
        self._numbers: tuple[int, ...] = ()  # of the steps of the last recording, in its run
        named = _Named(inputs.written, inputs.name, self.library)
        super().__init__(named, (), options, inputs.library.arrays(inputs.values))

    def computed(self, run: BridgeRun, arrays: Mapping[str, np.ndarray]) -> Recording:
        """The recording of a run at a point."""
        return run.record()

    def run(
        self, arrays: Mapping[str, np.ndarray], upstream: Callable[[int, np.ndarray], Any], check: Callable[[], None]
    ) -> tuple[Recording, dict[int, np.ndarray]]:
        """The recording at a point, and ones of the shapes of the outputs that have a gradient, by their positions.

        ``upstream(position, ones)`` gives an output's upstream gradient, ``check`` is called at every step.
        """
        ones: dict[int, np.ndarray] = {}
        library, given = self._inputs.library, self._inputs.values

        def starts(outputs: Sequence[Any]) -> Any:
            needing = {i: y for i, y in enumerate(outputs) if library.has_gradient(y)}
            ones.update({i: np.ones_like(library.array_of(y)) for i, y in needing.items()})
            found = tuple([upstream(i, ones[i]) if i in ones else None for i in range(len(outputs))])
            return found if len(outputs) > 1 else found[0]

        # by the numbers of the run, which counts what is left out of the recording as well
        numbers = self._numbers
        replaced = {numbers[step]: new.value for step, new in self.state.replaced.items() if step < len(numbers)}
        values = {name: library.like(given[name], a) for name, a in arrays.items() if name in given}
        run = self.runs(self._inputs, values, starts, self._budget, check, replaced, tokens=self._tokens)
        recording = self.computed(run, arrays)
        self._numbers = run.numbers
        return recording, ones

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

    def code(self) -> str:
        """Python text that opens the same view at this point; arrays of many elements by their own names."""
        parts, library = [], self._inputs.library
        for name, value in self._inputs.values.items():
            array = self.state.inputs[name]
            text = library.literal.format(numbers=array.tolist(), dtype=value.dtype) if array.size <= _LITERAL else name
            parts.append(f"{name}={text}" if name.isidentifier() else text)
        moved = [f"{name!r}: {a.tolist()!r}" for name, a in self.state.inputs.items() if name in self.bound.learned]
        parts += [f'options={{"parameters": {{{", ".join(moved)}}}}}'] if moved else []
        return f"autolab.explore({', '.join([self._inputs.code_name, *parts])})".replace("nan", library.nan)

    def choose(self, setting: str, value: str | int) -> bool:
        if setting in ("order", "wrt"):
            raise ValueError("explore: derivatives of higher order are written in the function itself in this library")
        return super().choose(setting, value)


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
