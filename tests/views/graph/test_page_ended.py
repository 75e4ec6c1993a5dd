"""Pages of runs that an error ended, and of values that were replaced: words at the boxes and in the source."""

# ruff: noqa: SIM108  # the branches are what is looked at

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from autolab import record
from autolab.recording import Recording, last_recording

pytestmark = pytest.mark.browser

Open = Callable[..., Page]


def program(x):
    h = x * 2
    if x.data.sum() > 0:
        k = h + 1
    else:
        k = h * 2
    y = k @ k.reshape(7)
    z = y * 2
    return z


def ended(fn: Callable[..., Any], *args: Any) -> Recording:
    with pytest.raises(ValueError) as caught:
        record(fn, *args)
    recording = last_recording(caught.value)
    assert recording is not None
    return recording


def test_the_line_that_raised_and_those_that_were_not_reached_are_told_apart(open_file: Open) -> None:
    recording = ended(program, [3.0, 4.0])
    first = program.__code__.co_firstlineno
    page = open_file(recording)
    wrong = page.locator(".al-source-line.al-wrong")
    expect(wrong).to_have_count(1)
    expect(wrong).to_have_attribute("data-line", str(first + 6))
    expect(wrong.locator(".al-line-told")).to_have_text("raised ValueError")
    marked = page.locator(".al-source-line.al-marked-line").evaluate_all(
        "all => all.map((e) => Number(e.dataset.line))"
    )
    assert [line - first for line in marked] == [5, 6, 7, 8]
    expect(page.locator(".al-line-told")).to_have_text(["not reached", "raised ValueError", "not reached"])
    expect(page.get_by_text("The graph ends there.")).to_be_visible()
    expect(page.locator(".al-node").get_by_text("led to the error")).to_have_count(1)


def test_without_any_step_there_are_words(open_file: Open) -> None:
    def at_once():
        raise ValueError("<b>no</b>")

    page = open_file(ended(at_once))
    expect(page.locator(".al-node")).to_have_count(0)
    expect(page.get_by_text("raised ValueError: <b>no</b>. The graph ends there.")).to_be_visible()


def test_a_branch_that_was_not_taken_is_named(open_file: Open) -> None:
    def branching(x):
        if x.data > 0:
            y = x * 2
        else:
            y = x * 3
        return y

    page = open_file(record(branching, 1.0))
    expect(page.locator(".al-line-told")).to_have_text(["not reached"])
    expect(page.locator(".al-source-line.al-marked-line")).to_contain_text("y = x * 3")
    assert page.locator(".al-source-line.al-wrong").count() == 0


def test_a_replaced_value_says_so(open_file: Open) -> None:
    page = open_file(record(lambda x, y: (x * y) + x, 3.0, 2.0, options={"replace": {2: 0.0}}))
    expect(page.locator(".al-node[data-id='2']").get_by_text("replaced")).to_be_visible()
    expect(page.get_by_text("What if: x * y = 0")).to_be_visible()
