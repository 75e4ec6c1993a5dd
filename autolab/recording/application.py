"""A recorded call that can be computed again with other numbers: which cells its result was made of.

The declaration of a function already says it. Its forward shows which cells of a result change with a cell of an
operand; the rule of an input shows which numbers a gradient is multiplied by, and a rule that keeps neither its own
input nor the result belongs to a function that is linear in that input. So no function needs a second description.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar

import numpy as np

from .. import functions
from ..engine import Primitive, array_of
from ..engine.arrays import thread_time
from ..engine.gradient_arrays import SlicedGradient
from ..engine.schema import Inputs, as_arrays
from .step import Step

MOST_CELLS = 1024
"""The largest operand or result whose cells are traced."""

SECONDS = 0.25
"""A call whose cells take longer to trace, because a user's function is slow, is not traced."""

_NUDGE = 1e-3
_ROUNDING = 64  # a forward computed again may differ by so many units in the last place, as on another device


_Method = TypeVar("_Method", bound=Callable[..., Any])


def _kept(method: _Method) -> _Method:
    """A method whose results the object keeps; it does not hold the object, as a cache of a bound method would."""

    @wraps(method)
    def call(self: Application, *places: int) -> Any:
        key = method, *places
        if key not in self._known:
            self._known[key] = method(self, *places)
        return self._known[key]

    return call  # type: ignore[return-value]


class Application:
    """One call of a declared function, with the numbers of a recording.

    Attributes
    ----------
    function : Primitive
    inputs : list
        For each operand its array; None where none was given.
    result : np.ndarray
        What the call returned; of several results, one.

    Examples
    --------
    >>> import autolab
    >>> recording = autolab.record(lambda x, w: x @ w, [[1.0, 2.0]], [[3.0, 0.0], [5.0, 6.0]])
    >>> found = application(recording.steps[-1], recording.by_id)
    >>> found.depends(1).tolist(), found.slopes(1, 0).tolist()
    ([[True, False, True, False], [False, True, False, True]], [1.0, 0.0, 2.0, 0.0])
    """

    def __init__(
        self, function: Primitive, attributes: Mapping[str, Any], inputs: list[Any], result: np.ndarray, part: int
    ) -> None:
        self.function, self.inputs, self.result = function, as_arrays(function, inputs), result
        self._attributes, self._part = attributes, part
        self._known: dict[tuple[Any, ...], Any] = {}

    def is_repeatable(self) -> bool:
        """Whether computing it again gives the recorded numbers: not if the function is random or an array changed."""
        again, slack = self._run(self.inputs), _ROUNDING * float(np.finfo(self.result.dtype).eps)
        size = np.nanmax(np.abs(self.result), initial=0.0, where=np.isfinite(self.result))
        return again is not None and np.allclose(again, self.result, slack, slack * size, equal_nan=True)

    # ------------------------------------------------------------------ forward
    @_kept
    def depends(self, place: int) -> np.ndarray | None:
        """For each cell of the result and of the operand at ``place``, both flattened, whether one depends on the
        other; also where the slope is zero at the present numbers, as that of a product with a 0 is. None if that is
        not known, as for integers.
        """
        given = self.inputs[place]
        if not isinstance(given, np.ndarray) or max(given.size, self.result.size) > MOST_CELLS:
            return None
        if self.function.elementwise:
            cells = np.broadcast_to(np.arange(given.size).reshape(given.shape), self.result.shape).reshape(-1)
            return np.asarray(cells[:, None] == np.arange(given.size))
        return self._changed(self.inputs, place, self._run)

    def _changed(self, inputs: Sequence[Any], place: int, run: Any) -> np.ndarray | None:
        """Which cells of what ``run`` returns change with each cell of the input at ``place``."""
        if inputs[place].dtype.kind != "f" or not self.function.declared:
            return None
        finite = [np.where(np.isfinite(x), x, 1) if _is_float(x) else x for x in inputs]
        before = run(finite)
        if before is None:
            return None
        found = np.zeros((before.size, inputs[place].size), bool)
        low, until = finite[place].min(initial=0) - 1, thread_time() + SECONDS
        for k in range(inputs[place].size):
            # NaN reaches all but a sum without NaN and the front of what is sorted; not every function takes both
            afters = [run(_with(finite, place, k, put)) for put in (np.nan, low)]
            known = [after for after in afters if after is not None]
            known = known or [run(_with(finite, place, k, finite[place].flat[k] * (1 - _NUDGE)))]
            if known[0] is None or thread_time() > until:
                return None
            for after in known:
                found[:, k] |= ~((after == before) | (np.isnan(after) & np.isnan(before))).reshape(-1)
        return found

    def _run(self, inputs: Sequence[Any]) -> np.ndarray | None:
        try:
            with np.errstate(all="ignore"):
                y = self.function.forward(np, *inputs, **self._attributes)
                return np.asarray(y[self._part] if self.function.several else y)
        except Exception:  # it takes no other numbers, or needs another device
            return None

    # ------------------------------------------------------------------ backward
    def is_linear(self, place: int) -> bool:
        """Whether the result is linear in an operand: the rule of its gradient then needs neither it nor the result."""
        name = self.function.input_at(place)
        kept = {name, *self.function.schema.outputs} & {*self.function.retained[name]}
        return name in self.function.declared and not kept

    @_kept
    def slopes(self, place: int, cell: int) -> np.ndarray | None:
        """The derivatives of a cell of the result with respect to all cells of an operand; None if there are none."""
        if self.function.several or not _is_float(self.inputs[place]):
            return None
        unit = np.zeros_like(self.result)
        unit.flat[cell] = 1
        found = self._pull(place, unit, self.inputs)
        if found is None or not self.function.elementwise:
            return None if found is None or found.shape != self.inputs[place].shape else found.reshape(-1)
        cells = self.depends(place)
        at = None if cells is None else cells[cell]
        slope = np.broadcast_to(found, self.result.shape).reshape(-1)[cell]
        return None if at is None else np.where(at, slope, 0)

    @_kept
    def factors(self, place: int) -> dict[int, np.ndarray]:
        """The numbers that a gradient is multiplied by on its way to the operand at ``place``.

        For each other operand that the rule keeps, and for the result under -1: for each cell of the operand, and each
        of the other array, whether the share of the one depends on the other.
        """
        kept = self.function.retained[self.function.input_at(place)]
        places = [i for i, name in enumerate(self.function.inputs) if name in kept]
        if self.function.schema.variadic or self.function.several or not _is_float(self.inputs[place]):
            return {}
        found: dict[int, np.ndarray] = {}
        mine = self.depends(place)
        for other in [*places, *([-1] if "y" in kept and "y" not in self.function.inputs else [])]:
            array = self.result if other == -1 else self.inputs[other] if other < len(self.inputs) else None
            if not isinstance(array, np.ndarray) or array.size > MOST_CELLS or mine is None:
                continue
            if self.function.elementwise:
                theirs = np.eye(array.size, dtype=bool) if other == -1 else self.depends(other)
                changed = None if theirs is None else mine.T @ theirs
            else:
                arrays = [*self.inputs, self.result]
                changed = self._changed(arrays, other % len(arrays), lambda given: self._share(place, given))
            if changed is not None:
                found[other] = changed
        return found

    def _share(self, place: int, arrays: Sequence[Any]) -> np.ndarray | None:
        """The share of an operand for upstream ones."""
        return self._pull(place, np.ones_like(self.result), arrays[:-1], arrays[-1])

    def _pull(self, place: int, g: np.ndarray, inputs: Sequence[Any], y: np.ndarray | None = None) -> np.ndarray | None:
        """What the rule of an operand returns."""
        plan, first = self.function.plan(place), len(self.function.inputs) - 1
        if plan is None:
            return None
        given: Any = Inputs(inputs, first) if self.function.schema.variadic else [*inputs]
        if self.function.schema.variadic:
            given.number = place - first
        given += [None] * (len(self.function.inputs) - len(given))
        try:
            with np.errstate(all="ignore"):
                saved = plan[1] and plan[1](given, (self.result if y is None else y,), dict(self._attributes))
                found = plan[0](g, saved)
                return np.asarray(array_of(found.whole() if isinstance(found, SlicedGradient) else found))
        except Exception:
            return None


