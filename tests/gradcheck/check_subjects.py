"""Functions for the tests: a node from plain rules, correct functions with their domains, and ones that mislead
differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from autolab import FunctionNode, Variable
from autolab import functions as F

Rule = Callable[..., Any]


def node(forward: Rule, backward: Rule, name: str = "Node") -> Callable[..., Any]:
    """A function made of a FunctionNode: ``forward(*arrays)`` and ``backward(g, *inputs)``, both on arrays."""

    def run_forward(self: FunctionNode, inputs: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
        self.retain_inputs(tuple(range(len(inputs))))
        y = forward(*inputs)
        return y if isinstance(y, tuple) else (y if isinstance(y, Variable) else np.asarray(y),)

    def run_backward(
        self: FunctionNode, targets: tuple[int, ...], gs: tuple[Variable, ...]
    ) -> tuple[Variable | None, ...]:
        arrays = [x.data for x in self.get_retained_inputs()]
        found = backward(*[g.data for g in gs], *arrays)
        found = found if isinstance(found, tuple) else (found,)
        return tuple([None if g is None else Variable(np.asarray(g), requires_grad=False) for g in found])

    kind = type(name, (FunctionNode,), {"forward": run_forward, "backward": run_backward})

    def function(*inputs: Any) -> Any:
        outputs = kind().apply(inputs)
        return outputs if len(outputs) > 1 else outputs[0]

    function.__name__ = name
    return function


def reduced(g: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """``g`` summed to ``shape``: what a broadcast needs."""
    return F.sum_to(g, shape=shape)


def _powers(a: np.ndarray, low: float, high: float) -> np.ndarray:
    return np.exp(np.log(low) + (np.log(high) - np.log(low)) * a)


# name: (function, number of inputs, domain): numbers of any scale where the domain is None
CORRECT: dict[str, tuple[Callable[..., Any], int, tuple[float, float] | None]] = {
    "add": (lambda a, b: a + b, 2, None),
    "sub": (lambda a, b: a - b, 2, None),
    "mul": (lambda a, b: a * b, 2, None),
    "div": (lambda a, b: a / b, 2, None),
    "neg": (lambda a: -a, 1, None),
    "exp": (np.exp, 1, (-5, 5)),
    "log": (np.log, 1, (1e-6, 1e6)),
    "sin": (np.sin, 1, (-30, 30)),
    "cos": (np.cos, 1, (-30, 30)),
    "tanh": (np.tanh, 1, (-12, 12)),
    "cube": (lambda a: a**3, 1, None),
    "power": (lambda a: a**2.5, 1, (1e-3, 1e3)),
    "inverse": (lambda a: a**-1, 1, None),
    "power of Variables": (lambda a, b: a**b, 2, (0.2, 3)),
    "sum": (lambda a: F.sum(a * a), 1, None),
    "sum over an axis": (lambda a: F.sum(a * a, axis=0) if a.ndim else a * a, 1, None),
    "reshape": (lambda a: F.reshape(a, shape=(-1,)) * 2.0, 1, None),
    "transpose": (lambda a: F.transpose(a) * 3.0, 1, None),
    "logistic": (lambda a: 1 / (1 + np.exp(-a)), 1, (-30, 30)),
    "softplus": (lambda a: np.log(1 + np.exp(a)), 1, (-20, 20)),
    "softmax": (lambda a: np.exp(a) / F.sum(np.exp(a)), 1, (-5, 5)),
    "logsumexp": (lambda a: np.log(F.sum(np.exp(a))), 1, (-5, 5)),
    "gauss": (lambda a: np.exp(-a * a), 1, (-6, 6)),
    "rosenbrock": (lambda a, b: 100 * (b - a**2) ** 2 + (a - 1) ** 2, 2, (-2, 2)),
    "squared distance": (lambda a, b: F.sum((a - b) ** 2), 2, None),
    "offset": (lambda a: 1.0 + a * a, 1, None),
    "waves": (lambda a: np.sin(50 * a), 1, (-3, 3)),
    "unused input": (lambda a, b: a * 2.0, 2, None),
    "used with weight 0": (lambda a, b: a * 2.0 + 0.0 * b, 2, None),
    "three results": (lambda a, b: (a * b, a + b, np.exp(-((a / (1 + a * a)) ** 2))), 2, None),
    "the input itself": (lambda a: a, 1, None),
    "x * x by one name": (lambda a: a * a * a / 3.0, 1, None),
}

SHAPES = [(), (1,), (3,), (2, 3), (4, 1), (2, 1, 3), (0,), (0, 3)]


def draw_inputs(rng: np.random.Generator, count: int, domain: tuple[float, float] | None) -> list[np.ndarray]:
    """Random inputs that broadcast together: any shape, float32 or float64, scales from 1e-6 to 1e6, zeros now and
    then."""
    shape = SHAPES[rng.integers(len(SHAPES))]
    dtype = rng.choice([np.float64, np.float64, np.float32])
    arrays = []
    for k in range(count):
        own = shape
        if k and rng.random() < 0.4:
            own = tuple([1 if rng.random() < 0.5 else n for n in shape])[rng.integers(len(shape) + 1) :]
        if domain is None:
            x = rng.normal(size=own) * 10 ** rng.uniform(-6, 6) * (rng.random() > 0.1)
        elif domain[0] > 0:
            x = _powers(rng.random(own), *domain)
        else:
            x = rng.uniform(*domain, own)
        arrays.append(np.asarray(x, dtype))
    return arrays


def _f32(a: np.ndarray) -> np.ndarray:
    return np.asarray(a).astype(np.float32).astype(np.float64)


def _newton_root(a: np.ndarray) -> np.ndarray:
    y = np.ones_like(a)
    for _ in range(200):
        new = (y + a / y) / 2
        if np.abs(new - y).max(initial=0.0) < 1e-6:
            return new
        y = new
    return y


_KNOTS = np.linspace(-3.0, 3.0, 25)

# name: (function, domain): right gradients whose finite differences mislead
MISLEADING: dict[str, tuple[Callable[..., Any], tuple[float, float]]] = {
    "float32 inside": (node(lambda a: _f32(_f32(a) ** 2), lambda g, a: 2 * g * a), (-3, 3)),
    "float16 inside": (node(lambda a: (a * a).astype(np.float16).astype(float), lambda g, a: 2 * g * a), (-3, 3)),
    "float32 sum inside": (
        node(lambda a: np.asarray(float(a.astype(np.float32).sum())), lambda g, a: g * np.ones_like(a)),
        (-3, 3),
    ),
    "rounded to 4 digits": (node(lambda a: np.round(a * a, 4), lambda g, a: 2 * g * a), (0.5, 3)),
    "huge offset": (lambda a: 1e10 + a * a, (-3, 3)),
    "offset beyond digits": (lambda a: 1e16 + a, (0.5, 3)),
    "cancelled offset": (lambda a: (a + 1e8) - 1e8, (-3, 3)),
    "cancelled products": (lambda a: (a * 1e6 + 1.0) ** 2 - (a * 1e6) ** 2, (-3, 3)),
    "1 - cos": (lambda a: (1 - np.cos(a)) / a**2, (1e-4, 1e-1)),
    "naive expm1": (lambda a: np.exp(a) - 1.0, (1e-9, 1e-6)),
    "naive softplus far left": (lambda a: np.log(1 + np.exp(a)), (-34, -10)),
    "high frequency": (lambda a: np.sin(1e4 * a), (-3, 3)),
    "higher frequency": (lambda a: np.sin(1e7 * a), (-3, 3)),
    "steep": (lambda a: np.tanh(1e4 * (a - 1)), (0.999, 1.001)),
    "narrow peak": (lambda a: np.exp(-1e6 * (a - 1) ** 2), (0.99, 1.01)),
    "pole": (lambda a: 1 / (a - 1), (1.000001, 1.01)),
    "large powers": (lambda a: a**30, (0.1, 30)),
    "abs": (node(np.abs, lambda g, a: g * np.sign(a)), (-1e-3, 1e-3)),
    "abs at 0": (node(np.abs, lambda g, a: g * np.sign(a)), (0, 0)),
    "relu at 0": (node(lambda a: np.maximum(a, 0), lambda g, a: g * (a > 0)), (0, 0)),
    "relu beside 0": (node(lambda a: np.maximum(a, 0), lambda g, a: g * (a > 0)), (-1e-12, 1e-12)),
    "clip beside its edge": (
        node(lambda a: np.clip(a, -1, 1), lambda g, a: g * (np.abs(a) <= 1)),
        (1 - 1e-6, 1 + 1e-6),
    ),
    "maximum of near ties": (
        node(lambda a: np.maximum(a, a[::-1].copy()), lambda g, a: g * (a >= a[::-1]) + (g * (a[::-1] > a))[::-1]),
        (1, 1 + 1e-7),
    ),
    "floor": (node(np.floor, lambda g, a: 0 * g), (-3, 3)),
    "floor at its step": (node(np.floor, lambda g, a: 0 * g), (2, 2)),
    "sign at 0": (node(np.sign, lambda g, a: 0 * g), (0, 0)),
    "cube root at 0": (node(np.cbrt, lambda g, a: g / (3 * np.cbrt(a) ** 2)), (0, 0)),
    "square root at 0": (node(np.sqrt, lambda g, a: g / (2 * np.sqrt(a))), (0, 0)),
    "square root beside 0": (node(np.sqrt, lambda g, a: g / (2 * np.sqrt(a))), (1e-300, 1e-12)),
    "x|x|": (node(lambda a: a * np.abs(a), lambda g, a: 2 * g * np.abs(a)), (-1e-6, 1e-6)),
    "iteration to a tolerance": (node(_newton_root, lambda g, a: g / (2 * np.sqrt(a))), (0.5, 9)),
    "table": (
        node(
            lambda a: np.interp(a, _KNOTS, _KNOTS**2),
            lambda g, a: g * (np.diff(_KNOTS**2) / 0.25)[np.searchsorted(_KNOTS, a, side="right") - 1],
        ),
        (-2.7, 2.7),
    ),
    "one result infinite": (lambda a: (np.log(a - a), a * a), (0.5, 3)),
    "raises outside": (
        node(lambda a: np.sqrt(a) if (a >= 1).all() else _refuse(), lambda g, a: g / (2 * np.sqrt(a))),
        (1, 1 + 1e-9),
    ),
}


def _refuse() -> np.ndarray:
    raise ValueError("outside of the domain")
