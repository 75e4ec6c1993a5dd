"""How a Variable behaves in Python and NumPy: numbers, comparisons, lengths, and no accidental loss of gradients."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

from . import numpy_functions, numpy_protocol
from .arrays import plain
from .backend import Array, device_name
from .display import Displayed
from .errors import COPIED, INTO_ARRAY, ONE_NUMBER, DetachError
from .leaving import as_array, is_drawn, left, number_of
from .modes import listeners
from .numpy_functions import array_ufunc

if TYPE_CHECKING:
    from .installed import Installed
    from .node import Node
else:
    Installed = object


class ElementCount(int):
    """The number of elements of an array; calling it gives the lengths of axes, as in PyTorch."""

    shape: tuple[int, ...]

    def __call__(self, dim: int | None = None) -> Any:
        return self.shape if dim is None else self.shape[dim]


class ArrayLike(Displayed, Installed):
    """The part of `Variable` that does not deal with gradients, except that it prevents their loss."""

    __slots__ = ()

    _data: Array

    @property
    def is_initialized(self) -> bool:
        """Whether it has an array; a `Parameter` may receive its array later."""
        return True

    node: Node | None
    creator: Any
    _name: str | None
    requires_grad: Any

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array."""
        return self._data.shape

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._data.ndim

    @property
    def size(self) -> int:
        """Number of elements; called as in PyTorch, ``x.size(0)`` is the length of an axis."""
        count = ElementCount(self._data.size)
        count.shape = self._data.shape
        return count

    @property
    def dtype(self) -> np.dtype:
        """Type of the elements."""
        return self._data.dtype

    @property
    def device(self) -> str:
        """Where the array lives: ``cpu`` or ``cuda:0``."""
        return device_name(self._data)

    def item(self: Any) -> float:
        """The single element as a Python number; an error if there are more."""
        number = self._number()
        return left(self, number) if listeners and self.node is not None else number

    def _number(self) -> float:
        if self.size != 1:
            raise ValueError(f"Variable: got shape {self.shape} for one Python number; {ONE_NUMBER}")
        return self._data.item()

    # ------------------------------------------------------------------ Python and NumPy
    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len(Variable): got a value without axes; expected at least one axis")
        return len(self._data)

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError(
                f"bool(Variable): the truth of {self.size} elements is ambiguous; use .data.any() or .all()"
            )
        return bool(self._data.item())

    def __float__(self: Any) -> float:
        number = self._number()
        return float(number if self.node is None else number_of(self, number))

    def __int__(self: Any) -> int:
        number = self._number()
        return int(number if self.node is None else number_of(self, number))

    def __repr__(self) -> str:
        return "variable(" + str(self._data).replace("\n", "\n" + " " * 9) + ")"

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> Any:
        return plain(self._data == numpy_protocol.unwrap(other))

    def __ne__(self, other: object) -> Any:
        return plain(self._data != numpy_protocol.unwrap(other))

    def __lt__(self, other: Any) -> Any:
        return plain(self._data < numpy_protocol.unwrap(other))

    def __le__(self, other: Any) -> Any:
        return plain(self._data <= numpy_protocol.unwrap(other))

    def __gt__(self, other: Any) -> Any:
        return plain(self._data > numpy_protocol.unwrap(other))

    def __ge__(self, other: Any) -> Any:
        return plain(self._data >= numpy_protocol.unwrap(other))

    def __invert__(self) -> Any:
        return plain(~self._data)

    def __and__(self, other: Any) -> Any:
        return plain(self._data & numpy_protocol.unwrap(other))

    def __or__(self, other: Any) -> Any:
        return plain(self._data | numpy_protocol.unwrap(other))

    __rand__, __ror__ = __and__, __or__

    def __index__(self: Any) -> int:
        if self._data.dtype.kind not in "iu":
            remedy = "write it in the function, or functools.partial(f, n=3)"
            raise TypeError(
                f"Variable: got {self._data.dtype} as an index; expected a whole number. For a count, {remedy}"
            )
        return int(self._number())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        if self.node is not None and not is_drawn(sys._getframe(1)):
            raise DetachError(as_array(sys._getframe(1)))
        return np.array(self._data, dtype=dtype, copy=copy)

    @property
    def _mask(self) -> Any:
        """Read by NumPy's masked arrays before they take ``_data`` of an assigned value."""
        if self.node is not None and not is_drawn(sys._getframe(1)):
            raise DetachError(f"Variable: {INTO_ARRAY}")
        return np.ma.nomask

    __array_priority__ = 200

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return array_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return numpy_functions.array_function(func, args, kwargs)

    # ------------------------------------------------------------------ copies and displays
    @property
    def name(self) -> str | None:
        """The name used in displays and messages, or None."""
        return self._name

    @name.setter
    def name(self, value: str | None) -> None:
        if value is not None and not isinstance(value, str):
            raise TypeError(f"Variable: name is {value!r:.60}; expected a string")
        self._name = value
        if value is not None and self.node is not None:
            self.node.name = value

    def __reduce__(self) -> tuple[Any, ...]:
        if self.creator is not None:
            raise TypeError(COPIED)
        return type(self), (self._data, self.name, self.requires_grad)
