"""Which way a graph runs, and that in both directions nothing lies on anything else."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autolab
from autolab import functions as F
from autolab.recording import Recording
from autolab.views.graph.layout.boxes import LONG, direction_of, layout
from autolab.views.graph.scene import TAB_CHARACTER, TAB_PADDING, scene

WAYS = ("down", "right")
TITLE = 20.0  # the height of a frame's label, and the width of the sign in front of it
Box = tuple[float, float, float, float]


# ------------------------------------------------------------------ programs
def fold(values: list[Any], plan: Any) -> Any:
    """What a drawn plan computes: pairs of numbers choose two operands, lists are calls, a number before one loops."""
    for part in plan:
        if isinstance(part, list):
            values = [*values, fold(values[-3:], part)]
        elif isinstance(part[1], list):
            h = values[-1]
            for _ in range(part[0]):
                h = fold([h, values[0]], part[1]) * h
            values = [*values, h]
        else:
            values = [*values, values[part[0] % len(values)] * values[part[1] % len(values)]]
    return values[-1] * values[0]


ENDS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=4)
PLANS = st.recursive(
    ENDS,
    lambda inner: st.lists(
        st.one_of(st.tuples(st.integers(0, 9), st.integers(0, 9)), inner, st.tuples(st.integers(1, 5), inner)),
        max_size=4,
    ),
    max_leaves=6,
)


def drawn(plan: Any) -> Recording:
    return autolab.record(lambda x, y, z: fold([x, y, z], plan), np.ones(2), np.ones(3)[:2], 0.5)


def rnn(xs: Any, W: Any, U: Any, b: Any) -> Any:
    h = np.zeros(2)
    for x in xs:
        h = np.tanh(x @ W + h @ U + b)
    return h.sum()


def recorded_rnn(steps: int) -> Recording:
    return autolab.record(rnn, np.ones((steps, 3)), np.ones((3, 2)), np.ones((2, 2)), np.ones(2))


# ------------------------------------------------------------------ geometry
def box(thing: dict[str, Any]) -> Box:
    return thing["x"], thing["y"], thing["x"] + thing["w"], thing["y"] + thing["h"]


def title(frame: dict[str, Any]) -> Box:
    """Where the label of a frame is, with the live view's sign."""
    left, top = frame["x"] + 6, frame["y"] + 6
    return left, top, left + TAB_CHARACTER * len(frame["text"]) + 2 * TAB_PADDING + TITLE, top + TITLE


def points(path: str, steps: int = 16) -> Iterator[tuple[float, float]]:
    here = (0.0, 0.0)
    for command, text in re.findall(r"([MVHC])([^MVHC]*)", path):
        values = [float(n) for n in text.split()]
        if command == "C":
            (x0, y0), (x1, y1, x2, y2, x3, y3) = here, values
            for i in range(1, steps + 1):
                t = i / steps
                a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
                yield a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3
            here = (x3, y3)
            continue
        last = (here[0], values[0]) if command == "V" else (values[0], here[1]) if command == "H" else tuple(values)
        if command != "M":  # also what lies between
            yield from [
                (here[0] + (last[0] - here[0]) * i / 8, here[1] + (last[1] - here[1]) * i / 8) for i in range(8)
            ]
        here = (last[0], last[1])
        yield here


def is_in(place: tuple[float, float], area: Box, rim: float = 0.3) -> bool:
    return area[0] + rim < place[0] < area[2] - rim and area[1] + rim < place[1] < area[3] - rim


def overlap(a: Box, b: Box) -> bool:
    return min(a[2], b[2]) - max(a[0], b[0]) > 0.3 and min(a[3], b[3]) - max(a[1], b[1]) > 0.3


def check(picture: dict[str, Any]) -> None:
    """Nothing overlaps; lines go from side to side, the way that the picture runs, through no box and no title."""
    nodes, frames = {node["id"]: box(node) for node in picture["nodes"]}, picture["frames"]
    for (i, a), (j, b) in itertools.combinations(nodes.items(), 2):
        assert not overlap(a, b), (i, j)
    inside = {frame["id"]: box(frame) for frame in frames}
    for thing in [*picture["nodes"], *frames]:
        around = inside.get(thing["parent"], (0, 0, picture["width"], picture["height"]))
        x0, y0, x1, y1 = box(thing)
        assert around[0] <= x0 and around[1] <= y0 and x1 <= around[2] and y1 <= around[3], thing
    titles = [title(frame) for frame in frames]
    for a in titles:
        assert not any(overlap(a, b) for b in nodes.values())
    for frame, a in zip(frames, titles, strict=True):
        assert a[2] <= frame["x"] + frame["w"] and a[3] <= frame["y"] + frame["h"]
    along = 0 if picture["direction"] == "right" else 1
    for edge in picture["edges"]:
        line = list(points(edge["path"]))
        source, target = nodes[edge["from"]], nodes[edge["to"]]
        assert line[0][along] == pytest.approx(source[2 + along], abs=0.3)
        assert line[-1][along] == pytest.approx(target[along], abs=0.3)
        assert all(a[along] <= b[along] + 0.3 for a, b in itertools.pairwise(line))
        for place in line:
            assert not any(is_in(place, area) for area in nodes.values()), edge
            assert not any(is_in(place, area) for area in titles), (edge, place)


@pytest.mark.parametrize("count", [20, pytest.param(120, marks=pytest.mark.full)])
def test_nothing_lies_on_anything_else(count: int) -> None:
    drawn_pictures = given(PLANS, st.sampled_from(WAYS), st.randoms(use_true_random=False))
    settings(max_examples=count)(drawn_pictures(nothing_lies_on_anything_else))()


