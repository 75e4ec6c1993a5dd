"""The answer about the cells of a box: what each was made of."""

from __future__ import annotations

from typing import Any

from ..graph.questions import Reader, answers
from .sources import CellOrigins


@answers("sources", "answers", identity=int, slot=str)
def sources(reader: Reader, identity: int, slot: str) -> list[dict[str, Any]] | None:
    """For each cell of the value or gradient that a box shows, what it was made of, as `CellOrigins.of` says.

    None for boxes of other graphs than that of the function, and for arrays whose cells are blocks.
    """
    group = reader.recording.outline.groups.get(identity)
    step = reader.recording.by_id.get(identity) if group is None else group.result
    if step is None or slot not in ("value", "gradient"):
        return None
    origins: CellOrigins = reader.once("origins", lambda: CellOrigins(reader.walk))
    return origins.of(step, slot)  # type: ignore[arg-type]
