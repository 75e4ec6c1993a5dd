"""What a recording of PyTorch refuses, by name, because a number in the picture could differ from PyTorch's.

A call of a PyTorch function: its name, its parameters, and what it changes in place.
"""

from __future__ import annotations

import inspect
from functools import cache
from typing import Any

import torch
from torch import Tensor
from torch.overrides import get_testing_overrides

from ...engine.leaving import How
from ...recording.rule_text import exact_text
from ..needed import UnsupportedError
from .edges import function_of
from .inputs import needs_gradient, tensors_in

_NAMES = {
    "truediv": "div",
    "true_divide": "div",
    "divide": "div",
    "multiply": "mul",
    "subtract": "sub",
    "negative": "neg",
    "getitem": "getitem",
}
_REVERSED = {f"__r{name}__" for name in ("add", "sub", "mul", "truediv", "div", "pow", "matmul", "mod", "floordiv")}
_INPLACE = {f"__i{name}__" for name in ("add", "sub", "mul", "truediv", "div", "pow", "mod", "floordiv", "and", "or")}
_MEMORY = {"numpy", "__array__", "__dlpack__", "data_ptr", "storage", "untyped_storage", "set_"}
_ARITHMETIC = {"add", "sub", "mul", "div", "pow", "remainder", "fmod", "maximum", "minimum", "floor_divide", "atan2"}
_ARITHMETIC |= {"eq", "ne", "lt", "le", "gt", "ge", "where", "true_divide", "mod", "floordiv"}
_TAKEN = {"item", "tolist", "numpy", "float", "int", "array", "detach", "data"}
_RECURRENT = (torch.lstm, torch.gru, torch.rnn_tanh, torch.rnn_relu)
_SETTINGS = ("hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional")
_TENSORS = {"T", "mT", "H", "mH", "real", "imag", "data"}
"""Properties of a tensor that return a tensor computed from it."""


@cache
def name_of(func: Any) -> str:
    """The function's name without spelling variants: ``mul`` for ``*``, ``relu`` for ``relu_``."""
    name = str(getattr(func, "__name__", type(func).__name__))
    if name in ("__get__", "__set__"):
        return str(func.__self__.__name__)
    if name in _REVERSED | _INPLACE:
        name = name[3:-2]
    elif name.startswith("__") and name.endswith("__"):
        name = name[2:-2]
    name = name.removesuffix("_") or name
    return _NAMES.get(name, name)


@cache
def is_property(func: Any) -> bool:
    """Whether it reads or sets an attribute of a tensor that is not itself a tensor."""
    return getattr(func, "__name__", "") == "__get__" and name_of(func) not in _TENSORS


@cache
def sets_attribute(func: Any) -> bool:
    """Whether it sets an attribute of a tensor, such as ``.data``."""
    return getattr(func, "__name__", "") == "__set__"


@cache
def is_reversed(func: Any) -> bool:
    """Whether the second argument is first in the expression: ``2 - x`` calls ``x.__rsub__(2)``."""
    return getattr(func, "__name__", "") in _REVERSED


@cache
def _changes_first(func: Any) -> bool:
    name = str(getattr(func, "__name__", ""))
    return name in _INPLACE or name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))


