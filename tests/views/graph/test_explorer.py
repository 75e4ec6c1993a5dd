"""The live view's Python half: what it publishes for each message, and that it always answers."""

from __future__ import annotations

import gc
import json
import re
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Variable
from autolab.views.draw.messages import say
from autolab.views.graph.explorer import Explorer
from autolab.views.graph.session import Session
from autolab.views.live.bundle import VIEWS, module_text

from ..looking import looks
from ..programs import LAYER, branching, layer, muladd, picky

Make = Callable[..., Explorer]
SCENE, NUMBERS, FREE = '["scene",0,null,"auto"]', '["numbers",0,null,false]', '["free",[]]'


def tell(view: Explorer, **message: Any) -> list[dict[str, Any]]:
    """Send a message as the page would; what the widget publishes in answer."""
    view.comm.outbox.clear()
    content = {"seq": 1, "index": None, "final": True, **message}
    view.comm.handle_msg({"content": {"data": {"method": "custom", "content": content}}, "buffers": []})
    return [sent["data"]["state"] for sent in view.comm.outbox]


def test_opening_publishes_the_whole_picture(explorer: Make) -> None:
    view = explorer(muladd, x=2.0, y=3.0, z=4.0)
    opening = view.comm.outbox[0]["data"]["state"]
    assert opening["page"][SCENE]["title"] == "muladd(x, y, z)"
    assert opening["numbers"][NUMBERS]["nodes"]["4"]["value"] == "10"
    assert [c["key"] for c in opening["numbers"][FREE]["controls"]] == ["x", "y", "z", 0]
    assert (opening["look"], opening["answers"]) == ({}, {})  # nothing is chosen at first
    assert opening["condition"]["error"] is None


def test_a_move_is_answered_by_one_message_without_the_scene(explorer: Make) -> None:
    view = explorer(muladd, x=2.0, y=3.0, z=4.0)
    (state,) = tell(view, do="move", key="x", value=2.5, seq=17)
    assert state["ack"] == 17
    assert state["numbers"][NUMBERS]["nodes"]["4"]["value"] == "11.5"
    assert state["condition"]["can_undo"] is True
    assert "page" not in state
    assert view.point["x"] == 2.5
    assert view.recording["w"].value.values == 11.5


def test_another_structure_publishes_another_scene_and_keeps_a_selection(explorer: Make) -> None:
    view = explorer(branching, x=1.0)
    (state,) = tell(view, do="move", key="x", value=-1.0)
    assert [node["text"] for node in state["page"][SCENE]["nodes"]] == ["x", "np.exp(x)", "h + 1"]
    looks(view, selected=1)
    (state,) = tell(view, do="move", key="x", value=-2.0)
    assert state["answers"]['["detail",1]']["title"] == "h = np.exp(x)"
    looks(view, selected=2)
    (state,) = tell(view, do="move", key="x", value=1.0)
    assert state["answers"] == {'["detail",2]': None}  # the step is not there any more


def test_selecting_publishes_the_arrays_as_float32(explorer: Make) -> None:
    view = explorer(layer, **LAYER)
    step = view.recording["a"]
    detail = looks(view, selected=step.id).detail
    assert detail["title"] == "a = x @ W"
    value, grad = (np.frombuffer(a["cells"], np.float32).reshape(2, 4) for a in detail["arrays"])
    np.testing.assert_array_equal(value, step.value.values.astype(np.float32))
    np.testing.assert_array_equal(grad, step.grad.values.astype(np.float32))


def test_an_error_shows_what_was_computed_up_to_it_and_the_next_good_move_recovers(explorer: Make) -> None:
    view = explorer(picky, x=2.0, y=3.0)
    before = view.numbers[NUMBERS]
    (state,) = tell(view, do="move", key="x", value=-1.0)
    assert view.error["type"] == "ValueError"
    assert view.error["statement"].startswith("raise ValueError")
    assert len(state["numbers"][NUMBERS]["nodes"]) < len(before["nodes"])  # the graph ends there
    assert state["numbers"][FREE]["controls"][0]["value"] == -1
    (state,) = tell(view, do="undo", seq=2)
    assert state["condition"]["error"] is None
    assert view.recording["w"].value.values == 6


