"""How long a moved slider takes until the graph is painted anew, in a real JupyterLab and Chromium.

Measured on a graph of 20 nodes: from the key that moves the number in its box to the first frame after the
changed number entered the page. Beside it, the first picture after a kernel's start and what the front end weighs: the
loader that every view carries, the module and the style that all of them share, as they travel.
Needs the extra `test`. Prints a table and one line of JSON; `--save` writes it under `results`.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from speed.figures import tell

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from helpers.chromium import launch
from views.lab import LabPage, lab_server

from autolab.views.live.bundle import module_text, style_text, zipped

MOVES = 100
GOALS: dict[str, tuple[float | None, str]] = {
    "median": (20, "ms"),
    "p90": (30, "ms"),
    "slowest": (None, "ms"),
    "first_picture": (5000, "ms"),
    "loader": (None, "bytes"),
    "module": (40_000, "bytes"),
    "style": (None, "bytes"),
}
PROGRAM = """
import numpy as np
import autolab

def twenty(x, y):
    a = x * y
    for _ in range(8):
        a = np.tanh(a) + x
    w = a * y
    return w

autolab.explore(twenty, x=0.5, y=2.0)
"""
MOVE = """k => new Promise(done => {
  const output = document.querySelector('.al-output .al-value .al-number');
  const box = document.querySelector('.al-node[role=slider]');
  const watcher = new MutationObserver(() => {
    watcher.disconnect();
    requestAnimationFrame(() => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => done(performance.now() - start);
      channel.port2.postMessage(null);
    });
  });
  watcher.observe(output, { childList: true, characterData: true, subtree: true });
  const start = performance.now();
  box.dispatchEvent(new KeyboardEvent('keydown', { key: k % 2 ? 'PageUp' : 'PageDown', bubbles: true }));
})"""


def measure(moves: int = MOVES) -> dict[str, Any]:
    """Times in milliseconds, sizes in bytes."""
    with tempfile.TemporaryDirectory() as folder, lab_server(Path(folder)) as lab, sync_playwright() as playwright:
        chromium = launch(playwright, whole=True)
        view = LabPage(lab, chromium.new_page(viewport={"width": 1280, "height": 900}))
        view.open(lab.write("benchmark.ipynb", PROGRAM))
        found = moved(view, moves)
        chromium.close()
    return found


def moved(view: LabPage, moves: int) -> dict[str, Any]:
    """What `measure` finds, in a notebook whose first cell is the program."""
    start = time.perf_counter()
    view.restart()
    view.run(0)
    view.page.wait_for_selector(".al-node")
    first_picture = (time.perf_counter() - start) * 1000
    for k in range(10):  # the first moves still compile
        view.page.evaluate(MOVE, k)
    times = sorted(view.page.evaluate(MOVE, k) for k in range(moves))
    return {
        "moves": moves,
        "median": statistics.median(times),
        "p90": times[int(0.9 * len(times))],
        "slowest": times[-1],
        "first_picture": first_picture,
        "loader": len(module_text("loader.js").encode()),
        "module": len(zipped(module_text("explorer.js"))),
        "style": len(zipped(style_text("explorer.css"))),
    }


if __name__ == "__main__":
    tell("slider_to_paint", __doc__, measure, GOALS)
