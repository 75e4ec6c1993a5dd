"""Programs in AutoLab that run and mean something else, or whose numbers are too large, too small or not finite."""

from __future__ import annotations

import numpy as np

import autolab
from autolab import Link, Parameter, Sequential, initializers
from autolab import functions as F
from autolab import links as L
from diagnosis.case import mistake


def _normal(*shape):
    return np.random.randn(*shape).astype(np.float32)


def _blobs(n=32, features=4, classes=3):
    t = np.random.randint(0, classes, n)
    return 0.5 * _normal(n, features) + 2 * _normal(classes, features)[t], t


def _sides(n=32, features=4):
    x = _normal(n, features)
    return x, (x[:, :1] > 0).astype(np.int64)


@mistake("broadcast_loss")
def column_of_predictions_against_flat_targets():
    model = Sequential(L.Linear(3, 16), F.relu, L.Linear(16, 1))

    def loss_fn(model, x, y):
        y_pred = model(x)
        return F.mean((y_pred - y) ** 2)  # <- return F.mean((y_pred[:, 0] - y) ** 2)

    x = _normal(64, 3)
    return loss_fn, model, x, 2 * x[:, 0]


@mistake("wrong_axis", "mixed_examples")
def pooled_over_the_batch():
    class TextClassifier(Link):
        def __init__(self):
            super().__init__()
            self.embed, self.fc = L.Embedding(20, 8), L.Linear(8, 2)

        def forward(self, tokens):
            pooled = F.mean(self.embed(tokens), axis=0)  # <- pooled = F.mean(self.embed(tokens), axis=1)
            return self.fc(pooled)

    def loss_fn(model, tokens, labels):
        return F.softmax_cross_entropy(model(tokens), labels)

    tokens = np.random.randint(0, 20, (12, 12))
    return loss_fn, TextClassifier(), tokens, (tokens[:, 0] > 9).astype(np.int64)


@mistake("softmax_over_batch")
def softmax_over_axis_zero():
    model = Sequential(L.Linear(4, 16), F.relu, L.Linear(16, 3))

    def loss_fn(model, x, t):
        return F.nll_loss(F.log_softmax(model(x), axis=0), t)  # <- axis=0 => axis=1

    return loss_fn, model, *_blobs()


@mistake("mixed_examples")
def reshape_where_a_transpose_belongs():
    class Series(Link):
        def __init__(self):
            super().__init__()
            self.cell, self.fc = L.RNNCell(3, 12), L.Linear(12, 1)

        def forward(self, x):
            batch, time, features = x.shape
            x = F.reshape(x, (time, batch, features))  # <- x = F.transpose(x, (1, 0, 2))
            h = None
            for t in range(time):
                h = self.cell(x[t], h)
            return self.fc(h)

    def loss_fn(model, x, y):
        return F.mean_squared_error(model(x), y)

    x = _normal(8, 5, 3)
    return loss_fn, Series(), x, x[:, :, :1].sum(axis=1)


@mistake("causal_leak", causal=True)
def attention_without_a_causal_mask():
    class LanguageModel(Link):
        def __init__(self):
            super().__init__()
            self.embed, self.head = L.Embedding(12, 16), L.Linear(16, 12)
            self.place = Parameter(initializers.Normal(0.1), (8, 16))
            self.attention = L.SelfAttention(16)  # <- self.attention = L.SelfAttention(16, causal=True)

        def forward(self, tokens):
            h = self.embed(tokens) + self.place
            h = h + self.attention(h)  # <-
            return self.head(h)

    def loss_fn(model, tokens):
        return F.softmax_cross_entropy(model(tokens[:, :-1]), tokens[:, 1:])

    return loss_fn, LanguageModel(), (np.arange(9) + np.arange(6)[:, None]) % 12


@mistake("double_softmax")
def softmax_before_cross_entropy():
    model = Sequential(L.Linear(4, 32), F.relu, L.Linear(32, 3))

    def loss_fn(model, x, t):
        probs = F.softmax(model(x))  # <- probs = model(x)
        return F.softmax_cross_entropy(probs, t)  # <-

    return loss_fn, model, *_blobs()


