"""A net drawn unit by unit while it learns, on a bare page: the pictures, lines and numbers are those of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from ipywidgets import comm as widget_comm
from playwright.sync_api import Page, expect

from autolab import functions as F
from autolab import links as L
from autolab import optimizers, using_config
from autolab.training import monitor as monitor_module
from autolab.training.extensions import LiveMonitor
from autolab.views.monitor.view import MonitorView

from ..bare_page import RecordingComm, Wire, menu, serve
from ..looking import told, turn

pytestmark = pytest.mark.browser

PIXELS = """e => [...e.getContext('2d').getImageData(0, 0, e.width, e.height).data]"""


def moons(count: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Two half circles, one in the other."""
    rng = np.random.default_rng(0)
    t = np.arange(count) % 2
    angle = rng.uniform(0, np.pi, count)
    x = np.stack([np.cos(angle) + t - 0.5, np.where(t, 0.25 - np.sin(angle), np.sin(angle) - 0.25)], axis=1)
    return (x + rng.normal(0, 0.08, x.shape)).astype(np.float32), t


class Learning:
    def __init__(self, net: L.Link, classes: int = 2) -> None:
        self.x, self.t = moons()
        self.t = self.t if classes == 2 else np.arange(len(self.t)) % classes
        self.model = L.Classifier(net)
        with using_config("rng", np.random.default_rng(1)):
            self.model(self.x, self.t)  # draws the weights
        self.optimizer = optimizers.Adam(0.05).setup(self.model)
        self.monitor = LiveMonitor(self.model, boundary=(self.x, self.t))
        self.monitor._keeping.spend = lambda *args, **options: None  # type: ignore[method-assign]
        self.view = self.monitor._view = MonitorView(self.monitor)
        self.wire = Wire(self.view)

    def step(self, count: int) -> None:
        for _ in range(count):
            self.monitor.update(loss=self.optimizer.update(self.model, self.x, self.t))


@pytest.fixture
def learning(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Learning]]:
    monkeypatch.setattr(widget_comm, "create_comm", RecordingComm)
    monkeypatch.setattr(monitor_module, "INTERVAL", 0.0)
    made: list[Learning] = []
    yield lambda *args: made.append(Learning(*args)) or made[-1]  # type: ignore[func-returns-value]
    for one in made:
        one.monitor.close()


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    made = new_page()
    made.unroute_all()
    serve(made, "monitor")
    return made


def show(page: Page, one: Learning) -> None:
    """The latest state beside the curves."""
    menu(page).get_by_role("button", name=one.view.words["latest"]).click()
    one.wire.settle()
    menu(page).press("Escape")


def test_units_weights_and_gradients_are_those_of_the_net(learning: Callable[..., Learning], page: Page) -> None:
    one = learning(L.MLP((4, 3, 2), activation=F.tanh))
    one.wire.connect(page)
    expect(page.locator(".al-boundary")).to_be_hidden()
    one.step(40)
    one.wire.settle()
    show(page, one)
    units = page.locator(".al-net-unit")
    assert units.count() == 2 + 4 + 3 + 2
    assert page.locator(".al-net-lines path").count() == 2 * 4 + 4 * 3 + 3 * 2
    net = told(one.view, "boundary")
    side = told(one.view, "examples")["side"]
    x = np.array(told(one.view, "examples")["x"], np.float32)
    low, high = [np.array(told(one.view, "examples")[name]) for name in ("low", "high")]
    hidden = np.tanh(x @ one.model.predictor.l0.W.data.T + one.model.predictor.l0.b.data)
    row = np.rint((high[1] - x[:, 1]) / (high[1] - low[1]) * (side - 1)).astype(int)
    column = np.rint((x[:, 0] - low[0]) / (high[0] - low[0]) * (side - 1)).astype(int)
    for unit in range(4):  # what a unit hands on for an example is near what its picture has in its place
        picture = np.frombuffer(net["columns"][1]["pictures"][unit], "<f4").reshape(side, side)
        assert np.abs(picture[row, column] - hidden[:, unit]).max() < 0.35
        assert np.corrcoef(picture[row, column], hidden[:, unit])[0, 1] > 0.99

    page.get_by_role("button", name="The result of l1[2]").click()
    rows = page.locator(".al-net-table tr").evaluate_all("all => all.map(e => [...e.children].map(c => c.innerText))")
    assert [r[0] for r in rows] == ["from", "l0[0]", "l0[1]", "l0[2]", "l0[3]", "bias"]
    l1 = one.model.predictor.l1
    shown = [[float(text.replace("\u2212", "-")) for text in r[1:]] for r in rows[1:]]
    assert np.allclose([r[0] for r in shown], [*l1.W.data[2], l1.b.data[2]], rtol=0.01)
    assert np.allclose([r[1] for r in shown], [*l1.W.grad.data[2], l1.b.grad.data[2]], rtol=0.01, atol=1e-9)
    faint = page.locator(".al-net-lines path[opacity]").count()
    assert faint == 2 * 4 + 4 * 3 + 3 * 2 - 4
    page.get_by_role("button", name="Back to the result").click()
    expect(page.locator(".al-net-table")).to_be_hidden()


