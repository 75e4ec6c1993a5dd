"""Methods of Variable beyond its operators: those of NumPy's arrays and of other libraries that people type unasked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..engine.backend import Array
from ..engine.config import listeners
from ..engine.devices import to_cpu as _in_main_memory
from ..engine.leaving import left
from ..engine.variable import Variable, wrap
from .axes import swapaxes
from .shape import cast


def detach(self: Variable) -> Variable:
    """The same array as a Variable that is cut off from the graph: no gradient passes it. Nothing is copied.

    Examples
    --------
    >>> from autolab import Variable
    >>> x = Variable([1.0, 2.0])
    >>> (x * x).detach().requires_grad
    False
    """
    data = self._data
    return wrap(left(self, data) if listeners and self.node is not None else data, None)


def numpy(self: Variable) -> np.ndarray:
    """The values as an array of NumPy, without the graph; from a GPU they are copied.

    Examples
    --------
    >>> from autolab import Variable
    >>> Variable([1.0, 2.0]).numpy()
    array([1., 2.])
    """
    data = left(self, self._data) if listeners and self.node is not None else self._data
    return _in_main_memory(data)


def tolist(self: Variable) -> Any:
    """The values as nested lists of Python's numbers; of a value without axes, the number.

    Examples
    --------
    >>> from autolab import Variable
    >>> Variable([[1.0, 2.0]]).tolist()
    [[1.0, 2.0]]
    """
    data = left(self, self._data) if listeners and self.node is not None else self._data
    return data.tolist()


def astype(self: Variable, dtype: Any, copy: bool = True) -> Variable:
    """The same numbers in another dtype. To a floating-point dtype it is differentiable; whole numbers and truth values
    are constants.

    Parameters
    ----------
    dtype : dtype
    copy : bool
        False gives the Variable itself where it has the dtype already.

    Examples
    --------
    >>> from autolab import Variable
    >>> Variable([1.5, 2.5]).astype("float32").dtype, Variable([1.5, 2.5]).astype(int)
    (dtype('float32'), variable([1 2]))
    """
    wanted = np.dtype(dtype)
    if not copy and wanted == self.dtype:
        return self
    if wanted.kind not in "biu":
        return cast(self, dtype=wanted)
    data = left(self, self._data) if listeners and self.node is not None else self._data
    return wrap(data.astype(wanted), None)


def formatted(self: Variable, spec: str) -> str:
    """``f"{loss:.3f}"`` for a value of one element; without a format, as `str` has it."""
    if not spec:
        return str(self)
    if self.size != 1:
        raise TypeError(
            f"Variable: format {spec!r:.40} for shape {self.shape}; expected one element. "
            "numpy.array2string(x.data, precision=3) shows them all"
        )
    number = self._data.item()
    return format(left(self, number) if listeners and self.node is not None else number, spec)


def _of_data(name: str) -> Callable[..., Any]:
    """A method of the array's whose result is no number to differentiate."""

    def method(self: Variable, /, *args: Any, **options: Any) -> Array:
        return getattr(self._data, name)(*args, **options)

    method.__name__, method.__doc__ = name, f"As ``numpy.ndarray.{name}``: of the values, as an array without a graph."
    return method


def transposed(self: Variable) -> Variable:
    """The matrices over the last two axes, transposed."""
    return swapaxes(self, -1, -2)


PLAIN = ("all", "any", "argmax", "argmin", "argpartition", "argsort", "nonzero", "searchsorted")
PROPERTIES = ("itemsize", "nbytes", "strides")

METHODS: dict[str, Callable[..., Any]] = {
    "__format__": formatted,
    "astype": astype,
    "detach": detach,
    "numpy": numpy,
    "to_numpy": numpy,
    "tolist": tolist,
    **{name: _of_data(name) for name in PLAIN},
}
"""Name of a method -> what it does."""
