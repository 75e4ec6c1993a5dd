"""How much flows through each part of a graph: a number per box and per line, on one scale, with a legend.

Measures
--------
value       Euclidean norm of the value's finite elements
gradient    Euclidean norm of the gradient's finite elements; for a line, of the share sent back along it
ratio       the gradient's norm divided by the value's
time        seconds of the step's forward and backward
bytes       size of the value and the gradient

A closed group shows the norms of its result, and the total time and bytes of its steps.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal, get_args

from ...recording.model import LEAVES, Recording, Step
from ...recording.outline import Group, Item
from ..draw import bytes_text, number, say, seconds_text
from .scene import lines
from .sizes import scale_of, size_of

Measure = Literal["value", "gradient", "ratio", "time", "bytes"]
MEASURES: tuple[Measure, ...] = get_args(Measure)


def measure(item: Item, by: Measure, backward_seconds: Mapping[int, float]) -> float | None:
    """The measure of a step or of a closed group; None if there is nothing to measure."""
    if by in ("time", "bytes"):
        steps = item.steps if isinstance(item, Group) else (item,)
        calls = [step for step in steps if by == "bytes" or step.kind not in LEAVES]
        if not calls:
            return None
        return sum([s.seconds + backward_seconds.get(s.id, 0.0) if by == "time" else _bytes(s) for s in calls])
    step = item.result if isinstance(item, Group) else item
    return None if step is None else _norm(step, by)


def _bytes(step: Step) -> float:
    return float(sum([kept.nbytes for kept in (step.value, step.grad) if kept is not None]))


def _norm(step: Step, by: Measure) -> float | None:
    value, grad = size_of(step.value), size_of(step.grad)
    if by == "value":
        return value
    if by == "gradient" or grad is None:
        return grad
    return grad / value if value else None


TEXTS: dict[str, Callable[[float], str]] = {"time": seconds_text, "bytes": lambda size: bytes_text(round(size))}


def flow(recording: Recording, by: Measure, expanded: Collection[int]) -> dict[str, Any]:
    """The measures of all boxes and lines of the picture, as JSON can hold them.

    Parameters
    ----------
    recording
        The recording that is drawn.
    by
        One of `MEASURES`.
    expanded
        The open groups of the recording's outline.

    Returns
    -------
    dict
        ``nodes``: box -> ``[position between 0 and 1, text]``, or None if there is nothing to measure; ``edges``: a
        position or None for each line, in the order of `scene`; ``legend``: the name of the measure, the texts of
        both ends, and whether the scale is logarithmic.
    """
    items = recording.outline.shown(expanded)
    times = {back.of: back.seconds for back in recording.backward}
    sizes = {item.id: measure(item, by, times) for item in items}
    scale = scale_of([size for size in sizes.values() if size is not None])
    text = TEXTS.get(by, number)
    has_less = any([0 < (size or 0) < scale.low for size in sizes.values()])

    def place(size: float | None) -> float | None:
        return None if size is None else round(scale.place(size), 4)

    return {
        "by": by,
        "nodes": {str(i): None if size is None else [place(size), text(size)] for i, size in sizes.items()},
        "edges": [place(size) for size in _lines(recording, by, sizes, expanded)],
        "none": say("health_none"),
        "legend": {
            "name": say(f"flow_{by}"),
            "low": f"≤ {text(scale.low)}" if has_less else text(scale.low),
            "high": text(scale.high),
            "logarithmic": scale.logarithmic,
        },
    }


def _lines(
    recording: Recording, by: Measure, sizes: Mapping[int, float | None], expanded: Collection[int]
) -> list[float | None]:
    """The measure of each line: for gradients, of the share sent along it; else that of the box where it begins."""
    found: list[float | None] = []
    for edge, operands in lines(recording, recording.outline, expanded):
        size = sizes[edge.source]
        if by == "gradient":
            shares = [size_of(operand.contribution) for operand in operands]
            size = max([share for share in shares if share is not None], default=None)
        found.append(size)
    return found
