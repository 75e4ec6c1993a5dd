"""The curves of a function and its derivatives, for the view of the orders."""

from __future__ import annotations

from typing import Any

from ..graph.questions import Reader, answers


@answers("curves", "numbers", of_session=True)
def curves(reader: Reader) -> dict[str, Any] | None:
    """The curves of all orders with their point, and the input ``along`` which they run: the answer to ``["curves"]``.
    None where there are none, or no function that could be run."""
    found = reader.derivation if reader.recording.higher else None
    if reader.session is None or found is None:
        return None
    from .order_curves import OrderCurves  # with the first derivative

    drawing = reader.lasting.setdefault("curves", OrderCurves())
    controls = reader.ask(["free", []])["controls"]
    drawn, moving = drawing.shown(reader.session, reader.recording, found, controls)
    return {"panels": drawn, "moving": moving, "along": found.wrt.text} if drawn else None
