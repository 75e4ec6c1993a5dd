"""R14: thousands of moves, a kernel that takes its time, three views on two pages."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from autolab import Variable
from autolab.views.graph.explorer import Explorer

from ..bare_page import Wire, pinned
from .test_page_link import flush

pytestmark = [pytest.mark.browser, pytest.mark.goal(id="R14")]
BURST = 25
MOVE = """(e, [from, count, total]) => {
  for (let k = from; k < from + count; k++) { e.value = 2 * (k + 1) / total - 1; e.dispatchEvent(new Event('input')); }
}"""


def resident_megabytes() -> float:
    fields = Path("/proc/self/statm").read_text().split()
    return int(fields[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


@pytest.mark.parametrize("moves", [300, pytest.param(10_000, marks=pytest.mark.full)])
def test_widget_soak(new_page: Callable[..., Page], explorer: Any, monkeypatch: pytest.MonkeyPatch, moves: int) -> None:
    running, most, runs = [], [0], [0]

    def slow(x: Variable, y: Variable) -> Variable:
        running.append(1)
        most[0], runs[0] = max(most[0], len(running)), runs[0] + 1
        time.sleep(0.2)
        w = x * y
        running.pop()
        return w

    wire = Wire(explorer(slow, x=0.5, y=0.5))
    monkeypatch.setattr(Explorer, "wait_seconds", 0.05)
    first, second = new_page(), new_page()
    wire.connect(first, views=2)
    wire.connect(second, views=1)
    pages = ((first, "x"), (second, "y"))
    before, handled = 0.0, 0
    for start in range(0, moves // 2, BURST):
        for page, name in pages:
            slider = pinned(page).get_by_role("slider", name=name, exact=True)
            slider.evaluate(MOVE, [start, BURST, moves // 2])
        flush(wire)
        assert len(wire.inbox) <= 2  # of each page, one message is in flight
        while wire.inbox:
            wire.step()
            handled += 1
        if start == BURST * 4:
            gc.collect()
            before = resident_megabytes()
    wire.finish()
    gc.collect()
    assert resident_megabytes() - before <= 20
    assert most[0] == 1  # never two at once
    assert runs[0] <= handled + 2
    assert {name: float(v) for name, v in wire.widget.point.items()} == {"x": 1, "y": 1}
    for page, _ in pages:
        shown = page.locator(".al-output .al-value .al-number").all_text_contents()
        assert set(shown) == {"1"}
        assert page.locator(".al-busy").first.text_content() == ""
