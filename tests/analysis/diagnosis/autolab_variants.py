"""Further programs in AutoLab of the kinds that are easily missed."""

from __future__ import annotations

import numpy as np

from autolab import ChainList, Link, Parameter, Sequential, Variable, optimizers
from autolab import functions as F
from autolab import links as L
from diagnosis.case import healthy, mistake


def _normal(*shape):
    return np.random.randn(*shape).astype(np.float32)


def _blobs(n=32, features=4, classes=3):
    t = np.random.randint(0, classes, n)
    return 0.5 * _normal(n, features) + 2 * _normal(classes, features)[t], t


def _sides(n=32, features=4):
    x = _normal(n, features)
    return x, (x[:, :1] > 0).astype(np.float32)


def _mlp(a, hidden, b):
    return Sequential(L.Linear(a, hidden), F.relu, L.Linear(hidden, b))


def _class_loss(model, x, t):
    return F.softmax_cross_entropy(model(x), t)


@mistake("cut_gradient")
def error_rate_as_a_variable():
    def loss_fn(model, x, t):
        best = np.argmax(model(x).data, axis=1)  # <- best = model(x)
        return Variable(np.mean(best != t, dtype=np.float32))  # <- return F.softmax_cross_entropy(best, t)

    return loss_fn, _mlp(4, 16, 3), *_blobs()


@mistake("cut_gradient")
def classes_wrapped_again():
    def loss_fn(model, x, t):
        p = F.softmax(model(x))
        best = p.data.argmax(axis=1)  # <- best = p @ np.arange(3, dtype=np.float32)
        best = Variable(best.astype(np.float32), requires_grad=True)  # <- pass
        return F.mean((best - t.astype(np.float32)) ** 2)

    return loss_fn, _mlp(4, 16, 3), *_blobs()


@mistake("cut_gradient")
def classes_compared_with_labels():
    def loss_fn(model, x, t):
        best = np.argmax(model(x), axis=1)  # <- best = F.softmax(model(x)) @ np.arange(3, dtype=np.float32)
        return F.mean((Variable(np.asarray(best, np.float32)) - t) ** 2)  # <- return F.mean((best - t) ** 2)

    return loss_fn, _mlp(4, 16, 3), *_blobs()


@mistake("cut_gradient")
def classes_as_floats():
    def loss_fn(model, x, t):
        best = model(x).data.argmax(axis=1)  # <- best = F.softmax(model(x)) @ np.arange(3, dtype=np.float32)
        best = Variable(best.astype(np.float32))  # <- pass
        return F.mean_squared_error(best, t.astype(np.float32))

    return loss_fn, _mlp(4, 16, 3), *_blobs()


@mistake("cut_gradient")
def hits_by_comparison():
    def loss_fn(model, x, y):
        side = Variable((model(x).data > 0).astype(np.float32), requires_grad=True)  # <- side = F.sigmoid(model(x))
        return F.mean_squared_error(side, y)

    return loss_fn, _mlp(4, 16, 1), *_sides()


@mistake("unreached_parameter")
def projection_is_overwritten():
    class Block(Link):
        def __init__(self):
            super().__init__()
            self.body, self.project, self.head = _mlp(8, 16, 4), L.Linear(8, 4), L.Linear(4, 3)  # <-

        def forward(self, x):
            skip = self.project(x)  # <-
            skip = x[:, :4]  # <- pass
            return self.head(F.relu(self.body(x) + skip))

    return _class_loss, Block(), *_blobs(features=8)


@mistake("unreached_parameter")
def last_of_a_list_is_left_out():
    class Deep(Link):
        def __init__(self):
            super().__init__()
            self.layers = ChainList(*[L.Linear(6, 6) for _ in range(3)])  # <-
            self.head = L.Linear(6, 3)

        def forward(self, x):
            for i in range(2):  # <- for i in range(3):
                x = F.tanh(self.layers[i](x))  # <-
            return self.head(x)

    return _class_loss, Deep(), *_blobs(features=6)


@mistake("vanishing")
def thirty_sigmoids_in_a_loop():
    class Deep(Link):
        def __init__(self):
            super().__init__()
            self.first, self.last = L.Linear(4, 16), L.Linear(16, 3)
            self.layers = ChainList(*[L.Linear(16, 16) for _ in range(28)])  # <- 28 => 2

        def forward(self, x):
            h = self.first(x)  # <-
            for layer in self.layers:
                h = F.sigmoid(layer(h))  # <- h = F.relu(layer(h))
            return self.last(h)  # <-

    return _class_loss, Deep(), *_blobs()


