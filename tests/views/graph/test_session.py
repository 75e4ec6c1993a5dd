"""The rules of an exploration, without widgets."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers.each import each
from hypothesis import given
from hypothesis import strategies as st

import autolab
from autolab import Variable, using_config
from autolab.engine.backend import GpuStatus
from autolab.recording import Recording
from autolab.views.graph.session import Session
from autolab.views.live.computation import UserError, user_error

from ..programs import LAYER, layer, muladd, picky


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
    session.move("a", 1, 9.0)
    session.move("b", 0, 9.0)
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


def reopened(session: Session, fn: Any, **names: Any) -> Session:
    """The session that the copied code opens."""

    def explore(fn: Any, options: dict[str, Any] | None = None, **inputs: Any) -> Session:
        return Session(fn, options=options, inputs=inputs)

    found: dict[str, Any] = {**names, "np": np, fn.__name__: fn}
    found["autolab"] = SimpleNamespace(explore=explore, Variable=Variable)
    *edits, call = session.code().split("; ")
    exec("\n".join(edits), found)
    return eval(call, found)


def same_numbers(a: Recording, b: Recording) -> None:
    """Bit for bit, values and gradients of all steps."""
    assert a.id == b.id
    for one, other in zip(a.steps, b.steps, strict=True):
        assert (one.value.dtype, one.value.values.tobytes()) == (other.value.dtype, other.value.values.tobytes())


def test_code_of_the_point_opens_exactly_this_point() -> None:
    session = open_session(layer, **LAYER)
    session.record()
    session.move("W", 11, 0.1 + 0.2)
    session.draw("b", "normal", 0.5, 3)
    session.choose("dtype", "float32")
    session.choose("mode", "test")
    session.move(0, None, 1 / 3)
    again = reopened(session, layer)
    same_numbers(session.record(), again.record())
    assert again.state.train is False
    assert again.state.arrays["W"].dtype == np.float32


def test_code_of_a_large_array_says_what_was_done_to_it() -> None:
    def total(A: Variable) -> Variable:
        return (A * A).sum()

    A = np.random.default_rng(5).normal(size=(50, 40))
    session = open_session(total, A=A)
    assert session.code() == "autolab.explore(total, A=A)"
    session.move("A", 81, 0.1)
    session.move("A", 3, 7.0)
    assert "A = A.copy(); A.reshape(-1)[81] = 0.1; A.reshape(-1)[3] = 7.0; autolab" in session.code()
    same_numbers(session.record(), reopened(session, total, A=A).record())
    session.draw("A", "uniform", 2.0, 7)
    assert session.code() == "autolab.explore(total, A=np.random.default_rng(7).uniform(-2.0, 2.0, (50, 40)))"
    session.move("A", 0, 1.0)
    session.move("A", 0, 1 / 3)
    same_numbers(session.record(), reopened(session, total).record())
    session.choose("dtype", "float32")
    session.move("A", 0, 0.7)
    same_numbers(session.record(), reopened(session, total).record())
    assert session.code().count("reshape") == 2


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (2.0, "autolab.explore(muladd, x=2.0, y=1.0, z=1.0)"),
        (np.float32(0.5), "autolab.explore(muladd, x=np.array(0.5, dtype=np.float32), y=1.0, z=1.0)"),
        (np.array([1, 2]), "autolab.explore(muladd, x=np.array([1, 2], dtype=np.int64), y=1.0, z=1.0)"),
        (np.array([np.nan, -np.inf]), "autolab.explore(muladd, x=np.array([np.nan, -np.inf]), y=1.0, z=1.0)"),
        (float("nan"), "autolab.explore(muladd, x=float('nan'), y=1.0, z=1.0)"),
        (np.zeros(2000), "autolab.explore(muladd, x=x, y=1.0, z=1.0)"),
    ],
)
def test_code_of_every_kind_of_input(value: Any, expected: str) -> None:
    assert open_session(muladd, x=value, y=1.0, z=1.0).code() == expected


def test_code_of_a_lambda_names_no_lambda() -> None:
    assert open_session(lambda x: x, x=1.0).code() == "autolab.explore(fn, x=1.0)"


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


def test_an_assignment_into_an_array_is_told_as_autolab_tells_it() -> None:
    def into_array(x):
        y = np.zeros(2)
        y[0] = x * 2
        return y

    error = Session(into_array, (1.0,), {}).compute()
    assert isinstance(error, UserError) and error.type == "DetachError"
    assert "np.stack" in error.message and error.statement == "y[0] = x * 2"


@each(
    ("name", "index", "value", "words"),
    [
        ("v", None, 1.0, "no input 'v'"),
        ("flags", 0, 1.0, "flags is bool"),
        ("x", None, float("nan"), "expected a finite number"),
        ("x", None, "1", "expected a finite number"),
        ("x", None, True, "expected a finite number"),
        ("x", 0, 1.0, "there is no element"),
        ("x", None, 10**400, "expected a finite number"),
        ("W", None, 1.0, "there is no element None"),
        ("W", 6, 1.0, "there is no element"),
        ("W", -1, 1.0, "there is no element"),
        ("W", True, 1.0, "there is no element"),
        ("W", (0, 0), 1.0, "there is no element"),
        (7, 0, 1.0, "no input 7"),
        ("W", "ab", 1.0, "there is no element"),
        ("half", None, 1e6, "float16 cannot hold"),
        ("byte", None, 300.0, "uint8 cannot hold"),
    ],
)
def test_a_senseless_move_is_refused(name: str, index: Any, value: Any, words: str) -> None:
    inputs = {"x": 1.0, "W": np.ones((3, 2)), "flags": np.ones(3, bool), "half": np.float16(1), "byte": np.uint8(1)}
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


def test_a_draw_is_repeatable_and_one_step_to_undo() -> None:
    session = open_session(layer, **LAYER)
    assert session.draw("W", "normal", 2.0, 9)
    np.testing.assert_array_equal(session.point["W"], np.random.default_rng(9).normal(0, 2, (3, 4)))
    assert not session.draw("W", "normal", 2.0, 9)
    session.draw("W", "uniform", 2.0, 9)
    assert np.abs(session.point["W"]).max() <= 2
    session.undo()
    session.undo()
    np.testing.assert_array_equal(session.point["W"], LAYER["W"])
    assert not session.can_undo


def test_whole_numbers_are_drawn_as_whole_numbers() -> None:
    session = open_session(lambda n, x: x * n, n=np.arange(6, dtype=np.uint8), x=np.ones(6))
    session.draw("n", "uniform", 9.0, 1)
    assert session.point["n"].dtype == np.uint8
    assert session.point["n"].max() <= 9


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("v", "normal", 1.0, 0), "no input 'v'"),
        (("x", "cauchy", 1.0, 0), "there are normal and uniform"),
        (("x", "normal", 0.0, 0), "with the scale 0.0"),
        (("x", "normal", float("nan"), 0), "with the scale nan"),
        (("x", "normal", 10**400, 0), "with the scale"),
        (("x", "normal", 1.0, -1), "with the seed -1"),
        (("x", "normal", 1.0, 2**32), "with the seed"),
        (("x", "normal", 1.0, 1.5), "with the seed 1.5"),
    ],
)
def test_a_senseless_draw_is_refused(arguments: Any, words: str) -> None:
    session = open_session(lambda x: x * 2, x=np.ones(3))
    with pytest.raises(ValueError, match=words) as caught:
        session.draw(*arguments)
    assert len(str(caught.value)) <= 300
    assert not session.can_undo


def test_the_dtype_of_all_inputs_of_floats_can_be_chosen() -> None:
    session = open_session(lambda x, n: x * n, x=np.array([0.1, 1e300]), n=np.array([1, 2]))
    assert session.settings()["dtype"] == ("float64", ("float32", "float64"))
    session.choose("dtype", "float32")
    recording = computed(session)
    assert [s.value.dtype for s in recording.steps[:2]] == ["float32", "int64"]
    assert recording.steps[0].value.inf_count == 1
    session.undo()
    assert session.point["x"].tolist() == [0.1, 1e300]


def test_the_mode_can_be_chosen() -> None:
    session = open_session(lambda x: autolab.functions.dropout(x, ratio=0.5), x=np.ones(40))
    first = computed(session).steps[-1].value.values
    assert set(first) == {0, 2}
    np.testing.assert_array_equal(computed(session).steps[-1].value.values, first)  # the same draw at every point
    session.choose("mode", "test")
    assert computed(session).steps[-1].value.values.tolist() == [1] * 40
    session.reset()
    np.testing.assert_array_equal(computed(session).steps[-1].value.values, first)


def test_spawned_generators_are_the_same_at_every_point() -> None:
    def noisy(x: autolab.Variable) -> autolab.Variable:
        return x * float(autolab.config.rng.spawn(1)[0].random()) + float(autolab.config.rng.random())

    with using_config("rng", np.random.default_rng(0)):  # NumPy's own cannot spawn once it has been seeded
        session = open_session(noisy, x=2.0)
        seen = {computed(session).steps[-1].value.values.item() for _ in range(4)}
    assert len(seen) == 1


def test_a_device_can_be_chosen_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    session = open_session(muladd, x=2.0, y=3.0, z=4.0)
    monkeypatch.setattr("autolab.views.graph.session.gpu_status", lambda: GpuStatus("absent", "none"))
    assert "device" not in session.settings()
    monkeypatch.setattr("autolab.views.graph.session.gpu_status", lambda: GpuStatus("ok", "a GPU"))
    session = open_session(muladd, x=2.0, y=3.0, z=4.0)
    moved: list[Any] = []
    monkeypatch.setattr("autolab.views.graph.exploration_state.to_gpu", lambda array: moved.append(array) or array)
    assert session.settings()["device"] == ("cpu", ("cpu", "gpu"))
    session.choose("device", "gpu")
    assert len(moved) == 3


@pytest.mark.parametrize(("setting", "value"), [("dtype", "int8"), ("mode", "x"), ("device", "gpu"), ("__class__", "")])
def test_a_senseless_choice_is_refused(setting: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autolab.views.graph.session.gpu_status", lambda: GpuStatus("absent", "none"))
    session = open_session(muladd, x=2.0, y=3.0, z=4.0)
    with pytest.raises(ValueError, match="cannot be set"):
        session.choose(setting, value)


def test_the_upstream_gradient_is_moved_like_an_input() -> None:
    session = open_session(layer, **LAYER)
    before = session.record()
    assert session.array(0).shape == ()
    session.move(0, None, 3.0)
    after = computed(session)
    np.testing.assert_allclose(after["W"].grad.values, 3 * before["W"].grad.values, rtol=1e-12)
    session.reset()
    np.testing.assert_array_equal(computed(session)["W"].grad.values, before["W"].grad.values)


def test_each_output_has_an_upstream_gradient_of_its_own() -> None:
    session = open_session(lambda x: (x * 2, x * 3), x=np.ones(2))
    session.record()
    session.move(1, 0, 10.0)
    assert computed(session)["x"].grad.values.tolist() == [32, 5]


def test_an_upstream_gradient_that_fits_no_more_is_ones_again() -> None:
    def sized(x: Variable, n: Variable) -> Variable:
        return x[: int(n.data)] * 2

    session = open_session(sized, x=np.ones(5), n=np.array(3))
    session.record()
    session.move(0, 0, 7.0)
    assert computed(session)["x"].grad.values.tolist() == [14, 2, 2, 0, 0]
    session.move("n", None, 4)
    assert computed(session)["x"].grad.values.tolist() == [2, 2, 2, 2, 0]
    assert session.array(0).tolist() == [1, 1, 1, 1]


def test_where_the_functions_applied_to_an_input_are_worth_looking_at() -> None:
    session = open_session(lambda x, y: np.log(x) * np.exp(x) + y, x=2.0, y=1.0)
    session.record()
    assert session.domains == {"x": (0.1, 3)}


def test_a_history_of_large_arrays_is_bounded_in_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autolab.views.graph.session.MOST_BYTES", 10_000)
    session = open_session(lambda A: A.sum(), A=np.zeros(500))
    for k in range(10):
        session.move("A", 0, float(k + 1))
    for _ in range(10):
        session.undo()
    assert session.point["A"][0] == 8  # 4000 bytes each: two fit
    assert not session.can_undo


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
