"""The session of a live view of another library's function: inputs are moved as arrays, and the library computes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from ..recording.model import Recording
from ..recording.origins import Origins
from ..shared.binding import chosen_options
from ..transforms.tracing import Untraceable
from ..views.graph.exploration_state import ExplorationState
from ..views.graph.explorer import Explorer
from ..views.graph.program_run import RunUpstream
from ..views.graph.session import Session
from .run import BridgeRun

OPTIONS = ("upstream", "budget", "replace", "parameters", "seconds", "train", "tokens")

_LITERAL = 1000
"""An array with more elements is not written out."""


class BridgeSession(Session):
    """A function of another library and the point at which it is shown.

    Parameters
    ----------
    inputs : BridgeInputs
        The function with its arguments.
    options : mapping
        Those of ``autolab.explore``, except for higher orders and AutoLab's own fused functions.
    """

    runs: type[BridgeRun]
    """The class of its runs."""

    max_order = 0
    """For derivatives of higher order, the function itself must compute the lower one."""

    def __init__(self, inputs: Any, options: Mapping[str, Any]) -> None:
        given = chosen_options("explore", options, OPTIONS)
        self._inputs, self.library = inputs, inputs.library.title
        self._numbers: tuple[int, ...] = ()  # of the last recording's steps, in its run
        named = _Named(inputs.written, inputs.name, self.library)
        super().__init__(named, (), given, inputs.library.arrays(inputs.values))

    def computed(self, run: BridgeRun, arrays: Mapping[str, Any]) -> Recording:
        """The recording of a run at a point."""
        return run.record()

    def record(self, state: ExplorationState | None = None, check: Callable[[], None] = lambda: None) -> Recording:
        state, library, given = state or self.state, self._inputs.library, self._inputs.values
        start = RunUpstream(state, self._upstream, library.ones)
        # by the numbers of the run, which include calls that the recording omits
        numbers = self._numbers
        replaced = {numbers[step]: new.value for step, new in state.replaced.items() if step < len(numbers)}
        values = {name: library.like(given[name], a) for name, a in state.inputs.items() if name in given}
        run = self.runs(self._inputs, values, start.upstream, self._budget, check, replaced, tokens=self._tokens)
        origins = Origins(self.bound.fn)
        self.recording = self.computed(run, state.inputs)
        origins.settle()
        self._numbers, self.origins = run.numbers, origins
        self._keep(start)
        return self.recording

    def settings(self) -> dict[str, tuple[str, tuple[str, ...]]]:
        return {}

    def code(self) -> str:
        """Python code that opens the same view at this point; large arrays are written as their own names."""
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
    """A function with its inputs as parameters; their names need not be those of its own: ``batch[x]``."""

    def __init__(self, fn: Callable[..., Any], name: str, library: str) -> None:
        self.__wrapped__, self.__name__, self._library = fn, name, library
        self.__signature__ = inspect.Signature([inspect.Parameter("inputs", inspect.Parameter.VAR_KEYWORD)])

    def __call__(self, **inputs: Any) -> Any:
        """Raise: only the session runs the function. A saved page tries whether it could run it itself."""
        raise Untraceable(f"{self._library} computes it")


def opened(
    session: type[BridgeSession], fn: Any, args: tuple[Any, ...], inputs: Mapping[str, Any], options: Any
) -> Explorer:
    """The live view of a user's function, displayed; in plain Python it is saved as a page."""
    explorer = Explorer(session(session.runs.kind.bind("explore", fn, args, inputs), options or {}))
    explorer._save_here("explore", "explore", explorer.recording.function)
    return explorer
