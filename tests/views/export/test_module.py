"""A page as a module that shows it in a frame, for MyST's directive {anywidget}: `make test-hosts` tries that."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

import autolab

ADDRESS = "http://localhost/"
HOLDER = """async () => {
  const around = document.body.attachShadow({ mode: "open" });
  const el = around.appendChild(document.createElement("div"));
  const { default: widget } = await import("./view.mjs");
  window.clean = widget.render({ model: null, el });
}"""


def hostile(x: Any) -> Any:
    """</script><script>window.parent.fired = 1</script> ${PAGE} \u2028 `"""
    y = x * x
    return y


@pytest.mark.browser
def test_a_saved_module_shows_a_page_that_moves_and_leaves_nothing(
    browser: Browser, explorer: Callable[..., Any], tmp_path: Path
) -> None:
    autolab.export_html(explorer(hostile, x=3.0), tmp_path / "view.mjs")
    module = (tmp_path / "view.mjs").read_text("utf-8")
    files = {"": ("text/html", "<!doctype html><body></body>"), "view.mjs": ("text/javascript", module)}
    page = browser.new_page()

    def answer(route: Any) -> None:
        kind, body = files[route.request.url.removeprefix(ADDRESS)]
        route.fulfill(content_type=kind, body=body)

    page.route(f"{ADDRESS}**", answer)
    page.goto(ADDRESS)
    page.evaluate(HOLDER)
    shown = page.frame_locator("iframe")
    slider = shown.get_by_role("slider", name=re.compile("^x, input, value 3, gradient 6"))
    height = page.locator("iframe").evaluate("frame => frame.offsetHeight")
    slider.press("ArrowRight")
    expect(shown.get_by_role("slider", name=re.compile(r"^x, input, value 3\.1, gradient 6\.2"))).to_have_count(1)
    assert 300 < height < 1200 and page.evaluate("window.fired") is None
    page.evaluate("clean()")
    assert page.locator("iframe").count() == 0
    page.close()
