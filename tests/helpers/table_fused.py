"""Rows of the fused functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from autolab import Variable
from autolab import functions as F
from helpers.cases import CONSTANT, Case, arrays, binary_cases, dtype_of, layouts
from helpers.followed import anp
from helpers.rows import Bad, Row

_TWO, _THREE = Variable(np.ones(2)), Variable(np.ones(3))


def _expadd(x: Any, y: Any) -> Any:
    """A number takes the dtype of the array beside it before its exponential is one of float64."""
    x, y = [np.full((), v, dtype_of(other)) if isinstance(v, int | float) else v for v, other in ((x, y), (y, x))]
    return anp.exp(x) + anp.exp(y)


ROWS = (
    Row(
        F.muladd,
        lambda x, y, z: x * y + z,
        (
            *[
                Case(str(shapes), arrays(*shapes))
                for shapes in (
                    *(((), (), ()), ((5,), (5,), (5,)), ((5, 4), (4,), ()), ((), (5, 4), (4,)), ((4,), (), (5, 4))),
                    *(((2, 1, 4), (3, 1), (4,)), ((1,), (1,), (2, 1)), ((0, 3), (3,), (1, 3))),
                )
            ],
            *layouts((5, 4), call=lambda f, x: f(x, 1.5, 2)),
            Case("a value with itself", arrays((5, 4)), lambda f, x: f(x, x, x)),
            Case("numbers on the left", arrays((5, 4)), lambda f, x: f(2, 1.5, x)),
            Case("array in the middle", arrays((5, 4)), lambda f, x: f(x, CONSTANT.astype(dtype_of(x)), x)),
        ),
        (
            Bad(lambda: F.muladd(_TWO, _THREE, 1.0), ValueError, r"muladd: x has shape \(2,\), y has shape \(3,\)"),
            Bad(lambda: F.muladd(_TWO, 1.0, _THREE), ValueError, r"muladd: .*z has shape \(3,\)"),
            Bad(lambda: F.muladd(_TWO, _TWO), TypeError, r"muladd: got 2 positional arguments; expected 3"),
        ),
        order=3,
        mixed=True,
    ),
    Row(
        F.expadd,
        _expadd,
        binary_cases((-2, 2)),
        (
            Bad(lambda: F.expadd(_TWO, _THREE), ValueError, r"expadd: x has shape \(2,\), y has shape \(3,\)"),
            Bad(lambda: F.expadd(_TWO), TypeError, "expadd"),
        ),
        order=3,
        mixed=True,
        exact=False,
    ),
)
