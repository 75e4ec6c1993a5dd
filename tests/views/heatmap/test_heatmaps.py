"""heatmap(): what it takes, what it sends, what it says where nothing is live."""

from __future__ import annotations

import base64
import linecache
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers.each import each
from ipywidgets import comm as widget_comm

import autolab
from autolab.views.draw.messages import say
from autolab.views.heatmap import heatmap as heatmaps
from autolab.views.heatmap.heatmap import Heatmap
from autolab.views.live.saved_page import state_of

from ..bare_page import RecordingComm
from ..looking import told, turn_heat

Make = Callable[..., Heatmap]


@pytest.fixture
def make(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Make]:
    monkeypatch.setattr(widget_comm, "create_comm", RecordingComm)
    monkeypatch.chdir(tmp_path)
    made: list[Heatmap] = []

    def heatmap(*args: Any, **kwargs: Any) -> Heatmap:
        made.append(autolab.heatmap(*args, **kwargs))
        return made[-1]

    yield heatmap
    for view in made:
        view.close()


def send(view: Heatmap, **content: Any) -> None:
    message = {"content": {"data": {"method": "custom", "content": {"seq": view.ack + 1, **content}}}, "buffers": []}
    view.comm.handle_msg(message)


def cells(view: Heatmap, k: int = 0) -> np.ndarray:
    panel = told(view, "heat")["panels"][k]
    return np.frombuffer(panel["cells"], panel["kind"]).reshape(panel["rows"], panel["cols"])


def trained(shape: tuple[int, ...] = (4, 3), name: str = "W") -> autolab.Variable:
    x = autolab.Variable(np.random.default_rng(0).normal(size=shape), name=name)
    (x * x).sum().backward()
    return x


def test_a_variable_shows_its_value_and_its_gradient(make: Make) -> None:
    W = trained()
    view = make(W)
    assert [(p["name"], p["which"]) for p in told(view, "heat")["panels"]] == [("W", "value"), ("W", "gradient")]
    assert np.array_equal(cells(view, 0), W.data)
    assert np.array_equal(cells(view, 1), W.grad.data)


@each("shape", [(), (5,), (1, 1), (2, 3, 4), (2, 1, 3, 2), (0,), (3, 0)])
@each("dtype", ["float32", "float64", "int64", "uint8", "bool"])
def test_any_shape_and_kind_of_numbers(make: Make, shape: tuple[int, ...], dtype: str) -> None:
    array = (np.arange(np.prod(shape, dtype=int)).reshape(shape) % 3).astype(dtype)
    view = make(array)
    planes = array.reshape(-1, *array.shape[-2:]) if array.ndim > 2 else [np.atleast_2d(array)]
    plane = planes[0] if array.ndim == 3 else np.hstack(planes)
    assert np.array_equal(cells(view), plane)
    assert ("<img" in view._repr_mimebundle_()[0]["text/html"]) and str(shape[-2:])[1:-1] in str(told(view, "heat"))
    if not array.size:
        assert told(view, "heat")["panels"][0]["caption"] == say("empty")


def test_names_come_from_the_variables_the_keys_or_the_keywords(make: Make) -> None:
    view = make(trained(), np.ones(2), {"a": 1.0, "b": [1, 2]}, c=np.ones(3), options={"show": "value"})
    assert [p["name"] for p in told(view, "heat")["panels"]] == ["W", "array 2", "a", "b", "c"]


@pytest.mark.parametrize(
    ("call", "names"),
    [
        ("autolab.heatmap(A)", ["A"]),
        ("autolab.heatmap(A, net.W, A[:1], {'b': A}, c=A)", ["A", "net.W", "array 3", "b", "c"]),
        ("autolab.heatmap(*[A], net.W)", ["array 1", "array 2"]),
        ("next(map(autolab.heatmap, one))", ["array"]),
    ],
)
@pytest.mark.usefixtures("make")
def test_an_array_without_a_name_is_called_as_the_call_writes_it(call: str, names: list[str]) -> None:
    linecache.cache["<called>"] = len(call), None, [call], "<called>"
    array = np.ones((2, 2))
    world = {"autolab": autolab, "A": array, "net": SimpleNamespace(W=array), "one": iter([array])}
    view = eval(compile(call, "<called>", "eval"), world)
    assert [entry.name for entry in view._board.arrays] == names
    view.close()


