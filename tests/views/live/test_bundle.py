"""The front end's text is sent once for all views of a kind, and imported once in a page."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ipywidgets.embed import dependency_state
from playwright.sync_api import Browser, Page, expect

from autolab.views.check.lens import Lens
from autolab.views.derivatives.explorer import DerivativeExplorer
from autolab.views.graph.explorer import Explorer
from autolab.views.graph.graph_view import GraphView
from autolab.views.heatmap.heatmap import Heatmap
from autolab.views.interact.interact import Interact
from autolab.views.live import bundle as module
from autolab.views.live.bundle import file_of, module_text, style_text, zipped
from autolab.views.live.widget import FrontEnd
from autolab.views.monitor.view import MonitorView
from autolab.views.plots.surface_view import SurfaceView

from ..bare_page import ADDRESS
from ..lab import Lab, LabPage
from ..programs import muladd
from .test_lab import PROGRAM

Make = Callable[..., Explorer]
POINT = {"x": 2.0, "y": 3.0, "z": 4.0}


def test_a_view_carries_a_loader_and_names_what_all_share(explorer: Make) -> None:
    first, second = explorer(muladd, **POINT), explorer(muladd, **POINT)
    shared = first._front_end
    assert second._front_end is shared
    assert gzip.decompress(shared.module).decode().startswith(module_text("explorer.js"))
    assert gzip.decompress(shared.sheet).decode() == style_text("explorer.css")
    assert first.get_state()["_front_end"] == f"IPY_MODEL_{shared.model_id}"
    assert first._esm == module_text("loader.js") and len(first._esm) < 3000
    assert not first.has_trait("_css")


def test_it_is_made_again_after_all_widgets_were_closed(explorer: Make) -> None:
    first = explorer(muladd, **POINT)
    shared = first._front_end
    shared.close()
    again = explorer(muladd, **POINT)._front_end
    assert again is not shared and again.comm is not None and again.digest == shared.digest


def test_a_page_that_embeds_a_view_embeds_what_it_loads(explorer: Make) -> None:
    view = explorer(muladd, **POINT)
    assert view._front_end.model_id in dependency_state([view])


KINDS = (Explorer, GraphView, Heatmap, DerivativeExplorer, Lens, MonitorView, Interact, SurfaceView)


def test_every_kind_has_a_small_module_and_a_style_of_its_own() -> None:
    kinds = {view.kind for view in KINDS}
    made = [FrontEnd(kind) for kind in kinds]
    assert len({front_end.digest for front_end in made}) == len(kinds) == 7
    assert all(len(front_end.module) + len(front_end.sheet) <= 66_500 for front_end in made)  # what travels
    assert all(file_of(f"{kind}.{suffix}").exists() for kind in kinds for suffix in ("js", "css"))


NAMES_AT_TOP = re.compile(
    r"^(?:export (?:default )?)?(?:async )?(?:function\*?|const|let|class) (\w+|\{[^}]*\}|\[[^\]]*\])", re.MULTILINE
)


def names_twice(parts: dict[str, str]) -> list[str]:
    """Names that two of the joined modules have at their top level."""
    names = [
        name for text in parts.values() for found in NAMES_AT_TOP.findall(text) for name in re.findall(r"\w+", found)
    ]
    return [name for name, count in Counter(names).items() if count > 1]


@pytest.mark.parametrize(
    "entry", [*sorted({kind.kind for kind in KINDS}), "playground", "worker", "saved_page", "start"]
)
def test_joined_modules_share_no_name(entry: str) -> None:
    parts = module._joined(f"{entry}.js", module._IMPORT)
    assert names_twice({name: file_of(name).read_text("utf-8") for name in parts}) == []


def test_a_name_that_two_modules_share_is_found() -> None:
    parts = {
        "a.js": "export const one = 1;\nlet [two] = [2];\n  let inner;",
        "b.js": "async function two() {}\nlet inner;",
    }
    assert names_twice(parts) == ["two"]


def test_modules_are_joined_without_imports_and_comments(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What the browser's debugger shows are otherwise the statements of the files, with all their names."""
    monkeypatch.setattr(module, "VIEWS", tmp_path.parent)
    (tmp_path / "fresh_entry.js").write_text(
        '// one\nimport { b } from "./other.js";\n/** @type {any} */\nexport default () => {\n  b(); // two\n};\n'
    )
    (tmp_path / "other.js").write_text("// three\nexport const b = 1;\n")
    assert module_text("fresh_entry.js") == "const b=1;\n\nexport default()=>{\nb();\n};\n"


