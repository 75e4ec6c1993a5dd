"""Everything about one step: facts, source, gradient rules with numbers, and the arrays themselves."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..recording.model import Recording, Snapshot, Step
from . import status
from .cells import grid
from .escape import clean
from .formula import in_names, names_in, signs
from .messages import plural, say
from .numbers import bytes_text, number, seconds_text, shape_text
from .readings import run_sentence, text_of
from .steps import Run, drawn, heading

MAX_CELLS = 256
_STATEMENT_LIMIT = 1000


def detail(recording: Recording, node: int, most: int = MAX_CELLS) -> tuple[dict[str, Any], list[bytes]]:
    """Details of one node of the scene as plain data, and the float32 cells of its arrays, at most ``most``
    rows and columns.

    Raises
    ------
    KeyError
        If the scene has no such node.
    """
    for item in drawn(recording):
        if item.id == node:
            return (
                _run_detail(item, len(recording.steps))
                if isinstance(item, Run)
                else _step_detail(recording, item, most)
            )
    raise KeyError(f"detail: got node {node}, which the picture of {clean(recording.function)} does not have")


def _step_detail(recording: Recording, step: Step, most: int) -> tuple[dict[str, Any], list[bytes]]:
    arrays, buffers = _arrays(step, most)
    data = {
        "id": step.id,
        "title": heading(step),
        "facts": facts(step),
        "source": _source(step),
        "rules": _rules(recording, step),
        "backward_code": None if step.backward_code is None else step.backward_code[:4000],
        "status": status.of_step(step),
        "arrays": arrays,
    }
    return data, buffers


def _run_detail(run: Run, total: int) -> tuple[dict[str, Any], list[bytes]]:
    data = {
        "id": run.id,
        "title": run.text,
        "facts": [["steps", str(len(run.steps))], ["time", seconds_text(sum(s.seconds for s in run.steps))]],
        "source": None,
        "rules": [],
        "backward_code": None,
        "status": run_sentence(run, total),
        "arrays": [],
    }
    return data, []


def facts(step: Step) -> list[list[str]]:
    """Pairs of words: what the value is, and of which size."""
    found = []
    if step.value is not None:
        found += [["value", text_of(step.value)], ["gradient", "none" if step.grad is None else text_of(step.grad)]]
        found += about(step.value)
    if step.function:
        found.append(["function", clean(step.function)])
    if step.kind == "call":
        found.append(["time", seconds_text(step.seconds)])
    return found


def about(snapshot: Snapshot) -> list[list[str]]:
    """Shape, kind and range of an array."""
    found = [
        ["shape", shape_text(snapshot.shape)],
        ["dtype", clean(snapshot.dtype)],
        ["device", clean(snapshot.device)],
    ]
    if snapshot.size > 1:
        found.append(["size", f"{plural(snapshot.size, 'element')}, {bytes_text(snapshot.nbytes)}"])
        if snapshot.minimum is not None and snapshot.maximum is not None:
            found += [["minimum", number(snapshot.minimum)], ["maximum", number(snapshot.maximum)]]
    if snapshot.nan_count:
        found.append(["NaN", str(snapshot.nan_count)])
    if snapshot.inf_count:
        found.append(["infinite", str(snapshot.inf_count)])
    return found


def _source(step: Step) -> dict[str, Any] | None:
    if step.file is None or step.line is None:
        return None
    statement = clean(step.statement or step.source or "", _STATEMENT_LIMIT)
    return {"file": clean(step.file), "line": step.line, "statement": statement}


def _rules(recording: Recording, step: Step) -> list[dict[str, Any]]:
    names = names_in(step, {s.id: s for s in recording.steps})
    return [
        {
            "to": names[operand.parameter],
            "parameter": clean(operand.parameter),
            "rule": operand.rule,
            "filled": None if operand.numbers is None else signs(operand.numbers),
            "text": say("gradient_of", name=names[operand.parameter], rule=in_names(operand.rule, names)),
        }
        for operand in step.operands
        if operand.rule is not None and operand.step is not None
    ]


def _arrays(step: Step, most: int) -> tuple[list[dict[str, Any]], list[bytes]]:
    arrays: list[dict[str, Any]] = []
    buffers: list[bytes] = []
    for which, snapshot in (("value", step.value), ("grad", step.grad)):
        if snapshot is not None and snapshot.size > 0:
            entry, cells = array_entry(which, snapshot, most)
            arrays.append({**entry, "buffer": len(buffers)})
            buffers.append(cells)
    return arrays, buffers


def array_entry(which: str, snapshot: Snapshot, most: int = MAX_CELLS) -> tuple[dict[str, Any], bytes]:
    """An array as a heatmap of at most ``most`` rows and columns: what the page must know of it, and float32 cells."""
    cells = grid(snapshot, most, most)
    with np.errstate(over="ignore"):
        buffer = np.ascontiguousarray(cells.values, dtype=np.float32).tobytes()
    rows, columns = cells.values.shape
    entry = {
        "which": which,
        "rows": rows,
        "cols": columns,
        "shape": list(snapshot.shape),
        "block": list(cells.block),
        "min": snapshot.minimum,
        "max": snapshot.maximum,
        "scale": cells.scale,
        "nan": snapshot.nan_count,
        "inf": snapshot.inf_count,
        "caption": cells.caption,
    }
    return entry, buffer
