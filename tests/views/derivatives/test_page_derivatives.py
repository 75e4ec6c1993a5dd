"""The derivative explorer in a real browser: what it shows is compared with the arrays and with closed forms."""

from __future__ import annotations

import itertools
import math
import re
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from helpers.axe import violations
from ipywidgets import comm as widget_comm
from playwright.sync_api import Locator, Page, expect

import autolab
from autolab.views.derivatives import explorer as derivative_explorer
from autolab.views.derivatives.explorer import DerivativeExplorer
from autolab.views.derivatives.session import DerivativeSession
from autolab.views.draw.messages import say
from autolab.views.draw.numbers import number
from autolab.views.live.bundle import style_text

from .. import bare_page
from ..bare_page import RecordingComm, Wire, serve
from ..live.test_page_link import flush
from ..looking import seen, told
from .hands import in_menu, numbers, order, point_at, type_point

Open = Callable[..., Wire]

pytestmark = pytest.mark.browser


@pytest.fixture
def show(page: Page, monkeypatch: pytest.MonkeyPatch) -> Iterator[Open]:
    """Open the explorer of a function in the bare page."""
    monkeypatch.setattr(widget_comm, "create_comm", RecordingComm)
    monkeypatch.setattr(DerivativeExplorer, "wait_seconds", 30.0)  # so that a busy machine changes no answer
    made: list[DerivativeExplorer] = []

    def make(fn: Any, x: float, order: int = 2, **options: Any) -> Wire:
        made.append(DerivativeExplorer(DerivativeSession(fn, x, order, **options)))
        serve(page, "derivatives")
        wire = Wire(made[-1])
        wire.connect(page)
        wire.settle()
        return wire

    yield make
    for view in made:
        view.close()


def drawn(wire: Wire) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = told(wire.widget, "curves")["panels"]
    return found


def plots(page: Page) -> list[Locator]:
    return page.locator(".al-plot").all()


def values(page: Page) -> list[str]:
    return [text.removeprefix("= ") for text in numbers(page).all_text_contents()]


def sentence(page: Page) -> Locator:
    return page.locator(".al-sentence")


def put(page: Page, wire: Wire, text: str) -> None:
    type_point(page, text)
    wire.settle()


def place(plot: Locator, panel: dict[str, Any], x: float, y: float) -> tuple[float, float]:
    """Where a point of a plot is on the screen."""
    rect = plot.locator(".al-plot-box").evaluate(
        "e => { const m = e.getScreenCTM(), b = e.getBBox(); return [b.x + m.e, b.y + m.f, b.width, b.height] }"
    )
    across, down = panel["x"], panel["y"]
    left = rect[0] + (x - across["lo"]) / (across["hi"] - across["lo"]) * rect[2]
    return left, rect[1] + (down["hi"] - y) / (down["hi"] - down["lo"]) * rect[3]


def on_curve(page: Page, plot: Locator, panel: dict[str, Any], x: float, y: float, which: int = 0) -> bool:
    """Whether a drawn line passes within a pixel or two of a point."""
    at = place(plot, panel, x, y)
    return bool(
        plot.locator("svg .al-curve")
        .nth(which)
        .evaluate(
            """(path, [x, y]) => {
              const point = new DOMPoint(x, y).matrixTransform(path.getScreenCTM().inverse());
              Object.assign(path.style, { strokeWidth: 4, strokeDasharray: "none" });
              const found = path.isPointInStroke(point);
              Object.assign(path.style, { strokeWidth: "", strokeDasharray: "" });
              return found;
            }""",
            list(at),
        )
    )


