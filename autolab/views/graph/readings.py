"""The numbers in a picture and the signs beside them: what changes at every move, while the scene stays the same."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from statistics import median_low
from typing import Any, NamedTuple

import numpy as np

from ...recording.model import LEAVES, Recording, Snapshot, Step
from ...recording.observations import Observation, Sign, cancelled, marked_steps
from ...recording.outline import Group, Outline
from ...shared.numerals import round_up
from ..draw import grad_status, number, say
from ..draw.arrays import Cells, as_lists, grid, rows_of, spoken_value, text_of
from ..draw.colors import view_tone
from ..draw.names import heading
from .labels import group_heading, group_sentence
from .sizes import Bars

STRIP_ROWS, STRIP_COLUMNS = 8, 12
BELOW_CELLS = 14  # characters of a line below the cells
_NOTHING: Mapping[str, Any] = {}
_MOST_IN_TICKS = 8  # characters: those of one end and half of those of the numbers next to it
_BEYOND_MEDIAN = 10.0
"""A colour scale ends at this multiple of the median array's maximum: a few large arrays leave the others colours."""

MOST_CELLS = 11_000
"""The values of all boxes together have at most this many cells, if blocks of large arrays can be merged."""


def readings(
    recording: Recording,
    expanded: Collection[int] | None = None,
    outline: Outline | None = None,
    scales: Scales | None = None,
    own: bool = False,
    bars: Bars | None = None,
) -> dict[str, Any]:
    """Values and gradients of all boxes that `scene` draws, as data for JSON.

    Parameters
    ----------
    recording
        The recording that is drawn.
    expanded, outline
        As in `scene`.
    scales
        The ends of the colour scales; by default those of `view_scales`.
    own
        Give each array a colour scale that ends at its own largest magnitude, which its caption then states.
    bars
        The scales of the bars of a plan, if they are known.

    Returns
    -------
    dict
        ``nodes``: for each box, texts and cells; ``value_scale`` and ``grad_scale`` are the ends of their colour
        scales. ``signs``: what is wrong. ``scale``: the colour bar, None if no array is drawn. ``bars``: what the
        bars of a plan mean, in words.
    """
    outline = recording.outline if outline is None else outline
    expanded = outline.at_first() if expanded is None else expanded
    items = outline.shown(expanded)
    shown = [item.result if isinstance(item, Group) else item for item in items]
    scales = view_scales(recording) if scales is None else scales
    told, size = grad_status.explained(recording), strip_size([step.value for step in shown if step is not None])
    bars = Bars.of(recording) if bars is None and outline.is_plan else bars
    nodes = {}
    for item, step in zip(items, shown, strict=True):
        is_small = outline.is_planned(item)
        found = _numbers(step, None if is_small else size, None if own else scales, _of_tangents(recording))
        found["value_bar"], found["grad_bar"] = bars.at(step) if is_small and bars is not None else (None, None)
        words = _of_group(item, recording, found) if isinstance(item, Group) else _of_step(item, told, found)
        nodes[str(item.id)] = {**found, **words}
    has_cells = any([node["value_cells"] or node["grad_cells"] for node in nodes.values()])
    has_bars = any([node["value_bar"] is not None for node in nodes.values()])
    return {
        "nodes": nodes,
        "scale": scale_bar(scales, own, recording.moved is not None) if has_cells else None,
        "bars": bars.words if bars is not None and has_bars else "",
        "signs": signs_at(marked_steps(recording), outline.holders(expanded)),
    }


class Scales(NamedTuple):
    """The ends of a view's colour scales: that of values, and that of gradients (in forward mode, of tangents).

    ``more`` says for each whether some magnitudes are larger; these also have the strongest colours.
    """

    value: float
    grad: float
    more: tuple[bool, bool] = (False, False)


