"""First derivatives: grad, value_and_grad, vjp, jvp.

nth_derivative: derivatives of any order in one variable, for elementwise functions.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from dis import opmap
from functools import partial, wraps
from typing import Any

import numpy as np

from ..engine import (
    Node,
    Variable,
    a_kind,
    folded,
    get_array_module,
    hidden,
    nodes_below,
    takes_other_words,
    using_config,
    wrap,
)
from ..engine.grad import grad as gradients_at
from ..engine.parts import next_instruction
from ..functions import sum as sum_of
from ..shared.structure import filled, matched, rebuilt
from .applied import (
    AppliedFunction,
    Wrt,
    all_places,
    at_point,
    check_aux,
    checked_fn,
    checked_wrt,
    is_point,
    like,
    same,
    zeros,
)
from .forward_mode import Tape, UnseenStepError

Function = Callable[..., Any]


@takes_other_words
def grad(fn: Function, wrt: Wrt = 0, has_aux: bool = False) -> Function:
    """Return the gradient of ``fn`` as a function of the same arguments.

    Parameters
    ----------
    fn : callable
        Takes Variables, returns a Variable with one element.
    wrt : int, str or tuple of them
        Arguments to differentiate with respect to, by position or name. Each may be a nested structure of arrays.
    has_aux : bool
        ``fn`` returns a pair, of which only the first item is differentiated.

    Returns
    -------
    callable
        Returns the gradient in the structure of the argument; a tuple of them if ``wrt`` is a tuple. With ``has_aux``,
        it returns the gradient and the second item.

    Raises
    ------
    TypeError
        If an argument does not consist of floating-point numbers, or ``fn`` does not return a Variable.
    ValueError
        If the result has more than one element.

    Notes
    -----
    `autolab.grad` is a different function: it takes results that have already been computed.

    Solvers such as those of SciPy, which call the function themselves, get plain arrays and numbers:
    ``minimize(f, x0, jac=grad(f))``, ``minimize(value_and_grad(f), x0, jac=True)``.

    Examples
    --------
    >>> from autolab.transforms import grad
    >>> def area(sides):
    ...     return sides["a"] * sides["b"]
    >>> grad(area)({"a": 2.0, "b": 3.0})
    {'a': variable(3.0), 'b': variable(2.0)}
    >>> grad(grad(lambda x, n: x ** n))(2.0, 3)
    variable(12.0)
    """
    check_aux("grad", has_aux)
    if is_point(wrt):
        return at_point(partial(grad, has_aux=has_aux), fn, wrt)
    return with_other(grad, fn, wrt) if has_aux else gradient_of("grad", fn, wrt)


@takes_other_words
def elementwise_grad(fn: Function, wrt: Wrt = 0) -> Function:
    """The derivative of each element of the result with respect to the same element of the argument, as in autograd.

    It is `grad` of the sum of the result. `nth_derivative` also checks that ``fn`` works elementwise.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.transforms import elementwise_grad
    >>> elementwise_grad(elementwise_grad(np.square))(np.array([3.0, 5.0]))
    variable([2. 2.])
    """

    @wraps(fn)
    def total(*args: Any, **kwargs: Any) -> Any:
        return sum_of(fn(*args, **kwargs))

    return gradient_of("elementwise_grad", total, wrt)


def gradient_of(caller: str, fn: Function, wrt: Wrt) -> Function:
    """`grad` on behalf of ``caller``."""
    both = _value_and_gradient(caller, fn, wrt)

    def gradient(*args: Any, **kwargs: Any) -> Any:
        return both(*args, **kwargs)[1]

    return named(gradient, caller, fn)


@takes_other_words
def value_and_grad(fn: Function, wrt: Wrt = 0, has_aux: bool = False) -> Function:
    """A function that returns the value of ``fn`` and its gradient, as ``(value, gradient)``; see `grad`.

    With ``has_aux``, ``fn`` returns a pair, and only its first item is differentiated; the result is then
    ``((value, other), gradient)``.

    Examples
    --------
    >>> from autolab.transforms import value_and_grad
    >>> value_and_grad(lambda x: x ** 2)(3.0)
    (variable(9.0), variable(6.0))
    """
    check_aux("value_and_grad", has_aux)
    if not has_aux:
        return named(_value_and_gradient("value_and_grad", fn, wrt), "value_and_grad", fn)
    apart = with_other(value_and_grad, fn, wrt)

    def both(*args: Any, **kwargs: Any) -> Any:
        (value, gradient), other = apart(*args, **kwargs)
        return (value, other), gradient

    return named(both, "value_and_grad", fn)


def with_other(transform: Callable[..., Function], fn: Function, wrt: Wrt) -> Function:
    """``transform(fn, wrt)`` for a function that returns a pair: it returns what ``transform`` makes of the first item,
    and the second one."""

    def both(*args: Any, **kwargs: Any) -> Any:
        first, others = first_of(transform.__name__, fn)
        return transform(first, wrt)(*args, **kwargs), others[-1]

    return named(both, transform.__name__, fn)


def first_of(caller: str, fn: Function) -> tuple[Function, list[Any]]:
    """``fn`` without the second item of the pair that it returns, and the list to which each call adds that item, as a
    constant."""
    others: list[Any] = []

    @wraps(fn)
    def first(*args: Any, **kwargs: Any) -> Any:
        pair = fn(*args, **kwargs)
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise TypeError(f"{caller}: has_aux=True, but the function returned {a_kind(pair)}; expected a pair")
        others.append(rebuilt(pair[1], lambda y: wrap(y._data, None) if isinstance(y, Variable) else y))
        return pair[0]

    return first, others


def _value_and_gradient(caller: str, fn: Function, wrt: Wrt) -> Function:
    wrt = checked_wrt(caller, wrt)

    def both(*args: Any, **kwargs: Any) -> Any:
        point = AppliedFunction(caller, fn, wrt, args, kwargs)
        y = point.number()
        differentiable = point.depends_on_others()
        gradients = point.gradients([y], None, differentiable)
        return point.result(y, differentiable), point.shaped(gradients)

    return both


def named(made: Function, caller: str, fn: Function) -> Function:
    """``made`` with the signature of ``fn`` and a descriptive name such as ``grad(f)``."""
    name = getattr(checked_fn(caller, fn), "__name__", type(fn).__name__)

    @wraps(fn, assigned=("__module__",), updated=())
    def transformed(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = hidden()
        with folded():
            found = made(*args, **kwargs)
        return for_solver(found, sys._getframe(1))

    transformed.of_transforms = True  # type: ignore[attr-defined]
    transformed.__name__ = transformed.__qualname__ = f"{caller}({name})"
    return transformed


SOLVERS = frozenset({"scipy", "statsmodels", "lmfit", "iminuit", "nlopt", "sklearn"})
"""Libraries that call functions with plain arrays, and that expect plain arrays and numbers."""


def for_solver(found: Any, frame: Any) -> Any:
    """What was found, as arrays and numbers if a solver gets it: ``frame`` is the solver's, or only passes it on."""
    if SOLVERS.isdisjoint(sys.modules):
        return found
    while frame.f_globals.get("__name__", "").partition(".")[0] not in SOLVERS:
        if next_instruction(frame) != _RETURNS or frame.f_back is None:
            return found
        frame = frame.f_back
    return rebuilt(found, _bare)


