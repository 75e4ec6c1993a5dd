"""Further programs in JAX of the kinds that are easily missed."""

from __future__ import annotations

from itertools import pairwise

import jax
import numpy as np
from jax import numpy as jnp

from diagnosis.case import healthy, mistake


def _normal(*shape):
    return jnp.asarray(np.random.randn(*shape), jnp.float32)


def _init(*sizes, scale=1.0):
    return [{"w": _normal(a, b) * scale / np.sqrt(a), "b": jnp.zeros(b)} for a, b in pairwise(sizes)]


def _blobs(n=32, features=4, classes=3):
    t = jnp.asarray(np.random.randint(0, classes, n))
    return 0.5 * _normal(n, features) + 2 * _normal(classes, features)[t], t


def _sides(n=32, features=4):
    x = _normal(n, features)
    return x, (x[:, :1] > 0).astype(jnp.float32)


def _cross_entropy(logits, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1))


def _mlp(params, x):
    for layer in params[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


@mistake("double_sigmoid")
def stable_logistic_loss_of_a_probability():
    def loss_fn(params, x, y):
        z = jax.nn.sigmoid(_mlp(params, x))  # <- z = _mlp(params, x)
        return jnp.mean(jnp.maximum(z, 0) - z * y + jnp.log1p(jnp.exp(-jnp.abs(z))))  # <-

    return loss_fn, _init(4, 16, 1), *_sides()


@mistake("double_sigmoid")
def softplus_loss_of_a_sigmoid():
    def loss_fn(params, x, y):
        z = jax.nn.sigmoid(_mlp(params, x))  # <- z = _mlp(params, x)
        return jnp.mean(jax.nn.softplus(z) - z * y)  # <-

    return loss_fn, _init(4, 16, 1), *_sides()


@mistake("double_sigmoid")
def log_sigmoid_of_a_sigmoid():
    def loss_fn(params, x, y):
        p = jax.nn.sigmoid(_mlp(params, x))  # <- p = _mlp(params, x)
        return -jnp.mean(y * jax.nn.log_sigmoid(p) + (1 - y) * jax.nn.log_sigmoid(-p))  # <-

    return loss_fn, _init(4, 16, 1), *_sides()


@mistake("vanishing")
def layers_in_one_array():
    def loss_fn(params, x, labels):
        h = jnp.tanh(x @ params["inp"])  # <-
        for i in range(params["mid"].shape[0]):  # <- for i in range(2):
            h = jax.nn.sigmoid(h @ params["mid"][i])  # <-
        return _cross_entropy(h @ params["out"], labels)  # <-

    params = {"inp": _normal(4, 16) / 2, "mid": _normal(26, 16, 16) / 4, "out": _normal(16, 3) / 4}
    return loss_fn, params, *_blobs()


@mistake("vanishing")
def small_weights_in_a_deep_net():
    def loss_fn(params, x, labels):
        for layer in params[:-1]:
            x = jnp.tanh(x @ layer["w"] + layer["b"])  # <-
        return _cross_entropy(x @ params[-1]["w"] + params[-1]["b"], labels)  # <-

    params = _init(4, *[16] * 12, 3, scale=0.02)  # <- params = _init(4, 16, 3)
    return loss_fn, params, *_blobs()


@mistake("vanishing")
def deep_stack_of_a_helper():
    def layer(w, h):
        return jax.nn.sigmoid(h @ w)  # <-

    def loss_fn(params, x, labels):
        h = x @ params["inp"]
        for w in params["mid"]:
            h = layer(w, h)  # <-
        return _cross_entropy(h @ params["out"], labels)

    middle = [_normal(16, 16) / 4 for _ in range(24)]  # <- 24 => 2
    params = {"inp": _normal(4, 16) / 2, "mid": middle, "out": _normal(16, 3) / 4}
    return loss_fn, params, *_blobs()


@mistake("double_softmax")
def softmax_and_log_softmax():
    def loss_fn(params, x, labels):
        p = jax.nn.softmax(_mlp(params, x))  # <- p = _mlp(params, x)
        return _cross_entropy(p, labels)  # <-

    return loss_fn, _init(4, 16, 3), *_blobs()


@mistake("wrong_axis", "mixed_examples")
def own_layer_norm_over_the_batch():
    def loss_fn(params, x, labels):
        h = x @ params[0]["w"]
        mean, size = h.mean(0), h.std(0)  # <- mean, size = h.mean(1, keepdims=True), h.std(1, keepdims=True)
        h = (h - mean) / (size + 1e-5)  # <-
        return _cross_entropy(_mlp(params[1:], jax.nn.relu(h)), labels)

    return loss_fn, _init(4, 16, 16, 3), *_blobs()


@mistake("output_range")
def softplus_for_signed_targets():
    def loss_fn(params, x, y):
        out = jax.nn.softplus(_mlp(params, x))  # <- out = _mlp(params, x)
        return jnp.mean((out - y) ** 2)  # <-

    x = _normal(32, 4)
    return loss_fn, _init(4, 16, 1), x, x[:, :1]


@mistake("constant_output", "wrong_axis", "mixed_examples", "broadcast_loss")
def one_prediction_for_the_whole_batch():
    def loss_fn(params, x, y):
        pred = _mlp(params, x).mean(axis=0)  # <- pred = _mlp(params, x)
        return jnp.mean((pred - y) ** 2)  # <-

    x = _normal(32, 4)
    return loss_fn, _init(4, 16, 1), x, x[:, :1]


@healthy
def last_layer_starts_at_zero_with_a_bias():
    params = _init(4, 16, 3)
    params[-1]["w"], params[-1]["b"] = jnp.zeros((16, 3)), jnp.array([0.5, 0.2, 0.3])
    return lambda p, x, y: _cross_entropy(_mlp(p, x), y), params, *_blobs()
