"""Jacobians and Hessians, and Hessian-vector products: jacobian, jacfwd, hessian, hvp."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from .. import functions as F
from ..engine import Variable, get_array_module, takes_other_words, wrap
from ..shared.structure import rebuilt
from .applied import AppliedFunction, Wrt, all_places, at_point, check_aux, checked_wrt, is_point
from .forward_mode import Tape, UnseenStepError
from .gradients import gradient_of, named, with_other

Function = Callable[..., Any]


@takes_other_words
def jacobian(fn: Function, wrt: Wrt = 0, has_aux: bool = False) -> Function:
    """Return the Jacobian of ``fn`` as a function of the same arguments.

    Parameters
    ----------
    fn : callable
        Takes Variables, returns a Variable or a nested structure of them.
    wrt : int, str or tuple of them
        Arguments to differentiate with respect to. Each may be a nested structure of arrays. An array, or a tuple of
        arrays, is taken as the point instead: ``jacobian(f, x)`` is ``jacobian(f)(x)``.
    has_aux : bool
        ``fn`` returns a pair, of which only the first item is differentiated; the callable then returns a pair, too.

    Returns
    -------
    callable
        For a result of shape S and an argument of shape T, returns an array of shape S + T. For nested structures, it
        returns the structure of the result with the structure of the argument at each leaf.

    Notes
    -----
    It takes one backward pass per element of the result.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.transforms import jacobian
    >>> jacobian(lambda x: x ** 2)(np.array([1.0, 2.0]))
    variable([[2. 0.]
              [0. 4.]])
    """
    check_aux("jacobian", has_aux)
    if is_point(wrt):
        return at_point(partial(jacobian, has_aux=has_aux), fn, wrt)
    return with_other(jacobian, fn, wrt) if has_aux else _jacobian_of("jacobian", fn, checked_wrt("jacobian", wrt))


def _jacobian_of(caller: str, fn: Function, wrt: Wrt) -> Function:
    def matrix(*args: Any, **kwargs: Any) -> Any:
        point = AppliedFunction(caller, fn, wrt, args, kwargs)
        differentiable = point.depends_on_others()
        return rebuilt(point.value, lambda y: point.shaped(_blocks(point, y, differentiable)))

    return named(matrix, caller, fn)


def _blocks(point: AppliedFunction, y: Variable, create_graph: bool) -> list[Variable]:
    """The derivatives of all elements of ``y`` with respect to each input."""
    xp = get_array_module(y._data)
    rows = []
    for i in range(y.size):
        unit = xp.zeros(y.size, y.dtype)
        unit[i] = 1
        rows.append(point.gradients([y], [unit.reshape(y.shape)], create_graph))
    return [_block([row[k] for row in rows], y, x) for k, x in enumerate(point.inputs)]


def _block(rows: list[Variable], y: Variable, x: Variable) -> Variable:
    shape = (*y.shape, *x.shape)
    if not rows:
        return wrap(get_array_module(x._data).zeros(shape, x.dtype), None)
    return F.reshape(F.stack(rows), shape=shape)


jacrev = jacobian
"""JAX's name: reverse mode, one backward pass for each element of the result."""


@takes_other_words
def jacfwd(fn: Function, wrt: Wrt = 0, has_aux: bool = False) -> Function:
    """The Jacobian of ``fn``, like `jacobian`, but in forward mode: for functions with few inputs and many results.

    It takes one run of ``fn``, then one pass of tangents per element of the argument. If the result has to be
    differentiable, it is computed in reverse mode.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.transforms import jacfwd
    >>> jacfwd(lambda x: x ** 2)(np.array([1.0, 2.0]))
    variable([[2. 0.]
              [0. 4.]])
    """
    check_aux("jacfwd", has_aux)
    wrt = checked_wrt("jacfwd", wrt)
    if has_aux:
        return with_other(jacfwd, fn, wrt)

    def matrix(*args: Any, **kwargs: Any) -> Any:
        tape = Tape()
        with tape:
            point = AppliedFunction("jacfwd", fn, wrt, args, kwargs)
        if not point.depends_on_others():
            with suppress(UnseenStepError):
                blocks = _columns(point, tape)
                return rebuilt(
                    point.value, lambda y: point.shaped([blocks[id(y), k] for k in range(len(point.inputs))])
                )
        return _jacobian_of("jacfwd", fn, wrt)(*args, **kwargs)

    return named(matrix, "jacfwd", fn)


