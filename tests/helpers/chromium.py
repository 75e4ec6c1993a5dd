"""The browser of the tests and of the benchmark."""

from __future__ import annotations

import shutil

from playwright.sync_api import Browser, Playwright

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


def launch(playwright: Playwright) -> Browser:
    """Debian's Chromium where it is installed, else Playwright's own."""
    return playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
