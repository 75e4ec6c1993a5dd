"""The rules of an exploration, without widgets."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import autolab
from autolab import Variable
from autolab.recording import Recording
from autolab.widgets.session import Session
from autolab.widgets.user_error import UserError, user_error

from .programs import LAYER, layer, muladd, picky


def open_session(fn: Any, **inputs: Any) -> Session:
    return Session(fn, inputs=inputs)


def computed(session: Session) -> Recording:
    outcome = session.compute()
    assert isinstance(outcome, Recording)
    return outcome


def test_a_move_changes_value_and_gradient() -> None:
    session = open_session(muladd, x=2.0, y=3.0, z=4.0)
    assert session.move("x", None, 5.0)
    recording = computed(session)
    assert recording["w"].value.values == 19
    assert recording["y"].grad.values == 5


def test_the_callers_data_never_change() -> None:
    array, variable = np.array([1.0, 2.0]), Variable([3.0, 4.0])
    variable.grad = np.array([7.0, 7.0])
    session = open_session(lambda a, b: a * b, a=array, b=variable)
    session.move("a", (0, 1), 9.0)
    session.move("b", (0, 0), 9.0)
    computed(session)
    assert array.tolist() == [1, 2]
    assert variable.data.tolist() == [3, 4]
    assert variable.grad.data.tolist() == [7, 7]


def test_a_function_that_writes_into_its_input_does_not_move_the_point() -> None:
    def careless(x: Variable) -> Variable:
        x.data[0] = 100.0
        return x * 2

    session = open_session(careless, x=np.array([1.0, 2.0]))
    computed(session)
    assert session.point["x"].tolist() == [1, 2]


def test_a_drag_is_one_step_to_undo() -> None:
    session = open_session(muladd, x=2.0, y=3.0, z=4.0)
    for value in (2.1, 2.2, 2.3):
        session.move("x", None, value, final=False)
    session.move("x", None, 2.3, final=True)
    session.move("y", None, 1.0)
    session.undo()
    assert (session.point["x"], session.point["y"]) == (2.3, 3)
    session.undo()
    assert session.point["x"] == 2
    assert not session.can_undo
    session.undo()
    assert session.point["x"] == 2


def test_moving_another_input_ends_a_drag() -> None:
    session = open_session(muladd, x=2.0, y=3.0, z=4.0)
    session.move("x", None, 2.5, final=False)
    session.move("y", None, 3.5, final=False)
    session.undo()
    assert (session.point["x"], session.point["y"]) == (2.5, 3)


def test_undo_in_the_middle_of_a_drag_goes_back_to_its_beginning() -> None:
    session = open_session(muladd, x=2.0, y=3.0, z=4.0)
    session.move("x", None, 2.5, final=False)
    assert session.can_undo
    session.undo()
    assert session.point["x"] == 2


def test_a_drag_that_comes_back_is_no_step() -> None:
    session = open_session(muladd, x=2.0, y=3.0, z=4.0)
    session.move("x", None, 2.5, final=False)
    session.move("x", None, 2.0, final=True)
    assert not session.can_undo


def test_reset_is_one_step_to_undo() -> None:
    session = open_session(muladd, x=2.0, y=3.0, z=4.0)
    session.move("x", None, 5.0)
    session.move("y", None, 5.0, final=False)
    session.reset()
    assert [float(v) for v in session.point.values()] == [2, 3, 4]
    session.undo()
    assert [float(v) for v in session.point.values()] == [5, 5, 4]


def test_resetting_what_did_not_move_is_no_step() -> None:
    session = open_session(muladd, x=2.0, y=3.0, z=4.0)
    session.reset()
    assert not session.can_undo


def test_code_of_the_point_runs_and_gives_the_same_result() -> None:
    session = Session(layer, inputs=LAYER)
    session.move("W", (2, 3), -1.25)
    names = {"np": np, "layer": lambda **given: layer(**{k: Variable(v) for k, v in given.items()})}
    value = eval(session.code(), names)
    assert value.data == computed(session)["loss"].value.values


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2.0, "muladd(x=2.0, y=1.0, z=1.0)"),
        (np.float32(0.5), "muladd(x=np.array(0.5, dtype=np.float32), y=1.0, z=1.0)"),
        (np.array([1, 2]), "muladd(x=np.array([1, 2], dtype=np.int64), y=1.0, z=1.0)"),
        (np.array([np.nan, -np.inf]), "muladd(x=np.array([np.nan, -np.inf]), y=1.0, z=1.0)"),
        (float("nan"), "muladd(x=float('nan'), y=1.0, z=1.0)"),
        (np.zeros(2000), "muladd(x=x, y=1.0, z=1.0)"),
    ],
)
def test_code_of_every_kind_of_input(value: Any, expected: str) -> None:
    assert open_session(muladd, x=value, y=1.0, z=1.0).code() == expected


def test_code_of_a_lambda_names_no_lambda() -> None:
    assert open_session(lambda x: x, x=1.0).code() == "fn(x=1.0)"


def test_the_users_error_is_data_with_the_users_line() -> None:
    session = open_session(picky, x=2.0, y=3.0)
    session.move("x", None, -1.0)
    error = session.compute()
    assert isinstance(error, UserError)
    assert (error.type, error.message) == ("ValueError", "x must not be negative, got -1.0")
    assert error.file == "programs.py"
    assert error.statement == 'raise ValueError(f"x must not be negative, got {x.data}")'
    session.move("x", None, 1.0)
    assert computed(session)["w"].value.values == 3


def test_an_error_inside_a_library_points_at_the_users_line() -> None:
    def mismatched(x: Variable) -> Variable:
        return np.linalg.cholesky(np.ones((2, 3))) * x

    error = open_session(mismatched, x=1.0).compute()
    assert isinstance(error, UserError)
    assert error.statement == "return np.linalg.cholesky(np.ones((2, 3))) * x"


def test_an_error_of_the_engine_points_at_the_users_line() -> None:
    def unequal(x: Variable) -> Variable:
        return x + np.ones(7)

    error = open_session(unequal, x=np.ones(3)).compute()
    assert isinstance(error, UserError)
    assert error.statement == "return x + np.ones(7)"


def test_a_value_changed_in_place_is_an_error_at_the_step_that_needs_it() -> None:
    def damaging(x: Variable) -> Variable:
        h = x * 2
        y = h * h
        h.data[...] = 9.0
        return y

    error = open_session(damaging, x=1.0).compute()
    assert isinstance(error, UserError) and error.type == "DamagedValueError"
    assert (error.statement, error.line) == ("y = h * h", damaging.__code__.co_firstlineno + 2)


def test_an_interrupt_is_an_error_of_this_computation() -> None:
    def interrupted(x: Variable) -> Variable:
        raise KeyboardInterrupt

    error = open_session(interrupted, x=1.0).compute()
    assert isinstance(error, UserError)
    assert error.type == "KeyboardInterrupt"


def test_an_error_without_a_readable_message() -> None:
    class Odd(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no")

    assert user_error(Odd()) == UserError("Odd", "its message could not be made: RuntimeError")


@pytest.mark.parametrize(
    ("name", "index", "value", "words"),
    [
        ("v", None, 1.0, "no input 'v'"),
        ("big", (0, 0), 1.0, "no input 'big' that can be moved"),
        ("x", None, float("nan"), "expected a finite number"),
        ("x", None, "1", "expected a finite number"),
        ("x", None, True, "expected a finite number"),
        ("x", (0, 0), 1.0, "there is no element"),
        ("W", None, 1.0, "there is no element None"),
        ("W", (3, 0), 1.0, "there is no element"),
        ("W", (0, -1), 1.0, "there is no element"),
        ("W", (0, 0, 0), 1.0, "there is no element"),
        ("W", "ab", 1.0, "there is no element"),
        ("half", None, 1e6, "float16 cannot hold"),
        ("byte", None, 300.0, "uint8 cannot hold"),
    ],
)
def test_a_senseless_move_is_refused(name: str, index: Any, value: Any, words: str) -> None:
    inputs = {"x": 1.0, "W": np.ones((3, 2)), "big": np.ones((100, 100)), "half": np.float16(1), "byte": np.uint8(1)}
    session = open_session(lambda **given: given["x"] * 2, **inputs)
    with pytest.raises(ValueError, match=words) as caught:
        session.move(name, index, value)
    assert len(str(caught.value)) <= 300
    assert not session.can_undo


def test_options_are_those_of_record() -> None:
    recording = computed(Session(muladd, (2.0, 3.0, 4.0), {"upstream": np.array(10.0)}))
    assert recording["x"].grad.values == 30
    with pytest.raises(TypeError, match="unknown options 'upsteam'"):
        Session(muladd, (2.0, 3.0, 4.0), {"upsteam": 1})


def test_modes_are_those_of_the_thread_that_opened_the_session() -> None:
    seen = []

    def spy(x: Variable) -> Variable:
        seen.append((autolab.config.train, autolab.config.enable_backprop))
        return x * 2

    with autolab.test_mode():
        session = open_session(spy, x=1.0)
    thread = threading.Thread(target=session.compute)
    thread.start()
    thread.join()
    session.compute()
    assert seen == [(False, True), (False, True)]
    assert autolab.config.train


def test_nan_is_shown_and_not_warned_of_unless_the_user_asked_for_errors() -> None:
    recording = computed(open_session(lambda x: np.log(x), x=-1.0))
    assert recording.steps[-1].value.nan_count == 1
    with np.errstate(invalid="raise"):
        session = open_session(lambda x: np.log(x), x=-1.0)
    assert isinstance(session.compute(), UserError)


MOVES = st.lists(
    st.one_of(st.tuples(st.sampled_from("xyz"), st.floats(-9, 9), st.booleans()), st.sampled_from(["undo", "reset"])),
    max_size=25,
)


@given(MOVES)
def test_undo_always_leads_back_to_the_first_point(moves: list[Any]) -> None:
    session = open_session(muladd, x=2.0, y=3.0, z=4.0)
    for move in moves:
        if move == "undo":
            session.undo()
        elif move == "reset":
            session.reset()
        else:
            session.move(move[0], None, move[1], move[2])
    for _ in moves:
        session.undo()
    assert {name: float(v) for name, v in session.point.items()} == {"x": 2, "y": 3, "z": 4}
    assert not session.can_undo