# ---------------------------------------------------------------------------------------------------- in a page
POLICY = "default-src 'none'; script-src 'self' blob:; style-src 'unsafe-inline'"  # what anywidget itself needs
MODULE = """
globalThis.imported = (globalThis.imported ?? 0) + 1;
export default () => {
  let mine = 0;
  return {
    initialize({ model }) { mine = model.get("number"); return () => `clean ${mine}`; },
    render({ el }) { el.textContent = `view of ${mine}`; return () => `gone ${mine}`; },
  };
};
"""
STYLE = ".al-root { color: red }"
SHOW = """async ({ digests, shadow, zipped }) => {
  const { default: make } = await import('./loader.js');
  const around = (bytes) => Uint8Array.from([255, ...bytes, 255]).buffer; // as a websocket delivers them
  const [module, style] = zipped.map((bytes) => new DataView(around(bytes), 1, bytes.length));
  const held = (digest) => ({ get: (name) => ({ digest, sheet: style, module })[name] });
  const told = [];
  for (const [number, digest] of digests.entries()) {
    const manager = { async get_model(id) { return id === 'abc' ? held(digest) : null; } };
    const traits = { _front_end: 'IPY_MODEL_abc', _digest: digest, number, words: { live_silent: 'late' } };
    const model = { widget_manager: manager, get: (name) => traits[name] };
    const widget = make();
    told.push(await (await widget.initialize({ model }))());
    const around = document.createElement('div'), el = document.createElement('div');
    document.body.append(around);
    (shadow ? around.attachShadow({ mode: 'open' }) : around).append(el);
    told.push(el.textContent, (await widget.render({ model, el }))(), el.textContent);
    if (shadow) told.push(around.shadowRoot.querySelectorAll('style').length);
  }
  return [told, window.imported, [...document.head.querySelectorAll('style')].map((e) => e.textContent)];
}"""
ZIPPED = [list(zipped(text)) for text in (MODULE, STYLE)]


@pytest.fixture
def bare(browser: Browser) -> Any:
    """A page under the policy that anywidget needs, which holds nothing but the loader."""
    page = browser.new_page()
    files = {"": ("text/html", "<!doctype html>"), "loader.js": ("text/javascript", module_text("loader.js"))}

    def answer(route: Any) -> None:
        kind, body = files.get(route.request.url.removeprefix(ADDRESS), ("text/plain", ""))
        route.fulfill(body=body, headers={"Content-Type": kind, "Content-Security-Policy": POLICY})

    page.route("**/*", answer)
    page.goto(ADDRESS)
    yield page
    page.close()


@pytest.mark.browser
def test_a_module_is_imported_once_for_many_views(bare: Page) -> None:
    bare.clock.install()
    told, imported, styles = bare.evaluate(
        SHOW, {"digests": ["one", "one", "other"], "shadow": False, "zipped": ZIPPED}
    )
    bare.clock.fast_forward(20_000)
    assert "late" not in bare.locator("body").inner_text()
    for number in range(3):
        assert told[4 * number : 4 * number + 4] == [f"clean {number}", "", f"gone {number}", f"view of {number}"]
    assert (imported, styles) == (2, [STYLE])  # the same sheet of two kinds


@pytest.mark.browser
def test_a_view_in_a_shadow_has_its_style_there(bare: Page) -> None:
    told, imported, styles = bare.evaluate(SHOW, {"digests": ["one", "one"], "shadow": True, "zipped": ZIPPED})
    assert (told[4], told[9], imported, styles) == (1, 1, 1, [])


ALONE = """async ({ manager, zipped, answers }) => {
  const { default: make } = await import('./loader.js');
  const managers = {
    none: undefined,
    refuses: { get_model() { throw new Error('not supported'); } },
    rejects: { get_model: () => Promise.reject(new Error('widget model not found')) },
    lost: { get_model: async () => ({ get: () => undefined }) },
  };
  const sent = [], listeners = new Set(), words = { live_silent: '<b>no answer' };
  const model = {
    widget_manager: managers[manager],
    get: (name) => ({ _front_end: 'IPY_MODEL_abc', _digest: 'mine', number: 7, words })[name],
    on: (event, listener) => listeners.add(listener), off: (event, listener) => listeners.delete(listener),
    send: (content) => sent.push(content),
  };
  const widget = make();
  await widget.initialize({ model });
  const el = document.createElement('div');
  const rendered = widget.render({ model, el });
  await new Promise((done) => setTimeout(done, 50));
  const before = el.textContent;
  if (answers) {
    const hear = [...listeners];
    for (const listener of hear) listener({ something: 'else' }, []);
    const buffers = zipped.map((bytes) => new DataView(Uint8Array.from(bytes).buffer));
    for (const listener of hear) listener({ front_end: 'mine' }, buffers);
    await rendered;
  } else await new Promise((done) => setTimeout(done, 5200));
  return [before, sent, el.textContent, listeners.size];
}"""


