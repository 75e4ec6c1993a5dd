"""How fast the live graph is in a page: `python benchmarks/browser.py [slider_to_paint] [live_graph] [--save]`.

Both tables are measured in a real JupyterLab and Chromium, and need the extra `test`.

- `slider_to_paint`, on a graph of 20 nodes: from the key that moves the number in its box to the first frame after the
  changed number entered the page, and the first picture after a kernel's start.
- `live_graph`, how fast large graphs open, are redrawn and recoloured: a loop of 10,000 steps, which opens collapsed,
  and 1000 steps in 30 calls, which are all expanded. Besides the times: the size of an update, the initial number of
  boxes, and the kernel's memory with the view open.

Both also report the size of the front end: the loader that every view carries, and the module and the style
that all of them share. Times are in milliseconds, sizes in bytes.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from speed.harness import Goals, tell

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from helpers.chromium import launch
from views.lab import LabPage, lab_server

from autolab.views.live.bundle import module_text, style_text, zipped

FRONT_END: Goals = {"loader": (None, "bytes"), "module": (40_000, "bytes"), "style": (None, "bytes")}
SLIDER: Goals = {
    "median": (20, "ms"),
    "p90": (30, "ms"),
    "slowest": (None, "ms"),
    "first_picture": (5000, "ms"),
    **FRONT_END,
}
GRAPH: Goals = {
    **FRONT_END,
    "record_10000": (None, "ms"),
    "view_10000": (1000, "ms"),
    "paint_10000": (1000, "ms"),
    "boxes_10000": (300, "boxes"),
    "update_10000": (256_000, "bytes"),
    "boxes_1000": (None, "boxes"),
    "layout_1000": (150, "ms"),
    "paint_1000": (150, "ms"),
    "open_all_1000": (None, "ms"),
    "recolour_1000": (30, "ms"),
    "update_1000": (256_000, "bytes"),
    "kernel": (None, "bytes"),
}
AFTER_PAINT = """new Promise(done => requestAnimationFrame(() => {
  const channel = new MessageChannel();
  channel.port1.onmessage = () => done(performance.now() - start);
  channel.port2.postMessage(null);
}))"""


@contextmanager
def opened(*cells: str) -> Iterator[LabPage]:
    """A notebook with these cells, in its own server and browser."""
    with tempfile.TemporaryDirectory() as folder, lab_server(Path(folder)) as lab, sync_playwright() as playwright:
        chromium = launch(playwright, whole=True)
        view = LabPage(lab, chromium.new_page(viewport={"width": 1280, "height": 900}))
        view.open(lab.write("benchmark.ipynb", *cells))
        yield view
        chromium.close()


def front_end() -> dict[str, int]:
    """The sizes of the front end's files."""
    return {
        "loader": len(module_text("loader.js").encode()),
        "module": len(zipped(module_text("explorer.js"))),
        "style": len(zipped(style_text("explorer.css"))),
    }


# ------------------------------------------------------------------------------------------------ slider_to_paint
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
MOVE = f"""k => new Promise(done => {{
  const output = document.querySelector('.al-output .al-value .al-number');
  const box = document.querySelector('.al-node[role=slider]');
  const watcher = new MutationObserver(() => {{
    watcher.disconnect();
    ({AFTER_PAINT}).then(done);
  }});
  watcher.observe(output, {{ childList: true, characterData: true, subtree: true }});
  const start = performance.now();
  box.dispatchEvent(new KeyboardEvent('keydown', {{ key: k % 2 ? 'PageUp' : 'PageDown', bubbles: true }}));
}})"""


def slider_to_paint() -> dict[str, Any]:
    with opened(PROGRAM) as view:
        return moved(view, 100)


def moved(view: LabPage, moves: int) -> dict[str, Any]:
    """The timings of moves, in a notebook whose first cell is the program."""
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
        **front_end(),
    }


