"""Tracing: a computation, with its gradients, as a straight-line program that is plain data.

A third array type besides NumPy's and CuPy's carries its value and records each call of a NumPy function; AutoLab's
functions and their rules run on it unchanged. The program gives the same results for other inputs, and detects where it
does not: at a branch that would go the other way. Whatever cannot be recorded is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...engine import backend
from . import making, methods, products, reductions  # noqa: F401 (they fill the tables)
from .array import TracedArray, nothing_kept
from .batch_evaluator import BatchEvaluator, agree
from .module import lifted, module
from .program import ArrayProgram, Guard, ProgramStep, View
from .replay import replay
from .trace import ArrayTrace, Untraceable

__all__ = [
    "ArrayProgram",
    "BatchEvaluator",
    "Guard",
    "ProgramStep",
    "TracedArray",
    "Untraceable",
    "View",
    "agree",
    "replay",
    "trace",
]

backend.modules[TracedArray] = module


def trace(function: Callable[..., Sequence[Any]], inputs: Sequence[np.ndarray]) -> ArrayProgram:
    """Trace what a function computes from arrays; returns a program.

    Parameters
    ----------
    function : callable
        Called once, with a traced array for each input; returns the arrays that the program shall compute.
    inputs : sequence of arrays
        The point at which the function is traced. Later inputs must have the same shapes and dtypes.

    Raises
    ------
    Untraceable
        If the function does something that a program cannot: it takes a number out of an array, draws random numbers,
        or calls an unsupported function. The message names it.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import Variable, functions as F, grad
    >>> def value_and_slope(a):
    ...     x = Variable(a)
    ...     y = F.sin(x * x)
    ...     return [y.data, grad(y, x).data]
    >>> program = trace(value_and_slope, [np.array(2.0)])
    >>> (values, slopes), fits = replay(program, [np.array([0.0, 1.0, 2.0])])
    >>> slopes.round(3).tolist()
    [0.0, 1.081, -2.615]
    """
    own = ArrayTrace()
    with nothing_kept():
        try:
            return own.program([lifted(y) for y in function(*[own.input(np.asarray(x)) for x in inputs])])
        except Exception as error:
            raise own.refusal or error from None
        finally:
            own.is_open, own.refusal = False, None  # its traceback holds the trace
