"""The monitor on a bare page: what it shows are the monitor's numbers, and what the page sends is obeyed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from ipywidgets import comm as widget_comm
from playwright.sync_api import Page

from autolab import links as L
from autolab import optimizers
from autolab.training import monitor as monitor_module
from autolab.training.extensions import LiveMonitor
from autolab.views.draw.colors import LINES, STOPS
from autolab.views.draw.messages import say
from autolab.views.draw.numbers import number
from autolab.views.monitor.view import MonitorView

from ..bare_page import RecordingComm, Wire, menu, serve
from ..graph.test_page_look import DARK, rgb
from ..looking import told

pytestmark = pytest.mark.browser

X = np.random.default_rng(0).normal(size=(30, 5)).astype(np.float32)
T = np.arange(30) % 3
MISPLACED = """() => {
  const view = document.querySelector('.al-view').getBoundingClientRect();
  const all = [...document.querySelectorAll('.al-view *')].filter(e => e.getBoundingClientRect().width);
  const outside = b => b.left < view.left - 1 || b.right > view.right + 1 || b.bottom > view.bottom + 1;
  const cut = e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'visible';
  return all.filter(e => !e.matches('.al-numbers *, select, option, .al-chart-name'))
    .filter(e => outside(e.getBoundingClientRect()) || cut(e)).map(e => e.outerHTML.slice(0, 120));
}"""
OVERLAPPING = """() => {
  const parts = [...document.querySelectorAll('.al-chart, .al-past, .al-header > *')];
  const boxes = parts.map(e => [e, e.getBoundingClientRect()]).filter(([, b]) => b.width);
  const beside = (a, b) => a.right <= b.left + 1 || b.right <= a.left + 1;
  const apart = (a, b) => beside(a, b) || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
  return boxes.flatMap(([e, a], i) => boxes.slice(i + 1).filter(([f, b]) => !apart(a, b))
    .map(([f]) => e.className + ' / ' + f.className));
}"""


class Trained:
    """A small network, its monitor and the monitor's view."""

    def __init__(self) -> None:
        self.model = L.Classifier(L.MLP((8, 3)))
        self.optimizer = optimizers.SGD(0.1).setup(self.model)
        self.monitor = LiveMonitor(self.model)
        self.monitor._keeping.spend = lambda *args, **options: None  # type: ignore[method-assign]
        self.view = self.monitor._view = MonitorView(self.monitor)
        self.wire = Wire(self.view)

    def step(self, count: int = 1) -> bool:
        goes_on = True
        for _ in range(count):
            loss = self.optimizer.update(self.model, X, T)
            goes_on = self.monitor.update(loss=loss, accuracy=self.model.accuracy)
        return goes_on


@pytest.fixture
def trained(monkeypatch: pytest.MonkeyPatch) -> Iterator[Trained]:
    monkeypatch.setattr(widget_comm, "create_comm", RecordingComm)
    monkeypatch.setattr(monitor_module, "INTERVAL", 0.0)
    made = Trained()
    yield made
    made.monitor.close()


@pytest.fixture
def monitor_page(new_page: Callable[..., Page]) -> Callable[..., Page]:
    def make(**options: Any) -> Page:
        page = new_page(**options)
        page.unroute_all()
        serve(page, "monitor")
        return page

    return make


def asking(*state: Any) -> dict[str, Any]:
    return {"do": "look", "look": {}, "questions": [["training"], ["state", *state]]}


def begin(trained: Trained) -> None:
    trained.view.begin()
    trained.monitor._running = True


def legend(page: Page, title: str) -> dict[str, str]:
    """The numbers of a chart by the names of its lines."""
    chart = page.locator(".al-chart", has=page.locator("h3", has_text=title))
    found = chart.locator(".al-chart-legend li").evaluate_all(
        "all => all.map(e => [...e.children].map(c => c.textContent))"
    )
    return {name: last for _, name, last in found}


def test_the_page_shows_the_monitors_numbers(trained: Trained, monitor_page: Callable[..., Page]) -> None:
    page = monitor_page()
    trained.wire.connect(page)
    assert "Nothing yet" in said(page)
    trained.step(20)
    trained.wire.settle()
    monitor = trained.monitor
    assert said(page).startswith(f"At update 20, loss {number(monitor.curves['loss'].last)}, ")
    assert legend(page, "loss") == {"loss": number(monitor.curves["loss"].last)}
    expected = {name: number(curve.last) for name, curve in monitor.measured["gradient"].items()}
    assert legend(page, "norm of the gradient") == expected and sorted(expected) == ["l0", "l1"]
    assert page.locator(".al-chart").count() == len(told(trained.view, "training")["charts"]) >= 4
    assert page.locator(".al-past").is_hidden()


