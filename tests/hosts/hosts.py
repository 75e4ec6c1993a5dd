"""What the tests of other hosts share: such a host as a server of its own, and a page of it in Chromium.

None of these hosts is in the environment of the other tests: `make test-hosts` has them, elsewhere they are skipped.
"""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

import pytest
from helpers.lab_process import LabProcess, lab_process
from playwright.sync_api import Browser, FrameLocator, Locator, Page, expect

PROGRAM = """\
import autolab


def muladd(x, y, z):
    h = x * y
    return h + z


autolab.explore(muladd, x=2.0, y=3.0, z=1.0)
"""
LOCAL = ("http://127.0.0.1", "ws://127.0.0.1", "file:", "data:", "blob:")
START_SECONDS = 60


def needs(library: str) -> pytest.MarkDecorator:
    """Skip a test where a host is not installed."""
    return pytest.mark.skipif(find_spec(library) is None, reason=f"{library} is not here: make test-hosts")


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def notebook(path: Path, *cells: str) -> Path:
    """A notebook with these cells of code, not yet run."""
    from nbformat import v4, write

    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    book = v4.new_notebook(cells=[v4.new_code_cell(cell) for cell in cells], metadata={"kernelspec": kernel})
    write(book, path)
    return path


@contextmanager
def served(command: list[str], port: int, folder: Path, **variables: str) -> Iterator[LabProcess]:
    """Run a command in a folder that is its home, too, from when it listens at its port."""
    with lab_process(command, folder, folder, **variables) as running:
        deadline = time.monotonic() + START_SECONDS
        while True:
            assert time.monotonic() < deadline and running.process.poll() is None, running.output
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            time.sleep(0.1)
        yield running


@contextmanager
def visited(browser: Browser, address: str, theme: str = "light", known: str = "") -> Iterator[Page]:
    """A page without a network. An error on it fails the test, unless it is the one of the host's that is ``known``."""
    context = browser.new_context(viewport={"width": 1280, "height": 1000}, color_scheme=theme)  # type: ignore[arg-type]
    page = context.new_page()
    page.set_default_timeout(60_000)  # kernels start on a busy machine
    page.route(lambda url: not url.startswith(LOCAL), lambda route: route.abort())
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(f"{error}\n{error.stack}"))
    page.goto(address)
    yield page
    assert [problem for problem in problems if not known or not problem.startswith(known)] == []
    context.close()


def moves(view: Locator | FrameLocator) -> None:
    """The live graph of `muladd` at x=2, y=3, z=1 follows its slider."""
    slider = view.get_by_role("slider", name=re.compile("^x, input, value 2, gradient 3"))
    slider.press("ArrowRight")
    expect(view.get_by_role("slider", name=re.compile(r"^x, input, value 2\.01, gradient 3"))).to_have_count(1)
    expect(view.get_by_role("slider", name=re.compile(r"^y, input, value 3, gradient 2\.01"))).to_have_count(1)


def walks(view: Locator) -> None:
    """It goes through the passes, whose steps have the names of the code."""
    walk = view.get_by_role("slider", name="Step of the walk")
    walk.press("Home")
    expect(view.locator(".al-event")).to_have_text("The inputs are given")
    walk.press("ArrowRight")
    expect(view.locator(".al-event")).to_have_text(re.compile("^h"))
    walk.press("End")