def nothing_lies_on_anything_else(plan: Any, way: Any, chance: Any) -> None:
    recording = drawn(plan)
    groups = list(recording.outline.groups)
    for expanded in (groups, [group for group in groups if chance.random() < 0.6]):
        picture = scene(recording, expanded, direction=way)
        check(picture)
        layout.cache_clear()
        assert scene(recording, expanded, direction=way) == picture


@pytest.mark.parametrize("way", WAYS)
def test_a_recurrent_net_of_30_steps_is_readable_open(way: Any) -> None:
    recording = recorded_rnn(30)
    groups = recording.outline.groups
    loops = [i for i, group in groups.items() if group.kind == "loop"]
    for expanded in (loops, [*loops, *sorted(groups, reverse=True)[5:8]], list(groups)):
        check(scene(recording, expanded, direction=way))
    picture = scene(recording, loops, direction=way)
    long, across = ("width", "height") if way == "right" else ("height", "width")
    assert picture[long] > 2 * picture[across] and picture[across] < 1100
    passes = [node["id"] for node in picture["nodes"] if node["group"]]
    for first, second in itertools.pairwise(passes[1:]):
        arriving = {edge["path"].split("C")[-1] for edge in picture["edges"] if edge["to"] == second}
        assert len(arriving) == 2, "the hidden state, and everything that is shared, in one line"
        assert sum(edge["to"] == second for edge in picture["edges"]) == 5 and first != second


def test_lines_are_bundled_only_where_several_leaves_are_used_together_again_and_again() -> None:
    box = (100.0, 40.0)
    chain = [(i, i + 1) for i in range(2, 7)]
    together = [(leaf, i) for i in range(2, 8) for leaf in (0, 1)]
    bundled = layout((box,) * 8, tuple(sorted(chain + together))).paths
    ends = {path.split("C")[-1] for edge, path in zip(sorted(chain + together), bundled, strict=True) if edge[1] == 7}
    assert len(ends) == 2
    apart = sorted(chain + together[:-1])
    ends = {
        path.split("C")[-1]
        for edge, path in zip(apart, layout((box,) * 8, tuple(apart)).paths, strict=True)
        if edge[1] == 6
    }
    assert len(ends) == 3


# ------------------------------------------------------------------ the rule
def tree(x: Any) -> Any:
    a, b = x * 2.0, x * 3.0
    c, d = a * b, a + b
    return (c * d).sum()


def chain(x: Any, y: Any, times: int) -> Any:
    code = "x" + " * y" * times
    return eval(code, {"x": x, "y": y})


def accumulating(x: Any, times: int) -> Any:
    total = 0.0
    for k in range(times):
        total = total + x * float(k)
    return total


def apart(x: Any, times: int) -> Any:
    parts = []
    for k in range(times):
        parts.append(x * float(k))
    return parts[0] + parts[-1]


@pytest.mark.parametrize(
    ("fn", "inputs", "expected"),
    [
        (tree, (np.ones(3),), "down"),
        (chain, (1.0, 2.0, LONG - 1), "down"),
        (chain, (1.0, 2.0, LONG), "right"),
        (accumulating, (1.0, 2), "right"),
        (accumulating, (1.0, 500), "right"),
        (apart, (1.0, 30), "down"),
    ],
)
def test_time_and_long_chains_run_to_the_right_and_everything_else_down(fn: Any, inputs: Any, expected: str) -> None:
    recording = autolab.record(fn, *inputs)
    assert direction_of(recording) == scene(recording)["direction"] == expected
    for way in WAYS:
        assert scene(recording, direction=way)["direction"] == way  # type: ignore[arg-type]


def test_a_broad_deep_graph_runs_down() -> None:
    def broad(x: Any) -> Any:
        return F.stack([chain(x, 2.0, LONG) for _ in range(60)]).sum()

    assert direction_of(autolab.record(broad, 1.0)) == "down"


def test_numbers_and_open_groups_change_no_direction() -> None:
    for fn in (rnn, tree):
        inputs = (np.ones((3, 3)), np.ones((3, 2)), np.ones((2, 2)), np.ones(2)) if fn is rnn else (np.ones(3),)
        one = autolab.record(fn, *inputs)
        other = autolab.record(fn, *[-7.0 * array for array in inputs])
        ways = {scene(one, expanded)["direction"] for expanded in ((), one.outline.at_first(), one.outline.groups)}
        assert ways == {scene(other)["direction"]}


def test_derivatives_run_down_beside_each_other() -> None:
    recording = autolab.record(accumulating, 1.0, 4, options={"order": 2})
    assert [direction_of(graph) for graph in (recording, *recording.higher)] == ["right", "down"]


def test_an_unknown_direction_is_refused() -> None:
    with pytest.raises(ValueError, match="got the direction 'up'; expected one of auto, down, right"):
        scene(autolab.record(tree, np.ones(3)), direction="up")  # type: ignore[arg-type]


def test_a_saved_picture_runs_where_it_is_asked_to(tmp_path: Path) -> None:
    recording = autolab.record(tree, np.ones(3))
    sizes = {}
    for way in ("auto", "down", "right"):
        recording.save(tmp_path / "graph.svg", direction=way)  # type: ignore[arg-type]
        text = (tmp_path / "graph.svg").read_text(encoding="utf-8")
        width, height = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', text).groups()  # type: ignore[union-attr]
        sizes[way] = float(width) > float(height)
        recording.save(tmp_path / "graph.dot", direction=way)  # type: ignore[arg-type]
        assert ("rankdir=LR" in (tmp_path / "graph.dot").read_text(encoding="utf-8")) == (way == "right")
    assert sizes == {"auto": False, "down": False, "right": True}
