"""The derivative explorer as a saved page: the point moves over samples of the curves, in every order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..analysis import Derivatives, Study
from ..display.derivative_scene import growth_rows, moving_in, panels, symbol
from ..display.messages import say
from ..display.numbers import number
from ..display.scene import readings, scene
from .computation import Stopped
from .derivative_explorer import DerivativeExplorer
from .derivative_session import Place, Seen
from .saved import SavedPage, deadline, message_key, still

SECONDS = 5.0
"""So long the page may compute: the derivatives of all orders at the present point."""

_SAMPLES = (121, 61, 31)


def derivative_page(view: DerivativeExplorer) -> SavedPage:
    """The page of a view as it stands."""
    return SavedPage(view.data.function, "derivatives", _ever_smaller(view))


def _ever_smaller(view: DerivativeExplorer) -> Iterator[dict[str, Any]]:
    """With all graphs; without the highest ones; with fewer places for the point."""
    here = _highest(view)
    graphs = [here.recording, *here.recording.higher] if here.recording else []
    for count in range(len(graphs), 0, -1):
        yield _content(view, here, graphs[:count], _SAMPLES[0])
    for most in _SAMPLES[1:]:
        yield _content(view, here, graphs[:1], most)


def _highest(view: DerivativeExplorer) -> Derivatives:
    """The present point with the derivatives of all orders; where that takes too long, with those that are shown."""
    session, shown = view._session, view.data
    if shown.order == view.most:
        return shown
    try:
        found = session.compute(Place(shown.x, view.most), deadline(SECONDS))
    except Stopped:
        return shown
    return found.data if isinstance(found, Seen) and found.study is session.seen.study else shown


def _content(view: DerivativeExplorer, here: Derivatives, graphs: list[Any], most: int) -> dict[str, Any]:
    study: Study = view._session.seen.study
    orders = range(here.order + 1)
    points = {point.x: point.up_to(here.order) for point in study.samples(most)} | {here.x: here}
    samples = sorted(points)
    low, high = here.domain
    control = {**view.control, "value": here.x, "step": (high - low) / (most - 1)}
    words = {**view.words}
    if len(graphs) <= here.order:
        words["curve_graphs"] = say("curve_graphs_some", name=symbol(here, len(graphs) - 1))
    state = still(
        {**view.state(), "words": words},
        say("curve_still", count=len(samples), x=number(here.x)),
        panels=panels(study.samples(1)[0])[: here.order + 1],
        most=here.order,
        moving=moving_in(here, orders),
        growth=growth_rows(here),
        control=control,
        samples=samples,
        **_drawn(view, []),
    )
    answers: dict[str, dict[str, Any]] = {
        message_key({"do": "move", "key": "x", "k": k}): {
            "moving": moving_in(points[x], orders),
            "control": {**control, "value": x},
        }
        for k, x in enumerate(samples)
    }
    answers |= {message_key({"do": "order", "order": order}): {"order": order} for order in orders}
    answers |= {
        message_key({"do": "graphs", "open": open_}): _drawn(view, graphs if open_ else []) for open_ in (True, False)
    }
    return {"state": state, "answers": answers}


def _drawn(view: DerivativeExplorer, graphs: list[Any]) -> dict[str, Any]:
    """The traits that show graphs, with the groups open that are open in the view."""
    pairs = [(graph, view._open_groups(graph)) for graph in graphs]
    return {
        "graphs": bool(graphs),
        "scenes": [scene(graph, expanded) for graph, expanded in pairs],
        "readings": [readings(graph, expanded)["nodes"] for graph, expanded in pairs],
    }
