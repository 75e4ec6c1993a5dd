"""Integrals and convolutions of samples."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...engine import Variable, check_number, get_array_module, numpy_protocol, takes_other_words, unwrap
from ..arrays.joining import along, place_of
from ..arrays.repeating import flip
from ..arrays.shape import reshape
from ..networks.conv import conv1d
from ..working_precision import given_arrays, in_full
from .reduce import sum


@numpy_protocol.adapt(np.trapezoid)
@takes_other_words
def trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: int = -1) -> Any:
    """Integrate samples by the trapezoidal rule: the sum of the means of neighbours times their distances.

    Parameters
    ----------
    y : Variable or array
    x : Variable or array, optional
        The sample points: 1-d, or of the shape of ``y``.
    dx : float
        The distance between sample points, if ``x`` is not given.
    axis : int

    Raises
    ------
    ValueError
        If the axis does not exist, or the shape of ``x`` does not match.
    TypeError
        If ``x`` is boolean.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.trapezoid(Variable([0.0, 1.0, 4.0]), dx=0.5)
    variable(1.5)
    """
    spots = unwrap(x)
    if (spots if hasattr(spots, "dtype") else np.asarray(spots)).dtype == bool:  # whose differences are no distances
        raise TypeError("trapezoid: x is boolean; expected places as numbers, x.astype(float)")
    (y, *places), rounded = in_full("trapezoid", whole=True, y=y, **({} if x is None else {"x": x}))
    place = place_of("trapezoid", axis, y.shape)
    if x is None:
        number = check_number("trapezoid", "dx", dx, -math.inf)
        width = dx if type(dx) is int else number
    else:
        (x,) = places
        if x.ndim == 1 and x.shape[0] == y.shape[place]:
            x = reshape(x, shape=(-1, *[1] * (y.ndim - 1 - place)))
            width = x[1:] - x[:-1]
        elif x.shape == y.shape:
            width = _after(x, place) - _before(x, place)
        else:
            raise ValueError(f"trapezoid: y has shape {y.shape}, x has shape {x.shape}: expected equal lengths")
    return rounded(sum(width * (_after(y, place) + _before(y, place)) / 2.0, axis=place))


def _after(x: Any, axis: int) -> Any:
    return x[along(axis, slice(1, None))]


def _before(x: Any, axis: int) -> Any:
    return x[along(axis, slice(-1))]


@numpy_protocol.adapt(np.convolve)
@takes_other_words
def convolve(a: Any, v: Any, mode: str = "full") -> Any:
    """Discrete convolution of two sequences: ``y[n] = sum(a[k] * v[n - k])``.

    Parameters
    ----------
    a, v : Variable or array
        One-dimensional, with at least one element.
    mode : str
        ``"full"``: all points where the sequences overlap; ``"same"``: as many as the longer one has, centred;
        ``"valid"``: only the points where they overlap completely.

    Raises
    ------
    ValueError
        If ``mode`` is unknown, or a sequence is empty or not 1-d.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.convolve(Variable([1.0, 2.0, 3.0]), [1.0, 10.0])
    variable([ 1. 12. 23. 30.])
    """
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"convolve: mode is {mode!r:.40}; expected 'full', 'same' or 'valid'")
    a, v = given_arrays("convolve", a=a, v=v)
    if any([x.ndim > 1 or not x.size for x in (a, v)]):
        raise ValueError(f"convolve: got shapes {a.shape} and {v.shape}; expected two sequences with elements")
    if "f" not in a.dtype.kind + v.dtype.kind:
        y = get_array_module(a, v).convolve(numpy_protocol.unwrap(a), numpy_protocol.unwrap(v), mode)
        return Variable(y, requires_grad=False) if isinstance(a, Variable) or isinstance(v, Variable) else y
    a, v = (reshape(x, shape=-1) for x in (a, v))
    if len(v) > len(a):
        a, v = v, a
    y = conv1d(a[None, None], flip(v)[None, None], padding=0 if mode == "valid" else len(v) - 1)[0, 0]
    start = (len(v) - 1) // 2
    return y[start : start + len(a)] if mode == "same" else y


@numpy_protocol.adapt(np.correlate)
def _correlate(a: Any, v: Any, mode: str = "valid") -> Any:
    if mode == "same" and np.size(v) > np.size(a):
        raise ValueError("correlate: mode is 'same' and v is the longer; expected the longer first")
    if np.ndim(a) != 1 or np.ndim(v) != 1:
        raise ValueError(f"correlate: got shapes {np.shape(a)} and {np.shape(v)}; expected two sequences")
    return convolve(a, flip(*given_arrays("correlate", v=v)), mode)
