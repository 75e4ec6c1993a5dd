"""Rows of powers, pseudo-inverses and norms of matrices, and of patches of images."""

from __future__ import annotations

import math
from functools import reduce
from typing import Any

import numpy as np

from autolab import Variable
from autolab import functions as F
from helpers.cases import Case, arrays, cases_with, dtype_of, fixed, layouts
from helpers.followed import anp
from helpers.rows import Bad, Row
from helpers.table_matrices import _matrices


def _x(*shape: int) -> Variable:
    return Variable(np.ones(shape))


def _t(x: Any) -> Any:
    return anp.swapaxes(x, -1, -2)


def _matrix_power(a: Any, n: int) -> Any:
    if n < 0:
        a, n = anp.linalg.inv(a), -n
    whole = np.broadcast_to(np.eye(a.shape[-1], dtype=dtype_of(a)), a.shape)
    return reduce(anp.matmul, [a] * n) if n else whole + 0 * a


def _pinv(a: Any, **options: Any) -> Any:
    """Of matrices of full rank."""
    if not a.size:
        return _t(a) * 1
    tall = a.shape[-2] >= a.shape[-1]
    return anp.matmul(anp.linalg.inv(_t(a) @ a), _t(a)) if tall else anp.matmul(_t(a), anp.linalg.inv(a @ _t(a)))


def _matrix_norm(x: Any, keepdims: bool = False, ord: Any = "fro") -> Any:
    if ord == "fro":
        return anp.sqrt(anp.sum(x * x, axis=(-2, -1), keepdims=keepdims))
    if ord in ("nuc", 2, -2):
        values = anp.linalg.svd(x, full_matrices=False)[1]
        y = anp.sum(values, -1) if ord == "nuc" else values[..., 0] if ord == 2 else values[..., -1]
    else:
        sums = anp.sum(anp.abs(x), axis=-2 if abs(ord) == 1 else -1)
        y = anp.max(sums, -1) if ord > 0 else anp.min(sums, -1)
    return anp.reshape(y, (*y.shape, 1, 1)) if keepdims else y


def _unfold(x: Any, kernel: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Any:
    (kh, kw), (dh, dw), (ph, pw), (sh, sw) = [
        (v, v) if isinstance(v, int) else v for v in (kernel, dilation, padding, stride)
    ]
    rows, columns = np.zeros((*x.shape[:2], ph, x.shape[3]), dtype_of(x)), None
    x = anp.concatenate([rows, x, rows], axis=2)
    columns = np.zeros((*x.shape[:3], pw), dtype_of(x))
    x = anp.concatenate([columns, x, columns], axis=3)
    high, wide = (x.shape[2] - dh * (kh - 1) - 1) // sh + 1, (x.shape[3] - dw * (kw - 1) - 1) // sw + 1
    seen = [
        x[:, :, i * dh : i * dh + sh * (high - 1) + 1 : sh, j * dw : j * dw + sw * (wide - 1) + 1 : sw]
        for i in range(kh)
        for j in range(kw)
    ]
    return anp.reshape(anp.stack(seen, axis=2), (x.shape[0], x.shape[1] * kh * kw, high * wide))


def _power(n: int) -> Any:
    return lambda f, a: f(a, n)


_ORDS = ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf)

