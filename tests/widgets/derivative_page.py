"""The bare page with the derivative explorer instead of the live graph."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

from autolab.widgets.module import module_text, style_text

from .bare_page import ADDRESS, POLICY, Wire


def open_derivatives(page: Page, widget: Any) -> Wire:
    """Show the real widget in a bare page."""
    files = {
        "module.js": ("text/javascript", module_text("derivatives.js")),
        "style.css": ("text/css", style_text("explorer.css") + style_text("derivatives.css")),
    }

    def answer(route: Any) -> None:
        kind, body = files[route.request.url.removeprefix(ADDRESS)]
        route.fulfill(body=body, headers={"Content-Type": f"{kind}; charset=utf-8", "Content-Security-Policy": POLICY})

    for name in files:
        page.route(f"**/{name}", answer)
    page.goto(ADDRESS)
    wire = Wire(widget)
    wire.connect(page)
    wire.settle()
    return wire
