"""PyTorch's tensors, single or in containers, as arrays of a recording and as the inputs of a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import Module

from ...recording.locate import python_function
from ...shared.binding import signature_of
from ...shared.structure import mapped, rebuilt
from ..inputs import BridgeInputs
from ..library import Library
from ..needed import UnsupportedError

_NAMES = "float16 float32 float64 bool uint8 uint16 uint32 uint64 int8 int16 int32 int64"
SAME_DTYPES = {getattr(torch, name) for name in _NAMES.split()}
"""The dtypes that NumPy has, too."""
_MANY = 64
"""A list with more items is data; no modules are looked for in it."""


def dtype_name(tensor: Tensor) -> str:
    """PyTorch's name of the dtype: ``float32``, ``bfloat16``."""
    return str(tensor.dtype).removeprefix("torch.")


def tensor_of(array: Any) -> Tensor:
    """A tensor on the memory of an array, even if that is read-only: PyTorch has no read-only tensors, and a backward
    that writes to one is to be noticed.
    """
    if isinstance(array, np.ndarray) and not array.flags.writeable:
        array = array.view()
        try:
            array.setflags(write=True)
        except ValueError:  # its owner is read-only, too
            array = array.copy()
    return torch.as_tensor(array)


def array_of(tensor: Tensor) -> np.ndarray:
    """The numbers in main memory; dtypes that NumPy lacks, such as bfloat16, are converted to float32.

    The result may share memory with the tensor.
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


def needs_gradient(tensor: Tensor) -> bool:
    """Whether a gradient arrives at a tensor. None arrives at a view made under ``no_grad`` of a value that has one,
    although PyTorch says that it requires it.
    """
    if not tensor.requires_grad or tensor.grad_fn is not None or not tensor._is_view():
        return tensor.requires_grad
    with torch.enable_grad():
        viewed: Any = torch.ops.aten.alias.default(tensor).grad_fn
    return viewed is not None and viewed.next_functions[0][0] is not None


def tensors_in(value: Any, kinds: Any = Tensor) -> Iterator[Any]:
    """The tensors in a structure of tuples, lists and dicts, in order; or its values of other ``kinds``."""
    if isinstance(value, kinds):
        yield value
    elif isinstance(value, dict | list | tuple):
        for item in value.values() if isinstance(value, dict) else value:
            yield from tensors_in(item, kinds)


def modules_in(value: Any, label: str, depth: int = 3) -> Iterator[tuple[str, Module]]:
    """The modules in a structure of tuples, lists and dicts, with labels such as ``nets[g]``."""
    if isinstance(value, Module):
        yield label, value
    elif isinstance(value, dict | list | tuple) and depth and len(value) < _MANY:
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from modules_in(item, f"{label}[{key}]", depth - 1)


def exchanged(value: Any, swap: Callable[[str, Any], Any], label: str = "", kinds: Any = Tensor) -> Any:
    """The structure with ``swap(label, value)`` in place of every tensor, or of every value of other ``kinds``.

    Labels are ``state[0]``, ``batch[x]``.
    """
    if isinstance(value, kinds):
        return swap(label, value)
    if isinstance(value, dict) or (isinstance(value, list | tuple) and [*tensors_in(value, kinds)]):
        return mapped(value, lambda key, item: exchanged(item, swap, f"{label}[{key}]", kinds))
    return value


def _with_slots(tree: Any, swap: Callable[[str, Any], Any], label: str) -> Any:
    """The structure with ``swap(label, value)`` in place of every tensor and every numeric NumPy array."""

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
    has_gradient=needs_gradient,
    dtype_of=dtype_name,
    device_of=lambda tensor: str(tensor.device),
    exchanged=_with_slots,
    rebuilt=rebuilt,
)


def takes_context(function: Any) -> bool:
    """Whether the first parameter of a Function's forward is ``ctx``, that is, whether it has no ``setup_context``."""
    return function.setup_context is torch.autograd.Function.setup_context


@dataclass(frozen=True)
class TorchInputs(BridgeInputs):
    """A torch function or module with its arguments. Tensors are its inputs; NumPy arrays are converted to tensors."""

    library = TORCH

    @property
    def module(self) -> Module | None:
        """The module that is called, or whose method is; else None."""
        owner = self.fn if isinstance(self.fn, Module) else getattr(self.fn, "__self__", None)
        return owner if isinstance(owner, Module) else None

    @property
    def learned(self) -> Module | None:
        """The module whose parameters are inputs as well: the function itself, or one that holds those among its
        arguments under their names."""
        if isinstance(self.fn, Module):
            return self.fn
        signature = self.signature()
        names = [*signature.parameters] if signature is not None else [f"x{i}" for i in range(len(self._args))]
        given = {**dict(zip(names, self._args, strict=False)), **self._kwargs}
        holder = Module()
        for name, value in given.items():
            if isinstance(value, Module):
                holder.add_module(name, value)
        holder.forward = self.fn
        return holder if [*holder.children()] else None

    @property
    def modules(self) -> dict[str, Module]:
        """The modules among the arguments, by the names of these."""
        signature = self.signature()
        given = {} if signature is None else signature.bind(*self._args, **self._kwargs).arguments
        return {name: module for key, value in given.items() for name, module in modules_in(value, key)}

    @property
    def written(self) -> Any:
        """The user's function: the forward of a module, or the function itself."""
        return self.fn.forward if isinstance(self.fn, Module) else self.fn

    @property
    def name(self) -> str:
        """The name of the function, or of the module's class."""
        return str(getattr(self.function or self.fn, "__name__", type(self.fn).__name__))

    @property
    def code_name(self) -> str:
        return "module" if isinstance(self.fn, Module) else super().code_name

    @property
    def function(self) -> Any:
        """The ``torch.autograd.Function`` whose ``apply`` is called; else None."""
        owner = getattr(self.fn, "__self__", None)
        is_function = isinstance(owner, type) and issubclass(owner, torch.autograd.Function)
        return owner if is_function and self.fn.__name__ == "apply" else None

    @property
    def python(self) -> Any:
        return python_function(self.written)

    @property
    def runs(self) -> Any:
        return self.fn if self.function is None else self.function.apply  # a diagnosis replaces it

    @property
    def takes_keywords(self) -> bool:
        return self.function is None

    def signature(self) -> inspect.Signature | None:
        if self.function is None:
            return signature_of(self.written)
        found = inspect.signature(self.function.forward)
        return found.replace(parameters=list(found.parameters.values())[takes_context(self.function) :])

    def leaves(self, values: Mapping[str, Tensor] | None = None) -> dict[str, Tensor]:
        """Fresh tensors with the numbers of ``values`` (by default the inputs'); floating-point ones require a
        gradient, unless they are sparse.
        """
        given = {**self.values, **(values or {})}
        wanted = {name for name, t in given.items() if t.is_floating_point() and t.layout == torch.strided}
        return {name: t.detach().clone().requires_grad_(name in wanted) for name, t in given.items()}

    def refuse(self) -> None:
        """Raise if the function is compiled, so that its steps cannot be followed."""
        original = getattr(self.fn, "_torchdynamo_orig_callable", None) or getattr(self.fn, "_orig_mod", None)
        if original is not None:
            name = getattr(self.fn, "__name__", type(self.fn).__name__)
            raise UnsupportedError(
                f"{self.caller}: {name} is compiled (torch.compile), and none of its steps can be seen; give the "
                "function from before torch.compile"
            )
        if isinstance(self.fn, torch.jit.ScriptModule | torch.jit.ScriptFunction):
            raise UnsupportedError(
                f"{self.caller}: a function of torch.jit shows none of its steps; give the Python function"
            )
