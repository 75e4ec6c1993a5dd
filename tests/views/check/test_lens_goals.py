"""R14 to R16 for the check lens, the derivative explorer, the heatmap, and what stands still beside them."""

from __future__ import annotations

import base64
import gc
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ipywidgets import comm as widget_comm
from playwright.sync_api import Page

import autolab
from autolab import Variable, check_gradients
from autolab.analysis import Study, descend, show_hessian, show_jacobian, surface
from autolab.views.check.lens import Lens
from autolab.views.check.session import LensSession
from autolab.views.derivatives.explorer import DerivativeExplorer
from autolab.views.derivatives.session import DerivativeSession
from autolab.views.draw.messages import say
from autolab.views.heatmap.board import Board
from autolab.views.heatmap.heatmap import Heatmap, gather

from ..bare_page import RecordingComm, Wire, serve
from ..live.test_page_link import flush
from ..live.test_widget_soak import resident_megabytes
from ..looking import told, turn_order

PER_OUTPUT = 200_000
FIFTY_OUTPUTS = 5_000_000


@pytest.fixture
def keep(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Any], Any]]:
    """Views that are closed at the end."""
    monkeypatch.setattr(widget_comm, "create_comm", RecordingComm)
    made: list[Any] = []

    def make(view: Any) -> Any:
        made.append(view)
        return view

    yield make
    for view in made:
        view.close()


def lens_of(fn: Any, *inputs: Any) -> Lens:
    report = check_gradients(fn, *inputs)
    return Lens(LensSession(report, report._origin))


