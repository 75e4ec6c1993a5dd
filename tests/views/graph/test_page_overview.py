"""The overview in a real browser: groups that open and close, search, colours by what flows, signs, the small map."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from autolab import Variable
from autolab.views.draw.colors import STOPS, paint, view_tone
from autolab.views.graph.flow import flow
from autolab.views.graph.readings import view_scales

from ..bare_page import Wire, find, menu, node, offered, type_number
from ..live.test_page_link import flush
from ..looking import seen

pytestmark = pytest.mark.browser
Open = Callable[..., Wire]


def cell(x: Variable, h: Variable, W: Variable) -> Variable:
    a = x + h @ W
    return np.tanh(a)


def rnn(x: Variable, h: Variable, W: Variable, times: int) -> Variable:
    for t in range(times):  # noqa: B007  # its rounds are told apart by t
        h = cell(x, h, W)
    loss = (h * h).sum()
    return loss


def long(x: Variable, times: int) -> Variable:
    for _ in range(times):
        x = x * 0.999
        x = x + 0.001
    return x


def bad(x: Variable) -> Variable:
    b = np.log(x)
    c = b * x
    loss = c.sum()
    return loss


def wide(x: Variable) -> Variable:
    parts = [np.tanh(x * float(k)) for k in range(8)]
    parts[0] = np.tanh(np.tanh(np.tanh(np.tanh(np.tanh(parts[0])))))  # on one side, further down
    w = sum(parts, x)
    return w


RNN: dict[str, Any] = {"x": np.ones((1, 2)), "h": np.zeros((1, 2)), "W": np.full((2, 2), 0.5)}


def texts(page: Page, selector: str) -> list[str]:
    return page.locator(selector).all_text_contents()


def tab(page: Page, text: str) -> Locator:
    return page.locator(".al-tab", has=page.locator(f"text='{text}'")).first


def group(wire: Wire, label: str) -> int:
    return next(g.id for g in wire.widget.recording.outline.groups.values() if g.scope and g.scope.label == label)


def test_a_small_program_shows_its_calls_and_loops_as_frames(page: Page, open_view: Open) -> None:
    wire = open_view(rnn, **RNN, times=2)
    assert texts(page, ".al-tab > text") == [
        "for t in range(times)", "t = 0", "h = cell(x, h, W)", "t = 1", "h = cell(x, h, W)",
    ]  # fmt: skip
    frame, box = page.locator(".al-group").nth(2).bounding_box(), node(page, wire, "a").bounding_box()
    loop = page.locator(".al-group").first.bounding_box()
    assert frame and box and loop
    assert loop["y"] < frame["y"] and frame["x"] > loop["x"]
    assert page.locator(".al-node").count() == 3 + 2 * 3 + 2
    assert box["width"] < frame["width"] < loop["width"]


def test_boxes_stand_in_their_frames_and_in_no_others(page: Page, open_view: Open) -> None:
    wire = open_view(rnn, **RNN, times=2)
    frames, tree = {f["id"]: f for f in seen(wire.widget).scene["frames"]}, wire.widget.recording.outline
    for box in seen(wire.widget).scene["nodes"]:
        around = tree.around(box["id"])
        for identity, f in frames.items():
            inside = f["x"] < box["x"] and box["x"] + box["w"] < f["x"] + f["w"]
            inside = inside and f["y"] < box["y"] and box["y"] + box["h"] < f["y"] + f["h"]
            apart = box["x"] >= f["x"] + f["w"] or box["x"] + box["w"] <= f["x"]
            apart = apart or box["y"] >= f["y"] + f["h"] or box["y"] + box["h"] <= f["y"]
            assert inside if identity in around else apart


def test_a_click_closes_a_frame_and_opens_a_box(page: Page, open_view: Open) -> None:
    wire = open_view(rnn, **RNN, times=2)
    tab(page, "t = 0").click()
    wire.settle()
    closed = page.locator(f".al-node[data-id='{group(wire, 't = 0')}']")
    result = wire.widget.recording.steps[5]
    assert closed.get_attribute("aria-expanded") == "false" and "3 steps" in (closed.text_content() or "")
    assert closed.get_attribute("aria-label").startswith("t = 0, value")  # type: ignore[union-attr]
    shown = closed.locator(".al-value .al-cells rect").evaluate_all("a => a.map(e => e.attributes.fill.value)")
    values = result.value.values
    expected = paint(view_tone(view_scales(wire.widget.recording).value).fractions(values), "light").reshape(-1, 3)
    found = np.array([[int(v) for v in fill[4:-1].split()] for fill in shown])
    assert np.abs(found - expected).max() <= 2
    closed.locator(".al-toggle").click()
    wire.settle()
    assert closed.count() == 0 and tab(page, "t = 0").get_attribute("aria-expanded") == "true"
    # what was all that it held is open as well
    assert texts(page, ".al-tab > text").count("h = cell(x, h, W)") == 2


def test_keys_close_and_open_and_the_focus_stays(page: Page, open_view: Open) -> None:
    wire = open_view(rnn, **RNN, times=2)

    def focused() -> tuple[str, str]:
        return tuple(
            page.evaluate("() => ['data-id', 'aria-expanded'].map(a => document.activeElement.getAttribute(a))")
        )

    node(page, wire, "a").focus()  # in t = 1
    page.keyboard.press("-")
    wire.settle()
    call = next(g for g in wire.widget.recording.outline.groups.values() if g.kind == "function")
    assert focused() == (str(call.id), "false")
    page.keyboard.press("-")
    wire.settle()
    assert focused() == (str(group(wire, "t = 1")), "false")
    page.keyboard.press("Enter")
    wire.settle()
    assert focused() == (str(group(wire, "t = 1")), "true")
    page.keyboard.press("ArrowRight")
    assert focused() == (str(call.id), "true")
    page.keyboard.press("ArrowRight")
    assert focused()[0] == str(min(s.id for s in call.steps))
    tab(page, "for t in range(times)").focus()
    shown = page.evaluate("() => getComputedStyle(document.activeElement.querySelector('rect')).strokeDasharray")
    assert shown != "none"
    page.keyboard.press(" ")
    wire.settle()
    assert focused() == (str(group(wire, "for t in range(times)")), "false")
    assert page.locator(".al-node").count() == 3 + 1 + 2
    assert page.locator(".al-node[tabindex='0']").count() == page.locator(".al-node").count()  # so few


def test_what_is_toggled_stays_where_it_is_on_the_screen(page: Page, open_view: Open) -> None:
    wire = open_view(rnn, **RNN, times=2)
    target = tab(page, "t = 1")
    target.scroll_into_view_if_needed()
    before = target.bounding_box()
    target.click()
    wire.settle()
    after = page.locator(f".al-node[data-id='{group(wire, 't = 1')}']").bounding_box()
    assert before and after and abs(after["x"] - before["x"]) <= 8


def test_open_all_and_close_all(page: Page, open_view: Open) -> None:
    wire = open_view(rnn, **RNN, times=30)
    offered(page, "Open all").click()
    wire.settle()
    assert page.locator(".al-node").count() == len(wire.widget.recording.steps)
    offered(page, "Close all").click()
    wire.settle()
    assert page.locator(".al-node").count() == 3 + 1 + 1  # inputs, the loop, and the line that sums
    assert page.locator(".al-group").count() == 0


def test_a_picture_of_too_many_boxes_is_refused_in_words(
    page: Page, open_view: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("autolab.views.graph.graph_panel.MOST_BOXES", 20)
    wire = open_view(rnn, **RNN, times=30)
    before = page.locator(".al-node").count()
    offered(page, "Open all").click()
    wire.settle()
    assert page.locator(".al-node").count() == before
    assert (
        f"would draw {len(wire.widget.recording.steps)} boxes; 20 is the most"
        in page.locator(".al-notice").inner_text()
    )
    offered(page, "Close all").click()
    wire.settle()
    assert "boxes" not in page.locator(".al-notice").inner_text()


def test_views_of_one_model_show_the_same_groups(page: Page, open_view: Open) -> None:
    wire = open_view(rnn, views=2, **RNN, times=2)
    page.locator(".al-tab").first.click()
    wire.settle()
    assert page.locator(".al-node").count() == 2 * (3 + 1 + 2)


def test_a_move_leaves_open_what_is_open(page: Page, open_view: Open) -> None:
    wire = open_view(rnn, **RNN, times=2)
    tab(page, "t = 0").click()
    wire.settle()
    menu(page).get_by_role("button", name="Reset").click()
    wire.settle()
    assert texts(page, ".al-tab > text") == ["for t in range(times)", "t = 1", "h = cell(x, h, W)"]


@pytest.mark.full
def test_ten_thousand_steps_open_closed_and_any_of_them_is_reached(page: Page, open_view: Open) -> None:
    wire = open_view(long, x=1.0, times=5000)
    assert page.locator(".al-node").count() <= 30
    box = find(page)
    box.fill("x * 0.999")
    wire.settle()
    assert page.locator(".al-find .al-note").text_content() == "5000 found"
    assert page.locator(".al-found").count() == page.locator(".al-node").count() - 1  # all but the input
    box.press("Shift+Enter")
    box.press("Shift+Enter")
    wire.settle()
    assert page.locator(".al-find .al-note").text_content() == "4999 of 5000"
    assert seen(wire.widget).selected == 9997
    selected = page.locator(".al-selected")
    assert selected.get_attribute("data-id") == "9997"
    expect(selected).to_be_in_viewport()
    for _ in range(4):
        box.press("Enter")
        wire.settle()
    assert page.locator(".al-find .al-note").text_content() == "3 of 5000"
    assert seen(wire.widget).selected == 2 * 3 - 1 and page.locator(".al-node").count() < 250


def test_search_marks_boxes_and_escape_ends_it(page: Page, open_view: Open) -> None:
    wire = open_view(rnn, **RNN, times=2)
    box = find(page)
    box.fill("tanh")
    wire.settle()
    marked = page.locator(".al-found").evaluate_all("all => all.map(e => +e.dataset.id)")
    assert marked == [s.id for s in wire.widget.recording.steps if s.function == "tanh"]
    box.fill("no such thing")
    wire.settle()
    assert page.locator(".al-find .al-note").text_content() == "0 found"
    expect(page.get_by_label("Next match")).to_be_disabled()
    box.press("Escape")
    wire.settle()
    assert page.locator(".al-find .al-note").text_content() == "" and page.locator(".al-found").count() == 0


def test_a_search_that_ends_at_the_selected_box_scrolls_to_it(page: Page, open_view: Open) -> None:
    wire = open_view(rnn, **RNN, times=40)
    offered(page, "Open all").click()
    wire.settle()
    node(page, wire, "loss").dispatch_event("click")  # the result, far down
    wire.settle()
    box = find(page)
    box.fill("loss")
    for _ in range(2):  # the second time nothing changes but the place
        page.locator(".al-pane").evaluate("pane => pane.scrollTo(0, 0)")
        assert not in_pane(node(page, wire, "loss"))
        box.press("Enter")
        wire.settle()
        assert in_pane(node(page, wire, "loss"))


def in_pane(box: Locator) -> bool:
    return bool(
        box.evaluate(
            """box => {
              const [a, b] = [box, box.closest(".al-pane")].map((e) => e.getBoundingClientRect());
              return a.width > 0 && a.left >= b.left && a.right <= b.right && a.top >= b.top && a.bottom <= b.bottom;
            }"""
        )
    )


def test_a_wide_graph_begins_where_its_first_boxes_are(page: Page, open_view: Open) -> None:
    wire = open_view(wide, x=1.0)
    left, shown, all_of_it = page.locator(".al-pane").evaluate("p => [p.scrollLeft, p.clientWidth, p.scrollWidth]")
    zoom = all_of_it / seen(wire.widget).scene["width"]
    boxes = [box for box in seen(wire.widget).scene["nodes"] if box["y"] < 900]
    weights = [(zoom * (box["x"] + box["w"] / 2), 1 if box["kind"] == "constant" else 2) for box in boxes]

    def near(place: float) -> int:
        return sum([weight for x, weight in weights if abs(x - place) <= zoom * 350 + 3])

    assert left > 100 and all_of_it - shown - left > 100  # it could begin elsewhere
    assert near(left + shown / 2) == max([near(x) for x, _ in weights]) > near(shown / 2)
    type_number(page, "x", "2")
    wire.settle()
    page.locator(".al-pane").evaluate("pane => pane.scrollTo(0, 0)")
    page.set_viewport_size({"width": 1000, "height": 800})
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.locator(".al-pane").evaluate("pane => pane.scrollLeft") == 0  # and stays where one has gone


def test_typing_waits_for_one_answer_at_a_time(page: Page, open_view: Open) -> None:
    wire = open_view(rnn, **RNN, times=2)
    find(page).press_sequentially("tanh")
    flush(wire)
    wire.step()
    assert find(page).input_value() == "tanh"  # not what was found meanwhile
    wire.settle()
    assert [m["look"]["search"] for m in wire.received] == ["t", "tanh"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_boxes_have_the_number_and_the_colour_of_the_scale(page: Page, open_view: Open, theme: Any) -> None:
    if theme == "dark":
        page.evaluate("() => { document.body.dataset.jpThemeLight = 'false'; }")
    wire = open_view(rnn, **RNN, times=2)
    offered(page, "Colour by").select_option("gradient")
    wire.settle()
    told = flow(wire.widget.recording, "gradient", wire.widget.recording.outline.at_first())
    for identity, entry in told["nodes"].items():
        box = page.locator(f".al-node[data-id='{identity}']")
        assert entry and box.locator("text.al-plate").last.text_content() == entry[1]
        tint = box.evaluate("e => e.style.getPropertyValue('--al-tint')")
        found = np.array([int(v) for v in tint[4:-1].split()])
        assert np.abs(found - paint(np.array(entry[0]), theme)).max() <= 2
    widths = page.locator(".al-edge").evaluate_all("all => all.map(e => e.style.getPropertyValue('--al-wide'))")
    assert widths == ["" if place is None else f"{1 + 6 * place:.1f}" for place in told["edges"]]
    legend = page.locator(".al-legend")
    assert told["legend"]["low"] in legend.inner_text() and told["legend"]["high"] in legend.inner_text()
    strongest = max(told["nodes"], key=lambda k: told["nodes"][k][0])
    last = "#" + "".join(f"{v:02x}" for v in paint(np.array(told["nodes"][strongest][0]), theme).tolist())
    assert last == STOPS[theme][-1]
    offered(page, "Colour by").select_option("nothing")
    wire.settle()
    assert page.locator(".al-tinted").count() == 0 and not legend.is_visible()


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_the_first_nan_is_shown_with_its_path(page: Page, open_view: Open) -> None:
    wire = open_view(bad, x=np.array([1.0, 0.0, 2.0]))
    r = wire.widget.recording
    assert "NaN" in node(page, wire, "c").locator("text.al-plate").all_text_contents()
    assert "∞" in node(page, wire, "b").locator("text.al-plate").all_text_contents()
    button = page.get_by_role("button", name="Path of the first NaN")
    button.click()
    wire.settle()
    assert "came up in the forward pass, at c = b * x" in page.locator(".al-story").inner_text()
    born = page.locator(".al-nan-born").evaluate_all("all => all.map(e => +e.dataset.id)")
    because = page.locator(".al-nan-because").evaluate_all("all => all.map(e => +e.dataset.id)")
    assert (born, because, seen(wire.widget).selected) == ([r["c"].id], [r["b"].id], r["c"].id)
    hurt = page.locator(".al-nan-gradients").evaluate_all("all => all.map(e => +e.dataset.id)")
    assert r["x"].id in hurt
    button.click()
    wire.settle()
    assert page.locator(".al-on-path").count() == 0 and page.locator(".al-story").text_content() == ""


def test_without_a_nan_there_is_no_button_and_good_news_when_asked(page: Page, open_view: Open) -> None:
    wire = open_view(rnn, **RNN, times=2)
    expect(page.get_by_role("button", name="Path of the first NaN")).to_be_hidden()
    assert page.locator(".al-told li").count() == 0
    offered(page, "Colour by").select_option("ratio")
    wire.settle()
    assert "No NaN" in page.locator(".al-told").inner_text()


def cut(x: Variable, w: Variable) -> Variable:
    return x * np.tanh((x * w).data)


def test_a_sentence_shows_source_as_code(page: Page, open_view: Open) -> None:
    wire = open_view(cut, x=2.0, w=3.0)
    assert page.locator(".al-told li code").all_text_contents() == ["(x * w).data"]
    node(page, wire, "w").click()
    wire.settle()
    assert texts(page, ".al-sentence code") == texts(page, ".al-status code") == ["(x * w).data"]
    assert "`" not in "".join([*texts(page, ".al-sentence"), *texts(page, ".al-status"), *texts(page, ".al-told")])


def test_the_small_map_of_a_large_graph(page: Page, open_view: Open) -> None:
    wire = open_view(rnn, **RNN, times=40)
    offered(page, "Open all").click()
    wire.settle()
    page.mouse.click(3, 3)  # the menu, which is over the map, closes
    small, here = page.locator(".al-whole"), page.locator(".al-whole-here")
    box, first = small.bounding_box(), here.bounding_box()
    assert box and first and page.locator(".al-node").count() > 100
    page.mouse.click(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
    scrolled = page.locator(".al-pane").evaluate("e => [e.scrollLeft, e.scrollWidth - e.clientWidth]")
    assert scrolled[0] > 0.95 * scrolled[1]
    page.wait_for_function(
        "x => document.querySelector('.al-whole-here').getBoundingClientRect().x > x", arg=first["x"] + 20
    )
    read = "c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]"
    pixels = np.array(page.locator(".al-whole-canvas").evaluate(read))[3::4]
    drawn = sum(n["w"] * n["h"] for n in seen(wire.widget).scene["nodes"])
    expected = drawn / (seen(wire.widget).scene["width"] * seen(wire.widget).scene["height"])
    assert expected < (pixels > 0).mean() < 3 * expected  # a box covers no less than two pixels
