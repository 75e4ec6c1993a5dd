"""The workbench of `diagnose` for AutoLab itself."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any

import numpy as np

from ...debug import check_inplace
from ...engine import Leaf, Parameter, Variable, config, is_array, new_order, nodes_below, to_cpu, using_config
from ...engine.modes import modes
from ...links import BatchNormalization, Dropout, Link
from ...optimizers import SGD, WeightDecay
from ...optimizers.optimizer import Optimizer, Updates
from ...recording import Recording, record
from ...recording.replacing import Replacement
from .copied_program import Program
from .program_watch import up_to_loss
from .workbench import BUDGET, Changes, LiveParameter, Workbench, patched


class OwnWorkbench(Workbench):
    """AutoLab."""

    models, optimizers, norms, minding = Link, Updates, BatchNormalization, (Dropout, BatchNormalization)
    gives_arrays: bool | None = False
    _began = 0  # the order of a node in the moment in which a run began
    how_to_register = "Assign layers inside `with self.init_scope():`, or hold them in a ChainList or a Sequential."

    def own_copy(self, value: Any, memo: dict[int, Any]) -> Any:
        """Variables that have a graph are not copied."""
        return value if isinstance(value, Variable) and value.creator is not None else None

    def settled(self, program: Program) -> Program:
        """The program with all shapes known: parameters get them at the first call, which is made by a copy."""
        links = self.of_kind(program.named, Link)
        if all(p.is_initialized for _, link in links for p in link._all_params()):
            return program
        copied = program.copied()
        with self.repeatable(), copied.world, suppress(Exception):
            up_to_loss(self, copied)(*copied.args, **copied.kwargs)
        return copied

    def beginnings(self, named: Mapping[str, Any]) -> list[Any]:
        made = [v.node for _, v in self.of_kind(named, Variable) if v.creator is not None]
        return [node for node in nodes_below(*made) if isinstance(node, Leaf)]

    def path_of(self, loss: Any) -> set[int]:
        return {node.order for node in nodes_below(loss.node) if node.order > self._began}

    def results_in(self, named: Mapping[str, Any], path: set[int]) -> list[str]:
        models = [(name, part) for name, model in self.of_kind(named, Link) for part in self.parts(model)]
        held = {f"{name}.{key}": value for name, part in models for key, value in vars(part).items()}
        found = self.of_kind({**named, **held}, Variable)
        return [name for name, v in found if v.node is not None and v.node.order in path]

    def record(self, fn: Callable[..., Any], program: Program, changes: Changes) -> Recording:
        for parameter in self.parameters(program.named):  # a copy's, to identify each, even among equal ones
            parameter.tensor.name = parameter.name
        options = {"budget": BUDGET, "replace": {step: Replacement(change) for step, change in changes.items()}}
        if self.gives_arrays:
            return record(partial(fn, *program.args, **program.kwargs), options=options)
        return record(fn, *program.args, options=options, **program.kwargs)

    # ------------------------------------------------------------------ models
    def parts(self, model: Any) -> list[Any]:
        return list(model.links())

    def named_parameters(self, model: Any) -> list[tuple[str, Any]]:
        return [(path.strip("/").replace("/", "."), p) for path, p in model.namedparams()]

    def is_leaf(self, value: Any) -> bool:
        return isinstance(value, Variable) and value.creator is None and value.requires_grad

    def value(self, tensor: Any) -> np.ndarray:
        return np.asarray(to_cpu(tensor._data))

    def gradient(self, tensor: Any) -> np.ndarray | None:
        return None if tensor._grad is None else np.asarray(to_cpu(tensor._grad._data))

    def is_training(self, model: Any, layers: list[Any]) -> bool:
        return modes().train and any(link.training for link in layers or [model])

    def updated_by(self, optimizer: Any) -> list[Any]:
        if not isinstance(optimizer, Optimizer):
            return [p for group in optimizer.param_groups for p in group["params"]]
        return [] if optimizer.target is None else list(optimizer.target._all_params())

    def decay(self, optimizer: Any) -> float:
        hooks = vars(optimizer).get("_hooks", {}).values() if isinstance(optimizer, SGD) else ()
        rates = [hook.rate for hook in hooks if isinstance(hook, WeightDecay)]
        rate = getattr(optimizer, "lr", 0.0)  # which may be a schedule
        return max(super().decay(optimizer), sum(rates) * rate if isinstance(rate, int | float) and rate <= 1 else 0.0)

    def parameters(self, named: Mapping[str, Any]) -> list[LiveParameter]:
        """The parameters whose shape is known."""
        found = super().parameters(named)
        return [p for p in found if not isinstance(p.tensor, Parameter) or p.tensor.is_initialized]

    @contextmanager
    def repeatable(self) -> Iterator[None]:
        with super().repeatable(), using_config("rng", copy.deepcopy(config.rng)):
            yield

    def draw(self) -> None:
        super().draw()
        config.rng.random()

    def values_in(self, result: Any) -> list[Any]:
        return [v for v in _variables(result) if v.requires_grad]

    def array(self, value: Any) -> np.ndarray | None:
        if isinstance(value, Variable):
            value = value._data
        return np.asarray(to_cpu(value)) if is_array(value) else None

    def write(self, named: Any, array: np.ndarray) -> None:
        if isinstance(named, Variable):
            Variable.data.__set__(named, array)  # type: ignore[attr-defined]  # PyTorch's tensors refuse arrays
        else:
            super().write(named, array)

    @contextmanager
    def listening(self, hear: Callable[[str, Any, Callable[[], Any]], Any]) -> Iterator[None]:
        self._began = new_order()
        heard = [(Variable, "_backward", "backward"), (Link, "cleargrads", "zero")]
        heard += [(of, "_step", "step") for of in Updates.__subclasses__()]
        with check_inplace(), ExitStack() as stack:
            for owner, name, kind in heard:
                stack.enter_context(patched(owner, name, kind, hear))
            yield


def _variables(result: Any) -> Iterator[Variable]:
    if isinstance(result, Variable):
        yield result
    elif isinstance(result, list | tuple):
        for inner in result:
            yield from _variables(inner)
