"""What an exercise compares for a link that a student has written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine import Variable, grad
from .exercise import Arrays
from .judgement import Known


def linked(parameter: str, start: float, argument: Callable[[np.ndarray], Any]) -> Callable[[Any, Arrays], Any]:
    """A ``measure`` for `Values`: the result of a link for ``x``, provided that it has registered its parameter and a
    gradient reaches it.

    Parameters
    ----------
    parameter : str
        Name of the parameter, and of the input whose numbers are assigned to it.
    start : float
        The number that it must be filled with initially.
    argument : callable
        Maps that input to the argument with which the link is created.
    """

    def measure(answer: Any, inputs: Arrays) -> Any:
        link = answer(argument(inputs[parameter]))
        if link(inputs["x"]) is None:
            return None
        found = {name.lstrip("/"): one for name, one in link.namedparams()}.get(parameter)
        if found is None:
            raise Known("unregistered")
        if np.any(found.data != start):
            raise Known("start")
        found.data = inputs[parameter]
        y = link(inputs["x"])
        if isinstance(y, tuple | list):
            return y
        if not isinstance(y, Variable) or grad(y, found, np.ones(y.shape)) is None:
            raise Known("detached")
        return y

    return measure
