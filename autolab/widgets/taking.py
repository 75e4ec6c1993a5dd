"""A view as a file: the page that still steps, and the static picture of what it shows.

A picture of the view as it stands is made in the browser (static/standalone.js), which has it on its screen.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..files import write
from .messages import not_understood

if TYPE_CHECKING:
    from ..display.style import Look

PAGE = ".html"


def save_view(view: Any, path: Any, look: Look) -> None:
    """Write a view of a recording to a file, whose suffix says how."""
    from ..display.files import save

    if Path(path).suffix.lower() == PAGE:
        write(path, _page(view, look))
    else:
        opened, direction = view.look.get("open", {}).get("0"), view.look.get("direction", "auto")
        save(view.recording, path, look, direction, opened)


def taken(view: Any, question: list[Any]) -> dict[str, Any]:
    """The answer to ``["file", "html", theme]``: the ``name`` of the file, its ``kind`` and its ``bytes``."""
    match question:
        case ["file", "html", "light" | "dark"]:
            stem = re.sub(r"\W+", "_", view.recording.function, flags=re.ASCII).strip("_") or "function"
            return {"name": stem + PAGE, "kind": "text/html", "bytes": _page(view, "auto")}
    raise not_understood(question)


def _page(view: Any, look: Look) -> bytes:
    from .export import live_page  # loaded when something is taken away: a first picture does not wait for it

    return live_page(view, look).encode("utf-8", "replace")