def spot(plot: Locator) -> tuple[float, float]:
    box = plot.locator(".al-spot").bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def assert_shows(page: Page, wire: Wire, x: float, forms: list[Callable[[float], float]]) -> None:
    """Point, numbers, tangent and polynomial are those of the closed forms at ``x``."""
    exact = [form(x) for form in forms]
    assert values(page) == [number(value) for value in exact]
    assert numbers(page).first.get_attribute("title") == repr(wire.widget.data.values[0])
    panels = drawn(wire)[: len(exact)]
    for plot, panel, value in zip(plots(page), panels, exact, strict=True):
        assert spot(plot) == pytest.approx(place(plot, panel, x, value), abs=1)
    first = plots(page)[0]
    for step in (-0.2, 0.1, 0.25):
        assert on_curve(page, first, panels[0], x + step, exact[0] + exact[1] * step, 1)  # the tangent
        taylor = sum(value * step**k / math.factorial(k) for k, value in enumerate(exact))
        assert on_curve(page, first, panels[0], x + step, taylor, 2)
    assert first.get_attribute("aria-valuenow") == str(x).removesuffix(".0")
    assert page.locator(".al-x").first.text_content() == f"x = {number(x)}"
    across = {round(spot(plot)[0], 1) for plot in plots(page)}
    assert max(across) - min(across) < 0.5  # the point is on one vertical line


FORMS = [lambda x: math.sin(x), lambda x: math.cos(x), lambda x: -math.sin(x)]


def test_curves_tangent_polynomial_and_numbers_are_the_closed_forms(page: Page, show: Open) -> None:
    wire = show(lambda x: np.sin(x), 0.7, domain=(-3, 3))
    assert_shows(page, wire, 0.7, FORMS)
    for plot, panel, form in zip(plots(page), drawn(wire)[: len(FORMS)], FORMS, strict=True):
        for x in (-2.5, -1.0, 0.3, 2.0):
            assert on_curve(page, plot, panel, x, form(x))
            assert not on_curve(page, plot, panel, x, form(x) + 0.4)


def test_the_point_is_dragged_and_everything_follows(page: Page, show: Open) -> None:
    wire = show(lambda x: np.sin(x), 0.7, domain=(-3, 3))
    panel = drawn(wire)[0]
    page.mouse.move(*place(plots(page)[0], panel, 0.7, math.sin(0.7)))
    page.mouse.down()
    for x in (0.2, -0.4, -1.2):
        page.mouse.move(*place(plots(page)[0], panel, x, 0.5))
        wire.settle()
        assert wire.widget.data.x == pytest.approx(x, abs=0.02)
        assert_shows(page, wire, wire.widget.data.x, FORMS)
    page.mouse.up()
    wire.settle()
    page.mouse.move(*place(plots(page)[0], panel, 2, 0.5))
    wire.settle()
    assert wire.widget.data.x == pytest.approx(-1.2, abs=0.02)  # let go
    page.mouse.click(*place(plots(page)[1], drawn(wire)[1], 1.5, 0))  # any of the plots moves it
    wire.settle()
    assert wire.widget.data.x == pytest.approx(1.5, abs=0.03)


def test_keys_and_a_typed_number_move_it(page: Page, show: Open) -> None:
    wire = show(lambda x: np.sin(x), 0.7, domain=(-3, 3))
    plot = plots(page)[0]
    plot.focus()
    for key, x in (("ArrowRight", 0.71), ("ArrowLeft", 0.7), ("Shift+ArrowLeft", 0.6), ("PageUp", 0.7), ("End", 3.0)):
        page.keyboard.press(key)
        wire.settle()
        assert wire.widget.data.x == x, key  # not 0.7000000000000001
    for key in ("PageUp", "ArrowLeft"):  # beyond the end, and back
        page.keyboard.press(key)
    wire.settle()
    assert wire.widget.data.x == 2.99
    page.keyboard.press("Home")
    wire.settle()
    assert page.evaluate("() => document.activeElement.classList.contains('al-plot')")
    put(page, wire, "1.25")
    assert_shows(page, wire, 1.25, FORMS)
    assert page.get_by_label("x, number").count() == 0
    assert page.evaluate("() => document.activeElement.classList.contains('al-plot')")  # the keys go on
    page.keyboard.press("ArrowRight")
    wire.settle()
    assert_shows(page, wire, 1.26, FORMS)
    page.mouse.dblclick(*place(plots(page)[1], drawn(wire)[1], -1.0, 0.0))  # on any of the curves
    page.get_by_label("x, number").fill("nothing")
    page.get_by_label("x, number").press("Enter")
    assert page.get_by_label("x, number").get_attribute("aria-invalid") == "true"
    page.get_by_label("x, number").press("Escape")
    wire.settle()
    assert page.get_by_label("x, number").count() == 0 and wire.widget.data.x == pytest.approx(-1.0, abs=0.03)


