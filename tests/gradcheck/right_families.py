"""Right functions of families that were called wrong, or left open, though nothing is wrong with them.

Each draw is a function and its inputs, by the family and a seed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autolab import functions as F

Family = Callable[[np.random.Generator], tuple[Callable[..., Any], tuple[np.ndarray, ...]]]


def _steps(rng: np.random.Generator) -> Any:
    step = (F.floor, F.ceil, F.round, F.sign)[rng.integers(4)]
    levels = (1.0, 8.0, 255.0)[rng.integers(3)]
    x = rng.uniform(-1, 1, (1, 5, 50)[rng.integers(3)]) * (1.0, 100.0, 1e4)[rng.integers(3)]
    functions = (
        step,
        lambda x: step(x * levels) / levels,
        lambda x: step(np.sin(x) * levels),
        lambda x: F.sum(step(x * levels) * np.arange(x.size)),
    )
    return functions[rng.integers(4)], (x,)


def _straight_beside_steps(rng: np.random.Generator) -> Any:
    levels = (8.0, 255.0)[rng.integers(2)]
    functions = (
        lambda x: x - F.floor(x * levels) / levels,
        lambda x: (x - F.floor(x)) * x,
        lambda x: x * F.round(x * levels),
        lambda x: F.sum(x * x) + F.floor(x * levels),
    )
    return functions[rng.integers(4)], (rng.uniform(0, 1, 5) * (1.0, 100.0)[rng.integers(2)],)


def _dropout(rng: np.random.Generator) -> Any:
    rate, w = rng.uniform(0.1, 0.9), rng.normal(size=(3, 3))
    functions = (
        lambda x: F.dropout(x, rate),
        lambda x: F.sum(F.dropout(x * x, rate)),
        lambda x: F.dropout(np.tanh(x), rate)[0],
        lambda x: F.dropout(F.relu(x @ w), rate),
    )
    return functions[rng.integers(4)], (rng.normal(size=((1, 3), (2, 3))[rng.integers(2)]),)


def _ties(rng: np.random.Generator) -> Any:
    q, k = rng.uniform(0, 1), int(rng.integers(5))
    functions = (
        F.sort,
        lambda x: F.sort(x * x),
        np.median,
        lambda x: np.median(x, axis=-1),
        lambda x: np.quantile(x, q),
        lambda x: F.percentile(x, 100 * q, axis=-1),
        lambda x: np.partition(x, k),
        lambda x: F.sort(x) * np.arange(x.shape[-1]),
        lambda x: np.max(x, axis=-1),
        lambda x: np.max(x) - np.min(x),
    )
    shape = ((5,), (6,), (3, 5))[rng.integers(3)]
    x = (rng.integers(-2, 3, shape).astype(float), np.full(shape, rng.normal()), np.round(rng.normal(size=shape), 1))
    return functions[rng.integers(len(functions))], (x[rng.integers(3)],)


def _equal_elements(rng: np.random.Generator) -> Any:
    n = int(rng.integers(2, 40))
    shape = ((n,), (3, n))[rng.integers(2)]
    row = lambda x: F.reshape(x, shape=(-1, n))  # noqa: E731
    functions = (
        lambda x: F.layer_norm(row(x), np.ones(n), np.zeros(n)),
        lambda x: F.layer_norm(row(x * 3.0), np.ones(n), np.zeros(n)),
        lambda x: np.tanh(F.layer_norm(row(x), np.ones(n), np.zeros(n))),
    )
    return functions[rng.integers(3)], (np.full(shape, rng.normal() * 10 ** rng.uniform(-3, 6)),)


def _saturated(rng: np.random.Generator) -> Any:
    functions = (
        lambda x: F.softmax(x * x[::-1], axis=-1),
        lambda x: F.log_softmax(x * x[::-1], axis=-1),
        lambda x: F.softmax(x * x, axis=-1),
        lambda x: F.softmax(x[:, None] * x, axis=-1) @ x,
    )
    return functions[rng.integers(4)], (rng.normal(size=int(rng.integers(2, 9))) * 10 ** rng.uniform(0, 2),)


def _far_out(rng: np.random.Generator) -> Any:
    functions = (np.sinc, lambda x: np.sin(x) / x, lambda x: np.cos(x) * x, lambda x: F.sum(np.sinc(x)))
    x = rng.normal(size=int(rng.integers(1, 6))) * 10 ** rng.uniform(3, 8)
    return functions[rng.integers(4)], (np.round(x) if rng.random() < 0.3 else x,)


def _two_magnitudes(rng: np.random.Generator) -> Any:
    functions = (
        lambda x, y: x * y,
        lambda x, y: F.sum(x * y),
        lambda x, y: np.tanh(x * y) + y,
        lambda x, y: x / (1 + y * y),
        lambda x, y: np.sqrt(x * x + y * y),
        lambda x, y: np.maximum(x, y) * y,
        lambda x, y: F.sum(x) * y,
        lambda x, y: np.log(abs(x)) * y,
    )
    size = int(rng.integers(1, 5))
    x, y = (rng.normal(size=size) * 10.0 ** rng.uniform(-90, 90, size if rng.random() < 0.5 else 1) for _ in range(2))
    return functions[rng.integers(len(functions))], (x, y)


def _batch_norm_net(rng: np.random.Generator) -> Any:
    n, d, k = int(rng.integers(3, 9)), int(rng.integers(2, 5)), int(rng.integers(2, 5))
    gamma, beta, v = rng.uniform(0.5, 2, k), rng.normal(size=k), rng.normal(size=(k, 2))
    act = (F.relu, np.tanh, F.gelu)[rng.integers(3)]
    t = np.arange(n) % 2

    def normalized(x: Any, w: Any, b: Any) -> Any:
        return act(F.batch_norm(x @ w + b, gamma, beta)) @ v

    functions = (
        normalized,
        lambda x, w, b: F.softmax_cross_entropy(normalized(x, w, b), t),
        lambda x, w, b: F.mean(normalized(x, w, b) ** 2),
        lambda x, w, b: F.layer_norm(x @ w + F.sum(b), gamma, beta),
    )
    return functions[rng.integers(4)], (rng.normal(size=(n, d)), rng.normal(size=(d, k)), rng.normal(size=k))


def _attention_net(rng: np.random.Generator) -> Any:
    n, d = int(rng.integers(2, 6)), int(rng.integers(2, 5))
    wq, wk, wv = rng.normal(size=(3, d, d)) * (0.5, 1.0, 3.0)[rng.integers(3)]

    def attention(x: Any, bq: Any, bk: Any) -> Any:
        q, k = x @ wq + bq, x @ wk + bk
        return F.softmax(q @ F.transpose(k) / np.sqrt(d), axis=-1) @ (x @ wv)

    functions = (
        attention,
        lambda x, bq, bk: F.mean(attention(x, bq, bk) ** 2),
        lambda x, bq, bk: x + attention(x, bq, bk),
    )
    return functions[rng.integers(3)], (rng.normal(size=(n, d)), rng.normal(size=d), rng.normal(size=d))


def _shifted(rng: np.random.Generator) -> Any:
    """A bias that a softmax or a difference takes out again."""
    t = np.arange(4) % 3
    functions = (
        lambda x, b: F.softmax(x + b, axis=-1),
        lambda x, b: F.softmax_cross_entropy(x + b, t),
        lambda x, b: F.log_softmax(x + b, axis=-1),
        lambda x, b: (x + b) - F.mean(x + b),
        lambda x, b: F.var(x + b),
    )
    return functions[rng.integers(5)], (rng.normal(size=(4, 3)), np.asarray(rng.normal()))


_KINKED: tuple[Callable[..., Any], ...] = (
    F.relu,
    np.abs,
    F.sort,
    lambda x: np.maximum(x, 0.5 * x),
    lambda x: np.maximum(x, 0.0) - 1.7 * np.maximum(-x, 0.0),
    lambda x: np.minimum(np.maximum(x, -1.0), 1.0),
    lambda x: np.max(x, axis=-1, keepdims=True),
    lambda x: np.min(x, axis=-1, keepdims=True) * x,
    lambda x: x - np.max(x, axis=-1, keepdims=True),
    lambda x: np.maximum(x, x[..., ::-1]),
    lambda x: np.maximum(x, x),
    lambda x: np.minimum(x, F.mean(x, axis=-1, keepdims=True)),
    lambda x: np.abs(x - x[..., ::-1]),
    lambda x: np.abs(x[..., None] - x[..., None, :]),
    lambda x: F.norm(x, axis=-1),
    lambda x: np.max(np.abs(x), axis=-1),
    lambda x: F.leaky_relu(x - x[..., :1]),
    lambda x: F.relu(x) @ np.linspace(-1.0, 2.0, x.shape[-1]),
    lambda x: np.abs(x) @ np.where(np.arange(x.shape[-1]) % 2, 1.0, -1.0),
    lambda x: np.abs(x[..., 0]) - 1.7 * F.relu(x[..., -1]),
    lambda x: np.median(x, axis=-1),
    lambda x: F.sort(x)[..., -2:].sum(axis=-1),
    lambda x: np.maximum(x[..., :2], x[..., -2:]) * np.array([1.0, -1.0]),
)


def kinks_and_ties(rng: np.random.Generator) -> Any:
    """Some of these one after the other or side by side, at points with many zeros and equal numbers.

    Where one kink hides another, as in relu(x) - relu(-x) at 0, the chain rule need not give any slope, and does not.
    """
    first, second = [_KINKED[k] for k in rng.integers(len(_KINKED), size=2)]
    shape = ((4,), (5,), (2, 3))[rng.integers(3)]
    w = rng.normal(size=shape[-1])

    def chained(x: Any) -> Any:
        y = first(x)
        return second(y) if y.ndim == x.ndim and y.shape[-1] >= 2 else F.sum(y * y)

    functions = (
        first,
        chained,
        lambda x: F.sum(first(x)) + F.sum(second(x)) * 2.0,
        lambda x: F.sum(first(x * w)) - F.sum(second(x)),
        lambda x, y: np.maximum(first(x), second(y)) if first(x).shape == second(y).shape else F.sum(first(x)) * x,
        lambda x, y: F.sum(np.maximum(x, y) * w) - F.sum(first(x - y)),
    )
    which = int(rng.integers(len(functions)))
    points = (np.zeros(shape), np.full(shape, 1.5), rng.integers(-1, 2, shape) * 1.0, rng.integers(0, 2, shape) * 0.7)
    x, y = points[rng.integers(4)], points[rng.integers(4)]
    return functions[which], (x, y if rng.random() < 0.3 else x)[: 1 + (which > 3)]


FAMILIES: dict[str, Family] = {
    "steps": _steps,
    "straight beside steps": _straight_beside_steps,
    "dropout": _dropout,
    "ties": _ties,
    "equal elements": _equal_elements,
    "saturated": _saturated,
    "far out": _far_out,
    "two magnitudes": _two_magnitudes,
    "batch norm": _batch_norm_net,
    "attention": _attention_net,
    "shifted": _shifted,
}


def draw_right(family: str, seed: int) -> tuple[Callable[..., Any], tuple[np.ndarray, ...]]:
    """A right function of the family and its inputs."""
    rng = np.random.default_rng([seed, 31, list(FAMILIES).index(family)])
    return FAMILIES[family](rng)