def view_scales(recording: Recording) -> Scales:
    """The colour scales of a view: each ends at the largest magnitude among all its arrays, rounded up, but not far
    beyond that of the median array.

    These are the values and the gradients of all steps, drawn or not, in the graphs of the function and of its
    derivatives, so that a colour has the same meaning everywhere and opening a group changes none. Scalars are not
    coloured and do not count; neither do masks and integers, such as indices of words and classes. Minus infinity, or
    -1e9, in masked scores does not affect a scale, and neither does the rounding error in a gradient that is 0.
    """
    graphs = (recording, *recording.higher)
    steps = [step for graph in graphs for step in graph.steps]
    value, more = _end([step.value for step in steps])
    grad, more_grad = _end([recording.slope(step) for step in steps])
    if more_grad and recording.moved is None:
        kept = [(graph.steps, cancelled(graph, {step.id for step in graph.steps})) for graph in graphs]
        grad, more_grad = _end([step.grad for own, gone in kept for step in own if step.id not in gone])
    return Scales(value, grad, (more, more_grad))


def _end(arrays: Iterable[Snapshot | None]) -> tuple[float, bool]:
    """The end of the scale for some arrays, and whether any magnitude is beyond it."""
    found = [
        max(abs(kept.minimum or 0.0), abs(kept.maximum or 0.0))
        for kept in arrays
        if kept is not None and kept.size > 1 and not is_counted(kept)
    ]
    sizes = [size for size in found if size]
    if not sizes:
        return 0.0, False
    end = round_up(min(max(sizes), _BEYOND_MEDIAN * median_low(sizes)))
    return end, max(sizes) > end


def scale_bar(scales: Scales, own: bool = False, moves: bool = False) -> dict[str, Any]:
    """The colour bar of a view, in words and numbers.

    ``ticks`` are positions on it with the values that have their colours, or with the gradients if no value has one;
    the words say which number of each kind has the full colour.
    """
    end, more = (scales.value, scales.more[0]) if scales.value else (scales.grad, scales.more[1])
    numbers = [] if own or not end else view_tone(end).ticks()
    texts = [number(at) for at in numbers]
    if more and texts:
        texts = [f"≤ {texts[0]}", *texts[1:4], f"≥ {texts[4]}"]
    if sum(map(len, texts[:2])) > _MOST_IN_TICKS:
        numbers, texts = numbers[::2], texts[::2]  # the inner ones would touch the ends
    kinds = {"values": scales.value, "tangents" if moves else "gradients": scales.grad}
    ends = [say("scale_end", end=number(end), kind=kind) for kind, end in kinds.items() if end]
    return {
        "scale": scales.value,
        "grad": scales.grad,
        "ticks": [
            [*tick] for tick in zip(view_tone(end).fractions(np.array(numbers)).round(6).tolist(), texts, strict=True)
        ],
        "words": say("scale_own") if own else say("scale_view", ends=", ".join(ends)),
        "more": say("scale_more"),
    }