@mistake("vanishing")
def small_weights_in_a_deep_net():
    class Deep(Link):
        def __init__(self):
            super().__init__()
            self.first, self.last = L.Linear(4, 16), L.Linear(16, 3)
            self.layers = ChainList(*[L.Linear(16, 16) for _ in range(14)])  # <- 14 => 3
            for layer in self.layers:
                layer.W.data *= 0.01  # <- pass

        def forward(self, x):
            h = F.tanh(self.first(x))  # <-
            for layer in self.layers:
                h = F.tanh(layer(h))  # <-
            return self.last(h)  # <-

    return _class_loss, Deep(), *_blobs()


@mistake("wrong_axis", "mixed_examples")
def own_layer_norm_over_the_batch():
    class Norm(Link):
        def forward(self, x):
            mean = F.mean(x, axis=0, keepdims=True)  # <- 0 => 1
            var = F.mean((x - mean) ** 2, axis=0, keepdims=True)  # <- 0 => 1
            return (x - mean) / F.sqrt(var + 1e-5)  # <-

    model = Sequential(L.Linear(4, 16), Norm(), F.relu, L.Linear(16, 3))
    return _class_loss, model, *_blobs()


@mistake("double_sigmoid")
def logistic_loss_of_a_probability():
    def loss_fn(model, x, y):
        z = F.sigmoid(model(x))  # <- z = model(x)
        return F.mean(F.softplus(z) - y * z)  # <-

    return loss_fn, _mlp(4, 16, 1), *_sides()


@mistake("output_range")
def softplus_for_signed_targets():
    def loss_fn(model, x, y):
        out = F.softplus(model(x))  # <- out = model(x)
        return F.mean_squared_error(out, y)  # <-

    x = _normal(32, 4)
    return loss_fn, _mlp(4, 16, 1), x, x[:, :1]


@mistake("shuffled_labels", "does_not_overfit", steps=20)
def labels_drawn_in_the_step():
    model = _mlp(4, 16, 3)
    optimizer = optimizers.Adam(lr=1e-2).setup(model)

    def train_step(model, optimizer, x, t):
        t = np.random.randint(0, 3, len(x))  # <- pass
        model.cleargrads()
        loss = F.softmax_cross_entropy(model(x), t)  # <-
        loss.backward()
        optimizer.update()
        return loss

    return train_step, model, optimizer, *_blobs()


@mistake(
    "no_backward",
    "gradients_cleared",
    "learning_rate",
    "does_not_overfit",
    steps=20,
    fails="no parameter has a gradient",
)
def update_before_backward():
    model = _mlp(4, 16, 3)
    optimizer = optimizers.SGD(lr=0.1).setup(model)

    def train_step(model, optimizer, x, t):
        loss = F.softmax_cross_entropy(model(x), t)
        model.cleargrads()  # <- model.cleargrads(); loss.backward()
        optimizer.update()  # <-
        loss.backward()  # <- pass
        return loss

    return train_step, model, optimizer, *_blobs()


@healthy
def last_layer_at_zero_before_log_softmax():
    model = _mlp(4, 16, 3)
    model[2].W.data[...] = 0

    def loss_fn(model, x, t):
        return -F.mean(F.log_softmax(model(x), axis=1)[np.arange(len(t)), t])

    return loss_fn, model, *_blobs()


@mistake("symmetric_units", "constant_output", "ignores_inputs", steps=20)
def weights_that_all_begin_with_the_same_numbers():
    rng = np.random.default_rng(0)
    deviation = 0.0  # <- deviation = 0.3
    weights = [Variable(deviation * rng.normal(size=(16, 16))) for _ in range(3)]  # <-
    x, t = rng.normal(size=(32, 16)), 0.9 * np.tanh(rng.normal(size=(32, 16)))

    def step():
        h = x
        for w in weights:
            h = F.tanh(h @ w)  # <-
        loss = F.mean((h - t) ** 2)
        loss.backward()
        for w in weights:
            w.data = w.data - w.grad.data
            w.cleargrad()
        return loss

    return (step,)


@mistake("large_initialisation", learns=False)
def large_weights_that_are_transposed():
    deviation = 4.0  # <- deviation = 0.2
    weights = [Variable(deviation * np.random.randn(16, 16)) for _ in range(3)]  # <-
    x, t = np.random.randn(32, 16), 0.9 * np.tanh(np.random.randn(32, 16))

    def loss_fn(weights, x, t):
        for w in weights:
            x = F.tanh(x @ w.T)  # <-
        return F.mean((x - t) ** 2)

    return loss_fn, weights, x, t


@mistake("symmetric_units", "constant_output", "ignores_inputs")
def zeros_before_relu():
    start = 0.0  # <- start = None
    layers = [L.Linear(16, 16, initialW=start) for _ in range(3)]  # <-
    model = Sequential(*[part for layer in layers for part in (layer, F.relu)], L.Linear(16, 3))

    def loss_fn(model, x, t):
        return F.softmax_cross_entropy(model(x), t)  # <-

    return loss_fn, model, *_blobs(features=16)


