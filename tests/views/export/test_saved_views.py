"""Saved pages of the check lens, the derivative explorer and the heatmap: offline, and as live as can be."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import autolab
from autolab import Variable, check_gradients, primitive
from autolab.shared.numerals import precise
from autolab.views.check import saved_page as lens_page
from autolab.views.check.lens import Lens
from autolab.views.check.session import DIRECTIONS, LensSession
from autolab.views.derivatives import saved_page as derivative_page
from autolab.views.derivatives.explorer import DerivativeExplorer
from autolab.views.derivatives.session import DerivativeSession
from autolab.views.draw.colors import paint, tone
from autolab.views.draw.messages import say
from autolab.views.draw.numbers import number
from autolab.views.heatmap.board import Board
from autolab.views.heatmap.heatmap import Heatmap, gather
from autolab.views.live.saved_page import MAX_BYTES
from views.payloads import PAYLOADS

from ..check.test_page_lens import INPUTS, muladd, offered, own_difference, readout
from ..check.test_page_lens import number as read
from ..derivatives.hands import in_menu, numbers, order, point_at, type_point

Open = Callable[..., Page]
SAMPLES = """() => JSON.parse(document.querySelector('#saved').textContent).answers['["curves"]'][1].samples"""
FORMS = [np.sin, np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x), np.sin]


def sine(x: Variable) -> Variable:
    return np.sin(x)


@pytest.fixture
def derived() -> Iterator[Callable[..., DerivativeExplorer]]:
    made: list[DerivativeExplorer] = []

    def make(*given: Any) -> DerivativeExplorer:
        made.append(DerivativeExplorer(DerivativeSession(*given)))
        return made[-1]

    yield make
    for view in made:
        view.close()


@pytest.fixture
def lens() -> Iterator[Callable[..., Lens]]:
    made: list[Lens] = []

    def make(fn: Any, *inputs: Any) -> Lens:
        report = check_gradients(fn, *inputs)
        made.append(Lens(LensSession(report, report._origin)))
        return made[-1]

    yield make
    for view in made:
        view.close()


# ---------------------------------------------------------------------------------------------- the derivative explorer
@pytest.mark.browser
def test_the_point_moves_over_the_samples_in_every_order(open_file: Open, derived: Any) -> None:
    page = open_file(derived(sine, 0.7, 2, (-3, 3)))
    values = numbers(page)
    expect(page.locator(".al-sentence")).to_have_text(say("curve_still", count=122, x="0.7"))
    expect(values).to_have_text([f"= {number(form(0.7))}" for form in FORMS[:3]])
    for move, orders in (("Home", 2), ("ArrowRight", 3), ("PageUp", 4), ("ArrowLeft", 1), ("End", 0), ("ArrowLeft", 4)):
        page.locator(".al-plot").first.press(move)
        order(page, orders).check()
        x = point_at(page)
        exact = min(page.evaluate(SAMPLES), key=lambda sample: abs(sample - x))
        expect(values).to_have_text([f"= {number(float(form(exact)))}" for form in FORMS[: orders + 1]])
        expect(page.locator(".al-plot")).to_have_count(orders + 1)
        assert page.locator(".al-curve-key").count() == (orders >= 1) + (orders >= 2)


@pytest.mark.browser
def test_a_saved_page_tells_how_a_derivative_comes_about(open_file: Open, derived: Any) -> None:
    page = open_file(derived(sine, 0.7, 2, (-3, 3)))
    page.locator(".al-derive").first.click()
    line = page.locator(".al-derivation [role=math]").first
    expect(line).to_have_attribute("aria-label", f"sine′(x) = cos x; {number(np.cos(0.7))} = {number(np.cos(0.7))}")
    page.locator(".al-plot").first.press("Home")
    expect(line).to_have_attribute("aria-label", "sine′(x) = cos x")  # the numbers were those of another point


@pytest.mark.browser
def test_the_point_is_dragged_and_typed(open_file: Open, derived: Any) -> None:
    page = open_file(derived(sine, 0.7, 2, (-3, 3)))
    box = page.locator(".al-plot").first.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + box["height"] / 2, steps=9)
    page.mouse.up()
    x = point_at(page)
    assert 1.2 < x < 2.5
    assert numbers(page).first.text_content() == f"= {number(float(np.sin(x)))}"
    type_point(page, "-2.02")
    assert point_at(page) == -2  # the place next to it
    expect(numbers(page).first).to_have_text(f"= {number(float(np.sin(-2.0)))}")


@pytest.mark.browser
def test_the_graphs_of_a_saved_page_say_where_they_were_recorded(open_file: Open, derived: Any) -> None:
    page = open_file(derived(sine, 0.7, 1, (-3, 3)))
    in_menu(page, say("curve_graphs"))
    expect(page.locator(".al-derivative-graphs .al-picture")).to_have_count(2)
    assert "0.7" in page.locator(".al-derivative-graphs").inner_text()
    in_menu(page, say("curve_graphs"))
    expect(page.locator(".al-derivative-graphs .al-picture")).to_have_count(0)


def test_undefined_places_stay_undefined_and_breaks_are_left_out(derived: Any) -> None:
    view = derived(lambda x: np.log(x) + 1 / (x - 2), 1.0, 1, (-1.0, 4.0))
    points = view._session.seen.study.samples(101)
    assert 2.0 not in [round(point.x, 9) for point in points]
    for point in points:
        assert np.isnan(point.values[0]) == (point.x <= 0)
        if point.x > 0:
            assert point.values[:2] == pytest.approx(
                (np.log(point.x) + 1 / (point.x - 2), 1 / point.x - 1 / (point.x - 2) ** 2)
            )


@pytest.mark.parametrize("fn", [np.tanh, abs, lambda x: x if x.data < 0.5 else x * x])
def test_a_sample_is_what_a_move_there_computes(derived: Any, fn: Any) -> None:
    view = derived(fn, 0.3, 2, (-1.0, 1.0))
    study = view._session.seen.study
    for sample in study.samples(9):
        there = study.look(sample.x, study.most)
        assert sample.values == pytest.approx(there.values, nan_ok=True, abs=1e-12)
        assert sample.up_to(1).values == pytest.approx(study.look(sample.x, 1).values, nan_ok=True, abs=1e-12)


def test_a_slow_function_is_not_waited_for(derived: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = False
    steps: list[Variable] = []

    def fn(x: Variable) -> Variable:
        y = np.sin(x)
        while slow:
            time.sleep(0.01)
            y = y + 0
            steps.append(y)
        return y

    view = derived(fn, 0.5, 1)
    monkeypatch.setattr(derivative_page, "SECONDS", 0.2)
    slow = True
    autolab.export_html(view, tmp_path / "page.html")
    assert len(steps) < 2000
    text = (tmp_path / "page.html").read_text("utf-8")
    saved = json.loads(text[text.index('id="saved">') + 11 : text.index("</script", text.index('id="saved">'))])
    assert saved["answers"]['["curves"]'][1]["most"] == 1  # as far as it was known


# ---------------------------------------------------------------------------------------------------------- the lens
@pytest.mark.browser
def test_one_selection_over_the_three_heatmaps_of_every_input(open_file: Open, lens: Any) -> None:
    view = lens(muladd, *INPUTS)
    report = view.report
    page = open_file(view)
    for k, name in enumerate("xyz"):
        page.locator(".al-names .al-button").nth(k).check()
        for which in range(3):
            place = (which, (k + which) % 4)
            canvas = page.locator(".al-trio canvas.al-canvas").nth(which)
            size = canvas.bounding_box()
            assert size
            at = {"x": size["width"] * (place[1] + 0.5) / 4, "y": size["height"] * (place[0] + 0.5) / 3}
            canvas.click(position=at)
            item = report.inputs[k]
            expect(page.locator(".al-why .al-title")).to_have_text(f"{name}{list(place)}")
            assert read(readout(page)["analytic"]) == pytest.approx(item.analytic[place], rel=1e-5)
            assert read(readout(page)["numeric"]) == pytest.approx(item.numeric[place], rel=1e-5)
            marks = page.locator(".al-trio .al-mark:visible")
            assert marks.count() == 3
            assert len(set(marks.evaluate_all("all => all.map(e => e.style.left + e.style.top)"))) == 1
    canvas.press("ArrowUp")
    expect(page.locator(".al-why .al-title")).to_have_text("z[1, 0]")
    canvas.press("Escape")
    expect(page.locator(".al-why")).to_be_hidden()
    page.locator("canvas.al-canvas").first.press("Enter")
    expect(page.locator(".al-why .al-title")).to_have_text(f"z{list(report['z'].worst)}")


@pytest.mark.browser
def test_steps_and_directions_of_a_saved_lens(open_file: Open, lens: Any) -> None:
    view = lens(muladd, *INPUTS)
    page = open_file(view)
    page.locator("canvas.al-canvas").first.press("Enter")
    expect(page.locator(".al-why .al-now")).to_contain_text("return -g * y, g * x, g")
    place, seen = view.report["x"].worst, set()
    for _ in range(4):
        page.locator(".al-why .al-chart-picture").press("ArrowLeft")
        error, h = map(read, (page.locator(".al-why .al-chart-last").first.text_content() or "").split(" at "))
        exact = own_difference(view.report, "x", place, h) - view.report["x"].analytic[place]
        assert error == pytest.approx(abs(exact), rel=2e-3)
        seen.add(h)
    assert len(seen) == 4
    for seed in (*DIRECTIONS, DIRECTIONS[0]):
        offered(page, say("lens_along"))
        expect(page.locator(".al-why .al-title")).to_have_text(say("lens_direction", name="x", seed=seed))
        expect(page.locator(".al-why-curve")).to_be_visible()


@pytest.mark.browser
def test_a_saved_lens_offers_the_directions_that_it_holds(
    open_file: Open, lens: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lens_page, "_STUDIES", (7,))  # the worst of each input, each in direction 1, and x in 2
    page = open_file(lens(muladd, *INPUTS))
    for k, held in enumerate(([1, 2, 1], [1, 1], [1, 1])):
        page.locator(".al-names .al-button").nth(k).check()
        for seed in held:
            offered(page, say("lens_along"))
            expect(page.locator(".al-why .al-title")).to_have_text(say("lens_direction", name="xyz"[k], seed=seed))
            expect(page.locator(".al-why-curve")).to_be_visible()
    monkeypatch.setattr(lens_page, "_STUDIES", (3,))
    page = open_file(lens(muladd, *INPUTS))
    page.locator(".al-menu > summary").click()
    expect(page.get_by_role("button", name=say("lens_along"))).to_be_hidden()


@pytest.mark.browser
def test_second_order_is_measured_for_a_saved_lens(open_file: Open, lens: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lens_page, "OTHER_SECONDS", 60.0)  # so that a busy machine leaves nothing out
    x, y = np.array([[0.5, -1.25], [2.0, 0.75]]), np.array([1.5, -0.5])
    view = lens(lambda x, y: (x * x * x).sum() * y, x, y)
    page = open_file(view)
    first, again = view.report, view._session.report(view._session.of_order(2))
    calls = {1: "check_gradients(<lambda>)", 2: "check_gradients(<lambda>, order=2)"}
    for n, report in ((2, again), (1, first), (2, again)):
        page.locator(".al-menu > summary").click()
        page.get_by_label(f"{say('lens_order')} {n}").check()
        page.keyboard.press("Escape")
        expect(page.locator(".al-function")).to_have_text(calls[n])
        item = report["x"]
        page.locator(".al-names .al-button").first.check()
        shown = page.locator(".al-trio .al-numbers").first.locator("span").all_text_contents()
        np.testing.assert_allclose([read(text) for text in shown], item.analytic.ravel(), rtol=5e-3)
        assert say("lens_still_orders") in page.locator("body").inner_text()
        page.locator(".al-trio canvas.al-canvas").first.click(position={"x": 5, "y": 5})
        expect(page.locator(".al-why dd").first).to_have_text(precise(float(item.analytic[0, 0])))
        expect(page.locator(".al-why-curve")).to_be_visible()


@pytest.mark.browser
def test_colours_of_a_lens_follow_the_powers_of_ten(open_file: Open, lens: Any) -> None:
    x = np.random.default_rng(0).normal(size=(9, 12)) * np.logspace(-4, 1, 12)
    view = lens(lambda x: (x * x).sum(), x)
    page, item = open_file(view), view.report["x"]
    read_pixels = """canvas => {
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
      copy.drawImage(canvas, 0, 0);
      return [...copy.getImageData(0, 0, canvas.width, canvas.height).data];
    }"""
    page.locator(".al-menu > summary").click()
    for name, decades in (("Symmetric log", 3), ("Linear", None)):
        page.get_by_label(name).check()
        canvas = page.locator(".al-trio canvas.al-canvas").first
        scale = max(np.abs(item.analytic).max(), np.abs(item.numeric).max())
        expected = paint(tone(scale, decades).fractions(item.analytic), "light").astype(int)
        found = np.array(canvas.evaluate(read_pixels)).reshape(9, 12, 4)[..., :3]
        assert np.abs(found - expected).max() <= 3
        bars = page.locator(".al-trio .al-heat-legend").first.locator(".al-heat-count title").all_text_contents()
        assert sum(map(int, bars)) == x.size


@pytest.mark.browser
def test_what_takes_too_long_for_a_saved_lens_is_not_offered(
    open_file: Open, lens: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lens_page, "OTHER_SECONDS", 0.0)
    page = open_file(lens(np.tanh, np.array([0.5, -1.0])))
    assert page.get_by_label(f"{say('lens_order')} 2").count() == 0
    assert say("lens_still") in page.locator("body").inner_text()


@pytest.mark.browser
def test_a_saved_lens_without_numbers_offers_none(open_file: Open, lens: Any) -> None:
    @primitive(x=lambda g: g, b=lambda g: g)  # the copies of b are not added up
    def shifted(xp: Any, x: Any, b: Any) -> Any:
        return x + b

    page = open_file(lens(lambda x, b: shifted(x, b), np.ones((4, 3)), np.ones(3)))
    expect(page.locator(".al-sentence")).to_contain_text(say("lens_still"))
    expect(page.locator(".al-sentence")).to_contain_text("gradient for input 'b' has shape (4, 3)")
    expect(page.locator("canvas.al-canvas")).to_have_count(0)
    expect(page.get_by_role("region", name="b", exact=True)).to_have_attribute("data-verdict", "wrong")


@pytest.mark.browser
def test_what_was_not_measured_is_said(open_file: Open, lens: Any) -> None:
    page = open_file(lens(lambda W: np.tanh(W).sum(), np.random.default_rng(0).normal(size=(40, 40))))
    page.locator("canvas.al-canvas").first.press("Enter")
    expect(page.locator(".al-why-curve")).to_be_visible()
    page.locator("canvas.al-canvas").first.press("ArrowRight")
    expect(page.get_by_text(say("lens_not_saved"))).to_be_visible()
    expect(page.locator(".al-why-curve")).to_be_hidden()
    page.get_by_role("button", name=say("lens_back")).click()
    page.locator("canvas.al-canvas").first.press("Enter")
    expect(page.locator(".al-why-curve")).to_be_visible()


def test_a_slow_check_is_saved_in_a_few_seconds(lens: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = [0.0]
    runs: list[Variable] = []

    def fn(x: Variable) -> Variable:
        if slow[0]:
            runs.append(x)
        time.sleep(slow[0])
        return np.tanh(x)

    view = lens(fn, np.ones(3) / 3)
    monkeypatch.setattr(lens_page, "SECONDS", 0.3)
    slow[0] = 0.1
    autolab.export_html(view, tmp_path / "lens.html")
    assert len(runs) < 200  # of some 1,500


# ------------------------------------------------------------------------------------------------------ all of them
@pytest.mark.browser
def test_a_saved_heatmap_speaks_of_cells(open_file: Open) -> None:
    view = Heatmap(Board(gather((np.eye(3),), {}), "value", "linear", True))
    page = open_file(view)
    assert say("heat_still") in page.locator("body").inner_text()
    assert "step" not in page.locator("body").inner_text()
    view.close()


@pytest.mark.full
def test_pages_are_bounded(derived: Any, lens: Any, tmp_path: Path) -> None:
    def wide(x: Variable) -> Variable:
        y = x
        for k in range(12):
            y = np.sin(y * (k + 1)) + x
        return y

    rng = np.random.default_rng(0)
    views = [
        derived(sine, 0.7, 4),
        derived(wide, 0.7, 4),
        lens(muladd, *INPUTS),
        lens(lambda W, x: np.tanh(W @ x), rng.normal(size=(512, 512)), rng.normal(size=512)),
    ]
    for view in views:
        autolab.export_html(view, tmp_path / "page.html")
        assert (tmp_path / "page.html").stat().st_size <= MAX_BYTES + 90_000


@pytest.mark.browser
@pytest.mark.parametrize("every", [18, pytest.param(1, marks=pytest.mark.full)])
def test_names_run_nothing_in_these_pages(
    browser: Browser, tmp_path: Path, derived: Any, lens: Any, monkeypatch: pytest.MonkeyPatch, every: int
) -> None:
    """R11: the function's name, the inputs' names, and what it raises."""
    monkeypatch.setattr(derivative_page, "_SAMPLES", (7,))
    monkeypatch.setattr(derivative_page, "_PICTURES", (1,))
    context = browser.new_context()
    fired: list[int] = []
    noise: list[str] = []
    context.expose_function("fired", lambda n: fired.append(n))
    page = context.new_page()
    page.on("console", lambda message: noise.append(message.text))
    page.on("pageerror", lambda error: noise.append(str(error)))
    page.on("request", lambda request: request.url.startswith("file:") or noise.append(request.url))
    for name in PAYLOADS[::every]:

        def fn(x: Variable, name: str = name) -> Variable:
            if x.data.ndim == 0 and x.data < -3:
                raise ValueError(name)
            return np.sin(x)

        fn.__name__ = name.encode("utf-8", "replace").decode()
        report = check_gradients(lambda **given: np.sin(next(iter(given.values()))), options={}, **{name: 0.5})
        view = Lens(LensSession(report, report._origin))
        for shown in (derived(fn, 0.5, 1), view):
            autolab.export_html(shown, tmp_path / "page.html")
            page.goto((tmp_path / "page.html").as_uri())
            page.locator(".al-trio, .al-own").first.wait_for()
            assert page.locator("img, iframe, style ~ style, a, animate, [onload], [onerror]").count() == 0
        view.close()
    page.wait_for_timeout(200)
    assert (fired, noise) == ([], [])
    context.close()