@pytest.mark.parametrize(
    "message",
    [
        {"do": "move", "key": "nothing", "value": 1.0},
        {"do": "move", "key": "x"},
        {"do": "move", "key": "x", "value": [1], "final": "yes"},
        {"do": "look", "look": {}, "questions": [["detail", "4"]]},
        {"do": "os.system"},
        {"do": None},
        {},
    ],
)
def test_a_senseless_message_is_answered_with_an_error(explorer: Make, message: dict[str, Any]) -> None:
    view = explorer(muladd, x=2.0, y=3.0, z=4.0)
    (state,) = tell(view, **message, seq=9)
    assert state["ack"] == 9
    assert state["condition"]["error"]["type"] == "ValueError"
    (state,) = tell(view, do="move", key="x", value=2.0, seq=10)
    assert state["condition"]["error"] is None


@pytest.mark.parametrize("identity", [99, -5, None])
def test_an_unknown_selection_and_none_choose_nothing(explorer: Make, identity: int | None) -> None:
    view = explorer(muladd, x=2.0, y=3.0, z=4.0)
    looks(view, selected=1)
    assert looks(view, selected=identity).detail == {}


@pytest.mark.parametrize("content", ["move", None, {"do": "undo"}, {"do": "undo", "seq": "1"}])
def test_what_is_no_message_is_ignored(explorer: Make, content: Any) -> None:
    view = explorer(muladd, x=2.0, y=3.0, z=4.0)
    view.comm.outbox.clear()
    view.comm.handle_msg({"content": {"data": {"method": "custom", "content": content}}, "buffers": []})
    assert not view.comm.outbox


