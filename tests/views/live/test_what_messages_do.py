"""What a message within its bounds sets, up to the very edge, and what the traits then say."""

from __future__ import annotations

import itertools
import threading
import time
from typing import Any

import numpy as np

import autolab
from autolab import Variable
from autolab import links as L
from autolab.engine.errors import DamagedValueError
from autolab.training.extensions import LiveMonitor
from autolab.views.check.lens import Lens
from autolab.views.check.session import DIRECTIONS, LensSession
from autolab.views.derivatives.explorer import DerivativeExplorer
from autolab.views.derivatives.session import DerivativeSession
from autolab.views.draw.colors import SCALES
from autolab.views.draw.messages import say
from autolab.views.graph.explorer import Explorer
from autolab.views.graph.flow import MEASURES
from autolab.views.graph.session import Session
from autolab.views.heatmap.board import Board
from autolab.views.heatmap.heatmap import Heatmap, gather
from autolab.views.live.computation import UserError, user_error
from autolab.views.monitor.view import MonitorView

from ..looking import asks, looks, seen, told, turn, turn_heat, turn_lens, turn_order
from .test_closed_views import settle
from .test_guards_of_views import HIDDEN, SHOWN, tell
from .test_messages import at_rest


def obeyed(view: Any, **message: Any) -> None:
    tell(view, **message)
    settle(view)
    assert view.error is None, message


def test_the_edges_of_what_can_be_chosen_can_be_chosen() -> None:
    for heat in at_rest(Heatmap):
        for scale, decades in itertools.product(SCALES, (1, 8)):
            turn_heat(heat, ["value", scale, decades, True])
            settings = told(heat, "heat")["settings"]
            assert heat.error is None and (settings["scale"], settings["decades"]) == (scale, decades)
        turn_heat(heat, None, [[2, 3, 4], [1, 2], [1, 0, 0], None])
        heat.refresh()  # type: ignore[attr-defined]
        assert told(heat, "heat")["groups"][0]["at"][0] == 1  # where one was
    for lens in at_rest(Lens):
        for direction in DIRECTIONS:
            turn_lens(lens, whole=True, direction=direction)
            settle(lens)
            assert lens.error is None and told(lens, "study")
    for view in at_rest(Explorer):
        for by in (*MEASURES, None):
            assert looks(view, colour=by).flow.get("by") == by
    for curves in at_rest(DerivativeExplorer):
        for order in (0, told(curves, "curves")["most"]):
            turn_order(curves, order)
            settle(curves)
            assert curves.error is None and curves.data.order == order  # type: ignore[attr-defined]
        for value, x in ((1e300, 4.0), (-1e300, -4.0), (0, 0.0)):
            obeyed(curves, do="move", key="x", value=value)
            assert curves.data.x == told(curves, "point")["control"]["value"] == x  # type: ignore[attr-defined]


def test_a_lens_of_a_function_that_raises_by_now_keeps_the_check() -> None:
    fails: list[bool] = []

    def fn(**given: Variable) -> Variable:
        if fails:
            raise ValueError(HIDDEN)
        (v,) = given.values()
        return v * v

    report = autolab.check_gradients(fn, **{f"{HIDDEN}{'x' * 80}": np.arange(1.0, 4.0)})
    fails.append(True)
    lens = Lens(LensSession(report, report._origin))
    settle(lens)
    for changes in ({"seed": 0}, {"order": 2, "seed": 0}):
        turn_lens(lens, **changes)
        settle(lens)
        assert (lens.look["order"], lens.look["seed"]) == (1, None)
        assert lens.error is not None and lens.error["message"] == SHOWN and lens.report is report
    fails.clear()
    turn_lens(lens, whole=True, direction=3)
    settle(lens)
    _, label = told(lens, "directions")[2]
    assert SHOWN in label and "x" * 60 not in label and "direction 3" in label and told(lens, "study")
    turn_lens(lens, seed=0)
    settle(lens)
    assert lens.report is not report and lens._session.state.seed == 0
    first = lens.report.inputs[0].analytic
    turn_lens(lens, seed=1)
    settle(lens)
    assert lens._session.state.seed == 1 and (lens.report.inputs[0].analytic != first).all()
    lens.close()


def test_a_lens_shows_no_measurement_of_another_element_and_says_that_it_was_stopped() -> None:
    go = threading.Event()
    go.set()

    def fn(x: Variable) -> Variable:
        y = x * x
        while not go.wait(0.005):
            y = y + 0
        return y

    report = autolab.check_gradients(fn, np.arange(1.0, 4.0))
    lens = Lens(LensSession(report, report._origin))
    try:
        lens.wait_seconds = 0.0
        settle(lens)
        assert told(lens, "study")
        go.clear()
        turn_lens(lens, cell=[0, 1])
        assert (lens.computing, told(lens, "study")) == ("running", None)
        tell(lens, do="stop")
        settle(lens)
        assert lens.error is not None and lens.error["message"] == say(f"{lens.stopped_words}_asked", seconds=60.0)
    finally:
        go.set()
        lens.close()


def test_of_an_input_without_elements_a_lens_shows_none() -> None:
    report = autolab.check_gradients(lambda x, y: (x * x).sum() + (y * y).sum(), np.ones(0), np.ones(2))
    lens = Lens(LensSession(report, report._origin))
    settle(lens)
    for input in (0, 1, 2, -1):
        turn_lens(lens, input=input)
        settle(lens)
        chosen, is_there = told(lens, "chosen"), input == 1
        assert lens.error is None
        assert bool(chosen) == bool(told(lens, "study")) == bool(told(lens, "directions")) == is_there
    lens.close()