ROWS = (
    Row(
        F.matrix_power,
        _matrix_power,
        (
            *[Case(f"to the {n}", _matrices((3, 3)), _power(n)) for n in (2, 1, 3, 5, 0, -1, -2)],
            Case("a stack", _matrices((2, 3, 3)), _power(3)),
            Case("a number", _matrices((1, 1)), _power(4)),
            Case("nothing", arrays((0, 0)), _power(2)),
            Case("no matrices", arrays((0, 2, 2)), _power(3)),
            *layouts((4, 4), call=_power(2)),
        ),
        (
            Bad(lambda: F.matrix_power(_x(2, 3), 2), ValueError, r"matrix_power: a has shape \(2, 3\); expected sq"),
            Bad(lambda: F.matrix_power(_x(2, 2), 0.5), TypeError, "matrix_power: n is 0.5; expected an integer"),
            Bad(lambda: F.matrix_power(_x(2, 2), -1), ValueError, "matrix_power: a matrix is singular; a negative"),
            Bad(lambda: F.matrix_power("text", 1), TypeError, "matrix_power: input 'a': got str 'text'"),
        ),
        exact=False,
        rounding=32,
    ),
    Row(
        F.pinv,
        _pinv,
        (
            *[
                Case(str(shape), _matrices(shape))
                for shape in (
                    (3, 3),
                    (4, 2),
                    (2, 4),
                    (1, 1),
                    (2, 3, 2),
                    (2, 1, 2, 3),
                    (3, 1),
                    (0, 3),
                    (3, 0),
                    (0, 2, 2),
                )
            ],
            Case("by a share", _matrices((3, 2)), fixed(rcond=1e-3)),
            *layouts((4, 4), (-0.4, 0.4), lambda f, x: f(x + np.diag([3.0, 5.0, 7.0, 9.0]).astype(dtype_of(x)))),
        ),
        (
            Bad(lambda: F.pinv(_x(3)), ValueError, r"pinv: a has shape \(3,\): expected matrices"),
            Bad(lambda: F.pinv(_x(2, 2), rcond=0.1, rtol=0.1), ValueError, "pinv: .*got rcond and rtol; expected one"),
        ),
        exact=False,
        rounding=64,
    ),
    Row(
        F.matrix_norm,
        _matrix_norm,
        (
            *[Case(f"by {ord}", _matrices((3, 4)), fixed(ord=ord)) for ord in _ORDS],
            Case("a stack", _matrices((2, 3, 2)), fixed(ord="nuc", keepdims=True)),
            Case("kept", _matrices((2, 3, 2)), fixed(keepdims=True)),
            Case("no matrices", arrays((0, 2, 2)), fixed()),
            *layouts((4, 4), call=fixed(ord=1)),
        ),
        (
            Bad(lambda: F.matrix_norm(_x(2, 2), ord=3), ValueError, "matrix_norm: ord is 3; expected 'fro', 'nuc'"),
            Bad(lambda: F.matrix_norm(_x(2, 2), ord=np.ones(2)), ValueError, "matrix_norm: ord is array"),
            Bad(lambda: F.matrix_norm(_x(2)), ValueError, r"matrix_norm: x has shape \(2,\); expected matrices w"),
            Bad(lambda: F.matrix_norm(_x(0, 2), ord=1), ValueError, r"matrix_norm: x has shape \(0, 2\); expected"),
        ),
        exact=False,
        rounding=32,
    ),
    Row(
        F.unfold,
        _unfold,
        (
            *cases_with(
                ("image", ((2, 3, 4, 5),), {"kernel": 2}),
                ("each axis its own", ((1, 2, 5, 6),), {"kernel": (2, 3), "stride": (1, 2), "padding": (0, 2)}),
                ("spread out", ((1, 2, 6, 5),), {"kernel": (3, 2), "dilation": (2, 3)}),
                ("padded", ((2, 1, 3, 3),), {"kernel": 3, "padding": 1}),
                ("single elements", ((2, 2, 3, 2),), {"kernel": 1}),
                ("the whole image", ((2, 2, 3, 2),), {"kernel": (3, 2)}),
                ("no examples", ((0, 2, 3, 3),), {"kernel": 2}),
            ),
            *layouts((2, 2, 4, 6), call=lambda f, x: f(x, kernel=2) if x.shape[0] == 2 else f(x, kernel=1)),
        ),
        (
            Bad(lambda: F.unfold(_x(3, 3), kernel=2), ValueError, r"unfold: x has shape \(3, 3\): expected x"),
            Bad(lambda: F.unfold(_x(1, 1, 2, 2), kernel=3), ValueError, r"unfold: .*size \(3, 3\) does not fit"),
        ),
    ),
)
