"""The input that moves in forward mode, and its direction: how they are described, and the available choices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine import to_cpu
from ...recording.model import Recording
from ...recording.tangents import direction
from ...shared.binding import Bound
from ..draw import clean, say
from ..draw.names import label
from .parameters import movable_steps
from .rule_formulas import grouped

if TYPE_CHECKING:
    from .session import Session

MOST_CELLS = 12
"""The elements of an array with at most this many can be moved individually."""

Moved = tuple[str, tuple[float, ...] | None]
"""The name of an input, and the elements of its direction; None for ones."""


class MovedInput:
    """The input that moves in a recording of forward mode, with the words for it.

    Attributes
    ----------
    step, direction : Step, Snapshot
    letter : str
        The variable of the derivatives: ``x``; ``x[0, 1]`` if one element moves by 1; else ``t``, which counts
        multiples of the direction.
    per, moves, legend : str
        ``per unit of x``, how the input moves, and what tangents are.
    """

    def __init__(self, recording: Recording) -> None:
        assert recording.moved is not None
        self.step = recording.by_id[recording.moved]
        assert self.step.tangent is not None
        self.direction, name = self.step.tangent, label(self.step)
        values, places = self.direction.values, np.argwhere(self.direction.values)
        self.letter, key = next((letter for letter in "tsk" if letter not in _names(recording)), "t"), "moves_along"
        if self.direction.is_whole and len(places) == 1 and values[tuple(places[0])] == 1:
            self.letter, key = _element(name, places[0].tolist() if values.size > 1 else []), "moves_by_one"
        elif self.direction.minimum == self.direction.maximum == 1:
            key = "moves_all"
        self.moves, self.per = say(key, name=name, letter=self.letter), say("moves_per", letter=self.letter)
        self.legend = say("moves_legend", per=self.per) + ("" if key == "moves_by_one" else f"; {self.moves}")


def _names(recording: Recording) -> set[str | None]:
    return {step.name for step in recording.steps}


def _element(name: str, index: list[int]) -> str:
    return f"{grouped(name)}[{', '.join(map(str, index))}]" if index else name


def moved_input(bound: Bound, given: Any) -> Moved | None:
    """The input and direction that the option ``forward`` gives."""
    found = direction("explore", bound.variables, given)
    if found is None or isinstance(given, str):
        return None if found is None else (given, None)
    return str(next(iter(given))), tuple(to_cpu(found[1]).reshape(-1).tolist())


def ways(session: Session) -> dict[str, Moved]:
    """All that can be moved, by the words for it; empty if forward mode is not available."""
    if session.recording is None or session.state.order or not (session.max_order and session.differentiates):
        return {}
    found: dict[str, Moved] = {}
    for key in map(str, movable_steps(session.bound, session.recording)):
        array, name = session.array(key), clean(key)
        if not session.bound.variables[key].requires_grad:
            continue
        found[say("moves_whole", name=name) if array.size > 1 else name] = key, None
        for place, unit in zip(np.ndindex(*array.shape), np.eye(min(array.size, MOST_CELLS + 1)), strict=False):
            if 1 < array.size <= MOST_CELLS:
                found[_element(name, [*place])] = key, tuple(unit.tolist())
    now = session.state.forward
    return found if now is None or now in found.values() else {**found, say("moves_so", name=clean(now[0])): now}


def option(session: Session, moved: Moved | None) -> Any:
    """The option for `record`: a name, or a dict from the name to the direction."""
    if moved is None or moved[1] is None:
        return None if moved is None else moved[0]
    return {moved[0]: np.reshape(moved[1], session.array(moved[0]).shape)}
