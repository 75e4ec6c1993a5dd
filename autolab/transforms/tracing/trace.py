"""A trace: what is computed from some arrays, recorded step by step while it happens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...engine.undisturbed import filters, raised, watched
from .array import Buffer, TracedArray
from .program import EXACT, ArrayProgram, Guard, ProgramStep, View

RANGED = frozenset(["add", "subtract", "multiply", "divide", "square", "sqrt", "power", "sum"])
"""Steps whose floating-point errors show in their results."""


class Untraceable(RuntimeError):
    """Raised for what a program cannot do; the message names the operation and the reason."""


@dataclass(eq=False)
class ArrayTrace:
    """Steps, in the order in which they were made; each has its own slot, so that slots never change."""

    slots: list[tuple[int, np.dtype]] = field(default_factory=list)
    constants: dict[int, np.ndarray] = field(default_factory=dict)
    inputs: list[View] = field(default_factory=list)
    steps: list[ProgramStep] = field(default_factory=list)
    guards: list[Guard] = field(default_factory=list)
    refusal: Untraceable | None = None
    is_open: bool = True
    filters: tuple[Any, ...] = field(default_factory=filters)
    _raised: frozenset[str] = frozenset()
    _known: dict[tuple[str, bytes], int] = field(default_factory=dict)
    _made: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def input(self, array: np.ndarray) -> TracedArray:
        """A new input: a traced copy of ``array``."""
        value = np.array(array, order="C")
        buffer = Buffer(value.reshape(-1), self, self._slot(value.size, value.dtype))
        made = TracedArray.of(value, buffer)
        self.inputs.append(self.view(made))
        return made

    def view(self, array: TracedArray, shape: Sequence[int] | None = None) -> View:
        """The elements of an array in their slot, broadcast to a shape."""
        buffer, value = array._buffer, array._value
        if buffer.trace is None and (buffer.slot is None or buffer.owner is not self):
            buffer.slot, buffer.owner, buffer.start = self._constant(buffer.flat), self, 0
        if buffer.trace not in (None, self):
            raise self.refuse("an array of another trace")
        spread = value if shape is None or value.shape == tuple(shape) else np.broadcast_to(value, tuple(shape))
        pairs = zip(spread.shape, spread.strides, strict=True)
        strides = tuple([0 if n == 1 else s // value.itemsize for n, s in pairs])
        assert buffer.slot is not None
        return View(buffer.slot, buffer.offset(spread), tuple(spread.shape), strides)

    def step(self, name: str, operands: Sequence[View], shape: Sequence[int], value: Any, **attributes: Any) -> Any:
        """Record a step whose result here is ``value``; returns the result as a traced array."""
        held = np.array(value, order="C", copy=None)
        if not held.flags.owndata:
            held = held.copy()
        buffer = Buffer(held.reshape(-1), self, self.write(name, operands, shape, held, **attributes))
        made = TracedArray.of(held, buffer)
        if self._raised and held.dtype.kind in "fc" and name not in EXACT:
            self._guard_range(made, name)
        return made

    def write(
        self, name: str, operands: Sequence[View], shape: Sequence[int], held: np.ndarray, **attributes: Any
    ) -> int:
        """The slot of a step whose result is like ``held``; equal steps are recorded only once."""
        key = (name, tuple(operands), tuple(shape), held.dtype, repr(attributes) if attributes else "")
        if key not in self._made:
            self._made[key] = slot = self._slot(held.size, held.dtype)
            self.steps.append(ProgramStep(name, slot, tuple(operands), tuple(shape), attributes))
        return self._made[key]

    def guard(self, array: TracedArray, answer: bool) -> None:
        """From here on the program is correct only if the truth value of ``array`` is ``answer``."""
        self.guards.append(Guard(self.view(array), answer))

    def refuse(self, what: str) -> Untraceable:
        """The error for something that a program cannot do. It is kept: catching it does not help the function."""
        self.refusal = self.refusal or Untraceable(what)
        return self.refusal

    def watch(self) -> None:
        """Before NumPy computes: refuse if the function waits for floating-point errors, which programs do not raise.

        Overflow is different: the steps concerned have a guard against it.
        """
        if (what := watched(self.filters)) is not None:
            raise self.refuse(what)
        self._raised = raised()

    @contextmanager
    def listening(self) -> Iterator[None]:
        """While NumPy computes: refuse floating-point errors, which the function may catch and a program cannot."""
        try:
            yield
        except (FloatingPointError, RuntimeWarning):
            self.refuse("a floating-point error")
            raise

    def _guard_range(self, made: Any, name: str) -> None:
        """Guard that the step that made this raises no floating-point error."""
        errors, self._raised = self._raised, frozenset()
        with np.errstate(all="ignore"):
            least = np.finfo(made.dtype).tiny if "under" in errors else 0
            if name not in RANGED or not bool(((abs(made) < np.inf) & (abs(made) >= least)).all()):
                raise self.refuse(f"numpy.{name} beyond the floats")

    def program(self, outputs: Sequence[TracedArray]) -> ArrayProgram:
        """The recorded program, without steps that neither an output nor a guard depends on."""
        if self.refusal is not None:
            raise self.refusal
        views = tuple([self.view(output) for output in outputs])
        return ArrayProgram(
            tuple(self.slots), dict(self.constants), tuple(self.inputs), tuple(self.steps), views, tuple(self.guards)
        ).pruned()

    def _slot(self, size: int, dtype: np.dtype) -> int:
        self.slots.append((size, dtype))
        return len(self.slots) - 1

    def _constant(self, flat: np.ndarray) -> int:
        key = (flat.dtype.str, flat.tobytes())
        if key not in self._known:
            self._known[key] = slot = self._slot(flat.size, flat.dtype)
            self.constants[slot] = flat.copy()
        return self._known[key]
