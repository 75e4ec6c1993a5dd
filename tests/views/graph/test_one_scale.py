"""One scale of colours for all values of a view, and one for all gradients; what a colour means is said."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import functions as F
from autolab.recording.observations import observations
from autolab.views.draw.colors import color, view_tone
from autolab.views.graph.cells_svg import LEVELS
from autolab.views.graph.detail import detail
from autolab.views.graph.graph_svg import draw, to_svg
from autolab.views.graph.playback import Playback
from autolab.views.graph.readings import Scales, readings, view_scales
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
    recording = autolab.record(lambda x, y: (x * 1e-12).sum() + y.sum(), np.array([1.0, -1.0]), np.ones(2))
    assert np.abs(recording["x"].grad.values).max() == 1e-12
    reading = readings(recording)["nodes"][str(recording["x"].id)]
    tone = view_tone(reading["grad_scale"])
    assert reading["grad_scale"] == 1.0
    assert {color(float(t)) for t in tone.fractions(np.array(reading["grad_cells"])).ravel()} == {color(0.0)}
    assert shaded(reading)["grad_cells"] == [[1, 1]] and shaded(reading)["value_cells"] == [[127, -127]]
    assert shades(to_svg(recording)) == {0, LEVELS, 2 * LEVELS}


def test_values_and_gradients_have_a_scale_each_and_single_numbers_none() -> None:
    recording = autolab.record(fading, X)
    assert view_scales(recording) == (20.0, 2.0, (False, False))
    told = readings(recording)
    scales = {(reading["value_scale"], reading["grad_scale"]) for reading in told["nodes"].values()}
    assert scales == {(20.0, 2.0)} == {(told["scale"]["scale"], told["scale"]["grad"])}
    assert [tick[1:] for tick in told["scale"]["ticks"]][-2:] == [["2"], ["20"]]
    assert told["scale"]["words"] == "Full colour: 20 for values, 2 for gradients."
    loud = autolab.record(lambda x: (x * x).sum() * 1e6, np.array([0.5, 0.25]))
    assert view_scales(loud)[:2] == (0.5, 1e6), "the sum itself, a single number, counts for nothing"
    assert readings(autolab.record(lambda x: x * x, 3.0))["scale"] is None


def masked(x: Any, mask: Any) -> Any:
    return ((F.softmax(x * 3.0 + mask) * x) ** 2).sum()


@pytest.mark.parametrize("away", [-np.inf, -1e9])
def test_a_mask_sets_no_scale_and_a_tenth_of_the_median_gradient_is_a_colour(away: float) -> None:
    recording = autolab.record(masked, X, np.array([0.0, 0.0, away]))
    scales = view_scales(recording)
    assert scales.value <= 500
    median = np.median([np.abs(step.grad.values).max() for step in recording.steps if step.grad and step.grad.size > 1])
    shade = shaded({"grad_cells": [[median / 10]], "grad_scale": scales.grad})["grad_cells"]
    assert shade[0][0] >= 9, "of 127"
    if scales.more[0]:
        assert readings(recording)["scale"]["ticks"][-1][1].startswith("≥ ")
    assert not [found for found in observations(recording) if found.sign == "infinite"]


def test_an_infinity_that_reaches_a_result_or_a_gradient_is_reported_with_what_made_it() -> None:
    def signs(fn: Any, x: Any) -> set[str | None]:
        recording = autolab.record(fn, x)
        return {recording.steps[found.step].function for found in observations(recording) if found.sign == "infinite"}

    with np.errstate(all="ignore"):
        assert signs(lambda x: F.log(x).sum(), np.array([0.0, 1.0])) == {None, "log", "sum"}  # x has the gradient
        assert signs(lambda x: F.exp(F.log(x) * 2.0).sum(), np.array([0.0, 1.0])) == {"log"}


def test_derivatives_beside_the_graph_have_its_scale_and_opening_a_group_changes_none() -> None:
    recording = autolab.record(lambda x: (x**4).sum(), np.array([1.0, 1.5]), options={"order": 2})
    kept = [(step.value, step.grad) for graph in (recording, *recording.higher) for step in graph.steps]
    for arrays, scale in zip(zip(*kept, strict=True), view_scales(recording), strict=False):
        largest = max([np.abs(array.values).max() for array in arrays if array is not None and array.size > 1])
        assert largest <= scale < 2.5 * largest
    looped = autolab.record(lambda x: sum([x * float(k) for k in range(10)]), X)
    opened, closed = (readings(looped, groups)["scale"] for groups in (looped.outline.groups, ()))
    assert opened == closed


def test_each_array_to_its_own_largest_is_said_at_each() -> None:
    recording = autolab.record(fading, X)
    told = readings(recording, own=True)
    h = told["nodes"][str(recording["h"].id)]
    assert h["own"] and h["value_scale"] == pytest.approx(1.3e-11) and h["grad_scale"] == 1.0
    assert told["scale"]["ticks"] == [] and "own scale" in told["scale"]["words"]
    text = draw(scene(recording), told)
    assert "value ≤ 1.3e−11" in text and "own scale" in text


def test_zero_has_a_mark_and_nothing_else_has_it() -> None:
    text = to_svg(autolab.record(fading, X))
    zero = re.findall(r'<path class="zero" d="([^"]*)"', text)
    assert zero and all(path.count("M") == 1 for path in zero)
    assert 'class="zero"' not in to_svg(autolab.record(fading, np.array([1.0, 1e-300])))


def test_the_picture_explains_its_colours() -> None:
    text = to_svg(autolab.record(fading, X))
    assert "20 for values, 2 for gradients" in text and ">−20<" in text and ">−2<" in text
    assert "Full colour" not in to_svg(autolab.record(lambda x: x * x, 3.0))


def test_the_bars_of_a_step_offer_the_scale_of_the_view_first() -> None:
    recording = autolab.record(fading, X)
    arrays = detail(recording, recording["h"].id)["arrays"]
    assert list(arrays[0]["bars"]) == ["asinh", "linear", "symlog"]
    assert [array["bars"]["asinh"]["scale"] for array in arrays] == [20.0, 2.0]
    assert [array["bars"]["linear"]["scale"] for array in arrays] == [pytest.approx(1.3e-11), 1.0]
    given = detail(recording, recording["h"].id, scales=Scales(50.0, 1.0))["arrays"]
    assert given[0]["bars"]["asinh"]["scale"] == 50.0


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
    assert view_scales(recording).value == 1.0  # and not 50
    nodes = readings(recording)["nodes"]
    of_words, of_table = [nodes[str(recording[name].id)] for name in ("words", "table")]
    assert (of_words["own"], of_words["value_scale"]) == (True, 34.0)
    assert (of_table["own"], of_table["value_scale"]) == (False, 1.0)
    assert "value ≤ 34" in to_svg(recording) and "gradient ≤" not in to_svg(recording)
