"""What a recording of PyTorch refuses, by name, because a number in the picture could differ from PyTorch's."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ..needed import UnsupportedError
from . import calls
from .edges import function_of

_HOOKS = {Tensor.register_hook, Tensor.register_post_accumulate_grad_hook}
_COMPILED = ("CompiledFunction", "ApplyTemplate")
_ATTRIBUTES = {"data": "x = x + ... makes a new tensor", "grad": "leave it to the optimizer"}


def refuse_call(func: Any, args: Any, kwargs: dict[str, Any]) -> None:
    """Raise for a call that cannot be shown correctly."""
    name = calls.name_of(func)
    if func in _HOOKS:
        raise UnsupportedError(
            "record: register_hook: a hook may change gradients on their way, and the picture would not show it; "
            "leave the hook out"
        )
    if func is Tensor.backward or func is torch.autograd.backward:
        raise UnsupportedError(
            "record: the function calls backward(); return the loss, the recording differentiates it"
        )
    if calls.sets_attribute(func) and name in _ATTRIBUTES:
        raise UnsupportedError(f"record: .{name} = ... changes a tensor behind autograd's back; {_ATTRIBUTES[name]}")
    if kwargs.get("out") is not None and torch.is_grad_enabled():
        raise UnsupportedError(f"record: {name}(..., out=...) writes into another tensor; use its result")
    if getattr(func, "__name__", "") == "CheckpointFunction":
        raise UnsupportedError(
            "record: reentrant checkpointing computes its gradients in a backward pass of its own; use "
            "checkpoint(..., use_reentrant=False)"
        )


def refuse_transformed(tensors: list[Tensor]) -> None:
    """Raise inside ``vmap`` and similar transforms."""
    if any(torch._C._functorch.is_functorch_wrapped_tensor(tensor) for tensor in tensors):
        raise UnsupportedError(
            "record: inside vmap and the other transforms of torch.func tensors stand for many, or for others; write "
            "the batch as an axis, and derivatives with torch.autograd.grad(..., create_graph=True)"
        )


def refuse_unseen(node: Any) -> None:
    """Raise for a value computed where calls are not observed."""
    cls = function_of(node)
    if cls is None or cls.__name__.startswith(_COMPILED):
        raise UnsupportedError(
            f"record: a value with the gradient {node.name()} was made by code whose calls cannot be seen "
            "(torch.compile, torch.jit, or an extension); give the Python function from before it was compiled"
        )


def refuse_change(tensor: Tensor, func: Any) -> None:
    """Raise for a change in place that cannot be followed."""
    name = calls.name_of(func)
    if tensor._is_view() and (tensor.requires_grad or torch.is_grad_enabled()):
        raise UnsupportedError(
            f"record: {name} writes to a view of another tensor, which changes as well; write to the tensor itself, or "
            "make a new one (torch.where, torch.cat, clone())"
        )
    if tensor.requires_grad and not torch.is_grad_enabled():
        raise UnsupportedError(
            f"record: {name} changes a tensor in place under no_grad; gradients would belong to other numbers"
        )


def refuse_kind(tensor: Tensor, name: str | None) -> None:
    """Raise for a tensor whose class computes in its own way, and for a sparse one that requires a gradient."""
    kind, what = type(tensor), name or "a tensor"
    if kind is not Tensor and kind.__torch_function__ is not torch._C._disabled_torch_function_impl:
        raise UnsupportedError(
            f"record: {what} is a {kind.__name__:.60}, a subclass that may compute in its own way; give the plain "
            "tensor, x.as_subclass(torch.Tensor)"
        )
    if tensor.layout != torch.strided and tensor.requires_grad:
        raise UnsupportedError(
            f"record: {what} is sparse and requires a gradient; detach() it if it is a constant, or use to_dense()"
        )


def refuse_hooked(tensor: Tensor, name: str | None) -> None:
    """Raise if a hook could change the gradient of a value that the function uses."""
    if tensor._backward_hooks:
        raise UnsupportedError(
            f"record: {name or 'a tensor'} has a hook, which may change its gradient; remove the hook"
        )


def refuse_modified(error: RuntimeError) -> None:
    """Raise if PyTorch's backward refused because a value was changed in place."""
    said = str(error)
    if "modified by an inplace operation" in said:
        raise UnsupportedError(
            "record: a value that a gradient needs was changed in place later on; use an operation that makes a new "
            f"tensor. PyTorch says: {said.partition('. Hint')[0]:.160}"
        ) from error
