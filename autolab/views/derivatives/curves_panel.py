"""The curves of a function and its derivatives, for the view of the orders."""

from __future__ import annotations

from typing import Any

from ..graph.questions import Picture, answers


@answers("curves", "numbers", of_session=True)
def curves(picture: Picture) -> dict[str, Any] | None:
    """The curves of all orders with their point, and the input ``along`` which they run: the answer to ``["curves"]``.
    None where there are none, or no function that could be run."""
    found = picture.reader.derivation if picture.recording.higher else None
    if picture.session is None or found is None:
        return None
    from .order_curves import OrderCurves  # with the first derivative

    drawing = picture.lasting.setdefault("curves", OrderCurves())
    controls = picture.answer(["free", []])[1]["controls"]
    drawn, moving = drawing.shown(picture.session, picture.recording, found, controls)
    return {"panels": drawn, "moving": moving, "along": found.wrt.text} if drawn else None
