"""What a heatmap tells of an array: tones, planes, histograms, and the static pictures."""

import re
from base64 import b64decode
from io import BytesIO

import numpy as np
import pytest
from helpers.each import each
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from autolab.recording.arrays import snapshot
from autolab.shared.numerals import round_up
from autolab.views.draw.arrays import Plane, reduced
from autolab.views.draw.colors import BEND, STOPS, Tone, color, rgb, spanning, tone, view_tone
from autolab.views.draw.heatmap_data import BINS, Heat, heat_entry, index_words, legends_of, sample, span_of
from autolab.views.draw.heatmap_svg import Panel, heatmaps
from autolab.views.draw.messages import say


@pytest.mark.parametrize(
    "colors",
    [Tone(50.0), Tone(50.0, 0.05), Tone(1e-300, 1e-303), Tone(1e300, 1e292), Tone(1e-300, bend=BEND), view_tone(3e300)],
)
def test_a_tone_is_odd_and_rises_so_that_it_can_be_inverted(colors):
    values = np.linspace(-colors.scale, colors.scale, 101)
    t = colors.fractions(values)
    assert (t[0], t[50], t[-1]) == (-1.0, 0.0, 1.0)
    assert (np.diff(t) > 0).all()
    assert t == pytest.approx(-t[::-1])


def test_each_power_of_ten_beyond_the_threshold_takes_as_much_as_all_below_it():
    t = tone(1000.0, decades=3).fractions(np.array([1.0, 10.0, 100.0, 1000.0]))
    assert t == pytest.approx([0.25, 0.5, 0.75, 1.0])


def test_the_scale_of_a_view_is_pale_where_a_number_is_small_beside_the_largest():
    t = view_tone(1.0).fractions(np.array([1.0, 0.1, 0.01, 1e-12, -1e-12, 0.0]))
    assert t[0] == 1 and 0.5 < t[1] < 0.6 and 0.1 < t[2] < 0.2
    assert 0 < t[3] < 1e-9 and t[4] == -t[3] and t[5] == 0
    assert color(t[3]) == color(0.0) != color(t[2])


@given(st.floats(1e-300, 1e300))
def test_a_scale_ends_at_the_next_of_1_2_and_5(size):
    end = round_up(size)
    digits, _, power = f"{end:e}".partition("e")
    assert size <= end < 2.5 * size * (1 + 1e-12) and float(digits) in (1, 2, 5) and float(f"{digits}e{power}") == end


def test_what_is_not_finite_has_no_tone():
    for colors in (Tone(0.0), Tone(2.0), Tone(2.0, 0.1), view_tone(0.0), view_tone(2.0)):
        t = colors.fractions(np.array([np.nan, np.inf, -np.inf, 0.0]))
        assert np.isnan(t[0]) and t[1] == np.inf and t[2] == -np.inf and t[3] == 0


def test_a_plane_is_what_the_same_index_gives():
    array = np.arange(4 * 5 * 6 * 5).reshape(4, 5, 6, 5)
    plane = Plane.first(array.shape)
    assert plane.tiles == () and np.array_equal(plane.of(array), array[0, 0])
    assert np.array_equal(Plane.placed(array.shape, [2, 3], [0, 2, 0, 0], None).of(array), array[0, 2])
    turned = Plane.placed(array.shape, [3, 1], [1, 0, 3, 0], None)
    assert np.array_equal(turned.of(array), array[1, :, 3, :].T)
    assert turned == Plane.placed(array.shape, [3, 1], [1, 0, 3, 0], [0, 5, 0, 5])
    block = Plane.placed(array.shape, [3, 1], [1, 0, 3, 0], [1, 4, 0, 2])
    assert np.array_equal(block.of(array), array[1, 0:2, 3, 1:4].T)
    assert index_words(block) == "[1, 0:2, 3, 1:4]"
    assert np.array_equal(Plane.first((3,)).of(np.arange(3)), [[0, 1, 2]])
    assert np.array_equal(Plane.first(()).of(np.array(7)), [[7]])


