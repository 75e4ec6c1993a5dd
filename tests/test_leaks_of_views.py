"""R6 above the engine: recordings, checks, displays and closed views leave nothing behind."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from helpers.garbage import growth
from helpers.interrupts import Interrupter

from autolab import Variable, check_gradients, record, transforms
from autolab import functions as F
from autolab.views.graph.explorer import Explorer
from autolab.views.graph.session import Session

pytestmark = pytest.mark.goal(id="R6")

X = np.arange(4.0).reshape(2, 2) / 4


def program(w: Variable) -> Variable:
    h = F.tanh(w * 2)
    return F.sum(h * h)


def failing(w: Variable) -> Any:
    return w + np.ones(7)


RECORDING = record(program, X)
REPORT = check_gradients(program, X)


def recorded() -> None:
    record(program, X)


def recorded_failure() -> None:
    with suppress(ValueError):
        record(failing, X)


def record_interrupted() -> None:
    Interrupter(2000).run(lambda: record(program, X))


def shown_variable() -> None:
    Variable(X, name="x")._repr_mimebundle_()


def shown_recording() -> None:
    RECORDING._repr_mimebundle_()


def shown_report() -> None:
    REPORT._repr_mimebundle_()


def checked_gradients() -> None:
    check_gradients(program, 0.5)


def moved() -> None:
    session = Session(program, (X,))
    session.move("w", 1, 3.0)
    session.compute()
    session.undo()


def failed_move() -> None:
    session = Session(failing, (X,))
    session.compute()


def closed_view() -> None:
    Explorer(Session(program, (X,))).close()


def second_order() -> None:
    transforms.hessian(program)(X)


SLOW = (closed_view, checked_gradients, record_interrupted, shown_recording, shown_report, moved, failed_move)
SCENARIOS = [recorded, recorded_failure, record_interrupted, shown_variable, shown_recording, shown_report]
SCENARIOS += [checked_gradients, moved, failed_move, closed_view, second_order]


@pytest.mark.parametrize("full", [False, pytest.param(True, marks=pytest.mark.full)])
@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda s: s.__name__)
def test_nothing_leaks(scenario: Callable[[], None], full: bool) -> None:
    times = 20 if not full else 1_000 if scenario in SLOW else 10_000
    for _ in range(20):  # caches are filled at first
        scenario()
    assert growth(scenario, times) <= 64 * 1024


def test_a_view_that_stays_open_is_noticed() -> None:
    """Positive control."""
    views: list[Explorer] = []
    assert growth(lambda: views.append(Explorer(Session(program, (X,)))), 20) > 64 * 1024
    for view in views:
        view.close()
