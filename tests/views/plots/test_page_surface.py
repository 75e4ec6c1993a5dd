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
from autolab.views.draw.numbers import number
from autolab.views.export.pages import export_html
from autolab.views.plots.surface_view import SurfaceView

from ..bare_page import RecordingComm, Wire, laid_out, menu, serve

pytestmark = pytest.mark.browser
Show = Callable[..., Wire]


def bowl(x: Any, y: Any) -> Any:
    return x**2 + 10 * y**2


@pytest.fixture
def show(new_page: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Show]:
    monkeypatch.setattr(widget_comm, "create_comm", RecordingComm)
    monkeypatch.chdir(tmp_path)
    views: list[SurfaceView] = []

    def make(*args: Any, steps: int = 6, fn: Any = bowl) -> Wire:
        page = new_page()
        serve(page, "surface")
        views.append(surface(fn, (0.0, 0.0), steps=21).explore(*args, steps=steps))
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


def said(page: Page) -> Any:
    return page.locator(".al-sentence")


def test_keys_read_the_numbers_and_put_the_ball_down(show: Show) -> None:
    wire = show()
    page = wire.pages[0]
    picture = page.locator(".al-surface-lines")
    expect(said(page)).to_have_text(say("surface_rest"))
    picture.press("ArrowRight")
    picture.press("Shift+ArrowUp")
    wire.settle()
    expect(said(page)).to_have_text("x = 0.1, y = 0.5: loss 2.51, gradient (0.2, 10)")
    picture.press("Enter")
    wire.settle()
    assert wire.widget.roll.optimizer == "MomentumSGD"
    np.testing.assert_allclose(wire.widget.roll.places[0], [0.1, 0.5])
    np.testing.assert_allclose(place(page), wire.widget.roll.places[-1], atol=2e-3)
    expect(said(page)).to_contain_text("MomentumSGD, step 6 of 6")  # of the ball, no longer of the cross
    picture.press("ArrowRight")
    wire.settle()
    expect(said(page)).to_contain_text("x = 0.2, y = 0.5: loss 2.54")


def test_the_ball_is_dragged_on_the_surface(show: Show) -> None:
    wire = show((0.0, 0.0), optimizers.SGD(lr=0.02))
    page = wire.pages[0]
    box = page.locator("rect.al-surface-edge").bounding_box()
    page.mouse.move(box["x"] + 0.76 * box["width"], box["y"] + 0.24 * box["height"])
    wire.settle()
    expect(said(page)).to_have_text("x = 0.5, y = 0.5: loss 2.75, gradient (1, 10)")
    page.mouse.down()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.3 * box["height"], steps=4)
    wire.settle()
    np.testing.assert_allclose(wire.widget.roll.places[0], [0.4, 0.4], atol=0.02)
    assert page.get_by_role("slider", name="Step").input_value() == "0"  # it stays in the hand
    np.testing.assert_allclose(place(page), wire.widget.roll.places[0], atol=2e-3)
    page.mouse.up()
    wire.settle()
    np.testing.assert_allclose(place(page), wire.widget.roll.places[-1], atol=2e-3)


def test_the_numbers_at_the_axes_are_typed_dragged_and_moved_by_keys(show: Show) -> None:
    wire = show((0.8, 0.5), optimizers.SGD(lr=0.02))
    page = wire.pages[0]
    across, up = (page.get_by_label(f"{name}, number") for name in "xy")
    assert (across.input_value(), up.input_value()) == ("0.8", "0.5")
    up.fill("-0.25")
    up.press("Enter")
    wire.settle()
    assert wire.widget.roll.places[0].tolist() == [0.8, -0.25]
    across.press("ArrowDown")
    wire.settle()
    assert wire.widget.roll.places[0].tolist() == [0.79, -0.25]
    across.fill("7")  # beyond the surface: its edge
    across.press("Enter")
    wire.settle()
    assert wire.widget.roll.places[0].tolist() == [1.0, -0.25]
    page.locator(".al-surface-lines").focus()
    field, box = across.bounding_box(), page.locator("rect.al-surface-edge").bounding_box()
    page.mouse.move(field["x"] + field["width"] / 2, field["y"] + field["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"], steps=4)
    page.mouse.up()
    wire.settle()
    assert wire.widget.roll.places[0].tolist() == [0.0, -0.25]  # along its axis alone


