"""Rows of slopes of samples, least squares, QR, and images in another size."""

from __future__ import annotations

from typing import Any

import numpy as np

from autolab import Variable
from autolab import functions as F
from helpers.cases import Case, Make, arrays, cases_with, dtype_of, fixed, layouts
from helpers.followed import anp
from helpers.rows import Bad, Row
from helpers.table_matrices import _matrices


def _x(*shape: int) -> Variable:
    return Variable(np.ones(shape))


# ---------------------------------------------------------------------- gradient
def _weights(places: Any, at: Any, near: list[int]) -> list[Any]:
    """By what samples are multiplied for the slope of the parabola, or line, through them at one of the places."""
    found = []
    for i in near:
        others = [j for j in near if j != i]
        below: Any = 1.0
        for j in others:
            below = below * (places[i] - places[j])
        above: Any = 1.0 if len(others) == 1 else 2 * at - places[others[0]] - places[others[1]]
        found.append(above / below)
    return found


def _gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    axes = range(f.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    single = len(varargs) == 1 and not anp.ndim(varargs[0])
    given = varargs * len(axes) if single else varargs or (1.0,) * len(axes)
    found = []
    for place, spacing in zip(axes, given, strict=True):
        x = anp.moveaxis(f, place, 0)
        n = x.shape[0]
        at = [spacing[i] for i in range(n)] if anp.ndim(spacing) else [spacing * i for i in range(n)]
        near = [[i - 1, i, i + 1] for i in range(n)]
        near[0], near[-1] = list(range(edge_order + 1)), list(range(n - edge_order - 1, n))
        rows = [sum([w * x[j] for w, j in zip(_weights(at, at[i], js), js, strict=True)]) for i, js in enumerate(near)]
        found.append(anp.moveaxis(anp.stack(rows), 0, place))
    return found[0] if len(found) == 1 else tuple(found)


def _rising(*shapes: tuple[int, ...]) -> Make:
    """Samples, and places in rising order."""

    def make(rng: np.random.Generator, dtype: type) -> tuple[np.ndarray, ...]:
        places = [np.cumsum(rng.uniform(0.5, 1.5, shape)).astype(dtype) for shape in shapes[1:]]
        return (rng.uniform(-2, 2, shapes[0]).astype(dtype), *places)

    return make


def _mixed(f: Any, *args: Any, **options: Any) -> Any:
    """The slopes along two axes in one array."""
    first, second = f(*args, **options)
    return first + 2 * second


# ---------------------------------------------------------------------- QR and least squares
def _qr(a: Any) -> Any:
    """Gram and Schmidt, with NumPy's signs."""
    k = min(a.shape[-2:])
    if not a.size:
        return a[..., :k] * 1, a[..., :k, :] * 1
    signs = np.sign(np.diagonal(np.linalg.qr(_value(a))[1], axis1=-2, axis2=-1))
    columns: list[Any] = []
    for j in range(k):
        v = a[..., j]
        for _ in range(2):
            for q in columns:
                v = v - q * anp.sum(q * v, axis=-1, keepdims=True)
        columns.append(v / anp.sqrt(anp.sum(v * v, axis=-1, keepdims=True)))
    q = anp.stack(columns, axis=-1) * signs[..., None, :].astype(dtype_of(a))
    return q, anp.matmul(anp.swapaxes(q, -1, -2), a) * np.triu(np.ones((k, a.shape[-1]), dtype_of(a)))


def _value(x: Any) -> Any:
    while hasattr(x, "_value"):
        x = x._value
    return x


def _lstsq(a: Any, b: Any, rcond: float | None = None) -> Any:
    """Of full rank."""
    t = anp.swapaxes(a, -1, -2)
    m, n = a.shape
    x = anp.linalg.solve(t @ a, t @ b) if m >= n else t @ anp.linalg.solve(a @ t, b)
    residuals = anp.sum(anp.reshape((b - a @ x) ** 2, (m, -1)), axis=0)
    return x, residuals if m > n else residuals[:0], anp.linalg.svd(a, full_matrices=False)[1]


def _sum(q: Any, r: Any) -> Any:
    return q + 2 * r


def _result(i: int) -> Any:
    """One of the results of least squares."""
    return lambda f, a, b: f(a, b)[i]


# ---------------------------------------------------------------------- sizes
def _interpolate(
    x: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool = False
) -> Any:
    """A product with a matrix for each axis."""
    for i, old in enumerate(x.shape[2:]):
        factor = None if scale_factor is None else scale_factor if np.ndim(scale_factor) == 0 else scale_factor[i]
        new = int(old * factor) if factor is not None else size if np.ndim(size) == 0 else size[i]
        scale = 1 / factor if factor is not None else old / new
        matrix = np.zeros((new, old), dtype_of(x))
        for j in range(new):
            if mode == "nearest":
                matrix[j, min(int(np.floor(j * scale)), old - 1)] = 1
                continue
            place = j * (old - 1) / max(new - 1, 1) if align_corners else max((j + 0.5) * scale - 0.5, 0)
            low = min(int(place), old - 1)
            matrix[j, low] += 1 - (place - low)
            matrix[j, min(low + 1, old - 1)] += place - low
        x = anp.moveaxis(anp.tensordot(matrix, x, ([1], [i + 2])), 0, i + 2)
    return x


ROWS = (
    Row(
        F.gradient,
        _gradient,
        (
            *cases_with(
                ("vector", ((5,),), {}),
                ("two samples", ((2,),), {}),
                ("one of two axes", ((3, 4),), {"axis": 1}),
                ("the last", ((2, 3, 4),), {"axis": -1}),
                ("parabolas at the ends", ((5,),), {"edge_order": 2}),
                ("no rows", ((0, 3),), {"axis": 1}),
            ),
            Case("both axes", arrays((3, 4)), _mixed),
            Case("both axes in turn", arrays((3, 4)), lambda f, x: _mixed(f, x, axis=(1, 0))),
            Case("a distance", arrays((4,)), lambda f, x: f(x, 0.5)),
            Case("distances", arrays((3, 4)), lambda f, x: _mixed(f, x, 0.5, 2.0)),
            Case("places", _rising((5,), (5,)), lambda f, x, at: f(x, at)),
            Case("places of rows", _rising((4, 3), (4,)), lambda f, x, at: f(x, at, axis=0, edge_order=2)),
            Case("places of both", _rising((4, 3), (4,), (3,)), _mixed),
            *layouts((5, 4), call=fixed(axis=0)),
        ),
        (
            Bad(lambda: F.gradient(_x(1)), ValueError, r"gradient: f has shape \(1,\); expected at least 2 samples"),
            Bad(lambda: F.gradient(_x(2), edge_order=2), ValueError, "gradient: .*at least 3 samples"),
            Bad(lambda: F.gradient(_x(3), edge_order=3), ValueError, "gradient: edge_order is 3; expected 1 or 2"),
            Bad(lambda: F.gradient(_x(3), _x(4)), ValueError, r"gradient: places have shape \(4,\); expected \(3,\)"),
            Bad(lambda: F.gradient(_x(3, 3), 1.0, 2.0, 3.0), TypeError, "gradient: got 3 distances; expected 1, or 2"),
            Bad(lambda: F.gradient(_x(3), axis=1), ValueError, "gradient: axis=1 is not an axis of x"),
            Bad(lambda: F.gradient(_x(3, 3), axis=(0, 0)), ValueError, "gradient: axis is .*expected each axis once"),
        ),
        exact=False,
    ),
    Row(
        F.qr,
        _qr,
        (
            *[
                Case(f"{'qr'[i]} {shape}", _matrices(shape), lambda f, a, _i=i: f(a)[_i])
                for shape in ((1, 1), (3, 3), (4, 2), (2, 4), (2, 3, 3), (2, 1, 2, 3), (3, 1), (0, 3), (0, 2, 2))
                for i in range(2)
            ],
            *layouts((3, 3), (-0.4, 0.4), lambda f, x: _sum(*f(x + np.diag([3.0, 5.0, 7.0]).astype(dtype_of(x))))),
        ),
        (
            Bad(lambda: F.qr(_x(3)), ValueError, r"qr: a has shape \(3,\).*expected matrices"),
            Bad(
                lambda: F.sum(F.qr(_x(2, 2))[1]).backward(),
                ValueError,
                "qr: columns of a matrix are linearly dependent",
            ),
        ),
        exact=False,
        rounding=64,
    ),
    Row(
        F.lstsq,
        _lstsq,
        (
            *[
                Case(f"{name} {a} {b}", _matrices(a, b), _result(i))
                for a, b in (((4, 2), (4,)), ((4, 2), (4, 3)), ((3, 3), (3, 2)), ((2, 3), (2,)), ((3, 0), (3,)))
                for name, i in (("x", 0), ("what is left", 1), ("singular values", -1))
            ],
            Case("by a share", _matrices((3, 2), (3,)), lambda f, a, b: f(a, b, rcond=1e-3)[0]),
            *layouts(
                (4, 4),
                (-0.4, 0.4),
                lambda f, x: f(x + np.diag([3.0, 5.0, 7.0, 9.0]).astype(dtype_of(x)), x[0])[0],
            ),
        ),
        (
            Bad(lambda: F.lstsq(_x(3), _x(3)), ValueError, r"lstsq: a has shape \(3,\), b has shape \(3,\): expected"),
            Bad(lambda: F.lstsq(_x(3, 2), _x(2)), ValueError, r"lstsq: a has shape \(3, 2\), b has shape \(2,\)"),
        ),
        exact=False,
        rounding=256,
    ),
    Row(
        F.interpolate,
        _interpolate,
        (
            *cases_with(
                ("sequences", ((2, 1, 3),), {"size": 7}),
                ("shorter", ((1, 2, 5),), {"size": 3}),
                ("images", ((1, 2, 2, 3),), {"size": (4, 5)}),
                ("twice", ((1, 1, 2, 3),), {"scale_factor": 2}),
                ("by factors", ((1, 1, 2, 3),), {"scale_factor": (1.5, 0.7)}),
                ("lines", ((2, 1, 3),), {"size": 7, "mode": "linear"}),
                ("lines by a factor", ((1, 1, 3),), {"scale_factor": 2.5, "mode": "linear"}),
                ("lines at corners", ((1, 1, 3),), {"size": 5, "mode": "linear", "align_corners": True}),
                ("one at corners", ((1, 1, 3),), {"size": 1, "mode": "linear", "align_corners": True}),
                ("planes", ((1, 2, 2, 3),), {"size": (5, 2), "mode": "bilinear"}),
                ("no examples", ((0, 1, 2),), {"size": 3}),
            ),
            *layouts((5, 4), call=lambda f, x: f(x[None, None], scale_factor=2, mode="bilinear")),
        ),
        (
            Bad(
                lambda: F.interpolate(_x(1, 1, 3), 2, mode="cubic"), ValueError, "interpolate: mode is 'cubic'; expect"
            ),
            Bad(
                lambda: F.interpolate(_x(3, 3), 2), ValueError, r"interpolate: x has shape \(3, 3\); expected 3 axes or"
            ),
            Bad(lambda: F.interpolate(_x(1, 1, 3)), ValueError, "interpolate: expected one of size and scale_factor"),
            Bad(lambda: F.interpolate(_x(1, 1, 3), 0), ValueError, "interpolate: size is 0; expected whole numbers"),
            Bad(lambda: F.interpolate(_x(1, 1, 3), (1, 2)), ValueError, "interpolate: got 2 sizes or factors; exp"),
            Bad(
                lambda: F.interpolate(_x(1, 1, 0), 2), ValueError, r"interpolate: got lengths \(0,\); expected at least"
            ),
            Bad(lambda: F.interpolate(_x(1, 1, 3), scale_factor=0.1), ValueError, "interpolate: .*to be left"),
            Bad(lambda: F.interpolate(_x(1, 1, 3), 2, align_corners=True), ValueError, "interpolate: align_corners=T"),
        ),
        exact=False,
    ),
)
