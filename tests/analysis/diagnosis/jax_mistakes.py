"""Programs in JAX with a mistake: a loss of parameters, inputs and targets."""

from __future__ import annotations

from itertools import pairwise

import jax
import numpy as np
from jax import numpy as jnp

from diagnosis.case import mistake


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


@mistake("cut_gradient", "unreached_parameter")
def encoder_output_is_stopped():
    params = {"encoder": _init(12, 8, 3), "decoder": _init(3, 8, 12)}

    def loss_fn(params, x):
        code = _mlp(params["encoder"], x)
        code = jax.lax.stop_gradient(code)  # <- pass
        return jnp.mean((_mlp(params["decoder"], code) - x) ** 2)

    return loss_fn, params, jnp.asarray(np.random.rand(16, 12), jnp.float32)


@mistake("cut_gradient")
def argmax_in_the_loss():
    def loss_fn(params, x, labels):
        logits = _mlp(params, x)
        pred = jnp.argmax(logits, axis=1)  # <- pred = jax.nn.softmax(logits) @ jnp.arange(3)
        return jnp.mean((pred - labels) ** 2.0)

    return loss_fn, _init(4, 16, 3), *_blobs()


@mistake("cut_gradient")
def accuracy_as_loss():
    def loss_fn(params, x, y):
        prob = jax.nn.sigmoid(_mlp(params, x))
        pred = (prob > 0.5).astype(jnp.float32)  # <- pred = prob
        return jnp.mean(jnp.abs(pred - y))

    return loss_fn, _init(4, 16, 1), *_sides()


@mistake("cut_gradient")
def dice_of_rounded_mask():
    def dice_loss(params, pixels, mask):
        pred = jnp.round(jax.nn.sigmoid(_mlp(params, pixels)))  # <- pred = jax.nn.sigmoid(_mlp(params, pixels))
        return 1 - (2 * jnp.sum(pred * mask) + 1) / (jnp.sum(pred) + jnp.sum(mask) + 1)

    return dice_loss, _init(4, 16, 1), *_sides()


@mistake("unreached_parameter")
def second_layer_is_never_called():
    def loss_fn(params, x, y):
        h = jnp.tanh(x @ params["w1"])
        h = jnp.tanh(h @ params["w1"])  # <- h = jnp.tanh(h @ params["w2"])
        return _cross_entropy(h @ params["w3"], y)

    params = {"w1": 0.3 * _normal(8, 8), "w2": 0.3 * _normal(8, 8), "w3": 0.3 * _normal(8, 3)}  # <-
    return loss_fn, params, *_blobs(32, 8)


@mistake("broadcast_loss")
def column_of_predictions_against_flat_targets():
    def loss_fn(params, x, y):
        pred = _mlp(params, x)
        return jnp.mean((pred - y) ** 2)  # <- return jnp.mean((pred[:, 0] - y) ** 2)

    x = _normal(64, 3)
    return loss_fn, _init(3, 16, 1), x, 2 * x[:, 0]


@mistake("softmax_over_batch")
def softmax_over_axis_zero():
    def loss_fn(params, x, y):
        log_probs = jax.nn.log_softmax(_mlp(params, x), axis=0)  # <- axis=0 => axis=1
        return -jnp.mean(log_probs[jnp.arange(len(y)), y])

    return loss_fn, _init(4, 16, 3), *_blobs()


@mistake("mixed_examples")
def reshape_where_a_transpose_belongs():
    def loss_fn(params, x, y):
        batch, time, features = x.shape
        x = x.reshape(time, batch, features)  # <- x = x.transpose(1, 0, 2)

        def step(h, xt):
            h = jnp.tanh(xt @ params["in"] + h @ params["rec"])
            return h, None

        h, _ = jax.lax.scan(step, jnp.zeros((batch, 12)), x)
        return jnp.mean((h @ params["out"] - y) ** 2)

    x = _normal(8, 5, 3)
    params = {"in": 0.5 * _normal(3, 12), "rec": 0.2 * _normal(12, 12), "out": 0.3 * _normal(12, 1)}
    return loss_fn, params, x, x[:, :, :1].sum(axis=1)


