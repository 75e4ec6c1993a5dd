"""Recordings, explorations and checks of JAX: names, scopes, departures, moves, wrong rules, refusals."""

from __future__ import annotations

import re
from typing import Any

import pytest

jax = pytest.importorskip("jax", reason="needs JAX: make test-bridges")

import numpy as np
from jax import lax
from jax import numpy as jnp

import autolab
from autolab.bridges.jax import UnsupportedError, check_gradients, record
from autolab.bridges.jax.inputs import JaxInputs
from autolab.bridges.jax.live import JaxSession

x, w = jnp.array([1.0, 2.0]), jnp.array([3.0, -1.0])
TABLE = jnp.array([5.0, 6.0])


@jax.jit
def helper(a):
    return jnp.sin(a) * 2


def test_steps_have_the_users_names_and_lines():
    def loss(x, w):
        h = x @ w
        y = jnp.mean(x)
        return (h * y + TABLE).sum()

    recording = record(loss, x, w)
    assert [step.name for step in recording.steps if step.name] == ["x", "w", "h", "y", "TABLE"]
    assert recording["h"].statement == "h = x @ w"
    assert recording["h"].line == recording.first_line + 1
    assert [scope.label for scope in recording.scopes] == ["jnp.mean(x)"]  # a sum and a division, one expression


def test_jit_scan_and_cond_are_scopes():
    def fn(x):
        y = helper(x)
        c, ys = lax.scan(lambda c, t: (c * t, c), 1.0, y)
        return lax.cond(c > 0, lambda v: v * 2, lambda v: v - 1, c) + ys.sum()

    recording = record(fn, x)
    labels = [(scope.kind, scope.label.rpartition("# ")[2], scope.parent) for scope in recording.scopes]
    assert labels[:4] == [("link", "jit", None), ("link", "scan", None), ("pass", "t = 0", 1), ("pass", "t = 1", 1)]
    assert ("link", "cond, branch 1", None) in labels
    assert recording["c"].value is not None
    assert recording.scopes[0].name == "y"


def test_a_function_that_another_calls_is_a_scope():
    def inner(a):
        b = a * 2
        return b + 1

    recording = record(lambda x: inner(x).sum(), x)
    assert [(scope.kind, scope.label) for scope in recording.scopes] == [("function", "inner(x)")]


def test_pytrees_floats_and_static_arguments():
    def fn(params, scale, n):
        return params["w"] * scale**n

    recording = record(fn, {"w": x}, 2.0, 3)
    assert [recording.steps[i].name for i in recording.inputs] == ["params[w]", "scale"]
    assert recording["params[w]"].grad.values.tolist() == [8.0, 8.0]


def test_floats_of_an_object_stay_numbers():
    @jax.tree_util.register_pytree_node_class
    class Net:
        def __init__(self, w, p):
            self.w, self.p = w, p

        def tree_flatten(self):
            return ((self.w, self.p), None)

        @classmethod
        def tree_unflatten(cls, _, children):
            return cls(*children)

        def __call__(self, x):
            return x @ self.w["w"] * (self.p if self.p > 1 else 1.0) * self.w["scale"]

    nets = [Net({"w": x, "scale": 0.5}, p) for p in (0.0, 2.0)]
    for p, recording in zip(
        (1.0, 2.0), [record(lambda nets, x, i=i: nets[i](x), nets, x) for i in (0, 1)], strict=True
    ):
        found = [s for s in recording.steps if s.kind == "input" and s.grad is not None and s.name != "x"]
        assert any(s.grad.values.tolist() == [p * 0.5, p] for s in found)
        assert not [s for s in recording.steps if s.kind == "input" and s.value.size == 1]


def test_stop_gradient_is_a_departure():
    recording = record(lambda x: (x * lax.stop_gradient(x * x)).sum(), x)
    (found,) = recording.departures
    assert (found.source, found.how, found.inputs) == ("lax.stop_gradient(x * x)", "left", (0,))
    assert record(lambda x: (jax.nn.softmax(x) * x).sum(), x).departures == ()  # it stops the gradient of its maximum


