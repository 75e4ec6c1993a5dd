"""Chainer's tools for tests: a plain central difference on arrays, and a comparison of arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..engine.backend import Array, get_array_module, is_array, to_cpu
from ..engine.variable import Variable


def numerical_grad(
    f: Callable[[], Sequence[Array]],
    inputs: Sequence[Array],
    grad_outputs: Sequence[Array | None],
    eps: float = 1e-3,
) -> tuple[Array, ...]:
    """Gradient of ``sum(gy * y)`` over the results of ``f``, by central differences.

    Parameters
    ----------
    f : callable
        Takes no arguments, reads ``inputs`` and returns a tuple of arrays.
    inputs : sequence of floating-point arrays
        Moved in place by ``eps`` to either side, one element after the other. They are restored, also after an
        exception.
    grad_outputs : sequence of arrays
        The upstream gradient of each result; None counts as zeros.
    eps : float
        How far an element moves.

    Returns
    -------
    tuple of arrays
        One gradient per input, of its shape and dtype, on its device.

    Raises
    ------
    TypeError
        If an input is no writeable floating-point array, or arrays of CPU and GPU are mixed.
    ValueError
        If the results of ``f`` do not fit ``grad_outputs``.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([1.0, 2.0])
    >>> (gx,) = numerical_grad(lambda: (x**2,), (x,), (np.ones(2),))
    >>> gx.round(6)
    array([2., 4.])

    References
    ----------
    The interface is that of ``chainer.gradient_check.numerical_grad``.
    """
    xp = get_array_module(*inputs, *[g for g in grad_outputs if g is not None])
    for position, x in enumerate(inputs):
        _check_input(position, x)
    gradients = []
    for x in inputs:
        gradient = xp.zeros(x.shape, np.float64)
        for index in np.ndindex(x.shape):
            gradient[index] = _difference(f, x, index, grad_outputs, eps)
        gradients.append(gradient.astype(x.dtype))
    return tuple(gradients)


def _check_input(position: int, x: Array) -> None:
    if not is_array(x) or x.dtype.kind != "f":
        got = f"an array of {x.dtype}" if is_array(x) else f"a {type(x).__name__}"
        raise TypeError(
            f"numerical_grad: inputs[{position}] is {got}; expected a floating-point array, which is moved in place"
        )
    if not getattr(getattr(x, "flags", None), "writeable", True):
        raise TypeError(
            f"numerical_grad: inputs[{position}] is read-only; expected an array that can be moved in place"
        )


def _difference(
    f: Callable[[], Sequence[Array]], x: Array, index: tuple[int, ...], grad_outputs: Sequence[Array | None], eps: float
) -> Array:
    original = x[index].copy()
    try:
        x[index] = original + eps
        above = _results(f, grad_outputs)
        x[index] = original - eps
        below = _results(f, grad_outputs)
    finally:
        x[index] = original
    pairs = zip(above, below, grad_outputs, strict=True)
    return sum(((a - b) * g).sum(dtype=np.float64) for a, b, g in pairs if g is not None) / (2 * eps)


def _results(f: Callable[[], Sequence[Array]], grad_outputs: Sequence[Array | None]) -> tuple[Array, ...]:
    """Copies of the results: they may be views of the input that moves."""
    results = f()
    if not isinstance(results, tuple | list):
        raise TypeError(f"numerical_grad: f returned a {type(results).__name__}; expected a tuple of arrays: return y,")
    if len(results) != len(grad_outputs):
        raise ValueError(
            f"numerical_grad: f returned {len(results)} arrays; expected {len(grad_outputs)}, one per grad_outputs"
        )
    for position, (y, g) in enumerate(zip(results, grad_outputs, strict=True)):
        if g is not None and np.shape(y) != np.shape(g):
            raise ValueError(
                f"numerical_grad: result {position} of f has shape {np.shape(y)}; "
                f"grad_outputs[{position}] has {np.shape(g)}"
            )
    return tuple([get_array_module(y).array(y, copy=True) for y in results])


def assert_allclose(x: Any, y: Any, atol: float = 1e-5, rtol: float = 1e-4) -> None:
    """Raise AssertionError unless ``|x - y| <= atol + rtol * |y|`` everywhere.

    Parameters
    ----------
    x, y : array, Variable or number
        On the CPU, on a GPU, or one on either.
    atol, rtol : float

    Examples
    --------
    >>> assert_allclose([1.0, 2.0], [1.00001, 2.0])

    References
    ----------
    The defaults are those of ``chainer.testing.assert_allclose``.
    """
    np.testing.assert_allclose(_on_cpu(x), _on_cpu(y), rtol=rtol, atol=atol)


def _on_cpu(value: Any) -> np.ndarray:
    value = value.data if isinstance(value, Variable) else value
    return to_cpu(value) if is_array(value) else np.asarray(value)
