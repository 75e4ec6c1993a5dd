"""Healthy programs in JAX."""

from __future__ import annotations

from itertools import pairwise

import jax
import numpy as np
from jax import numpy as jnp

from diagnosis.case import healthy


def _normal(*shape):
    return jnp.asarray(np.random.randn(*shape), jnp.float32)


def _init(*sizes):
    return [{"w": _normal(a, b) / np.sqrt(a), "b": jnp.zeros(b)} for a, b in pairwise(sizes)]


def _blobs(n=32, features=4, classes=3):
    t = jnp.asarray(np.random.randint(0, classes, n))
    return 0.5 * _normal(n, features) + 2 * _normal(classes, features)[t], t


def _mlp(params, x):
    for layer in params[:-1]:
        x = jax.nn.relu(x @ layer["w"] + layer["b"])
    return x @ params[-1]["w"] + params[-1]["b"]


def _cross_entropy(logits, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], axis=-1))


@healthy
def mlp():
    return lambda p, x, y: _cross_entropy(_mlp(p, x), y), _init(4, 32, 32, 3), *_blobs()


@healthy
def linear_regression_with_one_output():
    x = _normal(40, 5)
    params = {"w": jnp.zeros((5, 1)), "b": jnp.zeros(1)}
    return lambda p, x, y: jnp.mean((x @ p["w"] + p["b"] - y) ** 2), params, x, x @ _normal(5, 1)


@healthy
def logistic_regression():
    def loss_fn(params, x, y):
        z = (x @ params["w"] + params["b"])[:, 0]
        return jnp.mean(jax.nn.softplus(z) - y * z)

    x = _normal(40, 4)
    return loss_fn, {"w": 0.1 * _normal(4, 1), "b": jnp.zeros(1)}, x, (x[:, 0] > 0).astype(jnp.float32)


@healthy
def convolutions():
    def loss_fn(params, images, labels):
        h = jax.lax.conv(images, params["conv"], (1, 1), "SAME")
        h = jax.nn.relu(h + params["bias"][:, None, None])
        return _cross_entropy(h.mean(axis=(2, 3)) @ params["w"], labels)

    params = {"conv": 0.3 * _normal(8, 1, 3, 3), "bias": jnp.zeros(8), "w": 0.4 * _normal(8, 3)}
    images, labels = _normal(12, 1, 6, 6), jnp.asarray(np.random.randint(0, 3, 12))
    return loss_fn, params, images + labels[:, None, None, None], labels


@healthy
def recurrence_by_scan():
    def loss_fn(params, x, y):
        def step(h, xt):
            return jnp.tanh(xt @ params["in"] + h @ params["rec"] + params["b"]), None

        h, _ = jax.lax.scan(step, jnp.zeros((len(x), 12)), x.transpose(1, 0, 2))
        return jnp.mean((h @ params["out"] - y) ** 2)

    x = _normal(8, 5, 3)
    params = {"in": 0.5 * _normal(3, 12), "rec": 0.2 * _normal(12, 12), "b": jnp.zeros(12), "out": 0.3 * _normal(12, 1)}
    return loss_fn, params, x, x[:, :, :1].mean(axis=1)


@healthy(causal=True)
def causal_attention():
    def loss_fn(params, tokens):
        h = params["embed"][tokens[:, :-1]] + params["place"]
        q, k, v = h @ params["q"], h @ params["k"], h @ params["v"]
        keep = jnp.tril(jnp.ones((8, 8), bool))
        weights = jax.nn.softmax(jnp.where(keep, q @ k.transpose(0, 2, 1) / 4.0, -jnp.inf))
        return _cross_entropy((h + weights @ v) @ params["head"], tokens[:, 1:])

    params = {name: 0.25 * _normal(16, 16) for name in ("q", "k", "v")}
    params |= {"embed": _normal(12, 16), "place": 0.1 * _normal(8, 16), "head": 0.25 * _normal(16, 12)}
    return loss_fn, params, jnp.asarray((np.arange(9) + np.arange(6)[:, None]) % 12)


