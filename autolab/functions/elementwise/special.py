"""Special functions, elementwise."""

from __future__ import annotations

import math
from typing import Any

from ...engine import Array, elementwise
from ..working_precision import in_single, real
from .exponentials import exp

# W. J. Cody, "Rational Chebyshev approximations for the error function", Mathematics of Computation 23 (1969):
# erf(x) / x as a ratio of polynomials in x**2 for |x| < 0.46875, exp(x**2) * erfc(x) as one in x up to 4, and beyond
# (1 / sqrt(π) - u * ratio(u)) / x with u = 1 / x**2. Highest power first.
_NEAR = (
    (0.185777706184603153, 3.16112374387056560, 113.864154151050156, 377.485237685302021, 3209.37758913846947),
    (1.0, 23.6012909523441209, 244.024637934444173, 1282.61652607737228, 2844.23683343917062),
)
_FAR = (
    (
        *(2.15311535474403846e-8, 0.564188496988670089, 8.88314979438837594, 66.1191906371416295, 298.635138197400131),
        *(881.952221241769090, 1712.04761263407058, 2051.07837782607147, 1230.33935479799725),
    ),
    (
        *(1.0, 15.7449261107098347, 117.693950891312499, 537.181101862009858, 1621.38957456669019),
        *(3290.79923573345963, 4362.61909014324716, 3439.36767414372164, 1230.33935480374942),
    ),
)
_FURTHER = (
    (
        *(0.0163153871373020978, 0.305326634961232344, 0.360344899949804439),
        *(0.125781726111229246, 0.0160837851487422766, 6.58749161529837803e-4),
    ),
    (
        *(1.0, 2.56852019228982242, 1.87295284992346725),
        *(0.527905102951428412, 0.0605183413124413191, 0.00233520497626869185),
    ),
)
_SLOPE = 2 / math.sqrt(math.pi)
_DENSITY = 1 / math.sqrt(2 * math.pi)
_ROOT_HALF = math.sqrt(0.5)
_ROOT_INVERSE_PI = 1 / math.sqrt(math.pi)


@elementwise(domain=(-3, 3))
@real
def erf(xp: Any, x: Array) -> Array:
    """Error function, ``2 / sqrt(π) * ∫ exp(-t**2) dt`` from 0 to ``x``, elementwise.

    The relative error is below 1e-15 in float64.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.erf(Variable([0.0, 0.5, 6.0]))
    variable([0.         0.52049988 1.        ])
    """
    size = xp.minimum(xp.absolute(x), 6)  # erf(6) is 1
    squared = size * size
    near = size * _ratio_of_polynomials(_NEAR, squared)
    far = 1 - xp.exp(-squared) * _ratio_of_polynomials(_FAR, size)
    return xp.copysign(xp.where(size < 0.46875, near, far), x)


@erf.vjp("x")
@in_single
def _erf_x(g: Any, x: Any) -> Any:
    """g * 2 / sqrt(π) * exp(-x * x)"""
    return g * (_SLOPE * exp(-(x * x)))


@elementwise(x=lambda g, x: g * density(x))
@real
def normal(xp: Any, x: Array) -> Array:
    """Standard normal distribution function ``Φ(x) = erfc(-x / sqrt(2)) / 2``, elementwise; accurate in the left tail.

    Examples
    --------
    >>> from autolab.functions.elementwise.special import normal
    >>> normal([-10.0, 0.0])
    array([7.61985302e-24, 5.00000000e-01])
    """
    away = xp.minimum(xp.absolute(x), 40)  # the density at 40 is 0
    size = away * _ROOT_HALF
    squared = size * size
    near = 0.5 * size * _ratio_of_polynomials(_NEAR, squared)
    middle = _ratio_of_polynomials(_FAR, size)
    inverse = 1 / xp.maximum(squared, 1)
    further = (_ROOT_INVERSE_PI - inverse * _ratio_of_polynomials(_FURTHER, inverse)) / xp.maximum(size, 1)
    beyond = 0.5 * xp.exp(away * away * -0.5) * xp.where(size > 4, further, middle)
    return xp.where(size < 0.46875, 0.5 + xp.copysign(near, x), xp.where(x < 0, beyond, 1 - beyond))


@elementwise(x=lambda g, x, y: -(g * x * y))
@real
def density(xp: Any, x: Array) -> Array:
    """Density of the standard normal distribution, ``exp(-x**2 / 2) / sqrt(2 * π)``, elementwise.

    Examples
    --------
    >>> from autolab.functions.elementwise.special import density
    >>> density([0.0])
    array([0.39894228])
    """
    away = xp.minimum(xp.absolute(x), 40)  # where the density is 0; squares of larger numbers could overflow
    return _DENSITY * xp.exp(away * away * -0.5)


def _ratio_of_polynomials(coefficients: tuple[tuple[float, ...], tuple[float, ...]], x: Array) -> Array:
    above, below = [_polynomial(c, x) for c in coefficients]
    return above / below


def _polynomial(coefficients: tuple[float, ...], x: Array) -> Array:
    """By Horner's rule."""
    first, second, *rest = coefficients
    y = first * x + second
    for coefficient in rest:
        y = y * x + coefficient
    return y


@elementwise(domain=(-3, 3))
@real
def erfc(xp: Any, x: Array) -> Array:
    """Complementary error function, ``1 - erf(x)``, elementwise; accurate also in the right tail, where it is almost 0.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.erfc(Variable([-6.0, 0.0, 10.0]))
    variable([2.00000000e+00 1.00000000e+00 2.08848758e-45])
    """
    size = xp.minimum(xp.absolute(x), 30)  # where erfc is 0
    near = size * _ratio_of_polynomials(_NEAR, size * size)
    inverse = 1 / xp.maximum(size * size, 1)
    further = (_ROOT_INVERSE_PI - inverse * _ratio_of_polynomials(_FURTHER, inverse)) / xp.maximum(size, 1)
    short = xp.floor(size * 16) / 16  # its square is exact; that of size would lose digits in the tail
    falling = xp.exp(-short * short) * xp.exp((short - size) * (short + size))
    beyond = falling * xp.where(size > 4, further, _ratio_of_polynomials(_FAR, size))
    return xp.where(size < 0.46875, 1 - xp.copysign(near, x), xp.where(x < 0, 2 - beyond, beyond))


@erfc.vjp("x")
@in_single
def _erfc_x(g: Any, x: Any) -> Any:
    """-g * 2 / sqrt(π) * exp(-x * x)"""
    return g * (-_SLOPE * exp(-(x * x)))