@pytest.mark.parametrize("width", [390, 620, 1280])
def test_a_number_at_an_axis_cuts_none_of_the_others_and_is_not_cut(show: Show, width: int) -> None:
    page = show((0.45, 0.55)).pages[0]
    page.set_viewport_size({"width": width, "height": 844})
    texts = page.locator(".al-surface-lines text:visible")
    expect(texts.get_by_text("0.5", exact=True)).to_have_count(0)
    areas = [one.bounding_box() for one in (*texts.all(), *page.locator(".al-surface-number").all())]
    for a, b in [(a, b) for a in areas[:-2] for b in areas[-2:] if a and b]:
        apart = a["x"] >= b["x"] + b["width"] or b["x"] >= a["x"] + a["width"]
        assert apart or a["y"] >= b["y"] + b["height"] or b["y"] >= a["y"] + a["height"]
    assert texts.filter(has_text="1").count()
    view = page.locator(".al-root").bounding_box()
    assert view and min(area["x"] for area in areas[-2:] if area) >= view["x"]


@pytest.mark.parametrize("width", [300, 390, 430, 1280])
def test_the_frame_of_the_focus_is_around_all_its_numbers(show: Show, width: int) -> None:
    page = show().pages[0]
    page.set_viewport_size({"width": width, "height": 844})
    laid_out(page)
    frame = page.locator(".al-surface-lines").bounding_box()
    assert frame and frame["x"] >= 0 and frame["x"] + frame["width"] <= width
    for text in page.locator(".al-surface-lines text").all():
        box = text.bounding_box()
        assert box and frame["x"] - 1 <= box["x"] and box["x"] + box["width"] <= frame["x"] + frame["width"] + 1
        assert frame["y"] - 1 <= box["y"] and box["y"] + box["height"] <= frame["y"] + frame["height"] + 1


def test_what_the_function_raises_stands_on_the_card(show: Show) -> None:
    def guarded(x: Any, y: Any) -> Any:
        if abs(float(x)) > 1:
            raise ArithmeticError("x is beyond 1")
        return bowl(x, y)

    wire = show((0.9, 0.5), fn=guarded)
    page, card = wire.pages[0], wire.pages[0].get_by_role("alert")
    expect(card).to_be_hidden()
    rate = menu(page).get_by_label("lr, number")
    for text in ("2", "0.01"):
        rate.fill(text)
        rate.press("Enter")
        wire.settle()
        if text == "2":
            expect(card).to_contain_text("ArithmeticError: x is beyond 1")
            expect(card).to_contain_text(f"line {guarded.__code__.co_firstlineno + 2}")
            expect(card).to_contain_text(say("surface_stale"))
    expect(card).to_be_hidden()


def test_where_a_rule_raises_the_card_says_so_once(show: Show) -> None:
    @autolab.elementwise(x=lambda g, x: 1 / 0)
    def square(xp: Any, x: Any) -> Any:
        return x * x

    wire = show(fn=lambda x, y: square(x) + y)
    page, card = wire.pages[0], wire.pages[0].get_by_role("alert")
    expect(card).to_be_hidden()
    box = page.locator("rect.al-surface-edge").bounding_box()
    page.mouse.move(box["x"] + 0.76 * box["width"], box["y"] + 0.24 * box["height"])
    wire.settle()
    expect(card).to_contain_text("ZeroDivisionError")
    expect(card).not_to_contain_text(say("surface_stale"))
    page.mouse.move(0, 0)
    wire.settle()
    expect(card).to_be_hidden()


def test_the_ball_goes_step_by_step_and_plays_beside_its_curve(show: Show) -> None:
    wire = show((0.8, 0.5), optimizers.SGD(lr=0.02))
    page, way = wire.pages[0], wire.widget.roll
    expect(said(page)).to_contain_text("SGD, step 6 of 6: ")
    page.get_by_role("slider", name="Step").press("Home")
    np.testing.assert_allclose(place(page), [0.8, 0.5], atol=2e-3)
    expect(said(page)).to_have_text("SGD, step 0 of 6: (0.8, 0.5), loss 3.14, gradient (1.6, 10).")
    page.get_by_role("button", name="One step on").click()
    np.testing.assert_allclose(place(page), way.places[1], atol=2e-3)
    page.get_by_role("button", name="Play").click()
    expect(said(page)).to_contain_text("step 6 of 6", timeout=10_000)
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    np.testing.assert_allclose(place(page), way.places[-1], atol=2e-3)
    assert page.locator(".al-side").bounding_box()["width"] == 0 or page.locator(".al-aside").is_hidden()
    menu(page).get_by_role("button", name="Loss at each step").click()
    wire.settle()
    assert page.locator(".al-chart-dot").count() == len(way.values)
    page.locator(".al-chart-picture").press("ArrowLeft")
    page.locator(".al-chart-picture").press("ArrowLeft")
    page.locator(".al-chart-picture").press("Enter")
    expect(said(page)).to_contain_text("step 5 of 6")


