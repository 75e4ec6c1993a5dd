"""Programs in AutoLab whose losses are made of the wrong terms, and steps that are all the same; and healthy ones."""

from __future__ import annotations

import numpy as np

from autolab import Sequential, optimizers
from autolab import functions as F
from autolab import links as L
from diagnosis.case import healthy, mistake


def _normal(*shape):
    return np.random.randn(*shape).astype(np.float32)


@mistake("masked_mean")
def mean_over_all_places_of_a_mask():
    mask = (np.arange(9)[None] < np.array([9, 4, 6, 2, 7, 5, 3, 8])[:, None]).astype(np.float32)
    x, model = _normal(8, 9) * mask, Sequential(L.Linear(9, 8), F.tanh, L.Linear(8, 9))

    def loss_fn(model, x, weight):
        errors = (model(x) - x) ** 2 * weight  # <-
        return F.mean(errors)  # <- return F.sum(errors) / np.sum(weight)

    return loss_fn, model, x, mask


@mistake("broadcast_loss")
def masks_without_the_axis_of_channels():
    model = L.Convolution2D(3, 1, 3, pad=1)

    def loss_fn(model, x, t):
        return F.mean((F.sigmoid(model(x)) - t) ** 2)  # <- - t) => - t[:, None])

    return loss_fn, model, _normal(4, 3, 8, 8), (_normal(4, 8, 8) > 0).astype(np.float32)


def _trainable():
    model = Sequential(L.Linear(6, 8), F.relu, L.Linear(8, 2))
    x = _normal(48, 6)
    return model, optimizers.Adam(alpha=0.02).setup(model), x, (x[:, 0] > 0).astype(np.int64)


@mistake("same_batch", steps=3)
def first_rows_in_every_step():
    def step(model, optimizer, x, t):
        rows = np.arange(16)  # <- rows = np.random.permutation(48)[:16]
        model.cleargrads()
        loss = F.softmax_cross_entropy(model(x[rows]), t[rows])  # <-
        loss.backward()
        optimizer.update()
        return loss

    return step, *_trainable()


@mistake("same_random_numbers", steps=3)
def seed_set_in_every_step():
    def step(model, optimizer, x, t):
        np.random.seed(0)  # <- pass
        rows = np.random.permutation(48)[:40]
        model.cleargrads()
        loss = F.softmax_cross_entropy(model(x[rows]), t[rows])
        loss.backward()
        optimizer.update()
        return loss

    return step, *_trainable()


@healthy(steps=3)
def another_seed_in_each_step():
    count = [0]

    def step(model, optimizer, x, t):
        count[0] += 1
        np.random.seed(count[0])
        rows = np.random.permutation(48)[:16]
        model.cleargrads()
        loss = F.softmax_cross_entropy(model(x[rows]), t[rows])
        loss.backward()
        optimizer.update()
        return loss

    return step, *_trainable()
