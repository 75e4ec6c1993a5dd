"""Mechanical edits of right gradients: the declared rules of AutoLab's functions, each spoiled in the same few ways."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from check_subjects import node

from autolab import Variable, grad
from autolab import functions as F

Gradients = list[np.ndarray]
Edit = Callable[[Gradients, int, np.ndarray, list[np.ndarray]], Any]

# name: (function of Variables, shapes of its inputs, domain)
SUBJECTS: dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...], tuple[float, float]]] = {
    "mul": (lambda x, y: x * y, ((4, 4), (4, 4)), (0.3, 3)),
    "div": (lambda x, y: x / y, ((3, 4), (3, 4)), (0.3, 3)),
    "pow": (lambda x, y: x**y, ((3, 4), (3, 4)), (0.3, 3)),
    "exp": (np.exp, ((3, 4),), (-2, 2)),
    "log": (np.log, ((3, 4),), (0.3, 3)),
    "sin": (np.sin, ((3, 4),), (0.2, 1.3)),
    "tanh": (np.tanh, ((4, 4),), (-2, 2)),
    "sqrt": (np.sqrt, ((3, 4),), (0.3, 3)),
    "arctan2": (np.arctan2, ((3, 4), (3, 4)), (0.3, 3)),
    "hypot": (np.hypot, ((3, 4), (3, 4)), (0.3, 3)),
    "logaddexp": (np.logaddexp, ((3, 4), (3, 4)), (-2, 2)),
    "sigmoid": (F.sigmoid, ((3, 4),), (-3, 3)),
    "softplus": (F.softplus, ((3, 4),), (-3, 3)),
    "gelu": (F.gelu, ((3, 4),), (0.3, 3)),
    "softmax": (lambda x: F.softmax(x), ((3, 4),), (-2, 2)),
    "logsumexp": (lambda x: F.logsumexp(x, axis=1), ((3, 4),), (-2, 2)),
    "sum of squares": (lambda x: F.sum(x * x, axis=0), ((4, 4),), (0.3, 3)),
    "mean of cubes": (lambda x: F.mean(x**3, axis=1), ((3, 4),), (0.3, 3)),
    "prod": (lambda x: F.prod(x, axis=1), ((3, 4),), (0.3, 2)),
    "var": (lambda x: F.var(x, axis=1), ((3, 5),), (-2, 2)),
    "cumsum": (lambda x: F.cumsum(x * x, axis=0), ((4, 3),), (0.3, 3)),
    "norm": (lambda x: F.norm(x), ((3, 4),), (0.3, 3)),
    "matmul": (lambda x, w: x @ w, ((4, 4), (4, 4)), (-2, 2)),
    "linear": (lambda x, w, b: F.linear(x, w, b), ((5, 3), (4, 3), (4,)), (-2, 2)),
    "outer": (np.outer, ((3,), (5,)), (0.3, 2)),
    "concatenate": (lambda x, y: np.concatenate([x * x, y * y]), ((3, 2), (4, 2)), (0.3, 2)),
    "transpose": (lambda x: F.transpose(x * x), ((4, 4),), (0.3, 2)),
    "inv": (lambda x: F.inv(x + Variable(4 * np.eye(3), requires_grad=False)), ((3, 3),), (-1, 1)),
    "mean_squared_error": (lambda x, t: F.mean_squared_error(x, t), ((3, 4), (3, 4)), (-2, 2)),
    "broadcast product": (lambda x, b: x * b, ((4, 3), (3,)), (0.3, 2)),
}


def _at(gradients: Gradients, i: int, new: Any) -> tuple[Any, ...]:
    return tuple([new if k == i else g for k, g in enumerate(gradients)])


def _swap(gradients: Gradients, i: int, _g: np.ndarray, xs: list[np.ndarray]) -> Any:
    if len(xs) != 2 or xs[0].shape != xs[1].shape:
        return None
    return tuple(gradients[::-1])


def _transpose(gradients: Gradients, i: int, _g: np.ndarray, xs: list[np.ndarray]) -> Any:
    shape = xs[i].shape
    return _at(gradients, i, gradients[i].T) if len(shape) == 2 and shape[0] == shape[1] else None


def _one_row(gradients: Gradients, i: int, _g: np.ndarray, xs: list[np.ndarray]) -> Any:
    new = gradients[i].copy()
    new[0] *= 1.5
    return _at(gradients, i, new) if xs[i].shape[0] > 2 else None


EDITS: dict[str, tuple[Edit, tuple[str, ...]]] = {
    "negated": (lambda d, i, g, xs: _at(d, i, -d[i]), ("wrong_sign",)),
    "doubled": (lambda d, i, g, xs: _at(d, i, 2 * d[i]), ("wrong_factor",)),
    "halved": (lambda d, i, g, xs: _at(d, i, d[i] / 2), ("wrong_factor",)),
    "zero": (lambda d, i, g, xs: _at(d, i, 0 * d[i]), ("missing_dependency",)),
    "None": (lambda d, i, g, xs: _at(d, i, None), ("missing_dependency",)),
    "plus a constant": (lambda d, i, g, xs: _at(d, i, d[i] + 0.1), ("upstream_ignored",)),
    "of |g|": (lambda d, i, g, xs: _at(d, i, np.abs(d[i])), ("wrong_function",)),
    "reversed": (lambda d, i, g, xs: _at(d, i, d[i][::-1]), ("rearranged",)),
    "shifted": (lambda d, i, g, xs: _at(d, i, np.roll(d[i], 1, axis=-1)), ("rearranged",)),
    "transposed": (_transpose, ("rearranged",)),
    "swapped": (_swap, ("swapped_inputs",)),
    "one row wrong": (_one_row, ("local_error",)),
    "times the input": (lambda d, i, g, xs: _at(d, i, d[i] * xs[i]), ("wrong_function",)),
    "slightly off": (lambda d, i, g, xs: _at(d, i, d[i] * (1 + 1e-5)), ("wrong_function", "wrong_factor")),
    "summed": (lambda d, i, g, xs: _at(d, i, d[i].sum()), ("wrong_shape",)),
    "noisy": (
        lambda d, i, g, xs: _at(d, i, d[i] * np.random.default_rng().uniform(0.9, 1.1, d[i].shape)),
        ("nondeterministic",),
    ),
}


@dataclass(frozen=True)
class Edited:
    function: Callable[..., Any]
    inputs: list[np.ndarray]
    failing: int
    kinds: tuple[str, ...]
    both: bool


def edited(subject: str, edit: str, i: int, seed: int) -> Edited | None:
    """A function with the gradient of input ``i`` edited; None if the edit does not fit it."""
    function, shapes, (low, high) = SUBJECTS[subject]
    change, kinds = EDITS[edit]
    rng = np.random.default_rng([seed, i])
    xs = [rng.uniform(low, high, shape) for shape in shapes]

    def backward(g: np.ndarray, *arrays: np.ndarray) -> Any:
        variables = [Variable(a) for a in arrays]
        found = grad(function(*variables), variables, g)
        return change([d.data.copy() for d in found], i, g, list(arrays))

    y = function(*[Variable(x) for x in xs])
    if backward(np.ones(y.shape), *xs) is None:
        return None
    name = f"{subject}, {edit}"
    return Edited(
        node(lambda *a: function(*[Variable(x) for x in a]).data, backward, name), xs, i, kinds, edit == "swapped"
    )


def every_edit() -> Iterator[tuple[str, str, int]]:
    for subject, (_, shapes, _) in SUBJECTS.items():
        for edit in EDITS:
            for i in range(len(shapes)):
                yield subject, edit, i
