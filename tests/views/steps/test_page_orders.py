"""Going up in order: the graphs of the derivatives in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from autolab import Variable
from autolab.views.graph.readings import readings
from autolab.views.graph.scene import scene

from ..bare_page import Wire, menu, type_number
from ..programs import LAYER, layer

Open = Callable[..., Wire]


def squares(x: Variable, y: Variable) -> Variable:
    h = x * y
    w = h * h
    return w


def panels(page: Page) -> list[Locator]:
    return page.locator(".al-graph").all()


def choose(page: Page, wire: Wire, order: int) -> None:
    place = menu(page) if order > 2 else page.locator(".al-header")
    place.get_by_role("radio", name=f"Order {order}", exact=True).check()
    wire.settle()
    switch = page.get_by_role("button", name="As computed")
    if switch.is_visible() and switch.get_attribute("aria-pressed") == "false":
        switch.click()  # here it is about every step that was computed


pytestmark = pytest.mark.browser


def test_each_order_stands_beside_the_others_with_its_numbers(page: Page, open_view: Open) -> None:
    wire = open_view(squares, x=3.0, y=2.0)
    assert len(panels(page)) == 1 and page.locator(".al-badge").count() == 0
    choose(page, wire, 2)
    heads = page.locator(".al-graph-head")
    assert heads.locator(".al-own").all_text_contents() == ["w", "dw/dx", "d²w/dx²"]
    higher = wire.widget.recording.higher
    counts = [sum(s.kind == "call" and s.order == g.order for s in g.steps) for g in (wire.widget.recording, *higher)]
    assert heads.locator(".al-caption").all_text_contents() == [
        f"order {k} · {n} step{'s' * (n > 1)}" for k, n in enumerate(counts)
    ]
    boxes = [panel.bounding_box() for panel in panels(page)]
    assert len({box["y"] for box in boxes if box}) == 1  # side by side at this width
    for graph, panel in zip(higher, panels(page)[1:], strict=True):
        shown = readings(graph)["nodes"]
        for node in scene(graph)["nodes"]:
            box = panel.locator(f"[data-id='{node['id']}']")
            assert box.locator(".al-value .al-number").text_content() == shown[str(node["id"])]["value"]
            assert box.locator(".al-badge + text").text_content() == str(node["order"])
    choose(page, wire, 0)
    assert len(panels(page)) == 1 and page.locator(".al-badge").count() == 0


def test_the_graphs_follow_when_an_input_moves(page: Page, open_view: Open) -> None:
    wire = open_view(squares, x=3.0, y=2.0)
    choose(page, wire, 1)
    type_number(page, "x", "5")
    wire.settle()
    (first,) = wire.widget.recording.higher
    result = panels(page)[1].locator(f"[data-id='{first.outputs[0]}'] .al-value .al-number")
    assert result.text_content() == "40"  # 2 x y²


def test_corresponding_steps_are_marked_together(page: Page, open_view: Open) -> None:
    wire = open_view(squares, x=3.0, y=2.0)
    choose(page, wire, 1)
    recording = wire.widget.recording
    (first,) = recording.higher
    h, w = recording["h"].id, recording["w"].id
    panels(page)[0].locator(f"[data-id='{w}']").hover()
    marked = {int(n.get_attribute("data-id") or -1) for n in page.locator(".al-related").all()}
    assert marked == {step.id for step in first.steps if step.of == w} != set()
    panels(page)[1].locator(f"[data-id='{min(marked)}']").hover()
    assert {int(n.get_attribute("data-id") or -1) for n in page.locator(".al-related").all()} == {w}
    panels(page)[1].locator(f"[data-id='{h}']").focus()
    assert panels(page)[0].locator(f"[data-id='{h}'].al-related").count() == 1  # the same value in the other graph
    page.locator(".al-function").hover()
    expect(page.locator(".al-related")).to_have_count(0)


def test_a_step_of_a_derivative_can_be_chosen(page: Page, open_view: Open) -> None:
    wire = open_view(squares, x=3.0, y=2.0)
    choose(page, wire, 1)
    (first,) = wire.widget.recording.higher
    box = panels(page)[1].locator(f"[data-id='{first.outputs[0]}']")
    box.click()
    wire.settle()
    assert (page.locator(".al-title").text_content() or "").startswith("dw/dx = ")
    assert page.locator(".al-big").first.text_content() == "24"
    assert box.get_attribute("aria-pressed") == "true"


def test_the_input_can_be_chosen_and_the_end_is_said(page: Page, open_view: Open) -> None:
    def fn(x: Variable, y: Variable) -> Variable:
        w = x * x * y
        return w

    wire = open_view(fn, x=3.0, y=2.0)
    choose(page, wire, 2)
    page.get_by_label("Differentiate by").select_option("y")
    wire.settle()
    assert page.locator(".al-graph-head .al-own").all_text_contents() == ["w", "dw/dy"]
    assert page.locator(".al-order-note").text_content() == (
        "dw/dy does not depend on y: all further derivatives are zero."
    )
    assert page.get_by_role("radio", name="Order 2", exact=True).is_checked()


def test_the_end_is_said_also_of_the_order_after_the_last_graph(page: Page, open_view: Open) -> None:
    """The graphs of both orders are the same; what is said of them is not."""
    wire = open_view(lambda x, y: x * y, x=3.0, y=2.0)
    note = page.locator(".al-order-note")
    for order, is_said in ((1, False), (2, True), (1, False)):
        choose(page, wire, order)
        expect(note).to_be_visible(visible=is_said)


def test_arrays_and_nothing_to_differentiate(page: Page, open_view: Open) -> None:
    wire = open_view(layer, **LAYER)
    choose(page, wire, 1)
    (first,) = wire.widget.recording.higher
    result = panels(page)[1].locator(f"[data-id='{first.outputs[0]}']")
    assert result.locator(".al-value .al-cells rect").count() == LAYER["x"].size


def test_whole_numbers_offer_no_order(page: Page, open_view: Open) -> None:
    open_view(lambda n: n, n=np.array(3))
    expect(page.get_by_label("Order of differentiation")).to_be_hidden()


def test_an_order_that_cannot_be_computed_is_an_error_and_the_picture_stays(page: Page, open_view: Open) -> None:
    wire = open_view(squares, x=3.0, y=2.0)
    message: Any = {"do": "choose", "setting": "order", "value": 9, "seq": 10**9}
    wire.widget._on_message(wire.widget, message, [])
    wire.deliver()
    assert "option 'order' is 9" in page.locator(".al-error-what").inner_text()
    assert len(panels(page)) == 1
