"""The workloads, the rows of `engine.py`: written once, and run by every library through its interface in
`libraries.py`.

`GROUPS` at the end lists the workloads that share a process; `networks.py` adds whole networks, `alone.py` those that
measure the process itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from speed import networks
from speed.libraries import NumPy
from speed.library import Library, Shape, Work, of_layer, products_alone
from speed.rows import LIMIT

Array = np.ndarray
Pulled = tuple[Array, Callable[[Array], tuple[Array, ...]]]


@dataclass(frozen=True)
class Problem:
    """A differentiable function with its inputs.

    `fn(library, *leaves, *constants)` gives the output that `seed` is pulled back from.  With a `rate`, a step also
    updates the leaves.  `hand` is the same with NumPy alone, `parts` the phases that get rows of their own. `products`
    are the shapes (n, k, m) of its matrix products, of which the `Limit` of a row is made.
    """

    title: str
    fn: Callable[..., Any]
    leaves: tuple[np.ndarray, ...]
    seed: np.ndarray
    constants: tuple[Any, ...] = ()
    rate: float | None = None
    hand: Callable[..., Pulled] | None = None
    parts: tuple[str, ...] = ()
    rtol: float = 1e-4
    products: tuple[Shape, ...] = ()


class Step:
    """One library working on one problem: forward, backward, then free, which restores the initial state."""

    def __init__(self, library: Library, problem: Problem) -> None:
        self.library, self.problem = library, problem
        self.leaves = [library.leaf(a.copy()) for a in problem.leaves]
        self.seed = library.constant(problem.seed)
        constants = [library.constant(c) if isinstance(c, np.ndarray) else c for c in problem.constants]
        fn = problem.hand if library.by_hand and problem.hand else partial(problem.fn, library)
        self.run = lambda leaves: fn(*leaves, *constants)
        self.tape: Any = None

    @property
    def phases(self) -> dict[str, Callable[[], None]]:
        return {"forward": self.forward, "backward": self.backward, "free": self.free}

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
            out += [self.library.value(v) for v in self.leaves]
        out = [a.copy() for a in out]
        self.free()
        return out


def steps(library: Library, *problems: Problem) -> list[Work]:
    """A step of each problem; by hand, only of those that are written out, and of products, where there are any."""
    if library.name == LIMIT:
        return [products_alone(problem.title, problem.products) for problem in problems if problem.products]
    found = [Step(library, problem) for problem in problems if problem.hand is not None or not library.by_hand]
    return [Work(s.problem.title, s.phases, s.results, s.problem.rtol, s.problem.parts) for s in found]


def chain(size: int, operands: str) -> Problem:
    """Four functions per iteration: h = exp(tanh(h * a + b)), on arrays of four numbers."""

    def fn(lib: Library, h: Any, a: Any, b: Any) -> Any:
        exp, tanh = lib.exp, lib.tanh
        for _ in range(size // 4):
            h = exp(tanh(h * a + b))
        return h

    h = (1 + 0.01 * np.random.default_rng(0).standard_normal(4)).astype("f4")
    a, b = np.full(4, 0.98, "f4"), np.full(4, -0.98, "f4")
    leaves, constants = ((h, a, b), ()) if operands == "arrays" else ((h,), (0.98, -0.98))
    hand, parts = partial(chain_by_hand, size // 4), ("forward", "backward", "free")
    return Problem(f"chain, {operands}", fn, leaves, np.ones(4, "f4"), constants, hand=hand, parts=parts, rtol=1e-3)


def chain_by_hand(turns: int, h: Array, a: Array | float, b: Array | float) -> Pulled:
    """The operands a and b are leaves, which get gradients, or plain numbers, which do not."""
    differentiate_all = isinstance(a, Array)
    saved = []
    for _ in range(turns):
        t = np.tanh(h * a + b)
        e = np.exp(t)
        saved.append((h, t, e))
        h = e

    def pullback(g: Array) -> tuple[Array, ...]:
        ga = gb = np.zeros_like(g)
        for x, t, e in reversed(saved):
            g = g * e
            g = g - g * (t * t)
            if differentiate_all:
                ga = ga + g * x
                gb = gb + g
            g = g * a
        return (g, ga, gb) if differentiate_all else (g,)

    return h, pullback


def user_functions(size: int) -> Problem:
    """A function of the user's own, applied again and again to four numbers: the price of one application."""

    def fn(lib: Library, h: Any, a: Any, b: Any) -> Any:
        for _ in range(size):
            h = lib.muladd(h, a, b)
        return h

    leaves = tuple(np.full(4, v, "f4") for v in (1.0, 0.98, 0.02))
    return Problem("user functions", fn, leaves, np.ones(4, "f4"))


