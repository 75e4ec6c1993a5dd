"""Voila: a lesson opens as a page, its live views move, and its exercises say that they are left out."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.checkout import ROOT

from .hosts import free_port, needs, served, visited

pytestmark = [pytest.mark.lab, pytest.mark.browser, needs("voila")]

LESSON = ROOT / "notebooks" / "00_start.ipynb"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_lesson_is_a_page_whose_views_move(browser: Any, tmp_path: Path, theme: str) -> None:
    from playwright.sync_api import expect

    shutil.copy(LESSON, tmp_path)
    exercises = len(re.findall(r"lesson\.check\(", LESSON.read_text("utf-8")))
    port = free_port()
    command = [sys.executable, "-m", "voila", LESSON.name, "--no-browser", f"--port={port}", f"--theme={theme}"]
    with (
        served([*command, "--Voila.ip=127.0.0.1"], port, tmp_path),
        visited(browser, f"http://127.0.0.1:{port}/", theme) as page,
    ):
        page.get_by_text("left out, as this page shows no code to change").nth(exercises - 1).wait_for()
        assert page.get_by_text("run this cell again").count() == 0
        root = page.locator(".al-root").first
        slider = root.get_by_role("slider", name=re.compile("input, value")).first
        before = str(slider.get_attribute("aria-label"))
        slider.press("ArrowRight")
        expect(slider).not_to_have_attribute("aria-label", before)
        expect(root).to_have_css("color-scheme", theme)
        page.screenshot(path=f"artefacts/voila-{theme}.png")
