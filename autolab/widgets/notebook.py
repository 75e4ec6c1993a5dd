"""What a live view knows of the notebook around it: its cell, and when a cell has run."""

from __future__ import annotations

import sys
import weakref
from typing import Any, Protocol


class Live(Protocol):
    """A view as this module sees it."""

    def look_again(self) -> None:
        """See whether something has changed since."""

    def close(self) -> None:
        """End."""


_open: weakref.WeakSet[Any] = weakref.WeakSet()
_made: dict[str, tuple[str, weakref.WeakSet[Any]]] = {}
"""For each cell: the run of the cell that made views last, and those views."""


def shell() -> Any:
    """IPython's shell in a notebook's kernel; None elsewhere."""
    ipython = sys.modules.get("IPython")
    found = ipython.get_ipython() if ipython is not None else None
    return found if getattr(found, "kernel", None) is not None else None


def cell() -> str:
    """The cell that is running, as its front end names it; empty where it has no name."""
    notebook = shell()
    return "" if notebook is None else _place(notebook)[0]


def opened(view: Live) -> None:
    """A view was made: from now on it hears of every cell that has run, and of its pages also while one runs.

    Views that an earlier run of the same cell made are closed, so that running a cell many times does not fill the
    memory: their output is gone, and the new one stands in its place.
    """
    notebook = shell()
    if notebook is None:
        return
    _hear_beside(view)
    if not _open:
        notebook.events.register("post_run_cell", _ran)
    _open.add(view)
    cell, run = _place(notebook)
    if not cell:
        return
    last, views = _made.get(cell, ("", weakref.WeakSet()))
    if last != run:
        for older in list(views):
            older.close()
        views = weakref.WeakSet()
    views.add(view)
    _made[cell] = (run, views)


def _hear_beside(view: Any) -> None:
    """Let the messages of the page come by the subshell that the page has chosen for them.

    ipykernel 7.4 sends them to the thread that published last. While a cell trains a network and paints its progress,
    that is the main thread, and the Stop button would be heard when the cell has ended.
    """
    if hasattr(view.comm, "_reply_subshell_for"):
        view.comm._reply_subshell_for = None


def closed(view: Live) -> None:
    """A view has ended."""
    _open.discard(view)
    notebook = shell()
    if notebook is not None and not _open and _ran in notebook.events.callbacks["post_run_cell"]:
        notebook.events.unregister("post_run_cell", _ran)


def _ran(*_: Any) -> None:
    """A cell has run: what views were computed from may be different now."""
    for view in list(_open):
        view.look_again()


def _place(notebook: Any) -> tuple[str, str]:
    """The cell that is running, as its front end names it, and this run of it; empty where it has no name."""
    parent = notebook.kernel.get_parent() or {}
    return str(parent.get("metadata", {}).get("cellId") or ""), str(parent.get("header", {}).get("msg_id") or "")
