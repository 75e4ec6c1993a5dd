"""The flow of the gradient through the layers, and what a run keeps for the backward pass."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import functions as F
from autolab import links as L
from autolab.recording.observations import observations
from autolab.views.graph.graph_view import GraphView

RNG = np.random.default_rng(0)
X = RNG.normal(size=(64, 100))


def deep(x: Any, w: float) -> Any:
    for _ in range(6):
        x = F.tanh(x * w)
    return x.sum()


def test_the_layers_of_links_are_in_order_of_depth_with_their_weights() -> None:
    net = L.MLP((50, 30, 2))
    recording = autolab.record(lambda x: (net(x) ** 2).sum(), X)
    flow = recording.flow()
    assert [row.layer for row in flow.rows] == ["net.l0", "net.l1", "net.l2"] and flow.marked == ()
    first = flow.rows[0]
    link = next(iter(net.children()))
    assert first.weight == pytest.approx(np.hypot(np.linalg.norm(link.W.data), np.linalg.norm(link.b.data)))
    assert first.ratio == pytest.approx(first.weight_gradient / first.weight)
    assert str(flow).splitlines()[1].split()[:2] == ["layer", "value"]


class Cell(autolab.Chain):
    """A layer that is called in each round, and others that are held in a list."""

    def __init__(self) -> None:
        super().__init__()
        self.cell, self.heads = L.Linear(8, 4), autolab.ChainList(L.Linear(4, 4), L.Linear(4, 4))

    def forward(self, x: Any) -> Any:
        h = np.zeros((len(x), 4))
        for t in (0, 1):
            h = t + F.tanh(self.cell(F.concatenate([x, h], axis=1)))
        for head in self.heads:
            h = head(h)
        return h


def test_the_weights_of_one_layer_have_names_of_their_own() -> None:
    class Recurrent(autolab.Link):
        def __init__(self) -> None:
            super().__init__()
            self.W, self.U = autolab.Parameter(np.ones((3, 2))), autolab.Parameter(np.eye(2))
            self.out = L.Linear(2, 1)

        def forward(self, xs: Any) -> Any:
            h = np.zeros((4, 2))
            for x in xs:
                h = F.tanh(x @ self.W + h @ self.U)
            return self.out(h)

    net = Recurrent()
    rows = autolab.record(lambda xs: net(xs).sum(), np.ones((2, 4, 3))).flow().rows
    assert [row.layer for row in rows] == [*[f"net.pass {i}.{name}" for i in (1, 2) for name in "WU"], "net.out"]


class Around(autolab.Chain):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Cell()

    def forward(self, x: Any) -> Any:
        return self.inner(x).sum()


def test_a_layer_goes_by_its_path_and_by_its_round_where_it_has_several() -> None:
    net, x = Around(), X[:, :4]
    inner = ["t = 0.cell", "t = 1.cell", "heads.0", "heads.1"]
    expected = [f"inner.{name}" for name in inner]
    assert [row.layer for row in autolab.record(net, x).flow().rows] == expected
    called = autolab.record(lambda x: net(x) + 1.0, x)
    assert [row.layer for row in called.flow().rows] == [f"net.{name}" for name in expected]
    alone = autolab.record(lambda x: net.inner(x).sum(), x)  # the outermost link goes by its call
    assert [row.layer for row in alone.flow().rows] == expected
    one = autolab.record(lambda h: net.inner.heads[1](h).sum(), x)
    assert [row.layer for row in one.flow().rows] == ["net.inner.heads[1](h)"]


@pytest.mark.parametrize(("w", "sign"), [(0.05, "vanishes"), (1e-200, "zero"), (1.0, "")])
def test_what_vanishes_is_marked_in_words_and_in_the_plot(w: float, sign: str, tmp_path: Path) -> None:
    flow = autolab.record(deep, X[:2, :3], w).flow()
    assert [row.layer for row in flow.rows][:2] == ["pass 1", "pass 2"]
    assert sign in {row.sign for row in flow.marked} if sign else flow.marked == ()
    words = {"vanishes": "vanishes at pass 1", "zero": "exactly 0 at pass", "": "No gradient vanishes or explodes"}
    assert words[sign] in str(flow)
    flow.save(tmp_path / "flow.svg")
    assert ('class="ring"' in (tmp_path / "flow.svg").read_text()) == bool(sign)
    assert words[sign] in flow._repr_mimebundle_()["text/html"]


def test_a_product_and_its_bias_are_one_layer_and_inputs_may_be_the_weights_transposed_ones_too() -> None:
    def net(params: Any, x: Any) -> Any:
        h = F.tanh(x @ params["w1"] + params["b1"])
        return (h @ params["w2"].T + params["b2"]).sum()

    shapes = {"w1": (100, 8), "b1": (8,), "w2": (2, 8), "b2": (2,)}
    flow = autolab.record(net, {name: RNG.normal(size=shape) for name, shape in shapes.items()}, X).flow()
    assert [row.weight is not None for row in flow.rows] == [True, True]


def test_it_opens_the_live_graph_at_a_layer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    net = L.MLP((5, 2))
    recording = autolab.record(lambda x: net(x).sum(), X)
    view = recording.flow().explore("net.l1")
    assert isinstance(view, GraphView) and view.look["selected"] == recording.flow().rows[1].step
    view.close()
    with pytest.raises(KeyError, match="no layer is called 'l9'"):
        recording.flow().explore("l9")


def net_of_large_arrays(x: Any) -> Any:
    h = F.softmax(F.tanh(x) @ np.ones((100, 400)))
    h = F.exp(h.reshape(400, 64)) * h.reshape(400, 64)
    return (F.relu(h) ** 2).sum()


def test_the_peak_is_what_python_itself_counts() -> None:
    recording = autolab.record(net_of_large_arrays, X)
    x = autolab.Variable(X)
    net_of_large_arrays(x)  # what is made once
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        y = net_of_large_arrays(x)
        kept = tracemalloc.get_traced_memory()[0] - before
        y.backward()
        after = tracemalloc.get_traced_memory()[0] - before - X.nbytes
    finally:
        tracemalloc.stop()
    assert after == pytest.approx(kept, rel=0.05)
    memory = recording.memory()
    assert memory.released == () and "All of it stays until the outputs are gone." in str(memory)
    given = 100 * 400 * 8  # the ones, which the function brings along
    assert y.node is not None and memory.peak + given == pytest.approx(kept, rel=0.05)
    assert memory.rows[-1].total == sum(memory.by_layer.values()) == memory.peak
    assert memory.largest is not None and f"{memory.largest.label}"[:20] in str(memory)


def test_inputs_and_memory_that_steps_share_count_once_or_not_at_all() -> None:
    def shared(x: Any) -> Any:
        y = F.exp(x)
        return (y * y.reshape(6400)[:].reshape(64, 100)).sum() + (x * x).sum()

    memory = autolab.record(shared, X).memory()
    assert memory.peak == X.nbytes and [row.label for row in memory.rows] == ["y"]


def test_a_run_without_gradients_says_that_it_does_not_know() -> None:
    with pytest.raises(ValueError, match=r"memory: the recording of .* does not know what is kept; expected one"):
        autolab.record(lambda i: i + 1, np.arange(3)).memory()


def test_the_bias_of_attentions_keys_has_a_gradient_of_0_and_does_not_vanish() -> None:
    query, key, value = [L.Linear(8, 8) for _ in range(3)]

    def attention(x: Any) -> Any:
        return F.sum((F.softmax(query(x) @ F.transpose(key(x) * 1.0)) @ value(x)) ** 2)

    r = autolab.record(attention, RNG.normal(size=(6, 8)).astype(np.float32))
    bias = next(step for step in r.steps if step.grad is not None and 0 < step.grad.norm < 1e-5)
    assert bias.kind == "leaf" and bias.value.shape == (8,)
    assert observations(r) == [] and r.flow().marked == ()


def test_a_bias_whose_gradient_does_vanish_is_marked() -> None:
    def early(x: Any, w: Any, b: Any) -> Any:
        h = F.linear(x, w, b)
        for _ in range(12):
            h = F.tanh(h @ w) * 0.1
        return F.sum(h)

    r = autolab.record(early, RNG.normal(size=(3, 4)), RNG.normal(size=(4, 4)), np.zeros(4))
    assert "vanishing" in [found.sign for found in observations(r) if found.step == r["b"].id]


def test_a_small_gradient_beside_a_residual_connection_has_not_vanished() -> None:
    """The picture and the flow say the same: what is before the branch learns from the rest."""
    first, branch, last = [L.Linear(6, 6) for _ in range(3)]

    def scaled(x: Any) -> Any:  # as ConvNeXt's layer scale
        h = first(x)
        return F.sum(last(h + 1e-6 * F.tanh(branch(h))) ** 2)

    def queried(x: Any) -> Any:  # as the queries of a language model with small weights
        h = first(x)
        scores = F.softmax(1e-5 * branch(h) @ F.transpose(h))
        return F.sum(last(h + scores @ h) ** 2)

    def dying(x: Any) -> Any:
        return F.sum(last(1e-3 * F.tanh(branch(1e-3 * first(x)))) ** 2)

    x = RNG.normal(size=(4, 6))
    for fn in (scaled, queried):
        r = autolab.record(fn, x)
        sizes = [step.grad.norm for step in r.steps if step.grad is not None]
        assert min(sizes) < 1e-5 * max(sizes)
        assert [found for found in observations(r) if found.sign == "vanishing"] == [] and r.flow().marked == ()
    r = autolab.record(dying, x)
    assert "vanishing" in [found.sign for found in observations(r)] and r.flow().marked[0].sign == "vanishes"
