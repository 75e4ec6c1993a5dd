"""Functions of whole arrays in multiple precision: arrays of mpmath's numbers, and their derivatives by differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from mpmath import mp, mpf

from autolab import functions as F

DIGITS = 400
"""A difference of 1e-300 beside 1, as where exp saturates, leaves a hundred of them."""

exp, log, sqrt, log1p = [np.frompyfunc(f, 1, 1) for f in (mp.exp, mp.log, mp.sqrt, mp.log1p)]


@dataclass(frozen=True)
class Case:
    """``call(*arrays)`` of AutoLab beside ``exact(*arrays)`` of mpmath's numbers, which may have any shape."""

    name: str
    shapes: tuple[tuple[int, ...], ...]
    call: Callable[..., Any]
    exact: Callable[..., Any]
    positive: bool = False  # probabilities
    widest: float = 300.0  # the greatest inputs
    rounding: float = 1.0  # how many times 4 units are allowed; the conventions say why


def _softmax(x: Any, axis: int = -1) -> Any:
    e = exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def _normalized(x: Any, axis: Any, eps: float = 1e-5) -> Any:
    away = x - x.sum(axis=axis, keepdims=True) / _count(x, axis)
    return away / sqrt((away * away).sum(axis=axis, keepdims=True) / _count(x, axis) + mpf(eps))


