"""A saved graph moves without Python: it shows Python's numbers elsewhere too, or says that it cannot."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.chromium import page_with
from playwright.sync_api import Page, expect

import autolab
from autolab import functions as F
from autolab.views.draw.messages import say
from autolab.views.draw.numbers import number
from autolab.views.export.pages import export_html
from autolab.views.graph.explorer import Explorer
from autolab.views.graph.moving_walk import moving_walk
from autolab.views.graph.page_program import motion
from autolab.views.graph.questions import Reader
from autolab.views.graph.session import Session
from autolab.views.live.bundle import module_text
from autolab.views.live.saved_page import as_json

from ..looking import seen
from ..programs import muladd

Open = Callable[..., Page]
NEAR = "\u2248"
WEIGHTS = np.random.default_rng(0).normal(size=(4, 3))


def net(x, w):
    return F.softmax_cross_entropy(F.reshape(F.tanh(w @ x), shape=(1, 4)), np.array([1]))


def scores(x):
    h = F.sin(x)
    k = h * x
    z = F.exp(k)
    y = z + 1
    return F.log(y)


def attention(x, w):
    scores = (x @ w) @ x.T
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (weights / weights.sum(axis=1, keepdims=True) @ x).sum()


def branching(x):
    return x * 2 if x > 0.5 else x * 3


def spoken(page: Page) -> list[str]:
    return [str(box.get_attribute("aria-label")) for box in page.locator(".al-node").all()]


def sentence(page: Page) -> str:
    return str(page.locator(".al-sentence").text_content())


@pytest.mark.browser
@pytest.mark.parametrize(
    ("fn", "inputs", "keys"),
    [
        (muladd, {"x": 2.0, "y": 3.0, "z": 4.0}, ["ArrowRight", "PageDown", "End", "Home"]),
        (scores, {"x": 0.7}, ["ArrowLeft", "PageUp", "PageUp", "End", "Home"]),
        (scores, {"x": np.float32(0.7)}, ["ArrowLeft", "PageUp"]),
    ],
)
def test_it_says_elsewhere_what_python_says(open_file: Open, explorer: Any, fn: Any, inputs: Any, keys: Any) -> None:
    view: Explorer = explorer(fn, **inputs)
    page = open_file(view)
    assert sentence(page) == say("page_moves", what="a blue number")
    slider = page.locator("[role=slider]").first
    name = next(iter(inputs))
    for key in keys:
        slider.press(key)
        x = float(str(slider.get_attribute("aria-valuenow")))
        there = explorer(fn, **{**inputs, name: type(inputs[name])(x)})
        expected = [node["spoken"] for node in seen(there).readings["nodes"].values()]
        expect(page.locator(".al-node").first).to_have_attribute("aria-label", expected[0])
        assert spoken(page) == expected
    assert sentence(page) == say("page_moved")


def from_a_sum(x):
    y = F.sum(x)
    return y * 2 if y >= 1 else y * 3


def deviation(x):
    return F.sqrt(F.mean(x * x) - F.mean(x) ** 2)


def angle(x, y):
    return F.arccos(F.sum(x * y) / F.sqrt(F.sum(x * x) * F.sum(y * y)))


def masked(x):
    mask = x.data > 0
    return F.sum(F.where(mask, x, -x) * F.where(mask, x, 1.0))


def stopped(x):
    with autolab.no_grad():
        weight = F.softmax(x * 2)
    return x * weight, autolab.Variable(weight.data * 3, requires_grad=False)


def from_lists(x):
    return F.where([True, False], 2 * x - [1.0, 2.0], F.concatenate([x[:1], [2.0]])) * F.where(True, x, 1.0)


def pole(x):
    return 1 / (x - 1)


def corner(x):
    h = x * x - 1
    return F.sqrt(-h) if h <= 0 else h * 2


def chosen(n, x):
    return F.where(n.data > 2, x, -x)


TENTHS, PAIR = np.array([0.1] * 9 + [0.05]), np.array([1.6, 2.0])
MOVES: list[tuple[Any, dict[str, Any], list[tuple[str, int | None, float]], bool]] = [
    (from_a_sum, {"x": TENTHS}, [("x", 9, 0.1)], False),  # 1 in one order of its terms, and less in another
    (from_a_sum, {"x": TENTHS}, [("x", 9, 0.01), ("x", 0, 0.07)], True),
    (deviation, {"x": TENTHS}, [("x", 9, 0.1)], False),  # NaN or 0
    (deviation, {"x": TENTHS}, [("x", 9, 0.33)], True),
    (angle, {"x": PAIR, "y": np.array([1.0, 3.0])}, [("x", 0, 1.0), ("x", 1, 2.5)], True),
    (masked, {"x": PAIR}, [("x", 0, -0.3), ("x", 1, 0.0)], True),
    (lambda x: x * F.softmax(x).data, {"x": PAIR}, [("x", 0, 3.3)], True),
    (lambda x: x @ (x.data * 2), {"x": PAIR}, [("x", 0, 3.3)], True),
    (stopped, {"x": PAIR}, [("x", 0, -0.3)], True),
    (from_lists, {"x": PAIR}, [("x", 0, -0.3)], True),
    (pole, {"x": 2.0}, [("x", None, 1.0), ("x", None, 0.0)], True),
    (corner, {"x": 0.5}, [("x", None, 1.0), ("x", None, -1.0)], True),
    (chosen, {"n": np.int64(5), "x": 2.0}, [("n", None, 2.5), ("n", None, 3.5), ("n", None, -0.5)], True),
    (lambda x: F.log(x), {"x": 0.5}, [("x", None, 0.0), ("x", None, -0.0), ("x", None, -1.0)], True),
    (lambda x, y: x**y, {"x": np.float32(2), "y": np.float32(3)}, [("x", None, -2.0), ("y", None, 0.5)], True),
]


@pytest.fixture(scope="module")
def bare(browser: Any) -> Any:
    with page_with(browser, module_text("moving.js"), "makeMotion") as page:
        yield page


@pytest.mark.browser
@pytest.mark.parametrize(("fn", "inputs", "moves", "can"), MOVES)
def test_it_moves_as_python_does_or_says_that_it_cannot(
    bare: Page, fn: Any, inputs: Any, moves: Any, can: bool
) -> None:
    session = Session(fn, inputs=inputs)

    def numbers() -> Any:
        return Reader(session.record(), session=session).ask(["numbers", 0, None, False])

    before = numbers()
    found = motion(session, session.recording)
    bare.evaluate("(found) => { window.moving = makeMotion(found) }", found)
    for key, index, value in moves:
        move = {"key": key, "index": index, "value": value}
        assert bare.evaluate("(move) => moving.move(move)", move) is can
        session.move(key, index, value)
        there = bare.evaluate("(before) => moving.ahead('[\"numbers\"]', before).nodes", before)
        texts = {
            (id, of): (node[of], there[id][of]) for id, node in numbers()["nodes"].items() for of in ("value", "grad")
        }
        assert not can or {k: pair for k, pair in texts.items() if pair[0] != pair[1] and NEAR not in pair[1]} == {}


def sums(x, w, b):
    h = F.tanh(x @ w + b)
    return F.sum(h * h * -x[0, 0]), h


def powers(x, y):
    h = x * y - x
    return h**3 / (y - 0.5) - h


WALKS: list[tuple[Any, dict[str, Any], list[tuple[str, int | None, float]]]] = [
    (muladd, {"x": 2.0, "y": 3.0, "z": 4.0}, [("x", None, -1.25), ("y", None, -3.0), ("z", None, -0.5)]),
    (powers, {"x": 2.0, "y": 3.0}, [("x", None, -1.25), ("y", None, -3.0)]),
    (net, {"x": np.array([1.0, 2.0, -1.0]), "w": WEIGHTS}, [("x", 1, 2.5), ("w", 4, -0.5)]),
    (sums, {"x": WEIGHTS, "w": WEIGHTS.T, "b": np.zeros(4)}, [("b", 1, 0.5), ("x", 0, -0.7)]),
    (sums, {"x": WEIGHTS.astype("f4"), "w": WEIGHTS.T.astype("f4"), "b": np.zeros(4, "f4")}, [("b", 1, 0.5)]),
    (attention, {"x": WEIGHTS.T, "w": np.eye(4)}, [("w", 3, -0.5)]),
    (lambda x: F.relu(x) * F.maximum(x, 0.0), {"x": np.array([1.0, -2.0, 3.0])}, [("x", 0, -0.25), ("x", 1, 0.5)]),
    (lambda n, x: x * n, {"n": np.int64(5), "x": PAIR}, [("n", None, -3)]),
]


def plain(formula: str) -> str:
    """A formula without brackets, and with one way to add a negative number."""
    return re.sub(r"\+ \u2212", "\u2212 ", re.sub(r"[()\u2248]", "", formula.replace("-", "\u2212")))


def in_numbers(formula: str) -> list[Any]:
    """A formula as its words and its numbers: of these, the page shows the digits of which it is sure."""
    parts = re.split(r"(\d[\d.]*(?:e[+\u2212-]\d+)?)", plain(formula))
    return [pytest.approx(float(one.replace("\u2212", "-")), rel=0.02) if k % 2 else one for k, one in enumerate(parts)]


@pytest.mark.browser
@pytest.mark.parametrize(("fn", "inputs", "moves"), WALKS)
def test_the_walk_follows_what_the_page_computes(bare: Page, fn: Any, inputs: Any, moves: Any) -> None:
    """After a move each moment says what Python says there, about the cells that were followed before."""
    session = Session(fn, inputs=inputs)
    before = Reader(session.record(), 64)
    count = len(before.walk)
    program = motion(session, session.recording)
    assert program["walks"]
    program["moments"] = moving_walk(session.recording, program["shown"], 64, count)
    saved = [before.ask(["frame", k, None]) for k in range(count)]
    bare.evaluate("(found) => { window.moving = makeMotion(found) }", json.loads(as_json(program)))
    answers = """(saved) => saved.map((one, k) => moving.answer(`["frame",${k},null]`, one, ""))"""
    for key, index, value in moves:
        assert bare.evaluate("(move) => moving.move(move)", {"key": key, "index": index, "value": value})
        session.move(key, index, value)
        there = Reader(session.record(), 64)
        for k, found in enumerate(bare.evaluate(answers, json.loads(as_json({"all": saved}))["all"])):
            expected = there.ask(["frame", k, None])
            same = [line["mark"] for line in found["lines"]] == [line["mark"] for line in expected["lines"]]
            for one in (found, expected):
                one["formula"] = one["formula"] and plain(one["formula"]["text"])
            for name in ("title", "place", "nodes", "edge", "notes", "spoken", "formula"):
                assert NEAR in str(found[name]) or found[name] == expected[name], (k, name)
            if len(found["lines"]) < len(expected["lines"]):
                del expected["lines"][1]  # of a Jacobian, which the page does not compute
            for mine, python in zip(found["lines"], expected["lines"], strict=True):
                for fact in ("label", "shape", "text"):
                    assert NEAR in mine[fact] or mine[fact] == python[fact], (k, mine["label"])
                for fact in ("scale", "min", "max", "nan", "inf") if python["array"] else ():
                    assert mine["array"][fact] == pytest.approx(python["array"][fact], rel=1e-4), (k, mine["label"])
            if same and len(found["numbers"]) == len(expected["numbers"]):
                assert [*map(in_numbers, found["numbers"])] == [*map(in_numbers, expected["numbers"])]


@pytest.mark.browser
@pytest.mark.parametrize(("dtype", "ends"), [(np.uint8, (0, 255)), (np.int8, (-128, 127)), (np.int64, (-1e9, 1e9))])
def test_an_integer_moves_within_its_dtype(bare: Page, dtype: Any, ends: tuple[int, int]) -> None:
    session = Session(lambda n, x: x * n, inputs={"n": dtype(5), "x": 2.0})
    found = motion(session, session.record())
    bare.evaluate("(found) => { window.moving = makeMotion(found) }", found)
    for end, beyond in zip(ends, (-1, 1), strict=True):
        for value, can in ((end, True), (end + beyond, dtype is np.int64)):
            assert bare.evaluate("(value) => moving.move({ key: 'n', index: null, value })", value) is can
            assert can or bare.evaluate("moving.point().n") == [end]


@pytest.mark.browser
def test_where_a_branch_goes_another_way_it_stays_and_says_so(open_file: Open, explorer: Any) -> None:
    page = open_file(explorer(branching, x=1.0))
    slider = page.locator("[role=slider]").first
    slider.press("ArrowLeft")
    before = spoken(page)
    assert sentence(page) == say("page_moved") and "gradient 2" in before[0]
    slider.press("Home")
    expect(page.locator(".al-sentence")).to_have_text(say("page_elsewhere"))
    assert spoken(page) == before
    expect(page.locator(".al-node .al-value .al-number").first).to_have_text(str(slider.get_attribute("aria-valuenow")))
    slider.press("End")
    expect(page.locator(".al-sentence")).to_have_text(say("page_moved"))


@pytest.mark.browser
def test_a_page_whose_function_takes_a_maximum_moves(open_file: Open, explorer: Any) -> None:
    """Its gradient asks where the maximum is: a result that no rounding touches must stay what it is."""
    rng = np.random.default_rng(0)
    page = open_file(explorer(attention, x=rng.normal(size=(3, 4)), w=rng.normal(size=(4, 4))))
    assert sentence(page) == say("page_moves", what="a cell of an input up or down")


@pytest.mark.browser
def test_cells_are_dragged_on_a_phone(open_file: Open, explorer: Any) -> None:
    page = open_file(explorer(net, x=np.ones(3), w=WEIGHTS), viewport={"width": 390, "height": 700}, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    cells = page.locator(".al-node").first.locator(".al-value .al-cells")
    cells.scroll_into_view_if_needed()
    box = cells.bounding_box()
    assert box
    before = spoken(page)
    page.mouse.move(box["x"] + 4, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 64, box["y"] + box["height"] / 2, steps=8)
    page.mouse.up()
    expect(page.locator(".al-node").last).not_to_have_attribute("aria-label", before[-1])


@pytest.mark.browser
def test_a_long_array_is_read_aloud_as_its_range(open_file: Open, explorer: Any) -> None:
    """Moved, its box says what Python says there: shape and range, not the ``(3, 4) …`` that it shows."""

    def squares(w: Any) -> Any:
        return F.sum(w * w)

    weights = np.arange(12.0).reshape(3, 4)
    page = open_file(explorer(squares, w=weights))
    box = page.locator(".al-node").first.locator(".al-value .al-cells").bounding_box()
    assert box
    page.mouse.move(box["x"] + 4, box["y"] + 4)  # the first element
    page.mouse.down()
    page.mouse.move(box["x"] + 34, box["y"] + 4, steps=8)
    weights[0, 0] = float(sentence(page).removeprefix("w[0, 0] = "))
    page.mouse.up()
    expected = [node["spoken"] for node in seen(explorer(squares, w=weights)).readings["nodes"].values()]
    ends = f"from {number(weights.min())} to {number(weights.max())}"
    assert expected[0].startswith(f"w, input, value array of 3 by 4 {ends}, gradient array of 3 by 4 from ")
    expect(page.locator(".al-node").first).to_have_attribute("aria-label", expected[0])
    assert spoken(page) == expected


@pytest.mark.browser
def test_damaged_programs_are_refused_and_nothing_moves(open_file: Open, explorer: Any, tmp_path: Path) -> None:
    view = explorer(muladd, x=2.0, y=3.0, z=4.0)
    page = open_file(view)
    written = (tmp_path / "page0.html").read_text("utf-8")
    for change in (('"multiply",', '"subtract",'), ('"multiply",', '"mystery",'), ("[[0,0,[],[]]", "[[0,9,[],[]]")):
        assert change[0] in written
        (tmp_path / "page0.html").write_text(written.replace(*change), "utf-8")
        page.reload()
        page.wait_for_selector(".al-root")
        assert sentence(page) == say("page_apart")
        assert page.locator("[role=slider]").count() == 0


@pytest.mark.parametrize(
    ("fn", "named"),
    [
        (lambda x: x * np.random.default_rng().normal(), "the same each time"),
        (lambda x: x * float(x), "item"),
        (lambda x: F.sum(np.linalg.svd(x * np.eye(2))[1]), "svd"),
        (lambda x: F.dropout(x * np.ones(4), 0.5).sum(), "random"),
        (lambda x: F.where(x.data > 0, autolab.Variable(2.0), 1.0), "float16"),
    ],
)
def test_what_cannot_move_is_named(explorer: Any, fn: Any, named: str) -> None:
    view = explorer(fn, x=np.float16(1.5) if named == "float16" else 1.5)
    assert named in motion(view._session, view.recording)["why"]


def _counting() -> dict[str, Any]:
    """Functions that are others from their sixth call on; how each counts its calls."""
    calls, count, ticks = [0], 0, itertools.count()

    class Counter:
        n = 0

    counter = Counter()

    def in_a_list(x: Any) -> Any:
        calls[0] += 1
        return x * (2.0 if calls[0] < 6 else 3.0)

    def around_it(x: Any) -> Any:
        nonlocal count
        count += 1
        return x * (2.0 if count < 6 else 3.0)

    def in_an_object(x: Any) -> Any:
        counter.n += 1
        return x * (2.0 if counter.n < 6 else 3.0)

    def in_a_default(x: Any, seen: Any = ("", {})) -> Any:
        seen[1][len(seen[1])] = True
        return x * (2.0 if len(seen[1]) < 6 else 3.0)

    def by_an_iterator(x: Any) -> Any:
        return x * (2.0 if next(ticks) < 6 else 3.0)

    return {
        "calls": in_a_list,
        "count": around_it,
        "counter.n": in_an_object,
        "seen": in_a_default,
        "ticks": by_an_iterator,
    }


@pytest.mark.parametrize("named", _counting())
def test_a_function_that_counts_its_calls_does_not_move(explorer: Any, named: str) -> None:
    view = explorer(_counting()[named], x=1.5)
    assert f"the function changes {named}" in motion(view._session, view.recording)["why"]


def test_a_page_of_a_recording_alone_stands_still(tmp_path: Path) -> None:
    export_html(autolab.record(muladd, 2.0, 3.0, 4.0), tmp_path / "page.html")
    assert '"program":{"slots"' not in (tmp_path / "page.html").read_text("utf-8")


def test_a_moving_page_is_light(explorer: Any, tmp_path: Path) -> None:
    export_html(explorer(net, x=np.ones(3), w=WEIGHTS), tmp_path / "page.html")
    assert (tmp_path / "page.html").stat().st_size <= 400_000


MODULES = Path(autolab.__file__).parent / "views" / "graph"
SIZES = [v * 10.0**k for v in (1, -1.5, 2.0625, 9.99951, 1 / 3) for k in range(-8, 9)]
VALUES = [*SIZES, 0.0, -0.0, math.nan, -math.inf]


@pytest.mark.browser
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_number_is_written_as_python_writes_it(page: Page, dtype: str) -> None:
    text = (MODULES / "moving.js").read_text("utf-8").split("// Numbers as text")[1].replace("export ", "")
    head = 'const PRECISION = { float64: 2 ** -52, float32: 2 ** -23 };\nconst MINUS = "\\u2212";\n//'
    values = np.array(VALUES, dtype)
    given = json.dumps([repr(float(v)).replace("nan", "NaN").replace("inf", "Infinity") for v in values])
    found = page.evaluate(f"() => {{ {head}{text}\nreturn {given}.map((x) => number(Number(x), '{dtype}')); }}")
    assert found == [number(v) for v in values]
