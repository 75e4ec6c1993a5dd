"""The workloads: one function each, run by every library through its face in `libraries.py`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from speed import by_hand
from speed.library import Library, Run


@dataclass(frozen=True)
class Problem:
    """A differentiable function with its inputs.

    `fn(library, constants, leaves)` gives the output that `seed` is pulled back from.  With a `rate`, a step also
    updates the leaves.  `hand` is the same with NumPy alone, `parts` the phases that get rows of their own.
    """

    title: str
    fn: Callable[[Library, Sequence[Any], Sequence[Any]], Any]
    leaves: tuple[np.ndarray, ...]
    seed: np.ndarray
    constants: tuple[Any, ...] = ()
    rate: float | None = None
    hand: Callable[[Sequence[Any], Sequence[Any]], Any] | None = None
    parts: tuple[str, ...] = ()
    rtol: float = 1e-4


class Step:
    """One library at work on one problem: forward, backward, then free, which leaves things as they were."""

    def __init__(self, library: Library, problem: Problem) -> None:
        self.library, self.problem = library, problem
        self.leaves = [library.leaf(a.copy()) for a in problem.leaves]
        self.seed = library.constant(problem.seed)
        self.run = self._run(library, problem)
        self.tape: Any = None
        self.title, self.rtol, self.parts = problem.title, problem.rtol, problem.parts

    @property
    def phases(self) -> dict[str, Callable[[], None]]:
        return {"forward": self.forward, "backward": self.backward, "free": self.free}

    @staticmethod
    def _run(library: Library, problem: Problem) -> Run:
        constants = [library.constant(c) if isinstance(c, np.ndarray) else c for c in problem.constants]
        if library.by_hand and problem.hand is not None:
            return partial(problem.hand, constants)
        return partial(problem.fn, library, constants)

    def forward(self) -> None:
        self.tape = self.library.forward(self.run, self.leaves)

    def backward(self) -> None:
        self.library.backward(self.tape, self.seed)
        if self.problem.rate is not None:
            self.library.update(self.tape, self.leaves, self.problem.rate)

    def free(self) -> None:
        self.tape = None
        self.library.clear(self.leaves)

    def results(self) -> list[np.ndarray]:
        """Run once: the value, the gradients, and the leaves where a step changes them."""
        self.forward()
        self.backward()
        out = [self.library.value(self.tape), *self.library.gradients(self.tape, self.leaves)]
        if self.problem.rate is not None:
            out += [self.library.data(v) for v in self.leaves]
        out = [a.copy() for a in out]
        self.free()
        return out

    def counts(self) -> dict[str, int]:
        return {}


class Derivative:
    """One library at the n-th derivative of tanh, the graph of every order kept."""

    rtol = 1e-4
    parts: tuple[str, ...] = ()

    def __init__(self, library: Library, order: int, points: int) -> None:
        x = np.linspace(-2, 2, points, dtype="f4")
        self.library, self.order = library, order
        self.x, self.seed = library.leaf(x), library.constant(np.ones_like(x))
        self.title = f"tanh, order {order}"

    @property
    def phases(self) -> dict[str, Callable[[], Any]]:
        return {"whole": self.whole}

    def whole(self) -> Any:
        return self.library.derivative(self.x, self.seed, self.order)

    def results(self) -> list[np.ndarray]:
        return [self.library.value(self.whole()).copy()]

    def counts(self) -> dict[str, int]:
        nodes = self.library.nodes(self.whole())
        return {} if nodes is None else {"nodes": nodes}


def chain(size: int, operands: str) -> Problem:
    """Four functions a turn: h = exp(tanh(h * a + b)), on arrays of four numbers."""

    def fn(lib: Library, constants: Sequence[Any], leaves: Sequence[Any]) -> Any:
        exp, tanh = lib.exp, lib.tanh
        h, a, b = [*leaves, *constants]
        for _ in range(size // 4):
            h = exp(tanh(h * a + b))
        return h

    h = (1 + 0.01 * np.random.default_rng(0).standard_normal(4)).astype("f4")
    a, b = np.full(4, 0.98, "f4"), np.full(4, -0.98, "f4")
    leaves, constants = ((h, a, b), ()) if operands == "arrays" else ((h,), (0.98, -0.98))
    hand, parts = partial(by_hand.chain, size // 4), ("forward", "backward", "free")
    return Problem(f"chain, {operands}", fn, leaves, np.ones(4, "f4"), constants, hand=hand, parts=parts, rtol=1e-3)


def user_functions(size: int) -> Problem:
    """A function of the user's own, applied again and again to four numbers: the price of one application."""

    def fn(lib: Library, constants: Sequence[Any], leaves: Sequence[Any]) -> Any:
        h, a, b = leaves
        for _ in range(size):
            h = lib.muladd(h, a, b)
        return h

    leaves = tuple(np.full(4, v, "f4") for v in (1.0, 0.98, 0.02))
    return Problem("user functions", fn, leaves, np.ones(4, "f4"))


