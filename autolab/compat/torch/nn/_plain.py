"""Layers without parameters, generated from the functions, and containers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ....links import chain as _chain
from ....links import function_layers as _links
from ...absent import missing, originals
from ...table import with_settings
from .. import _shapes
from . import _layers
from . import functional as F
from ._module import Layer, Module
from .parameter import Parameter


def _layer(name: str, function: Callable[..., Any], skipped: int = 1) -> Any:
    """A module that calls a function; its settings are the function's parameters after the first ``skipped``."""
    parameters = list(inspect.signature(function).parameters.values())
    settings = [p for p in parameters[skipped:] if p.name not in ("_stacklevel", "dtype")]
    if "return_indices" in [p.name for p in settings]:  # in PyTorch's layers it comes before this one
        settings.sort(key=lambda p: p.name == "ceil_mode")
    settings = [p.replace(kind=p.POSITIONAL_OR_KEYWORD) for p in settings if p.kind is not p.VAR_KEYWORD]
    numbers = {p.name for p in settings if type(p.default) in (int, float, str)} if skipped == 1 else set()
    always = numbers | {"ceil_mode"} if "dilation" in numbers else numbers  # PyTorch shows these whatever their value

    def begin(self: Any) -> None:
        if vars(self).get("stride", 1) is None:
            self.stride = self.kernel_size

    def forward(self: Any, *inputs: Any) -> Any:
        """The function's result."""
        return function(*inputs, *self._others(self))

    def extra_repr(self: Any) -> str:
        given = [(p.name, getattr(self, p.name), p.default) for p in settings if not name.endswith("Loss")]
        shown = [one for one in given if one[0] in always or (one[1] is not one[2] and one[1] != one[2])]
        return ", ".join([f"{name}={value!r}" for name, value, _ in shown])

    body = {"_begin": begin, "extra_repr": extra_repr, "__module__": __name__}
    body |= {"_function": function, "_inputs": skipped} | ({"forward": forward} if skipped > 1 else {})
    said = f"`functional.{function.__name__}` as a module."
    return with_settings(Layer, name, said, inspect.Signature(settings), **body)


class Dropout(Layer):
    """Dropout: zeroes random elements in training mode."""

    _function, _shown = F.dropout, "p={p}, inplace={inplace}"

    def _begin(self) -> None:
        if not 0 <= self.p <= 1:
            raise ValueError(f"Dropout: p is {self.p}; expected a probability, from 0 to 1")


class Dropout2d(Dropout):
    """Dropout of whole channels."""

    _function = F.dropout2d


class PReLU(Layer):
    """The element if it is positive, otherwise the element times a learnt slope."""

    _function, _shown = F.prelu, "num_parameters={num_parameters}"

    def _begin(self) -> None:
        self.weight = Parameter(np.full(self.num_parameters, self.init, np.float32))


class Identity(Module):
    """Returns its input unchanged."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """``input`` itself."""
        return input


class Flatten(Layer):
    """Flattens the axes from ``start_dim`` to ``end_dim`` into one."""

    _function, _shown = _shapes.flatten, "start_dim={start_dim}, end_dim={end_dim}"


class Unflatten(Layer):
    """Splits one axis into several."""

    _shown = "dim={dim}, unflattened_size={unflattened_size}"

    def forward(self, input: Any) -> Any:
        """The same elements in the new shape."""
        return _shapes.unflatten(input, self.dim, self.unflattened_size)


# ---------------------------------------------------------------------- containers
class _Row(_chain.Steps, Module):
    """A row of modules: each module that is registered is one of them, under any name."""

    def _taken(self, step: Any) -> Any:
        if not isinstance(step, Module):
            raise TypeError(f"{type(self).__name__}: got {type(step).__name__}; expected modules, such as nn.ReLU()")
        return step

    def _register(self, name: str, kind: Any, value: Any) -> None:
        if kind == "link" and name not in self._names:
            self._names, self._items = [*self._names, name], [*self._items, value]
        super()._register(name, kind, value)


class Sequential(_Row, _chain.Sequential):
    """Modules applied one after the other, each to the result of the previous one.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    >>> model(torch.ones(4, 2)).shape, list(model.state_dict())
    (torch.Size([4, 1]), ['0.weight', '0.bias', '2.weight', '2.bias'])
    """

    def _of(self, steps: Any) -> Any:
        return Sequential(*steps)

    def forward(self, input: Any) -> Any:
        """The last module's result; a tuple is passed on as it is."""
        for module in self:
            input = module(input)
        return input


class ModuleList(_Row, _links.ModuleList):
    """A list of modules."""

    def __init__(self, modules: Iterable[Any] = (), *more: Any) -> None:
        is_one = isinstance(modules, Module) and not isinstance(modules, _Row)
        given: list[Any] = [modules, *more] if is_one else [*modules]
        super().__init__(given)


class ModuleDict(Module, _links.ModuleDict):
    """Modules by name."""


class ParameterList(_links.ParameterList, Module):
    """A list of parameters."""

    _made = Parameter


def _of_functions() -> Iterator[tuple[str, Any]]:
    """The layers that only call a function: its name without underscores; for losses, ``Loss`` is appended."""
    there = {name.replace("_", ""): one for name, one in vars(F).items() if name in originals()["torch.nn.functional"]}
    there |= {"bceloss": F.binary_cross_entropy, "bcewithlogitsloss": F.binary_cross_entropy_with_logits}
    there["upsample"] = F.interpolate
    for name in originals()["torch.nn"]:
        function = there.get(name.lower()) or there.get(name.lower().removesuffix("loss"))
        if function is not None and name not in {**vars(_layers), **globals()}:
            inputs = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
            yield name, _layer(name, function, len(inputs) if name.endswith(("Loss", "Similarity", "Distance")) else 1)


globals().update(dict(_of_functions()))
__getattr__ = missing(__name__)
