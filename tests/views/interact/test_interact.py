"""interact(): what it takes, what its controls do, what it says where nothing is live."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ipywidgets import comm as widget_comm

import autolab
from autolab import Variable
from autolab.views.interact.interact import Interact

from ..bare_page import RecordingComm
from ..looking import told, turn_heat

Make = Callable[..., Interact]
UNEQUAL = {"a": np.zeros((2, 2)), "b": np.zeros(3)}


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Make]:
    monkeypatch.setattr(widget_comm, "create_comm", RecordingComm)
    monkeypatch.chdir(tmp_path)
    made: list[Interact] = []

    def interact(*args: Any, **kwargs: Any) -> Interact:
        made.append(autolab.interact(*args, **kwargs))
        return made[-1]

    yield interact
    for view in made:
        view.close()


def send(view: Interact, **content: Any) -> None:
    message = {"content": {"data": {"method": "custom", "content": {"seq": view.ack + 1, **content}}}, "buffers": []}
    view.comm.handle_msg(message)


def cells(view: Interact, k: int = 0) -> np.ndarray:
    panel = told(view, "heat")["panels"][k]
    return np.frombuffer(panel["cells"], panel["kind"]).reshape(panel["rows"], panel["cols"])


def said(view: Interact) -> list[str]:
    found: list[str] = told(view, "result")["told"]
    return found


def everything(scale: float, count: int, kind: str, rng: np.random.Generator) -> Any:
    drawn = rng.normal(size=(2, 3))
    chart = autolab.plots.line_chart([0, 1], {kind: [0.0, scale]})
    return f"{kind} {scale:g} {count}", chart, {"drawn": drawn, "count": np.full((count, 2), scale)}


def test_a_long_row_of_numbers_is_a_curve(make: Make) -> None:
    def wave(k: float, count: int) -> Any:
        row = k * np.arange(count)
        return row, {"row": row}, row > 3

    view = make(wave, k=(1.0, 2.0, 3.0), count=(12, 13, 20))
    (chart,) = told(view, "result")["charts"]
    assert [(line["name"], line["y"]) for line in chart["lines"]] == [("result 1", [2.0 * i for i in range(13)])]
    assert chart["x"]["hi"] == 12 and chart["x_title"] == "index"
    assert [panel["name"] for panel in told(view, "heat")["panels"]] == ["row", "result 3"]
    send(view, do="move", key="count", value=12)
    assert told(view, "result")["charts"] == [] and told(view, "heat")["panels"][0]["name"] == "result 1"
    for fn in (lambda: Variable(np.arange(20.0)), lambda: np.arange(20)):
        assert [line["name"] for line in told(make(fn), "result")["charts"][0]["lines"]] == ["<lambda>"]


def test_a_row_whose_axis_is_named_or_that_has_a_gradient_stays_a_heatmap(make: Make) -> None:
    def row() -> Any:
        x = Variable(np.arange(20.0))
        (x * x).sum().backward()
        return x

    assert [panel["which"] for panel in told(make(row), "heat")["panels"]] == ["value", "gradient"]
    named = make(lambda: np.arange(20.0), options={"axes": {"<lambda>": "i"}})
    assert [panel["axes"] for panel in told(named, "heat")["panels"]] == ["i"]


def test_what_the_function_returns_is_shown_and_follows(make: Make) -> None:
    kinds = ["tanh", "relu"]
    view = make(everything, scale=(0.5, 1.0, 3.0), count=(1, 2, 5), kind=kinds, rng=np.random.default_rng(0))
    assert view.inputs == {"scale": 1.0, "count": 2, "kind": "tanh"}
    assert (said(view), told(view, "result")["charts"][0]["lines"][0]["y"]) == (["tanh 1 2"], [0.0, 1.0])
    first = cells(view, 0).copy()
    send(view, do="move", key="scale", value=2.5)
    send(view, do="move", key="count", value=4)
    send(view, do="choose", setting="kind", value="relu")
    assert (view.error, said(view)) == (None, ["relu 2.5 4"])
    assert told(view, "result")["charts"][0]["lines"][0] == {
        "name": "relu",
        "x": [0, 1],
        "y": [0.0, 2.5],
        "last": "",
    }
    assert np.array_equal(cells(view, 0), first), "only what was moved changes"
    assert np.array_equal(cells(view, 1), np.full((4, 2), 2.5))
    send(view, do="draw")
    assert not np.array_equal(cells(view, 0), first)
    assert type(view.inputs["count"]) is int


def test_the_same_generator_gives_the_same_draws(make: Make) -> None:
    def draw(rng: np.random.Generator) -> Any:
        return {"x": rng.normal(size=(2, 2))}

    views = [make(draw, rng=np.random.default_rng(3)) for _ in range(2)]
    for view in views:
        send(view, do="draw")
    assert np.array_equal(cells(views[0]), cells(views[1]))


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"do": "move", "key": "nothing", "value": 1.0}, "expected one of scale"),
        ({"do": "move", "key": "scale", "value": float("nan")}, "expected a finite number"),
        ({"do": "move", "key": "scale", "value": "large"}, "not understood"),
        ({"do": "choose", "setting": "scale", "value": "large"}, "expected one of scale"),
        ({"do": "move", "key": "scale"}, "not understood"),
        ({"do": "move", "key": "rng", "value": 1.0}, "expected one of scale"),
    ],
)
def test_a_message_that_fits_nothing_changes_nothing(make: Make, message: dict[str, Any], words: str) -> None:
    view = make(lambda scale, rng: f"{scale}", scale=1.0, rng=np.random.default_rng(0))
    send(view, **message)
    assert words in view.error["message"] and said(view) == ["1.0"]


def test_what_the_function_raises_later_is_told_and_the_last_picture_stays(make: Make) -> None:
    limit = 1.0

    def fails(x: float) -> str:
        if x > limit:
            raise ZeroDivisionError("too far")
        return f"{x}"

    view = make(fails, x=(0.0, 1.0, 2.0))
    send(view, do="move", key="x", value=2.0)
    assert (view.error["type"], view.error["message"], said(view)) == ("ZeroDivisionError", "too far", ["1.0"])
    assert view.numbers['["free"]']["controls"][0]["value"] == view.inputs["x"]  # where it failed
    limit = 3.0  # what failed is tried again, though the number is the same
    send(view, do="move", key="x", value=2.0)
    assert (view.error, said(view)) == (None, ["2.0"])


def test_it_is_told_without_a_page_too(make: Make) -> None:
    bundle = make(
        everything, scale=1.0, count=(1, 2, 5), kind=["<i>"], rng=np.random.default_rng(0)
    )._repr_mimebundle_()[0]
    assert "everything(scale=1.0, count=2, kind='<i>')" in bundle["text/plain"]
    assert bundle["text/html"].count("data:image/svg") == 3 and "<i>" not in bundle["text/html"]


@pytest.mark.parametrize(
    ("fn", "words", "arrays"),
    [
        (lambda: 3, ["3"], []),
        (
            lambda: (0.5, np.float32(2), True, np.array(0.1, "f4"), Variable(0.25)),
            ["0.5", "2", "True", "0.1", "0.25"],
            [],
        ),
        (lambda: np.arange(3.0), [], ["<lambda>"]),
        (lambda: (Variable(np.ones(2)), "words", np.zeros((2, 2))), ["words"], ["result 1", "result 3"]),
    ],
)
def test_numbers_are_words_and_arrays_heatmaps(make: Make, fn: Any, words: list[str], arrays: list[str]) -> None:
    view = make(fn)
    assert told(view, "result")["told"] == words
    assert [entry.name for entry in view._board.arrays] == arrays


def test_a_slider_keeps_its_ends(make: Make) -> None:
    (entry,) = told(make(lambda x: "", x=(0.5, 1.0, 3.0)), "free")["controls"]
    assert (entry["min"], entry["max"], entry["value"]) == (0.5, 3.0, 1.0)
    (entry,) = told(make(lambda n: "", n=(1, 20)), "free")["controls"]
    assert (entry["min"], entry["max"], entry["value"], entry["step"]) == (1, 20, 1, 1)


@pytest.mark.parametrize(
    ("error", "words", "fn", "inputs"),
    [
        (TypeError, "fn is an int", 3, {}),
        (TypeError, "returned a builtin_function", lambda: print, {}),
        (TypeError, "returned None; expected a number, an array", lambda: None, {}),
        (TypeError, "x is None", lambda x: "", {"x": None}),
        (TypeError, "x is True", lambda x: "", {"x": True}),
        (TypeError, r"x is \[\]", lambda x: "", {"x": []}),
        (ValueError, "in this order", lambda x: "", {"x": (3, 2, 1)}),
        (TypeError, "unknown options", lambda x: "", {"x": 1, "options": {"axis": 1}}),
        (ValueError, "length 3; elsewhere 2", lambda: UNEQUAL, {"options": {"axes": {"a": "ij", "b": "j"}}}),
        (ValueError, "a letter for each", lambda: {"a": np.zeros((2, 2))}, {"options": {"axes": {"a": "i"}}}),
        (ValueError, "axes names 'b'", lambda: {"a": np.zeros((2, 2))}, {"options": {"axes": {"b": "i"}}}),
    ],
)  # fmt: skip
def test_bad_input_is_refused(make: Make, error: type[Exception], words: str, fn: Any, inputs: dict) -> None:
    with pytest.raises(error, match=words) as caught:
        make(fn, **inputs)
    assert len(str(caught.value)) <= 300


def test_another_result_of_the_same_shape_shows_the_same_plane(make: Make) -> None:
    view = make(lambda k: {"A": np.arange(24.0).reshape(2, 3, 4) * k}, k=(1, 2, 3))
    turn_heat(view, None, [[2, 3, 4], [1, 2], [1, 0, 0], None])
    send(view, do="move", key="k", value=3)
    assert np.array_equal(cells(view), 3 * np.arange(12.0, 24.0).reshape(3, 4))
