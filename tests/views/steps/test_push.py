"""The walk in forward mode: moments, the calculation of every share of a tangent, and where both directions meet."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import functions as F
from autolab import record
from autolab.views.draw.messages import say
from autolab.views.graph.exploration_state import call_code
from autolab.views.graph.playback import Playback
from autolab.views.graph.questions import Reader
from autolab.views.graph.readings import readings
from autolab.views.graph.session import Session
from autolab.views.steps.answer import answer
from autolab.views.steps.moments import frame

from ..programs import LAYER, layer, muladd


def small(x: Any, w: Any) -> Any:
    u = x * w
    y = u * u + x
    return y


def walked(fn: Any, forward: Any, **inputs: Any) -> tuple[Playback, list[dict[str, Any]]]:
    recording = record(fn, options={"forward": forward}, **inputs)
    walk = Playback(recording)
    told = [frame(walk, k, {step.id: step.id for step in recording.steps}) for k in range(len(walk))]
    json.dumps(told, allow_nan=False, default=bytes.hex)
    return walk, told


def test_it_goes_from_what_moves_to_the_output_share_by_share() -> None:
    walk, told = walked(small, "x", x=2.0, w=3.0)
    names = [("x", "u"), ("u", "u * u"), ("u", "u * u"), ("u * u", "y"), ("x", "y")]
    pushes = [say("walk_pushes", source=s, target=t) for s, t in names]
    assert [f["title"] for f in told] == [say("walk_seed", name="x"), *pushes, say("walk_end")]
    assert [f["numbers"] for f in told[1:4]] == [["1 × 3 = 3"], ["3 × 6 = 18"], ["3 × 6 = 18"]]
    first, second = told[1], told[3]
    assert first["formula"]["text"] == "du/dx = ∂u/∂x · dx/dx; 3 = 3 · 1"
    assert first["rule"]["text"] == "tangent of u = (tangent of x) × w"
    assert first["spoken"] == ("u = x * w moves by 3 per unit of x: x moves by 1, and the local derivative is w = 3.")
    assert (first["edge"], first["nodes"]) == ({"from": 0, "to": 2, "nth": 0}, [0, 2])
    assert second["edge"]["nth"] == 1 and "∂u_2" in second["formula"]["text"]
    assert [(line["sign"], line["text"]) for line in second["lines"]] == [
        ("", "3"),
        ("×", "6"),
        ("=", "18"),
        ("+", "18"),
        ("=", "36"),
    ]
    words = {"kind": "tangent", "arrived": 2, "count": 2, "target": "u * u", "total": "36"}
    assert say("spoken_complete_number", **words) in second["spoken"]
    assert [f["backward"] for f in told] == [f["moving"] for f in told] == [True] * 7
    times = walk.times({step: step for step in walk.steps})
    assert [times[str(step)]["last"] for step in (0, 1, 2, 3)] == [0, None, 1, 3]


def test_a_sum_that_grows_says_how_many_shares_have_come() -> None:
    walk, _ = walked(small, "x", x=2.0, w=3.0)
    boxes = {step: step for step in walk.steps}
    growing = walk.growing(2, boxes)
    assert [(growing["3"][key]) for key in ("grad", "arrived", "of")] == ["18", 1, 2]


def test_at_the_end_the_tangent_is_the_gradient() -> None:
    _, told = walked(small, "x", x=2.0, w=3.0)
    assert [line["text"] for line in told[-1]["lines"]] == ["37", "37"]
    words = {"outputs": "y", "name": "x", "left": "37", "right": "37", "per": say("moves_per", letter="x")}
    assert told[-1]["spoken"] == f"{say('spoken_end_one', **words)} {say('spoken_end_same')}"


def test_of_arrays_the_sums_along_the_direction_are_equal() -> None:
    v = np.random.default_rng(0).normal(size=(3, 4))
    walk, told = walked(layer, {"W": v}, **LAYER)
    gradient = walk.recording["W"].grad.values
    assert [line["label"] for line in told[-1]["lines"]] == ["tangent of loss", "gradient of W"]
    left, right = [float(text.rpartition(" ")[2].replace("−", "-")) for text in told[-1]["numbers"]]
    assert left == right == pytest.approx(np.sum(gradient * v), abs=1e-2)
    assert walk.moved.letter == "t" and say("moves_along", name="W", letter="t") in walk.moved.legend


class Wrong(autolab.FunctionNode):
    """Its gradient is not linear in the upstream gradient."""

    def forward(self, inputs: Any) -> Any:
        return (inputs[0] * 1.0,)

    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        return (grad_outputs[0] * grad_outputs[0] + grad_outputs[0],)


def test_where_they_differ_that_is_said() -> None:
    _, told = walked(lambda x: Wrong().apply((x,))[0], "x", x=2.0)
    assert told[-1]["title"] == say("walk_end_apart") and told[-1]["spoken"].endswith(say("spoken_end_apart"))


def test_a_product_of_matrices_is_falks_scheme_with_the_tangent_as_a_factor() -> None:
    unit = np.zeros((3, 4))
    unit[1, 2] = 1
    walk, told = walked(layer, {"W": unit}, **LAYER)
    assert walk.moved.letter == "W[1, 2]"
    assert told[1]["product"] == 0 and told[1]["lines"][1]["label"] == say("term_whole", kind="tangent", name="W")
    assert told[1]["numbers"] == ["a[0, 2]: 1 × 0 − 2 × 1 + 0.5 × 0 = −2"]
    total = told[-2]  # the sum of h * h: a row of its Jacobian times the tangent
    assert [line["sign"] for line in total["lines"]] == ["", "×", "Σ"] and "8 terms" in total["numbers"][0]


def test_what_is_repeated_says_so_and_a_picked_cell_is_followed() -> None:
    walk, told = walked(layer, "b", **LAYER)
    k = next(k for k, f in enumerate(told) if f["title"] == say("walk_pushes", source="b", target="a + b"))
    assert say("repeated", name="b", small="(4,)", large="(2, 4)") in told[k]["notes"]
    picked = frame(walk, k, {step: step for step in walk.steps}, ("out", 1, 3))
    assert picked["numbers"] == ["(a + b)[1, 3]: 1 × 1 = 1"]
    assert [line["mark"] for line in picked["lines"]] == [[0, 3, 1, 1], [1, 3, 1, 1], [1, 3, 1, 1]]


def test_the_parts_of_several_results_move_along_their_lines() -> None:
    walk, told = walked(lambda A: F.sum(F.svd(A)[1]), "A", A=np.array([[1.0, 2.0], [3.0, 5.0]]))
    assert told[-1]["title"] == say("walk_end")
    assert {walk.steps[moment.step].kind for moment in walk.moments if moment.phase == "push"} == {"part", "call"}


def test_a_box_answers_where_its_tangent_comes_from() -> None:
    walk, _ = walked(small, "x", x=2.0, w=3.0)
    boxes = {step: step for step in walk.steps}
    y, w, x = (answer(walk, walk.recording[name].id, boxes) for name in ("y", "w", "x"))
    assert (y["kind"], y["comes"][0]["says"]) == ("tangent", "37 = 36 through u * u + 1 direct")
    assert y["comes"][0]["edges"][1] == {"from": 0, "to": 4, "nth": 0}
    assert w["sentence"] == say("stands_still") and w["comes"] == []
    assert x["comes"][0]["shares"][0]["sentence"] == say("answer_moves")


def test_the_boxes_show_tangents_and_call_them_so() -> None:
    found = readings(record(layer, options={"forward": "b"}, **LAYER))
    b, x = found["nodes"]["2"], found["nodes"]["0"]
    assert (b["kind"], b["grad"], b["grad_cells"]) == ("tangent", "[1, 1, 1, 1]", [[1, 1, 1, 1]])
    assert (x["grad"], x["grad_note"]) == (None, "0") and x["spoken"].endswith(say("stands_still"))
    assert "tangent [1, 1, 1, 1]" in b["spoken"] and "gradient" not in b["spoken"]
    assert found["scale"]["words"] == "Full colour: 5 for values, 1 for tangents."
    numbers = Reader(record(small, 2.0, 3.0, options={"forward": "x"})).ask(["numbers", 0, None, False])
    assert numbers["moving"] == say("moves_legend", per=say("moves_per", letter="x"))


# ------------------------------------------------------------------ what an exploration chooses
def test_it_is_chosen_undone_and_written_as_code() -> None:
    session = Session(layer, inputs=LAYER)
    session.record()
    assert session.choose("forward", "b[2]") and session.record()["b"].tangent.values.tolist() == [0, 0, 1, 0]
    assert not session.choose("forward", "b[2]")
    session.choose("forward", say("moves_whole", name="W"))
    assert np.all(session.record()["W"].tangent.values == 1)
    copied = eval(
        call_code(session.bound, session.state).replace("autolab.explore", "Session_of"),
        {"Session_of": made, "np": np, "layer": layer},
    )
    assert copied.state.forward == ("W", None)
    session.undo()
    copied = eval(
        session.code().replace("autolab.explore", "Session_of"), {"Session_of": made, "np": np, "layer": layer}
    )
    assert copied.state.forward == session.state.forward == ("b", (0.0, 0.0, 1.0, 0.0))
    session.choose("forward", "")
    assert session.record().moved is None


def made(fn: Any, *args: Any, options: Any = None, **inputs: Any) -> Session:
    return Session(fn, args, options, inputs)


def test_a_direction_of_ones_own_is_offered_as_such() -> None:
    session = Session(layer, options={"forward": {"b": [1, 2, 3, 4]}}, inputs=LAYER)
    reader = Reader(session.record(), session=session)
    forward = reader.ask(["free", []])["forward"]
    assert forward["now"] == say("moves_so", name="b") and len(forward["ways"]) == (1 + 6) + (1 + 12) + (1 + 4) + 1
    assert reader.ask(["free", []])["controls"][-1]["key"] == "b"  # no upstream gradient


def test_it_is_of_the_first_order_alone() -> None:
    session = Session(muladd, options={"forward": "x"}, inputs={"x": 2.0, "y": 3.0, "z": 4.0})
    session.record()
    session.choose("order", 1)
    reader = Reader(session.record(), session=session)
    assert reader.recording.moved is None and reader.ask(["free", []])["forward"]["ways"] == []
    with pytest.raises(ValueError, match="'forward' cannot be set to 'x'"):
        session.choose("forward", "x")


def test_what_cannot_move_is_not_offered() -> None:
    session = Session(lambda x, n, c: x * n + c, inputs={"x": 2.0, "n": np.array(3), "c": autolab.Variable(1.0)})
    session.record()
    forward = Reader(session.recording, session=session).ask(["free", []])["forward"]
    assert forward == {"now": "", "ways": ["x", "c"]}
    with pytest.raises(ValueError, match="option 'forward' is 'n'"):
        Session(lambda x, n: x * n, options={"forward": "n"}, inputs={"x": 2.0, "n": np.array(3)})


def test_without_gradients_nothing_moves_and_what_left_the_graph_is_not_called_0() -> None:
    with autolab.no_grad():
        session = Session(small, inputs={"x": 2.0, "w": 3.0})
        session.record()
        assert Reader(session.recording, session=session).ask(["free", []])["forward"]["ways"] == []
        with pytest.raises(ValueError, match="expected one of no input"):
            record(small, 2.0, 3.0, options={"forward": "x"})
    left = readings(record(lambda x: x * x.data, 2.0, options={"forward": "x"}))["nodes"]
    assert all("grad_note" not in node for node in left.values())
