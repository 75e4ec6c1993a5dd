"""Random programs: a list of instructions that AutoLab and HIPS autograd both can run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple

import autograd.numpy as anp
import numpy as np

from autolab import functions as F

SHAPES = ((), (3,), (2, 3), (3, 2), (3, 3), (2, 1), (2, 3, 3), (0, 3))

_SAME = ("exp", "log", "sin", "cos", "tanh", "sum", "mean", "matmul", "maximum")
_AUTOGRAD = SimpleNamespace(
    **{name: getattr(anp, name) for name in _SAME},
    where=lambda condition, a, b: condition * a + ~condition * b,  # autograd's own does not broadcast in backward
    concatenate=lambda *xs, axis: anp.concatenate(xs, axis),
    reshape=lambda x, shape: anp.reshape(x, shape),
    transpose=lambda x, axes=None: anp.transpose(x, axes),
    broadcast_to=lambda x, shape: x * np.ones(shape),
    sum_to=lambda x, shape: anp.reshape(anp.sum(x, axis=tuple(range(x.ndim - len(shape)))), shape),
)


class Instruction(NamedTuple):
    name: str
    operands: tuple[int, ...]
    attributes: dict[str, Any]


class Program(NamedTuple):
    """Values are numbered: the inputs, then one per instruction. The result is a weighted sum of some of them."""

    inputs: tuple[np.ndarray, ...]
    instructions: tuple[Instruction, ...]
    results: tuple[tuple[int, float], ...]

    def run(self, xs: Sequence[Any], functions: Any) -> Any:
        """The result, with ``functions`` of AutoLab (`functions`) or of HIPS autograd."""
        values = list(xs)
        for name, operands, attributes in self.instructions:
            values.append(_OPERATIONS[name](functions, *[values[i] for i in operands], **attributes))
        terms = [functions.sum(values[i]) * weight for i, weight in self.results]
        return sum(terms[1:], start=terms[0])

    def ours(self, *xs: Any) -> Any:
        return self.run(xs, F)

    def theirs(self, *xs: Any) -> Any:
        return self.run(xs, _AUTOGRAD)


# Every value stays between about -3 and 3, so that derivatives neither explode nor vanish.
_CONDITION = np.array([True, False, True])
_UNARY: dict[str, Callable[..., Any]] = {
    "neg": lambda f, a: -a,
    "exp": lambda f, a: f.exp(f.sin(a)),
    "log": lambda f, a: f.log(a * a + 1.5),
    "sin": lambda f, a: f.sin(1.5 * a),
    "cos": lambda f, a: f.cos(a + 0.5),
    "tanh": lambda f, a: f.tanh(a),
    "halve": lambda f, a: a / 2,
    "reciprocal": lambda f, a: 1 / (a * a + 1),
    "square": lambda f, a: f.tanh(a) ** 2,
    "root": lambda f, a: (a * a + 0.5) ** 0.5,
    "power of two": lambda f, a: 2 ** f.sin(a),
    "T": lambda f, a: f.transpose(a),
    "twice": lambda f, a: f.sin(a) + f.sin(a) * a,
}
_BINARY: dict[str, Callable[..., Any]] = {
    "add": lambda f, a, b: (a + b) / 2,
    "sub": lambda f, a, b: a - b / 3,
    "mul": lambda f, a, b: f.sin(a * b),
    "div": lambda f, a, b: a / (b * b + 2),
    "pow": lambda f, a, b: (a * a + 0.5) ** f.sin(b),
    "matmul": lambda f, a, b: f.tanh(f.matmul(a, b)),
    "maximum": lambda f, a, b: f.maximum(a, b),
    "where": lambda f, a, b: f.where(_CONDITION, f.sin(a), b),
}
_WITH_ATTRIBUTES: dict[str, Callable[..., Any]] = {
    "sum": lambda f, a, axis, keepdims: f.sum(a, axis=axis, keepdims=keepdims) / 3,
    "reshape": lambda f, a, shape: f.reshape(a, shape=shape),
    "transpose": lambda f, a, axes: f.transpose(a, axes=axes),
    "broadcast_to": lambda f, a, shape: f.broadcast_to(a, shape=shape),
    "sum_to": lambda f, a, shape: f.sum_to(a, shape=shape) / 3,
    "mean": lambda f, a, axis: f.mean(a, axis=axis),
    "getitem": lambda f, a, index: a[index],
    "concatenate": lambda f, a, axis: f.concatenate(a, f.sin(a), axis=axis),
}
_INDICES = (0, -1, slice(None, None, -1), slice(1, None), (Ellipsis, 0), (None, 0), np.array([0, -1, 0, 0]))
_OPERATIONS = {**_UNARY, **_BINARY, **_WITH_ATTRIBUTES}


def draw(seed: int) -> Program:
    """Program number ``seed``: one to three inputs, three to fourteen instructions."""
    rng = np.random.default_rng([20, seed])
    shapes = [SHAPES[rng.integers(len(SHAPES))] for _ in range(rng.integers(1, 4))]
    inputs = tuple([rng.uniform(-2, 2, shape) for shape in shapes])
    instructions: list[Instruction] = []
    for _ in range(rng.integers(3, 15)):
        instruction, shape = _instruction(rng, shapes)
        instructions.append(instruction)
        shapes.append(shape)
    chosen = {len(shapes) - 1, *rng.integers(len(shapes), size=2).tolist()}
    return Program(inputs, tuple(instructions), tuple([(i, float(rng.uniform(0.5, 1.5))) for i in sorted(chosen)]))


def _instruction(rng: np.random.Generator, shapes: list[tuple[int, ...]]) -> tuple[Instruction, tuple[int, ...]]:
    """An operation that fits the values so far, with the shape of its result; recent values are likelier."""
    while True:
        name = str(rng.choice(list(_OPERATIONS)))
        i, j = [int(len(shapes) - 1 - min(rng.geometric(0.3) - 1, len(shapes) - 1)) for _ in range(2)]
        operands = (i, j) if name in _BINARY else (i,)
        attributes = _attributes(rng, name, shapes[i]) if name in _WITH_ATTRIBUTES else {}
        if attributes is None:
            continue
        zeros = [np.zeros(shapes[k]) for k in operands]
        try:
            shape = np.shape(_OPERATIONS[name](_AUTOGRAD, *zeros, **attributes))
        except ValueError:
            continue
        if np.prod(shape) <= 64:
            return Instruction(name, operands, attributes), shape


def _attributes(rng: np.random.Generator, name: str, shape: tuple[int, ...]) -> dict[str, Any] | None:
    """Attributes for a value of that shape; None if the operation makes no sense for it."""
    n = len(shape)
    if name == "sum":
        axes = rng.permutation(n)[: rng.integers(1, n + 1)] - n * rng.integers(2) if n else ()
        return {"axis": tuple([int(axis) for axis in axes]) or None, "keepdims": bool(rng.integers(2))}
    if name == "reshape":
        return {"shape": (*shape[:-2], shape[-1], shape[-2])} if n >= 2 else {"shape": (1, *shape)}
    if name == "transpose":
        return {"axes": tuple(rng.permutation(n).tolist())} if n else None
    if name == "broadcast_to":
        return {"shape": (2, *shape)} if n < 3 else None
    if name == "mean":
        return {"axis": int(rng.integers(-n, n))} if n and 0 not in shape else None
    if name == "getitem":
        return {"index": _INDICES[rng.integers(len(_INDICES))]} if n and 0 not in shape else None
    if name == "concatenate":
        return {"axis": int(rng.integers(-n, n))} if n else None
    return {"shape": shape[rng.integers(1, n + 1) :]} if n else None