def test_the_views_show_it(tmp_path):
    recording = record(lambda x, w: helper(x) @ w, x, w)
    assert "jnp.sin(a)" in recording._repr_mimebundle_()["text/html"]
    recording.save(tmp_path / "a.svg")
    assert recording.to_json()["inputs"] == [0, 1]
    assert record(lambda x: x, x).id == record(lambda x: x, x).id


def test_upstream_gradients():
    recording = record(lambda x: (x * 2, x.sum()), x, options={"upstream": (jnp.array([1.0, 2.0]), 10.0)})
    assert recording["x"].grad.values.tolist() == [12.0, 14.0]
    with pytest.raises(ValueError, match=r"option 'upstream' has shape \(3,\); expected \(2,\)"):
        record(lambda x: x, x, options={"upstream": np.ones(3)})


@pytest.mark.parametrize(
    ("fn", "error", "sentence"),
    [
        (lambda x: x if x[0] > 0 else -x, UnsupportedError, "needs the value of a traced array in Python"),
        (lambda x: x * float(x.sum()), UnsupportedError, "needs the value of a traced array"),
        (
            lambda x: lax.while_loop(lambda c: c[0] < 5, lambda c: c * 2, x).sum(),
            UnsupportedError,
            "no gradient through while_loop",
        ),
        (lambda x: jnp.abs(jnp.fft.rfft(x)).sum(), UnsupportedError, "complex64, and AutoLab shows real numbers"),
        (lambda x: None, TypeError, "is a return missing"),
        (lambda a, b: a, TypeError, "does not take these inputs"),
        (3, TypeError, "fn is an int; expected a function of JAX arrays"),
    ],
)
def test_what_cannot_be_shown_is_refused_by_name(fn, error, sentence):
    with pytest.raises(error, match=sentence):
        record(fn, x)


# ---------------------------------------------------------------------------------------------- explore
def test_every_number_follows_a_move_and_a_step_can_have_another_value():
    def product(x, y):
        h = x * y
        return (h + x).sum()

    view = JaxSession(JaxInputs.bind("explore", product, (x, w), {}), {})
    assert view.record()["x"].grad.values.tolist() == [4.0, 0.0]
    view.move("y", 0, 10.0)
    assert view.record()["x"].grad.values.tolist() == [11.0, 0.0]
    view.intervene(2, 10.0)
    recording = view.record()
    assert (recording.steps[-1].value.values, recording["y"].grad) == (23.0, None)
    assert view.code() == (
        "autolab.explore(product, x=jnp.array([1.0, 2.0], 'float32'), y=jnp.array([10.0, -1.0], 'float32'))"
    )