def muladds(side: int) -> list[Problem]:
    """The product and sum of three matrices, with operators and as a function of the user's own; fused, and more of it.

    PyTorch's eager mode fuses nothing: it takes its operators.
    """
    rng = np.random.default_rng(1)
    *leaves, seed = [rng.standard_normal((side, side), dtype="f4") for _ in range(4)]
    inputs = tuple(leaves), seed
    return [
        Problem("MulAdd composed", lambda lib, *xyz: muladd(*xyz), *inputs, hand=NumPy.muladd),
        Problem("MulAdd as one function", lambda lib, *xyz: lib.muladd(*xyz), *inputs),
        Problem("MulAdd fused", lambda lib, *xyz: lib.fused(muladd)(*xyz), *inputs),
        Problem("formula fused", lambda lib, *xyz: lib.fused(formula)(*xyz), *inputs),
    ]


def muladd(x: Any, y: Any, z: Any) -> Any:
    return x * y + z


def formula(x: Any, y: Any, z: Any) -> Any:
    return ((x * y + z) * x - y) * z + x * x


def linear(batch: int, inputs: int, outputs: int) -> Problem:
    rng = np.random.default_rng(2)
    shapes = (batch, inputs), (inputs, outputs), (outputs,), (batch, outputs)
    *leaves, seed = [rng.standard_normal(shape, dtype="f4") for shape in shapes]
    fn = lambda lib, x, w, b: lib.matmul(x, w) + b  # noqa: E731
    return Problem("Linear", fn, tuple(leaves), seed, hand=linear_by_hand, products=of_layer(batch, inputs, outputs))


def linear_by_hand(x: Array, w: Array, b: Array) -> Pulled:
    y = x @ w
    y += b
    return y, lambda g: (g @ w.T, x.T @ g, g.sum(axis=0))


def tiny_net(batch: int) -> Problem:
    """1-10-1 with tanh, sum of squared errors, one step of gradient descent."""

    def fn(lib: Library, w1: Any, b1: Any, w2: Any, b2: Any, x: Any, t: Any) -> Any:
        h = lib.tanh(lib.matmul(x, w1) + b1)
        d = lib.matmul(h, w2) + b2 - t
        return lib.sum(d * d)

    x = np.linspace(-1, 2, batch, dtype="f4").reshape(batch, 1)
    leaves = layers(np.random.default_rng(3), 1, 10, 1)
    return Problem("tiny net", fn, leaves, np.ones((), "f4"), (x, np.sin(3 * x)), 1e-4, tiny_net_by_hand)


def tiny_net_by_hand(w1: Array, b1: Array, w2: Array, b2: Array, x: Array, t: Array) -> Pulled:
    h = np.tanh(x @ w1 + b1)
    d = h @ w2 + b2 - t

    def pullback(g: Array) -> tuple[Array, ...]:
        gd = g * (d + d)
        gh = gd @ w2.T
        gh -= gh * (h * h)
        return x.T @ gh, gh.sum(axis=0), h.T @ gd, gd.sum(axis=0)

    return (d * d).sum(), pullback


def mlp(batch: int, *sizes: int) -> Problem:
    """Three layers with tanh; cross-entropy composed of exp, sum, log (inputs are small: no maximum is subtracted)."""

    def fn(lib: Library, w1: Any, b1: Any, w2: Any, b2: Any, w3: Any, b3: Any, x: Any, target: Any) -> Any:
        h = lib.tanh(lib.matmul(x, w1) + b1)
        h = lib.tanh(lib.matmul(h, w2) + b2)
        z = lib.matmul(h, w3) + b3
        return lib.sum((z - lib.log(lib.sum(lib.exp(z), axis=1, keepdims=True))) * target)

    rng = np.random.default_rng(4)
    x = rng.standard_normal((batch, sizes[0]), dtype="f4")
    target = np.zeros((batch, sizes[-1]), "f4")
    target[np.arange(batch), rng.integers(sizes[-1], size=batch)] = -1 / batch
    first, *rest = [of_layer(batch, *pair) for pair in pairwise(sizes)]
    products = (*first[:1], *first[2:], *[product for layer in rest for product in layer])  # no gradient of x
    inputs = layers(rng, *sizes), np.ones((), "f4"), (x, target)
    return Problem("MLP", fn, *inputs, 1e-3, mlp_by_hand, products=products)