def changed_in_place(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor | None:
    """The tensor that the call changes, as far as its name and arguments say."""
    if not args or not isinstance(args[0], Tensor):
        return None
    if _changes_first(func):
        return args[0]
    names = parameters(func)
    at = names.index("inplace") if "inplace" in names else len(args)
    return args[0] if kwargs.get("inplace") or (at < len(args) and args[at] is True) else None


def gives_memory_away(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether the call writes to a tensor, or gives others access to its memory."""
    name = getattr(func, "__name__", "")
    return name in _MEMORY or _changes_first(func) or changed_in_place(func, args, kwargs) is not None


def leaves_graph(func: Any, result: Any) -> How | None:
    """How the call took its operands out of autograd's graph, if it did: as numbers, by ``detach``, or under
    ``no_grad``."""
    if name_of(func) in _TAKEN:
        return "left"
    is_recorded = torch.is_grad_enabled() or any(needs_gradient(t) for t in tensors_in(result))
    return None if is_recorded else "no_grad"


@cache
def parameters(func: Any) -> tuple[str, ...]:
    """The names of the positional parameters, as far as PyTorch provides them."""
    return tuple(_signature(func))


@cache
def _signature(func: Any) -> dict[str, Any]:
    """The parameters with their defaults: of a Python function its own, else those of PyTorch's override for tests
    (``get_testing_overrides``)."""
    for known in (func if hasattr(func, "__code__") else None, _overrides().get(func)):
        try:
            given = inspect.signature(known).parameters if known is not None else {}
        except ValueError:
            continue
        named = {p.name: p.default for p in given.values() if p.kind is p.POSITIONAL_OR_KEYWORD}
        if named:
            return named
    return {}


@cache
def _overrides() -> dict[Any, Any]:
    return dict(get_testing_overrides())


def labels(func: Any, args: tuple[Any, ...], skip: bool = False) -> list[str]:
    """The names of the positional arguments; ``skip`` omits the first parameter, such as ``ctx``."""
    names = parameters(func)[skip:]
    if func in _RECURRENT:  # PyTorch gives the names of one form only
        is_packed = len(args) > 3 and isinstance(args[3], list | tuple)
        names = ("data", "batch_sizes", *_SETTINGS) if is_packed else ("input", *_SETTINGS, "batch_first")
    return [names[i] if i < len(names) else f"args[{i}]" for i in range(len(args))]


def arguments(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[str, Any]]:
    """The arguments with their labels. Numbers after the last parameter belong to it: ``x.reshape(2, 3)`` has a shape
    of two numbers.
    """
    names = parameters(func)
    given = list(zip(labels(func, args), args, strict=True))
    if len(args) > len(names) > 1 and all(isinstance(a, int) for a in args[len(names) - 1 :]):
        given = [*given[: len(names) - 1], (names[-1], args[len(names) - 1 :])]
    return [*given, *kwargs.items()]


def constant_text(func: Any, value: Any) -> str | None:
    """The text of a number that is an operand: ``2`` in ``x * 2``; None for an attribute."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return exact_text(value) if is_number and name_of(func) in _ARITHMETIC else None


def attributes(func: Any, given: list[tuple[str, Any]]) -> tuple[tuple[str, str], ...]:
    """Names and texts of the attributes that differ from their defaults; tensors and operands are not attributes."""
    defaults = _signature(func)
    found = []
    for label, value in given:
        if value is None or isinstance(value, Tensor) or constant_text(func, value) is not None:
            continue
        if isinstance(value, list | tuple) and any(isinstance(item, Tensor) for item in value):
            continue
        default = defaults.get(label)
        if type(value) is not type(default) or value != default:
            found.append((label, f"{value!r:.60}"))
    return tuple(found)


_HOOKS = {Tensor.register_hook, Tensor.register_post_accumulate_grad_hook}
_COMPILED = ("CompiledFunction", "ApplyTemplate")
_ATTRIBUTES = {"data": "x = x + ... makes a new tensor", "grad": "leave it to the optimizer"}


def refuse_call(func: Any, args: Any, kwargs: dict[str, Any]) -> None:
    """Raise for a call that cannot be shown correctly."""
    name = name_of(func)
    if func in _HOOKS:
        raise UnsupportedError(
            "record: register_hook: a hook may change gradients on their way, and the picture would not show it; "
            "leave the hook out"
        )
    if func is Tensor.backward or func is torch.autograd.backward:
        raise UnsupportedError(
            "record: the function calls backward(); return the loss, the recording differentiates it"
        )
    if sets_attribute(func) and name in _ATTRIBUTES:
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
    name = name_of(func)
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