def muladd(side: int, fused: bool) -> Problem:
    def composed(lib: Library, constants: Sequence[Any], leaves: Sequence[Any]) -> Any:
        x, y, z = leaves
        return x * y + z

    def as_one(lib: Library, constants: Sequence[Any], leaves: Sequence[Any]) -> Any:
        return lib.muladd(*leaves)

    rng = np.random.default_rng(1)
    leaves = tuple(rng.standard_normal((side, side), dtype="f4") for _ in range(3))
    seed = rng.standard_normal((side, side), dtype="f4")
    if fused:
        return Problem("MulAdd as one function", as_one, leaves, seed)
    return Problem("MulAdd composed", composed, leaves, seed, hand=by_hand.muladd)


def linear(batch: int, inputs: int, outputs: int) -> Problem:
    def fn(lib: Library, constants: Sequence[Any], leaves: Sequence[Any]) -> Any:
        x, w, b = leaves
        return lib.matmul(x, w) + b

    rng = np.random.default_rng(2)
    leaves = tuple(rng.standard_normal(s, dtype="f4") for s in ((batch, inputs), (inputs, outputs), (outputs,)))
    seed = rng.standard_normal((batch, outputs), dtype="f4")
    return Problem("Linear", fn, leaves, seed, hand=by_hand.linear)


def tiny_net(batch: int) -> Problem:
    """1-10-1 with tanh, sum of squared errors, one step of gradient descent."""

    def fn(lib: Library, constants: Sequence[Any], leaves: Sequence[Any]) -> Any:
        x, t = constants
        w1, b1, w2, b2 = leaves
        h = lib.tanh(lib.matmul(x, w1) + b1)
        d = lib.matmul(h, w2) + b2 - t
        return lib.sum(d * d)

    x = np.linspace(-1, 2, batch, dtype="f4").reshape(batch, 1)
    leaves = layers(np.random.default_rng(3), 1, 10, 1)
    return Problem("tiny net", fn, leaves, np.ones((), "f4"), (x, np.sin(3 * x)), 1e-4, by_hand.tiny_net)


def mlp(batch: int, sizes: tuple[int, int, int, int]) -> Problem:
    """Three layers with tanh; cross-entropy composed of exp, sum, log (inputs are small: no maximum is subtracted)."""

    def fn(lib: Library, constants: Sequence[Any], leaves: Sequence[Any]) -> Any:
        x, target = constants
        w1, b1, w2, b2, w3, b3 = leaves
        h = lib.tanh(lib.matmul(x, w1) + b1)
        h = lib.tanh(lib.matmul(h, w2) + b2)
        z = lib.matmul(h, w3) + b3
        return lib.sum((z - lib.log(lib.sum(lib.exp(z), axis=1, keepdims=True))) * target)

    rng = np.random.default_rng(4)
    x = rng.standard_normal((batch, sizes[0]), dtype="f4")
    target = np.zeros((batch, sizes[-1]), "f4")
    target[np.arange(batch), rng.integers(sizes[-1], size=batch)] = -1 / batch
    return Problem("MLP", fn, layers(rng, *sizes), np.ones((), "f4"), (x, target), 1e-3, by_hand.mlp)


def layers(rng: np.random.Generator, *sizes: int) -> tuple[np.ndarray, ...]:
    """Return weight and bias of each layer, scaled so that tanh does not saturate."""
    out: list[np.ndarray] = []
    for n, m in pairwise(sizes):
        out += [rng.standard_normal((n, m), dtype="f4") / np.float32(np.sqrt(n)), np.zeros(m, "f4")]
    return tuple(out)


def deep(depth: int, side: int) -> Problem:
    """h = tanh(h * 1.01), again and again on one large array: what does a library keep?"""

    def fn(lib: Library, constants: Sequence[Any], leaves: Sequence[Any]) -> Any:
        (h,) = leaves
        for _ in range(depth // 2):
            h = lib.tanh(h * 1.01)
        return h

    x = np.random.default_rng(5).standard_normal((side, side), dtype="f4")
    return Problem("deep chain", fn, (x,), np.ones_like(x))


def long(length: int) -> Problem:
    def fn(lib: Library, constants: Sequence[Any], leaves: Sequence[Any]) -> Any:
        (h,) = leaves
        for _ in range(length):
            h = h * 1.0000001
        return h

    return Problem("long chain", fn, (np.ones(1),), np.ones(1))
