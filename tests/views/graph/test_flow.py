"""What flows through a graph: numbers per box and line on one scale; what is wrong with them; search; the first NaN."""

import json

import numpy as np
import pytest

import autolab
from autolab import functions as F
from autolab.recording.arrays import snapshot
from autolab.recording.observations import EXPLODED, VANISHED, dead_units, observations
from autolab.views.draw.numbers import number
from autolab.views.graph.flow import MEASURES, flow
from autolab.views.graph.health import nan_path, sentences
from autolab.views.graph.labels import search_words
from autolab.views.graph.readings import view_scales
from autolab.views.graph.scene import scene
from autolab.views.graph.sizes import Scale, scale_of

from ..cases import muladd, recorded_muladd, recorded_net, recording, step


def double(v):
    return v * 2.0


def looped(x):
    for _k in range(3):
        x = double(x)
    return x.sum()


def norms(shown, which):
    kept = {s.id: getattr(s, which) for s in shown.steps}
    return {str(i): None if k is None else float(np.linalg.norm(k.values)) for i, k in kept.items()}


@pytest.mark.parametrize("by", ["value", "gradient"])
def test_numbers_are_the_norms_of_the_arrays(by):
    shown = recorded_net()
    told = flow(shown, by, shown.outline.groups)
    expected = norms(shown, "value" if by == "value" else "grad")
    assert {k: v and v[1] for k, v in told["nodes"].items()} == {k: number(v) for k, v in expected.items()}
    largest = max(expected, key=expected.get)
    assert told["nodes"][largest][0] == 1.0 and told["legend"]["high"] == number(expected[largest])


def test_the_ratio_is_the_gradients_norm_over_the_values():
    shown = recorded_muladd()  # x = 2, y = 3, z = 4
    texts = {shown.steps[int(k)].name: v[1] for k, v in flow(shown, "ratio", ())["nodes"].items()}
    assert texts == {"x": "1.5", "y": "0.667", "z": "0.25", "h": "0.167", "w": "0.1"}


def test_lines_carry_what_was_sent_back_along_them():
    shown = autolab.record(lambda x: x * 3.0 + x * 5.0, 1.0)
    told = flow(shown, "gradient", ())
    pairs = [(e["from"], e["to"]) for e in scene(shown)["edges"]]
    places = dict(zip(pairs, told["edges"], strict=True))
    assert places == {(0, 1): 3 / 8, (0, 2): 5 / 8, (1, 3): 1 / 8, (2, 3): 1 / 8}  # the gradient of x is 8


def test_a_closed_group_has_the_norm_of_its_result_and_the_bytes_of_all_its_steps():
    shown = autolab.record(looped, np.ones(4))
    (loop,) = [i for i in shown.outline.items if i.id < 0]
    assert flow(shown, "value", ())["nodes"][str(loop.id)][1] == "16"
    assert flow(shown, "bytes", ())["nodes"][str(loop.id)][1] == f"{3 * 2 * 4 * 8} bytes"
    assert len(flow(shown, "gradient", ())["edges"]) == len(scene(shown, ())["edges"]) == 2


def test_what_cannot_be_measured_is_none_and_not_zero():
    shown = autolab.record(lambda x, n: x * n, 2.0, np.array(3))
    told = flow(shown, "gradient", ())["nodes"]
    assert told["1"] is None and told["0"][1] == "3"
    assert flow(shown, "time", ())["nodes"]["0"] is None
    assert flow(autolab.record(lambda x: x * 0.0, 1.0), "ratio", ())["nodes"]["1"] is None  # 1 / 0


@pytest.mark.parametrize("by", ["value", "gradient", "ratio"])
def test_what_is_nowhere_finite_has_no_norm(by):
    with np.errstate(all="ignore"):
        shown = autolab.record(lambda x: np.log(x) + np.sqrt(x * 0.0), np.array([-1.0, -2.0]))
    told = flow(shown, by, ())
    values = {step.id: step.value if by == "value" else step.grad for step in shown.steps}
    lost = [str(i) for i, kept in values.items() if kept is not None and not np.isfinite(kept.values).any()]
    assert lost and all(told["nodes"][i] is None for i in lost)
    if by == "gradient":
        assert None in told["edges"]


