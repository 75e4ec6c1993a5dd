"""R11 for `autolab page`: whatever a notebook holds or shows, its page runs nothing of it, fetches nothing, stays where
it is and looks as it does."""

from __future__ import annotations

import base64
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell
from playwright.sync_api import Browser, Frame
from views.payloads import PAYLOADS

from autolab.lesson.pages import notebook_page as lesson_page
from autolab.lesson.pages.notebook_page import TAGS as FORMULA_TAGS
from autolab.lesson.pages.sanitiser import TAGS
from autolab.views.export.pages import PAGE, VIEWS

COVER = "position:fixed;inset:0;z-index:9;background:red"
# Markup that leads away, or covers and restyles what is around it.
RUDE = [
    "<meta http-equiv=refresh content='0;url=http://evil.test/rude'>",
    "<svg><foreignObject><meta http-equiv=refresh content='0;url=http://evil.test/rude'></foreignObject></svg>",
    "<style>main { display: none }</style>",
    "<style scoped>* { color: red !important }</style>",
    "<svg><style>body { font-size: 4px; color: red }</style></svg>",
    "<math><mtext><style>body { color: red }</style></mtext></math>",
    "<link rel=stylesheet href='data:text/css,*{color:red!important}'>",
    f"<div style='{COVER}'>covered</div>",
    "<div style='position:absolute;top:0;left:0;width:9999px;height:9999px;background:red'></div>",
    "<p style='margin-top:-9999px;height:9999px;background:red'></p>",
    "<p style='transform:scale(99);background:red'>large</p>",
    "<p style='box-shadow:0 0 0 9999px red'>shadow</p>",
    f"<a href='http://evil.test/rude' target=_top style='{COVER}'>anywhere</a>",
    f"<a href='javascript:fired(1)' style='{COVER}'>anywhere</a>",
    f"<svg style='{COVER}'><a href='javascript:fired(1)'><rect width=999 height=999 fill=red /></a></svg>",
    f"<form action=http://evil.test/rude><input type=submit style='{COVER}'></form>",
    f"<iframe srcdoc='covered' style='{COVER}'></iframe>",
    "<dialog open style='top:0;width:100%;height:100%;background:red'>covered</dialog>",
    "<body style='color: red; font-size: 4px'>",
    "<body text=red bgcolor=black>",
    "<html style='display: none'>",
    "</div></div></div></main></body><div><center><font color=red size=7>",
    "</div></div></div></div></div><blockquote><details>",
    "<b><i><font color=red>",
    "<a href=#x><h1>",
    "<table><tr><td><table>",
    "<!-- and nothing more",
    "<textarea>",
    "<title>",
    "<select><option>",
    "<template>",
    "<xmp>",
    "<noscript>",
    "<plaintext>",
    "<div hidden><div inert><div dir=rtl>",
    "<base href=http://evil.test/><img src=rude>",
    "<img src=http://evil.test/rude srcset='http://evil.test/rude 2x'>",
    "<video poster=http://evil.test/rude src=http://evil.test/rude></video>",
]
HTML = [*PAYLOADS, *RUDE]
CALL = "fired(7)"
RUN = f"<script>{CALL}</script>"
SVG = f"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9' onload='{CALL}'>{RUN}</svg>"
POLICY = "<meta http-equiv='Content-Security-Policy' content=\"script-src 'unsafe-inline' *;\"><title>x</title>"
PNG = base64.b64encode(b"nothing").decode()
# Outputs by their types, with their metadata: everything but plain HTML.
OTHERS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"image/svg+xml": SVG}, {}),
    ({"text/markdown": f"{RUN} [x](javascript:{CALL}) ![x](http://evil.test/other)"}, {}),
    ({"text/latex": f"$x${RUN}"}, {}),
    ({"application/javascript": CALL}, {}),
    ({"application/javascript": CALL, "text/html": RUN, "text/plain": RUN}, {}),
    ({"text/vnd.mermaid": f"graph; a[{RUN}]"}, {}),
    ({"application/vnd.jupyter.widget-view+json": {"model_id": RUN}, "text/plain": "view"}, {}),
    ({"image/png": f'"><img src=x onerror={CALL}>'}, {}),
    ({"image/png": PNG}, {"image/png": {"width": f"1 src=x onerror={CALL} style={COVER}", "alt": f'">{RUN}'}}),
    ({"image/png": PNG}, {"filenames": {"image/png": "http://evil.test/other"}}),
    ({"image/jpeg": PNG}, {"image/jpeg": {"height": f"1 onerror={CALL}", "unconfined": True}}),
    ({"text/html": RUN}, {"text/html": {"isolated": True}}),
    ({PAGE: POLICY + RUN, "text/html": "old"}, {}),
    ({PAGE: {"view": "explorer", "title": f"</title>{RUN}", "data": f"</script>{RUN}"}, "text/html": RUN}, {}),
    ({PAGE: {"view": "../../x", "title": "x", "data": "{}"}, "text/html": RUN}, {}),
    ({PAGE: {"view": "lens", "title": f"</title>{RUN}", "data": "{}"}, "text/html": f"</noscript>{RUN}"}, {}),
    ({"application/vnd.autolab.page": POLICY + RUN, "text/plain": "older"}, {}),
    ({"text/html": RUN, "text/plain": "told"}, {"text/html": "no mapping"}),
]
NAME = "</title><img src=x onerror=fired(1)>.ipynb".replace("/", "\N{FULLWIDTH SOLIDUS}")
MARKER = "Everything here stays as it is."


