"""Tensors as the arrays that a recording keeps, and structures of tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ...shared.structure import mapped, rebuilt
from ..library import Library
from ..needed import UnsupportedError

_NAMES = "float16 float32 float64 bool uint8 uint16 uint32 uint64 int8 int16 int32 int64"
SAME_DTYPES = {getattr(torch, name) for name in _NAMES.split()}
"""The dtypes that NumPy has too."""


def dtype_name(tensor: Tensor) -> str:
    """``float32``, ``bfloat16``: the dtype as PyTorch calls it."""
    return str(tensor.dtype).removeprefix("torch.")


def tensor_of(array: Any) -> Tensor:
    """A tensor on the memory of an array, also where that is only lent: PyTorch knows no such arrays, and what a
    backward writes to one is to be noticed."""
    if isinstance(array, np.ndarray) and not array.flags.writeable:
        array = array.view()
        try:
            array.setflags(write=True)
        except ValueError:  # its owner cannot be written to either
            array = array.copy()
    return torch.as_tensor(array)


def array_of(tensor: Tensor) -> np.ndarray:
    """The numbers in main memory; those of a dtype that NumPy does not have, such as bfloat16, as float32.

    It may share memory with the tensor.
    """
    if tensor.is_complex():
        raise UnsupportedError(
            f"record: a value is {dtype_name(tensor)}, and AutoLab shows real numbers; "
            "return torch.view_as_real(...) of it, or its abs()"
        )
    if tensor.is_quantized or tensor.is_meta or tensor.is_nested:
        kind = "quantized" if tensor.is_quantized else "nested" if tensor.is_nested else "without data (meta)"
        raise UnsupportedError(f"record: a tensor is {kind}; expected one with numbers of its own")
    plain = tensor.detach()
    if plain.layout != torch.strided:
        plain = plain.to_dense()
    if plain.dtype not in SAME_DTYPES:
        plain = plain.to(torch.float32)
    return np.asarray(plain.resolve_neg().cpu().numpy())


def tensors_in(value: Any, kinds: Any = Tensor) -> Iterator[Any]:
    """The tensors in a structure of tuples, lists and dicts, in order; or its values of other ``kinds``."""
    if isinstance(value, kinds):
        yield value
    elif isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from tensors_in(item, kinds)


def exchanged(value: Any, swap: Callable[[str, Any], Any], label: str = "", kinds: Any = Tensor) -> Any:
    """The structure with ``swap(label, value)`` for every tensor, or every value of other ``kinds``.

    Labels are ``state[0]``, ``batch[x]``.
    """
    if isinstance(value, kinds):
        return swap(label, value)
    if isinstance(value, dict) or (isinstance(value, list | tuple) and [*tensors_in(value, kinds)]):
        return mapped(value, lambda key, item: exchanged(item, swap, f"{label}[{key}]", kinds))
    return value


def _with_slots(tree: Any, swap: Callable[[str, Any], Any], label: str) -> Any:
    """The structure with ``swap(label, value)`` for every tensor and every NumPy array of numbers."""

    def taken(name: str, value: Any) -> Any:
        return swap(name, value) if isinstance(value, Tensor) or value.dtype.kind in "biuf" else value

    return exchanged(tree, taken, label, Tensor | np.ndarray)


def _like(y: Tensor, given: Any) -> Tensor:
    return torch.ones_like(y) if given is None else torch.as_tensor(given, dtype=y.dtype, device=y.device)


TORCH = Library(
    title="PyTorch",
    function="a function of tensors, or a module",
    literal="torch.tensor({numbers!r}, dtype={dtype})",
    nan="float('nan')",
    array_of=array_of,
    as_input=lambda value: value if isinstance(value, Tensor) else torch.from_numpy(np.array(value)),
    like=_like,
    has_gradient=lambda y: bool(y.requires_grad),
    dtype_of=dtype_name,
    device_of=lambda tensor: str(tensor.device),
    exchanged=_with_slots,
    rebuilt=rebuilt,
)
