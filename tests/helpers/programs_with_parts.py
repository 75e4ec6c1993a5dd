"""Random functions of two matrices and two parameters, whose results have parts: Variables that they compute, that they
are given or found, arrays, lists and dicts."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from autolab import Parameter, Variable
from autolab import functions as F

SIZE = 3
_STEPS: list[Callable[[Any, Any], Any]] = [
    lambda u, v: F.sin(u), lambda u, v: u * v, lambda u, v: u + v * 2, lambda u, v: u @ v, lambda u, v: F.transpose(u),
    lambda u, v: F.concatenate([u[:1], v[1:]], axis=0), lambda u, v: u - F.sum(v, axis=0), lambda u, v: F.tanh(u) * v,
    lambda u, v: F.where(F.relu(u) > 0, u, v * 0.5), lambda u, v: u.detach() * v, lambda u, v: F.exp(-u * u),
    lambda u, v: F.reshape(F.reshape(u, (-1,)), (SIZE, SIZE)), lambda u, v: u[:, ::-1],
    lambda u, v: F.broadcast_to(F.sum(u, axis=1, keepdims=True), (SIZE, SIZE)),
]  # fmt: skip
_PARTS: list[Callable[[Any, Any, Any, Any], list[Any]]] = [
    lambda last, any_one, x, p: [last], lambda last, any_one, x, p: [any_one], lambda last, any_one, x, p: [x, last],
    lambda last, any_one, x, p: [last.data * 2], lambda last, any_one, x, p: [p],
    lambda last, any_one, x, p: [F.sum(last)], lambda last, any_one, x, p: [last, last],
    lambda last, any_one, x, p: [F.transpose(last)],
]  # fmt: skip
LAYOUTS: list[Callable[[np.ndarray], np.ndarray]] = [
    np.ascontiguousarray,
    np.asfortranarray,
    lambda g: g[..., ::-1],
    lambda g: np.broadcast_to(g[:1], g.shape),
]


def draw(seed: int) -> tuple[Callable[[Variable, Variable], Any], list[Parameter]]:
    """A function, and the parameters that it reads."""
    choice, rng = random.Random(seed), np.random.default_rng(seed)
    parameters = [Parameter(rng.normal(size=(SIZE, SIZE))) for _ in range(2)]
    steps = [(choice.choice(_STEPS), choice.random(), choice.random()) for _ in range(choice.randint(3, 9))]
    parts = [(choice.choice(_PARTS), choice.random(), choice.randint(1, 2)) for _ in range(choice.randint(1, 4))]
    shape = choice.randrange(4)

    def function(x: Variable, other: Variable) -> Any:
        pool: list[Any] = [x, other, *parameters]
        for step, a, b in steps:
            pool.append(step(pool[int(a * len(pool))], pool[int(b * len(pool))]))
        found = [value for part, a, i in parts for value in part(pool[-i], pool[int(a * len(pool))], x, parameters[0])]
        return [found, tuple(found), {"first": found[0], "others": found[1:]}, found[0]][shape]

    return function, parameters


def parts_of(result: Any) -> Iterator[Any]:
    """The values in a result."""
    if isinstance(result, dict | list | tuple):
        for item in result.values() if isinstance(result, dict) else result:
            yield from parts_of(item)
    else:
        yield result