def _columns(point: AppliedFunction, tape: Tape) -> dict[tuple[int, int], Variable]:
    """The derivatives of each output with respect to each input, from one pass of tangents per input element."""
    blocks = {}
    for k, x in enumerate(point.inputs):
        tangents = [get_array_module(other._data).zeros_like(other._data) for other in point.inputs]
        columns: list[list[Any]] = [[] for _ in point.outputs]
        for i in range(x.size):
            tangents[k].reshape(-1)[i] = 1
            for column, t in zip(columns, tape.pushed(point.inputs, tangents, point.outputs), strict=True):
                column.append(t)
            tangents[k].reshape(-1)[i] = 0
        for y, column in zip(point.outputs, columns, strict=True):
            xp = get_array_module(y._data)
            stacked = xp.stack(column, axis=-1) if column else xp.zeros((*y.shape, 0), y.dtype)
            blocks[id(y), k] = wrap(stacked.reshape((*y.shape, *x.shape)).astype(x.dtype, copy=False), None)
    return blocks


@takes_other_words
def hessian(fn: Function, wrt: Wrt = 0, has_aux: bool = False) -> Function:
    """Return the Hessian of ``fn``, whose result is a single number, as a function of the same arguments.

    Parameters
    ----------
    fn : callable
        Takes Variables, returns a Variable with one element.
    wrt : int, str or tuple of them
        Arguments to differentiate with respect to. Each may be a nested structure of arrays.
    has_aux : bool
        ``fn`` returns a pair, of which only the first item is differentiated; the callable then returns a pair, too.

    Returns
    -------
    callable
        For an argument of shape T, returns an array of shape T + T. For nested structures, it returns the structure of
        the argument with the same structure at each leaf, so that ``h[i][j]`` belongs to ``i`` and ``j``.

    Examples
    --------
    >>> from autolab.transforms import hessian
    >>> hessian(lambda x, y: x ** 2 * y, wrt=("x", "y"))(3.0, 5.0)
    ((variable(10.0), variable(6.0)), (variable(6.0), variable(0.0)))
    """
    check_aux("hessian", has_aux)
    if is_point(wrt):
        return at_point(partial(hessian, has_aux=has_aux), fn, wrt)
    if has_aux:
        return with_other(hessian, fn, wrt)
    return named(_jacobian_of("hessian", gradient_of("hessian", fn, wrt), wrt), "hessian", fn)


@takes_other_words
def hvp(fn: Function, args: Any = None, vectors: Any = None, wrt: Wrt | None = None) -> Any:
    """Hessian-vector product of ``fn``, without the matrix: two backward passes.

    Like `grad`, ``hvp(fn)`` alone returns a function: of the arguments, and of a vector for the first one or for
    ``wrt``.

    Parameters
    ----------
    fn : callable
        Takes Variables, returns a Variable with one element.
    args
        The tuple of its arguments; a single argument need not be in a tuple.
    vectors
        The vector to multiply by, in the structure of the arguments (of those chosen by ``wrt``).
    wrt : int, str or tuple of them, optional
        Arguments to differentiate with respect to; by default all.

    Returns
    -------
    The product, in the same structure.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.transforms import hvp
    >>> hvp(lambda x: (x ** 3).sum(), np.array([1.0, 2.0]), np.array([1.0, 10.0]))
    variable([  6. 120.])
    >>> hvp(lambda x, n: (x ** n).sum())(np.array([1.0, 2.0]), 3, np.array([1.0, 10.0]))
    variable([  6. 120.])
    """
    if args is None:
        place = 0 if wrt is None else wrt
        return named(lambda *given: hvp(fn, given[:-1], given[-1] if given else None, place), "hvp", fn)
    if vectors is None:
        raise TypeError("hvp: the vector is missing; expected hvp(f, x, v), or hvp(f)(x, v)")
    arguments, everything = all_places(args)
    point = AppliedFunction("hvp", fn, everything if wrt is None else checked_wrt("hvp", wrt), arguments, {})
    directions = point.matched("the vector", vectors)
    differentiable = point.depends_on_others(*directions)
    slopes = point.gradients([point.number()], None, True)
    return point.shaped(point.gradients(slopes, directions, differentiable))
