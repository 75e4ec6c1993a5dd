"""Plain central differences of arrays and numbers, and a comparison of arrays: tools for tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from inspect import signature
from typing import Any

import numpy as np

from ...engine import Array, Variable, a_kind, array_of, as_variable, get_array_module, is_array, to_cpu, unwrap
from .point import Direction, MovableArrays, step_scale


def numerical_grad(
    f: Callable[[], Sequence[Array]],
    inputs: Sequence[Array],
    grad_outputs: Sequence[Array | None] | None = None,
    eps: float | None = None,
) -> Any:
    """The numeric gradient of ``sum(gy * y)`` over the results of ``f``, by central differences.

    Without ``grad_outputs``, it is the gradient of ``f(x).sum()``: ``numerical_grad(f, x)``, as in DeZero.

    Parameters
    ----------
    f : callable
        Takes no arguments, reads ``inputs`` and returns a tuple of arrays.
    inputs : sequence of floating-point arrays
        They are changed in place, one element at a time by ``eps`` to either side, and restored, even after an
        exception.
    grad_outputs : sequence of arrays
        The upstream gradient of each result; None counts as zeros.
    eps : float, optional
        How far an element moves to either side. By default, about the magnitude of the element times the cube root of
        the dtype's precision, which balances the truncation error and the rounding error.

    Returns
    -------
    tuple of arrays
        One gradient per input, of its shape and dtype, on its device.

    Raises
    ------
    TypeError
        If an input is not a writeable floating-point array, or if CPU and GPU arrays are mixed.
    ValueError
        If the results of ``f`` do not fit ``grad_outputs``.

    References
    ----------
    The interface is that of ``chainer.gradient_check.numerical_grad``, where ``eps`` is 1e-3 by default.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import numerical_grad
    >>> x = np.array([1.0, 2.0])
    >>> (gx,) = numerical_grad(lambda: (x**2,), (x,), (np.ones(2),))
    >>> gx.round(6)
    array([2., 4.])
    """
    if not callable(f):
        raise TypeError(f"numerical_grad: f is {a_kind(f)}; expected a function without arguments")
    if grad_outputs is None:
        return _grad_of_sum(f, inputs, eps)
    if not isinstance(grad_outputs, Sequence):
        raise TypeError("numerical_grad: expected the arguments in a tuple: numerical_grad(f, (x, y))")
    xp = get_array_module(*inputs, *[g for g in grad_outputs if g is not None])
    for position, x in enumerate(inputs):
        _check_input(position, x)
    place = MovableArrays(partial(_results, f, grad_outputs), inputs, "numerical_grad")
    gradients = []
    for i, x in enumerate(inputs):
        directions = [Direction(i, *move) for move in zip(np.ndindex(x.shape), _steps(x, eps), strict=True)]
        gradient = [_slope(place, direction, grad_outputs) for direction in directions]
        gradients.append(xp.array(gradient, np.float64).reshape(x.shape).astype(x.dtype))
    return tuple(gradients)


def _grad_of_sum(f: Callable[..., Any], inputs: Any, eps: float | None) -> Any:
    """By inputs that ``f`` is given, or by Variables that it reads; a single input has a single gradient."""
    given = inputs if isinstance(inputs, tuple | list) else (inputs,)
    reads = not signature(f).parameters
    arrays = [unwrap(x) if reads else np.array(unwrap(x), dtype=np.result_type(unwrap(x), np.float32)) for x in given]

    def results() -> tuple[Array]:
        return (np.asarray(unwrap(f() if reads else f(*[Variable(x) for x in arrays]))),)

    found = numerical_grad(results, arrays, [np.ones_like(y) for y in results()], eps)
    return found if given is inputs else found[0]


def default_step(dtype: np.dtype) -> float:
    """How far to move relative to an element's magnitude: a power of two, so that the move itself is exact."""
    return float(2.0 ** np.round(np.log2(np.finfo(dtype).eps) / 3))


