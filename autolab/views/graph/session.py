"""Session: an exploration without its picture: the current inputs, what was moved, and the result.

It knows nothing of widgets: its tests need no browser, and another front end could use it as it is.
"""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from ...engine import Variable, config, using_config
from ...engine.backend import Array, gpu_status
from ...engine.observe import observe
from ...engine.undisturbed import quietly
from ...links.functional import with_learned
from ...recording.fused_functions import fused_names
from ...recording.model import Recording
from ...recording.orders import MAX_ORDER, input_to_differentiate
from ...recording.origins import Origins
from ...recording.record import BUDGET, record_bound
from ...recording.replacing import numbered, replacement
from ...shared.binding import Bound, bind, chosen_options, token_labels
from ..live.computation import RerunContext, UserError, told
from ..live.controls import Key, is_movable
from .choices import OPTIONS, chosen, seconds_of, settings_of
from .exploration_state import ArraySource, ExplorationState, call_code, drawn, edited, total_bytes
from .moved_input import moved_input, option
from .parameters import if_few, replaced_parameters
from .program_run import ProgramRun, RunUpstream, fitting

# The history of an exploration's state: moves of one thing, up to a final one, are undone together.

MOST_STEPS = 500
MOST_BYTES = 256 << 20


class MoveHistory:
    """The present ``state`` and the earlier ones.

    Examples
    --------
    >>> import numpy as np
    >>> history = MoveHistory(ExplorationState({"x": np.array(1.0)}, True))
    >>> for value in (2.0, 3.0):
    ...     there = ExplorationState({"x": np.array(value)}, True)
    ...     _ = history.go(there, "x", final=value == 3.0)
    >>> history.undo()
    >>> float(history.state.arrays["x"])
    1.0
    """

    def __init__(self, state: ExplorationState) -> None:
        self.state = state
        self._past: deque[ExplorationState] = deque()
        self._moving: tuple[Any, ExplorationState] | None = None

    @property
    def can_undo(self) -> bool:
        """Whether there is a move to undo."""
        return bool(self._past) or self._has_moved()

    def go(self, state: ExplorationState, mover: Any, final: bool = True) -> bool:
        """Change the state, and return whether it differs. Moves of the same mover that are not final are joined with
        the next; with None as the mover, nothing is joined.
        """
        if self._moving is None or mover is None or self._moving[0] != mover:
            self._finish()
            self._moving = (mover, self.state)
        changed = state.differs(self.state)
        if changed:
            self.state = state
        if final:
            self._finish()
        return changed

    def undo(self) -> None:
        """Undo the last finished move."""
        self._finish()
        if self._past:
            self.state = self._past.pop()

    def _finish(self) -> None:
        if self._moving and self._has_moved():
            self._past.append(self._moving[1])
            while len(self._past) > MOST_STEPS or (len(self._past) > 1 and total_bytes(self._past) > MOST_BYTES):
                self._past.popleft()
        self._moving = None

    def _has_moved(self) -> bool:
        return self._moving is not None and self.state.differs(self._moving[1])


