"""Which input moves in forward mode, and in which direction: what an exploration can choose, and its option."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...engine.devices import to_cpu
from ...recording.model import Recording
from ...recording.tangents import direction
from ...shared.binding import Bound
from ..draw.messages import say
from ..draw.names import label
from .formulas import grouped, index_text
from .parameters import movable_steps

if TYPE_CHECKING:
    from .session import Session

MOST_CELLS = 12
"""Each element of an array with at most so many can be moved alone."""

Moved = tuple[str, tuple[float, ...] | None]
"""The name of an input, and the elements of the direction; None for ones."""


class MovedInput:
    """What moves in a recording of forward mode, and how that is said.

    Attributes
    ----------
    step, direction : Step, Snapshot
    letter : str
        What the derivatives are by: ``x``; ``x[0, 1]`` where one element moves by 1; else ``t``, which counts the steps
        along the direction.
    per, moves : str
        ``per unit of x``, and the sentence that says how it moves.
    """

    def __init__(self, recording: Recording) -> None:
        self.step = next(step for step in recording.steps if step.id == recording.moved)
        assert self.step.tangent is not None
        self.direction, name = self.step.tangent, label(self.step)
        values, shape = self.direction.values, self.direction.shape
        places = np.argwhere(values)
        if self.direction.is_whole and len(places) == 1 and values[tuple(places[0])] == 1:
            index = tuple(places[0].tolist()) if self.direction.size > 1 else ()
            self.letter = index_text(grouped(name) if index else name, index)
            self.moves, also = say("moves_by_one", name=self.letter), ""
        else:
            taken = {step.name for step in recording.steps}
            self.letter = next((letter for letter in "tsk" if letter not in taken), "t")
            is_all = self.direction.minimum == self.direction.maximum == 1
            self.moves = say("moves_all" if is_all and shape else "moves_along", name=name, letter=self.letter)
            also = f"; {self.moves}"
        self.per = say("moves_per", letter=self.letter)
        self.legend = say("moves_legend", per=self.per) + also


def moved_input(bound: Bound, given: Any) -> Moved | None:
    """The option ``forward``."""
    found = direction("explore", bound.variables, given)
    if found is None or isinstance(given, str):
        return None if found is None else (given, None)
    return str(found[0].name), tuple(to_cpu(found[1]).reshape(-1).tolist())


def ways(session: Session) -> dict[str, Moved]:
    """What can be moved, by the words for it; nothing where forward mode cannot be had."""
    recording, now = session.recording, session.state.forward
    if recording is None or session.state.order or not session.max_order:
        return {}
    found: dict[str, Moved] = {}
    for key in movable_steps(session.bound, recording):
        if not session.bound.variables[str(key)].requires_grad:
            continue
        found[str(key)] = (str(key), None)
        shape = session.array(key).shape
        size = int(np.prod(shape, dtype=int))
        for place in np.ndindex(*shape) if 1 < size <= MOST_CELLS else ():
            unit = np.zeros(shape)
            unit[place] = 1
            found[f"{key}[{', '.join(map(str, place))}]"] = (str(key), tuple(unit.reshape(-1).tolist()))
    if now is not None and now not in found.values():
        found[f"{now[0]} in its direction"] = now
    return found


def option(session: Session, moved: Moved | None) -> Any:
    """What `record` is given; as a name, or a dict from it to the direction."""
    if moved is None or moved[1] is None:
        return None if moved is None else moved[0]
    return {moved[0]: np.reshape(moved[1], session.array(moved[0]).shape)}
