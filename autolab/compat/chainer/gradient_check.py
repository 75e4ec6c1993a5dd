"""``chainer.gradient_check``"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ... import gradcheck as _gradcheck
from ...engine.backend import is_array
from ..table import fill, signed

assert_allclose = _gradcheck.assert_allclose


class NondifferentiableError(Exception):
    """A function is not differentiable at a point. AutoLab's checks say so in their own errors."""


@signed
def numerical_grad(f, inputs, grad_outputs, eps):
    """Gradient of ``sum(gy * y)`` over the results of ``f``, by central differences. `check_backward` also finds kinks.

    Parameters
    ----------
    f : callable
        Takes no arguments, reads ``inputs`` and returns a tuple of arrays.
    inputs : sequence of floating-point arrays
        Moved in place, and restored.
    grad_outputs : sequence of arrays
        The upstream gradient of each result; None counts as zeros.
    eps : float
        How far an element moves to either side.

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
    starts = [
        g if g is None or is_array(g) else np.full(y.shape, g, y.dtype) for g, y in zip(grad_outputs, ys, strict=False)
    ]
    return _gradcheck.numerical_grad(lambda: _results(f, len(starts)), inputs, starts, eps)


def _results(f: Callable[[], Sequence[Any]], count: int) -> list[Any]:
    """The first results as arrays: Chainer takes numbers for them, and leaves out those without a gradient."""
    return [y if is_array(y) else np.asarray(y, np.float64) for y in f()[:count]]


__getattr__ = fill(__name__)