@pytest.mark.parametrize("by", MEASURES)
def test_flow_is_json_and_covers_the_picture(by):
    for shown in (recorded_net(), autolab.record(looped, np.ones(3))):
        for expanded in ((), shown.outline.at_first()):
            told, picture = flow(shown, by, expanded), scene(shown, expanded)
            json.dumps(told, allow_nan=False)
            assert set(told["nodes"]) == {str(n["id"]) for n in picture["nodes"]}
            assert len(told["edges"]) == len(picture["edges"])
            assert all(v is None or 0 <= v[0] <= 1 for v in told["nodes"].values())


def test_scales():
    assert scale_of([0.0, 1.0, 4.0]) == Scale(0.0, 4.0, False)
    wide = scale_of([0.0, 1e-4, 1.0])
    assert wide == Scale(1e-4, 1.0, True)
    assert [wide.place(v) for v in (0.0, 1e-4, 1e-2, 1.0)] == pytest.approx([0, 0, 0.5, 1])
    assert scale_of([]) == Scale(0.0, 0.0, False) and scale_of([0.0]).place(0.0) == 0.0
    assert scale_of([1e-300, 1.0]).low == 1e-12


def test_a_legend_says_where_numbers_lie_below_its_end():
    shown = autolab.record(lambda x: (x * 1e-300) * 1.0, 1.0)
    low = flow(shown, "value", ())["legend"]["low"]
    assert low == "≤ 1e−12" and flow(shown, "value", ())["nodes"]["1"] == [0.0, "1e−300"]


def test_norms_of_reduced_arrays_are_those_of_the_whole():
    values = np.random.default_rng(0).normal(size=(700, 300))
    values[3, 4] = np.nan
    kept = snapshot(values, 1000)
    assert not kept.is_whole and kept.norm == pytest.approx(np.sqrt(np.nansum(values**2)), rel=1e-12)
    assert snapshot(values).norm == pytest.approx(kept.norm, rel=1e-12)
    for size in (1e-300, 1e300):
        assert snapshot(np.full((4, 4), size)).norm == snapshot(np.full((4, 4), size), 4).norm == 4 * size


# --- what is wrong ------------------------------------------------------------------------------------------------


def chain_of_gradients(*sizes):
    """A chain whose gradients have these norms, the last one nearest to the output."""
    steps = [step(0, np.ones(2), np.array([sizes[0], 0.0]), name="x")]
    steps += [step(i, np.ones(2), np.array([g, 0.0]), of=(i - 1,), name=f"h{i}") for i, g in enumerate(sizes[1:], 1)]
    return recording(*steps)


def test_vanishing_and_exploding_are_told_by_their_thresholds():
    shown = chain_of_gradients(VANISHED * 0.99, VANISHED * 1.01, EXPLODED * 0.99, EXPLODED * 1.01, 0.0, 1.0)
    assert [(f.sign, f.step) for f in observations(shown)] == [("vanishing", 0), ("exploding", 3)]
    told = dict(sentences(shown, observations(shown)))
    assert "vanishes at 1 step" in told["vanishing"] and "at x." in told["vanishing"] and "at h5" in told["vanishing"]


