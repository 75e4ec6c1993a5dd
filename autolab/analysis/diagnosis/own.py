"""What `diagnose` asks of AutoLab itself."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import numpy as np

from ...debug import check_inplace
from ...engine.backend import is_array
from ...engine.configuration import config, using_config
from ...engine.devices import to_cpu
from ...engine.modes import modes
from ...engine.node import Leaf
from ...engine.parameter import Parameter
from ...engine.variable import Variable
from ...links import BatchNormalization, Dropout, Link
from ...optimizers.optimizer import Optimizer
from ...recording.model import Recording
from ...recording.record import record
from ...recording.replacing import Replacement
from .program import Program
from .watch import up_to_loss
from .workbench import Changes, LiveParameter, Workbench, items, replaced

BUDGET = 1 << 28


class OwnWorkbench(Workbench):
    """AutoLab."""

    how_to_register = "Assign layers inside `with self.init_scope():`, or hold them in a ChainList or a Sequential."

    def prepared(self, values: list[Any]) -> dict[int, Any]:
        """Variables with a graph behind them stay as they are."""
        every = [value for _, value in items({"": values})]
        return {id(v): v for v in every if isinstance(v, Variable) and v.creator is not None}

    def settled(self, program: Program) -> Program:
        """Parameters get their sizes at the first call, which a copy makes."""
        links = [value for _, value in items(program.named) if isinstance(value, Link)]
        if all(p.is_initialized for link in links for p in link._params()):
            return program
        copied = program.copied()
        with self.repeatable(), suppress(Exception):
            up_to_loss(self, copied)(*copied.args, **copied.kwargs)
        return copied

    def beginnings(self, named: Mapping[str, Any]) -> list[Any]:
        waiting: list[Any] = [v.node for _, v in items(named) if isinstance(v, Variable) and v.creator is not None]
        found: dict[int, Any] = {}
        while waiting:
            node = waiting.pop()
            if id(node) not in found:
                found[id(node)] = node
                waiting += node.parents
        return [node for node in found.values() if isinstance(node, Leaf)]

    def record(self, fn: Callable[..., Any], program: Program, changes: Changes) -> Recording:
        replaced = {step: Replacement(change) for step, change in changes.items()}
        return record(fn, *program.args, options={"budget": BUDGET, "replace": replaced}, **program.kwargs)

    def parameters(self, named: Mapping[str, Any]) -> list[LiveParameter]:
        found: dict[int, LiveParameter] = {}
        for owner, value in items(named):
            pairs: list[tuple[str, Any]] = list(value.namedparams()) if isinstance(value, Link) else []
            if isinstance(value, Variable) and value.creator is None and value.requires_grad:
                pairs = [("", value)]
            for path, p in pairs:
                if not isinstance(p, Parameter) or p.is_initialized:
                    path = path.strip("/").replace("/", ".")
                    live = LiveParameter(owner, path, p, p.requires_grad, partial(_value, p), partial(_gradient, p))
                    found.setdefault(id(p), live)
        return list(found.values())

    def held(self, named: Mapping[str, Any]) -> dict[str, list[Any]]:
        optimizers = {name: value for name, value in items(named) if isinstance(value, Optimizer)}
        return {name: list(o.target._params()) for name, o in optimizers.items() if o.target is not None}

    def unregistered(self, named: Mapping[str, Any]) -> Iterator[tuple[Any, str, list[Any]]]:
        for _, value in items(named):
            links = list(value.links()) if isinstance(value, Link) else []
            known = {id(p) for link in links for p in link.params()}
            for link in links:
                for name, held in vars(link).items():
                    inner = [v for _, v in items({"": held})] if not name.startswith("_") else []
                    hidden = [p for v in inner for p in _own(v) if id(p) not in known]
                    if hidden:
                        yield link, name, hidden

    def training(self, named: Mapping[str, Any]) -> dict[str, tuple[bool, list[str]]]:
        found = {}
        for name, value in items(named):
            if isinstance(value, Link):
                minding: list[Any] = [link for link in value.links() if isinstance(link, Dropout | BatchNormalization)]
                is_on = modes().train and not all(link._evaluates for link in minding or [value])
                found[name] = is_on, sorted({type(link).__name__ for link in minding})
        return found

    def holding_statistics(self, named: Mapping[str, Any]) -> bool:
        links = [link for _, value in items(named) if isinstance(value, Link) for link in value.links()]
        norms = [link for link in links if isinstance(link, BatchNormalization) and not link._evaluates]
        for link in norms:
            link.eval()
        return bool(norms)

    @contextmanager
    def repeatable(self) -> Iterator[None]:
        with super().repeatable(), using_config("rng", copy.deepcopy(config.rng)):
            yield

    def draw(self) -> None:
        super().draw()
        config.rng.random()

    def loss_in(self, result: Any) -> Any:
        found = [v for v in _variables(result) if v.requires_grad]
        return next((v for v in found if v.size == 1), found[0] if found else None)

    def differentiate(self, loss: Any) -> None:
        loss.backward(gradient=np.ones(loss.shape, loss.dtype)) if loss.size > 1 else loss.backward()

    def array(self, value: Any) -> np.ndarray | None:
        if isinstance(value, Variable):
            value = value._data
        return np.asarray(to_cpu(value)) if is_array(value) else None

    def write(self, named: Any, array: np.ndarray) -> None:
        if isinstance(named, Variable):
            named.data = array
        else:
            super().write(named, array)

    @contextmanager
    def listening(self, hear: Callable[[str, Any, Callable[[], Any]], Any]) -> Iterator[None]:
        with (
            check_inplace(),
            replaced(Variable, "backward", "backward", hear),
            replaced(Link, "cleargrads", "zero", hear),
            replaced(Optimizer, "_step", "step", hear),
        ):
            yield


def _value(p: Any) -> np.ndarray:
    return np.asarray(to_cpu(p._data))


def _gradient(p: Any) -> np.ndarray | None:
    return None if p._grad is None else np.asarray(to_cpu(p._grad._data))


def _own(value: Any) -> list[Any]:
    if isinstance(value, Link):
        return list(value.params())
    return [value] if isinstance(value, Variable) and value.creator is None and value.requires_grad else []


def _variables(result: Any) -> Iterator[Variable]:
    if isinstance(result, Variable):
        yield result
    elif isinstance(result, list | tuple):
        for inner in result:
            yield from _variables(inner)
