"""Views that several threads use: one after the other, the latest point last, and nothing after the end."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Variable
from autolab.views.graph.explorer import Explorer
from autolab.views.graph.session import Session
from autolab.views.interact.interact import Interact
from autolab.views.live.saved_page import state_of
from autolab.views.live.widget import LiveView

from ..looking import told
from .test_closed_views import VIEWS, belongings, inputs, settle
from .test_guards_of_views import tell


def moved(x: float) -> dict[str, Any]:
    return {"do": "move", "key": "x", "index": None, "value": x, "final": True}


@pytest.fixture
def gated() -> Any:
    """A view of a function that waits between its steps until it is let go, and the points at which it was run."""
    go, seen = threading.Event(), []

    def program(x: Variable) -> Variable:
        seen.append(float(x.data))
        y = x * 2
        while x.data != 1 and not go.wait(0.005):
            y = y + 0
        return y

    view = Explorer(Session(program, inputs={"x": 1.0}))
    view.wait_seconds = 0.0
    seen.clear()
    yield view, go, seen
    go.set()
    view.close()


def test_of_the_points_that_come_meanwhile_only_the_latest_is_computed(gated: Any) -> None:
    view, go, seen = gated
    for x in (2.0, 3.0, 4.0):
        tell(view, **moved(x))
        assert view.computing == "running"
    go.set()
    settle(view)
    assert seen == [2, 4] and float(view.recording.steps[-1].value.values) == 8
    assert view.computing == "" and view.error is None


def test_a_long_computation_is_given_up_for_a_later_point(gated: Any) -> None:
    view, go, seen = gated
    view.outdated_seconds = 0.0
    tell(view, **moved(2.0))
    while not seen:
        time.sleep(0.001)
    tell(view, **moved(1.0))  # where the function does not wait
    settle(view)
    assert seen == [2, 1] and not go.is_set() and (view.computing, view.error) == ("", None)


def test_what_was_stopped_does_not_go_on_at_a_later_point(gated: Any) -> None:
    view, _, seen = gated
    for message in (moved(2.0), moved(3.0), {"do": "stop"}):
        tell(view, **message)
    assert view.computing == "stopping"
    settle(view)
    assert seen == [2] and view.computing == "" and view.error is not None


def test_an_interrupt_while_a_result_is_waited_for_stops_it(gated: Any) -> None:
    view, _, seen = gated
    view.wait_seconds = 30.0
    interrupt = threading.Timer(0.05, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))
    interrupt.start()
    tell(view, **moved(2.0))
    settle(view)
    assert seen == [2] and view.computing == "" and view.error is not None


@pytest.mark.parametrize("kind", VIEWS)
def test_locks_are_there_before_two_threads_could_make_one_each(kind: str) -> None:
    view = VIEWS[kind](inputs())
    assert all([name in view._trait_values for name in view._locks])
    view.close()


def test_messages_of_a_view_are_obeyed_one_after_the_other() -> None:
    running, most = [], []

    def slow(k: float) -> str:
        running.append(k)
        most.append(len(running))
        time.sleep(0.01)
        running.pop()
        return ""

    view = Interact(slow, {"k": (0.0, 1.0)}, {})
    threads = [
        threading.Thread(target=tell, args=(view,), kwargs={"do": "move", "key": "k", "value": v / 8}) for v in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(most) == {1}
    view.close()


WAITS = [
    ("monitor", "begin"),
    ("monitor", "paint"),
    ("monitor", "end"),
    ("heatmap", "refresh"),
    ("explore", "look_again"),
]


@pytest.mark.parametrize(("kind", "name"), WAITS)
def test_who_paints_waits_for_the_turn(kind: str, name: str) -> None:
    view: Any = VIEWS[kind](inputs())
    settle(view)
    if name == "end":
        view.begin()
    done: list[str] = []
    lock = getattr(view, "_lock", None) or view._turn

    def paint() -> None:
        getattr(view, name)()
        done.append(name)

    thread = threading.Thread(target=paint)
    with lock:
        before = state_of(view) if kind == "monitor" else None
        thread.start()
        thread.join(0.05)
        assert not done and (before is None or state_of(view) == before)
    thread.join(10)
    assert done
    view.close()


@pytest.mark.parametrize("kind", VIEWS)
def test_a_message_whose_turn_comes_after_the_end_is_for_nobody(kind: str) -> None:
    view: LiveView = VIEWS[kind](inputs())
    settle(view)
    with view._turn:
        thread = threading.Thread(target=tell, args=(view,), kwargs={"do": "hello"})
        thread.start()
        thread.join(0.02)
        view.close()
    thread.join(10)
    assert not thread.is_alive() and view.ack == 0


def test_a_view_that_a_message_closes_keeps_nothing_of_its_answer() -> None:
    at_work: list[Callable[[], None]] = []

    def fn(k: float) -> dict[str, np.ndarray]:
        for close in at_work:
            close()
        return {"k x": np.full(3, k)}

    view = Interact(fn, {"k": (0.0, 1.0)}, {})
    at_work.append(view.close)
    tell(view, do="move", key="k", value=0.5)
    assert view.closed and view.ack == 0 and belongings(view) == []


def test_interact_runs_in_the_mode_in_which_it_was_opened() -> None:
    with autolab.test_mode():
        view = Interact(lambda k: f"{k} {autolab.config.train}", {"k": (0.0, 1.0)}, {})
    tell(view, do="move", key="k", value=0.5)
    assert told(view, "result")["told"] == ["0.5 False"]
    view.close()