@healthy
def variational_autoencoder():
    def elbo(params, x, key):
        out = _mlp(params["enc"], x)
        mu, logvar = out[:, :3], out[:, 3:]
        logits = _mlp(params["dec"], mu + jax.random.normal(key, mu.shape) * jnp.exp(0.5 * logvar))
        bce = jnp.sum(jax.nn.softplus(logits) - x * logits)
        return bce - 0.5 * jnp.sum(1 + logvar - mu**2 - jnp.exp(logvar))

    x = jnp.asarray(np.random.rand(24, 12) > 0.7, jnp.float32)
    return elbo, {"enc": _init(12, 16, 6), "dec": _init(3, 16, 12)}, x, jax.random.PRNGKey(0)


@healthy
def simsiam_with_stop_gradient():
    def cosine(a, b):
        return jnp.mean(jnp.sum(a * b, axis=1) / jnp.sqrt(jnp.sum(a**2, axis=1) * jnp.sum(b**2, axis=1) + 1e-6))

    def loss_fn(params, a, b):
        z1, z2 = _mlp(params["encoder"], a), _mlp(params["encoder"], b)
        p1, p2 = _mlp(params["predictor"], z1), _mlp(params["predictor"], z2)
        stop = jax.lax.stop_gradient
        return -(cosine(p1, stop(z2)) + cosine(p2, stop(z1))) / 2

    a = _normal(16, 6)
    return loss_fn, {"encoder": _init(6, 32, 8), "predictor": _init(8, 8, 8)}, a, a + 0.1 * _normal(16, 6)


@healthy
def dqn_with_stop_gradient():
    def loss_fn(params, s, a, r, s2):
        q = jnp.take_along_axis(_mlp(params, s), a[:, None], axis=1)[:, 0]
        target = jax.lax.stop_gradient(r + 0.9 * _mlp(params, s2).max(axis=1))
        return jnp.mean((q - target) ** 2)

    s = _normal(24, 4)
    return loss_fn, _init(4, 32, 2), s, jnp.asarray(np.random.randint(0, 2, 24)), 2 * s[:, 0], _normal(24, 4)


@healthy
def straight_through_quantization():
    def loss_fn(params, x, y):
        h = jnp.tanh(x @ params[0]["w"] + params[0]["b"])
        h = h + jax.lax.stop_gradient(jnp.round(h * 4) / 4 - h)
        return _cross_entropy(h @ params[1]["w"] + params[1]["b"], y)

    return loss_fn, _init(4, 16, 3), *_blobs()


@healthy
def masked_loss():
    def loss_fn(params, x, y, mask):
        error = (_mlp(params, x)[..., 0] - y) ** 2
        return jnp.sum(error * mask) / jnp.sum(mask)

    x = _normal(6, 8, 3)
    mask = jnp.asarray(np.random.rand(6, 8) < 0.6, jnp.float32)
    return loss_fn, _init(3, 16, 1), x, x.sum(axis=-1), mask


@healthy
def physics_informed():
    def loss_fn(params, t):
        def u(s):
            h = jnp.tanh(s * params["w1"] + params["b1"])
            return h @ params["w2"]

        residual = jax.vmap(lambda s: jax.grad(jax.grad(u))(s) + u(s))(t)
        return jnp.mean(residual**2) + (u(0.0) - 1) ** 2

    params = {"w1": _normal(24), "b1": _normal(24), "w2": 0.2 * _normal(24)}
    return loss_fn, params, jnp.linspace(0, 2, 30)


@healthy
def batch_by_vmap():
    def predict(params, x):
        return jnp.tanh(x @ params["w1"]) @ params["w2"]

    def loss_fn(params, x, y):
        return jnp.mean((jax.vmap(predict, (None, 0))(params, x) - y) ** 2)

    x = _normal(24, 3)
    return loss_fn, {"w1": 0.5 * _normal(3, 16), "w2": 0.25 * _normal(16)}, x, x.sum(axis=1)


@healthy
def rosenbrock():
    return lambda p: (1 - p[0]) ** 2 + 100 * (p[1] - p[0] ** 2) ** 2, jnp.array([-1.2, 1.0])
