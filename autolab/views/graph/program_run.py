"""One run of an explored function: its fresh leaves, its upstream gradients, and what is noticed on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...engine.backend import Array, get_array_module
from ...engine.observe import BackwardEvent, ForwardEvent
from ...engine.primitive import Primitive
from ...engine.variable import Variable
from ...shared.binding import Bound
from .exploration_state import ExplorationState

Domain = tuple[float, float]


class ProgramRun:
    """Listens while a function is recorded.

    Attributes
    ----------
    leaves : dict
        A fresh Variable for each input and each parameter of a link.
    ones : dict
        For each output that has a gradient, ones of its shape: the upstream gradient where none was set.
    domains : dict
        For each input to which functions with a domain are applied directly, where all of them are worth looking at.
    """

    def __init__(self, bound: Bound, state: ExplorationState, check: Callable[[], None], given: Any = None) -> None:
        arrays = {**{name: own.array for name, own in bound.learned.items()}, **state.inputs}
        self.leaves = {name: _leaf(bound.variables[name], name, array) for name, array in arrays.items()}
        self.ones: dict[int, Array] = {}
        self.domains: dict[str, Domain] = {}
        self._state, self._check, self._given, self._several = state, check, given, False
        self._names = {id(leaf): name for name, leaf in self.leaves.items()}

    def hear(self, event: ForwardEvent | BackwardEvent) -> None:
        """After every step, forward and backward."""
        self._check()
        if isinstance(event, ForwardEvent) and isinstance(event.function, Primitive) and event.function.domain:
            for value in event.inputs:
                if (name := self._names.get(id(value))) is not None:
                    self.domains[name] = _both(self.domains.get(name), event.function.domain)

    def upstream(self, outputs: tuple[Variable, ...]) -> Any:
        """The upstream gradient: what was set, where it still fits, else ones; a tuple for several outputs."""
        self._several = len(outputs) > 1
        self.ones = {
            i: get_array_module(y.array).ones(y.shape, y.dtype) for i, y in enumerate(outputs) if y.node is not None
        }
        if self._given is not None:
            return self._given
        set_ = tuple(
            [fitting(self._state.arrays, i, self.ones[i]) if i in self.ones else None for i in range(len(outputs))]
        )
        return set_ if self._several else set_[0]

    def given(self) -> dict[int, Array]:
        """The upstream gradients that were given, by the position of their output, once a run has accepted them."""
        if self._given is None:
            return {}
        each = self._given if isinstance(self._given, list | tuple) and self._several else [self._given]
        arrays = {i: g.array if isinstance(g, Variable) else g for i, g in enumerate(each)}
        return {i: _like(ones, arrays[i]) for i, ones in self.ones.items() if arrays[i] is not None}


def fitting(arrays: Mapping[str | int, Array], position: int, ones: Array) -> Array:
    """The upstream gradient that was set for an output if it has the output's shape, in its dtype; else ``ones``."""
    array = arrays.get(position)
    if array is None or array.shape != ones.shape:
        return ones
    return _like(ones, array)


def _like(ones: Array, array: Any) -> Array:
    return get_array_module(ones).asarray(array, dtype=ones.dtype)


def _leaf(bound: Variable, name: str, array: Array) -> Variable:
    return type(bound)(array.copy(), name=name, requires_grad=bound.requires_grad)


def _both(a: Domain | None, b: Domain) -> Domain:
    """Where two domains meet; the first where they do not."""
    low, high = b if a is None else (max(a[0], b[0]), min(a[1], b[1]))
    return (low, high) if low < high else a or b
