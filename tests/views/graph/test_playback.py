"""The walk through a recording: order, what is known when, and the calculation of every share with its numbers."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from helpers.nodes import MulAdd, SinCos

from autolab import elementwise, record
from autolab import functions as F
from autolab.views.draw.messages import say
from autolab.views.graph.listing import listing
from autolab.views.graph.playback import Playback
from autolab.views.steps.moments import frame

RNG = np.random.default_rng(3)


def walked(fn, *args, **inputs):
    recording = record(fn, *args, **inputs)
    return recording, Playback(recording), {step.id: step.id for step in recording.steps}


def told(walk, k, boxes, pick=None):
    """A frame, and the arrays of its lines as they would be drawn."""
    data = frame(walk, k, boxes, pick)
    json.dumps(data, allow_nan=False, default=bytes.hex)
    arrays = []
    for line in data["lines"]:
        if line["array"] is None:
            arrays.append(line["text"])
        else:
            shape = line["array"]["rows"], line["array"]["cols"]
            arrays.append(np.frombuffer(line["array"]["cells"], np.float32).reshape(shape))
    return data, arrays


def formula(data):
    """The chain rule in one line, without its numbers."""
    return data["formula"]["text"].partition(";")[0]


def muladd(x, y, z):
    h = x * y
    w = h + z
    return w


def test_muladd_goes_forward_value_by_value_and_backward_share_by_share() -> None:
    _, walk, boxes = walked(muladd, x=2.0, y=3.0, z=4.0)
    frames = [told(walk, k, boxes)[0] for k in range(len(walk))]
    assert [f["title"] for f in frames] == [
        say("walk_given"),
        "h = x * y",
        "w = h + z",
        say("walk_starts"),
        *[say("walk_sends", source=s, target=t) for s, t in ("wh", "wz", "hx", "hy")],
    ]
    assert [f["numbers"] for f in frames[1:3]] == [["2 × 3 = 6"], ["6 + 4 = 10"]]
    x = frames[6]
    assert formula(x) == "∂w/∂x = ∂w/∂h · ∂h/∂x"
    assert [(line["sign"], line["text"]) for line in x["lines"]] == [("", "1"), ("×", "3"), ("=", "3")]
    assert x["numbers"] == ["1 × 3 = 3"]
    assert x["rule"] == {
        "text": "gradient of x = upstream × y",
        "where": say("rule_of", function="mul", parameter="a"),
        "declared": "g * b",
        "code": None,
    }
    assert (x["nodes"], x["edge"]) == ([0, 3], {"from": 0, "to": 3, "nth": 0})
    product, total = frames[1]["line"], frames[2]["line"]
    assert total == product + 1
    assert [f["line"] for f in frames[3:]] == [None, total, total, product, product]


def moments(walk: Playback, boxes: Any) -> dict[str, list[int | None]]:
    """When each value is known, its first and last share arrive, and it sends one."""
    names = ("known", "first", "last", "sends")
    return {box: [times[name] for name in names] for box, times in walk.times(boxes).items()}


def test_nothing_is_known_before_its_time() -> None:
    _, walk, boxes = walked(muladd, x=2.0, y=3.0, z=4.0)
    assert (len(walk), walk.start) == (8, 3)
    inputs = {"0": [0, 6, 6, None], "1": [0, 7, 7, None], "2": [0, 5, 5, None]}
    assert moments(walk, boxes) == inputs | {"3": [1, 4, 4, 6], "4": [2, 3, 3, 4]}
    _, walk, boxes = walked(lambda x: x * 2.0 + np.array([1.0, 2.0]), x=[1.0, 1.0])
    (constant,) = [step.id for step in walk.recording.steps if step.kind == "constant"]
    assert moments(walk, boxes)[str(constant)] == [2, None, None, None]  # it appears with the sum that uses it


def reused(x):
    y = x * x + x
    return y


def test_the_shares_of_a_reused_value_are_added_one_by_one() -> None:
    _, walk, boxes = walked(reused, x=3.0)
    frames = [told(walk, k, boxes)[0] for k in range(5, 8)]
    assert [f["growing"].get("0", {}).get("grad") for f in frames] == ["1", "4", None]
    assert [(f["growing"]["0"]["arrived"], f["growing"]["0"]["of"]) for f in frames[:2]] == [(1, 3), (2, 3)]
    assert formula(frames[0]) == "∂y/∂x = ∂y/∂y · ∂y/∂x + …"
    assert formula(frames[1]) == "∂y/∂x = … + ∂y/∂(x · x) · ∂(x · x)/∂x_1 + …"
    assert [line["text"] for line in frames[1]["lines"]] == ["1", "3", "3", "1", "4"]
    assert [line["text"] for line in frames[2]["lines"]] == ["1", "3", "3", "4", "7"]
    assert frames[2]["spoken"].endswith(
        say("spoken_complete_number", arrived=3, count=3, kind="gradient", target="x", total="7")
    )
    assert say("this_use", use="x₂", name="x", parameter="b") in frames[2]["notes"]
    assert [f["edge"]["nth"] for f in frames] == [0, 0, 1]


def test_a_broadcast_bias_is_summed_with_both_shapes_and_every_number() -> None:
    a, b, g = RNG.normal(size=(4, 3)), RNG.normal(size=3), RNG.normal(size=(4, 3))
    recording = record(lambda a, b: a * b, a, b, options={"upstream": g})
    walk, boxes = Playback(recording), {0: 0, 1: 1, 2: 2}
    data, arrays = told(walk, 4, boxes, ("in", 0, 1))
    for shown, expected in zip(arrays, (g, np.broadcast_to(a, (4, 3)), g * a, [(g * a).sum(axis=0)]), strict=True):
        np.testing.assert_allclose(shown, expected, rtol=1e-6)
    assert [line["shape"] for line in data["lines"]] == ["(4, 3)", "(4, 3)", "(4, 3)", "(3,)"]
    assert data["lines"][3]["sign"] == "Σ" and say("axis", axes="0") in data["lines"][3]["label"]
    assert say("reduced_why", name="b", small="(3,)", large="(4, 3)") in data["notes"]
    assert data["rule"]["text"] == "gradient of b = upstream × a, summed over axis 0"
    assert [line["mark"] for line in data["lines"]] == [[0, 1, 1, 1]] * 4
    data, _ = told(walk, 4, boxes, ("out", 2, 1))
    assert [line["mark"] for line in data["lines"]] == [[2, 1, 1, 1]] * 3 + [[0, 1, 1, 1]]
    one, total = data["numbers"]
    assert one.startswith("[2, 1]: ") and total.startswith("b[1]: ")
    assert abs(number_after(one) - (g * a)[2, 1]) < 1e-3 and abs(number_after(total) - (g * a).sum(axis=0)[1]) < 1e-2


def number_after(text: str) -> float:
    return float(text.rpartition("= ")[2].replace("\N{MINUS SIGN}", "-"))


@pytest.mark.parametrize(
    ("program", "shapes"),
    [
        (lambda a, b: a @ b, [(4, 5), (5, 3)]),
        (lambda a, b, c: F.linear(a, b, c), [(5, 4), (3, 4), (3,)]),
        (lambda a: F.softmax(a), [(2, 3)]),
        (lambda a: F.tanh(a), [(2, 3)]),
        (lambda a: F.sum(a), [(4,)]),
        (lambda a, b: a / b, [(2, 3), ()]),
    ],
)
def test_the_followed_numbers_give_the_followed_element(program, shapes) -> None:
    arrays = [RNG.normal(size=shape) + 2 for shape in shapes]
    upstream = RNG.normal(size=np.shape(program(*arrays)))
    recording = record(program, *arrays, options={"upstream": upstream})
    walk, boxes = Playback(recording), {step.id: step.id for step in recording.steps}
    for k in range(walk.start + 1, len(walk)):
        use = walk.use(walk.moments[k])
        gradient = np.atleast_2d(use.contribution.values)
        for row, column in np.ndindex(*gradient.shape):
            data, shown = told(walk, k, boxes, ("in", row, column))
            element = gradient[row, column]
            assert abs(number_after(data["numbers"][-1]) - element) < 2e-3 * max(1, abs(element))
            if data["product"] is not None:
                np.testing.assert_allclose(shown[0][row] @ shown[1][:, column], element, rtol=1e-5)
            elif use.jacobian is not None and use.jacobian.shape != use.contribution.shape:
                np.testing.assert_allclose((upstream * shown[1]).sum(), element, rtol=1e-5)


def test_a_matrix_product_is_followed_forward_too() -> None:
    a, b = RNG.normal(size=(2, 3)), RNG.normal(size=(3, 4))
    _, walk, boxes = walked(lambda a, b: a @ b, a=a, b=b)
    for row, column in np.ndindex(2, 4):
        data, _ = told(walk, 1, boxes, ("out", row, column))
        marks = [[row, 0, 1, 3], [0, column, 3, 1], [row, column, 1, 1]]
        assert [line["mark"] for line in data["lines"]] == marks and data["product"] == 0
        (text,) = data["numbers"]
        assert text.startswith(f"(a @ b)[{row}, {column}]: ") and text.count(" × ") == 3
        assert abs(number_after(text) - (a @ b)[row, column]) < 2e-3
    _, walk, boxes = walked(lambda a, b: a @ b, a=a, b=b[:, 0])
    assert told(walk, 1, boxes)[0]["numbers"] == []


def test_functions_with_their_own_backward_show_its_code() -> None:
    def program(x, y, z):
        s, c = SinCos().apply((x,))
        (w,) = MulAdd().apply((s, y, z))
        return w + c

    recording, walk, boxes = walked(program, x=0.5, y=2.0, z=3.0)
    frames = [told(walk, k, boxes)[0] for k in range(walk.start + 1, len(walk))]
    own = [f for f in frames if f["code"]]
    assert len(own) == 4 and all(f["rule"] is None and "def backward" in f["code"] for f in own)
    assert own[-1]["lines"][-1]["text"] == f"{recording['x'].grad.values:.3f}"
    assert [m.upto for m in walk.moments[:2]] == [2, 5]  # both results of the first call come at once


def test_a_rule_that_forgets_the_upstream_gradient_is_pointed_out() -> None:
    @elementwise(x=lambda g, x: 2 * x + 0 * g)
    def square(xp, x):
        return x * x

    for upstream, wrong in ((1.0, False), (5.0, True)):
        walk = Playback(record(lambda x: square(x), 3.0, options={"upstream": upstream}))
        data, _ = told(walk, 3, {0: 0, 1: 1})
        assert (say("not_linear") in data["notes"]) == wrong


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_nan_infinities_and_empty_arrays_can_be_walked() -> None:
    def program(x, e):
        return (np.log(x) * x).sum() + e.sum()

    _, walk, boxes = walked(program, x=np.array([0.0, -1.0, np.inf, 2.0]), e=np.zeros((0, 2)))
    texts = [json.dumps(told(walk, k, boxes)[0], ensure_ascii=False, default=bytes.hex) for k in range(len(walk))]
    assert any("NaN" in text for text in texts) and any("∞" in text for text in texts)


def test_a_function_without_gradients_ends_with_the_forward_pass() -> None:
    _, walk, boxes = walked(lambda n: n * 2, n=np.array([1, 2]))
    assert (len(walk), walk.start) == (2, 2)
    assert moments(walk, boxes)["1"] == [1, None, None, None]


@pytest.mark.parametrize("passes", [50, pytest.param(200, marks=pytest.mark.full)])
def test_frames_of_large_arrays_and_long_programs_stay_small(passes: int) -> None:
    def program(x):
        for _ in range(passes):
            x = (x + x.mean(axis=0)) * np.float32(0.5)
        return (x * x).sum()

    _, walk, boxes = walked(program, x=RNG.normal(size=(300, 200)).astype(np.float32))
    for k in (0, 5, walk.start + 1, walk.start + passes, len(walk) - 1):
        sent = json.dumps(frame(walk, k, boxes), default=lambda cells: "#" * len(cells))
        assert "#" in sent and len(sent) < 256_000
    assert len(json.dumps(walk.times(boxes))) < 1_280 * passes


def test_the_moment_of_a_step() -> None:
    _, walk, _ = walked(reused, x=3.0)
    found = moments(walk, {step: step for step in range(3)})
    assert [value for value, *_ in found.values()] == [0, 1, 2]
    assert [sends for *_, sends in found.values()] == [None, 6, 4]


def test_the_listing_says_which_line_made_what() -> None:
    recording, _, boxes = walked(muladd, x=2.0, y=3.0, z=4.0)
    shown = listing(recording, boxes)
    at = {shown["lines"][int(line) - shown["first"]].strip(): nodes for line, nodes in shown["at"].items()}
    assert at == {"def muladd(x, y, z):": [0, 1, 2], "h = x * y": [3], "w = h + z": [4]}
    assert listing(record(np.tanh, 1.0), {}) == {}


def test_the_share_of_an_array_says_how_it_comes_about() -> None:
    """With the user's names, for every simple form of a rule, and with the count where there are several shares."""

    def program(A, B, c):
        H = A * B
        s = (H + A - c).T.reshape(15)
        M = (s / 2.0 - np.exp(s)) * 3.0
        return M.mean() + (A @ B.T).sum()

    arrays = {"A": RNG.normal(size=(3, 5)), "B": RNG.normal(size=(3, 5)), "c": RNG.normal(size=5)}
    _, walk, boxes = walked(program, **arrays)
    said = [told(walk, k, boxes)[0]["spoken"] for k in range(walk.start + 1, len(walk))]
    for sentence in (
        "H's share for A: each upstream number times the cell of B. Share 3 of 3; A is complete.",
        "H's share for B: each upstream number times the cell of A. Share 2 of 2; B is complete.",
        "The share of H + A for A: each upstream number, unchanged. Share 2 of 3.",
        "The share of H + A - c for c: each upstream number with the opposite sign, summed over axis 0.",
        "The share of H + A - c for H + A: each upstream number, unchanged.",
        "The share of A @ B.T for A: the upstream gradient times B.T transposed. Share 1 of 3.",
        "The share of A @ B.T for B.T: A transposed times the upstream gradient.",
        "The share of M.mean() for M: the upstream number divided by the number of cells, in every cell.",
        "The share of (A @ B.T).sum() for A @ B.T: the upstream number, in every cell.",
    ):
        assert sentence in said, (sentence, said)
    rest = " ".join(said)
    for words in ("divided by 2", "times 3", "times the cell of np.exp(s)", "in another shape", "transposed. "):
        assert words in rest, (words, said)
