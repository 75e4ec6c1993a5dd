"""Programs in AutoLab that were written after the rules, and tried on them once."""

from __future__ import annotations

import numpy as np

from autolab import ChainList, Link, Parameter, Sequential, optimizers
from autolab import functions as F
from autolab import links as L
from diagnosis.case import healthy, mistake


def _normal(*shape):
    return np.random.randn(*shape).astype(np.float32)


def _classes(n=24, features=5, classes=4):
    t = np.random.randint(0, classes, n)
    return 0.4 * _normal(n, features) + 2 * _normal(classes, features)[t], t


def _net(a, b, hidden=16):
    return Sequential(L.Linear(a, hidden), F.tanh, L.Linear(hidden, b))


@mistake("cut_gradient", "unreached_parameter")
def mean_of_the_array():
    class Net(Link):
        def __init__(self):
            super().__init__()
            self.inp, self.out = L.Linear(5, 12), L.Linear(12, 4)

        def forward(self, x):
            h = F.relu(self.inp(x)).array  # <- h = F.relu(self.inp(x))
            return self.out(h)

    return lambda net, x, t: F.softmax_cross_entropy(net(x), t), Net(), *_classes()


@mistake("unreached_parameter")
def gate_is_not_applied():
    class Gated(Link):
        def __init__(self):
            super().__init__()
            self.value, self.gate, self.out = L.Linear(5, 12), L.Linear(5, 12), L.Linear(12, 4)  # <-

        def forward(self, x):
            gate = F.sigmoid(self.gate(x))  # <-
            h = F.tanh(self.value(x))
            gate = F.sigmoid(h)  # <- pass
            return self.out(gate * h)

    return lambda net, x, t: F.softmax_cross_entropy(net(x), t), Gated(), *_classes()


@mistake("vanishing")
def forty_sigmoids():
    class Deep(Link):
        def __init__(self):
            super().__init__()
            self.inp, self.out = L.Linear(5, 10), L.Linear(10, 4)
            self.layers = ChainList(*[L.Linear(10, 10) for _ in range(20)])  # <- 20 => 2

        def forward(self, x):
            x = F.sigmoid(self.inp(x))  # <-
            for layer in self.layers:
                x = F.sigmoid(layer(x))  # <- x = F.relu(layer(x))
            return self.out(x)  # <-

    return lambda net, x, t: F.softmax_cross_entropy(net(x), t), Deep(), *_classes()


@mistake("softmax_over_batch", "mixed_examples")
def softmax_over_examples():
    def loss_fn(net, x, t):
        p = F.softmax(net(x), axis=0)  # <- 0 => 1
        return -F.mean(F.log(p[np.arange(len(t)), t]))

    return loss_fn, _net(5, 4), *_classes()


@mistake("gradients_accumulate", steps=12)
def gradients_never_cleared():
    net = _net(5, 4)
    optimizer = optimizers.SGD(lr=0.05).setup(net)

    def train(net, optimizer, x, t):
        loss = F.softmax_cross_entropy(net(x), t)
        loss.backward()  # <- net.cleargrads(); loss.backward()
        optimizer.update()  # <-
        return loss

    return train, net, optimizer, *_classes()


@mistake("broadcast_loss")
def column_against_a_row():
    def loss_fn(net, x, y):
        return F.mean((net(x) - y) ** 2)  # <- return F.mean((net(x)[:, 0] - y) ** 2)

    x = _normal(24, 5)
    return loss_fn, _net(5, 1), x, x[:, 0]


@healthy
def attention_with_a_learned_query():
    class Pool(Link):
        def __init__(self):
            super().__init__()
            self.key, self.out = L.Linear(5, 6), L.Linear(5, 3)
            self.query = Parameter(_normal(6, 1))

        def forward(self, x):
            n, time, size = x.shape
            scores = F.reshape(self.key(F.reshape(x, (n * time, size))) @ self.query, (n, time, 1))
            return self.out(F.sum(F.softmax(scores, axis=1) * x, axis=1))

    x = _normal(12, 4, 5)
    return lambda net, x, t: F.softmax_cross_entropy(net(x), t), Pool(), x, (x[:, 0, 0] > 0).astype(np.int64)


@healthy(steps=12)
def momentum_step():
    net = _net(5, 4)
    optimizer = optimizers.MomentumSGD(lr=0.05).setup(net)

    def train(net, optimizer, x, t):
        net.cleargrads()
        loss = F.softmax_cross_entropy(net(x), t)
        loss.backward()
        optimizer.update()
        return loss

    return train, net, optimizer, *_classes()