@mistake("double_sigmoid")
def sigmoid_before_sigmoid_cross_entropy():
    model = Sequential(L.Linear(4, 16), F.relu, L.Linear(16, 1))

    def loss_fn(model, x, t):
        y = F.sigmoid(model(x))  # <- y = model(x)
        return F.sigmoid_cross_entropy(y, t)  # <-

    return loss_fn, model, *_sides()


@mistake("missing_log")
def probabilities_into_nll_loss():
    model = Sequential(L.Linear(4, 16), F.relu, L.Linear(16, 3))

    def loss_fn(model, x, t):
        p = F.softmax(model(x))  # <- p = F.log_softmax(model(x))
        return F.nll_loss(p, t)  # <-

    return loss_fn, model, *_blobs()


@mistake("rectified_logits")
def relu_after_the_last_layer():
    class Net(Link):
        def __init__(self):
            super().__init__()
            self.l1, self.l2 = L.Linear(4, 16), L.Linear(16, 3)

        def forward(self, x):
            return F.relu(self.l2(F.relu(self.l1(x))))  # <- return self.l2(F.relu(self.l1(x)))

    def loss_fn(net, x, t):
        return F.softmax_cross_entropy(net(x), t)  # <-

    return loss_fn, Net(), *_blobs()


@mistake("no_nonlinearity")
def two_linear_layers_in_a_row():
    class Net(Link):
        def __init__(self):
            super().__init__()
            self.l1, self.l2 = L.Linear(2, 16), L.Linear(16, 2)

        def forward(self, x):
            h = self.l1(x)  # <- h = F.tanh(self.l1(x))
            return self.l2(h)  # <-

    def loss_fn(net, x, t):
        return F.softmax_cross_entropy(net(x), t)

    x = np.tile(np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.float32), (8, 1))
    return loss_fn, Net(), x, (x[:, 0] != x[:, 1]).astype(np.int64)


@mistake("output_range")
def sigmoid_output_for_house_prices():
    model = Sequential(L.Linear(4, 16), F.relu, L.Linear(16, 1))

    def loss_fn(model, x, price):
        y = F.sigmoid(model(x))  # <- y = model(x)
        return F.mean_squared_error(y, price)  # <-

    x = _normal(32, 4)
    return loss_fn, model, x, 3 + 2 * x[:, :1]


@mistake("dead_units")
def relus_with_a_large_negative_bias():
    class Net(Link):
        def __init__(self):
            super().__init__()
            self.l1, self.l2 = L.Linear(4, 32, initial_bias=-20), L.Linear(32, 3)  # <- -20 => 0

        def forward(self, x):
            h = F.relu(self.l1(x))  # <-
            return self.l2(h)

    def loss_fn(net, x, t):
        return F.softmax_cross_entropy(net(x), t)

    return loss_fn, Net(), *_blobs()


@mistake("saturated", "unnormalised_inputs")
def tanh_of_raw_sensor_values():
    model = Sequential(L.Linear(4, 16), F.tanh, L.Linear(16, 1))

    def loss_fn(model, readings, y):
        out = model(readings)  # <- out = model(readings / 1000 - 1)
        return F.mean_squared_error(out, y)

    readings = 1000 + 1000 * _normal(32, 4)
    return loss_fn, model, readings, readings[:, :1] / 1000 - 1


@mistake("dropout", "wrong_mode", learns=False)
def mask_of_ones_own_in_evaluation():
    model = Sequential(L.Linear(4, 32), F.relu, L.Dropout(0.5), L.Linear(32, 3))

    def evaluate(model, x, t):
        with autolab.no_grad():  # <- no_grad => test_mode
            y = model(x)  # <-
            return F.softmax_cross_entropy(y, t)

    return evaluate, model, *_blobs()