def test_curves_are_unfinished_only_where_they_were_given_up() -> None:
    held = threading.Lock()  # whose state is no part of what the view compares

    def fn(x: Variable) -> Variable:
        y = x * x
        while held.locked():
            time.sleep(0.005)
            y = y + 0
        return y

    session = DerivativeSession(fn, 1.0, 1, (-4.0, 4.0))
    held.acquire()
    view = DerivativeExplorer(session, 0.0)
    try:
        view.wait_seconds = 30.0
        tell(view, do="hello")
        assert (view.computing, view.since) == ("running", {})
        tell(view, do="stop")
        settle(view)
        assert view.since["text"] == say("curve_unfinished")
        held.release()
        few = told(view, "curves")
        obeyed(view, do="move", key="x", value=2.0)
        assert told(view, "curves") != few  # of one point, and that is another one now
        obeyed(view, do="again")
        held.acquire()
        view.wait_seconds = 0.0
        for message in ({"do": "move", "key": "x", "value": 3.0}, {"do": "stop"}):
            tell(view, **message)
        settle(view)
        assert view.error is not None and view.since == {}
    finally:
        held.release()
        view.close()


def test_the_axes_of_a_heatmap_keep_their_names() -> None:
    view = Heatmap(Board(gather((), {"A": np.eye(3)}), "value", "linear", True, {"A": "ij"}))
    assert told(view, "heat")["panels"][0]["axes"] == "ij"
    view.close()


def test_an_error_without_a_place_or_an_end_is_told_all_the_same() -> None:
    assert user_error(DamagedValueError("changed")) == UserError("DamagedValueError", "changed")
    assert len(user_error(ValueError("x" * 9000)).message) == 2001


def test_an_error_whose_text_ends_the_program_ends_the_computation_alone() -> None:
    class Odd(Exception):
        def __str__(self) -> str:
            raise SystemExit

    def fn(x: Variable) -> Variable:
        if x.data > 1:
            raise Odd
        return x * 2

    view = Explorer(Session(fn, inputs={"x": 1.0}))
    view.wait_seconds = 2.0
    tell(view, do="move", key="x", index=None, value=2.0, final=True)
    assert view.error is not None and view.error["message"] == "its message could not be made: SystemExit"
    assert view.computing == ""
    view.close()


GRAPHS = [[*kind[:1], order, None, *kind[1:]] for order in range(3) for kind in (("scene", "auto"), ("numbers", False))]


def test_where_there_is_no_value_there_are_no_graphs() -> None:
    def fn(x: Variable) -> Variable:
        if x.data < 0:
            raise ValueError("x")
        return np.log(x)

    view = DerivativeExplorer(DerivativeSession(fn, 0.5, 2, (-1.0, 1.0)), 30.0)
    view.wait_seconds = 30.0
    for message, count in (
        ({"do": "look", "look": {"graphs": True}, "questions": GRAPHS}, 3),
        ({"do": "move", "key": "x", "value": -0.5}, 0),
        ({"do": "move", "key": "x", "value": 0.25}, 3),
        ({"do": "look", "look": {"graphs": False}, "questions": []}, 0),
    ):
        tell(view, **message)
        settle(view)
        assert (view.error is not None) is (message.get("value") == -0.5), message
        graphs = [*seen(view).all("scene"), *seen(view).all("numbers")]
        assert sum(answer is not None for answer in graphs) == 2 * count
    view.close()


def test_what_is_taken_away_has_a_plain_name() -> None:
    def fn(x: Variable) -> Variable:
        return x * x

    for name, stem in (("../<b>\u202e", "b"), ("\u00fc\u202e", "function"), ("f", "f")):
        fn.__name__ = name
        view = Explorer(Session(fn, inputs={"x": 1.0}))
        file = asks(view, "file", "html", "light")
        assert (file["name"], file["kind"]) == (f"{stem}.html", "text/html") and file["bytes"]
        looks(view)
        assert view.answers == {}
        view.close()


def test_a_monitor_shows_nothing_before_its_time_and_follows_unless_told_otherwise() -> None:
    model = type(HIDDEN, (L.Linear,), {})(3, 2)
    setattr(model, HIDDEN, L.Linear(2, 2))
    monitor = LiveMonitor(model)
    view = MonitorView(monitor)
    for at, path, which in ((5, "", "gradient"), (5, "/W", "value"), (None, "/W", "value")):
        turn(view, [["training"], ["state", at, path, which]])
        training = told(view, "training")
        assert (training["title"], training["params"], told(view, "state")) == (SHOWN, [], None)
    optimizer = autolab.optimizers.SGD(0.1).setup(model)
    for _ in range(3):
        optimizer.update(lambda: (getattr(model, HIDDEN)(model(np.ones((1, 3), np.float32))) ** 2).sum())
        monitor.update()
    view.paint()
    params, places = told(view, "training")["params"], told(view, "training")["places"]
    assert told(view, "state")["at"] is None and params[0][1] == "W" and params[-1][1] == f"{SHOWN}/b"
    for at, shown in ((-7, places[0]), (10**9, places[-1]), (None, None)):
        turn(view, [["state", at, "", "gradient"]])
        assert view.error is None and told(view, "state")["at"] == shown
    view.close()
