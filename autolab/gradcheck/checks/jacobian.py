"""PyTorch's checks: of the whole Jacobian, every element of the results by every element of the inputs; or of random
products with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import Any

import numpy as np

from ...engine import Array, Variable, get_array_module, is_array
from ...shared.binding import bind
from ..judging.finding import GradientCheckError, Limits, Mismatch, failure, worst_entry
from ..measuring.executors import check_executor, spread
from ..measuring.point import Direction, Shape
from ..measuring.subject import Subject, beside, draw_upstreams, flat
from ..messages import say, shown
from .judge import as_tuple, is_wrong, second_order
from .twopoint import Prepared, compare_inputs, prepared

_ROWS = 16


def gradcheck(
    fn: Callable[..., Any],
    inputs: Any,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    *,
    nondet_tol: float = 0.0,
    fast_mode: bool = False,
    executor: Executor | None = None,
) -> bool:
    """Whether every derivative of ``fn`` agrees with a central difference.

    Parameters
    ----------
    fn : callable
        Takes Variables and returns a Variable or a tuple of them.
    inputs : Variable, array or tuple of them
        The arguments, in float64. Variables with ``requires_grad=False``, which may be integers, are constants; so are
        Python numbers, if there are Variables among the arguments.
    eps : float
        How far an element moves to either side.
    atol, rtol : float
        A derivative may differ by ``atol + rtol * |numeric|``, plus the error that rounding of the results can cause in
        the difference.
    raise_exception : bool
        If False, return False for a wrong derivative instead of raising an exception.
    nondet_tol : float
        How much the gradients of two identical backward passes may differ.
    fast_mode : bool
        Compare a few products of the Jacobian with random vectors on both sides instead of all its elements. This takes
        a fraction of the time, but may miss an error in a single element of a large Jacobian.
    executor : concurrent.futures.Executor, optional
        Computes the differences in parts; not used in fast mode. For processes, ``fn`` must be picklable.

    Returns
    -------
    bool

    Raises
    ------
    GradientCheckError
        (an AssertionError) If a derivative is wrong, or the number or shape of the gradients. The message names the
        inputs and their worst elements with both values; ``error.mismatches`` has them as data.
    TypeError
        If an input is float32 or integer, or none requires a gradient.

    Notes
    -----
    For n input elements and m result elements, it takes 2 n calls of ``fn``, m backward passes, and memory for 2 n m
    numbers. `check_gradients` needs far less and says what is wrong.

    References
    ----------
    Interface and defaults are those of ``torch.autograd.gradcheck``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.gradcheck import gradcheck
    >>> gradcheck(lambda x, w: np.tanh(x @ w), (np.ones((2, 3)), np.eye(3)))
    True
    """
    check_executor("gradcheck", executor)
    subject = _subject("gradcheck", fn, as_tuple(inputs))
    return _checked(subject, Limits(eps, atol, rtol, nondet_tol), raise_exception, fast_mode, executor)


def gradgradcheck(
    fn: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    *,
    nondet_tol: float = 0.0,
    fast_mode: bool = False,
    executor: Executor | None = None,
) -> bool:
    """Whether the derivatives of the gradients of ``fn`` agree with central differences of these gradients.

    The gradients themselves are assumed to be right: run `gradcheck` first. They are differentiated with respect to the
    inputs and the upstream gradients.

    Parameters
    ----------
    fn, inputs, eps, atol, rtol, raise_exception, nondet_tol, fast_mode, executor
        As for `gradcheck`.
    grad_outputs : array, Variable or tuple of them, optional
        The upstream gradients, one per result; random by default.

    Returns
    -------
    bool

    Raises
    ------
    GradientCheckError, TypeError
        As `gradcheck`.
    RuntimeError
        If ``fn`` can be differentiated only once.

    References
    ----------
    Interface and defaults are those of ``torch.autograd.gradgradcheck``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.gradcheck import gradgradcheck
    >>> gradgradcheck(lambda x: np.exp(x) * x, np.array([0.5, 1.0]))
    True
    """
    check_executor("gradgradcheck", executor)
    first = _subject("gradgradcheck", fn, as_tuple(inputs))
    with prepared(first) as once:
        ys = once.outputs()
        drawn = tuple(beside(ys, draw_upstreams(ys, np.random.default_rng(0))))
    upstream = drawn if grad_outputs is None else as_tuple(grad_outputs)
    second = second_order(first, upstream)
    return _checked(second, Limits(eps, atol, rtol, nondet_tol), raise_exception, fast_mode, executor)


def _subject(caller: str, fn: Callable[..., Any], inputs: tuple[Any, ...]) -> Subject:
    if any([isinstance(x, Variable) for x in inputs]):
        inputs = tuple([Variable(x, requires_grad=False) if isinstance(x, float | int) else x for x in inputs])
    for i, x in enumerate(inputs):
        constant = isinstance(x, Variable) and not x.requires_grad
        if constant or not (isinstance(x, Variable) or is_array(x)):
            continue
        if x.dtype.kind != "f":
            raise TypeError(
                f"{caller}: inputs[{i}] holds {x.dtype}, which has no gradient. If it is a constant, say so: "
                "Variable(data, requires_grad=False)"
            )
        if x.dtype != np.float64:
            raise TypeError(
                f"{caller}: inputs[{i}] is {x.dtype}; expected float64, as such short steps are lost in the rounding. "
                "Convert it with .astype(np.float64), or use check_gradients"
            )
    subject = Subject(bind(caller, fn, inputs, {}), caller=caller)
    if not subject.inputs:
        raise TypeError(f"{caller}: none of the inputs of {subject.bound.name} requires a gradient")
    return subject


def _checked(subject: Subject, limits: Limits, raises: bool, fast_mode: bool, executor: Executor | None) -> bool:
    if not limits.eps > 0:
        raise ValueError(f"{subject.caller}: eps is {limits.eps}; expected a positive number")
    try:
        with prepared(subject) as given:
            _check_steady(given, limits.nondet_tol)
            found = _fast(given, limits) if fast_mode else _every_element(given, limits, executor)
            seemed = _seemed_wrong(given, found)
        if found:
            raise failure(subject.caller, subject.bound.name, found, limits.eps, partial(is_wrong, subject, seemed))
    except GradientCheckError:
        if raises:
            raise
        return False
    return True


def _check_steady(given: Prepared, tolerance: float) -> None:
    """The same inputs must give the same results, and the same upstream gradients the same gradients."""
    name = f"{given.subject.caller}: {given.subject.bound.name}"
    first, ys = given.look(), given.outputs()
    if not np.array_equal(first, flat([y.array for y in ys]), equal_nan=True):
        raise GradientCheckError(f"{name} {say('mismatch.forward')}")
    upstream = draw_upstreams(ys, np.random.default_rng(0))
    once, again = (given.gradients(ys, [g.copy() for g in upstream]) for _ in range(2))
    for label, a, b in zip(map(shown, given.subject.names), once, again, strict=True):
        if not np.allclose(a, b, rtol=0, atol=tolerance, equal_nan=True):
            raise GradientCheckError(f"{name} {say('mismatch.backward', input=label)}")


def _seemed_wrong(given: Prepared, mismatches: Sequence[Mismatch]) -> list[list[Array]]:
    """For each derivative that disagrees, the upstream gradients that single out its result."""
    ys = given.outputs()
    return [_unit(ys, m.result, m.result_index) for m in mismatches if m.result is not None]


def _unit(ys: tuple[Variable, ...], result: int, index: Shape) -> list[Array]:
    """Upstream gradients that are 1 at one element of one result, and 0 elsewhere."""
    upstreams = [get_array_module(y.array).zeros(y.shape, y.dtype) for y in ys]  # in C order, to be flattened
    upstreams[result][index] = 1.0
    return upstreams


def _fast(given: Prepared, limits: Limits) -> list[Mismatch]:
    ys, rng = given.outputs(), np.random.default_rng(0)
    upstream = draw_upstreams(ys, rng)
    return compare_inputs(given, upstream, given.gradients(ys, upstream), limits, rng, fast=True)


def _every_element(given: Prepared, limits: Limits, executor: Executor | None) -> list[Mismatch]:
    elements = [(i, k) for i, x in enumerate(given.checked) for k in range(x.size)]
    ys = given.outputs()
    analytic = _analytic(given, ys)
    parts = spread(executor, partial(_numeric, given.subject, limits.eps), elements)
    numeric = parts[0] if len(parts) == 1 else np.concatenate(parts)
    rounding = np.abs(flat([y.array for y in ys])) * given.precisions() / limits.eps
    found, first = [], 0
    for x, label, jacobian in zip(given.checked, map(shown, given.subject.names), analytic, strict=True):
        part = numeric[first : first + x.size].T
        first += x.size
        if not _agree(jacobian, part, limits):
            allowed = limits.allowed(part) + rounding[:, None]
            found.append(worst_entry(label, x.shape, (jacobian, part, allowed), [y.shape for y in ys]))
    return [mismatch for mismatch in found if mismatch is not None]


def _agree(analytic: np.ndarray, numeric: np.ndarray, limits: Limits) -> bool:
    """Whether all is within the limits, a few rows at a time: large temporary arrays would take longer."""
    parts = [slice(first, first + _ROWS) for first in range(0, len(analytic), _ROWS)]
    return all((np.abs(analytic[k] - numeric[k]) <= limits.allowed(numeric[k])).all() for k in parts)


def _analytic(given: Prepared, ys: tuple[Variable, ...]) -> list[np.ndarray]:
    """For each checked input its part of the Jacobian: a row per result element, from a backward pass each."""
    jacobians = [np.empty((sum([y.size for y in ys]), x.size)) for x in given.checked]
    for row, place in enumerate([(i, index) for i, y in enumerate(ys) for index in np.ndindex(y.shape)]):
        for jacobian, gradient in zip(jacobians, given.gradients(ys, _unit(ys, *place)), strict=True):
            jacobian[row] = gradient
    return jacobians


def _numeric(subject: Subject, eps: float, elements: Sequence[tuple[int, int]]) -> np.ndarray:
    """Slopes of all results, a row per input element."""
    with prepared(subject) as given:
        place = given.place()
        rows = np.empty((len(elements), given.look().size))
        for row, (input, k) in zip(rows, elements, strict=True):
            direction = Direction(input, k, 1.0)
            above, below = place.pair(direction, eps)
            np.subtract(above, below, out=row)
            row /= float(place.width(direction, eps))  # of one element, which may be on a GPU
    return rows
