"""What a cell was made of, in words: the cells that are lit, and a sum that is the number shown."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from helpers.cases import naming

import autolab
from autolab import functions as F
from autolab.views.draw import say
from autolab.views.graph.playback import Playback
from autolab.views.graph.questions import Reader
from autolab.views.steps.sources import CellOrigins

RNG = np.random.default_rng(3)


def arrays(*shapes: tuple[int, ...]) -> list[np.ndarray]:
    return [RNG.normal(size=shape).round(2) for shape in shapes]


def layer(X, W, b):
    xw = X @ W
    h = xw + b
    return h


PROGRAMS: list[tuple[Any, list[tuple[int, ...]]]] = [
    (layer, [(3, 4), (4, 2), (2,)]),
    (lambda x, w, b: F.linear(x, w, b), [(2, 3), (4, 3), (4,)]),
    (lambda a, b: a @ b, [(5,), (5,)]),
    (lambda a, b: a @ b, [(2, 2, 3), (3, 2)]),
    (lambda a, b: F.einsum("ij,kj->ik", a, b), [(2, 3), (4, 3)]),
    (lambda a, b: F.outer(a, b), [(2,), (3,)]),
    (lambda a, b: F.tensordot(a, b, 1), [(2, 3), (3, 2)]),
    (lambda x, w: F.conv1d(x, w), [(1, 2, 4), (1, 2, 3)]),
    (lambda x, w: F.conv2d(x, w, padding=1), [(1, 1, 3, 3), (1, 1, 2, 2)]),
    (lambda a, b: a * b - b / (a + 5), [(3, 2), (2,)]),
    (lambda a: F.tanh(a * 2.0) ** 2, [(2, 2)]),
    (lambda a, b: F.where(np.array([True, False]), a, b), [(2,), (2,)]),
    (lambda x: F.softmax(x, 1), [(2, 3)]),
    (lambda x: F.log_softmax(x, 0), [(2, 3)]),
    (lambda x: F.logsumexp(x, axis=1), [(2, 3)]),
    (lambda x: F.softmax_cross_entropy(x, np.array([0, 2])), [(2, 3)]),
    (lambda x: F.mean(x, axis=0), [(3, 2)]),
    (lambda x: F.sum(x, axis=(0, 1), keepdims=True), [(3, 2)]),
    (lambda x: x.max(axis=1) + x.min(axis=1), [(2, 3)]),
    (lambda x: F.prod(x, axis=0), [(3, 2)]),
    (lambda x: F.cumsum(x, axis=1), [(2, 3)]),
    (lambda x: F.sort(x, axis=1), [(2, 3)]),
    (lambda x: (x.T, x[1:], x.reshape(-1)[::2], x[[0, 0]]), [(3, 2)]),
    (lambda x, y: F.concatenate([x, y * 2], axis=1), [(2, 2), (2, 1)]),
    (lambda x, y: F.stack([x, y, x]), [(2,), (2,)]),
    (lambda x: F.split(x, 2, axis=1), [(2, 4)]),
    (lambda x: F.broadcast_to(x, (3, 2)), [(2,)]),
    (lambda x: F.pad(x, 1), [(2, 2)]),
    (lambda x: F.max_pool2d(x, 2), [(1, 1, 4, 4)]),
    (lambda x: F.average_pool2d(x, 2) if hasattr(F, "average_pool2d") else F.avg_pool2d(x, 2), [(1, 1, 4, 4)]),
    (lambda x, g, b: F.layer_norm(x, g, b), [(2, 3), (3,), (3,)]),
    (lambda x: x.var(axis=0) + F.norm(x, axis=0), [(3, 2)]),
    (lambda W: F.embedding(np.array([2, 0, 2]), W), [(3, 2)]),
]


def reads(text: str) -> float:
    """A number, or the value of a formula, as a student would work it out."""
    for sign, python in (("−", "-"), ("×", "*"), ("÷", "/"), ("tanh", "math.tanh")):
        text = text.replace(sign, python)
    known = {"math": math, "max": max, "min": min, "exp": math.exp, "log": math.log, "pow": pow, "neg": lambda x: -x}
    return float(eval(text, known))


def is_near(text: str, shown: float) -> bool:
    """Whether a formula gives a number, as far as its digits allow, of which three count in each of its numbers."""
    return abs(reads(text) - shown) <= 0.01 * reads(text.replace(" − ", " + ").replace("−", "")) + 1e-3


def test_the_written_sum_is_the_number_shown() -> None:
    written = 0
    for k, (program, shapes) in enumerate(PROGRAMS):
        recording = autolab.record(program, *arrays(*shapes))
        origins = CellOrigins(Playback(recording))
        for step in recording.steps:
            for slot, kept in (("value", step.value), ("gradient", step.grad)):
                for cell in origins.of(step, slot) or []:
                    says = cell["says"]
                    with naming(f"{k}: {says}"):
                        assert re.search(r"= [^=]*[.:,]", says) and len(says) < 230
                        head = re.split(r"(?:: |, (?:from|the|copied|which)|\. )", says[:-1])[0]
                        numbers = head.split(" = ")[1:]
                        if len(numbers) < 2 or "…" in head or "through" in head or "where(" in head:
                            continue
                        written += 1
                        assert is_near(numbers[1], cell["is"])
                assert kept is None or len(origins.of(step, slot) or range(kept.size)) == kept.size
    assert written > 250


def test_lit_cells_of_the_kinds_of_functions() -> None:
    def lit(program: Any, shapes: list[tuple[int, ...]], name: str, slot: Any, k: int) -> dict[Any, list[int]]:
        recording = autolab.record(program, *arrays(*shapes))
        step = recording[name] if name else recording.by_id[recording.outputs[0]]
        found = (CellOrigins(Playback(recording)).of(step, slot) or [])[k]["lit"]
        return {(recording.by_id[i].name, which): cells for i, which, cells in found}

    product = (layer, [(3, 4), (4, 2), (2,)])
    assert lit(*product, "xw", "value", 3) == {("X", "value"): [4, 5, 6, 7], ("W", "value"): [1, 3, 5, 7]}
    assert lit(*product, "W", "gradient", 5) == {("xw", "gradient"): [1, 3, 5], ("X", "value"): [2, 6, 10]}
    assert lit(*product, "X", "gradient", 0) == {("xw", "gradient"): [0, 1], ("W", "value"): [0, 1]}
    assert lit(*product, "b", "value", 1) == {("h", "value"): [1, 3, 5]}  # all its copies
    assert lit(*product, "b", "gradient", 1) == {("h", "gradient"): [1, 3, 5]}
    assert lit(lambda x: F.softmax(x, 1), [(2, 3)], "", "value", 4) == {("x", "value"): [3, 4, 5]}
    assert lit(lambda x: F.mean(x, axis=0), [(3, 2)], "", "value", 1) == {("x", "value"): [1, 3, 5]}
    assert lit(lambda x: x.T, [(2, 3)], "", "value", 1) == {("x", "value"): [3]}
    assert lit(lambda x: x[1:], [(3, 2)], "", "value", 0) == {("x", "value"): [2]}
    zero = lit(lambda x, w: x @ (w * 0.0), [(1, 2), (2, 1)], "x", "gradient", 0)
    assert list(zero.values()) == [[0], [0]]  # a factor of 0 is a factor


def test_without_a_declaration_the_recording_says_what_it_knows() -> None:
    class Twice(autolab.FunctionNode):
        def forward(self, inputs):
            return (2 * inputs[0],)

        def backward(self, target_input_indexes, grad_outputs):
            return (2 * grad_outputs[0],)

    recording = autolab.record(lambda x: Twice().apply((x,))[0], np.ones(2))
    reader = Reader(recording)
    told = reader.ask(["sources", 1, "value"])
    assert [cell["lit"] for cell in told] == [[], []] and told[0]["says"].endswith("[0] = 2.")
    assert reader.ask(["sources", 9, "value"]) is reader.ask(["sources", 0, "colour"]) is None
    assert Reader(autolab.record(lambda x: x * 2, np.ones((20, 20)))).ask(["sources", 0, "value"]) is None
    moving = Reader(autolab.record(lambda x: x * x, np.ones(2), options={"forward": "x"}))
    assert moving.ask(["sources", 1, "gradient"]) is None  # of tangents nothing is said
    replaced = autolab.record(lambda x: (x * x).sum(), np.ones(2), options={"replace": {1: np.zeros(2)}})
    assert Reader(replaced).ask(["sources", 1, "value"])[0]["says"].endswith(f"= 0{say('cell_replaced')}.")
