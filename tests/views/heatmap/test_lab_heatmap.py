"""The heatmap in JupyterLab itself: its keys are its own, and it follows the cells that run."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from ..bare_page import menu
from ..lab import Lab, LabPage

pytestmark = [pytest.mark.browser, pytest.mark.lab]

PROGRAM = """
import numpy as np, autolab
W = autolab.Variable(np.arange(300.0 * 400).reshape(300, 400), name="W")
autolab.heatmap(W)
"""
TRAIN = "loss = (W * W).sum() / 2; loss.backward(); W.data[0, 0] = -5.0"


def test_it_follows_the_cells_and_keeps_its_keys(lab: Lab, open_page: Callable[..., LabPage]) -> None:
    view = open_page(lab.write("heat.ipynb", PROGRAM, TRAIN))
    view.run(0)
    readout = view.page.locator(".al-sentence").first
    expect(readout).to_contain_text("0 to 119999. ")
    view.run(1)
    expect(readout).to_contain_text("−5 to 119999. ")
    canvas = view.page.locator(".al-heat-panel .al-canvas").first
    canvas.focus()
    for key in ("ArrowRight", "ArrowDown"):
        canvas.press(key)
    expect(readout).to_have_text("W[2:4, 0:4] = 1203, the greatest magnitude there")
    for _ in range(2):
        canvas.press("Enter")
        view.page.wait_for_timeout(300)
    expect(readout).to_have_text("W[2, 0] = 800")
    menu(view.page).get_by_label("Gradient", exact=True).check()
    canvas.press("Escape")
    canvas.blur()
    expect(readout).to_contain_text("0 to 119999. ")  # computed before the change
