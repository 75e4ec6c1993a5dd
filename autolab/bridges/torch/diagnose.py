"""diagnose(): the part of `autolab.diagnose` for PyTorch."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import Module
from torch.optim import Optimizer
from torch.utils.data import DataLoader

from ...analysis.diagnosis.workbench import patched
from ..diagnose import BridgeWorkbench
from .edges import nodes_between
from .inputs import array_of, needs_gradient, tensors_in
from .record import TorchRun


class TorchWorkbench(BridgeWorkbench):
    """The operations of `autolab.diagnose` on a program that uses PyTorch."""

    runs = TorchRun
    models, optimizers, norms = Module, Optimizer, torch.nn.modules.batchnorm._NormBase
    minding = (norms, torch.nn.modules.dropout._DropoutNd)

    def own_copy(self, value: Any, memo: dict[int, Any]) -> Any:
        """Tensors with a graph cannot be copied, such as the weight that a hook of ``weight_norm`` computes; generators
        copy their state."""
        if isinstance(value, Tensor) and not value.is_leaf:
            return value
        if isinstance(value, torch.Generator):
            return torch.Generator(value.device).set_state(value.get_state())
        if isinstance(value, Optimizer):  # its own copy lacks what LBFGS needs
            own = {name: kept for name, kept in vars(value).items() if not callable(kept)}
            new = memo[id(value)] = object.__new__(type(value))
            new.__dict__.update(copy.deepcopy(own, memo))
            return new
        return None

    def beginnings(self, named: Mapping[str, Any]) -> list[Any]:
        starts = [t.grad_fn for t in tensors_in(list(named.values())) if t.grad_fn is not None]
        return [node.variable for node in nodes_between(starts, ()) if hasattr(node, "variable")]

    # ------------------------------------------------------------------ models
    def parts(self, model: Any) -> list[Any]:
        return list(model.modules())

    def named_parameters(self, model: Any) -> list[tuple[str, Any]]:
        return list(model.named_parameters())

    def is_leaf(self, value: Any) -> bool:
        return isinstance(value, Tensor) and value.is_leaf and value.requires_grad

    def value(self, tensor: Any) -> np.ndarray:
        return array_of(tensor)

    def gradient(self, tensor: Any) -> np.ndarray | None:
        return None if tensor.grad is None else array_of(tensor.grad.detach().to_dense())

    def is_training(self, model: Any, layers: list[Any]) -> bool:
        return any(layer.training for layer in [model, *layers])

    def updated_by(self, optimizer: Any) -> list[Any]:
        return [p for group in optimizer.param_groups for p in group["params"]]

    @contextmanager
    def repeatable(self) -> Iterator[None]:
        with super().repeatable(), torch.random.fork_rng():
            yield

    seeding = (*BridgeWorkbench.seeding, (torch, "manual_seed"))

    def generators(self) -> tuple[Any, ...]:
        return *super().generators(), torch.get_rng_state().numpy().tobytes()

    def pools(self, named: Mapping[str, Any]) -> list[tuple[str, np.ndarray]]:
        loaders = [(name, value.dataset) for name, value in self.of_kind(named, DataLoader)]
        held = [(f"{name}.dataset", x) for name, data in loaders for x in getattr(data, "tensors", (data,))]
        found = [(name, self.array(x)) for name, x in held]
        return [*super().pools(named), *[(name, array) for name, array in found if array is not None]]

    def draw(self) -> None:
        super().draw()
        torch.rand(1)

    def values_in(self, result: Any) -> list[Any]:
        return [t for t in tensors_in(result) if t.is_floating_point() and needs_gradient(t)]

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
            patched(Tensor, "backward", "backward", hear),
            patched(Optimizer, "zero_grad", "zero", hear),
            patched(Module, "zero_grad", "zero", hear),
            _steps(hear),
        ):
            yield


@contextmanager
def _steps(hear: Callable[..., Any]) -> Iterator[None]:
    """Every optimizer class has a ``step`` of its own, which may call that of its base class."""
    inside: list[Any] = []

    def once(kind: str, who: Any, go_on: Callable[[], Any]) -> Any:
        if inside:
            return go_on()
        inside.append(who)
        try:
            return hear(kind, who, go_on)
        finally:
            inside.pop()

    with ExitStack() as stack:
        for cls in [cls for cls in _subclasses(Optimizer) if "step" in vars(cls)]:
            stack.enter_context(patched(cls, "step", "step", once))
        yield


def _subclasses(cls: Any) -> Iterator[Any]:
    for inner in cls.__subclasses__():
        yield inner
        yield from _subclasses(inner)
