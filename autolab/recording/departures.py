"""Which values left the graph while a function was recorded, and which gradients are incomplete because of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..engine import ForwardEvent, Variable, backprop_enabled, to_cpu
from ..engine.leaving import Exit, ExitEvent, How, untracked
from .arrays import Snapshot
from .locate import CodePosition
from .model import Recording, Step
from .step import sources_of


@dataclass(frozen=True)
class Departure:
    """A place in the user's code where values left the graph, so that gradients ignore what was computed from them.

    ``source`` is the expression (or the statement) in ``line`` of ``file``, a notebook cell or a module. ``how`` is
    ``left`` (a plain number or array was taken), ``changed`` (an array was changed outside the graph) or ``no_grad``
    (something was computed under ``no_grad``). ``steps`` are the values that left, ``inputs`` the inputs and leaves
    that they depend on.

    Examples
    --------
    >>> import autolab, math
    >>> (found,) = autolab.record(lambda x: x * math.sin(x), x=2.0).departures
    >>> found.source, found.how, found.steps, found.inputs
    ('math.sin(x)', 'left', (0,), (0,))
    """

    file: str
    line: int
    source: str
    how: How
    steps: tuple[int, ...]
    inputs: tuple[int, ...]


def key_of(variable: Variable) -> Any:
    """The key that identifies a Variable: the order of its node, or an object's identity."""
    node = variable.node
    return ("constant", id(variable)) if node is None else node.order or ("leaf", id(node))


class Departures:
    """Collects places, each once, with the values that left there; holds leaves, since their keys are identities."""

    def __init__(self) -> None:
        self._found: dict[Exit, dict[Any, Any]] = {}

    def hear(self, event: ExitEvent) -> None:
        """The observer for `watch_leaving`."""
        self._add(event.exit, event.variable)

    def look(self, event: ForwardEvent) -> None:
        """The observer of steps: at a step that is computed under ``no_grad``, its inputs leave the graph."""
        exit = None if backprop_enabled() else untracked(event)
        if exit is not None:
            for value in event.inputs:
                if isinstance(value, Variable) and value.node is not None:
                    self._add(exit, value)

    def look_again(self, variable: Variable, kept: Snapshot | None) -> None:
        """At a use of a result: if its array left and has other numbers by now, it was changed there."""
        key = key_of(variable) if self._found else None
        exit = next((exit for exit in reversed(self._found) if key in self._found[exit]), None)
        if exit is None or exit.how != "left" or type(key) is not int or kept is None or not kept.is_whole:
            return
        if not np.array_equal(to_cpu(variable._data), kept.values, equal_nan=True):
            self._found.setdefault(exit._replace(how="changed"), {})[key] = self._found[exit].pop(key)

    def _add(self, exit: Exit, variable: Variable) -> None:
        is_leaf = variable.node is not None and not variable.node.order
        self._found.setdefault(exit, {})[key_of(variable)] = variable if is_leaf else None

    def leave(self, place: CodePosition, how: How, steps: Iterable[int]) -> None:
        """Note that these steps of another library's run left the graph at a place; their ids are the keys."""
        exit = Exit(place.file, place.line, place.source or place.statement or "", how)
        self._found.setdefault(exit, {}).update(dict.fromkeys(steps))

    @property
    def hint(self) -> str:
        """The hint for a function that returned no Variable: where the last value left the graph, if that was seen."""
        if not self._found:
            return ": float(), the functions of math and .data leave the graph, NumPy's functions stay in it"
        last = list(self._found)[-1]
        return f": line {last.line}, {last.source:.60}, left the graph; NumPy's functions stay in it"

    def settled(self, ids: Mapping[Any, int], steps: Sequence[Step]) -> tuple[Departure, ...]:
        """The departures of values that are steps; ``ids`` maps keys to steps."""
        found = []
        for exit, keys in self._found.items():
            left = tuple(sorted({ids[key] for key in keys if key in ids}))
            if left:
                origins = [i for i in sorted(_sources(steps, left)) if steps[i].kind in ("input", "leaf")]
                inputs = tuple([i for i in origins if steps[i].status not in ("constant", "integer")])
                found.append(Departure(*exit, left, inputs))
        return tuple(found)


def concerned(shown: Recording) -> dict[int, list[Departure]]:
    """For each step whose gradient is incomplete, the departures of its value, or of one that was computed from it."""
    found: dict[int, list[Departure]] = {}
    for departure in shown.departures:
        for step in _sources(shown.by_id, departure.steps):
            found.setdefault(step, []).append(departure)
    return found


def _sources(steps: Mapping[int, Step] | Sequence[Step], ends: Iterable[int]) -> set[int]:
    """The steps, and all that they were computed from and that can have a gradient."""
    return {i for i in sources_of(steps, ends) if steps[i].status not in ("constant", "integer")}
