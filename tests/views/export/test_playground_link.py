"""A saved page links to a playground with the function's code, its inputs where they were moved to, and its look."""

from __future__ import annotations

import base64
import inspect
import json
import math
import re
import zlib
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import autolab
from autolab import FunctionNode, Variable
from autolab import functions as F
from autolab.views.draw.messages import say
from autolab.views.export.pages import export_html
from autolab.views.export.playground_link import ADDRESS, link
from autolab.views.export.standalone import NotStandalone, standalone
from autolab.views.graph.explorer import Explorer
from autolab.views.interact.knobs import Choice

from ..looking import seen
from ..programs import muladd

PLAYGROUND = "https://example.org/lab/playground/"
W = np.array([[1.0, -2.0]])
SCALE = 3
LARGE = np.zeros(2000)
OTHER = Variable(2.0)


def bent(a: Variable, power: int = SCALE) -> Variable:
    return F.tanh(a) * math.pi**power


def net(x, w):
    inner = [bent(x @ w) for _ in range(2)]
    return F.sum(inner[0] @ W) + np.float64(1)


def square(x):
    return x * x


def needs_large(x):
    return x * LARGE


def needs_variable(x):
    return x * OTHER


def held_by(address: str) -> dict[str, Any]:
    """What is in a link's address, as the playground reads it."""
    assert address.startswith(f"{PLAYGROUND}#")
    text = address.partition("#")[2]
    held: dict[str, Any] = json.loads(zlib.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), -15))
    return held


def opened_by(program: str, folder: Path) -> Explorer:
    """The view that a program's last line makes, in a namespace of its own."""
    path = folder / "program.py"
    path.write_text(program)
    *lines, call = program.strip().split("\n")
    names: dict[str, Any] = {}
    exec(compile("\n".join(lines), path, "exec"), names)
    view: Explorer = eval(call, names)
    return view


def test_a_function_with_all_that_it_needs_gives_the_same_in_a_program_of_its_own() -> None:
    names: dict[str, Any] = {}
    exec(standalone(net, "net"), names)
    given = np.eye(2), np.ones((2, 1))
    assert names["net"](*map(Variable, given)).data == net(*map(Variable, given)).data


@pytest.mark.parametrize(
    ("fn", "why"),
    [
        (needs_large, "LARGE has 2000 elements"),
        (needs_variable, "OTHER is a Variable"),
        (np.vectorize(square), "fn is a vectorize, which has no short text"),
        (pytest.approx, "is a type, whose source was not found"),
        (pytest, "fn is the package pytest"),
    ],
)
def test_what_needs_more_than_its_code_is_refused(fn: Any, why: str) -> None:
    with pytest.raises(NotStandalone, match=why):
        standalone(fn, "fn")


