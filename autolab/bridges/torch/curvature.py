"""A loss of a torch module near its parameters, as `autolab.curvature` takes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.func import functional_call
from torch.nn import Module

from ...analysis.curvature import LossNearby
from ...analysis.loss_space import by_layer, joined, parts
from ...engine import a_kind
from .inputs import array_of


def loss_nearby(loss: Callable[..., Any], model: Any, data: tuple[Any, ...]) -> LossNearby:
    """The loss at the parameters of a module that require a gradient, or at a tensor or a tuple of them.

    Examples
    --------
    >>> import autolab, torch
    >>> found = autolab.curvature(lambda x: (x**2).sum(), torch.tensor([1.0, 2.0]))
    >>> found.largest.value, found.trace
    (2.0, 4.0)
    """
    if isinstance(model, Module):
        named = {name: p for name, p in model.named_parameters() if p.requires_grad}
    else:
        tensors = model if isinstance(model, tuple) else (model,)
        named = {f"p[{i}]": tensor for i, tensor in enumerate(tensors)}
    if not named:
        raise ValueError("curvature: the module has no parameters that require a gradient")
    for name, tensor in named.items():
        if not isinstance(tensor, Tensor) or not tensor.is_floating_point():
            raise TypeError(f"curvature: {name} is {a_kind(tensor)}; expected a tensor of floating-point numbers")
    at_rest = [tensor.detach() for tensor in named.values()]
    shapes = [tuple(tensor.shape) for tensor in at_rest]
    drawn = torch.get_rng_state()

    def value_at(given: list[Tensor]) -> Tensor:
        """The loss with these tensors in place of the parameters; random numbers are the same each time."""
        with torch.random.fork_rng(devices=[]):
            torch.set_rng_state(drawn)
            if not isinstance(model, Module):
                found = loss(*given, *data)
            else:
                buffers = {name: buffer.clone() for name, buffer in model.named_buffers()}
                held = {
                    f"model.{name}": value for name, value in (buffers | dict(zip(named, given, strict=True))).items()
                }
                found = functional_call(_WithLoss(model, loss), held, data)
        if not isinstance(found, Tensor) or found.numel() != 1:
            raise ValueError(f"curvature: the loss is {a_kind(found)}; expected a tensor with one number")
        return found.reshape(())

    def as_tensors(flat: np.ndarray) -> list[Tensor]:
        return [torch.as_tensor(part).to(t) for part, t in zip(parts(flat, shapes), at_rest, strict=True)]

    def as_vector(tensors: Any) -> np.ndarray:
        pairs = zip(tensors, at_rest, strict=True)
        return joined([array_of(torch.zeros_like(t) if given is None else given) for given, t in pairs])

    start = [tensor.clone().requires_grad_() for tensor in at_rest]
    with torch.enable_grad():
        value = value_at(start)
        slopes = torch.autograd.grad(value, start, create_graph=True, allow_unused=True)
    arriving = [(k, slope) for k, slope in enumerate(slopes) if slope is not None and slope.requires_grad]

    def product(vector: np.ndarray) -> np.ndarray:
        if not arriving:
            return np.zeros(vector.size)
        directions = as_tensors(vector)
        given = [directions[k] for k, _ in arriving]
        outputs = [slope for _, slope in arriving]
        return as_vector(torch.autograd.grad(outputs, start, given, retain_graph=True, allow_unused=True))

    def at(moves: np.ndarray) -> np.ndarray:
        middle = as_vector(at_rest)
        with torch.no_grad():
            return np.array([float(value_at(as_tensors(middle + move))) for move in moves])

    def shaped(flat: np.ndarray) -> Any:
        found = as_tensors(flat)
        return dict(zip(named, found, strict=True)) if isinstance(model, Module) else _as_given(model, found)

    layers = by_layer(named, shapes, "." if isinstance(model, Module) else "")
    precision = max([torch.finfo(tensor.dtype).eps for tensor in at_rest])
    return LossNearby(layers, precision, float(value.detach()), as_vector(slopes), product, at, shaped)


def _as_given(model: Any, found: list[Tensor]) -> Any:
    return tuple(found) if isinstance(model, tuple) else found[0]


class _WithLoss(Module):
    """A loss of a module as a module, so that `functional_call` can exchange the parameters inside."""

    def __init__(self, model: Module, loss: Callable[..., Any]) -> None:
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, *data: Any) -> Any:
        return self.loss(self.model, *data)
