"""How a function with its derivatives shows itself where nothing can be moved."""

from __future__ import annotations

import base64
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from helpers.each import each

from autolab.analysis import Study
from autolab.views import mimebundle
from autolab.views.derivatives.scene import moving, panels, polynomial
from autolab.views.derivatives.static import WIDTH, curves_svg
from autolab.views.draw.chart import axis
from autolab.views.draw.escape import LIMIT
from autolab.views.draw.plot import Frame, Size, height_of

SVG = "{http://www.w3.org/2000/svg}"


def wave(x):
    return np.sin(2 * x) * np.exp(-x * x / 8)


def test_the_bundle_is_the_live_view_at_rest():
    """Title as code, the curves with their formulas and numbers, and the sentence."""
    data = Study(wave, 0.7, 3).data
    bundle = mimebundle(data)
    assert len(bundle["text/html"]) + len(bundle["text/plain"]) <= LIMIT
    html = bundle["text/html"]
    assert html.count("<img ") == 1 and html.index("<code") < html.index("<img ") < html.index("wave rises here")
    picture = base64.b64decode(re.findall(r"base64,([\w+/=]+)", html)[0]).decode()
    texts = ["".join(element.itertext()) for element in ET.fromstring(picture).iter(f"{SVG}text")]
    assert "wave(x) = sin 2x · e^((−x²)/8)" in texts and "x = 0.7" in texts and "= −4.023" in texts
    assert {"tangent", "Taylor polynomial of order 3"} <= set(texts)
    assert "wave″(0.7) = −4.023" in bundle["text/plain"]
    assert "wave rises here: its slope is 0.158." in bundle["text/plain"]


def test_the_plots_of_the_picture_share_their_axis_across():
    picture = ET.fromstring(curves_svg(Study(np.tanh, 1.0, 4).data))
    boxes = [rect for rect in picture.iter(f"{SVG}rect") if rect.get("class") == "strip"]
    assert len(boxes) == 5 and len({(rect.get("x"), rect.get("width")) for rect in boxes}) == 1
    spots = [spot for spot in picture.iter(f"{SVG}circle") if spot.get("class") == "spot"]
    assert len(spots) == 5 and len({spot.get("cx") for spot in spots}) == 1


@each(
    ("fn", "x", "order", "said"),
    [
        (np.tanh, 1.0, 1, "tanh rises here: its slope is 0.420."),
        (np.tanh, 1.0, 2, "tanh rises here: its slope is 0.420. It bends downwards."),
        (np.tanh, 1.0, 0, "tanh is 0.762 here."),
        (np.cos, 0.0, 1, "Here cos′ is 0: cos has a top."),
        (np.sin, 1.57, 2, "At x = 1.571 sin′ is 0: sin has a top."),
        (np.sin, -1.57, 1, "At x = −1.571 sin′ is 0: sin has a bottom."),
        (lambda x: x**3, 0.0, 1, "Here f′ is 0: f is level."),
        (lambda x: 0 * x + 2, 1.0, 1, "Here f′ is 0: f is level."),
        (lambda t: t * t, 0.0, 2, "Here f′ is 0: f has a bottom."),
        (lambda t: t * t, 0.01, 2, "At t = 0 f′ is 0: f has a bottom."),
        (np.exp, -2.0, 2, "exp rises here: its slope is 0.135. It bends upwards."),
        (lambda x: -x, 1.0, 2, "f falls here: its slope is −1."),
    ],
)
def test_the_sentence_says_what_the_point_shows(fn, x, order, said):
    assert moving(Study(fn, x, order, (-4.0, 4.0)).data)["said"] == said


def test_zero_has_no_sign_in_the_readings():
    text = mimebundle(Study(lambda x: np.log(x) / (x - 2), 1.0, 1).data)["text/plain"]
    assert "(1) = 0" in text and "−0" not in text and "-0.0" not in text


def test_a_formula_that_is_too_long_leaves_its_name():
    data = Study(lambda x: np.tanh(np.sin(x) * x**2 + np.exp(x)) * x, 0.5, 3).data
    texts = ["".join(element.itertext()) for element in ET.fromstring(curves_svg(data)).iter(f"{SVG}text")]
    assert "f‴(x)" in texts and not any(text.startswith("f‴(x) =") for text in texts)
    data = Study(lambda x: np.tanh(x) * np.exp(-(x**2)) * np.sin(x), 0.5, 2).data
    texts = ["".join(element.itertext()) for element in ET.fromstring(curves_svg(data)).iter(f"{SVG}text")]
    assert "f″(x), whose formula is too long" in texts


