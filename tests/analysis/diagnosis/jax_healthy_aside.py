"""Healthy programs in JAX that were put aside."""

from __future__ import annotations

import jax
import numpy as np
from jax import numpy as jnp

from diagnosis.case import healthy


def _draw(*shape):
    return jnp.asarray(np.random.randn(*shape), jnp.float32)


def _dense(a, b):
    return {"kernel": _draw(a, b) / a**0.5, "bias": jnp.zeros(b)}


def _apply(layer, x):
    return x @ layer["kernel"] + layer["bias"]


def _clusters(n=40, features=6, classes=4):
    label = jnp.asarray(np.random.randint(0, classes, n))
    return _draw(n, features) + 3 * jnp.eye(classes, features)[label], label


def _nll(scores, label):
    return -jnp.mean(jnp.sum(jax.nn.one_hot(label, scores.shape[-1]) * jax.nn.log_softmax(scores), axis=-1))


@healthy
def layer_norm_and_residuals():
    def norm(h):
        return (h - h.mean(-1, keepdims=True)) / jnp.sqrt(h.var(-1, keepdims=True) + 1e-5)

    def loss_fn(params, x, y):
        h = _apply(params["inp"], x)
        for layer in params["middle"]:
            h = h + jax.nn.gelu(_apply(layer, norm(h)))
        return _nll(_apply(params["out"], norm(h)), y)

    params = {"inp": _dense(6, 16), "middle": [_dense(16, 16) for _ in range(3)], "out": _dense(16, 4)}
    return loss_fn, params, *_clusters()


@healthy
def info_nce():
    def loss_fn(params, a, b):
        def embed(x):
            z = _apply(params["out"], jax.nn.relu(_apply(params["hidden"], x)))
            return z / jnp.sqrt((z**2).sum(1, keepdims=True) + 1e-8)

        return _nll(embed(a) @ embed(b).T / 0.1, jnp.arange(len(a)))

    a = _draw(16, 6)
    return loss_fn, {"hidden": _dense(6, 32), "out": _dense(32, 8)}, a, a + 0.1 * _draw(16, 6)


@healthy
def policy_gradient_with_a_baseline():
    def loss_fn(params, states, actions, returns):
        logp = jnp.take_along_axis(jax.nn.log_softmax(_apply(params["actor"], states)), actions[:, None], axis=1)[:, 0]
        value = _apply(params["critic"], states)[:, 0]
        advantage = jax.lax.stop_gradient(returns - value)
        return -(logp * advantage).mean() + 0.5 * ((value - returns) ** 2).mean()

    s = _draw(30, 5)
    params = {"actor": _dense(5, 2), "critic": _dense(5, 1)}
    return loss_fn, params, s, jnp.asarray(np.random.randint(0, 2, 30)), s[:, 0] + 1


@healthy
def last_layer_starts_at_zero():
    params = {"hidden": _dense(6, 24), "out": {"kernel": jnp.zeros((24, 4)), "bias": jnp.zeros(4)}}
    return lambda p, x, y: _nll(_apply(p["out"], jnp.tanh(_apply(p["hidden"], x))), y), params, *_clusters()


@healthy
def targets_within_the_sigmoid():
    def loss_fn(params, x, y):
        pred = jax.nn.sigmoid(_apply(params["out"], jax.nn.silu(_apply(params["hidden"], x))))
        return jnp.mean((pred - y) ** 2)

    x = _draw(40, 6)
    return loss_fn, {"hidden": _dense(6, 24), "out": _dense(24, 1)}, x, jnp.asarray(np.random.rand(40, 1), jnp.float32)


@healthy
def smallest_eigenvalue_by_a_quotient():
    def rayleigh(v, a):
        return (v @ a @ v) / (v @ v)

    m = np.random.randn(5, 5)
    return rayleigh, jnp.ones(5), jnp.asarray(m @ m.T, jnp.float32)
