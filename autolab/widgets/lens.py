"""Lens: the live view of a gradient check. Python measures and words everything; JavaScript only draws."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import traitlets

from ..display import mimebundle
from ..display.colors import DASHES, LINES
from ..display.lens_view import element_in
from ..display.messages import say
from ..display.registry import Bundle
from ..display.tone import SCALES
from ..gradcheck.report import GradientReport
from .lens_session import DIRECTIONS, LensSession, Looked
from .lens_shown import of_choice, of_report, of_scenery, of_study
from .live_view import at_first
from .messages import on_message
from .session_view import SessionView
from .user_error import UserError, for_page

_LENS_WORDS = (
    *(
        "analytic",
        "numeric",
        "error",
        "analytic_says",
        "numeric_says",
        "error_says",
        "keys",
        "chosen",
        "worst",
        "steps",
    ),
    *("moves", "one", "all", "directions", "step", "order", "again", "where", "verdict", "show"),
    *("at_step", "difference", "not_saved", "colors"),
)
_NEEDED = 2
"""A report that reveals less has no numbers to look at."""

_FIRST_STEP = 34
_SEEDS = 2**32


class Lens(SessionView):
    """A live view of a gradient check: analytic and numeric gradients side by side, and what the step size shows.

    Made by ``report.explore()``. All of its state is in the model, so that one model can have many views.

    Examples
    --------
    >>> import autolab
    >>> view = autolab.check_gradients(lambda x, y: x * y, x=2.0, y=3.0).explore()
    explore: no notebook to draw in; open ...html in a browser
    >>> view.report.passed
    True
    >>> view.close()
    """

    kind = "lens"

    lines = traitlets.Dict().tag(sync=True)
    dashes: traitlets.List[Any] = traitlets.List().tag(sync=True)

    check = traitlets.Dict().tag(sync=True)
    panels: traitlets.List[Any] = traitlets.List().tag(sync=True)
    panel_buffers: traitlets.List[Any] = traitlets.List().tag(sync=True)
    scale = traitlets.Enum(SCALES, "linear").tag(sync=True)
    chosen = traitlets.Dict().tag(sync=True)
    along = traitlets.Dict().tag(sync=True)
    study = traitlets.Dict().tag(sync=True)
    at_step = traitlets.Int(_FIRST_STEP).tag(sync=True)

    scene = traitlets.Dict().tag(sync=True)
    readings = traitlets.Dict().tag(sync=True)
    listing = traitlets.Dict().tag(sync=True)
    boxes: traitlets.List[Any] = traitlets.List().tag(sync=True)
    takers: traitlets.List[Any] = traitlets.List()
    suspects: traitlets.List[Any] = traitlets.List().tag(sync=True)
    backwards: traitlets.List[Any] = traitlets.List().tag(sync=True)
    selected = traitlets.Int(None, allow_none=True).tag(sync=True)
    frame = traitlets.Dict().tag(sync=True)  # the source's part walks along it in the explorer; here it rests
    changed: traitlets.List[Any] = traitlets.List().tag(sync=True)

    stopped_words = "lens_stopped"

    def __init__(self, session: LensSession) -> None:
        self._session = session
        self._measured: Looked | None = None
        first = at_first()
        words = first["words"] | {f"lens_{key}": say(f"lens_{key}") for key in _LENS_WORDS}
        words |= {"live_old": say("lens_old"), "live_stale": say("lens_stale")}
        super().__init__(**{**first, "words": words}, lines=dict(LINES), dashes=list(DASHES))
        self._publish({**self._checked(), **self._selection()})
        self._listen()
        with self._lock, self.hold_sync():
            self._refresh()
            self._wait_a_little()

    # ------------------------------------------------------------------ for Python
    @property
    def report(self) -> GradientReport:
        """The check that is shown: the one that was given, or a later one."""
        found: GradientReport | None = self._session.report(self._session.state)
        return self._session.report(self._session.start) if found is None else found  # a wrong one is not true

    def _static(self) -> Bundle:
        return mimebundle(self.report)

    # ------------------------------------------------------------------ what is shown
    def _checked(self) -> dict[str, Any]:
        return of_report(self.report, self._session.state, self._session.origin.order)

    def _selection(self) -> dict[str, Any]:
        return of_choice(self.report, self._session.state, self.takers)

    def _curves(self) -> dict[str, Any]:
        """What was measured; nothing while it belongs to another state than is shown."""
        looked = self._measured
        if looked is None or looked.state != self._session.state:
            return {"study": {}}
        return {"study": of_study(looked)}

    # ------------------------------------------------------------------ what is computed
    def _show_result(self, result: Looked) -> None:
        self._measured = result
        self._publish(of_scenery(result.scenery, self.report))
        self._publish({**self._checked(), **self._selection(), **self._curves()})
        self._tell(error=None, since=self._since())

    def _show_error(self, error: UserError) -> None:
        if self._session.report(self._session.state) is None:  # the check that was asked for is not there
            self._session.state = self._measured.state if self._measured else self._session.start
        self._publish({**self._checked(), **self._selection(), **self._curves()})
        self._tell(error=for_page(error))

    def _look(self, **changes: Any) -> None:
        """Look at something else: what is known of it is shown at once, the rest follows."""
        self._session.state = replace(self._session.state, **changes)
        self._publish({**self._selection(), **self._curves()})
        self._tell(error=None)
        self._refresh()

    # ------------------------------------------------------------------ messages
    @on_message("cell", key=int, row=int, column=int)
    def _cell(self, key: int, row: int, column: int) -> None:
        """Choose the element that a cell of an input shows, and move it."""
        self._look(input=key, place=element_in(self._input(key), row, column), whole=False)

    @on_message("worst", key=int)
    def _worst(self, key: int) -> None:
        """Choose the worst element of an input, and move it."""
        self._input(key)
        self._look(input=key, place=None, whole=False)

    @on_message("along", key=int, seed=int)
    def _along(self, key: int, seed: int) -> None:
        """Move the whole of an input in one of the random directions."""
        self._input(key)
        if seed not in DIRECTIONS:
            raise ValueError(f"explore: direction is {seed}; expected {DIRECTIONS[0]} to {DIRECTIONS[-1]}")
        place = self._session.state.place if key == self._session.state.input else None
        self._look(input=key, place=place, whole=True, direction=seed)

    @on_message("step", k=int)
    def _to_step(self, k: int) -> None:
        """Show the numeric derivative at another step; 0 is the finest."""
        self._publish({"at_step": max(0, k)})

    @on_message("scale", scale=str)
    def _scale(self, scale: str) -> None:
        """Colours in even steps, or by powers of ten."""
        self._publish({"scale": scale})

    @on_message("order", order=int)
    def _order(self, order: int) -> None:
        if order not in self.check["orders"]:
            raise ValueError(f"explore: order is {order}; expected one of {self.check['orders']}")
        self._look(**vars(self._session.of_order(order)))

    def _compute_again(self) -> None:
        """Check the function as it is now."""
        self._session.forget()
        self._look(seed=self._session.state.seed or 0, place=None)

    @on_message("check again")
    def _again_(self) -> None:
        """Check with other upstream gradients, at the same inputs."""
        self._look(seed=0 if self._session.state.seed is None else _seed(self._session.state.seed + 1), place=None)

    def _input(self, key: int) -> Any:
        if not 0 <= key < len(self.report.inputs):
            raise ValueError(f"explore: there is no input number {key}")
        return self.report.inputs[key]


def look_closely(report: GradientReport) -> Lens:
    """Open the lens on a report: what ``report.explore()`` does."""
    origin = report._origin
    if origin is None:
        raise ValueError("explore: this copy of a report does not know its function; check again and explore that")
    if origin.reveal < _NEEDED:
        raise ValueError(f"explore: reveal={origin.reveal} holds back the numbers that a lens would show")
    lens = Lens(LensSession(report, origin))
    lens._save_here("explore", "check", report.function)
    return lens


def _seed(value: int) -> int:
    if not 0 <= value < _SEEDS:
        raise ValueError(f"explore: the seed is {value}; expected 0 to {_SEEDS - 1}")
    return value