class Session(RerunContext):
    """A function and the point at which it is explored.

    The point is a copy: the caller's arrays and Variables never change. Modes and random numbers are those of the
    thread that opened the session, whichever thread computes; every computation draws the same random numbers, so that
    every change of the result comes from a move.

    Parameters
    ----------
    fn : callable
        Takes Variables and returns a Variable or a tuple of them.
    args, inputs
        The arguments of ``fn``, bound to its signature.
    options : dict, optional
        ``upstream``, ``budget``, ``order``, ``wrt``, ``open``, ``forward``, ``tokens`` and ``replace`` (keys are step
        numbers), as for `record`; ``parameters``: arrays that replace parameters of links, by name; ``seconds``: the
        time limit of a computation; ``train``: the mode.

    Raises
    ------
    TypeError
        If the inputs do not fit the signature, or an option is unknown.
    """

    max_order = MAX_ORDER
    """The highest order of differentiation."""

    def __init__(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        options: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Any] | None = None,
    ) -> None:
        given = chosen_options("explore", options, OPTIONS)
        self.seconds = seconds_of(given)
        self._budget = given.get("budget", BUDGET)
        self._tokens = token_labels("explore", given.get("tokens", ()))
        self._upstream = given.get("upstream")  # until the first run, which shows which outputs it belongs to
        self.bound = self._bind(fn, tuple(args), inputs or {})
        super().__init__(fn)
        self.given.add(self._own(args, inputs or {}))
        self.given.settle()
        self.differentiates = config.enable_backprop
        arrays: dict[Key, Any] = {name: variable.array.copy() for name, variable in self.bound.inputs.items()}
        arrays |= replaced_parameters(self.bound, given.get("parameters", {}))
        input_to_differentiate("explore", self.bound.inputs, given.get("order", 0), given.get("wrt"))
        orders = {
            "order": given.get("order", 0),
            "wrt": given.get("wrt"),
            "opened": fused_names("explore", given.get("open", ())),
            "replaced": numbered("explore", given.get("replace", {})),
            "forward": moved_input(self.bound, given.get("forward")),
        }
        self.start = ExplorationState(arrays, bool(given.get("train", config.train)), **orders)
        self._history = MoveHistory(self.start)
        self.recording: Recording | None = None
        self.seconds_taken = 0.0  # duration of the last computation
        self.outputs: dict[int, Array] = {}
        self.domains: dict[str, tuple[float, float]] = {}
        self.controls: dict[Key, tuple[Any, dict[str, Any]]] = {}  # for each key, the last control and its source

    def _bind(self, fn: Callable[..., Any], args: tuple[Any, ...], inputs: Mapping[str, Any]) -> Bound:
        """The function with its inputs and the parameters that can be moved."""
        return if_few(with_learned(bind("explore", fn, args, inputs)))

    # ------------------------------------------------------------------ the current inputs
    @property
    def point(self) -> dict[str, Array]:
        """A copy of the current inputs and of the parameters that were moved."""
        return {name: array.copy() for name, array in self.state.inputs.items()}

    @property
    def state(self) -> ExplorationState:
        """The current inputs and all other choices."""
        return self._history.state

    @property
    def can_undo(self) -> bool:
        """Whether something was moved."""
        return self._history.can_undo

    def array(self, key: Key) -> Array:
        """The array of a key; an upstream gradient that was not set or no longer fits its output is ones."""
        if isinstance(key, int) and key in self.outputs:
            return fitting(self.state.arrays, key, self.outputs[key])
        if key in self.bound.learned and key not in self.state.arrays:
            return self.bound.learned[str(key)].array
        if key not in self.state.arrays:
            raise ValueError(f"explore: there is no input {key!r:.60} that can be moved")
        return self.state.arrays[key]

    def began(self, key: Key) -> Array:
        """The initial array of a key."""
        return self.start.arrays[key] if key in self.start.arrays else self.bound.learned[str(key)].array

    def code(self) -> str:
        """Python text that opens the same view at this point."""
        return call_code(self.bound, self.state)

    # ------------------------------------------------------------------ moving them
    def move(self, key: Key, index: int | None, value: float, final: bool = True) -> bool:
        """Set one number; True if that changed it. All moves of an array up to a final one are undone together.

        Parameters
        ----------
        key : str or int
            The input's name; for an upstream gradient the position of the output.
        index : int or None
            The index into the flattened array; None for a number.
        value : float
            A finite number.
        final : bool
            False while the user is still dragging.

        Raises
        ------
        ValueError
            If there is no such array or element, or the value is not a finite number of its kind.
        """
        array = self._movable(key)
        moved = edited(_what(key), array, index, value)
        origin = self.state.origins.get(key, ArraySource())
        origin = origin.then((index or 0, moved.reshape(-1)[index or 0].item()))
        return self._history.go(self.state.having(key, moved, origin), key, final)

    def draw(self, key: Key, distribution: str, scale: float, seed: int) -> bool:
        """Fill an array with random numbers drawn with the seed; True if that changed it.

        Raises
        ------
        ValueError
            If there is no such array, or the distribution, the scale or the seed is invalid.
        """
        array, text = drawn(_what(key), self._movable(key), distribution, scale, seed)
        return self._history.go(self.state.having(key, array, ArraySource(text)), None)

    def choose(self, setting: str, value: str | int) -> bool:
        """Set the ``dtype`` or ``device`` of all floating-point inputs, the ``mode``, the ``order`` of differentiation,
        or the input to differentiate with respect to (``wrt``); show a fused function as its steps (``open``) or as one
        step again (``close``); or let an input move in forward mode (``forward``; "": none). True if that changed
        something.

        Raises
        ------
        ValueError
            If there is no such setting or value.
        """
        return self._history.go(chosen(self, setting, value), None)

    def intervene(self, step: int, value: Any | None, final: bool = True) -> bool:
        """Replace the value that a step computes, so that later steps are computed from the new one, or restore it.
        True if that changed something.

        Parameters
        ----------
        step : int
            The step's number in the last recording.
        value : number, array or None
            One number for all elements, or an array of the step's shape; None restores the computed value.
        final : bool
            False while the user is still dragging.

        Raises
        ------
        ValueError
            If there is no such step, or its value cannot be replaced: it is an input, a call with several results, or a
            step inside an opened function, or the shape is another one.
        TypeError
            If the value is not made of real numbers.
        """
        if value is None:
            return self._history.go(self.state.replacing(step, None), ("step", step), final)
        new = replacement("explore", self.recording, step, value)
        return self._history.go(self.state.replacing(step, new), ("step", step), final)

    def settings(self) -> dict[str, tuple[str, tuple[str, ...]]]:
        """The settings of `choose`: for each, the current value ("" where inputs differ) and all possible values."""
        return settings_of(self)

    @cached_property
    def has_gpu(self) -> bool:
        """Whether a GPU is available; finding out takes a while."""
        return gpu_status().state == "ok"

    def undo(self) -> None:
        """Undo the last finished move."""
        self._history.undo()

    def reset(self) -> None:
        """Go back to the initial state; this can be undone."""
        self._history.go(self.start, None)

    def _movable(self, key: Key) -> Array:
        array = self.array(key)
        if not is_movable(array):
            raise ValueError(f"explore: {_what(key)} is {array.dtype} {tuple(array.shape)}; it cannot be moved")
        return array

    # ------------------------------------------------------------------ the result
    def record(self, state: ExplorationState | None = None, check: Callable[[], None] = lambda: None) -> Recording:
        """Run the function and its gradient; errors that the function raises propagate.

        ``check`` is called at every step; an exception that it raises ends the computation.
        """
        state, start = state or self.state, time.perf_counter()
        self.changes += bool(self.origins.changed())  # before the run: what the function itself changes does not count
        run, origins = ProgramRun(self.bound, state, check, self._upstream), Origins(self.bound.fn)
        with self.modes(state.train), observe(run.hear), observe(origins.look):
            options = {"upstream": run.upstream, "budget": self._budget, "order": state.order}
            options |= {"wrt": state.wrt, "open": state.opened, "replace": state.replaced}
            options |= {"forward": option(self, state.forward), "tokens": self._tokens}
            recording = record_bound(self.bound, run.leaves, **options)
        origins.add([(own, name) for name, own in self.bound.learned.items() if name not in state.arrays])
        origins.settle(own=run.leaves.values())
        self.domains, self.origins, self.recording = run.domains, origins, recording
        self.seconds_taken = time.perf_counter() - start
        self._keep(run)
        return recording

    @contextlib.contextmanager
    def modes(self, train: bool) -> Iterator[None]:
        """A context with everything in which the function runs; in every one it draws the same random numbers."""
        with (
            quietly(self.floats),  # the picture shows NaN and infinities; a warning adds nothing
            using_config("enable_backprop", self.differentiates),
            using_config("train", train),
            using_config("rng", self.rng()),
        ):
            yield

    def _keep(self, run: RunUpstream) -> None:
        """Make the given upstream gradients movable, after the first run."""
        self.outputs = run.ones
        if self._upstream is not None:
            self.start = self._history.state = run.standing()
            self._upstream = None

    def compute(
        self, state: ExplorationState | None = None, check: Callable[[], None] = lambda: None
    ) -> Recording | UserError:
        """`record`, but an exception that the user's function raises is returned as data; an interrupt ends only this
        computation.

        This also holds for the first point. The error's ``recording`` has the steps before it.
        """
        return told(lambda: self.record(state, check))

    @property
    def train(self) -> bool:
        """The chosen mode."""
        return self.state.train

    def _own(self, args: Sequence[Any], inputs: Mapping[str, Any]) -> Iterator[tuple[Any, str]]:
        """The caller's own arrays and Variables, with the names of the inputs that were copied from them."""
        for value in (*args, *inputs.values()):
            data = value.array if isinstance(value, Variable) else value
            yield from [(value, name) for name, copied in self.bound.variables.items() if copied.array is data]


def _what(key: Key) -> str:
    return key if isinstance(key, str) else "the upstream gradient"