def test_the_public_names_recognise_arrays_and_functions(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert autolab.record(helper, x).function == "helper"
    assert autolab.check_gradients(lambda x: jnp.tanh(x).sum(), x).verdict == "right"
    view = autolab.explore(lambda p: p["x"].sum(), {"x": x})
    assert view.point["p[x]"].tolist() == [1.0, 2.0]
    view.close()


# ---------------------------------------------------------------------------------------------- check
def ruled(fn, bwd):
    own = jax.custom_vjp(fn)
    own.defvjp(lambda *args: (fn(*args), args), bwd)
    return own


points = jnp.array([0.5, -1.2, 2.0, 0.7])


@pytest.mark.parametrize(
    ("fn", "bwd", "kind", "word"),
    [
        (jnp.cos, lambda a, g: (g * jnp.sin(a[0]),), "wrong_sign", ""),
        (lambda x: x * x, lambda a, g: (g * a[0],), "wrong_factor", ""),
        (jnp.exp, lambda a, g: (jnp.exp(a[0]),), "upstream_ignored", ""),
        (lambda x: jnp.sin(x) * jnp.exp(x), lambda a, g: (g * jnp.cos(a[0]) * jnp.exp(a[0]),), "missing_term", "exp"),
        (lambda x: jnp.sin(x**2), lambda a, g: (g * jnp.cos(a[0] ** 2),), "wrong_function", "integer_pow"),
        (lambda x: x * 2, lambda a, g: (g[:1],), "wrong_shape", ""),
        (lambda x: x * 2, lambda a, g: (g, g), "wrong_shape", ""),
    ],
)
def test_a_wrong_rule_is_named(fn, bwd, kind, word):
    report = check_gradients(ruled(fn, bwd), points)
    assert (report.verdict, report.findings[0].kind) == ("wrong", kind)
    assert word in report.findings[0].message
    assert "test_jax_bridge.py" in report.findings[0].hint


@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_right_one_passes(order):
    own = ruled(lambda x: x**3, lambda a, g: (3 * g * a[0] ** 2,))
    assert check_gradients(own, points, order=order).verdict == "right"
    assert check_gradients(lambda x, y: {"a": jnp.tanh(x) * y}, points, points * 2, order=order).verdict == "right"


@pytest.mark.parametrize("fn", [lambda x: jnp.round(x, 3), jax.jit(lambda x: x * x + jnp.floor(x * 1e4) / 1e4)])
def test_narrow_steps_are_not_taken_for_a_slope_that_was_forgotten(fn):
    numbers = 5 * np.random.default_rng(0).normal(size=20)
    report = check_gradients(fn, numbers)
    assert report.verdict == "right" and "float16" not in str(report)
    assert check_gradients(lambda x: fn(x) + jax.lax.stop_gradient(x), numbers).verdict == "wrong"


def test_what_a_function_of_several_steps_returns_is_called_as_the_call_was_written() -> None:
    def loss(x: Any, w: Any) -> Any:
        return jax.nn.gelu(x @ w) @ w.T

    recording = record(loss, jnp.ones((2, 3)), jnp.ones((3, 4)))
    assert [step.function for step in recording.steps if step.name == "jax.nn.gelu(x @ w)"] == ["mul"]


@jax.jit
def attention(x, w):
    q, k, v = x @ w, x @ (w * 2), x @ (w * 3)
    return jax.nn.softmax(q @ k.T) @ v


def products(x, w):
    h = jnp.tanh(x @ w)
    return (jnp.exp(h) * jnp.sin(h) * h).sum()


@pytest.mark.parametrize("f", [products, lambda x, w: (attention(x, w) ** 2).sum()], ids=["products", "jit"])
def test_the_memory_is_what_jax_vjp_keeps(f: Any) -> None:
    x, w = jnp.ones((64, 100)), jnp.full((100, 50), 0.01)
    given = {array.unsafe_buffer_pointer() for array in (x, w)}
    kept = jax.tree_util.tree_leaves(jax.vjp(f, x, w)[1])
    found = {array.unsafe_buffer_pointer(): array.nbytes for array in kept if array.ndim}
    memory = autolab.record(f, x, w).memory()
    assert memory.peak == pytest.approx(sum([size for begin, size in found.items() if begin not in given]), rel=0.05)
    assert memory.peak > 3 * 64 * 50 * 4 and memory.released == ()


def test_inner_steps_are_called_by_what_they_compute() -> None:
    def norm(x: Any, g: Any) -> Any:
        m = x.mean(-1, keepdims=True)
        v = ((x - m) ** 2).mean(-1, keepdims=True)
        return (x - m) / jnp.sqrt(v + 1e-5) * g

    recording = autolab.record(lambda x, g: jax.nn.softmax(norm(x, g)).sum(), jnp.ones((2, 3)), jnp.ones(3))
    sources = [step.source for step in recording.steps if step.source and step.function in ("div", "max")]
    assert sources[:3] == ["sum(x) / 3", "sum(…) / 3", "(x - m) / jnp.sqrt(v + 1e-5)"]
    assert "broadcast" not in "".join(sources) and "max(-inf, max(…))" in sources


def test_steps_inside_jaxs_own_functions_are_called_by_their_primitive_and_their_number() -> None:
    recording = autolab.record(lambda x: jax.nn.gelu(x * 2.0).sum(), jnp.array([0.5, -1.0]))
    named = [step.name for step in recording.steps if step.name == f"{step.function}_{step.id}"]
    assert named[:3] == ["mul_3", "add_4", "mul_5"] and "tanh(mul_5)" in str(recording)
    assert re.search(r"\bv\d", str(recording)) is None
