"""What stands between a message, a name or an error and a page: each guard is met by what it is there for."""

from __future__ import annotations

import hashlib
import html
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Variable
from autolab import functions as F
from autolab.views.check.lens import Lens, look_closely
from autolab.views.draw.messages import say
from autolab.views.graph import saved_page as explorer_page
from autolab.views.graph.explorer import Explorer
from autolab.views.graph.graph_view import GraphView
from autolab.views.graph.questions import Reader
from autolab.views.graph.session import Session
from autolab.views.interact.interact import Interact
from autolab.views.interact.knobs import knobs
from autolab.views.live import notebook
from autolab.views.live.no_notebook import FOLDER
from autolab.views.live.saved_page import as_json
from autolab.views.live.session_view import _listed
from autolab.views.live.widget import LiveView

from ..looking import asks, looks, seen, told, turn_lens
from ..programs import branching
from .test_messages import at_rest

HIDDEN = "a\u202eb\nc"
SHOWN = "a\N{REPLACEMENT CHARACTER}b c"


def tell(view: LiveView, **message: Any) -> None:
    view._tell(error=None)
    view._on_message(view, {"seq": 1, **message}, [])


@pytest.fixture
def opened() -> Iterator[Callable[..., Explorer]]:
    made: list[Explorer] = []

    def make(fn: Callable[..., Any], **inputs: Any) -> Explorer:
        view = Explorer(Session(fn, inputs=inputs))
        view.wait_seconds = 30.0
        made.append(view)
        return view

    yield make
    for view in made:
        view.close()


def test_an_error_is_cleaned_wherever_it_arises(
    opened: Callable[..., Explorer], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*given: Any) -> Any:
        raise ValueError(HIDDEN)

    view = opened(lambda x: x * x, x=2.0)
    with monkeypatch.context() as change:
        change.setattr(type(view._session), "undo", fails)
        tell(view, do="undo")  # while a message is obeyed
    assert view.error is not None and view.error["message"] == SHOWN
    looks(view, selected=0)
    with monkeypatch.context() as change:
        change.setattr("autolab.views.steps.steps_panel.detail", fails)
        tell(view, do="move", key="x", index=None, value=3, final=True)  # while a result is shown
    assert view.error is not None and view.error["message"] == SHOWN and view.computing == ""
    tell(view, do="move", key="x", index=None, value=4, final=True)
    assert view.error is None


def test_there_is_nothing_to_stop_at_rest() -> None:
    for view in at_rest(Lens):
        tell(view, do="stop")
        assert view.error is None and view.computing == ""  # type: ignore[attr-defined]


def test_of_what_has_changed_a_few_names_are_shown() -> None:
    assert _listed([HIDDEN, "b" * 100]) == f"{SHOWN} and {'b' * 59}…"
    assert _listed(list("abcde")) == "a, b, c, d and e"
    assert _listed(list("abcdef")) == "a, b, c, d, e and 1 more"


def test_the_name_of_a_function_that_was_written_anew_is_cleaned(opened: Callable[..., Explorer]) -> None:
    names: dict[str, Any] = {}
    exec("def fn(x):\n    return x * 2", names)
    fn = names["fn"]
    fn.__name__ = HIDDEN
    view = opened(fn, x=1.0)
    exec("def fn(x):\n    return x * 3", names)
    names[HIDDEN] = names["fn"]
    view.look_again()
    assert SHOWN in view.since["text"]


def test_code_that_is_shown_is_cleaned(opened: Callable[..., Explorer], monkeypatch: pytest.MonkeyPatch) -> None:
    view = opened(lambda x: x * x, x=2.0)
    for text, code in ((HIDDEN, SHOWN), ("x" * 200_000, "x" * 99_999 + "…"), ("x" * 1000, "x" * 1000)):
        monkeypatch.setattr(type(view._session), "code", lambda session, text=text: text)
        assert asks(view, "code") == code


def test_the_name_of_an_output_is_short(opened: Callable[..., Explorer]) -> None:
    def several(x: Variable, longer_name: Variable) -> tuple[Variable, Variable]:
        named = x * longer_name
        return named, F.tanh(F.exp(x * longer_name) + longer_name)

    titles = [
        entry["label"] for entry in told(opened(several, x=np.ones(2), longer_name=np.ones(2)), "free")["controls"]
    ]
    assert any("named" in title for title in titles)
    assert all(len(title) <= 60 for title in titles) and any("…" in title for title in titles)


def test_a_page_is_saved_under_a_plain_short_name_where_there_is_no_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for view in at_rest(GraphView):
        for name, plain in (("../../up", "up"), ("ü/x", "x"), ("long" * 100, ("long" * 100)[:94])):
            view._save_here("graph", "graph", name)
            assert [path.name for path in tmp_path.iterdir()] == [FOLDER]
            assert [path.name for path in (tmp_path / FOLDER).iterdir()] == [f"graph_{plain}.html"]
        capsys.readouterr()
        with monkeypatch.context() as change:
            change.setattr(notebook, "shell", lambda: object())
            view._save_here("graph", "graph", "again")
        assert len(list(tmp_path.rglob("*.html"))) == 1 and capsys.readouterr().out == ""


def test_the_walk_rests_where_the_graph_has_become_shorter(opened: Callable[..., Explorer]) -> None:
    view = opened(branching, x=-1.0)
    last = seen(view).plan["count"] - 1
    assert looks(view, moment=last).frame["k"] == last
    tell(view, do="move", key="x", index=None, value=1, final=True)
    assert view.error is None and seen(view).plan["count"] <= last and seen(view).frame == {}
    looks(view, moment=1)
    tell(view, do="move", key="x", index=None, value=2, final=True)
    assert seen(view).frame["k"] == 1


