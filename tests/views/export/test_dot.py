"""Graphs for Graphviz."""

import io
import shutil

import numpy as np
import pytest
from PIL import Image

from autolab.views.draw.colors import ANY_PAGE, THEMES, contrast

from ..cases import recorded_chain, recorded_muladd


def test_the_graph_has_a_box_per_step_and_a_line_per_use():
    source = recorded_muladd().to_graphviz().source
    assert source.count(" -> ") == 4 and source.count("label=") == 6
    assert "h = x * y\nvalue 6\ngradient 1" in source


def test_a_long_program_is_drawn_in_part():
    source = recorded_chain(5000).to_graphviz().source
    assert source.count("\tstep") < 600 and "1666 passes" in source


def test_what_stands_on_the_page_can_be_read_on_a_light_and_on_a_dark_one():
    for color in ANY_PAGE.values():
        assert min(contrast(color, "#ffffff"), contrast(color, "#111111")) >= 4


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz' program dot is not installed")
def test_the_page_shows_through_beside_light_boxes():
    drawn = recorded_muladd().to_graphviz().pipe(format="png")
    pixels = np.asarray(Image.open(io.BytesIO(drawn)).convert("RGBA"))
    assert not pixels[[0, 0, -1, -1], [0, -1, 0, -1], 3].any()  # no background
    opaque = pixels[pixels[..., 3] == 255][:, :3]
    found = {f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in np.unique(opaque, axis=0).tolist()}
    assert {*ANY_PAGE.values(), THEMES["light"]["ink"], THEMES["light"]["box"]} <= found
