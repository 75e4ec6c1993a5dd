"""sinc and its derivatives, elementwise."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine import Array, elementwise
from ..working_precision import in_single, real
from .special import _polynomial

_NEAR = 0.5
"""For smaller ``abs(x)`` derivatives are computed as series: the differences used elsewhere would lose digits."""

_TERMS = 16


@elementwise(domain=(-3, 3), numpy=np.sinc)
@real
def sinc(xp: Any, x: Array) -> Array:
    """``sin(pi * x) / (pi * x)``, elementwise, and 1 at 0.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.sinc(Variable([0.0, 0.5]))
    variable([1.         0.63661977])
    """
    return _quotient(xp, x)


@sinc.vjp("x")
@in_single
def _sinc_x(g: Any, x: Any) -> Any:
    """g * (cos(pi * x) - sinc(x)) / x"""
    return g * derivative(x, order=1)


@elementwise(x=lambda g, x, order: g * derivative(x, order=order + 1))
@real
def derivative(xp: Any, x: Array, *, order: int) -> Array:
    """The derivative of sinc of the given order, elementwise.

    The derivatives of ``x * sinc(x) = sin(pi * x) / pi`` are known. By the product rule, the one of this order is ``x``
    times the derivative of sinc of the same order, plus ``order`` times that of the order below.

    Examples
    --------
    >>> from autolab.functions.elementwise.cardinal_sine import derivative
    >>> derivative([1.0, 2.0], order=1)
    array([-1. ,  0.5])
    """
    far = xp.where(xp.absolute(x) < _NEAR, 1, x)
    waves = _sine(xp, far), _cosine(xp, far)
    found = _quotient(xp, far)
    for n in range(1, order + 1):
        wave = waves[n % 2] * (math.pi ** (n - 1) * (-1 if n % 4 > 1 else 1))
        found = (wave - n * found) / far
    near = xp.minimum(xp.maximum(x, -_NEAR), _NEAR)
    series = _polynomial(_coefficients(order), near * near)
    return xp.where(xp.absolute(x) < _NEAR, series * near if order % 2 else series, found)


def _coefficients(order: int) -> tuple[float, ...]:
    """Coefficients in ``x * x`` of the series of a derivative (over ``x`` for odd orders), highest power first."""
    first = (order + 1) // 2
    terms = [
        (-1) ** k * math.pi ** (2 * k) * math.perm(2 * k, order) / math.factorial(2 * k + 1)
        for k in range(first, first + _TERMS)
    ]
    return tuple(terms[::-1])


def _quotient(xp: Any, x: Array) -> Array:
    return xp.where(x == 0, 1, _sine(xp, x) / xp.where(x == 0, 1, x * math.pi))


def _sine(xp: Any, x: Array) -> Array:
    """``sin(pi * x)``, accurate to all digits also near integers."""
    whole = xp.around(x)
    return xp.sin((x - whole) * math.pi) * _sign(xp, whole)


def _cosine(xp: Any, x: Array) -> Array:
    whole = xp.around(x)
    return xp.cos((x - whole) * math.pi) * _sign(xp, whole)


def _sign(xp: Any, whole: Array) -> Array:
    """1 for even numbers and -1 for odd ones."""
    return 1 - 2 * xp.absolute(whole - 2 * xp.floor(whole * 0.5))
