"""Wrong backwards: functions, where to check them, which input is failing, and what a check may call the cause."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from check_subjects import node


@dataclass(frozen=True)
class Culprit:
    """``shapes`` are those of the inputs, drawn from ``domain``."""

    function: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    failing: int
    kinds: tuple[str, ...]
    domain: tuple[float, float] = (-3.0, 3.0)


def _same(count: int, shape: tuple[int, ...] = (3, 4)) -> tuple[tuple[int, ...], ...]:
    return (shape,) * count


def _total(g: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """``g`` summed over the axes along which ``shape`` was broadcast."""
    lead = g.ndim - len(shape)
    g = g.sum(axis=tuple(range(lead)))
    return g.sum(axis=tuple(k for k, n in enumerate(shape) if n == 1), keepdims=True)


def _random_mask(g: np.ndarray, x: np.ndarray) -> np.ndarray:
    return g * (np.random.default_rng().random(x.shape) > 0.5) * 2


def _in_place(g: np.ndarray, x: np.ndarray) -> np.ndarray:
    g *= 2 * x
    return g


def _change_input(x: np.ndarray) -> np.ndarray:
    x[x < 0] = 0
    return x.copy()


def _change_retained(g: np.ndarray, x: np.ndarray) -> np.ndarray:
    x *= 2
    return g * x


_sigmoid = np.vectorize(lambda x: 1 / (1 + np.exp(-x)), otypes=[float])
_muladd = (lambda x, y, z: x * y + z, _same(3))


def _softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def wrong(
    forward: Callable[..., Any], shapes: Any, backward: Callable[..., Any], failing: int, *kinds: str, **more: Any
) -> Culprit:
    return Culprit(node(forward, backward), shapes, failing, kinds, **more)


CULPRITS: dict[str, Culprit] = {
    "muladd, sign of x": wrong(*_muladd, lambda g, x, y, z: (-g * y, g * x, g), 0, "wrong_sign"),
    "muladd, z twice": wrong(*_muladd, lambda g, x, y, z: (g * y, g * x, 2 * g), 2, "wrong_factor"),
    "muladd, x and y swapped": wrong(*_muladd, lambda g, x, y, z: (g * x, g * y, g), 0, "swapped_inputs"),
    "muladd, x gets what z should": wrong(*_muladd, lambda g, x, y, z: (g, g * x, g), 0, "wrong_function"),
    "muladd, y forgotten": wrong(*_muladd, lambda g, x, y, z: (g * y, None, g), 1, "missing_dependency"),
    "muladd, z is 0": wrong(*_muladd, lambda g, x, y, z: (g * y, g * x, 0 * g), 2, "missing_dependency"),
    "muladd, g ignored in x": wrong(*_muladd, lambda g, x, y, z: (y, g * x, g), 0, "upstream_ignored"),
    "muladd, g ignored in z": wrong(
        *_muladd, lambda g, x, y, z: (g * y, g * x, np.ones_like(g)), 2, "upstream_ignored"
    ),
    "muladd, g squared": wrong(*_muladd, lambda g, x, y, z: (g * g * y, g * x, g), 0, "wrong_function"),
    "muladd, a term too much": wrong(*_muladd, lambda g, x, y, z: (g * y + g, g * x, g), 0, "wrong_function"),
    "muladd, a term without g": wrong(*_muladd, lambda g, x, y, z: (g * y + 0.5, g * x, g), 0, "upstream_ignored"),
    "muladd, too few gradients": wrong(*_muladd, lambda g, x, y, z: (g * y, g * x), 0, "wrong_shape"),
    "muladd, x summed": wrong(*_muladd, lambda g, x, y, z: ((g * y).sum(), g * x, g), 0, "wrong_shape"),
    "muladd, y transposed": wrong(*_muladd, lambda g, x, y, z: (g * y, (g * x).T, g), 1, "wrong_shape"),
    "muladd, y transposed, square": wrong(
        lambda x, y, z: x * y + z, _same(3, (3, 3)), lambda g, x, y, z: (g * y, (g * x).T, g), 1, "rearranged"
    ),
    "muladd, x flipped": wrong(*_muladd, lambda g, x, y, z: ((g * y)[::-1], g * x, g), 0, "rearranged"),
    "muladd of numbers, sign": wrong(
        lambda x, y, z: x * y + z, _same(3, ()), lambda g, x, y, z: (-g * y, g * x, g), 0, "wrong_sign"
    ),
    "muladd of numbers, half": wrong(
        lambda x, y, z: x * y + z, _same(3, ()), lambda g, x, y, z: (g * y, g * x / 2, g), 1, "wrong_factor"
    ),
    "muladd of numbers, odd factor": wrong(
        lambda x, y, z: x * y + z, _same(3, ()), lambda g, x, y, z: (0.7313 * g * y, g * x, g), 0, "wrong_function"
    ),
    "square, 2 forgotten": wrong(lambda x: x * x, _same(1), lambda g, x: g * x, 0, "wrong_factor"),
    "square of a number, g x x": wrong(lambda x: x * x, _same(1, ()), lambda g, x: g * x * x, 0, "wrong_function"),
    "cube, power not lowered": wrong(lambda x: x**3, _same(1), lambda g, x: 3 * g * x**3, 0, "wrong_function"),
    "exp as a polynomial": wrong(np.exp, _same(1), lambda g, x: g * (1 + x), 0, "wrong_function"),
    "sin, cos with the wrong sign": wrong(np.cos, _same(1), lambda g, x: g * np.sin(x), 0, "wrong_sign"),
    "log, base forgotten": wrong(
        np.log2, _same(1), lambda g, x: g / x, 0, "wrong_function", "wrong_factor", domain=(0.5, 3)
    ),
    "sigmoid, derivative of the input": wrong(
        _sigmoid, _same(1), lambda g, x: g * x * (1 - x), 0, "wrong_function", "local_error"
    ),
    "tanh without the square": wrong(np.tanh, _same(1), lambda g, x: g * (1 - np.tanh(x)), 0, "wrong_function"),
    "softmax, diagonal only": wrong(
        _softmax, _same(1), lambda g, x: g * _softmax(x) * (1 - _softmax(x)), 0, "missing_term"
    ),
    "relu without the mask": wrong(
        lambda x: np.maximum(x, 0), ((3, 5),), lambda g, x: g, 0, "local_error", domain=(-3, 3)
    ),
    "leaky slope below zero": wrong(
        lambda x: np.where(x > 0, x, 0.1 * x), ((3, 5),), lambda g, x: g * np.where(x > 0, 1, 0.01), 0, "local_error"
    ),
    "abs without the sign": wrong(np.abs, ((3, 5),), lambda g, x: g, 0, "local_error"),
    "first element only is wrong": wrong(
        lambda x: x * x, _same(1), lambda g, x: 2 * g * x + np.eye(1, x.size).reshape(x.shape), 0, "upstream_ignored"
    ),
    "last row is wrong": wrong(
        lambda x: x * x, _same(1), lambda g, x: 2 * g * x * np.array([[1], [1], [1.5]]), 0, "local_error"
    ),
    "a relative error of 1e-6": wrong(
        np.sin, _same(1), lambda g, x: g * np.cos(x) * (1 + 1e-6), 0, "wrong_function", "wrong_factor"
    ),
    "sum, not spread": wrong(lambda x: x.sum(), _same(1), lambda g, x: g, 0, "wrong_shape"),
    "mean, 1/n forgotten": wrong(lambda x: x.mean(), _same(1), lambda g, x: g * np.ones_like(x), 0, "wrong_factor"),
    "mean over the wrong axis length": wrong(
        lambda x: x.mean(axis=0), _same(1), lambda g, x: g * np.ones_like(x) / 4, 0, "wrong_factor"
    ),
    "broadcast not summed": wrong(lambda x, b: x + b, ((3, 4), (4,)), lambda g, x, b: (g, g), 1, "unreduced_broadcast"),
    "broadcast: one row for the sum": wrong(
        lambda x, b: x + b, ((3, 4), (4,)), lambda g, x, b: (g, g[0]), 1, "unreduced_broadcast"
    ),
    "matmul, factors exchanged": wrong(
        lambda x, w: x @ w, ((3, 3), (3, 3)), lambda g, x, w: (w.T @ g, x.T @ g), 0, "rearranged"
    ),
    "matmul, transposition forgotten": wrong(
        lambda x, w: x @ w, ((3, 3), (3, 3)), lambda g, x, w: (g @ w, x.T @ g), 0, "rearranged"
    ),
    "matmul, swapped": wrong(
        lambda x, w: x @ w, ((3, 3), (3, 3)), lambda g, x, w: (x.T @ g, g @ w.T), 0, "swapped_inputs"
    ),
    "bias, mean for the sum": wrong(
        lambda x, b: x * b,
        ((3, 4), (1, 4)),
        lambda g, x, b: (g * b, _total(g * x, b.shape) / 3),
        1,
        "wrong_factor",
    ),
    "second of two results forgotten": wrong(
        lambda x, y: (x * y, x + y), _same(2), lambda g, h, x, y: (g * y, g * x + h), 0, "missing_term"
    ),
    "NaN everywhere": wrong(lambda x: x * x, _same(1), lambda g, x: g * x * np.nan, 0, "wrong_function"),
    "random mask in backward": wrong(lambda x: 1.0 * x, _same(1), _random_mask, 0, "nondeterministic"),
    "upstream changed in place": wrong(lambda x: x * x, _same(1), _in_place, 0, "inplace"),
    "input changed in place": wrong(_change_input, _same(1), lambda g, x: g * (x > 0), 0, "inplace"),
    "retained input changed": wrong(lambda x: x * x, _same(1), _change_retained, 0, "inplace"),
    "swapped with unequal shapes": wrong(
        lambda x, y: x * y, ((3, 4), (4,)), lambda g, x, y: ((g * x).sum(axis=0), g * y), 0, "wrong_shape"
    ),
}


def inputs_of(culprit: Culprit, rng: np.random.Generator) -> list[np.ndarray]:
    """Random inputs away from kinks at 0."""
    low, high = culprit.domain
    drawn = [rng.uniform(low, high, shape) for shape in culprit.shapes]
    return [np.where(np.abs(x) < 0.1, 0.5, x) for x in drawn]
