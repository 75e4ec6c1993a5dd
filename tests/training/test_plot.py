"""PlotReport: the curves of a log as a file and in a notebook."""

from __future__ import annotations

import base64
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from autolab import links as L
from autolab import optimizers, training, using_config
from autolab.data import SerialIterator, get_iris
from autolab.training import extensions


@pytest.fixture(autouse=True)
def seeded():
    with using_config("rng", np.random.default_rng(0)):
        yield


def trained(folder, epochs=4, **options):
    train, test = get_iris()
    model = L.Classifier(L.MLP((8, 3)))
    updater = training.StandardUpdater(SerialIterator(train, 30), optimizers.Adam(0.01).setup(model))
    trainer = training.Trainer(updater, (epochs, "epoch"), out=folder)
    trainer.extend(extensions.Evaluator(SerialIterator(test, 30, repeat=False, shuffle=False), model))
    trainer.extend(extensions.LogReport())
    trainer.extend(extensions.PlotReport(["main/loss", "validation/main/loss"], **options))
    trainer.run()
    return trainer


def test_the_file_shows_every_line_of_the_log(tmp_path):
    trainer = trained(tmp_path, title="loss", x_key="epoch")
    root = ElementTree.parse(tmp_path / "plot.svg").getroot()
    space = "{http://www.w3.org/2000/svg}"
    marks = [c.get("class") for c in root.iter(f"{space}circle")]
    assert (marks.count("d0"), marks.count("d1")) == (4, 4)
    texts = [t.text for t in root.iter(f"{space}text")]
    last = trainer.get_extension("LogReport").log[-1]["main/loss"]
    assert f"main/loss {last:.3f}" in texts and "loss" in texts and "epoch" in texts


def test_in_a_notebook_it_is_a_picture_with_words(tmp_path):
    plot = trained(tmp_path).get_extension("PlotReport")
    shown = plot._repr_mimebundle_()
    found = re.search(r'<img alt="([^"]+)" src="data:image/svg\+xml;base64,([^"]+)"', shown["text/html"])
    assert "main/loss: first" in found[1] and shown["text/plain"] in found[1]
    ElementTree.fromstring(base64.b64decode(found[2]))


def test_an_entry_that_nobody_reported_is_named(tmp_path):
    trainer = trained(tmp_path)
    plot = extensions.PlotReport(["main/loss", "main/los"], filename="other.svg")
    assert "Not in the log" not in plot._repr_mimebundle_()["text/plain"]  # nothing was reported yet
    plot(trainer)
    assert "Not in the log so far: main/los." in plot._repr_mimebundle_()["text/plain"]
    texts = [t.text for t in ElementTree.parse(tmp_path / "other.svg").iter("{http://www.w3.org/2000/svg}text")]
    assert "Not in the log so far: main/los." in texts
    assert "Not in the log" not in (tmp_path / "plot.svg").read_text("utf-8")


@pytest.mark.parametrize(
    ("entries", "options", "message"),
    [
        ("main/loss", {}, "expected 1 to 8 names"),
        ([], {}, "expected 1 to 8 names"),
        (["a"] * 9, {}, "expected 1 to 8 names"),
        (["a"], {"filename": "plot.png"}, r"ends in \.svg"),
    ],
)
def test_bad_input_is_named(entries, options, message):
    with pytest.raises(ValueError, match=message):
        extensions.PlotReport(entries, **options)
