"""The elementwise functions in multiple precision: their values and first derivatives, as mpmath computes them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpmath import mp, mpf

mp.dps = 60  # for all who import this; tests that need more say so

INF = math.inf


@dataclass(frozen=True)
class Exact:
    """A function of numbers, and its derivative by each input; ``low`` and ``high`` are the ends of its domain."""

    value: Callable[..., Any]
    slopes: tuple[Callable[..., Any], ...]
    low: float = -INF
    high: float = INF
    kinks: tuple[float, ...] = ()


def _unary(value: Any, slope: Any, low: float = -INF, high: float = INF, kinks: tuple[float, ...] = ()) -> Exact:
    return Exact(value, (slope,), low, high, kinks)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + mp.exp(-x)) if x >= 0 else mp.exp(x) / (1 + mp.exp(x))


def softplus(x: Any) -> Any:
    return mp.log1p(mp.exp(x)) if x < 0 else x + mp.log1p(mp.exp(-x))


def normal(x: Any) -> Any:
    return mp.erfc(-max(min(x, mpf(100)), mpf(-100)) / mp.sqrt(2)) / 2  # mpmath does not know how to go further


def density(x: Any) -> Any:
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def logaddexp(a: Any, b: Any) -> Any:
    return max(a, b) + mp.log1p(mp.exp(-abs(a - b)))


def arcsinh(x: Any) -> Any:
    return mp.sign(x) * mp.log1p(abs(x) + x * x / (1 + mp.sqrt(1 + x * x)))


def gate(x: Any) -> Any:
    """tanh(softplus(x)) as a quotient."""
    n = mp.exp(x) * (mp.exp(x) + 2)
    return n / (n + 2)


def gate_slope(x: Any) -> Any:
    n = mp.exp(x) * (mp.exp(x) + 2)
    return 4 * (n + 1) / (n + 2) ** 2 * sigmoid(x)


def _within(x: Any) -> Any:
    """mpmath does not know how to go further."""
    return max(min(x, mpf(100)), mpf(-100))


def _sinc_slope(x: Any) -> Any:
    return (mp.cospi(x) - mp.sincpi(x)) / x if abs(x) > 1e-15 else -(mp.pi**2) * x / 3


_SCALE, _ALPHA = mpf(1.0507009873554805), mpf(1.6732632423543772)

# A function that is added says this in its row of the function table.
UNARY = {
    "abs": _unary(abs, mp.sign, kinks=(0.0,)),
    "arccos": _unary(mp.acos, lambda x: -1 / mp.sqrt((1 - x) * (1 + x)), -1, 1),
    "arccosh": _unary(mp.acosh, lambda x: 1 / mp.sqrt((x - 1) * (x + 1)), 1),
    "arcsin": _unary(mp.asin, lambda x: 1 / mp.sqrt((1 - x) * (1 + x)), -1, 1),
    "arcsinh": _unary(arcsinh, lambda x: 1 / mp.sqrt(1 + x * x)),
    "arctan": _unary(mp.atan, lambda x: 1 / (1 + x * x)),
    "arctanh": _unary(lambda x: (mp.log1p(x) - mp.log1p(-x)) / 2, lambda x: 1 / ((1 - x) * (1 + x)), -1, 1),
    "cbrt": _unary(lambda x: mp.sign(x) * mp.cbrt(abs(x)), lambda x: 1 / (3 * mp.cbrt(abs(x)) ** 2), kinks=(0.0,)),
    "cos": _unary(mp.cos, lambda x: -mp.sin(x)),
    "cosh": _unary(mp.cosh, mp.sinh),
    "elu": _unary(lambda x: x if x > 0 else mp.expm1(x), lambda x: 1 if x > 0 else mp.exp(x)),
    "erf": _unary(lambda x: mp.erf(max(min(x, mpf(100)), mpf(-100))), lambda x: 2 / mp.sqrt(mp.pi) * mp.exp(-x * x)),
    "exp": _unary(mp.exp, mp.exp),
    "expm1": _unary(mp.expm1, mp.exp),
    "gelu": _unary(lambda x: x * normal(x), lambda x: normal(x) + x * density(x)),
    "leaky_relu": _unary(lambda x: x if x > 0 else x * mpf("0.2"), lambda x: 1 if x > 0 else mpf("0.2"), kinks=(0.0,)),
    "log": _unary(mp.log, lambda x: 1 / x, 0),
    "log10": _unary(mp.log10, lambda x: 1 / (x * mp.ln10), 0),
    "log1p": _unary(mp.log1p, lambda x: 1 / (1 + x), -1),
    "log2": _unary(lambda x: mp.log(x) / mp.ln2, lambda x: 1 / (x * mp.ln2), 0),
    "celu": _unary(lambda x: x if x > 0 else mp.expm1(x), lambda x: 1 if x > 0 else mp.exp(x)),
    "erfc": _unary(lambda x: mp.erfc(_within(x)), lambda x: -2 / mp.sqrt(mp.pi) * mp.exp(-x * x)),
    "hardsigmoid": _unary(
        lambda x: max(min((x + 3) / 6, mpf(1)), mpf(0)), lambda x: (abs(x) < 3) / mpf(6), kinks=(-3.0, 3.0)
    ),
    "hardswish": _unary(
        lambda x: x * max(min((x + 3) / 6, mpf(1)), mpf(0)),
        lambda x: mpf(0) if x < -3 else mpf(1) if x > 3 else (2 * x + 3) / 6,
        kinks=(-3.0, 3.0),
    ),
    "mish": _unary(lambda x: x * gate(x), lambda x: gate(x) + x * gate_slope(x)),
    "selu": _unary(
        lambda x: _SCALE * (x if x > 0 else _ALPHA * mp.expm1(x)),
        lambda x: _SCALE * (1 if x > 0 else _ALPHA * mp.exp(x)),
        kinks=(0.0,),
    ),
    "logsigmoid": _unary(lambda x: -softplus(-x), lambda x: sigmoid(-x)),
    "neg": _unary(lambda x: -x, lambda x: mpf(-1)),
    "reciprocal": _unary(lambda x: 1 / x, lambda x: -1 / x**2, kinks=(0.0,)),
    "relu": _unary(lambda x: max(x, mpf(0)), lambda x: mpf(x > 0), kinks=(0.0,)),
    "sigmoid": _unary(sigmoid, lambda x: sigmoid(x) * sigmoid(-x)),
    "silu": _unary(lambda x: x * sigmoid(x), lambda x: sigmoid(x) * (1 + x * sigmoid(-x))),
    "sin": _unary(mp.sin, mp.cos),
    "sinc": _unary(mp.sincpi, _sinc_slope),
    "sinh": _unary(mp.sinh, mp.cosh),
    "softplus": _unary(softplus, sigmoid),
    "sqrt": _unary(mp.sqrt, lambda x: 1 / (2 * mp.sqrt(x)), 0),
    "square": _unary(lambda x: x * x, lambda x: 2 * x),
    "tan": _unary(mp.tan, lambda x: 1 / mp.cos(x) ** 2),
    "tanh": _unary(mp.tanh, lambda x: 1 / mp.cosh(x) ** 2),
}

BINARY = {
    "add": Exact(lambda a, b: a + b, (lambda a, b: mpf(1), lambda a, b: mpf(1))),
    "sub": Exact(lambda a, b: a - b, (lambda a, b: mpf(1), lambda a, b: mpf(-1))),
    "mul": Exact(lambda a, b: a * b, (lambda a, b: b, lambda a, b: a)),
    "div": Exact(lambda a, b: a / b, (lambda a, b: 1 / b, lambda a, b: -a / b**2)),
    "pow": Exact(lambda a, b: a**b, (lambda a, b: b * a ** (b - 1), lambda a, b: a**b * mp.log(a)), low=0),
    "hypot": Exact(mp.hypot, (lambda a, b: a / mp.hypot(a, b), lambda a, b: b / mp.hypot(a, b))),
    "arctan2": Exact(mp.atan2, (lambda a, b: b / (a * a + b * b), lambda a, b: -a / (a * a + b * b))),
    "fmax": Exact(max, (lambda a, b: mpf(a > b), lambda a, b: mpf(b > a))),
    "fmin": Exact(min, (lambda a, b: mpf(a < b), lambda a, b: mpf(b < a))),
    "logaddexp": Exact(logaddexp, (lambda a, b: sigmoid(a - b), lambda a, b: sigmoid(b - a))),
    "expadd": Exact(lambda a, b: mp.exp(a) + mp.exp(b), (lambda a, b: mp.exp(a), lambda a, b: mp.exp(b))),
    "maximum": Exact(max, (lambda a, b: mpf(a > b), lambda a, b: mpf(b > a))),
    "minimum": Exact(min, (lambda a, b: mpf(a < b), lambda a, b: mpf(b < a))),
}


def points(dtype: type, exact: Exact, rng: np.random.Generator, count: int) -> np.ndarray:
    """Numbers of all sizes from the least to the greatest, a moderate range, and both sides of 0, ±1 and the ends."""
    info = np.finfo(dtype)
    sizes = np.exp2(rng.uniform(math.log2(info.smallest_subnormal), math.log2(info.max), count))
    near = [1 + k * float(info.eps) for k in (-3, -1, 0, 1, 3)]
    edges = np.array([*near, info.max, info.tiny, info.smallest_subnormal, info.smallest_subnormal * 9])
    both = np.concatenate([sizes, edges])
    middle = np.concatenate([rng.uniform(-scale, scale, count) for scale in (1, 12, 120, 800)])
    x = np.concatenate([both, -both, middle]).clip(-info.max, info.max).astype(dtype)
    x = x[(x > exact.low) & (x < exact.high) & np.isfinite(x)]
    return x[~np.isin(x, exact.kinks)]


def excess(got: np.ndarray, function: Callable[..., Any], xs: tuple[np.ndarray, ...], floor: float = 0.0) -> np.ndarray:
    """By how much ``got`` differs from ``function(*xs)``, in units of what is allowed.

    Allowed are 4 units in the last place times the condition, that is, what comes of changing the inputs by as much.
    Numbers below the least normal one have a fixed last place. ``floor`` is an error that is allowed besides.
    """
    info = np.finfo(got.dtype)
    eps, least, most = mpf(float(info.eps)), mpf(float(info.smallest_subnormal)), mpf(float(info.max))
    found = []
    for row in zip(got.tolist(), *[x.tolist() for x in xs], strict=True):
        y, inputs = row[0], [mpf(v) for v in row[1:]]
        exact = mpf(function(*inputs))
        change = sum([_change(function, inputs, i, eps, exact) for i in range(len(inputs))], mpf(0))
        allowed = 4 * (eps / 2 * abs(exact) + change / 2) + 2 * least + mpf(float(floor))
        if math.isinf(y):
            off = mpf(0) if exact * (1 if y > 0 else -1) + allowed >= most else mpf(INF)
        else:
            off = mpf(INF) if math.isnan(y) else abs(mpf(y) - exact)
        found.append(float(off / allowed) if off else 0.0)
    return np.array(found)


def _change(function: Callable[..., Any], inputs: list[Any], i: int, eps: Any, at: Any) -> Any:
    """How much the value changes if input ``i`` changes by ``eps``: its part of the condition."""
    sides = [[*inputs[:i], inputs[i] * (1 + s * eps), *inputs[i + 1 :]] for s in (-1, 1)]
    values = [mp.mpmathify(function(*side)) for side in sides]
    return max([abs(v - at) for v in values if not isinstance(v, mp.mpc)], default=mpf(0))