def test_few_small_planes_lie_side_by_side():
    array = np.arange(3 * 2 * 4 * 5).reshape(3, 2, 4, 5)
    first = Plane.first(array.shape)
    assert first.tiles == (0, 1) and first.extent == (4, 30) and index_words(first) == ""
    assert np.array_equal(first.of(array), np.hstack([array[i, j] for i in range(3) for j in range(2)]))
    turned = Plane.placed(array.shape, [3, 1], [0, 0, 0, 0], [1, 3, 2, 20])
    both = np.hstack([array[i, :, k].T for i in range(3) for k in range(4)])
    assert turned.tiles == (0, 2) and np.array_equal(turned.of(array), both[1:3, 2:20])
    for shape in [(2, 4, 5), (33, 1, 2, 2), (2, 2, 30, 12)]:  # one slider is enough; too many; too large
        assert Plane.first(shape).tiles == ()


def test_numbers_that_get_one_colour_are_said_to_be_alike():
    near = 100 + np.random.default_rng(0).normal(size=(20, 10))
    for numbers, is_said in ((near, True), (near - 100, False), (np.full((20, 10), 3.0), False)):
        facts = Heat(numbers).facts
        for scale in ("asinh", "linear"):
            assert spanning(*facts[1:3], scale).is_alike(*facts[1:3]) == is_said
        drawn = heatmaps([Panel("x", snapshot(numbers))])
        assert (say("heat_alike").split(",")[0] in drawn) == is_said
    assert not Tone(0.0).is_alike(0.0, 0.0) and not view_tone(1.0).is_alike(None, None)


@each(
    ("axes", "at", "region"),
    [
        ([0, 0], [0, 0, 0], None),
        ([0, 3], [0, 0, 0], None),
        ([-1, 0], [0, 0, 0], None),
        ([0], [0, 0, 0], None),
        ([1, 2], [0, 0], None),
        ([1, 2], [2, 0, 0], None),
        ([1, 2], [-1, 0, 0], None),
        ([1, 2], [0, 0, 0], [0, 0, 0, 1]),
        ([1, 2], [0, 0, 0], [0, 4, 0, 1]),
        ([1, 2], [0, 0, 0], [-1, 2, 0, 1]),
        ([1, 2], [0, 0, 0], [0, 1, 0, 5]),
        ([1, 2], [0, 0, 0], [0, 1]),
    ],
)
def test_a_plane_that_is_not_there_is_refused(axes, at, region):
    with pytest.raises(ValueError, match="heatmap: got the"):
        Plane.placed((2, 3, 4), axes, at, region)


def test_each_cell_is_the_element_of_greatest_magnitude_with_its_sign():
    array = np.random.default_rng(0).normal(size=(70, 90))
    array[3, 4] = np.nan
    cells, (high, wide) = reduced(array, 300)
    assert cells.size <= 300 and high > 1
    for i, j in np.ndindex(cells.shape):
        block = array[i * high : (i + 1) * high, j * wide : (j + 1) * wide].ravel()
        expected = np.nan if np.isnan(block).any() else block[np.abs(block).argmax()]
        assert cells[i, j] == expected or (np.isnan(expected) and np.isnan(cells[i, j]))


def test_cells_are_never_more_bytes_than_asked_for_and_exact():
    for array in (np.random.default_rng(0).normal(size=(900, 800)), np.arange(2**53 - 9, 2**53), np.float64(1e300)):
        entry = heat_entry(Heat(np.asarray(array)), Plane.first(np.shape(array)), Tone(1.0), 5000)
        assert len(entry["cells"]) <= 5000
        cells = np.frombuffer(entry["cells"], entry["kind"]).reshape(entry["rows"], entry["cols"])
        assert np.isin(cells, np.asarray(array)).all()


