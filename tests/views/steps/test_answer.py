"""Where a gradient comes from: shares with their numbers, what is handed on, and the sentence."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import FunctionNode
from autolab import functions as F
from autolab.views.graph.playback import Playback
from autolab.views.steps.answer import MOST_SHARES, answer


def small(x: Any, y: Any) -> Any:
    h = x * y
    out = h + x
    return out


def net(x: Any, W: Any, b: Any) -> Any:
    y = F.tanh(x @ W + b)
    loss = (y * y).sum()
    return loss


def asked(recording: autolab.Recording, box: int, open_groups: frozenset[int] | None = None) -> dict[str, Any]:
    groups = recording.outline.at_first() if open_groups is None else open_groups
    return answer(Playback(recording), box, recording.outline.holders(groups))


def ask(fn: Callable[..., Any], name: str, **inputs: Any) -> dict[str, Any]:
    recording = autolab.record(fn, **inputs)
    return asked(recording, recording[name].id)


def number(text: str) -> float:
    return float(text.replace("\u2212", "-"))


@pytest.mark.parametrize(
    ("name", "says"),
    [("x", "4 = 3 through h + 1 direct"), ("y", "2 through h"), ("h", "1 direct"), ("out", "1 given")],
)
def test_a_gradient_is_the_sum_of_its_shares(name: str, says: str) -> None:
    (value,) = ask(small, name, x=2.0, y=3.0)["comes"]
    assert value["says"] == says


def test_negative_shares_are_subtracted() -> None:
    def fn(x: Any, y: Any) -> Any:
        a = x * y
        b = x - a
        return b

    assert ask(fn, "x", x=2.0, y=3.0)["comes"][0]["says"] == "\u22122 = \u22123 through a + 1 direct"
    assert ask(fn, "x", x=2.0, y=-3.0)["comes"][0]["says"] == "4 = 3 through a + 1 direct"


def test_the_chain_rule_has_a_number_for_every_symbol_and_the_local_derivative_that_made_the_share() -> None:
    value = ask(small, "x", x=2.0, y=3.0)["comes"][0]
    through, direct = value["shares"]
    assert through["math"]["text"] == "∂out/∂h · ∂h/∂x = share; 1 · 3 = 3"
    assert direct["math"]["text"] == "∂out/∂x|_h = share; 1 = 1"
    assert value["math"]["text"] == "∂out/∂x = ∂out/∂h · ∂h/∂x + ∂out/∂x|_h; 4 = 1 · 3 + 1"
    assert "upstream 1 times local derivative 3 is 3" in through["sentence"]
    assert through["edge"] == {"from": 0, "to": 2, "nth": 0} and through["line"] < direct["line"]


def test_two_uses_by_one_call_come_along_two_lines() -> None:
    value = ask(lambda x: x * x, "x", x=3.0)["comes"][0]
    assert value["says"] == "6 = 3 direct + 3 direct"
    assert [edge["nth"] for edge in value["edges"]] == [0, 1]


def test_of_an_array_the_largest_element_is_explained_by_products_that_add_up() -> None:
    rng = np.random.default_rng(0)
    inputs = {"x": rng.normal(size=(3, 4)), "W": rng.normal(size=(4, 5)), "b": rng.normal(size=5)}
    recording = autolab.record(net, **inputs)
    gradient = recording["W"].grad.values
    at = np.unravel_index(np.abs(gradient).argmax(), gradient.shape)
    (value,) = asked(recording, recording["W"].id)["comes"]
    assert (value["index"], number(value["total"])) == (f"[{at[0]}, {at[1]}]", pytest.approx(gradient[at], abs=5e-4))
    (line,) = value["shares"][0]["numbers"]
    products = (
        re.sub(r"\(\u2212", "(-", line.split(": ")[1].split(" = ")[0]).replace("\u2212", "-").replace("\u00d7", "*")
    )
    assert eval(products) == pytest.approx(gradient[at], rel=0.01)  # our own text
    assert value["shares"][0]["rule"].endswith("= x.T @ upstream")


def test_of_many_shares_the_greatest_come_first_and_all_their_lines_are_there() -> None:
    def fn(x: Any, w: Any) -> Any:
        for _ in range(20):
            x = F.tanh(x * w)
        return x

    recording = autolab.record(fn, x=0.5, w=0.8)
    everything = frozenset(recording.outline.groups)
    (value,) = asked(recording, recording["w"].id, everything)["comes"]
    sizes = [abs(number(share["number"])) for share in value["shares"]]
    assert len(sizes) == MOST_SHARES and sizes == sorted(sizes, reverse=True)
    assert value["count"] == len(value["edges"]) == 20
    assert "(20 shares)" in value["says"]


def test_a_closed_group_answers_for_what_leaves_it_and_hands_on_what_enters_it() -> None:
    def fn(x: Any, w: Any) -> Any:
        for _ in range(3):
            x = x * w
        y = x + 1
        return y

    recording = autolab.record(fn, x=2.0, w=3.0)
    (loop,) = [group.id for group in recording.outline.groups.values() if group.kind == "loop"]
    found = asked(recording, loop, frozenset())
    assert [value["says"] for value in found["comes"]] == ["1 direct"]
    assert {share["to"] for share in found["hands"]} == {"x", "w"}
    assert all(share["edge"]["to"] == loop for share in found["hands"])


def test_without_a_gradient_there_is_nothing_to_explain() -> None:
    found = ask(lambda x, n: x * n, "n", x=2.0, n=np.array(3))
    assert (found["comes"], found["hands"], found["sentence"]) == ([], [], "")


def test_not_a_number_is_told_as_such() -> None:
    with np.errstate(all="ignore"):
        assert ask(lambda x: F.sqrt(x) * 0, "x", x=0.0)["comes"][0]["total"] == "NaN"


def test_an_array_that_was_not_kept_is_told_by_norms() -> None:
    (value,) = ask(lambda A: (A * A).sum(), "A", A=np.ones((700, 700)))["comes"]
    assert value["index"] == "" and value["says"].startswith("norm 1400: ")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("x", "x counts twice: if it grows by 0.01, out grows by about 0.04."),
        ("y", "If y grows by 0.01, out grows by about 0.02."),
        ("out", "The backward pass starts at out, with 1."),
    ],
)
def test_one_sentence_says_what_is_looked_at(name: str, sentence: str) -> None:
    assert ask(small, name, x=2.0, y=3.0)["sentence"] == sentence


class WrongDouble(FunctionNode):
    def forward(self, inputs: Any) -> Any:
        return (2 * inputs[0],)

    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        return (3 * grad_outputs[0],)


def test_of_a_backward_that_a_person_wrote_no_growth_is_claimed() -> None:
    """It may be wrong: the output grows by 0.02 here."""

    def doubled(x: Any) -> Any:
        (out,) = WrongDouble().apply((x,))
        return out

    assert ask(doubled, "x", x=2.0)["sentence"] == "The gradient of x: 3 direct."
    assert ask(doubled, "out", x=2.0)["sentence"] == "The backward pass starts at out, with 1."


def test_with_another_upstream_gradient_no_growth_of_the_output_is_claimed() -> None:
    recording = autolab.record(small, 2.0, 3.0, options={"upstream": 10.0})
    assert asked(recording, 0)["sentence"] == "The gradient of x: 40 = 30 through h + 10 direct."


def test_where_only_blocks_were_kept_the_sentence_tells_the_norm() -> None:
    recording = autolab.record(lambda x: (x * x).sum(), np.ones((20, 20)), options={"budget": 100, "forward": "x"})
    whole = autolab.record(lambda x: (x * x).sum(), np.ones((20, 20)))
    assert asked(recording, 0)["sentence"].endswith("with 1 everywhere, norm 20.")
    assert asked(whole, 0)["sentence"].endswith("with 2 everywhere. At [0, 0] it is 2.")


def test_a_loop_over_the_elements_of_a_large_array_is_answered():
    """Of the Jacobian of one element of 1030, only samples are kept: "cannot reshape array of size 33"."""

    def squares(x: Any) -> Any:
        total = 0
        for element in x:
            total = total + element * element
        return total

    def picked(x: Any) -> Any:
        return x[3] * x[5]

    for fn, n in ((squares, 1030), (picked, 1001), (picked, 5000)):
        recording = autolab.record(fn, x=np.ones(n))
        assert asked(recording, recording["x"].id)["comes"]
