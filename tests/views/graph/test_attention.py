"""The weights of attention: which steps they are found in, a matrix for each head, tokens along its sides."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import autolab
import autolab.functions as F
import autolab.links as L
from autolab.recording import Recording
from autolab.views.graph.detail import detail, is_attention

from ..bare_page import node
from .test_page_overview import Open

WORDS = ["the", "cat", "sat", "on", "the", "mat"]
X = np.random.default_rng(0).normal(size=(2, 6, 8)).astype(np.float32)


def weights_of(recording: Recording) -> Any:
    """The only step with attention weights."""
    (step,) = [step for step in recording.steps if is_attention(recording, step)]
    return step


def heads(link: Any) -> Recording:
    return autolab.record(lambda x: (link(x) ** 2).sum(), X, options={"tokens": WORDS})


def dropped(x: Any) -> Any:
    weights = F.softmax(x @ F.swapaxes(x, 1, 2))
    return (F.dropout(weights, 0.5) @ x).sum()


def test_every_head_of_every_example_is_a_matrix() -> None:
    recording = heads(L.MultiHeadAttention(8, 4, causal=True))
    step = weights_of(recording)
    data = detail(recording, step.id)
    for entry, kept in zip(data["arrays"], (step.value, step.grad), strict=True):
        cells = np.frombuffer(entry["cells"], "<f4")
        np.testing.assert_array_equal(cells.reshape(2, 4, 6, 6), kept.values)
        assert (entry["rows"], entry["cols"], entry["heads"]["tokens"]) == (6, 6, [WORDS, WORDS])
        assert entry["heads"]["titles"] == ["head 0", "head 1", "head 2", "head 3"]
    assert data["arrays"][0]["bars"]["asinh"]["ticks"][-1][1] == "1"  # the scale of weights, not of the view


def test_few_cells_hold_one_example_and_the_caption_says_so() -> None:
    recording = autolab.record(dropped, np.ones((3, 40, 4), np.float32))
    step = weights_of(recording)
    data = detail(recording, step.id, 8)
    entry = data["arrays"][0]
    assert entry["heads"]["tokens"][0][:3] == ["0", "1", "2"]
    assert "position" in entry["heads"]["looks"]
    assert len(entry["cells"]) == 4 * entry["rows"] * entry["cols"] * len(entry["heads"]["titles"])


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: F.softmax(x).sum(),  # nothing is mixed by them
        lambda x: (F.relu(x) @ F.swapaxes(x, 1, 2)).sum(),  # they do not add up to 1
        lambda x: (F.softmax(x, axis=1) @ F.swapaxes(x, 1, 2)).sum(),  # the columns do
    ],
)
def test_other_steps_are_arrays_like_any(fn: Any) -> None:
    recording = autolab.record(fn, X)
    assert not any(is_attention(recording, step) for step in recording.steps)
    assert all("heads" not in entry for step in recording.steps for entry in detail(recording, step.id)["arrays"])


@pytest.mark.parametrize("tokens", [3, ["a", 1], {"a": 1}])
def test_tokens_are_a_list_of_strings(tokens: Any) -> None:
    for call in (autolab.record, autolab.explore):
        with pytest.raises(TypeError, match=f"{call.__name__}: option 'tokens' is .*; expected a list of strings"):
            call(dropped, X, options={"tokens": tokens})


def mixed(x: Any) -> Any:
    scores = x @ F.swapaxes(x, 1, 2)
    weights = F.softmax(scores)
    y = weights @ x
    return y.sum()


@pytest.mark.browser
def test_a_page_shows_heads_with_tokens_and_reads_out_who_looks_at_whom(open_view: Open, page: Page) -> None:
    words = ["<b>the</b>", *WORDS[1:]]
    wire = open_view(mixed, x=X, options={"tokens": words})
    step = weights_of(wire.widget.recording)
    node(page, wire, "weights").click()
    wire.settle()
    shown = page.locator(".al-readout-value .al-head")
    expect(shown).to_have_count(2)
    expect(page.get_by_label("Value of [1] as a heatmap, 6 by 6", exact=True)).to_be_visible()
    expect(shown.nth(0).locator(".al-left span")).to_have_text(words)
    shown.nth(1).locator("canvas.al-canvas").press("ArrowRight")
    shown.nth(1).locator("canvas.al-canvas").press("ArrowRight")
    told = shown.nth(1).locator("output")
    expect(told).to_contain_text("“<b>the</b>” looks at “cat” = ")
    assert float((told.text_content() or "").split("= ")[1]) == pytest.approx(step.value.values[1, 0, 1], rel=1e-5)
    assert page.locator(".al-readout-gradient .al-head").count() == 2


@pytest.mark.browser
@pytest.mark.parametrize("tokens", [[*WORDS, "and", "then", "it", "slept"], list("abcdefgh" * 8)])
def test_labels_stand_apart(open_view: Open, page: Page, tokens: list[str]) -> None:
    page.set_viewport_size({"width": 1280, "height": 800})
    wire = open_view(mixed, x=np.random.default_rng(0).normal(size=(2, len(tokens), 4)), options={"tokens": tokens})
    node(page, wire, "weights").click()
    wire.settle()
    for side, first, last in (("left", "top", "bottom"), ("top", "left", "right")):
        spans = page.locator(f".al-readout-value .al-head >> nth=0 >> .al-{side} span")
        boxes = spans.evaluate_all("all => all.map((one) => one.getBoundingClientRect().toJSON())")
        assert len(boxes) >= 8 and all(a[last] <= b[first] + 1 for a, b in pairwise(boxes)), side
