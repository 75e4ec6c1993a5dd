"""Names are data: whatever they contain shows as text, runs nothing and fetches nothing, under a strict policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from autolab import Variable
from autolab.recording.raised import MAX_MESSAGE
from autolab.views.draw.escape import clean

from ..bare_page import Wire, serve
from ..looking import asks, looks

pytestmark = [pytest.mark.browser, pytest.mark.goal(id="R12")]

PAYLOADS = [
    "<img src=x onerror=window.hit=1>",
    "<script>window.hit=1</script>",
    "</script><script>window.hit=1</script>",
    "<svg onload=window.hit=1>",
    "<svg><animate onbegin=window.hit=1 attributeName=x dur=1s>",
    "<style>@import 'http://evil.test/x.css'</style>",
    "<a href='javascript:window.hit=1'>a</a>",
    "javascript:window.hit=1",
    '"><img src=x onerror=window.hit=1>',
    "'];window.hit=1;['",
    '"];window.hit=1;["',
    "${window.hit=1}",
    "`${window.hit=1}`",
    "{{constructor.constructor('window.hit=1')()}}",
    "\\u003cimg src=x onerror=window.hit=1\\u003e",
    "&lt;img src=x onerror=window.hit=1&gt;",
    "%3Cimg src=x onerror=window.hit=1%3E",
    "url(http://evil.test/x)",
    "red;background:url(http://evil.test/x)",
    "expression(window.hit=1)",
    "]]><img src=x onerror=window.hit=1>",
    "--><img src=x onerror=window.hit=1>",
    "$\\href{javascript:window.hit=1}{x}$",
    "__proto__",
    "constructor",
    "x" * 5000,
    "a\u202eb\u2066c",
    "a\x00b\x1bc\nd",
    "\ud800",
    "",
]


def class_name(name: str) -> str:
    """The same as a class can be called."""
    return name.encode("utf-8", "replace").decode().replace("\x00", "") or "E"


def hostile(name: str) -> Callable[..., Variable]:
    """A function whose name, inputs, error and class names carry the payload."""

    def program(**inputs: Variable) -> Variable:
        (x,) = inputs.values()
        if x.data.sum() < 0:
            raise type(class_name(name), (Exception,), {})(name)
        return x * 2

    program.__name__ = name.encode("utf-8", "replace").decode()
    return program


@pytest.mark.parametrize("size", [None, 2])
def test_hostile_names_show_as_text(new_page: Callable[..., Page], explorer: Any, size: int | None) -> None:
    page = new_page()
    wires = []
    for payload in PAYLOADS:
        start = 1.0 if size is None else np.ones(size)
        wire = Wire(explorer(hostile(payload), **{payload: start}))
        assert asks(wire.widget, "code") is not None
        index = None if size is None else 0
        move = {"do": "move", "seq": 2, "key": payload, "index": index, "value": -5.0, "final": True}
        wire.widget._on_message(wire.widget, move, [])
        error = wire.widget.error
        assert error is not None and error["message"] == clean(payload, MAX_MESSAGE), "it is not the program's own"
        assert error["type"] == clean(class_name(payload)) and error["statement"].startswith("raise type(")
        assert looks(wire.widget, moment=0).frame["k"] == 0
        wires.append(wire)
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    for wire in wires:
        page.evaluate(
            "async state => { window.host ??= await import('./host.js'); await host.open(state); }", wire._snapshot()
        )
        page.evaluate("() => { host.addView(); }")
        page.evaluate("() => new Promise(done => setTimeout(done))")
    assert page.evaluate("() => window.hit") is None
    assert page.locator("img, script, style, iframe, a, animate, [onload], [onerror]").count() == 0
    assert not [url for url in requests if not url.endswith(("host.js", "module.js"))]
    shown = page.locator("body").inner_text()
    assert PAYLOADS[0] in shown
    assert not {"\u202e", "\u2066", "\x00", "\x1b"} & set(shown)
    assert len(shown) < 60_000


def test_the_host_would_notice(browser: Browser, explorer: Any) -> None:
    """The positive control: markup that did enter the page is refused, or a violation."""
    page = browser.new_page()
    serve(page)
    wire = Wire(explorer(lambda x: x * 2, x=1.0))
    wire.connect(page)
    caught = page.evaluate("""() => {
      try { document.body.insertAdjacentHTML('beforeend', '<img src=x>'); } catch { return 'refused'; }
    }""")
    assert caught == "refused"
    image = (
        "() => { const i = document.createElement('img'); i.src = 'http://evil.test/x.png'; document.body.append(i); }"
    )
    page.evaluate(image)
    page.wait_for_function("() => host.violations.length > 0")
    page.close()
