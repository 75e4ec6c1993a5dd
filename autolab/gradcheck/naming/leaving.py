"""Whether what a wrong gradient lacks has left the graph, and where.

To the gradient a number or an array that left is a constant. So it is held still: an input is moved, and the function
goes on with what left at the point itself. Where that changes the slope, the place counts; and where the slope is then
the gradient, nothing else is wrong.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...engine.leaving import Exit, ExitEvent, untracked, watch_leaving
from ...engine.node import Node
from ...engine.observe import BackwardEvent, ForwardEvent, observe
from ...engine.source import file_label
from ...engine.variable import Variable
from ..judging.case import Case
from ..measuring.differences import default_step
from ..measuring.gauge import Gauge
from ..measuring.point import Direction
from ..measuring.subject import Subject
from ..messages import say, shown

_TELLING = 0.02
"""Slopes are equal if they are closer than this fraction of what is wrong with the gradient."""

_MOST_PLACES = 8


@dataclass(frozen=True)
class Lost:
    """The places at which a part of a gradient left; ``whole`` if that is all that is wrong with it."""

    places: tuple[Exit, ...]
    whole: bool
    file: str  # of the function

    @property
    def text(self) -> str:
        """The places in words."""
        return "; ".join(map(self._words, self.places))

    def _words(self, exit: Exit) -> str:
        key = "left_graph.place" if exit.file == self.file else "left_graph.elsewhere"
        place = say(key, line=exit.line, file=shown(exit.file))
        return say(f"left_graph.{exit.how}", place=place, source=shown(exit.source, 80))

    @property
    def evidence(self) -> list[dict[str, Any]]:
        """The places as plain data."""
        return [place._asdict() for place in self.places]


def lost_part(case: Case, i: int, point: int, element: int) -> Lost | None:
    """What left the graph and is missing in the gradient of one element of input ``i`` at a point of the case."""
    e, gauge = case.at(i)[point].elements, case.tables[point].survey.gauge
    analytic, numeric = float(e.analytic[element]), float(e.numeric[element])
    gap = _TELLING * abs(analytic - numeric)
    if not np.isfinite([analytic, numeric]).all():
        return None
    try:
        kept = _HeldExits(case.subject, i, gauge)
        slopes = {place: kept.slope(element, {place}) for place in kept.places}
        places = tuple([place for place, slope in slopes.items() if abs(slope - numeric) > gap])
        if not places:
            return None
        whole = kept.slope(element, set(places))
        if not np.isfinite([*slopes.values(), whole]).all():  # the function refuses to go on with another value
            return None
        code = getattr(inspect.unwrap(case.subject.bound.fn), "__code__", None)
        return Lost(places, abs(whole - analytic) <= gap, "" if code is None else file_label(code.co_filename))
    except Exception:  # what runs alone does not always run when it is followed
        return None


@dataclass
class _ExitValues:
    """What left at a place, in order, and the nodes that it was computed from."""

    values: list[Any] = field(default_factory=list)
    nodes: set[Node] = field(default_factory=set)

    def add(self, value: Any, node: Node | None) -> None:
        self.values.append(value.copy() if hasattr(value, "copy") else value)
        waiting = [node]
        while waiting:
            found = waiting.pop()
            if found is not None and found not in self.nodes:
                self.nodes.add(found)
                waiting += found.parents


class _HeldExits:
    """What left at a point, and slopes of the function in input ``i`` while some of that is held still."""

    def __init__(self, subject: Subject, i: int, gauge: Gauge) -> None:
        self._gauge, self._i = gauge, i
        found: dict[Exit, _ExitValues] = {}

        def keep(exit: Exit, value: Any, variables: Collection[Variable]) -> Any:
            for variable in variables:
                found.setdefault(exit, _ExitValues()).add(value, variable.node)
            return value

        with _listening(keep):
            run = subject.run(gauge.point.arrays)
        own = run.inputs[i].node
        self.places = {exit: place for exit, place in found.items() if own in place.nodes}
        self.places = dict(list(self.places.items())[:_MOST_PLACES])

    def slope(self, element: int, held: Collection[Exit]) -> float:
        """The central difference of the weighted results, with the values that were kept at the places in ``held``."""
        point, t = self._gauge.point, default_step(self._gauge.point.arrays[self._i].dtype)
        direction = point.element(self._i, element)
        moved = self._results(direction, t, held) - self._results(direction, -t, held)
        return float(self._gauge.weights @ moved) / (2 * t * direction.step)

    def _results(self, direction: Direction, t: float, held: Collection[Exit]) -> np.ndarray:
        left = {exit: iter(self.places[exit].values) for exit in held}

        def hold(exit: Exit, value: Any, variables: Collection[Variable]) -> Any:
            return next(left[exit]) if exit in left else value

        with _listening(hold):
            return self._gauge.point.along(direction, t)


@contextmanager
def _listening(hear: Callable[[Exit, Any, Collection[Variable]], Any]) -> Iterator[None]:
    """Let ``hear`` see, and replace, what leaves: it is called with the place, the value, and whose it was."""

    def on_exit(event: ExitEvent) -> None:
        event.value = hear(event.exit, event.value, [event.variable])

    def on_step(event: ForwardEvent | BackwardEvent) -> None:
        exit = untracked(event) if isinstance(event, ForwardEvent) else None
        if exit is not None:
            (y,) = event.outputs[:1]  # type: ignore[union-attr]
            y._data = hear(exit, y._data, [x for x in event.inputs if isinstance(x, Variable)])  # type: ignore[union-attr]

    with watch_leaving(on_exit), observe(on_step):
        yield
