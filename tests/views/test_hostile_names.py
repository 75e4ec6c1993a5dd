"""R11: names are data in every format. Parsed with real parsers here; run in a real browser below."""

import base64
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab.analysis import Study, show_hessian, show_jacobian, surface
from autolab.gradcheck import Finding, GradientReport, InputReport
from autolab.views import mimebundle
from autolab.views.draw.escape import clean
from autolab.views.graph.graph_svg import to_svg
from autolab.views.heatmap.board import Board, gather

from .cases import named
from .payloads import PAYLOADS

pytestmark = pytest.mark.goal(id="R11")

HTML_TAGS = {
    "img",
    "details",
    "summary",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "code",
    "p",
    "b",
    "strong",
    "ul",
    "li",
}
HTML_ATTRIBUTES = {"alt", "src", "scope"}
SVG_TAGS = {
    *("svg", "title", "desc", "style", "g", "rect", "path", "circle", "marker", "text", "tspan", "image"),
    *("linearGradient", "stop"),
}
SVG_ATTRIBUTES = {
    *(
        "id",
        "class",
        "role",
        "aria-labelledby",
        "x",
        "y",
        "width",
        "height",
        "rx",
        "r",
        "d",
        "fill",
        "viewBox",
        "transform",
    ),
    *("href", "offset", "stop-color", "marker-end", "markerWidth", "markerHeight", "refX", "refY", "orient"),
    *("markerUnits", "cx", "cy", "opacity", "stroke-dasharray", "preserveAspectRatio"),
}


def hostile_report(name):
    ones = np.ones((2, 2))
    item = InputReport(name, (2, 2), "float64", "wrong", ones, ones, ones, ones, (0, 1), 4)
    return GradientReport(name, "wrong", (item,), (Finding("factor", name, f"{name} is wrong", {}),), (), 1, 0.0)


def hostile_variable(name):
    return autolab.Variable(np.ones((2, 2)), name=name)


def hostile_class(name):
    return type(name, (autolab.Variable,), {})(1.0)


def hostile_function(name):
    def fn(x):
        if x.data.ndim == 0 and x.data < -3.5:
            raise ValueError(name)
        return x * x

    fn.__name__ = name.encode("utf-8", "replace").decode()
    return fn


def hostile_derivatives(name):
    return Study(hostile_function(name), 0.5, 1).data


def hostile_inputs(name):
    def fn(**inputs):
        return sum(x * x for x in inputs.values())

    fn.__name__ = hostile_function(name).__name__
    return fn, {name: 0.5, f"{name} 2": 1.5}


def hostile_hessian(name):
    fn, inputs = hostile_inputs(name)
    return show_hessian(fn, **inputs)


def hostile_jacobian(name):
    fn, inputs = hostile_inputs(name)
    return show_jacobian(fn, **inputs)


def hostile_surface(name):
    return replace(surface(lambda x, y: x * x + y * y, (1.0, 2.0), steps=5), names=(name, name))


def hostile_heatmap(name):
    arrays = gather(({name: np.array([1.0, np.nan])},), {})
    return type("Static", (), {"bundle": Board(arrays, "value", "symlog", True).static()})()


MAKERS = (named, hostile_variable, hostile_class, hostile_report, hostile_derivatives, hostile_hessian)
MAKERS += (hostile_jacobian, hostile_surface, hostile_heatmap)


@cache
def bundle_of(make, name):
    """What a notebook saves of something that shows the name; not to be changed."""
    one = make(name.replace("\x00", "") if make is hostile_class else name)  # a class cannot have that name
    return one.bundle if type(one).__name__ == "Static" else mimebundle(one)


def bundles(name, every=1):
    """Of everything that shows names, each ``every``-th shows this one; the next name is shown by the next ones."""
    return [bundle_of(make, name) for make in MAKERS[PAYLOADS.index(name) % every :: every]]


each_name = each("name", PAYLOADS, ids=range(len(PAYLOADS)))
every_one = each("every", [4, pytest.param(1, marks=pytest.mark.full)])