def test_an_old_number_is_never_shown_beside_a_new_point(page: Page, show: Open) -> None:
    wire = show(lambda x: np.sin(x), 0.7, domain=(-3, 3))
    plots(page)[0].focus()
    page.keyboard.press("End")
    page.evaluate("() => new Promise(done => setTimeout(done, 400))")  # a busy kernel
    assert page.locator(".al-busy").text_content() == say("live_computing")
    assert page.locator(".al-late").count() == 1
    assert page.locator(".al-x").first.text_content() == "x = 0.7"  # the numbers say for which point they are
    assert values(page)[0] == number(math.sin(0.7))
    wire.settle()
    assert page.locator(".al-late").count() == 0 and page.locator(".al-busy").text_content() == ""
    assert page.locator(".al-x").first.text_content() == "x = 3" and values(page)[0] == number(math.sin(3))


def test_the_order_stays_where_the_hand_is(page: Page, show: Open) -> None:
    gate = threading.Event()
    gate.set()

    def fn(x: Any) -> Any:
        gate.wait(30)
        return np.sin(x)

    wire = show(fn, 0.7, domain=(-3, 3))
    for n in (3, 1):
        order(page, n).check()
    flush(wire)
    wire.step()
    assert order(page, 1).is_checked()  # while another answer is due
    wire.settle()
    assert order(page, 1).is_checked() and len(plots(page)) == 2
    wire.widget.wait_seconds = 0.0
    gate.clear()
    order(page, 4).check()
    wire.settle()
    assert wire.widget.computing == "running" and order(page, 4).is_checked()  # while the result is due
    gate.set()
    with wire.widget._lock:
        assert wire.widget._lock.wait_for(lambda: wire.widget._running is None, 30)
    wire.settle()
    assert len(plots(page)) == 5 and order(page, 4).is_checked()


PLACES = """() => [...document.querySelectorAll('.al-view, .al-header > *:not(.al-work), .al-stack, .al-plot')]
  .map((part) => { const { x, y, width, height } = part.getBoundingClientRect(); return [x, y, width, height]; })"""


def resting_places(page: Page) -> Any:
    """Where the parts are when the page has been laid out: on a busy machine the curves are drawn once more."""
    before, now = None, page.evaluate(PLACES)
    while now != before:
        page.wait_for_timeout(100)
        before, now = now, page.evaluate(PLACES)
    return now


