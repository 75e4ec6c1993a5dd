"""The curves of a function and its derivatives, for the view of the orders."""

from __future__ import annotations

from typing import Any

from ..graph.questions import Reader, answers


@answers("curves", "numbers", of_session=True)
def curves(reader: Reader) -> dict[str, Any] | None:
    """The answer to ``["curves"]``: the curves of all orders with the point, and the input ``along`` which they run.
    None if there are none, or no function to run."""
    found = reader.derivation if reader.recording.higher else None
    if reader.session is None or found is None:
        return None
    from .order_curves import OrderCurves  # imported with the first derivative

    drawing = reader.lasting.setdefault("curves", OrderCurves())
    controls = reader.ask(["free", []])["controls"]
    drawn, moving = drawing.shown(reader.session, reader.recording, found, controls)
    return {"panels": drawn, "moving": moving, "along": found.wrt.text} if drawn else None