class Reader(HTMLParser):
    """Collects tags, attributes and text as a browser would read them."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.words, self.pictures = set(), set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {key for key, _ in attrs}
        self.pictures += [value for key, value in attrs if key == "src"]

    def handle_data(self, data):
        self.words.append(data)

    def handle_comment(self, data):
        self.tags.add("comment")

    handle_decl = handle_pi = unknown_decl = handle_comment


def check_svg(document):
    root = ElementTree.fromstring(document)
    for node in root.iter():
        assert node.tag.removeprefix("{http://www.w3.org/2000/svg}") in SVG_TAGS
        assert set(node.attrib) <= SVG_ATTRIBUTES
        assert node.get("href", "data:image/png;base64,").startswith("data:image/png;base64,")
    return [text for node in root.iter() for text in (node.text, node.tail) if text]


@each_name
@every_one
def test_no_element_and_no_attribute_comes_from_a_name(name, every):
    for bundle in bundles(name, every):
        reader = Reader(bundle["text/html"])
        assert reader.tags <= HTML_TAGS and reader.attributes <= HTML_ATTRIBUTES
        for address in reader.pictures:
            start, data = address.split(",", 1)
            assert start == "data:image/svg+xml;base64"
            check_svg(base64.b64decode(data).decode())


@each_name
@every_one
def test_a_name_shows_as_the_text_that_it_is(name, every):
    shown = clean(name)
    html = Reader(mimebundle(hostile_variable(name))["text/html"])
    assert shown in "".join(html.words)
    assert any(shown[:10] in text for text in check_svg(to_svg(named(name))))
    for bundle in bundles(name, every):
        assert not re.search(r"[\x00-\x08\u202a-\u202e\u2066-\u2069]", "".join(Reader(bundle["text/html"]).words))


@each_name
@every_one
def test_a_name_starts_no_formula(name, every):
    for bundle in bundles(name, every):
        outside_code = re.sub(r"<code>.*?</code>|<[^>]*>", "\n", bundle["text/html"])
        assert "$" not in outside_code and "\\(" not in outside_code


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz' program dot is not installed")
@each_name
def test_dot_reads_a_name_as_a_label(name):
    source = named(name).to_graphviz().source
    drawn = subprocess.run(["dot", "-Tsvg"], input=source.encode(), capture_output=True, timeout=20, check=True)
    root = ElementTree.fromstring(drawn.stdout)
    titles = [node.text for node in root.iter("{http://www.w3.org/2000/svg}title")]
    assert sorted(titles[1:]) == ["step0", "step0->step2", "step1", "step2"]
    assert not list(root.iter("{http://www.w3.org/2000/svg}a"))
    words = [" ".join((node.text or "").split()) for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert " ".join(clean(name).split()) in words


def test_without_escaping_the_parsers_find_the_holes():
    caught = 0
    for name in PAYLOADS:
        reader = Reader(f'<p title="{name}">{name}</p>')
        caught += bool(reader.tags - HTML_TAGS or reader.attributes - HTML_ATTRIBUTES - {"title"})
    assert caught >= 40


# --- in a browser ---------------------------------------------------------------------------------------------------


class Watch:
    """A page in which calls and requests of payloads are counted."""

    def __init__(self, browser):
        self.context = browser.new_context()
        self.calls, self.requests = [], []
        self.context.expose_function("fired", lambda n: self.calls.append(n))
        self.context.route(re.compile(r"^https?:"), self._refuse)
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)

    def _refuse(self, route):
        if "evil.test" in route.request.url:
            self.requests.append(route.request.url)
        route.abort()

    def show(self, html):
        self.page.set_content(html, wait_until="load")
        self.page.wait_for_timeout(300)

    def show_each(self, kind, documents):
        """Every document in a frame of its own, as if it had been opened."""
        data = (base64.b64encode(document.encode("utf-8", "replace")).decode() for document in documents)
        self.show("".join(f'<iframe src="data:{kind};charset=utf-8;base64,{text}"></iframe>' for text in data))

    def open(self, path):
        self.page.goto(path.as_uri(), wait_until="load")
        self.page.wait_for_timeout(300)


@pytest.fixture
def watch(browser):
    made = Watch(browser)
    yield made
    made.context.close()


@pytest.mark.browser
@every_one
def test_trusted_outputs_run_nothing(watch, every):
    outputs = [bundle["text/html"] for name in PAYLOADS for bundle in bundles(name, every)]
    watch.show("".join(outputs).replace("<details>", "<details open>"))
    assert watch.page.evaluate("[...document.images].every(i => i.complete && i.naturalWidth > 0)")
    assert (watch.calls, watch.requests) == ([], [])


@pytest.mark.browser
def test_pictures_inside_a_page_run_nothing(watch):
    watch.show("".join(to_svg(named(name)) for name in PAYLOADS))
    assert watch.page.evaluate("document.querySelectorAll('svg').length") == len(PAYLOADS)
    assert (watch.calls, watch.requests) == ([], [])


@pytest.mark.browser
def test_opened_pictures_run_nothing(watch):
    watch.show_each("image/svg+xml", (to_svg(named(name)) for name in PAYLOADS))
    assert len(watch.page.frames) == 1 + len(PAYLOADS)
    assert (watch.calls, watch.requests) == ([], [])


@pytest.mark.browser
def test_without_escaping_the_browser_runs_them(watch):
    watch.show_each("text/html", (f'<p title="{name}">{name}</p>' for name in PAYLOADS))
    assert len(set(watch.calls)) >= 15
    assert len(set(watch.requests)) >= 3


@pytest.mark.browser
def test_without_escaping_an_opened_picture_runs_them(watch):
    start = '<svg xmlns="http://www.w3.org/2000/svg"><text>'
    watch.show_each("image/svg+xml", (f"{start}{name}</text></svg>" for name in PAYLOADS))
    assert watch.calls
