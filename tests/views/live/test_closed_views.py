"""R6 for closed views: a notebook's ``Out`` holds them for good, so they hold nothing themselves."""

from __future__ import annotations

import gc
import time
import weakref
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest
from helpers.garbage import collector_off, garbage
from ipywidgets.widgets.widget import _instances

import autolab
from autolab import Variable, check_gradients, export_html
from autolab import functions as F
from autolab import links as L
from autolab.training.extensions import LiveMonitor
from autolab.views.check.lens import Lens
from autolab.views.check.session import LensSession
from autolab.views.derivatives.explorer import DerivativeExplorer
from autolab.views.derivatives.session import DerivativeSession
from autolab.views.draw.messages import say
from autolab.views.graph.explorer import Explorer
from autolab.views.graph.graph_view import GraphView
from autolab.views.graph.session import Session
from autolab.views.heatmap.heatmap import Board, Heatmap, gather
from autolab.views.interact.interact import Interact
from autolab.views.live.computation import Computation
from autolab.views.live.widget import LiveView
from autolab.views.monitor.view import MonitorView
from autolab.views.plots.surface_view import SurfaceView


class Inputs(np.ndarray):
    """An array that is seen to die, whoever has a view of it."""


def inputs() -> np.ndarray:
    return np.linspace(0.5, 2.0, 6).reshape(2, 3).view(Inputs)


def program(x: Variable) -> Variable:
    return F.sum(F.tanh(x) * x)


def monitored(data: np.ndarray) -> MonitorView:
    model = L.Linear(3, 2)
    monitor = LiveMonitor(model)
    loss = F.sum(model(data.astype(np.float32)))
    loss.backward()
    monitor.update(loss=loss)
    monitor.data = data
    return monitor._live()


def lens(data: np.ndarray) -> Lens:
    report = check_gradients(program, data, rng=np.random.default_rng(0))
    return Lens(LensSession(report, report._origin))


def graph(data: np.ndarray) -> GraphView:
    return GraphView(autolab.graph(program(Variable(data, name="x"))))


VIEWS: dict[str, Callable[[np.ndarray], LiveView]] = {
    "explore": lambda data: Explorer(Session(program, (data,))),
    "graph": graph,
    "lens": lens,
    "derivatives": lambda data: DerivativeExplorer(DerivativeSession(lambda x: F.sum(x * data), 0.5, 1, (-1.0, 1.0))),
    "heatmap": lambda data: Heatmap(Board(gather((data,), {}), "value", "linear", True, None)),
    "interact": lambda data: Interact(lambda k: {"k x": data * k}, {"k": (0.0, 1.0)}, {}),
    "monitor": monitored,
    "surface": lambda data: SurfaceView(
        autolab.plots.surface(lambda x, y: F.sum(data) * x + y, (0.0, 0.0), steps=3), (0.5, 0.5), "SGD", 3
    ),
}
EVERY_VIEW = pytest.mark.parametrize("kind", VIEWS)


def belongings(view: LiveView) -> list[Any]:
    """What a view holds of AutoLab's own and of arrays, through whatever objects."""
    found: list[Any] = []
    seen: set[int] = set()
    todo: list[Any] = [vars(view)]
    while todo:
        one = todo.pop()
        if id(one) in seen or isinstance(one, type | ModuleType | FunctionType) or one is view:
            continue
        seen.add(id(one))
        if isinstance(one, np.ndarray) or type(one).__module__.startswith("autolab"):
            found.append(one)
        todo += gc.get_referents(one)
    return found


@EVERY_VIEW
def test_a_closed_view_holds_nothing_and_says_so(kind: str) -> None:
    VIEWS[kind](inputs()).close()  # what is made once for all views
    registered = set(_instances)
    with collector_off():
        data = inputs()
        view = VIEWS[kind](data)
        settle(view)
        held = [one for one in belongings(view) if weakrefable(one)]
        assert len(held) > 0 and set(_instances) - registered, "the view holds nothing while it is open"
        alive = weakref.ref(data)
        assert view.explore() is view  # as reports are opened
        view.close()
        view.close()
        del data, held
        assert belongings(view) == []
        assert set(_instances) == registered
        assert garbage() == []
        assert alive() is None
    data, _ = view._repr_mimebundle_()
    assert data["text/plain"] == f"{type(view).__name__}: {say('closed_view')}" and "closed" in data["text/html"]
    with pytest.raises(AttributeError, match="closed view keeps nothing"):
        _ = view.recording
    view.look_again = None  # a message that comes late is for nobody
    view._handle_msg({"content": {"data": {"method": "custom", "content": {"do": "hello", "seq": 1}}}, "buffers": []})
    assert view.ack == 0 and belongings(view) == []


def settle(view: LiveView) -> None:
    """Wait until nothing is computed."""
    lock = getattr(view, "_lock", None)
    if lock is not None:
        with lock:
            assert lock.wait_for(lambda: view._running is None, 60)


def weakrefable(one: Any) -> bool:
    return type(one).__weakrefoffset__ != 0


@EVERY_VIEW
def test_a_view_that_is_open_is_found_to_hold_its_inputs(kind: str) -> None:
    """Positive control."""
    view = VIEWS[kind](inputs())
    settle(view)
    assert belongings(view) != []
    view.close()


def test_closing_while_something_is_computed_ends_it_and_lets_go() -> None:
    started, ended = [], []

    def endless(x: Variable) -> Variable:
        y = x * 2
        while x.data > 2:
            started.append(1)
            y = y + 0
        return y

    view = Explorer(Session(endless, (1.0,)))
    done = Computation._run

    def run(self: Computation[Any]) -> None:
        done(self)
        ended.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Computation, "_run", run)
        move = {"do": "move", "seq": 1, "key": "x", "index": None, "value": 3.0, "final": True}
        view._on_message(None, move, [])
        while not started:
            pass
        view.close()
        late = time.monotonic() + 30
        while not ended and time.monotonic() < late:
            time.sleep(0.01)
    assert ended and view.ack == 0
    assert belongings(view) == []


def test_a_closed_view_is_refused_by_name_where_a_view_is_needed(tmp_path: Any) -> None:
    view = Explorer(Session(program, (inputs(),)))
    view.close()
    with pytest.raises(AttributeError, match="Explorer: This view was closed"):
        export_html(view, tmp_path / "view.html")
    assert not list(tmp_path.iterdir())


def test_recordings_and_reports_do_not_hold_the_graph() -> None:
    """`Out` holds these rightly; the inputs and the nodes of their graph it must not."""
    with collector_off():
        nodes: list[weakref.ref[Any]] = []

        def noted(x: Variable) -> Variable:
            y = F.sum(F.tanh(x) * x)
            nodes.append(weakref.ref(y.node))
            return y

        for make in (autolab.record, check_gradients, lambda fn, x: autolab.record(fn, x, options={"order": 2})):
            data = inputs()
            alive = weakref.ref(data)
            kept = make(noted, data)
            assert nodes and [one for one in nodes if one() is not None] == []
            if make is not check_gradients:  # which keeps what `explore` on it runs again
                del data
                assert alive() is None
            assert kept is not None