def test_several_share_one_scale_unless_told_otherwise(make: Make) -> None:
    view = make(a=np.array([1.0, -2.0]), b=np.array([8.0]))
    assert [(p["scale"], p["bend"]) for p in told(view, "heat")["panels"]] == [(10.0, 100.0), (10.0, 100.0)]
    turn_heat(view, ["value", "asinh", 2, False])
    assert [p["scale"] for p in told(view, "heat")["panels"]] == [2.0, 10.0]
    turn_heat(view, ["value", "symlog", 2, False])
    assert [(p["scale"], p["threshold"]) for p in told(view, "heat")["panels"]] == [(2.0, 0.02), (8.0, 0.08)]


def test_steps_turns_and_blocks_show_what_the_index_says(make: Make) -> None:
    array = np.random.default_rng(1).normal(size=(5, 6, 7))
    view = make(array)
    shape = [5, 6, 7]
    turn_heat(view, None, [shape, [1, 2], [3, 0, 0], None])
    assert np.array_equal(cells(view), array[3])
    turn_heat(view, None, [shape, [2, 0], [3, 0, 0], None])
    assert np.array_equal(cells(view), array[:, 0].T)
    turn_heat(view, None, [shape, [2, 0], [3, 0, 0], [1, 4, 2, 5]])
    assert np.array_equal(cells(view), array[2:5, 0, 1:4].T)
    assert told(view, "heat")["panels"][0]["index"] == "[2:5, 0, 1:4]"
    turn_heat(view, None, [shape, [2, 0], [3, 0, 0], None])
    assert np.array_equal(cells(view), array[:, 0].T)


def test_a_block_of_a_reduced_array_shows_the_true_elements(make: Make) -> None:
    array = np.random.default_rng(2).normal(size=(2000, 1500))
    view = make(array)
    assert told(view, "heat")["panels"][0]["block"] != [1, 1]
    turn_heat(view, None, [[2000, 1500], [0, 1], [0, 0], [700, 800, 1200, 1290]])
    assert np.array_equal(cells(view), array[700:800, 1200:1290])


@pytest.mark.parametrize(
    "question",
    [
        [None, [[[2, 3, 4], [1, 2], [0, 0, 0], [0, 99, 0, 1]]]],
        [None, [[[2, 3, 4], [1, 2], [0, 0, 0], [0, 1.5, 0, 1]]]],
        [None, [[[2, 3, 4], [1, 2], [9, 0, 0], None]]],
        [None, [[[2, 3, 4], [0, 0], [0, 0, 0], None]]],
        [None, [[7]]],
        [["all", "linear", 3, True], []],
        [["both", "symlog", 900, True], []],
        [["both"], []],
        [[], []],
        [None],
    ],
)
def test_a_question_that_fits_nothing_changes_nothing_and_is_answered(make: Make, question: list[Any]) -> None:
    view = make(np.ones((2, 3, 4)))
    before = state_of(view)
    send(view, do="look", look={"other": 1}, questions=[["heat", *question]])
    assert view.ack == 1 and view.error["type"] == "ValueError"
    view._tell(error=None)
    assert {**state_of(view), "ack": 0} == before
    turn_heat(view, None, [[2, 3, 4], [1, 2], [1, 0, 0], None])
    assert view.error is None and told(view, "heat")["groups"][0]["at"] == [1, 0, 0]


@pytest.mark.parametrize(
    ("args", "options", "error"),
    [
        ((), None, "heatmap: got 0 arrays; expected 1 to 12"),
        (tuple(range(13)), None, "heatmap: got 13 arrays"),
        ((np.array([1j]),), None, "heatmap: array 1: got .*complex"),
        (("text",), None, "heatmap: array 1: got"),
        ((1.0,), {"colour": 1}, "heatmap: unknown options 'colour'"),
        ((1.0,), {"show": "grad"}, "heatmap: got the options .*expected show: value, gradient, both"),
        ((1.0,), {"scale": "log"}, "expected show: .*; scale: asinh, linear, symlog"),
    ],
)
def test_what_cannot_be_shown_is_said(make: Make, args: Any, options: Any, error: str) -> None:
    with pytest.raises((TypeError, ValueError), match=error):
        make(*args, options=options)


def test_100_million_elements_never_cross_the_wire(make: Make) -> None:
    array = np.zeros((10_000, 10_000), np.float32)
    array[1234, 5678] = -3.0
    view = make(array)
    assert sum(len(panel["cells"]) for panel in told(view, "heat")["panels"]) < 256_000
    assert (cells(view) == -3.0).sum() == 1
    assert len(view._repr_mimebundle_()[0]["text/html"]) < 200_000


def test_many_arrays_stay_within_the_same_bytes(make: Make) -> None:
    view = make({f"a{i}": np.random.default_rng(i).normal(size=(300, 300)) for i in range(12)})
    assert sum(len(panel["cells"]) for panel in told(view, "heat")["panels"]) <= 200_000