# ----------------------------------------------------------------------------------------------------- live_graph
SETUP = (
    """
import json, resource, time
import autolab
from autolab.views.graph.layout.boxes import layout
from autolab.views.graph.readings import readings
from autolab.views.graph.scene import scene
from autolab.views.graph.explorer import Explorer
from autolab.views.graph.session import Session

def weight(view):
    state = view.get_state()
    kept = [name for name in state if not name.startswith("_") and not isinstance(state[name], (bytes, list))]
    return sum(len(json.dumps(state[name], default=str)) for name in kept)

def boxes(view):
    return max(len(one["nodes"]) for key, one in view.page.items() if key.startswith('["scene"'))

def shown(view):
    times, groups = [], frozenset(view.recording.outline.groups)  # as they are all opened
    for _ in range(5):
        start = time.perf_counter()
        layout.cache_clear()
        scene(view.recording, groups)
        readings(view.recording, groups)
        times.append(1000 * (time.perf_counter() - start))
    return sorted(times)[2]

def block(x):
"""
    + "    x = x * 0.999\n" * 33
    + """    return x

def many(x):
    for _ in range(30):
        x = block(x)
    return x

def long(x):
    for _ in range(5000):
        x = x * 0.9999
        x = x + 0.001
    return x

autolab.record(many, 1.0)
"""
)
LONG = """
start = time.perf_counter()
session = Session(long, inputs={"x": 1.0})
recording = session.record()
recorded = time.perf_counter()
session.record = lambda: recording
view = Explorer(session)
done = time.perf_counter()
print(json.dumps({"record_10000": 1000 * (recorded - start), "view_10000": 1000 * (done - recorded),
                  "update_10000": weight(view), "boxes_10000": boxes(view)}))
"""
MANY = """
view = autolab.explore(many, x=1.0)
view
"""
FACTS = """
print(json.dumps({"layout_1000": shown(view), "update_1000": weight(view), "boxes_1000": boxes(view),
                  "kernel": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))
"""
OPEN_ALL = f"""() => new Promise(done => {{
  const picture = document.querySelector('.al-picture');
  const button = [...document.querySelectorAll('.al-fold .al-button')].find(b => b.textContent === 'Open all');
  const clicked = performance.now();
  const setAttribute = picture.setAttribute.bind(picture);
  let begun = 0; // the first thing that is set when the picture is drawn anew, its boxes having been made
  picture.setAttribute = (name, value) => {{ begun ||= performance.now(); setAttribute(name, value); }};
  new MutationObserver((_, watcher) => {{
    watcher.disconnect();
    const start = begun;
    ({AFTER_PAINT}).then(paint_1000 => done({{ paint_1000, open_all_1000: performance.now() - clicked }}));
  }}).observe(picture, {{ childList: true }});
  button.click();
}})"""
RECOLOUR = f"""dark => {{
  const start = performance.now();
  document.body.dataset.jpThemeLight = String(!dark);
  return {AFTER_PAINT};
}}"""


def live_graph() -> dict[str, Any]:
    found: dict[str, Any] = front_end()
    with opened(SETUP, LONG, "view", MANY, FACTS) as view:
        view.run(0)
        found |= json.loads(view.run(1))
        start = time.perf_counter()
        view.run(2)
        view.page.wait_for_selector(".al-node")
        found["paint_10000"] = 1000 * (time.perf_counter() - start)
        view.page.evaluate("() => window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
        view.run(3)
        view.page.wait_for_selector(".al-fold .al-button", state="attached")  # in the menu
        found |= view.page.evaluate(OPEN_ALL)
        times = [view.page.evaluate(RECOLOUR, k % 2 == 0) for k in range(12)]
        found["recolour_1000"] = statistics.median(times[2:])
        return found | json.loads(view.run(4))


if __name__ == "__main__":
    tell(__doc__, {"slider_to_paint": (slider_to_paint, SLIDER), "live_graph": (live_graph, GRAPH)})
