"""The interface that every library gets, so that each workload is written only once; and a workload's work.

`libraries.py` has the libraries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

Run = Callable[[Sequence[Any]], Any]
OPERATIONS = ("exp", "log", "tanh", "sum", "matmul")


class Work(NamedTuple):
    """Phases that are run one after the other and timed; `results` runs them once, for comparison.

    `parts` names the phases that get their own rows besides the whole; `counts` are additional rows without timing.
    """

    title: str
    phases: Mapping[str, Callable[[], Any]]
    results: Callable[[], list[np.ndarray]]
    rtol: float = 1e-4
    parts: tuple[str, ...] = ()
    counts: Callable[[], dict[str, int]] = dict


Shape = tuple[int, int, int]


def of_layer(n: int, k: int, m: int) -> tuple[Shape, Shape, Shape]:
    """The products of a linear layer: its value, the gradient of its input, and that of its weights."""
    return (n, k, m), (n, m, k), (k, n, m)


def products_alone(title: str, shapes: Sequence[Shape]) -> Work:
    """Products of these shapes, one after the other, into arrays that are there."""
    rng = np.random.default_rng(6)
    pairs = {s: (rng.standard_normal(s[:2], dtype="f4"), rng.standard_normal(s[1:], dtype="f4")) for s in shapes}
    given = [(*pairs[n, k, m], np.empty((n, m), "f4")) for n, k, m in shapes]

    def whole() -> None:
        for a, b, out in given:
            np.matmul(a, b, out=out)

    return Work(title, {"whole": whole}, list)


class Library:
    """What workloads ask of a library: `forward` returns a tape, `backward` pulls the upstream gradient through it.

    The defaults suit a library whose variables carry `.data` and `.grad` and whose graph hangs on the output, the tape.
    Its `OPERATIONS` are attributes, beside `muladd`, a function of the user's own. Some libraries have more:
    `differentiate(y, x, seed)` keeps the graph of a derivative; `gradcheck(fn, leaves)` is the library's own check of
    every element, of `linear` and `own_linear`, which are the library's and the user's `x @ w.T`.
    """

    name: str
    by_hand = False
    muladd: Callable[..., Any]
    linear: Callable[..., Any]
    own_linear: Callable[..., Any]
    differentiate: Callable[..., Any]
    gradcheck: Callable[..., bool]

    def fused(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """A function that works element by element as one step, where the library makes one of it."""
        return fn

    def take(self, module: Any) -> None:
        """Use the operations of a module."""
        vars(self).update({name: getattr(module, name) for name in OPERATIONS})

    def leaf(self, array: np.ndarray) -> Any:
        """Return a variable that gets a gradient."""
        raise NotImplementedError

    def constant(self, array: np.ndarray) -> Any:
        """Return an operand that gets no gradient."""
        return array

    def forward(self, run: Run, leaves: Sequence[Any]) -> Any:
        return run(leaves)

    def backward(self, tape: Any, seed: Any) -> None:
        tape.grad = seed
        tape.backward()

    def value(self, tape: Any) -> np.ndarray:
        """Return the array of a tape, or of a leaf."""
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

    def derivative(self, x: Any, seed: Any, order: int) -> Any:
        """Return the derivative of tanh of that order at x."""
        y = self.tanh(x)
        for _ in range(order):
            y = self.differentiate(y, x, seed)
        return y

    def nodes(self, y: Any) -> int | None:
        """Return the number of function applications in the graph of y, None where the library does not show it."""
        return None


class WithArrays(Library):
    """A library whose gradients are arrays, and whose functions accept arrays."""

    def gradients(self, tape: Any, leaves: Sequence[Any]) -> list[np.ndarray]:
        return [v.grad for v in leaves]

    def update(self, tape: Any, leaves: Sequence[Any], rate: float) -> None:
        for v in leaves:
            v.data -= rate * v.grad


class Functional(Library):
    """Arrays are arrays; running gives (value, pullback).  The tape is [value, pullback, gradients once known]."""

    def leaf(self, array: np.ndarray) -> Any:
        return array

    def forward(self, run: Run, leaves: Sequence[Any]) -> Any:
        return [*run(leaves), ()]

    def backward(self, tape: Any, seed: Any) -> None:
        tape[2] = tape[1](seed)

    def value(self, tape: Any) -> np.ndarray:
        return np.asarray(tape[0] if isinstance(tape, list) else tape)

    def gradients(self, tape: Any, leaves: Sequence[Any]) -> list[np.ndarray]:
        return [np.asarray(g) for g in tape[2]]

    def update(self, tape: Any, leaves: Sequence[Any], rate: float) -> None:
        for a, g in zip(leaves, tape[2], strict=True):
            a -= rate * g

    def clear(self, leaves: Sequence[Any]) -> None:
        pass


def count_reachable(start: Any, parents: Callable[[Any], list[Any]]) -> int:
    seen, pending = {start}, [start]
    while pending:
        new = set(parents(pending.pop())) - seen
        seen |= new
        pending += new
    return len(seen)
