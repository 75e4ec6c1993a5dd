"""The inputs of a torch function or module: its tensors, by the names of its signature."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import Module

from ...engine.errors import a_kind
from ...shared.arguments import InputPlaceholder
from ...shared.structure import rebuilt
from ..needed import UnsupportedError
from .regions import takes_context
from .tensors import exchanged


@dataclass(frozen=True)
class TorchInputs:
    """A function with its arguments. The tensors among them, also inside tuples, lists and dicts, are its inputs.

    ``caller`` is the tool that bound them, for its messages.
    """

    fn: Any
    tensors: dict[str, Tensor]
    _args: tuple[Any, ...]
    _kwargs: dict[str, Any]
    caller: str

    @property
    def module(self) -> Module | None:
        """The module, if that is what is called; that of a method."""
        owner = self.fn if isinstance(self.fn, Module) else getattr(self.fn, "__self__", None)
        return owner if isinstance(owner, Module) else None

    @property
    def written(self) -> Any:
        """What the user wrote: the forward of a module, the function itself."""
        return self.fn.forward if isinstance(self.fn, Module) else self.fn

    @property
    def name(self) -> str:
        """The function's name, a module's class."""
        return str(getattr(self.function or self.fn, "__name__", type(self.fn).__name__))

    @property
    def function(self) -> Any:
        """The ``torch.autograd.Function`` whose ``apply`` is called, if that is what is."""
        return applied(self.fn)

    def leaves(self, values: Mapping[str, Tensor] | None = None) -> dict[str, Tensor]:
        """Fresh tensors with the numbers of ``values`` (by default the inputs'); those of floats require a gradient."""
        given = {**self.tensors, **(values or {})}
        return {name: t.detach().clone().requires_grad_(t.is_floating_point()) for name, t in given.items()}

    def call(self, leaves: Mapping[str, Tensor]) -> Any:
        """Run the function on them."""
        args = [_filled(a, leaves) for a in self._args]
        fn = self.fn if self.function is None else self.function.apply
        return fn(*args, **{key: _filled(a, leaves) for key, a in self._kwargs.items()})


def applied(fn: Any) -> Any:
    """The Function whose ``apply`` this is; None for anything else."""
    owner = getattr(fn, "__self__", None)
    is_function = isinstance(owner, type) and issubclass(owner, torch.autograd.Function)
    return owner if is_function and fn.__name__ == "apply" else None


def bind(caller: str, fn: Any, args: tuple[Any, ...], inputs: Mapping[str, Any]) -> TorchInputs:
    """Bind ``args`` and ``inputs`` to the signature of ``fn``; NumPy arrays become tensors.

    Raises
    ------
    TypeError
        If ``fn`` is not callable, or the arguments do not fit its signature.
    UnsupportedError
        If it is compiled.
    """
    if not callable(fn):
        raise TypeError(f"{caller}: fn is {a_kind(fn)}; expected a function of tensors, or a module")
    refuse_compiled(caller, fn)
    function = applied(fn)
    written = fn.forward if isinstance(fn, Module) else fn
    found: dict[str, Tensor] = {}

    def slot(label: str, tensor: Tensor) -> InputPlaceholder:
        found[label] = tensor
        return InputPlaceholder(label)

    try:
        signature = inspect.signature(written if function is None else function.forward)
        parameters = list(signature.parameters.values())
        if function is not None and takes_context(function):
            signature = signature.replace(parameters=parameters[1:])
        bound = signature.bind(*args, **inputs)
        if function is not None:
            bound.apply_defaults()  # apply takes no keywords, so none may be left out
    except ValueError:  # a built-in function has no signature
        labelled = tuple([exchanged(_tensors(a), slot, f"x{i}") for i, a in enumerate(args)])
        kwargs = {k: exchanged(_tensors(v), slot, k) for k, v in inputs.items()}
        return TorchInputs(fn, found, labelled, kwargs, caller)
    except TypeError as error:
        name = getattr(fn, "__name__", type(fn).__name__)
        raise TypeError(f"{caller}: {name}{signature} does not take these inputs: {error}") from None
    for key, value in bound.arguments.items():
        if signature.parameters[key].kind is inspect.Parameter.VAR_KEYWORD:
            bound.arguments[key] = {k: exchanged(_tensors(v), slot, k) for k, v in value.items()}
        else:
            bound.arguments[key] = exchanged(_tensors(value), slot, key)
    return TorchInputs(fn, found, bound.args, bound.kwargs, caller)


def refuse_compiled(caller: str, fn: Any) -> None:
    """Raise if a function was compiled, so that no step of it can be seen."""
    original = getattr(fn, "_torchdynamo_orig_callable", None) or getattr(fn, "_orig_mod", None)
    if original is not None:
        name = getattr(fn, "__name__", type(fn).__name__)
        raise UnsupportedError(
            f"{caller}: {name} is compiled (torch.compile), and none of its steps can be seen; give the function from "
            "before torch.compile"
        )
    if isinstance(fn, torch.jit.ScriptModule | torch.jit.ScriptFunction):
        raise UnsupportedError(f"{caller}: a function of torch.jit shows none of its steps; give the Python function")


def _tensors(value: Any) -> Any:
    """NumPy arrays as tensors, alone or inside tuples, lists and dicts."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return torch.from_numpy(np.array(value))
    if isinstance(value, dict):
        return type(value)((key, _tensors(item)) for key, item in value.items())
    if type(value) in (list, tuple):
        return type(value)(_tensors(item) for item in value)
    return value


def _filled(value: Any, leaves: Mapping[str, Tensor]) -> Any:
    return rebuilt(value, lambda leaf: leaves[leaf.name] if isinstance(leaf, InputPlaceholder) else leaf)
