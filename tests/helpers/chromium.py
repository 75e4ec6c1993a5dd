"""The browser of the tests and of the benchmark."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, Playwright

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]


LATE = Path(__file__).with_name("late.js")


def launch(playwright: Playwright, late: bool = False, whole: bool = False) -> Browser:
    """Debian's Chromium where it is installed, else Playwright's own.

    The one without a window takes half of the time of the ``whole`` one, which paints what a person would see: that is
    for benchmarks.
    """
    small, large = shutil.which("chromium-headless-shell"), shutil.which("chromium")
    browser = playwright.chromium.launch(executable_path=large or small if whole else small or large, args=FLAGS)
    if late:
        _make_late(browser)
    return browser


def _make_late(browser: Browser) -> None:
    """Let every page of this browser do late what it does in tasks of its own."""
    make = browser.new_context

    def new_context(**options: Any) -> BrowserContext:
        context = make(**options)
        context.add_init_script(path=LATE)
        return context

    def new_page(**options: Any) -> Page:
        return new_context(**options).new_page()

    browser.new_context, browser.new_page = new_context, new_page  # type: ignore[method-assign]


@contextmanager
def page_with(browser: Browser, text: str, *names: str) -> Iterator[Page]:
    """A page in which these exports of a module, whose text is given, are global variables."""
    page = browser.new_page()
    exported = "".join([f"window.{name} = {name};" for name in names])
    page.add_script_tag(content=f"{text.replace('export ', '')}\n{exported}")
    try:
        yield page
    finally:
        page.close()
