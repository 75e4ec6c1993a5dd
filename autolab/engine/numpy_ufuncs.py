"""NumPy's ufuncs on Variables, ``np.exp(x)``, ``array * x``, and those of other libraries: ``scipy.special.erf(x)``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .backend import is_array
from .errors import DetachError, NoGradientError
from .modes import backprop_enabled
from .numpy_functions import requires
from .numpy_protocol import declared, foreign, unwrap
from .parts import rewrite
from .plain_arrays import plain

# Their results are not differentiable: they use the data and return plain arrays.
_PLAIN_UFUNCS = {
    *(np.greater, np.greater_equal, np.less, np.less_equal, np.equal, np.not_equal),
    *(np.isnan, np.isinf, np.isfinite, np.signbit),
    *(np.bitwise_and, np.bitwise_or, np.invert),
    *(np.logical_and, np.logical_or, np.logical_xor, np.logical_not),
}


_REDUCTIONS: dict[np.ufunc, Callable[..., Any]] = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
}


def array_ufunc(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The implementation of ``Variable.__array_ufunc__``."""
    if kwargs.get("out") is not None:
        return _into_array(ufunc, method, inputs, kwargs)
    if method == "__call__" and ufunc in _PLAIN_UFUNCS:
        return plain(ufunc(*[unwrap(value) for value in inputs], **kwargs))
    if method == "outer" and len(inputs) == 2:
        a, b = inputs
        return ufunc(np.reshape(a, (*np.shape(a), *[1] * np.ndim(b))), b, **kwargs)
    if method == "reduce" and ufunc in _REDUCTIONS:
        return _REDUCTIONS[ufunc](*inputs, **{"axis": 0, **kwargs})
    if method == "at" and hasattr(inputs[0], "requires_grad") and not (backprop_enabled() and requires(inputs[1:])):
        target, *rest = inputs
        return rewrite(target, f"numpy.{ufunc.__name__}.at", lambda array: ufunc.at(array, *map(unwrap, rest)))
    function = _declared(ufunc) if method == "__call__" else None
    if function is None and not requires([*inputs, *kwargs.values()]):
        return getattr(ufunc, method)(*[unwrap(value) for value in inputs], **kwargs)
    if function is None:
        library = "numpy." if getattr(np, ufunc.__name__, None) is ufunc else "ufunc "
        called = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
        raise NoGradientError(f"{library}{called} has no gradient in AutoLab. Apply it to x.data if none is needed.")
    if kwargs:
        raise NoGradientError(f"numpy.{ufunc.__name__} on a Variable does not take {', '.join(map(repr, kwargs))}")
    return function(*inputs)


def _declared(ufunc: np.ufunc) -> Callable[..., Any] | None:
    """The declared function of a ufunc; for other libraries it is found by name."""
    found = declared.get(ufunc)
    is_numpys = getattr(np, ufunc.__name__, None) is ufunc
    return found if found is not None or is_numpys else foreign.get(ufunc.__name__)


def _into_array(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``x.data -= lr * x.grad``: an update of an array, allowed if no gradient is lost."""
    if not all(is_array(out) for out in kwargs["out"]):
        raise DetachError(f"numpy.{ufunc.__name__}: out= cannot be a Variable; write y = numpy.{ufunc.__name__}(...)")
    if any(getattr(value, "requires_grad", False) for value in inputs):
        raise DetachError(
            f"numpy.{ufunc.__name__}: changing an array in place by a Variable that requires a gradient "
            f"would drop the gradient; write y = numpy.{ufunc.__name__}(...). An update by numbers alone takes x.data"
        )
    return getattr(ufunc, method)(*[unwrap(value) for value in inputs], **kwargs)
