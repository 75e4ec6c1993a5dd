"""The whole view as one picture: its words and places come from the recording and hold at every step."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import autolab
from autolab.display.frames import frame
from autolab.display.messages import say
from autolab.display.readings import readings
from autolab.display.slide import Slide, draw_slide
from autolab.display.walk import Walk

from .cases import named, recorded_muladd, recorded_net
from .payloads import PAYLOADS

FAULTS = """() => {
  const box = e => e.getBoundingClientRect();
  const card = box(document.querySelector('.card'));
  const outside = [...document.querySelectorAll('text')].filter(t => box(t).left < card.left || box(t).right > card.right
    || box(t).bottom > card.bottom);
  const lines = [...document.querySelectorAll(':scope > g')].slice(1).flatMap(g => [...g.querySelectorAll('text:not(.cell)')]);
  const meet = (p, q) => p.left < q.right - 1 && q.left < p.right - 1 && p.top + 5 < q.bottom - 3 && q.top + 5 < p.bottom - 3;
  const over = lines.flatMap((a, i) => lines.slice(i + 1).filter(b => meet(box(a), box(b))).map(b => [a, b]));
  return [outside.map(t => t.textContent), over.map(pair => pair.map(t => t.textContent))];
}"""  # noqa: E501


def layer(x, W, b):
    h = np.tanh(x @ W + b)
    loss = (h * h).mean()
    return loss


@pytest.fixture(scope="module")
def recorded():
    rng = np.random.default_rng(0)
    return autolab.record(layer, x=rng.normal(size=(4, 3)), W=rng.normal(size=(3, 2)), b=rng.normal(size=2))


def texts(svg):
    return [
        "".join(element.itertext()) for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("}text")
    ]


def test_a_step_backward_has_its_calculation_its_line_and_its_place(recorded):
    walk = Walk(recorded)
    k = next(i for i, m in enumerate(walk.moments) if m.phase == "backward" and walk.use(m).product is not None)
    told, _ = frame(walk, k, recorded.outline.holders(recorded.outline.at_first()))
    shown = texts(draw_slide(Slide(recorded, moment=k)))
    joined = " ".join(shown)
    assert {told["title"], *told["numbers"], f"{told['phase']}, {told['place']}"} <= set(shown)
    assert all(line["label"] in joined for line in told["lines"])
    assert "h = np.tanh(x @ W + b)" in shown and "summed over axis 0" in joined
    assert shown.count(say("not_yet")) == 2  # the gradients of x and W
    b = recorded["b"].grad.values
    assert f"{b[1]:.3f}" in shown


def test_nothing_stands_before_its_time(recorded):
    first, last = texts(draw_slide(Slide(recorded, moment=0))), texts(draw_slide(Slide(recorded)))
    calls = [step for step in recorded.steps if step.kind == "call"]
    assert first.count(say("not_yet")) == len(calls) and "gradient" not in first
    assert say("not_yet") not in last and last.count("gradient") == len(recorded.steps) + 1  # and once in the panel


def test_the_second_share_is_counted():
    recording = autolab.record(lambda x: x * x + x, 3.0)
    walk = Walk(recording)
    growing = next(k for k in range(len(walk)) if walk.growing(k, {s.id: s.id for s in recording.steps}))
    assert "gradient, 1 of 3" in texts(draw_slide(Slide(recording, moment=growing)))


@pytest.mark.parametrize("by", ["value", "gradient", "time"])
def test_colours_come_with_what_they_mean(recorded, by):
    plain, coloured = draw_slide(Slide(recorded)), draw_slide(Slide(recorded, by=by))
    legend = Slide(recorded, by=by).flow["legend"]
    assert {legend["name"], legend["low"], legend["high"]} <= set(texts(coloured))
    assert legend["name"] not in texts(plain)
    numbers = {found[1] for found in Slide(recorded, by=by).flow["nodes"].values() if found}
    assert numbers <= set(texts(coloured))


def test_what_is_wrong_is_said():
    with np.errstate(invalid="ignore"):
        recording = autolab.record(lambda x: np.log(x), np.array([1.0, -1.0]))
    shown = texts(draw_slide(Slide(recording)))
    assert "NaN" in shown and any("NaN stands in" in text for text in shown)


@pytest.mark.browser
@pytest.mark.parametrize("look", ["light", "dark"])
def test_nothing_leaves_the_card_and_nothing_overlaps_in_the_panel(recorded, look, browser, tmp_path):
    for k in (None, *range(len(Walk(recorded)))):
        (tmp_path / "slide.svg").write_text(draw_slide(Slide(recorded, moment=k, by="gradient"), look), "utf-8")
        page = browser.new_page()
        page.goto((tmp_path / "slide.svg").as_uri())
        found = page.evaluate(FAULTS)
        page.close()
        assert found == [[], []], k


def of_orders(order, **shown):
    def wave(x):
        y = np.sin(x) * x
        return y

    return Slide(autolab.record(wave, 1.0, options={"order": order}), **shown)


def test_the_graphs_of_all_orders_stand_on_the_slide():
    slide = of_orders(2)
    shown = texts(draw_slide(slide))
    assert {"y", "dy/dx", "d²y/dx²", "order 0 · 2 steps", "order 1 · 5 steps", "order 2 · 11 steps"} <= set(shown)
    numbers = [node["value"] for graph in slide.recording.higher for node in readings(graph)["nodes"].values()]
    assert set(numbers) <= set(shown) and shown.count("output") == 3
    assert "dy/dx: " not in draw_slide(of_orders(0)) and "order 0 · 2 steps" not in texts(draw_slide(of_orders(0)))
    for name in ("dy/dx, order 1 · 5 steps: ", "d²y/dx², order 2 · 11 steps: "):
        assert name in slide.spoken


def test_the_panel_tells_about_a_box_of_a_derivative():
    recording = of_orders(2).recording
    step = next(step for step in recording.higher[1].steps if step.name == "d²y/dx²")
    shown = texts(draw_slide(Slide(recording, chosen=step.id)))
    assert "d²y/dx² = (v14 + ((1 * cos(x)) * 1)) +" in " ".join(shown)
    assert "y = np.sin(x) * x" not in shown[-4:]


def test_what_would_be_too_small_is_left_out_and_that_is_said():
    slide = of_orders(4)
    sentence = say("slide_one_order", order=0, count=5)
    assert sentence in " ".join(texts(draw_slide(slide))) and sentence in slide.spoken
    assert [graph.recording.order for graph in slide.field.graphs] == [0]
    chosen = of_orders(4, chosen=slide.recording.higher[1].outputs[0])
    assert [graph.recording.order for graph in chosen.field.graphs] == [2]
    assert say("slide_one_order", order=2, count=5) in chosen.spoken


@pytest.mark.browser
@pytest.mark.parametrize("order", [1, 2, 4])
def test_nothing_overlaps_where_there_are_several_orders(order, browser, tmp_path):
    for moment in (None, 3):
        (tmp_path / "slide.svg").write_text(draw_slide(of_orders(order, moment=moment)), "utf-8")
        page = browser.new_page()
        page.goto((tmp_path / "slide.svg").as_uri())
        found = page.evaluate(FAULTS)
        page.close()
        assert found == [[], []], moment


def test_names_are_data_on_a_slide():
    for name in PAYLOADS:
        for moment in (None, 1):
            root = ElementTree.fromstring(draw_slide(Slide(named(name), moment=moment)))
            tags = {element.tag.rpartition("}")[2] for element in root.iter()}
            assert tags <= {"svg", "title", "desc", "style", "rect", "text", "tspan", "g", "path", "marker", "circle"}


def test_a_large_graph_is_drawn_as_far_as_it_is_open():
    recording = recorded_net()
    closed = Slide(recording, expanded=())
    assert len(closed.picture["nodes"]) <= len(Slide(recording).picture["nodes"])
    assert re.match(r"<svg ", draw_slide(closed))


def test_panels_stand_beside_a_high_graph_and_below_a_wide_one():
    def size(recording):
        view_box = ElementTree.fromstring(draw_slide(Slide(recording))).get("viewBox").split()
        return float(view_box[2]), Slide(recording).picture["width"]

    assert size(recorded_muladd())[0] > size(recorded_muladd())[1] + 400
    recording = autolab.record(lambda a, b, c, d, e, f, g, h: (a * b + c * d) + (e * f + g * h), *np.arange(8.0))
    assert size(recording)[0] < size(recording)[1] + 100
