"""Session: an exploration without its picture. Where the inputs stand, what was moved, and what comes out.

It knows nothing of widgets: the tests of its rules need no browser, and another front end could use it as it is.
"""

from __future__ import annotations

import contextlib
import math
import numbers
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..binding import bind, chosen_options
from ..engine.backend import Array, to_cpu
from ..engine.config import config, using_config
from ..engine.variable import Variable
from ..recording.model import Recording
from ..recording.recorder import record_bound
from .controls import control, is_movable
from .user_error import UserError, user_error

Point = Mapping[str, Array]

HISTORY = 500
_MODES = ("enable_backprop", "train")


class Session:
    """One function and the point at which it is looked at.

    The point is a copy: the caller's arrays and Variables never change. Points are replaced, not edited, so the history
    shares what did not move. The modes are those of the thread that opened the session, whichever thread computes.

    Parameters
    ----------
    fn : callable
        Takes Variables, returns a Variable or a tuple of them.
    args, inputs
        Its arguments, bound by its signature.
    options : dict, optional
        ``upstream`` and ``budget``, as for `record`.

    Raises
    ------
    TypeError
        If the inputs do not fit the signature, or an option is unknown.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        args: Sequence[Any] = (),
        options: Mapping[str, Any] | None = None,
        inputs: Mapping[str, Any] | None = None,
    ) -> None:
        self._options = chosen_options("explore", options, ("upstream", "budget"))
        self._bound = bind("explore", fn, tuple(args), inputs or {})
        self._modes = [(mode, getattr(config, mode)) for mode in _MODES]
        # The picture shows NaN and infinities, so a warning at every move would say nothing new.
        self._floats: Any = {kind: "ignore" if how == "warn" else how for kind, how in np.geterr().items()}
        self._start: Point = {name: variable.data.copy() for name, variable in self._bound.variables.items()}
        self._point: Point = self._start
        self._past: deque[Point] = deque(maxlen=HISTORY)
        self._moving: tuple[str, Point] | None = None

    # ------------------------------------------------------------------ where the inputs stand
    @property
    def name(self) -> str:
        """The function's name."""
        return self._bound.name

    @property
    def point(self) -> dict[str, Array]:
        """A copy of the inputs as they stand."""
        return {name: array.copy() for name, array in self._point.items()}

    @property
    def can_undo(self) -> bool:
        """Whether something was moved."""
        return bool(self._past) or self._has_moved()

    def controls(self) -> list[dict[str, Any]]:
        """How each input can be moved, in the order of the signature."""
        return [control(name, array, self._start[name]) for name, array in self._point.items()]

    def code(self) -> str:
        """The call at this point as Python text; arrays too large to print stand under their name."""
        return self._bound.code(lambda variable: _literal(str(variable.name), self._point[str(variable.name)]))

    # ------------------------------------------------------------------ moving them
    def move(self, name: str, index: Sequence[int] | None, value: float, final: bool = True) -> bool:
        """Set one number; True if that changed it.

        Moves of one input up to a final one are a single step of the history.

        Parameters
        ----------
        name : str
            The input.
        index : (int, int) or None
            Row and column in a grid (a vector is one row); None for a number.
        value : float
            Finite.
        final : bool
            False while the user is still dragging.

        Raises
        ------
        ValueError
            If there is no such input or element, or the value is not a finite number of the input's kind.
        """
        before = self._point
        moved = _replaced(name, before.get(name), index, value)
        if self._moving is None or self._moving[0] != name:
            self._finish()
            self._moving = (name, before)
        changed = not np.array_equal(to_cpu(moved), to_cpu(before[name]))
        if changed:
            self._point = {**before, name: moved}
        if final:
            self._finish()
        return changed

    def undo(self) -> None:
        """Go back by one finished move."""
        self._finish()
        if self._past:
            self._point = self._past.pop()

    def reset(self) -> None:
        """Go back to the first point; this can be undone."""
        self._finish()
        self._moving = ("", self._point)
        self._point = self._start
        self._finish()

    def _finish(self) -> None:
        if self._moving and self._has_moved():
            self._past.append(self._moving[1])
        self._moving = None

    def _has_moved(self) -> bool:
        if self._moving is None:
            return False
        before = self._moving[1]
        return any(
            array is not before[name] and not np.array_equal(to_cpu(array), to_cpu(before[name]))
            for name, array in self._point.items()
        )

    # ------------------------------------------------------------------ what comes out
    def record(self) -> Recording:
        """Run the function and its gradient at this point; the user's errors pass through."""
        fresh = {name: self._leaf(name, array) for name, array in self._point.items()}
        with contextlib.ExitStack() as modes:
            modes.enter_context(np.errstate(**self._floats))
            for mode, value in self._modes:
                modes.enter_context(using_config(mode, value))
            return record_bound(self._bound, fresh, **self._options)

    def compute(self) -> Recording | UserError:
        """`record`, with what the user's function raises as data; an interrupt ends only this computation."""
        try:
            return self.record()
        except (Exception, KeyboardInterrupt) as error:
            return user_error(error)

    def _leaf(self, name: str, array: Array) -> Variable:
        bound = self._bound.variables[name]
        return type(bound)(array.copy(), name=name, requires_grad=bound.requires_grad)


def _replaced(name: str, array: Array | None, index: Sequence[int] | None, value: float) -> Array:
    """A copy of the array with one element set."""
    if array is None or not is_movable(array):
        raise ValueError(f"explore: there is no input {name!r:.60} that can be moved")
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not math.isfinite(value):
        raise ValueError(f"explore: {name} was moved to {value!r:.60}; expected a finite number")
    place = _place(name, array, index)
    moved = array.copy()
    try:
        with np.errstate(over="ignore"):
            moved[place] = value if array.dtype.kind == "f" else round(value)
    except OverflowError:
        raise ValueError(f"explore: {name} was moved to {value!r:.60}, which {array.dtype} cannot hold") from None
    if not is_movable(moved):
        raise ValueError(f"explore: {name} was moved to {value!r:.60}, which {array.dtype} cannot hold")
    return moved


def _place(name: str, array: Array, index: Sequence[int] | None) -> tuple[int, ...]:
    if index is None and array.ndim == 0:
        return ()
    rows = array.shape[0] if array.ndim == 2 else 1
    match index:
        case [int(row), int(column)] if array.ndim and 0 <= row < rows and 0 <= column < array.shape[-1]:
            return (row, column)[-array.ndim :]
    raise ValueError(f"explore: {name} has the shape {tuple(array.shape)}; there is no element {index!r:.60}")


def _literal(name: str, array: Array) -> str:
    if array.size > 1000:
        return name
    values = to_cpu(array)
    if values.ndim == 0 and values.dtype == np.float64:
        return repr(values.item()) if math.isfinite(values) else f"float({str(values.item())!r})"
    text = repr(values.tolist()).replace("nan", "np.nan").replace("inf", "np.inf")
    return f"np.array({text})" if values.dtype == np.float64 else f"np.array({text}, dtype=np.{values.dtype})"
