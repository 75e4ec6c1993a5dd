"""The live view of functions of PyTorch and JAX in a browser: their names, numbers and modules, and that it follows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ipywidgets import comm as widget_comm
from playwright.sync_api import Page, expect

import autolab

from ..bare_page import RecordingComm, Wire, node, number, type_number

pytestmark = pytest.mark.browser


@pytest.fixture
def open_foreign(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, page: Page) -> Iterator[Callable[..., Wire]]:
    """Show what `autolab.explore` makes of arguments in the bare page."""
    monkeypatch.chdir(tmp_path)  # in plain Python a view is saved as a page, too
    monkeypatch.setattr(widget_comm, "create_comm", RecordingComm)
    monkeypatch.setattr(autolab.views.graph.explorer.Explorer, "wait_seconds", 30.0)
    made: list[Any] = []

    def make(fn: Any, *args: Any, **inputs: Any) -> Wire:
        made.append(autolab.explore(fn, *args, **inputs))
        wire = Wire(made[-1])
        wire.connect(page)
        return wire

    yield make
    for view in made:
        view.close()


def muladd(x: Any, y: Any) -> Any:
    h = x * y
    return (h + x).sum()


def test_a_torch_function_moves(page: Page, open_foreign: Callable[..., Wire]) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch: make test-bridges")
    wire = open_foreign(muladd, torch.tensor(2.0), torch.tensor(3.0))
    assert [number(page, wire, name) for name in "xyh"] == ["2", "3", "6"]
    assert [number(page, wire, name, "gradient") for name in "xyh"] == ["4", "2", "1"]
    node(page, wire, "x").click()
    wire.settle()
    expect(page.locator(".al-sentence")).to_contain_text("4 = ")
    assert page.get_by_role("radiogroup").locator("visible=true").count() == 0  # no orders, which would be refused
    type_number(page, "x", "5")
    wire.settle()
    assert [number(page, wire, name) for name in "xyh"] == ["5", "3", "15"]
    assert [number(page, wire, name, "gradient") for name in "xyh"] == ["4", "5", "1"]


def test_a_torch_module_is_seen_with_its_parameters(page: Page, open_foreign: Callable[..., Wire]) -> None:
    torch = pytest.importorskip("torch", reason="needs PyTorch: make test-bridges")
    nn = torch.nn

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.hidden, self.out = nn.Linear(2, 3), nn.Linear(3, 2)

        def forward(self, x: Any, t: Any) -> Any:
            h = torch.tanh(self.hidden(x))
            y = self.out(h)
            return nn.functional.cross_entropy(y, t)

    torch.manual_seed(0)
    net = Net()
    x, t = torch.randn(4, 2), torch.tensor([0, 1, 1, 0])
    wire = open_foreign(net, x, t)
    assert "Net" in (page.locator(".al-function").text_content() or "")
    page.locator(".al-fold button").first.dispatch_event("click")  # layers are closed at first
    wire.settle()
    shown = page.locator(".al-node").all_text_contents()
    for name in ("hidden.weight", "hidden.bias", "out.weight", "out.bias", "h", "y"):
        assert any(name in text for text in shown), (name, shown)
    assert wire.widget.recording["y"].value.values == pytest.approx(net.out(torch.tanh(net.hidden(x))).detach().numpy())


def test_a_jax_function_moves(page: Page, open_foreign: Callable[..., Wire]) -> None:
    jnp = pytest.importorskip("jax", reason="needs JAX: make test-bridges").numpy
    wire = open_foreign(muladd, jnp.float32(2.0), jnp.float32(3.0))
    assert [number(page, wire, name, "gradient") for name in "xyh"] == ["4", "2", "1"]
    type_number(page, "x", "5")
    wire.settle()
    assert [number(page, wire, name) for name in "xyh"] == ["5", "3", "15"]
    assert number(page, wire, "y", "gradient") == "5"
