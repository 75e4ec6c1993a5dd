"""Rows of the functions that NumPy has and that are made of others here: ranks, blocks, integrals."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from autolab import Variable
from autolab import functions as F
from helpers.cases import Case, arrays, cases_with, dtype_of, fixed, layouts
from helpers.followed import anp
from helpers.rows import Bad, Row


def _x(*shape: int) -> Variable:
    return Variable(np.ones(shape))


def _taken(x: Any, order: np.ndarray, axis: int) -> Any:
    """`numpy.take_along_axis` for autograd."""
    places = [np.arange(n).reshape([-1 if j == i else 1 for j in range(x.ndim)]) for i, n in enumerate(x.shape)]
    places[axis] = order
    return x[tuple(places)]


def _plain(x: Any) -> np.ndarray:
    while hasattr(x, "_value"):
        x = x._value
    return np.asarray(x)


def _ranked(x: Any, axis: Any, keepdims: bool) -> tuple[Any, tuple[int, ...]]:
    axes = tuple(range(x.ndim)) if axis is None else tuple(np.atleast_1d(axis) % x.ndim)
    rest = tuple([i for i in range(x.ndim) if i not in axes])
    shape = [1 if i in axes else n for i, n in enumerate(x.shape)] if keepdims else [x.shape[i] for i in rest]
    lengths = (*[x.shape[i] for i in rest], math.prod([x.shape[i] for i in axes]))
    lines = anp.reshape(anp.transpose(x, rest + axes), lengths)
    return _taken(lines, np.argsort(_plain(lines), axis=-1), lines.ndim - 1), tuple(shape)


def _median(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    ranked, shape = _ranked(x, axis, keepdims)
    n = ranked.shape[-1]
    return anp.reshape((ranked[..., (n - 1) // 2] + ranked[..., n // 2]) / 2, shape)


def _quantile(x: Any, q: Any, axis: Any = None, keepdims: bool = False) -> Any:
    ranked, shape = _ranked(x, axis, keepdims)
    places = np.ravel(q) * (ranked.shape[-1] - 1)
    lows = np.clip(np.floor(places).astype(int), 0, max(ranked.shape[-1] - 2, 0))
    highs = np.minimum(lows + 1, ranked.shape[-1] - 1)
    found = [
        ranked[..., low] * (1 - float(p - low)) + ranked[..., high] * float(p - low)
        for p, low, high in zip(places, lows, highs, strict=True)
    ]
    return anp.reshape(anp.stack(found), (*np.shape(q), *shape))


def _kron(a: Any, b: Any) -> Any:
    ndim = max(a.ndim, b.ndim)
    outer, inner = [(1,) * (ndim - x.ndim) + x.shape for x in (a, b)]
    product = anp.reshape(a, [n for m in outer for n in (m, 1)]) * anp.reshape(b, [n for m in inner for n in (1, m)])
    return anp.reshape(product, [m * n for m, n in zip(outer, inner, strict=True)])


def _cross(a: Any, b: Any, axis: int = -1) -> Any:
    a, b = anp.moveaxis(a, axis, -1), anp.moveaxis(b, axis, -1)
    parts = [a[..., i] * b[..., j] - a[..., j] * b[..., i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return anp.moveaxis(anp.stack(parts, axis=-1), -1, axis)


def _append(a: Any, b: Any, axis: int | None = None) -> Any:
    return anp.concatenate([anp.reshape(x, -1) for x in (a, b)]) if axis is None else anp.concatenate([a, b], axis)


def _meshgrid(*xi: Any, indexing: str = "xy", sparse: bool = False) -> Any:
    places = [1, 0, *range(2, len(xi))] if indexing == "xy" and len(xi) > 1 else list(range(len(xi)))
    lines = [anp.reshape(x, [-1 if i == p else 1 for i in range(len(xi))]) for x, p in zip(xi, places, strict=True)]
    whole = np.ones(np.broadcast_shapes(*[line.shape for line in lines]), dtype_of(xi[0]))
    return lines if sparse else [line * whole for line in lines]


def _trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    y = anp.moveaxis(y, axis, -1)
    if x is not None and anp.ndim(x) > 1:
        x = anp.moveaxis(x, axis, -1)
    width = dx if x is None else x[..., 1:] - x[..., :-1]
    return anp.sum(width * (y[..., 1:] + y[..., :-1]) / 2, axis=-1)


def _convolve(a: Any, v: Any, mode: str = "full") -> Any:
    a, v = anp.reshape(a, -1), anp.reshape(v, -1)
    if len(v) > len(a):
        a, v = v, a
    padded = anp.concatenate([np.zeros(len(v) - 1, dtype_of(a)), a, np.zeros(len(v) - 1, dtype_of(a))])
    full = anp.stack([anp.sum(padded[i : i + len(v)] * v[::-1]) for i in range(len(a) + len(v) - 1)])
    start = {"full": 0, "same": (len(v) - 1) // 2, "valid": len(v) - 1}[mode]
    return full[start : start + {"full": len(full), "same": len(a), "valid": len(a) - len(v) + 1}[mode]]


_SHAPED: tuple[tuple[str, tuple[tuple[int, ...], ...], dict[str, Any]], ...] = (
    ("everything", ((5, 4),), {}),
    ("odd", ((5,),), {}),
    ("even", ((6,),), {}),
    ("one element", ((1,),), {}),
    ("a scalar", ((),), {}),
    ("rows", ((5, 4),), {"axis": 0}),
    ("last axis", ((2, 3, 4),), {"axis": -1}),
    ("two axes", ((2, 3, 4),), {"axis": (0, -1)}),
    ("kept", ((2, 3, 4),), {"axis": (1,), "keepdims": True}),
    ("all kept", ((2, 3),), {"keepdims": True}),
    ("no rows", ((0, 3),), {"axis": 1}),
)


def _quantiles(function: Any, whole: int) -> Row:
    name = function.__name__

    def call(q: Any, **options: Any) -> Any:
        return lambda f, x: f(x, np.multiply(q, whole) if f is function else q, **options)

    return Row(
        function,
        _quantile,
        (
            *[Case(f"{label} {shapes}", arrays(*shapes), call(0.3, **o)) for label, shapes, o in _SHAPED],
            Case("several", arrays((5, 4)), call([0.0, 0.6, 1.0], axis=0)),
            Case("a matrix of them", arrays((7,)), call([[0.1, 0.9], [0.5, 0.25]])),
            *layouts((5, 4), call=call(0.7, axis=0)),
        ),
        (
            Bad(
                lambda: function(_x(3), whole * 1.1),
                ValueError,
                rf"{name}: q is .*; expected numbers",
            ),
            Bad(lambda: function(_x(3), 0.5, axis=1), ValueError, rf"{name}: axis=1 is not an axis of x"),
            Bad(lambda: function(_x(0), 0.5), ValueError, rf"{name}: .*expected at least one element"),
            Bad(lambda: function(_x(3), _x()), TypeError, rf"{name}: q is a Variable"),
        ),
        exact=False,
    )


ROWS = (
    Row(
        F.median,
        _median,
        (*cases_with(*_SHAPED), *layouts((5, 4), call=fixed(axis=0))),
        (
            Bad(lambda: F.median(_x(3), axis=1), ValueError, "median: axis=1 is not an axis of x"),
            Bad(lambda: F.median(_x(3), axis=(0, 0)), ValueError, r"median: axis=\(0, 0\); expected each axis once"),
            Bad(lambda: F.median("text"), TypeError, "median: input 'a': got str 'text'"),
        ),
        exact=False,
    ),
    _quantiles(F.quantile, 1),
    _quantiles(F.percentile, 100),
    Row(
        F.append,
        _append,
        (
            *cases_with(
                ("vectors", ((3,), (2,)), {}),
                ("flat", ((2, 3), (4,)), {}),
                ("numbers", ((), ()), {}),
                ("rows", ((2, 3), (1, 3)), {"axis": 0}),
                ("columns", ((2, 3), (2, 1)), {"axis": -1}),
                ("nothing", ((2, 3), (0, 3)), {"axis": 0}),
            ),
            Case("a value with itself", arrays((3, 2)), lambda f, x: f(x, x, axis=1)),
            *layouts((5, 4), call=lambda f, x: f(x, x, axis=0)),
        ),
        (
            Bad(
                lambda: F.append(_x(2, 3), _x(3), axis=0),
                ValueError,
                r"append: got shapes \(2, 3\) and \(3,\); exp",
            ),
            Bad(lambda: F.append(_x(2), _x(2), axis=1), ValueError, "append: axis=1 is not an axis of x"),
        ),
    ),
    Row(
        F.meshgrid,
        _meshgrid,
        (
            *[
                Case(f"the {i} of {n}", arrays(*[(2 + k,) for k in range(n)]), lambda f, *xs, i=i: f(*xs)[i])
                for n in (1, 2, 3)
                for i in range(n)
            ],
            Case("in order", arrays((2,), (3,)), lambda f, x, y: f(x, y, indexing="ij")[0]),
            Case("numbers", arrays((), ()), lambda f, x, y: f(x, y)[0]),
            Case("sparse", arrays((2,), (3,)), lambda f, x, y: f(x, y, sparse=True)[1]),
            Case("nothing", arrays((0,), (3,)), lambda f, x, y: f(x, y)[0]),
            *[Case(case.label, case.make, lambda f, x: f(x[0], x[1])[1]) for case in layouts((2, 3))],
        ),
        (
            Bad(
                lambda: F.meshgrid(_x(2), indexing="yx"),
                ValueError,
                "meshgrid: indexing is 'yx'; expected 'xy'",
            ),
            Bad(lambda: F.meshgrid(_x(2), _x(2, 2)), ValueError, "meshgrid: got shapes .*; expected one axis each"),
        ),
    ),
    Row(
        F.kron,
        _kron,
        (
            *cases_with(
                *[
                    (f"{a} and {b}", (a, b), {})
                    for a, b in (
                        *(((2,), (3,)), ((2, 2), (2, 3)), ((2,), (2, 3)), ((2, 3), (2,)), ((), (3,)), ((), ())),
                        *(((0, 2), (2, 2)), ((2, 1, 2), (2, 2))),
                    )
                ]
            ),
            Case("a value with itself", arrays((3, 2)), lambda f, x: f(x, x)),
            *layouts((5, 4), call=lambda f, x: f(x, np.asarray([1.0, 2.0], dtype_of(x)))),
        ),
        (
            Bad(lambda: F.kron(_x(2), "text"), TypeError, "kron: input 'b': got str 'text'"),
            Bad(lambda: F.kron(1j, _x(2)), TypeError, "kron: input 'a': got complex 1j"),
        ),
    ),
    Row(
        F.cross,
        _cross,
        (
            *cases_with(
                *[
                    (f"{a} and {b}", (a, b), {})
                    for a, b in (((3,), (3,)), ((5, 3), (5, 3)), ((5, 3), (3,)), ((2, 1, 3), (4, 3)), ((0, 3), (3,)))
                ],
                ("columns", ((3, 4), (3, 4)), {"axis": 0}),
                ("in the middle", ((2, 3, 4), (2, 3, 4)), {"axis": 1}),
            ),
            Case("a value with itself", arrays((4, 3)), lambda f, x: f(x, x[::-1])),
            *layouts((3, 4), call=lambda f, x: f(x, x * x, axis=0)),
        ),
        (
            Bad(lambda: F.cross(_x(2), _x(2)), ValueError, r"cross: got shape \(2,\); expected three components"),
            Bad(lambda: F.cross(_x(3), _x(3), axis=1), ValueError, "cross: axis=1 is not an axis of x"),
        ),
        exact=False,
    ),
    Row(
        F.trapezoid,
        _trapezoid,
        (
            *cases_with(
                ("vector", ((5,),), {}),
                ("rows", ((5, 4),), {"dx": 0.5}),
                ("columns", ((5, 4),), {"axis": 0}),
                ("one sample", ((3, 1),), {}),
                ("no rows", ((0, 3),), {}),
                ("places", ((5,), (5,)), {}),
                ("places of rows", ((3, 4), (4,)), {}),
                ("places of each", ((3, 4), (3, 4)), {"axis": 0}),
            ),
            Case("a value with itself", arrays((4,)), lambda f, x: f(x, x)),
            *layouts((5, 4), call=fixed(axis=0)),
        ),
        (
            Bad(lambda: F.trapezoid(_x(3), _x(4)), ValueError, r"trapezoid: y has shape \(3,\), x has shape \(4,\)"),
            Bad(lambda: F.trapezoid(_x(3), axis=1), ValueError, "trapezoid: axis=1 is not an axis of x"),
        ),
        exact=False,
    ),
    Row(
        F.convolve,
        _convolve,
        (
            *cases_with(
                *[
                    (f"{mode} {a} and {b}", (a, b), {"mode": mode})
                    for mode in ("full", "same", "valid")
                    for a, b in (((5,), (3,)), ((2,), (4,)), ((3,), (3,)))
                ],
                ("one each", ((1,), (1,)), {}),
                ("numbers", ((), ()), {}),
            ),
            Case("a value with itself", arrays((4,)), lambda f, x: f(x, x)),
            Case("a row without others", arrays((0, 3), (3,)), lambda f, x, y: f(y, y) + anp_sum(f, x)),
            *[Case(case.label, case.make, lambda f, x: f(x[0], x[1])) for case in layouts((2, 3))],
        ),
        (
            Bad(
                lambda: F.convolve(_x(0), _x(2)),
                ValueError,
                r"convolve: got shapes \(0,\) and \(2,\); exp",
            ),
            Bad(lambda: F.convolve(_x(2, 2), _x(2)), ValueError, r"convolve: got shapes \(2, 2\)"),
            Bad(lambda: F.convolve(_x(2), _x(2), mode="all"), ValueError, "convolve: mode is 'all'; expected 'full'"),
        ),
        exact=False,
    ),
)


def anp_sum(f: Any, x: Any) -> Any:
    """The sum of no elements, for the function and for its reference."""
    return F.sum(x) if f is F.convolve else anp.sum(x)