@mistake("causal_leak", causal=True)
def attention_without_a_causal_mask():
    def loss_fn(params, tokens):
        h = params["embed"][tokens[:, :-1]] + params["place"]
        q, k, v = h @ params["q"], h @ params["k"], h @ params["v"]
        scores = q @ k.transpose(0, 2, 1) / 4.0
        keep = jnp.ones((8, 8), bool)  # <- keep = jnp.tril(jnp.ones((8, 8), bool))
        weights = jax.nn.softmax(jnp.where(keep, scores, -1e9))  # <-
        h = h + weights @ v  # <-
        return _cross_entropy((h @ params["head"]).reshape(-1, 12), tokens[:, 1:].reshape(-1))

    params = {name: 0.25 * _normal(16, 16) for name in ("q", "k", "v")}
    params |= {"embed": _normal(12, 16), "place": 0.1 * _normal(8, 16), "head": 0.25 * _normal(16, 12)}
    return loss_fn, params, jnp.asarray((np.arange(9) + np.arange(6)[:, None]) % 12)


@mistake("double_softmax")
def softmax_before_log_softmax():
    def predict(params, x):
        return jax.nn.softmax(_mlp(params, x))  # <- return _mlp(params, x)

    def loss_fn(params, x, y):
        log_probs = jax.nn.log_softmax(predict(params, x))  # <-
        return -jnp.mean(jnp.sum(jax.nn.one_hot(y, 3) * log_probs, axis=1))

    return loss_fn, _init(4, 32, 3), *_blobs()


@mistake("double_sigmoid")
def sigmoid_before_the_sigmoid_of_the_loss():
    def loss_fn(params, x, y):
        p = jax.nn.sigmoid(_mlp(params, x))  # <- p = _mlp(params, x)
        return -jnp.mean(y * jax.nn.log_sigmoid(p) + (1 - y) * jax.nn.log_sigmoid(-p))  # <-

    return loss_fn, _init(4, 16, 1), *_sides()


@mistake("missing_log")
def probabilities_picked_without_a_log():
    def loss_fn(params, x, y):
        probs = jax.nn.softmax(_mlp(params, x))  # <- probs = jax.nn.log_softmax(_mlp(params, x))
        return -jnp.mean(jnp.take_along_axis(probs, y[:, None], axis=1))  # <-

    return loss_fn, _init(4, 16, 3), *_blobs()


@mistake("rectified_logits")
def relu_after_the_last_layer():
    def forward(params, x):
        for layer in params:
            x = jax.nn.relu(x @ layer["w"] + layer["b"])  # <-
        return x

    def loss_fn(params, x, y):
        return _cross_entropy(forward(params, x), y)  # <- forward => _mlp

    return loss_fn, _init(4, 16, 3), *_blobs()


@mistake("no_nonlinearity")
def two_linear_layers_in_a_row():
    def loss_fn(params, x, y):
        h = x @ params["w1"] + params["b1"]  # <- h = jnp.tanh(x @ params["w1"] + params["b1"])
        return _cross_entropy(h @ params["w2"], y)  # <-

    x = jnp.tile(jnp.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), (8, 1))
    params = {"w1": _normal(2, 16), "b1": 0.1 * _normal(16), "w2": 0.25 * _normal(16, 2)}
    return loss_fn, params, x, (x[:, 0] != x[:, 1]).astype(int)


@mistake("output_range")
def sigmoid_output_for_house_prices():
    def loss_fn(params, x, price):
        pred = jax.nn.sigmoid(_mlp(params, x))  # <- pred = _mlp(params, x)
        return jnp.mean((pred - price) ** 2)  # <-

    x = _normal(32, 4)
    return loss_fn, _init(4, 16, 1), x, 3 + 2 * x[:, :1]