@mistake("no_backward", fails="no parameter has a gradient", steps=20)
def update_without_backward():
    model = _mlp(4, 16, 3)
    optimizer = optimizers.SGD(0.1).setup(model)

    def step(x, t):
        model.cleargrads()
        loss = F.softmax_cross_entropy(model(x), t)
        assert loss.size == 1  # <- loss.backward()
        optimizer.update()  # <-
        return loss

    return step, *_blobs()


@mistake("not_in_optimizer", fails="no parameter has a gradient", steps=20)
def optimizer_of_another_model():
    model, other = _mlp(4, 16, 3), _mlp(4, 16, 3)
    optimizer = optimizers.SGD(0.1).setup(other)  # <- optimizer = optimizers.SGD(0.1).setup(model)

    def step(x, t):
        model.cleargrads()
        loss = F.softmax_cross_entropy(model(x), t)
        loss.backward()
        optimizer.update()  # <-
        return loss

    return step, *_blobs()


@mistake("not_in_optimizer", fails="no parameter has a gradient", steps=20)
def optimizer_of_another_model_that_the_step_is_given():
    model, other = _mlp(4, 16, 3), _mlp(4, 16, 3)
    optimizer = optimizers.SGD(0.1).setup(other)  # <- optimizer = optimizers.SGD(0.1).setup(model)

    def step(model, other, optimizer, x, t):
        model.cleargrads()
        loss = F.softmax_cross_entropy(model(x), t)
        loss.backward()
        optimizer.update()  # <-
        return loss

    return step, model, other, optimizer, *_blobs()


@mistake("cut_gradient", fails="no parameter has a gradient", steps=20)
def numbers_before_the_loss_of_a_step():
    model = _mlp(4, 16, 1)
    optimizer = optimizers.SGD(0.1).setup(model)

    def step(x, t):
        model.cleargrads()
        y = model(x).data  # <- y = model(x)
        loss = F.mean((Variable(y) - t) ** 2)  # <- loss = F.mean((y - t) ** 2)
        loss.backward()
        optimizer.update()
        return loss

    return step, *_sides()


@mistake("uphill", steps=20)
def plus_instead_of_minus():
    w = Variable(np.zeros((4, 1)))

    def step(x, t):
        loss = F.mean((x @ w - t) ** 2)
        loss.backward()
        w.data = w.data + 0.1 * w.grad.data  # <- w.data = w.data - 0.1 * w.grad.data
        w.cleargrad()
        return loss

    return step, *_sides()


@mistake("replaced_parameter", steps=20, fails="w has no gradient")
def name_of_a_result():
    w = Variable(np.zeros((4, 1)))

    def step(x, t):
        nonlocal w
        loss = F.mean((x @ w - t) ** 2)
        loss.backward()
        w = w - 0.1 * w.grad  # <- w.data = w.data - 0.1 * w.grad.data
        w.cleargrad()
        return loss

    return step, *_sides()


@mistake("not_finite", steps=20)
def root_of_zero_in_a_step():
    model = L.Linear(4, 1, initialW=0)
    optimizer = optimizers.SGD(0.1).setup(model)

    def step(x):
        model.cleargrads()
        loss = F.mean(F.sqrt(model(x) ** 2))  # <- loss = F.mean((model(x) - 1) ** 2)
        loss.backward()
        optimizer.update()
        return loss

    return step, _normal(32, 4)


@healthy(steps=5, learns=False)
def adversarial_noise():
    model = _mlp(4, 16, 3)
    noise = Variable(np.zeros((32, 4)))

    def attack(x, t):
        loss = F.softmax_cross_entropy(model(x + noise), t)
        loss.backward()
        noise.data = noise.data + 0.1 * np.sign(noise.grad.data)
        noise.cleargrad()
        model.cleargrads()
        return -loss

    return attack, *_blobs()


@healthy(steps=20)
def state_that_is_carried_along():
    model = L.Linear(4, 3)
    cell, state = L.Linear(3, 3), Variable(np.zeros((32, 3), np.float32))
    optimizer = optimizers.Adam(0.01).setup(L.Chain(model=model, cell=cell))

    def step(x, t):
        nonlocal state
        model.cleargrads()
        cell.cleargrads()
        state = F.tanh(model(x) + cell(state))
        loss = F.softmax_cross_entropy(state, t)
        loss.backward()
        optimizer.update()
        state = Variable(state.data, requires_grad=False)
        return loss

    return step, *_blobs()


@healthy(steps=20)
def gradients_written_by_hand():
    w = Parameter(np.zeros((4, 1)))
    optimizer = optimizers.SGD([w], lr=0.1)

    def step(x, t):
        y = x @ w
        w.grad = Variable(2 / len(x) * x.T @ (y.data - t))
        optimizer.step()
        return F.mean((y - t) ** 2)

    return step, *_sides()
