"""``autolab.lax``: the loops and branches of ``jax.lax``. Python runs them, and each step is part of the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine.variable import Variable
from ..functions import stack
from .trees import tree_leaves, tree_map


def scan(
    f: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any, length: int | None = None, reverse: bool = False
) -> tuple[Any, Any]:
    """``f(carry, x)`` for each place of the first axis of ``xs``, from ``init`` on: the last carry, and the results.

    Parameters
    ----------
    f : callable
        Of the carry and a place of ``xs``; it returns the next carry and a result.
    init, xs : Variable, array, or structures of them
        ``xs`` may be None if there is a ``length``.
    length : int, optional
    reverse : bool
        Begin at the last place.

    Returns
    -------
    tuple
        The carry, and the results joined along a new first axis, None if there are none.

    Examples
    --------
    >>> import autolab
    >>> autolab.lax.scan(lambda total, x: (total + x, total * x), 0.0, autolab.Variable([1.0, 2.0, 3.0]))
    (variable(6.0), variable([0. 2. 9.]))
    """
    places, results = range(len(tree_leaves(xs)[0]) if length is None else length), []
    for i in reversed(places) if reverse else places:
        init, y = f(init, tree_map(lambda x, i=i: x[i], xs))
        results.append(y)
    ordered = results[::-1] if reverse else results
    return init, tree_map(lambda *parts: stack(parts), *ordered) if ordered else None


def fori_loop(lower: int, upper: int, body: Callable[[int, Any], Any], init: Any) -> Any:
    """``body(i, value)`` for each ``i``, from ``init`` on."""
    for i in range(lower, upper):
        init = body(i, init)
    return init


def while_loop(cond: Callable[[Any], Any], body: Callable[[Any], Any], init: Any) -> Any:
    """``body(value)`` as long as ``cond(value)`` holds, from ``init`` on."""
    while cond(init):
        init = body(init)
    return init


def cond(pred: Any, true_fun: Callable[..., Any], false_fun: Callable[..., Any], *operands: Any) -> Any:
    """One function of the operands or the other."""
    return (true_fun if pred else false_fun)(*operands)


def stop_gradient(x: Any) -> Any:
    """The numbers as constants."""
    return tree_map(lambda leaf: leaf.detach() if isinstance(leaf, Variable) else leaf, x)
