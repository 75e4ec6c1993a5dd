"""The derivative explorer as a saved page: the point moves over samples of the curves, in every order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..analysis import Derivatives, Study
from ..display.derivative_scene import growth_rows, moving_in, symbol
from ..display.messages import say
from ..display.numbers import number
from ..recording.model import Recording
from .computation import Stopped
from .derivative_explorer import DerivativeExplorer
from .derivative_session import Place, Seen
from .folds import fold_words, folds, states
from .saved import SavedPage, deadline, message_key, still

SECONDS = 5.0
"""So long the page may compute: the derivatives of all orders at the present point."""

_SAMPLES = (121, 61, 31)
_PICTURES = (24, 8, 1)
"""So many of the graph of the function, and of the k-th derivative a (k + 1)-th part."""


def derivative_page(view: DerivativeExplorer) -> SavedPage:
    """The page of a view as it stands; curves that are just being computed are waited for."""
    with view._lock:
        view._lock.wait_for(lambda: view._running is None, SECONDS)
    return SavedPage(view.data.function, "derivatives", _ever_smaller(view))


def _ever_smaller(view: DerivativeExplorer) -> Iterator[dict[str, Any]]:
    """With fewer pictures of the graphs; without the highest of them; with fewer places for the point."""
    here = _highest(view)
    graphs = [here.recording, *here.recording.higher] if here.recording else []
    for pictures in _PICTURES:
        yield _content(view, here, _book(view, graphs, pictures), _SAMPLES[0])
    for count in range(len(graphs) - 1, 0, -1):
        yield _content(view, here, _book(view, graphs[:count], 1), _SAMPLES[0])
    for most in _SAMPLES[1:]:
        yield _content(view, here, _book(view, graphs[:1], 1), most)


def _book(view: DerivativeExplorer, graphs: list[Recording], pictures: int) -> dict[str, Any]:
    """What the page needs to draw graphs, and to open and close their groups."""
    held = []
    for k, graph in enumerate(graphs):
        now = view._open_groups(graph)
        held.append(folds(graph, now, states(graph.outline, now, max(1, pictures // (k + 1)))))
    return {"graphs": held, "words": fold_words()}


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


def _content(view: DerivativeExplorer, here: Derivatives, book: dict[str, Any], most: int) -> dict[str, Any]:
    study: Study = view._session.seen.study
    orders = range(here.order + 1)
    points = {point.x: point.up_to(here.order) for point in study.samples(most)} | {here.x: here}
    samples = sorted(points)
    low, high = here.domain
    control = {**view.control, "value": here.x, "step": (high - low) / (most - 1)}
    words = {**view.words}
    count = len(book["graphs"])
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
        graphs=False,
        scenes=[],
        readings=[],
    )
    answers: dict[str, dict[str, Any]] = {
        message_key({"do": "move", "key": "x", "k": k}): {
            "moving": moving_in(points[x], orders),
            "control": {**control, "value": x},
        }
        for k, x in enumerate(samples)
    }
    answers |= {message_key({"do": "order", "order": order}): {"order": order} for order in orders}
    return {"state": state, "answers": answers, "book": book}