_RETURNS = opmap["RETURN_VALUE"]


def _bare(value: Any) -> Any:
    return value._data[()] if isinstance(value, Variable) and value.node is None else value


def vjp(fn: Function, args: Any, wrt: Wrt | None = None, has_aux: bool = False) -> Any:
    """The value of ``fn``, and a function that computes vector-Jacobian products.

    Parameters
    ----------
    fn : callable
        Takes Variables, returns a Variable or a nested structure of them.
    args
        The tuple of its arguments; a single argument need not be in a tuple.
    wrt : int, str or tuple of them, optional
        Arguments to differentiate with respect to; by default all.
    has_aux : bool
        ``fn`` returns a pair, of which only the first item is differentiated.

    Returns
    -------
    value
        What ``fn`` returns.
    pull : callable
        ``pull(g)`` takes an upstream gradient in the structure of the value and returns the gradients of the arguments,
        in their structure. It may be called several times.
    other
        Only with ``has_aux``: the second item.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.transforms import vjp
    >>> value, pull = vjp(lambda x, y: x * y, (np.array([1.0, 2.0]), 3.0))
    >>> pull(np.array([1.0, 10.0]))
    (variable([ 3. 30.]), variable(21.0))
    """
    check_aux("vjp", has_aux)
    if has_aux:
        first, others = first_of("vjp", fn)
        return *vjp(first, args, wrt), others[-1]
    arguments, everything = all_places(args)
    point = AppliedFunction("vjp", fn, everything if wrt is None else checked_wrt("vjp", wrt), arguments, {})

    def pull(g: Any) -> Any:
        what = "vjp: the upstream gradient"
        starts = like(point.outputs, matched(point.value, g, what), what)
        return point.shaped(point.gradients(point.outputs, starts, point.depends_on_others(*starts)))

    return point.result(point.value, point.depends_on_others()), pull


