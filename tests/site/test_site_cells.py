"""Cells of the lessons in the site that `make site` has built: the programs that the playground opens."""

from __future__ import annotations

import base64
import json
import linecache
import re
import zlib
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from helpers.built_site import SITE, Addresses, served_folder
from helpers.checkout import ROOT
from playwright.sync_api import Browser, expect

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not (SITE / "index.html").is_file(), reason="`make site` builds it"),
]

_ELSEWHERE = re.compile(r"no notebook|^Ran \d")
"""What is printed where there is no notebook, and how long a test took."""


def _programs(lesson: str) -> tuple[list[str], str]:
    """The programs that a lesson's page leads to, and its text."""
    page = Addresses((SITE / "notebooks" / f"{lesson}.html").read_text("utf-8"))
    held = [target.partition("#")[2] for target in page.targets if target.startswith("../playground/index.html#")]
    packed = [zlib.decompress(base64.urlsafe_b64decode(f"{one}=="), -zlib.MAX_WBITS) for one in held]
    return [json.loads(one)["program"] for one in packed], " ".join(page.text.split())


@pytest.mark.parametrize("lesson", sorted([file.stem for file in (ROOT / "notebooks").glob("[01]*.ipynb")]))
def test_cells_of_a_lesson_are_programs_that_print_what_the_page_shows(
    lesson: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where there is no notebook, views are saved
    programs, text = _programs(lesson)
    assert programs
    for k, program in enumerate(programs):
        file, printed = f"{lesson}_{k}.py", StringIO()
        linecache.cache[file] = (len(program), None, program.splitlines(keepends=True), file)
        with redirect_stdout(printed):
            exec(compile(program, file, "exec"), {"__name__": "__main__"})
        lines = [" ".join(line.split()) for line in printed.getvalue().splitlines()]
        lost = [line for line in lines if line.strip(".") not in text and not _ELSEWHERE.search(line)]
        assert lost == [], program


@pytest.mark.browser
def test_the_playground_opens_with_the_program_of_a_cell(browser: Browser) -> None:
    with served_folder(SITE) as served, browser.new_page() as page:
        page.goto(f"{served}notebooks/00_start.html")
        page.get_by_role("link", name="Open this cell in the playground").last.click()
        program = next(one for one in _programs("00_start")[0] if "backward()" in one)
        expect(page.locator("textarea")).to_have_value(program)