def test_a_walk_has_few_cells_and_is_saved_if_it_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    recording = autolab.record(lambda x: x * 2, np.ones((100, 100)))
    for most, cells in ((256, 64), (9, 9)):
        reader = Reader(recording, most)
        arrays = [line["array"] for line in reader.ask(["frame", 1, None])["lines"] if line["array"]]
        assert 0 < max(len(array["cells"]) for array in arrays) <= 4 * cells**2
    count = len(reader.walk)
    for limit, saved in ((count, True), (count - 1, False)):
        monkeypatch.setattr(explorer_page, "_LONGEST_WALK", limit)
        page = explorer_page.explorer_page(recording, explorer_page.AMOUNTS[0])
        answers = page["answers"]
        assert ("without the walk" in page["state"]["words"]["still"]) is not saved
        assert answers['["numbers",0,null,false]'][1]["walks"] is saved and ('["frame",0,null]' in answers) is saved


def test_without_a_nan_there_is_no_path() -> None:
    for view in at_rest(GraphView):
        assert looks(view, path=True).path == {}


def test_a_seed_is_counted_up_to_its_end() -> None:
    for view in at_rest(Lens):
        session, before = view._session, view._session.state
        turn_lens(view, seed=2**32)
        assert view.error is not None and "the seed is 4294967296; expected 0 to 4294967295" in view.error["message"]
        assert session.state == before


def test_a_lens_needs_the_function_and_the_numbers() -> None:
    report = autolab.check_gradients(lambda v: v * v, v=np.ones(2))
    with pytest.raises(ValueError, match="does not know its function"):
        look_closely(replace(report, _origin=None))
    for reveal in (0, 1):
        hidden = autolab.check_gradients(lambda v: v * v, v=np.ones(2), options={"reveal": reveal})
        with pytest.raises(ValueError, match=f"reveal={reveal} holds back"):
            look_closely(hidden)


def test_what_interact_is_told_is_cut_and_cleaned() -> None:
    def fn(n: float, word: str) -> str:
        return HIDDEN + "<b>" + "x" * 5000

    fn.__name__ = HIDDEN
    view = Interact(fn, {"n": 1.0, "word": [HIDDEN, "b"]}, {})
    assert view.title == SHOWN and len(said := told(view, "result")["told"][0]) == 2000 and said.startswith(SHOWN)
    assert told(view, "free")["settings"][0]["values"] == [SHOWN, "b"]
    assert "<b>" not in view._static()["text/html"]
    view.close()
    view = Interact(lambda **given: "", {HIDDEN: ["a", "b"]}, {})
    assert {told(view, "free")["settings"][0][key] for key in ("name", "label")} == {SHOWN}
    view.close()


def test_interact_takes_no_other_kind_of_knob() -> None:
    for given in ([], ["a", 1], (), (1.0, 2.0, 3.0, 4.0), True, (0.0, True), np.inf, (0.0, np.nan), "a", None):
        with pytest.raises(TypeError, match="expected a number, a tuple") as caught:
            knobs({"n" * 500: given})
        assert len(str(caught.value)) <= 300
    for ends in ((1.0, 0.0, 2.0), (0.0, 3.0, 2.0), (1.0, 1.0), (1, 1, 1), (2, 1)):
        with pytest.raises(ValueError, match="in this order") as caught_too:
            knobs({"n" * 500: ends})
        assert len(str(caught_too.value)) <= 300


def test_interact_says_what_its_function_does_not_take() -> None:
    with pytest.raises(TypeError, match=r"interact: f\(x: .* does not take these inputs: .*; write interact\("):

        def f(x: float) -> float:
            return x

        autolab.interact(f, q=1.0)


def test_the_policy_of_a_page_is_this_and_no_looser(tmp_path: Path) -> None:
    digest = r"'sha256-[A-Za-z0-9+/]{43}='"
    scripts = {"live": f"{digest} {digest}", "still": "'none'"}
    autolab.export_html(autolab.record(lambda x: x * x, 2.0), tmp_path / "live.html")
    autolab.export_html(Variable(2.0, name="x"), tmp_path / "still.html")
    for name, allowed in scripts.items():
        text = (tmp_path / f"{name}.html").read_text("utf-8")
        (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)"', text)
        assert text.index("Content-Security-Policy") < text.index("<style") and text.count("http-equiv") == 1
        assert re.fullmatch(
            "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
            rf"style-src {digest}; script-src {allowed}; "
            "require-trusted-types-for 'script'; trusted-types autolab",
            html.unescape(policy),
        )
        for _, own in re.findall(r"<(style|script)>(.*?)</\1>", text, re.DOTALL):
            assert b64encode(hashlib.sha256(own.encode()).digest()).decode() in policy


def test_a_page_says_what_it_needs_and_holds_only_what_a_browser_reads(tmp_path: Path) -> None:
    autolab.export_html(autolab.record(lambda x: x * x, 2.0), tmp_path / "live.html")
    assert f"<noscript><p>{say('needs_script')}</p></noscript>" in (tmp_path / "live.html").read_text("utf-8")
    for value in (np.nan, np.inf):
        with pytest.raises(ValueError, match="JSON"):
            as_json({"state": [value]})


def test_the_title_of_a_page_is_escaped(tmp_path: Path) -> None:
    def fn(x: Variable) -> Variable:
        return x * x

    fn.__name__ = "</title><b>"
    autolab.export_html(autolab.record(fn, 2.0), tmp_path / "page.html")
    assert "<title>&lt;/title&gt;&lt;b&gt;</title>" in (tmp_path / "page.html").read_text("utf-8")
