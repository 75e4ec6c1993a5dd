"""The view is taken away: the file that the browser saves is what the view shows."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import autolab
from autolab.display.groups import group_count

from .bare_page import Wire, menu
from .looking import asks, looks, tell
from .programs import LAYER, layer, muladd


def words(svg: bytes) -> set[str]:
    return {
        "".join(element.itertext()) for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("text")
    }


@pytest.mark.browser
def test_the_browser_saves_what_is_shown(page: Page, open_view: Callable[..., Wire], tmp_path: Path) -> None:
    page.clock.install()
    page.evaluate("() => { window.freed = 0; URL.revokeObjectURL = () => { freed += 1; }; }")
    wire = open_view(layer, **LAYER)
    looks(wire.widget, moment=6)
    wire.settle()
    title = page.locator(".al-event").text_content() or ""
    with page.expect_download() as saved:
        menu(page).get_by_label("Save as…").select_option("svg")
        wire.settle()
    saved.value.save_as(tmp_path / "taken.svg")
    assert saved.value.suggested_filename == "layer.svg"
    assert title in words((tmp_path / "taken.svg").read_bytes())
    wire.settle()
    page.clock.fast_forward(61_000)
    assert page.evaluate("() => freed") == 1
    assert (
        wire.widget.answers.keys() == {'["frame",6,null]'} and menu(page).get_by_label("Save as…").input_value() == ""
    )


@pytest.mark.parametrize(
    ("suffix", "begins"), [(".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<svg"), (".html", b"<!doctype")]
)
def test_every_kind_is_written(explorer: Any, tmp_path: Path, suffix: str, begins: bytes) -> None:
    view = explorer(muladd, x=2.0, y=3.0, z=4.0)
    view.save(tmp_path / f"view{suffix}")
    file = asks(view, "file", suffix[1:], "dark")
    assert (tmp_path / f"view{suffix}").read_bytes().startswith(begins) and file["bytes"].startswith(begins)
    assert file["name"] == f"muladd{suffix}"


def test_what_is_shown_is_what_is_saved(explorer: Any, tmp_path: Path) -> None:
    view = explorer(muladd, x=2.0, y=3.0, z=4.0)
    view.save(tmp_path / "view.svg")
    rest = words((tmp_path / "view.svg").read_bytes())
    looks(view, colour="value", selected=view.recording["h"].id)
    tell(view, {"do": "move", "key": "x", "index": None, "value": 2.5, "final": True})
    view.save(tmp_path / "view.svg")
    assert {"7.5", "1 × 2.5 = 2.5", "value (norm)"} <= words((tmp_path / "view.svg").read_bytes()) - rest


def test_the_orders_that_are_shown_are_saved_as_they_stand(explorer: Any, tmp_path: Path) -> None:
    def twice(x: Any) -> Any:
        for _ in range(2):
            x = x * x
        return x

    view = explorer(twice, x=2.0)
    tell(view, {"do": "choose", "setting": "order", "value": 1})
    (derivative,) = view.recording.higher
    group = next(group for group in derivative.outline.groups.values() if group.kind == "loop")
    before = words(_saved(view, tmp_path))
    looks(view, open={"1": derivative.outline.at_first() - {group.id}})
    after = words(_saved(view, tmp_path))
    assert {text for text in before & after if text.startswith("order ")} == {"order 0 · 2 steps", "order 1 · 6 steps"}
    assert group_count(group) in after - before


def _saved(view: Any, folder: Path) -> bytes:
    view.save(folder / "view.svg")
    return (folder / "view.svg").read_bytes()


def test_what_is_no_file_is_refused(explorer: Any, tmp_path: Path) -> None:
    view = explorer(muladd, x=2.0, y=3.0, z=4.0)
    with pytest.raises(ValueError, match=r"save: got the suffix '.gif' in .*, expected one of .svg, .png, .pdf"):
        view.save(tmp_path / "view.gif")
    for question in (["exe", "light"], ["svg", "<b>"]):
        assert asks(view, "file", *question) is None and "not understood" in view.error["message"]
    assert list(tmp_path.iterdir()) == []


def test_a_graph_that_is_there_already_is_taken_away_too(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)  # without a notebook the view is saved as a page
    x = autolab.Variable(3.0, name="x")
    view = (x * x + x).explore()
    view.save(tmp_path / "graph.svg")
    assert "x" in words((tmp_path / "graph.svg").read_bytes())
    view.close()


@pytest.mark.browser
def test_without_typst_the_reason_is_told(page: Page, open_view: Callable[..., Wire], monkeypatch: Any) -> None:
    wire = open_view(muladd, x=2.0, y=3.0, z=4.0)
    monkeypatch.setitem(__import__("sys").modules, "typst", None)
    menu(page).get_by_label("Save as…").select_option("png")
    wire.settle()
    expect(page.locator(".al-error")).to_contain_text("typst")
