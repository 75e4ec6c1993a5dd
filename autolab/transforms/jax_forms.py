"""Functions that JAX and ``torch.func`` call with other arguments than `transforms` does."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import FunctionType
from typing import Any

import numpy as np

from ..engine import takes_other_words, wrap
from ..shared.structure import rebuilt
from . import gradients
from .compiling import Compiled


def vjp(fn: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """`transforms.vjp` with the arguments given separately; the gradients are always a tuple, even a single one.

    Examples
    --------
    >>> import autolab, numpy as np
    >>> value, pull = autolab.vjp(lambda x, y: x * y, np.array([1.0, 2.0]), 3.0)
    >>> pull(np.array([1.0, 10.0]))
    (variable([ 3. 30.]), variable(21.0))
    >>> autolab.vjp(lambda x: x * x, 3.0)[1](1.0)
    (variable(6.0),)
    """
    return gradients.vjp(fn, primals, has_aux=has_aux)


class Jitted(Compiled):
    """A function compiled by `jit`, with everything that `compile` offers."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        return rebuilt(super().__call__(*args, **options), _not_numpys)


def _not_numpys(y: Any) -> Any:
    is_float = isinstance(y, np.ndarray | np.floating) and y.dtype.kind == "f"
    return wrap(np.asarray(y), None) if is_float else y


@takes_other_words
def jit(fun: Any = None, *, check_every: int | None = 1000) -> Any:
    """`autolab.compile` with results that are Variables, like those of `grad` and `vmap`, also for NumPy arrays.

    Examples
    --------
    >>> import autolab, numpy as np
    >>> autolab.jit(lambda x: np.sum(x * x))(np.ones(3)).block_until_ready()
    variable(3.0)
    """
    if fun is None:
        return partial(Jitted, check_every=check_every)
    kept = vars(fun) if type(fun) is FunctionType else {}  # as JAX does, so that jit(f)(x) in a loop traces f once
    found = kept.get("_jitted")
    if type(found) is not Jitted or found.function is not fun or found.check_every != check_every:
        found = kept["_jitted"] = Jitted(fun, check_every)
    return found