def test_a_histogram_counts_every_finite_element_of_a_small_array():
    array = np.array([-1.0, -1.0, 0.0, 0.01, 1.0, np.nan, np.inf])
    counts = sample(array).counts(Tone(1.0))
    assert (counts[0], counts[BINS // 2], counts[-1], sum(counts)) == (2, 2, 1, 5)
    assert sample(np.zeros((0, 3))).counts(Tone(0.0)) == [0] * BINS


@pytest.mark.parametrize("array", [np.arange(3_000_000.0), np.arange(3_000_000.0).reshape(1000, 3000).T])
def test_a_histogram_of_a_large_array_is_of_an_even_sample(array):
    taken = sample(array)
    assert 200_000 < taken.values.size <= 1_000_000 and taken.stride > 1
    assert taken.values.mean() == pytest.approx(array.mean(), rel=0.01)


@pytest.mark.parametrize(
    ("values", "ends", "ticks"),
    [
        ([0.0, 41.0, 3.0], (0, 1), ["0", "41"]),
        ([-2.0, 0.0, -1.0], (-1, 0), ["−2", "0"]),
        ([-2.0, 5.0, 0.0], (-1, 1), ["−5", "0", "5"]),
    ],
)
def test_a_bar_shows_no_sign_that_its_numbers_do_not_have(values, ends, ticks):
    array = np.array(values)
    told = legends_of(array, span_of(array))
    assert [text for _, text in told["linear"]["ticks"]] == ticks
    for name, bar in told.items():
        assert tuple(bar["ends"]) == ends
        assert all(ends[0] <= place <= ends[1] for place, _ in bar["ticks"])
        assert sum(bar["counts"]) == 3
        if name != "asinh":  # which ends at a round number
            assert bar["counts"][0] == (ends != (-1, 1)) and bar["counts"][-1] == 1


def test_a_static_bar_begins_at_zero_where_no_number_is_negative():
    picture = heatmaps([Panel("counts", snapshot(np.arange(12).reshape(3, 4)))])
    assert "−11" not in picture and "−20" not in picture and ">20<" in picture
    bar = Image.open(BytesIO(b64decode(re.findall(r"png;base64,([^\"]+)", picture)[0]))).convert("RGB")
    assert [bar.getpixel((x, 0)) for x in (0, bar.width - 1)] == [rgb(STOPS["light"][k]) for k in (5, -1)]


@pytest.mark.parametrize(("size", "ends"), [(1.0, ["-5", "-0.5", "0", "0.5", "5"]), (1000.0, ["-5000", "0", "5000"])])
def test_numbers_under_a_static_bar_that_would_touch_are_left_out(size, ends):
    picture = heatmaps([Panel("H", snapshot(np.array([[4.8, -0.8], [-0.4, 0.0]]) * size), counts=(1, 2))])
    assert re.findall(r'class="small[^"]*"[^>]*>([^<]*)<', picture) == [
        *[end.replace("-", "\u2212") for end in ends],
        "colours compressed, so small numbers show",
    ]


def test_the_share_of_zeros_is_one_of_all_elements() -> None:
    for numbers, told in (([0.0, np.nan, np.inf, 1.0], "25 %"), ([0.0, np.nan], "50 %"), ([1.0, np.nan], "")):
        heat = Heat(np.array(numbers))
        caption = heat_entry(heat, Plane.first((len(numbers),)), Tone(1.0), 64)["caption"]
        assert caption == (say("heat_zeros", share=told) if told else "")


def test_of_a_long_name_the_title_keeps_what_is_shown() -> None:
    for name, told in (
        ("a_very_long_name_of_an_input", "a_very_long_name\u2026: analytic  ()"),
        ("b", "b: analytic  ()"),
    ):
        assert f">{told}<" in heatmaps([Panel(f"{name}: analytic", snapshot(np.array(1.0)))])