def said(page: Page) -> str:
    return page.locator(".al-sentence").text_content() or ""


def test_a_line_goes_through_its_points(trained: Trained, monitor_page: Callable[..., Page]) -> None:
    page = monitor_page()
    trained.step(20)
    trained.wire.connect(page)
    scene = told(trained.view, "training")["charts"][0]
    page.wait_for_selector(".al-chart-picture .al-chart-line", state="attached")
    picture = page.locator(".al-chart-picture").first
    circles = picture.locator("circle").evaluate_all("all => all.map(e => [e.cx.baseVal.value, e.cy.baseVal.value])")
    texts = picture.locator("text").evaluate_all(
        "all => all.map(e => [e.textContent, e.x.baseVal[0].value, e.y.baseVal[0].value, e.getAttribute('class')])"
    )
    ys = {float(t): y - 4 for t, _, y, kind in texts if kind == "al-chart-left"}
    xs = {float(t): x for t, x, _, kind in texts if kind == "al-chart-middle" and t != "update"}
    line = {axis: np.frombuffer(scene["lines"][0][axis], "<f4") for axis in "xy"}
    assert len(circles) == 20
    for k, (x, y) in enumerate(circles):
        assert np.interp(line["x"][k], *zip(*sorted(xs.items()), strict=True)) == pytest.approx(x, abs=0.6)
        assert np.interp(line["y"][k], *zip(*sorted(ys.items()), strict=True)) == pytest.approx(y, abs=0.6)


def test_the_heatmap_shows_the_chosen_array_after_the_chosen_update(
    trained: Trained, monitor_page: Callable[..., Page]
) -> None:
    page = monitor_page()
    trained.step(12)
    trained.wire.connect(page)
    menu(page).get_by_label("parameter", exact=True).select_option("/predictor/l1/W")
    trained.wire.settle()
    menu(page).press("Escape")
    slider = page.get_by_role("slider", name="past states")
    slider.focus()
    page.keyboard.press("Home")
    trained.wire.settle()
    assert page.locator(".al-past h3").text_content() == "After update 1"
    page.keyboard.press("ArrowRight")
    trained.wire.settle()
    grad = trained.monitor.states[1].gradients["/predictor/l1/W"].values
    colors = page.locator(".al-heatmap canvas").first.evaluate(
        "c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]"
    )
    cells = np.array(colors).reshape(3, 8, 4)[..., :3]
    place = np.unravel_index(np.abs(grad).argmax(), grad.shape)
    end = STOPS["light"][-1 if grad[place] > 0 else 0]
    assert f"rgb({', '.join(map(str, cells[place]))})" == rgb(end)
    page.locator(".al-heatmap canvas").first.focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")  # to the second cell
    text = page.locator(".al-past .al-readout").text_content() or ""
    assert text.startswith("[0, 1] = ") and float(text.split("= ")[1].replace("−", "-")) == pytest.approx(
        grad[0, 1], rel=1e-4
    )
    assert page.locator(".al-chart-mark").count() == page.locator(".al-chart").count(), "all charts mark the place"

    trained.step(3)  # the past stays where it was put
    trained.wire.settle()
    assert page.locator(".al-past h3").text_content() == "After update 2"
    slider.press("End")
    trained.wire.settle()
    assert trained.view.look["at"] is None  # the last is the latest, also of those that come
    slider.press("Home")
    trained.wire.settle()
    menu(page).get_by_role("button", name=trained.view.words["latest"]).click()
    trained.wire.settle()
    assert page.locator(".al-past h3").text_content() == "After update 15"
    page.get_by_label("parameter, gradient").select_option("value")
    trained.wire.settle()
    shown = (page.locator(".al-past .al-readout").text_content() or "").replace("−", "-")
    weights = trained.model.predictor.l1.W.data
    assert [float(part) for part in shown.split(" to ")] == pytest.approx([weights.min(), weights.max()], rel=1e-3)


