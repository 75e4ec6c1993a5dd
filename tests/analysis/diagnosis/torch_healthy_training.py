"""Healthy training steps in PyTorch."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from diagnosis.case import healthy


def _mlp(a, hidden, b):
    return nn.Sequential(nn.Linear(a, hidden), nn.ReLU(), nn.Linear(hidden, b))


def _blobs(n=32, features=4, classes=3):
    t = torch.randint(0, classes, (n,))
    return torch.randn(n, features) * 0.5 + 2 * torch.randn(classes, features)[t], t


def _step(model, optimizer, x, y):
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    return loss


@healthy(steps=20)
def plain_sgd():
    model = _mlp(4, 16, 3)
    return _step, model, torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9), *_blobs()


@healthy(steps=20)
def adam_with_weight_decay():
    model = _mlp(4, 16, 3)
    return _step, model, torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01), *_blobs()


@healthy(steps=20)
def gradients_cleared_after_the_step():
    model = _mlp(4, 16, 3)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def train_step(model, optimizer, x, y):
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss.item()

    return train_step, model, optimizer, *_blobs()


@healthy(steps=20)
def gradients_cleared_by_hand():
    model = nn.Linear(3, 1)

    def train_step(model, x, y):
        loss = F.mse_loss(model(x), y)
        loss.backward()
        with torch.no_grad():
            for p in model.parameters():
                p -= 0.1 * p.grad
                p.grad = None
        return loss

    x = torch.randn(24, 3)
    return train_step, model, x, x.sum(1, keepdim=True)


@healthy(steps=20)
def accumulation_over_micro_batches():
    model = _mlp(4, 16, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)

    def train_step(model, optimizer, x, y):
        optimizer.zero_grad()
        total = 0.0
        for xs, ys in zip(x.chunk(4), y.chunk(4), strict=True):
            loss = F.cross_entropy(model(xs), ys) / 4
            loss.backward()
            total += loss.item()
        optimizer.step()
        return total

    return train_step, model, optimizer, *_blobs()


@healthy(steps=20)
def step_only_every_fourth_call():
    model = _mlp(4, 16, 3)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
    count = {"calls": 0}

    def train_step(model, optimizer, x, y):
        loss = F.cross_entropy(model(x), y)
        (loss / 4).backward()
        count["calls"] += 1
        if count["calls"] % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
        return loss

    return train_step, model, optimizer, *_blobs()


@healthy(steps=20)
def gradient_clipping():
    model = nn.GRU(3, 16, batch_first=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def train_step(model, optimizer, x, y):
        optimizer.zero_grad()
        out, _ = model(x)
        loss = F.mse_loss(out[:, -1], y)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss

    x = torch.randn(12, 6, 3)
    return train_step, model, optimizer, x, torch.tanh(x.mean(1).repeat(1, 6)[:, :16])


@healthy(steps=20)
def warm_up_from_a_tiny_rate():
    model = _mlp(4, 32, 3)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda i: min(1.0, (i + 1) / 1000))

    def train_step(model, optimizer, schedule, x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        schedule.step()
        return loss

    return train_step, model, optimizer, schedule, *_blobs()


@healthy(steps=20, learns=False)
def fine_tuning_with_a_small_rate():
    model = _mlp(4, 16, 3)
    x, y = _blobs()
    first = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(25):
        _step(model, first, x, y)
    return _step, model, torch.optim.AdamW(model.parameters(), lr=5e-5), x, y


@healthy(steps=20)
def frozen_backbone_and_an_optimizer_of_the_head():
    class Finetuned(nn.Module):
        def __init__(self):
            super().__init__()
            self.backbone, self.head = nn.Sequential(nn.Linear(4, 16), nn.ReLU()), nn.Linear(16, 3)
            self.backbone.requires_grad_(False)

        def forward(self, x):
            return self.head(self.backbone(x))

    model = Finetuned()
    return _step, model, torch.optim.Adam(model.head.parameters(), lr=1e-2), *_blobs()


@healthy(steps=20)
def rates_of_their_own_for_body_and_head():
    model = _mlp(4, 16, 3)
    groups = [{"params": model[0].parameters(), "lr": 1e-4}, {"params": model[2].parameters(), "lr": 1e-2}]
    return _step, model, torch.optim.Adam(groups), *_blobs()


@healthy(steps=20)
def alternating_gan_with_two_optimizers():
    generator, discriminator = _mlp(3, 16, 2), _mlp(2, 16, 1)
    opt_g = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
    opt_d = torch.optim.Adam(discriminator.parameters(), lr=1e-3, betas=(0.5, 0.999))

    def train_step(generator, discriminator, opt_g, opt_d, real):
        bce = nn.BCEWithLogitsLoss()
        ones, zeros = torch.ones(len(real), 1), torch.zeros(len(real), 1)
        fake = generator(torch.randn(len(real), 3))
        opt_d.zero_grad()
        d_loss = bce(discriminator(real), ones) + bce(discriminator(fake.detach()), zeros)
        d_loss.backward()
        opt_d.step()
        opt_g.zero_grad()
        g_loss = bce(discriminator(fake), ones)
        g_loss.backward()
        opt_g.step()
        return d_loss

    return train_step, generator, discriminator, opt_g, opt_d, torch.randn(24, 2) + 3
