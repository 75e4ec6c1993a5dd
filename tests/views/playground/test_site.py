"""The playground in Chromium, from a server of files and with no network: Python runs in the page."""

from __future__ import annotations

import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from autolab.views.draw.messages import say
from autolab.views.playground.site import DISTRIBUTION, EXAMPLES, build

from .conftest import SECONDS, Files, server

MOST_BYTES = 11_200_000
KEPT = "caches.open('autolab-playground').then((store) => store.keys()).then((keys) => keys.length)"
WHERE = """\
import inspect, os, numpy, autolab
print(inspect.__file__, *(os.path.exists(module.__cached__) for module in (numpy, autolab)))
"""
BOTH = "() => { const [run, , link] = document.querySelectorAll('.al-play-bar button'); link.click(); run.click(); }"
DEAF = """\
print('deaf')
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
"""
DIAGNOSED = """\
import numpy as np, autolab
from autolab import Variable, functions as F
def loss(w, x):
    scores = x @ w
    p = F.softmax(scores)
    return -F.mean(F.log(p)[:, 0])
report = autolab.diagnose(loss, Variable(np.eye(3)), np.eye(3) * 1000)
print(report)
report.explore()
"""
LONG = """\
from autolab import Variable
y = Variable(2.0)
for _ in range(20_000):
    y = y * 1.0001
y = None
print('freed')
"""


def status(page: Page, key: str) -> None:
    expect(page.locator(".al-play-status")).to_have_text(say(f"play_{key}"), timeout=SECONDS)


def run(page: Page, program: str) -> None:
    page.locator(".al-play-editor").fill(program)
    page.get_by_role("button", name=say("play_run")).click()


@pytest.mark.browser
def test_a_live_graph_moves_stops_and_is_shared_by_a_link(opened: Callable[[str], Page]) -> None:
    page = opened("")
    slider = page.get_by_role("slider", name=re.compile("^x, input, value 2"))
    slider.focus()
    page.keyboard.press("ArrowRight")
    moved = page.get_by_role("slider", name=re.compile(r"^x, input, value 2\.01, gradient 3"))
    expect(moved).to_have_count(1)

    deadline = time.monotonic() + SECONDS / 1000
    while page.evaluate(KEPT) == 0:  # what Python has compiled is kept, when nothing else is to be done
        assert time.monotonic() < deadline
        page.wait_for_timeout(100)
    page.get_by_role("button", name=say("play_link")).click()
    page.wait_for_url(re.compile("#.{50,}"))
    shared = opened(page.url)
    status(shared, "waits")
    assert shared.locator(".al-play-output > *").count() == 0
    shared.get_by_role("button", name=say("play_run")).click()
    expect(shared.get_by_role("slider", name=re.compile(r"^x, input, value 2\.01, gradient 3"))).to_have_count(1)
    assert "autolab.explore(muladd, x=2.01, y=3.0, z=4.0)" in shared.get_by_role("textbox").input_value()
    run(shared, WHERE)
    expect(shared.locator(".al-play-output pre")).to_have_text("/lib/bytecode.zip/inspect.pyc True True\n")
    shared.locator(".al-play-editor").fill("print('run')")
    shared.evaluate(BOTH)  # Run is pressed while Python still answers something else
    expect(shared.locator(".al-play-output pre")).to_have_text("run\n")
    shared.close()

    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        expect(page.locator(".al-root").first).to_have_css("color-scheme", scheme)

    run(page, "print('before')\nwhile True:\n    pass\n")
    expect(page.locator(".al-play-output pre")).to_contain_text("before")
    page.get_by_role("button", name=say("play_stop")).click()
    status(page, "raised")
    run(page, "import numpy as np\nfrom autolab import functions as F\nF.inv(np.zeros((2, 2)))\n")
    expect(page.locator(".al-play-output pre")).to_contain_text("inv: ")
    expect(page.locator(".al-play-output pre")).to_contain_text("singular")

    run(page, LONG)  # the stack of a browser is small
    expect(page.locator(".al-play-output pre")).to_have_text("freed\n")
    run(page, DIAGNOSED)
    expect(page.locator(".al-play-output pre")).to_contain_text("Write `log_softmax(scores)`: with the same numbers")
    expect(page.locator(".al-node.al-selected")).to_contain_text("F.log(p)")


