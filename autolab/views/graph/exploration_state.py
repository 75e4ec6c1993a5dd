"""The state of an exploration, as data that is replaced and never edited, so that a history can share it; and the line
of code that opens the same view in the same state.

Arrays have keys: the name of an input, or for an upstream gradient the position of its output.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from ...engine import Array, Variable, device_name, get_array_module, to_cpu, to_gpu
from ...recording.replacing import Replacement
from ...shared.binding import Bound
from ..live.controls import Key, is_finite

Distribution = Literal["normal", "uniform"]

DISTRIBUTIONS: tuple[Distribution, ...] = ("normal", "uniform")
SEEDS = 2**32
FLOATS = ("float32", "float64")
DEVICES = ("cpu", "gpu")


@dataclass(frozen=True)
class ArraySource:
    """Where a large array came from, for its code: an expression (None: the user's own array), and the steps since
    then: elements set, by flat index, and dtypes it was cast to.
    """

    expression: str | None = None
    steps: tuple[tuple[int, Any] | str, ...] = ()

    def then(self, step: tuple[int, Any] | str) -> ArraySource:
        """The source with one more step. An element that is set twice with no cast in between is listed once."""
        casts = [i for i, done in enumerate(self.steps) if isinstance(done, str)]
        settled = casts[-1] + 1 if casts else 0
        kept = [done for done in self.steps[settled:] if isinstance(step, str) or done[0] != step[0]]
        return replace(self, steps=(*self.steps[:settled], *kept, step))


@dataclass(frozen=True, eq=False)
class ExplorationState:
    """The inputs, the upstream gradients that were set, the mode, the order of differentiation and its input, the fused
    functions that are opened, the values that replace results of steps, and the input that moves in forward mode with
    its direction (None: ones)."""

    arrays: Mapping[Key, Array]
    train: bool
    origins: Mapping[Key, ArraySource] = field(default_factory=dict)
    order: int = 0
    wrt: str | None = None
    opened: tuple[str, ...] = ()
    replaced: Mapping[int, Replacement] = field(default_factory=dict)
    forward: tuple[str, tuple[float, ...] | None] | None = None

    @property
    def inputs(self) -> dict[str, Array]:
        """The inputs by name."""
        return {key: array for key, array in self.arrays.items() if isinstance(key, str)}

    @property
    def held(self) -> dict[Any, Array]:
        """All arrays: the inputs, the upstream gradients, and the values in place of steps' results."""
        return {**self.arrays, **{("step", step): new.value for step, new in self.replaced.items()}}

    @property
    def choices(self) -> tuple[Any, ...]:
        """Everything that was chosen except the arrays."""
        return self.train, self.order, self.wrt, self.opened, self.forward

    def differs(self, other: ExplorationState) -> bool:
        """Whether any computed number could come out differently."""
        mine, others = self.held, other.held
        if (self.choices, mine.keys()) != (other.choices, others.keys()):
            return True
        return any([not _same(array, others[key]) for key, array in mine.items()])

    def having(self, key: Key, array: Array, origin: ArraySource) -> ExplorationState:
        """The state with another array."""
        return replace(self, arrays={**self.arrays, key: array}, origins={**self.origins, key: origin})

    def replacing(self, step: int, value: Replacement | None) -> ExplorationState:
        """The state with another value in place of a step's result; None restores the result."""
        others = {other: held for other, held in self.replaced.items() if other != step}
        return replace(self, replaced=others if value is None else dict(sorted({**others, step: value}.items())))

    def placed(self, device: str) -> ExplorationState:
        """The state with all arrays of floats on the CPU or on the GPU."""
        move = to_gpu if device == "gpu" else to_cpu
        return replace(self, arrays={key: move(a) if a.dtype.kind == "f" else a for key, a in self.arrays.items()})

    def cast(self, dtype: str) -> ExplorationState:
        """The state with all arrays of floats cast to a dtype."""
        changed = {key: a.astype(dtype) for key, a in self.arrays.items() if a.dtype.kind == "f" and a.dtype != dtype}
        origins = {key: self.origins.get(key, ArraySource()).then(dtype) for key in changed}
        return replace(self, arrays={**self.arrays, **changed}, origins={**self.origins, **origins})


def total_bytes(states: Iterable[ExplorationState]) -> int:
    """Bytes of the arrays of a history; an array that several states share counts once."""
    arrays = [array for state in states for array in state.held.values()]
    return sum({id(array): int(array.nbytes) for array in arrays}.values())


def _same(a: Array, b: Array) -> bool:
    if a is b:
        return True
    if (a.dtype, a.shape, type(a)) != (b.dtype, b.shape, type(b)):
        return False
    return to_cpu(a).tobytes() == to_cpu(b).tobytes()  # -0.0 differs from 0.0, in a division


def edited(what: str, array: Array, index: int | None, value: float) -> Array:
    """A copy of ``array`` with the element at the flat ``index`` set; None is the index of a scalar.

    Raises
    ------
    ValueError
        If there is no such element, or the value is not a finite number that the array's dtype can hold.
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not is_finite(value):
        raise ValueError(f"explore: {what} was moved to {value!r:.60}; expected a finite number")
    if not (index is None if array.ndim == 0 else type(index) is int and 0 <= index < array.size):
        raise ValueError(f"explore: {what} has the shape {tuple(array.shape)}; there is no element {index!r:.60}")
    moved = array.copy(order="C")
    try:
        with np.errstate(over="ignore"):
            moved.reshape(-1)[index or 0] = value if array.dtype.kind == "f" else round(value)
    except OverflowError:
        raise _too_large(what, value, array) from None
    if not is_finite(moved.reshape(-1)[index or 0]):
        raise _too_large(what, value, array)
    return moved


def _too_large(what: str, value: float, array: Array) -> ValueError:
    return ValueError(f"explore: {what} was moved to {value!r:.60}, which {array.dtype} cannot hold")


def drawn(what: str, array: Array, distribution: str, scale: float, seed: int) -> tuple[Array, str]:
    """Random numbers with the shape, dtype and device of ``array``, and the expression that draws them again.

    ``normal`` has mean 0 and standard deviation ``scale``, ``uniform`` is between -``scale`` and ``scale``.

    Raises
    ------
    ValueError
        If ``distribution``, ``scale`` or ``seed`` is invalid.
    """
    if distribution not in DISTRIBUTIONS:
        raise ValueError(f"explore: {what} cannot be drawn from {distribution!r:.60}; there are normal and uniform")
    if isinstance(scale, bool) or not is_finite(scale) or not 0 < scale <= 1e30:
        raise ValueError(f"explore: {what} was drawn with the scale {scale!r:.60}; expected a number from 0 to 1e30")
    if type(seed) is not int or not 0 <= seed < SEEDS:
        raise ValueError(f"explore: {what} was drawn with the seed {seed!r:.60}; expected 0 to {SEEDS - 1}")
    low = 0.0 if array.dtype.kind == "u" else -float(scale)
    first, second = (0.0, float(scale)) if distribution == "normal" else (low, float(scale))
    shape = tuple(array.shape)
    numbers_ = np.asarray(getattr(np.random.default_rng(seed), distribution)(first, second, shape))
    text = f"np.random.default_rng({seed}).{distribution}({first!r}, {second!r}, {shape})"
    if array.dtype.kind != "f":
        limits = np.iinfo(array.dtype)
        numbers_ = np.clip(np.rint(numbers_), limits.min, limits.max)
        text = f"np.clip(np.rint({text}), {limits.min}, {limits.max})"
    if array.dtype != np.float64:
        text = f"np.asarray({text}).astype(np.{array.dtype})"
    with np.errstate(over="ignore", invalid="ignore"):
        return get_array_module(array).asarray(numbers_.astype(array.dtype)), text


LITERAL = 1000
"""An array with more elements is written as its source and the changes made to it."""


def call_code(
    bound: Bound, state: ExplorationState, written: Callable[[Key, str], str] = lambda key, text: text
) -> str:
    """Python code that opens the same view in the present state; only what differs from the defaults of `explore` is
    written out.

    It is complete except for the function and large arrays, which it refers to by the user's names. ``written`` gets
    the text of each array and returns what to write instead.
    """
    lines: list[str] = []  # edits of large arrays come before the call

    def text(key: Key, name: str) -> str:
        return written(key, _expression(name, state.arrays[key], state.origins.get(key, ArraySource()), lines))

    call = bound.code(lambda x: as_given(text(str(x.name), str(x.name)), x)).partition("(")
    options = _options(bound, state, text)
    arguments = [part for part in (call[2].removesuffix(")"), options) if part]
    return "; ".join([*lines, f"autolab.explore({', '.join([call[0], *arguments])})"])


def _options(bound: Bound, state: ExplorationState, text: Callable[[Key, str], str]) -> str:
    """The options that differ from their defaults; ``text`` gives the text of an array, perhaps a name for it."""
    entries = []
    if moved := [name for name in state.inputs if name in bound.learned]:
        texts = [f"{name!r}: {text(name, name)}" for name in moved]
        entries.append(f'"parameters": {{{", ".join(texts)}}}')
    outputs = sorted([key for key in state.arrays if isinstance(key, int)])
    if outputs:
        parts = [text(i, f"upstream{i}") for i in outputs]
        entries.append(f'"upstream": {parts[0] if len(parts) == 1 else "(" + ", ".join(parts) + ")"}')
    if state.order:
        entries += [f'"order": {state.order}', *([f'"wrt": {state.wrt!r}'] if state.wrt is not None else [])]
    if state.opened:
        entries.append(f'"open": {list(state.opened)!r}')
    if state.replaced:
        values = ", ".join([f"{step}: {literal(new.value)}" for step, new in state.replaced.items()])
        entries.append(f'"replace": {{{values}}}')
    if state.forward:
        name, numbers = state.forward
        shape = bound.variables[name].shape
        way = repr(name) if numbers is None else f"{{{name!r}: {literal(np.reshape(numbers, shape))}}}"
        entries.append(f'"forward": {way}')
    if not state.train:
        entries.append('"train": False')
    return f"options={{{', '.join(entries)}}}" if entries else ""


def _expression(name: str, array: Array, origin: ArraySource, lines: list[str]) -> str:
    """An expression for the array; edits of a large array become ``lines`` before it."""
    if array.size <= LITERAL:
        text = literal(array)
    elif not origin.steps:
        text = origin.expression or name
    else:
        text = name if name.isidentifier() else "array"
        lines.append(f"{text} = {origin.expression or f'{text}.copy()'}")
        lines += [_line(text, step) for step in origin.steps]
    return text if device_name(array) == "cpu" else f"autolab.to_gpu({text})"


def _line(name: str, step: tuple[int, Any] | str) -> str:
    if isinstance(step, str):
        return f"{name} = {name}.astype(np.{step})"
    return f"{name}.reshape(-1)[{step[0]}] = {step[1]!r}"


def literal(array: Array) -> str:
    """A small array as Python code that gives exactly the same numbers."""
    values = to_cpu(array)
    if values.ndim == 0 and values.dtype == np.float64:
        return repr(values.item()) if math.isfinite(values) else f"float({str(values.item())!r})"
    text = repr(_plain(values)).replace("nan", "np.nan").replace("inf", "np.inf")
    if values.size == 0:
        return f"np.zeros({values.shape}, dtype=np.{values.dtype})"
    return f"np.array({text})" if values.dtype == np.float64 else f"np.array({text}, dtype=np.{values.dtype})"


def _plain(values: np.ndarray) -> Any:
    return (values if values.dtype.itemsize <= 8 else values.astype(np.float64)).tolist()


def as_given(text: str, variable: Variable) -> str:
    """Wrap the text of an input that was a Variable without requires_grad, so that it is one again."""
    if variable.requires_grad or variable.dtype.kind != "f":
        return text
    return f"autolab.Variable({text}, requires_grad=False)"
