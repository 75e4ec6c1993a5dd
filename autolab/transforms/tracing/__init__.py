"""Tracing: a computation, with its gradients, as one straight-line program that is data.

A third array type beside NumPy's and CuPy's carries its value and writes down each call of NumPy's functions; the
functions of AutoLab and their rules run on it as they are. The program gives the same for other inputs, and says where
it does not: at a branch that would go another way. What cannot be written down is refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...engine import backend
from . import elementwise, linalg, making, methods, products, reductions  # noqa: F401 (they fill the tables)
from .array import TracedArray
from .batch_evaluator import BatchEvaluator, agree
from .keeping import nothing_kept
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
    """What a function computes from arrays, as a program.

    Parameters
    ----------
    function : callable
        Called once, with a traced array for each input; returns the arrays that the program is to compute.
    inputs : sequence of arrays
        Where the function is traced. Shapes and dtypes are those of every later use.

    Raises
    ------
    Untraceable
        If the function does what no program does: it takes a number out of an array, draws random numbers, or calls a
        function that is not known here. Its text names what.

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
            own.is_open, own.refusal = False, None  # whose traceback holds the trace
