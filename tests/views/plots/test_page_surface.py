"""A loss surface in a browser: its numbers, its arrows, and the ball that an optimizer moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ipywidgets import comm as widget_comm
from playwright.sync_api import Browser, Page, expect

import autolab
from autolab import optimizers
from autolab.analysis import surface
from autolab.views.draw.messages import say
from autolab.views.export.pages import export_html
from autolab.views.plots.surface_view import SurfaceView

from ..bare_page import RecordingComm, Wire, serve

pytestmark = pytest.mark.browser
Show = Callable[..., Wire]


def bowl(x: Any, y: Any) -> Any:
    return x**2 + 10 * y**2


@pytest.fixture
def show(new_page: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Show]:
    monkeypatch.setattr(widget_comm, "create_comm", RecordingComm)
    monkeypatch.chdir(tmp_path)
    views: list[SurfaceView] = []

    def make(*args: Any, steps: int = 6) -> Wire:
        page = new_page()
        serve(page, "surface")
        views.append(surface(bowl, (0.0, 0.0), steps=21).explore(*args, steps=steps))
        wire = Wire(views[-1])
        wire.connect(page)
        wire.settle()
        return wire

    yield make
    for view in views:
        view.close()


def place(page: Page) -> list[float]:
    """Where the ball is drawn, as coordinates of the surface."""
    centre = page.locator(".al-surface-ball").evaluate("e => [+e.getAttribute('cx'), +e.getAttribute('cy')]")
    box = page.locator("rect.al-surface-edge").evaluate(
        "e => ['x', 'y', 'width', 'height'].map(name => +e.getAttribute(name))"
    )
    return [2 * (centre[0] - box[0]) / box[2] - 1, 1 - 2 * (centre[1] - box[1]) / box[3]]


def test_keys_read_the_numbers_and_put_the_ball_down(show: Show) -> None:
    wire = show()
    page = wire.pages[0]
    picture, reading = page.locator(".al-surface-lines"), page.locator(".al-surface-reading")
    expect(page.get_by_text(say("surface_none"))).to_be_visible()
    picture.press("ArrowRight")
    picture.press("Shift+ArrowUp")
    wire.settle()
    expect(reading).to_have_text("x = 0.1, y = 0.5: loss 2.51, gradient (0.2, 10)")
    picture.press("Enter")
    wire.settle()
    assert wire.widget.roll.optimizer == "MomentumSGD"
    np.testing.assert_allclose(wire.widget.roll.places[0], [0.1, 0.5])
    np.testing.assert_allclose(place(page), wire.widget.roll.places[-1], atol=2e-3)


def test_a_click_puts_the_ball_where_the_pointer_is(show: Show) -> None:
    wire = show()
    page = wire.pages[0]
    box = page.locator("rect.al-surface-edge").bounding_box()
    page.mouse.move(box["x"] + 0.76 * box["width"], box["y"] + 0.24 * box["height"])
    wire.settle()
    expect(page.locator(".al-surface-reading")).to_have_text("x = 0.5, y = 0.5: loss 2.75, gradient (1, 10)")
    page.mouse.down()
    page.mouse.up()
    wire.settle()
    np.testing.assert_allclose(wire.widget.roll.places[0], [0.5, 0.5], rtol=1e-12)


def test_the_ball_goes_step_by_step_and_plays_beside_its_curve(show: Show) -> None:
    wire = show((0.8, 0.5), optimizers.SGD(lr=0.02))
    page, way = wire.pages[0], wire.widget.roll
    told = page.locator(".al-surface-place")
    expect(told).to_contain_text("Step 6 of 6")
    page.get_by_role("slider", name="Step").press("Home")
    np.testing.assert_allclose(place(page), [0.8, 0.5], atol=2e-3)
    expect(told).to_have_text("Step 0 of 6: (0.8, 0.5), loss 3.14, gradient (1.6, 10)")
    page.get_by_role("button", name="Step forward").click()
    np.testing.assert_allclose(place(page), way.places[1], atol=2e-3)
    page.get_by_role("button", name="Play").click()
    expect(told).to_contain_text("Step 6 of 6", timeout=10_000)
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    np.testing.assert_allclose(place(page), way.places[-1], atol=2e-3)
    assert page.locator(".al-chart-dot").count() == len(way.values)


def test_another_optimizer_with_other_settings_moves_the_ball(show: Show) -> None:
    wire = show((0.8, 0.5))
    page = wire.pages[0]
    page.get_by_label("Optimizer", exact=True).select_option("Adam")
    wire.settle()
    rate = page.get_by_label("lr, number")
    rate.fill("0.2")
    rate.press("Enter")
    wire.settle()
    settings = {"lr": 0.2, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8}
    assert wire.widget.roll.optimizer == "Adam" and wire.widget.roll.settings == settings
    expected = surface(bowl, (0.0, 0.0)).roll((0.8, 0.5), "Adam", 6, {"lr": 0.2})
    np.testing.assert_allclose(place(page), expected.places[-1], atol=2e-3)
    rate.fill("-1")
    rate.press("Enter")
    wire.settle()
    expect(page.locator(".al-surface-absent")).to_contain_text("lr is -1")
    assert page.locator(".al-surface-ball").count() == 0


def test_a_saved_page_plays_the_way_and_says_what_needs_python(show: Show, browser: Browser, tmp_path: Path) -> None:
    wire = show((0.8, 0.5), "SGD")
    export_html(wire.widget, tmp_path / "bowl.html")
    page = browser.new_context(offline=True).new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto((tmp_path / "bowl.html").as_uri())
    expect(page.locator(".al-still")).to_have_text(say("surface_still"))
    page.get_by_role("button", name="Step back").click()
    np.testing.assert_allclose(place(page), wire.widget.roll.places[-2], atol=2e-3)
    page.get_by_label("Rank").check()
    expect(page.locator(".al-surface-legend .al-caption")).to_have_text(say("surface_tone_rank"))
    picture, reading = page.locator(".al-surface-lines"), page.locator(".al-surface-reading")
    picture.press("ArrowRight")
    expect(reading).to_have_text(f"x = 0.1, y = 0: loss 0.01, {say('surface_unknown')}")
    picture.press("ArrowRight")  # where there is an arrow
    expect(reading).to_have_text("x = 0.2, y = 0: loss 0.0400, gradient (0.4, 0)")
    picture.press("Enter")
    np.testing.assert_allclose(place(page), wire.widget.roll.places[-2], atol=2e-3)
    assert page.get_by_label("Optimizer", exact=True).is_disabled() and problems == []
    page.context.close()


@pytest.mark.parametrize("start", [(2.0, 0.0), (0.0,)])
def test_no_view_begins_outside_of_the_surface(start: Any) -> None:
    with pytest.raises(ValueError, match="start holds"):
        autolab.plots.surface(bowl, (0.0, 0.0), steps=3).explore(start)
