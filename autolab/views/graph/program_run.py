"""One run of an explored function: its fresh leaves, its upstream gradients, and what is observed on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...engine import Array, BackwardEvent, ForwardEvent, Primitive, Variable, get_array_module
from ...shared.binding import Bound
from ..live.controls import Key
from .exploration_state import ExplorationState

Domain = tuple[float, float]


class RunUpstream:
    """The upstream gradients of one run: those ``given`` for the first run, those set since then, else ones.

    ``ones`` has ones of the shape of each output that has a gradient. For another library, ``ones_of(output)`` makes
    them, and returns None for an output without a gradient.
    """

    def __init__(
        self, state: ExplorationState, given: Any, ones_of: Callable[[Any], Array | None] | None = None
    ) -> None:
        self.ones: dict[int, Array] = {}
        self._state, self._given, self._ones_of, self._several = state, given, ones_of or _ones, False

    def upstream(self, outputs: Sequence[Any]) -> Any:
        """The upstream gradient: the one that was set, if it still fits, else ones; a tuple for several outputs."""
        self._several = len(outputs) > 1
        each = [self._ones_of(y) for y in outputs]
        self.ones = {i: ones for i, ones in enumerate(each) if ones is not None}
        if self._given is not None:
            return self._given
        set_ = tuple([None if ones is None else fitting(self._state.arrays, i, ones) for i, ones in enumerate(each)])
        return set_ if self._several else set_[0]

    def standing(self) -> ExplorationState:
        """The state with the given upstream gradients, once a run has accepted them."""
        each = self._given if isinstance(self._given, list | tuple) and self._several else [self._given]
        given = {i: g.array if isinstance(g, Variable) else g for i, g in enumerate(each)}
        arrays: dict[Key, Array] = {**self._state.arrays}
        arrays |= {i: _like(ones, given[i]) for i, ones in self.ones.items() if given[i] is not None}
        return replace(self._state, arrays=arrays)


class ProgramRun(RunUpstream):
    """Observes a function while it is recorded.

    Attributes
    ----------
    leaves : dict
        A new Variable for each input and each parameter of a link.
    domains : dict
        For each input to which functions with a domain are applied directly, the interval that interests all of them.
    """

    def __init__(self, bound: Bound, state: ExplorationState, check: Callable[[], None], given: Any = None) -> None:
        super().__init__(state, given)
        arrays = {**{name: own.array for name, own in bound.learned.items()}, **state.inputs}
        self.leaves = {name: _leaf(bound.variables[name], name, array) for name, array in arrays.items()}
        self.domains: dict[str, Domain] = {}
        self._check = check
        self._names = {id(leaf): name for name, leaf in self.leaves.items()}

    def hear(self, event: ForwardEvent | BackwardEvent) -> None:
        """Called after every step, forward and backward."""
        self._check()
        if isinstance(event, ForwardEvent) and isinstance(event.function, Primitive) and event.function.domain:
            for value in event.inputs:
                if (name := self._names.get(id(value))) is not None:
                    self.domains[name] = _both(self.domains.get(name), event.function.domain)


def _ones(y: Variable) -> Array | None:
    return None if y.node is None else get_array_module(y.array).ones(y.shape, y.dtype)


def fitting(arrays: Mapping[str | int, Array], position: int, ones: Array) -> Array:
    """The upstream gradient that was set for an output, in its dtype, if it has the output's shape; else ``ones``."""
    array = arrays.get(position)
    if array is None or array.shape != ones.shape:
        return ones
    return _like(ones, array)


def _like(ones: Array, array: Any) -> Array:
    return get_array_module(ones).asarray(array, dtype=ones.dtype)


def _leaf(bound: Variable, name: str, array: Array) -> Variable:
    return type(bound)(array.copy(), name=name, requires_grad=bound.requires_grad)


def _both(a: Domain | None, b: Domain) -> Domain:
    """The intersection of two domains; the first if they do not meet."""
    low, high = b if a is None else (max(a[0], b[0]), min(a[1], b[1]))
    return (low, high) if low < high else a or b
