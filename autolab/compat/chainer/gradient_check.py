"""``chainer.gradient_check``"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import gradcheck as _gradcheck
from ...engine import is_array
from ...gradcheck.checks.twopoint import NondifferentiableError as NondifferentiableError
from ...gradcheck.checks.twopoint import check_smooth, rounding_of
from ...gradcheck.measuring.point import Direction, MovableArrays
from ...gradcheck.measuring.subject import flat
from ..table import fill, signed

assert_allclose = _gradcheck.assert_allclose


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
        place = MovableArrays(lambda: flat(_results(f, len(ys))), inputs, "numerical_grad")
        precision = np.concatenate([np.full(y.size, rounding_of(y.dtype)) for y in ys])
        for i, x in enumerate(inputs):
            for index in np.ndindex(x.shape):
                label, direction = f"inputs[{i}]{[*index]}", Direction(i, index, 1.0)
                check_smooth("numerical_grad", label, place, direction, eps, precision, diff_atol, diff_rtol)
    starts = [
        g if g is None or is_array(g) else np.full(y.shape, g, y.dtype) for g, y in zip(grad_outputs, ys, strict=False)
    ]
    return _gradcheck.numerical_grad(lambda: _results(f, len(starts)), inputs, starts, eps)


def _results(f: Callable[[], Sequence[Any]], count: int) -> list[Any]:
    """The first ``count`` results, as arrays: Chainer also accepts numbers, and omits results without a gradient."""
    return [y if is_array(y) else np.asarray(y, np.float64) for y in f()[:count]]


__getattr__ = fill(__name__)
