"""The part of the live view that goes up in order: the graphs of y', y'' ... beside that of y."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import traitlets

from ..display.escape import clean
from ..display.messages import say
from ..display.scene import readings, scene
from ..display.steps import label, order_head
from ..display.text import remarks
from ..recording.model import Recording
from ..recording.orders import MAX_ORDER, output_name
from .columns import in_columns, shaded
from .part import Part

if TYPE_CHECKING:
    from ..display.order_scene import OrderScene
    from .order_curves import OrderCurves


class Orders(Part):
    """Up to which order the view differentiates and by which input, and the graph of each order.

    ``orders`` tells what can be chosen and what each graph is called; `Picture` shows the graph of order 0. ``terms``
    are the same orders as formulas, with graphs of their terms and curves, ``term_values`` the numbers in them.
    """

    _scene_of_terms: OrderScene | None = None
    _curves: OrderCurves | None = None

    orders = traitlets.Dict().tag(sync=True)
    terms = traitlets.Dict().tag(sync=True)
    term_values = traitlets.Dict().tag(sync=True)
    order_scenes: traitlets.List[Any] = traitlets.List().tag(sync=True, to_json=in_columns("nodes", "frames", "edges"))
    order_readings: traitlets.List[Any] = traitlets.List().tag(sync=True, to_json=in_columns("nodes", each=shaded))

    def _shown(self, recording: Recording) -> dict[str, Any]:
        pairs = [(graph, self._open_groups(graph)) for graph in recording.higher]  # type: ignore[attr-defined]
        shown = super()._shown(recording)
        return {
            **shown,
            **self._terms(recording, shown),
            "orders": self._orders(recording),
            "order_scenes": [scene(graph, expanded) for graph, expanded in pairs],
            "order_readings": [readings(graph, expanded) for graph, expanded in pairs],
        }

    def _terms(self, recording: Recording, shown: dict[str, Any]) -> dict[str, Any]:
        """The orders term by term; without a kernel there are no curves, since nothing could move along them."""
        if not recording.higher:
            return {"terms": {"panels": [], "curves": [], "note": ""}, "term_values": {}}
        from ..analysis.derivations import NotReadableError, derivation  # it takes long, and no first picture needs it
        from ..display.order_scene import OrderScene
        from .order_curves import OrderCurves

        try:
            found = derivation(recording)
        except NotReadableError:
            return {"terms": {"panels": [], "curves": [], "note": say("orders_not_read")}, "term_values": {}}
        y = output_name(recording)
        if self._scene_of_terms is None or not self._scene_of_terms.fits(found, y):
            self._scene_of_terms = OrderScene(found, y)
        curves: list[Any] = []
        moving: dict[str, Any] = {}
        session = getattr(self, "_session", None)
        if session is not None:
            self._curves = self._curves or OrderCurves()
            curves, moving = self._curves.shown(session, recording, found, shown.get("controls", []))
        terms = {
            "panels": self._scene_of_terms.panels,
            "curves": curves,
            "along": found.wrt.text if curves else None,
            "note": "",
        }
        terms["rest"] = say("orders_point" if curves else "orders_rest")
        return {"terms": terms, "term_values": {"values": self._scene_of_terms.values(found), "moving": moving}}

    def _orders(self, recording: Recording) -> dict[str, Any]:
        session = getattr(self, "_session", None)  # a saved page has none
        inputs = [step for step in recording.steps if step.kind == "input" and step.status != "integer"]
        return {
            "order": len(recording.higher) if session is None else session.state.order,
            "most": MAX_ORDER,
            "wrt": recording.wrt if session is None else session.state.wrt,
            "inputs": [{"name": step.name, "label": label(step)} for step in inputs if step.name is not None],
            "graphs": [_head(graph) for graph in (recording, *recording.higher)],
            "note": clean(remarks(recording)[-1]) if "orders_end" in recording.notes else "",
        }


def _head(graph: Recording) -> dict[str, Any]:
    name, count = order_head(graph)
    return {"name": name, "order": graph.order, "count": count}
