"""Recordings for Graphviz, and as files. Every label is escaped for DOT; the program ``dot`` may be missing."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from ..recording.model import Recording, Step
from . import status
from .colors import THEMES
from .escape import clean
from .messages import say
from .readings import run_sentence, text_of
from .scene import scene
from .steps import Run, drawn, heading, title
from .style import Look
from .svg import to_svg

if TYPE_CHECKING:
    from graphviz import Digraph

DOT_SECONDS = 10.0


def to_graphviz(recording: Recording) -> Digraph:
    """The graph as a `graphviz.Digraph`: the same boxes and lines as the picture, for a layout of one's own."""
    from graphviz import Digraph

    theme = THEMES["light"]
    graph = Digraph(
        name="recording",
        graph_attr={"label": _literal(title(recording)), "labelloc": "t", "fontname": "monospace"},
        node_attr={"shape": "box", "style": "rounded,filled", "fontname": "monospace", "color": theme["frame"]},
        edge_attr={"color": theme["edge"]},
    )
    total = len(recording.steps)
    for item in drawn(recording):
        label = run_sentence(item, total) if isinstance(item, Run) else _label(item)
        kind = "constant" if isinstance(item, Run) or item.kind == "constant" else item.kind
        border = {"color": theme["strong"], "penwidth": "2"} if item.id in recording.outputs else {}
        graph.node(_name(item.id), label=_literal(label), fillcolor=theme.get(kind, theme["box"]), **border)
    for edge in scene(recording)["edges"]:
        graph.edge(_name(edge["from"]), _name(edge["to"]))
    return graph


def _literal(text: str) -> str:
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
        lines.append(status.of_step(step) if step.grad is None else f"gradient {text_of(step.grad)}")
    return "\n".join(lines)


def save(recording: Recording, path: str | os.PathLike[str], look: Look = "light") -> None:
    """Write the graph to a file: ``.svg`` (AutoLab's own picture), ``.dot``, or ``.png`` and ``.pdf`` through ``dot``.

    Parameters
    ----------
    recording
        What to write.
    path
        Where to; an existing file is replaced.
    look
        For ``.svg``: ``light``, ``dark``, or ``auto``, which follows the page that shows it.

    Raises
    ------
    ValueError
        If the suffix is another one.
    RuntimeError
        If the program ``dot`` is needed and missing, too slow, or fails.
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix == ".svg":
        target.write_text(to_svg(recording, look), encoding="utf-8")
    elif suffix == ".dot":
        target.write_text(to_graphviz(recording).source, encoding="utf-8")
    elif suffix in (".png", ".pdf"):
        target.write_bytes(_run_dot(to_graphviz(recording).source, suffix[1:], target))
    else:
        raise ValueError(say("unknown_suffix", suffix=clean(suffix, 20), path=clean(target, 100)))


def _run_dot(source: str, kind: str, target: Path) -> bytes:
    """Let ``dot`` draw; `graphviz.Digraph.pipe` would do, but it has no time-out."""
    path = clean(target, 100)
    try:
        done = subprocess.run(
            ["dot", f"-T{kind}"], input=source.encode(), capture_output=True, timeout=DOT_SECONDS, check=True
        )
    except FileNotFoundError:
        raise RuntimeError(say("no_dot", path=path, kind=kind)) from None
    except subprocess.TimeoutExpired:
        raise RuntimeError(say("dot_slow", path=path, seconds=f"{DOT_SECONDS:g}")) from None
    except subprocess.CalledProcessError as error:
        reason = clean(error.stderr.decode(errors="replace"), 150)
        raise RuntimeError(say("dot_failed", path=path, reason=reason)) from None
    return done.stdout
