"""Room on the page: numbers fit into their cells, graph and calculation onto one screen, buttons are told apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from autolab import functions as F
from autolab.views.draw.numbers import number

from ..bare_page import Wire, menu, pinned
from ..looking import seen

pytestmark = pytest.mark.browser
CLIPPED = """what => [...document.querySelectorAll(what)].filter((cell) => {
  const text = document.createRange(), grid = cell.parentElement;
  text.selectNodeContents(cell);
  const room = grid.clientWidth / getComputedStyle(grid).gridTemplateColumns.split(' ').length;
  return text.getBoundingClientRect().width > room + 0.5;
}).map((cell) => cell.textContent)"""
HEIGHTS = "() => ['.al-pane', '.al-side'].map((part) => document.querySelector(part).offsetHeight)"


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
    pinned(page)
    assert page.evaluate(CLIPPED, ".al-cell") == []
    menu(page).get_by_role("button", name="Pin inputs").click()
    menu(page).get_by_role("button", name="To the first step").click()
    wire.settle()
    for _ in range(seen(wire.widget).plan["count"] - 1):
        page.get_by_role("button", name="One step on").click()
        wire.settle()
        assert sum(page.evaluate(HEIGHTS)) <= 900 if width < 750 else max(page.evaluate(HEIGHTS)) <= 750
        assert page.evaluate(CLIPPED, ".al-sheet .al-numbers span") == []
    side = page.locator(".al-side")
    reach = "e => e.scrollHeight <= e.clientHeight || getComputedStyle(e).overflowY === 'auto'"
    assert side.evaluate(reach), "what is below can be scrolled to"


def test_the_shape_of_an_empty_array_is_written_out_beside_that_of_its_gradient(page: Page, explorer: Any) -> None:
    wire = Wire(explorer(lambda x: x * 2, x=np.zeros((0, 3))))
    wire.connect(page)
    wire.settle()
    texts = page.locator(".al-node .al-small", has_text="empty")
    assert texts.all_text_contents() == 4 * ["empty (0, 3)"]
    boxes = [one.bounding_box() for one in texts.all()]
    for value, gradient in zip(boxes[::2], boxes[1::2], strict=True):
        assert value and gradient and value["x"] + value["width"] < gradient["x"]


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
    assert "−0.737" in pinned(page).locator(".al-cell").all_text_contents()
    assert page.evaluate(CLIPPED, ".al-cell") == []


def test_every_button_of_the_player_has_its_own_sign_and_says_what_it_does(
    page: Page, open_view: Callable[..., Wire]
) -> None:
    open_view(lambda x: x * x, x=2.0)
    buttons = page.locator(".al-keys .al-tool")
    signs = buttons.locator("path").evaluate_all("all => all.map((path) => path.getAttribute('d'))")
    assert len(signs) == len(set(signs)) == 5
    assert buttons.evaluate_all("all => all.map((b) => b.title)") == [
        "One step back",
        "Play",
        "One step on",
        "To the first step",
        "Show every step",
    ]
    play = page.get_by_role("button", name="Play", exact=True)
    play.click()
    paused = page.get_by_role("button", name="Pause")
    assert paused.locator("path").get_attribute("d") not in signs and paused.get_attribute("title") == "Pause"


def test_the_buttons_of_the_zoom_stand_in_the_menu_and_over_no_part_of_the_picture(
    page: Page, open_view: Callable[..., Wire]
) -> None:
    open_view(lambda x: x * x, x=2.0)
    picture = page.locator(".al-picture")
    before = float(picture.get_attribute("width") or 0)
    assert page.locator(".al-graph .al-tools").count() == 0
    menu(page).get_by_role("button", name="Zoom in").click()
    assert float(picture.get_attribute("width") or 0) > before
    page.keyboard.press("Escape")
    assert page.get_by_role("button", name="Zoom in").count() == 0


LINES = """text => {
  const words = document.createTextNode(text), range = document.createRange(), lines = {};
  document.body.appendChild(Object.assign(document.createElement('p'), { style: 'width: 1px' })).append(words);
  for (let i = 0; i < text.length; i++) {
    range.setStart(words, i);
    range.setEnd(words, i + 1);
    const { top, width } = range.getBoundingClientRect();
    if (width) lines[top] = (lines[top] ?? '') + text[i];
  }
  return Object.entries(lines).sort(([a], [b]) => a - b).map(([, line]) => line.trim());
}"""


@pytest.mark.parametrize("value", [6.94e-18, -1.2e-300, -0.5])
def test_a_number_never_ends_a_line_in_the_middle(page: Page, value: float) -> None:
    assert page.evaluate(LINES, f"is {number(value)} here") == ["is", number(value), "here"]


SPLIT = """() => [...document.querySelectorAll('.al-what')].filter((words) => {
  const wide = document.createRange();
  return words.textContent.split(' ').some((word) => {
    wide.setStart(words.firstChild, words.textContent.indexOf(word));
    wide.setEnd(words.firstChild, words.textContent.indexOf(word) + word.length);
    return new Set([...wide.getClientRects()].map((line) => line.top)).size > 1;
  });
}).map((words) => words.textContent)"""


@pytest.mark.parametrize("width", [480, 850, 1280])
def test_the_words_of_a_calculation_are_not_split(new_page: Callable[..., Page], explorer: Any, width: int) -> None:
    page = new_page(viewport={"width": width, "height": 900})
    wire = Wire(
        explorer(lambda img, k: F.relu(F.conv2d(img, k, padding=1)), img=numbers(1, 1, 6, 6), k=numbers(2, 1, 3, 3))
    )
    wire.connect(page)
    menu(page).get_by_role("button", name="To the first step").click()
    for _ in range(seen(wire.widget).plan["count"] - 1):
        page.get_by_role("button", name="One step on").click()
        wire.settle()
        assert page.evaluate(SPLIT) == []
        assert page.locator(".al-sheet-body").evaluate("e => e.scrollWidth <= e.clientWidth")


@pytest.mark.parametrize("width", [700, 850, 1280])
def test_the_player_stays_where_it_is_when_the_walk_begins(
    new_page: Callable[..., Page], explorer: Any, width: int
) -> None:
    page = new_page(viewport={"width": width, "height": 900})
    wire = Wire(explorer(reused, x=numbers(2, 2), W=numbers(2, 2)))
    wire.connect(page)
    keys, track = page.locator(".al-player .al-keys"), page.locator(".al-track")

    def between() -> float:
        return track.bounding_box()["y"] - keys.bounding_box()["y"]

    before = between()
    page.get_by_role("button", name="One step back").click()
    wire.settle()
    assert between() == before


def cares_for_names(activations_of_the_hidden_layer: Any, weights_of_the_output_layer: Any) -> Any:
    weighted_activations = activations_of_the_hidden_layer * weights_of_the_output_layer
    squared_weighted_activations = weighted_activations * weighted_activations
    return squared_weighted_activations * activations_of_the_hidden_layer


def test_the_longest_sentences_of_a_walk_are_seen_whole(new_page: Callable[..., Page], explorer: Any) -> None:
    page = new_page(viewport={"width": 708, "height": 900})
    inputs = {"activations_of_the_hidden_layer": -1.23456, "weights_of_the_output_layer": 0.98765}
    wire = Wire(explorer(cares_for_names, **inputs))
    wire.connect(page)
    sentence, lines = page.locator(".al-sentence"), list[float]()
    for _ in range(seen(wire.widget).plan["count"] - 1):
        page.get_by_role("button", name="One step on").click()
        wire.settle()
        lines.append(sentence.evaluate("e => e.scrollHeight / parseFloat(getComputedStyle(e).lineHeight)"))
        assert sentence.evaluate("e => e.scrollHeight <= e.clientHeight"), sentence.inner_text()
    assert max(lines) > 2.5, "none of them is long"
