"""Fixtures: a bare page per test, widgets whose messages go through a recording comm."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from ipywidgets import comm as widget_comm
from playwright.sync_api import Browser, Page, expect

from autolab.views.derivatives import explorer as derivative_explorer
from autolab.views.export.pages import export_html
from autolab.views.graph.explorer import Explorer
from autolab.views.graph.session import Session
from autolab.views.live import notebook
from autolab.views.live.session_view import SessionView

from .bare_page import RecordingComm, Wire, serve
from .lab import Lab, LabPage, LabPages, lab_server

SECONDS = 15_000  # milliseconds: a busy machine is slow
expect.set_options(timeout=SECONDS)


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Make bare pages; at the end none may have met an error or a breach of its content policy."""
    pages: list[Page] = []
    noise: list[str] = []

    def make(**options: Any) -> Page:
        page = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options}).new_page()
        page.set_default_timeout(SECONDS)
        page.on("console", lambda message: noise.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: noise.append(str(error)))
        serve(page)
        pages.append(page)
        return page

    yield make
    for page in pages:
        noise += page.evaluate("() => window.host ? [...host.violations, ...host.errors] : []")
        page.context.close()
    assert noise == []


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    """One bare page."""
    return new_page()


@pytest.fixture
def explorer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Explorer]]:
    """Make explorers whose messages can be read; they are closed at the end."""
    monkeypatch.setattr(widget_comm, "create_comm", RecordingComm)
    monkeypatch.setattr(Explorer, "wait_seconds", 30.0)  # so that a busy machine changes no answer
    made: list[Explorer] = []

    def make(fn: Callable[..., Any], options: dict[str, Any] | None = None, **inputs: Any) -> Explorer:
        made.append(Explorer(Session(fn, options=options, inputs=inputs)))
        return made[-1]

    yield make
    for widget in made:
        widget.close()


@pytest.fixture(autouse=True)
def whatever_time_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine changes nothing: views of derivatives open with their curves, no computation is given up for a
    later point because it has taken long."""
    monkeypatch.setattr(derivative_explorer, "FIRST_SECONDS", 300.0)
    monkeypatch.setattr(derivative_explorer, "OUTDATED", math.inf)
    monkeypatch.setattr(SessionView, "outdated_seconds", math.inf)


@pytest.fixture
def no_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Views are made as in a notebook: none is saved as a page because nothing draws it."""
    monkeypatch.setattr(notebook, "draws", lambda: True)


@pytest.fixture
def open_view(explorer: Callable[..., Explorer], page: Page) -> Callable[..., Wire]:
    """Show a function in the bare page."""

    def make(fn: Callable[..., Any], views: int = 1, **inputs: Any) -> Wire:
        wire = Wire(explorer(fn, **inputs))
        wire.connect(page, views)
        return wire

    return make


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with lab_server(tmp_path_factory.mktemp("lab")) as running:
        yield running


@pytest.fixture(scope="session")
def lab_pages(lab: Lab, browser: Browser) -> LabPages:
    return LabPages(lab, browser)


@pytest.fixture
def open_page(lab_pages: LabPages) -> Iterator[Callable[..., LabPage]]:
    """Open pages of JupyterLab; at the end none may have met an error. No other notebook was in a ``fresh`` one."""
    opened: list[LabPage] = []

    def make(path: Path, fresh: bool = False, **options: Any) -> LabPage:
        opened.append(lab_pages.take(fresh))
        opened[-1].open(path, **options)
        return opened[-1]

    yield make
    problems = [problem for view in opened for problem in view.problems]
    for view in opened:
        lab_pages.give_back(view)
    assert problems == []


@pytest.fixture
def open_file(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Page]]:
    """Save something and open the file offline; at the end no page may have met an error or asked for anything."""
    noise: list[str] = []
    pages: list[Page] = []

    def make(shown: Any, look: Any = "auto", **options: Any) -> Page:
        path = tmp_path / f"page{len(pages)}.html"
        export_html(shown, path, look)
        page = browser.new_context(offline=True, **options).new_page()
        page.set_default_timeout(SECONDS)
        page.on("console", lambda message: noise.append(message.text))
        page.on("pageerror", lambda error: noise.append(str(error)))
        page.on("request", lambda request: request.url == path.as_uri() or noise.append(request.url))
        page.goto(path.as_uri())
        if page.locator("#saved").count():
            page.wait_for_selector(".al-root")  # its program is unzipped after the page is loaded
        pages.append(page)
        return page

    yield make
    for page in pages:
        page.context.close()
    assert [message for message in noise if not message.startswith("data:image/svg+xml;base64,")] == []
