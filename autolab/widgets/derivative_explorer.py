"""The live derivative explorer: a function's curves with a point that can be moved."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import traitlets

from ..analysis import Derivatives
from ..display.colors import LINES
from ..display.derivative_scene import growth_rows, moving_in, panels
from ..display.escape import clean
from ..display.messages import say
from ..engine.tracebacks import folded, hidden
from ..engine.variable import Variable
from . import notebook
from .controls import control
from .derivative_session import DerivativeSession, Place, Seen
from .live_view import at_first
from .messages import on_message
from .questions import Reader, shelved
from .session_view import OUTDATED, SessionView
from .state import is_finite
from .user_error import UserError, for_page

_WORDS = (
    "curve_computed",
    "curve_drag",
    "curve_graphs",
    "curve_growth",
    "curve_order",
    "curve_written",
)


FIRST_SECONDS = 0.5
"""So long a cell waits for the curves. Those of a slow function are drawn when they are there; until then the view
shows what is known at the point."""


class DerivativeExplorer(SessionView):
    """A live view of a function of one number and its derivatives. Made by `autolab.derivatives`.

    ``data`` holds what it shows, as plain data.

    Parameters
    ----------
    session : DerivativeSession
    patience : float, optional
        How many seconds to wait for the curves.

    Examples
    --------
    >>> import autolab
    >>> view = autolab.derivatives(lambda x: x**3, 2.0, order=2)
    derivatives: no notebook to draw in; open ...html in a browser
    >>> view.data.function
    '<lambda>'
    >>> view.close()
    """

    kind = "derivatives"

    lines = traitlets.Dict().tag(sync=True)
    most = traitlets.Int().tag(sync=True)
    order = traitlets.Int().tag(sync=True)
    control = traitlets.Dict().tag(sync=True)
    panels: traitlets.List[Any] = traitlets.List().tag(sync=True)  # of all orders, also of those not shown
    moving = traitlets.Dict().tag(sync=True)
    samples: traitlets.List[float] = traitlets.List().tag(sync=True)  # in a saved page, where the point can go
    growth: traitlets.List[Any] = traitlets.List().tag(sync=True)

    _reader: Reader | None = None
    _questions: Sequence[Any] = ()

    def __init__(self, session: DerivativeSession, patience: float | None = None) -> None:
        self._session = session
        super().__init__(**{**at_first(), **self._curves(), **self._now()}, lines=LINES)
        self._listen()
        with self._lock, self.hold_sync():
            self._refresh()
            self._wait_a_little(FIRST_SECONDS if patience is None else patience)

    # ------------------------------------------------------------------ for Python
    @property
    def data(self) -> Derivatives:
        """What the picture shows."""
        data: Derivatives = self._session.seen.data
        return data

    # ------------------------------------------------------------------ what is shown
    def _curves(self) -> dict[str, Any]:
        """The traits that stay as they are while the point moves, once there are curves."""
        study, words = self._session.seen.study, {key: say(key) for key in _WORDS}
        shown = study.samples(1)[0] if study.has_curves else self.data
        words |= {"live_old": say("curve_old" if study.has_curves else "curve_first"), "live_stale": say("curve_stale")}
        return {"panels": panels(shown), "most": study.most, "words": {**at_first()["words"], **words}}

    def _now(self) -> dict[str, Any]:
        """The traits that follow the point and the order."""
        data = self.data
        moves = {"moving": moving_in(data, [data.order]), "growth": growth_rows(data)}
        return {"order": data.order, **moves, **self._control(), **self._answers([*self._questions])}

    def _control(self) -> dict[str, Any]:
        """Where the point is to stand, which a slow function has not reached yet."""
        at = np.array(self._session.state.x)
        return {"control": control("x", "x", at, at, self.data.domain)}

    def _answers(self, questions: list[Any]) -> dict[str, Any]:
        """The graphs of all orders, while somebody looks at them; None where the function has no value."""
        recording, before = self.data.recording, self._reader
        if recording is None:
            self._reader = None
        elif before is None or before.recording is not recording:
            self._reader = Reader(recording, before=before)
        found = shelved(questions, lambda question: None if self._reader is None else self._reader.ask(question))
        self._questions = questions
        return found

    def _show_result(self, result: Seen) -> None:
        before, self._session.seen = self._session.seen, result
        is_other = result.study is not before.study or not result.study.has_curves
        curves = self._curves() if is_other else {}
        self._publish({**curves, **self._now()})
        self._tell(error=None, since=self._since())

    def _show_error(self, error: UserError) -> None:
        """The picture stays; where nothing else was asked for meanwhile, the point goes back to it.

        Curves that were not finished are computed when somebody asks for them again.
        """
        self._session.wants_curves = False
        if not self._again:
            self._session.state = Place(self.data.x, self.data.order)
        self._publish(self._control())
        self._tell(error=for_page(error), since=self._since())

    def _since(self) -> dict[str, Any]:
        found, session = super()._since(), self._session
        if session.seen.study.has_curves or session.wants_curves:
            return found
        return {"text": " ".join([say("curve_unfinished"), found.get("text", "")]).strip(), "again": True}

    @property
    def stopped_words(self) -> str:  # type: ignore[override]
        """How the sentences begin that say why there is no result."""
        return "curve_stopped" if self._session.seen.study.has_curves else "curve_unfinished"

    @property
    def outdated_seconds(self) -> float:  # type: ignore[override]
        """Curves are not given up for a point to which somebody moves meanwhile."""
        return math.inf if self._session.samples_next else OUTDATED

    def _compute_again(self) -> None:
        self._session.wants_curves = True
        super()._compute_again()

    # ------------------------------------------------------------------ messages
    @on_message("move", value=(int, float))
    def _move(self, value: float) -> None:
        if not is_finite(value):
            raise ValueError(f"derivatives: x was moved to {value!r:.60}; expected a finite number")
        low, high = self.data.domain
        self._look(x=min(max(float(value), low), high))

    @on_message("order", order=int)
    def _choose(self, order: int) -> None:
        if not 0 <= order <= self.most:
            raise ValueError(f"derivatives: order is {order}; expected 0 to {self.most}")
        self._look(order=order)

    def _look(self, **changes: Any) -> None:
        self._session.state = replace(self._session.state, **changes)
        self._publish(self._control())
        self._refresh()


def derivatives(
    fn: Callable[[Variable], Any], x: Any, order: int = 2, domain: tuple[float, float] | None = None
) -> DerivativeExplorer:
    """Look at a function of one number and its derivatives: the curves, and at a point that can be moved the tangent,
    the Taylor polynomial, the values of all derivatives and the graphs that compute them.

    The curves of a slow function are computed beside the notebook, where they can be stopped; until they are there, the
    view shows what is known at the point. In plain Python, where there is no notebook to draw in, the view is saved as
    a page and its path printed.

    Parameters
    ----------
    fn : callable
        Takes a Variable of one number, returns one. Other arguments can be fixed with a lambda.
    x : float
        The point, finite.
    order : int
        Up to which derivative, from 0 to 4; in the view it can be changed.
    domain : tuple of two floats, optional
        Where the curves are drawn: by default where the functions that ``fn`` applies to ``x`` are worth looking at,
        or else about 0.

    Returns
    -------
    DerivativeExplorer
        ``.data`` holds what it shows, ``.close()`` ends it.

    Raises
    ------
    TypeError, ValueError
        If an argument is not what it should be, or ``fn`` does not return a number.

    Notes
    -----
    Poles, jumps and the ends of where ``fn`` is defined are found by bisection between samples. What lies between two
    samples and shows in neither cannot be found.

    Examples
    --------
    >>> import autolab, numpy as np
    >>> view = autolab.derivatives(np.tanh, 0.5, order=3)
    derivatives: no notebook to draw in; open ...html in a browser
    """
    __tracebackhide__ = hidden()
    with folded():
        session = DerivativeSession(fn, x, order, domain)
        view = DerivativeExplorer(session, threading.TIMEOUT_MAX if notebook.shell() is None else None)
    view._save_here("derivatives", "derivatives", clean(view.data.function))
    return view
