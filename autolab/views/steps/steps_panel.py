"""Answers about one step, group or moment of the walk; and about derivatives term by term: their formulas, the graphs
of their terms, and the numbers in these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...recording.orders import output_name
from ..draw import say
from ..graph.detail import detail, home
from ..graph.playback import Playback
from ..graph.questions import Reader, answers
from ..graph.readings import is_counted
from ..live.controls import is_finite
from .answer import answer
from .moments import frame
from .worksheet import MAX_CELLS as MOST_IN_FRAME

if TYPE_CHECKING:
    from ...analysis.recorded_expressions import Derivation
    from .terms import OrderScene


@answers("detail", "answers", identity=int)
def step(reader: Reader, identity: int) -> Any:
    """Everything about a step or a group."""
    graph = home(reader.recording, identity)
    if identity not in graph.outline.groups and identity not in reader.alone:
        return None
    walk = reader.walk if graph is reader.recording else Playback(graph)
    told: dict[str, Any] = {"answer": answer(walk, identity, reader.alone), "what_if": _what_if(reader, identity)}
    if walk.moved is not None:  # its rules are for gradients
        told |= {"rules": [], "backward_code": None}
    return detail(graph, identity, reader.cells, reader.scales) | told


def _what_if(reader: Reader, identity: int) -> dict[str, Any] | None:
    """Whether the value of a step can be replaced, and its current number; None for other steps."""
    found = reader.recording.by_id.get(identity)
    if found is None or found.kind != "call" or found.value is None or is_counted(found.value):
        return None
    number = found.value.values.reshape(-1)[0].item() if found.value.size == 1 else None
    return {"value": number if number is None or is_finite(number) else None, "replaced": found.replaced}


@answers("frame", "answers", k=int, pick=(list, type(None)))
def moment(reader: Reader, k: int, pick: list[Any] | None) -> Any:
    """A moment of the walk."""
    if not 0 <= k < len(reader.walk):
        return None
    cells = min(reader.cells, MOST_IN_FRAME)
    return frame(reader.walk, k, reader.alone, _picked(pick), cells)


def _picked(pick: Any) -> Any:
    """A cell as a page identifies it; None for anything else."""
    match pick:
        case ["out" | "in" as space, row, column] if type(row) is type(column) is int:
            return space, row, column
    return None


@answers("terms", "numbers")
def terms(reader: Reader) -> dict[str, Any] | None:
    """``panels``, one per order, the ``values`` in them, and a ``note`` if there are no formulas."""
    if not reader.recording.higher:
        return None
    found = reader.derivation
    if found is None:
        return {"panels": [], "values": [], "note": say("orders_not_read")}
    scene = _scene(reader, found)
    return {"panels": scene.panels, "values": scene.values(found), "note": ""}


def _scene(reader: Reader, found: Derivation) -> OrderScene:
    """The scene, reused from an earlier recording of the same program as long as it fits."""
    from .terms import OrderScene

    y, kept = output_name(reader.recording), reader.kept
    if "terms" not in kept or not kept["terms"].fits(found, y):
        kept["terms"] = OrderScene(found, y)
    scene: OrderScene = kept["terms"]
    return scene