@pytest.mark.parametrize("width", [360, 700, 1280])
def test_that_it_computes_is_said_over_the_curves_and_nothing_moves(page: Page, show: Open, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    wire = show(lambda x: np.sin(x), 0.7, domain=(-3, 3))
    before = resting_places(page)
    plots(page)[0].press("End")
    expect(page.locator(".al-busy")).to_have_text(say("live_computing"))
    assert page.evaluate(PLACES) == before
    body, work = (page.locator(part).bounding_box() or {} for part in (".al-stack", ".al-work"))
    assert body["x"] <= work["x"] and work["x"] + work["width"] <= body["x"] + body["width"]
    assert body["y"] <= work["y"] <= body["y"] + 20
    wire.settle()


def test_the_order_is_chosen_and_the_growth_is_that_of_the_recordings(page: Page, show: Open) -> None:
    wire = show(np.tanh, 0.5, 1)
    for n in (4, 0, 3):
        order(page, n).check()
        wire.settle()
        assert len(plots(page)) == len(values(page)) == n + 1
        assert page.locator(".al-curve-key").count() == min(n, 2)
        data = wire.widget.data
        graphs = [data.recording, *data.recording.higher]
        counts = [sum(s.kind == "call" and s.order == g.order for s in g.steps) for g in graphs]
        page.locator(".al-menu > summary").click()
        words = page.locator(".al-growth-rows .al-caption").all_text_contents()
        assert [int(re.match(r"\d+", text)[0]) for text in words] == counts  # type: ignore[index]
        bars = [bar.bounding_box() for bar in page.locator(".al-growth-bar.al-computed").all()]
        widths = [bar["width"] for bar in bars if bar]
        most = max(found.unshared for found in data.growth)
        whole = page.locator(".al-growth-bars").first.evaluate("e => e.clientWidth")
        assert widths == pytest.approx([max(2, whole * count / max(most, *counts)) for count in counts], abs=1)
        page.keyboard.press("Escape")
    assert_shows(
        page,
        wire,
        0.5,
        [
            math.tanh,
            lambda x: 1 - math.tanh(x) ** 2,
            lambda x: -2 * math.tanh(x) * (1 - math.tanh(x) ** 2),
            lambda x: (6 * math.tanh(x) ** 2 - 2) * (1 - math.tanh(x) ** 2),
        ],
    )


def test_ten_orders_are_read_one_below_the_other(page: Page, show: Open) -> None:
    wire = show(np.exp, 0.5, order=10)
    assert values(page) == [number(np.exp(0.5))] * 11
    assert all(plot.bounding_box()["height"] >= 60 for plot in plots(page))  # type: ignore[index]
    order(page, 7).click()
    wire.settle()
    assert len(values(page)) == 8
    expect(page.get_by_role("radio", name=say("curve_order"))).to_have_count(11)


def test_the_graphs_of_all_orders_follow_the_point(page: Page, show: Open) -> None:
    wire = show(lambda x: x * x * x, 2.0, 2)
    assert page.locator(".al-graph").count() == 0 and seen(wire.widget).program is None
    in_menu(page, say("curve_graphs"))
    wire.answer()
    assert page.locator(".al-graph-head .al-own").all_text_contents() == ["f", "f′", "f″"]
    put(page, wire, "3")
    for graph, value in zip(page.locator(".al-graph").all(), ("27", "27", "18"), strict=True):
        assert graph.locator(".al-output .al-value .al-number").text_content() == value
    in_menu(page, say("curve_graphs"))
    wire.answer()
    assert seen(wire.widget).program is None and page.locator(".al-graph").count() == 0


def turn(x: Any) -> Any:
    a = np.sin(x)
    return a * 1.5


def turns(x: Any) -> Any:
    for t in range(40):  # noqa: B007  # its rounds are told apart by t
        x = turn(x)
    return x


@pytest.mark.full
def test_groups_of_a_large_graph_open_and_close(page: Page, show: Open) -> None:
    wire = show(turns, 0.5, 1)
    in_menu(page, say("curve_graphs"))
    wire.answer()
    graph = page.locator(".al-graph").first
    before = graph.locator(".al-node").count()
    closed = next(box for box in seen(wire.widget).scene["nodes"] if box["group"])
    graph.locator(f"[data-id='{closed['id']}'] .al-toggle").click()
    wire.settle()
    tree = wire.widget.data.recording.outline
    steps = {step.id for step in tree.groups[closed["id"]].steps}
    drawn = {int(node.get_attribute("data-id") or 0) for node in graph.locator(".al-node").all()}
    assert len(drawn) > before and (drawn & steps or drawn & {other for other in tree.groups if other != closed["id"]})
    for box in seen(wire.widget).scene["nodes"]:
        node = graph.locator(f".al-node[data-id='{box['id']}']")
        value = seen(wire.widget).readings["nodes"][str(box["id"])]["value"]
        small, own = node.locator(".al-small"), node.locator(".al-value .al-number")
        assert (small if box["plan"] else own).text_content() == value + (f" · {box['plan']}" if box["plan"] else "")
    graph.locator(f".al-tab[data-id='{closed['id']}']").click()
    wire.settle()
    assert graph.locator(".al-node").count() == before
    assert page.locator(".al-graphs > .al-note").is_hidden()


def test_no_line_runs_across_a_pole_and_kinks_are_marked(page: Page, show: Open) -> None:
    wire = show(lambda x: 1 / x, 0.7, 1, domain=(-2, 2))
    path = page.locator(".al-plot svg .al-curve").first.get_attribute("d") or ""
    zero = drawn(wire)[0]["poles"]
    pieces = [[float(x) for x in re.findall(r"[ML](-?[\d.]+)", piece)] for piece in re.findall(r"M[^M]+", path)]
    assert len(pieces) == 2 and len(zero) == 1
    assert max(pieces[0]) <= zero[0] <= min(pieces[1])
    assert "f goes to infinity at 0." in (page.locator(".al-figure-head").first.text_content() or "")
    wire = Wire(DerivativeExplorer(DerivativeSession(lambda x: abs(x - 0.5), 0.0, 1, (-2, 2))))
    kinks = drawn(wire)[0]["kinks"]
    assert [k["x"] for k in kinks] == [pytest.approx(58 + 330 * 2.5 / 4, abs=0.02)]
    wire.widget.close()


def test_an_undefined_point_says_so_and_draws_no_tangent(page: Page, show: Open) -> None:
    wire = show(lambda x: np.log(x), 1.0, 2, domain=(-2, 2))
    put(page, wire, "-1")
    assert values(page) == [say("undefined")] * 3
    assert page.locator(".al-curve-key").count() == 0
    assert [plot.locator(".al-spot").is_visible() for plot in plots(page)] == [False] * 3
    expect(sentence(page)).to_have_text(say("curve_undefined", name="f"))
    expect(page.locator(".al-polynomial")).to_be_empty()


def test_a_function_that_raises_at_a_point_says_what(page: Page, show: Open) -> None:
    def fn(x: Any) -> Any:
        if x.data < 0:
            raise ArithmeticError("<b>not here</b>")
        return x * x

    wire = show(fn, 1.0, 1, domain=(-2, 2))
    put(page, wire, "-1")
    card = page.get_by_role("alert")
    expect(card).to_contain_text("ArithmeticError: <b>not here</b>")
    expect(card).to_contain_text('raise ArithmeticError("<b>not here</b>")')
    expect(card).to_contain_text(say("curve_ended"))
    assert values(page) == [say("undefined")] * 2
    assert sentence(page).text_content() == say("curve_undefined", name="fn")
    page.locator(".al-menu > summary").click()
    assert page.locator(".al-growth").is_hidden()
    put(page, wire, "1")
    expect(card).to_be_hidden()


def test_hostile_names_stay_text_and_odd_messages_change_nothing(page: Page, show: Open) -> None:
    def fn(x: Any) -> Any:
        return x * x

    fn.__name__ = "<img src=x onerror=alert(1)>"
    wire = show(fn, 1.0, 1)
    assert page.locator("img").count() == 0 and page.locator(".al-function").text_content() == "f"
    before = wire.widget.data
    for message in ({"do": "move", "value": "1"}, {"do": "move", "value": True}, {"do": "order", "order": 9}, {}):
        wire.widget._on_message(wire.widget, {**message, "seq": 5}, [])
        wire.deliver()
        assert page.locator(".al-error").is_visible() and wire.widget.data is before
    wire.widget._on_message(wire.widget, {"do": "move", "key": "x", "value": 1e9, "seq": 6}, [])
    wire.deliver()
    assert wire.widget.data.x == before.domain[1] and page.locator(".al-error").is_hidden()


@pytest.mark.parametrize("width", [700, 1280])
def test_nothing_is_clipped_or_wider_than_the_page(
    new_page: Callable[..., Page], show: Open, page: Page, width: int
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    wire = show(lambda x: 1 / x + np.floor(x), 0.7, 4)
    in_menu(page, say("curve_graphs"))
    wire.answer()
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    for text in page.locator(".al-plot text:not([display])").all():
        ink, plot = text.bounding_box(), text.locator("xpath=ancestor::*[@class='al-plot']").bounding_box()
        assert ink and plot and plot["x"] - 1 <= ink["x"] and ink["x"] + ink["width"] <= plot["x"] + plot["width"] + 1
        assert plot["y"] - 1 <= ink["y"] and ink["y"] + ink["height"] <= plot["y"] + plot["height"] + 1


# ---------------------------------------------------------------------------------------------------- formulas
def formulas(page: Page) -> list[str | None]:
    return [one.get_attribute("aria-label") for one in page.locator(".al-formula [role=math]").all()]


def test_a_zero_of_the_slope_stands_under_the_top(page: Page, show: Open) -> None:
    wire = show(lambda x: np.sin(x), 1.0, 2, domain=(-3, 3))
    (first, second, _), (top, zero) = plots(page), drawn(wire)[:2]
    above, below = place(first, top, math.pi / 2, 1.0), place(second, zero, math.pi / 2, 0.0)
    assert above[0] == pytest.approx(below[0], abs=0.1) and above[1] < below[1]
    assert on_curve(page, first, top, math.pi / 2, 1.0) and on_curve(page, second, zero, math.pi / 2, 0.0)
    lines = [line.bounding_box() for line in page.locator(".al-here").all()]
    assert len({round(line["x"], 1) for line in lines if line}) == 1
    ends = [(line["y"], line["y"] + line["height"]) for line in lines if line]
    assert all(lower[0] - upper[1] < 2 for upper, lower in itertools.pairwise(ends))  # one line through all
    put(page, wire, "1.57")
    assert sentence(page).text_content() == "At x = 1.571 f′ is 0: f has a top."


def test_formulas_stand_beside_their_curves_simplified_or_as_computed(page: Page, show: Open) -> None:
    show(np.tanh, 0.5, 2)
    simple = ["tanh(x) = tanh x", "tanh′(x) = 1 − tanh² x", "tanh″(x) = 2 tanh³ x − 2 tanh x"]
    assert formulas(page) == simple
    for head, plot in zip(page.locator(".al-formula").all(), plots(page), strict=True):
        words, curve = head.bounding_box(), plot.bounding_box()
        assert words and curve and words["x"] >= curve["x"] + curve["width"]
        assert curve["y"] < words["y"] < curve["y"] + curve["height"]
    page.locator(".al-menu > summary").click()
    page.get_by_role("radio", name=say("curve_as_computed")).check()
    assert formulas(page)[1] == "tanh′(x) = 1 − (1 · ((tanh x) · (tanh x)))"
    page.get_by_role("radio", name=say("curve_simplified")).check()
    assert formulas(page) == simple


def test_a_formula_too_long_for_its_place_scrolls_there(page: Page, show: Open) -> None:
    wire = show(np.tanh, 0.5, 3)
    page.locator(".al-menu > summary").click()
    page.get_by_role("radio", name=say("curve_as_computed")).check()
    written = [one["computed"]["text"] for one in told(wire.widget, "formulas")[:4]]
    for presented in (False, True):
        if presented:
            page.get_by_role("button", name="Present", exact=True).click()
        expect(page.locator(".al-present")).to_have_count(int(presented))
        assert formulas(page) == written
        for head in page.locator(".al-figure-head").all():
            assert head.evaluate("e => e.scrollHeight <= e.clientHeight + 1 && e.scrollWidth <= e.clientWidth + 1")
    last = page.locator(".al-formula").last
    assert last.evaluate("e => e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight")


@pytest.mark.parametrize("height", [660, 700, 740])
def test_no_formula_lies_over_the_number_below_it(
    page: Page, show: Open, monkeypatch: pytest.MonkeyPatch, height: int
) -> None:
    def softsign(x: Any) -> Any:
        return x / (1 + abs(x))

    page.set_viewport_size({"width": 870, "height": height})
    sheets = style_text("explorer.css") + style_text("derivatives.css")  # as where a graph is in the same notebook
    monkeypatch.setattr(bare_page, "style_text", lambda entry: sheets)
    show(softsign, 1.0, 2, domain=(-4, 4))
    for head in page.locator(".al-figure-head").all():
        formula, number = [head.locator(one).bounding_box() for one in (".al-formula", ".al-own")]
        assert formula and number and formula["y"] + formula["height"] <= number["y"]


def test_where_no_formula_holds_everywhere_the_name_stands(page: Page, show: Open) -> None:
    wire = show(autolab.functions.relu, 1.0, 1)
    assert formulas(page) == ["relu(x) = relu(x)", "relu′(x)"]
    page.get_by_role("button", name="relu′(x)").click()
    wire.answer()
    expect(page.locator(".al-derived")).to_contain_text(say("derivation_none"))


def scaled(x: Any) -> Any:
    u = 1.5 * x
    return np.tanh(u)


def test_a_click_on_a_formula_tells_how_it_comes_about(page: Page, show: Open) -> None:
    wire = show(scaled, 0.5, 2)
    slope = page.locator(".al-derive").first
    assert slope.get_attribute("title") == say("curve_derive", name="scaled′")
    slope.click()
    wire.answer()
    lines = page.locator(".al-derivation > li")
    assert page.locator(".al-derivation .al-caption").all_text_contents() == [
        "chain rule: tanh′(u) · u′",
        "u = 3x/2; constant factor",
        say("rule_together"),
    ]
    spoken = lines.nth(0).locator("[role=math]")
    outer, whole = 1 - math.tanh(0.75) ** 2, 1.5 * (1 - math.tanh(0.75) ** 2)
    assert spoken.get_attribute("aria-label") == (
        f"scaled′(x) = (1 − tanh² u) · u′; {number(whole)} = {number(outer)} · 1.5"
    )
    assert [one for one in violations(page) if one.startswith(("serious", "critical"))] == []
    put(page, wire, "0")
    assert (spoken.get_attribute("aria-label") or "").endswith("; 1.5 = 1 · 1.5")  # the numbers follow the point
    lines.nth(1).locator("button").click()
    wire.answer()
    chosen = page.locator(".al-graph .al-selected")
    recording = wire.widget.data.recording
    step = next(step for step in recording.steps if step.name == "u")
    assert chosen.first.get_attribute("data-id") == str(step.id)
    assert page.locator(".al-graph").count() == 3
    page.locator(".al-derive").first.click()
    assert page.locator(".al-derived").count() == 0


def test_the_side_takes_no_room_while_nothing_is_told(page: Page, show: Open) -> None:
    wire = show(np.tanh, 0.5, 1)
    page.set_viewport_size({"width": 900, "height": 800})
    wide = page.locator(".al-stack").bounding_box()
    page.locator(".al-derive").click()
    wire.answer()
    narrow = page.locator(".al-stack").bounding_box()
    assert wide and narrow and narrow["width"] < wide["width"] < 900 and wide["width"] > 800
    order(page, 0).check()  # nothing is told of an order that is not shown
    wire.settle()
    assert page.locator(".al-derived").count() == 0


def test_a_removed_view_leaves_nothing_behind(page: Page, show: Open) -> None:
    show(np.tanh, 0.5)
    page.evaluate("() => host.removeView(0)")
    page.evaluate("() => host.destroy()")
    assert page.evaluate("() => host.listenerCount()") == 0


class Held:
    """A sine that waits, after its first call, until it is let go."""

    def __init__(self) -> None:
        self.calls, self.free = 0, threading.Event()

    def __call__(self, x: Any) -> Any:
        self.calls += 1
        y = np.sin(x)
        while self.calls > 1 and not self.free.is_set():
            time.sleep(0.01)
            y = y + 0
        return y


def wait_for(wire: Wire, done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not done():
        wire.settle()
        assert time.monotonic() < deadline
    wire.settle()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derivative_explorer, "FIRST_SECONDS", 0.05)
    monkeypatch.setattr(DerivativeExplorer, "wait_seconds", 0.02)


def test_the_view_of_a_slow_function_is_there_before_its_curves(page: Page, show: Open, impatient: None) -> None:
    fn = Held()
    wire = show(fn, 0.5, 2, domain=(-3, 3))
    assert fn.calls == 2  # the point; the worker waits in the first of the others
    assert page.locator(".al-busy").text_content() == f"{say('live_computing')} {say('curve_first')}"
    assert values(page) == [number(form(0.5)) for form in FORMS] and order(page, 4).count() == 0
    assert order(page, 2).is_checked()
    expect(sentence(page)).to_contain_text(say("curve_point", name="Held"))
    first = plots(page)[0]
    assert not on_curve(page, first, drawn(wire)[0], 1.0, math.sin(1.0))
    assert on_curve(page, first, drawn(wire)[0], 0.6, math.sin(0.5) + 0.1 * math.cos(0.5), 1)  # the tangent
    first.press("End")  # which does not end the curves
    wire.settle()
    time.sleep(0.3)
    assert fn.calls == 2
    fn.free.set()
    wait_for(wire, lambda: not wire.widget.computing)
    assert wire.widget.data.x == 3.0 and values(page) == [number(form(3.0)) for form in FORMS]
    wait_for(wire, lambda: on_curve(page, plots(page)[0], drawn(wire)[0], 1.0, math.sin(1.0)))
    assert order(page, 4).count() == 1
    expect(sentence(page)).not_to_contain_text(say("curve_point", name="Held"))


def test_curves_that_were_stopped_can_be_asked_for_again(page: Page, show: Open, impatient: None) -> None:
    fn = Held()
    wire = show(fn, 0.5, 1, domain=(-3, 3))
    page.get_by_role("button", name="Stop").click()
    wait_for(wire, lambda: wire.widget.error is not None)
    expect(page.get_by_role("alert")).to_contain_text(say("curve_unfinished_asked"))
    fn.free.set()
    plots(page)[0].press("End")
    wait_for(wire, lambda: not wire.widget.computing and wire.widget.data.x == 3.0)
    assert values(page) == [number(math.sin(3)), number(math.cos(3))]
    assert spot(plots(page)[0]) == pytest.approx(place(plots(page)[0], drawn(wire)[0], 3.0, math.sin(3)), abs=1)
    assert not wire.widget.data.curves.sampled
    expect(page.get_by_role("alert")).to_be_hidden()
    page.get_by_role("button", name="Compute again").click()
    wait_for(wire, lambda: not wire.widget.computing and wire.widget.data.curves.sampled)
    wait_for(wire, lambda: on_curve(page, plots(page)[0], drawn(wire)[0], 1.0, math.sin(1.0)))
    assert wire.widget.since == {}


def test_a_slow_function_leaves_the_page_alive_and_can_be_stopped(
    page: Page, show: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = threading.Event()

    def fn(x: Any) -> Any:
        y = np.sin(x)
        while slow.is_set():
            time.sleep(0.01)
            y = y + 0
        return y

    wire = show(fn, 0.5, 1, domain=(-3, 3))
    monkeypatch.setattr(DerivativeExplorer, "wait_seconds", 0.02)
    slow.set()
    plots(page)[0].press("End")
    wire.settle()
    assert page.locator(".al-busy").text_content() == f"{say('live_computing')} {say('curve_old')}"
    assert values(page) == [number(math.sin(0.5)), number(math.cos(0.5))]  # of the point before, which is pale
    assert page.locator(".al-computing").count() == 1
    order(page, 2).check()  # the page goes on meanwhile
    page.get_by_role("button", name="Stop").click()
    deadline = time.monotonic() + 10
    while not wire.widget.error:
        wire.settle()
        assert time.monotonic() < deadline
    wire.settle()
    expect(page.get_by_role("alert")).to_contain_text(say("curve_stopped_asked"))
    assert point_at(page) == 0.5
    slow.clear()
    monkeypatch.setattr(DerivativeExplorer, "wait_seconds", 30.0)
    plots(page)[0].press("Home")
    wire.settle()
    expect(page.get_by_role("alert")).to_be_hidden()
    assert values(page)[0] == number(math.sin(-3))
