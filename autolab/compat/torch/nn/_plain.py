"""Layers without parameters, made of the functions, and containers."""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ....links import function_layers as _links
from ...table import fill, with_settings
from .. import _shapes
from . import functional as F
from ._module import Layer, Module
from .parameter import Parameter


def _layer(name: str, function: Callable[..., Any], skipped: int = 1) -> Any:
    """A module that calls a function; its settings are those of the function behind the first arguments."""
    parameters = list(inspect.signature(function).parameters.values())
    settings = [p for p in parameters[skipped:] if p.name not in ("_stacklevel", "dtype")]
    settings = [p.replace(kind=p.POSITIONAL_OR_KEYWORD) for p in settings if p.kind is not p.VAR_KEYWORD]

    def forward(self: Any, *args: Any) -> Any:
        """The function's result."""
        return function(*args, **{p.name: getattr(self, p.name) for p in settings})

    def extra_repr(self: Any) -> str:
        given = [(p.name, getattr(self, p.name), p.default) for p in settings]
        return ", ".join([f"{name}={v}" for name, v, usual in given if v is not usual and v != usual])

    body = {"forward": forward, "extra_repr": extra_repr, "__module__": __name__}
    said = f"`functional.{function.__name__}` as a module."
    return with_settings(Layer, name, said, inspect.Signature(settings), **body)


class Dropout(Layer):
    """Elements set to 0 at random in training."""

    _shown = "p={p}, inplace={inplace}"

    def _begin(self) -> None:
        if not 0 <= self.p <= 1:
            raise ValueError(f"Dropout: p is {self.p}; expected a probability, from 0 to 1")

    def forward(self, input: Any) -> Any:
        """``input`` with some of its elements at 0."""
        return F.dropout(input, self.p, self.training, self.inplace)


class PReLU(Layer):
    """The element where it is positive, else a learnt slope times it."""

    _shown = "num_parameters={num_parameters}"

    def _begin(self) -> None:
        self.weight = Parameter(np.full(self.num_parameters, self.init, np.float32))

    def forward(self, input: Any) -> Any:
        """The function's result."""
        return F.prelu(input, self.weight)


class Identity(Module):
    """What comes goes on."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """``input`` itself."""
        return input


class Flatten(Layer):
    """The axes from ``start_dim`` to ``end_dim`` as one."""

    _shown = "start_dim={start_dim}, end_dim={end_dim}"

    def forward(self, input: Any) -> Any:
        """The flat examples."""
        return _shapes.flatten(input, self.start_dim, self.end_dim)


class Unflatten(Layer):
    """One axis as several."""

    _shown = "dim={dim}, unflattened_size={unflattened_size}"

    def forward(self, input: Any) -> Any:
        """The same elements in the other shape."""
        return _shapes.unflatten(input, self.dim, self.unflattened_size)


# ---------------------------------------------------------------------- containers
class _Row(Module):
    """Modules in a row, called ``0``, ``1``, ``2`` ..."""

    def _modules_in_row(self) -> list[Any]:
        return [module for _, module in self._own("link")]

    def __len__(self) -> int:
        return len(self._modules_in_row())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules_in_row())

    def __getitem__(self, index: Any) -> Any:
        found = self._modules_in_row()[index]
        return type(self)(*found) if isinstance(index, slice) else found

    def append(self, module: Any) -> Any:
        """Add a module at the end; gives itself back."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[Any]) -> Any:
        """Add several."""
        for module in modules:
            self.append(module)
        return self


class Sequential(_Row):
    """Modules, each applied to the result of the one before.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    >>> model(torch.ones(4, 2)).shape, list(model.state_dict())
    (torch.Size([4, 1]), ['0.weight', '0.bias', '2.weight', '2.bias'])
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for module in args:
                if not isinstance(module, Module):
                    raise TypeError(f"Sequential: got {type(module).__name__}; expected modules, such as nn.ReLU()")
                self.append(module)

    def forward(self, input: Any) -> Any:
        """The last module's result."""
        for module in self._modules_in_row():
            input = module(input)
        return input


class ModuleList(_Row):
    """A list of modules."""

    def __init__(self, modules: Iterable[Any] = (), *more: Any) -> None:
        super().__init__()
        self.extend([modules, *more] if isinstance(modules, Module) and not isinstance(modules, _Row) else modules)


class ModuleDict(Module, _links.ModuleDict):
    """Modules by name."""

    def keys(self) -> list[str]:  # type: ignore[override]  # which has a length
        """The names."""
        return [*self]

    def items(self) -> list[tuple[str, Any]]:  # type: ignore[override]
        """Names and modules."""
        return [*self._own("link")]


class ParameterList(Module):
    """A list of parameters."""

    def __init__(self, values: Iterable[Any] = ()) -> None:
        super().__init__()
        for i, value in enumerate(values):
            self.register_parameter(str(i), value if isinstance(value, Parameter) else Parameter(value))

    def __len__(self) -> int:
        return len([*self._own("parameter")])

    def __iter__(self) -> Iterator[Any]:
        return iter([value for _, value in self._own("parameter")])

    def __getitem__(self, index: int) -> Any:
        return [*self][index]


__getattr__ = fill(__name__)