def shown(data: dict[str, Any], metadata: dict[str, Any] | None = None) -> Any:
    return new_code_cell("0", outputs=[new_output("display_data", data=data, metadata=metadata or {})])


def marked(*cells: Any) -> Any:
    """A notebook with a marker above and below what is hostile in it."""
    return new_notebook(cells=[new_markdown_cell(MARKER), *cells, new_markdown_cell(MARKER)])


def hostile_cells() -> list[Any]:
    """Each payload as an output and as a markdown cell, in words and errors, and as what else a cell can hold."""
    cells = [cell for text in HTML for cell in (shown({"text/html": text}), new_markdown_cell(f"a\n\n{text}"))]
    cells += [shown(data, metadata) for data, metadata in OTHERS]
    words = "\n".join(HTML)
    stream = new_output("stream", name="stderr", text=f"\x1b[31m{words}")
    error = new_output("error", ename=RUN, evalue=RUN, traceback=[f"\x1b[1;31m{line}" for line in HTML])
    cells += [new_code_cell(words, outputs=[stream, error])]
    cells += [new_raw_cell(RUN), new_raw_cell(RUN, metadata={"raw_mimetype": "text/html", "tags": [f'">{RUN}']})]
    attached = {"x.png": {f'image/png;"><img src=x onerror={CALL}>': "AA"}, "y.png": {"text/html": "PGI+"}}
    return [*cells, new_markdown_cell("![x](attachment:x.png) ![y](attachment:y.png)", attachments=attached)]


class Watch:
    """A page in which calls and requests of payloads, and steps to other pages, are counted."""

    def __init__(self, browser: Browser) -> None:
        self.context = browser.new_context(viewport={"width": 1000, "height": 800})
        self.calls: list[Any] = []
        self.requests: list[str] = []
        self.steps: list[str] = []
        self.context.expose_function("fired", lambda n: self.calls.append(n))
        self.context.route(re.compile(r"^https?:"), self._refuse)
        self.page = self.context.new_page()
        self.page.on("framenavigated", lambda frame: self.steps.append(frame.url))
        self.context.on("page", lambda page: self.steps.append(page.url))

    def _refuse(self, route: Any) -> None:
        self.requests.append(route.request.url)
        route.abort()

    def open_each(self, documents: list[str], folder: Path) -> list[str]:
        """Every document in a frame of its own; how the marker at its end looks there."""
        for number, document in enumerate(documents):
            (folder / f"{number}.html").write_text(document, "utf-8", "replace")
        frames = "".join(f"<iframe src={n}.html width=900 height=700></iframe>" for n in range(len(documents)))
        (folder / "all.html").write_text(frames)
        self.page.goto((folder / "all.html").as_uri())
        self.page.wait_for_timeout(500)
        return [look(frame) for frame in self.page.main_frame.child_frames]


LOOK = """(text) => {
  const marker = [...document.querySelectorAll('p')].filter((p) => p.textContent === text).at(-1);
  if (!marker) return 'gone';
  marker.scrollIntoView();
  const { left, right, top, height } = marker.getBoundingClientRect();
  const at = document.elementFromPoint(left + 9, top + 9);
  const { color, fontSize, fontWeight, direction } = getComputedStyle(marker);
  const background = getComputedStyle(document.body).backgroundColor;
  const placed = marker.matches(`:is(html > body > main > .text_cell > .inner_cell > .text_cell_render) > p`);
  const seen = [at === marker, placed, color, fontSize, fontWeight, direction, background];
  return JSON.stringify([left, right, height, ...seen]);
}"""


def look(frame: Frame) -> str:
    """Place, size, colours and parents of the last marker, and whether something lies over it."""
    try:
        return frame.evaluate(LOOK, MARKER)
    except Exception as error:  # the frame shows another page by now
        return type(error).__name__


@pytest.fixture
def watch(browser: Browser) -> Any:
    made = Watch(browser)
    yield made
    made.context.close()


