"""The part of the live view that goes up in order: the graphs of y', y'' ... beside that of y."""

from __future__ import annotations

from typing import Any

import traitlets

from ..display.escape import clean
from ..display.readings import readings, view_scale
from ..display.scene import scene
from ..display.steps import label, order_head
from ..display.text import remarks
from ..recording.model import Recording
from ..recording.orders import MAX_ORDER
from .columns import in_columns, shaded
from .part import Part


class Orders(Part):
    """Up to which order the view differentiates and by which input, and the graph of each order.

    ``orders`` tells what can be chosen and what each graph is called; `Picture` shows the graph of order 0.
    """

    orders = traitlets.Dict().tag(sync=True)
    order_scenes: traitlets.List[Any] = traitlets.List().tag(sync=True, to_json=in_columns("nodes", "frames", "edges"))
    order_readings: traitlets.List[Any] = traitlets.List().tag(sync=True, to_json=in_columns("nodes", each=shaded))

    def _shown(self, recording: Recording) -> dict[str, Any]:
        scale = view_scale(recording)
        pairs = [(graph, self._open_groups(graph)) for graph in recording.higher]  # type: ignore[attr-defined]
        return {
            **super()._shown(recording),
            "orders": self._orders(recording),
            "order_scenes": [scene(graph, expanded) for graph, expanded in pairs],
            "order_readings": [readings(graph, expanded, scale=scale) for graph, expanded in pairs],
        }

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
