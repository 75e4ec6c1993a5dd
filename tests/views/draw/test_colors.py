"""The map: centred on zero, even in lightness, and told apart by people who see colours differently."""

import numpy as np
import pytest

from autolab.views.draw.colors import STOPS, THEMES, color, contrast, ink_on, luminance, paint, palette

# Machado, Oliveira, Fernandes 2009, severity 1, on linear RGB.
DEFICIENCIES = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
}


def linear(hexadecimal):
    channels = np.array([int(hexadecimal[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def oklab(rgb):
    lms = np.cbrt(
        np.array([[0.4122, 0.5363, 0.0514], [0.2119, 0.6807, 0.1074], [0.0883, 0.2817, 0.6300]]) @ np.clip(rgb, 0, 1)
    )
    return np.array([[0.2105, 0.7936, -0.0041], [1.9780, -2.4286, 0.4506], [0.0259, 0.7828, -0.8087]]) @ lms


@pytest.mark.parametrize("theme", STOPS)
def test_lightness_changes_evenly_from_zero_to_both_ends(theme):
    lightness = [oklab(linear(stop))[0] for stop in STOPS[theme]]
    steps = np.diff(lightness)
    assert np.ptp(np.abs(steps)) < 0.02
    assert lightness == pytest.approx(lightness[::-1], abs=0.02)


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
@pytest.mark.parametrize("theme", STOPS)
def test_plus_and_minus_differ_for_everybody(theme, deficiency):
    matrix = np.array(DEFICIENCIES[deficiency])
    for low, high in zip(STOPS[theme][:5], STOPS[theme][:5:-1], strict=True):
        seen = [oklab(matrix @ linear(stop)) for stop in (low, high)]
        assert np.linalg.norm(seen[0] - seen[1]) > 0.06


def test_zero_is_neutral_and_magnitude_symmetric():
    assert color(0.0) == STOPS["light"][5] and color(-2.0) == STOPS["light"][0] and color(2.0) == STOPS["light"][-1]
    assert len({STOPS["light"][5][i : i + 2] for i in (1, 3, 5)}) == 1


@pytest.mark.parametrize("theme", STOPS)
def test_what_is_not_finite_gets_no_colour_of_the_map(theme):
    painted = paint(np.array([np.nan, np.inf, -np.inf]), theme)
    card = [int(THEMES[theme]["card"][i : i + 2], 16) for i in (1, 3, 5)]
    assert (painted == card).all()


@pytest.mark.parametrize("theme", STOPS)
def test_numbers_can_be_read_on_every_colour(theme):
    for t in np.linspace(-1, 1, 201):
        background = color(float(t), theme)
        assert contrast(background, {"black": "#000000", "white": "#ffffff"}[ink_on(background)]) >= 4.5


@pytest.mark.parametrize("theme", THEMES)
def test_words_can_be_read_on_every_box(theme):
    colors = THEMES[theme]
    for background in ("card", "box", "input", "constant"):
        for ink in ("ink", "muted", "gradient", "warning"):
            assert contrast(colors[background], colors[ink]) >= 4.5, (background, ink)
    assert contrast(colors["strong"], colors["card"]) >= 4.5 and contrast(colors["muted"], colors["card"]) >= 4.5
    assert contrast(colors["edge"], colors["card"]) >= 3


def test_contrast_is_that_of_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert luminance("#ffffff") == pytest.approx(1)


def test_the_palette_is_plain_data():
    assert {theme: len(entry["stops"]) for theme, entry in palette().items()} == {"light": 11, "dark": 11}
    assert all(isinstance(value, str | list) for entry in palette().values() for value in entry.values())
