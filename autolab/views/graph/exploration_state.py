"""Where an exploration is, as data that is replaced and never edited, so that a history can share it; and the line of
code that opens the same view at the same point.

An array is found by its key: the name of an input, or the position of an output for that output's upstream gradient.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from ...engine.backend import Array, device_name, get_array_module
from ...engine.devices import to_cpu, to_gpu
from ...engine.variable import Variable
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
    """Where a large array came from, for its code: an expression (None: the user's own array), and what was done to it
    since: elements set by flat index, and the dtypes that it was cast to."""

    expression: str | None = None
    steps: tuple[tuple[int, Any] | str, ...] = ()

    def then(self, step: tuple[int, Any] | str) -> ArraySource:
        """With one more step; an element that is set again, with no cast between, is set once."""
        casts = [i for i, done in enumerate(self.steps) if isinstance(done, str)]
        settled = casts[-1] + 1 if casts else 0
        kept = [done for done in self.steps[settled:] if isinstance(step, str) or done[0] != step[0]]
        return replace(self, steps=(*self.steps[:settled], *kept, step))


@dataclass(frozen=True, eq=False)
class ExplorationState:
    """The inputs, the upstream gradients that were set, the mode, the order of differentiation with its input, the
    fused functions that are opened, the values that are put in place of what steps compute, and the input that moves in
    forward mode with the elements of its direction (None: ones)."""

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
    def nbytes(self) -> int:
        """What the arrays take."""
        return total_bytes([self])

    @property
    def choices(self) -> tuple[Any, ...]:
        """What was chosen besides the arrays."""
        return self.train, self.order, self.wrt, self.opened, self.forward

    def differs(self, other: ExplorationState) -> bool:
        """Whether anything that is computed could come out differently."""
        if (self.choices, self.arrays.keys()) != (other.choices, other.arrays.keys()):
            return True
        if any(not _same(array, other.arrays[key]) for key, array in self.arrays.items()):
            return True
        return self.replaced.keys() != other.replaced.keys() or any(
            not _same(new.value, other.replaced[step].value) for step, new in self.replaced.items()
        )

    def having(self, key: Key, array: Array, origin: ArraySource) -> ExplorationState:
        """The same with another array."""
        return replace(self, arrays={**self.arrays, key: array}, origins={**self.origins, key: origin})

    def replacing(self, step: int, value: Replacement | None) -> ExplorationState:
        """The same with another value in place of what a step computes; None for what it computes."""
        others = {other: held for other, held in self.replaced.items() if other != step}
        return replace(self, replaced=others if value is None else dict(sorted({**others, step: value}.items())))

    def placed(self, device: str) -> ExplorationState:
        """The same with every array of floats on the CPU or on the GPU."""
        move = to_gpu if device == "gpu" else to_cpu
        return replace(self, arrays={key: move(a) if a.dtype.kind == "f" else a for key, a in self.arrays.items()})

    def cast(self, dtype: str) -> ExplorationState:
        """The same with every array of floats of another dtype."""
        changed = {key: a.astype(dtype) for key, a in self.arrays.items() if a.dtype.kind == "f" and a.dtype != dtype}
        origins = {key: self.origins.get(key, ArraySource()).then(dtype) for key in changed}
        return replace(self, arrays={**self.arrays, **changed}, origins={**self.origins, **origins})


def total_bytes(states: Iterable[ExplorationState]) -> int:
    """What the arrays of a history take; one that several states share counts once."""
    arrays = [
        array for state in states for array in (*state.arrays.values(), *[r.value for r in state.replaced.values()])
    ]
    return sum({id(array): int(array.nbytes) for array in arrays}.values())


def _same(a: Array, b: Array) -> bool:
    if a is b:
        return True
    if (a.dtype, a.shape, type(a)) != (b.dtype, b.shape, type(b)):
        return False
    return to_cpu(a).tobytes() == to_cpu(b).tobytes()  # -0.0 is another place than 0.0, where one divides


def edited(what: str, array: Array, index: int | None, value: float) -> Array:
    """A copy of ``array`` with the element at the flat ``index`` set; None stands for the only one of a number.

    Raises
    ------
    ValueError
        If there is no such element, or the value is no finite number that the array's dtype can hold.
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
    """Random numbers with the shape, dtype and place of ``array``, and the expression that draws them again.

    ``normal`` has mean 0 and the standard deviation ``scale``, ``uniform`` lies between -``scale`` and ``scale``.

    Raises
    ------
    ValueError
        If one of the three is not what it should be.
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
"""Arrays of more elements are written as where they came from and what was changed in them."""


def call_code(
    bound: Bound, state: ExplorationState, written: Callable[[Key, str], str] = lambda key, text: text
) -> str:
    """Python text that gives the present point: what differs from the defaults of `explore` is written out.

    It stands on its own but for the function and large arrays, which are the user's own names. ``written`` is given the
    text of each array, and gives what is written instead.
    """
    lines: list[str] = []  # edits of large arrays stand before the call

    def text(key: Key, name: str) -> str:
        return written(key, _expression(name, state.arrays[key], state.origins.get(key, ArraySource()), lines))

    call = bound.code(lambda x: as_given(text(str(x.name), str(x.name)), x)).partition("(")
    options = _options(bound, state, text)
    arguments = [part for part in (call[2].removesuffix(")"), options) if part]
    return "; ".join([*lines, f"autolab.explore({', '.join([call[0], *arguments])})"])


def _options(bound: Bound, state: ExplorationState, text: Callable[[Key, str], str]) -> str:
    """The options that are not the defaults; ``text`` gives that of an array, which its name may stand for."""
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
    """An expression for the array; edits of a large one become lines before it."""
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
    """An array of few elements as Python text that gives exactly the same numbers."""
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
    """Around an input that was a Variable without a claim to a gradient, the same claim."""
    if variable.requires_grad or variable.dtype.kind != "f":
        return text
    return f"autolab.Variable({text}, requires_grad=False)"