def test_another_optimizer_with_other_settings_moves_the_ball(show: Show) -> None:
    wire = show((0.8, 0.5))
    page = wire.pages[0]
    menu(page).get_by_label("Optimizer", exact=True).select_option("Adam")
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
    expect(page.get_by_role("alert")).to_contain_text("lr is -1")
    assert page.locator(".al-surface-ball").count() == 0
    rate.fill("0.1")
    rate.press("Enter")
    wire.settle()
    expect(page.get_by_role("alert")).to_be_hidden()


def test_three_optimizers_race_from_one_point(show: Show) -> None:
    wire = show((0.8, 0.5), optimizers.SGD(lr=0.02))
    page = wire.pages[0]
    menu(page).get_by_role("button", name="Race three optimizers").click()
    wire.settle()
    ways = wire.widget.rolls
    assert [(way.optimizer, way.settings["lr"]) for way in ways] == [(n, 0.02) for n in ("SGD", "MomentumSGD", "Adam")]
    assert page.locator(".al-surface-ball").count() == 3
    expect(page.locator(".al-surface-key span")).to_have_text(["SGD", "MomentumSGD", "Adam"])
    page.get_by_role("slider", name="Step").fill("4")
    losses = {way.optimizer: way.values[4] for way in ways}
    best = min(losses, key=losses.__getitem__)
    expect(said(page)).to_contain_text(f"At step 4 of 6 {best} is lowest, loss {number(float(losses[best]))}; ")
    page.get_by_role("slider", name="Step").press("Home")
    expect(said(page)).to_have_text("All start at (0.8, 0.5), loss 3.14.")
    menu(page).get_by_role("button", name="One optimizer alone").click()
    wire.settle()
    assert [way.optimizer for way in wire.widget.rolls] == ["SGD"]


def test_gradients_are_arrows_on_request(show: Show) -> None:
    wire = show((0.8, 0.5))
    page = wire.pages[0]
    assert page.locator(".al-surface-arrow").count() == 0
    menu(page).get_by_label("Gradients as arrows").check()
    wire.settle()
    assert page.locator(".al-surface-arrow").count() == 11 * 11 - 1  # but where the gradient is 0


def test_a_saved_page_plays_the_way_and_says_what_needs_python(show: Show, browser: Browser, tmp_path: Path) -> None:
    wire = show((0.8, 0.5), "SGD")
    export_html(wire.widget, tmp_path / "bowl.html")
    page = browser.new_context(offline=True).new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto((tmp_path / "bowl.html").as_uri())
    page.get_by_role("button", name="One step back").click()
    np.testing.assert_allclose(place(page), wire.widget.roll.places[-2], atol=2e-3)
    menu(page).get_by_label("Rank").check()
    expect(page.locator(".al-surface-lines")).to_contain_text(say("surface_tone_rank"))
    picture, reading = page.locator(".al-surface-lines"), said(page)
    picture.press("ArrowRight")
    expect(reading).to_have_text(f"x = 0.1, y = 0: loss 0.01, {say('surface_unknown')}")
    picture.press("ArrowRight")  # where there is an arrow
    expect(reading).to_have_text("x = 0.2, y = 0: loss 0.0400, gradient (0.4, 0)")
    picture.press("Enter")
    expect(page.get_by_role("slider", name="Step")).to_have_value("6")
    page.get_by_role("slider", name="Step").press("Home")
    start = place(page)
    np.testing.assert_allclose(start, [0.2, 0.0], atol=0.17)  # the nearest place that the page holds
    page.get_by_role("slider", name="Step").press("End")
    there = wire.widget._surface.roll(start, "SGD", 6).places[-1]
    np.testing.assert_allclose(place(page), there, atol=5e-3)
    assert page.get_by_label("Optimizer", exact=True).count() == 0 and problems == []
    page.context.close()


@pytest.mark.parametrize("start", [(2.0, 0.0), (0.0,)])
def test_no_view_begins_outside_of_the_surface(start: Any) -> None:
    with pytest.raises(ValueError, match="start holds"):
        autolab.plots.surface(bowl, (0.0, 0.0), steps=3).explore(start)
