"""Jacobians and Hessians as labelled matrices: against closed forms, and how they show themselves."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from autolab import FunctionNode
from autolab import functions as F
from autolab.analysis import show_hessian, show_jacobian
from autolab.views import mimebundle
from autolab.views.draw.messages import say
from autolab.views.draw.numbers import number
from autolab.views.plots.matrix import eigenvalues_svg, matrix_svg

SVG = "{http://www.w3.org/2000/svg}"


def layer(x, W):
    return F.tanh(W @ x)


def test_the_jacobian_is_that_of_the_closed_form_with_names():
    rng = np.random.default_rng(0)
    x, W = rng.normal(size=2), rng.normal(size=(3, 2))
    found = show_jacobian(layer, x=x, W=W)
    slope = 1 - np.tanh(W @ x) ** 2
    by_w = np.einsum("i,ij,k->ijk", slope, np.eye(3), x).reshape(3, 6)
    np.testing.assert_allclose(found.values, np.concatenate([slope[:, None] * W, by_w], axis=1))
    assert found.rows == ("layer[0]", "layer[1]", "layer[2]")
    assert found.columns == ("x[0]", "x[1]", *[f"W[{i}, {j}]" for i in range(3) for j in range(2)])


def test_several_results_stand_below_each_other():
    found = show_jacobian(lambda x, n: (x * n, F.sum(x)), x=[1.0, 2.0], n=3)
    assert found.rows == ("y.0[0]", "y.0[1]", "y.1") and found.columns == ("x[0]", "x[1]", "n")
    np.testing.assert_allclose(found.values, [[3, 0, 1], [0, 3, 2], [1, 1, 0]])


def test_the_hessian_and_its_eigenvalues_are_those_of_a_quadratic_form():
    rng = np.random.default_rng(1)
    half = rng.normal(size=(4, 4))
    form = half + half.T

    def quadratic(x, y):
        both = np.concatenate([x, y])
        return F.sum(both * (form @ both)) / 2

    found = show_hessian(quadratic, np.ones(3), np.ones(1))
    np.testing.assert_allclose(found.values, form, atol=1e-12)
    np.testing.assert_allclose(found.eigenvalues, np.linalg.eigvalsh(form), atol=1e-12)
    assert found.rows == found.columns == ("x[0]", "x[1]", "x[2]", "y[0]") and not found.stationary and found.is_even


@pytest.mark.parametrize(
    ("fn", "nature", "key"),
    [
        (lambda x, y: x**2 + 3 * y**2, "minimum", "matrix_minimum"),
        (lambda x, y: -(x**2) - y**2 + x * y, "maximum", "matrix_maximum"),
        (lambda x, y: x**2 - y**2, "saddle", "matrix_saddle"),
        (lambda x, y: x**2 + 0 * y, "flat", "matrix_flat"),
        (lambda x, y: (x - 1) ** 2 + y**2, "minimum", "matrix_minimum_moving"),
        (lambda x, y: x * y + x, "saddle", "matrix_saddle_moving"),
        (lambda x, y: x + y, "flat", "matrix_flat_moving"),
    ],
)
def test_what_the_signs_mean(fn, nature, key):
    found = show_hessian(fn, 0.0, 0.0)
    assert found.nature == nature and say(key, name="y") in mimebundle(found)["text/plain"]
    others = [
        say(f"matrix_{n}{m}", name="y") for n in ("minimum", "maximum", "saddle", "flat") for m in ("", "_moving")
    ]
    assert sum(words in mimebundle(found)["text/plain"] for words in others) == 1


def test_a_wrong_backward_makes_the_hessian_uneven_and_nothing_is_said_of_it():
    class Product(FunctionNode):
        def forward(self, inputs):
            self.retain_inputs((0, 1))
            return (inputs[0] * inputs[1],)

        def backward(self, indexes, grad_outputs):
            x, y = self.get_retained_inputs()
            return grad_outputs[0] * y, 2 * grad_outputs[0] * x

    found = show_hessian(lambda x, y: Product().apply((x, y))[0], 1.0, 1.0)
    assert not found.is_even and found.nature == "unknown"
    assert say("matrix_uneven") in mimebundle(found)["text/plain"]


def test_cells_show_the_numbers_and_what_is_not_finite_says_so():
    found = show_jacobian(lambda x: F.log(x), np.array([-1.0, 0.0, 2.0]))
    texts = [t.text for t in ET.fromstring(matrix_svg(found)).iter(f"{SVG}text")]
    for value in found.values.reshape(-1):
        assert number(value + 0.0) in texts
    assert {"y[0]", "x[2]", "Jacobian of y"} <= set(texts)
    assert say("matrix_undefined", count="3 entries") in mimebundle(found)["text/plain"]
    assert len(show_hessian(lambda x: F.sum(F.log(x)), np.array([0.0, 1.0])).eigenvalues) == 0


def test_bars_of_eigenvalues_are_in_proportion_and_on_their_side_of_zero():
    found = show_hessian(lambda x, y: x**2 - 2 * y**2, 0.0, 0.0)
    bars = [r for r in ET.fromstring(eigenvalues_svg(found)).iter(f"{SVG}rect") if r.get("class") != "card"]
    (first, second) = [(float(bar.get("x")), float(bar.get("width"))) for bar in bars]
    assert first[0] + first[1] == pytest.approx(second[0], abs=0.1)  # they meet at zero
    assert first[1] == pytest.approx(2 * second[1], abs=0.1)  # -4 and 2


def test_eigenvalues_of_one_sign_take_the_whole_width_and_are_told_in_words():
    found = show_hessian(lambda x, y: x**2 + 2 * y**2, 0.0, 0.0)
    bars = [r for r in ET.fromstring(eigenvalues_svg(found)).iter(f"{SVG}rect") if r.get("class") != "card"]
    assert [(bar.get("x"), bar.get("width")) for bar in bars] == [("110", "120"), ("110", "240")]
    assert "Its eigenvalues: 2 above zero." in mimebundle(found)["text/plain"]
    saddle = show_hessian(lambda x, y: x**2 - 2 * y**2, 0.0, 0.0)
    assert "Its eigenvalues: 1 above zero, 1 below zero." in mimebundle(saddle)["text/plain"]


def test_a_large_matrix_is_one_picture():
    found = show_hessian(lambda w: F.sum(w**2 * np.arange(1, 41)), np.zeros(40))
    bundle = mimebundle(found)
    assert bundle["text/html"].count("<img ") == 2 and len(bundle["text/html"]) < 60_000
    assert say("matrix_some", shown=12, count=40) in str(eigenvalues_svg(found))


def test_it_is_plain_data_and_hostile_names_are_text():
    def fn(**inputs):
        return F.sum(inputs["<script>"] ** 2)

    found = show_hessian(fn, **{"<script>": np.ones(2)})
    assert json.loads(json.dumps(found.to_json(), allow_nan=False))["columns"] == ["<script>[0]", "<script>[1]"]
    assert not re.search("<script", mimebundle(found)["text/html"] + matrix_svg(found))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: show_jacobian(3, 1.0), "show_jacobian: fn is an int"),
        (lambda: show_jacobian(lambda x: x, np.array([1, 2])), "no input of floating-point numbers"),
        (lambda: show_hessian(lambda x: x, np.ones(3)), "expected a single number"),
        (lambda: show_hessian(F.sum, np.ones(2000)), "2000 x 2000"),
        (lambda: show_jacobian(lambda x: x, np.ones(2000)), "2000 rows"),
        (lambda: show_hessian(lambda x: 3.0, 1.0), "returned a float"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises((TypeError, ValueError), match=words) as caught:
        call()
    assert len(str(caught.value)) <= 300


def test_in_plain_python_it_is_words():
    shown = show_hessian(lambda x, y: x * y, x=1.0, y=2.0)
    assert repr(shown) == str(shown) == shown._repr_mimebundle_()["text/plain"]
    assert "DerivativeMatrix(" not in repr([shown]) and "array(" not in repr(shown)
