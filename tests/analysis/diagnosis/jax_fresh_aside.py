"""Programs in JAX that were written after the rules, and tried on them once."""

from __future__ import annotations

from itertools import pairwise

import jax
import numpy as np
from jax import numpy as jnp

from diagnosis.case import healthy, mistake


def _normal(*shape):
    return jnp.asarray(np.random.randn(*shape), jnp.float32)


def _layers(*sizes):
    return {f"l{i}": (_normal(a, b) / np.sqrt(a), jnp.zeros(b)) for i, (a, b) in enumerate(pairwise(sizes))}


def _forward(params, x):
    for i in range(len(params) - 1):
        w, b = params[f"l{i}"]
        x = jnp.tanh(x @ w + b)
    w, b = params[f"l{len(params) - 1}"]
    return x @ w + b


def _classes(n=24, features=5, classes=4):
    t = jnp.asarray(np.random.randint(0, classes, n))
    return 0.4 * _normal(n, features) + 2 * _normal(classes, features)[t], t


@mistake("double_softmax")
def probabilities_into_logsumexp():
    def loss_fn(params, x, t):
        p = jax.nn.softmax(_forward(params, x), axis=-1)  # <- p = _forward(params, x)
        return jnp.mean(jax.nn.logsumexp(p, axis=-1) - p[jnp.arange(len(t)), t])  # <-

    return loss_fn, _layers(5, 16, 4), *_classes()


@mistake("broadcast_loss")
def column_against_a_row():
    def loss_fn(params, x, y):
        return jnp.mean(jnp.abs(_forward(params, x) - y))  # <- return jnp.mean(jnp.abs(_forward(params, x)[:, 0] - y))

    x = _normal(24, 5)
    return loss_fn, _layers(5, 16, 1), x, x[:, 0]


@mistake("cut_gradient", "unreached_parameter")
def features_of_stopped_parameters():
    def loss_fn(params, x, t):
        frozen = jax.lax.stop_gradient(params["body"])  # <- frozen = params["body"]
        logits = _forward(params["head"], jnp.tanh(_forward(frozen, x)))
        return -jnp.mean(jax.nn.log_softmax(logits)[jnp.arange(len(t)), t])

    return loss_fn, {"body": _layers(5, 12, 8), "head": _layers(8, 4)}, *_classes()


@mistake("softmax_over_batch", "mixed_examples")
def log_softmax_over_axis_0():
    def loss_fn(params, x, t):
        log_p = jax.nn.log_softmax(_forward(params, x), axis=0)  # <- 0 => 1
        return -jnp.mean(log_p[jnp.arange(len(t)), t])

    return loss_fn, _layers(5, 16, 4), *_classes()


@mistake("output_range")
def sigmoid_for_signed_targets():
    def loss_fn(params, x, y):
        out = jax.nn.sigmoid(_forward(params, x))  # <- out = _forward(params, x)
        return jnp.mean((out[:, 0] - y) ** 2)  # <-

    x = _normal(24, 5)
    return loss_fn, _layers(5, 16, 1), x, 2 * x[:, 0]


@healthy
def residual_network_with_layer_norm():
    def loss_fn(params, x, t):
        h = x @ params["inp"]
        for w in params["blocks"]:
            n = (h - h.mean(-1, keepdims=True)) / (h.std(-1, keepdims=True) + 1e-5)
            h = h + jax.nn.gelu(n @ w)
        return -jnp.mean(jax.nn.log_softmax(h @ params["out"])[jnp.arange(len(t)), t])

    params = {"inp": _normal(5, 8) / 2, "blocks": [_normal(8, 8) / 3 for _ in range(4)], "out": _normal(8, 4) / 3}
    return loss_fn, params, *_classes()


@healthy
def contrastive_pairs():
    def loss_fn(params, a, b):
        za, zb = _forward(params, a), _forward(params, b)
        za, zb = za / jnp.linalg.norm(za, axis=1, keepdims=True), zb / jnp.linalg.norm(zb, axis=1, keepdims=True)
        return -jnp.mean(jnp.diagonal(jax.nn.log_softmax(za @ zb.T / 0.2, axis=1)))

    a = _normal(16, 5)
    return loss_fn, _layers(5, 16, 4), a, a + 0.1 * _normal(16, 5)