def test_paths_stand_where_the_numbers_say():
    data = Study(lambda x: x**3, 0.5, 1, domain=(-2, 2)).data
    (cubic, slope), now = panels(data), moving(data)
    for panel, form in ((cubic, lambda x: x**3), (slope, lambda x: 3 * x**2)):
        places = np.array(
            [[float(n) for n in pair] for pair in re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", panel["path"])]
        )
        box, y = panel["box"], panel["y"]
        x = -2 + 4 * (places[:, 0] - box["x"]) / box["w"]
        height = y["hi"] - (y["hi"] - y["lo"]) * (places[:, 1] - box["y"]) / box["h"]
        np.testing.assert_allclose(height, form(x), atol=(y["hi"] - y["lo"]) * 2e-3)
    box = cubic["box"]
    assert now["points"][0]["x"] == pytest.approx(box["x"] + box["w"] * 2.5 / 4, abs=0.01)


def test_a_pole_does_not_flatten_the_curve():
    x = np.linspace(-2, 2, 801)
    with np.errstate(divide="ignore"):
        low, high = height_of(x, 1 / x, cut=True)
    assert -12 < low < -2 and 2 < high < 12
    assert height_of(x, x**2, cut=False) == pytest.approx((-0.32, 4.32))
    assert height_of(x, 0 * x + 5, cut=False) == (2.5, 7.5)
    assert height_of(x, x * np.nan, cut=True) == (-1, 1)


def test_a_derivative_that_grows_at_the_end_of_a_function_does_not_flatten_the_rest():
    data = Study(lambda x: x * np.sqrt(x), 1.0, 3).data
    f, slope, second, third = panels(data)
    assert (f["y"]["hi"], slope["y"]["hi"]) == pytest.approx((29.2, 4.9), abs=0.2)  # all of these is drawn
    assert 1.3 < second["y"]["hi"] < 5 and second["note"] == "f″ goes on beyond the picture near 0."
    assert -5 < third["y"]["lo"] < -0.5 and "f‴" in third["note"]
    assert not any("beyond" in panel["note"] for panel in panels(Study(np.exp, 0.0, 2, (-9.0, 9.0)).data))


def test_a_point_outside_of_the_box_has_no_place():
    frame = Frame(Size(400, 200), axis([0, 1]), axis([0, 1]))
    assert frame.point(0.5, 3.0) is None and frame.point(0.5, float("nan")) is None
    assert frame.path(np.array([0, 0.5, 1]), np.array([0, np.nan, 1])).count("M") == 2


@pytest.mark.parametrize(
    ("fn", "x", "order", "text"),
    [
        (lambda x: 2 * x**3 - x + 5, 1.0, 3, "T₃(x) = 6 + 5 (x − 1) + 6 (x − 1)² + 2 (x − 1)³"),
        (lambda x: x * x, 0.0, 2, "T₂(x) = x²"),
        (lambda x: -x * x, -2.0, 2, "T₂(x) = −4 + 4 (x + 2) − (x + 2)²"),
        (lambda x: 0 * x, 1.0, 1, "T₁(x) = 0"),
    ],
)
def test_the_polynomial_is_written_out(fn, x, order, text):
    assert polynomial(Study(fn, x, order).data) == text


def test_remarks_at_a_kink_and_outside():
    kink = moving(Study(lambda x: abs(x), 0.0, 1).data)
    assert kink["said"].startswith("f has a kink here, so no slope.")
    outside = Study(lambda x: 1 / x, 1e-3, 1, domain=(-2, 2)).data
    assert moving(outside)["points"][0] is None and "outside the picture" in moving(outside)["said"]


def test_hostile_names_are_text_and_documents_have_ids_of_their_own():
    def fn(x):
        return x * x

    fn.__name__ = '"><script>alert(1)</script>'
    data = Study(fn, 1.0, 1).data
    bundle = mimebundle(data)
    assert "<script" not in bundle["text/html"] and "<script" not in str(curves_svg(data))
    first, second = ET.fromstring(curves_svg(data)), ET.fromstring(curves_svg(data))
    assert first.get("id") != second.get("id")
    assert float(first.get("width")) == WIDTH
