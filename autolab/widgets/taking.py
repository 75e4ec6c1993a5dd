"""What a view shows now, as a file: one picture for a slide or a hand-out, or a page that still steps."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..files import write
from ..recording.model import Recording
from .messages import not_understood

if TYPE_CHECKING:  # loaded when something is taken away: a notebook's first picture does not wait for it
    from ..display.slide import Slide
    from ..display.style import Look

PAGE = ".html"
KINDS = {".png": "image/png", ".svg": "image/svg+xml", ".pdf": "application/pdf", PAGE: "text/html"}


def save(view: Any, path: Any, theme: Look) -> None:
    """Write what a view of a recording shows now to a file, whose suffix says which."""
    from ..display.files import save_slide

    if Path(path).suffix.lower() == PAGE:
        write(path, _page(view, theme))
    else:
        save_slide(_slide(view.recording, view.look), path, theme)


def taken(view: Any, question: list[Any]) -> dict[str, Any]:
    """The answer to ``["file", suffix, theme]``: the ``name`` of the file, its ``kind`` and its ``bytes``."""
    from ..display.files import slide_bytes

    match question:
        case ["file", str(suffix), "light" | "dark" as theme] if f".{suffix}" in KINDS:
            ending = f".{suffix}"
        case _:
            raise not_understood(question)
    stem = re.sub(r"\W+", "_", view.recording.function, flags=re.ASCII).strip("_") or "function"
    name = Path(f"{stem}{ending}")
    is_page = ending == PAGE
    content = _page(view, "auto") if is_page else slide_bytes(_slide(view.recording, view.look), name, theme)
    return {"name": str(name), "kind": KINDS[ending], "bytes": content}


def _slide(recording: Recording, look: Mapping[str, Any]) -> Slide:
    from ..display.slide import Slide

    graphs, opened = (recording, *recording.higher), look.get("open", {})
    chosen = [opened.get(str(order), graph.outline.at_first()) for order, graph in enumerate(graphs)]
    expanded = frozenset[int]().union(*chosen)
    pick = look.get("pick")
    return Slide(
        recording, expanded, look.get("moment"), pick and tuple(pick), look.get("selected"), look.get("colour")
    )


def _page(view: Any, theme: Look) -> bytes:
    from .export import live_page

    return live_page(view, theme).encode("utf-8", "replace")
