"""The numbers of a picture: what changes on every move, while the scene stays."""

from __future__ import annotations

from typing import Any

from ..recording.model import LEAVES, Recording, Snapshot, Step
from . import status
from .cells import as_lists, grid
from .messages import say
from .numbers import inline, number, shape_text
from .steps import MAX_DRAWN, Run, drawn, heading

STRIP_ROWS, STRIP_COLUMNS = 6, 12


def readings(recording: Recording, most: int = MAX_DRAWN) -> dict[str, Any]:
    """Values and gradients of all nodes that `scene` draws, as JSON can hold them."""
    total = len(recording.steps)
    nodes = {
        str(item.id): _of_run(item, total) if isinstance(item, Run) else _of_step(item)
        for item in drawn(recording, most)
    }
    return {"recording": recording.id, "nodes": nodes}


def _of_step(step: Step) -> dict[str, Any]:
    value_cells, value_scale = _strip(step.value)
    grad_cells, grad_scale = _strip(step.grad)
    sentence = "" if step.grad is not None and step.status == "ok" else status.of_step(step)
    return {
        "value": "" if step.value is None else text_of(step.value),
        "grad": None if step.grad is None else text_of(step.grad),
        "status": sentence,
        "value_cells": value_cells,
        "grad_cells": grad_cells,
        "value_scale": value_scale,
        "grad_scale": grad_scale,
        "spoken": spoken(step),
    }


def run_sentence(run: Run, total: int) -> str:
    """What a box that stands for many steps says about itself."""
    first, last = run.steps[0].id, run.steps[-1].id
    return say("hidden", count=len(run.steps), first=first, last=last, total=total)


def _of_run(run: Run, total: int) -> dict[str, Any]:
    sentence = run_sentence(run, total)
    return {
        "value": "",
        "grad": None,
        "status": sentence,
        "value_cells": None,
        "grad_cells": None,
        "value_scale": 0.0,
        "grad_scale": 0.0,
        "spoken": sentence,
    }


def _strip(snapshot: Snapshot | None) -> tuple[list[list[float | None]] | None, float]:
    if snapshot is None or snapshot.size <= 1:
        return None, 0.0
    cells = grid(snapshot, STRIP_ROWS, STRIP_COLUMNS)
    return as_lists(cells), cells.scale


def text_of(snapshot: Snapshot) -> str:
    """The value where it is short, else its shape; NaN and infinities are always counted.

    Examples are ``6``, ``[1, 2, 3]``, ``(3, 4) …``, ``(3, 4) …, 2 NaN``.
    """
    if snapshot.size == 0:
        return f"empty {shape_text(snapshot.shape)}"
    if snapshot.size == 1 and not snapshot.shape:
        return number(snapshot.values.reshape(-1)[0])
    written = inline(snapshot.values) if snapshot.is_whole else None
    return written or ", ".join([f"{shape_text(snapshot.shape)} …", *not_finite(snapshot)])


def not_finite(snapshot: Snapshot) -> list[str]:
    """Counts of NaN and infinities, where there are any."""
    counts = (("nan_count", snapshot.nan_count), ("inf_count", snapshot.inf_count))
    return [say(key, count=count) for key, count in counts if count]


def spoken(step: Step) -> str:
    """A step as one would read it aloud: ``h = x * y, value 6, gradient 1``."""
    parts = [heading(step)]
    if step.kind in LEAVES:
        parts.append(step.kind)
    if step.value is not None:
        parts.append(f"value {spoken_value(step.value)}")
    if step.grad is not None:
        parts.append(f"gradient {spoken_value(step.grad)}")
    text = ", ".join(parts)
    return text if step.grad is not None and step.status == "ok" else f"{text}. {status.of_step(step)}"


def spoken_value(snapshot: Snapshot) -> str:
    """A value as one would read it aloud: where it is too long, its shape and range."""
    text = text_of(snapshot)
    if "…" not in text or snapshot.minimum is None or snapshot.maximum is None:
        return text
    shape = " by ".join(str(n) for n in snapshot.shape)
    low, high = number(snapshot.minimum), number(snapshot.maximum)
    limits = f"array of {shape}, all {low}" if low == high else f"array of {shape} from {low} to {high}"
    return ", ".join([limits, *not_finite(snapshot)])
