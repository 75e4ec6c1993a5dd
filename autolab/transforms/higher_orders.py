"""nth_derivative: derivatives of any order in one variable, for elementwise functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine import Variable, get_array_module, nodes_below
from .applied import AppliedFunction, checked_wrt
from .gradients import named


def nth_derivative(fn: Callable[..., Any], n: int, wrt: int | str = 0) -> Callable[..., Any]:
    """Return the ``n``-th derivative of ``fn`` in one variable, as a function of the same arguments.

    Parameters
    ----------
    fn : callable
        Takes Variables, returns a Variable. For arrays it must work elementwise: each element of its result depends
        only on the same element of the argument.
    n : int
        The order; 0 gives ``fn`` itself.
    wrt : int or str
        Argument to differentiate with respect to; a number or an array.

    Raises
    ------
    ValueError
        If ``fn`` does not work elementwise: its result has a different shape from the argument, or at some order up to
        ``n`` an element of the derivative depends on other elements of the argument.

    Notes
    -----
    What is differentiated is the sum of all elements. This gives the derivative of each element if none depends on
    others, which is known for AutoLab's elementwise functions. If the argument passes through anything else on its way
    to the result, each order is differentiated twice more, with random powers of 2 as weights of its elements: the
    weight of an element must reappear as the weight of the same element of the derivative. The check holds for this
    argument only, and for derivatives up to ``n``; dependence that appears only at higher orders does not change them.

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
    """Whether only AutoLab's elementwise functions made ``y``: then each element depends only on the same element of a
    value of the same shape."""
    nodes = [] if y.node is None else nodes_below(y.node)
    return all([getattr(node.function, "keeps_shapes", False) for node in nodes if node.order])


class _Probe:
    """Follows the derivatives of a function with weights on the elements, which must stay with their elements.

    If elements do not depend on each other, a weight on an element of a value becomes the same weight on that element
    of its gradient; with powers of 2, exactly.
    """

    def __init__(self, y: Variable, seed: int) -> None:
        self._rng, self._weighted = np.random.default_rng(seed), y
        self._most = 1 if y.dtype == np.float16 else 4  # keeps products over the orders far from overflow
        self._total = get_array_module(y._data).ones_like(y._data)

    def follow(self, point: AppliedFunction, y: Variable, goes_on: bool) -> None:
        """Refuse the function if an element of ``y``, its next derivative, depends on other elements."""
        xp = get_array_module(y._data)
        weights = xp.asarray(np.ldexp(1.0, self._rng.integers(-self._most, self._most + 1, y.shape)), y.dtype)
        (self._weighted,) = point.gradients([self._weighted], [weights], goes_on)
        self._total = self._total * weights
        expected, found = self._total * y._data, self._weighted._data
        kind = np.finfo(y.dtype)
        most = xp.abs(xp.where(xp.isfinite(found), found, 0)).max()
        least = max(64 * float(kind.eps) * float(most), float(kind.tiny))  # results of sums are rounded
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
