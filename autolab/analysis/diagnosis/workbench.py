"""The interface through which `diagnose` runs, records and reads programs; bridges implement it for PyTorch and JAX."""

from __future__ import annotations

import math
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...recording.model import Recording
from .copied_program import Program, items

BUDGET = 1 << 28

Changes = Mapping[int, Callable[..., Any]]
"""For steps of the first recording, functions that compute their values instead, from the call and its operands."""


@dataclass(frozen=True, eq=False)
class LiveParameter:
    """A parameter in its current state. ``owner`` is the user's name for its model, ``path`` its name inside."""

    owner: str
    path: str
    tensor: Any
    trainable: bool
    value: Callable[[], np.ndarray]
    grad: Callable[[], np.ndarray | None]
    label: str = ""

    @property
    def name(self) -> str:
        """The name as the user would write it, such as ``model.fc1.weight``."""
        return self.label or (f"{self.owner}.{self.path}" if self.path else self.owner)


class Workbench(ABC):
    """One library. ``named`` always means the objects that a program works on, by the user's names."""

    has_gradients = True
    """Whether parameters store their gradients; otherwise those of the recording are used."""

    rounds = 0
    """How often a training step is run; 0 if the program is a loss."""

    gives_arrays: bool | None = None
    """Whether a recorded program gets its arrays as they are, not as inputs of the graph, as a computation in NumPy may
    need; None for a library that has no such choice."""

    how_to_register = "Hold layers in nn.ModuleList or nn.Sequential, and tensors as nn.Parameter."

    models: Any = ()
    """The library's classes of models; empty if its functions are pure."""

    optimizers: Any = ()
    norms: Any = ()
    """Layers through which examples influence one another in training."""

    minding: Any = ()
    """Layers that behave differently in training."""

    def own_copy(self, value: Any, memo: dict[int, Any]) -> Any:
        """The copy of what the library copies in a way of its own, or shares; None for everything else."""
        return None

    def settled(self, program: Program) -> Program:
        """The program, or a copy of it in which every parameter has its shape."""
        return program

    @abstractmethod
    def record(self, fn: Callable[..., Any], program: Program, changes: Changes) -> Recording:
        """Record ``fn`` with the arguments of the program and with some steps changed."""

    # ------------------------------------------------------------------ models, if the library has any
    def parts(self, model: Any) -> list[Any]:
        """A model and all its layers."""
        raise NotImplementedError

    def named_parameters(self, model: Any) -> list[tuple[str, Any]]:
        """The parameters of a model with their names inside it."""
        raise NotImplementedError

    def is_leaf(self, value: Any) -> bool:
        """Whether it is a leaf tensor that requires a gradient."""
        raise NotImplementedError

    def value(self, tensor: Any) -> np.ndarray:
        """The numbers of a parameter."""
        raise NotImplementedError

    def gradient(self, tensor: Any) -> np.ndarray | None:
        """The gradient of a parameter."""
        raise NotImplementedError

    def is_training(self, model: Any, layers: list[Any]) -> bool:
        """Whether a model is in training mode; ``layers`` are its layers that depend on the mode."""
        raise NotImplementedError

    def updated_by(self, optimizer: Any) -> list[Any]:
        """The parameters that an optimizer updates."""
        raise NotImplementedError

    def of_kind(self, named: Mapping[str, Any], kind: Any) -> list[tuple[str, Any]]:
        """The named objects of a class, with their names."""
        return [(name, value) for name, value in items(named) if isinstance(value, kind)]

    def parameters(self, named: Mapping[str, Any]) -> list[LiveParameter]:
        """The parameters of all models, each once, and other tensors that require a gradient."""
        found: dict[int, LiveParameter] = {}
        for owner, value in items(named):
            for path, tensor in self._own(value):
                value_of, grad_of = partial(self.value, tensor), partial(self.gradient, tensor)
                live = LiveParameter(owner, path, tensor, tensor.requires_grad, value_of, grad_of)
                found.setdefault(id(tensor), live)
        return list(found.values())

    def _own(self, value: Any) -> list[tuple[str, Any]]:
        """The parameters of a model; a tensor is its own parameter."""
        if isinstance(value, self.models):
            return self.named_parameters(value)
        return [("", value)] if self.is_leaf(value) else []

    def held(self, named: Mapping[str, Any]) -> dict[str, list[Any]]:
        """For each optimizer, the parameters that it updates."""
        return {name: self.updated_by(optimizer) for name, optimizer in self.of_kind(named, self.optimizers)}

    def unregistered(self, named: Mapping[str, Any]) -> Iterator[tuple[Any, str, list[Any]]]:
        """Models that hide parameters: the model, the attribute with the parameters, and these parameters."""
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
        """For each model, whether it is in training mode, and the kinds of its layers that depend on the mode."""
        found = {}
        for name, model in self.of_kind(named, self.models):
            layers = [layer for layer in self.parts(model) if isinstance(layer, self.minding)]
            found[name] = self.is_training(model, layers), sorted({type(layer).__name__ for layer in layers})
        return found

    def pools(self, named: Mapping[str, Any]) -> list[tuple[str, np.ndarray]]:
        """The arrays of which a program may take parts, with their names."""
        found = [(name, self.array(value)) for name, value in items(named)]
        return [(name, array) for name, array in found if array is not None and array.ndim]

    def norm_layers(self, named: Mapping[str, Any]) -> list[Any]:
        """The layers through which examples influence one another in training."""
        layers = [layer for _, model in self.of_kind(named, self.models) for layer in self.parts(model)]
        return [layer for layer in layers if isinstance(layer, self.norms)]

    def held_arrays(self, named: Mapping[str, Any]) -> list[np.ndarray]:
        """The arrays that layers hold besides parameters, such as the positions of words."""
        layers = [layer for _, model in self.of_kind(named, self.models) for layer in self.parts(model)]
        held = [kept for layer in layers for kept in (*vars(layer).values(), *vars(layer).get("_buffers", {}).values())]
        return [array for array in map(self.array, held) if array is not None]

    def holding_statistics(self, named: Mapping[str, Any]) -> bool:
        """Put batch norm, through which examples influence one another, into evaluation mode; returns whether there was
        any."""
        norms = [layer for layer in self.norm_layers(named) if layer.training]
        for norm in norms:
            norm.eval()
        return bool(norms)

    # ------------------------------------------------------------------ runs
    @contextmanager
    def repeatable(self) -> Iterator[None]:
        """A context in which random numbers may be drawn; afterwards the generators are restored."""
        kept, numpy_kept = random.getstate(), np.random.get_state()
        try:
            yield
        finally:
            random.setstate(kept)
            np.random.set_state(numpy_kept)

    def beginnings(self, named: Mapping[str, Any]) -> list[Any]:
        """The leaves of graphs that are older than the program, which its copies share."""
        return []

    def path_of(self, loss: Any) -> set[int]:
        """The steps of the run that a backward pass from a loss goes through, if the library would go again through
        those of an earlier pass without an error."""
        return set()

    def results_in(self, named: Mapping[str, Any], path: set[int]) -> list[str]:
        """The names of objects, and of attributes of models, that are results of some steps."""
        return []

    @contextmanager
    def keeping_gradients(self, named: Mapping[str, Any]) -> Iterator[None]:
        """A context after which the leaves of older graphs have their previous gradients again."""
        kept = [(leaf, leaf.grad) for leaf in self.beginnings(named)]
        for leaf, _ in kept:
            leaf.grad = None  # so that nothing is added in place to the user's gradient
        try:
            yield
        finally:
            for leaf, grad in kept:
                leaf.grad = grad

    seeding: tuple[tuple[Any, str], ...] = ((random, "seed"), (np.random, "seed"), (np.random, "default_rng"))
    """The functions that set the seeds of generators, or make one with a seed."""

    def generators(self) -> tuple[Any, ...]:
        """The states of all generators, to be compared."""
        return random.getstate(), *[str(part) for part in np.random.get_state()]

    def draw(self) -> None:
        """Draw a number from every generator, so that later numbers differ."""
        random.random()
        np.random.random()

    @abstractmethod
    def values_in(self, result: Any) -> list[Any]:
        """The values in a program's result from which a gradient can start."""

    def loss_in(self, result: Any) -> Any:
        """The loss in a program's result: the first single number, else the first value; None if there is none."""
        found = self.values_in(result)
        return next((value for value in found if math.prod(value.shape) == 1), found[0] if found else None)

    def differentiate(self, loss: Any) -> None:
        """Run backward from a loss, or from the sum of its elements."""
        (loss.sum() if math.prod(loss.shape) > 1 else loss).backward()

    @abstractmethod
    def array(self, value: Any) -> np.ndarray | None:
        """The numbers of an array or tensor; None for anything else."""

    def write(self, named: Any, array: np.ndarray) -> None:
        """Write other numbers into an array of a copy."""
        named[...] = array

    def with_parameters(self, copy: Program, values: Mapping[str, np.ndarray]) -> Program:
        """The copy with other numbers in its parameters, given by name."""
        for parameter in self.parameters(copy.named):
            if parameter.name in values:
                self.write(parameter.tensor, values[parameter.name])
        return copy

    def like(self, array: np.ndarray, value: Any) -> Any:
        """The numbers as an array of the kind and dtype of ``value``."""
        return array.astype(value.dtype)

    def without_gradient(self, loss: Any) -> Any:
        """A loss whose backward pass need not be recorded, if that saves time."""
        return loss

    def changed(self, program: Program, name: str, array: np.ndarray) -> Program:
        """A copy of the program with other numbers in one of its arrays."""
        copy = program.copied()
        self.write(copy.named[name], array)
        return copy

    @abstractmethod
    def listening(self, hear: Callable[[str, Any, Callable[[], Any]], Any]) -> AbstractContextManager[Any]:
        """A context in which ``hear(kind, who, go_on)`` is called instead of every ``backward``, ``zero`` and ``step``;
        ``go_on()`` runs the original."""

    def until_loss(self, fn: Callable[..., Any], reach: Callable[[Any], Any]) -> Callable[..., Any]:
        """The function with ``reach(loss)`` instead of a backward pass, and without updates."""

        def hear(kind: str, who: Any, go_on: Callable[[], Any]) -> Any:
            return go_on() if kind == "seed" else reach(who) if kind == "backward" else None

        def run(*args: Any, **kwargs: Any) -> Any:
            with self.listening(hear):
                return fn(*args, **kwargs)

        return run

    def advanced(self, program: Program, result: Any) -> tuple[Program, Any]:
        """The program for the round after one that returned ``result``, and the loss; for pure functions, which return
        new parameters."""
        raise NotImplementedError

    def is_optimizer_adaptive(self, optimizer: Any) -> bool:
        """Whether the size of its updates is independent of the size of the gradients."""
        return not type(optimizer).__name__.startswith("SGD")

    def decay(self, optimizer: Any) -> float:
        """The part of each weight that an update takes away, apart from the gradient's, at a usual learning rate."""
        is_plain = type(optimizer).__name__ in ("SGD", "MomentumSGD", "AdamW")
        pairs = [(group.get("lr"), group.get("weight_decay")) for group in optimizer.param_groups] if is_plain else []
        pairs = [(a, b) for a, b in pairs if isinstance(a, int | float) and isinstance(b, int | float) and a <= 1]
        return max([float(a * b) for a, b in pairs], default=0.0)

    def same(self, parameters: Iterable[LiveParameter], tensors: Iterable[Any]) -> list[LiveParameter]:
        """Those of the parameters that are among the tensors, or, in AutoLab's graph, whose nodes are."""
        ids = {id(tensor) for tensor in tensors}
        return [p for p in parameters if {id(p.tensor), id(getattr(p.tensor, "node", p.tensor))} & ids]


@contextmanager
def seeding_heard(bench: Workbench, hear: Callable[..., Any]) -> Iterator[None]:
    """A context in which ``hear`` is called with the seed before one is set; nothing is heard of a seed by chance."""
    with ExitStack() as stack:
        for owner, name in bench.seeding:
            stack.enter_context(patched(owner, name, "seed", hear))
        yield


@contextmanager
def patched(owner: Any, name: str, kind: str, hear: Callable[..., Any]) -> Iterator[None]:
    """A context in which ``hear`` is called with the first argument before a function, or a method of a class, runs."""
    own = getattr(owner, name)

    def heard(*args: Any, **kwargs: Any) -> Any:
        return hear(kind, next(iter((*args, *kwargs.values())), None), lambda: own(*args, **kwargs))

    setattr(owner, name, heard)
    try:
        yield
    finally:
        setattr(owner, name, own)
