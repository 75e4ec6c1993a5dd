"""Fourier transforms, with complex numbers as two arrays: their real and imaginary parts.

All values and gradients are real. ``real, imag = F.rfft(x)`` gives the spectrum of a signal; its power is
``real * real + imag * imag``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import Array, get_array_module
from ...engine.declare import primitive
from ..arrays.joining import place_of
from ..working_precision import in_full


def rfft(x: Any, axis: int = -1) -> tuple[Any, Any]:
    """Discrete Fourier transform of real input: ``sum(x[j] * exp(-2i * pi * j * k / n))`` for ``k`` up to ``n // 2``.

    Parameters
    ----------
    x : Variable or array
    axis : int
        The axis of the ``n`` samples.

    Returns
    -------
    real, imag : Variable or array
        Of the shape of ``x``, with length ``n // 2 + 1`` along the axis. `irfft` is the inverse.

    Raises
    ------
    ValueError
        If the axis does not exist or has length 0.

    Notes
    -----
    J. Cooley, J. Tukey, "An algorithm for the machine calculation of complex Fourier series", 1965.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.rfft(Variable([1.0, 0.0, 2.0, 0.0]))
    (variable([ 3. -1.  3.]), variable([0. 0. 0.]))
    """
    (x,), rounded = in_full("rfft", x=x)
    real, imag = _rfft(x, axis=_axis("rfft", axis, x.shape))
    return rounded(real), rounded(imag)


def irfft(real: Any, imag: Any, n: int | None = None, axis: int = -1) -> Any:
    """The real signal that has the given spectrum: the inverse of `rfft`.

    Parameters
    ----------
    real, imag : Variable or array
        Of the same shape.
    n : int, optional
        The number of samples, needed if it is odd; by default ``2 * (length - 1)``.
    axis : int

    Returns
    -------
    Variable or array
        Of length ``n`` along the axis.

    Raises
    ------
    ValueError
        If the shapes differ, the axis does not exist, or a spectrum of ``n`` samples has another length.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.irfft(Variable([3.0, -1.0, 3.0]), [0.0, 0.0, 0.0])
    variable([1. 0. 2. 0.])
    """
    (real, imag), rounded = _pair("irfft", real, imag)
    place = _axis("irfft", axis, real.shape)
    length = real.shape[place]
    n = 2 * (length - 1) if n is None else n
    if not isinstance(n, int | np.integer) or n < 1 or n // 2 + 1 != length:
        raise ValueError(f"irfft: n is {n!r:.40}; expected {2 * length - 2} or {2 * length - 1} for length {length}")
    return rounded(_irfft(real, imag, n=int(n), axis=place))


def fft(real: Any, imag: Any, axis: int = -1) -> tuple[Any, Any]:
    """Discrete Fourier transform of complex input: ``sum(x[j] * exp(-2i * pi * j * k / n))`` for all ``k``.

    Parameters
    ----------
    real, imag : Variable or array
        Of the same shape. For real input `rfft` is simpler.
    axis : int

    Returns
    -------
    real, imag : Variable or array
        Of the same shape.

    Raises
    ------
    ValueError
        If the shapes differ, or the axis does not exist or has length 0.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.fft(Variable([1.0, 0.0]), [0.0, 2.0])
    (variable([1. 1.]), variable([ 2. -2.]))
    """
    (real, imag), rounded = _pair("fft", real, imag)
    real, imag = _fft(real, imag, axis=_axis("fft", axis, real.shape))
    return rounded(real), rounded(imag)


def ifft(real: Any, imag: Any, axis: int = -1) -> tuple[Any, Any]:
    """The inverse of `fft`, with the same parameters.

    Raises
    ------
    ValueError
        If the shapes differ, or the axis does not exist or has length 0.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.ifft(Variable([1.0, 1.0]), [2.0, -2.0])
    (variable([1. 0.]), variable([0. 2.]))
    """
    (real, imag), rounded = _pair("ifft", real, imag)
    real, imag = _ifft(real, imag, axis=_axis("ifft", axis, real.shape))
    return rounded(real), rounded(imag)


@primitive(outputs=("re", "im"), name="rfft")
def _rfft(xp: Any, x: Array, *, axis: int) -> tuple[Array, Array]:
    return _parts(xp, xp.fft.rfft(x, axis=axis))


@_rfft.vjp("x")
def _rfft_x(g: Any, x_shape: tuple[int, ...], axis: int) -> Any:
    """n * irfft(g[0] / twice, g[1] / twice, n, axis)

    Here ``n = x.shape[axis]``, and ``twice`` is 2 for each term that `irfft` counts twice, and 1 for the others.
    """
    n = x_shape[axis]
    twice = _twice(g[0], n, axis)
    return _irfft(g[0] / twice, g[1] / twice, n=n, axis=axis) * n


@primitive(name="irfft")
def _irfft(xp: Any, real: Array, imag: Array, *, n: int, axis: int) -> Array:
    return xp.fft.irfft(real + imag * xp.asarray(1j, np.result_type(real.dtype, np.complex64)), n=n, axis=axis)


@_irfft.vjp("real")
def _irfft_real(g: Any, n: int, axis: int) -> Any:
    """rfft(g, axis)[0] * twice / n

    Here ``twice`` is 2 for each term that `irfft` counts twice, and 1 for the others.
    """
    return _rfft(g, axis=axis)[0] * _twice(g, n, axis) / n


@_irfft.vjp("imag")
def _irfft_imag(g: Any, n: int, axis: int) -> Any:
    """rfft(g, axis)[1] * twice / n

    Here ``twice`` is 2 for each term that `irfft` counts twice, and 1 for the others.
    """
    return _rfft(g, axis=axis)[1] * _twice(g, n, axis) / n


@primitive(outputs=("re", "im"), name="fft")
def _fft(xp: Any, real: Array, imag: Array, *, axis: int) -> tuple[Array, Array]:
    return _parts(xp, xp.fft.fft(real + imag * xp.asarray(1j, np.result_type(real.dtype, np.complex64)), axis=axis))


@primitive(outputs=("re", "im"), name="ifft")
def _ifft(xp: Any, real: Array, imag: Array, *, axis: int) -> tuple[Array, Array]:
    return _parts(xp, xp.fft.ifft(real + imag * xp.asarray(1j, np.result_type(real.dtype, np.complex64)), axis=axis))


@_fft.vjp("real")
def _fft_real(g: Any, real_shape: tuple[int, ...], axis: int) -> Any:
    """n * ifft(g[0], g[1], axis)[0]

    Here ``n = real.shape[axis]``.
    """
    return _ifft(*g, axis=axis)[0] * real_shape[axis]


@_fft.vjp("imag")
def _fft_imag(g: Any, real_shape: tuple[int, ...], axis: int) -> Any:
    """n * ifft(g[0], g[1], axis)[1]

    Here ``n = real.shape[axis]``.
    """
    return _ifft(*g, axis=axis)[1] * real_shape[axis]


@_ifft.vjp("real")
def _ifft_real(g: Any, real_shape: tuple[int, ...], axis: int) -> Any:
    """fft(g[0], g[1], axis)[0] / n

    Here ``n = real.shape[axis]``.
    """
    return _fft(*g, axis=axis)[0] / real_shape[axis]


@_ifft.vjp("imag")
def _ifft_imag(g: Any, real_shape: tuple[int, ...], axis: int) -> Any:
    """fft(g[0], g[1], axis)[1] / n

    Here ``n = real.shape[axis]``.
    """
    return _fft(*g, axis=axis)[1] / real_shape[axis]


def _parts(xp: Any, z: Array) -> tuple[Array, Array]:
    return xp.ascontiguousarray(z.real), xp.ascontiguousarray(z.imag)


def _twice(like: Any, n: int, axis: int) -> Array:
    """How often `irfft` counts each term: twice, except for the first and, if ``n`` is even, the last."""
    counts = get_array_module(like).full(n // 2 + 1, 2, like.dtype)
    counts[0] = 1
    if n % 2 == 0:
        counts[-1] = 1
    return counts.reshape([-1 if i == axis else 1 for i in range(like.ndim)])


def _pair(function: str, real: Any, imag: Any) -> Any:
    (real, imag), rounded = in_full(function, real=real, imag=imag)
    if real.shape != imag.shape:
        raise ValueError(f"{function}: real has shape {real.shape}, imag has shape {imag.shape}: expected the same")
    return (real, imag), rounded


def _axis(function: str, axis: int, shape: tuple[int, ...]) -> int:
    place = place_of(function, axis, shape)
    if not shape[place]:
        raise ValueError(f"{function}: got shape {shape}; expected at least one element along axis {axis}")
    return place
