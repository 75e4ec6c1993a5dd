"""Photograph every view, light and dark: `python scripts/situations.py FOLDER [name ...]`.

It photographs twelve graphs in saved pages; live views as they open, after each action, with their menu and in
presentation mode; and static displays. All have the size of a cell of JupyterLab on a screen of 1280 x 800. For each
graph it prints the number of boxes, the zoom, and the size of the smallest letters on the screen.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from ipywidgets import comm as widget_comm
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import autolab  # noqa: E402
from autolab import functions as F  # noqa: E402
from autolab.recording import Recording, last_recording  # noqa: E402
from autolab.shared.files import write  # noqa: E402
from autolab.views import mimebundle  # noqa: E402
from autolab.views.live.widget import LiveView  # noqa: E402
from tests.helpers.chromium import launch  # noqa: E402
from tests.helpers.network import Net  # noqa: E402
from tests.views.bare_page import RecordingComm, Wire, serve  # noqa: E402
from tests.views.test_page_axe import CASES, THEMES, Case, ask_why, explorer, open_menu, present, select  # noqa: E402

CELL = {"width": 1100, "height": 800}
SCREEN = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}
RNG = np.random.default_rng(0)


def small(x: Any, y: Any) -> Any:
    h = x * y
    out = h + x
    return out


def net(x: Any, W1: Any, b1: Any, W2: Any, b2: Any, t: Any) -> Any:
    a = x @ W1 + b1
    h = np.tanh(a)
    y = h @ W2 + b2
    loss = ((y - t) ** 2).mean()
    return loss


def rnn(xs: Any, Wx: Any, Wh: Any, b: Any) -> Any:
    h = np.zeros(4)
    for x in xs:
        h = np.tanh(x @ Wx + h @ Wh + b)
    loss = (h**2).sum()
    return loss


def loop(x: Any, rate: Any) -> Any:
    for _ in range(500):
        x = x - rate * np.sin(x)
    return x


def attention(x: Any, Wq: Any, Wk: Any, Wv: Any) -> Any:
    q, k, v = x @ Wq, x @ Wk, x @ Wv
    scores = q @ k.T / 2.0
    weights = F.softmax(scores, axis=-1)
    out = weights @ v
    return (out * out).mean()


def convolution(img: Any, k: Any, w: Any) -> Any:
    h = F.relu(F.conv2d(img, k, padding=1))
    pooled = F.max_pool2d(h, 2)
    y = pooled.reshape(1, 18) @ w
    return (y * y).sum()


def curve(x: Any) -> Any:
    return np.sin(x) * x**2


def broken(x: Any, y: Any) -> Any:
    h = x * y
    r = np.log(h)
    out = r * x + y
    return out


def refusing(x: Any, y: Any) -> Any:
    h = x * y
    r = h + x
    out = r @ np.ones((3, 2))
    return out


NET = {
    "x": RNG.normal(size=(3, 4)),
    "W1": RNG.normal(size=(4, 5)),
    "b1": np.array([0.2, -0.5, 0.0, 9.0, 0.6]),
    "W2": RNG.normal(size=(5, 2)),
    "b2": np.array([0.4, -0.3]),
    "t": np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]),
}
STEPS = {
    "xs": RNG.normal(size=(30, 3)),
    "Wx": RNG.normal(size=(3, 4)),
    "Wh": RNG.normal(size=(4, 4)) / 2,
    "b": np.zeros(4),
}
HEADS = {"x": RNG.normal(size=(5, 4)), **{name: RNG.normal(size=(4, 4)) for name in ("Wq", "Wk", "Wv")}}
IMAGE = {"img": RNG.normal(size=(1, 1, 6, 6)), "k": RNG.normal(size=(2, 1, 3, 3)), "w": RNG.normal(size=(18, 2))}

Situation = tuple[Callable[..., Any], dict[str, Any], dict[str, Any]]
SITUATIONS: dict[str, Situation] = {
    "1-two-inputs": (small, {"x": 2.0, "y": 3.0}, {}),
    "2-net": (net, NET, {}),
    "3-rnn-30": (rnn, STEPS, {}),
    "3-rnn-30-open": (rnn, STEPS, {}),
    "4-loop-500": (loop, {"x": 2.0, "rate": 0.1}, {}),
    "5-attention": (attention, HEADS, {}),
    "6-convolution": (convolution, IMAGE, {}),
    "7-order-2": (curve, {"x": 1.5}, {"order": 2}),
    "8-order-4": (curve, {"x": 1.5}, {"order": 4}),
    "9-nan": (broken, {"x": -1.0, "y": 3.0}, {}),
    "10-error": (refusing, {"x": 2.0, "y": 3.0}, {}),
    "11-presenting": (net, NET, {}),
    "12-phone": (small, {"x": 2.0, "y": 3.0}, {}),
}


class Halved(autolab.FunctionNode):
    """A product whose backward forgets a factor."""

    def forward(self, inputs: Any) -> Any:
        x, y = inputs
        self.retain_inputs((0, 1))
        return (x * y,)

    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        x, y = self.get_retained_inputs()
        return grad_outputs[0] * y / 2, grad_outputs[0] * x


def halved(x: Any, y: Any) -> Any:
    return np.tanh(Halved().apply((x, y))[0])


def valley(x: Any, y: Any) -> Any:
    return (1 - x) ** 2 + 10 * (y - x**2) ** 2


def table(k: Any, kind: Any) -> Any:
    if k == 5:
        raise ValueError(f"{k} is too many")
    return {"A": np.eye(3) * k}


def rest(page: Page, rest: Callable[[], None]) -> None:
    """Do nothing: the view as it opens."""
    rest()


def on_phone(page: Page, rest: Callable[[], None]) -> None:
    """The last action, in a window as narrow as a phone."""
    page.keyboard.press("Escape")
    rest()


def derive(page: Page, rest: Callable[[], None]) -> None:
    page.locator(".al-derive").first.click()
    rest()


def race(page: Page, rest: Callable[[], None]) -> None:
    page.locator(".al-menu > summary").click()
    page.get_by_role("button", name="Race three optimizers").click()
    page.locator(".al-menu > summary").click()
    rest()


def point(page: Page, rest: Callable[[], None]) -> None:
    page.locator("canvas.al-canvas").first.hover()
    rest()


def enlarge(page: Page, rest: Callable[[], None]) -> None:
    box = page.locator("canvas.al-canvas").first.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + box["height"] * 0.2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.6, steps=5)
    page.mouse.up()
    rest()


def fail(page: Page, rest: Callable[[], None]) -> None:
    page.get_by_role("textbox").first.fill("5")
    page.keyboard.press("Enter")
    rest()


def leave(page: Page, rest: Callable[[], None]) -> None:
    """Go to the step at which the function raises."""
    page.locator(".al-plot").first.click(position={"x": 80, "y": 60})
    rest()


def careful(x: Any) -> Any:
    if x.data < 0:
        raise ValueError(f"x is {float(x):g}; expected a number from 0 on")
    return np.sqrt(x) * x


def leap(page: Page, rest: Callable[[], None]) -> None:
    page.locator(".al-menu > summary").click()
    page.get_by_label("lr, number").fill("0.5")
    page.keyboard.press("Enter")
    page.locator(".al-menu > summary").click()
    rest()


def fenced(x: Any, y: Any) -> Any:
    if abs(float(x)) > 1.5:
        raise ValueError(f"x is {float(x):.3g}; expected −1.5 to 1.5")
    return valley(x, y)


def undecided() -> Any:
    return autolab.check_gradients(lambda x: F.dropout(x), np.ones(3)).explore()


SQUARE, ROWS = RNG.normal(size=(3, 4)), RNG.normal(size=(5, 3))
VIEWS: dict[str, Case] = {
    **{f"2{k:x}-{name.replace(' ', '-')}": case for k, (name, case) in enumerate(CASES.items())},
    "30-check-wrong": Case(
        lambda: autolab.check_gradients(halved, SQUARE, SQUARE[::-1].copy()).explore(), "lens", (ask_why,)
    ),
    "31-check-net": Case(lambda: autolab.check_gradients(net, *NET.values()).explore(), "lens"),
    "32-check-undecided": Case(undecided, "lens"),
    "33-derivatives-4": Case(lambda: autolab.derivatives(np.tanh, 1.0, order=4), "derivatives", (derive,)),
    "34-derivatives-pole": Case(lambda: autolab.derivatives(lambda x: 1 / x, 1.0, order=2), "derivatives"),
    "3b-derivatives-error": Case(lambda: autolab.derivatives(careful, 1.0, domain=(-2, 2)), "derivatives", (leave,)),
    "3c-surface-error": Case(
        lambda: autolab.plots.surface(fenced, (0.0, 0.5)).explore((-0.8, 0.8)), "surface", (leap,)
    ),
    "35-surface": Case(lambda: autolab.plots.surface(valley, (-0.5, 0.5)).explore((-0.8, 0.8)), "surface", (race,)),
    "36-heatmap": Case(lambda: autolab.heatmap(RNG.normal(size=(12, 18))), "heatmaps", (point, enlarge)),
    "37-heatmap-signs": Case(lambda: autolab.heatmap(np.array([[1.0, np.nan], [np.inf, -2.0]])), "heatmaps"),
    "38-heatmaps": Case(lambda: autolab.heatmap(**{name: NET[name] for name in ("x", "W1")}), "heatmaps"),
    "3a-plan": Case(explorer(Net(), x=ROWS), do=(select,)),
    "39-interact": Case(lambda: autolab.interact(table, k=(1, 5), kind=["a", "b"]), "interact", (fail,)),
}
STILL: dict[str, Callable[[], Any]] = {
    "50-still-graph": lambda: autolab.record(small, x=2.0, y=3.0),
    "51-still-error": lambda: _ended(refusing, x=2.0, y=3.0),
    "52-still-check": lambda: autolab.check_gradients(halved, SQUARE, SQUARE[::-1].copy()),
    "53-still-derivatives": lambda: autolab.derivatives(np.tanh, 1.0),
    "54-still-surface": lambda: autolab.plots.surface(valley, (-0.5, 0.5)),
    "55-still-heatmap": lambda: autolab.heatmap(SQUARE),
    "56-still-interact": lambda: autolab.interact(table, k=(1, 5), kind=["a", "b"]),
    "57-still-monitor": lambda: CASES["monitor"].make()._monitor,
    "58-still-variable": lambda: autolab.Variable(SQUARE, name="W"),
    "59-still-matrix": lambda: autolab.plots.show_hessian(valley, 1.0, 0.5),
    "5f-still-curvature": lambda: autolab.curvature(lambda net, x: (net(x) ** 2).mean(), Net(), ROWS),
    "5a-still-plan": lambda: autolab.record(Net(), x=ROWS),
    "5b-still-flow": lambda: autolab.record(Net(), x=ROWS).flow(),
    "5c-still-memory": lambda: autolab.record(Net(), x=ROWS).memory(),
    "5d-still-compare": lambda: autolab.compare(autolab.record(small, 2.0, 3.0), autolab.record(halved, 2.0, 3.0)),
    "5e-still-diagnose": lambda: autolab.diagnose(lambda x: np.log(x * 0.0).sum(), autolab.Variable(np.ones(3))),
}

MEASURED = """() => {
  const pane = document.querySelector('.al-pane'), picture = document.querySelector('.al-picture');
  if (!picture) return null;
  const zoom = picture.clientWidth / picture.viewBox.baseVal.width, seen = pane.getBoundingClientRect();
  const inside = [...picture.querySelectorAll(".al-node")].filter((node) => {
    const box = node.getBoundingClientRect();
    const across = box.left > seen.left - 1 && box.right < seen.right + 1;
    return across && box.top > seen.top - 1 && box.bottom < seen.bottom + 1;
  });
  const letters = [...picture.querySelectorAll('text')].filter((t) => t.textContent && t.getClientRects().length);
  return { boxes: picture.querySelectorAll('.al-node').length, seen: inside.length, zoom: zoom.toFixed(2),
    letters: Math.min(...letters.map((t) => parseFloat(getComputedStyle(t).fontSize) * zoom)).toFixed(1),
    picture: [picture.viewBox.baseVal.width, picture.viewBox.baseVal.height].map(Math.round),
    pane: [pane.clientWidth, pane.clientHeight], map: !(document.querySelector('.al-whole')?.hidden ?? true) };
}"""


def main(target: Path, wanted: list[str]) -> None:
    """Photograph the situations whose names contain one of the given words, or all."""
    target.mkdir(parents=True, exist_ok=True)
    widget_comm.create_comm = RecordingComm
    with sync_playwright() as playwright:
        browser = launch(playwright)
        for name, situation in SITUATIONS.items():
            if wanted and not any(word in name for word in wanted):
                continue
            for look in ("light", "dark"):
                _photograph(browser, target, name, look, situation)
        for name, case in VIEWS.items():
            if not wanted or any(word in name for word in wanted):
                _photograph_view(browser, target, name, case)
        for name, make in STILL.items():
            if not wanted or any(word in name for word in wanted):
                _photograph_still(browser, target, name, make)
        browser.close()


def _photograph_view(browser: Browser, target: Path, name: str, case: Case) -> None:
    """Photograph each live view as it opens, after each action, with its menu open, and in presentation mode."""
    with _page(browser, CELL) as page, tempfile.TemporaryDirectory() as folder, chdir(folder):
        view = case.make()  # where it finds no notebook, it saves a page of its own
        serve(page, case.module)
        wire = Wire(view)
        wire.connect(page)
        done = [act for act in (*case.do, *case.live_only) if act not in (open_menu, present)]
        for act in (rest, *done, open_menu, on_phone, present):
            page.set_viewport_size(cast(Any, PHONE if act is on_phone else CELL))
            act(page, wire.settle)
            for look in ("light", "dark"):
                page.evaluate(THEMES[look])
                page.wait_for_timeout(300)
                wire.settle()
                write(target / f"{name}-{act.__name__}{'' if look == 'light' else '-dark'}.png", page.screenshot())
        view.close()


def _photograph_still(browser: Browser, target: Path, name: str, make: Callable[[], Any]) -> None:
    for look in ("light", "dark"):
        with _page(browser, CELL, color_scheme=look) as page, tempfile.TemporaryDirectory() as folder, chdir(folder):
            made = make()
            bundle = made._static() if isinstance(made, LiveView) else mimebundle(made)
            page.set_content(f"{STILL_STYLE}{bundle['text/html']}")
            page.wait_for_timeout(100)
            write(target / f"{name}{'' if look == 'light' else '-dark'}.png", page.screenshot())


STILL_STYLE = "<style>:root { color-scheme: light dark; font: 13px system-ui } img { max-width: 100% }</style>"


def _ended(fn: Callable[..., Any], **inputs: Any) -> Recording:
    """The recording of a function that raises: the steps before the error."""
    try:
        return autolab.record(fn, **inputs)
    except ValueError as error:
        return cast(Recording, last_recording(error))


def _photograph(browser: Browser, target: Path, name: str, look: str, situation: Situation) -> None:
    size = PHONE if "phone" in name else SCREEN if "presenting" in name else CELL
    began = time.perf_counter()
    with _opened(browser, situation, look, size) as page:
        seconds = time.perf_counter() - began
        if "presenting" in name:
            page.locator(".al-menu > summary").click()
            page.get_by_role("button", name="Present").click()
        if "open" in name:
            page.locator(".al-toggle").first.click()
        page.wait_for_timeout(400)
        suffix = "" if look == "light" else "-dark"
        write(target / f"{name}{suffix}.png", page.screenshot())
        if look == "light":
            print(f"{name:15} {seconds:5.1f} s", page.evaluate(MEASURED), flush=True)


@contextmanager
def _page(browser: Browser, size: dict[str, int], **options: Any) -> Iterator[Page]:
    context = browser.new_context(viewport=cast(Any, size), **options)
    page = context.new_page()
    page.on("pageerror", lambda error: print("error in the page:", error))
    yield page
    context.close()


@contextmanager
def _opened(browser: Browser, situation: Situation, look: str, size: dict[str, int]) -> Iterator[Page]:
    """The saved page of a recording."""
    fn, inputs, options = situation
    with _page(browser, size, offline=True) as page, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "page.html"
        autolab.export_html(_ended(fn, options=options, **inputs), path, cast(Literal["light", "dark"], look))
        page.goto(path.as_uri())
        page.wait_for_selector(".al-root")
        yield page


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]), sys.argv[2:])
