"""The face that every library gets, so that each workload is written once; `libraries.py` has the libraries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Run = Callable[[Sequence[Any]], Any]


class Library:
    """What workloads ask of a library: `forward` returns a tape, `backward` pulls the upstream gradient through it.

    The defaults suit a library whose variables carry `.data` and `.grad` and whose graph hangs on the output, the tape.
    """

    name: str
    by_hand = False
    exp: Callable[..., Any]
    log: Callable[..., Any]
    tanh: Callable[..., Any]
    sum: Callable[..., Any]
    matmul: Callable[..., Any]
    muladd: Callable[..., Any]
    linear: Callable[..., Any]
    own_linear: Callable[..., Any]

    def leaf(self, array: np.ndarray) -> Any:
        """Return a variable that gets a gradient."""
        raise NotImplementedError

    def constant(self, array: np.ndarray) -> Any:
        """Return an operand that gets none."""
        raise NotImplementedError

    def forward(self, run: Run, leaves: Sequence[Any]) -> Any:
        return run(leaves)

    def backward(self, tape: Any, seed: Any) -> None:
        tape.grad = seed
        tape.backward()

    def value(self, tape: Any) -> np.ndarray:
        return np.asarray(tape.data)

    def gradients(self, tape: Any, leaves: Sequence[Any]) -> list[np.ndarray]:
        return [np.asarray(v.grad.data) for v in leaves]

    def update(self, tape: Any, leaves: Sequence[Any], rate: float) -> None:
        """One step of plain gradient descent, in place."""
        for v in leaves:
            v.data -= rate * v.grad.data

    def clear(self, leaves: Sequence[Any]) -> None:
        for v in leaves:
            v.cleargrad()

    def data(self, leaf: Any) -> np.ndarray:
        return np.asarray(leaf.data)

    def derivative(self, x: Any, seed: Any, order: int) -> Any:
        """Return the derivative of tanh of that order at x, with its graph."""
        raise NotImplementedError

    def gradcheck(self, fn: Callable[..., Any], leaves: Sequence[Any]) -> bool:
        """Return whether the library's own check finds all gradients right; it compares every element."""
        raise NotImplementedError

    def nodes(self, y: Any) -> int | None:
        """Return the number of function applications in the graph of y, None where the library does not show it."""
        return None


class Functional(Library):
    """Arrays are arrays; running gives (value, pullback).  The tape is [value, pullback, gradients once known]."""

    def leaf(self, array: np.ndarray) -> Any:
        return array

    constant = leaf

    def forward(self, run: Run, leaves: Sequence[Any]) -> Any:
        return [*run(leaves), ()]

    def backward(self, tape: Any, seed: Any) -> None:
        tape[2] = tape[1](seed)

    def value(self, tape: Any) -> np.ndarray:
        return np.asarray(tape[0])

    def gradients(self, tape: Any, leaves: Sequence[Any]) -> list[np.ndarray]:
        return [np.asarray(g) for g in tape[2]]

    def update(self, tape: Any, leaves: Sequence[Any], rate: float) -> None:
        for a, g in zip(leaves, tape[2], strict=True):
            a -= rate * g

    def clear(self, leaves: Sequence[Any]) -> None:
        pass

    def data(self, leaf: Any) -> np.ndarray:
        return leaf


class NumPy(Functional):
    """No library at all: what `by_hand.py` writes out."""

    name = "numpy"
    by_hand = True


def muladd_of(base: Any) -> Callable[..., Any]:
    """A user's MulAdd on Chainer's `FunctionNode` or on AutoLab's: both take the same text."""

    class MulAdd(base):  # type: ignore[misc]
        def forward(self, inputs: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
            x, y, z = inputs
            self.retain_inputs((0, 1))
            w = x * y
            w += z
            return (w,)

        def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> tuple[Any, ...]:
            x, y = self.get_retained_inputs()
            (g,) = grad_outputs
            return g * y, g * x, g

    return lambda x, y, z: MulAdd().apply((x, y, z))[0]


def count_reachable(start: Any, parents: Callable[[Any], list[Any]]) -> int:
    seen, pending = {start}, [start]
    while pending:
        new = set(parents(pending.pop())) - seen
        seen |= new
        pending += new
    return len(seen)
