"""What PyTorch itself says of a program: the results of its calls with retained gradients, and each call's own vjp."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode


def tensors_in(value: Any) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [t for item in value for t in tensors_in(item)] if isinstance(value, list | tuple) else []


@dataclass
class Call:
    """A call whose results need a gradient, with its arguments as they were."""

    func: Any
    args: Any
    kwargs: Any
    results: list[Tensor]
    rng: Tensor
    is_cast: bool

    def shares(self, upstream: list[Tensor | None]) -> list[Tensor | None]:
        """The gradients of its tensors for these upstream gradients of its results, by calling it alone."""
        leaves: list[Tensor] = []

        def fresh(value: Any) -> Any:
            if isinstance(value, Tensor):
                leaf = value.detach().clone().requires_grad_(value.requires_grad)
                leaves.append(leaf)
                return leaf
            if isinstance(value, dict):
                return {key: fresh(item) for key, item in value.items()}
            return type(value)(map(fresh, value)) if isinstance(value, list | tuple) else value

        torch.set_rng_state(self.rng)
        args, kwargs = fresh(self.args), fresh(self.kwargs)
        if hasattr(self.func, "__code__"):  # written in Python: one tensor stays one, as attention compares them
            args, kwargs, leaves = _merged(self.args, self.kwargs)
        with torch.autocast("cpu", enabled=self.is_cast):
            found = [y for y in tensors_in(self.func(*args, **kwargs)) if y.requires_grad]
        pairs = [(y, g) for y, g in zip(found, upstream, strict=True) if g is not None]
        needing = [leaf for leaf in leaves if leaf.requires_grad]
        ys, gs = [y for y, _ in pairs], [g.to(y.dtype) for y, g in pairs]
        return list(torch.autograd.grad(ys, needing, gs, allow_unused=True)) if ys else [None] * len(needing)


def _merged(args: Any, kwargs: Any) -> tuple[Any, Any, list[Tensor]]:
    made: dict[int, Tensor] = {}

    def fresh(value: Any) -> Any:
        if isinstance(value, Tensor):
            if id(value) not in made:
                made[id(value)] = value.detach().clone().requires_grad_(value.requires_grad)
            return made[id(value)]
        if isinstance(value, dict):
            return {key: fresh(item) for key, item in value.items()}
        return type(value)(map(fresh, value)) if isinstance(value, list | tuple) else value

    return fresh(args), fresh(kwargs), list(made.values())


class Log(TorchFunctionMode):
    def __init__(self) -> None:
        super().__init__()
        self.calls: list[Call] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs, rng = kwargs or {}, torch.get_rng_state()
        if func is torch.autograd.grad:
            found = func(*args, **kwargs)
            for t in (t for call in self.calls for t in call.results):
                t.grad = None  # this backward pass of the program's own has left something there
            return found
        if func is Tensor.__iter__:
            return iter(self.__torch_function__(torch.unbind, types, args, kwargs))
        result = func(*args, **kwargs)
        needing = [t for t in tensors_in(result) if t.requires_grad and t.grad_fn is not None]
        if needing:
            for t in needing:
                t.retain_grad()
            self.calls.append(Call(func, args, kwargs, needing, rng, torch.is_autocast_enabled("cpu")))
        return result


@dataclass
class Plain:
    """A run without AutoLab: outputs, gradients of inputs and parameters, and the calls."""

    outputs: list[Tensor]
    inputs: list[Tensor]
    parameters: dict[str, Tensor | None]
    calls: list[Call]


def run(fn: Any, args: tuple[Any, ...], seed: int, with_calls: bool = True) -> Plain:
    """Differentiate the sum of all outputs, on a copy of the function, so that its buffers stay."""
    fn = copy.deepcopy(fn) if isinstance(fn, torch.nn.Module) else fn
    leaves = [a.detach().clone().requires_grad_(a.is_floating_point()) for a in args]
    torch.manual_seed(seed)
    log = Log()
    if with_calls:
        with log:
            returned = fn(*leaves)
    else:
        returned = fn(*leaves)
    outputs = tensors_in(returned)
    needing = [y for y in outputs if y.requires_grad]
    torch.autograd.backward(needing, [torch.ones_like(y) for y in needing], retain_graph=True)
    named = dict(fn.named_parameters()) if isinstance(fn, torch.nn.Module) else {}
    return Plain(outputs, leaves, {name: p.grad for name, p in named.items()}, log.calls)
