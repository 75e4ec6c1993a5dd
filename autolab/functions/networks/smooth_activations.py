"""Smooth activation functions: gelu, silu, mish, softsign, glu."""

from __future__ import annotations

from typing import Any

from ...engine import Array, elementwise, takes_other_words
from ..arrays.joining import place_of, split
from ..elementwise.logistic import sigmoid
from ..elementwise.powers import abs
from ..elementwise.selection import clip
from ..elementwise.special import density, normal
from ..working_precision import in_full, in_single, real

_FAR = 1000.0
"""Beyond it sigmoid, ``Φ`` and its density are 0 in every precision; limiting ``x`` avoids infinity times 0, NaN."""


@elementwise(domain=(-4, 4))
@real
def gelu(xp: Any, x: Array) -> Array:
    """Gaussian error linear unit, ``x * Φ(x)``, elementwise; exact, not the tanh approximation.

    ``Φ`` is the standard normal distribution function.

    D. Hendrycks, K. Gimpel, "Gaussian error linear units", 2016.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.gelu(Variable([-1.0, 0.0, 1.0]))
    variable([-0.15865525  0.          0.84134475])
    """
    return xp.maximum(x, -_FAR) * normal(x)


@gelu.vjp("x")
@in_single
def _gelu_x(g: Any, x: Any) -> Any:
    """g * (Φ(x) + x * exp(-x * x / 2) / sqrt(2 * π))"""
    return g * (normal(x) + clip(x, -_FAR, _FAR) * density(x))


@elementwise(domain=(-6, 6))
@real
def silu(xp: Any, x: Array) -> Array:
    """Sigmoid linear unit, ``x * sigmoid(x)``, elementwise; also known as swish.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.silu(Variable([-1000.0, 0.0, 1000.0]))
    variable([  -0.    0. 1000.])
    """
    return xp.maximum(x, -_FAR) * sigmoid(x)


@silu.vjp("x")
@in_single
def _silu_x(g: Any, x: Any) -> Any:
    """g * sigmoid(x) * (1 + x * sigmoid(-x))"""
    return g * (sigmoid(x) * (1 + clip(x, -_FAR, _FAR) * sigmoid(-x)))


@silu.composite
def _silu(x: Any) -> Any:
    return x * sigmoid(x)


@elementwise(domain=(-6, 4))
@real
def mish(xp: Any, x: Array) -> Array:
    """``x * tanh(softplus(x))``, elementwise.

    D. Misra, "Mish: a self regularized non-monotonic activation function", 2019.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.mish(Variable([-1000.0, 0.0, 1000.0]))
    variable([  -0.    0. 1000.])
    """
    return xp.maximum(x, -_FAR) * _gated(xp, x)


@mish.vjp("x")
@in_single
def _mish_x(g: Any, x: Any) -> Any:
    """g * (tanh(softplus(x)) + x * (1 - tanh(softplus(x)) ** 2) * sigmoid(x))"""
    return g * (_gate(x) + clip(x, -_FAR, _FAR) * _gate_slope(x))


def _gated(xp: Any, x: Array) -> Array:
    """``tanh(softplus(x))`` as a quotient of exponentials, accurate to all digits on both sides."""
    e = xp.exp(-xp.absolute(x))
    return xp.where(x > 0, (1 + 2 * e) / (1 + 2 * e * (1 + e)), e * (e + 2) / (e * (e + 2) + 2))


@elementwise(x=lambda g, x: g * _gate_slope(x))
@real
def _gate(xp: Any, x: Array) -> Array:
    return _gated(xp, x)


@elementwise(x=lambda g, x, y: g * (y * (sigmoid(-x) - 2 * _gate(x) * sigmoid(x))))
@real
def _gate_slope(xp: Any, x: Array) -> Array:
    """``(1 - gate ** 2) * sigmoid``, without cancellation."""
    e = xp.exp(-xp.absolute(x))
    right, left = 1 + 2 * e * (1 + e), e * (e + 2) + 2
    return xp.where(x > 0, 4 * e * e * (1 + e) / (right * right), 4 * e * (1 + e) / (left * left))


@elementwise(domain=(-5, 5))
@real
def softsign(xp: Any, x: Array) -> Array:
    """``x / (1 + abs(x))``, elementwise: between -1 and 1.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.softsign(Variable([-3.0, 0.0, 1.0]))
    variable([-0.75  0.    0.5 ])
    """
    size = xp.minimum(xp.absolute(x), xp.finfo(x.dtype).max)
    return xp.copysign(size / (1 + size), x)


@softsign.vjp("x")
@in_single
def _softsign_x(g: Any, x: Any) -> Any:
    """g / (1 + abs(x)) ** 2"""
    short = 1 / (1 + abs(x))
    return g * (short * short)


@takes_other_words
def glu(x: Any, axis: int = -1) -> Any:
    """Gated linear unit: the first half of ``x`` along an axis times the `sigmoid` of the second.

    Parameters
    ----------
    x : Variable or array
    axis : int
        An axis of even length; the result has half of it.

    Raises
    ------
    ValueError
        If the length is odd, or the axis does not exist.

    Notes
    -----
    Y. Dauphin et al., "Language modeling with gated convolutional networks", 2017.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.glu(Variable([3.0, 4.0, 0.0, 1000.0]))
    variable([1.5 4. ])
    """
    (x,), rounded = in_full("glu", x=x)
    length = x.shape[place_of("glu", axis, x.shape)]
    if length % 2:
        raise ValueError(f"glu: x has shape {x.shape}, axis={axis!r:.40}: expected an even length")
    half, gate = split(x, 2, axis=axis)
    return rounded(half * sigmoid(gate))
