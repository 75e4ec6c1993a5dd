"""Chainer's checks of a backward, for given upstream gradients, with a given step and given tolerances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...engine import Array, Variable, a_kind, folded, get_array_module, hidden, is_array
from ...shared.binding import Bound, bind
from ..judging.finding import Limits, failure
from ..measuring.subject import Subject
from .judge import arrays_of, as_tuple, is_wrong, second_order
from .twopoint import compare_inputs, prepared, refuse_kinks


def check_backward(
    func: Callable[..., Any],
    x_data: Any,
    y_grad: Any,
    params: Any = (),
    eps: float = 1e-3,
    atol: float = 1e-5,
    rtol: float = 1e-4,
    no_grads: Sequence[bool] | None = None,
    dtype: Any = None,
    detect_nondifferentiable: bool = False,
) -> None:
    """Raise an error unless the gradients of ``func`` agree with central differences.

    Parameters
    ----------
    func : callable
        Takes Variables and returns a Variable or a tuple of them.
    x_data : array or tuple of arrays
        The arguments of ``func``. Integer arrays are passed on but not checked.
    y_grad : array, tuple of arrays, or None
        The upstream gradient of each result. None inside the tuple means zeros; None instead of the tuple means 1, for
        a function whose result is a single number.
    params : Variable or tuple of Variables
        Variables that ``func`` uses besides its arguments, such as the parameters of a link; they are checked like
        inputs. They hold other arrays during the check and their own again afterwards.
    eps : float
        How far an element moves to either side.
    atol, rtol : float
        A gradient may differ by ``atol + rtol * |numeric|``, plus the error that rounding of the results can cause in
        the difference.
    no_grads : sequence of bool, optional
        True for the inputs that are not checked. By default, those that are not floating-point.
    dtype : float dtype, optional
        The dtype to which inputs, parameters and upstream gradients are converted for the differences. The gradients
        being checked are computed in the given dtypes. ``dtype=np.float64`` makes a check in float32 more precise.
    detect_nondifferentiable : bool
        Refuse points within ``eps`` of a kink or a jump, also where the difference agrees with the gradient by chance.

    Raises
    ------
    GradientCheckError
        (an AssertionError) If a gradient and a difference disagree. The message names every such input and its worst
        element with both values; ``error.mismatches`` has them as data. It says "wrong" only if differences with other
        steps agree; otherwise "cannot tell", because the step does not suit the function.
    NondifferentiableError
        With ``detect_nondifferentiable``, if there is a kink or a jump.
    TypeError, ValueError
        If the arguments do not fit together.

    Notes
    -----
    Inputs with up to 256 elements are compared element by element. Larger ones are compared along random directions,
    and if these disagree, a wrong element is searched for.

    References
    ----------
    The interface is that of ``chainer.gradient_check.check_backward``, which compares along one random direction.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.gradcheck import check_backward
    >>> x = np.array([0.5, 1.0, 2.0])
    >>> check_backward(lambda x: np.exp(x) * x, x, np.array([1.0, -2.0, 0.5]))
    """
    __tracebackhide__ = hidden()
    with folded():
        subject = _subject("check_backward", func, x_data, params, no_grads)
        _check(subject, y_grad, Limits(eps, atol, rtol), dtype, detect_nondifferentiable)


def check_double_backward(
    func: Callable[..., Any],
    x_data: Any,
    y_grad: Any,
    x_grad_grad: Any,
    params: Any = (),
    params_grad_grad: Any = (),
    eps: float = 1e-3,
    atol: float = 1e-4,
    rtol: float = 1e-3,
    no_grads: Sequence[bool] | None = None,
    dtype: Any = None,
    detect_nondifferentiable: bool = False,
) -> None:
    """Raise an error unless the second derivatives of ``func`` agree with central differences of its gradients.

    The gradients themselves are assumed to be right: run `check_backward` first.

    Parameters
    ----------
    func, x_data, y_grad, params, eps, atol, rtol, no_grads, dtype, detect_nondifferentiable
        As for `check_backward`.
    x_grad_grad : array or tuple of arrays
        The upstream gradient of each input's gradient; those of inputs that are not checked are ignored and may be
        omitted.
    params_grad_grad : array or tuple of arrays
        The same for each of ``params``.

    Raises
    ------
    GradientCheckError
        (an AssertionError) If the derivative of a gradient with respect to an input or an upstream gradient is wrong.
    RuntimeError
        If ``func`` can be differentiated only once.

    References
    ----------
    The interface is that of ``chainer.gradient_check.check_double_backward``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.gradcheck import check_double_backward
    >>> x, one = np.array([0.5, 1.0]), np.ones(2)
    >>> check_double_backward(lambda x: x**3, x, one, one)
    """
    __tracebackhide__ = hidden()
    with folded():
        first = _subject("check_double_backward", func, x_data, params, no_grads)
        with prepared(first) as once:
            upstream = upstream_of(first.caller, once.outputs(), y_grad)
        wanted, variables = as_tuple(x_grad_grad), first.bound.variables
        if len(wanted) == len(variables):
            wanted = tuple([g for g, name in zip(wanted, variables, strict=True) if name in first.inputs])
        wanted = (*wanted, *as_tuple(params_grad_grad))
        _check(second_order(first, upstream), wanted, Limits(eps, atol, rtol), dtype, detect_nondifferentiable)


def _subject(
    caller: str, func: Callable[..., Any], x_data: Any, params: Any, no_grads: Sequence[bool] | None
) -> Subject:
    parameters, xs = as_tuple(params), arrays_of(as_tuple(x_data))
    for i, p in enumerate(parameters):
        if not isinstance(p, Variable) or not p.requires_grad:
            raise TypeError(f"{caller}: params[{i}] is {a_kind(p)}; expected a Variable with a gradient")
    for i, x in enumerate(xs):
        if not is_array(x):
            raise TypeError(f"{caller}: x_data[{i}] is {a_kind(x)}; expected an array")
    bound = bind(caller, func, xs, {})
    return Subject(bound, caller=caller, params=parameters, inputs=_names(caller, bound, no_grads))


def _names(caller: str, bound: Bound, no_grads: Sequence[bool] | None) -> tuple[str, ...]:
    """The names of the inputs to check."""
    variables = bound.variables
    if no_grads is None:
        return tuple([name for name, x in variables.items() if x.requires_grad])
    if len(no_grads) != len(variables):
        raise ValueError(f"{caller}: got {len(no_grads)} no_grads for {len(variables)} arrays in x_data")
    names = tuple([name for name, skip in zip(variables, no_grads, strict=True) if not skip])
    for name in names:
        if not variables[name].requires_grad:
            raise TypeError(
                f"{caller}: {name} holds {variables[name].dtype}, which has no gradient; skip it in no_grads"
            )
    return names


def upstream_of(caller: str, ys: Sequence[Variable], y_grad: Any) -> tuple[Array, ...]:
    """One upstream gradient per result, of its shape and dtype and on its device."""
    given = [None] * len(ys) if y_grad is None else list(arrays_of(as_tuple(y_grad)))
    if len(given) != len(ys):
        raise ValueError(f"{caller}: got {len(given)} upstream gradients; expected {len(ys)}, one per result")
    if y_grad is None and any(y.size != 1 for y in ys):
        raise ValueError(f"{caller}: without an upstream gradient every result must be one number")
    upstream = []
    for k, (y, g) in enumerate(zip(ys, given, strict=True)):
        if g is not None and np.shape(g) != y.shape:
            raise ValueError(f"{caller}: upstream gradient {k} has shape {np.shape(g)}; the result has {y.shape}")
        fill = 1.0 if y_grad is None else 0.0
        upstream.append(get_array_module(y.array).asarray(np.full(y.shape, fill) if g is None else g, dtype=y.dtype))
    return tuple(upstream)


def _check(subject: Subject, y_grad: Any, limits: Limits, dtype: Any, smooth: bool) -> None:
    caller = subject.caller
    if dtype is not None and np.dtype(dtype).kind != "f":
        raise TypeError(f"{caller}: dtype is {np.dtype(dtype)}; expected a floating-point dtype")
    if not limits.eps > 0:
        raise ValueError(f"{caller}: eps is {limits.eps}; expected a positive number")
    if not subject.names:
        raise TypeError(f"{caller}: there is nothing to check: no floating-point input and no params")
    with prepared(subject) as given:
        ys = given.outputs()
        upstream = upstream_of(caller, ys, y_grad)
        gradients = given.gradients(ys, upstream)
    with prepared(replace(subject, dtype=dtype)) as moved:
        if smooth:
            refuse_kinks(moved, limits.eps)
        mismatches = compare_inputs(moved, upstream, gradients, limits, np.random.default_rng(0))
    if mismatches:
        raise failure(caller, subject.bound.name, mismatches, limits.eps, partial(is_wrong, subject, [upstream]))