def numerical_diff(f: Callable[[Variable], Any], x: Any, eps: float | None = None) -> Array:
    """The derivative of a function of one number, or of an elementwise function, by a central difference.

    This is the simplest numeric derivative: it takes two calls of ``f``, for any ``f``, and loses a good part of the
    digits.

    Parameters
    ----------
    f : callable
        Takes a Variable; each element of the result depends on only one element of the input.
    x : number, array or Variable
        The point. Numbers and lists become float64.
    eps : float, optional
        How far every element moves to either side. By default, it depends on dtype and magnitude as in
        `numerical_grad`.

    Returns
    -------
    array
        The derivative, of the shape of ``f(x)``.

    References
    ----------
    The interface is that of ``dezero.utils.numerical_diff``, where ``eps`` is 1e-4 by default.

    Examples
    --------
    >>> from autolab.gradcheck import numerical_diff
    >>> float(numerical_diff(lambda x: x**2, 2.0).round(6))
    4.0
    """
    leaf = Variable(x.array if isinstance(x, Variable) else x)
    if leaf.dtype.kind != "f":
        raise TypeError(f"numerical_diff: x holds {leaf.dtype}; expected floating-point numbers")
    leaf.array = leaf.array.copy()
    steps = _steps(leaf.array, eps).reshape(leaf.shape)
    direction = Direction(0, ..., get_array_module(leaf.array).asarray(steps))
    place = MovableArrays(lambda: array_of(as_variable(f(leaf)).array).copy(), [leaf.array], "numerical_diff")
    above, below = place.pair(direction)
    return array_of((above - below) / place.width(direction))


def _check_input(position: int, x: Array) -> None:
    what = f"numerical_grad: inputs[{position}] is"
    if not is_array(x) or x.dtype.kind != "f":
        got = f"an array of {x.dtype}" if is_array(x) else a_kind(x)
        raise TypeError(f"{what} {got}; expected a floating-point array, which is moved in place")
    if not getattr(getattr(x, "flags", None), "writeable", True):
        raise TypeError(f"{what} read-only; expected an array that can be moved in place")


def _steps(x: Array, eps: float | None) -> np.ndarray:
    """How far each element moves to either side, flat."""
    return step_scale(to_cpu(x)) * default_step(x.dtype) if eps is None else np.full(x.size, eps)


def _slope(place: MovableArrays, direction: Direction, grad_outputs: Sequence[Array | None]) -> Array:
    above, below = place.pair(direction)
    pairs = zip(above, below, grad_outputs, strict=True)
    rise = sum([((a - b) * g).sum(dtype=np.float64) for a, b, g in pairs if g is not None])
    return rise / place.width(direction)


def _results(f: Callable[[], Sequence[Array]], grad_outputs: Sequence[Array | None]) -> tuple[Array, ...]:
    """Copies of the results: they may be views of the input that moves."""
    results = f()
    if not isinstance(results, tuple | list):
        raise TypeError(f"numerical_grad: f returned {a_kind(results)}; expected a tuple of arrays: return y,")
    if len(results) != len(grad_outputs):
        raise ValueError(
            f"numerical_grad: f returned {len(results)} arrays; expected {len(grad_outputs)}, one per grad_outputs"
        )
    for position, (y, g) in enumerate(zip(results, grad_outputs, strict=True)):
        if g is not None and np.shape(y) != np.shape(g):
            raise ValueError(
                f"numerical_grad: grad_outputs[{position}] has shape {np.shape(g)}; expected {np.shape(y)}, that of "
                f"result {position} of f"
            )
    return tuple([get_array_module(y).array(y, copy=True) for y in results])


def assert_allclose(x: Any, y: Any, atol: float = 1e-5, rtol: float = 1e-4) -> None:
    """Raise AssertionError unless ``|x - y| <= atol + rtol * |y|`` everywhere.

    Parameters
    ----------
    x, y : array, Variable or number
        They may be on the CPU, on a GPU, or one on each.
    atol, rtol : float
        The absolute and the relative tolerance.

    References
    ----------
    The defaults are those of ``chainer.testing.assert_allclose``.

    Examples
    --------
    >>> from autolab import assert_allclose
    >>> assert_allclose([1.0, 2.0], [1.00001, 2.0])
    """
    np.testing.assert_allclose(_on_cpu(x), _on_cpu(y), rtol=rtol, atol=atol)


def _on_cpu(value: Any) -> np.ndarray:
    value = value.array if isinstance(value, Variable) else value
    return to_cpu(value) if is_array(value) else np.asarray(value)
