"""What a live view knows about the notebook around it: its cell, and when a cell has run."""

from __future__ import annotations

import os
import sys
import weakref
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .widget import LiveView

_open: weakref.WeakSet[Any] = weakref.WeakSet()
_made: dict[str, tuple[tuple[str, ...], weakref.WeakKeyDictionary[Any, str]]] = {}
"""For each cell, its last runs that made views; and its views, each with the last run that made or showed it."""
_logged: dict[str, tuple[str, tuple[weakref.ref[Output], ...]]] = {}
"""For each cell, its last run that displayed something of ours, and what that was."""

_TEXT = "text "
"""Begins what stands for the id of a cell that has none: a number for its text follows."""
_ALIKE = 3
"""Where cells have no ids, a cell of the same text is the same cell, or one of at most this many."""


class Output(dict[str, Any]):
    """What a notebook displays. Unlike a plain dict, it supports weak references."""

    __slots__ = ("__weakref__",)


def shell() -> Any:
    """IPython's shell in a notebook's kernel; None outside one."""
    ipython = sys.modules.get("IPython")
    found = ipython.get_ipython() if ipython is not None else None
    return found if getattr(found, "kernel", None) is not None else None


def draws() -> bool:
    """Whether a notebook displays outputs: in a kernel of IPython or of marimo."""
    if shell() is not None:
        return True
    marimo = sys.modules.get("marimo")
    return marimo is not None and marimo.running_in_notebook()


def voila() -> bool:
    """Whether Voila runs the notebook: its readers neither see nor change code."""
    return shell() is not None and os.environ.get("SERVER_SOFTWARE", "").startswith("voila/")


def read_later() -> bool:
    """Whether a program runs the cells and saves their outputs: nbconvert, papermill, Jupyter Book.

    Then no page will ever connect to this kernel. Such programs use nbclient, the only front end without input from the
    user; so does Voila, but its pages do connect.
    """
    notebook = shell()
    content = {} if notebook is None else (notebook.kernel.get_parent() or {}).get("content", {})
    return content.get("allow_stdin") is False and not voila()


def cell() -> str:
    """The id of the running cell, as the front end names it; empty if it has none."""
    notebook = shell()
    return "" if notebook is None else _id_of_cell(notebook)


def opened(view: LiveView) -> None:
    """Register a new view: from now on it is told of every cell that has run, and receives messages from its pages even
    while a cell runs."""
    notebook = shell()
    if notebook is None:
        return
    _hear_beside(view)
    if not _open:
        notebook.events.register("post_run_cell", _ran)
    _open.add(view)
    cell, run = _place(notebook)
    if cell:
        runs, views = _made.get(cell, ((), weakref.WeakKeyDictionary()))
        views[view] = run
        most = _ALIKE if cell.startswith(_TEXT) else 1
        _made[cell] = runs if run in runs else (*runs, run)[-most:], views


def shown(view: LiveView) -> None:
    """Note that the running cell shows a view."""
    notebook = shell()
    cell, run = _place(notebook) if notebook is not None else ("", "")
    if cell in _made and view in _made[cell][1]:
        _made[cell][1][view] = run


def logged(_: object, bundle: dict[str, Any]) -> Output:
    """What the running cell displays for an object. IPython logs it: of the outputs of earlier runs, the text stays."""
    output, notebook = Output(bundle), shell()
    if notebook is None:
        return output
    cell, run = _place(notebook)
    last, earlier = _logged.get(cell, ("", ()))
    if last != run:
        for old in [one for ref in earlier if (one := ref()) is not None]:
            for kind in old.keys() - {"text/plain"}:
                del old[kind]
        earlier = ()
    _logged[cell] = run, (*earlier, weakref.ref(output))
    return output


def _hear_beside(view: Any) -> None:
    """Receive the page's messages on the subshell that the page has chosen for them.

    ipykernel 7.4 sends them to the thread that published last. While a cell trains a network and shows its progress,
    that is the main thread, and the Stop button would take effect only after the cell has ended.
    """
    if hasattr(view.comm, "_reply_subshell_for"):
        view.comm._reply_subshell_for = _subshell


def _subshell(_: Any, chosen: str | None) -> str | None:
    """The subshell that a page has chosen, or the main shell if there is none of this id: a page that has not noticed a
    restart, as another page has asked for it, still names one of the kernel before."""
    manager = shell().kernel.shell_channel_thread.manager
    return chosen if chosen in manager.list_subshell() else None


def closed(view: LiveView) -> None:
    """Unregister a closed view."""
    _open.discard(view)
    for _, views in _made.values():
        views.pop(view, None)
    notebook = shell()
    if notebook is not None and not _open and _ran in notebook.events.callbacks["post_run_cell"]:
        notebook.events.unregister("post_run_cell", _ran)


def _ran(*_: Any) -> None:
    """After a cell has run: what views were computed from may have changed, and the cell's earlier output is gone."""
    _close_left(*_place(shell()))
    for view in list(_open):
        if not view.closed:  # by another view
            view.look_again()


def _close_left(cell: str, run: str) -> None:
    """If this run of a cell has made views, close those of earlier runs, unless this run shows them as well.

    Running a cell many times therefore does not fill the memory: the output of the old views is gone, and the new ones
    have taken their place.
    """
    runs, views = _made.get(cell, ((), {}))
    for view in [view for view, then in views.items() if run in runs and then not in runs]:
        view.close()


def _place(notebook: Any) -> tuple[str, str]:
    """The running cell, by its id or else by a number for its text, and this run of it; empty if there is none."""
    parent = notebook.kernel.get_parent() or {}
    text = parent.get("content", {}).get("code")
    cell = _id_of_cell(notebook) or (f"{_TEXT}{hash(text)}" if text else "")
    return cell, str(parent.get("header", {}).get("msg_id", ""))


def _id_of_cell(notebook: Any) -> str:
    return str((notebook.kernel.get_parent() or {}).get("metadata", {}).get("cellId") or "")
