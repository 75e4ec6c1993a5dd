"""Explorer: the live graph. Its parts translate between a session and what the page shows; JavaScript only draws."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Lock
from typing import Any

import anywidget
import traitlets

from ..display import mimebundle
from ..display.colors import palette
from ..display.messages import say
from ..engine.backend import Array
from ..recording.model import Recording
from . import notebook
from .computing import Computing
from .inputs import Inputs
from .module import module_text, style_text
from .openings import Openings
from .orders import Orders
from .overview import Flow, Search
from .picture import Picture, Selection
from .player import Player
from .session import Session
from .since import Since
from .user_error import for_page, user_error

_WORDS = ("live_silent", "live_stale", "live_computing", "live_old", "live_stopping", "live_saved", "still")


class Explorer(
    Search, Flow, Player, Selection, Orders, Openings, Picture, Inputs, Since, Computing, anywidget.AnyWidget
):
    """A live view of a function: its graph with the value and the gradient of every step, and controls for its inputs.

    Made by `explore`. All of its state is in the model, so that one model can have many views, and a saved notebook
    shows the last picture without running.
    """

    _esm = module_text("explorer.js")
    _css = style_text("explorer.css")

    palette = traitlets.Dict().tag(sync=True)
    words = traitlets.Dict().tag(sync=True)
    ack = traitlets.Int().tag(sync=True)
    still = traitlets.Bool().tag(sync=True)

    def __init__(self, session: Session) -> None:
        self._session = session
        self._turn = Lock()  # messages may come from several threads: one is obeyed after the other
        self._recording = session.record()
        super().__init__(**at_first(), **self._shown(self._recording))
        self.on_msg(self._on_message)
        notebook.opened(self)

    # ------------------------------------------------------------------ for Python
    @property
    def recording(self) -> Recording:
        """What the picture shows: the last point that was computed."""
        return self._recording

    @property
    def point(self) -> dict[str, Array]:
        """The inputs as they stand, as arrays."""
        with self._lock:
            return self._session.point

    def close(self) -> None:
        """Remove the views and stop listening; what is being computed is stopped."""
        self.on_msg(self._on_message, remove=True)
        self._end()
        notebook.closed(self)
        self.layout.close()  # a widget of its own, which ipywidgets would keep
        super().close()

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The live view, and the static picture for where there is none (an untrusted notebook, a web page)."""
        live = super()._repr_mimebundle_(**kwargs)
        data, metadata = live if isinstance(live, tuple) else (live or {}, {})
        return {**data, **mimebundle(self._recording)}, metadata

    # ------------------------------------------------------------------ for the page
    def _on_message(self, _: Any, content: Any, buffers: Any) -> None:
        """Obey one message. It is acknowledged whatever happens: the page waits for that before it sends the next."""
        if not isinstance(content, dict) or type(content.get("seq")) is not int:
            return
        with self._turn, self._lock, self.hold_sync():
            try:
                self._obey(content)
                self._wait_a_little()
            except Exception as error:
                self.error = for_page(user_error(error))
            finally:
                self.ack = content["seq"]


def explore(fn: Callable[..., Any], *args: Any, options: Mapping[str, Any] | None = None, **inputs: Any) -> Explorer:
    """Look at a function live: move its inputs and watch the value and the gradient of every step follow.

    In plain Python, where there is no notebook to draw in, the view is saved as a page and its path printed.

    Parameters
    ----------
    fn : callable
        Takes Variables, returns a Variable or a tuple of them.
    *args, **inputs
        Its arguments, bound by its signature. Numbers get a slider, small arrays a grid of cells. They are copied: the
        caller's arrays and Variables never change.
    options : dict, optional
        ``upstream``, ``budget``, ``order``, ``wrt`` and ``open``, as for `record`; ``seconds`` (default 60), after
        which a computation is stopped; ``train``, the mode (default: the present one).

    Returns
    -------
    Explorer
        ``.point`` holds the inputs as they stand, ``.recording`` what the picture shows, ``.close()`` ends it.

    Raises
    ------
    TypeError
        If the inputs do not fit the signature, or ``fn`` returns something else than Variables.

    Examples
    --------
    >>> def muladd(x, y, z):
    ...     h = x * y
    ...     return h + z
    >>> view = autolab.explore(muladd, x=2.0, y=3.0, z=4.0)  # doctest: +SKIP
    """
    explorer = Explorer(Session(fn, args, options, inputs))
    if notebook.shell() is None:
        print(f"explore: no notebook to draw in; open {_save(explorer)} in a browser")
    return explorer


def at_first() -> dict[str, Any]:
    """The traits with which every view begins: colours, words, and no error."""
    return {"palette": palette(), "words": {key: say(key) for key in _WORDS}, "error": None}


def _save(explorer: Explorer) -> Path:
    """The view as a page in the current folder."""
    from .export import export_html

    name = re.sub(r"\W+", "_", explorer.recording.function, flags=re.ASCII).strip("_") or "function"
    path = Path.cwd() / f"explore_{name}.html"
    export_html(explorer, path)
    return path
