"""One scale of colours for everything in a view: small is pale everywhere, and what a colour means is said."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import autolab
from autolab.views.draw.colors import color, view_tone
from autolab.views.draw.svg import LEVELS
from autolab.views.graph.detail import detail
from autolab.views.graph.graph_svg import draw, to_svg
from autolab.views.graph.playback import Playback
from autolab.views.graph.readings import readings, view_scale
from autolab.views.graph.scene import scene
from autolab.views.live.columns import shaded


def fading(x: Any) -> Any:
    h = x * 1e-12
    return (h + x).sum()


X = np.array([1.0, 0.0, -13.0])


def shades(text: str) -> set[int]:
    """The shades of the cells in an SVG document, without those of its legend."""
    return {int(n) for n in re.findall(r'<path class="k(\d+)"', text)}


def test_a_gradient_of_1e_12_is_not_as_dark_as_1() -> None:
    recording = autolab.record(lambda x: (x * 1e-12).sum() + x.sum() * 0.0, np.array([1.0, -1.0]))
    assert np.abs(recording["x"].grad.values).max() == 1e-12
    reading = readings(recording)["nodes"][str(recording["x"].id)]
    tone = view_tone(reading["grad_scale"])
    assert reading["grad_scale"] == reading["value_scale"] == 1.0
    assert {color(float(t)) for t in tone.fractions(np.array(reading["grad_cells"])).ravel()} == {color(0.0)}
    assert shaded(reading)["grad_cells"] == [[1, 1]] and shaded(reading)["value_cells"] == [[127, -127]]
    assert shades(to_svg(recording)) == {0, LEVELS, 2 * LEVELS}


def test_the_scale_is_that_of_all_arrays_of_the_view_and_of_no_single_number() -> None:
    recording = autolab.record(fading, X)
    assert view_scale(recording) == 20.0
    told = readings(recording)
    scales = {reading[key] for reading in told["nodes"].values() for key in ("value_scale", "grad_scale")}
    assert scales == {20.0} == {told["scale"]["scale"]}
    assert [text for _, text in told["scale"]["ticks"]] == ["−20", "−2", "0", "2", "20"]
    assert "all values and gradients" in told["scale"]["words"]
    loud = autolab.record(lambda x: (x * x).sum() * 1e6, np.array([0.5, 0.25]))
    assert view_scale(loud) == 1e6, "its gradients are arrays; the sum itself, a single number, counts for nothing"
    assert readings(autolab.record(lambda x: x * x, 3.0))["scale"] is None


def test_derivatives_beside_the_graph_have_its_scale_and_opening_a_group_changes_none() -> None:
    recording = autolab.record(lambda x: (x**4).sum(), np.array([1.0, 3.0]), options={"order": 2})
    largest = max(
        np.abs(kept.values).max()
        for graph in (recording, *recording.higher)
        for step in graph.steps
        for kept in (step.value, step.grad)
        if kept is not None and kept.size > 1
    )
    assert largest <= view_scale(recording) < 2.5 * largest
    looped = autolab.record(lambda x: sum([x * float(k) for k in range(40)]), X)
    opened, closed = (readings(looped, groups)["scale"] for groups in (looped.outline.groups, ()))
    assert opened == closed


def test_each_array_to_its_own_largest_is_said_at_each() -> None:
    recording = autolab.record(fading, X)
    told = readings(recording, own=True)
    h = told["nodes"][str(recording["h"].id)]
    assert h["own"] and h["value_scale"] == pytest.approx(1.3e-11) and h["grad_scale"] == 1.0
    assert told["scale"]["ticks"] == [] and "own largest" in told["scale"]["words"]
    text = draw(scene(recording), told)
    assert "value ≤ 1.3e−11" in text and "own largest" in text


def test_zero_has_a_mark_and_nothing_else_has_it() -> None:
    text = to_svg(autolab.record(fading, X))
    zero = re.findall(r'<path class="zero" d="([^"]*)"', text)
    assert zero and all(path.count("M") == 1 for path in zero)
    assert 'class="zero"' not in to_svg(autolab.record(fading, np.array([1.0, 1e-300])))


def test_the_picture_explains_its_colours() -> None:
    text = to_svg(autolab.record(fading, X))
    assert "one scale for all values and gradients" in text and ">−20<" in text
    assert "one scale" not in to_svg(autolab.record(lambda x: x * x, 3.0))


def test_the_bars_of_a_step_offer_the_scale_of_the_view_first() -> None:
    recording = autolab.record(fading, X)
    arrays = detail(recording, recording["h"].id)[0]["arrays"]
    assert list(arrays[0]["bars"]) == ["asinh", "linear", "symlog"]
    assert [array["bars"]["asinh"]["scale"] for array in arrays] == [20.0, 20.0]
    assert [array["bars"]["linear"]["scale"] for array in arrays] == [pytest.approx(1.3e-11), 1.0]
    assert detail(recording, recording["h"].id, scale=50.0)[0]["arrays"][0]["bars"]["asinh"]["scale"] == 50.0


def test_sums_that_grow_have_the_scale_of_the_whole() -> None:
    recording = autolab.record(fading, X)
    walk = Playback(recording)
    boxes = {step.id: step.id for step in recording.steps}
    growing = [walk.growing(k, boxes) for k in range(len(walk))]
    assert any(growing) and all("scale" not in one for at in growing for one in at.values())


def test_numbers_of_words_have_a_scale_of_their_own() -> None:
    def chosen(table: Any, words: Any) -> Any:
        return (table[words] ** 2).sum()

    table = np.linspace(-1, 1, 70).reshape(35, 2)
    recording = autolab.record(chosen, table=table, words=np.array([0, 34, 3]))
    assert view_scale(recording) == 2.0  # of the gradients, and not 50
    nodes = readings(recording)["nodes"]
    of_words, of_table = [nodes[str(recording[name].id)] for name in ("words", "table")]
    assert (of_words["own"], of_words["value_scale"]) == (True, 34.0)
    assert (of_table["own"], of_table["value_scale"]) == (False, 2.0)
