"""Whatever a visitor's first program was, later visits work: what a browser keeps is whole, or it is not used."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from autolab.views.draw.messages import say

from .conftest import SECONDS
from .test_site import KEPT, WHERE, run, status

ENDLESS = "while True:\n    pass\n"
FIRST = {
    "print": "print(1)",
    "record": "import autolab\nautolab.record(lambda x: x * x, 2.0)",
    "check": "import autolab, numpy as np\nautolab.check_gradients(lambda x: x * x, np.array([1.0, 2.0]))",
    "error": "import autolab\nautolab.nothing_of_this_name",
    "endless": ENDLESS,
}
LINK = """async (program) => {
  const text = new TextEncoder().encode(JSON.stringify({ program, look: {} }));
  const through = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(through).arrayBuffer());
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}"""
DAMAGE = """async (damage) => {
  const store = await caches.open("autolab-playground");
  const [key] = await store.keys();
  const bytes = new Uint8Array(await (await store.match(key)).arrayBuffer());
  const behind = bytes.indexOf(10) + 1;
  let at = behind;
  for (const [path, size] of JSON.parse(new TextDecoder().decode(bytes.subarray(0, behind)))) {
    if (damage === "code") bytes.fill(7, at + 16, at + size); // behind the head, which Python looks at
    at += size;
  }
  const held = { code: bytes, half: bytes.subarray(0, bytes.length / 2), list: bytes.subarray(behind) };
  await store.put(key, new Response(held[damage]));
}"""


def wait_until_kept(page: Page) -> None:
    deadline = time.monotonic() + SECONDS / 1000
    while page.evaluate(KEPT) == 0:
        assert time.monotonic() < deadline
        page.wait_for_timeout(100)


def visit_cleanly(opened: Callable[[str], Page], path: str = "") -> Page:
    """A visit whose first example has its live view, and in which a program runs."""
    page = opened(path)
    expect(page.get_by_role("slider", name=re.compile("^x, input, value 2"))).to_have_count(1)
    run(page, "1 + 1")
    expect(page.locator(".al-play-output pre")).to_have_text("2\n")
    return page


@pytest.mark.browser
@pytest.mark.full
@pytest.mark.parametrize("first", FIRST)
def test_two_visits_after_a_link_with_this_program_work(opened: Callable[[str], Page], first: str) -> None:
    page = opened("LICENSES.txt")
    page.goto(f"{page.url.removesuffix('LICENSES.txt')}#{page.evaluate(LINK, FIRST[first])}")
    status(page, "waits")
    if first in ("print", "check"):
        wait_until_kept(page)  # while the page waits; after the others' programs nothing is kept any more
    page.get_by_role("button", name=say("play_run")).click()
    if first == "endless":
        page.get_by_role("button", name=say("play_stop")).click()
        status(page, "raised")
    else:
        expect(page.locator(".al-play-output > *").first).to_be_visible()
    page.wait_for_timeout(2500)  # in which Python would keep what it has compiled
    page.close()
    visit_cleanly(opened).close()
    visit_cleanly(opened).close()


@pytest.mark.browser
@pytest.mark.full
@pytest.mark.parametrize("damage", ["code", "half", "list"])
def test_what_is_kept_and_cannot_be_used_is_thrown_away(opened: Callable[[str], Page], damage: str) -> None:
    page = opened("")
    wait_until_kept(page)
    page.evaluate(DAMAGE, damage)
    page.close()
    visit_cleanly(opened).close()
    page = opened("")
    wait_until_kept(page)
    page.close()
    page = opened("")
    run(page, WHERE)
    expect(page.locator(".al-play-output pre")).to_have_text(re.compile("True True\n$"))


@pytest.mark.browser
@pytest.mark.full
def test_nothing_is_kept_after_a_program_that_could_have_forged_it(opened: Callable[[str], Page]) -> None:
    page = opened("")
    status(page, "ready")
    run(page, "import marshal\nmarshal.dumps = lambda code: b'forged'\nprint('END')")
    expect(page.locator(".al-play-output")).to_contain_text("END")
    page.wait_for_timeout(6000)
    assert page.evaluate(KEPT) == 0
