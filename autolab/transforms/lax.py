"""``autolab.lax``: the control flow of ``jax.lax``. Python runs it, and each step is part of the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine import Variable, a_kind, takes_other_words
from ..engine.habits import answering
from ..functions import stack
from .trees import tree_leaves, tree_map


@takes_other_words
def scan(
    f: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    xs: Any = None,
    length: int | None = None,
    reverse: bool = False,
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
    for x in tree_leaves(xs):
        if np.ndim(x) == 0:
            raise TypeError(f"scan: xs holds {a_kind(x)}; expected arrays, whose first axis is that of the steps")
    lengths = {len(x) for x in tree_leaves(xs)} | (set() if length is None else {length})
    if len(lengths) != 1:
        raise ValueError(f"scan: xs and length give {sorted(lengths)} steps; expected one number")
    places, results = range(lengths.pop()), []
    for i in reversed(places) if reverse else places:
        found = f(init, tree_map(lambda x, i=i: x[i], xs))
        if not isinstance(found, tuple | list) or len(found) != 2:
            raise TypeError(f"scan: f returned {a_kind(found)}; expected a pair, the next carry and a result")
        init = found[0]
        results.append(found[1])
    ordered = results[::-1] if reverse else results
    return init, tree_map(lambda *parts: stack(parts), *ordered) if ordered else None


def fori_loop(lower: int, upper: int, body_fun: Callable[[int, Any], Any], init_val: Any) -> Any:
    """Apply ``value = body_fun(i, value)`` for ``i`` from ``lower`` to ``upper - 1``, starting with ``init_val``."""
    for i in range(lower, upper):
        init_val = body_fun(i, init_val)
    return init_val


def while_loop(cond_fun: Callable[[Any], Any], body_fun: Callable[[Any], Any], init_val: Any) -> Any:
    """Apply ``value = body_fun(value)`` while ``cond_fun(value)`` holds, starting with ``init_val``."""
    while cond_fun(init_val):
        init_val = body_fun(init_val)
    return init_val


def cond(pred: Any, true_fun: Callable[..., Any], false_fun: Callable[..., Any], *operands: Any) -> Any:
    """Apply ``true_fun`` to the operands if ``pred`` is true, else ``false_fun``."""
    return (true_fun if pred else false_fun)(*operands)


def stop_gradient(x: Any) -> Any:
    """The same values as constants, through which no gradient flows."""
    return tree_map(lambda leaf: leaf.detach() if isinstance(leaf, Variable) else leaf, x)


__getattr__ = answering(__name__, "lax")
