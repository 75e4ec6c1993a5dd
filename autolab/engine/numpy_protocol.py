"""NumPy's own functions on Variables: which declared function each calls; `numpy_functions` calls it.

Declared functions register themselves for the NumPy function they differentiate. NumPy's positional and keyword
arguments are mapped to theirs by name, so that ``np.sum(x, 0)`` and ``np.sum(x, axis=0)`` are the same.

Kernels: the NumPy or CuPy function that a declared forward amounts to.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from .backend import Array, get_array_module, modules
from .calls import LateSignature, shown

if TYPE_CHECKING:
    from .primitive import Primitive


on_device = SimpleNamespace(
    forward=lambda function, xp, arrays, attributes: function.run(xp, *arrays, **attributes),
    pull=lambda function, node, g: None,
    with_number=lambda function, kernels, a, b: None,
)
"""How a declared function runs on arrays that are not NumPy's: by its own forward and rules (None), until
`autolab.gpu`, which compiles them to kernels, sets its functions here."""


class Kernels(dict[type, Callable[..., Array]]):
    """Array type -> the forward for the module of that type.

    A forward that is just ``return xp.tanh(x)`` is replaced by the module's own function, named ``direct``, which saves
    a Python call per step. Any other is a single kernel on a GPU if it is elementwise.

    ``keeps_floats`` says that floats of one dtype are known to give floats of the same dtype.
    """

    def __init__(self, function: Primitive) -> None:
        self._function, self.direct = function, function.direct
        self.keeps_floats = _keeps_floats(self.direct)

    def __missing__(self, kind: type) -> Callable[..., Array]:
        module = modules.get(kind)
        if module is None:
            return get_array_module  # not an array: a parameter without a size, which raises its own error
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
    """The name of the module's function, if ``forward`` only passes its inputs on to it; otherwise None.

    This is read from its bytecode: a declaration should not run the forward.
    """
    code: Any = getattr(forward, "__code__", None)
    only = _ONLY_A_CALL.get(inputs)
    same = code is not None and only is not None and code.co_code == only.__code__.co_code
    return code.co_names[0] if same else None


def _keeps_floats(name: str | None) -> bool:
    """Whether the NumPy function is a ufunc with one result that maps floats of one dtype to the same dtype: ``tanh``,
    but neither ``isnan`` nor ``argmax``."""
    ufunc = getattr(np, name, None) if name else None
    if not isinstance(ufunc, np.ufunc) or ufunc.nout != 1:
        return False
    return all([f"{kind * ufunc.nin}->{kind}" in ufunc.types for kind in np.typecodes["Float"]])


declared: dict[Any, Callable[..., Any]] = {}
"""NumPy function or ufunc -> the declared function that differentiates it."""


adapters: dict[Any, Callable[..., Any]] = {}

foreign: dict[str, Callable[..., Any]] = {}
"""The name of a ufunc of another library, such as ``erf`` of scipy.special -> the function that differentiates it."""


def register(numpy_function: Any, function: Callable[..., Any], renamed: dict[str, str] | None = None) -> None:
    """Make ``numpy_function`` on Variables call ``function``; ``renamed`` maps NumPy's argument names to those of the
    function."""
    declared[numpy_function] = function
    own = getattr(function, "function", None)
    if own is not None and not isinstance(numpy_function, np.ufunc) and numpy_function.__name__ == own.name:
        own.grain, own.renamed = numpy_function, renamed or {}
        if len(own.schema.defaults) > 1:
            late = LateSignature.of(lambda: shown(own.schema.signature, numpy_function))
            function.__signature__ = late  # type: ignore[attr-defined]


def adapt(numpy_function: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function that ``numpy_function`` on Variables calls with its arguments unchanged.

    For NumPy functions whose arguments differ from those of the declared function in more than names.
    """

    def decorate(adapter: Callable[..., Any]) -> Callable[..., Any]:
        adapters[numpy_function] = adapter
        return adapter

    return decorate


def unwrap(value: Any) -> Any:
    """The data of a Variable, also inside lists and tuples; anything else unchanged."""
    if type(value) in (list, tuple):
        return type(value)([unwrap(item) for item in value])
    return value.array if hasattr(value, "requires_grad") else value