def test_where_the_code_does_not_stand_on_its_own_there_is_no_link(
    explorer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = explorer(needs_variable, x=1.0)
    with pytest.warns(UserWarning, match="no link to the playground: OTHER is a Variable"):
        export_html(view, tmp_path / "page.html", playground=PLAYGROUND)
    assert PLAYGROUND not in (tmp_path / "page.html").read_text()
    monkeypatch.setenv(ADDRESS, PLAYGROUND)
    export_html(view, tmp_path / "page.html")  # nobody asked for this one


def test_an_input_that_is_too_large_for_an_address_is_named(explorer: Any) -> None:
    with pytest.raises(NotStandalone, match="x has 2000 elements, more than 1000"):
        link(explorer(square, x=np.ones(2000))._session, PLAYGROUND)


Layer = namedtuple("Layer", ["w", "b"])


def layered(layers, act):
    return sum([act(layer["w"][0] * layer["n"]) for layer in layers])


def in_layer(layer):
    return layer.w * layer.b


LAYERS = [{"w": (np.float64(0.5), None), "n": 2}, {"w": (0.25, "x"), "n": 3}]


def function(x):
    return x * 2


@pytest.mark.parametrize("act", [np.tanh, F.sigmoid, square, abs, function])
def test_functions_and_structures_among_the_arguments_are_in_the_program(
    act: Any, explorer: Any, tmp_path: Path
) -> None:
    view = explorer(layered, layers=LAYERS, act=act)
    program = "".join([p if isinstance(p, str) else p["text"] for p in link(view._session, PLAYGROUND)["pieces"]])
    assert "layers=[{'w': (0.5, None), 'n': 2}, {'w': (0.25, 'x'), 'n': 3}], act=" in program
    again = opened_by(program, tmp_path)
    assert [node["spoken"] for node in seen(again).readings["nodes"].values()] == [
        node["spoken"] for node in seen(view).readings["nodes"].values()
    ]


@pytest.mark.parametrize(
    ("fn", "inputs", "why"),
    [
        (layered, {"layers": LAYERS, "act": lambda x: x}, "an argument has no text that stands for it"),
        (in_layer, {"layer": Layer(2.0, 3.0)}, "Layer is a type, whose source was not found"),
    ],
)
def test_arguments_that_a_program_cannot_have_are_refused(fn: Any, inputs: Any, why: str, explorer: Any) -> None:
    with pytest.raises(NotStandalone, match=why):
        link(explorer(fn, **inputs)._session, PLAYGROUND)


def wave(x, a):
    return x * F.sin(a * x)


def program_of(view: Any) -> str:
    shown = getattr(view, "_session", view)
    return "".join([p if isinstance(p, str) else p["text"] for p in link(shown, PLAYGROUND)["pieces"]])


@pytest.mark.usefixtures("no_pages")
def test_the_program_of_derivatives_opens_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for fn, others in ((wave, {"a": 2.0}), (lambda x: wave(x, SCALE), {}), (np.tanh, {})):
        view = autolab.derivatives(fn, 0.5, order=2, domain=(-1.0, 3.0), **others)
        again: Any = opened_by(program_of(view), tmp_path)
        assert (again.data.x, again.data.order, again.data.domain) == (0.5, 2, (-1.0, 3.0))
        np.testing.assert_array_equal(again.data.curves.y, view.data.curves.y)
        view.close()
        again.close()


class Halved(FunctionNode):
    def forward(self, inputs):
        return (inputs[0] / 2,)

    def backward(self, target_input_indexes, grad_outputs):
        return (grad_outputs[0] / SCALE,)


def halved(x: Variable) -> Variable:
    return Halved().apply((x,))[0]


@pytest.mark.usefixtures("no_pages")
@pytest.mark.parametrize(("fn", "order"), [(halved, 1), (net, 2)])
def test_the_program_of_a_check_opens_the_same(
    fn: Any, order: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    inputs = {"x": np.array([[0.5, -1.0]], np.float32), "w": np.ones((2, 1))}
    taken = {name: inputs[name] for name in inspect.signature(fn).parameters}
    view = autolab.check_gradients(fn, order=order, **taken).explore()
    again: Any = opened_by(program_of(view), tmp_path)
    assert again.report.verdict == view.report.verdict == ("wrong" if fn is halved else "right")
    np.testing.assert_array_equal(again.report["x"].analytic, view.report["x"].analytic)
    view.close()
    again.close()


def drawn(scale: float, kind: str, rng: np.random.Generator) -> Any:
    return {"x": rng.normal(size=3) * scale}, f"{kind} {SCALE}"


@pytest.mark.usefixtures("no_pages")
def test_the_program_of_an_interaction_opens_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    view = autolab.interact(drawn, options={"axes": {"x": "n"}}, scale=(0.5, 2.0, 3.0), kind=["a", "b"], rng=rng)
    view._set("kind", "b", Choice)
    again: Any = opened_by(program_of(view), tmp_path)
    assert again.inputs == view.inputs == {"scale": 2.0, "kind": "b"}
    assert (again._told, again._letters) == (["b 3"], {"x": "n"})
    view.close()
    again.close()


def valley(x, y):
    return x**2 + SCALE * y**2


@pytest.mark.usefixtures("no_pages")
@pytest.mark.parametrize("start", [None, (0.5, 1.5)])
def test_the_program_of_a_surface_opens_the_same(start: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = autolab.plots.surface(valley, (1.0, 2.0), span=0.75, steps=7)
    view = found.explore(start, autolab.optimizers.Adam(lr=0.02), steps=5)
    again: Any = opened_by(program_of(view), tmp_path)
    np.testing.assert_array_equal(again._surface.values, found.values)
    if start is not None:
        np.testing.assert_array_equal(again.roll.places, view.roll.places)
    view.close()
    again.close()


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "example.org", "https://a b", "https://a/#b", "\nhttps://a"]
)
def test_an_address_that_is_none_is_refused(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recording = autolab.record(lambda x: x * x, 3.0)
    with pytest.raises(ValueError, match=r"playground: got .*expected an address that begins with https://"):
        export_html(recording, tmp_path / "page.html", playground=address)
    monkeypatch.setenv(ADDRESS, address)
    with pytest.raises(ValueError, match="playground: got "):
        export_html(recording, tmp_path / "page.html")
    assert not list(tmp_path.iterdir())


def link_of(page: Page) -> str:
    link = page.get_by_role("link", name=say("page_playground"))
    return str(link.get_attribute("href"))


def held_once(page: Page, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """What is in the link once that holds: the page writes its address a moment after what it follows."""
    for _ in range(250):
        held = held_by(link_of(page))
        if holds(held):
            return held
        page.wait_for_timeout(20)
    raise AssertionError(f"the link came to hold {held}")


def move_a_number(page: Page) -> None:
    """The slider of a number, or the first cell of an array."""
    slider = page.locator(".al-node").first.get_by_role("slider").or_(page.locator(".al-node[role=slider]")).first
    cells = page.locator(".al-node").first.locator(".al-value .al-cells")
    if not cells.count():
        return slider.press("ArrowRight")
    cells.scroll_into_view_if_needed()
    box = cells.bounding_box()
    assert box
    page.mouse.move(box["x"] + 4, box["y"] + 4)
    page.mouse.down()
    page.mouse.move(box["x"] + 64, box["y"] + 4, steps=4)
    page.mouse.up()


@pytest.mark.browser
def test_the_link_of_derivatives_follows_the_point(
    open_file: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(ADDRESS, PLAYGROUND)
    monkeypatch.chdir(tmp_path)
    view = autolab.derivatives(wave, 0.5, order=1, domain=(-1.0, 2.0), a=2.0)
    page = open_file(view)
    assert "autolab.derivatives(wave, 0.5, order=1" in held_once(page, lambda held: True)["program"]
    page.locator(".al-plot[role=slider]").first.press("End")
    held_once(page, lambda held: "autolab.derivatives(wave, 2.0, order=1" in held["program"])
    view.close()


@pytest.mark.browser
@pytest.mark.parametrize(
    ("fn", "inputs"),
    [
        (muladd, {"x": 2.0, "y": 3.0, "z": 4.0}),
        (net, {"x": np.ones((1, 2)), "w": np.ones((2, 1), np.float32)}),
    ],
)
def test_the_link_holds_code_point_and_look(
    open_file: Any, explorer: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fn: Any, inputs: Any
) -> None:
    monkeypatch.setenv(ADDRESS, PLAYGROUND)
    monkeypatch.chdir(tmp_path)
    page = open_file(explorer(fn, **inputs))
    before = spoken(page)
    held = held_by(link_of(page))
    assert "selected" not in held["look"] and said(held["program"], tmp_path) == before

    page.get_by_role("button", name=re.compile("value")).first.click()  # a step
    expect(page.locator(".al-detail")).to_be_visible()
    held_once(page, lambda held: isinstance(held["look"].get("selected"), int))

    page.keyboard.press("Escape")
    move_a_number(page)
    expect(page.locator(".al-node").first).not_to_have_attribute("aria-label", before[0])

    def values(texts: list[str]) -> list[str]:
        return [text.partition(", gradient")[0] for text in texts[: len(inputs)]]

    held_once(page, lambda held: values(said(held["program"], tmp_path)) == values(spoken(page)))
    assert values(spoken(page))[0] not in before[0]


def said(program: str, folder: Path) -> list[str]:
    view = opened_by(program, folder)
    found = [node["spoken"] for node in seen(view).readings["nodes"].values()]
    view.close()
    return found


def spoken(page: Page) -> list[str]:
    return [str(box.get_attribute("aria-label")) for box in page.locator(".al-node").all()]
