"""compare(): where two runs of a small GPT, or of a few lines, begin to differ."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.checkout import ROOT

import autolab
from autolab import functions as F
from autolab.recording import Recording
from autolab.views.graph.graph_view import GraphView


@pytest.fixture(scope="module")
def gpt() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "examples"))
        import small_gpt

        yield small_gpt
    sys.modules.pop("small_gpt", None)


IDS = np.random.default_rng(0).integers(0, 20, (2, 12))


def recorded(gpt: Any, change: Callable[[Any], None] = lambda model: None) -> Recording:
    with autolab.using_config("rng", np.random.default_rng(0)):
        model = gpt.GPT(20, 16, 2, 6)
        change(model)
        return autolab.record(model, IDS, IDS[:, ::-1].copy())


def transposed(model: Any) -> None:
    weight = model.blocks[3].proj.W
    weight.data = weight.data.T.copy()


def unscaled(model: Any) -> None:
    block = model.blocks[2]

    def forward(x: Any) -> Any:
        count, length, size = x.shape
        shape = (count, length, block.heads, size // block.heads)
        parts = F.split(block.qkv(block.ln1(x)), 3, -1)
        q, k, v = [F.transpose(F.reshape(part, shape), (0, 2, 1, 3)) for part in parts]
        scores = q @ F.swapaxes(k, -2, -1)
        later = np.triu(np.ones((length, length), bool), 1)
        att = F.softmax(F.where(later, np.float32(-np.inf), scores))
        y = F.reshape(F.transpose(att @ v, (0, 2, 1, 3)), x.shape)
        x = x + block.proj(y)
        return x + block.out(F.gelu(block.fc(block.ln2(x))))

    block.forward = forward


def moved(model: Any) -> None:
    model.pos.W.data = model.pos.W.data + np.float32(0.01) * np.arange(16, dtype=np.float32)


def test_two_runs_of_the_same_network_agree(gpt: Any) -> None:
    found = autolab.compare(recorded(gpt), recorded(gpt))
    assert found.agree and not found.only_a and not found.only_b and len(found.pairs) > 230
    assert "agree but for rounding" in str(found)


@pytest.mark.parametrize(
    ("change", "name", "words"),
    [
        (transposed, "proj(y)", "It was given W transposed."),
        (unscaled, None, "lacks a step of the first"),
        (moved, "pos(…)", "It was given another W: the difference is up to 0.150."),
    ],
)
def test_the_first_difference_among_many_steps_is_found(
    gpt: Any, change: Any, name: str | None, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    a, b = recorded(gpt), recorded(gpt, change)
    found = autolab.compare(a, b)
    assert len(b.steps) > 230 and found.value is not None and found.gradient is not None
    first = b.steps[found.value.b]
    assert words in str(found) and words in found._repr_mimebundle_()["text/html"]
    if change is unscaled:
        assert first.function == "where" and [a.steps[i].function for i in found.value.missing_a] == ["div"]
        assert (found.value.relation, found.value.factor) == ("scaled", pytest.approx(math.sqrt(8)))
    else:
        assert first.name == name and len(found.only_a) == len(found.only_b) == 0
    later = [size for (_, j), size in zip(found.pairs, found.values, strict=True) if j < first.id and j not in b.inputs]
    assert sum(size > 1e-4 for size in later) == len(found.value.because), "what it was given, and nothing else"
    if change is moved:
        view = found.explore()
        assert isinstance(view, GraphView) and view.look["selected"] == first.id
        view.close()


def test_a_changed_initial_state_is_found() -> None:
    rng = np.random.default_rng(0)
    w, u, xs = 0.3 * rng.normal(size=(4, 4)), 0.3 * rng.normal(size=(4, 4)), rng.normal(size=(52, 3, 4))

    def from_state(number: float) -> Recording:
        def rnn(w: Any, u: Any) -> Any:
            h = autolab.Variable(np.full((3, 4), number), requires_grad=False)
            for x in xs:
                h = np.tanh(x @ w + h @ u)
            return F.mean(h**2)

        return autolab.record(rnn, w, u)

    b = from_state(0.1)
    found = autolab.compare(from_state(0.0), b)
    assert len(b.steps) > 260 and found.value is not None and b.steps[found.value.b].source == "h @ u"
    assert "It was given another h: the difference is up to 0.1." in str(found)
    assert [b.steps[cause.b].name for cause in found.value.because] == ["h"]


class WrongSquare(autolab.FunctionNode):
    def forward(self, inputs: Any) -> Any:
        self.retain_inputs((0,))
        return (inputs[0] ** 2,)

    def backward(self, indexes: Any, gs: Any) -> Any:
        return (gs[0] * self.get_retained_inputs()[0],)


def test_a_gradient_that_alone_differs_is_found_where_backward_comes_to_it_first() -> None:
    def right(x: Any) -> Any:
        return (F.tanh(x) ** 2).sum()

    def wrong(x: Any) -> Any:
        return WrongSquare().apply((F.tanh(x),))[0].sum()

    x = np.array([0.3, -1.2, 2.0])
    found = autolab.compare(autolab.record(right, x), autolab.record(wrong, x))
    assert found.value is None and found.gradient is not None
    assert (found.b.steps[found.gradient.b].function, found.gradient.factor) == ("tanh", pytest.approx(0.5))
    assert "All values agree." in str(found)


def doubled(x: Any) -> Any:
    h = x * 2.0
    return F.sum(h)


NOT_FINITE = "one of the runs has no finite number there. It was given another x, and not all of it is finite."


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ((1.0, 1.0), (math.nan, 1.0), NOT_FINITE),
        ((math.inf, 1.0), (1.0, 1.0), NOT_FINITE),
        ((math.nan, 1.0), (math.nan, 2.0), "by up to 2 where the largest number of the first run is 2. It was given 2"),
    ],
)
def test_what_is_not_finite_has_no_size_and_no_factor(first: Any, second: Any, told: str) -> None:
    found = autolab.compare(autolab.record(doubled, np.array(first)), autolab.record(doubled, np.array(second)))
    assert told in str(found) and "\u221e" not in str(found)


def test_rounding_in_float32_is_no_difference() -> None:
    def net(x: Any) -> Any:
        return (F.softmax(F.tanh(x @ x.T)) ** 2).sum()

    x = np.random.default_rng(0).normal(size=(20, 30))
    runs = [autolab.record(net, x.astype(dtype)) for dtype in (np.float64, np.float32)]
    assert autolab.compare(*runs).agree and not autolab.compare(*runs, tolerance=1e-12).agree


@pytest.mark.parametrize(
    ("b", "tolerance", "told"),
    [(3.0, None, "compare: b is a float"), (None, -1.0, "compare: tolerance is -1.0; expected a positive number")],
)
def test_a_wrong_call_says_what_was_expected(b: Any, tolerance: float | None, told: str) -> None:
    run = autolab.record(lambda x: x * x, 3.0)
    with pytest.raises((TypeError, ValueError), match=told):
        autolab.compare(run, run if b is None else b, tolerance)


def test_the_example_trains_and_writes(gpt: Any) -> None:
    rng, text = np.random.default_rng(0), gpt.Text()
    with autolab.using_config("rng", rng):
        model = gpt.GPT(len(text.letters), 16, 2, 1)
    ids, following = text.batch(8, np.random.default_rng(1))
    before = float(model(ids, following).data)
    assert gpt.train(model, text, 0.0, rng) > 0 and float(model(ids, following).data) < before
    assert len(gpt.written(model, text, 5, rng)) == 16 + 5
