"""What pages may send: each view obeys its messages, with fields of their kinds and within their bounds, and no others.

A message that does not fit is told in one sentence, is acknowledged, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab import Variable
from autolab import functions as F
from autolab import links as L
from autolab.training.extensions import LiveMonitor
from autolab.views.check.lens import Lens
from autolab.views.check.session import LensSession
from autolab.views.derivatives.explorer import DerivativeExplorer
from autolab.views.derivatives.session import DerivativeSession
from autolab.views.graph.explorer import Explorer
from autolab.views.graph.graph_view import GraphView
from autolab.views.graph.questions import Reader
from autolab.views.graph.session import Session
from autolab.views.heatmap.board import Board
from autolab.views.heatmap.heatmap import Heatmap, gather
from autolab.views.interact.interact import Interact
from autolab.views.live.protocol import handlers
from autolab.views.live.saved_page import state_of
from autolab.views.live.session_view import SessionView
from autolab.views.live.widget import LiveView
from autolab.views.monitor.view import MonitorView
from autolab.views.plots.surface_view import SurfaceView

NUMBER, KEY, NONE = (int, float), (str, int), type(None)
ALL: dict[str, Any] = {"hello": {}, "look": {"look": dict, "questions": list}, "ask": {"question": list}}
COMPUTED: dict[str, Any] = {**ALL, "again": {}, "stop": {}}
ALLOWED: dict[type[LiveView], dict[str, dict[str, Any]]] = {
    Explorer: {
        **COMPUTED,
        "move": {"key": KEY, "index": (int, NONE), "value": NUMBER, "final": bool},
        "draw": {"key": KEY, "distribution": str, "scale": NUMBER, "seed": int},
        "choose": {"setting": str, "value": KEY},
        "intervene": {"step": int, "value": (int, float, NONE), "final": bool},
        "undo": {},
        "reset": {},
    },
    GraphView: ALL,
    DerivativeExplorer: {**COMPUTED, "move": {"key": str, "value": NUMBER}},
    Lens: COMPUTED,
    Heatmap: {**ALL, "again": {}},
    Interact: {**ALL, "move": {"key": str, "value": NUMBER}, "choose": {"setting": str, "value": str}, "draw": {}},
    MonitorView: {**ALL, "stop": {}},
    SurfaceView: ALL,
}
KINDS = sorted(ALLOWED, key=lambda kind: kind.__name__)
SAMPLES: list[Any] = [None, True, 1, 0.5, "x", [], {}]
GOOD: dict[Any, Any] = {int: 0, float: 0.5, str: "x", bool: True, list: [], dict: {}, NONE: None}


def program(x: Variable, v: Variable, n: Variable) -> Variable:
    return F.sum(F.gelu(v) * x) + n


def trained() -> LiveMonitor:
    model = L.Classifier(L.MLP((3,)))
    monitor = LiveMonitor(model)
    data, labels = np.eye(3, dtype=np.float32), np.arange(3)
    optimizer = autolab.optimizers.SGD(0.1).setup(model)
    for _ in range(2):
        monitor.update(loss=optimizer.update(model, data, labels))
    return monitor


def arrays() -> dict[str, Any]:
    return {"W": np.arange(24.0).reshape(2, 3, 4)}


def lens() -> Lens:
    report = autolab.check_gradients(lambda v: v * v, v=np.arange(1.0, 4.0))
    return Lens(LensSession(report, report._origin))


def bowl_surface() -> Any:
    return autolab.plots.surface(lambda x, y: x**2 + y**2, (0.0, 0.0), steps=3)


MAKE: dict[type[LiveView], Callable[[], LiveView]] = {
    Explorer: lambda: Explorer(Session(program, inputs={"x": 2.0, "v": np.ones(3), "n": np.array(1)})),
    GraphView: lambda: GraphView(autolab.graph(Variable(2.0, name="x") * 3)),
    DerivativeExplorer: lambda: DerivativeExplorer(DerivativeSession(F.tanh, 0.5), 30.0),
    Lens: lens,
    Heatmap: lambda: Heatmap(Board(gather((arrays(),), {}), "value", "linear", True)),
    Interact: lambda: Interact(lambda a, word, rng: (f"{a} {word}", arrays()), SLID, {}),
    MonitorView: lambda: MonitorView(trained()),
    SurfaceView: lambda: SurfaceView(bowl_surface(), (0.5, 0.5), "SGD", 3),
}
SLID: dict[str, Any] = {"a": (0.0, 1.0, 2.0), "word": ["one", "two"], "rng": np.random.default_rng(0)}


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def view(request: pytest.FixtureRequest) -> Iterator[LiveView]:
    """A view of each kind, at rest."""
    yield from at_rest(request.param)


def at_rest(kind: type[LiveView]) -> Iterator[LiveView]:
    found = MAKE[kind]()
    if isinstance(found, SessionView):  # so that a busy machine changes no answer
        found.wait_seconds = 30.0
        with found._lock:
            assert found._lock.wait_for(lambda: found._running is None, 30)
    yield found
    found.close()


def kind_of(view: LiveView) -> type[LiveView]:
    return next(kind for kind in KINDS if isinstance(view, kind))


def shown(view: LiveView) -> str:
    """All that the pages show, but for the error and the acknowledgement."""
    state = {name: value for name, value in state_of(view).items() if name not in ("condition", "ack")}
    condition = {**view.condition, "error": None}
    return repr({**state, "condition": condition, "at": str(getattr(getattr(view, "_session", None), "state", ""))})


def is_of(value: Any, kinds: Any) -> bool:
    allowed = kinds if isinstance(kinds, tuple) else (kinds,)
    return type(value) in allowed


def unfit(kind: type[LiveView]) -> Iterator[dict[str, Any]]:
    """Messages with one field too few, or one of a wrong kind."""
    for what, fields in ALLOWED[kind].items():
        whole = {name: GOOD[kinds[0] if isinstance(kinds, tuple) else kinds] for name, kinds in fields.items()}
        for name, kinds in fields.items():
            if not is_of(None, kinds):
                yield {"do": what, **{key: value for key, value in whole.items() if key != name}}
            for value in SAMPLES:
                if not is_of(value, kinds):
                    yield {"do": what, **whole, name: value}
    for what in ("", "__init__", "close()", "_take", None, 1, ["move"], {}):
        yield {"do": what}
    yield {}


def test_the_table_names_every_message_and_no_other(view: LiveView) -> None:
    assert set(handlers(type(view))) == set(ALLOWED[kind_of(view)])


def test_a_message_of_another_kind_is_told_and_changes_nothing(view: LiveView) -> None:
    before, count = shown(view), 0
    for seq, message in enumerate(unfit(kind_of(view)), start=1):
        view._tell(error=None)
        view._on_message(view, {**message, "seq": seq}, [])
        assert view.ack == seq
        assert view.error is not None and "not understood" in view.error["message"], message
        assert len(view.error["message"]) <= 300
        assert shown(view) == before, message
        count += 1
    assert count >= 20


@each("content", [None, "hello", [], 1, {"do": "hello"}, {"do": "hello", "seq": "1"}])
@each("seq", [None, True, 1.0, [1]])
def test_what_is_no_message_is_not_answered(content: Any, seq: Any) -> None:
    for view in at_rest(Heatmap):
        view._on_message(view, {**content, "seq": seq} if isinstance(content, dict) and seq else content, [])
        assert view.ack == 0 and view.error is None


BIG = 10**400
QUESTIONS: list[tuple[dict[str, Any], str]] = [
    *[
        ({"do": "look", "look": {}, "questions": [question]}, "not understood")
        for question in (
            "program", [], [[]], [{}], ["taste"], ["__init__"], ["program", 1], ["scene", 0], ["scene", "0", None],
            ["scene", True, None, "auto"], ["scene", 0, {}, "auto"], ["scene", 0, [[1]], "auto"],
            ["scene", 0, [0.5], "auto"], ["scene", 0, None, "up"], ["numbers", 0, 1, False], ["numbers", 0, None, 1],
            ["flow", "taste", None], ["flow", "value"], ["detail", "0"], ["detail", None], ["frame", 0], ["path", 1],
            ["frame", 0.5, None], ["free"], ["free", None], ["free", "v"],
        )
    ],
    *[
        ({"do": "ask", "question": question}, "not understood")
        for question in ([], ["taste"], ["file"], ["file", "exe", "light"], ["file", "svg", "auto"], ["file", 1, ""])
    ],
    ({"do": "look", "look": {"x": "y" * 300_000}, "questions": []}, "not understood"),
    ({"do": "look", "look": {}, "questions": [["program"]] * 65}, "not understood"),
]  # fmt: skip


def heat(*question: Any) -> dict[str, Any]:
    return {"do": "look", "look": {}, "questions": [["heat", *question]]}


OUTSIDE: dict[type[LiveView], list[tuple[dict[str, Any], str]]] = {
    Explorer: [
        ({"do": "move", "key": "w", "index": None, "value": 1, "final": True}, "no input 'w'"),
        ({"do": "move", "key": 1, "index": None, "value": 1, "final": True}, "no input 1"),
        ({"do": "move", "key": "x", "index": 0, "value": 1, "final": True}, "no element 0"),
        ({"do": "move", "key": "v", "index": None, "value": 1, "final": True}, "no element None"),
        ({"do": "move", "key": "v", "index": 3, "value": 1, "final": True}, "no element 3"),
        ({"do": "move", "key": "v", "index": -1, "value": 1, "final": True}, "no element -1"),
        ({"do": "move", "key": "x", "index": None, "value": float("nan"), "final": True}, "finite"),
        ({"do": "move", "key": "x", "index": None, "value": float("inf"), "final": True}, "finite"),
        ({"do": "move", "key": "x", "index": None, "value": BIG, "final": True}, "finite"),
        ({"do": "move", "key": "n", "index": None, "value": 1e300, "final": True}, "cannot hold"),
        ({"do": "draw", "key": "w", "distribution": "normal", "scale": 1, "seed": 1}, "no input 'w'"),
        ({"do": "draw", "key": "v", "distribution": "cauchy", "scale": 1, "seed": 1}, "'cauchy'"),
        ({"do": "draw", "key": "v", "distribution": "normal", "scale": 0, "seed": 1}, "scale 0"),
        ({"do": "draw", "key": "v", "distribution": "normal", "scale": -1.0, "seed": 1}, "scale -1"),
        ({"do": "draw", "key": "v", "distribution": "normal", "scale": 1.01e30, "seed": 1}, "scale 1.01e"),
        ({"do": "draw", "key": "v", "distribution": "normal", "scale": float("nan"), "seed": 1}, "scale nan"),
        ({"do": "draw", "key": "v", "distribution": "normal", "scale": BIG, "seed": 1}, "scale 1000"),
        ({"do": "draw", "key": "v", "distribution": "normal", "scale": 1, "seed": -1}, "seed -1"),
        ({"do": "draw", "key": "v", "distribution": "normal", "scale": 1, "seed": 2**32}, "seed 4294967296"),
        ({"do": "choose", "setting": "volume", "value": "1"}, "'volume'"),
        ({"do": "choose", "setting": "dtype", "value": "float16"}, "'float16'"),
        ({"do": "choose", "setting": "mode", "value": ""}, "''"),
        ({"do": "choose", "setting": "order", "value": -1}, "order"),
        ({"do": "choose", "setting": "order", "value": 5}, "order"),
        ({"do": "choose", "setting": "order", "value": "x"}, "order"),
        ({"do": "choose", "setting": "wrt", "value": "w"}, "'w'"),
        ({"do": "choose", "setting": "wrt", "value": "n"}, "'n'"),
        ({"do": "choose", "setting": "wrt", "value": 1}, "wrt"),
        ({"do": "choose", "setting": "open", "value": "tanh"}, "'tanh'"),
        ({"do": "choose", "setting": "dtype", "value": 1}, "to 1"),
        ({"do": "look", "look": {}, "questions": [["free", [["v", 0]]]]}, "not understood"),
        ({"do": "look", "look": {}, "questions": [["free", [[None, 0, 0]]]]}, "not understood"),
        *QUESTIONS,
    ],
    GraphView: [
        ({"do": "choose", "setting": "order", "value": 1}, "not understood"),
        *QUESTIONS,
    ],
    DerivativeExplorer: [
        *[
            ({"do": "look", "look": {}, "questions": [question]}, words)
            for question, words in (
                (["order", -1, None], "order is -1"),
                (["order", 5, None], "order is 5"),
                (["order", 1, 0], "not understood"),
                (["order", 1], "not understood"),
                (["point", 3], "not understood"),
                (["curves", 1], "not understood"),
                (["taste"], "not understood"),
            )
        ],
        *[
            ({"do": "move", "key": "x", "value": value}, "finite")
            for value in (float("nan"), float("inf"), BIG, -BIG)
        ],
        ({"do": "move", "key": "y", "value": 1.0}, "expected x"),
    ],
    Lens: [
        ({"do": "look", "look": {}, "questions": [question]}, words)
        for question, words in (
            (["chosen", 1, None, 0, [0, 3]], "no cell 0, 3"),
            (["chosen", 1, None, 0, [1, 0]], "no cell 1, 0"),
            (["chosen", 1, None, 0, [-1, 0]], "no cell -1, 0"),
            (["chosen", 1, None, 0, [0, -1]], "no cell 0, -1"),
            (["chosen", 1, None, 0, [0, "1"]], "not understood"),
            (["chosen", 1, None, 0, [0]], "not understood"),
            (["chosen", 1, None, 0], "not understood"),
            (["study", 1, None, 0, 0], "direction is 0"),
            (["study", 1, None, 0, 9], "direction is 9"),
            (["study", 1, None, 0, True], "not understood"),
            (["check", 3, None], "order is 3"),
            (["check", 0, None], "order is 0"),
            (["check", 1, -1], "the seed is -1"),
            (["check", 1, 2**32], "the seed is 4294967296"),
            (["check", True, None], "not understood"),
            (["scene", 0, None, "auto"], "not understood"),
        )
    ],
    Heatmap: [
        *[(heat(None, [plane]), words) for plane, words in (
            ([[2, 3, 4], [1, 1], [0, 0, 0], None], "axes [1, 1]"),
            ([[2, 3, 4], [-1, 1], [0, 0, 0], None], "axes [-1, 1]"),
            ([[2, 3, 4], [3, 1], [0, 0, 0], None], "axes [3, 1]"),
            ([[2, 3, 4], [0], [0, 0, 0], None], "axes [0]"),
            ([[2, 3, 4], [1, 2], [2, 0, 0], None], "indices [2, 0, 0]"),
            ([[2, 3, 4], [1, 2], [-1, 0, 0], None], "indices [-1, 0, 0]"),
            ([[2, 3, 4], [1, 2], [0, 0], None], "indices [0, 0]"),
            *[
                ([[2, 3, 4], [1, 2], [0, 0, 0], region], "the block")
                for region in (
                    [], [0, 1, 0], [0, 1, 0, 1, 0], [-1, 1, 0, 1], [1, 1, 0, 1], [2, 1, 0, 1], [0, 4, 0, 1],
                    [0, 1, -1, 1], [0, 1, 1, 1], [0, 1, 0, 5],
                )
            ],
            *[
                (plane, "not understood")
                for plane in (
                    None, [], [[2, 3, 4]], [[2, 3, 4], [1, 2], [0, 0, 0]], [[2, 3, 4], [1, 2], [0, 0, 0], {}],
                    [[2, 3, 4], [1, 2], [0, 0, 0], [0, 1, 0, 1.0]], [[2, 3, 4], [1, 2], [0, 0, 0], [0, 1, 0, True]],
                    [[2, 3, "4"], [1, 2], [0, 0, 0], None], [[[2], 3, 4], [1, 2], [0, 0, 0], None],
                )
            ],
        )],
        (heat(["taste", "asinh", 3, True], []), "'taste'"),
        (heat(["value", "log", 3, True], []), "'log'"),
        (heat(["value", "symlog", 0, True], []), "0 decades"),
        (heat(["value", "symlog", 9, True], []), "9 decades"),
        (heat(["value", "symlog", 3, 1], []), "not understood"),
        (heat(["value", "symlog", 3], []), "not understood"),
        (heat("value", []), "not understood"),
        (heat(None, None), "not understood"),
        (heat(None), "not understood"),
        ({"do": "look", "look": {}, "questions": [["scene", 0, None, "auto"]]}, "not understood"),
    ],
    Interact: [
        ({"do": "move", "key": "b", "value": 1}, "'b'"),
        ({"do": "move", "key": "rng", "value": 1}, "'rng'"),
        ({"do": "move", "key": "word", "value": 1}, "'word'"),
        ({"do": "move", "key": "a", "value": float("nan")}, "nan"),
        ({"do": "move", "key": "a", "value": float("-inf")}, "inf"),
        ({"do": "move", "key": "a", "value": BIG}, "expected a finite number"),
        ({"do": "choose", "setting": "word", "value": "three"}, "'three'"),
        ({"do": "choose", "setting": "a", "value": "one"}, "'a'"),
    ],
    MonitorView: [
        ({"do": "look", "look": {}, "questions": [["state", *state]]}, "not understood")
        for state in ([None, "", "taste"], ["1", "", "value"], [None, None, "value"], [None, ""], [])
    ],
    SurfaceView: [
        ({"do": "look", "look": {}, "questions": [question]}, "not understood")
        for question in (["slope", "a b"], ["slope", "0 9"], ["slope", "0"], ["surface"], ["roll", 1, "SGD", "0.1", 3])
    ],
}  # fmt: skip


def test_a_message_outside_its_bounds_is_told_and_changes_nothing(view: LiveView) -> None:
    before = shown(view)
    for seq, (message, words) in enumerate(OUTSIDE[kind_of(view)], start=1):
        view._tell(error=None)
        view._on_message(view, {**message, "seq": seq}, [])
        assert view.ack == seq
        assert view.error is not None and words in view.error["message"], (message, view.error)
        assert len(view.error["message"]) <= 300
        assert shown(view) == before, message


LONG = "x" * 5000


def test_what_a_program_raises_is_cut() -> None:
    def fails(x: Variable) -> Variable:
        if float(x.data) < 0:
            raise type(LONG, (Exception,), {})(LONG)
        return x * x

    view = Explorer(Session(fails, inputs={"x": 1.0}))
    view.wait_seconds = 30.0
    view._on_message(view, {"do": "move", "key": "x", "index": None, "value": -1, "final": True, "seq": 2}, [])
    assert view.error is not None
    assert (len(view.error["type"]), len(view.error["message"])) == (200, 2000)
    assert view.error["message"].endswith("…")
    view.close()


@pytest.mark.parametrize("pick", [["up", 0, 0], ["out", "0", 0], ["out", 0], ["out", True, 0], []])
def test_a_cell_is_picked_by_its_place_alone(pick: list[Any]) -> None:
    recording = autolab.record(lambda x, y: x * y, np.arange(6.0).reshape(2, 3), np.ones((2, 3)))
    reader = Reader(recording)
    assert reader.ask(["frame", 1, ["out", 0, 1]])["lines"] != reader.ask(["frame", 1, None])["lines"]
    try:
        found = reader.ask(["frame", 1, pick])
    except ValueError as error:
        assert "not understood" in str(error)
    else:
        assert found["lines"] == reader.ask(["frame", 1, None])["lines"]
    for to in (-1, len(reader.walk), 10**30):
        assert reader.ask(["frame", to, None]) is None
