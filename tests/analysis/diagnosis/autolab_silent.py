"""Programs in AutoLab that nothing was said of once."""

from __future__ import annotations

import numpy as np

from autolab import Link, Sequential, optimizers
from autolab import functions as F
from autolab import links as L
from diagnosis.case import mistake


def _normal(*shape):
    return np.random.randn(*shape).astype(np.float32)


def _classes(n=24, features=5, classes=4):
    t = np.random.randint(0, classes, n)
    return 0.4 * _normal(n, features) + 2 * _normal(classes, features)[t], t


def _net(a, b, hidden=16):
    return Sequential(L.Linear(a, hidden), F.tanh, L.Linear(hidden, b))


def _train(net, optimizer, loss):
    net.cleargrads()
    loss.backward()
    optimizer.update()
    return loss


@mistake("no_positions")
def own_attention_without_positions():
    class Tagger(Link):
        def __init__(self):
            super().__init__()
            self.word = L.Embedding(11, 12)
            self.q, self.k, self.v, self.out = L.Linear(12, 12), L.Linear(12, 12), L.Linear(12, 12), L.Linear(12, 3)

        def forward(self, ids):
            h = self.word(ids)  # <- h = self.word(ids) + np.sin(np.arange(84.0).reshape(7, 12))
            w = F.softmax(self.q(h) @ F.swapaxes(self.k(h), 1, 2) / 12**0.5, axis=-1)
            return self.out(h + w @ self.v(h))

    ids = np.random.randint(0, 11, (10, 7))
    tags = (ids + np.roll(ids, 1, 1)) % 3
    return lambda net, ids, t: F.softmax_cross_entropy(F.reshape(net(ids), (-1, 3)), t.reshape(-1)), Tagger(), ids, tags


@mistake("carried_state", steps=6)
def state_of_the_last_batch_begins_the_next():
    class Reads(Link):
        def __init__(self):
            super().__init__()
            self.cell, self.out = L.GRUCell(3, 12), L.Linear(12, 2)
            self.h = np.zeros((8, 12), np.float32)

        def forward(self, x):
            h = self.h  # <- h = np.zeros((8, 12), np.float32)
            for k in range(x.shape[1]):
                h = self.cell(x[:, k], h)  # <-
            self.h = h.data
            return self.out(h)

    data = _normal(40, 5, 3)
    labels = (data.sum((1, 2)) > 0).astype(int)
    net = Reads()
    optimizer = optimizers.Adam(0.01).setup(net)

    def step(net, optimizer):
        i = np.random.permutation(40)[:8]
        return _train(net, optimizer, F.softmax_cross_entropy(net(data[i]), labels[i]))

    return step, net, optimizer


@mistake("same_random_numbers", steps=6)
def rng_begins_anew_in_the_step():
    net = _net(5, 4)
    optimizer = optimizers.Adam(0.01).setup(net)

    def step(net, optimizer, x, t):
        rng = np.random.default_rng(seed=1)  # <- rng = np.random
        x = x + 0.1 * rng.normal(size=x.shape).astype(np.float32)  # <-
        return _train(net, optimizer, F.softmax_cross_entropy(net(x), t))

    return step, net, optimizer, *_classes()


@mistake("uphill", steps=12)
def overlap_is_minimized():
    net = _net(6, 8)
    optimizer = optimizers.Adam(0.01).setup(net)

    def step(net, optimizer, x, mask):
        p = F.sigmoid(net(x))
        dice = 2 * F.sum(p * mask) / (F.sum(p) + F.sum(mask) + 1e-6)  # <-
        return _train(net, optimizer, dice)  # <- dice) => 1 - dice)

    x = _normal(20, 6)
    return step, net, optimizer, x, (np.tile(x[:, :1], (1, 8)) > 0).astype(np.float32)


@mistake("wrong_axis")
def rows_scaled_without_keepdims():
    class Net(Link):
        def __init__(self):
            super().__init__()
            self.inp, self.out = L.Linear(5, 16), L.Linear(16, 3)

        def forward(self, x):
            h = F.exp(self.inp(x))
            h = h / F.sum(h, axis=1)  # <- axis=1 => axis=1, keepdims=True
            return self.out(h)

    return lambda net, x, t: F.softmax_cross_entropy(net(x), t), Net(), *_classes(16, 5, 3)


@mistake("mixed_examples")
def scores_of_pixels_reshaped_as_rows():
    class Net(Link):
        def __init__(self):
            super().__init__()
            self.conv = L.Conv2D(2, 3, 3, pad=1)

        def forward(self, x):
            return self.conv(x)

    def loss(net, x, t):
        scores = F.reshape(net(x), (-1, 3))  # <- scores = F.reshape(F.transpose(net(x), (0, 2, 3, 1)), (-1, 3))
        return F.softmax_cross_entropy(scores, t.reshape(-1))  # <-

    x = _normal(4, 2, 6, 5)
    return loss, Net(), x, (x[:, 0] > 0).astype(int) + (x[:, 1] > 0)


@mistake("undone_updates", steps=6)
def averages_written_back_into_the_weights():
    net = _net(5, 4)
    optimizer = optimizers.SGD(0.1).setup(net)
    average = [p.data.copy() for p in net.params()]

    def step(net, optimizer, x, t):
        loss = _train(net, optimizer, F.softmax_cross_entropy(net(x), t))
        for a, p in zip(average, net.params(), strict=True):
            a *= 0.999  # <- a *= 0.0
            a += 0.001 * p.data  # <- 0.001 => 1.0
            p.data = a.copy()  # <-
        return loss

    return step, net, optimizer, *_classes()
