"""How a loss surface shows itself."""

from __future__ import annotations

import base64
import io
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from PIL import Image

from autolab import functions as F
from autolab.analysis import descend, surface
from autolab.views import mimebundle
from autolab.views.draw.colors import color
from autolab.views.draw.plot import contour
from autolab.views.plots.surface import SIZE, LossColors, surface_svg


def test_level_lines_lie_where_the_closed_form_says():
    x = np.linspace(-1, 1, 61)
    values = x**2 + x[:, None] ** 2
    pieces = np.array(list(contour(values, 0.36)))
    radii = np.linalg.norm(pieces / 30 - 1, axis=-1)
    np.testing.assert_allclose(radii, 0.6, atol=2e-3)
    length = np.linalg.norm(np.diff(pieces / 30, axis=1), axis=-1).sum()
    assert length == pytest.approx(2 * np.pi * 0.6, rel=5e-3)  # the whole circle, and once


@pytest.mark.parametrize("high", [0.9, 0.1])
def test_a_cell_crossed_twice_is_cut_as_its_middle_says(high):
    pieces = list(contour(np.array([[1.0, 0.0], [0.0, high + 0.5]]), 0.5))
    assert len(pieces) == 2
    joined = (1.0 + high + 0.5) / 4 > 0.5  # the two high corners are connected
    for (a, b), (c, d) in pieces:
        middle = ((a + c) / 2, (b + d) / 2)
        near_high = min(np.hypot(*middle), np.hypot(middle[0] - 1, middle[1] - 1)) < 0.5
        assert near_high is not joined


def test_what_is_undefined_has_no_line_and_no_colour():
    values = np.array([[np.nan, 1.0], [0.0, 1.0]])
    assert list(contour(values, 0.5)) == []
    found = surface(lambda x, y: F.log(x) * y, (0.5, 1.0), steps=9)
    assert "not a finite number at" in mimebundle(found)["text/plain"]
    root = ET.fromstring(surface_svg(found))
    left = [r for r in root.iter("{http://www.w3.org/2000/svg}rect") if r.get("class") == "card"][1:]
    assert left and all(float(r.get("x")) == SIZE.left for r in left)  # x <= 0 stands on the left


def test_colours_are_those_of_the_losses():
    found = surface(lambda x, y: x - 0 * y, (0.0, 0.0), steps=5)
    address = re.search(r"image/png;base64,([\w+/=]+)", surface_svg(found, "light"))
    assert address
    image = np.asarray(Image.open(io.BytesIO(base64.b64decode(address[1]))).convert("RGB"), int)
    for place, t in ((0, -1.0), (71, -0.5), (-1, 0.0)):
        expected = [int(color(t)[i : i + 2], 16) for i in (1, 3, 5)]
        assert np.abs(image[100, place] - expected).max() <= 6


def test_the_way_stands_where_its_numbers_are_and_is_told():
    way = descend(lambda x, y: x**2 + y**2, (2.0, 1.0), 0.1, 5)
    found = surface(lambda x, y: x**2 + y**2, way[-1], path=way)
    bundle = mimebundle(found)
    assert "The path of 6 points leads from a loss of 5 to 0.537." in bundle["text/plain"]
    circles = list(ET.fromstring(surface_svg(found)).iter("{http://www.w3.org/2000/svg}circle"))
    assert len(circles) == 6
    wide = SIZE.width - SIZE.left - SIZE.right
    start = SIZE.left + wide * (2.0 - found.x[0]) / (found.x[-1] - found.x[0])
    assert float(circles[-2].get("cx")) == pytest.approx(start, abs=0.1)


def test_a_way_beside_the_plane_is_said_to_be():
    rng = np.random.default_rng(0)
    found = surface(F.sum, np.ones(40), path=list(rng.normal(size=(9, 40))), steps=3)
    assert f"The plane holds {100 * found.captured:.1f}".rstrip("0").rstrip(".") in mimebundle(found)["text/plain"]


def test_hostile_names_are_text():
    found = surface(lambda p: F.sum(p["<script>"]), {"<script>": np.ones(2)}, steps=3)
    assert "<script>" in found.names[0] and "<script" not in mimebundle(found)["text/html"] + surface_svg(found)


@pytest.mark.parametrize(
    ("values", "tone"),
    [
        ([1.0, 2.0, 3.0], "linear"),
        ([0.0, 1.0, 100.0], "log"),
        ([-1.0, -0.9, 100.0], "rank"),
        ([-1.0, 2.0, 3.0], "linear"),
        ([1.0, np.nan, np.inf, 40.0], "log"),
        ([np.nan, np.nan], "linear"),
        ([0.0, 0.0], "linear"),
    ],
)
def test_colours_are_even_unless_they_would_show_nothing(values, tone):
    assert LossColors(np.array([values])).tone == tone


def test_colours_by_rank_share_the_shades_evenly():
    values = np.array([[-3.0, 7.0, 7.0], [1e6, 8.0, np.nan]])
    colors = LossColors(values, "rank")
    np.testing.assert_allclose(colors.place(values), [[0, 0.375, 0.375], [1, 0.75, np.nan]])
    assert colors.ticks[0][1] == "\u22123" and colors.ticks[-1][0] == 1e6
    assert "log" not in colors.offered
    log = LossColors(np.array([[0.0, 1.0, 100.0]]), "log")
    np.testing.assert_allclose(log.place(np.array([0.0, 1.0, 10.0, 100.0])), [0, 0, 0.5, 1])


def test_the_legend_says_which_colours_they_are():
    found = surface(lambda x, y: x**4 - y, (0.0, 0.0), span=9.0, steps=9)
    assert "loss, by rank" in surface_svg(found) and "rank of the loss" in mimebundle(found)["text/plain"]
