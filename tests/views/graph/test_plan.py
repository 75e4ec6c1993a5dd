"""Plans: the boxes of a network before its numbers, with their names, sizes and bars."""

from __future__ import annotations

import re

import numpy as np
import pytest
from helpers.network import BLOCKS, recorded

import autolab
from autolab.views.draw.numbers import short_count
from autolab.views.graph.graph_svg import to_svg
from autolab.views.graph.readings import readings
from autolab.views.graph.scene import PLANNED, scene
from autolab.views.graph.sizes import Bars


def test_a_network_is_drawn_as_its_blocks() -> None:
    recording = recorded()
    nodes = (picture := scene(recording))["nodes"]
    assert picture["direction"] == "down" and not picture["frames"]  # none around the whole
    told = [(node["text"], node["symbol"], node["plan"]) for node in nodes if node["group"]]
    learned = 4 * 8 + 8 + 8 * 4 + 4
    assert told == [
        ("inside", "", "Linear, 16 parameters"),
        ("blocks.0 … blocks.5", f"× {BLOCKS}", f"Block, {BLOCKS * learned} parameters"),
        ("head", "", "Linear, 10 parameters"),
        ("sum(…)", "", ""),
    ]
    small = [node for node in nodes if node["kind"] != "input" and node["plan"] is not None]
    assert len(small) == len(nodes) - 1 and {node["h"] for node in small} == {PLANNED}
    assert not any([node["cells"] for node in small])


def test_a_block_that_is_open_has_names_of_its_own_and_the_way_round_it() -> None:
    recording = recorded()
    groups = recording.outline.groups
    loop = next(group for group in groups.values() if group.kind == "loop")
    block = loop.items[3]
    picture = scene(recording, {*recording.outline.at_first(), loop.id, block.id})
    inside = [node for node in picture["nodes"] if node["parent"] == block.id]
    assert [node["text"] for node in inside] == ["up", "h", "down", "h"]  # the last is what the block gives its caller
    assert [frame["name"] for frame in picture["frames"]] == ["blocks.0 … blocks.5", "blocks.3"]
    before, last = loop.items[2].id, inside[-1]["id"]
    assert any([edge["from"] == before and edge["to"] == last for edge in picture["edges"]])  # the residual connection


def test_innermost_blocks_show_numbers_and_a_small_program_has_no_plan() -> None:
    recording = recorded()
    groups = [group for group in recording.outline.groups.values() if group.scope is not None]
    (head,) = [group for group in groups if group.scope.block == "head: Linear"]
    opened = {*recording.outline.at_first(), head.id}
    inside = [node for node in scene(recording, opened)["nodes"] if node["parent"] == head.id]
    assert [node["plan"] for node in inside] == [None] * 3 and all([node["cells"] for node in inside])
    found = readings(recording, opened)["nodes"]
    assert all([found[str(node["id"])]["value_cells"] for node in inside])
    small = scene(recorded(blocks=1))
    assert all([node["plan"] is None for node in small["nodes"]])


def test_bars_grow_with_the_logarithm_and_extremes_set_no_scale() -> None:
    def program(x):
        for _ in range(50):
            x = x * 0.5
        return np.where(np.ones(3, bool), x, 1e30)

    recording = autolab.record(program, np.ones(3))
    bars = Bars.of(recording)
    calls = [step for step in recording.steps if step.function == "mul"]
    values = np.array([bars.at(step)[0] for step in calls], float)
    assert bars.values.high < 1 and np.allclose(np.diff(values[3:-3]), values[3:-3][1] - values[3:-3][0], atol=2e-3)
    assert values[0] > values[-1] > 0
    assert bars.at(None) == [None, None]


def test_a_mask_in_every_head_sets_no_scale() -> None:
    def heads(x):
        for _ in range(6):
            x = x * 0.9 + 0.1
            scores = np.where(np.array([True, True, False]), x, -1e9)
            x = x + autolab.functions.softmax(scores)
        return x.sum()

    assert 0.1 < Bars.of(autolab.record(heads, np.ones(3))).values.high < 10


@pytest.mark.parametrize(
    ("size", "expected"), [(1, None), (0.0, 0.0)], ids=["integers number things", "nothing is no bar"]
)
def test_what_has_no_size_has_no_bar(size: float, expected: float | None) -> None:
    recording = autolab.record(lambda x, w: w * x.astype(float), np.full(3, size), np.ones(3))
    assert Bars.of(recording).at(recording.steps[0])[0] == expected


def test_the_static_picture_is_the_same_overview() -> None:
    drawn = to_svg(recorded(), "light")
    assert "blocks.0 … blocks.5" in drawn and f"× {BLOCKS}" in drawn and "Full = largest" in drawn
    assert len(re.findall(r'class="gradient"[^>]*height="4"', drawn)) == 4


def test_counts_are_short() -> None:
    assert [short_count(n) for n in (9_999, 10_000, 999_999, 124_439_808, 3 * 10**13)] == [
        "9,999",
        "10k",
        "1M",
        "124M",
        "30T",
    ]
