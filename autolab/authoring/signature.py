"""The names of the parameters of a user's forward."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def parameter_label(forward: Callable[..., Any], i: int, skip: int = 0) -> str:
    """The name of the parameter that takes the argument at position ``i``, after ``skip`` other parameters.

    Examples
    --------
    >>> parameter_label(lambda x, *rest: x, 0), parameter_label(lambda x, *rest: x, 2)
    ('x', 'rest[1]')
    """
    parameters = list(inspect.signature(forward).parameters.values())[skip:]
    for place, parameter in enumerate(parameters):
        if parameter.kind is parameter.VAR_POSITIONAL:
            return f"{parameter.name}[{i - place}]"
        if place == i:
            return parameter.name
    return f"inputs[{i}]"
