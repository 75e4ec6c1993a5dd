"""Room on the page: numbers fit into their cells, graph and calculation onto one screen, buttons are told apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from autolab import functions as F

from .bare_page import Wire

pytestmark = pytest.mark.browser
CLIPPED = """what => [...document.querySelectorAll(what)].filter((cell) => {
  const text = document.createRange(), grid = cell.parentElement;
  text.selectNodeContents(cell);
  const room = grid.clientWidth / getComputedStyle(grid).gridTemplateColumns.split(' ').length;
  return text.getBoundingClientRect().width > room + 0.5;
}).map((cell) => cell.textContent)"""
HEIGHTS = "() => ['.al-pane', '.al-sheet'].map((part) => document.querySelector(part).offsetHeight)"


def reused(x: Any, W: Any) -> Any:
    h = F.tanh(x @ W)
    s = h * h
    a = s + h
    b = a * h
    return b.sum()


def numbers(*shape: int) -> np.ndarray:
    """Awkward ones to print: of all sizes, and negative."""
    rng = np.random.default_rng(0)
    return rng.normal(size=shape) * 10.0 ** rng.integers(-4, 2, size=shape)


@pytest.mark.parametrize("width", [700, 1280])
def test_numbers_fit_into_cells_and_the_calculation_beside_the_graph(
    new_page: Callable[..., Page], explorer: Any, width: int
) -> None:
    page = new_page(viewport={"width": width, "height": 900})
    wire = Wire(explorer(reused, x=numbers(8, 8), W=numbers(8, 6)))
    wire.connect(page)
    assert page.evaluate(CLIPPED, ".al-cell") == []
    page.get_by_role("button", name="To the first step").click()
    wire.settle()
    for _ in range(wire.widget.plan["count"] - 1):
        page.get_by_role("button", name="One step on").click()
        wire.settle()
        assert sum(page.evaluate(HEIGHTS)) <= 900 if width < 750 else max(page.evaluate(HEIGHTS)) <= 750
        assert page.evaluate(CLIPPED, ".al-sheet .al-numbers span") == []
    body = page.locator(".al-sheet-body")
    assert body.evaluate("e => e.scrollHeight > e.clientHeight"), "there is more, and it can be scrolled to"


@pytest.mark.parametrize("width", [584, 1110, 1300])
def test_five_columns_beside_other_inputs_have_room_for_their_numbers(
    new_page: Callable[..., Page], explorer: Any, width: int
) -> None:
    def layers(x: Any, W: Any, b: Any, V: Any, c: Any) -> Any:
        return (F.tanh(x @ W + b) @ V.T + c).sum()

    shapes = {"x": (4, 3), "W": (3, 5), "b": (5,), "V": (2, 5), "c": (2,)}
    inputs = {name: -0.1 - np.random.default_rng(0).random(shape) for name, shape in shapes.items()}
    page = new_page(viewport={"width": width, "height": 900})
    wire = Wire(explorer(layers, **inputs))
    wire.connect(page)
    assert "−0.737" in page.locator(".al-cell").all_text_contents()
    assert page.evaluate(CLIPPED, ".al-cell") == []


def test_every_button_of_the_player_has_its_own_sign_and_says_what_it_does(
    page: Page, open_view: Callable[..., Wire]
) -> None:
    open_view(lambda x: x * x, x=2.0)
    buttons = page.locator(".al-keys .al-tool")
    signs = buttons.locator("path").evaluate_all("all => all.map((path) => path.getAttribute('d'))")
    assert len(signs) == len(set(signs)) == 5
    assert buttons.evaluate_all("all => all.map((b) => b.title)") == [
        "To the first step",
        "One step back",
        "Play",
        "One step on",
        "Show everything",
    ]
    play = page.get_by_role("button", name="Play")
    play.click()
    paused = page.get_by_role("button", name="Pause")
    assert paused.locator("path").get_attribute("d") not in signs and paused.get_attribute("title") == "Pause"


def fan(x: Any) -> Any:
    parts = [F.sin(x), F.cos(x), F.exp(x), F.tanh(x), F.log(x)]
    return tuple(part * x for part in parts)


UNDER_THE_BUTTONS = """() => {
  const pane = document.querySelector('.al-pane');
  pane.scrollTo({ top: pane.scrollHeight, behavior: 'instant' });
  return [0, pane.scrollWidth].map((left) => {
    pane.scrollTo({ left, behavior: 'instant' });
    const tools = document.querySelector('.al-tools').getBoundingClientRect();
    return [...document.querySelectorAll('.al-node')].filter((node) => {
      const box = node.getBoundingClientRect();
      return box.right > tools.left && box.left < tools.right && box.bottom > tools.top && box.top < tools.bottom;
    }).length;
  });
}"""


@pytest.mark.parametrize("width", [480, 700, 1280])
@pytest.mark.parametrize("fn", [fan, reused])
def test_no_box_lies_under_the_buttons_of_the_zoom(
    new_page: Callable[..., Page], explorer: Any, fn: Callable[..., Any], width: int
) -> None:
    page = new_page(viewport={"width": width, "height": 900})
    inputs = {"x": 0.5} if fn is fan else {"x": numbers(8, 8), "W": numbers(8, 6)}
    Wire(explorer(fn, **inputs)).connect(page)
    page.wait_for_selector(".al-node")
    assert page.evaluate(UNDER_THE_BUTTONS) == [0, 0]
    for button in ("Zoom in", "Zoom in", "Fit the whole graph"):
        page.get_by_role("button", name=button).click()
        assert page.evaluate(UNDER_THE_BUTTONS) == [0, 0], button
