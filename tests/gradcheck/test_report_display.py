"""How a report shows itself."""

from __future__ import annotations

import base64
import itertools
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
from check_subjects import node

from autolab import check_gradients
from autolab.gradcheck import step_sweep
from autolab.shared.numerals import precise
from autolab.views.check.charts import step_sentence
from autolab.views.check.contents import chosen
from autolab.views.draw.colors import color
from autolab.views.draw.messages import say

SVG = "{http://www.w3.org/2000/svg}"
KEYS = ("y", "x", "height", "width")
WRONG = node(lambda x: x * x, lambda g, x: g * x)


def bundle_of(function, *inputs):
    report = check_gradients(function, *inputs)
    return report, report._repr_mimebundle_()


def pictures(html):
    return [base64.b64decode(data).decode() for data in re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', html)]


def limits(svg):
    """The magnitude at the end of each panel's colour bar."""
    return re.findall(r'class="small right">([^<]*)<', svg)


def test_sentences_write_numbers_as_the_displays_do():
    negated = node(lambda x: x * x, lambda g, x: -2 * g * x)
    halved = node(lambda x: x * x, lambda g, x: -0.5 * g * x)
    for fn, read in ((negated, "instead of"), (halved, "is −1/4 times what it should be")):
        report = check_gradients(lambda x, fn=fn: fn(x), np.array([1.0, -2.0]))
        (finding,) = report.findings
        shown = [line[2] for line in chosen(report, 0, report["x"].worst)["lines"]]
        assert read in finding.message and any("−" in text for text in shown[:2])
        said = re.search(r"(\S+) instead of (\S+) at", finding.message).groups()  # with fewer digits
        for text, longer in zip(said, shown, strict=False):
            assert len(text) <= 7 and text == precise(float(longer.replace("−", "-")), 4)
        assert not re.search(r"-[0-9]", str(finding))


def test_what_is_infinite_reads_alike_in_findings_and_displays():
    endless = node(lambda x: x * x, lambda g, x: g * x / 0.0)
    with np.errstate(divide="ignore"):
        report = check_gradients(lambda x: endless(x), np.array([1.0, 2.0]))
    (finding,) = report.findings
    shown = chosen(report, 0, (0,))["lines"][0][2]
    assert shown in ("∞", "−∞") and f"is {shown} at [0]" in finding.message and "inf" not in str(report)


def test_a_wrong_gradient_shows_three_heatmaps_with_the_worst_element_ringed():
    report, bundle = bundle_of(lambda x: WRONG(x), np.array([[1.0, -2.0], [3.0, 0.5]]))
    assert bundle["text/plain"] == str(report)
    assert "</code> \u2717 Wrong</b>" in bundle["text/html"] and report.findings[0].message[:20] in bundle["text/html"]
    svg, _ = pictures(bundle["text/html"])
    assert svg.count('class="ring"') == 3
    for title in ("x: analytic", "x: numeric", "x: error"):
        assert title in svg
    analytic, numeric, error = limits(svg)
    assert analytic == numeric  # on one scale, so that colours can be compared
    assert error not in (analytic, "0")


def test_a_right_input_has_no_coloured_error_and_nothing_is_ringed():
    _, bundle = bundle_of(lambda x: np.sin(x), np.array([1.0, -2.0]))
    (svg,) = pictures(bundle["text/html"])
    assert svg.count('class="ring"') == 0 and len(limits(svg)) == 2  # the error has no bar: its cells have no colour
    *_, error = ElementTree.fromstring(svg).iter(f"{SVG}g")
    shades = {node.get("class") for node in error.iter(f"{SVG}rect")} - {"strip"}
    assert [re.search(rf"\.{shade}{{fill:([^}}]*)}}", svg).group(1) for shade in shades] == [color(0.0)]


def test_elements_that_were_not_measured_are_no_nan_in_a_picture():
    report, bundle = bundle_of(lambda w: np.tanh(w), np.linspace(-2, 2, 900).reshape(30, 30))
    (svg,) = pictures(bundle["text/html"])
    assert svg.count('class="ring"') == 0 and "NaN" not in svg + bundle["text/html"]
    assert report["w"].coverage in bundle["text/html"] and report["w"].coverage in bundle["text/plain"]


def boxes_of(svg, style, length):
    """The boxes of a style in each panel of a square array: row, column, height and width, in cells."""
    found = []
    for panel in ElementTree.fromstring(svg).iterfind(f"{SVG}g[@transform]"):
        drawn = [(node.get("class"), [float(node.get(key)) for key in KEYS]) for node in panel.iter(f"{SVG}rect")]
        (top, left, height, width) = next(place for name, place in drawn if name == "strip")
        places = [
            ((y - top) / height, (x - left) / width, high / height, wide / width)
            for name, (y, x, high, wide) in drawn
            if name == style or (style == "shade" and re.fullmatch(r"k\d+", name or ""))
        ]
        found.append([tuple([round(length * part, 3) for part in place]) for place in places])
    return found


def test_the_picture_of_a_large_input_shows_what_was_measured_and_where_halving_led():
    def backward(g, w):
        gradient = 2 * g * w
        gradient[13, 7] *= 1.1
        return gradient

    report, bundle = bundle_of(node(lambda w: (w * w).sum(), backward), np.random.default_rng(0).normal(size=(40, 40)))
    svg, (item,) = pictures(bundle["text/html"])[0], report.inputs
    known = np.argwhere(np.isfinite(item.error)).tolist()
    analytic, *others = boxes_of(svg, "half", 40)
    assert not analytic and others[0] == others[1] and len(others[0]) >= 6
    assert others[0][0] == (0, 0, 20, 40) and others[0][-1] == (13, 7, 1, 1)
    for outer, inner in itertools.pairwise(others[0]):
        assert all(outer[k] <= inner[k] and inner[k] + inner[k + 2] <= outer[k] + outer[k + 2] for k in (0, 1))
    for drawn in boxes_of(svg, "shade", 40)[1:]:
        assert [[row, column] for row, column, *size in drawn if size == [1, 1]] == known
    assert 2 <= len(known) == item.measured < 100
    assert "blocks that are tinted" in " ".join(re.findall(r"<desc[^>]*>([^<]*)<", svg))


def test_a_wrong_gradient_shows_that_no_step_size_explains_it():
    report, bundle = bundle_of(lambda x: WRONG(x), np.array([[1.0, -2.0], [3.0, 0.5]]))
    _, chart = pictures(bundle["text/html"])
    line = re.findall(r'<path d="(M[^"]+)" class="line c0"', chart)[0]
    heights = [float(step.split()[1]) for step in re.split("[ML]", line)[:0:-1]]
    assert len(heights) == 16 and np.ptp(heights[:12]) < 2  # flat: the same error at every step
    error = report.sweep.error[:12].mean()
    assert error == pytest.approx(report["x"].error[report["x"].worst], rel=1e-3)
    assert f"the two stay about {error:.3g} apart" in bundle["text/html"]
    alt = re.findall(r'alt="([^"]*)"', bundle["text/html"])[-1]
    assert say("lens_steps") in alt and "the two stay" in alt


def test_what_stands_there_at_first_is_the_worst_input_alone_and_all_others_behind_a_line():
    _, bundle = bundle_of(lambda x, y, z: np.sin(x) * WRONG(y) * WRONG(z), 1.0, 30.0, 2.0)
    first, *others = re.split("<details>", bundle["text/html"])
    assert "gradient of z is 1/2 times" in first and "gradient of y" not in first and len(pictures(first)) == 1
    assert "<summary>\u2713 <code>x</code> \u2717 <code>y</code> \u2717 <code>z</code> </summary>" in others[-1]
    assert "gradient of y is 1/2 times" in others[-1] and "gradient of z" not in others[-1]


def test_a_right_gradient_needs_no_chart():
    _, bundle = bundle_of(lambda x: np.sin(x), np.array([1.0, -2.0]))
    assert say("lens_steps") not in bundle["text/html"]


def test_without_a_comparison_there_is_a_sentence_and_no_picture():
    broken = node(lambda x: x * x, lambda g, x: (g, g), name="Broken")
    _, bundle = bundle_of(lambda x: broken(x), np.ones(3))
    assert not pictures(bundle["text/html"])
    assert "Broken.backward returned 2 gradients" in bundle["text/html"]


def test_a_missing_gradient_is_not_drawn_as_zero():
    forgotten = node(lambda x: x * x, lambda g, x: None)
    _, bundle = bundle_of(lambda x: forgotten(x), np.ones(3))
    svg, _ = pictures(bundle["text/html"])
    assert "x: analytic" not in svg and "x: numeric" in svg
    assert "None" in bundle["text/plain"]


def test_hostile_names_are_text():
    hostile = '<img src=x onerror="alert(1)">$\\x$'

    def function(**inputs):
        return WRONG(*inputs.values())

    function.__name__ = hostile
    report = check_gradients(function, **{hostile: np.ones(2)})
    html = report._repr_mimebundle_()["text/html"]
    assert "<img src=x" not in html and "&lt;img src=x" in html
    assert all("<img src=x" not in svg for svg in pictures(html))


def test_zero_has_no_sign_in_a_report():
    flipped = node(lambda x: x * 0.0, lambda g, x: -(abs(g) * 0.0))
    report, bundle = bundle_of(lambda x: flipped(x), np.array([1.0, 2.0]))
    assert np.signbit(report["x"].analytic).any()  # so that it could be seen
    assert not re.search(r"(?<!e)[-\u2212]0", bundle["text/plain"])
    assert "\u22120<" not in bundle["text/html"] + "".join(pictures(bundle["text/html"]))


def test_no_right_gradient_is_said_to_stay_apart():
    rng = np.random.default_rng(0)
    for size, offset, wave in itertools.product((1e-6, 1.0, 1e5), (0.0, 1.0, 1e6), (1.0, 30.0)):
        for x in rng.uniform(-2, 2, 4):
            sweep = step_sweep(lambda x, s=size, o=offset, w=wave: s * np.tanh(x * w) + o, np.array([x]), index=0)
            assert "stay about" not in step_sentence(sweep), (size, offset, wave, x)


def test_a_wrong_gradient_is_said_to_stay_apart():
    for factor in (-1.0, 0.5, 1.01, 1.0003):
        wrong = node(np.sin, lambda g, x, f=factor: g * np.cos(x) * f)
        assert "stay about" in step_sentence(step_sweep(lambda x, w=wrong: w(x), np.array([0.7]), index=0))


def test_what_the_gradients_are_for_is_said_unless_they_are_the_slopes_of_a_number():
    for x, is_drawn in ((np.array([1.0, -2.0]), True), (2.0, False)):
        _, bundle = bundle_of(lambda x: np.exp(x), x)
        assert (say("lens_drawn") in bundle["text/html"]) == is_drawn


def test_where_nothing_was_measured_no_input_is_right():
    report, bundle = bundle_of(lambda x, y: x * y, np.zeros((0, 3)), np.zeros((0, 3)))
    assert report.verdict == "cannot tell" and [item.verdict for item in report.inputs] == ["cannot tell"] * 2
    assert "\u2713" not in bundle["text/html"]
