"""Products of arrays: matmul, dot, outer, tensordot."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...engine.backend import Array, numpys
from ...engine.calls import Call
from ...engine.declare import primitive
from ..arrays.axes import expand_dims, other_axes, squeeze, swapaxes
from ..arrays.shape import reshape, sum_to, transpose
from ..elementwise.arithmetic import set_operator

Shape = tuple[int, ...]


Pairs = tuple[Shape, Shape]
"""The axes of each operand that are summed over, none of them negative."""


@primitive(numpy=np.matmul)
def matmul(xp: Any, a: Array, b: Array) -> Array:
    """Matrix product ``a @ b`` with NumPy's rules: vectors, matrices and stacks of matrices that broadcast.

    Parameters
    ----------
    a : Variable or array
        Of shape ``(n,)`` or ``(..., m, n)``.
    b : Variable or array
        Of shape ``(n,)`` or ``(..., n, p)``.

    Returns
    -------
    Variable or array
        Of shape ``(..., m, p)``, without ``m`` or ``p`` if that operand is a vector.

    Raises
    ------
    ValueError
        If the shapes do not match, or an input is 0-d.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.matmul(Variable([[1.0, 2.0]]), Variable([3.0, 4.0]))
    variable([11.])
    """
    if type(a) in numpys and a.ndim == b.ndim == 2:  # `dot` takes half the time for small matrices
        return a.dot(b) if type(a) is type(b) else xp.dot(a, b)
    return xp.matmul(a, b)


set_operator("matmul", matmul)


@matmul.vjp("a")
def _matmul_a(g: Any, b: Any, a_shape: tuple[int, ...]) -> Any:
    """g @ b.T"""
    if b.ndim == len(a_shape) == 2:
        return product(g, b.T)
    if b.ndim == 1:
        full = expand_dims(g, axis=-1) * b
    elif len(a_shape) == 1:
        full = squeeze(b @ expand_dims(g, axis=-1), axis=-1)
    else:
        full = g @ _swapped(b)
    return _over_stacks(full, a_shape)


@matmul.vjp("b")
def _matmul_b(g: Any, a: Any, b_shape: tuple[int, ...]) -> Any:
    """a.T @ g"""
    if a.ndim == len(b_shape) == 2:
        return product(a.T, g)
    if a.ndim == 1:
        full = expand_dims(a, axis=-1) * expand_dims(g, axis=-2) if len(b_shape) > 1 else a * g
    elif len(b_shape) == 1:
        full = squeeze(_swapped(a) @ expand_dims(g, axis=-1), axis=-1)
    else:
        full = _swapped(a) @ g
    return _over_stacks(full, b_shape)


def product(a: Any, b: Any) -> Any:
    """``a @ b``; for plain arrays and a matrix ``b`` a single call of `dot`, because `@` is slower and multiplies the
    matrices of a stack one by one."""
    if type(a) in numpys and type(b) in numpys and b.ndim == 2:
        if a.ndim == 2:
            return a.dot(b) if type(a) is type(b) else np.dot(a, b)  # a plain array's method refuses recorded ones
        if a.ndim > 2:
            *stacks, last = a.shape
            return product(a.reshape(prod(stacks), last), b).reshape(*stacks, b.shape[1])
    return a @ b


def _swapped(x: Any) -> Any:
    """The last two axes swapped."""
    return x.T if x.ndim == 2 else swapaxes(x, axis1=-1, axis2=-2)


def _over_stacks(product: Any, shape: tuple[int, ...]) -> Any:
    """The sum over the stack axes along which an input of that shape was broadcast."""
    return product if product.shape == shape else sum_to(product, shape=shape)


@primitive(numpy=np.tensordot)
def tensordot(xp: Any, a: Array, b: Array, *, axes: int | Sequence[Any] = 2) -> Array:
    """Tensor product of two arrays, summed over pairs of axes.

    Parameters
    ----------
    a, b : Variable or array
    axes : int, or a pair of ints or of sequences of ints
        The number of last axes of ``a`` to pair with the first axes of ``b``; or which axes of ``a`` to pair with which
        of ``b``.

    Returns
    -------
    Variable or array
        With the other axes of ``a``, followed by those of ``b``.

    Raises
    ------
    ValueError
        If paired axes differ in length, or do not exist.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.tensordot(Variable([[1.0, 2.0], [3.0, 4.0]]), [1.0, 10.0], axes=(0, 0))
    variable([31. 42.])
    """
    return xp.tensordot(a, b, axes=_pairs(axes, a.shape, b.shape))


@tensordot.vjp("a")
def _tensordot_a(g: Any, b: Any, a_shape: Shape, b_shape: Shape, axes: Any) -> Any:
    """tensordot(g, b)"""
    return _left_gradient(g, b, a_shape, b_shape, _pairs(axes, a_shape, b_shape))


@tensordot.vjp("b")
def _tensordot_b(g: Any, a: Any, a_shape: Shape, b_shape: Shape, axes: Any) -> Any:
    """tensordot(a, g)"""
    return _right_gradient(g, a, a_shape, b_shape, _pairs(axes, a_shape, b_shape))


@primitive(numpy=np.dot)
def dot(xp: Any, a: Array, b: Array) -> Array:
    """Product summed over the last axis of ``a`` and the last but one of ``b`` (the only one of a vector), as in NumPy.

    A number on either side multiplies elementwise. For stacks of matrices, `matmul` is usually what is wanted.

    Parameters
    ----------
    a, b : Variable or array

    Returns
    -------
    Variable or array
        With the other axes of ``a``, followed by those of ``b``.

    Raises
    ------
    ValueError
        If the summed axes differ in length.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.dot(Variable([1.0, 2.0]), [3.0, 4.0])
    variable(11.0)
    """
    return xp.dot(a, b)


@dot.spelling
def _dot(a: Any, b: Any) -> Call:
    return (a, b), {}


@dot.vjp("a")
def _dot_a(g: Any, b: Any, a_shape: Shape, b_shape: Shape) -> Any:
    """dot(g, b.T)"""
    return _left_gradient(g, b, a_shape, b_shape, _dot_pairs(a_shape, b_shape))


@dot.vjp("b")
def _dot_b(g: Any, a: Any, a_shape: Shape, b_shape: Shape) -> Any:
    """dot(a.T, g)"""
    return _right_gradient(g, a, a_shape, b_shape, _dot_pairs(a_shape, b_shape))


@primitive(
    a=lambda g, b, a_shape: reshape(matmul(g, reshape(b, shape=-1)), shape=a_shape),
    b=lambda g, a, b_shape: reshape(matmul(reshape(a, shape=-1), g), shape=b_shape),
    numpy=np.outer,
)
def outer(xp: Any, a: Array, b: Array) -> Array:
    """Outer product: every element of ``a`` times every element of ``b``.

    Parameters
    ----------
    a, b : Variable or array
        Of any shape; both are flattened.

    Returns
    -------
    Variable or array
        Of shape ``(a.size, b.size)``.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.outer(Variable([1.0, 2.0]), [1.0, 10.0])
    variable([[ 1. 10.]
              [ 2. 20.]])
    """
    return xp.outer(a, b)


def _left_gradient(g: Any, b: Any, a_shape: Shape, b_shape: Shape, pairs: Pairs) -> Any:
    """``g`` times ``b``, summed over the axes of ``g`` that come from ``b``; with the axes in the order of ``a``."""
    of_a, of_b = pairs
    free_a, free_b = other_axes(of_a, len(a_shape)), other_axes(of_b, len(b_shape))
    product = tensordot(g, b, axes=(tuple(range(len(free_a), g.ndim)), free_b))
    return _ordered(product, free_a + tuple([of_a[of_b.index(axis)] for axis in sorted(of_b)]))


def _right_gradient(g: Any, a: Any, a_shape: Shape, b_shape: Shape, pairs: Pairs) -> Any:
    """``a`` times ``g``, summed over the axes of ``g`` that come from ``a``; with the axes in the order of ``b``."""
    of_a, of_b = pairs
    free_a, free_b = other_axes(of_a, len(a_shape)), other_axes(of_b, len(b_shape))
    product = tensordot(a, g, axes=(free_a, tuple(range(len(free_a)))))
    return _ordered(product, tuple([of_b[of_a.index(axis)] for axis in sorted(of_a)]) + free_b)


def _ordered(x: Any, axes: Shape) -> Any:
    """``x`` with axis ``i`` moved to ``axes[i]``."""
    return transpose(x, axes=tuple(np.argsort(axes).tolist())) if axes != tuple(range(len(axes))) else x


def _dot_pairs(a_shape: Shape, b_shape: Shape) -> Pairs:
    """The axes that `dot` sums over; none if one side is a number."""
    if not a_shape or not b_shape:
        return (), ()
    return (len(a_shape) - 1,), (max(len(b_shape) - 2, 0),)


def _pairs(axes: Any, a_shape: Shape, b_shape: Shape) -> Pairs:
    """`tensordot`'s ``axes`` as two tuples."""
    if isinstance(axes, int | np.integer):
        last, first = range(len(a_shape) - int(axes), len(a_shape)), range(int(axes))
        return _counted(last, len(a_shape), False), _counted(first, len(b_shape), False)
    of_a, of_b = axes
    return _counted(of_a, len(a_shape)), _counted(of_b, len(b_shape))


def _counted(axes: Any, ndim: int, from_the_end: bool = True) -> Shape:
    """Axes as a tuple, counted from the front."""
    several = axes if isinstance(axes, Sequence | np.ndarray) else (axes,)
    lowest = -ndim if from_the_end else 0
    if any([not lowest <= operator.index(axis) < ndim for axis in several]):
        raise ValueError(f"there are no axes {tuple(several)} in an array with {ndim} axes")
    counted = tuple([operator.index(axis) % ndim for axis in several])
    if len(set(counted)) < len(counted):
        raise ValueError(f"axes {tuple(several)} name one axis twice")
    return counted