def test_stop_ends_the_loop(trained: Trained, monitor_page: Callable[..., Page]) -> None:
    page = monitor_page()
    trained.wire.connect(page)
    begin(trained)
    assert trained.step() is True
    trained.wire.settle()
    page.get_by_role("button", name="Stop").click()
    trained.wire.settle()
    assert said(page).startswith("Stopping after this update: update 1, ")
    assert page.get_by_role("button", name="Stop").is_disabled()
    assert trained.step() is False
    trained.wire.settle()
    assert said(page).startswith("Stopped by you: update 2, ") and page.locator(".al-stop").is_hidden()
    assert page.get_by_role("slider", name="past states").is_visible(), "it takes the place of Stop"
    assert trained.step() is True, "the next loop begins anew"


def test_without_a_kernel_nothing_is_offered_and_a_paint_wakes_it(
    trained: Trained, monitor_page: Callable[..., Page]
) -> None:
    page = monitor_page()
    page.clock.install()
    begin(trained)
    trained.step(3)
    trained.wire.connect(page)
    stop, chosen = page.get_by_role("button", name="Stop"), page.get_by_label("parameter", exact=True)
    menu(page)
    assert stop.is_visible() and chosen.is_enabled()
    page.clock.fast_forward(5000)  # nobody has answered: it may come from a saved notebook
    assert said(page) == trained.view.words["saved"]
    assert stop.is_hidden() and chosen.is_disabled()
    assert page.get_by_role("slider", name="past states").is_disabled()
    trained.step()
    trained.wire.deliver()  # the cell that trains keeps the kernel busy, but paints
    assert stop.is_visible() and chosen.is_enabled()
    assert said(page).startswith("Running: update 4, ")


def read_off(page: Page) -> tuple[float, int]:
    """The loss and its step in the legend, as numbers: whether a rounded one ends in 0 depends on the machine."""
    value, step = legend(page, "loss")["loss"].split(" at ")
    return float(value), int(step)


def at_step(trained: Trained, step: int) -> tuple[float, int]:
    return float(f"{trained.monitor.curves['loss'].points[step - 1][1]:.4g}"), step


def test_the_pointer_and_the_keys_read_a_chart(trained: Trained, monitor_page: Callable[..., Page]) -> None:
    page = monitor_page()
    trained.step(20)
    trained.wire.connect(page)
    page.wait_for_selector(".al-chart-picture .al-chart-line", state="attached")
    picture = page.locator(".al-chart-picture").first
    picture.focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    assert read_off(page) == at_step(trained, 18)
    box = picture.bounding_box()
    assert box
    page.mouse.move(box["x"] + 59, box["y"] + 40)
    assert read_off(page) == at_step(trained, 1)


def test_a_nan_is_a_gap_and_the_keys_stop_at_the_ends(trained: Trained, monitor_page: Callable[..., Page]) -> None:
    page = monitor_page()
    for loss in (1.0, float("nan"), 3.0):
        trained.monitor.update(loss=loss)
    trained.wire.connect(page)
    page.wait_for_selector(".al-chart-picture .al-chart-line", state="attached")
    picture = page.locator(".al-chart-picture").first
    drawn = picture.locator(".al-chart-line").get_attribute("d") or ""
    assert re.sub("[^A-Z]", "", drawn) == "MM" and picture.locator("circle").count() == 2
    for keys, read in ((9 * ["ArrowLeft"], "1 at 1"), (["ArrowRight"], "NaN at 2"), (9 * ["ArrowRight"], "3 at 3")):
        for key in keys:
            picture.press(key)
        assert legend(page, "loss") == {"loss": read}
    page.mouse.move(0, 0)
    box = picture.bounding_box()
    assert box
    page.mouse.move(box["x"] + 2, box["y"] + 40)  # left of the first
    assert legend(page, "loss") == {"loss": "1 at 1"}


