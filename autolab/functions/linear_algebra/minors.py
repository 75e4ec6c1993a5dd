"""The derivatives of the determinant, of all orders: sums of minors, which no division makes infinite or inaccurate.

Rows and columns are balanced by powers of two first, and products keep their exponents apart, so that neither overflows
before the result does.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from ...engine import Array
from ...engine.declare import primitive
from ..elementwise.rounding import zeros_like


@primitive()
def cofactors(xp: Any, *matrices: Array) -> Array:
    """The matrix of cofactors of the first matrix, or its derivative along the others.

    The derivative of order k of the determinant is a symmetric form of k matrices. This is the matrix that stands for
    it when all but one of them are given, and so are its own derivatives: they have one matrix more.
    """
    for matrix in matrices:
        check_finite(xp, matrix)
    a, *ways = matrices
    n = a.shape[-1]
    if n <= len(ways):
        return xp.zeros_like(a)
    balanced, shift = _balanced(xp, a.astype(float))
    u, s, vh = xp.linalg.svd(balanced)
    turned, sizes = [], 0.0
    for way in ways:
        size = _exponents(xp, way.astype(float)) - shift
        size = xp.where(way == 0, -_FAR, size).max(axis=(-2, -1), keepdims=True)
        turned.append(_transposed(u) @ _scaled(xp, way.astype(float), -shift - size) @ _transposed(vh))
        sizes = sizes + size
    found, exponent = _of_diagonal(xp, s, turned)
    signs = (xp.linalg.det(u) * xp.linalg.det(vh))[..., None, None]
    whole = exponent + sizes + _total(shift) - shift
    return _scaled(xp, signs * (u @ found @ vh), whole).astype(a.dtype)


@cofactors.vjp("matrices")
def _cofactors_of(g: Any, index: int, matrices: tuple[Any, ...]) -> Any:
    """the derivative of the cofactors along g"""
    given = [m for i, m in enumerate(matrices) if i != index or not index] + [g]
    return zeros_like(g) if len(given) > g.shape[-1] else cofactors(*given)


_FAR = 1e6
"""An exponent beyond those of all floats."""


def check_finite(xp: Any, a: Array) -> None:
    """Refuse infinities and NaN, for which LAPACK's search for singular values may not terminate."""
    if not xp.isfinite(a).all():
        raise ValueError("it has an infinity or NaN; expected finite numbers")


def _of_diagonal(xp: Any, s: Array, ways: list[Array]) -> tuple[Array, Array]:
    """The same for a diagonal matrix, over ``2 ** exponent``."""
    exponents = _exponents(xp, s)
    mantissas, n = _scaled(xp, s, -exponents), s.shape[-1]
    unit = xp.eye(n, dtype=bool)
    if len(ways) > 1:
        return _of_blocks(xp, mantissas, exponents, ways)
    if not ways:
        products, powers = _others(xp, mantissas), exponents.sum(axis=-1, keepdims=True) - exponents
        weights, top = _joined(xp, products, powers, (-1,))
        return xp.where(unit, weights[..., None, :], 0.0), top[..., None]
    rows = xp.where(unit, 1.0, mantissas[..., None, :])
    powers = exponents.sum(axis=-1)[..., None, None] - exponents[..., None, :] - exponents[..., :, None]
    products, top = _joined(xp, xp.where(unit, 0.0, _others(xp, rows)), powers, (-2, -1))
    way = ways[0]
    traces = (products * xp.where(unit, way, 0.0).sum(axis=-1)[..., None, :]).sum(axis=-1)
    return xp.where(unit, traces[..., None, :], -products * _transposed(way)), top


def _of_blocks(xp: Any, mantissas: Array, exponents: Array, ways: list[Array]) -> tuple[Array, Array]:
    """A sum over the square blocks on the diagonal: the minors of the ways, times the product of what is outside."""
    n, order = mantissas.shape[-1], len(ways)
    parts = []
    for block in combinations(range(n), order + 1):
        rest = [i for i in range(n) if i not in block]
        product, power = mantissas[..., rest].prod(axis=-1), exponents[..., rest].sum(axis=-1)
        parts.append((block, product[..., None, None], power[..., None, None]))
    top = -_FAR
    for _, product, power in parts:
        top = xp.maximum(top, xp.where(product == 0, -_FAR, power))
    found = xp.zeros_like(ways[0])
    for block, product, power in parts:
        places = (..., xp.asarray(block)[:, None], xp.asarray(block))
        found[places] += _mixed(xp, [way[places] for way in ways]) * _scaled(xp, product, power - top)
    return found, top


def _mixed(xp: Any, ways: list[Array]) -> Array:
    """The derivative of the cofactors along all ways, from the cofactors of their sums."""
    total = xp.zeros_like(ways[0])
    for count in range(1, len(ways) + 1):
        for some in combinations(ways, count):
            total = total + (-1) ** (len(ways) - count) * cofactors.function.run(xp, sum(some[1:], some[0]))
    return total


def _balanced(xp: Any, a: Array) -> tuple[Array, Array]:
    """Rows and columns divided by powers of two, after which they are near 1; and the sum of both exponents."""
    rows = _exponents(xp, xp.absolute(a).max(axis=-1, keepdims=True))
    a = _scaled(xp, a, -rows)
    columns = _exponents(xp, xp.absolute(a).max(axis=-2, keepdims=True))
    return _scaled(xp, a, -columns), rows + columns


def _total(shift: Array) -> Array:
    """The exponent of the determinant, of which each row and column has one."""
    n = shift.shape[-1]
    return shift.sum(axis=(-2, -1), keepdims=True) / n


def _exponents(xp: Any, x: Array) -> Array:
    """The exponents of numbers; 0 for 0."""
    return xp.floor(xp.log2(xp.where(x == 0, 1.0, xp.absolute(x))))


def _scaled(xp: Any, x: Array, exponents: Array) -> Array:
    """``x * 2 ** exponents``, exact; in two steps, because the power alone could overflow."""
    half = xp.floor(exponents / 2)
    limits = [xp.maximum(xp.minimum(e, 1000.0), -1000.0) for e in (half, exponents - half)]
    return x * xp.exp2(limits[0]) * xp.exp2(limits[1])


def _joined(xp: Any, products: Array, powers: Array, axes: tuple[int, ...]) -> tuple[Array, Array]:
    """Products over a common power of two, and its exponent."""
    top = xp.where(products == 0, -_FAR, powers).max(axis=axes, keepdims=True)
    return _scaled(xp, products, powers - top), top


def _others(xp: Any, s: Array) -> Array:
    """For each element along the last axis, the product of all others."""
    ahead, behind = [_before(xp, part) for part in (s, s[..., ::-1])]
    return ahead * behind[..., ::-1]


def _before(xp: Any, s: Array) -> Array:
    return xp.cumprod(xp.concatenate([xp.ones_like(s[..., :1]), s[..., :-1]], axis=-1), axis=-1)


def _transposed(x: Array) -> Array:
    return x.swapaxes(-1, -2)
