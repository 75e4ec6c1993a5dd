"""``chainer.gradient_check``"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import gradcheck as _gradcheck
from ...engine import is_array, to_cpu
from ..table import fill, signed

assert_allclose = _gradcheck.assert_allclose


class NondifferentiableError(Exception):
    """Raised if a function is not differentiable at a point. `check_backward` raises errors of its own instead."""


@signed
def numerical_grad(f, inputs, grad_outputs, eps, detect_nondifferentiable, diff_atol, diff_rtol):
    """Gradient of ``sum(gy * y)`` over the results of ``f``, by central differences. `check_backward` also finds kinks.

    Parameters
    ----------
    f : callable
        Takes no arguments, reads ``inputs`` and returns a tuple of arrays.
    inputs : sequence of floating-point arrays
        Changed in place, and restored.
    grad_outputs : sequence of arrays
        The upstream gradient of each result; None counts as zeros.
    eps : float
        The nudge of each element, to both sides.
    detect_nondifferentiable : bool
        Raise a `NondifferentiableError` if a result between the two nudges is not a parabola within the tolerances
        ``diff_atol`` and ``diff_rtol``, the latter relative to its variation.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> x = np.array([1.0, 2.0])
    >>> (gx,) = chainer.gradient_check.numerical_grad(lambda: (x**2,), (x,), (np.ones(2),))
    >>> gx.round(6)
    array([2., 4.])
    """
    ys = _results(f, len(grad_outputs))
    if detect_nondifferentiable:
        for number, x in enumerate(inputs):
            for index in np.ndindex(x.shape):
                _check_parabola(f, len(ys), number, x, index, (eps, diff_atol, diff_rtol))
    starts = [
        g if g is None or is_array(g) else np.full(y.shape, g, y.dtype) for g, y in zip(grad_outputs, ys, strict=False)
    ]
    return _gradcheck.numerical_grad(lambda: _results(f, len(starts)), inputs, starts, eps)


def _check_parabola(f: Any, count: int, number: int, x: Any, index: Any, limits: tuple[float, float, float]) -> None:
    """Raise unless the results along one element of ``x`` are close to a parabola, as for a smooth function."""
    eps, atol, rtol = limits
    places, start, ys = np.linspace(-1, 1, 5), x[index].copy(), []
    try:
        for place in places:
            x[index] = start + place * eps
            ys.append(np.concatenate([to_cpu(y).astype(np.float64).ravel() for y in _results(f, count)]))
    finally:
        x[index] = start
    moved = np.array(ys) - ys[2]
    powers = np.vander(places, 3)
    off = np.linalg.norm(moved - powers @ np.linalg.lstsq(powers, moved, rcond=None)[0], axis=0)
    if (off > np.maximum(atol, rtol * np.linalg.norm(moved, axis=0))).any():
        raise NondifferentiableError(f"numerical_grad: the results have a kink or a jump at inputs[{number}]{[*index]}")


def _results(f: Callable[[], Sequence[Any]], count: int) -> list[Any]:
    """The first ``count`` results, as arrays: Chainer also accepts numbers, and omits results without a gradient."""
    return [y if is_array(y) else np.asarray(y, np.float64) for y in f()[:count]]


__getattr__ = fill(__name__)