def strip_size(values: Sequence[Snapshot | None]) -> tuple[int, int]:
    """Rows and columns of cells for a box in a picture with all these values."""
    shapes = Counter([value.shape for value in values if value is not None and value.size > 1])
    sizes = [(rows, STRIP_COLUMNS * rows // STRIP_ROWS) for rows in range(STRIP_ROWS, 1, -1)]
    total = [sum([count * _cells(shape, *size) for shape, count in shapes.items()]) for size in sizes]
    return next((size for size, cells in zip(sizes, total, strict=True) if cells <= MOST_CELLS), sizes[-1])


def _cells(shape: tuple[int, ...], most_rows: int, most_columns: int) -> int:
    """The number of cells that `grid` makes from an array."""
    rows, columns = rows_of(shape)
    return math.ceil(rows / math.ceil(rows / most_rows)) * math.ceil(columns / math.ceil(columns / most_columns))


def _of_step(step: Step, told: Callable[[Step], str], found: Mapping[str, Any]) -> dict[str, str]:
    sentence = told(step)
    status = "" if step.grad is not None and sentence == say("ok") else sentence
    return {"status": status, "spoken": spoken(step, found)}


def _of_group(group: Group, recording: Recording, found: Mapping[str, Any]) -> dict[str, str]:
    return {"status": group_sentence(group, recording), "spoken": spoken_group(group, recording, found)}


def _of_tangents(recording: Recording) -> dict[str, str]:
    """How forward mode is described: if nothing left the graph, a value that no tangent reaches does not move."""
    if recording.moved is None:
        return {}
    return {"kind": "tangent"} if recording.departures else {"kind": "tangent", "grad_note": "0"}


def _numbers(
    step: Step | None, size: tuple[int, int] | None, scales: Scales | None, moves: Mapping[str, str]
) -> dict[str, Any]:
    """The texts and cells of a step. Without ``scales`` each array has its own; without a ``size`` there are no cells.
    In forward mode, the tangent takes the place of the gradient.
    """
    value, grad = (None, None) if step is None else (step.value, step.tangent if moves else step.grad)
    if value is not None and is_counted(value):
        scales = None
    value_cells, value_own = _strip(value, size)
    grad_cells, grad_own = _strip(grad, size)
    return {
        **moves,
        **({"value_note": say("box_not_kept")} if value is None is not grad else {}),
        "own": scales is None,
        "value": text_of(value, BELOW_CELLS) if value is not None else None if grad is not None else "",
        "grad": None if grad is None else text_of(grad, BELOW_CELLS),
        "value_cells": value_cells,
        "grad_cells": grad_cells,
        "value_scale": value_own if scales is None else scales.value,
        "grad_scale": grad_own if scales is None else scales.grad,
    }


def is_counted(snapshot: Snapshot) -> bool:
    """Whether an array is a mask, or holds integers, which are indices."""
    return snapshot.dtype.startswith(("int", "uint", "bool"))


def _strip(snapshot: Snapshot | None, size: tuple[int, int] | None) -> tuple[Cells | None, float]:
    if snapshot is None or snapshot.size <= 1 or size is None:
        return None, 0.0
    cells = grid(snapshot, *size)
    return as_lists(cells), cells.scale


def spoken(step: Step, found: Mapping[str, Any] = _NOTHING) -> str:
    """A step as one would read it aloud: ``h = x * y, value 6, gradient 1``; ``found`` may have its texts already."""
    kind = [step.kind] if step.kind in LEAVES else [SIGNS["replaced"]] if step.replaced else []
    text = ", ".join([heading(step), *kind, *_spoken_numbers(step, found)])
    if found.get("kind"):
        return text if step.tangent is not None else f"{text}. {say('stands_still')}"
    return text if step.grad is not None and step.status == "ok" else f"{text}. {grad_status.of_step(step)}"


def spoken_group(group: Group, recording: Recording, found: Mapping[str, Any] = _NOTHING) -> str:
    """A closed group as one would read it aloud; ``found`` may have its texts already."""
    shown = group.result
    numbers = [] if shown is None else _spoken_numbers(shown, found)
    return f"{', '.join([group_heading(group), *numbers])}. {group_sentence(group, recording)}"


def _spoken_numbers(step: Step, found: Mapping[str, Any]) -> list[str]:
    beside = ("tangent", step.tangent) if found.get("kind") else ("gradient", step.grad)
    kept = (("value", step.value, found.get("value")), (*beside, found.get("grad")))
    return [f"{name} {spoken_value(snapshot, text)}" for name, snapshot, text in kept if snapshot is not None]


SIGNS: dict[Sign, str] = {
    "raised": "led to the error",
    "nan": "NaN",
    "infinite": "∞",
    "vanishing": "↓ vanishes",
    "exploding": "↑ explodes",
    "dead": "dead units",
    "saturated": "saturated",
    "clamped": "at its bound",
    "left": "left the graph",
    "replaced": "replaced",
}
"""The words at a box."""


def signs_at(found: Iterable[Observation], boxes: Mapping[int, int]) -> dict[str, list[str]]:
    """The words at each box; ``boxes`` has the box of every step."""
    signs: dict[str, list[str]] = {}
    for finding in found:
        words = signs.setdefault(str(boxes[finding.step]), [])
        if SIGNS[finding.sign] not in words:
            words.append(SIGNS[finding.sign])
    return signs
