"""What a static forward declares about its arguments and results through ``ctx``."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

from ..engine import Array, Variable, a_kind, as_array, check_real, is_array, wrap
from ..engine.sharing import unshared_data


class Kept(NamedTuple):
    """A value saved for backward: the argument or result at an index, or another array (or None)."""

    kind: Literal["argument", "result", "value"]
    place: int = 0
    value: Array | None = None


class Marks:
    """Collects the declarations of a forward; after `settle` and `outputs` only what backward needs is left.

    Attributes
    ----------
    arguments : tuple
        The arguments of forward: Variables without a history, anything else unchanged.
    needs, numeric : tuple of bool
        Whether each argument requires a gradient, and whether it is a Variable or an array.
    constant : tuple
        The results that get no gradient.
    materialize : bool
        Whether backward is given zeros for unused results.
    recorded : bool
        Whether the application joins a graph.
    several : bool
        Whether forward returned a tuple.
    kept : list of Kept
        The saved values.
    """

    def __init__(self, name: str, args: tuple[Any, ...], recorded: bool) -> None:
        self._name, self._args, self.recorded = name, args, recorded
        self.arguments = tuple([wrap(a._data, None) if isinstance(a, Variable) else a for a in args])
        self.needs = tuple([isinstance(a, Variable) and a.requires_grad for a in args])
        self.numeric = tuple([isinstance(a, Variable) or is_array(a) for a in args])
        self.constant: tuple[Any, ...] = ()
        self.materialize, self.several = True, False
        self.kept: list[Kept] = []
        self._saved: tuple[Any, ...] = ()
        self._dirty: dict[int, Variable] = {}

    # ------------------------------------------------------------------ while forward runs
    def save(self, values: tuple[Any, ...]) -> None:
        for i, value in enumerate(values):
            if value is not None and not _is_value(value):
                raise TypeError(
                    f"{self._name}: save_for_backward got {a_kind(value)} at {i}; expected Variables, arrays "
                    "or None. Keep anything else as an attribute: ctx.n = n"
                )
        self._saved = values

    def mark_dirty(self, values: tuple[Any, ...]) -> None:
        for value in values:
            places = [i for i, a in enumerate(self.arguments) if a is value and isinstance(a, Variable)]
            if not places:
                raise ValueError(
                    f"{self._name}: mark_dirty got {a_kind(value)}; expected a Variable among the arguments"
                )
            owner = self._args[places[0]]
            if self.recorded and owner.node is not None and owner.node.order == 0:
                raise RuntimeError(
                    f"{self._name}: argument {places[0]} is a leaf that requires a gradient and cannot be changed in "
                    "place; compute a new value"
                )
            if places[0] not in self._dirty:
                value._data = value._data.copy()
                self._dirty[places[0]] = owner

    # ------------------------------------------------------------------ afterwards
    def constant_results(self, results: list[Any]) -> tuple[int, ...]:
        """The indexes of the results that were marked as not differentiable."""
        marked = {id(_raw(value)) for value in self.constant}
        places = [i for i, result in enumerate(results) if id(_raw(result)) in marked]
        if len({id(_raw(results[i])) for i in places}) < len(marked):
            raise ValueError(f"{self._name}: mark_non_differentiable got a value that forward does not return")
        self.constant = ()
        return tuple(places)

    @property
    def changing(self) -> tuple[int, ...]:
        """The indexes of the arguments that forward has declared to change in place."""
        return tuple(self._dirty)

    def settle(self, results: list[Any]) -> None:
        """Find out for each saved value whether it is an argument, a result or neither."""
        places = {id(_raw(result)): Kept("result", i) for i, result in reversed([*enumerate(results)])}
        arguments = [(i, a) for i, a in enumerate(self.arguments) if i not in self._dirty]
        places |= {id(_raw(a)): Kept("argument", i) for i, a in reversed(arguments)}  # arguments take precedence
        for value in self._saved:
            raw = _raw(value)
            by_itself = Kept("value", value=None if value is None else as_array(raw, self._name))
            self.kept.append(by_itself if value is None else places.get(id(raw), by_itself))
        self._saved = ()

    def outputs(self, results: list[Any]) -> tuple[Variable, ...]:
        """The results as new Variables with unshared arrays, or for an argument that was changed in place, the caller's
        own Variable. The list is empty afterwards."""
        changed = {id(self.arguments[i]): owner for i, owner in self._dirty.items()}
        owners = [changed.get(id(result)) for result in results]
        outputs = tuple([self._output(results, owner) for owner in owners])
        for i, owner in self._dirty.items():
            if not any([y is owner for y in outputs]):
                raise ValueError(f"{self._name}: argument {i} is marked dirty; forward must return it")
            owner._data = self.arguments[i]._data
        self._args, self.arguments, self._dirty = (), (), {}
        return outputs

    def _output(self, results: list[Any], owner: Variable | None) -> Variable:
        if owner is not None:
            results.pop(0)
            return owner
        result = results[0]
        if not _is_value(result) and not isinstance(result, int | float):
            raise TypeError(
                f"{self._name}.forward returned {a_kind(result)}; expected a Variable or an array, "
                "or a tuple of several"
            )
        del result
        what = f"{self._name}.forward: a result"
        return wrap(check_real(as_array(unshared_data(results.pop(0)), what), what), None)


def _is_value(value: Any) -> bool:
    return isinstance(value, Variable | np.generic) or is_array(value)


def _raw(value: Any) -> Any:
    return value._data if isinstance(value, Variable) else value
