"""A session of a function that raises, and values that are put in place of what steps compute."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Variable
from autolab import functions as F
from autolab.recording import Recording
from autolab.views.graph.session import Session
from autolab.views.live.computation import UserError, for_page

from ..programs import muladd, picky


def computed(session: Session) -> Recording:
    recording = session.compute()
    assert isinstance(recording, Recording), recording
    return recording


def failed(session: Session) -> UserError:
    error = session.compute()
    assert isinstance(error, UserError)
    return error


def program(x, y):
    h = x * y
    w = F.exp(h) + x
    return w


# ---------------------------------------------------------------------------------------------- raising
def test_the_first_computation_gives_the_picture_up_to_the_error() -> None:
    session = Session(picky, (-2.0, 3.0))
    error = failed(session)
    assert (error.type, error.recording.raised.type) == ("ValueError", "ValueError")
    assert [step.name for step in error.recording.steps][:2] == ["x", "y"]
    session.move("x", None, 1.0)
    assert computed(session).raised is None
    session.move("x", None, -1.0)
    assert failed(session).recording.id != error.recording.id


def test_an_upstream_gradient_waits_for_the_first_run_that_returns() -> None:
    session = Session(picky, (-2.0, 3.0), {"upstream": 5.0})
    failed(session)
    session.move("x", None, 1.0)
    computed(session)
    assert float(session.array(0)) == 5.0


def test_an_error_of_the_options_has_no_picture() -> None:
    assert failed(Session(muladd, (1.0, 2.0, 3.0), {"upstream": np.ones(3)})).recording is None
    assert failed(Session(muladd, (1.0, 2.0, 3.0), {"replace": {99: 1.0}})).recording is None


def test_what_the_page_gets_is_words_and_numbers() -> None:
    told = for_page(failed(Session(picky, (-2.0, 3.0))))
    assert list(told) == ["type", "message", "file", "line", "statement", "ended"] and not told["ended"]


def test_a_computation_that_is_stopped_carries_nothing() -> None:
    from autolab.views.live.computation import Stopped

    steps: list[int] = []

    def check() -> None:
        steps.append(1)
        if len(steps) > 1:
            raise Stopped

    with pytest.raises(Stopped) as caught:
        Session(program, (1.0, 2.0)).compute(check=check)
    assert autolab.recording.last_recording(caught.value) is None


# ---------------------------------------------------------------------------------------------- what if
def test_a_step_is_replaced_and_computed_again() -> None:
    session = Session(program, (2.0, 3.0))
    before = computed(session)
    h = before["h"].id
    assert session.intervene(h, 0.0) and not session.intervene(h, 0.0)
    after = computed(session)
    assert after["h"].replaced and float(after["w"].value.values) == 3 and after["y"].grad is None
    assert (
        session.can_undo
        and session.code() == f'autolab.explore(program, x=2.0, y=3.0, options={{"replace": {{{h}: 0.0}}}})'
    )
    assert session.intervene(h, None) and not session.intervene(h, None)
    assert computed(session).id == before.id


def test_it_stays_while_the_inputs_move_and_goes_with_undo_and_reset() -> None:
    session = Session(program, (2.0, 3.0))
    h = computed(session)["h"].id
    session.intervene(h, 1.0)
    session.move("x", None, 5.0)
    assert float(computed(session)["w"].value.values) == pytest.approx(np.e + 5)
    session.undo()
    assert float(computed(session)["w"].value.values) == pytest.approx(np.e + 2)
    session.undo()
    assert not computed(session)["h"].replaced and not session.can_undo
    session.intervene(h, 1.0)
    session.reset()
    assert session.state.replaced == {} and session.can_undo


def test_dragging_is_one_step_of_the_history() -> None:
    session = Session(program, (2.0, 3.0))
    h = computed(session)["h"].id
    for value in (0.1, 0.2, 0.3):
        session.intervene(h, value, final=False)
    session.intervene(h, 0.4)
    assert float(computed(session)["h"].value.values) == 0.4
    session.undo()
    assert session.state.replaced == {}


def test_the_code_gives_the_same_again() -> None:
    def layered(x):
        h = x * 2
        k = h + 1
        return F.sum(k * h)

    session = Session(layered, ([1.0, 2.0],))
    first = computed(session)
    session.intervene(first["k"].id, np.array([np.nan, 7.0]))
    session.intervene(first["h"].id, 0.5)
    again: list[Any] = []
    found = computed(session)

    class Tools:
        @staticmethod
        def explore(fn: Any, **given: Any) -> None:
            again.append(Session(fn, (), given.pop("options"), given))

    exec(session.code(), {"autolab": Tools, "layered": layered, "np": np})
    assert computed(again[0]).id == found.id


def test_a_step_that_another_way_makes_something_else_of_is_refused() -> None:
    def branching(x):
        h = x * 2 if x.data > 0 else x + 2
        return h * 3

    session = Session(branching, (1.0,))
    session.intervene(computed(session).steps[1].id, 7.0)
    session.move("x", None, -1.0)
    error = failed(session)
    assert "step 1 is now made by add, not by mul: the function takes another branch here" in error.message
    assert error.recording is None
    session.undo()
    assert float(computed(session).steps[-1].value.values) == 21


def test_dtypes_and_modes_change_beside_it() -> None:
    session = Session(program, (2.0, 3.0))
    h = computed(session)["h"].id
    session.intervene(h, 0.5)
    session.choose("dtype", "float32")
    assert computed(session)["h"].value.dtype == "float32"


@pytest.mark.parametrize(
    ("step", "value", "message"),
    [
        (0, 1.0, r"step 0 \(x\) is not one value that a function computes"),
        (99, 1.0, "there is no step 99"),
        ("h", 1.0, "there is no step 'h'"),
        (True, 1.0, "there is no step True"),
        (2, [1.0, 2.0], r"step 2 has shape \(\), and the new value \(2,\)"),
    ],
)
def test_what_cannot_be_replaced(step: Any, value: Any, message: str) -> None:
    session = Session(program, (2.0, 3.0))
    computed(session)
    with pytest.raises(ValueError, match=message):
        session.intervene(step, value)
    with pytest.raises(TypeError, match="expected real numbers"):
        session.intervene(2, "much")
    assert not session.can_undo


def test_before_the_first_computation_there_is_nothing_to_replace() -> None:
    with pytest.raises(ValueError, match="there is no step 2"):
        Session(program, (2.0, 3.0)).intervene(2, 1.0)


def test_inside_an_opened_function_nothing_is_replaced() -> None:
    def fused(x, w, b):
        return F.sum(F.linear(x, w, b))

    session = Session(fused, (np.ones((2, 3)), np.ones((4, 3)), np.ones(4)), {"open": "linear"})
    inside = [step.id for step in computed(session).steps if step.scope is not None and step.kind == "call"]
    for step in inside:
        with pytest.raises(ValueError, match="inside a function that is opened"):
            session.intervene(step, 1.0)


def test_names_are_refused_as_a_session_counts_steps() -> None:
    with pytest.raises(TypeError, match="explore: option 'replace' has the key 'h'; expected a step's number"):
        Session(program, (2.0, 3.0), {"replace": {"h": 1.0}})


def test_the_callers_array_is_not_the_session_s() -> None:
    session = Session(lambda x: F.sum((x * 2) * 3), ([1.0, 2.0],))
    step = computed(session).steps[1].id
    given = np.array([1.0, 2.0])
    session.intervene(step, given)
    given[0] = 50
    assert session.state.replaced[step].value.tolist() == [1, 2]
    assert isinstance(computed(session).steps[1].value.values, np.ndarray) and not isinstance(given, Variable)
