"""Saved pages open and close groups and search, without a kernel, and show what the live view shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

import autolab
from autolab.views.derivatives.explorer import DerivativeExplorer
from autolab.views.derivatives.session import DerivativeSession
from autolab.views.draw.messages import say
from autolab.views.export.pages import export_html
from autolab.views.graph import saved_page as folds
from autolab.views.graph.flow import flow
from autolab.views.graph.readings import readings
from autolab.views.graph.saved_page import only_children

from ..bare_page import find, offered
from ..derivatives.hands import in_menu
from ..looking import looks, seen

pytestmark = pytest.mark.browser


def cell(x, h):
    a = x * h
    return np.tanh(a + h)


def rnn(x, h):
    for _t in range(3):
        h = cell(x, h)
    w = h * h
    return w


def longer(x, h):
    for _t in range(6):
        h = cell(x, h)
    return h


def shown(page: Page | Locator, boxes: str = ".al-main .al-node") -> dict[str, str]:
    """What the boxes of the graph say, by their ids."""
    nodes = page.locator(boxes).evaluate_all("all => all.map(n => [n.dataset.id, n.getAttribute('aria-label')])")
    return dict(nodes)


def spoken(recording: Any, expanded: Any) -> dict[str, str]:
    return {box: reading["spoken"] for box, reading in readings(recording, expanded)["nodes"].items()}


def test_groups_open_and_close_offline(open_file: Any) -> None:
    recording = autolab.record(rnn, 0.5, 0.3)
    tree = recording.outline
    page = open_file(recording)
    offered(page, "Close all").click()
    assert shown(page) == spoken(recording, ())
    (loop,) = [group.id for group in tree.items if group.id < 0]
    page.locator(f".al-node[data-id='{loop}'] .al-toggle").click()
    assert shown(page) == spoken(recording, {loop})
    call = next(group.id for group in tree.groups.values() if group.kind == "function")
    inside = {loop, *tree.around(call), call}
    page.locator(f".al-node[data-id='{tree.around(call)[-1]}'] .al-toggle").click()
    assert shown(page) == spoken(recording, inside)
    offered(page, "Open all").click()
    assert shown(page) == spoken(recording, frozenset(tree.groups))
    page.locator(f".al-tab[data-id='{loop}']").click()
    assert shown(page) == spoken(recording, ())


def test_a_step_is_found_offline_and_its_groups_are_opened(open_file: Any) -> None:
    recording = autolab.record(rnn, 0.5, 0.3)
    page = open_file(recording)
    offered(page, "Close all").click()
    find(page).fill("TANH")
    expect(page.locator(".al-find")).to_contain_text("3 found")
    offered(page, "Next match").click()
    first = next(step.id for step in recording.steps if step.function == "tanh")
    expect(page.locator(".al-find")).to_contain_text("1 of 3")
    assert page.locator(".al-selected").get_attribute("data-id") == str(first)
    assert set(shown(page)) == set(spoken(recording, recording.outline.around(first)))
    find(page).fill(f"line {recording['w'].line}")
    expect(page.locator(".al-find")).to_contain_text("1 found")
    page.get_by_label("Find a step").fill("sinh")
    page.get_by_label("Find a step").press("Enter")
    expect(page.locator(".al-find")).to_contain_text("0 found")
    assert page.locator(".al-selected").get_attribute("data-id") == str(first)


def test_the_walk_goes_on_whatever_is_open(open_file: Any, explorer: Any) -> None:
    view = explorer(rnn, x=0.5, h=0.3)
    page = open_file(view)
    offered(page, "Close all").click()
    looks(view, open={"0": []})
    slider = page.get_by_role("slider", name="Step of the walk")
    slider.press("Home")
    holders = view.recording.outline.holders(())
    for k in range(seen(view).plan["count"]):
        frame = looks(view, moment=k).frame
        assert page.locator(".al-event").text_content() == frame["title"]
        lit = page.locator(".al-active").evaluate_all("all => all.map(n => Number(n.dataset.id))")
        assert sorted(lit) == sorted({holders[step] for step in frame["nodes"]})
        slider.press("ArrowRight")


def test_colours_follow_the_groups(open_file: Any) -> None:
    recording = autolab.record(rnn, 0.5, 0.3)
    page = open_file(recording)
    offered(page, "Colour by").select_option("bytes")
    offered(page, "Close all").click()
    told = flow(recording, "bytes", ())["nodes"]
    texts = page.locator(".al-plate-tint + text").all_text_contents()
    assert sorted(texts) == sorted(text for _, text in told.values())


def test_groups_of_derivatives_open_and_close_offline(open_file: Any) -> None:
    recording = autolab.record(rnn, 0.5, 0.3, options={"order": 1})
    (first,) = recording.higher
    page = open_file(recording)
    offered(page, "Close all").click()
    count = page.locator(".al-higher .al-node").count()
    assert count == first.outline.size(())
    page.get_by_role("button", name="To the first step").click()
    page.locator(".al-function").click()  # the menu would cover the last box
    page.locator(".al-higher .al-node").last.click()  # no moment of the walk is about it
    assert page.locator(".al-higher .al-selected").count() == 1
    page.locator(".al-higher .al-node .al-toggle").first.click()
    assert page.locator(".al-higher .al-node").count() > count
    offered(page, "Open all").click()
    assert page.locator(".al-higher .al-node").count() == first.outline.size(frozenset(first.outline.groups))


def test_where_a_picture_is_not_held_the_page_says_so(open_file: Any, monkeypatch: Any) -> None:
    """Every group can be opened alone; another one is closed for it, and that is said."""
    monkeypatch.setattr(folds, "MOST_BOXES_HELD", 60)
    recording = autolab.record(longer, 0.5, 0.3)
    page = open_file(recording)
    offered(page, "Close all").click()
    for _ in range(6):
        toggles = page.locator(".al-main .al-node .al-toggle")
        if toggles.count():
            toggles.last.click()
    said = page.locator(".al-notice").inner_text()
    assert say("page_others_closed") in said or say("page_no_picture") in said


def test_where_no_picture_is_held_everything_stays_and_that_is_said(
    open_file: Any, explorer: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr(folds, "MOST_BOXES_IN_ONE", 12)
    view = explorer(longer, x=0.5, h=0.3)
    looks(view, open={"0": []})
    page = open_file(view)
    offered(page, "Open all").click()
    expect(page.locator(".al-notice")).to_contain_text(say("page_no_picture"))
    assert shown(page) == spoken(view.recording, ())


def test_groups_of_a_saved_derivative_explorer_open_and_close(open_file: Any) -> None:
    view = DerivativeExplorer(DerivativeSession(lambda x: rnn(x, 0.3), 0.5, 1))
    first, second = view.data.recording, view.data.recording.higher[0]
    page = open_file(view)
    view.close()
    in_menu(page, say("curve_graphs"))
    graphs = page.locator(".al-derivative-graphs .al-graph")
    expect(graphs).to_have_count(2)
    for graph, recording in zip(graphs.all(), (first, second), strict=True):
        expect(graph.locator(".al-node")).to_have_count(recording.outline.size(recording.outline.at_first()))
    tab = graphs.first.locator(".al-tab").first
    group = int(tab.get_attribute("data-id") or 0)
    closed = {other for other in first.outline.groups if other == group or group in first.outline.around(other)}
    left = first.outline.at_first() - closed
    tab.click()
    expect(graphs.first.locator(".al-node")).to_have_count(first.outline.size(left))
    assert shown(graphs.first, ".al-node") == spoken(first, left)
    in_menu(page, say("curve_graphs"))
    expect(graphs).to_have_count(0)
    in_menu(page, say("curve_graphs"))  # as it was left
    expect(graphs.first.locator(".al-node")).to_have_count(first.outline.size(left))
    graphs.first.locator(f"[data-id='{group}'] .al-toggle").click()
    around = {group, *only_children(first.outline.groups[group])}
    expect(graphs.first.locator(".al-node")).to_have_count(first.outline.size(left | around))
    graphs.nth(1).locator(".al-tab").first.click()
    nodes = graphs.nth(1).locator(".al-node")
    expect(nodes).not_to_have_count(second.outline.size(second.outline.at_first()))
    assert nodes.count() < second.outline.size(second.outline.at_first())


def test_ten_thousand_steps_fit(tmp_path: Path) -> None:
    def program(x):
        for _ in range(2500):
            x = x * 0.999
            x = x + 0.001
        return x

    export_html(autolab.record(program, 1.0), tmp_path / "page.html")
    size = (tmp_path / "page.html").stat().st_size
    assert 100_000 < size < 2_300_000
