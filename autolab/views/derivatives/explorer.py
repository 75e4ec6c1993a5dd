"""The live derivative explorer: a function's curves with a point that can be moved."""

from __future__ import annotations

import math
import threading
from dataclasses import replace
from functools import partial, update_wrapper
from typing import Any

import numpy as np

from ...analysis import Derivatives, Study
from ...engine import folded, hidden, in_own_words
from ...shared.binding import apart, fitted
from ..draw import clean, say
from ..graph.questions import Reader, kind_of
from ..live import notebook
from ..live.computation import UserError, for_page
from ..live.controls import control, is_finite
from ..live.protocol import Shelf, on_message, on_question
from ..live.session_view import OUTDATED, SessionView
from .formula_scene import derivation, formulas
from .scene import at_order, at_point, growth_rows, panels, variable
from .session import CurvePoint, DerivativeSession, Evaluation

_WORDS = (
    *("as_computed", "computed", "formulas", "graphs", "growth"),
    *("in_graph", "order", "simplified", "written"),
)
_OF_GRAPHS = (["program"], ["scene"], ["numbers"])

FIRST_SECONDS = 0.5
"""How long a cell waits for the curves. Those of a slow function are drawn when they are ready; until then the view
shows what is known at the point."""


class DerivativeExplorer(SessionView):
    """A live view of a function of one number and its derivatives, created by `autolab.derivatives`.

    ``data`` is what it shows, as plain data.

    Parameters
    ----------
    session : DerivativeSession
    patience : float, optional
        How many seconds to wait for the curves.

    Examples
    --------
    >>> import autolab
    >>> view = autolab.derivatives(lambda x: x**3, 2.0, order=2)
    derivatives: no notebook to draw in; open ...html in a browser; later views go to the same folder
    >>> view.data.function
    '<lambda>'
    >>> view.close()
    """

    kind = "derivatives"

    _reader: Reader | None = None
    _written: tuple[Study | None, list[dict[str, Any]]] = None, []

    def __init__(self, session: DerivativeSession, patience: float | None = None) -> None:
        self._session = session
        order = self.data.order
        first = [["curves"], ["formulas"], ["point", None], ["order", order, None], ["growth"]]
        super().__init__(first, self._words(), look={"order": order})
        with self._lock, self.hold_sync():
            self._refresh()
            self._wait_a_little(FIRST_SECONDS if patience is None else patience)

    # ------------------------------------------------------------------ for Python
    @property
    def data(self) -> Derivatives:
        """What the picture shows, as plain data."""
        data: Derivatives = self._session.seen.data
        return data

    def _still(self) -> Derivatives:
        return self.data

    def _in_a_line(self) -> str:
        return f"{clean(self.data.function)} and its derivatives up to order {self.data.order}"

    # ------------------------------------------------------------------ what is shown
    def _words(self) -> dict[str, str]:
        old = say("curve_old" if self._session.seen.study.has_curves else "curve_first")
        ended, stale = (say(f"curve_{key}") for key in ("ended", "stale"))
        sentences = {"live_old": old, "live_ended": ended, "live_stale": stale, "rest": say("curve_drag")}
        return sentences | {f"curve_{key}": say(f"curve_{key}") for key in _WORDS}

    @on_question("curves", "page")
    def _curves(self) -> dict[str, Any]:
        """Everything that does not change while the point moves, once there are curves; for the hidden orders, too."""
        study = self._session.seen.study
        return {"panels": panels(study.samples(1)[0] if study.has_curves else self.data), "most": study.most}

    @on_question("formulas", "page")
    def _formulas(self) -> list[dict[str, Any]]:
        """The formulas of all orders, which are the same at every point."""
        study = self._session.seen.study
        if self._written[0] is not study:
            self._written = study, formulas(self.data, study.most)
        return self._written[1]

    @on_question("derivation", "answers", order=int)
    def _derivation(self, order: int) -> dict[str, Any]:
        """How the derivative of an order is derived, with the numbers at the point."""
        return derivation(self.data, order)

    @on_question("point", "numbers", k=type(None))
    def _point(self, k: None) -> dict[str, Any]:
        """Everything that follows the point, and its control: the point asked for, which a slow function may not have
        reached yet. (A saved page holds the answers for several points; ``k`` is the index of one.)"""
        at = np.array(self._session.state.x)
        return {**at_point(self.data), "control": control("x", variable(self.data), at, at, self.data.domain)}

    @on_question("order", "numbers", order=int, k=type(None))
    def _order(self, order: int, k: None) -> dict[str, Any]:
        """What is shown of one order at the point; an order that is not known there is computed first."""
        if not 0 <= order <= self._session.seen.study.most:
            raise ValueError(f"derivatives: order is {order}; expected 0 to {self._session.seen.study.most}")
        if order > self.data.order:
            return {"refused": say("live_computing")}
        data, on_card = self.data.up_to(order), self._session.seen.error  # and so not in the sentence as well
        return at_order(replace(data, curves=replace(data.curves, raised=None)) if on_card else data)

    @on_question("growth", "numbers")
    def _growth(self) -> list[dict[str, Any]]:
        """How the graphs grow from order to order."""
        return growth_rows(self.data)

    def _answer(self, question: Any) -> tuple[Shelf, Any]:
        """Besides its own questions, those about the graphs of all orders; None where the function has no value."""
        if not isinstance(question, list) or question[:1] not in _OF_GRAPHS:
            return super()._answer(question)
        recording, before = self.data.recording, self._reader
        if recording is None:
            self._reader = None
        elif before is None or before.recording is not recording:
            self._reader = Reader(recording, before=before)
        return kind_of(question).shelf, None if self._reader is None else self._reader.ask(question)

    def _turned(self) -> None:
        """Another order was chosen."""
        order = next((question[1] for question in self._asked if question[0] == "order"), self._session.state.order)
        if order != self._session.state.order:
            self._look(order=order)

    def _show_result(self, result: Evaluation) -> None:
        before, self._session.seen = self._session.seen, result
        is_other = result.study is not before.study or not result.study.has_curves
        if is_other:
            self._publish({"words": self.words | self._words()})
        self._answer_anew()
        self._tell(error=result.error and for_page(result.error, ended=True), since=self._since())

    def _show_error(self, error: UserError) -> None:
        """Keep the picture; unless something else was asked for in the meantime, the point returns to it.

        Unfinished curves are computed when they are asked for again.
        """
        self._session.wants_curves = False
        if not self._again:
            self._session.state = CurvePoint(self.data.x, self.data.order)
            self._publish({"look": {**self.look, "order": self.data.order}})
        self._answer_anew()
        self._tell(error=for_page(error), since=self._since())

    def _since(self) -> dict[str, Any]:
        found, session = super()._since(), self._session
        if session.seen.study.has_curves or session.wants_curves:
            return found
        return {"text": " ".join([say("curve_unfinished"), found.get("text", "")]).strip(), "again": True}

    @property
    def stopped_words(self) -> str:  # type: ignore[override]
        """The beginning of the sentences that say why there is no result."""
        return "curve_stopped" if self._session.seen.study.has_curves else "curve_unfinished"

    @property
    def outdated_seconds(self) -> float:  # type: ignore[override]
        """Moving the point does not abandon curves that are being computed."""
        return math.inf if self._session.samples_next else OUTDATED

    def _compute_again(self) -> None:
        self._session.wants_curves = True
        super()._compute_again()

    # ------------------------------------------------------------------ messages
    @on_message("move", key=str, value=(int, float))
    def _move(self, key: str, value: float) -> None:
        if key != "x" or not is_finite(value):
            raise ValueError(f"derivatives: {key:.60} was moved to {value!r:.60}; expected x, and a finite number")
        low, high = self.data.domain
        self._look(x=min(max(float(value), low), high))

    def _look(self, **changes: Any) -> None:
        self._session.state = replace(self._session.state, **changes)
        self._answer_anew()
        self._refresh()


