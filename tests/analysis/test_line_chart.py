"""line_chart(): what it takes, what it refuses, and what is drawn of it."""

from __future__ import annotations

import base64
import math
import re

import numpy as np
import pytest

from autolab.plots import line_chart
from autolab.views.draw.plot import drawn


def test_every_number_is_drawn_where_it_belongs() -> None:
    one = drawn(line_chart([1, 2, 4], {"a": [3.0, 1.0, 2.0], "b": [0.5, math.nan, -1.0]}, x_title="step"))
    assert [line["name"] for line in one["lines"]] == ["a", "b"]
    assert one["lines"][0]["x"] == [1, 2, 4] and one["lines"][0]["y"] == [3.0, 1.0, 2.0]
    assert one["lines"][1]["y"] == [0.5, None, -1.0] and "1 point" in one["note"]
    assert (one["x_title"], one["log"], one.get("powers")) == ("step", False, None)


def series(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A line such as people draw: ascending, descending, looping or at random, of any size, beside any number."""
    n = int(rng.integers(2, 200))
    x = [np.linspace(0, 1, n), np.linspace(1, 0, n), np.cos(np.linspace(0, 9, n)), rng.normal(size=n)][rng.integers(4)]
    y = rng.normal(size=n) if rng.random() < 0.5 else np.sin(np.linspace(0, 7, n))
    x, y = [10.0 ** rng.integers(-9, 9) * (v + rng.choice([0.0, 1e3, -1e6, 1e8])) for v in (x, y)]
    if n > 9 and rng.random() < 0.3:
        y[rng.integers(n, size=2)] = [math.nan, rng.choice([math.nan, math.inf])]
    return x, y


def distance(point: np.ndarray, corners: np.ndarray) -> float:
    """How far a point is from a line of straight pieces."""
    a, b = corners[:-1], corners[1:]
    along = np.clip(((point - a) * (b - a)).sum(1) / np.maximum(((b - a) ** 2).sum(1), 1e-12), 0, 1)
    return float(np.sqrt(((a + along[:, None] * (b - a) - point) ** 2).sum(1)).min())


@pytest.mark.parametrize("count", [60, pytest.param(2000, marks=pytest.mark.full)])
def test_what_is_drawn_is_the_data_to_a_pixel(count: int) -> None:
    rng = np.random.default_rng(5)
    for k in range(count):
        x, y = series(rng)
        chart = line_chart(x, y)
        svg = base64.b64decode(re.search(r"base64,([^\"]+)", chart._repr_mimebundle_()["text/html"])[1]).decode()
        path = re.search(r'<path d="(M[^"]*)" class="line c0"', svg.replace("m-1 0h2", ""))  # of single points
        pieces = [
            np.array([[*map(float, point.split())] for point in piece.split("L")]) for piece in path[1].split("M")[1:]
        ]
        axes = drawn(chart)
        room = {"x": (66.0, 542.0), "y": (280.0, 18.0)}  # the box of the plot
        places = []
        for name, values in (("x", x), ("y", y)):
            part = (values - axes[name]["lo"]) / (axes[name]["hi"] - axes[name]["lo"])
            places.append(room[name][0] + part * (room[name][1] - room[name][0]))
        for point in np.array(places).T[np.isfinite(y)]:
            near = min([distance(point, p if len(p) > 1 else np.repeat(p, 2, 0)) for p in pieces])
            assert near <= 1.5, (k, point, near)


def test_ticks_that_would_read_alike_say_what_differs() -> None:
    for values, first, note in (
        (1e6 + np.arange(9), "1000000", ""),
        (math.log(2) + 2e-7 * np.arange(9), "0.693147", ""),
        (5.3e10 - 1e4 * np.arange(9), "+0", "The vertical axis counts from 5.299992e+10."),
    ):
        one = drawn(line_chart(np.arange(9), values))
        texts = [text for _, text in one["y"]["ticks"]]
        assert texts[0] == first and len(set(texts)) == len(texts) and one["note"] == note
        assert len({*one["lines"][0]["y"]}) == 9
    assert len(drawn(line_chart([0, 1, 2], [1e300, 1.9e307, 1e10]))["y"]["ticks"]) > 2


def test_logarithmic_axes() -> None:
    one = drawn(line_chart([1e-4, 1e-2], {"error": [1e-8, 0.0]}, log="xy", mark=1e-3))
    assert one["lines"][0]["x"] == [-4, -2] and one["mark"] == -3 and one["powers"]
    assert one["lines"][0]["y"] == [1e-8, None] and one["log"]
    assert one["x"]["lo"] <= -4 and one["x"]["ticks"][-1] == [-2, "0.01"]


def test_the_legend_reads_where_the_mark_stands():
    lines = {"a": [1.0, 2.0, 3.0], "b": [5.0, math.nan, 7.0]}
    last = [[line["last"] for line in drawn(line_chart([0, 1, 2], lines, mark=m))["lines"]] for m in (None, 0.9)]
    assert last == [["", ""], ["2", "NaN"]]  # and without a mark it has the names alone


def test_the_vertical_range_stays_though_the_lines_move() -> None:
    ends = [drawn(line_chart([0, 1], {"y": [0.1, k]}, log="y", y_range=(1e-6, 1e3)))["y"] for k in (0.2, 50.0)]
    assert (ends[0]["lo"], ends[0]["hi"]) == (ends[1]["lo"], ends[1]["hi"])
    assert ends[0]["lo"] <= 1e-6 and ends[0]["hi"] >= 1e3


def test_it_shows_itself_as_a_picture_and_in_words() -> None:
    bundle = line_chart([0, 1], {"<b>": [2.0, 1.0]})._repr_mimebundle_()
    svg = base64.b64decode(re.search(r"base64,([^\"]+)", bundle["text/html"])[1]).decode()
    assert "&lt;b&gt;" in svg and "<b>" not in svg
    assert bundle["text/plain"] == "Line chart: <b>. <b>: first 2, last 1, between 1 and 2."


@pytest.mark.parametrize(
    ("error", "words", "args", "options"),
    [
        (TypeError, "expected a dict", ([1], {}), {}),
        (TypeError, "expected real numbers", ([1], {"a": [1j]}), {}),
        (ValueError, "a has 1 numbers; x has 2", ([1, 2], {"a": [1]}), {}),
        (ValueError, "one axis", ([[1, 2]], {"a": [1, 2]}), {}),
        (ValueError, "1 to 5000", (np.arange(5001), {"a": np.arange(5001)}), {}),
        (ValueError, "log is 'z'", ([1], {"a": [1]}), {"log": "z"}),
        (ValueError, "positive", ([0, 1], {"a": [1, 2]}), {"log": "x"}),
        (ValueError, "finite", ([0, 1], {"a": [1, 2]}), {"mark": math.nan}),
        (ValueError, "positive", ([0, 1], {"a": [1, 2]}), {"log": "y", "y_range": (0, 1)}),
    ],
)
def test_bad_input_is_refused(error: type[Exception], words: str, args: tuple, options: dict) -> None:
    with pytest.raises(error, match=words) as caught:
        line_chart(*args, **options)
    assert str(caught.value).startswith("line_chart") and len(str(caught.value)) <= 300


def test_in_plain_python_it_is_words() -> None:
    shown = line_chart([1, 2], {"a": [3.0, 1.0]})
    assert repr(shown) == str(shown) == shown._repr_mimebundle_()["text/plain"]
    assert "LineChart(" not in repr([shown]) and "array(" not in repr(shown)


def test_a_line_of_many_points_is_drawn_to_its_end_with_all_its_turns() -> None:
    noise, x = np.random.default_rng(0).normal(size=5000), np.arange(5000)
    bundle = line_chart(x, {"noise": noise, "ramp": x / 1000})._repr_mimebundle_()
    svg = base64.b64decode(re.search(r"base64,([^\"]+)", bundle["text/html"])[1]).decode()
    one, other = re.findall(r'd="(M[^"]*)" class="line', svg)[:2]
    lines = [np.array([place.split() for place in re.split("[ML]", d)[1:]], float) for d in (one, other)]
    assert len(lines[1]) < 1500 < len(lines[0]) and lines[0][-1][0] == lines[1][-1][0] == 542.0
    down = lines[0][:, 1]
    assert (down.argmin() < down.argmax()) == (noise.argmax() < noise.argmin())
    assert np.ptp(noise) / np.ptp(x / 1000) == pytest.approx(np.ptp(down) / np.ptp(lines[1][:, 1]), rel=1e-2)
