"""Matrices of derivatives, and higher orders: jacobian, hessian, hvp, nth_derivative."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from .. import functions as F
from ..engine.backend import get_array_module
from ..engine.keyword_aliases import takes_other_words
from ..engine.variable import Variable, wrap
from ..shared.structure import rebuilt
from .applied import AppliedFunction, Wrt, all_places, at_point, checked_wrt, is_point
from .forward_mode import Tape, UnseenStepError
from .gradients import gradient_of, named

Function = Callable[..., Any]


@takes_other_words
def jacobian(fn: Function, wrt: Wrt = 0) -> Function:
    """The Jacobian of ``fn`` as a function of the same arguments.

    Parameters
    ----------
    fn : callable
        Takes Variables, returns a Variable or a nested structure of them.
    wrt : int, str or tuple of them
        By which arguments. Each may be a nested structure of arrays. An array, or a tuple of arrays, is the point
        instead: ``jacobian(f, x)`` is ``jacobian(f)(x)``.

    Returns
    -------
    callable
        Returns, for a result of shape S and an argument of shape T, an array of shape S + T. With structures it
        returns the structure of the result that has at every leaf the structure of the argument.

    Notes
    -----
    One backward pass per element of the result.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.transforms import jacobian
    >>> jacobian(lambda x: x ** 2)(np.array([1.0, 2.0]))
    variable([[2. 0.]
              [0. 4.]])
    """
    if is_point(wrt):
        return at_point(jacobian, fn, wrt)
    return _jacobian_of("jacobian", fn, checked_wrt("jacobian", wrt))


def _jacobian_of(caller: str, fn: Function, wrt: Wrt) -> Function:
    def matrix(*args: Any, **kwargs: Any) -> Any:
        point = AppliedFunction(caller, fn, wrt, args, kwargs)
        differentiable = point.depends_on_others()
        return rebuilt(point.value, lambda y: point.shaped(_blocks(point, y, differentiable)))

    return named(matrix, caller, fn)


def _blocks(point: AppliedFunction, y: Variable, create_graph: bool) -> list[Variable]:
    """The derivatives of all elements of ``y`` by each input."""
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
"""JAX's name: backwards, one pass for each element of the result."""


@takes_other_words
def jacfwd(fn: Function, wrt: Wrt = 0) -> Function:
    """The Jacobian of ``fn``, as `jacobian` gives it, in forward mode: for functions with many results of few inputs.

    One run of ``fn``, then one pass of tangents for each element of the argument. Where the result has to be
    differentiable, it is computed backwards.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.transforms import jacfwd
    >>> jacfwd(lambda x: x ** 2)(np.array([1.0, 2.0]))
    variable([[2. 0.]
              [0. 4.]])
    """
    wrt = checked_wrt("jacfwd", wrt)

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
    """The derivatives of each output by each input, from one pass of tangents for each element of the inputs."""
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
def hessian(fn: Function, wrt: Wrt = 0) -> Function:
    """The matrix of second derivatives of ``fn``, whose result is a single number.

    Parameters
    ----------
    fn : callable
        Takes Variables, returns a Variable of one element.
    wrt : int, str or tuple of them
        By which arguments. Each may be a nested structure of arrays.

    Returns
    -------
    callable
        Returns, for an argument of shape T, an array of shape T + T. With structures it returns the structure of the
        argument that has at every leaf that structure again, so that ``h[i][j]`` belongs to ``i`` and ``j``.

    Examples
    --------
    >>> from autolab.transforms import hessian
    >>> hessian(lambda x, y: x ** 2 * y, wrt=("x", "y"))(3.0, 5.0)
    ((variable(10.0), variable(6.0)), (variable(6.0), variable(0.0)))
    """
    if is_point(wrt):
        return at_point(hessian, fn, wrt)
    return named(_jacobian_of("hessian", gradient_of("hessian", fn, wrt), wrt), "hessian", fn)


@takes_other_words
def hvp(fn: Function, args: Any, vectors: Any, wrt: Wrt | None = None) -> Any:
    """The Hessian of ``fn`` times a vector, without the matrix: two backward passes.

    Parameters
    ----------
    fn : callable
        Takes Variables, returns a Variable of one element.
    args
        The tuple of its arguments; the only argument may be given as it is.
    vectors
        What to multiply by, in the structure of the arguments (of those that ``wrt`` chooses).
    wrt : int, str or tuple of them, optional
        By which arguments; by default all.

    Returns
    -------
    The product, in the same structure.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.transforms import hvp
    >>> hvp(lambda x: (x ** 3).sum(), np.array([1.0, 2.0]), np.array([1.0, 10.0]))
    variable([  6. 120.])
    """
    arguments, everything = all_places(args)
    point = AppliedFunction("hvp", fn, everything if wrt is None else checked_wrt("hvp", wrt), arguments, {})
    directions = point.matched("the vector", vectors)
    differentiable = point.depends_on_others(*directions)
    slopes = point.gradients([point.number()], None, True)
    return point.shaped(point.gradients(slopes, directions, differentiable))


