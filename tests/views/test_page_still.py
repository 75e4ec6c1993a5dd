"""Nothing under a pointer moves by a click: a press, a wait and the release find the same thing in the same place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from ipywidgets import comm as widget_comm
from playwright.sync_api import Page

import autolab
from autolab import functions as F
from autolab import links as L

from .bare_page import RecordingComm, Wire, laid_out, serve
from .test_page_axe import explorer
from .test_page_frame import VIEWS

pytestmark = pytest.mark.browser


class Block(autolab.Link):
    """Two layers and what goes around them."""

    def __init__(self) -> None:
        super().__init__()
        self.up, self.down = L.Linear(4, 8), L.Linear(8, 4)

    def forward(self, x: autolab.Variable) -> autolab.Variable:
        return x + self.down(F.gelu(self.up(x)))


class Blocks(autolab.Link):
    """A net that is drawn as a plan, whose blocks a click opens: the fourth opens more boxes than fit."""

    def __init__(self) -> None:
        super().__init__()
        self.inside, self.blocks = L.Linear(3, 4), L.ChainList(*[Block() for _ in range(6)])

    def forward(self, x: autolab.Variable) -> autolab.Variable:
        h = self.inside(x)
        for block in self.blocks:
            h = block(h)
        return (h**2).mean()


def layer(x: Any, w: Any) -> Any:
    h = np.tanh(x @ w)
    return (h * h).sum()


MORE: dict[str, tuple[Callable[[], Any], str]] = {
    "arrays": (explorer(layer, x=np.eye(3, 4), w=np.ones((4, 2))), "explorer"),
    "blocks": (explorer(Blocks(), x=np.ones((5, 3))), "explorer"),
    "orders": (explorer(lambda x: np.sin(x) * x, {"order": 2}, x=1.0), "explorer"),
    "invalid": (explorer(lambda x: np.log(x) * x, x=-1.0), "explorer"),
}
MARK = """() => {
  const seen = (e) => e.checkVisibility() && e.getClientRects().length && !e.closest('[data-still]');
  const all = '.al-view :is(button, summary, input, select, a, [tabindex], .al-node, .al-tab, .al-heat-frame canvas)';
  return [...document.querySelectorAll(all)].filter(seen).map((e) => {
    e.dataset.still = window.still = (window.still ?? 0) + 1;
    const name = e.getAttribute('aria-label') ?? e.textContent;
    return [e.dataset.still, `${e.tagName}.${e.getAttribute('class')} ${name}`];
  });
}"""
PLACE = """(k) => {
  const e = document.querySelector(`[data-still="${k}"]`);
  if (!e?.checkVisibility() || !e.getClientRects().length) return null;
  const { left, top, width, height } = e.getBoundingClientRect();
  return [left, top, width, height];
}"""
TERMS = "document.querySelector('.al-by-terms') !== null"
"""Derivatives term by term: the first step of a walk puts the graphs in their place, which have another height."""
ELSEWHERE = (" Order ", "Copy point")
"""The choice of the order goes above the graphs once there are several; what was copied is shown until the next act."""
UNDER = "([x, y]) => document.elementFromPoint(x, y)?.closest('[data-still]')?.dataset.still ?? null"


SIZES = {"beside": {"width": 1366, "height": 768}, "below": {"width": 900, "height": 800}}
"""Where the answer of a box is."""


@pytest.fixture(params=["beside", pytest.param("below", marks=pytest.mark.full)])
def size(request: pytest.FixtureRequest) -> dict[str, int]:
    return SIZES[request.param]


OFTEN = ("graph", "orders", "check", "arrays")
"""The views that are clicked at in every run; in the full one all are."""


@pytest.fixture(
    params=[pytest.param(name, marks=[] if name in OFTEN else pytest.mark.full) for name in (*VIEWS, *MORE)]
)
def opened(
    request: Any, page: Page, size: dict[str, int], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> Iterator[tuple[Page, Wire]]:
    monkeypatch.setattr(widget_comm, "create_comm", RecordingComm)
    monkeypatch.chdir(tmp_path)
    make, module = (VIEWS | MORE)[request.param]
    page.set_viewport_size(size)  # type: ignore[arg-type]
    serve(page, module)
    view = make()
    wire = Wire(view)
    wire.connect(page)
    wire.settle()
    page.evaluate("document.body.append(Object.assign(document.createElement('p'), { style: 'height: 900px' }))")
    yield page, wire  # as in a notebook, something follows the view
    view.close()


def still(page: Page, wire: Wire, which: str) -> str:
    """Press on something, wait, and release: what has moved meanwhile, in words."""
    page.evaluate(f"document.querySelector('[data-still=\"{which}\"]')?.scrollIntoView({{ block: 'nearest' }})")
    laid_out(page)
    before = page.evaluate(PLACE, which)
    if before is None:
        return ""  # a click on something else has taken it away
    middle = [before[0] + before[2] / 2, before[1] + before[3] / 2]
    page.mouse.move(*middle)
    wire.settle()
    laid_out(page)
    if page.evaluate(UNDER, middle) != which:
        return ""  # it lies below something else
    before = page.evaluate(PLACE, which)
    page.mouse.down()
    wire.settle()
    laid_out(page)
    held, found = page.evaluate(PLACE, which), page.evaluate(UNDER, middle)
    page.mouse.up()
    wire.settle()
    laid_out(page)
    after = page.evaluate(PLACE, which) or before
    page.keyboard.press("Escape")
    wire.settle()
    moved = [max(abs(a - b) for a, b in zip(before[:2], place[:2], strict=True)) > 0.6 for place in (held, after)]
    return f"{before} {held} {after}" if any(moved) or found != which else ""


def test_nothing_under_the_pointer_moves_by_a_click(opened: tuple[Page, Wire]) -> None:
    page, wire = opened
    moved = {}
    for which, name in page.evaluate(MARK):
        if (why := still(page, wire, which)) and not ("al-tool" in name and page.evaluate(TERMS)):
            moved[name] = why
    assert moved == {}


@pytest.mark.full
def test_nothing_in_the_menu_moves_by_a_click(opened: tuple[Page, Wire]) -> None:
    page, wire = opened
    page.evaluate(MARK)
    page.locator(".al-menu > summary").first.click()
    page.wait_for_function("document.querySelector('.al-menu-panel').style.translate")
    moved = {}
    for which, name in page.evaluate(MARK):
        if page.locator(".al-menu[open]").count() == 0:
            page.locator(".al-menu > summary").first.click()
            page.wait_for_function("document.querySelector('.al-menu-panel').style.translate")  # it has been fitted
        laid_out(page)
        if not any(word in name for word in ELSEWHERE) and (why := still(page, wire, which)):
            moved[name] = why
    assert moved == {}


def test_the_share_along_a_line_of_arrays_is_told(page: Page, open_view: Any) -> None:
    wire = open_view(layer, x=np.eye(3, 4), w=np.ones((4, 2)))
    for edge in page.locator(".al-edge").all():
        before = page.locator(".al-picture").bounding_box()
        edge.dispatch_event("click")
        wire.settle()
        assert "The share along this line" in page.locator(".al-detail").inner_text()
        assert page.locator(".al-picture").bounding_box() == before
