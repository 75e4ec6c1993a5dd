"""The panel that shows how the elements of a step are spread, over the walk."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import autolab
from autolab.views.graph.histogram_panel import BINS
from autolab.views.graph.questions import Reader

from ..bare_page import Wire, node
from ..looking import looks, seen


def twice(x):
    h = x * x
    return (h + 3 * x).sum()


def test_counts_are_those_of_numpy_and_the_gradient_grows_with_the_walk() -> None:
    x = np.random.default_rng(0).normal(size=(6, 7))
    reader = Reader(autolab.record(twice, x))
    value, gradient = reader.ask(["histogram", 0, None])
    np.testing.assert_array_equal(value["counts"], np.histogram(x, BINS)[0])
    np.testing.assert_array_equal(gradient["counts"], np.histogram(2 * x + 3, BINS)[0])
    told = [reader.ask(["histogram", 0, k]) for k in range(len(reader.walk))]
    assert [len(rows) for rows in told] == sorted(len(rows) for rows in told)  # none before it arrives
    assert len({str(rows) for rows in told}) == 4  # none, and after each of its three shares
    assert told[-1] == [value, gradient]


def test_odd_arrays() -> None:
    def spread(x):
        return Reader(autolab.record(lambda x: x + 0, np.array(x))).ask(["histogram", 0, None])

    assert spread(1.0) is None and spread([]) is None
    assert spread([np.nan, np.inf])[0]["counts"] == [0] * BINS
    (value, _) = spread([2.0, 2.0, np.nan])
    assert sum(value["counts"]) == 2 and value["text"] == "value: all 2"
    assert sum(spread([-1e308, 1e308])[0]["counts"]) == 2
    assert Reader(autolab.record(twice, np.ones(2))).ask(["histogram", 99, None]) is None


@pytest.mark.browser
def test_the_panel_is_asked_for_while_it_is_open_and_follows_the_walk(
    page: Page, open_view: Callable[..., Wire]
) -> None:
    wire = open_view(twice, x=np.arange(6.0))
    node(page, wire, "x").click()
    wire.settle()
    panel = page.locator(".al-histogram")
    assert not seen(wire.widget).all("histogram")
    panel.locator("summary").click()
    wire.answer()
    assert len(seen(wire.widget).all("histogram")) == 1
    assert panel.locator("svg").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))") == [
        "value: 0 to 5",
        "gradient: 3 to 13",
    ]
    looks(wire.widget, moment=0, histogram=True)
    wire.settle()
    expect(panel.locator("svg")).to_have_count(1)
    page.get_by_role("button", name="One step on").click()
    wire.settle()
    node(page, wire, "h").press("Escape")
    wire.settle()
    expect(panel).to_be_hidden()


@pytest.mark.browser
def test_a_saved_page_has_histograms_of_all_arrays_and_says_where_it_has_none(open_file: Callable[..., Page]) -> None:
    page = open_file(autolab.explore(twice, x=np.arange(6.0)))
    page.locator(".al-node[aria-label^='x,']").click()
    panel = page.locator(".al-histogram")
    panel.locator("summary").click()
    expect(panel.locator("svg")).to_have_count(2)
    page.locator(".al-node[aria-label^='h =']").click()
    expect(panel.locator("svg")).to_have_count(2)
    page.get_by_role("button", name="One step back").click()
    expect(panel.locator("svg")).to_have_count(0)
    expect(panel).to_contain_text("needs Python")