def jvp(fn: Function, args: Any, tangents: Any, wrt: Wrt | None = None, has_aux: bool = False) -> Any:
    """The value of ``fn``, and the Jacobian-vector product: how the value changes along ``tangents``.

    Parameters
    ----------
    fn : callable
        Takes Variables, returns a Variable or a nested structure of them.
    args
        The tuple of its arguments; a single argument need not be in a tuple.
    tangents
        The direction, in the structure of the arguments (of those chosen by ``wrt``).
    wrt : int, str or tuple of them, optional
        Arguments to differentiate with respect to; by default all.
    has_aux : bool
        ``fn`` returns a pair, of which only the first item is differentiated.

    Returns
    -------
    value, tangent
        The result of ``fn``, and its derivative along ``tangents`` in the same structure; with ``has_aux``, also the
        second item.

    Notes
    -----
    The tangents are propagated through the steps of ``fn`` as these are computed, without a backward pass
    (`forward_mode`). If the result has to be differentiable, it takes two backward passes: the product with an upstream
    gradient ``u`` is linear in ``u``, and its derivative with respect to ``u`` is the result. Either way the rules are
    differentiated, except for those of elementwise functions; an old-style `autolab.authoring.Function` refuses that.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.transforms import jvp
    >>> jvp(lambda x: x ** 2, np.array([1.0, 2.0]), np.array([1.0, 0.5]))
    (variable([1. 4.]), variable([2. 2.]))
    """
    check_aux("jvp", has_aux)
    if has_aux:
        first, others = first_of("jvp", fn)
        return *jvp(first, args, tangents, wrt), others[-1]
    arguments, everything = all_places(args)
    tape = Tape()
    with tape:
        point = AppliedFunction("jvp", fn, everything if wrt is None else checked_wrt("jvp", wrt), arguments, {})
    directions = point.matched("the tangent", tangents)
    differentiable = point.depends_on_others(*directions)
    if not differentiable:
        with suppress(UnseenStepError):
            pushed = tape.pushed(point.inputs, [d._data for d in directions], point.outputs)
            return point.result(point.value, False), filled(point.value, iter([wrap(t, None) for t in pushed]))
    with using_config("enable_backprop", True):  # new steps, so that no pass continues into older ones
        dummies = [same(wrap(zeros(y)._data, Node.leaf())) for y in point.outputs]
    products = point.gradients(point.outputs, dummies, True)
    found = gradients_at(products, dummies, directions, differentiable)
    each = iter([zeros(u) if g is None else g for g, u in zip(found, dummies, strict=True)])
    return point.result(point.value, differentiable), filled(point.value, each)


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
