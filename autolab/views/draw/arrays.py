"""An array in words and as cells: its shape and range, its value where it is short, a heatmap of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...recording.model import Snapshot
from ..draw.cells import grid
from ..draw.escape import clean
from ..draw.messages import plural, say
from ..draw.numbers import bytes_text, inline, number, shape_text


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


def spoken_value(snapshot: Snapshot, text: str | None = None) -> str:
    """A value as one would read it aloud: where it is too long, its shape and range. ``text`` is that of `text_of`."""
    text = text_of(snapshot) if text is None else text
    if "…" not in text or snapshot.minimum is None or snapshot.maximum is None:
        return text
    shape = " by ".join(str(n) for n in snapshot.shape)
    low, high = number(snapshot.minimum), number(snapshot.maximum)
    limits = f"array of {shape}, all {low}" if low == high else f"array of {shape} from {low} to {high}"
    return ", ".join([limits, *not_finite(snapshot)])


MAX_CELLS = 256


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
