"""The lens of a report in a bare page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ipywidgets import comm as widget_comm
from playwright.sync_api import Page

from autolab.views.check.lens import Lens

from ..bare_page import RecordingComm, Wire, serve

Open = Callable[..., Wire]


@pytest.fixture
def open_lens(monkeypatch: pytest.MonkeyPatch, page: Page, tmp_path: Any) -> Iterator[Open]:
    """Show the lens of a report in the bare page."""
    monkeypatch.setattr(widget_comm, "create_comm", RecordingComm)
    monkeypatch.setattr(Lens, "wait_seconds", 30.0)  # so that a busy machine changes no answer
    monkeypatch.setattr(Lens, "_save_here", lambda *given: None)  # what plain Python does takes its time
    made: list[Lens] = []
    serve(page, "lens")

    def make(report: Any, views: int = 1) -> Wire:
        made.append(report.explore())
        wire = Wire(made[-1])
        wire.connect(page, views)
        wire.settle()
        return wire

    yield make
    for lens in made:
        lens.close()
