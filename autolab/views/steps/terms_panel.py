"""The orders of a derivative term by term: their formulas, the graphs of their terms, and the numbers in these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...recording.orders import output_name
from ..draw.messages import say
from ..graph.questions import Reader, answers

if TYPE_CHECKING:  # loaded with the first derivative: no first picture waits for it
    from ...analysis.derivations import Derivation
    from .terms import OrderScene


@answers("terms", "numbers")
def terms(reader: Reader) -> dict[str, Any] | None:
    """``panels``, one for each order, the ``values`` in them, and a ``note`` where formulas cannot be read off."""
    if not reader.recording.higher:
        return None
    found = reader.derivation
    if found is None:
        return {"panels": [], "values": [], "note": say("orders_not_read")}
    scene = _scene(reader, found)
    return {"panels": scene.panels, "values": scene.values(found), "note": ""}


def _scene(reader: Reader, found: Derivation) -> OrderScene:
    """That of an earlier recording of the same program, as long as it fits."""
    from .terms import OrderScene

    y, kept = output_name(reader.recording), reader.kept
    if "terms" not in kept or not kept["terms"].fits(found, y):
        kept["terms"] = OrderScene(found, y)
    scene: OrderScene = kept["terms"]
    return scene
