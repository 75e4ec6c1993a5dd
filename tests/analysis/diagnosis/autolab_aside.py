"""Programs in AutoLab with a mistake: variants that were put aside."""

from __future__ import annotations

import numpy as np

from autolab import Link, Parameter, Sequential, Variable, optimizers
from autolab import functions as F
from autolab import links as L
from diagnosis.case import mistake


def _draw(*shape):
    return np.random.randn(*shape).astype(np.float32)


def _clusters(n=40, features=6, classes=4):
    label = np.random.randint(0, classes, n)
    return _draw(n, features) + 3 * np.eye(classes, features, dtype=np.float32)[label], label


@mistake("cut_gradient", "unreached_parameter")
def hidden_state_wrapped_again():
    class Net(Link):
        def __init__(self):
            super().__init__()
            self.embed, self.out = L.Linear(6, 16), L.Linear(16, 4)

        def forward(self, x):
            h = F.elu(self.embed(x))
            h = Variable(h.data)  # <- pass
            return self.out(h)

    return lambda net, x, t: F.softmax_cross_entropy(net(x), t), Net(), *_clusters()


@mistake("cut_gradient")
def argmax_in_the_loss():
    net = Sequential(L.Linear(6, 16), F.relu, L.Linear(16, 4))

    def loss_fn(net, x, t):
        guess = net(x).argmax(axis=1)  # <- guess = F.softmax(net(x)) @ np.arange(4, dtype=np.float32)
        return F.mean((Variable(np.asarray(guess, np.float32)) - t) ** 2)  # <- return F.mean((guess - t) ** 2)

    return loss_fn, net, *_clusters()


@mistake("unreached_parameter")
def gate_is_never_used():
    class Gated(Link):
        def __init__(self):
            super().__init__()
            self.value, self.gate = L.Linear(6, 16), L.Linear(6, 16)  # <-
            self.out = L.Linear(16, 4)

        def forward(self, x):
            h = F.tanh(self.value(x)) * F.sigmoid(self.value(x))  # <- d(self.value => d(self.gate
            return self.out(h)

    return lambda net, x, t: F.softmax_cross_entropy(net(x), t), Gated(), *_clusters()


@mistake("unregistered_parameter")
def scale_in_a_dict():
    class Scaled(Link):
        def __init__(self):
            super().__init__()
            self.fc = L.Linear(6, 1)
            self.extra = {"scale": Parameter(np.ones(1))}  # <- self.scale = Parameter(np.ones(1))

        def forward(self, x):
            return self.fc(x) * self.extra["scale"]  # <- return self.fc(x) * self.scale

    x = _draw(30, 6)
    return lambda net, x, y: F.mean_squared_error(net(x), y), Scaled(), x, 3 * x[:, :1]


@mistake("gradients_accumulate", steps=20)
def gradients_never_cleared_with_adam():
    net = L.MLP((16, 16, 4), activation=F.tanh)
    x, t = _clusters()
    net(x)
    adam = optimizers.Adam(net.parameters(), lr=0.005)

    def fit(net, adam, x, t):
        loss = F.softmax_cross_entropy(net(x), t)
        loss.backward()  # <- adam.zero_grad(); loss.backward()
        adam.step()  # <-
        return float(loss)

    return fit, net, adam, x, t


@mistake("broadcast_loss")
def flat_predictions_against_a_column():
    net = Sequential(L.Linear(5, 16), F.tanh, L.Linear(16, 1), lambda h: h[:, 0])

    def loss_fn(net, x, y):
        return F.mean(abs(net(x) - y))  # <- return F.mean(abs(net(x) - y[:, 0]))

    x = _draw(30, 5)
    return loss_fn, net, x, x[:, 1:2] - x[:, 2:3]


