"""Kernels: which function of NumPy or CuPy a declared forward comes down to."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from .backend import Array, get_array_module, modules

if TYPE_CHECKING:
    from .primitive import Primitive


on_device = SimpleNamespace(
    forward=lambda function, xp, arrays, attributes: function.run(xp, *arrays, **attributes),
    pull=lambda function, node, g: None,
    with_number=lambda function, kernels, a, b: None,
)
"""How a declared function runs on arrays that are not NumPy's: by its own forward and rules (None says so), until
`autolab.gpu`, which makes kernels of them, sets its functions here."""


class Kernels(dict[type, Callable[..., Array]]):
    """Array type -> the forward on that type's module.

    A forward that says no more than ``return xp.tanh(x)`` is the module's own function, whose name is ``direct``;
    calling that one saves a Python call per step. Any other is one kernel on a GPU, if it works element by element.

    ``keeps_floats`` says that of floats of one dtype it is known to make floats of that dtype.
    """

    def __init__(self, function: Primitive) -> None:
        self._function, self.direct = function, function.direct
        self.keeps_floats = _keeps_floats(self.direct)

    def __missing__(self, kind: type) -> Callable[..., Array]:
        module = modules.get(kind)
        if module is None:
            return get_array_module  # no array: a parameter without a size, which says so when it is asked
        kernel = getattr(module, self.direct) if self.direct else self._own(module)
        self[kind] = kernel
        return kernel

    def _own(self, module: Any) -> Callable[..., Array]:
        if module is np:
            return partial(self._function.run, np)
        function, completed = self._function, self._function.schema.completed
        return lambda *arrays, **given: on_device.forward(function, module, list(arrays), completed(given))


_ONLY_A_CALL: dict[int, Any] = {1: lambda xp, a: xp.function(a), 2: lambda xp, a, b: xp.function(a, b)}


def direct_name(forward: Callable[..., Any], inputs: int) -> str | None:
    """The name of the module's function that ``forward`` hands its inputs to and nothing else, or None.

    Its code says so, up to that name; running it would be no business of a declaration.
    """
    code: Any = getattr(forward, "__code__", None)
    only = _ONLY_A_CALL.get(inputs)
    same = code is not None and only is not None and code.co_code == only.__code__.co_code
    return code.co_names[0] if same else None


def _keeps_floats(name: str | None) -> bool:
    """Whether NumPy's function is a ufunc with one result that, of floats of one dtype, has that dtype: ``tanh``, and
    neither ``isnan`` nor ``argmax``."""
    ufunc = getattr(np, name, None) if name else None
    if not isinstance(ufunc, np.ufunc) or ufunc.nout != 1:
        return False
    return all([f"{kind * ufunc.nin}->{kind}" in ufunc.types for kind in np.typecodes["Float"]])