def derivatives(
    fn: Any = None, x: Any = None, order: int = 2, domain: tuple[float, float] | None = None, **others: Any
) -> DerivativeExplorer:
    """Explore a function of one number and its derivatives: the curves and, at a movable point, the tangent, the Taylor
    polynomial, the values of all derivatives and the graphs that compute them.

    The curves of a slow function are computed in the background, where they can be stopped; until they are ready, the
    view shows what is known at the point. In plain Python, where there is no notebook to draw in, the view is saved as
    a page in the folder ``autolab_pages``.

    Parameters
    ----------
    fn : callable
        Takes a Variable that holds one number and returns another.
    x : float
        The point: a finite number, by default 0.5 or the middle of the domain. It can also be passed by the name of
        ``fn``'s parameter. An increasing sequence of numbers, such as ``np.linspace`` returns, sets the domain instead.
    order : int
        The highest derivative, from 0 to 10; it can be changed in the view. Graphs and most formulas end at order 4.
    domain : tuple of two floats, optional
        The interval over which the curves are drawn. By default, the interesting range of the functions that ``fn``
        applies to ``x`` directly, or else an interval around 0.
    **others
        The other arguments of ``fn``, by name; they are held constant.

    Returns
    -------
    DerivativeExplorer
        ``.data`` is what it shows, as plain data; ``.close()`` closes it.

    Raises
    ------
    TypeError, ValueError
        If an argument has the wrong type or value, or ``fn`` does not return a number.

    Notes
    -----
    Poles, jumps and the ends of the interval on which ``fn`` is defined are found by bisection between samples. A
    feature that lies between two samples and affects neither is missed.

    Examples
    --------
    >>> import autolab, numpy as np
    >>> view = autolab.derivatives(np.tanh, 0.5, order=3)
    derivatives: no notebook to draw in; open ...html in a browser; later views go to the same folder
    """
    __tracebackhide__ = hidden()
    with folded():
        shown = fn
        others, told = apart(fn, others, None, ("n", "xlim"))
        settings = {"order": order, "domain": domain, **in_own_words("derivatives", ("order", "domain"), told or {})}
        for name in getattr(getattr(fn, "__code__", None), "co_varnames", ())[:1]:
            x = others.pop(name, x)
        if fn is not None and others:
            fitted("derivatives", fn, (x,), others)
            shown = update_wrapper(partial(fn, **others), fn)
            del shown.__wrapped__  # whose signature asks for the others  # type: ignore[attr-defined]
        session = DerivativeSession(shown, x, **settings)
        view = DerivativeExplorer(session, threading.TIMEOUT_MAX if notebook.shell() is None else None)
    view._save_here("derivatives", "derivatives", clean(view.data.function))
    return view
