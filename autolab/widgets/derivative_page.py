"""The derivative explorer as a saved page: the point moves over samples of the curves, in every order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..analysis import Derivatives, Study
from ..display.derivative_scene import growth_rows, moving_in, symbol
from ..display.messages import say
from ..display.numbers import number
from .computation import Stopped
from .derivative_explorer import DerivativeExplorer
from .derivative_session import Place, Seen
from .explorer_page import Held
from .messages import question_key
from .questions import Reader
from .saved import SavedPage, deadline, message_key, still

SECONDS = 5.0
"""So long the page may compute: the derivatives of all orders at the present point."""

_SAMPLES = (121, 61, 31)
_PICTURES = (24, 8, 1)
"""So many of the graph of the function, fewer of those of its derivatives."""


def derivative_page(view: DerivativeExplorer) -> SavedPage:
    """The page of a view as it stands; curves that are just being computed are waited for."""
    with view._lock:
        view._lock.wait_for(lambda: view._running is None, SECONDS)
    return SavedPage(view.data.function, "derivatives", _ever_smaller(view))


def _ever_smaller(view: DerivativeExplorer) -> Iterator[dict[str, Any]]:
    """With fewer pictures of the graphs; without the highest of them; with fewer places for the point."""
    here = _highest(view)
    orders = 1 + len(here.recording.higher) if here.recording else 0
    for pictures in _PICTURES:
        yield _content(view, here, _held(view, here, orders, pictures), _SAMPLES[0])
    for count in range(orders - 1, 0, -1):
        yield _content(view, here, _held(view, here, count, 1), _SAMPLES[0])
    for most in _SAMPLES[1:]:
        yield _content(view, here, _held(view, here, min(orders, 1), 1), most)


def _held(view: DerivativeExplorer, here: Derivatives, count: int, pictures: int) -> dict[str, Any]:
    """The first so many graphs, with what the page needs to open and close their groups."""
    if here.recording is None:
        return {"answers": {question_key(["program"]): ["page", None]}, "boxes": []}
    held = Held(Reader(replace(here.recording, higher=here.recording.higher[: count - 1])))
    held.graphs(view.look.get("open", {}), pictures)
    return {"answers": held.answers, "boxes": held.boxes}


def _highest(view: DerivativeExplorer) -> Derivatives:
    """The present point with the derivatives of all orders; where that takes too long, with those that are shown."""
    session, shown = view._session, view.data
    if shown.order == view.most or not session.seen.study.has_curves:
        return shown
    try:
        found = session.compute(Place(shown.x, view.most), deadline(SECONDS))
    except Stopped:
        return shown
    return found.data if isinstance(found, Seen) and found.study is session.seen.study else shown


def _content(view: DerivativeExplorer, here: Derivatives, held: dict[str, Any], most: int) -> dict[str, Any]:
    study: Study = view._session.seen.study
    orders = range(here.order + 1)
    points = {point.x: point.up_to(here.order) for point in study.samples(most)} | {here.x: here}
    samples = sorted(points)
    low, high = here.domain
    control = {**view.control, "value": here.x, "step": (high - low) / (most - 1)}
    words = {**view.words}
    count = len(held["boxes"])
    if 0 < count <= here.order:
        words["curve_graphs"] = say("curve_graphs_some", name=symbol(here, count - 1))
    state = still(
        {**view.state(), "words": words},
        say("curve_still" if study.has_curves else "curve_still_point", count=len(samples), x=number(here.x)),
        panels=view.panels[: here.order + 1],
        most=here.order,
        moving=moving_in(here, orders),
        growth=growth_rows(here),
        control=control,
        samples=samples,
        look={**view.look, "graphs": False},
    )
    answers: dict[str, dict[str, Any]] = {
        message_key({"do": "move", "key": "x", "k": k}): {
            "moving": moving_in(points[x], orders),
            "control": {**control, "value": x},
        }
        for k, x in enumerate(samples)
    }
    answers |= {message_key({"do": "order", "order": order}): {"order": order} for order in orders}
    return {"state": state, "messages": answers, **held, "first": [], "refusal": say("page_no_picture")}
