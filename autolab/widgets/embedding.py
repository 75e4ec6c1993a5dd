"""Live views within a page: the kernel that runs a notebook for one lets each view bring its own live page along.

Here is what runs in that kernel. `autolab.lesson_page` puts the pages into frames.
"""

from __future__ import annotations

from typing import Any

from ..display.escape import Markup
from . import notebook
from .conversation import LiveView
from .derivative_explorer import DerivativeExplorer
from .explorer import Explorer
from .export import live_page
from .graph_view import GraphView
from .heatmaps import Heatmap
from .lens import Lens

PAGE = "application/vnd.autolab.page"
"""The type under which a view's output holds its page."""

# In the page of an `Interact` nothing moves: its picture shows as much.
_LIVE: tuple[type[LiveView], ...] = (Explorer, GraphView, DerivativeExplorer, Heatmap, Lens)


def bring_pages() -> None:
    """From now on, the output of a live view that goes on without a kernel holds its page, too."""
    shell = notebook.shell()
    assert shell is not None, "only a notebook has outputs"
    for kind in _LIVE:
        shell.display_formatter.mimebundle_formatter.for_type(kind, _with_page)


def _with_page(view: LiveView) -> Any:
    data, metadata = view._repr_mimebundle_()
    if view.closed:
        return data, metadata
    picture = Markup(data["text/html"])  # for a reader without scripts
    return {**data, PAGE: live_page(view, "auto", picture)}, metadata
