"""How large a graph is drawn at first, where it begins, and what stands below it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.network import Net
from playwright.sync_api import Page, expect

from autolab import functions as F
from autolab import links as L

from ..bare_page import Wire, laid_out, menu, resize
from ..looking import seen

pytestmark = pytest.mark.browser
LEAST = 11.9  # pixels: the smallest letters; of the digits in cells, 1.8 less
MEASURED = """() => {
  const pane = document.querySelector('.al-pane'), picture = document.querySelector('.al-picture');
  const zoom = picture.clientWidth / picture.viewBox.baseVal.width, seen = pane.getBoundingClientRect();
  const inside = (node) => {
    const box = node.getBoundingClientRect();
    const across = box.left >= seen.left - 1 && box.right <= seen.right + 1;
    return across && box.top >= seen.top - 1 && box.bottom <= seen.bottom + 1;
  };
  const words = [...picture.querySelectorAll('text')].filter((text) => text.textContent);
  const first = picture.querySelector('.al-node');
  return {
    zoom, first: inside(first), all: [...picture.querySelectorAll('.al-node')].every(inside),
    letters: Math.min(...words.map((text) => {
      const size = zoom * parseFloat(getComputedStyle(text).fontSize);
      return text.closest('.al-in-cells') && size > 10 ? size + 1.8 : size;
    })),
    map: !document.querySelector('.al-whole').hidden, bottom: seen.bottom, left: pane.scrollLeft,
  };
}"""
WORDS = """() => {
  const shown = [...document.querySelectorAll('.al-picture text:not(.al-plate)')].filter((text) => text.textContent);
  const boxes = shown.map((text) => text.getBoundingClientRect());
  const common = (a, b, from, to) => Math.min(a[to], b[to]) - Math.max(a[from], b[from]);
  const over = (a, b) => common(a, b, 'left', 'right') > 1 && common(a, b, 'top', 'bottom') > 4;
  return [...document.querySelectorAll('.al-picture rect[class^=al-plate]')].flatMap((plate) =>
    shown.filter((_, k) => over(plate.getBoundingClientRect(), boxes[k])).map((text) => text.textContent));
}"""


def small(x: Any, y: Any) -> Any:
    h = x * y
    out = h + x
    return out


def net(x: Any, W1: Any, b1: Any, W2: Any, b2: Any, t: Any) -> Any:
    h = np.tanh(x @ W1 + b1)
    y = h @ W2 + b2
    loss = ((y - t) ** 2).mean()
    return loss


def without_bias(x: Any, W1: Any, W2: Any) -> Any:
    h = np.tanh(x @ W1)
    y = h @ W2
    loss = (y * y).mean()
    return loss


def deep(x: Any, W1: Any, b1: Any, W2: Any, b2: Any, t: Any) -> Any:
    for _ in range(2):
        x = np.tanh(x @ W1 + b1)
        x = x @ W1.T
    y = x @ W1 @ W2 + b2
    return ((y - t) ** 2).mean()


def rnn(xs: Any, Wx: Any, Wh: Any, b: Any) -> Any:
    h = np.zeros(4)
    for x in xs:
        h = np.tanh(x @ Wx + h @ Wh + b)
    loss = (h**2).sum()
    return loss


def normal(**shapes: tuple[int, ...]) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {name: rng.normal(size=shape) for name, shape in shapes.items()}


NET = normal(x=(3, 4), W1=(4, 5), b1=(5,), W2=(5, 2), b2=(2,), t=(3, 2))
STEPS = normal(xs=(30, 3), Wx=(3, 4), Wh=(4, 4), b=(4,))
LAPTOP, CELL, PHONE = {"width": 1280, "height": 800}, {"width": 1100, "height": 800}, {"width": 390, "height": 844}
BESIDE_FILES = {"width": 850, "height": 800}  # JupyterLab's list of files takes the rest of a laptop's screen
LOW, NARROW = {"width": 640, "height": 600}, {"width": 600, "height": 840}
Shown = Callable[..., tuple[Page, Wire]]


@pytest.fixture
def shown(new_page: Callable[..., Page], explorer: Any) -> Shown:
    def make(size: dict[str, int], fn: Any, **inputs: Any) -> tuple[Page, Wire]:
        page = new_page(viewport=size)
        wire = Wire(explorer(fn, **inputs))
        wire.connect(page)
        return page, wire

    return make


@pytest.mark.parametrize("size", [LAPTOP, CELL, PHONE], ids=["laptop", "cell", "phone"])
def test_a_small_graph_is_seen_whole_and_can_be_read(shown: Shown, size: dict[str, int]) -> None:
    page, _ = shown(size, small, x=2.0, y=3.0)
    found = page.evaluate(MEASURED)
    assert found["all"] and not found["map"] and found["letters"] >= LEAST
    assert page.evaluate(WORDS) == []


@pytest.mark.parametrize("size", [LAPTOP, CELL, BESIDE_FILES], ids=["laptop", "cell", "beside files"])
def test_a_net_of_two_layers_is_seen_whole(shown: Shown, size: dict[str, int]) -> None:
    page, wire = shown(size, net, **NET)
    found = page.evaluate(MEASURED)
    assert found["all"] and not found["map"] and found["letters"] >= LEAST - 1 and found["bottom"] < size["height"]
    assert page.evaluate(WORDS) == [] and wire.widget.error is None


@pytest.mark.parametrize("size", [LAPTOP, CELL, PHONE], ids=["laptop", "cell", "phone"])
def test_a_larger_one_begins_with_its_first_box_and_can_be_read(shown: Shown, size: dict[str, int]) -> None:
    page, wire = shown(size, deep, **NET)
    found = page.evaluate(MEASURED)
    assert found["letters"] == pytest.approx(12.0, abs=0.1) and not found["all"]
    assert found["first"] or size is PHONE
    assert found["map"] == (size is not PHONE), "a map in a narrow pane takes more than it gives"
    assert found["bottom"] < size["height"], "nobody has to scroll the page to see the graph"
    menu(page).get_by_role("button", name="Fit the whole graph").click()
    assert page.evaluate(MEASURED)["all"]
    expect(page.locator(".al-whole")).to_be_hidden()
    assert page.evaluate(WORDS) == [] and wire.widget.error is None


def sequential(layers: int) -> L.Sequential:
    return L.Sequential(*[part for _ in range(layers) for part in (L.Linear(4, 4), F.tanh)][:-1])


def test_what_lessons_begin_with_is_whole_on_a_projector_also_when_it_is_presented(shown: Shown) -> None:
    """At 1366 x 768, in letters of 10 pixels or more, with the player: nets that are too high go on at the top."""
    x = normal(x=(3, 4))["x"]
    programs: dict[str, tuple[Any, dict[str, np.ndarray]]] = {
        "two layers": (net, NET),
        "attention": (attention, normal(q=(5, 4), k=(5, 4), v=(5, 4))),
        **{f"Sequential of {layers}": (sequential(layers), {"x": x}) for layers in (2, 3, 4)},
        "heads": (L.MultiHeadAttention(4, 2), {"x": x[None]}),
        "a block": (L.TransformerEncoderLayer(4, heads=2, hidden=8, norm_first=True), {"x": x[None]}),
        "many blocks": (Net(blocks=4), {"x": normal(x=(5, 3))["x"]}),
    }
    failed = {}
    for name, (fn, inputs) in programs.items():
        page, wire = shown({"width": 1366, "height": 768}, fn, **inputs)
        for way in ("at first", "presented"):
            if way == "presented":
                menu(page).get_by_role("button", name="Present").click()
                page.wait_for_function("() => document.querySelector('.al-present')")
            wire.settle()
            laid_out(page)
            found, foot = page.evaluate(MEASURED), page.locator(".al-foot").bounding_box()
            if not (found["all"] and found["letters"] >= 9.9 and foot and foot["y"] + foot["height"] <= 768.5):
                failed[name, way] = found, foot
    assert failed == {}


def test_the_page_draws_the_graph_as_its_room_permits(shown: Shown) -> None:
    """With numbers in the cells where they fit, in the other direction where only that is whole; and anew for another
    room, with what is selected and what can be dragged."""
    page, wire = shown({"width": 1366, "height": 768}, lambda X, W: X @ W, **normal(X=(3, 5), W=(5, 4)))
    numbers = page.locator(".al-in-cells text")
    found = page.evaluate(MEASURED)
    assert found["all"] and found["letters"] >= LEAST and numbers.count() == 2 * (15 + 20 + 12)
    page.locator(".al-node").first.click()
    wire.settle()
    for width, count in ((560, 0), (1366, 94)):
        resize(page, width, 768)
        page.wait_for_function(f"() => document.querySelectorAll('.al-in-cells text').length === {count}")
        assert page.locator(".al-node.al-selected[aria-haspopup=dialog]").count() == 1
    resize(page, 1366, 300)
    menu(page).get_by_role("button", name="Present").click()
    page.wait_for_function("() => document.fullscreenElement?.matches('.al-present')")
    assert numbers.count() == 94 and wire.widget.error is None
    low, _ = shown({"width": 1366, "height": 560}, net, **NET)
    assert low.evaluate(MEASURED)["all"], "what is too high to run down runs to the right"


def test_a_graph_that_is_only_too_high_is_cut_at_no_side(shown: Shown) -> None:
    page, _ = shown(LOW, without_bias, **{name: NET[name] for name in ("x", "W1", "W2")})
    found = page.evaluate(MEASURED)
    assert page.evaluate("() => (pane => pane.scrollWidth <= pane.clientWidth)(document.querySelector('.al-pane'))")
    assert found["letters"] >= LEAST - 1 and found["first"] and not found["all"] and not found["map"]


def broad(a: Any, b: Any, c: Any, d: Any) -> Any:
    return a * b + c * d


EMPTY = """() => {
  const [pane, picture] = ['.al-pane', '.al-picture'].map((part) => document.querySelector(part));
  return pane.clientHeight - picture.clientHeight;
}"""


def test_the_frame_of_a_broad_graph_is_no_higher_than_its_picture(shown: Shown) -> None:
    page, wire = shown(LAPTOP, broad, a=1.0, b=2.0, c=3.0, d=4.0)
    page.wait_for_function(f"() => ({EMPTY})() <= 2")
    wide = page.locator(".al-picture").bounding_box()
    page.set_viewport_size({"width": 880, "height": 800})
    page.wait_for_function(f"() => ({EMPTY})() <= 2 && document.querySelector('.al-picture').clientWidth < 900")
    page.set_viewport_size(LAPTOP)
    page.wait_for_function(f"() => ({EMPTY})() <= 2 && document.querySelector('.al-picture').clientWidth > 900")
    assert page.locator(".al-picture").bounding_box() == wide and page.evaluate(MEASURED)["all"]
    before = page.locator(".al-foot").bounding_box()
    menu(page).get_by_role("button", name="Zoom in").click()
    page.keyboard.press("Escape")
    after = page.locator(".al-foot").bounding_box()
    assert before and after and after["y"] > before["y"] + 50, "what is enlarged gets all the room that there is"
    assert wire.widget.error is None


def attention(q: Any, k: Any, v: Any) -> Any:
    s = q @ k.T / np.sqrt(2)
    A = F.softmax(s, axis=1)
    y = A @ v
    return y


@pytest.mark.parametrize("height", [600, 684], ids=["low window", "half a laptop's screen"])
def test_one_that_is_too_high_begins_with_its_results(shown: Shown, height: int) -> None:
    page, wire = shown({"width": 700, "height": height}, attention, **normal(q=(3, 2), k=(3, 2), v=(3, 2)))
    laid_out(page)
    result = page.locator(f".al-node[data-id='{wire.widget.recording['y'].id}']")
    pane, box = page.locator(".al-pane").bounding_box(), result.bounding_box()
    assert pane and box and pane["y"] <= box["y"] and box["y"] + box["height"] <= pane["y"] + pane["height"]
    assert page.evaluate(MEASURED)["letters"] >= 11.7
    page.mouse.move(pane["x"] + 20, pane["y"] + 20)
    page.mouse.wheel(0, -40)
    left = "(pane => pane.scrollHeight - pane.clientHeight - pane.scrollTop)(document.querySelector('.al-pane'))"
    page.wait_for_function(f"() => {left} > 20")
    resize(page, 690, height)
    assert page.evaluate(left) > 20, "where somebody scrolled to, it stays"


def chain(x: Any) -> Any:
    a = np.sin(x)
    b = np.tanh(a)
    c = np.cos(b)
    d = np.exp(c)
    e = np.sqrt(d)
    f = np.log(e)
    return np.tan(f)


@pytest.mark.parametrize(
    ("fn", "inputs"),
    [
        (chain, {"x": 1.0}),
        (without_bias, normal(x=(3, 4), W1=(4, 5), W2=(5, 2))),
        (attention, normal(q=(3, 2), k=(3, 2), v=(3, 2))),
        (net, NET),
        (deep, NET),
        (rnn, STEPS),
    ],
)
def test_what_can_be_changed_is_in_sight_at_first(shown: Shown, fn: Any, inputs: Any) -> None:
    """One of the inputs at least, which the sentence asks to drag, is whole wherever the view opens."""
    for size in (LAPTOP, CELL, PHONE, {"width": 430, "height": 932}, BESIDE_FILES, {"width": 850, "height": 684}, LOW):
        page, _ = shown(size, fn, **inputs)
        laid_out(page)
        pane = page.locator(".al-pane").bounding_box()
        boxes = [box.bounding_box() for box in page.locator(".al-input").all()]
        ends = (("x", "width"), ("y", "height"))
        inside = [
            all(pane[way] <= box[way] and box[way] + box[side] <= pane[way] + pane[side] for way, side in ends)
            for box in boxes
            if box and pane
        ]
        assert any(inside), size


def test_one_that_is_a_little_too_wide_is_cut_at_one_side_only(shown: Shown) -> None:
    page, _ = shown(NARROW, net, **NET)
    found = page.evaluate(MEASURED)
    assert found["left"] == 0 and found["first"] and not found["all"] and found["letters"] >= LEAST


def test_time_begins_at_the_left_and_arrow_keys_follow_it(shown: Shown) -> None:
    page, wire = shown(LAPTOP, rnn, **STEPS)
    page.locator(".al-toggle").first.click()
    wire.settle()
    found = page.evaluate(MEASURED)
    assert seen(wire.widget).scene["direction"] == "right" and found["map"] and found["letters"] >= LEAST
    loop = [node for node in seen(wire.widget).scene["nodes"] if node["group"]]
    first = page.locator(f".al-node[data-id='{loop[0]['id']}']")
    first.focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("() => document.activeElement.dataset.id") == str(loop[1]["id"])
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("() => document.activeElement.dataset.id") == str(loop[0]["id"])


def test_lit_lines_to_the_right_have_their_heads_at_their_ends(shown: Shown) -> None:
    page, _ = shown(LAPTOP, rnn, **STEPS)
    heads = page.locator(".al-edge .al-to").evaluate_all("all => all.map((head) => head.getAttribute('transform'))")
    lines = page.locator(".al-edge > path:first-child")
    ends = lines.evaluate_all("all => all.map((line) => line.getAttribute('d'))")
    assert len(heads) == len(ends) and all(
        "H" in path and head.endswith("rotate(-90)") for head, path in zip(heads, ends, strict=True)
    )
    for head, path in zip(heads, ends, strict=True):
        x, y = head.removeprefix("translate(").partition(")")[0].split()
        assert path.endswith(f"H{x}") and f" {y}H" in path


def test_the_bar_below_the_graph_explains_its_colours_and_follows_the_pointer(shown: Shown) -> None:
    page, wire = shown(LAPTOP, net, **NET)
    bar = page.locator(".al-scale-legend")
    expect(bar).to_be_visible()
    told = seen(wire.widget).readings["scale"]
    assert page.locator(".al-scale-ticks > span").all_text_contents() == ["".join(tick[1:]) for tick in told["ticks"]]
    assert told["words"] in bar.inner_text()
    cell, mark = page.locator(".al-node .al-cells > rect").first, page.locator(".al-scale-at")
    expect(mark).to_be_hidden()
    cell.hover()
    value = float(wire.widget.recording["x"].value.values[0, 0])
    place = 50 * (1 + np.arcsinh(100 * value / told["scale"]) / np.arcsinh(100))
    assert float(mark.evaluate("e => parseFloat(e.style.left)")) == pytest.approx(place, abs=0.1)
    page.mouse.move(1, 1)
    expect(mark).to_be_hidden()


def test_without_arrays_there_is_no_bar(shown: Shown) -> None:
    page, _ = shown(LAPTOP, small, x=2.0, y=3.0)
    expect(page.locator(".al-scale-legend")).to_be_hidden()


def test_exactly_zero_has_a_mark(shown: Shown) -> None:
    page, _ = shown(LAPTOP, lambda A: (A * A).sum(), A=np.array([1.0, 0.0, 1e-12]))
    marks = (
        page.locator(".al-node")
        .first.locator(".al-value .al-cells > rect")
        .evaluate_all("all => all.map((cell) => cell.classList.contains('al-zero'))")
    )
    assert marks == [False, True, False]


def test_what_is_presented_is_not_cut_at_its_sides_nor_covers_a_long_sentence(shown: Shown) -> None:
    page, _ = shown(LAPTOP, net, **NET)
    menu(page).get_by_role("button", name="Present").click()
    page.wait_for_function("() => document.fullscreenElement?.matches('.al-present')")
    page.locator(".al-sentence").evaluate("(e) => { e.textContent = 'a long sentence '.repeat(12) }")
    page.locator(".al-error").evaluate("(e) => { e.hidden = false; e.textContent = 'an error' }")
    page.wait_for_function("() => document.querySelector('.al-pane').getBoundingClientRect().width > 1270")
    laid_out(page)
    found = page.evaluate(
        """() => {
      const pane = document.querySelector('.al-pane').getBoundingClientRect();
      const boxes = [...document.querySelectorAll('.al-node')].map((node) => node.getBoundingClientRect());
      const top = (part) => document.querySelector(part).getBoundingClientRect().top;
      return { width: pane.width, right: Math.max(...boxes.map((box) => box.right)) - pane.right,
        foot: top('.al-foot') - document.querySelector('.al-graph').getBoundingClientRect().bottom,
        first: top('.al-sentence') - top('.al-foot'), told: top('.al-foot') - top('.al-error'),
        last: document.querySelector('.al-foot').getBoundingClientRect().bottom,
        zoom: document.querySelector('.al-picture').getScreenCTM().a };
    }"""
    )
    assert found["width"] > 1270, "no room is kept for the map, which is not there"
    assert found["right"] <= 0 and found["zoom"] * 14 >= 10
    assert found["foot"] >= -1 and found["first"] >= 0
    assert found["told"] > 0 and found["last"] <= LAPTOP["height"], "an error takes room of the graph, not of the foot"


def test_the_player_stays_in_sight_where_something_is_wrong(shown: Shown) -> None:
    def wrong(x: Any, y: Any) -> Any:
        r = np.log(x)
        z = r * y
        return z.sum()

    page, _ = shown(LAPTOP, wrong, x=np.array([1.0, -2.0, 0.0, 3.0]), y=np.arange(4.0))
    expect(page.locator(".al-told > li")).to_have_count(2)
    foot = page.locator(".al-foot").bounding_box()
    assert foot and foot["y"] + foot["height"] <= 800
    assert page.evaluate(MEASURED)["all"]
