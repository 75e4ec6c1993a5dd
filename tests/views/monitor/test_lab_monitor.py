"""The monitor in JupyterLab itself: training is watched, stopped, interrupted, and goes on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from ..bare_page import menu
from ..lab import RAN, RUN, Lab, LabPage

pytestmark = [pytest.mark.browser, pytest.mark.lab]

TRAINER = """
import numpy as np
from autolab import config, links as L, optimizers, training
from autolab.data import SerialIterator, get_digits
from autolab.training import extensions
config.rng = np.random.default_rng(0)
train, test = get_digits()
model = L.Classifier(L.MLP((100, 100, 10)))
updater = training.StandardUpdater(SerialIterator(train, 32), optimizers.Adam().setup(model))
trainer = training.Trainer(updater, (100000, "epoch"))
trainer.extend(extensions.Evaluator(SerialIterator(test, 100, repeat=False, shuffle=False), model))
monitor = extensions.LiveMonitor()
trainer.extend(monitor)
"""
RUN_IT = """
before = updater.iteration
trainer.run()
print("ended after", updater.iteration - before)
"""
TELL = "print(updater.iteration, monitor.iteration, len(monitor.states))"


def start(view: LabPage, cell: int) -> None:
    """Run a cell without waiting for its end, until its monitor has painted."""
    view.page.evaluate(RUN, cell)
    expect(view.page.locator(".al-stop")).to_be_visible()


def updates(view: LabPage) -> int:
    return int(re.search(r"update (\d+)", view.page.locator(".al-sentence").text_content() or "")[1])


def until(view: LabPage, count: int) -> None:
    view.page.wait_for_function(
        "n => Number(document.querySelector('.al-sentence').textContent.match(/update (\\d+)/)?.[1]) >= n", arg=count
    )


def test_a_network_trains_is_stopped_and_goes_on(lab: Lab, open_page: Callable[..., LabPage]) -> None:
    path = lab.write("monitor.ipynb", TRAINER, RUN_IT, TELL)
    view = open_page(path)
    page = view.page
    view.run(0)
    start(view, 1)
    until(view, 500)
    expect(page.locator(".al-chart")).to_have_count(5)
    # While the cell keeps the main thread, the page is answered.
    menu(page).get_by_label("parameter", exact=True).select_option("/predictor/l1/W")
    expect(page.locator(".al-heatmap canvas").first).to_have_attribute(
        "aria-label", "Gradient as a heatmap, 100 by 100"
    )
    menu(page).press("Escape")
    curve = page.locator(".al-chart-picture").first
    box = curve.bounding_box()
    curve.click(position={"x": 58, "y": box["height"] / 2})  # the first update
    expect(page.locator(".al-past h3")).to_have_text("After update 1")
    now = updates(view)
    until(view, now + 200)
    expect(page.locator(".al-past h3")).to_have_text("After update 1")
    menu(page).get_by_role("button", name="Show the latest state").click()
    menu(page).press("Escape")
    expect(page.locator(".al-past h3")).not_to_have_text("After update 1")

    page.get_by_role("button", name="Stop").click()
    page.wait_for_function(RAN, arg=1)
    assert "ended after" in view.output(1)
    expect(page.locator(".al-stop")).to_be_hidden()
    iteration, heard, states = view.run(2).split()
    assert int(iteration) == int(heard) == updates(view) > now
    assert page.locator(".al-past h3").text_content() == f"After update {iteration}"
    assert 2 <= int(states) <= 60  # what they cost: benchmarks/monitor.py, and with a clock of its own test_monitor.py

    start(view, 1)  # it goes on, below the same cell
    until(view, int(iteration) + 200)
    expect(page.locator(".al-monitor:visible")).to_have_count(1)
    view.command("notebook:interrupt-kernel")
    page.wait_for_function(RAN, arg=1)
    assert "KeyboardInterrupt" in view.output(1)
    expect(page.locator(".al-stop")).to_be_hidden()
    after, heard, _ = view.run(2).split()
    assert int(after) in (int(heard), int(heard) + 1) and int(after) > int(iteration)
    start(view, 1)
    until(view, int(after) + 50)
    page.get_by_role("button", name="Stop").click()
    page.wait_for_function(RAN, arg=1)
    view.command("docmanager:save")
    bundles = [o["data"] for o in outputs(path, 1) if "text/html" in o.get("data", {})]
    final = view.run(2).split()[0]
    assert f"update {final}" in "".join(bundles[0]["text/html"]) and "<img" in "".join(bundles[0]["text/html"])


def test_a_loop_of_ones_own_is_watched_and_stopped(lab: Lab, open_page: Callable[..., LabPage]) -> None:
    loop = """
monitor = extensions.LiveMonitor(model)
while monitor.update(loss=updater.optimizer.update(model, *next(updater.iterator))):
    pass
print("ended after", monitor.iteration)
"""
    view = open_page(lab.write("loop.ipynb", TRAINER, loop))
    view.run(0)
    start(view, 1)
    until(view, 100)
    expect(view.page.locator(".al-chart")).to_have_count(4)
    view.page.get_by_role("button", name="Stop").click()
    view.page.wait_for_function(RAN, arg=1)
    assert view.output(1).split("ended after")[1].split()[0] == str(updates(view))
    expect(view.page.locator(".al-stop")).to_be_hidden()


def test_the_last_state_of_a_loop_of_ones_own_can_be_looked_at(lab: Lab, open_page: Callable[..., LabPage]) -> None:
    loop = """
monitor = extensions.LiveMonitor(model, share=1e-6)
for _ in range(90):
    monitor.update(loss=updater.optimizer.update(model, *next(updater.iterator)))
"""
    view = open_page(lab.write("ended.ipynb", TRAINER, loop))
    view.run(0)
    view.run(1)
    expect(view.page.locator(".al-ends span").last).to_have_text("90")


def outputs(path: Any, cell: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["cells"][cell]["outputs"]
    return found
