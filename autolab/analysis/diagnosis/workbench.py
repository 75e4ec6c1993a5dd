"""What `diagnose` asks of a library: to run, to record and to read; a bridge answers for PyTorch and JAX."""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...recording.model import Recording
from .copied_program import Program, items

BUDGET = 1 << 28

Changes = Mapping[int, Callable[..., Any]]
"""For steps of the first recording what makes their values instead, of the call and its operands."""


@dataclass(frozen=True, eq=False)
class LiveParameter:
    """A parameter as it is now. ``owner`` is the user's name of the model that has it, ``path`` its name in there."""

    owner: str
    path: str
    tensor: Any
    trainable: bool
    value: Callable[[], np.ndarray]
    grad: Callable[[], np.ndarray | None]
    label: str = ""

    @property
    def name(self) -> str:
        """As the user would write it: ``model.fc1.weight``."""
        return self.label or (f"{self.owner}.{self.path}" if self.path else self.owner)


class Workbench(ABC):
    """One library. ``named`` is always what a program works on, by the user's names."""

    has_gradients = True
    """Whether parameters keep their gradients; otherwise those of the recording count."""

    rounds = 0
    """How often a training step is run; 0 where the program is a loss."""

    how_to_register = "Hold layers in nn.ModuleList or nn.Sequential, and tensors as nn.Parameter."

    models: Any = ()
    """The library's class of models; none where functions are pure."""

    optimizers: Any = ()
    norms: Any = ()
    """Layers by which examples influence each other in training."""

    minding: Any = ()
    """Layers that work otherwise in training."""

    @abstractmethod
    def prepared(self, values: list[Any]) -> dict[int, Any]:
        """What a deep copy is to use as it is, by identities."""

    def settled(self, program: Program) -> Program:
        """The program, or a copy of it in which every parameter has its size."""
        return program

    @abstractmethod
    def record(self, fn: Callable[..., Any], program: Program, changes: Changes) -> Recording:
        """Record ``fn`` with the arguments of the program, and with some of its steps changed."""

    # ------------------------------------------------------------------ models, where the library has any
    def parts(self, model: Any) -> list[Any]:
        """A model and all layers in it."""
        raise NotImplementedError

    def named_parameters(self, model: Any) -> list[tuple[str, Any]]:
        """The parameters of a model, with their names in there."""
        raise NotImplementedError

    def is_leaf(self, value: Any) -> bool:
        """Whether it is a tensor that requires a gradient and that nothing computed."""
        raise NotImplementedError

    def value(self, tensor: Any) -> np.ndarray:
        """The numbers of a parameter."""
        raise NotImplementedError

    def gradient(self, tensor: Any) -> np.ndarray | None:
        """The gradient of a parameter."""
        raise NotImplementedError

    def is_training(self, model: Any, layers: list[Any]) -> bool:
        """Whether a model is in training mode; ``layers`` are those in it that mind."""
        raise NotImplementedError

    def updated_by(self, optimizer: Any) -> list[Any]:
        """The parameters that an optimizer updates."""
        raise NotImplementedError

    def of_kind(self, named: Mapping[str, Any], kind: Any) -> list[tuple[str, Any]]:
        """What is an object of a class, with its name."""
        return [(name, value) for name, value in items(named) if isinstance(value, kind)]

    def parameters(self, named: Mapping[str, Any]) -> list[LiveParameter]:
        """The parameters of all models, each once, and tensors that require a gradient."""
        found: dict[int, LiveParameter] = {}
        for owner, value in items(named):
            for path, tensor in self._own(value):
                value_of, grad_of = partial(self.value, tensor), partial(self.gradient, tensor)
                live = LiveParameter(owner, path, tensor, tensor.requires_grad, value_of, grad_of)
                found.setdefault(id(tensor), live)
        return list(found.values())

    def _own(self, value: Any) -> list[tuple[str, Any]]:
        """The parameters of a model; a tensor that is one itself."""
        if isinstance(value, self.models):
            return self.named_parameters(value)
        return [("", value)] if self.is_leaf(value) else []

    def held(self, named: Mapping[str, Any]) -> dict[str, list[Any]]:
        """For each optimizer the parameters that it updates."""
        return {name: self.updated_by(optimizer) for name, optimizer in self.of_kind(named, self.optimizers)}

    def unregistered(self, named: Mapping[str, Any]) -> Iterator[tuple[Any, str, list[Any]]]:
        """A model, the attribute of it that hides parameters, and these parameters."""
        for _, model in self.of_kind(named, self.models):
            parts = self.parts(model)
            known = {id(p) for part in parts for _, p in self.named_parameters(part)}
            for part in parts:
                for name, held in vars(part).items():
                    inner = [] if name.startswith("_") else items({"": held})
                    hidden = [p for _, value in inner for _, p in self._own(value) if id(p) not in known]
                    if hidden:
                        yield part, name, hidden

    def training(self, named: Mapping[str, Any]) -> dict[str, tuple[bool, list[str]]]:
        """For each model whether it is in training mode, and the kinds of its layers that care."""
        found = {}
        for name, model in self.of_kind(named, self.models):
            layers = [layer for layer in self.parts(model) if isinstance(layer, self.minding)]
            found[name] = self.is_training(model, layers), sorted({type(layer).__name__ for layer in layers})
        return found

    def norm_layers(self, named: Mapping[str, Any]) -> list[Any]:
        """The layers by which examples influence each other in training."""
        layers = [layer for _, model in self.of_kind(named, self.models) for layer in self.parts(model)]
        return [layer for layer in layers if isinstance(layer, self.norms)]

    def holding_statistics(self, named: Mapping[str, Any]) -> bool:
        """Put batch norm, by which examples may influence each other, into evaluation mode; says if there was any."""
        norms = [layer for layer in self.norm_layers(named) if layer.training]
        for norm in norms:
            norm.eval()
        return bool(norms)

    # ------------------------------------------------------------------ runs
    @contextmanager
    def repeatable(self) -> Iterator[None]:
        """Inside, random numbers are those of now; afterwards they are as before."""
        kept, numpy_kept = random.getstate(), np.random.get_state()
        try:
            yield
        finally:
            random.setstate(kept)
            np.random.set_state(numpy_kept)

    def beginnings(self, named: Mapping[str, Any]) -> list[Any]:
        """What graphs were made from that are older than the program: its copies share them."""
        return []

    @contextmanager
    def keeping_gradients(self, named: Mapping[str, Any]) -> Iterator[None]:
        """Afterwards the leaves of older graphs have the gradients of before."""
        kept = [(leaf, leaf.grad) for leaf in self.beginnings(named)]
        for leaf, _ in kept:
            leaf.grad = None  # what is added to in place is not the user's
        try:
            yield
        finally:
            for leaf, grad in kept:
                leaf.grad = grad

    def draw(self) -> None:
        """Take a number from every generator, so that those after it are others."""
        random.random()
        np.random.random()

    @abstractmethod
    def values_in(self, result: Any) -> list[Any]:
        """The values in what a program returned at which a gradient can begin."""

    def loss_in(self, result: Any) -> Any:
        """The loss in what a program returned: the first single number, else the first value; None if there is none."""
        found = self.values_in(result)
        return next((value for value in found if math.prod(value.shape) == 1), found[0] if found else None)

    def differentiate(self, loss: Any) -> None:
        """Run backward from a loss, or from the sum of its elements."""
        (loss.sum() if math.prod(loss.shape) > 1 else loss).backward()

    @abstractmethod
    def array(self, value: Any) -> np.ndarray | None:
        """The numbers of an array or tensor; None of anything else."""

    def write(self, named: Any, array: np.ndarray) -> None:
        """Let an array of a copy hold other numbers."""
        named[...] = array

    def with_parameters(self, copy: Program, values: Mapping[str, np.ndarray]) -> Program:
        """A copy with other numbers in its parameters, by their names."""
        for parameter in self.parameters(copy.named):
            if parameter.name in values:
                self.write(parameter.tensor, values[parameter.name])
        return copy

    def like(self, array: np.ndarray, value: Any) -> Any:
        """The numbers as an array of the kind and dtype of ``value``."""
        return array.astype(value.dtype)

    def without_gradient(self, loss: Any) -> Any:
        """A loss whose backward pass is not to be recorded, where that saves time."""
        return loss

    def changed(self, program: Program, name: str, array: np.ndarray) -> Program:
        """A copy of the program with other numbers in an array of it."""
        copy = program.copied()
        self.write(copy.named[name], array)
        return copy

    @abstractmethod
    def listening(self, hear: Callable[[str, Any, Callable[[], Any]], Any]) -> AbstractContextManager[Any]:
        """Inside, ``hear(kind, who, go_on)`` is called for every ``backward``, ``zero`` and ``step``, and continues."""

    def until_loss(self, fn: Callable[..., Any], reach: Callable[[Any], Any]) -> Callable[..., Any]:
        """The function, in which ``reach(loss)`` is called in place of a backward pass, and nothing is updated."""

        def hear(kind: str, who: Any, go_on: Callable[[], Any]) -> Any:
            return reach(who) if kind == "backward" else None

        def run(*args: Any, **kwargs: Any) -> Any:
            with self.listening(hear):
                return fn(*args, **kwargs)

        return run

    def advanced(self, program: Program, result: Any) -> tuple[Program, Any]:
        """The program for the next round after one that gave ``result``, and the loss, where parameters are results."""
        raise NotImplementedError

    def is_optimizer_adaptive(self, optimizer: Any) -> bool:
        """Whether the size of its updates does not depend on that of the gradients."""
        return not type(optimizer).__name__.startswith("SGD")

    def same(self, parameters: Iterable[LiveParameter], tensors: Iterable[Any]) -> list[LiveParameter]:
        """Those of the parameters that are among the tensors, or whose nodes, which AutoLab's graph has, are."""
        ids = {id(tensor) for tensor in tensors}
        return [p for p in parameters if {id(p.tensor), id(getattr(p.tensor, "node", p.tensor))} & ids]


@contextmanager
def patched(owner: Any, name: str, kind: str, hear: Callable[..., Any]) -> Iterator[None]:
    """Inside, a method of a class is heard before it runs."""
    own = getattr(owner, name)

    def heard(self: Any, *args: Any, **kwargs: Any) -> Any:
        return hear(kind, self, lambda: own(self, *args, **kwargs))

    setattr(owner, name, heard)
    try:
        yield
    finally:
        setattr(owner, name, own)
