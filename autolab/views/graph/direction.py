"""Which way a graph runs: down, or to the right as time does."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, get_args

from ...recording.model import LEAVES, Recording, Step
from ...recording.outline import Group, Item
from ..draw.messages import say

Direction = Literal["auto", "down", "right"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)

LONG = 20
"""Steps on the longest chain from which on a narrow graph runs to the right."""


def direction_of(recording: Recording, wanted: Direction = "auto") -> Literal["down", "right"]:
    """The direction of a recording's graph: the one that is wanted, or by its shape.

    By shape, a graph runs to the right where a loop hands a value on from one pass to the next, however many passes it
    has, or where it is one long chain: at least `LONG` steps follow each other, and there are no more beside each other
    on average than half as many. Everything else runs down, and so do the graphs of derivatives, which stand side by
    side. The rule looks at the program alone, never at its numbers or at what is open.

    Raises
    ------
    ValueError
        If there is no such direction.
    """
    if wanted not in DIRECTIONS:
        raise ValueError(say("unknown_direction", wanted=repr(wanted)[:60], expected=", ".join(DIRECTIONS)))
    if wanted != "auto":
        return wanted
    if recording.order:
        return "down"
    return "right" if _hands_on(recording.outline.items) or _is_long(recording.steps) else "down"


def _hands_on(items: tuple[Item, ...]) -> bool:
    """Whether a pass of some loop uses what the pass before it computed."""
    groups = [item for item in items if isinstance(item, Group)]
    before: set[int] = set()
    for one in _passes(groups):
        steps = {step.id for step in one.steps}
        if any([use.step in before for step in one.steps for use in step.operands]):
            return True
        before = steps
    return any([_hands_on(group.items) for group in groups])


def _passes(groups: list[Group]) -> Iterator[Group]:
    """The passes beside each other, also those that stand in runs."""
    for group in groups:
        if group.kind == "pass":
            yield group
        elif group.kind == "run":
            yield from _passes([item for item in group.items if isinstance(item, Group)])


def _is_long(steps: tuple[Step, ...]) -> bool:
    depth: dict[int, int] = {}
    calls = 0
    for step in steps:
        is_call = step.kind not in LEAVES
        calls += is_call
        above = [depth[use.step] for use in step.operands if use.step is not None]
        depth[step.id] = max(above, default=0) + is_call
    longest = max(depth.values(), default=0)
    return longest >= LONG and longest**2 >= 2 * calls