@mistake("softmax_over_batch", "wrong_axis", "mixed_examples")
def experts_gated_over_the_batch():
    class Mixture(Link):
        def __init__(self):
            super().__init__()
            self.experts, self.gate = L.Linear(5, 3), L.Linear(5, 3)

        def forward(self, x):
            weight = F.softmax(self.gate(x), axis=0)  # <- axis=0 => axis=1
            return F.sum(weight * self.experts(x), axis=1)

    x = _draw(30, 5)
    return lambda net, x, y: F.mean((net(x) - y) ** 2), Mixture(), x, np.abs(x[:, 0])


@mistake("mixed_examples")
def frames_flattened_across_clips():
    class Video(Link):
        def __init__(self):
            super().__init__()
            self.frame, self.out = L.Linear(6, 10), L.Linear(10, 1)

        def forward(self, clips):
            n, t, _ = clips.shape
            h = F.relu(self.frame(F.reshape(clips, (n * t, -1))))
            h = F.mean(F.reshape(h, (t, n, -1)), axis=0)  # <- h = F.mean(F.reshape(h, (n, t, -1)), axis=1)
            return self.out(h)

    clips = _draw(9, 4, 6) + _draw(9, 1, 1)
    return lambda net, c, y: F.mean_squared_error(net(c), y), Video(), clips, clips[:, :, :1].mean(axis=1)


@mistake("double_sigmoid")
def sigmoid_layer_and_sigmoid_cross_entropy():
    class Net(Link):
        def __init__(self):
            super().__init__()
            self.conv, self.out = L.Conv2D(1, 6, 3, pad=1), L.Conv2D(6, 1, 1)

        def forward(self, x):
            return F.sigmoid(self.out(F.relu(self.conv(x))))  # <- return self.out(F.relu(self.conv(x)))

    def loss_fn(net, x, mask):
        return F.sigmoid_cross_entropy(net(x), mask)  # <-

    x = _draw(5, 1, 7, 7)
    return loss_fn, Net(), x, (x > 0).astype(np.int64)


@mistake("output_range")
def tanh_output_for_temperatures():
    net = Sequential(L.Linear(5, 16), F.relu, L.Linear(16, 1), F.tanh)  # <- 1), F.tanh => 1)

    def loss_fn(net, x, y):
        return F.mean_absolute_error(net(x), y)  # <-

    x = _draw(30, 5)
    return loss_fn, net, x, 5 + 2 * x[:, :1]


@mistake("vanishing")
def small_tanh_layers_in_a_deep_stack():
    from autolab import initializers

    start = initializers.Normal(0.05)  # <- start = initializers.GlorotNormal()
    layers = [L.Linear(20, 20, initialW=start) for _ in range(25)]  # <- 25 => 2

    class Deep(Link):
        def __init__(self):
            super().__init__()
            self.first, self.middle, self.last = L.Linear(6, 20), L.ChainList(*layers), L.Linear(20, 4)

        def forward(self, x):
            x = F.tanh(self.first(x))  # <-
            for layer in self.middle:
                x = F.tanh(layer(x))  # <-
            return self.last(x)  # <-

    return lambda net, x, t: F.softmax_cross_entropy(net(x), t), Deep(), *_clusters()


@mistake("not_finite")
def log_of_one_minus_a_saturated_sigmoid():
    net = L.Linear(5, 1, initial_bias=20)  # <- 20 => 0

    def bce(net, x, y):
        p = F.sigmoid(net(x))
        return -F.mean(y * F.log(p) + (1 - y) * F.log(1 - p))  # <- return F.binary_cross_entropy(p, y)

    x = _draw(30, 5)
    return bce, net, x, (x[:, :1] > 0).astype(np.float32)


@mistake("learning_rate", "does_not_overfit", steps=20, outside=True)
def schedule_that_starts_a_million_times_too_small():
    net = Sequential(L.Linear(6, 16), F.relu, L.Linear(16, 4))
    sgd = optimizers.SGD(lambda t: 1e-8 * 0.9**t).setup(net)  # <- 1e-8 * 0.9**t => 0.2 * 0.99**t

    def fit(net, sgd, x, t):
        return sgd.update(lambda: F.softmax_cross_entropy(net(x), t))

    return fit, net, sgd, *_clusters()