def test_a_mean_over_a_large_batch_is_no_vanishing_gradient():
    shown = autolab.record(lambda x: F.mean(F.tanh(x) * 0.9), np.full(10_000_000 // 100, 0.5))
    assert observations(shown) == []


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_shares_that_cancel_are_no_vanishing_gradient(dtype):
    def logsumexp(x):
        m = x.max(axis=1, keepdims=True)
        centred = x - x.mean(axis=1, keepdims=True)
        return (m + np.log(np.exp(x - m).sum(axis=1, keepdims=True))).sum() + (centred**2).sum()

    x = np.random.default_rng(0).normal(size=(6, 5)).astype(dtype)
    shown = autolab.record(logsumexp, x)
    sizes = [step.grad.norm for step in shown.steps if step.name == "m"]
    assert 0 < sizes[0] < 1e-5  # what rounding leaves of 0
    assert observations(shown) == []


def test_what_a_cancelled_sum_is_passed_on_to_is_no_vanishing_gradient_and_sets_no_scale():
    def normalized(x):
        centred = x - x.mean(axis=0)
        return centred / F.sqrt((centred**2).mean(axis=0) + 1e-5)

    shown = autolab.record(normalized, np.random.default_rng(0).normal(size=(6, 3)))
    tiny = [step for step in shown.steps if step.grad.norm < 1e-14]
    assert len(tiny) > len(shown.steps) / 2 and observations(shown) == []
    assert view_scales(shown).grad >= 1


def test_a_deep_tanh_net_with_small_weights_vanishes_towards_its_input():
    rng = np.random.default_rng(0)

    def deep(x, W):
        for _ in range(12):
            x = np.tanh(x @ W)
        return x.sum()

    found = observations(autolab.record(deep, rng.normal(size=(4, 6)), rng.normal(size=(6, 6)) * 0.2))
    assert {f.sign for f in found} == {"vanishing"} and found[0].step == 0
    assert max(f.step for f in found) < 15


def test_the_step_where_a_gradient_vanishes_and_the_one_it_is_compared_with_differ_in_name():
    def shrink(x):
        for _ in range(9):
            x = 0.1 * x
        return x

    shown = autolab.record(shrink, x=1.0)
    ((_, told),) = sentences(shown, observations(shown))
    assert "less than a thousandth of that at x = 0.1 * x. The smallest is 1e−09, at x." in told


def test_dead_units_are_zero_for_every_sample_of_a_batch():
    values = np.array([[0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0]])
    assert dead_units(snapshot(values)) == (2, 4)
    assert dead_units(snapshot(values[:1])) == dead_units(snapshot(values[0])) == (0, 0)  # one sample tells nothing
    large = np.zeros((1000, 300))
    large[999, 7:] = 1.0
    assert dead_units(snapshot(large, 100_000)) == (7, 300)
    assert dead_units(snapshot(large, 100)) == (0, 0)  # a cell of the copy covers several units
    shown = autolab.record(lambda x: F.relu(x).sum(), np.array([[-1.0, 2.0], [-3.0, 4.0]]))
    assert [(f.sign, f.size, f.total) for f in observations(shown)] == [("dead", 1.0, 2)]
    assert "1 of 2" in sentences(shown, observations(shown))[0][1]


@pytest.mark.parametrize(
    ("fn", "x", "seen"),
    [
        (F.relu, [[-1.0, -2.0]], ("dead", 2, 2)),  # one example, of which nothing is left
        (F.sigmoid, np.linspace(5, 9, 10), ("saturated", 10, 10)),
        (np.tanh, np.linspace(-1, 1, 10), None),
        (lambda x: F.clip(x, 0.0, 1.0), np.linspace(1.5, 9, 10), ("clamped", 10, 10)),
        (lambda x: F.clip(x, 0.0, 9.0), np.linspace(1.5, 9, 10), None),
    ],
)
def test_units_at_a_bound_are_marked_in_the_graph_and_named_by_diagnose(fn, x, seen):
    def loss(x):
        return fn(x).sum()

    shown = autolab.record(loss, np.array(x))
    found = [f for f in observations(shown) if f.sign not in ("vanishing", "exploding")]
    assert [(f.sign, f.size, f.total) for f in found] == [seen] * (seen is not None)
    assert seen is None or f"{seen[1]} of {seen[2]}" in sentences(shown, found)[0][1]
    named = [(f.kind.partition("_")[0], f.step) for f in autolab.diagnose(loss, autolab.Variable(x)).findings]
    assert {f for f in named if f[0] in ("dead", "saturated", "clamped")} == {(f.sign, f.step) for f in found}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_nan_and_infinities_are_marked_and_the_first_nan_has_a_path():
    def program(x):
        b = np.log(x)
        c = b * x
        return c.sum()

    shown = autolab.record(program, np.array([1.0, 0.0]))
    signs = {(shown.steps[f.step].name, f.sign) for f in observations(shown)}
    assert {("b", "infinite"), ("c", "nan")} <= signs
    path = nan_path(shown)
    assert path["born"] == shown["c"].id and path["because"] == shown["b"].id
    assert path["values"] == [shown.steps[-1].id] and shown["x"].id in path["gradients"]
    assert "forward pass, at c = b * x" in path["text"] and "infinity that came up at b = np.log(x)" in path["text"]
    assert nan_path(recorded_muladd()) is None


# --- search -------------------------------------------------------------------------------------------------------


def matches(shown, text):
    return [step for step, (words, *_) in search_words(shown).items() if text in words]


def test_search_finds_names_functions_code_and_lines():
    shown = autolab.record(muladd, 2.0, 3.0, 4.0)
    h = shown["h"]
    assert matches(shown, "h") == [h.id, shown["w"].id]
    assert matches(shown, "mul") == [h.id] and matches(shown, "x * y") == [h.id]
    assert [step for step, (_, *lines) in search_words(shown).items() if h.line in lines] == [h.id]
    assert matches(shown, "nothing like it") == []


def test_search_finds_everything_in_a_call_that_is_named():
    shown = autolab.record(looped, np.ones(3))
    assert matches(shown, "double") == [s.id for s in shown.steps if s.function == "mul"]
