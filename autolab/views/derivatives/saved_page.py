"""The derivative explorer as a saved page: the point moves over samples of the curves, in every order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ...analysis import Derivatives, Study
from ..draw import number, say
from ..graph.questions import Reader
from ..graph.saved_page import Held
from ..live.computation import Stopped
from ..live.protocol import question_key
from ..live.saved_page import SavedPage, content, deadline
from .explorer import DerivativeExplorer
from .formula_scene import derivation, formulas
from .scene import at_order, at_point, growth_rows, symbol
from .session import CurvePoint, Evaluation

SECONDS = 5.0
"""The time for computing the derivatives of all orders at the current point."""

_SAMPLES = (121, 61, 31)
_NO_GRAPHS: dict[str, Any] = {"answers": {question_key(["program"]): ["page", None]}, "boxes": []}
_PICTURES = (24, 8, 1)
"""The numbers of pictures of the function's graph; there are fewer of the derivatives' graphs."""


def derivative_page(view: DerivativeExplorer) -> SavedPage:
    """The page of a view in its current state, after waiting for curves that are being computed."""
    _wait(view)
    return SavedPage(view.data.function, "derivatives", _ever_smaller(view))


def curves_page(view: DerivativeExplorer) -> SavedPage:
    """A much smaller page with only the curves and the point, without the graphs."""
    _wait(view, longest=60.0)
    return SavedPage(view.data.function, "derivatives", iter([_content(view, view.data, _NO_GRAPHS, _SAMPLES[1])]))


def _wait(view: DerivativeExplorer, longest: float = SECONDS) -> None:
    """Wait for curves that are being computed."""
    with view._lock:
        view._lock.wait_for(lambda: view._running is None, longest)


def _ever_smaller(view: DerivativeExplorer) -> Iterator[dict[str, Any]]:
    """The contents with fewer pictures of the graphs, without the highest graphs, and with fewer points."""
    here = _highest(view)
    orders = 1 + len(here.recording.higher) if here.recording else 0
    for pictures in _PICTURES:
        yield _content(view, here, _held(view, here, orders, pictures), _SAMPLES[0])
    for count in range(orders - 1, 0, -1):
        yield _content(view, here, _held(view, here, count, 1), _SAMPLES[0])
    for most in _SAMPLES[1:]:
        yield _content(view, here, _held(view, here, min(orders, 1), 1), most)


def _held(view: DerivativeExplorer, here: Derivatives, count: int, pictures: int) -> dict[str, Any]:
    """The first ``count`` graphs, with what the page needs to open and close their groups."""
    if here.recording is None:
        return _NO_GRAPHS
    held = Held(Reader(replace(here.recording, higher=here.recording.higher[: count - 1])))
    held.graphs(view.look.get("open", {}), pictures)
    return {"answers": held.answers, "boxes": held.boxes}


def _highest(view: DerivativeExplorer) -> Derivatives:
    """The derivatives of all orders at the current point; if that takes too long, only those that are shown."""
    session, shown = view._session, view.data
    if shown.order == session.seen.study.most or not session.seen.study.has_curves:
        return shown
    try:
        found = session.compute(CurvePoint(shown.x, session.seen.study.most), deadline(SECONDS))
    except Stopped:
        return shown
    return found.data if isinstance(found, Evaluation) and found.study is session.seen.study else shown


def _content(view: DerivativeExplorer, here: Derivatives, held: dict[str, Any], most: int) -> dict[str, Any]:
    study: Study = view._session.seen.study
    points = {point.x: point.up_to(here.order) for point in study.samples(most)} | {here.x: here}
    samples = sorted(points)
    low, high = here.domain
    slider = {**view._point(None)["control"], "step": (high - low) / (most - 1)}
    count = len(held["boxes"])
    some = say("curve_graphs_some", name=symbol(here, count - 1)) if count else ""
    words = {"curve_graphs": some} if count <= here.order else {}
    held = {**held, "answers": {**held["answers"]}}

    def hold(shelf: str, answer: Any, *question: Any) -> None:
        held["answers"][question_key(question)] = [shelf, answer]

    curves = view._curves()
    hold("page", {"panels": curves["panels"][: here.order + 1], "most": here.order, "samples": samples}, "curves")
    hold("page", formulas(here, here.order), "formulas")
    hold("numbers", growth_rows(here), "growth")
    for order in range(1, here.order + 1):
        told = derivation(here, order)
        lines = told["lines"] if order <= count else [{**line, "step": None} for line in told["lines"]]
        hold("answers", {**told, "lines": lines}, "derivation", order)
    for k, x in enumerate(samples):
        hold("numbers", {**at_point(points[x]), "control": {**slider, "value": x}}, "point", k)
        for order in range(here.order + 1):
            hold("numbers", at_order(points[x].up_to(order)), "order", order, k)
    look = {**view.look, "graphs": False, "derived": None, "k": samples.index(here.x), "order": view.data.order}
    sentence = say("curve_still" if study.has_curves else "curve_still_point", count=len(samples), x=number(here.x))
    asked = [["curves"], ["formulas"], ["point", look["k"]], ["order", look["order"], look["k"]], ["growth"]]
    found = content(view, held["answers"], look, sentence, asked)
    found["state"]["words"] |= words
    return {**found, "boxes": held["boxes"]}
