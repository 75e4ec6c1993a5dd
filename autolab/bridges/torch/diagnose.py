"""diagnose(): what `autolab.diagnose` asks of PyTorch."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import Module
from torch.optim import Optimizer

from ...analysis.diagnosis.workbench import LiveParameter, items, replaced
from ..diagnose import BridgeWorkbench
from .inputs import TorchInputs
from .record import TorchRun
from .tensors import array_of, tensors_in

_BATCH_NORM = torch.nn.modules.batchnorm._NormBase
_MINDS_MODE = (_BATCH_NORM, torch.nn.modules.dropout._DropoutNd)


class TorchWorkbench(BridgeWorkbench):
    """What `autolab.diagnose` does with a program that uses PyTorch."""

    runs, inputs = TorchRun, TorchInputs

    def prepared(self, values: list[Any]) -> dict[int, Any]:
        """Tensors with a graph behind them cannot be copied; generators copy their state."""
        found: dict[int, Any] = {id(t): t for t in tensors_in(values) if not t.is_leaf}
        for _, value in items({"": values}):
            if isinstance(value, torch.Generator):
                found[id(value)] = torch.Generator(value.device).set_state(value.get_state())
            if isinstance(value, Optimizer):  # its own way to be copied leaves out what LBFGS needs
                own = {name: kept for name, kept in vars(value).items() if not callable(kept)}
                new = found[id(value)] = object.__new__(type(value))
                new.__dict__.update(copy.deepcopy(own, found))
        return found

    def beginnings(self, named: Mapping[str, Any]) -> list[Any]:
        waiting, seen, found = [t.grad_fn for t in tensors_in(list(named.values()))], set(), []
        while waiting:
            node = waiting.pop()
            if node is None or node in seen:
                continue
            seen.add(node)
            waiting += [inner for inner, _ in node.next_functions]
            found += [node.variable] if hasattr(node, "variable") else []
        return found

    def parameters(self, named: Mapping[str, Any]) -> list[LiveParameter]:
        found: dict[int, LiveParameter] = {}
        for owner, value in items(named):
            pairs = list(value.named_parameters()) if isinstance(value, Module) else []
            if isinstance(value, Tensor) and value.is_leaf and value.requires_grad:
                pairs = [("", value)]
            for path, tensor in pairs:
                value_of, grad_of = partial(array_of, tensor), partial(_gradient, tensor)
                live = LiveParameter(owner, path, tensor, tensor.requires_grad, value_of, grad_of)
                found.setdefault(id(tensor), live)
        return list(found.values())

    def held(self, named: Mapping[str, Any]) -> dict[str, list[Any]]:
        optimizers = {name: value for name, value in items(named) if isinstance(value, Optimizer)}
        return {name: [p for g in o.param_groups for p in g["params"]] for name, o in optimizers.items()}

    def unregistered(self, named: Mapping[str, Any]) -> Iterator[tuple[Any, str, list[Any]]]:
        for _, value in items(named):
            modules = list(value.modules()) if isinstance(value, Module) else []
            known = {id(p) for module in modules for p in module.parameters()}
            for module in modules:
                plain = {k: v for k, v in vars(module).items() if not k.startswith("_")}
                for name, held in plain.items():
                    hidden = [p for p in _parameters_in(held) if id(p) not in known]
                    if hidden:
                        yield module, name, hidden

    def training(self, named: Mapping[str, Any]) -> dict[str, tuple[bool, list[str]]]:
        found = {}
        for name, value in items(named):
            if isinstance(value, Module):
                minding = [m for m in value.modules() if isinstance(m, _MINDS_MODE)]
                is_on = value.training or any(m.training for m in minding)
                found[name] = is_on, sorted({type(m).__name__ for m in minding})
        return found

    def holding_statistics(self, named: Mapping[str, Any]) -> bool:
        modules = [module for _, value in items(named) if isinstance(value, Module) for module in value.modules()]
        norms = [module for module in modules if isinstance(module, _BATCH_NORM) and module.training]
        for module in norms:
            module.eval()
        return bool(norms)

    @contextmanager
    def repeatable(self) -> Iterator[None]:
        with super().repeatable(), torch.random.fork_rng():
            yield

    def draw(self) -> None:
        super().draw()
        torch.rand(1)

    def loss_in(self, result: Any) -> Any:
        found = [t for t in tensors_in(result) if t.is_floating_point() and t.requires_grad]
        return next((t for t in found if t.numel() == 1), found[0] if found else None)

    def differentiate(self, loss: Any) -> None:
        loss.sum().backward() if loss.numel() > 1 else loss.backward()

    def like(self, array: np.ndarray, value: Any) -> Any:
        return torch.as_tensor(array, dtype=value.dtype, device=value.device)

    def without_gradient(self, loss: Any) -> Any:
        return loss.detach()

    def array(self, value: Any) -> np.ndarray | None:
        if isinstance(value, np.ndarray):
            return value
        return array_of(value.detach()) if isinstance(value, Tensor) else None

    def write(self, named: Any, array: np.ndarray) -> None:
        if isinstance(named, Tensor):
            named.data.copy_(torch.as_tensor(np.asarray(array)))
        else:
            super().write(named, array)

    @contextmanager
    def listening(self, hear: Callable[[str, Any, Callable[[], Any]], Any]) -> Iterator[None]:
        with (
            replaced(Tensor, "backward", "backward", hear),
            replaced(Optimizer, "zero_grad", "zero", hear),
            replaced(Module, "zero_grad", "zero", hear),
            _steps(hear),
        ):
            yield


def _gradient(tensor: Tensor) -> np.ndarray | None:
    return None if tensor.grad is None else array_of(tensor.grad.detach().to_dense())


def _parameters_in(value: Any) -> list[Tensor]:
    """The parameters of what a module holds without having registered it."""
    found = []
    for _, inner in items({"": value}):
        if isinstance(inner, Module):
            found += list(inner.parameters())
        elif isinstance(inner, Tensor) and inner.is_leaf and inner.requires_grad:
            found.append(inner)
    return found


@contextmanager
def _steps(hear: Callable[..., Any]) -> Iterator[None]:
    """Every class of optimizers has a ``step`` of its own."""
    classes = [cls for cls in _subclasses(Optimizer) if "step" in vars(cls)]
    own = {cls: cls.step for cls in classes}
    inside: list[Any] = []

    def heard(cls: Any) -> Any:
        def step(self: Any, *args: Any, **kwargs: Any) -> Any:
            if inside:
                return own[cls](self, *args, **kwargs)
            inside.append(self)
            try:
                return hear("step", self, lambda: own[cls](self, *args, **kwargs))
            finally:
                inside.pop()

        return step

    for cls in classes:
        cls.step = heard(cls)
    try:
        yield
    finally:
        for cls, step in own.items():
            cls.step = step


def _subclasses(cls: Any) -> Iterator[Any]:
    for inner in cls.__subclasses__():
        yield inner
        yield from _subclasses(inner)
