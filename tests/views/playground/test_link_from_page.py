"""A saved page's link opens the real playground with its code, at the point to which its inputs were moved."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from autolab.views.draw.messages import say
from autolab.views.export.pages import export_html

from ..programs import muladd
from .conftest import opener, server


@pytest.mark.browser
@pytest.mark.full
def test_the_playground_opens_what_the_page_shows(browser: Any, site: Path, explorer: Any) -> None:
    with server(site) as address, opener(browser, address) as open_page:
        export_html(explorer(muladd, x=2.0, y=3.0, z=4.0), site / "saved.html", playground=address)
        page = open_page("saved.html")
        page.get_by_role("slider", name=re.compile("^x, input, value 2,")).press("ArrowRight")
        moved = re.compile(r"^x, input, value 2\.01, gradient 3")
        expect(page.get_by_role("slider", name=moved)).to_have_count(1)
        with page.expect_popup() as opened:
            page.get_by_role("link", name=say("page_playground")).click()
        playground = opened.value
        expect(playground.locator(".al-play-status")).to_have_text(say("play_waits"))
        playground.get_by_role("button", name=say("play_run")).click()
        expect(playground.get_by_role("slider", name=moved)).to_have_count(1)
        expect(playground.get_by_role("textbox")).to_have_value(re.compile("autolab.explore\\(muladd, x=2.01, y=3.0"))
        assert "def muladd(x: Variable" in playground.get_by_role("textbox").input_value()
        playground.screenshot(path="artefacts/playground-from-page.png")
