"""What an exercise compares of a link that somebody has written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.grad import grad
from ..engine.variable import Variable
from .exercise import Arrays
from .judgement import Known


def linked(parameter: str, start: float, argument: Callable[[np.ndarray], Any]) -> Callable[[Any, Arrays], Any]:
    """Measures what a link makes of ``x``, if it knows its parameter and a gradient reaches that.

    Parameters
    ----------
    parameter : str
        Its name, which is also that of the input whose numbers it gets.
    start : float
        The number that it must be filled with at first.
    argument : callable
        Makes of that input what the link is made with.
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
        if not isinstance(y, Variable) or grad(y, found, np.ones(y.shape)) is None:
            raise Known("detached")
        return y

    return measure
