"""What a recording is: frozen, JSON-able, bounded data that keeps no graph alive; and what record() refuses."""

from __future__ import annotations

import dataclasses
import json
import tracemalloc
import weakref

import numpy as np
import pytest
from helpers.garbage import collector_off, garbage
from helpers.nodes import SinCos

from autolab import Variable, grad, record
from autolab import functions as F
from autolab.recording import Recording


def muladd(x, y, z):
    h = x * y
    w = h + z
    return w


ERRORS = [
    (lambda: record(lambda x: 1.0, 2.0), "<lambda> returned a float; expected a Variable or a tuple of Variables"),
    (lambda: record(lambda x: None, 2.0), "returned None; .*: is a return missing\\?$"),
    (lambda: record(lambda x: (x, 1), 2.0), "returned a Variable, an int"),
    (lambda: record(lambda x: (), 2.0), "returned an empty tuple"),
    (
        lambda: record(lambda x: x.data, 2.0),
        r"returned an ndarray; .*: line \d+, x\.data, left the graph; NumPy's functions stay in it",
    ),
    (
        lambda: record(lambda x: np.zeros(2), 2.0),
        r"returned an ndarray; .*: float\(\), the functions of math and .data leave",
    ),
    (lambda: record(lambda x: x, 2.0, y=1.0), "unexpected keyword argument 'y'"),
    (lambda: record(lambda x: x, 2.0, options={"upstraem": 1}), "unknown options 'upstraem'"),
    (lambda: record(3.0), "fn is a float"),
]


@pytest.mark.parametrize(("call", "message"), ERRORS)
def test_errors(call: object, message: str) -> None:
    with pytest.raises(TypeError, match=f"record: .*{message}") as caught:
        call()
    assert len(str(caught.value)) <= 300


def test_an_upstream_that_does_not_fit() -> None:
    with pytest.raises(ValueError, match=r"\(3,\).*\(2,\)"):
        record(lambda x: x * 2, [1.0, 2.0], options={"upstream": np.ones(3)})
    with pytest.raises(ValueError, match="'upstream' is a float; expected a tuple of 2"):
        record(lambda x: (x, x * 2), 1.0, options={"upstream": 1.0})


def test_an_error_in_the_function_reaches_the_user_and_leaves_no_listener() -> None:
    with pytest.raises(ZeroDivisionError):
        record(lambda x: x * (1 // 0), 1.0)
    with pytest.raises(ValueError, match=r"add: a has shape \(2,\)"):
        record(lambda x: x + np.ones(3), [1.0, 2.0])


def test_gradients_equal_those_of_grad_and_variables_stay_untouched() -> None:
    def program(x, w):
        h = F.tanh(x @ w)
        return F.sum(h * h / (h + 2.0), axis=0)

    rng = np.random.default_rng(0)
    x, w = Variable(rng.normal(size=(4, 3)), name="mine"), Variable(rng.normal(size=(3, 2)).astype(np.float32))
    r = record(program, x, w)
    for step, g in zip(r.steps, grad(F.sum(program(x, w)), (x, w)), strict=False):
        np.testing.assert_array_equal(step.grad.values, g.data)
        assert step.grad.dtype == str(g.dtype)
    assert x.grad is None and w.grad is None and x.name == "mine" and w.name is None
    for step in r.steps:
        received = [o.contribution.values for s in r.steps for o in s.operands if o.step == step.id and o.contribution]
        if received:
            np.testing.assert_allclose(step.grad.values, sum(received), rtol=1e-6)


def test_an_input_called_like_an_argument_of_record() -> None:
    r = record(lambda fn, upstream: fn * upstream, fn=2.0, upstream=3.0)
    assert [s.name for s in r.steps[:2]] == ["fn", "upstream"]


def test_recordings_are_frozen_data() -> None:
    r = record(muladd, 2.0, 3.0, 4.0)
    for o, name in ((r, "steps"), (r.steps[0], "name"), (r.steps[3].operands[0], "rule"), (r.steps[0].value, "shape")):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(o, name, None)
    with pytest.raises(ValueError, match="read-only"):
        r.steps[0].value.values[...] = 1.0


def test_ids_are_stable() -> None:
    one, same, other = [record(muladd, x, 3.0, 4.0) for x in (2.0, 2.0, 2.5)]
    assert one.id == same.id != other.id
    assert [s.id for s in one.steps] == [s.id for s in other.steps] == list(range(5))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_json() -> None:
    def program(x, w, n):
        s, c = SinCos().apply((x / w,))
        return F.sum(s * n), c

    for dtype in (np.float64, np.float32, np.longdouble):
        r = record(program, np.array([1.0, 0.0], dtype), np.array([0.0, np.inf], dtype), np.array([1, 2]))
        data = r.to_json()
        assert json.loads(json.dumps(data, allow_nan=False)) == data
        assert data["steps"][3]["value"]["values"] == ["Infinity", 0.0]
        assert set(data) == {"id", *[f.name for f in dataclasses.fields(Recording)]}


def test_a_budget_is_kept_and_said() -> None:
    def program(x):
        for _ in range(20):
            x = x + 1.0
        return x

    large = np.zeros(200_000)
    r = record(program, large, options={"budget": 1_000_000})
    kept = sum(s.value.values.nbytes for s in r.steps)
    assert r.reduced >= 20 and kept < 21 * 256 * 256 * 8 and not r.steps[-1].value.is_whole
    assert r.steps[-1].value.maximum == 20.0
    assert record(program, [1.0, 2.0]).reduced == 0


def test_the_graph_is_not_kept_alive() -> None:
    nodes, arrays = [], []

    def program(x):
        h = F.tanh(x * x)
        nodes.append(weakref.ref(h.node))
        arrays.append(weakref.ref(h.data))
        return F.sum(h)

    with collector_off():
        r = record(program, np.ones(1000))
        assert [w() for w in nodes + arrays] == [None, None]
        assert garbage() == []
    assert r.steps[2].value.values.shape == (1000,)


def test_a_step_takes_little_memory() -> None:
    def loop(x: Variable) -> Variable:
        for _ in range(500):
            x = x * 0.9999 + 0.001
        return x

    record(loop, 1.0)  # what is made once
    with collector_off():
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            recording = record(loop, 1.0)
            held = tracemalloc.get_traced_memory()[0] - before
        finally:
            tracemalloc.stop()
    assert len(recording.steps) == 1001 and held < 2_000 * len(recording.steps)
