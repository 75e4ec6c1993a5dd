"""The life of live views in JupyterLab: slow functions, subshells, cells that run again, kernels that restart."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from autolab.views.draw.messages import say

from ..lab import Lab, LabPage

pytestmark = [pytest.mark.browser, pytest.mark.lab]
Open = Callable[..., LabPage]

SLOW = """
import threading, time, autolab
threads = set()
def slow(x):
    threads.add(threading.current_thread().name)
    y = x * 2
    while x.data > 2:
        time.sleep(0.05)
        y = y + 0
    return y
view = autolab.explore(slow, x=1.0)
view
"""


def test_a_number_is_typed(lab: Lab, open_page: Open) -> None:
    view = open_page(lab.write("typed.ipynb", PARAMETER))
    view.run(0)
    type_number(view, "x", "1.25")
    expect(view.page.locator(".al-output .al-value .al-number")).to_have_text("2.5")
    assert view.page.evaluate("() => window.jupyterapp.shell.currentWidget.content.mode") == "command"


def type_number(view: LabPage, name: str, text: str) -> None:
    view.page.locator(f".al-node[aria-label^='{name},']").first.press("Enter")
    box = view.page.locator(".al-typing input")
    box.fill(text)
    box.press("Enter")


def test_a_slow_function_is_stopped_while_a_cell_is_running(lab: Lab, open_page: Open) -> None:
    """With JupyterLab's subshells: a cell runs in the main thread, messages and computations do not wait for it."""
    told = "print(sorted(threads), float(view.point['x']))"
    view = open_page(lab.write("slow.ipynb", SLOW, lab.until("slow_enough"), told))
    view.run(0)
    type_number(view, "x", "1.2")  # JupyterLab sets up the subshell when it first sends something
    expect(view.page.locator(".al-output .al-value .al-number")).to_have_text("2.4")
    view.page.wait_for_timeout(500)
    view.page.evaluate("() => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = 1; }")
    view.page.evaluate("() => { void window.jupyterapp.commands.execute('notebook:run-cell'); }")
    type_number(view, "x", "3")
    busy = view.page.locator(".al-busy")
    expect(busy).to_contain_text(say("live_old"))
    view.page.locator(".al-node").first.click()
    expect(view.page.locator(".al-title")).to_have_text("x")  # the view answers meanwhile
    type_number(view, "x", "4")
    view.page.get_by_role("button", name="Stop").click()
    expect(view.page.get_by_role("alert")).to_contain_text(say("stopped_asked"))
    type_number(view, "x", "1.5")
    expect(view.page.locator(".al-output .al-value .al-number")).to_have_text("3")
    running = "() => window.jupyterapp.shell.currentWidget.content.widgets[1].model.executionState"
    assert view.page.evaluate(running) == "running"
    (lab.folder / "slow_enough").touch()
    view.page.wait_for_function(f"() => ({running})() !== 'running'")
    assert view.run(2) == "['MainThread', 'autolab-view'] 1.5"


PARAMETER = """
import autolab, numpy as np
W = autolab.Parameter(np.array(2.0))
def fn(x):
    return x * W
view = autolab.explore(fn, x=3.0)
view
"""


def test_what_a_cell_changes_is_said_and_a_cell_run_again_ends_its_older_views(lab: Lab, open_page: Open) -> None:
    edit = "W.data += 1"
    again = "first = view if 'first' not in globals() else first\nprint(first.comm is None, view.comm is None)"
    view = open_page(lab.write("parameter.ipynb", PARAMETER, edit, again, "view"))
    view.run(0)
    view.run(3)  # the same view a second time, below
    expect(view.page.locator(".al-root")).to_have_count(2)
    assert view.run(2) == "False False"
    view.run(1)
    panel = view.page.locator(".al-since").first
    expect(panel).to_contain_text(say("since_reached", names="W"))
    panel.get_by_role("button", name="Compute again").click()
    expect(panel).to_be_hidden()
    expect(view.page.locator(".al-output .al-value .al-number").first).to_have_text("9")
    view.run(0)
    expect(view.page.locator(".al-root")).to_have_count(1)  # the copy below shows no old number
    assert view.run(2) == "True False"


def test_a_restarted_kernel_is_told_of_before_anything_is_moved(lab: Lab, open_page: Open) -> None:
    view = open_page(lab.write("restarted.ipynb", PARAMETER))
    view.run(0)
    expect(view.page.locator(".al-since")).to_be_hidden()
    view.restart()
    told = re.compile(f"{say('live_gone')}|{say('live_saved')}")  # the second if JupyterLab shows its output again
    expect(view.page.locator(".al-since").first).to_contain_text(told, timeout=10_000)


def test_a_view_that_is_closed_shows_nothing(lab: Lab, open_page: Open) -> None:
    view = open_page(lab.write("closed.ipynb", PARAMETER, "view.close()", "view"))
    view.run(0)
    expect(view.page.locator(".al-root")).to_have_count(1)
    view.run(1)
    expect(view.page.locator(".al-root")).to_have_count(0)
    assert say("closed_view") in view.run(2)
