"""Programs in AutoLab that take numbers for what they are not, whose data arrives in parts; and healthy ones alike."""

from __future__ import annotations

import numpy as np

from autolab import Link, Sequential, optimizers
from autolab import functions as F
from autolab import links as L
from diagnosis.case import healthy, mistake


def _normal(*shape):
    return np.random.randn(*shape).astype(np.float32)


def _step(model, optimizer, x, t):
    model.cleargrads()
    loss = F.mean_squared_error(model(x), t)
    loss.backward()
    optimizer.update()
    return loss


class _Attention(Link):
    def __init__(self, mix):
        super().__init__()
        self.q, self.k, self.v, self.out = L.Linear(6, 6), L.Linear(6, 6), L.Linear(6, 6), L.Linear(6, 3)
        self.mix = mix

    def forward(self, x):
        return self.out(F.mean(self.mix(self.q(x), self.k(x), self.v(x)), axis=1))


def _classify(model, x, t):
    return F.softmax_cross_entropy(model(x), t)


def _rows():
    x = _normal(16, 5, 6)
    return x, (x[:, :, 0].sum(axis=1) > 0).astype(np.int64)


@mistake("wrong_axis")
def attention_normalised_over_the_queries():
    def mix(q, k, v):
        weights = F.softmax(q @ F.swapaxes(k, 1, 2) / 6**0.5, axis=1)  # <- axis=1 => axis=2
        return weights @ v

    return _classify, _Attention(mix), *_rows()


@healthy
def slots_that_compete_for_places():
    def mix(q, k, v):
        weights = F.softmax(q @ F.swapaxes(k, 1, 2), axis=1) + 1e-6
        return (weights / F.sum(weights, axis=2, keepdims=True)) @ v

    return _classify, _Attention(mix), *_rows()


@healthy
def attention_with_keys_before_queries():
    def mix(q, k, v):
        weights = F.softmax(k @ F.swapaxes(q, 1, 2) / 6**0.5, axis=1)
        return F.swapaxes(weights, 1, 2) @ v

    return _classify, _Attention(mix), *_rows()


@mistake("wrapped_integers")
def grey_values_shifted_as_bytes():
    model = Sequential(L.Linear(16, 8), F.relu, L.Linear(8, 1))

    def loss_fn(model, images, t):
        x = (images - 128) / 128  # <- x = (images.astype(np.float32) - 128) / 128
        return F.mean_squared_error(model(x), t)

    images = np.random.randint(0, 256, (32, 16)).astype(np.uint8)
    return loss_fn, model, images, images[:, :1].astype(np.float32) / 128 - 1


@mistake("target_among_inputs")
def table_with_its_target():
    model = Sequential(L.Linear(5, 8), F.relu, L.Linear(8, 1))
    table = _normal(32, 5)
    table[:, 4] = np.sin(table[:, 0]) + table[:, 1] * table[:, 2]

    def loss_fn(model, x, t):
        return F.mean_squared_error(model(x), t)  # <-

    return loss_fn, model, table, table[:, 4:]


@mistake("weight_decay", outside=True)
def decay_of_a_third_in_each_update():
    model = Sequential(L.Linear(5, 8), F.relu, L.Linear(8, 1))
    optimizer = optimizers.SGD(lr=0.1).setup(model)
    optimizer.add_hook(optimizers.WeightDecay(3.0))  # <- 3.0 => 1e-4
    x = _normal(32, 5)
    return _step, model, optimizer, x, x[:, :1]


@mistake("wrong_axis", steps=2)
def mean_over_the_batch_in_slices():
    class Centred(Link):
        def __init__(self):
            super().__init__()
            self.a, self.out = L.Linear(6, 8), L.Linear(8, 2)

        def forward(self, x):
            h = F.relu(self.a(x))
            return self.out(h - F.mean(h, axis=0, keepdims=True))  # <- axis=0 => axis=1

    model = Centred()
    optimizer = optimizers.SGD(lr=0.1).setup(model)

    def epoch(model, optimizer, x, t):
        for i in range(0, 24, 12):
            model.cleargrads()
            loss = F.softmax_cross_entropy(model(x[i : i + 12]), t[i : i + 12])
            loss.backward()
            optimizer.update()
        return loss

    x = _normal(24, 6)
    return epoch, model, optimizer, x, (x[:, 0] > 0).astype(np.int64)


@healthy(steps=2)
def batches_of_a_shuffled_epoch():
    model = Sequential(L.Linear(6, 8), F.relu, L.Linear(8, 2))
    optimizer = optimizers.SGD(lr=0.1).setup(model)

    def epoch(model, optimizer, x, t):
        order = np.random.permutation(24)
        for i in range(0, 24, 12):
            part = order[i : i + 12]
            model.cleargrads()
            loss = F.softmax_cross_entropy(model(x[part]), t[part])
            loss.backward()
            optimizer.update()
        return loss

    x = _normal(24, 6)
    return epoch, model, optimizer, x, (x[:, 0] > 0).astype(np.int64)


class _Policy(Link):
    def __init__(self):
        super().__init__()
        self.net = Sequential(L.Linear(4, 16), F.tanh, L.Linear(16, 3))

    def chosen(self, states):
        log_p = F.log_softmax(self.net(states))
        p = np.exp(log_p.data)
        action = np.minimum((p.cumsum(1) < np.random.rand(len(p), 1)).sum(1), 2)
        return log_p[np.arange(len(p)), action], action


@mistake("uphill", learns=False)
def rewards_that_are_minimized():
    def loss_fn(policy, states, best):
        chosen, action = policy.chosen(states)
        reward = (action == best).astype(np.float32)
        return F.mean(chosen * reward)  # <- return -F.mean(chosen * reward)

    states = _normal(32, 4)
    return loss_fn, _Policy(), states, states[:, :3].argmax(1)


@healthy(learns=False)
def costs_that_are_minimized():
    def loss_fn(policy, states, best):
        chosen, action = policy.chosen(states)
        cost = (action != best).astype(np.float32)
        return F.mean(chosen * cost)

    states = _normal(32, 4)
    return loss_fn, _Policy(), states, states[:, :3].argmax(1)
