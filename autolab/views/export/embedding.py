"""Live views within a page: the kernel that runs a notebook for one lets each view bring along what its page holds.

Here is what runs in that kernel. `autolab.lesson_page` writes the pages: their scripts are AutoLab's own, and nothing
that comes from the kernel can add one.
"""

from __future__ import annotations

from typing import Any

from ..check.lens import Lens
from ..derivatives.explorer import DerivativeExplorer
from ..graph.explorer import Explorer, GraphView
from ..heatmap.heatmap import Heatmap
from ..live import notebook
from ..live.widget import LiveView
from .pages import saved_page

PAGE = "application/vnd.autolab.page+json"
"""The type under which a view's output says what its page holds: ``view``, ``title`` and ``data``."""

# In the page of an `Interact` nothing moves: its picture shows as much.
_LIVE: tuple[type[LiveView], ...] = (Explorer, GraphView, DerivativeExplorer, Heatmap, Lens)


def bring_pages() -> None:
    """From now on, the output of a live view that goes on without a kernel holds what its page needs, too."""
    shell = notebook.shell()
    assert shell is not None, "only a notebook has outputs"
    for kind in _LIVE:
        shell.display_formatter.mimebundle_formatter.for_type(kind, _with_page)


def _with_page(view: LiveView) -> Any:
    data, metadata = view._repr_mimebundle_()
    if view.closed:
        return data, metadata
    saved = saved_page(view)
    return {**data, PAGE: {"view": saved.view, "title": saved.title, "data": saved.data()}}, metadata