@pytest.mark.parametrize(("width", "presented"), [(1280, False), (700, False), (480, False), (1280, True)])
def test_nothing_overlaps_or_is_cut_off(
    trained: Trained, monitor_page: Callable[..., Page], width: int, presented: bool
) -> None:
    page = monitor_page(viewport={"width": width, "height": 900})
    begin(trained)
    trained.step(30)
    trained.wire.connect(page)
    if presented:
        menu(page).get_by_role("button", name="Present").click()
        page.wait_for_timeout(200)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate(MISPLACED) == []
    assert page.evaluate(OVERLAPPING) == []
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_a_click_on_a_curve_opens_the_state_after_that_update(
    trained: Trained, monitor_page: Callable[..., Page]
) -> None:
    page = monitor_page()
    begin(trained)
    trained.step(20)
    trained.view.end()
    trained.wire.connect(page)
    picture = page.locator(".al-chart-picture").nth(1)
    box = picture.bounding_box()
    assert box
    page.mouse.click(box["x"] + 58 + (box["width"] - 70) * 5 / 20, box["y"] + 40)
    trained.wire.settle()
    assert page.locator(".al-past h3").text_content() == "After update 5"
    assert said(page) == "After update 5 of 20."
    page.get_by_role("button", name="Show the latest state", include_hidden=True).dispatch_event("click")
    trained.wire.settle()
    assert said(page).startswith("At update 20, ") and say("monitor_click") not in said(page)
    page.get_by_role("button", name="Close").click()
    trained.wire.settle()
    assert said(page).endswith(say("monitor_click"))
    assert page.locator(".al-past").is_hidden() and page.locator(".al-chart-mark").count() == 0
    for key in ("ArrowLeft", "ArrowLeft", "Enter"):  # the same by keys
        picture.press(key)
    trained.wire.settle()
    assert page.locator(".al-past h3").text_content() == "After update 19"


@pytest.mark.parametrize("opened", [False, True])
def test_the_view_is_no_higher_than_the_window(
    trained: Trained, monitor_page: Callable[..., Page], opened: bool
) -> None:
    page = monitor_page(viewport={"width": 1120, "height": 640})
    begin(trained)
    trained.step(30)
    trained.view.end()
    trained.wire.connect(page)
    if opened:
        page.locator(".al-chart-picture").first.click()
        trained.wire.settle()
        page.locator(".al-past").wait_for()
    box = page.locator(".al-root").bounding_box()
    assert box and 500 < box["height"] < 640


def test_what_stays_the_same_is_a_level_line(trained: Trained, monitor_page: Callable[..., Page]) -> None:
    page = monitor_page()
    for _ in range(5000):
        trained.monitor.update(rate=0.1)
    trained.wire.connect(page)
    line = told(trained.view, "training")["charts"][0]
    assert line["y"]["lo"] < np.frombuffer(line["lines"][0]["y"], "<f4").min() < line["y"]["hi"]


def test_the_theme_is_followed(trained: Trained, monitor_page: Callable[..., Page]) -> None:
    page = monitor_page()
    trained.step(5)
    trained.wire.connect(page)
    line = page.locator(".al-chart-picture .al-chart-line").first
    assert line.evaluate("e => getComputedStyle(e).stroke") == rgb(LINES["light"][0])
    page.evaluate(DARK)
    page.wait_for_function(f"e => getComputedStyle(e).stroke === '{rgb(LINES['dark'][0])}'", arg=line.element_handle())


def test_names_are_data(trained: Trained, monitor_page: Callable[..., Page]) -> None:
    page = monitor_page()
    trained.monitor.update(**{"<img src=x onerror=alert(1)>": 1.0, "loss": 2.0})
    trained.wire.connect(page)
    assert page.locator("img").count() == 0
    assert "<img" in (page.locator(".al-charts").text_content() or "")


def test_views_leave_nothing_behind(trained: Trained, monitor_page: Callable[..., Page]) -> None:
    page = monitor_page()
    trained.step(3)
    trained.wire.connect(page, views=2)
    trained.wire.settle()
    for k in (0, 1):
        page.evaluate("k => host.removeView(k)", k)
    page.evaluate("() => host.destroy()")
    assert page.evaluate("() => host.listenerCount()") == 0


def test_a_message_that_is_not_understood_is_told_and_changes_nothing(
    trained: Trained, monitor_page: Callable[..., Page]
) -> None:
    page = monitor_page()
    trained.step(3)
    trained.wire.connect(page)
    for message in ({"do": "look", "look": {}}, {"do": "fly"}, asking(None, "/x", "all"), asking("1", "", "value")):
        trained.view._tell(error=None)
        trained.wire._handle({**message, "seq": 1})
        assert page.get_by_role("alert").is_visible()
    shown = told(trained.view, "state")
    assert shown["path"] == "/predictor/l0/W" and shown["which"] == "gradient"


def test_an_update_is_small(trained: Trained) -> None:
    for i in range(400):
        trained.monitor.update(**{f"{name}/{k}": i / 7 for name in ("loss", "accuracy", "rate") for k in range(8)})
    trained.view.paint()
    trained.wire.comm.outbox.clear()
    trained.view.send_state(["numbers"])
    message = trained.wire.comm.outbox.pop()
    size = len(str(message["data"])) + sum(len(text) for _, text in message["buffers"])
    assert size <= 256_000
