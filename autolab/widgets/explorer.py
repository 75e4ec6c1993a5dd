"""Explorer: the live graph. Its parts translate between a session and what the page shows; JavaScript only draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..display import mimebundle
from ..display.registry import Bundle
from ..engine.backend import Array
from ..engine.tracebacks import folded, hidden
from ..recording.collector import collector_waits
from ..recording.model import Recording
from .computing import Computing
from .conversation import LiveView, at_first
from .inputs import Inputs
from .openings import Openings
from .orders import Orders
from .overview import Flow, Search
from .part import Part
from .picture import Picture, Selection
from .player import Player
from .session import Session
from .since import Since
from .taking import Taking


class Explorer(
    Search,
    Flow,
    Player,
    Selection,
    Orders,
    Openings,
    Taking,
    Picture,
    Inputs,
    Since,
    Computing,
    LiveView,
):
    """A live view of a function: its graph with the value and the gradient of every step, and controls for its inputs.

    Made by `explore`. All of its state is in the model, so that one model can have many views, and a saved notebook
    shows the last picture without running.

    Examples
    --------
    >>> import autolab
    >>> view = autolab.explore(lambda x: x * x, 3.0)
    explore: no notebook to draw in; open ...html in a browser
    >>> view.point["x"].item(), view.recording["x"].grad.values.item()
    (3.0, 6.0)
    >>> view.close()
    """

    kind = "explorer"

    def __init__(self, session: Session) -> None:
        self._session = session
        self._recording = session.record()
        super().__init__(**at_first(), **self._shown(self._recording))
        self._listen()

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

    def _static(self) -> Bundle:
        return mimebundle(self._recording)

    # ------------------------------------------------------------------ what is computed
    @collector_waits()
    def _shown(self, recording: Recording) -> dict[str, Any]:
        return super()._shown(recording)

    def _show_result(self, result: Recording) -> None:
        self._recording = result
        self._publish({"error": None, **self._shown(result)})

    def _show_error(self, error: dict[str, Any]) -> None:
        self._publish({"error": error, "changed": []})


STILL = tuple([base for base in Explorer.__bases__ if issubclass(base, Part) and not base.needs_session])
"""The parts that show a recording and need nothing else: no function that they could run."""


def explore(fn: Callable[..., Any], *args: Any, options: Mapping[str, Any] | None = None, **inputs: Any) -> Explorer:
    """Look at a function live: move its inputs and watch the value and the gradient of every step follow.

    In plain Python, where there is no notebook to draw in, the view is saved as a page and its path printed.

    Parameters
    ----------
    fn : callable
        Takes Variables, returns a Variable or a tuple of them.
    *args, **inputs
        Its arguments, bound by its signature. Numbers and the cells of small arrays are dragged in their boxes; the box
        of an array opens a window onto all of it. They are copied: the caller's arrays and Variables never change.
    options : dict, optional
        ``upstream``, ``budget``, ``order``, ``wrt``, ``open`` and ``replace`` (by the numbers of steps), as for
        `record`; ``seconds`` (default 60), after which a computation is stopped; ``train``, the mode (default: the
        present one).

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
    >>> import autolab
    >>> def muladd(x, y, z):
    ...     h = x * y
    ...     return h + z
    >>> view = autolab.explore(muladd, x=2.0, y=3.0, z=4.0)
    explore: no notebook to draw in; open ...html in a browser
    """
    __tracebackhide__ = hidden()
    with folded():
        explorer = Explorer(Session(fn, args, options, inputs))
    explorer._save_here("explore", "explore", explorer.recording.function)
    return explorer
