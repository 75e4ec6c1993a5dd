"""A page with nothing but the widget's module, and a strict model fed by the real Python widget in this process.

`Wire` stands between them: it records what the widget publishes, and hands the page's messages to the widget only when
the test says so. So a slow kernel needs no waiting, and whatever the page shows came out of the real Python code.
"""

from __future__ import annotations

import base64
import json
import time
from collections import deque
from pathlib import Path
from typing import Any

from comm.base_comm import BaseComm
from playwright.sync_api import Locator, Page

from autolab.views.live.bundle import module_text, style_text

ADDRESS = "http://localhost/"  # answered by `serve`; no server runs
POLICY = (
    "default-src 'none'; script-src 'self' blob:; style-src 'self'; base-uri 'none'; form-action 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
HOST = Path(__file__).parent / "host.js"
PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>bare</title>'
    '<link rel="stylesheet" href="style.css"><body></body></html>'
)


def serve(page: Page, view: str = "explorer") -> None:
    """Open the bare page under a strict content policy."""
    files = {
        "": ("text/html", PAGE),
        "style.css": ("text/css", style_text(f"{view}.css")),
        "module.js": ("text/javascript", module_text(f"{view}.js")),
        "host.js": ("text/javascript", HOST.read_text(encoding="utf-8")),
    }

    def answer(route: Any) -> None:
        kind, body = files.get(route.request.url.removeprefix(ADDRESS), ("text/plain", None))
        if body is None:
            route.abort()
            return
        headers = {"Content-Type": f"{kind}; charset=utf-8", "Content-Security-Policy": POLICY}
        route.fulfill(body=body, headers=headers)

    page.route("**/*", answer)
    page.goto(ADDRESS)


class RecordingComm(BaseComm):
    """The kernel's end of a comm; what it publishes waits in ``outbox``."""

    def __init__(self, **kwargs: Any) -> None:
        self.outbox: deque[dict[str, Any]] = deque()
        super().__init__(**kwargs)

    def publish_msg(self, msg_type: str, data: Any = None, metadata: Any = None, buffers: Any = None, **_: Any) -> None:
        content = {"type": msg_type, "data": json.loads(json.dumps(data or {}, allow_nan=False))}
        paths = content["data"].get("buffer_paths", [])
        encoded = [base64.b64encode(b).decode("ascii") for b in buffers or []]
        self.outbox.append({**content, "buffers": [list(pair) for pair in zip(paths, encoded, strict=True)]})


