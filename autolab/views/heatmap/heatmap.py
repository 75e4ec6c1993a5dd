"""heatmap(): arrays of any size and number of axes as live heatmaps. Only what is shown is sent to the page."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from ...engine import Bundle, folded, hidden
from ...shared.binding import chosen_options
from ..draw import Markup, headline, say
from ..draw.colors import SCALES
from ..draw.svg import Look
from ..live.protocol import on_message, on_question
from ..live.saved_page import SavedPage, state_of, still
from ..live.widget import LiveView
from .board import AT_FIRST, EXPECTED, SHOW, Board, gather

WATCHED = 4_000_000
"""Arrays of up to this many elements are read again after every cell; larger ones only on request."""


class BoardView(LiveView):
    """A view with arrays as heatmaps; the page chooses the planes and the colours."""

    _board: Board

    @on_question("heat", "numbers", colours=(list, type(None)), planes=list)
    def _heat(self, colours: list[Any] | None, planes: list[Any]) -> dict[str, Any]:
        """The arrays."""
        self._board.look(colours, planes)
        return self._board.picture()

    def _turned(self) -> None:
        self._tell(error=None)


class Heatmap(BoardView):
    """A live view of arrays, created by `heatmap`. All its state is in the widget's model; the arrays are not copied.

    Examples
    --------
    >>> import autolab, numpy as np
    >>> W = np.eye(3)
    >>> view = autolab.heatmap(W=W)
    heatmap: no notebook to draw in; open ...html in a browser; later views go to the same folder
    >>> W *= 2
    >>> view.refresh()
    >>> view.close()
    """

    kind = "heatmaps"

    def __init__(self, board: Board) -> None:
        self._board = board
        super().__init__([AT_FIRST], {"rest": say("heat_rest"), "live_stale": say("heat_stale")})

    # ------------------------------------------------------------------ for Python
    def refresh(self) -> None:
        """Read the arrays again."""
        with self._turn, self.hold_sync():
            self._again()

    def look_again(self) -> None:
        """After a cell has run: read small arrays again, and mark large ones as read earlier."""
        if self._board.size <= WATCHED:
            self.refresh()
        else:
            self._tell(since={"text": say("heat_since"), "again": True})

    def _in_a_line(self) -> str:
        return self._board.title

    def _static(self) -> Bundle:
        bundle = self._board.static()
        if len(self._board.panels()) == 1:  # its picture begins with the title
            return bundle
        return {**bundle, "text/html": f"{headline(self._board.title)}{bundle['text/html']}"}

    # ------------------------------------------------------------------ for the page
    @on_message("again")
    def _again(self) -> None:
        self._board.read()
        self._tell(since={}, error=None)
        self._answer_anew()


def svg_of_view(view: Heatmap, look: Look) -> Markup:
    """The heatmaps that a view shows now."""
    return view._board.svg(look)


def heat_page(view: Heatmap) -> SavedPage:
    """The page of a view in its current state."""
    return SavedPage("heatmap", view.kind, [{"state": still(state_of(view), say("heat_still"))}])


def heatmap(*arrays: Any, options: Mapping[str, Any] | None = None, **named: Any) -> Heatmap:
    """Show arrays of any size and number of axes as heatmaps: their values, and the gradients of Variables.

    Blue is negative, orange positive, and zero neutral; NaN and infinities are signs (×, +, −), never colours. In a
    large array each cell shows the element of largest magnitude in its block, and blocks can be enlarged down to single
    elements. A small array with four or more axes, such as the filters of a convolution, is shown with all its planes
    side by side; any other array with more than two axes shows its first plane, and sliders step through the rest. In
    plain Python, where there is no notebook to draw in, the view is saved as a page in the folder ``autolab_pages``.

    Parameters
    ----------
    *arrays : Variable, Parameter, array, number, value or gradient of a recording's step, or a dict of these by name
        What to show, on the CPU or the GPU; nothing is copied to another device. An array without a name is labelled
        with the expression of the call. The live view reads the arrays again after every cell; those of more than four
        million elements only on request.
    options : dict, optional
        ``show``: "value", "gradient" or "both" (default: both if there is a gradient). ``scale``: "asinh" (default),
        "linear", or "symlog", which follows the powers of ten. ``shared`` (default True): whether all arrays have the
        same scale; with "asinh" it covers all values and gradients together, up to the largest, rounded up. ``axes``:
        one letter per axis for some arrays, such as ``{"A": "ij", "B": "jk"}``; pointing at an element of one array
        then marks the elements of the others that have the same index on every shared axis.
    **named
        More arrays, by name. A string as ``title`` names a single array.

    Returns
    -------
    Heatmap
        ``.refresh()`` reads the arrays again, ``.save("h.png")`` saves the picture, ``.close()`` closes the view.

    Raises
    ------
    TypeError
        If an argument is not an array of real numbers.
    ValueError
        If there is nothing to show or more than 12 arrays, an option has an unknown value, or axes of one letter have
        different lengths.

    Examples
    --------
    >>> import autolab, numpy as np
    >>> W = autolab.Variable(np.eye(3), name="W")
    >>> view = autolab.heatmap(W, options={"scale": "symlog"})
    heatmap: no notebook to draw in; open ...html in a browser; later views go to the same folder
    """
    __tracebackhide__ = hidden()
    with folded():
        given = chosen_options("heatmap", options, ("show", "scale", "shared", "axes"))
        if len(arrays) == 1 and isinstance(named.get("title"), str):
            arrays, named = ({named["title"]: arrays[0]},), {}
        entries = gather(arrays, named, sys._getframe(1))
        show, scale = given.get("show"), given.get("scale", "asinh")
        if show not in (None, *SHOW) or scale not in SCALES or type(given.get("shared", True)) is not bool:
            raise ValueError(f"heatmap: got the options {dict(given)!r:.100}; expected {EXPECTED}")
        view = Heatmap(Board(entries, show, scale, given.get("shared", True), given.get("axes")))
    view._save_here("heatmap", "heatmap", entries[0].name)
    return view
