"""Line charts: axes, gaps, and that the picture shows the numbers where they are."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import groupby
from xml.etree import ElementTree

import numpy as np
import pytest
from helpers.each import each

from autolab.views.draw.chart import MOST_LINES, Line, axis, chart, log_axis
from autolab.views.draw.colors import DASHES, LINES, THEMES, contrast
from autolab.views.draw.plot import HEIGHT, to_svg

NAN, INF = math.nan, math.inf
NAMESPACE = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([0, 1], ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        ([0, 7], ["0", "2", "4", "6"]),
        ([-3e-5, 3e-5], ["−2.0e−05", "0", "2.0e−05"]),
        ([5, 5], ["4.6", "4.8", "5", "5.2", "5.4"]),
        ([0, 0], ["−1", "−0.5", "0", "0.5", "1"]),
        ([], ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
        ([1e6, 2e6], ["1e+06", "1.2e+06", "1.4e+06", "1.6e+06", "1.8e+06", "2e+06"]),
    ],
)
def test_ticks_stand_at_round_numbers(values, texts):
    found = [text.replace("2e−05", "2.0e−05") for _, text in axis(values)["ticks"]]
    assert found == texts


@pytest.mark.parametrize("values", [[1e-300, 1e300], [1e-9, 3.0], [0.99, 1.01], [1.0, 1.0], [3e-7, 3e-7], [7, 90], []])
def test_a_logarithmic_axis_holds_its_values_between_few_ticks(values):
    found = log_axis(values)
    assert 2 <= len(found["ticks"]) <= 9
    assert all(found["lo"] <= v * (1 + 1e-9) and v <= found["hi"] * (1 + 1e-9) for v in values)
    assert found["lo"] < found["hi"]
    assert all(_read(text) == pytest.approx(value) for value, text in found["ticks"])


def _read(text):
    base, power = re.fullmatch(r"([^⁻⁰¹²³⁴-⁹]+)([⁻⁰¹²³⁴-⁹]*)", text).groups()
    exponent = power.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789"))
    return float(base.replace("−", "-")) ** int(exponent or 1)


def test_a_logarithmic_axis_writes_all_its_numbers_in_one_way():
    def texts(*values):
        return [text for _, text in log_axis(values)["ticks"]]

    assert texts(1e-12, 1e12) == ["10⁻¹²", "10⁻⁸", "10⁻⁴", "1", "10⁴", "10⁸", "10¹²"]
    assert texts(3e-5, 0.4) == ["10⁻⁵", "10⁻⁴", "10⁻³", "10⁻²", "0.1", "1"]
    assert texts(0.002, 3000) == ["0.001", "0.1", "10", "1000", "100000"]


@each("low", [0.3, -7.0, 1e-12, 99.0])
@each("span", [1e-6, 1.0, 12345.0])
def test_an_axis_from_whole_steps_holds_its_values(low, span):
    found = axis([low, low + span], zero=True)
    assert found["lo"] <= low + 1e-9 * span and low + span <= found["hi"] + 1e-9 * span
    assert 3 <= len(found["ticks"]) <= 11


def test_what_cannot_be_drawn_is_a_gap_and_is_told():
    found = chart("loss", [Line("a", [0, 1, 2, 3, 4], [1.0, NAN, INF, 0.0, 2.0])], log=True)
    assert found["lines"][0]["y"] == [1.0, None, None, None, 2.0]
    assert re.findall(r"(\d) point", found["note"]) == ["1", "1", "1"]
    assert chart("loss", [Line("a", [0], [0.0])])["note"] == ""


def test_of_many_lines_some_are_drawn_and_that_is_told():
    found = chart("loss", [Line(f"l{i}", [0, 1], [i, i]) for i in range(30)])
    assert len(found["lines"]) == MOST_LINES and "8 of 30" in found["note"]
    assert (found["lines"][0]["name"], found["lines"][-1]["name"]) == ("l0", "l29")


def test_the_picture_shows_the_numbers_where_they_are():
    scene = chart("loss", [Line("train", [0, 50, 100], [4.0, NAN, 1.0]), Line("other", [0, 100], [2.0, 3.0])])
    root = ElementTree.fromstring(to_svg([scene], "light"))
    texts = {t.text: (float(t.get("x")), float(t.get("y"))) for t in root.iter(f"{NAMESPACE}text")}
    circles = [c for c in root.iter(f"{NAMESPACE}circle") if c.get("class") == "d0"]
    first, last = [(float(c.get("cx")), float(c.get("cy"))) for c in circles]
    assert first == pytest.approx((texts["0"][0] + 0, texts["4"][1] - 4), abs=20)  # a tick's text is beside its place
    assert last[1] == pytest.approx(texts["1"][1] - 4, abs=0.2) and last[0] == pytest.approx(texts["100"][0], abs=0.2)
    paths = [p for p in root.iter(f"{NAMESPACE}path") if p.get("class") == "line c0"]
    assert paths[0].get("d").count("M") == 2  # the gap
    assert {"train 1", "other 3"} <= texts.keys()
    assert "first 4, last 1" in root.find(f"{NAMESPACE}desc").text


def test_names_are_data():
    hostile = "<script>alert(1)</script>"
    text = to_svg([chart(hostile, [Line(hostile, [0], [1.0])], x_title=hostile)])
    assert "<script" not in text and "&lt;script" in text
    ElementTree.fromstring(text)


def test_a_long_legend_wraps_inside_the_picture():
    scene = chart("loss", [Line(f"a rather long name of a layer {i}", [0, 1], [1, 2]) for i in range(6)])
    root = ElementTree.fromstring(to_svg([scene]))
    entries = [t for t in root.iter(f"{NAMESPACE}text") if (t.text or "").startswith("a rather")]
    assert max(float(t.get("y")) for t in entries) < float(root.get("height"))
    assert len({(t.get("x"), t.get("y")) for t in entries}) == 6 and float(root.get("height")) > HEIGHT + 60


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_lines_stand_out_from_the_card_and_differ_in_pattern(theme):
    assert min(contrast(color, THEMES[theme]["card"]) for color in LINES[theme]) >= 4
    assert len(set(LINES[theme])) == len(set(DASHES)) == len(LINES[theme]) == len(DASHES) == MOST_LINES


@pytest.mark.parametrize("ends", [(1e-320, 3e-320), (0.0, 1e-310), (-1e308, 1e308)])
def test_an_axis_reaches_the_ends_of_what_a_float_can_be(ends):
    places = [place for place, _ in axis(ends)["ticks"]]
    assert len(places) >= 3 and ends[0] <= places[0] < places[-1] <= ends[1]


def read_back(text):
    """The pieces of the first line of a picture, as points; a dot is a piece of one point."""
    paths = [p.get("d") for p in ElementTree.fromstring(text).iter(f"{NAMESPACE}path") if p.get("class") == "line c0"]
    pieces = [piece for piece in re.findall(r"M([^M]*)", paths[0]) if "h24" not in piece]  # the sample in the legend
    assert all("L" in piece or piece.endswith("m-1 0h2") for piece in pieces), "what has no length is not seen"
    return [[[float(v) for v in at.split()] for at in piece.split("m")[0].split("L")] for piece in pieces]


def apart(points, line):
    """How far the farthest of some points is from a line."""
    found, line = 0.0, np.array(line if len(line) > 1 else 2 * line)
    way = np.diff(line, axis=0)
    long = np.maximum((way**2).sum(1), 1e-12)
    for point in np.array(points):
        at = np.clip(((point - line[:-1]) * way).sum(1) / long, 0, 1)
        found = max(found, np.hypot(*(line[:-1] + at[:, None] * way - point).T).min())
    return found


def series(rng, n):
    """Numbers in any order, huge, tiny, far from zero, all the same, or with gaps and infinities."""
    x = [
        np.arange(n)[:: rng.choice([-1, 1])],
        np.cos(np.arange(n)),
        rng.normal(size=n) * 10.0 ** rng.integers(-300, 300),
        np.sort(rng.normal(size=n)) + 10.0 ** rng.integers(-3, 12),
    ][rng.integers(4)]
    y = [
        rng.normal(size=n) * 10.0 ** rng.integers(-307, 307),
        1e6 + rng.normal(size=n) * 10.0 ** rng.integers(-3, 3),
        np.full(n, 10.0 ** rng.integers(-300, 300)),
        np.sign(rng.normal(size=n)) * rng.uniform(0.1, 1.7, n) * 1e308,
        np.round(np.cumsum(rng.normal(size=n))),
    ][rng.integers(5)]
    return x, np.where(rng.random(n) < rng.choice([0, 0.05, 0.9]), rng.choice([NAN, INF, -INF], n), y)


def test_what_is_drawn_is_the_data_to_a_pixel():
    rng = np.random.default_rng(0)
    for _ in range(80):
        n, log = int(rng.choice([1, 2, 3, 24, 60, 400], p=[0.1, 0.2, 0.2, 0.2, 0.2, 0.1])), bool(rng.random() < 0.3)
        x, y = series(rng, n)
        one = chart("t", [Line("a", x, y)], log)
        (left, right), (low, high) = ([Fraction(one[key][end]) for end in ("lo", "hi")] for key in "xy")
        seen = np.isfinite(y) & ((y > 0) | (not log))
        exact = [(Fraction(a) - left) / (right - left) for a in x.tolist()]
        if log:
            down = [np.log10(float(high) / b) / np.log10(float(high / low)) for b in y[seen].tolist()]
        else:
            down = [float((high - Fraction(b)) / (high - low)) for b in y[seen].tolist()]
        places = np.full((n, 2), NAN)
        places[:, 0] = [66 + 476 * float(a) for a in exact]
        places[seen, 1] = 40 + 240 * np.array(down)
        runs = [[*map(list, run)] for gap, run in groupby(places.tolist(), lambda at: np.isnan(at[1])) if not gap]
        drawn = read_back(to_svg([one], "light"))
        assert len(drawn) == len(runs)
        for run, line in zip(runs, drawn, strict=True):
            assert apart(run, line) <= 1 and apart(line, run) <= 1, (x, y, log)
