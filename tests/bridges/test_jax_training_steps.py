"""diagnose() runs a pure training step of JAX's again and again: what it returns is what it is given next."""

from __future__ import annotations

from functools import partial

import pytest

import autolab

jax = pytest.importorskip("jax", reason="needs jax: make test-bridges")
jnp = jax.numpy
tree_map = jax.tree_util.tree_map

X = jax.random.normal(jax.random.PRNGKey(0), (24, 4))
T = jnp.argmax(X[:, :3], axis=1)


def fresh():
    kernels = jax.random.normal(jax.random.PRNGKey(1), (4, 8)) * 0.7, jax.random.normal(jax.random.PRNGKey(2), (8, 3))
    return {"first": {"w": kernels[0], "b": jnp.zeros(8)}, "last": {"w": kernels[1], "b": jnp.zeros(3)}}


def scores(params, x):
    h = jnp.tanh(x @ params["first"]["w"] + params["first"]["b"])
    return h @ params["last"]["w"] + params["last"]["b"]


def loss_fn(params, x, t):
    log_p = jax.nn.log_softmax(scores(params, x))
    return -jnp.take_along_axis(log_p, t[:, None], axis=1).mean()


def step(params, x, t, rate=0.5):
    loss, grads = jax.value_and_grad(loss_fn)(params, x, t)
    return tree_map(lambda p, g: p - rate * g, params, grads), loss


@partial(jax.jit, donate_argnums=(0, 1))
def momentum(params, velocity, x, t):
    grads = jax.grad(loss_fn)(params, x, t)
    velocity = tree_map(lambda v, g: 0.9 * v + g, velocity, grads)
    return loss_fn(params, x, t), tree_map(lambda p, v: p - 0.05 * v, params, velocity), velocity


def line(w, b, x, y):
    (loss, guess), (gw, gb) = jax.value_and_grad(squares, (0, 1), has_aux=True)(w, b, x, y)
    return w - 0.1 * gw, b - 0.1 * gb, guess, loss


def squares(w, b, x, y):
    guess = x @ w + b
    return ((guess - y) ** 2).mean(), guess


@pytest.mark.parametrize(
    ("fn", "args"),
    [
        (step, lambda: (fresh(), X, T)),
        (momentum, lambda: (fresh(), tree_map(jnp.zeros_like, fresh()), X, T)),
        (line, lambda: (jnp.zeros(4), jnp.zeros(()), X, X[:, 0])),
    ],
)
def test_a_healthy_step_is_not_accused_and_takes_no_array_over(fn, args):
    given = args()
    diagnosis = autolab.diagnose(fn, *given, steps=10)
    assert diagnosis and diagnosis.recording.steps[diagnosis.recording.outputs[0]].value.size == 1
    assert not any(a.is_deleted() for a in jax.tree_util.tree_leaves(given))


@pytest.mark.parametrize(("rate", "said"), [(200.0, "too large"), (1e-10, "too small"), (-0.01, "never below")])
def test_updates_out_of_scale_are_named(rate, said):
    (found,) = autolab.diagnose(step, fresh(), X, T, rate=rate, steps=10).findings
    assert said in found.message and "10 steps" in found.message


def test_the_loss_inside_the_step_is_looked_at():
    def doubled(params, x, t):
        def loss(params):
            p = jax.nn.softmax(scores(params, x))
            return -jnp.take_along_axis(jax.nn.log_softmax(p), t[:, None], axis=1).mean()

        value, grads = jax.value_and_grad(loss)(params)
        return tree_map(lambda p, g: p - 0.1 * g, params, grads), value

    (found,) = autolab.diagnose(doubled, fresh(), X, T, steps=10).findings
    assert (found.kind, found.line) == ("double_softmax", doubled.__code__.co_firstlineno + 2)
    assert jax.grad.__module__.startswith("jax")


@pytest.mark.parametrize(
    ("fn", "missing"),
    [
        (loss_fn, "anything like its arguments params, x, t"),
        (lambda params, x, t: step(params, x, t)[0], "a loss, one number"),
    ],
)
def test_what_is_no_training_step_is_refused(fn, missing):
    with pytest.raises(TypeError, match=f"returns new parameters and the loss; .* does not return {missing}"):
        autolab.diagnose(fn, fresh(), X, T, steps=3)
