"""Rows of the products of whole arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from autolab import Variable
from autolab import functions as F
from helpers.cases import Case, arrays, cases_with, dtype_of, layouts
from helpers.followed import anp
from helpers.rows import Bad, Row

Shape = tuple[int, ...]


def _x(*shape: int) -> Variable:
    return Variable(np.ones(shape))


def _pairs(*shapes: tuple[Shape, Shape]) -> tuple[Case, ...]:
    return tuple([Case(f"{a} with {b}", arrays(a, b)) for a, b in shapes])


def _tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """By einsum, so that no axis is counted in the way of the function under test."""
    if isinstance(axes, int):
        axes = (range(-axes, 0), range(axes))
    of_a, of_b = [np.atleast_1d(list(side) if isinstance(side, range) else side).astype(int) for side in axes]
    left = list(range(a.ndim))
    right = list(range(a.ndim, a.ndim + b.ndim))
    for i, j in zip(of_a, of_b, strict=True):
        right[int(j)] = left[int(i)]
    met = [left[int(i)] for i in of_a]
    return _einsum(a, left, b, right, [i for i in left + right if i not in met])


def _einsum(a: Any, left: list[int], b: Any, right: list[int], out: list[int]) -> Any:
    names = "abcdefghijkl"
    text = [[names[i] for i in side] for side in (left, right, out)]
    return anp.einsum(f"{''.join(text[0])},{''.join(text[1])}->{''.join(text[2])}", a, b)


def _dot(a: Any, b: Any) -> Any:
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    return _tensordot(a, b, axes=(-1, max(b.ndim - 2, 0)))


def _constant(x: Any, *shape: int) -> np.ndarray:
    return np.linspace(-1, 1, int(np.prod(shape))).reshape(shape).astype(dtype_of(x))


ROWS = (
    Row(
        F.tensordot,
        _tensordot,
        (
            *cases_with(
                ("two axes", ((2, 3, 4), (3, 4, 5)), {}),
                ("nothing left", ((2, 3), (2, 3)), {}),
                ("one axis", ((5, 4), (4, 3)), {"axes": 1}),
                ("no axis", ((2,), (3, 2)), {"axes": 0}),
                ("numbers", ((), ()), {"axes": 0}),
                ("a pair", ((4, 5), (4, 3)), {"axes": (0, 0)}),
                ("from the end", ((2, 3, 4), (4, 5, 2)), {"axes": ([-1, 0], [0, -1])}),
                ("crossed", ((2, 3, 4), (4, 3, 2)), {"axes": ((1, 0), (1, 2))}),
                ("out of order", ((2, 3, 4, 5), (5, 3, 4)), {"axes": ((3, 1, 2), (0, 1, 2))}),
                ("nothing to sum", ((2, 0), (0, 3)), {"axes": 1}),
                ("no rows", ((0, 2), (2, 3)), {"axes": 1}),
            ),
            Case("a value with itself", arrays((3, 3)), lambda f, x: f(x, x, axes=1)),
            *layouts((5, 4), call=lambda f, x: f(x, _constant(x, 3, 5), axes=(0, 1))),
        ),
        (
            Bad(lambda: F.tensordot(_x(2, 3), _x(2, 3), axes=1), ValueError, r"tensordot: a has shape \(2, 3\)"),
            Bad(lambda: F.tensordot(_x(2, 3), _x(2, 3), axes=3), ValueError, "tensordot: .*no axes .*2 axes"),
            Bad(lambda: F.tensordot(_x(2, 2), _x(2, 2), axes=((0, -2), (0, 1))), ValueError, "tensordot: .*twice"),
            Bad(
                lambda: F.tensordot(_x(2, 2), _x(2, 2), axes=((0, 1), (0,))),
                ValueError,
                "tensordot: .*expected equal sizes",
            ),
            Bad(lambda: F.tensordot(_x(2), _x(2), axes=1.5), TypeError, "float"),
        ),
        mixed=True,
        exact=False,
    ),
    Row(
        F.dot,
        _dot,
        (
            *_pairs(
                *(((), ()), ((), (3,)), ((2, 3), ()), ((4,), (4,)), ((5, 4), (4,)), ((4,), (4, 3)), ((5, 4), (4, 3))),
                *(((2, 3, 4), (4,)), ((2, 3, 4), (5, 4, 2)), ((4,), (2, 4, 3)), ((5, 0), (0, 3)), ((0, 4), (4, 3))),
            ),
            Case("a value with itself", arrays((3, 3)), lambda f, x: f(x, x)),
            *layouts((5, 4), call=lambda f, x: f(x, _constant(x, 4, 3))),
        ),
        (
            Bad(lambda: F.dot(_x(2), _x(3)), ValueError, r"dot: a has shape \(2,\), b has shape \(3,\)"),
            Bad(lambda: F.dot(_x(2, 3), _x(2, 3)), ValueError, "dot: .*"),
        ),
        mixed=True,
        exact=False,
    ),
    Row(
        F.outer,
        lambda a, b: anp.reshape(a, (-1, 1)) * anp.reshape(b, (1, -1)),
        (
            *_pairs(
                *(((), ()), ((), (3,)), ((2,), ()), ((4,), (3,)), ((2, 3), (4,)), ((4,), (2, 1, 3)), ((0,), (3,))),
                *(((2,), (0, 3)), ((0,), (0,))),
            ),
            Case("a value with itself", arrays((3,)), lambda f, x: f(x, x)),
            *layouts((5, 4), call=lambda f, x: f(x, _constant(x, 3))),
        ),
        (
            Bad(lambda: F.outer(_x(2)), TypeError, "outer: got 1 positional argument; expected 2"),
            Bad(lambda: F.outer(_x(2), None), TypeError, "outer: input 'b': got"),
        ),
        mixed=True,
    ),
)