class Wire:
    """Connects one widget with any number of pages."""

    def __init__(self, widget: Any) -> None:
        self.widget = widget
        self.comm: RecordingComm = widget.comm
        self.inbox: deque[dict[str, Any]] = deque()
        self.received: list[dict[str, Any]] = []
        self.greetings: deque[dict[str, Any]] = deque()  # answered by `settle`, unless nobody is there
        self.forecasts: deque[dict[str, Any]] = deque()  # what a page asks to compute moves itself: answered at once
        self.pages: list[Page] = []

    def _snapshot(self) -> dict[str, Any]:
        """The message that opens the widget's model in a page, with the state as it is now."""
        self.comm.outbox.clear()
        self.widget.send_state()
        return self.comm.outbox.pop()

    def connect(self, page: Page, views: int = 1) -> None:
        """Open the widget's model in a page, with so many views."""
        page.expose_function("toKernel", self._hear)
        page.evaluate(
            "async state => { window.host = await import('./host.js'); await host.open(state) }", self._snapshot()
        )
        self.pages.append(page)
        for _ in range(views):
            page.evaluate("() => host.addView()")

    def _hear(self, text: str) -> None:
        message = json.loads(text)
        forecast = message["do"] == "ask" and message["question"] in (["motion"], ["module"])
        (self.forecasts if forecast else self.greetings if message["do"] == "hello" else self.inbox).append(message)

    def deliver(self) -> None:
        """Bring what the widget has published to every page."""
        while self.comm.outbox:
            message = self.comm.outbox.popleft()
            for page in self.pages:
                page.evaluate("message => host.receive(message)", message)

    def step(self) -> None:
        """Let the kernel handle one message."""
        content = self.inbox.popleft()
        self.received.append(content)
        self._handle(content)
        self._foretell()

    def _foretell(self) -> None:
        """Answer what the pages ask to compute the moves themselves, until none of them asks for more."""
        self._listen()
        while self.forecasts:
            self._handle(self.forecasts.popleft())
            self._listen()

    def _listen(self) -> None:
        for page in self.pages:
            page.evaluate("() => new Promise(done => setTimeout(done))")

    def _handle(self, content: dict[str, Any]) -> None:
        self.comm.handle_msg({"content": {"data": {"method": "custom", "content": content}}, "buffers": []})
        self.deliver()

    def answer(self) -> None:
        """Wait for what the page sends in a task of its own (the `toggle` of a <details>), and let both sides work."""
        late = time.monotonic() + 5
        while not self.inbox:
            assert time.monotonic() < late, "the page sends nothing"
            self.pages[0].wait_for_timeout(5)
        self.settle()

    def settle(self) -> None:
        """Let both sides work until nothing is under way."""
        self.deliver()
        quiet = 0
        while quiet < 2:
            self._foretell()
            quiet = 0 if self.inbox else quiet + 1
            while self.inbox:
                self.step()
            while self.greetings:
                self._handle(self.greetings.popleft())

    def finish(self) -> None:
        """Settle until nothing is computed any more, and what it gave is seen."""
        late = time.monotonic() + 30
        self.settle()
        while self.widget.computing:
            assert time.monotonic() < late, "it is still computing"
            time.sleep(0.02)
            self.settle()
        self.settle()


def resize(page: Page, width: int, height: int) -> None:
    """Give the page another size, and wait until it is drawn in it."""
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function("([width, height]) => innerWidth === width && innerHeight === height", arg=[width, height])
    laid_out(page)


def laid_out(page: Page) -> None:
    """Wait until the page has been drawn after its last change."""
    page.evaluate("""() => new Promise((done) => {
      const next = (left) => (left ? requestAnimationFrame(() => next(left - 1)) : done());
      next(4);  // what watches sizes draws in the frame after the one in which it hears of them
    })""")


def node(page: Page, wire: Wire, name: str) -> Locator:
    """The box of the step called ``name``."""
    step = wire.widget.recording[name]
    return page.locator(f".al-node[data-id='{step.id}']")


def number(page: Page, wire: Wire, name: str, which: str = "value") -> str:
    """The number that the box of ``name`` shows."""
    return node(page, wire, name).locator(f".al-{which} .al-number").text_content() or ""


def menu(page: Page | Locator) -> Locator:
    """What stands in the menu of the first view; it is open then."""
    root = page.locator(".al-menu").first
    if root.get_attribute("open") is None:
        root.locator("summary").first.click()
    return root.locator(".al-menu-panel")


def offered(page: Page, name: str) -> Locator:
    """A button or a box that stands above a large graph, and in the menu of a small one."""
    part = page.get_by_label(name).or_(page.locator(".al-button", has_text=name)).first
    if part.is_hidden():
        menu(page)
    return part


def find(page: Page) -> Locator:
    """The box in which steps are searched for."""
    return offered(page, "Find a step")


def pinned(page: Page | Locator) -> Locator:
    """The strip of inputs above the graph of the first view, which is pinned there then."""
    strip = page.locator(".al-inputs").first
    if strip.is_hidden():
        pin = menu(page).get_by_role("button", name="Pin inputs")
        pin.click()
        pin.press("Escape")
    return strip


def free(page: Page | Locator, name: str) -> Locator:
    """The box in which an input is changed, or the upstream gradient of the output."""
    of_output = name.startswith("upstream")
    return page.locator(".al-main .al-output" if of_output else f".al-main .al-node[aria-label^='{name},']").first


def type_number(page: Page, name: str, text: str) -> None:
    """Type a number into a box."""
    free(page, name).press("Enter")
    page.locator(".al-typing input").fill(text)
    page.keyboard.press("Enter")
