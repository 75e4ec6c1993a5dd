"""Programs in AutoLab with mistakes of students, and right ones that are unusual."""

from __future__ import annotations

import numpy as np

from autolab import ChainList, Link, Sequential, Variable, no_grad, optimizers, test_mode
from autolab import functions as F
from autolab import links as L
from diagnosis.case import healthy, mistake


def _classes(n=48, features=5, classes=3):
    t = np.arange(n) % classes
    return 0.4 * np.random.randn(n, features) + 2 * np.random.randn(classes, features)[t], t


def _net(a=5, b=3, hidden=16):
    return Sequential(L.Linear(a, hidden), F.relu, L.Linear(hidden, b))


def _trained(net, optimizer, x, t):
    loss = F.softmax_cross_entropy(net(x), t)
    net.cleargrads()
    loss.backward()
    optimizer.update()
    return loss


# ------------------------------------------------------------------------------------------- it runs, and learns little
@mistake("wrong_mode", steps=12)
def forward_pass_in_test_mode():
    net = Sequential(L.Linear(5, 16), L.BatchNormalization(16), F.relu, L.Linear(16, 3))
    optimizer = optimizers.SGD(lr=0.1).setup(net)

    def step(net, optimizer, x, t):
        with test_mode():  # <- with no_grad():
            y = net(x)  # <-
        loss = F.softmax_cross_entropy(y, t)  # <- loss = F.softmax_cross_entropy(net(x), t)
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, net, optimizer, *_classes()


@mistake("cut_gradient", steps=12)
def last_layer_frozen_at_zero():
    net = _net()
    net[2].W.data = 0 * net[2].W.data  # <- pass
    net[2].disable_update()  # <-
    optimizer = optimizers.Adam(0.02).setup(net)

    def step(net, optimizer, x, t):
        loss = F.softmax_cross_entropy(net(x), t)  # <-
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, net, optimizer, *_classes()


@mistake("cut_gradient", steps=12)
def zero_head_that_no_optimizer_holds():
    body, head = Sequential(L.Linear(5, 16), F.relu), L.Linear(16, 3, initialW=0)  # <- , initialW=0 =>
    optimizer = optimizers.Adam(0.02).setup(body)

    def step(body, head, optimizer, x, t):
        loss = F.softmax_cross_entropy(head(body(x)), t)  # <-
        body.cleargrads()
        head.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, body, head, optimizer, *_classes()


@mistake("ordered_classes", steps=12)
def batches_of_one_class():
    net, (x, t) = _net(), _classes()
    optimizer = optimizers.SGD(lr=0.2).setup(net)
    order = np.argsort(t, kind="stable")  # <- order = np.random.permutation(48)
    x, t, at = x[order], t[order], {"place": 0}

    def step(net, optimizer, x, t, at):
        part = slice(at["place"], at["place"] + 8)
        at["place"] = (at["place"] + 8) % 48
        loss = F.softmax_cross_entropy(net(x[part]), t[part])  # <-
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, net, optimizer, x, t, at


@mistake("unused_loss", steps=12)
def loss_of_the_last_round():
    net = _net()
    optimizer = optimizers.SGD(lr=0.2).setup(net)

    def step(net, optimizer, x, t):
        total = 0.0
        for k in range(0, 48, 12):
            total = F.softmax_cross_entropy(net(x[k : k + 12]), t[k : k + 12])  # <- total = => total = total +
        net.cleargrads()
        total.backward()
        optimizer.update()
        return total

    return step, net, optimizer, *_classes()


@mistake("replaced_optimizer", steps=12)
def optimizer_in_the_step():
    net = _net()
    kept = optimizers.Adam(0.02).setup(net)

    def step(net, kept, x, t):
        optimizer = optimizers.Adam(0.02).setup(net)  # <- optimizer = kept
        loss = F.softmax_cross_entropy(net(x), t)
        net.cleargrads()
        loss.backward()
        optimizer.update()  # <-
        return loss

    return step, net, kept, *_classes()


@mistake("wrong_axis", "softmax_over_batch")
def softmax_over_time():
    x = np.random.randn(8, 5, 4)
    t = (x[..., 0] > 0) * 1 + (x[..., 1] > 0)

    def loss_fn(net, x, t):
        logs = F.log_softmax(net(x), axis=1)  # <- axis=1 => axis=2
        return -F.mean(F.take_along_axis(logs, t[..., None], axis=2))

    return loss_fn, L.Linear(4, 3), x, t


@mistake("mixed_examples")
def reshaped_before_the_axes_are_moved():
    x, t = np.random.randn(5, 12, 4), np.arange(12) % 3

    def loss_fn(net, t):
        rows = F.reshape(Variable(x), (12, 20))  # <- rows = F.reshape(F.transpose(Variable(x), (1, 0, 2)), (12, 20))
        return F.softmax_cross_entropy(net(rows), t)

    return loss_fn, _net(20), t


@mistake("constant_output")
def mask_that_keeps_the_padding():
    x, pad = np.random.randn(12, 6, 4), np.zeros((12, 6), bool)
    t = (x[:, 0, 0] > 0) * 1
    pad[:, 4:] = True
    x[pad] = 0

    def loss_fn(query, out, x, pad, t):
        scores = F.where(pad, query(x)[..., 0], -1e9)  # <- pad, => ~pad,
        weights = F.softmax(scores, axis=1)
        pooled = F.sum(weights[..., None] * x, axis=1)
        return F.softmax_cross_entropy(out(pooled), t)  # <-

    return loss_fn, L.Linear(4, 1), L.Linear(4, 2), x, pad, t