@pytest.mark.browser
@pytest.mark.full
def test_a_program_that_does_not_listen_is_stopped_all_the_same(opened: Callable[[str], Page]) -> None:
    page = opened("")
    status(page, "ready")
    run(page, DEAF)
    expect(page.locator(".al-play-output pre")).to_contain_text("deaf")
    page.get_by_role("button", name=say("play_stop")).click()
    expect(page.locator(".al-play-output > *")).to_have_count(0)
    status(page, "ready")
    run(page, "1 + 1")
    expect(page.locator(".al-play-output pre")).to_have_text("2\n")


@pytest.mark.browser
@pytest.mark.full
def test_every_example_runs_and_without_the_headers_python_starts_again(
    opened: Callable[[str], Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Files, "isolated", False)
    page = opened("")
    status(page, "ready")
    for name in EXAMPLES:
        page.get_by_label(say("play_example")).select_option(name)
        expect(page.locator(".al-play-output > *").first).to_be_visible()
        status(page, "ready")
        assert "Traceback" not in page.locator(".al-play-output").inner_text(), name
    run(page, "while True:\n    pass\n")
    page.get_by_role("button", name=say("play_stop")).click()
    status(page, "ready")
    run(page, "1 + 1")
    expect(page.locator(".al-play-output pre")).to_have_text("2\n")


def test_the_site_is_small_and_asks_nobody_else(site: Path) -> None:
    import gzip

    files = [path for path in site.rglob("*") if path.is_file() and path.suffix not in (".txt",)]
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) <= MOST_BYTES
    assert DISTRIBUTION not in (site / "index.html").read_text("utf-8")
    assert "Mozilla Public License" in (site / "LICENSES.txt").read_text("utf-8")


@pytest.mark.browser
def test_on_a_phone_it_can_be_read_why_python_could_not_be_loaded(browser: Browser, tmp_path: Path) -> None:
    with server(build(tmp_path / "site").parent) as address:
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.route(f"{DISTRIBUTION}**", lambda route: route.abort())
        page.goto(address)
        expect(page.locator(".al-play-status")).to_contain_text(DISTRIBUTION)
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        page.close()


def test_the_public_site_takes_python_from_its_own_distribution(tmp_path: Path) -> None:
    page = build(tmp_path / "site")
    assert sorted(path.name for path in page.parent.iterdir()) == [
        *("LICENSES.txt", "autolab.zip", "index.html", "playground.css", "playground.js", "views", "worker.js"),
    ]
    text = page.read_text("utf-8")
    assert text.count(DISTRIBUTION) == 3  # to load from, and twice in the page's policy
    first = (page.parent / "autolab.zip").read_bytes()
    build(tmp_path / "site")
    assert (page.parent / "autolab.zip").read_bytes() == first


def test_a_check_and_the_conventions_are_there_without_the_lessons(tmp_path: Path) -> None:
    page = build(tmp_path / "site")
    with zipfile.ZipFile(page.with_name("autolab.zip")) as archive:
        archive.extractall(tmp_path / "packed")
    code = """
import autolab
from autolab.functions.conventions import conventions
autolab.check_gradients(abs, 2.0)
print(autolab.__file__, len(conventions()))
"""
    told = subprocess.run([sys.executable, "-c", code], cwd=tmp_path / "packed", capture_output=True, text=True)
    own = tmp_path / "packed" / "autolab"
    assert told.stdout.startswith(str(own)) and int(told.stdout.split()[-1]) > 100, told.stderr
    assert not (own / "lessons").exists()
