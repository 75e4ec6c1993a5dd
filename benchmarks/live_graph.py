"""Large graphs in the live view, in a real JupyterLab and Chromium: how soon they open, are drawn anew and recoloured.

Two programs: a loop of 10,000 steps, which opens folded, and 1000 steps in 30 calls, which are all opened. Beside the
times, what the front end weighs on its way (the loader with every view, the module and the style once) and an update,
how many boxes are there at first, and the memory of the kernel with the view open. Needs the extra `test`. Prints a
table and one line of JSON; `--save` writes it under `results`.
"""

from __future__ import annotations

import json
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

GOALS = {
    "loader": (None, "bytes"),
    "module": (40_000, "bytes"),
    "style": (None, "bytes"),
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
SETUP = (
    """
import json, resource, time
import autolab
from autolab.views.graph.layout import layout
from autolab.views.graph.scene import readings, scene
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
AFTER_PAINT = """new Promise(done => requestAnimationFrame(() => {
  const channel = new MessageChannel();
  channel.port1.onmessage = () => done(performance.now() - start);
  channel.port2.postMessage(null);
}))"""
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


def measure() -> dict[str, Any]:
    """Times in milliseconds, sizes in bytes."""
    found: dict[str, Any] = {
        "loader": len(module_text("loader.js").encode()),
        "module": len(zipped(module_text("explorer.js"))),
        "style": len(zipped(style_text("explorer.css"))),
    }
    with tempfile.TemporaryDirectory() as folder, lab_server(Path(folder)) as lab, sync_playwright() as playwright:
        chromium = launch(playwright, whole=True)
        view = LabPage(lab, chromium.new_page(viewport={"width": 1280, "height": 900}))
        view.open(lab.write("benchmark.ipynb", SETUP, LONG, "view", MANY, FACTS))
        view.run(0)
        found |= json.loads(view.run(1))
        start = time.perf_counter()
        view.run(2)
        view.page.wait_for_selector(".al-node")
        found["paint_10000"] = 1000 * (time.perf_counter() - start)
        view.page.evaluate("() => window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
        view.run(3)
        view.page.wait_for_selector(".al-fold .al-button")
        found |= view.page.evaluate(OPEN_ALL)
        times = [view.page.evaluate(RECOLOUR, k % 2 == 0) for k in range(12)]
        found["recolour_1000"] = statistics.median(times[2:])
        found |= json.loads(view.run(4))
        chromium.close()
    return found


if __name__ == "__main__":
    tell("live_graph", __doc__, measure, GOALS)
