"""Links and optimizers show themselves: every parameter with its size and norms, as a table and as text."""

from __future__ import annotations

import base64
import io
import re

import numpy as np
import pytest
from PIL import Image

from autolab import Chain, Parameter, Sequential, Variable, functions, optimizers
from autolab import links as L
from autolab.views import mimebundle
from autolab.views.draw.colors import ON_ANY_PAGE, rgb


def trained():
    model = L.Classifier(L.MLP((5, 3)))
    optimizer = optimizers.Adam(lr=0.25).setup(model)
    optimizer.add_hook(optimizers.WeightDecay(0.5))
    optimizer.update(model, np.ones((4, 6), np.float32), np.array([0, 1, 2, 0]))
    return model, optimizer


def test_the_tree_has_every_parameter_with_its_numbers():
    model, _ = trained()
    bundle = mimebundle(model)
    w = model.predictor.l0.W
    norm, gradient = np.linalg.norm(w.data.astype(float)), np.linalg.norm(w.grad.data.astype(float))
    line = next(line for line in bundle["text/plain"].splitlines() if line.strip().startswith("W: (5, 6)"))
    shown = [float(word) for word in line.replace("norm", " ").replace(",", " ").split() if "." in word]
    np.testing.assert_allclose(shown, [norm, gradient], rtol=1e-3)
    assert bundle["text/plain"].endswith("53 numbers in 4 parameters, 212 bytes.")
    assert bundle["text/html"].count("<tr>") == 1 + 4 + 4  # heading, links, parameters


def strips(bundle):
    """The pictures by what they are described as."""
    found = re.findall(r'<img alt="(\w+, \w+): ([^"]*)"[^>]* src="data:image/png;base64,([^"]+)"', bundle["text/html"])
    images = {(name, words): Image.open(io.BytesIO(base64.b64decode(data))) for name, words, data in found}
    return {name: (words, np.array(image.convert("RGBA"))[1:-1, 1:-1]) for (name, words), image in images.items()}


def test_every_parameter_has_a_strip_of_its_value_and_of_its_gradient():
    layer = L.Linear(3, 2)
    assert sorted(strips(mimebundle(layer))) == ["W, value", "b, value"], "None is not 0: no picture"
    layer.W.data = np.array([[-2.0, 0.0, 1.0], [2.0, 0.0, np.nan]], np.float32)
    layer.W.grad = Variable(np.zeros((2, 3), np.float32))
    found = strips(mimebundle(layer))
    words, pixels = found["W, value"]
    assert words == "array of shape (2, 3), from −2 to 2, 1 NaN." and pixels.shape == (24, 36, 4)
    centres = pixels[6::12, 6::12]
    assert centres[0, 0].tolist() == [*rgb(ON_ANY_PAGE[0]), 255] and centres[0, 1, 3] == 0, "zero is transparent"
    assert centres[1, 0].tolist() == [*rgb(ON_ANY_PAGE[1]), 255]
    assert len(np.unique(pixels[12:, 24:].reshape(-1, 4), axis=0)) == 2
    assert not found["W, gradient"][1][..., 3].any()


def test_of_a_large_model_the_first_parameters_have_strips():
    model = L.MLP((3,) * 40)
    model(np.ones((2, 3), np.float32))
    html = mimebundle(model)["text/html"]
    assert html.count("<img") == 60 and "Only the first 60 arrays have pictures" in html and len(html) < 200_000


def test_what_has_no_size_or_no_gradient_says_so():
    text = mimebundle(Sequential(L.Linear(None, 2), functions.relu, L.BatchNormalization(None)))["text/plain"]
    assert "W: No size yet" in text and "avg_mean: No size yet" in text
    assert "b: (2,) float32 cpu, norm 0, gradient's norm none" in text
    assert "No size yet" in mimebundle(L.Linear(2).W)["text/html"]


def test_a_shared_link_is_opened_once():
    layer = L.Linear(2, 2)
    text = mimebundle(Chain(a=layer, b=layer))["text/plain"]
    assert text.count("W:") == 1 and "b: Linear(the same as above)" in text


def test_an_optimizer_says_what_it_has_done():
    _, optimizer = trained()
    bundle = mimebundle(optimizer)
    assert bundle["text/plain"].startswith("Adam(lr=0.25") and "It has made 1 update." in bundle["text/plain"]
    assert "WeightDecay" in bundle["text/html"] and "Classifier" in bundle["text/html"]
    assert "setup(model)" in mimebundle(optimizers.SGD())["text/plain"]


@pytest.mark.parametrize("name", ['<script>alert("x")</script>', "$x$", "a\u202eb"])
def test_names_are_data(name):
    link = Chain()
    link.register_parameter(name.replace("/", ""), Parameter(0, (2,)))
    html = mimebundle(link)["text/html"]
    assert "<script" not in html and "\u202e" not in html


def test_a_large_model_is_cut_and_says_so():
    bundle = mimebundle(L.MLP((2,) * 400))
    assert "These are the first 300 of" in bundle["text/html"]
    assert len(bundle["text/html"]) < 200_000
