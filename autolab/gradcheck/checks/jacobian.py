"""PyTorch's checks: the whole Jacobian, every element of the inputs by every element of the results; or random products
with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from functools import partial
from typing import Any

import numpy as np

from ...engine.backend import Array, get_array_module, is_array
from ...engine.variable import Variable
from ...shared.binding import Bound, bind
from ..judging.mismatch import GradientCheckError, Limits, Mismatch, failure, worst_entry
from ..measuring.executors import check_executor, spread
from ..measuring.point import Direction
from ..measuring.subject import beside, draw_upstreams, flat
from ..messages import say
from .higher import FirstOrder, as_tuple, gradient_by_upstream
from .procedure import Prepared, Procedure
from .second_opinion import is_wrong
from .twopoint import Comparer, compare_inputs, precisions

_SEED = 0


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
        Takes Variables, returns a Variable or a tuple of them.
    inputs : Variable, array or tuple of them
        The arguments, in float64. Variables with ``requires_grad=False`` are constants, also of integers.
    eps : float
        How far an element moves to either side.
    atol, rtol : float
        A derivative may differ by ``atol + rtol * |numeric|``, and by what rounding the results can do to the
        difference.
    raise_exception : bool
        If False, a wrong derivative gives False and no exception.
    nondet_tol : float
        How far apart the gradients of two equal backward passes may be.
    fast_mode : bool
        Compare a few products of the Jacobian with random vectors on both sides instead of all its elements: a fraction
        of the time, and an error in a single element of a large Jacobian may drown.
    executor : concurrent.futures.Executor, optional
        Where the differences are computed, in parts; not in fast mode. For processes ``fn`` must be picklable.

    Returns
    -------
    bool

    Raises
    ------
    GradientCheckError
        (an AssertionError) If a derivative, or the number or shape of the gradients is wrong. The message names the
        inputs and their worst elements with both values; ``error.mismatches`` has them as data.
    TypeError
        If an input is float32 or of integers, or none requires a gradient.

    Notes
    -----
    For n input elements and m result elements: 2 n calls of ``fn``, m backward passes, and 2 n m numbers in memory.
    `check_gradients` needs far less, and says what is wrong.

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
    bound = _bound("gradcheck", fn, as_tuple(inputs))
    procedure = Procedure("gradcheck", bound, tuple([n for n, x in bound.variables.items() if x.requires_grad]))
    return _checked(procedure, Limits(eps, atol, rtol), raise_exception, nondet_tol, fast_mode, executor)


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

    The gradients themselves are taken as right: run `gradcheck` first. They are differentiated by the inputs and by the
    upstream gradients.

    Parameters
    ----------
    fn, inputs, eps, atol, rtol, raise_exception, nondet_tol, fast_mode, executor
        As for `gradcheck`.
    grad_outputs : array, Variable or tuple of them, optional
        The upstream gradients, one per result. By default random.

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
    caller = "gradgradcheck"
    check_executor(caller, executor)
    bound = _bound(caller, fn, as_tuple(inputs))
    first = Procedure(caller, bound, tuple([n for n, x in bound.variables.items() if x.requires_grad]))
    with first.prepared() as prepared:
        ys = prepared.outputs()
        drawn = tuple(beside(ys, draw_upstreams(ys, np.random.default_rng(_SEED))))
    upstream = drawn if grad_outputs is None else as_tuple(grad_outputs)
    second = gradient_by_upstream(FirstOrder(caller, bound, first.names), upstream)
    names = tuple([n for n, x in second.variables.items() if x.requires_grad])
    procedure = Procedure(caller, second, names)
    return _checked(procedure, Limits(eps, atol, rtol), raise_exception, nondet_tol, fast_mode, executor)


def _bound(caller: str, fn: Callable[..., Any], inputs: tuple[Any, ...]) -> Bound:
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
    bound = bind(caller, fn, inputs, {})
    if not any(x.requires_grad for x in bound.variables.values()):
        raise TypeError(f"{caller}: none of the inputs of {bound.name} requires a gradient")
    return bound


def _checked(
    procedure: Procedure,
    limits: Limits,
    raise_exception: bool,
    nondet_tol: float,
    fast_mode: bool,
    executor: Executor | None,
) -> bool:
    if not limits.eps > 0:
        raise ValueError(f"{procedure.caller}: eps is {limits.eps}; expected a positive number")
    try:
        with procedure.prepared() as prepared:
            _check_steady(prepared, nondet_tol)
            found = _fast(prepared, limits) if fast_mode else _every_element(procedure, prepared, limits, executor)
            seemed = _seemed_wrong(prepared, found)
        if found:
            raise failure(
                procedure.caller, procedure.bound.name, found, limits.eps, partial(is_wrong, procedure, seemed)
            )
    except GradientCheckError:
        if raise_exception:
            raise
        return False
    return True


def _check_steady(prepared: Prepared, tolerance: float) -> None:
    """The same inputs must give the same results, and the same upstream gradients the same gradients."""
    procedure = prepared.procedure
    name = f"{procedure.caller}: {procedure.bound.name}"
    first, ys = prepared.look(), prepared.outputs()
    if not np.array_equal(first, flat([y.array for y in ys]), equal_nan=True):
        raise GradientCheckError(f"{name} {say('mismatch.forward')}")
    upstream = draw_upstreams(ys, np.random.default_rng(_SEED))
    once, again = (prepared.gradients(ys, [g.copy() for g in upstream]) for _ in range(2))
    for label, a, b in zip(procedure.labels, once, again, strict=True):
        if not np.allclose(a, b, rtol=0, atol=tolerance, equal_nan=True):
            raise GradientCheckError(f"{name} {say('mismatch.backward', input=label)}")


def _seemed_wrong(prepared: Prepared, mismatches: Sequence[Mismatch]) -> list[list[Array]]:
    """For each derivative that disagrees, the upstream gradients that single out its result."""
    ys, known = prepared.outputs(), [m for m in mismatches if m.result is not None]
    return [[_unit(y, m.result_index if i == m.result else None) for i, y in enumerate(ys)] for m in known]


def _unit(y: Variable, index: tuple[int, ...] | None) -> Array:
    """1 at an element and 0 elsewhere."""
    upstream = get_array_module(y.array).zeros(y.shape, y.dtype)  # in C order, to be flattened
    if index is not None:
        upstream[index] = 1.0
    return upstream


def _fast(prepared: Prepared, limits: Limits) -> list[Mismatch]:
    ys, rng = prepared.outputs(), np.random.default_rng(_SEED)
    upstream = draw_upstreams(ys, rng)
    gradients = prepared.gradients(ys, upstream)
    comparer = Comparer(prepared.place(), prepared.look(), flat(upstream), gradients, precisions(prepared), limits)
    return compare_inputs(comparer, prepared, rng, fast=True)


def _every_element(
    procedure: Procedure, prepared: Prepared, limits: Limits, executor: Executor | None
) -> list[Mismatch]:
    elements = [(i, k) for i, x in enumerate(prepared.checked) for k in range(x.size)]
    ys = prepared.outputs()
    analytic = _analytic(prepared, ys)
    parts = spread(executor, partial(_numeric, procedure, limits.eps), elements)
    numeric = parts[0] if len(parts) == 1 else np.concatenate(parts)
    size = np.abs(flat([y.array for y in ys])) * precisions(prepared) / limits.eps
    found, first = [], 0
    for x, label, jacobian in zip(prepared.checked, procedure.labels, analytic, strict=True):
        part = numeric[first : first + x.size].T
        first += x.size
        found.append(worst_entry(label, x.shape, [y.shape for y in ys], jacobian, part, limits, size))
    return [mismatch for mismatch in found if mismatch is not None]


def _analytic(prepared: Prepared, ys: Sequence[Variable]) -> list[np.ndarray]:
    """For each checked input its part of the Jacobian: a row per result element, from a backward pass each."""
    jacobians = [np.empty((sum([y.size for y in ys]), x.size)) for x in prepared.checked]
    row = 0
    for i, y in enumerate(ys):
        for index in np.ndindex(y.shape):
            upstream = [_unit(z, index if j == i else None) for j, z in enumerate(ys)]
            for jacobian, gradient in zip(jacobians, prepared.gradients(ys, upstream), strict=True):
                jacobian[row] = gradient
            row += 1
    return jacobians


def _numeric(procedure: Procedure, eps: float, elements: Sequence[tuple[int, int]]) -> np.ndarray:
    """Slopes of all results, a row per input element."""
    with procedure.prepared() as prepared:
        place = prepared.place()
        rows = np.empty((len(elements), prepared.look().size))
        for row, (input, k) in zip(rows, elements, strict=True):
            direction = Direction(input, k, 1.0)
            above, below = place.pair(direction, eps)
            np.subtract(above, below, out=row)
            row /= float(place.width(direction, eps))  # of one element, which may be on a GPU
    return rows