@pytest.mark.browser
@pytest.mark.parametrize("manager", ["none", "refuses", "rejects", "lost"])
def test_where_the_shared_model_cannot_be_had_the_kernel_is_asked(bare: Page, manager: str) -> None:
    told = bare.evaluate(ALONE, {"manager": manager, "zipped": ZIPPED, "answers": True})
    assert told == ["", [{"do": "front end"}], "view of 7", 0]


@pytest.mark.browser
def test_an_empty_view_says_that_nobody_answers(bare: Page) -> None:
    told = bare.evaluate(ALONE, {"manager": "none", "zipped": ZIPPED, "answers": False})
    assert told == ["", [{"do": "front end"}], "<b>no answer", 1]


def test_the_kernel_sends_a_view_what_it_asks_for(explorer: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    view = explorer(muladd, **POINT)
    sent: list[Any] = []
    monkeypatch.setattr(Explorer, "send", lambda _, content, buffers: sent.append((content, buffers)))
    view.comm.handle_msg({"content": {"data": {"method": "custom", "content": {"do": "front end"}}}, "buffers": []})
    shared = view._front_end
    assert sent == [({"front_end": shared.digest}, [shared.module, shared.sheet])] and view.error is None


STRANGE = """
from autolab.views.live.widget import LiveView

LiveView._esm = LiveView._esm.replace(".get_model(", ".not_there(")
"""


@pytest.mark.browser
@pytest.mark.lab
def test_a_view_is_alive_where_a_host_cannot_name_another_model(lab: Lab, open_page: Callable[..., LabPage]) -> None:
    """JupyterLab's anywidget, which hands on no message before a view is initialized; the rest of it is taken away."""
    view = open_page(lab.write("strange.ipynb", STRANGE, PROGRAM))
    view.run(0)
    view.run(1)
    output = view.page.locator(".al-output .al-value .al-number")
    expect(output).to_have_text("10")
    view.page.locator(".al-node[aria-label^='x,']").press("ArrowRight")
    expect(output).to_have_text("10.03")
    assert view.problems == []


@pytest.mark.browser
@pytest.mark.lab
def test_two_views_in_jupyterlab_share_one_module_also_after_a_restart(
    lab: Lab, open_page: Callable[..., LabPage]
) -> None:
    path = lab.write("two.ipynb", PROGRAM, PROGRAM.replace("x=2.0", "x=5.0"))
    view = open_page(path, fresh=True)
    modules = "globalThis[Symbol.for('autolab.modules')].size"
    state = f"() => [{modules}, document.querySelectorAll('style[data-autolab]').length]"

    def check() -> None:
        view.run(0)
        view.run(1)
        outputs = view.page.locator(".al-output .al-value .al-number")
        expect(outputs).to_have_text(["10", "19"])
        assert view.page.locator(".al-view").first.evaluate("e => getComputedStyle(e).borderRadius") == "12px"
        assert view.page.evaluate(state) == [1, style_text("explorer.css").count("\f") + 1]

    check()
    for front_ends in (True, False):  # of the server; the notebook holds what that has not
        view.forget(front_ends)
        view.save(path)
        models = json.loads(path.read_text())["metadata"]["widgets"]
        models = models["application/vnd.jupyter.widget-state+json"]["state"]
        assert sum("digest" in model["state"] for model in models.values()) == (not front_ends)
    view.restart()
    check()


@pytest.mark.browser
@pytest.mark.lab
def test_a_view_keeps_its_looks_when_one_of_another_kind_is_shown(lab: Lab, open_page: Callable[..., LabPage]) -> None:
    heatmap = "import autolab\nautolab.heatmap(autolab.Variable([[1.0, 2.0]], name='W'))"
    view = open_page(lab.write("kinds.ipynb", PROGRAM, heatmap), fresh=True)
    view.run(0)
    accent = "e => getComputedStyle(e).getPropertyValue('--al-accent')"
    stage = view.page.locator(".al-root").first
    before = stage.evaluate(accent)
    view.run(1)
    expect(view.page.get_by_role("img", name="W").last).to_be_visible()
    assert view.page.locator("style[data-autolab]").count() == len(
        {sheet for kind in ("explorer", "heatmaps") for sheet in style_text(f"{kind}.css").split("\f")}
    )
    assert before and stage.evaluate(accent) == before
