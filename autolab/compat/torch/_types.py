"""Element types, devices and shapes, as PyTorch writes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import Array


class dtype:
    """The type of a tensor's elements, such as ``torch.float32``. It equals NumPy's dtype of the same name.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import torch
    >>> torch.float32, torch.float32 == np.float32, torch.float32.is_floating_point
    (torch.float32, True, True)
    """

    __slots__ = ("dtype",)

    def __init__(self, name: str) -> None:
        self.dtype = np.dtype(name)

    @property
    def __numpy_dtype__(self) -> np.dtype:
        return self.dtype

    @property
    def is_floating_point(self) -> bool:
        """Whether the elements are floats; only floats have gradients."""
        return self.dtype.kind == "f"

    def __getattr__(self, name: str) -> Any:
        return getattr(self.dtype, name)

    def __eq__(self, other: object) -> bool:
        try:
            return bool(self.dtype == (other.dtype if isinstance(other, dtype) else np.dtype(other)))  # type: ignore[call-overload]
        except TypeError:
            return False

    def __hash__(self) -> int:
        return hash(self.dtype)

    def __repr__(self) -> str:
        return f"torch.{self.dtype.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _known, (self.dtype.name,)


DTYPES = {
    name: dtype(name) for name in ("float16", "float32", "float64", "uint8", "int8", "int16", "int32", "int64", "bool")
}
SHORT = {"half": "float16", "float": "float32", "double": "float64", "short": "int16", "int": "int32", "long": "int64"}
_BY_NUMPY = {each.dtype: each for each in DTYPES.values()}


def _known(name: str) -> dtype:
    return DTYPES[name]


def of_array(array: Array) -> Any:
    """The type of an array's elements; NumPy's own if PyTorch does not have it."""
    return _BY_NUMPY.get(array.dtype, array.dtype)


def numpy_dtype(what: str, given: Any) -> np.dtype:
    """NumPy's dtype for the one that a user passed."""
    kind = {float: "float64", bool: "bool", int: "int64"}.get(given, given) if isinstance(given, type) else given
    try:
        found = np.dtype(kind)
    except TypeError:
        found = None
    if found is None or found not in _BY_NUMPY:
        raise TypeError(f"{what}: dtype is {given!r:.60}; expected one of PyTorch's, such as torch.float32")
    return found


_usual = {"float": np.dtype(np.float32)}
"""What floats of Python become."""


def default_dtype() -> np.dtype:
    """The type that Python floats are converted to, as NumPy's dtype."""
    return _usual["float"]


def get_default_dtype() -> Any:
    """The type that Python floats are converted to, initially ``torch.float32``."""
    return _BY_NUMPY[_usual["float"]]


def set_default_dtype(d: Any) -> None:
    """Set the type that Python floats are converted to."""
    found = numpy_dtype("set_default_dtype", d)
    if found.kind != "f":
        raise TypeError(f"set_default_dtype: got {d!r:.60}; expected a floating-point type")
    _usual["float"] = found


class device(str):
    """The device of a tensor: ``cpu`` or ``cuda``, with or without an index.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> torch.device("cuda:0"), torch.device("cuda", 1).index
    (device(type='cuda', index=0), 1)
    """

    def __new__(cls, type: Any, index: int | None = None) -> device:
        name = str.__str__(type) if index is None else f"{type}:{index}"
        kind, _, number = name.partition(":")
        if kind not in ("cpu", "cuda") or (number and not number.isdecimal()):
            raise RuntimeError(f"device: got {name!r:.60}; expected 'cpu', 'cuda' or 'cuda:0'")
        return super().__new__(cls, name)

    @property
    def type(self) -> str:
        """``cpu`` or ``cuda``."""
        return "cuda" if self.startswith("cuda") else "cpu"

    @property
    def index(self) -> Any:
        """The index of the device, or None."""
        number = self.partition(":")[2]
        return int(number) if number else None

    def __repr__(self) -> str:
        return f"device(type={self.type!r}" + ("" if self.index is None else f", index={self.index}") + ")"


class Size(tuple[int, ...]):
    """The shape of a tensor.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> torch.zeros(2, 3).shape, torch.zeros(2, 3).shape.numel()
    (torch.Size([2, 3]), 6)
    """

    __slots__ = ()

    def numel(self) -> int:
        """The number of elements."""
        return int(np.prod(self, dtype=np.int64))

    def __getitem__(self, index: Any) -> Any:
        found = super().__getitem__(index)
        return Size(found) if isinstance(index, slice) else found

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"


class Count(int):
    """The number of elements, for AutoLab's engine; called, it is PyTorch's ``size()``."""

    shape: tuple[int, ...]

    def __call__(self, dim: int | None = None) -> Any:
        return Size(self.shape) if dim is None else self.shape[dim]


def count_of(shape: tuple[int, ...], size: int) -> Count:
    """The value of ``tensor.size``."""
    found = Count(size)
    found.shape = shape
    return found


class finfo:
    """The limits of a floating-point type.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> torch.finfo(torch.float64).eps
    2.220446049250313e-16
    """

    def __init__(self, type: Any = None) -> None:
        found = np.finfo(default_dtype() if type is None else numpy_dtype("finfo", type))
        self.bits = int(found.bits)
        self.eps, self.tiny, self.max, self.min = map(float, (found.eps, found.tiny, found.max, found.min))


class iinfo:
    """The limits of an integer type."""

    def __init__(self, type: Any) -> None:
        found = np.iinfo(numpy_dtype("iinfo", type))
        self.bits, self.max, self.min = int(found.bits), int(found.max), int(found.min)
