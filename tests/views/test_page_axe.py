"""axe-core looks at every kind of view, live and saved, light and dark: nothing that it finds may shut somebody out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.axe import violations
from ipywidgets import comm as widget_comm
from playwright.sync_api import Page

import autolab
from autolab import functions as F
from autolab.views.derivatives.explorer import DerivativeExplorer
from autolab.views.derivatives.session import DerivativeSession
from autolab.views.export.pages import export_html
from autolab.views.graph.explorer import Explorer
from autolab.views.graph.graph_view import GraphView
from autolab.views.graph.session import Session

from .bare_page import RecordingComm, Wire, menu, offered, serve, type_number
from .graph.test_page_large import steps
from .graph.test_page_look import DARK
from .looking import looks, tell
from .monitor.test_page_monitor import Trained
from .programs import LAYER, layer, muladd, picky
from .steps.test_page_orders import squares

pytestmark = pytest.mark.browser
LIGHT = """() => {
  document.body.dataset.jpThemeLight = 'true';
  document.body.style.setProperty('--jp-layout-color0', '#ffffff');
}"""
THEMES = {"light": LIGHT, "dark": DARK}
SHOWN = "look => [look, undefined].includes(document.querySelector('.al-root')?.style.colorScheme)"
Do = Callable[[Page, Callable[[], None]], None]
"""What is done with a view in a page; the second argument lets the page and the kernel come to rest."""


@dataclass(frozen=True)
class Case:
    """A view, the module that shows it, and what is done before it is looked at."""

    make: Callable[[], Any]
    module: str = "explorer"
    do: tuple[Do, ...] = ()
    """After each of these the page is looked at."""
    live_only: tuple[Do, ...] = ()


def explorer(fn: Callable[..., Any], options: Any = None, **inputs: Any) -> Callable[[], Explorer]:
    return lambda: Explorer(Session(fn, options=options, inputs=inputs))


def graph_of_a_variable() -> GraphView:
    x = autolab.Variable(np.arange(6.0).reshape(2, 3))
    h = F.tanh(x + 2.0)
    loss = (h * h).sum()
    loss.backward()
    return loss.explore()


def check_lens() -> Any:
    x = np.array([[0.3, -1.2], [2.0, 0.7]])
    return autolab.check_gradients(lambda x, y: np.tanh(x * y), x, x + 1).explore()


def monitor() -> Any:
    trained = Trained()
    trained.step(20)
    return trained.view


def select(page: Page, rest: Callable[[], None]) -> None:
    page.locator(".al-node").nth(2).click()
    rest()


def walk(page: Page, rest: Callable[[], None]) -> None:
    for _ in range(3):
        page.get_by_role("button", name="One step on", exact=True).click()
        rest()


def order_2() -> Explorer:
    view = Explorer(Session(squares, inputs={"x": 3.0, "y": 2.0}))
    tell(view, {"do": "choose", "setting": "order", "value": 2})
    looks(view)
    return view


def open_menu(page: Page, rest: Callable[[], None]) -> None:
    page.locator(".al-menu > summary").click()
    rest()


def raises(page: Page, rest: Callable[[], None]) -> None:
    type_number(page, "x", "-1")
    rest()
    assert page.get_by_role("alert").is_visible()


def open_all(page: Page, rest: Callable[[], None]) -> None:
    offered(page, "Open all").click()
    rest()


def interact() -> Any:
    return autolab.interact(lambda k, kind: {"A": np.eye(3) * k}, k=(1, 5), kind=["a", "b"])


def surface() -> Any:
    return autolab.plots.surface(lambda x, y: x**2 + 10 * y**2, (0.0, 0.0), steps=9).explore((0.8, 0.5))


def as_computed(page: Page, settle: Callable[[], None]) -> None:
    page.get_by_role("button", name="As computed").click()
    settle()


def narrow(page: Page, rest: Callable[[], None]) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    rest()


def present(page: Page, rest: Callable[[], None]) -> None:
    menu(page).get_by_role("button", name="Present", exact=True).click()
    page.wait_for_selector(".al-present")
    rest()


def ask_why(page: Page, rest: Callable[[], None]) -> None:
    page.locator("canvas.al-canvas").first.press("Enter")
    rest()


CASES = {
    "explorer": Case(explorer(muladd, x=2.0, y=3.0, z=4.0), do=(select, open_menu, narrow)),
    "orders": Case(order_2, do=(as_computed, select)),
    "arrays": Case(explorer(layer, **LAYER), do=(select, walk, present)),
    "forward mode": Case(explorer(layer, options={"forward": "W"}, **LAYER), do=(open_menu, walk, select)),
    "error": Case(explorer(picky, x=2.0, y=3.0), live_only=(raises,)),
    "large": Case(explorer(steps, x=1.0), do=(select, open_all)),
    "graph": Case(graph_of_a_variable, do=(select, narrow)),
    "derivatives": Case(lambda: DerivativeExplorer(DerivativeSession(np.sin, 1.0, 2)), "derivatives"),
    "lens": Case(check_lens, "lens", do=(ask_why, present)),
    "heatmaps": Case(lambda: autolab.heatmap(np.arange(6.0).reshape(2, 3)), "heatmaps"),
    "interact": Case(interact, "interact"),
    "monitor": Case(monitor, "monitor"),
    "surface": Case(surface, "surface", do=(narrow,)),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Case:
    monkeypatch.setattr(widget_comm, "create_comm", RecordingComm)
    monkeypatch.chdir(tmp_path)
    return CASES[request.param]


@pytest.fixture
def view(case: Case) -> Iterator[Any]:
    made = case.make()
    yield made
    made.close()


def findings(page: Page, do: tuple[Do, ...], rest: Callable[[], None], show: Callable[[str], None], live: bool) -> str:
    """What is found at rest and after each thing that is done, in both looks: a line each."""
    found = []
    for act in (None, *do):
        if act:
            act(page, rest)
        for look in ("dark", "light"):
            show(look)
            page.wait_for_function(SHOWN, arg=look)
            where = f"{look}, {act.__name__ if act else 'at rest'}"
            found += [f"{where}: {line}" for line in violations(page, live, colors_only=look == "light")]
    return "\n".join(found)


SAVED = [
    name if name in ("explorer", "lens", "surface") else pytest.param(name, marks=pytest.mark.full) for name in CASES
]
"""A saved page is drawn by the same scripts as the live view: in every run three of them, in the full one all."""


def test_axe_finds_nothing_grave_in_a_live_view(page: Page, case: Case, view: Any) -> None:
    serve(page, case.module)
    wire = Wire(view)
    wire.connect(page)
    wire.settle()
    found = findings(page, case.do + case.live_only, wire.settle, lambda look: page.evaluate(THEMES[look]), True)
    assert not found, found


@pytest.mark.parametrize("case", SAVED, indirect=True)
def test_axe_finds_nothing_grave_in_a_saved_page(
    new_page: Callable[..., Page], case: Case, view: Any, tmp_path: Path
) -> None:
    page = new_page()
    page.unroute_all()
    export_html(view._monitor if case.module == "monitor" else view, tmp_path / "view.html")
    page.goto((tmp_path / "view.html").as_uri())
    page.wait_for_selector(".al-root, main img")

    def show(look: Any) -> None:
        page.emulate_media(color_scheme=look)

    found = findings(page, case.do, lambda: page.wait_for_timeout(50), show, False)
    assert not found, found