def test_after_each_cell_small_arrays_are_read_again_and_large_ones_say_so(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    array = np.ones(4)
    view = make(array)
    array[2] = 5.0
    view.look_again()
    assert cells(view).tolist() == [[1, 1, 5, 1]]
    monkeypatch.setattr(heatmaps, "WATCHED", 3)
    array[0] = 7.0
    view.look_again()
    assert cells(view).tolist() == [[1, 1, 5, 1]] and view.since["text"] == say("heat_since")
    send(view, do="again")
    assert cells(view).tolist() == [[7, 1, 5, 1]] and view.since == {}


def test_an_array_of_another_shape_is_shown_from_its_beginning(make: Make) -> None:
    W = trained((2, 3, 4))
    view = make(W)
    turn_heat(view, None, [[2, 3, 4], [1, 2], [1, 0, 0], None])
    W.data = np.arange(6.0).reshape(2, 3)
    W.cleargrad()
    view.refresh()
    assert np.array_equal(cells(view), W.data)
    assert told(view, "heat")["panels"][1]["sentence"] and told(view, "heat")["panels"][1]["cells"] is None


def test_static_pictures_say_the_same(make: Make) -> None:
    W = trained(name="<b>W</b>")
    view = make(W, options={"scale": "symlog"})
    bundle = view._repr_mimebundle_()[0]
    (address,) = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', bundle["text/html"])
    svg = base64.b64decode(address).decode()
    assert "&lt;b&gt;W&lt;/b&gt;" in svg and "<b>" not in svg + bundle["text/html"]
    assert 'class="bars"' in svg
    assert "<b>W</b>: array of shape (4, 3), from" in bundle["text/plain"]
    assert "<b>W</b> gradient: array of shape (4, 3), from" in bundle["text/plain"]


def test_a_picture_is_drawn_from_the_cells_of_the_page(make: Make) -> None:
    array = np.random.default_rng(0).normal(size=(3, 200, 300))
    view = make(array)
    turn_heat(view, None, [[3, 200, 300], [1, 2], [2, 0, 0], [100, 200, 0, 300]])
    (entry,), (panel,) = told(view, "heat")["panels"], [view._board._panel(*one) for one in view._board.panels()]
    assert panel.title == "array" + entry["index"] == "array[2, 100:200, :]"
    assert panel.cells is not None and panel.cells.values.shape == (50, 60) and panel.cells.block == (2, 5)
    assert panel.cells.values[0, 0] == max(array[2, 100:102, :5].ravel(), key=abs)
    assert (panel.snapshot.minimum, panel.snapshot.maximum) == (entry["min"], entry["max"])
    assert "Each cell covers up to 2 × 5" in panel.cells.caption
    turn_heat(view, None, [[3, 200, 300], [1, 2], [2, 0, 0], [100, 150, 7, 70]])
    (panel,) = [view._board._panel(*one) for one in view._board.panels()]
    assert panel.cells is not None and np.array_equal(panel.cells.values, cells(view))


def test_a_missing_gradient_is_a_sentence_and_no_picture(make: Make) -> None:
    view = make(autolab.Variable([1.0, 2.0], name="x"), options={"show": "gradient"})
    bundle = view._repr_mimebundle_()[0]
    assert "<img" not in bundle["text/html"]
    assert bundle["text/plain"].startswith("x: No gradient")


def test_plain_python_saves_a_page_and_says_where(tmp_path: Path) -> None:
    program = "import autolab\nautolab.heatmap(autolab.Variable([[1.0, 2.0]], name='W'))\n"
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    assert str(tmp_path / "autolab_pages" / "heatmap_W.html") in done.stdout
    assert 'start("' in (tmp_path / "autolab_pages" / "heatmap_W.html").read_text(encoding="utf-8")


def test_values_and_gradients_of_a_recording_are_arrays() -> None:
    recording = autolab.record(lambda x: (x * x).sum(), np.arange(6.0).reshape(2, 3))
    view = autolab.heatmap(recording["x"].grad, value=recording["x"].value)
    assert [entry.name for entry in view._board.arrays] == ["array 1", "value"]
    np.testing.assert_array_equal(view._board.arrays[0].source, 2 * np.arange(6.0).reshape(2, 3))
    view.close()
    reduced = autolab.record(lambda x: (x * x).sum(), np.ones((100, 100)), options={"budget": 1000})
    with pytest.raises(TypeError, match=r"heatmap: W: the recording kept \(100, 100\) reduced"):
        autolab.heatmap(W=reduced["x"].grad)