class Reader(HTMLParser):
    """What stands in a page outside its frames."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: dict[str, set[str]] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attrs:
            self.attributes.setdefault(name, set()).add(value or "")


def check_text(text: str) -> None:
    """Elements, attributes, links and policy of a page, without a browser."""
    start, _, body = text.partition("<body>")
    policies = re.findall(r'Content-Security-Policy" content="([^"]*)"', start)
    assert len(policies) == 1
    allowed = dict(part.split(" ", 1) for part in policies[0].split("; "))
    digest = r"'sha256-[A-Za-z0-9+/=]{44}'"
    for kind in ("style-src", "script-src"):
        assert re.fullmatch(rf"{digest}( {digest})*|'none'", allowed[kind]), allowed
    others = {kind: sources for kind, sources in allowed.items() if kind not in ("style-src", "script-src")}
    none = dict.fromkeys(("default-src", "base-uri", "form-action"), "'none'")
    assert others == {**none, "img-src": "data:", "style-src-attr": "'unsafe-inline'"}
    read = Reader(body)
    assert read.tags <= TAGS | FORMULA_TAGS | {"main", "iframe"}
    assert not [name for name in read.attributes if name.startswith("on")]
    assert not read.attributes.keys() & {"target", "srcset", "action", "background", "is", "hidden", "dir"}
    assert all(re.match(r"data:image/", address) for address in read.attributes["src"])
    assert all(re.match(r"(?i)(https?:|mailto:|#|[^:]*$)", address) for address in read.attributes["href"])
    properties = {part.partition(":")[0] for style in read.attributes["style"] for part in style.split(";")}
    assert properties <= {"color", "background-color", "font-weight", "font-style", "text-align", "text-decoration", ""}


@pytest.mark.lab
@pytest.mark.browser
def test_a_hostile_notebook_that_really_ran(watch, tmp_path):
    """The outputs come from a kernel; markdown, outputs and names also from the file."""
    assert len(HTML) + len(OTHERS) >= 100
    bundles = [[{"text/html": text}, {}] for text in HTML] + [list(pair) for pair in OTHERS]
    (tmp_path / "bundles.json").write_text(json.dumps(bundles), "utf-8")
    source = (
        "import json, sys\n"
        "from IPython.display import display\n"
        "for data, metadata in json.load(open('bundles.json')):\n"
        "    display(data, metadata=metadata, raw=True)\n"
        "    print(str(data), file=sys.stderr)\n"
    )
    cells = [new_code_cell(source), new_code_cell(f"raise ValueError({RUN!r})"), *hostile_cells()]
    nbformat.write(marked(*cells), tmp_path / NAME)
    failures = lesson_page.save_notebook(tmp_path / NAME, tmp_path / "hostile.html")
    assert failures[0] == f"ValueError: {RUN}"
    text = (tmp_path / "hostile.html").read_text("utf-8")
    check_text(text)
    (tmp_path / "plain.html").write_text(lesson_page._page("plain", marked()))
    watch.page.goto((tmp_path / "plain.html").as_uri())
    before = look(watch.page.main_frame)
    watch.steps.clear()
    watch.page.goto((tmp_path / "hostile.html").as_uri())
    watch.page.wait_for_timeout(500)
    assert look(watch.page.main_frame) == before
    assert watch.page.get_by_text(MARKER, exact=True).count() == 2
    assert watch.steps[0].endswith("hostile.html") and set(watch.steps[1:]) <= {"about:srcdoc"}
    assert (watch.calls, watch.requests) == ([], [])


def pages(guarded: bool) -> list[str]:
    """A page that is plain, and one for each payload; without the guards they have neither policy nor sanitiser."""
    text = lesson_page._page("one", marked(shown({"text/html": "PLACE"})))
    if guarded:
        return [text.replace("PLACE", lesson_page._piece(payload)) for payload in ("", *HTML)]
    text = re.sub(r'<meta http-equiv="Content[^>]*>', "", text)
    return [text.replace("PLACE", payload) for payload in ("", *HTML)]


@pytest.mark.lab
@pytest.mark.browser
def test_each_payload_leaves_its_page_as_it_is(watch, tmp_path):
    plain, *looks = watch.open_each(pages(guarded=True), tmp_path)
    assert [text for text, seen in zip(HTML, looks, strict=True) if seen != plain] == []
    assert (watch.calls, watch.requests) == ([], [])


@pytest.mark.lab
@pytest.mark.browser
def test_without_the_guards_they_run_leave_and_restyle(watch, tmp_path):
    plain, *looks = watch.open_each(pages(guarded=False), tmp_path)
    assert "true" in plain
    assert len(set(watch.calls)) >= 15
    assert len(set(watch.requests)) >= 5
    assert len([seen for seen in looks if seen != plain]) >= 20


@pytest.mark.lab
def test_the_policy_names_the_scripts_of_the_views_that_are_there():
    held = {"title": "x", "data": "{}"}
    for view in VIEWS:
        text = lesson_page._page("x", marked(shown({PAGE: {**held, "view": view}, "text/html": "picture"})))
        assert text.count("<iframe") == 1
        policy = re.search(r"script-src ([^;\"]*)", text)
        assert policy and len(policy[1].split()) == 2
        assert all(
            digest in text.partition("<iframe")[2].replace("&amp;", "&").replace("&#x27;", "'")
            for digest in policy[1].split()
        )


@pytest.mark.lab
def test_the_policy_of_a_lesson_is_this_and_no_looser() -> None:
    digest = r"'sha256-[A-Za-z0-9+/]{43}='"
    text = lesson_page._page("</title><b>", new_notebook())
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert re.fullmatch(
        "default-src 'none'; img-src data:; style-src-attr 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
        rf"style-src {digest}; script-src 'none'",
        policy.replace("&#x27;", "'"),
    )
    assert "<title>&lt;/title&gt;&lt;b&gt;</title>" in text