def nth_derivative(fn: Function, n: int, wrt: int | str = 0) -> Function:
    """The derivative of order ``n`` of ``fn`` in one variable, as a function of the same arguments.

    Parameters
    ----------
    fn : callable
        Takes Variables, returns a Variable. For an array it must work element by element: each element of its result
        depends on the same element of the argument alone.
    n : int
        The order; 0 gives ``fn`` itself.
    wrt : int or str
        By which argument: a number or an array.

    Raises
    ------
    ValueError
        If ``fn`` does not work element by element: its result has another shape than the argument, or at some order up
        to ``n`` an element of the derivative depends on other elements of the argument.

    Notes
    -----
    The derivative is that of the sum of all elements. It is that of each by itself if no element depends on others. Of
    AutoLab's elementwise functions that is known. Where anything else is on the way from the argument to the result,
    each order is differentiated twice more, with powers of 2 drawn as the weights of its elements: what weights an
    element of the result has to weight the same element of the derivative, and no other. That looks at the function at
    this argument alone, where its derivatives up to ``n`` are wanted; dependence that shows at higher orders only
    does not change them.

    Examples
    --------
    >>> from autolab.transforms import nth_derivative
    >>> [nth_derivative(lambda x: x ** 3, n)(2.0).item() for n in range(5)]
    [8.0, 12.0, 12.0, 6.0, 0.0]
    """
    if not isinstance(n, int) or isinstance(n, bool) or n < 0:
        raise TypeError(f"nth_derivative: n is {n!r:.60}; expected an order: 0, 1, 2, ...")
    if isinstance(checked_wrt("nth_derivative", wrt), tuple):
        raise TypeError(f"nth_derivative: wrt is {wrt!r:.60}; expected one position or name")

    def derivative(*args: Any, **kwargs: Any) -> Any:
        point = AppliedFunction("nth_derivative", fn, wrt, args, kwargs)
        y = _elementwise_result(point)
        differentiable = point.depends_on_others()
        probes = [] if y.size < 2 or made_by_elementwise(y) else [_Probe(y, seed) for seed in range(2)]
        for order in range(1, n + 1):
            value, ones = y, get_array_module(y._data).ones_like(y._data)
            (y,) = point.gradients([value], [ones], differentiable or order < n)
            for probe in probes:
                probe.follow(point, y, order < n)
        return point.result(y, differentiable)

    return named(derivative, "nth_derivative", fn)


def made_by_elementwise(y: Variable) -> bool:
    """Whether AutoLab's elementwise functions made ``y``, and nothing else: then none of its elements depends on others
    of a value of the same shape."""
    waiting, seen = [y.node], {y.node}
    while waiting:
        node = waiting.pop()
        if node is None or not node.order:
            continue
        if not getattr(node.function, "keeps_shapes", False):
            return False
        new = set(node.parents) - seen
        seen |= new
        waiting += new
    return True


class _Probe:
    """Follows a function's derivatives with weights on the elements, which must stay with their elements.

    If elements do not depend on each other, weighting each element of a value weights that of its gradient, and
    exactly so with powers of 2.
    """

    def __init__(self, y: Variable, seed: int) -> None:
        self._rng, self._weighted = np.random.default_rng(seed), y
        self._most = 1 if y.dtype == np.float16 else 4  # so that products over the orders stay far from overflow
        self._total = get_array_module(y._data).ones_like(y._data)

    def follow(self, point: AppliedFunction, y: Variable, goes_on: bool) -> None:
        """Refuse the function if ``y``, its next derivative, depends on other elements than its own."""
        xp = get_array_module(y._data)
        weights = xp.asarray(np.ldexp(1.0, self._rng.integers(-self._most, self._most + 1, y.shape)), y.dtype)
        (self._weighted,) = point.gradients([self._weighted], [weights], goes_on)
        self._total = self._total * weights
        expected, found = self._total * y._data, self._weighted._data
        kind = np.finfo(y.dtype)
        most = xp.abs(xp.where(xp.isfinite(found), found, 0)).max()
        least = max(64 * float(kind.eps) * float(most), float(kind.tiny))  # what is made by a sum may be rounded
        if not xp.allclose(found, expected, rtol=float(kind.eps) ** 0.5, atol=least, equal_nan=True):
            raise ValueError(
                f"nth_derivative: {point.name} lets the elements of its argument depend on each other; expected a "
                "function that works element by element: use jacobian, or grad of a sum"
            )


def _elementwise_result(point: AppliedFunction) -> Variable:
    y = point.value
    if len(point.inputs) != 1 or not isinstance(y, Variable):
        raise TypeError(f"nth_derivative: {point.name} must take one array and return one Variable")
    (x,) = point.inputs
    if y.shape != x.shape:
        raise ValueError(
            f"nth_derivative: {point.name} returned shape {y.shape} for an argument of shape {x.shape}; it must work "
            "element by element"
        )
    return y
