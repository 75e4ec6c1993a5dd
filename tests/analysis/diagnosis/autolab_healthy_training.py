"""Healthy training steps in AutoLab."""

from __future__ import annotations

import numpy as np

from autolab import Link, Parameter, Sequential, optimizers
from autolab import functions as F
from autolab import links as L
from diagnosis.case import healthy


def _normal(*shape):
    return np.random.randn(*shape).astype(np.float32)


def _blobs(n=32, features=4, classes=3):
    t = np.random.randint(0, classes, n)
    return 0.5 * _normal(n, features) + 2 * _normal(classes, features)[t], t


def _mlp(a, hidden, b):
    return Sequential(L.Linear(a, hidden), F.relu, L.Linear(hidden, b))


def _step(model, optimizer, x, t):
    model.cleargrads()
    loss = F.softmax_cross_entropy(model(x), t)
    loss.backward()
    optimizer.update()
    return loss


@healthy(steps=20)
def plain_sgd():
    model = _mlp(4, 16, 3)
    return _step, model, optimizers.MomentumSGD(0.1).setup(model), *_blobs()


@healthy(steps=20)
def adam_with_weight_decay_and_clipping():
    model = _mlp(4, 16, 3)
    optimizer = optimizers.Adam(0.01).setup(model)
    optimizer.add_hook(optimizers.WeightDecay(1e-4))
    optimizer.add_hook(optimizers.GradientClipping(1.0))
    return _step, model, optimizer, *_blobs()


@healthy(steps=20)
def update_with_a_loss_function():
    model = L.Classifier(_mlp(4, 16, 3))

    def train_step(model, optimizer, x, t):
        return optimizer.update(model, x, t)

    return train_step, model, optimizers.Adam(0.01).setup(model), *_blobs()


@healthy(steps=20)
def spelled_as_in_pytorch():
    model = _mlp(4, 16, 3)
    optimizer = optimizers.AdamW(model.parameters(), lr=0.01)

    def train_step(model, optimizer, x, t):
        optimizer.zero_grad()
        loss = F.softmax_cross_entropy(model(x), t)
        loss.backward()
        optimizer.step()
        return loss.item()

    return train_step, model, optimizer, *_blobs()


@healthy(steps=20)
def accumulation_over_micro_batches():
    model = _mlp(4, 16, 3)
    optimizer = optimizers.SGD(0.2).setup(model)

    def train_step(model, optimizer, x, t):
        model.cleargrads()
        total = 0.0
        for i in range(0, len(x), 8):
            loss = F.softmax_cross_entropy(model(x[i : i + 8]), t[i : i + 8]) / 4
            loss.backward()
            total += float(loss)
        optimizer.update()
        return total

    return train_step, model, optimizer, *_blobs()


@healthy(steps=20, learns=False)
def alternating_gan_with_two_optimizers():
    generator, discriminator = _mlp(3, 16, 2), _mlp(2, 16, 1)
    opt_g, opt_d = optimizers.Adam(0.001).setup(generator), optimizers.Adam(0.001).setup(discriminator)
    rng = np.random.default_rng(0)

    def train_step(generator, discriminator, opt_g, opt_d, real):
        fake = generator(rng.standard_normal((len(real), 3)).astype(np.float32))
        opt_d.zero_grad()
        d_loss = F.mean(F.softplus(-discriminator(real))) + F.mean(F.softplus(discriminator(fake.detach())))
        d_loss.backward()
        opt_d.update()
        opt_g.zero_grad()
        F.mean(F.softplus(-discriminator(fake))).backward()
        opt_g.update()
        return d_loss

    return train_step, generator, discriminator, opt_g, opt_d, _normal(24, 2) + 3


@healthy(steps=20)
def warm_up_from_a_tiny_rate():
    model = _mlp(4, 32, 3)
    return _step, model, optimizers.Adam(lambda t: 0.01 * min(1.0, (t + 1) / 1000)).setup(model), *_blobs()


@healthy(steps=20, learns=False)
def fine_tuning_with_a_small_rate():
    model = _mlp(4, 16, 3)
    x, t = _blobs()
    first = optimizers.Adam(0.01).setup(model)
    for _ in range(25):
        _step(model, first, x, t)
    return _step, model, optimizers.Adam(5e-5).setup(model), x, t


@healthy(steps=20)
def frozen_backbone_and_an_optimizer_of_the_head():
    class Finetuned(Link):
        def __init__(self):
            super().__init__()
            self.backbone, self.head = Sequential(L.Linear(4, 16), F.relu), L.Linear(16, 3)
            self.backbone.freeze()

        def forward(self, x):
            return self.head(self.backbone(x))

    model = Finetuned()
    return _step, model, optimizers.Adam(model.head.parameters(), lr=0.01), *_blobs()


@healthy(steps=20)
def minibatches_shuffled_with_their_labels():
    model = _mlp(4, 32, 3)
    rng = np.random.default_rng(0)

    def train_epoch(model, optimizer, x, t):
        order = rng.permutation(len(x))
        total = 0.0
        for i in range(0, len(x), 8):
            batch = order[i : i + 8]
            total += float(_step(model, optimizer, x[batch], t[batch]))
        return total / 4

    return train_epoch, model, optimizers.Adam(0.01).setup(model), *_blobs()


@healthy(steps=20)
def an_input_that_is_trained_while_the_model_stays():
    image = Parameter(_normal(3, 4))

    def step(model, image, optimizer, t):
        optimizer.zero_grad()
        loss = F.softmax_cross_entropy(model(image), t)
        loss.backward()
        optimizer.update()
        return loss

    return step, _mlp(4, 16, 3), image, optimizers.Adam([image], lr=0.05), np.array([0, 1, 2])
