"""Recordings for Graphviz. Every label is escaped for DOT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...recording.model import Recording, Step
from ...recording.outline import Group
from ..draw import grad_status
from ..draw.arrays import text_of
from ..draw.colors import ANY_PAGE, THEMES
from ..draw.names import heading, title
from .direction import Direction, direction_of
from .readings import spoken_group
from .scene import scene

if TYPE_CHECKING:
    from graphviz import Digraph


_RANKS = {"down": "TB", "right": "LR"}


def to_graphviz(recording: Recording, direction: Direction = "auto") -> Digraph:
    """The graph as a `graphviz.Digraph`: the same boxes and lines as the picture, for a layout of one's own.

    It has no background: boxes are light, and what stands beside them can be read on a light and on a dark page.
    """
    from graphviz import Digraph

    theme = THEMES["light"]
    ink, fonts = ANY_PAGE["ink"], {"fontname": "monospace"}
    heading = {"label": literal(title(recording)), "labelloc": "t", "fontcolor": ink, "fontsize": "18"}
    graph = Digraph(
        name="recording",
        graph_attr={
            **heading,
            **fonts,
            "bgcolor": "transparent",
            "rankdir": _RANKS[direction_of(recording, direction)],
        },
        node_attr={"shape": "box", "style": "rounded,filled", **fonts, "color": ink, "fontcolor": theme["ink"]},
        edge_attr={"color": ink},
    )
    outputs = recording.outputs if recording.has_returned else ()
    for item in recording.outline.shown(recording.outline.at_first()):
        label = spoken_group(item, recording) if isinstance(item, Group) else _label(item)
        kind = "constant" if isinstance(item, Group) or item.kind == "constant" else item.kind
        border = {"color": ANY_PAGE["strong"], "penwidth": "3"} if item.id in outputs else {}
        graph.node(_name(item.id), label=literal(label), fillcolor=theme.get(kind, theme["box"]), **border)
    for edge in scene(recording)["edges"]:
        graph.edge(_name(edge["from"]), _name(edge["to"]))
    return graph


def literal(text: str) -> str:
    """Text for a label: no escapes, no HTML, and no entities, which ``dot`` would decode."""
    from graphviz import escape

    literal: str = escape(text.replace("&", "&amp;"))
    return literal


def _name(identity: int) -> str:
    """A node's name in DOT; letters, so that no port can be read from it."""
    return f"step{identity}" if identity >= 0 else f"run{~identity}"


def _label(step: Step) -> str:
    lines = [heading(step)]
    if step.value is not None:
        lines.append(f"value {text_of(step.value)}")
        lines.append(grad_status.of_step(step) if step.grad is None else f"gradient {text_of(step.grad)}")
    return "\n".join(lines)