@mistake("dead_units")
def relus_with_a_large_negative_bias():
    params = _init(4, 32, 3)
    params[0]["b"] = jnp.full(32, -20.0)  # <- -20.0 => 0.1

    def loss_fn(params, x, y):
        h = jax.nn.relu(x @ params[0]["w"] + params[0]["b"])  # <-
        return _cross_entropy(h @ params[1]["w"] + params[1]["b"], y)

    return loss_fn, params, *_blobs()


@mistake("vanishing")
def twenty_sigmoids():
    def loss_fn(params, x, y):
        for layer in params[:-1]:  # <- params[:-1] => params[:2]
            x = jax.nn.sigmoid(x @ layer["w"] + layer["b"])  # <- jax.nn.sigmoid => jnp.tanh
        return _cross_entropy(x @ params[-1]["w"] + params[-1]["b"], y)

    params = _init(4, *[16] * 20, 3)  # <- 20 => 2
    return loss_fn, params, *_blobs()


@mistake("exploding", "large_initialisation", "not_finite")
def thirty_layers_of_large_weights():
    params = _init(16, *[16] * 30, 1, scale=5.0)  # <- params = _init(16, *[16] * 3, 1, scale=1.4)

    def loss_fn(params, x, y):
        return jnp.mean((_mlp(params, x) - y) ** 2)  # <-

    x = _normal(16, 16)
    return loss_fn, params, x, x[:, :1]


@mistake("unnormalised_inputs", outside=True)
def pixels_from_0_to_255():
    def loss_fn(params, images, labels):
        return _cross_entropy(_mlp(params, images), labels)  # <- images) => images / 127.5 - 1)

    images = jnp.asarray(np.random.randint(0, 256, (16, 64)), jnp.float32)  # <-
    return loss_fn, _init(64, 32, 4), images, jnp.asarray(np.random.randint(0, 4, 16))


@mistake("symmetric_units", "constant_output", "ignores_inputs", "dead_units")
def all_weights_zero():
    init = jax.nn.initializers.zeros  # <- init = jax.nn.initializers.lecun_normal()
    key = jax.random.key(0)
    params = {"w1": init(key, (4, 16)), "w2": init(key, (16, 3))}  # <-

    def loss_fn(params, x, y):
        h = jnp.tanh(x @ params["w1"])  # <-
        return _cross_entropy(h @ params["w2"], y)  # <-

    return loss_fn, params, *_blobs()


@mistake("not_finite")
def norm_of_a_zero_vector():
    def contrastive(params, a, b, same):
        difference = _mlp(params, a) - _mlp(params, b)
        d = jnp.linalg.norm(difference, axis=1)  # <- d = jnp.sqrt(jnp.sum(difference**2, axis=1) + 1e-9)
        return jnp.mean(same * d**2 + (1 - same) * jax.nn.relu(1 - d) ** 2)

    a = _normal(10, 4)
    b = a.at[5:].set(_normal(5, 4))
    return contrastive, _init(4, 8, 2), a, b, (jnp.arange(10) < 5).astype(jnp.float32)


@mistake("not_finite")
def where_with_a_root_behind_it():
    def loss_fn(params, x, y):
        z = _mlp(params, x)[:, 0]
        out = jnp.where(z > 0, jnp.sqrt(z), 0.1 * z)  # <- jnp.sqrt(z) => jnp.sqrt(jnp.where(z > 0, z, 1.0))
        return jnp.mean((out - y) ** 2)

    return loss_fn, _init(2, 8, 1), _normal(20, 2), jnp.asarray(np.random.rand(20), jnp.float32)


@mistake("constant_output", "ignores_inputs", "softmax_over_batch", "wrong_axis")
def softmax_over_a_single_output():
    def loss_fn(params, x, y):
        prob = jax.nn.softmax(_mlp(params, x))  # <- softmax => sigmoid
        return jnp.mean((prob - y) ** 2)

    return loss_fn, _init(4, 16, 1), *_sides()