@mistake("symmetric_units", "constant_output", "ignores_inputs", "dead_units")
def all_weights_zero():
    start = initializers.Zero()  # <- start = initializers.LeCunNormal()
    model = Sequential(L.Linear(4, 16, initialW=start), F.tanh, L.Linear(16, 3, initialW=start))  # <-

    def loss_fn(model, x, t):
        return F.softmax_cross_entropy(model(x), t)  # <-

    return loss_fn, model, *_blobs()


@mistake("vanishing")
def twenty_sigmoids():
    layers = [L.Linear(4, 16), F.sigmoid]  # <- layers = [L.Linear(4, 16), F.relu]
    for _ in range(19):  # <- for _ in range(2):
        layers += [L.Linear(16, 16), F.sigmoid]  # <- layers += [L.Linear(16, 16), F.relu]
    model = Sequential(*layers, L.Linear(16, 3))

    def loss_fn(model, x, t):
        return F.softmax_cross_entropy(model(x), t)  # <-

    return loss_fn, model, *_blobs()


@mistake("exploding", "large_initialisation", "not_finite")
def thirty_layers_of_large_weights():
    start = initializers.Normal(1.0)  # <- start = initializers.HeNormal()
    layers = [L.Linear(16, 16, initialW=start) for _ in range(30)]  # <- 30 => 4
    model = Sequential(*[part for layer in layers for part in (layer, F.relu)], L.Linear(16, 1))

    def loss_fn(model, x, y):
        return F.mean_squared_error(model(x), y)  # <-

    x = _normal(16, 16)
    return loss_fn, model, x, x[:, :1]


@mistake("unnormalised_inputs", outside=True)
def pixels_from_0_to_255():
    model = Sequential(L.Linear(64, 32), F.relu, L.Linear(32, 4))

    def loss_fn(model, images, t):
        return F.softmax_cross_entropy(model(images), t)  # <- images => images / np.float32(127.5) - 1

    images = np.random.randint(0, 256, (16, 64)).astype(np.float32)  # <-
    return loss_fn, model, images, np.random.randint(0, 4, 16)


@mistake("not_finite")
def root_of_a_zero_distance():
    embed = Sequential(L.Linear(4, 8), F.tanh, L.Linear(8, 2))

    def contrastive(embed, a, b, same):
        d = F.sqrt(F.sum((embed(a) - embed(b)) ** 2, axis=1))  # <- axis=1) => axis=1) + 1e-9
        return F.mean(same * d**2 + (1 - same) * F.relu(1 - d) ** 2)

    a, b = _normal(10, 4), _normal(10, 4)
    b[:5] = a[:5]
    return contrastive, embed, a, b, (np.arange(10) < 5).astype(np.float32)


@mistake("not_finite")
def log_of_zero():
    generator = Sequential(L.Linear(4, 8), F.relu, L.Linear(8, 3))

    def entropy(generator, z):
        p = F.relu(generator(z))  # <- p = F.softplus(generator(z))
        p = p / (F.sum(p, axis=1, keepdims=True) + 1e-6)
        return F.mean(F.sum(p * F.log(p), axis=1))  # <-

    return entropy, generator, _normal(16, 4)


@mistake("not_finite")
def softmax_written_by_hand():
    model = L.Linear(4, 3)

    def loss_fn(model, x, t):
        scores = model(x) / 0.005  # <- / 0.005 => / 1.0
        e = F.exp(scores)  # <- scores => scores - F.max(scores, axis=1, keepdims=True)
        probs = e / F.sum(e, axis=1, keepdims=True)  # <-
        return -F.mean(F.log(probs[np.arange(len(t)), t] + 1e-8))

    return loss_fn, model, _normal(16, 4), np.random.randint(0, 3, 16)


@mistake("constant_output", "ignores_inputs", "softmax_over_batch", "wrong_axis")
def softmax_over_a_single_output():
    model = Sequential(L.Linear(4, 16), F.relu, L.Linear(16, 1))

    def loss_fn(model, x, t):
        prob = F.softmax(model(x))  # <- prob = F.sigmoid(model(x))
        return F.mean((prob - t) ** 2)

    return loss_fn, model, *_sides()
