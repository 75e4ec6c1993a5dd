"""NumPy as HIPS autograd follows it; NumPy itself where autograd is not installed, as on the machine of a GPU.

The references of the function table compute the same either way. Only the tests that differentiate them need autograd.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

anp: Any
primitive: Callable[..., Any]
defvjp: Callable[..., None]

try:
    import autograd.numpy as anp
    from autograd.extend import defvjp, primitive
except ModuleNotFoundError:
    anp = np

    def primitive(function: Callable[..., Any]) -> Callable[..., Any]:
        """The function as it is."""
        return function

    def defvjp(function: Callable[..., Any], *rules: Any) -> None:
        """Nobody asks for the rules."""