@mistake("constant_output", outside=True)
def the_same_words_in_every_example():
    words = np.random.randint(1, 20, (12, 5))
    words[:] = 0  # <- pass

    def loss_fn(embed, out, words, t):
        return F.softmax_cross_entropy(out(F.mean(embed(words), axis=1)), t)  # <-

    return loss_fn, L.Embedding(20, 6), L.Linear(6, 3), words, np.arange(12) % 3


# ------------------------------------------------------------------------------------------- states, rates, numbers
@mistake("graph_reused", steps=8)
def state_that_keeps_its_graph():
    cell, out = L.RNNCell(3, 8), L.Linear(8, 1)
    optimizer = optimizers.SGD(lr=0.05).setup(ChainList(cell, out))
    x = np.random.randn(6, 4, 3)
    memory = {"h": Variable(np.zeros((4, 8)))}

    def step(cell, out, optimizer, memory, x, t):  # <-
        for xt in x:
            memory["h"] = cell(xt, memory["h"])  # <-
        loss = F.mean_squared_error(out(memory["h"]), t)
        optimizer.target.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, cell, out, optimizer, memory, x, x.sum(axis=0)[:, :1]


@mistake("learning_rate", steps=12, outside=True)
def rate_of_zero():
    net = _net()
    optimizer = optimizers.SGD(lr=0.0).setup(net)  # <- 0.0 => 0.2
    return _trained, net, optimizer, *_classes()


@mistake("learning_rate", steps=12)
def clipped_to_nothing():
    net = _net()
    optimizer = optimizers.SGD(lr=0.2).setup(net)
    optimizer.add_hook(optimizers.GradientClipping(1e-6))  # <- 1e-6 => 1.0

    def step(net, optimizer, x, t):
        loss = F.softmax_cross_entropy(net(x), t)
        net.cleargrads()
        loss.backward()
        optimizer.update()  # <-
        return loss

    return step, net, optimizer, *_classes()


@mistake("not_finite", steps=8)
def a_column_that_never_changes():
    net, (x, t) = _net(), _classes()
    optimizer = optimizers.Adam(0.02).setup(net)
    x[:, 2] = 1.0

    def step(net, optimizer, x, t):
        scaled = (x - x.mean(axis=0)) / x.std(axis=0)  # <- x.std(axis=0) => (x.std(axis=0) + 1e-8)
        loss = F.softmax_cross_entropy(net(scaled), t)  # <-
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, net, optimizer, *(x, t)


# ------------------------------------------------------------------------------------------- right, and unusual
class _Block(Link):
    def __init__(self, initial=None):
        super().__init__()
        self.up, self.down, self.out = L.Linear(5, 16), L.Linear(16, 5, initialW=initial), L.Linear(5, 3)

    def forward(self, x):
        return self.out(x + self.down(F.relu(self.up(x))))


@healthy
def residual_of_the_inputs():
    return lambda net, x, t: F.softmax_cross_entropy(net(x), t), _Block(), *_classes()


@healthy(steps=12)
def residual_branch_that_begins_at_zero():
    net = _Block(0)
    return _trained, net, optimizers.Adam(0.02).setup(net), *_classes()


@healthy(steps=12)
def head_that_begins_at_zero():
    net = Sequential(L.Linear(5, 16), F.relu, L.Linear(16, 3, initialW=0))
    return _trained, net, optimizers.Adam(0.02).setup(net), *_classes()


@healthy(steps=12)
def statistics_of_earlier_batches():
    body = Sequential(L.Linear(5, 16), L.BatchNormalization(16))
    x, t = _classes()
    for _ in range(20):
        body(x)
    body.disable_update()
    net = ChainList(body, L.Linear(16, 3))
    optimizer = optimizers.Adam(0.02).setup(net)

    def step(net, optimizer, x, t):
        with test_mode(), no_grad():
            h = net[0](x)
        loss = F.softmax_cross_entropy(net[1](F.relu(h)), t)
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, net, optimizer, x, t


@healthy(steps=20)
def rate_that_restarts():
    net = _net()
    optimizer, at = optimizers.SGD(lr=0.2).setup(net), [0]

    def step(net, optimizer, at, x, t):
        optimizer.lr = 0.1 * (1 + np.cos(np.pi * (at[0] % 10) / 10))
        at[0] += 1
        return _trained(net, optimizer, x, t)

    return step, net, optimizer, at, *_classes()


@healthy(steps=12)
def loss_of_other_examples_that_is_looked_at():
    net, seen = _net(), []
    optimizer = optimizers.Adam(0.02).setup(net)

    def loss_of(net, x, t):
        return F.softmax_cross_entropy(net(x), t)

    def step(net, optimizer, seen, x, t):
        loss = loss_of(net, x[:32], t[:32])
        seen.append(loss_of(net, x[32:], t[32:]))
        net.cleargrads()
        loss.backward()
        optimizer.update()
        return loss

    return step, net, optimizer, seen, *_classes()
