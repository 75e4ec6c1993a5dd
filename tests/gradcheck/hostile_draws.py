"""Right functions at inputs where floating-point numbers give out: saturated, underflowing, huge, tiny, coarse.

A draw is a function, inputs, and a way to write it: of AutoLab's own steps, or hidden in one FunctionNode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from check_subjects import node

from autolab import Variable, grad
from autolab import functions as F

Function = Callable[..., Any]


def _last(x: Any) -> int | None:
    return -1 if x.ndim else None


def _softmax_by_hand(x: Any) -> Any:
    e = np.exp(x - F.max(x, axis=_last(x), keepdims=True))
    return e / F.sum(e, axis=_last(x), keepdims=True)


def _attention(q: Any, k: Any) -> Any:
    q, k = F.reshape(q, shape=(-1, 1)), F.reshape(k, shape=(-1, 1))
    return F.softmax(q @ F.transpose(k), axis=-1) @ k


def _normalized(x: Any) -> Any:
    centred = x - F.mean(x, axis=_last(x), keepdims=True)
    return centred / np.sqrt(F.mean(centred * centred, axis=_last(x), keepdims=True) + 1e-5)


def _layer_norm(x: Any) -> Any:
    n = x.shape[-1] if x.ndim else 1
    x = F.reshape(x, shape=(1, 1)) if not x.ndim else x
    return F.layer_norm(x, np.ones(n, x.dtype), np.zeros(n, x.dtype))


def _labels(x: Any) -> Any:
    return (np.arange(x.size).reshape(x.shape) % 2).astype(x.dtype)


def _cross_entropy(x: Any) -> Any:
    x = F.reshape(x, shape=(1, -1)) if x.ndim != 2 else x
    return F.softmax_cross_entropy(x, np.arange(x.shape[0]) % x.shape[1])


# name: (function, number of inputs)
FUNCTIONS: dict[str, tuple[Function, int]] = {
    "square": (lambda x: x * x, 1),
    "scaled square": (lambda x: 1e100 * (x * x), 1),
    "cube": (lambda x: x**3, 1),
    "power 2.5 of abs": (lambda x: abs(x) ** 2.5, 1),
    "product": (lambda x, y: x * y, 2),
    "product of three": (lambda x, y, z: x * y * z, 3),
    "quotient": (lambda x, y: x / y, 2),
    "sum": (lambda x, y: x + y, 2),
    "difference of squares": (lambda x, y: x * x - y * y, 2),
    "inverse": (lambda x: 1 / x, 1),
    "x/(1+|x|)": (lambda x: x / (1 + abs(x)), 1),
    "x/(1+x*x)": (lambda x: x / (1 + x * x), 1),
    "sqrt(x*x+eps)": (lambda x: np.sqrt(x * x + 1e-8), 1),
    "sqrt of abs": (lambda x: np.sqrt(abs(x)), 1),
    "sqrt(1+x*x)-1": (lambda x: np.sqrt(1 + x * x) - 1, 1),
    "log of abs": (lambda x: np.log(abs(x)), 1),
    "log(1+x*x)": (lambda x: np.log(1 + x * x), 1),
    "log1p of square": (lambda x: np.log1p(x * x), 1),
    "exp": (np.exp, 1),
    "expm1": (np.expm1, 1),
    "exp(-x*x)": (lambda x: np.exp(-x * x), 1),
    "exp(-|x|)": (lambda x: np.exp(-abs(x)), 1),
    "log(1+exp(-x))": (lambda x: np.log(1 + np.exp(-x)), 1),
    "log(1+exp(x))": (lambda x: np.log(1 + np.exp(x)), 1),
    "mean of log(1+exp(-x))": (lambda x: F.mean(np.log(1 + np.exp(-x))), 1),
    "1/(1+exp(-x))": (lambda x: 1 / (1 + np.exp(-x)), 1),
    "-log of a sigmoid": (lambda x: -np.log(F.sigmoid(x)), 1),
    "log(1-sigmoid)": (lambda x: np.log(1 - F.sigmoid(x)), 1),
    "tanh by hand": (lambda x: (np.exp(x) - np.exp(-x)) / (np.exp(x) + np.exp(-x)), 1),
    "1-tanh": (lambda x: 1 - np.tanh(x), 1),
    "swish by hand": (lambda x: x / (1 + np.exp(-x)), 1),
    "gelu by tanh": (lambda x: 0.5 * x * (1 + np.tanh(0.79788456 * (x + 0.044715 * x**3))), 1),
    "softmax by hand": (_softmax_by_hand, 1),
    "softmax unshifted": (lambda x: np.exp(x) / F.sum(np.exp(x), axis=_last(x), keepdims=True), 1),
    "softmax log mean": (lambda x: F.mean(np.log(F.softmax(x, axis=-1) if x.ndim else F.sigmoid(x))), 1),
    "-log of a softmax's first": (lambda x: -np.log(F.softmax(F.reshape(x, shape=(-1,)), axis=0))[0], 1),
    "logsumexp by hand": (lambda x: np.log(F.sum(np.exp(x), axis=_last(x))), 1),
    "logsumexp shifted": (lambda x: F.max(x) + np.log(F.sum(np.exp(x - F.max(x)))), 1),
    "entropy": (
        lambda x: -F.sum(F.softmax(x, axis=_last(x) or 0) * F.log_softmax(x, axis=_last(x) or 0)) if x.ndim else x * x,
        1,
    ),
    "attention": (_attention, 2),
    "normalized": (_normalized, 1),
    "layer_norm": (_layer_norm, 1),
    "product of all": (lambda x: F.prod(x), 1),
    "product along an axis": (lambda x: F.prod(x, axis=_last(x)), 1),
    "cumprod": (lambda x: F.cumprod(F.reshape(x, shape=(-1,)), axis=0), 1),
    "norm": (lambda x: F.norm(x), 1),
    "norm by hand": (lambda x: np.sqrt(F.sum(x * x)), 1),
    "direction": (lambda x: x / np.sqrt(F.sum(x * x) + 1e-12), 1),
    "var": (lambda x: F.var(x, axis=_last(x)), 1),
    "std": (lambda x: F.std(x), 1),
    "var by moments": (lambda x: F.mean(x * x) - F.mean(x) ** 2, 1),
    "mean of squares": (lambda x: F.mean(x * x), 1),
    "squared error": (lambda x, y: F.mean_squared_error(x, y), 2),
    "absolute error": (lambda x, y: F.mean_absolute_error(x, y), 2),
    "huber": (lambda x, y: F.huber(x, y), 2),
    "hypot": (lambda x, y: np.hypot(x, y), 2),
    "arctan2": (lambda x, y: np.arctan2(x, y), 2),
    "logaddexp": (lambda x, y: np.logaddexp(x, y), 2),
    "maximum": (lambda x, y: np.maximum(x, y), 2),
    "max": (lambda x: F.max(x), 1),
    "abs": (lambda x: abs(x), 1),
    "relu": (F.relu, 1),
    "leaky_relu": (lambda x: F.leaky_relu(x), 1),
    "elu": (lambda x: F.elu(x), 1),
    "gelu": (F.gelu, 1),
    "silu": (F.silu, 1),
    "sigmoid": (F.sigmoid, 1),
    "softplus": (F.softplus, 1),
    "tanh": (np.tanh, 1),
    "erf": (F.erf, 1),
    "1-erf": (lambda x: 1 - F.erf(x), 1),
    "arctan": (np.arctan, 1),
    "arcsinh": (np.arcsinh, 1),
    "sinh": (np.sinh, 1),
    "cosh": (np.cosh, 1),
    "log of cosh": (lambda x: np.log(np.cosh(x)), 1),
    "sin": (np.sin, 1),
    "1-cos": (lambda x: 1 - np.cos(x), 1),
    "sinc": (lambda x: np.sin(x) / x, 1),
    "softmax": (lambda x: F.softmax(x, axis=-1) if x.ndim else x, 1),
    "log_softmax": (lambda x: F.log_softmax(x, axis=-1) if x.ndim else x, 1),
    "logsumexp": (lambda x: F.logsumexp(x, axis=_last(x)), 1),
    "sigmoid_cross_entropy": (lambda x: F.sigmoid_cross_entropy(x, _labels(x).astype(int)), 1),
    "softmax_cross_entropy": (_cross_entropy, 1),
    "weights beside": (lambda x, w: F.sum(np.tanh(x * w)), 2),
    "used with weight 0": (lambda x, y: x * 2.0 + 0.0 * y, 2),
    "unused": (lambda x, y: x * 2.0, 2),
    "scaled down": (lambda x: 1e-200 * np.tanh(x), 1),
    "offset": (lambda x: 1e10 + x * x, 1),
    "two results": (lambda x: (F.sigmoid(x), 1e-30 * x * x), 1),
}

SHAPES = [(), (1,), (2,), (3,), (5,), (2, 3), (3, 2), (4, 5)]


def _powers(rng: np.random.Generator, shape: Any, low: float, high: float) -> np.ndarray:
    return 10 ** rng.uniform(low, high, shape) * rng.choice((-1.0, 1.0), shape)


def _leader(rng: np.random.Generator, shape: Any) -> np.ndarray:
    x = rng.normal(size=shape)
    if x.size:
        x.flat[rng.integers(x.size)] += rng.choice([30, 34, 36, 37, 40, 60, 100, 300, 700, 750, 800])
    return x


def _near_ties(rng: np.random.Generator, shape: Any) -> np.ndarray:
    return rng.normal() + rng.normal(size=shape) * 10 ** rng.uniform(-17, -6)


def _some(rng: np.random.Generator, x: np.ndarray, value: Any) -> np.ndarray:
    return np.where(rng.random(x.shape) < 0.4, value, x)


Draw = Callable[[np.random.Generator, Any], np.ndarray]
HOSTILE: dict[str, Draw] = {
    "saturated": lambda rng, s: rng.uniform(5, 60) * rng.choice((-1.0, 1.0)) + rng.normal(size=s),
    "deep": lambda rng, s: rng.uniform(-800, 800, s),
    "a leader": _leader,
    "-8 ... -6": lambda rng, s: rng.uniform(-10, -5, s),
    "30 ... 45": lambda rng, s: rng.uniform(30, 45, s) * rng.choice((-1.0, 1.0), s),
    "tiny": lambda rng, s: rng.normal(size=s) * 10 ** rng.uniform(-300, -50),
    "1e-160": lambda rng, s: rng.normal(size=s) * 10 ** rng.uniform(-170, -150),
    "small": lambda rng, s: rng.normal(size=s) * 10 ** rng.uniform(-50, -5),
    "denormal": lambda rng, s: rng.normal(size=s) * 10 ** rng.uniform(-323, -307),
    "huge": lambda rng, s: rng.normal(size=s) * 10 ** rng.uniform(50, 300),
    "1e150": lambda rng, s: rng.normal(size=s) * 10 ** rng.uniform(148, 156),
    "large": lambda rng, s: rng.normal(size=s) * 10 ** rng.uniform(3, 50),
    "mixed": lambda rng, s: _powers(rng, s, -20, 20),
    "widely mixed": lambda rng, s: _powers(rng, s, -250, 250),
    "near ties": _near_ties,
    "ties": lambda rng, s: np.full(s, rng.normal()),
    "zeros": lambda rng, s: np.zeros(s),
    "some zeros": lambda rng, s: _some(rng, rng.normal(size=s), 0.0),
    "a saturated one": lambda rng, s: _some(rng, rng.normal(size=s), rng.uniform(-50, 50)),
    "a tiny one": lambda rng, s: _some(rng, rng.normal(size=s), 10 ** rng.uniform(-320, -10)),
    "an infinite one": lambda rng, s: _some(rng, rng.normal(size=s), rng.choice([np.inf, -np.inf])),
    "whole": lambda rng, s: rng.integers(-3, 4, s).astype(float),
    "a row of zeros": lambda rng, s: (
        rng.normal(size=s) * (np.arange(s[0]) > 0).reshape(-1, *[1] * (len(s) - 1)) if s else np.zeros(())
    ),
    "a constant row": lambda rng, s: np.ones(s) * rng.normal() * 10 ** rng.uniform(-3, 6) + rng.normal(size=s) * 1e-9,
}
ORDINARY: dict[str, Draw] = {"ordinary": lambda rng, s: rng.normal(size=s) + 0.1}


def _planted_term(d: list[np.ndarray], xs: list[np.ndarray], g: np.ndarray) -> list[np.ndarray]:
    new = d[0].copy()
    new.flat[: max(1, new.size // 2)] = 0
    return [new, *d[1:]]


Edit = Callable[[list[np.ndarray], list[np.ndarray], np.ndarray], list[np.ndarray]]
PLANTED: dict[str, Edit] = {
    "sign": lambda d, xs, g: [-d[0], *d[1:]],
    "factor 2": lambda d, xs, g: [2 * d[0], *d[1:]],
    "zero": lambda d, xs, g: [0 * d[0], *d[1:]],
    "missing term": _planted_term,
    "times 1.5": lambda d, xs, g: [1.5 * d[0], *d[1:]],
    "passed on": lambda d, xs, g: [np.full(d[0].shape, g.sum(), d[0].dtype), *d[1:]],
}


@dataclass(frozen=True)
class Drawn:
    """A right function and its inputs."""

    name: str
    hostile: str
    opaque: bool
    function: Function
    inputs: list[np.ndarray]

    def __str__(self) -> str:
        return f"{self.name}{' (one node)' if self.opaque else ''}, {self.hostile}, {self.inputs}"

    def planted(self, edit: str) -> Function:
        """The function with a wrong rule."""
        return hidden(*FUNCTIONS[self.name], edit)


def hidden(function: Function, count: int, edit: str | None = None) -> Function:
    """The function as one node, with its own right gradient or an edited one."""

    def forward(*arrays: np.ndarray) -> Any:
        ys = function(*[Variable(a) for a in arrays])
        return tuple([y.data for y in ys]) if isinstance(ys, tuple) else ys.data

    def backward(*arrays: np.ndarray) -> Any:
        xs = arrays[-count:]
        variables = [Variable(a) for a in xs]
        ys = function(*variables)
        gs = list(arrays[:-count])
        found = grad(ys if isinstance(ys, tuple) else [ys], variables, gs)
        found = [np.zeros_like(x) if d is None else d.data.copy() for d, x in zip(found, xs, strict=True)]
        return tuple(found if edit is None else PLANTED[edit](found, list(xs), gs[0]))

    return node(forward, backward)


def draw(seed: int, hostile: dict[str, Draw] = HOSTILE) -> Drawn:
    """A right function with hostile inputs."""
    rng = np.random.default_rng([seed, 29])
    name = list(FUNCTIONS)[rng.integers(len(FUNCTIONS))]
    function, count = FUNCTIONS[name]
    kind = list(hostile)[rng.integers(len(hostile))]
    shape = SHAPES[rng.integers(len(SHAPES))]
    dtype = rng.choice([np.float64, np.float64, np.float32, np.float16])
    with np.errstate(all="ignore"):
        inputs = []
        for k in range(count):
            own = kind if k == 0 or rng.random() < 0.5 else list(hostile)[rng.integers(len(hostile))]
            inputs.append(np.asarray(hostile[own](rng, shape)).astype(dtype))
    opaque = bool(rng.random() < 0.4)
    return Drawn(name, kind, opaque, hidden(function, count) if opaque else function, inputs)


def draws(seeds: range, hostile: dict[str, Draw] = HOSTILE) -> Iterator[Drawn]:
    for seed in seeds:
        yield draw(seed, hostile)
