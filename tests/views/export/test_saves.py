"""Every view writes its picture and its page: one function in one place, whatever is shown."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import autolab
from autolab import links as L
from autolab import optimizers
from autolab.analysis import Study
from autolab.training.extensions import LiveMonitor


def surface() -> Any:
    return autolab.plots.surface(lambda x, y: x**2 + 10 * y**2, (0.0, 0.0), steps=9)


def trained() -> LiveMonitor:
    model = L.Classifier(L.MLP((3,)))
    optimizer, monitor = optimizers.SGD(1.0).setup(model), LiveMonitor(model)
    for _ in range(9):
        monitor.update(loss=optimizer.update(model, np.eye(3, dtype="f4"), np.arange(3)))
    return monitor


def told(k: float) -> Any:
    chart = autolab.plots.line_chart([0, 1], {"<b>": [0.0, k]})
    return "words", chart, {"<i>A": np.eye(3) * k, "B": np.full((20, 30), np.nan)}


VIEWS: dict[str, Callable[[], Any]] = {
    "surface": surface,
    "surface view": lambda: surface().explore((0.8, 0.5)),
    "heatmap": lambda: autolab.heatmap(W=np.array([[1.0, np.nan], [np.inf, -3.0]]), v=np.arange(3.0)),
    "interact": lambda: autolab.interact(told, k=(1.0, 2.0, 3.0)),
    "monitor": trained,
    "lens": lambda: autolab.check_gradients(lambda x, y: x * y, [2.0, 3.0], 3.0).explore(),
    "derivatives": lambda: autolab.derivatives(np.tanh, 0.5),
    "derivatives as data": lambda: Study(np.tanh, 0.5, 2).data,
}


@pytest.fixture(params=VIEWS)
def view(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.chdir(tmp_path)
    made = VIEWS[request.param]()
    yield made
    if hasattr(made, "close"):
        made.close()


def test_a_view_writes_its_picture_and_its_page(view: Any) -> None:
    view.save("one.svg", "dark")
    root = ET.parse("one.svg").getroot()
    assert root.tag.endswith("}svg")
    pytest.importorskip("typst")
    view.save("one.png")
    with Image.open("one.png") as image:
        wide, high = (float(part) for part in root.attrib["viewBox"].split()[2:])
        assert image.width / image.height == pytest.approx(wide / high, rel=0.01)
        assert len(image.convert("RGB").getcolors(1 << 24)) > 20  # something is drawn
    view.save("one.pdf")
    assert Path("one.pdf").read_bytes().startswith(b"%PDF")
    view.save("one.html")
    assert Path("one.html").read_text("utf-8").startswith("<!doctype html>")


def test_another_suffix_is_refused_and_nothing_is_written(view: Any) -> None:
    with pytest.raises(
        ValueError, match=r"save: got the suffix '\.txt' in one\.txt, expected one of \.svg, \.png, \.pdf, \.html"
    ):
        view.save("one.txt")
    assert not Path("one.txt").exists()


def test_the_picture_of_a_lens_shows_the_input_that_is_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lens = VIEWS["lens"]()
    lens._look_at({**lens.look, "input": 1, "cell": None}, [])
    lens.save("one.svg")
    shown = Path("one.svg").read_text("utf-8")
    for words in ("&lt;lambda&gt;", "✓ Right", ">y: analytic", ">y: numeric"):
        assert words in shown
    assert ">x: analytic" not in shown
    lens.close()


def test_what_users_named_stays_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    view = autolab.interact(told, k=(1.0, 2.0, 3.0))
    view.save("one.svg")
    text = Path("one.svg").read_text("utf-8")
    assert "<i>" not in text and "&lt;i&gt;A" in text and "<b>" not in text
    view.close()