def test_a_failure_while_drawing_is_shown_and_answered(explorer: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    view = explorer(muladd, x=2.0, y=3.0, z=4.0)
    monkeypatch.setattr("autolab.views.graph.graph_panel.readings", lambda *given, **named: 1 / 0)
    (state,) = tell(view, do="move", key="x", value=1.0, seq=3)
    assert (state["ack"], state["condition"]["error"]["type"]) == (3, "ZeroDivisionError")


def test_an_interrupt_is_answered(explorer: Make) -> None:
    def interrupted(x: Variable) -> Variable:
        if x.data > 1:
            raise KeyboardInterrupt
        return x * 2

    view = explorer(interrupted, x=1.0)
    (state,) = tell(view, do="move", key="x", value=2.0, seq=3)
    assert (state["ack"], state["condition"]["error"]["type"]) == (3, "KeyboardInterrupt")


def test_everything_published_is_json_even_with_nan_and_infinities(explorer: Make) -> None:
    view = explorer(lambda x: np.log(x) / x, x=np.array([1.0, 0.0, -1.0]))  # the recording comm refuses NaN
    arrays = looks(view, selected=0).detail["arrays"]
    assert arrays[1]["nan"] + arrays[1]["inf"] > 0


def test_code_is_published_on_request_and_not_kept(explorer: Make) -> None:
    view = explorer(muladd, x=2.0, y=3.0, z=4.0)
    code = "autolab.explore(muladd, x=2.0, y=3.0, z=4.0)"
    assert tell(view, do="ask", question=["code"])[0]["answers"] == {'["code"]': code}
    assert tell(view, do="move", key="x", value=1.0, seq=2)[0]["answers"] == {}


def test_names_are_cleaned_for_the_page(explorer: Make) -> None:
    def hostile(x: Variable) -> Variable:
        if x.data > 1:
            raise type("Bad\u202eName", (Exception,), {})("a\x00b\u202ec")
        return x * 2

    view = explorer(hostile, x=1.0)
    (state,) = tell(view, do="move", key="x", value=2.0)
    assert not {"\u202e", "\x00"} & set(json.dumps(state["condition"]["error"], ensure_ascii=False))


def test_messages_from_many_threads_leave_one_consistent_state(explorer: Make) -> None:
    view = explorer(muladd, x=2.0, y=3.0, z=4.0)

    def flood(name: str) -> None:
        for k in range(50):
            move = {"do": "move", "seq": k, "key": name, "index": None, "value": k / 10, "final": True}
            view._on_message(view, move, [])

    threads = [threading.Thread(target=flood, args=(name,)) for name in "xyz"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {name: float(v) for name, v in view.point.items()} == {"x": 4.9, "y": 4.9, "z": 4.9}
    assert float(view.recording["w"].value.values) == pytest.approx(4.9 * 4.9 + 4.9)
    assert view.error is None


def test_computations_of_one_view_do_not_overlap(explorer: Make) -> None:
    running, most = [], []

    def slow(x: Variable) -> Variable:
        running.append(x)
        most.append(len(running))
        time.sleep(0.01)
        running.pop()
        return x * 2

    view = explorer(slow, x=1.0)
    threads = [
        threading.Thread(target=tell, args=(view,), kwargs={"do": "move", "key": "x", "value": k / 10})
        for k in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(most) == {1}


def test_modes_hold_in_callbacks_from_other_threads(explorer: Make) -> None:
    seen = []

    def spy(x: Variable) -> Variable:
        seen.append(autolab.config.train)
        return x * 2

    with autolab.test_mode():
        view = explorer(spy, x=1.0)
    thread = threading.Thread(target=tell, args=(view,), kwargs={"do": "move", "key": "x", "value": 2.0})
    thread.start()
    thread.join()
    assert seen == [False, False]


def test_a_message_that_arrives_after_the_end_computes_nothing(explorer: Make) -> None:
    runs = []

    def counted(x: Variable) -> Variable:
        runs.append(1)
        return x * 2

    view = explorer(counted, x=1.0)
    view.close()
    late = {"do": "move", "seq": 1, "key": "x", "index": None, "value": 2.0, "final": True}
    view._handle_msg({"content": {"data": {"method": "custom", "content": late}}, "buffers": []})
    assert len(runs) == 1


def test_a_closed_view_listens_to_nothing_and_is_freed() -> None:
    view = Explorer(Session(muladd, (2.0, 3.0, 4.0)))
    alive = weakref.ref(view)
    view.close()
    view.close()
    del view
    gc.collect()
    assert alive() is None


def test_a_notebook_without_the_live_view_shows_the_static_picture(explorer: Make) -> None:
    data, _ = explorer(muladd, x=2.0, y=3.0, z=4.0)._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert "<img" in data["text/html"]
    assert "w = h + z" in data["text/plain"]


def test_the_front_end_has_no_door_for_markup() -> None:
    text = module_text("explorer.js")
    elements = re.sub(r"http://www\.w3\.org/(2000/svg|1998/Math/MathML)", "", text)  # these name kinds of elements
    for door in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "eval(",
        "Function(",
        "document.write",
        "http://",
        "https://",
    ):
        assert door not in elements, door
    assert not [line for line in text.splitlines() if line.startswith("import ")]
    assert text.count("export ") == 1


def test_every_module_of_the_folder_is_part_of_the_front_end() -> None:
    code = "".join([path.read_text(encoding="utf-8") for path in VIEWS.glob("*/*.py")])
    entries = re.findall(r"""module_text\(["'](\w+\.js)["']\)""", code)
    entries += [f"{kind}.js" for kind in re.findall(r"""^    kind = ["'](\w+)["']$""", code, re.MULTILINE)]
    text = "".join([module_text(entry) for entry in entries])
    for file in VIEWS.glob("*/*.js"):
        lines = file.read_text(encoding="utf-8").splitlines()
        first = next((line for line in lines if line.startswith("export ")), "")
        name = re.split(r"[^\w ]", first)[0].split()[-1] if first else ""
        assert re.search(rf"\b{name}\b", text) if name else file.name in entries, file.name


def test_words_of_the_page_come_from_the_catalogue(explorer: Make) -> None:
    view = explorer(muladd, x=2.0, y=3.0, z=4.0)
    assert view.words["live_stale"] == say("live_stale")


def test_plain_python_saves_a_page_and_says_where(tmp_path: Path) -> None:
    program = (
        "import autolab\n"
        "def muladd(x, y, z):\n    h = x * y\n    return h + z\n"
        "view = autolab.explore(muladd, x=2.0, y=3.0, z=4.0)\n"
        "print(view.recording['h'].value.values)\n"
    )
    (tmp_path / "program.py").write_text(program)
    done = subprocess.run(
        [sys.executable, "-W", "error", "program.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    path = tmp_path / "autolab_pages" / "explore_muladd.html"
    assert str(path) in done.stdout
    assert done.stdout.endswith("6.0\n")
    assert 'start("' in path.read_text(encoding="utf-8")
