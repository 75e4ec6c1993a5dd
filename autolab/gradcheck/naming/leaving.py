"""Whether the missing part of a wrong gradient is due to a value that left the graph, and where it left.

For the gradient, a number or an array that left the graph is a constant. So it is held constant: an input is moved
while the function continues with the value that left at the original point. If that changes the slope, the place
matters; and if the slope then equals the gradient, nothing else is wrong.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...engine import Node, Variable, file_label, nodes_below
from ...engine.leaving import Exit, ExitEvent, untracked, watch_leaving
from ...engine.observe import BackwardEvent, ForwardEvent, observe
from ..judging.case import CheckedInput
from ..judging.finding import Explanation
from ..measuring.differences import default_step
from ..measuring.gauge import Gauge
from ..measuring.point import Arrays, Direction, attempted
from ..measuring.subject import Subject
from ..messages import say, shown

_TELLING = 0.02
"""Slopes are equal if they are closer than this fraction of what is wrong with the gradient."""

_MOST_PLACES = 8


def left(checked: CheckedInput) -> Explanation | None:
    """The values that left the graph and are missing in the gradient of the worst element."""
    subject, (c, survey) = checked.case.subject, checked.wrong_point
    element = c.elements.worst(c.elements.wrong)
    analytic, numeric = c.elements.numbers(element, "analytic", "numeric").values()
    gap = _TELLING * abs(analytic - numeric)
    if not c.elements.wrong.any() or not np.isfinite([analytic, numeric]).all():
        return None
    gauge = survey.gauge
    values = attempted(_exits, subject, checked.place, gauge.point.arrays)
    if values is None:  # a function that runs normally may fail when traced
        return None
    direction = gauge.point.moving(checked.place, element)
    slopes = {place: _slope(gauge, direction, {place: left}) for place, left in values.items()}
    places = [place for place, slope in slopes.items() if abs(slope - numeric) > gap]
    held = _slope(gauge, direction, {place: values[place] for place in places}) if places else np.nan
    if not np.isfinite([*slopes.values(), held]).all():  # or it fails with the replaced value
        return None
    is_all = abs(held - analytic) <= gap
    words = {"what": _in_words(subject, places), **({} if c.given else {"analytic": "None"})}
    evidence = {"cause": places[0].how, "places": [place._asdict() for place in places], "whole": is_all}
    return Explanation("left_graph", words, evidence, after="" if is_all else say("left_graph.more"))


def _in_words(subject: Subject, places: list[Exit]) -> str:
    code = getattr(inspect.unwrap(subject.bound.fn), "__code__", None)
    file, texts = "" if code is None else file_label(code.co_filename), []
    for exit in places:
        key = "left_graph.place" if exit.file == file else "left_graph.elsewhere"
        place = say(key, line=exit.line, file=shown(exit.file))
        texts.append(say(f"left_graph.{exit.how}", place=place, source=shown(exit.source, 80)))
    return "; ".join(texts)


def _exits(subject: Subject, i: int, arrays: Arrays) -> dict[Exit, list[Any]]:
    """The places where values that depend on input ``i`` leave the graph, with these values."""
    values: dict[Exit, list[Any]] = {}
    sources: dict[Exit, list[Node]] = {}

    def keep(exit: Exit, value: Any, variables: Collection[Variable]) -> Any:
        values.setdefault(exit, []).append(value.copy() if hasattr(value, "copy") else value)
        sources.setdefault(exit, []).extend([v.node for v in variables if v.node is not None])
        return value

    with _listening(keep):
        run = subject.run(arrays)
    own = run.inputs[i].node
    places = [exit for exit in values if own in nodes_below(*sources[exit])]
    return {exit: values[exit] for exit in places[:_MOST_PLACES]}


def _slope(gauge: Gauge, direction: Direction, held: Mapping[Exit, list[Any]]) -> float:
    """The central difference of the weighted results, with constant values at the places in ``held``."""
    t = default_step(gauge.point.arrays[direction.input].dtype)

    def results(t: float) -> np.ndarray:
        left = {exit: iter(values) for exit, values in held.items()}
        with _listening(lambda exit, value, _: next(left[exit]) if exit in left else value):
            return gauge.point.along(direction, t)

    return float(gauge.weights @ (results(t) - results(-t))) / (2 * t * direction.step)


@contextmanager
def _listening(hear: Callable[[Exit, Any, Collection[Variable]], Any]) -> Iterator[None]:
    """Inside a ``with`` block, ``hear`` gets place, value and source of what leaves; it returns the value to use."""

    def on_exit(event: ExitEvent) -> None:
        event.value = hear(event.exit, event.value, [event.variable])

    def on_step(event: ForwardEvent | BackwardEvent) -> None:
        exit = untracked(event) if isinstance(event, ForwardEvent) else None
        if exit is not None:
            (y,) = event.outputs[:1]  # type: ignore[union-attr]
            y._data = hear(exit, y._data, [x for x in event.inputs if isinstance(x, Variable)])  # type: ignore[union-attr]

    with watch_leaving(on_exit), observe(on_step):
        yield
