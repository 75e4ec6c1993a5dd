"""The inputs of a torch function or module: its tensors, also inside tuples, lists and dicts."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import Module

from ...recording.locate import python_function
from ..inputs import BridgeInputs
from ..needed import UnsupportedError
from .edges import takes_context
from .tensors import TORCH


@dataclass(frozen=True)
class TorchInputs(BridgeInputs):
    """A torch function or module with its arguments. Tensors are its inputs, and NumPy arrays become tensors."""

    library = TORCH

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
    def code_name(self) -> str:
        return "module" if isinstance(self.fn, Module) else super().code_name

    @property
    def function(self) -> Any:
        """The ``torch.autograd.Function`` whose ``apply`` is called, if that is what is."""
        owner = getattr(self.fn, "__self__", None)
        is_function = isinstance(owner, type) and issubclass(owner, torch.autograd.Function)
        return owner if is_function and self.fn.__name__ == "apply" else None

    @property
    def python(self) -> Any:
        return python_function(self.written)

    @property
    def runs(self) -> Any:
        return self.fn if self.function is None else self.function.apply  # which a diagnosis changes

    @property
    def takes_keywords(self) -> bool:
        return self.function is None

    def signature(self) -> inspect.Signature:
        if self.function is None:
            return inspect.signature(self.written)
        found = inspect.signature(self.function.forward)
        return found.replace(parameters=list(found.parameters.values())[takes_context(self.function) :])

    def leaves(self, values: Mapping[str, Tensor] | None = None) -> dict[str, Tensor]:
        """Fresh tensors with the numbers of ``values`` (by default the inputs'); those of floats require a gradient."""
        given = {**self.values, **(values or {})}
        return {name: t.detach().clone().requires_grad_(t.is_floating_point()) for name, t in given.items()}

    def refuse(self) -> None:
        """Raise if the function was compiled, so that no step of it can be seen."""
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


bind = TorchInputs.bind