# ---------------------------------------------------------------------------------------------------------------- R14
class Slow:
    """A function that takes its time, and counts."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.running, self.most, self.runs = 0.0, 0, 0, 0
        self.later = seconds
        self.__name__ = "slow"

    def __call__(self, x: Variable) -> Variable:
        self.running += 1
        self.most, self.runs = max(self.most, self.running), self.runs + 1
        try:
            time.sleep(self.seconds)
            return np.sin(x)
        finally:  # also where it is given up for a later point
            self.running -= 1


def derivative_view(slow: Slow) -> Any:
    return DerivativeExplorer(DerivativeSession(slow, 0.5, 1, (-2.0, 2.0)))


def lens_view(slow: Slow) -> Any:
    return lens_of(slow, np.linspace(0.1, 1.0, 12).reshape(3, 4))


def heat_view(slow: Slow) -> Any:
    return Heatmap(Board(gather((np.arange(4096.0).reshape(64, 8, 8),), {}), "value", "linear", True))


MOVE_POINT = """([from, count, total]) => {
  const e = document.querySelector('.al-plot');
  for (let k = from; k < from + count; k++) {
    const key = k === total - 1 ? 'End' : k % 5 ? 'ArrowRight' : 'Home';
    e.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  }
}"""
CHOOSE_CELL = """([from, count, total]) => {
  const canvas = document.querySelector('.al-trio canvas.al-canvas'), box = canvas.getBoundingClientRect();
  for (let k = from; k < from + count; k++) {
    const cell = (total - 1 - k) % 12;
    const [row, column] = [Math.floor(cell / 4), cell % 4];
    const [clientX, clientY] = [box.left + box.width * (column + 0.5) / 4, box.top + box.height * (row + 0.5) / 3];
    canvas.dispatchEvent(new MouseEvent('click', { bubbles: true, clientX, clientY }));
  }
}"""
STEP_PLANE = """([from, count, total]) => {
  const e = document.querySelector('.al-heat-slider:not([hidden]) .al-range');
  for (let k = from; k < from + count; k++) {
    e.value = 63 - (total - 1 - k) % 64;
    e.dispatchEvent(new Event('input'));
  }
}"""
KINDS = {
    "derivatives": (derivative_view, MOVE_POINT, lambda w: w.data.x == 2.0),
    "lens": (lens_view, CHOOSE_CELL, lambda w: [told(w, "chosen")[at] for at in ("row", "column")] == [0, 0]),
    "heatmaps": (heat_view, STEP_PLANE, lambda w: told(w, "heat")["groups"][0]["at"][0] == 63),
}


@pytest.mark.browser
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("moves", [300, pytest.param(10_000, marks=pytest.mark.full)])
def test_soak(new_page: Any, keep: Any, monkeypatch: pytest.MonkeyPatch, kind: str, moves: int) -> None:
    make, script, arrived = KINDS[kind]
    slow = Slow(0.02)
    wire = Wire(keep(make(slow)))
    if kind != "heatmaps":
        monkeypatch.setattr(type(wire.widget), "wait_seconds", 0.01)
    slow.seconds = slow.later
    pages: list[Page] = [new_page(), new_page()]
    for k, page in enumerate(pages):
        serve(page, kind)
        wire.connect(page, views=2 - k)
    wire.finish()
    before, handled, runs = 0.0, 0, slow.runs
    burst = 50
    for start in range(0, moves // 2, burst):
        for page in pages:
            page.evaluate(script, [start, burst, moves // 2])
        flush(wire)
        assert len(wire.inbox) <= 2  # of each page, one message is in flight
        while wire.inbox:
            wire.step()
            handled += 1
        if start == 2 * burst:
            gc.collect()
            before = resident_megabytes()
    wire.finish()
    gc.collect()
    assert resident_megabytes() - before <= 20
    assert arrived(wire.widget)
    assert slow.most <= 1  # never two at once
    assert handled < moves / 4 and slow.runs - runs <= 250 * (handled + 10)
    for page in pages:
        assert page.locator(".al-busy").first.text_content() == ""


# ---------------------------------------------------------------------------------------------------------------- R15
def cell(text: str, names: dict[str, Any]) -> None:
    exec(compile(text, "<cell>", "exec"), names)


def tell(view: Any, **message: Any) -> None:
    view._on_message(view, {"seq": 1, **message}, [])
    deadline = time.monotonic() + 20
    while getattr(view, "computing", ""):
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture
def notebook() -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "__main__", "autolab": autolab, "np": np}
    cell("scale = 3.0\nW = autolab.Parameter(np.array(2.0))", names)
    cell("def inner(x):\n    return x * x", names)
    cell("def fn(x):\n    return np.sin(inner(x)) * W * scale", names)
    return names


EDITS = [("scale = 4.0", "scale"), ("W.data += 1", "W"), ("def inner(x):\n    return x * 3", "inner")]


@pytest.mark.parametrize(("edit", "name"), EDITS)
def test_curves_that_are_no_longer_true_are_marked_and_drawn_anew(
    keep: Any, notebook: dict[str, Any], edit: str, name: str
) -> None:
    view = keep(DerivativeExplorer(DerivativeSession(notebook["fn"], 0.5, 1, (-2.0, 2.0))))
    view.look_again()
    assert view.since == {}
    before = told(view, "curves")
    cell(edit, notebook)
    view.look_again()
    assert view.since["text"] == say("since_reached", names=name) and view.since["again"]
    assert told(view, "curves") == before
    tell(view, do="again")
    assert view.since == {} and told(view, "curves") != before
    assert view.data.values[0] == float(notebook["fn"](Variable(0.5)).data)


def test_a_point_always_stands_on_its_curve(keep: Any, notebook: dict[str, Any]) -> None:
    view = keep(DerivativeExplorer(DerivativeSession(notebook["fn"], 0.5, 1, (-2.0, 2.0))))
    cell("W.data += 5", notebook)
    tell(view, do="move", key="x", value=1.25)  # and nobody has looked meanwhile
    curves = view.data.curves
    assert np.interp(1.25, curves.x, curves.y[0]) == pytest.approx(view.data.values[0], rel=1e-3)


def test_a_redefined_function_is_told(keep: Any, notebook: dict[str, Any]) -> None:
    views = [
        keep(DerivativeExplorer(DerivativeSession(notebook["fn"], 0.5, 1))),
        keep(lens_of(notebook["fn"], np.array([0.5, 1.0]))),
    ]
    cell("def fn(x):\n    return x * 7", notebook)
    for view in views:
        view.look_again()
        assert view.since["text"] == say("since_redefined", name="fn")


@pytest.mark.parametrize(("edit", "name"), EDITS)
def test_a_check_of_what_has_changed_is_marked_and_made_anew(
    keep: Any, notebook: dict[str, Any], edit: str, name: str
) -> None:
    view = keep(lens_of(notebook["fn"], np.array([0.5, 1.0])))
    view.look_again()
    assert view.since == {}
    before = view.report
    cell(edit, notebook)
    view.look_again()
    assert view.since["text"] == say("since_reached", names=name) and view.report is before
    tell(view, do="again")
    assert view.since == {} and view.report is not before and view.report.verdict == "right"
    assert not np.allclose(
        view.report.inputs[0].analytic / view.report.upstream[0], before.inputs[0].analytic / before.upstream[0]
    )


@pytest.mark.parametrize(("edit", "name"), EDITS)
def test_a_change_is_noticed_while_a_slow_function_is_still_measured(
    notebook: dict[str, Any], edit: str, name: str
) -> None:
    report = check_gradients(notebook["fn"], np.array([0.5, 1.0]))
    session = LensSession(report, report._origin)  # opened, and nothing has been computed
    cell(edit, notebook)
    session.compute(session.state)
    assert session.origins.changed() == [name]


def test_another_mode_is_told(keep: Any) -> None:
    view = keep(DerivativeExplorer(DerivativeSession(np.tanh, 0.5, 1)))
    with autolab.test_mode():
        view.look_again()
        assert view.since["text"] == say("since_mode", mode="test")


def test_an_error_at_a_point_keeps_the_picture_and_the_point(keep: Any) -> None:
    broken = False

    def fn(x: Variable) -> Variable:
        if broken:
            raise ValueError("out of reach")
        return np.sin(x)

    view = keep(DerivativeExplorer(DerivativeSession(fn, 0.5, 1)))
    broken = True
    turn_order(view, 2)
    assert view.error is not None and view.look["order"] == 1 and told(view, "point")["control"]["value"] == 0.5
    turn_order(view, 1)  # as its pages do, which follow the view
    broken = False
    tell(view, do="move", key="x", value=0.75)
    assert view.error is None and (view.data.x, view.data.order) == (0.75, 1)


# ---------------------------------------------------------------------------------------------------------------- R16
def outputs() -> Iterator[tuple[str, Any]]:
    """Each kind of view and static display, with what is large for it."""
    rng = np.random.default_rng(0)

    def wide(x: Variable) -> Variable:
        y = x
        for k in range(12):
            y = np.sin(y * (k + 1)) + x
        return y

    yield "derivatives", DerivativeExplorer(DerivativeSession(wide, 0.5, 4))
    yield "lens", lens_of(lambda W, x: np.tanh(W @ x), rng.normal(size=(300, 300)), rng.normal(size=300))
    yield "lens of many", lens_of(lambda *xs: sum(x * x for x in xs), *[rng.normal(size=(8, 6)) for _ in range(9)])
    yield (
        "heatmap",
        Heatmap(
            Board(gather((rng.normal(size=(700, 700)),), {"b": rng.normal(size=(3, 90, 90))}), "value", "symlog", True)
        ),
    )
    yield "jacobian", show_jacobian(lambda x: np.tanh(x * x), rng.normal(size=60))
    yield "hessian", show_hessian(lambda w: (w**2).sum() + w[0] * w[1], rng.normal(size=60))
    bowl = lambda x, y: x**2 + 10 * y**2  # noqa: E731
    yield "surface", surface(bowl, (1.0, -0.5), steps=51, path=descend(bowl, (2.0, 1.0), rate=0.04, steps=40))
    yield "data", Study(wide, 0.5, 3).data


@pytest.mark.full
def test_what_is_saved_of_each_is_small(tmp_path: Path) -> None:
    """Outputs, the state of views in a notebook, and pages."""
    sizes = {}
    for name, shown in outputs():
        found = shown._repr_mimebundle_()
        data = found[0] if isinstance(found, tuple) else found
        sizes[name] = len(json.dumps(data))
        assert "<img" in data["text/html"] or name == "data", name
        autolab.export_html(shown, tmp_path / f"{name}.html")
        assert (tmp_path / f"{name}.html").stat().st_size <= 2_200_000, name
        if hasattr(shown, "close"):
            state = {**shown.get_state(), **shown.layout.get_state()}
            assert len(json.dumps(state, default=lambda b: base64.b64encode(bytes(b)).decode())) <= 450_000, name
            shown.close()
    assert max(sizes.values()) <= PER_OUTPUT, sizes
    assert 50 * np.mean(list(sizes.values())) <= FIFTY_OUTPUTS, sizes
