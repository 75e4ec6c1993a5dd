"""What stands still has the colours of the page that shows it, in a light theme and in a dark one."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser

from autolab import functions as F
from autolab.plots import show_jacobian, surface
from autolab.recording.arrays import snapshot
from autolab.views.draw.colors import Theme, color, rgb
from autolab.views.draw.escape import Markup, picture
from autolab.views.draw.heatmap_svg import Panel, heatmaps
from autolab.views.plots.matrix import matrix_svg
from autolab.views.plots.surface import SIZE, surface_svg

LARGE = np.pad(np.ones((10, 10)), 5)


def large() -> Markup:
    return heatmaps([Panel("a", snapshot(LARGE))])


def with_a_sign() -> Markup:
    return heatmaps([Panel("a", snapshot(np.where(np.eye(20), np.nan, LARGE)))])


def small() -> Markup:
    return heatmaps([Panel("a", snapshot(np.array([[0.0, 1.0]])))])


def matrix() -> Markup:
    return matrix_svg(show_jacobian(lambda x: F.sum(x * np.array([0.0, 1.0])), np.zeros(2)))


def loss() -> Markup:
    return surface_svg(surface(lambda x, y: x - 0 * y, (0.0, 0.0), steps=5))


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("drawn", "places"),
    [
        (large, {(20, 60): 0.0, (150, 180): 1.0}),
        (with_a_sign, {(20, 60): 0.0, (150, 180): 1.0}),
        (small, {(20, 40): 0.0, (95, 40): 1.0}),
        (matrix, {(60, 66): 0.0, (140, 66): 1.0}),
        (loss, {(SIZE.left + 1, 300): -1.0, (SIZE.width - SIZE.right - 2, 300): 0.0}),
    ],
)
def test_colours_follow_the_page(
    browser: Browser, scheme: Theme, drawn: Callable[[], Markup], places: dict[tuple[float, float], float]
) -> None:
    page = browser.new_page(viewport={"width": 700, "height": 500})
    page.set_content(f"<body style='margin:0;color-scheme:{scheme}'>{picture(drawn(), 'picture')}</body>")
    image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    page.close()
    for place, fraction in places.items():
        found, expected = np.array(image.getpixel(place)), np.array(rgb(color(fraction, scheme)))
        assert np.abs(found - expected).max() <= 3, (place, found, expected)
