"""`Variable.explore`: the live view of a graph that is there already. Its inputs stand still; all else works."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

import autolab
from autolab import functions as F
from autolab.views.draw.messages import say
from autolab.views.graph.explorer import Explorer
from autolab.views.graph.graph_view import GraphView

from ..bare_page import menu
from ..lab import Lab, LabPage
from ..looking import looks, told


@pytest.fixture
def view(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GraphView]:
    monkeypatch.chdir(tmp_path)
    x = autolab.Variable(np.arange(6.0).reshape(2, 3))
    h = F.tanh(x + 2.0)
    loss = (h * h).sum()
    loss.backward()
    made = loss.explore()
    yield made
    made.close()


def ask(view: GraphView, **message: Any) -> None:
    seq = view.ack + 1
    view._on_message(None, {**message, "seq": seq}, [])
    assert view.ack == seq


def test_the_steps_are_named_as_the_caller_names_them_and_can_be_walked(view: GraphView) -> None:
    assert [(step.name, step.function) for step in view.recording.steps] == [
        ("x", None),
        (None, "add"),
        ("h", "tanh"),
        (None, "mul"),
        ("loss", "sum"),
    ]
    assert looks(view, selected=4).detail["title"] == "loss = sum(h * h)"
    assert looks(view, selected=0).detail["title"] == "x"
    shown = looks(view, moment=1)
    assert shown.frame["title"] == "x + 2" and shown.frame["notes"] == [say("value_lost")]
    assert shown.frame["spoken"].endswith(f"is {say('walk_not_kept')}.")
    assert shown.plan["start"] == shown.plan["count"], "a graph tells nothing of a backward pass step by step"


def test_the_page_is_told_that_the_inputs_stand_still_and_why(view: GraphView) -> None:
    assert view.still and view.words["still"] == say("graph_still") and told(view, "free")["controls"] == []
    ask(view, do="hello")
    assert view.error is None
    ask(view, do="move", key="x", index=0, value=3.0, final=True)
    assert "not understood" in view.error["message"]


def test_the_page_finds_every_trait_that_it_asks_an_explorer_for(view: GraphView) -> None:
    assert set(Explorer.class_trait_names(sync=True)) <= set(view.trait_names(sync=True))
    assert (view.error, view.since, view.computing, view.condition["can_undo"]) == (None, {}, "", False)


def test_it_is_saved_as_a_page_where_there_is_no_notebook(view: GraphView, tmp_path: Path) -> None:
    page = (tmp_path / "autolab_pages" / "explore_loss.html").read_text("utf-8")
    assert say("graph_still")[:40] in page and "tanh" in page


def test_a_constant_can_be_looked_at_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    constant = autolab.Variable(2.0, name="c", requires_grad=False)
    view = constant.explore()
    assert [step.name for step in view.recording.steps] == ["c"]
    view.close()


CELL = """
import autolab
from autolab import functions as F
x = autolab.Variable(0.5)
h = F.tanh(x)
y = h * h
y.backward()
y.explore()
"""


@pytest.mark.browser
@pytest.mark.lab
def test_in_jupyterlab_its_steps_are_chosen_and_walked(lab: Lab, open_page: Callable[..., LabPage]) -> None:
    view = open_page(lab.write("still.ipynb", CELL))
    view.run(0)
    page = view.page
    expect(page.locator(".al-sentence")).to_have_text(say("graph_still"))
    expect(page.locator(".al-inputs")).to_have_count(0)
    view.node("h").click()
    expect(page.locator(".al-title")).to_have_text("h = tanh(x)")
    expect(page.get_by_role("slider", name="Step of the walk")).to_have_attribute(
        "aria-valuetext", say("walk_rest_forward")
    )
    menu(page).get_by_role("button", name="To the first step").click()
    expect(page.locator(".al-place")).to_have_text("Forward, step 1 of 3")
    expect(page.locator(".al-track .al-ends span").last).to_be_hidden()
