"""What the boxes of a picture show at one moment of a walk: nothing before its time, and sums that still grow as such.

The live view does the same in JavaScript (static/moment.js), where a step of the walk must not cost a round trip.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .messages import say


def readings_at(nodes: Mapping[str, Any], plan: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    """The readings of all boxes at the moment that `frames.frame` tells of; ``plan`` is that of the walk."""
    return {box: _at(reading, box, plan["nodes"].get(box), told) for box, reading in nodes.items()}


def _at(reading: dict[str, Any], box: str, times: Any, told: Mapping[str, Any]) -> dict[str, Any]:
    if times is None:
        return reading
    value_at, first, last = times["known"], times["first"], times["last"]
    k, growing = told["k"], told["growing"].get(box)
    shown = {**reading, "pending": k < value_at}
    if k < value_at:
        shown |= {"value": None, "value_cells": None, "value_note": say("not_yet")}
    if growing is not None:
        shares = f", {growing['arrived']} of {growing['of']}"
        return shown | {
            "grad": growing["grad"],
            "grad_cells": growing["cells"],
            "shares": shares,
        }
    if last is None or k < last:
        note = "" if not told["backward"] else say("absent" if first is None else "not_yet")
        return shown | {"grad": None, "grad_cells": None, "grad_note": note}
    return shown