def _count(x: Any, axis: Any) -> int:
    return int(np.ones(x.shape).sum(axis=axis).reshape(-1).size and x.size // np.ones(x.shape).sum(axis=axis).size)


def _var(x: Any, ddof: int = 0) -> Any:
    away = x - x.sum() / x.size
    return (away * away).sum() / (x.size - ddof)


def _binary_entropy(x: Any, t: Any) -> Any:
    terms = [ti * log1p(exp(-xi)) + (1 - ti) * log1p(exp(xi)) for xi, ti in zip(x.flat, t.flat, strict=True)]
    return sum(terms) / x.size


def _pooled(x: Any) -> Any:
    return (x[..., ::2] + x[..., 1::2]).sum(axis=2, keepdims=True) / 4


def _convolved(x: Any, w: Any, b: Any) -> Any:
    windows = np.stack([x[0, :, i : i + w.shape[2]] for i in range(x.shape[2] - w.shape[2] + 1)])
    return np.stack([(windows * kernel).sum(axis=(1, 2)) + c for kernel, c in zip(w, b, strict=True)])


def _spread(x: Any, w: Any) -> Any:
    y = np.full((w.shape[1], x.shape[3] + w.shape[3] - 1), mpf(0))
    for i in range(x.shape[3]):
        y[:, i : i + w.shape[3]] += (x[0, :, 0, i, None, None] * w[:, :, 0]).sum(axis=0)
    return y


def _area(a: Any, b: Any, i: int) -> Any:
    j, k = (i + 1) % 3, (i + 2) % 3
    return a[j] * b[k] - a[k] * b[j]


def _convolution(a: Any, v: Any) -> Any:
    return np.array([a[0] * v[0], a[0] * v[1] + a[1] * v[0], a[1] * v[1]])


ONES = (np.array([1, 0, 1, 1]), np.array([1, 0, 0.25, 1]))
LABELS = np.array([0, 2])
_HOT = np.eye(3, dtype=int)[LABELS]

CASES = (
    Case("softmax", ((4,),), F.softmax, _softmax),
    Case("softmax", ((3, 2),), lambda x: F.softmax(x, axis=0), lambda x: _softmax(x, 0), widest=30),
    Case("log_softmax", ((4,),), F.log_softmax, lambda x: log(_softmax(x))),
    Case("log_softmax", ((4,),), lambda x: F.log_softmax(x)[1], lambda x: log(_softmax(x))[1]),
    Case("logsumexp", ((4,),), F.logsumexp, lambda x: log(exp(x).sum())),
    Case(
        "softmax_cross_entropy",
        ((2, 3),),
        lambda x: F.softmax_cross_entropy(x, LABELS),
        lambda x: -(log(_softmax(x)) * _HOT).sum() / 2,
    ),
    *[
        Case(
            "sigmoid_cross_entropy",
            ((4,),),
            lambda x, t=t: F.sigmoid_cross_entropy(x, t.astype(x.dtype)),
            lambda x, t=t: _binary_entropy(x, t),
        )
        for t in ONES
    ],
    Case("mean_squared_error", ((3,), (3,)), F.mean_squared_error, lambda x, t: ((x - t) ** 2).sum() / 3, widest=100),
    Case("mean_absolute_error", ((3,), (3,)), F.mean_absolute_error, lambda x, t: abs(x - t).sum() / 3),
    Case(
        "huber",
        ((3,), (3,)),
        F.huber,
        lambda x, t: sum([d * d / 2 if d < 1 else d - mpf(0.5) for d in abs(x - t)]) / 3,
    ),
    Case(
        "smooth_l1",
        ((3,), (3,)),
        lambda x, t: F.smooth_l1(x, t, beta=0.25),
        lambda x, t: sum([d * d * 2 if d < 0.25 else d - mpf(0.125) for d in abs(x - t)]) / 3,
    ),
    Case(
        "binary_cross_entropy",
        ((3,), (3,)),
        F.binary_cross_entropy,
        lambda x, t: -(t * log(x) + (1 - t) * log1p(-x)).sum() / 3,
        positive=True,
    ),
    Case("hinge", ((3,), (3,)), F.hinge, lambda x, t: sum([max(1 - a, mpf(0)) for a in t * x]) / 3, widest=100),
    Case(
        "triplet",
        ((1, 2),) * 3,
        lambda a, p, n: F.triplet(a, p, n, margin=1000.0),
        lambda a, p, n: sqrt(((a - p) ** 2).sum()) - sqrt(((a - n) ** 2).sum()) + 1000,
        widest=100,
        rounding=2,
    ),
    Case(
        "gaussian_nll",
        ((3,),) * 3,
        lambda x, t, v: F.gaussian_nll(x, t, v, eps=0.0),
        lambda x, t, v: (log(v) + (x - t) ** 2 / v).sum() / 6,
        positive=True,
    ),
    Case(
        "rfft", ((4,),), lambda x: F.rfft(x)[0], lambda x: np.array([x.sum(), x[0] - x[2], x[0] - x[1] + x[2] - x[3]])
    ),
    Case("irfft", ((2,), (2,)), lambda r, i: F.irfft(r, i), lambda r, i: np.array([r[0] + r[1], r[0] - r[1]]) / 2),
    Case("fft", ((2,), (2,)), lambda r, i: F.fft(r, i)[0], lambda r, i: np.array([r[0] + r[1], r[0] - r[1]])),
    Case("ifft", ((2,), (2,)), lambda r, i: F.ifft(r, i)[1], lambda r, i: np.array([i[0] + i[1], i[0] - i[1]]) / 2),
    Case("xlogy", ((3,), (3,)), F.xlogy, lambda x, y: x * log(y), positive=True),
    Case("glu", ((4,),), F.glu, lambda x: x[:2] / (1 + exp(-x[2:]))),
    Case("prelu", ((2, 3), (3,)), F.prelu, lambda x, w: np.where(x > 0, x, w * x), widest=100),
    Case("median", ((4,),), F.median, lambda x: (np.sort(x)[1] + np.sort(x)[2]) / 2),
    Case("quantile", ((4,),), lambda x: F.quantile(x, 0.75), lambda x: np.sort(x)[2] * mpf(0.75) + np.sort(x)[3] / 4),
    Case("percentile", ((3,),), lambda x: F.percentile(x, 25), lambda x: (np.sort(x)[0] + np.sort(x)[1]) / 2),
    Case("kron", ((2,), (2,)), F.kron, lambda a, b: np.multiply.outer(a, b).ravel(), widest=100),
    Case("cross", ((3,), (3,)), F.cross, lambda a, b: np.array([_area(a, b, i) for i in range(3)]), widest=100),
    Case("trapezoid", ((4,),), F.trapezoid, lambda y: y[0] / 2 + y[1] + y[2] + y[3] / 2),
    Case("gradient", ((3,),), F.gradient, lambda y: np.array([y[1] - y[0], (y[2] - y[0]) / 2, y[2] - y[1]])),
    Case(
        "interpolate",
        ((1, 1, 2),),
        lambda x: F.interpolate(x, size=4, mode="linear"),
        lambda x: x @ np.array([[4, 3, 1, 0], [0, 1, 3, 4]]) / 4,
    ),
    Case("convolve", ((2,), (2,)), F.convolve, _convolution, widest=100),
    Case("normalize", ((4,),), F.normalize, lambda x: x / sqrt((x * x).sum()), rounding=2),
    Case(
        "cosine_similarity",
        ((3,), (3,)),
        F.cosine_similarity,
        lambda a, b: (a * b).sum() / sqrt((a * a).sum() * (b * b).sum()),
        widest=100,
    ),
    Case("kl_divergence", ((3,), (3,)), F.kl_divergence, lambda p, q: (p * log(p / q)).sum(), positive=True),
    Case("sum", ((5,),), F.sum, lambda x: x.sum()),
    Case("sum_to", ((3, 2),), lambda x: F.sum_to(x, shape=(2,)), lambda x: x.sum(axis=0)),
    Case("trace", ((3, 3),), F.trace, lambda x: x[0, 0] + x[1, 1] + x[2, 2]),
    Case("mean", ((5,),), F.mean, lambda x: x.sum() / 5),
    Case("var", ((4,),), F.var, _var, widest=100),
    Case("var", ((4,),), lambda x: F.var(x, ddof=1), lambda x: _var(x, 1), widest=100),
    Case("std", ((4,),), F.std, lambda x: sqrt(_var(x)), widest=100),
    Case("prod", ((4,),), F.prod, lambda x: x.prod(), widest=10),
    Case("cumsum", ((4,),), F.cumsum, lambda x: x.cumsum()),
    Case("cumprod", ((4,),), F.cumprod, lambda x: x.cumprod(), widest=10),
    Case("norm", ((4,),), F.norm, lambda x: sqrt((x * x).sum())),
    Case(
        "norm",
        ((4,),),
        lambda x: F.norm(x, ord=3),
        lambda x: (abs(x) ** 3).sum() ** (mpf(1) / 3),
        widest=30,
        rounding=4,
    ),
    Case("layer_norm", ((4,), (4,)), F.layer_norm, lambda x, w: _normalized(x, -1) * w, widest=100),
    Case("batch_norm", ((4, 1), (1,), (1,)), F.batch_norm, lambda x, w, b: _normalized(x, 0) * w + b, widest=100),
    Case("avg_pool2d", ((1, 1, 2, 4),), lambda x: F.avg_pool2d(x, kernel=2), _pooled),
    Case("avg_pool1d", ((1, 1, 4),), lambda x: F.avg_pool1d(x, 2), lambda x: (x[..., ::2] + x[..., 1::2]) / 2),
    Case("global_avg_pool", ((1, 2, 3),), F.global_avg_pool, lambda x: x.sum(axis=2) / 3),
    Case(
        "group_norm",
        ((1, 8), (8,), (8,)),
        lambda x, w, b: F.group_norm(x, 2, w, b),
        lambda x, w, b: _normalized(x.reshape(1, 2, 4), -1).reshape(1, 8) * w + b,
        widest=100,
    ),
    Case("instance_norm", ((1, 1, 4),), F.instance_norm, lambda x: _normalized(x, -1), widest=100),
    Case("rms_norm", ((4,), (4,)), F.rms_norm, lambda x, w: x / sqrt((x * x).sum() / 4 + mpf(1e-5)) * w, widest=100),
    Case(
        "attention",
        ((2, 2), (3, 2), (3, 2)),
        F.attention,
        lambda q, k, v: _softmax(q @ k.T / sqrt(mpf(2))) @ v,
        widest=3,
    ),
    Case("matrix_power", ((2, 2),), lambda a: F.matrix_power(a, 3), lambda a: a @ a @ a, widest=10),
    Case("matrix_norm", ((2, 3),), F.matrix_norm, lambda x: sqrt((x * x).sum())),
    Case("linear", ((2, 3), (2, 3), (2,)), F.linear, lambda x, w, b: x @ w.T + b, widest=100),
    Case("matmul", ((2, 3), (3, 2)), F.matmul, lambda a, b: a @ b, widest=100),
    Case("dot", ((3,), (3,)), F.dot, lambda a, b: (a * b).sum(), widest=100),
    Case("outer", ((2,), (2,)), F.outer, np.multiply.outer, widest=100),
    Case("tensordot", ((2, 2), (2, 2)), F.tensordot, lambda a, b: (a * b).sum(), widest=100),
    Case("einsum", ((3,), (3, 2)), lambda a, b: F.einsum(a, b, subscripts="i,ij->j"), lambda a, b: a @ b, widest=100),
    Case("conv1d", ((1, 1, 4), (2, 1, 2), (2,)), F.conv1d, _convolved, widest=100),
    Case(
        "conv2d",
        ((1, 1, 1, 4), (2, 1, 1, 2), (2,)),
        F.conv2d,
        lambda x, w, b: _convolved(x[:, :, 0], w[:, :, 0], b),
        widest=100,
    ),
    Case(
        "conv_transpose1d",
        ((1, 2, 2), (2, 1, 2)),
        F.conv_transpose1d,
        lambda x, w: _spread(x[:, :, None], w[:, :, None]),
        widest=100,
    ),
    Case("conv_transpose2d", ((1, 2, 1, 2), (2, 1, 1, 2)), F.conv_transpose2d, _spread, widest=100),
    Case("muladd", ((2,), (2,), (2,)), F.muladd, lambda x, y, z: x * y + z, widest=100),
)


def draw(case: Case, dtype: type, rng: np.random.Generator, scale: float) -> tuple[np.ndarray, ...]:
    made = [rng.normal(0, min(scale, case.widest), shape) for shape in case.shapes]
    if case.positive:
        made = [np.minimum(np.exp(-np.minimum(np.abs(a), 8)), 1 - np.finfo(dtype).epsneg) for a in made]
    return tuple([a.astype(dtype) for a in made])


class Differences:
    """Value, gradients by an upstream gradient, and how much rounding may change them: what the conditions say."""

    def __init__(self, case: Case, xs: tuple[np.ndarray, ...], g: np.ndarray) -> None:
        self._case, self._shapes = case, [x.shape for x in xs]
        self._g = [mpf(v) for v in np.ravel(g).tolist()]
        inputs = [mpf(v) for x in xs for v in x.ravel().tolist()]
        self.value = self._at(inputs)
        jacobian = self._jacobian(inputs)
        self.value_change = [
            abs(v) + sum([abs(x * row[i]) for i, x in enumerate(inputs)], mpf(0))
            for v, row in zip(self.value, jacobian, strict=True)
        ]
        self.gradient = self._pulled(jacobian)
        parts = [sum([abs(gk * row[i]) for gk, row in zip(self._g, jacobian, strict=True)]) for i in range(len(inputs))]
        step = mpf(10) ** -30
        for i, x in enumerate(inputs):
            moved = self._pulled(self._jacobian([*inputs[:i], x * (1 + step), *inputs[i + 1 :]]))
            parts = [p + abs(m - v) / step for p, m, v in zip(parts, moved, self.gradient, strict=True)]
        self.gradient_change = parts

    def _at(self, inputs: list[Any]) -> list[Any]:
        arrays, start = [], 0
        for shape in self._shapes:
            size = int(np.prod(shape))
            arrays.append(np.array(inputs[start : start + size], object).reshape(shape))
            start += size
        return list(np.ravel(np.asarray(self._case.exact(*arrays), object)))

    def _jacobian(self, inputs: list[Any]) -> list[list[Any]]:
        """A row for every element of the value."""
        columns = []
        for i, x in enumerate(inputs):
            h = (abs(x) or mpf(1)) * mpf(10) ** -60
            above, below = [self._at([*inputs[:i], x + s * h, *inputs[i + 1 :]]) for s in (1, -1)]
            columns.append([(a - b) / (2 * h) for a, b in zip(above, below, strict=True)])
        return [list(row) for row in zip(*columns, strict=True)]

    def _pulled(self, jacobian: list[list[Any]]) -> list[Any]:
        return [sum([g * d for g, d in zip(self._g, column, strict=True)]) for column in zip(*jacobian, strict=True)]


def worst(got: np.ndarray, exact: list[Any], change: list[Any]) -> float:
    """The greatest error in units of what is allowed: 4 units in the last place times the condition."""
    info = np.finfo(got.dtype)
    found = [0.0]
    for y, v, c in zip(np.ravel(got).tolist(), exact, change, strict=True):
        allowed = 2 * mpf(float(info.eps)) * c + 2 * mpf(float(info.smallest_subnormal))
        if np.isfinite(y):
            found.append(float(abs(mpf(y) - v) / allowed))
        else:
            found.append(0.0 if abs(v) + allowed >= float(info.max) and y * float(mp.sign(v)) > 0 else np.inf)
    return max(found)
