"""What a live view knows of the notebook around it: its cell, and when a cell has run."""

from __future__ import annotations

import os
import sys
import weakref
from typing import Any, Protocol


class Live(Protocol):
    """A view as this module sees it."""

    closed: bool

    def look_again(self) -> None:
        """See whether something has changed since."""

    def close(self) -> None:
        """End."""


_open: weakref.WeakSet[Any] = weakref.WeakSet()
_made: dict[str, tuple[str, weakref.WeakKeyDictionary[Any, str]]] = {}
"""For each cell: its last run that made views; and what it made, with the last of its runs that made or showed it."""


def shell() -> Any:
    """IPython's shell in a notebook's kernel; None elsewhere."""
    ipython = sys.modules.get("IPython")
    found = ipython.get_ipython() if ipython is not None else None
    return found if getattr(found, "kernel", None) is not None else None


def draws() -> bool:
    """Whether a notebook draws what is shown: in a kernel of IPython or of marimo."""
    if shell() is not None:
        return True
    marimo = sys.modules.get("marimo")
    return marimo is not None and marimo.running_in_notebook()


def voila() -> bool:
    """Whether Voila runs the notebook: its readers see no code and change none."""
    return shell() is not None and os.environ.get("SERVER_SOFTWARE", "").startswith("voila/")


def read_later() -> bool:
    """Whether a program runs the cells and writes down what they show: nbconvert, papermill, Jupyter Book.

    No page will ever talk to this kernel then. Such programs are nbclient, which alone takes no input from the one who
    runs a cell; so is Voila, whose pages do talk.
    """
    notebook = shell()
    content = {} if notebook is None else (notebook.kernel.get_parent() or {}).get("content", {})
    return content.get("allow_stdin") is False and not voila()


def cell() -> str:
    """The cell that is running, as its front end names it; empty where it has no name."""
    notebook = shell()
    return "" if notebook is None else _place(notebook)[0]


def opened(view: Live) -> None:
    """A view was made: from now on it hears of every cell that has run, and of its pages also while one runs."""
    notebook = shell()
    if notebook is None:
        return
    _hear_beside(view)
    if not _open:
        notebook.events.register("post_run_cell", _ran)
    _open.add(view)
    cell, run = _place(notebook)
    if cell:
        _, views = _made.get(cell, ("", weakref.WeakKeyDictionary()))
        views[view] = run
        _made[cell] = run, views


def shown(view: Live) -> None:
    """The cell that is running shows a view."""
    notebook = shell()
    cell, run = _place(notebook) if notebook is not None else ("", "")
    if cell in _made and view in _made[cell][1]:
        _made[cell][1][view] = run


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
    for _, views in _made.values():
        views.pop(view, None)
    notebook = shell()
    if notebook is not None and not _open and _ran in notebook.events.callbacks["post_run_cell"]:
        notebook.events.unregister("post_run_cell", _ran)


def _ran(*_: Any) -> None:
    """A cell has run: what views were computed from may be different now, and its earlier output is gone."""
    _close_left(*_place(shell()))
    for view in list(_open):
        if not view.closed:  # by another one
            view.look_again()


def _close_left(cell: str, run: str) -> None:
    """Where this run of a cell has made views, close those that earlier runs made, unless this one shows them as well.

    So running a cell many times does not fill the memory: the output of the old views is gone, and the new ones stand
    in their place.
    """
    last, views = _made.get(cell, ("", {}))
    for view in [view for view, then in views.items() if last == run != then]:
        view.close()


def _place(notebook: Any) -> tuple[str, str]:
    """The cell that is running, as its front end names it, and this run of it; empty where it has no name."""
    parent = notebook.kernel.get_parent() or {}
    return str(parent.get("metadata", {}).get("cellId") or ""), str(parent.get("header", {}).get("msg_id") or "")
