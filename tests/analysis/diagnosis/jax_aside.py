"""Programs in JAX with a mistake: variants that were put aside."""

from __future__ import annotations

import jax
import numpy as np
from jax import numpy as jnp

from diagnosis.case import mistake


def _draw(*shape):
    return jnp.asarray(np.random.randn(*shape), jnp.float32)


def _dense(a, b):
    return {"kernel": _draw(a, b) / a**0.5, "bias": jnp.zeros(b)}


def _apply(layer, x):
    return x @ layer["kernel"] + layer["bias"]


def _two(a, hidden, b):
    return {"hidden": _dense(a, hidden), "out": _dense(hidden, b)}


def _clusters(n=40, features=6, classes=4):
    label = jnp.asarray(np.random.randint(0, classes, n))
    return _draw(n, features) + 3 * jnp.eye(classes, features)[label], label


def _nll(logp, label):
    return -logp[jnp.arange(len(label)), label].mean()


@mistake("cut_gradient", "unreached_parameter")
def features_stopped_inside_the_model():
    def model(params, x):
        h = jax.nn.gelu(_apply(params["hidden"], x))
        h = jax.lax.stop_gradient(h)  # <- pass
        return _apply(params["out"], h)

    return lambda p, x, y: _nll(jax.nn.log_softmax(model(p, x)), y), _two(6, 16, 4), *_clusters()


@mistake("cut_gradient", "unreached_parameter")
def sign_activation():
    def loss_fn(params, x, y):
        h = jnp.sign(_apply(params["hidden"], x))  # <- jnp.sign => jnp.tanh
        return _nll(jax.nn.log_softmax(_apply(params["out"], h)), y)

    return loss_fn, _two(6, 24, 4), *_clusters()


@mistake("cut_gradient")
def cast_to_integers():
    def loss_fn(params, x, stars):
        rating = _apply(params["out"], jnp.tanh(_apply(params["hidden"], x)))[:, 0]
        rating = rating.astype(int)  # <- pass
        return jnp.abs(rating - stars).mean()

    x = _draw(30, 5)
    return loss_fn, _two(5, 16, 1), x, jnp.clip(jnp.round(2.5 + 2 * x[:, 0]), 1, 5)


@mistake("broadcast_loss")
def flat_predictions_against_a_column():
    def loss_fn(params, x, y):
        pred = _apply(params["out"], jnp.tanh(_apply(params["hidden"], x))).ravel()
        return jnp.abs(pred - y).mean()  # <- return jnp.abs(pred - y.ravel()).mean()

    x = _draw(30, 5)
    return loss_fn, _two(5, 16, 1), x, x[:, 1:2]


@mistake("softmax_over_batch", "wrong_axis", "mixed_examples")
def experts_gated_over_the_batch():
    def loss_fn(params, x, y):
        weight = jax.nn.softmax(_apply(params["gate"], x), axis=0)  # <- axis=0 => axis=1
        return jnp.mean((jnp.sum(weight * _apply(params["experts"], x), axis=1) - y) ** 2)

    x = _draw(30, 5)
    return loss_fn, {"gate": _dense(5, 3), "experts": _dense(5, 3)}, x, jnp.abs(x[:, 0])


@mistake("double_sigmoid")
def sigmoid_in_the_model_and_in_the_loss():
    def model(params, x):
        h = jax.nn.relu(_apply(params["hidden"], x))
        return jax.nn.sigmoid(_apply(params["out"], h))  # <- return _apply(params["out"], h)

    def loss_fn(params, x, y):
        z = model(params, x)
        return jnp.mean(jnp.maximum(z, 0) - z * y + jnp.log1p(jnp.exp(-jnp.abs(z))))  # <-

    x = _draw(30, 5)
    return loss_fn, _two(5, 16, 1), x, (x[:, :1] > 0).astype(jnp.float32)


@mistake("output_range")
def tanh_output_for_temperatures():
    def loss_fn(params, x, y):
        pred = jnp.tanh(_apply(params["out"], jax.nn.relu(_apply(params["hidden"], x))))  # <- jnp.tanh =>
        return jnp.abs(pred - y).mean()  # <-

    x = _draw(30, 5)
    return loss_fn, _two(5, 16, 1), x, 5 + 2 * x[:, :1]


@mistake("vanishing")
def small_tanh_layers_in_a_deep_stack():
    def loss_fn(params, x, y):
        h = jnp.tanh(x @ params["first"])
        for w in params["middle"]:
            h = jnp.tanh(h @ w)  # <-
        return _nll(jax.nn.log_softmax(h @ params["last"]), y)

    middle = [0.05 * _draw(20, 20) for _ in range(25)]  # <- middle = [0.2 * _draw(20, 20) for _ in range(2)]
    return loss_fn, {"first": 0.4 * _draw(6, 20), "middle": middle, "last": 0.2 * _draw(20, 4)}, *_clusters()


@mistake("exploding", "not_finite", "no_nonlinearity")
def recurrence_that_doubles():
    def loss_fn(params, x, y):
        def step(h, xt):
            h = xt @ params["in"] + h @ params["rec"]  # <- h = jnp.tanh(xt @ params["in"] + h @ params["rec"])
            return h, None

        h, _ = jax.lax.scan(step, jnp.zeros((len(x), 8)), x.transpose(1, 0, 2))  # <-
        return jnp.abs(h @ params["out"] - y).mean()  # <-

    x = _draw(10, 40, 2)
    params = {"in": _draw(2, 8) / 2, "rec": 2.5 * jnp.eye(8), "out": _draw(8, 1) / 3}  # <- 2.5 => 0.5
    return loss_fn, params, x, x[:, -1, :1]


@mistake("not_finite")
def power_of_one_half_at_zero():
    def loss_fn(params, x, y):
        energy = jnp.abs(_apply(params, x))
        return jnp.mean((energy**0.5 - y) ** 2)  # <- energy => (energy + 1e-4)

    x = _draw(30, 5).at[7].set(0.0)
    return loss_fn, _dense(5, 1), x, jnp.abs(x[:, :1]) ** 0.5


@mistake("ignores_inputs", "constant_output")
def batch_shadowed_inside_the_loss():
    def loss_fn(params, x, y):
        x = jnp.ones(x.shape)  # <- pass
        return _nll(jax.nn.log_softmax(_apply(params["out"], jax.nn.relu(_apply(params["hidden"], x)))), y)  # <-

    return loss_fn, _two(6, 16, 4), *_clusters()
