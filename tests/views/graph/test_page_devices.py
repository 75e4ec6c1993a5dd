"""The live graph of values on two devices: badges at the boxes, marked lines between devices, the GPU's memory."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from helpers import strict_module
from playwright.sync_api import Page, expect

import autolab
from autolab import Variable, to_cpu, to_gpu
from autolab import functions as F

Open = Callable[..., Page]


def loss(x: Variable, w: Variable) -> Variable:
    h = to_gpu(x) @ w
    return F.sum(to_cpu(F.tanh(h)))


@pytest.mark.browser
def test_boxes_tell_their_device_and_lines_a_transfer(open_file: Open) -> None:
    with strict_module.installed():
        recording = autolab.record(loss, np.linspace(0, 1, 6).reshape(2, 3), to_gpu(np.ones((3, 4))))
    page = open_file(recording)
    badges = [
        page.locator(f".al-node[data-id='{step.id}'] .al-plate").filter(has_text="cuda:0").count()
        for step in recording.steps
    ]
    assert badges == [0, 1, 1, 1, 1, 0, 0] and page.locator(".al-plate-device").count() == 7
    marked = page.locator(".al-edge.al-transfer title")
    assert marked.evaluate_all("all => all.map((title) => title.textContent)") == ["cpu → cuda:0", "cuda:0 → cpu"]
    page.locator(f".al-node[data-id='{recording.steps[4].id}']").click()
    expect(page.locator(".al-facts")).to_contain_text("3.1 MB of 8.4 MB")


@pytest.mark.browser
def test_without_a_gpu_there_are_neither(open_file: Open) -> None:
    page = open_file(autolab.record(lambda x: F.sum(x * x), np.ones(3)))
    assert page.locator(".al-node").count() > 2
    assert page.locator(".al-plate-device").count() == page.locator(".al-transfer").count() == 0
