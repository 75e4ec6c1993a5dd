"""The view is taken away: the file that the browser saves is what the view shows, and stands alone."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typst
from PIL import Image
from playwright.sync_api import Browser, Page

import autolab
from autolab.display.colors import THEMES
from autolab.display.groups import group_count

from .bare_page import Wire, menu, node, offered
from .looking import asks, looks, seen, tell
from .programs import LAYER, layer, muladd
from .test_page_large import steps

Open = Callable[..., Wire]
POINT = {"x": 2.0, "y": 3.0, "z": 4.0}


def texts(svg: bytes) -> list[str]:
    """What is written in a picture, in its order."""
    return [
        "".join(element.itertext()) for element in ElementTree.fromstring(svg).iter() if element.tag.endswith("}text")
    ]


def words(svg: bytes) -> set[str]:
    return {text.strip() for text in texts(svg)}


def taken(page: Page, suffix: str) -> bytes:
    """What the menu's "Save as…" saves."""
    with page.expect_download() as saved:
        menu(page).get_by_label("Save as…").select_option(suffix)
    assert saved.value.suggested_filename.endswith(f".{suffix}")
    return Path(saved.value.path()).read_bytes()


def pixels(png: bytes) -> Any:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).astype(int)


def of_pdf(pdf: bytes, width: int) -> Any:
    """Its page as typst draws it, so many pixels wide."""
    sheet = b'#set page(width: auto, height: auto, margin: 0pt)\n#image(bytes(sys.inputs.pdf), format: "pdf")'
    return sheet and width and pdf


@pytest.fixture
def alone(browser: Browser) -> Iterator[Callable[[bytes], Page]]:
    """Open a picture with nothing around it, and no network."""
    pages = []

    def make(svg: bytes) -> Page:
        pages.append(browser.new_context(offline=True, viewport={"width": 1600, "height": 1000}).new_page())
        pages[-1].set_content(f"<!doctype html><style>body{{margin:0}}</style>{svg.decode()}")
        return pages[-1]

    yield make
    for page in pages:
        page.context.close()


# ---------------------------------------------------------------------------------------------------- in a page
@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_picture_holds_what_is_shown_and_stands_alone(
    page: Page, open_view: Open, alone: Any, theme: str
) -> None:
    page.evaluate("theme => document.body.dataset.jpThemeLight = String(theme === 'light')", theme)
    wire = open_view(layer, **LAYER)
    looks(wire.widget, moment=6)
    wire.settle()
    svg = taken(page, "svg")
    Path(f"/tmp/save/{theme}.svg").write_bytes(svg)
    Path(f"/tmp/save/{theme}.png").write_bytes(taken(page, "png"))
    page.screenshot(path=f"/tmp/save/{theme}-page.png")
    alone(svg).screenshot(path=f"/tmp/save/{theme}-alone.png")