def test_the_line_parts_the_classes_as_the_net_does(learning: Callable[..., Learning], page: Page) -> None:
    one = learning(L.MLP((6, 2), activation=F.tanh))
    one.step(150)
    one.wire.connect(page)
    show(page, one)
    side = told(one.view, "examples")["side"]
    result = np.frombuffer(told(one.view, "boundary")["result"], "<f4").reshape(side, side)
    low, high = [np.array(told(one.view, "examples")[name]) for name in ("low", "high")]
    scores = one.model.predictor(np.array([[low[0], high[1]], [high[0], low[1]]], np.float32)).data
    assert np.allclose([result[0, 0], result[-1, -1]], scores[:, 1] - scores[:, 0], rtol=1e-4)
    ends = page.locator(".al-net-zero").evaluate(
        "e => e.getAttribute('d').split('M').slice(1).flatMap(p => p.split('L').map(q => q.split(' ').map(Number)))"
    )
    assert len(ends) > 20
    for across, down in ends:
        i, j = [max(0.0, at / 100 * side - 0.5) for at in (down, across)]
        near = result[int(np.floor(i)) : int(np.ceil(i)) + 1, int(np.floor(j)) : int(np.ceil(j)) + 1]
        assert near.min() <= 1e-6 and near.max() >= -1e-6
    assert page.locator(".al-net-point[stroke]").count() == 60


def test_a_past_state_is_drawn_with_its_own_numbers(learning: Callable[..., Learning], page: Page) -> None:
    one = learning(L.MLP((3, 2)))
    one.step(1)
    first = one.model.predictor.l0.W.data.copy()
    one.step(60)
    one.wire.connect(page)
    show(page, one)
    canvas = page.locator(".al-net-unit canvas").nth(2)
    latest = canvas.evaluate("e => e.toDataURL()")
    slider = page.get_by_role("slider", name="past states")
    slider.focus()
    page.keyboard.press("Home")
    one.wire.settle()
    assert np.allclose(told(one.view, "boundary")["columns"][1]["weights"], first, rtol=1e-5)
    assert canvas.evaluate("e => e.toDataURL()") != latest
    show(page, one)
    one.wire.settle()
    assert canvas.evaluate("e => e.toDataURL()") == latest


def test_three_classes_have_three_colours_and_no_line(learning: Callable[..., Learning], page: Page) -> None:
    one = learning(L.MLP((4, 3)), 3)
    one.step(30)
    one.wire.connect(page)
    show(page, one)
    assert page.locator(".al-net-zero").count() == 0
    strokes = page.locator(".al-net-point[stroke]").evaluate_all("all => all.map(e => e.getAttribute('stroke'))")
    assert set(strokes) == {f"var(--al-line{k})" for k in range(3)}
    result = np.frombuffer(told(one.view, "boundary")["result"], "<f4")
    pixels = np.array(page.locator(".al-net-plane").evaluate(PIXELS)).reshape(-1, 4)
    assert len({tuple(p) for p in pixels.tolist()}) == len(set(result.tolist()))


def test_a_net_that_is_no_chain_says_why_it_is_not_drawn(learning: Callable[..., Learning], page: Page) -> None:
    class Twice(L.Chain):
        def forward(self, x: Any) -> Any:
            return self.b(F.concatenate([self.a(x), x], axis=1))

    one = learning(Twice(a=L.Linear(2, 3), b=L.Linear(5, 2)))
    one.step(3)
    one.wire.connect(page)
    show(page, one)
    expect(page.locator(".al-boundary .al-status")).to_contain_text("not one chain")
    assert page.locator(".al-net-unit:visible").count() == 0


def test_without_examples_there_is_no_picture(learning: Callable[..., Learning], page: Page) -> None:
    one = learning(L.MLP((3, 2)))
    one.monitor._boundary = None
    one.step(3)
    turn(one.view, [["training"], ["examples"], ["state", None, "", "gradient"], ["boundary", None]])
    one.wire.connect(page)
    show(page, one)
    expect(page.locator(".al-boundary")).to_be_hidden()
    assert told(one.view, "boundary") is None