def mlp_by_hand(w1: Array, b1: Array, w2: Array, b2: Array, w3: Array, b3: Array, x: Array, target: Array) -> Pulled:
    h1 = np.tanh(x @ w1 + b1)
    h2 = np.tanh(h1 @ w2 + b2)
    z = h2 @ w3 + b3
    e = np.exp(z)
    s = e.sum(axis=1, keepdims=True)
    loss = ((z - np.log(s)) * target).sum()

    def pullback(g: Array) -> tuple[Array, ...]:
        gz = g * target
        gz -= e * (gz.sum(axis=1, keepdims=True) / s)
        g2 = gz @ w3.T
        g2 -= g2 * (h2 * h2)
        g1 = g2 @ w2.T
        g1 -= g1 * (h1 * h1)
        return x.T @ g1, g1.sum(axis=0), h1.T @ g2, g2.sum(axis=0), h2.T @ gz, gz.sum(axis=0)

    return loss, pullback


def layers(rng: np.random.Generator, *sizes: int) -> tuple[np.ndarray, ...]:
    """Return weight and bias of each layer, scaled so that tanh does not saturate."""
    out: list[np.ndarray] = []
    for n, m in pairwise(sizes):
        out += [rng.standard_normal((n, m), dtype="f4") / np.float32(np.sqrt(n)), np.zeros(m, "f4")]
    return tuple(out)


def deep(depth: int, side: int) -> Problem:
    """h = tanh(h * 1.01), repeatedly on one large array: what does a library keep?"""

    def fn(lib: Library, h: Any) -> Any:
        for _ in range(depth // 2):
            h = lib.tanh(h * 1.01)
        return h

    x = np.random.default_rng(5).standard_normal((side, side), dtype="f4")
    return Problem("deep chain", fn, (x,), np.ones_like(x))


def long(length: int) -> Problem:
    def fn(lib: Library, h: Any) -> Any:
        for _ in range(length):
            h = h * 1.0000001
        return h

    return Problem("long chain", fn, (np.ones(1),), np.ones(1))


def derivatives(library: Library, points: int) -> list[Work]:
    """The derivatives of tanh up to the fourth, the graph of every order kept."""
    if not hasattr(library, "differentiate"):
        return []
    x = np.linspace(-2, 2, points, dtype="f4")

    def work(order: int) -> Work:
        leaf, seed = library.leaf(x), library.constant(np.ones_like(x))
        whole = partial(library.derivative, leaf, seed, order)

        def counts() -> dict[str, int]:
            nodes = library.nodes(whole())
            return {} if nodes is None else {"nodes": nodes}

        results = lambda: [library.value(whole()).copy()]  # noqa: E731
        return Work(f"tanh, order {order}", {"whole": whole}, results, counts=counts)

    return [work(order) for order in (1, 2, 3, 4)]


def checks(library: Library, *shapes: tuple[int, int]) -> list[Work]:
    """The library's own check of ``x @ w.T`` in float64, as a function of its own and of the user's.

    Every element of the Jacobian is found by a backward pass, and by a two-point difference.
    """
    if not hasattr(library, "gradcheck"):
        return []

    def work(title: str, linear: Callable[..., Any]) -> Work:
        rng = np.random.default_rng(0)
        leaves = [library.leaf(rng.normal(size=shape)) for shape in shapes]
        whole = partial(library.gradcheck, linear, leaves)
        verdict_and_value = lambda: [np.array([float(whole())]), library.value(linear(*leaves)).copy()]  # noqa: E731
        return Work(f"gradcheck, {title}", {"whole": whole}, verdict_and_value)

    return [work("Linear", library.linear), work("a user's Linear", library.own_linear)]


def _chains(library: Library, tiny: bool) -> list[Work]:
    size, uses = (8, 2) if tiny else (1000, 50)
    return steps(library, chain(size, "arrays"), chain(size, "numbers"), user_functions(uses))


def _nets(library: Library, tiny: bool) -> list[Work]:
    if tiny:
        return steps(library, tiny_net(5), mlp(4, 6, 5, 4, 3))
    return steps(library, tiny_net(100), mlp(100, 784, 100, 100, 10))


GROUPS: Mapping[str, Callable[[Library, bool], Sequence[Work]]] = {
    "chains": _chains,
    "nets": _nets,
    "linear": lambda library, tiny: steps(library, linear(2, 4, 3) if tiny else linear(128, 784, 1000)),
    "muladd": lambda library, tiny: steps(library, *muladds(3 if tiny else 1000)),
    "orders": lambda library, tiny: derivatives(library, 4 if tiny else 1000),
    "checks": lambda library, tiny: checks(library, *([(2, 3), (4, 3)] if tiny else [(20, 20), (30, 20)])),
    "training": networks.training,
    "sequences": networks.sequences,
}
"""What each library does in a process of its own, by the name of the group; tiny for the tests."""
