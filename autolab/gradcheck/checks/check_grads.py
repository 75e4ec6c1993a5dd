"""``check_grads``: `check_gradients` as JAX and autograd call it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .check import check_gradients


def check_grads(f: Callable[..., Any], args: Any = None, order: int = 1, modes: Sequence[str] = ("fwd", "rev")) -> Any:
    """Check the derivatives of a function, and raise if one is wrong; `check_gradients` gives a report instead.

    Parameters
    ----------
    f : callable
    args
        The tuple of its arguments; the only argument may be given as it is. Without it the result is a function of the
        arguments that checks, as autograd has it: ``check_grads(f, modes=["rev"])(x)``.
    order : int
        Up to which order.
    modes : sequence of str
        Both modes take their rules from one backward, which is checked, whatever is asked for.

    Raises
    ------
    GradientCheckError
        An AssertionError that says which derivative is wrong, and how.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.gradcheck import check_grads
    >>> check_grads(np.tanh, (0.5,), order=2, modes=["rev"])
    """
    if args is None:
        return lambda *given: check_grads(f, given, order, modes)
    check_gradients(f, *(args if isinstance(args, tuple | list) else (args,)), order=order).raise_for_failure()
