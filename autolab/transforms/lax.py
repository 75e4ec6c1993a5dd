"""``autolab.lax``: the control flow of ``jax.lax``. Python runs it, and each step is part of the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..engine import Variable
from ..functions import stack
from .trees import tree_leaves, tree_map


def scan(
    f: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any, length: int | None = None, reverse: bool = False
) -> tuple[Any, Any]:
    """Call ``f(carry, x)`` along the first axis of ``xs``, from ``init`` on; returns the last carry and the results.

    Parameters
    ----------
    f : callable
        Takes the carry and a slice of ``xs``; returns the next carry and a result.
    init, xs : Variable, array, or structures of them
        ``xs`` may be None if ``length`` is given.
    length : int, optional
        The number of steps, which is the length of the first axis of ``xs``; needed if ``xs`` is None.
    reverse : bool
        Start at the end of ``xs``.

    Returns
    -------
    tuple
        The last carry, and the results stacked along a new first axis, None if there are none.

    Examples
    --------
    >>> import autolab
    >>> autolab.lax.scan(lambda total, x: (total + x, total * x), 0.0, autolab.Variable([1.0, 2.0, 3.0]))
    (variable(6.0), variable([0. 2. 9.]))
    """
    lengths = {len(x) for x in tree_leaves(xs)} | (set() if length is None else {length})
    if len(lengths) != 1:
        raise ValueError(f"scan: xs and length give {sorted(lengths)} steps; expected one number")
    places, results = range(lengths.pop()), []
    for i in reversed(places) if reverse else places:
        init, y = f(init, tree_map(lambda x, i=i: x[i], xs))
        results.append(y)
    ordered = results[::-1] if reverse else results
    return init, tree_map(lambda *parts: stack(parts), *ordered) if ordered else None


def fori_loop(lower: int, upper: int, body: Callable[[int, Any], Any], init: Any) -> Any:
    """Apply ``value = body(i, value)`` for ``i`` from ``lower`` to ``upper - 1``, starting with ``init``."""
    for i in range(lower, upper):
        init = body(i, init)
    return init


def while_loop(cond: Callable[[Any], Any], body: Callable[[Any], Any], init: Any) -> Any:
    """Apply ``value = body(value)`` while ``cond(value)`` holds, starting with ``init``."""
    while cond(init):
        init = body(init)
    return init


def cond(pred: Any, true_fun: Callable[..., Any], false_fun: Callable[..., Any], *operands: Any) -> Any:
    """Apply ``true_fun`` to the operands if ``pred`` is true, else ``false_fun``."""
    return (true_fun if pred else false_fun)(*operands)


def stop_gradient(x: Any) -> Any:
    """The same values as constants, through which no gradient flows."""
    return tree_map(lambda leaf: leaf.detach() if isinstance(leaf, Variable) else leaf, x)