def _with(inputs: Sequence[Any], place: int, k: int, put: float) -> list[Any]:
    """The inputs with another number in one cell."""
    changed = inputs[place].copy()
    changed.flat[k] = put
    return [*inputs[:place], changed, *inputs[place + 1 :]]


def _is_float(array: Any) -> bool:
    return isinstance(array, np.ndarray) and array.dtype.kind == "f"


def application(step: Step, steps: Mapping[int, Step], part: Step | None = None) -> Application | None:
    """The call of a step, or what it computed as ``part``, with the recorded numbers. None if it cannot be computed
    again: the function is not a declared one, or random, or an array has changed or was not kept.
    """
    call = step.call or _by_name(step)
    if call is None or step.replaced:
        return None
    function, attributes = call
    result = (step if part is None else part).value
    inputs = [_input(use.constant, None if use.step is None else steps[use.step]) for use in step.operands]
    if result is None or not result.is_whole or result.values.dtype.kind != "f" or any([x is ... for x in inputs]):
        return None
    at = 0 if part is None else part.id - step.id - 1
    found = Application(function, attributes, inputs, result.values, at)
    return found if found.is_repeatable() else None


_NAMES = {"T": "transpose", "t": "transpose", "mm": "matmul", "bmm": "matmul"}
_SAME = {"dim": "axis", "axes": "axis", "keepdim": "keepdims"}
"""Functions of PyTorch and JAX, and their attributes, by the names that they have here."""


def _by_name(step: Step) -> tuple[Primitive, dict[str, Any]] | None:
    """The declared function of the same name, for a step of PyTorch, of JAX, or of a graph that existed before; it is
    only used if it gives the recorded numbers.
    """
    name = _NAMES.get(step.function or "", step.function or "")
    function = getattr(vars(functions).get(name), "function", None)
    if not isinstance(function, Primitive) or function.several or step.backward_code is not None:
        return None
    try:
        given = {_SAME.get(name, name): ast.literal_eval(text) for name, text in step.attributes}
    except (SyntaxError, ValueError):
        return None
    fits = given.keys() <= function.schema.defaults.keys() and {*function.schema.needed} <= given.keys()
    return (function, function.schema.completed(given)) if fits else None


def _input(constant: str | None, source: Step | None) -> Any:
    """An operand as it was given; ``...`` if its numbers are not all known."""
    if source is not None:
        return source.value.values if source.value is not None and source.value.is_whole else ...
    try:
        return None if constant in (None, "None") else ast.literal_eval(constant)
    except (SyntaxError, ValueError):
        return ...
