"""elementwise_kernel: a CUDA kernel for each element of its arrays, written in a line of C."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ..engine import a_kind
from ..engine.arrays import compiled_kernel
from ..engine.backend import Array, device_name, gpu_status, is_array, on_gpu

_NAME = re.compile(r"[A-Za-z]\w*\Z")
_PLACEHOLDER = re.compile(r"[A-Z]\Z")
_TYPES = frozenset(
    ["bool", "float16", "float32", "float64"] + [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
)
_RESERVED = frozenset(("i", "n"))
"""Names that CuPy uses for the index of the element and the number of elements."""


@dataclass(frozen=True)
class KernelParameter:
    """``float32 x`` or ``T x``: a type, or a letter that stands for one, and the name of the elements."""

    type: str
    name: str

    @property
    def is_placeholder(self) -> bool:
        """Whether the type is a letter, which stands for any dtype."""
        return _PLACEHOLDER.match(self.type) is not None


class ElementwiseKernel:
    """A user-defined kernel, which CUDA compiles at its first call on each device. Made by `elementwise_kernel`.

    Attributes
    ----------
    in_params, out_params : tuple of KernelParameter
    operation : str
        The body, in C.
    name : str
        The name shown by profilers and debuggers.
    """

    def __init__(self, in_params: str, out_params: str, operation: str, name: str) -> None:
        self.name, self.operation = _checked_name(name), _checked_operation(operation, name)
        self.in_params = _parsed(f"{name}: in_params", in_params)
        self.out_params = _parsed(f"{name}: out_params", out_params)
        _check_together(self)
        inputs, copies = _loaded_once(self.in_params)
        self._source = (inputs, out_params, copies + operation, name)
        self._compiled: dict[str, Any] = {}

    def __repr__(self) -> str:
        shown = ["".join(f"{p.type} {p.name}, " for p in params)[:-2] for params in (self.in_params, self.out_params)]
        return f"<elementwise kernel {self.name}({shown[0]}) -> ({shown[1]})>"

    def __call__(self, *args: Any) -> Any:
        """Compute every element on the GPU.

        Parameters
        ----------
        *args : array on the GPU, or number
            One for each of ``in_params``, with shapes that broadcast together.

        Returns
        -------
        array, or tuple of arrays if there are several ``out_params``

        Raises
        ------
        RuntimeError
            Without CUDA.
        TypeError
            If the number of arguments is wrong, or an argument is not an array on the GPU or has a different dtype.
        """
        if len(args) != len(self.in_params):
            wanted = ", ".join([p.name for p in self.in_params])
            raise TypeError(f"{self.name}: got {len(args)} arguments; expected {len(self.in_params)}: {wanted}")
        self._check(args)
        place = next(device_name(a) for a in args if is_array(a))
        kernel = self._compiled.get(place)
        if kernel is None:
            kernel = self._compiled.setdefault(place, compiled_kernel(*self._source))
        return kernel(*args)

    def _check(self, args: tuple[Array, ...]) -> None:
        """Refuse arrays on other devices, and dtypes that do not match the parameters."""
        meant: dict[str, tuple[str, np.dtype]] = {}
        for parameter, value in zip(self.in_params, args, strict=True):
            if isinstance(value, int | float | np.generic):
                continue
            if not is_array(value) or not on_gpu(value):
                self._check_gpu()
                came = f"an array on {device_name(value)}" if is_array(value) else a_kind(value)
                raise TypeError(f"{self.name}: {parameter.name} is {came}; expected an array on a GPU: see to_gpu")
            name, wanted = meant.setdefault(parameter.type, (parameter.name, _dtype(parameter, value)))
            if value.dtype != wanted:
                why = f"as {name} is: both are of type {parameter.type}" if parameter.is_placeholder else "as declared"
                raise TypeError(f"{self.name}: {parameter.name} is of dtype {value.dtype}; expected {wanted}, {why}")
        if not meant:
            self._check_gpu()
            raise TypeError(f"{self.name}: got numbers only; expected at least one array on a GPU")

    def _check_gpu(self) -> None:
        status = gpu_status()
        if status.state != "ok":
            raise RuntimeError(f"{self.name}: this kernel runs on a GPU only. {status.detail}")


@cache
def elementwise_kernel(in_params: str, out_params: str, operation: str, name: str = "kernel") -> ElementwiseKernel:
    """A CUDA kernel that computes each element from the corresponding elements of its arrays.

    It can be defined anywhere; calling it without CUDA raises an error that says so. The same arguments give the same
    object, which is compiled once per device; CuPy caches the binaries on disk.

    Parameters
    ----------
    in_params, out_params : str
        Comma-separated ``"type name"``. A type is either a dtype, such as ``float32``, and no other is accepted; or a
        capital letter, such as ``T``, which stands for the same dtype wherever it appears.
    operation : str
        C code in which the names denote single elements.
    name : str
        The name shown by profilers.

    Returns
    -------
    ElementwiseKernel
        Call it with the input arrays: one array for one output, a tuple for several.

    Raises
    ------
    ValueError
        If a parameter is not a type and a name, a name is repeated or reserved by CuPy, or an output has a letter that
        no input has.

    Examples
    --------
    >>> from autolab import elementwise_kernel
    >>> elementwise_kernel("T x, T y, T z", "T w", "w = x * y + z", "muladd_fwd")
    <elementwise kernel muladd_fwd(T x, T y, T z) -> (T w)>
    """
    return ElementwiseKernel(in_params, out_params, operation, name)


def _dtype(parameter: KernelParameter, value: Array) -> np.dtype:
    return value.dtype if parameter.is_placeholder else np.dtype(parameter.type)


def _checked_name(name: Any) -> str:
    if not isinstance(name, str) or not _NAME.match(name):
        raise ValueError(f"elementwise_kernel: name is {name!r:.60}; expected letters, digits and _, a letter first")
    return name


def _checked_operation(operation: Any, name: str) -> str:
    if not isinstance(operation, str) or not operation.strip():
        raise ValueError(f"{name}: operation is {operation!r:.60}; expected C code, such as 'z = x + y'")
    return operation


def _parsed(what: str, text: Any) -> tuple[KernelParameter, ...]:
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{what} is {text!r:.60}; expected types and names, such as 'T x, T y'")
    return tuple([_parameter(what, part) for part in text.split(",")])


def _parameter(what: str, text: str) -> KernelParameter:
    words = text.split()
    if len(words) != 2:
        raise ValueError(f"{what}: got {text.strip()!r:.60}; expected a type and a name, such as 'T x'")
    kind, name = words
    if kind not in _TYPES and not _PLACEHOLDER.match(kind):
        raise ValueError(f"{what}: {name!r:.60} has type {kind!r:.40}; expected a dtype, such as float32, or a letter")
    if not _NAME.match(name) or name in _RESERVED:
        raise ValueError(f"{what}: got the name {name!r:.60}; expected letters and digits, and not i or n (CuPy's own)")
    return KernelParameter(kind, name)


def _loaded_once(parameters: tuple[KernelParameter, ...]) -> tuple[str, str]:
    """The inputs under other names, and C code that copies each to its own name.

    In CuPy the name of an input is a reference to memory, which the compiler loads again after each stored output,
    because they could alias.
    """
    inputs = ", ".join([f"{p.type} from_{p.name}" for p in parameters])
    return inputs, "".join([f"const auto {p.name} = from_{p.name};\n" for p in parameters])


def _check_together(kernel: ElementwiseKernel) -> None:
    names = [p.name for p in (*kernel.in_params, *kernel.out_params)]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ValueError(f"{kernel.name}: the name {twice[0]!r:.60} comes twice; expected a name for each parameter")
    known = {p.type for p in kernel.in_params}
    for p in kernel.out_params:
        if p.is_placeholder and p.type not in known:
            raise ValueError(
                f"{kernel.name}: output {p.name!r:.60} is of type {p.type}, which no input has; expected one of "
                f"{', '.join(sorted(known))}, or a dtype"
            )
