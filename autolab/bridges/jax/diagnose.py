"""What `autolab.diagnose` asks of JAX, whose functions are pure: parameters are an argument."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np

from ...analysis.diagnosis.program import Program
from ...analysis.diagnosis.workbench import LiveParameter, Workbench
from ...recording.model import Recording
from .inputs import array_of, exchanged, is_float
from .record import record

BUDGET = 1 << 28


class JaxWorkbench(Workbench):
    """JAX. The gradients are those of the recording: JAX keeps none."""

    has_gradients = False

    def prepared(self, values: list[Any]) -> dict[int, Any]:
        """Arrays never change."""
        return {id(a): a for a in jax.tree_util.tree_leaves(values) if isinstance(a, jax.Array)}

    def record(self, fn: Callable[..., Any], program: Program) -> Recording:
        return record(fn, *program.args, options={"budget": BUDGET}, **program.kwargs)

    def parameters(self, named: Mapping[str, Any]) -> list[LiveParameter]:
        """The arrays of floats in the first dict, list or object; of the first argument, where there is none."""
        trees = {name: value for name, value in named.items() if not _is_array(value) and _floats(value, name)}
        first = next(iter(trees or named), None)
        found = [] if first is None else _floats(named[first], first)
        return [LiveParameter(str(first), "", a, True, _reader(a), lambda: None, label) for label, a in found]

    def held(self, named: Mapping[str, Any]) -> dict[str, list[Any]]:
        return {}

    def unregistered(self, named: Mapping[str, Any]) -> Iterator[tuple[Any, str, list[Any]]]:
        return iter(())

    def training(self, named: Mapping[str, Any]) -> dict[str, tuple[bool, list[str]]]:
        return {}

    def holding_statistics(self, named: Mapping[str, Any]) -> bool:
        return False

    @contextmanager
    def repeatable(self) -> Iterator[None]:
        kept, numpy_kept = random.getstate(), np.random.get_state()
        try:
            yield
        finally:
            random.setstate(kept)
            np.random.set_state(numpy_kept)

    def loss_in(self, result: Any) -> Any:
        found = [a for a in jax.tree_util.tree_leaves(result) if hasattr(a, "dtype") and is_float(a)]
        return next((a for a in found if a.ndim == 0), found[0] if found else None)

    def differentiate(self, loss: Any) -> None:
        """The recording has done so."""

    def array(self, value: Any) -> np.ndarray | None:
        return array_of(value) if _is_array(value) else None

    def changed(self, program: Program, name: str, array: np.ndarray) -> Program:
        bound = inspect.signature(program.fn).bind(*program.args, **program.kwargs)
        bound.arguments[name] = jax.numpy.asarray(array, program.named[name].dtype)
        return Program(program.fn, bound.args, bound.kwargs, program.prepared)

    @contextmanager
    def listening(self, hear: Callable[[str, Any, Callable[[], Any]], Any]) -> Iterator[None]:
        yield


def _is_array(value: Any) -> bool:
    return isinstance(value, jax.Array | np.ndarray)


def _floats(tree: Any, name: str) -> list[tuple[str, Any]]:
    """The arrays of floats in a pytree, with the names that a recording gives them."""
    found: list[tuple[str, Any]] = []
    exchanged(tree, lambda label, value: found.append((label, value)), name)
    return [(label, a) for label, a in found if hasattr(a, "dtype") and is_float(a)]


def _reader(a: Any) -> Callable[[], np.ndarray]:
    return lambda: array_of(a)
