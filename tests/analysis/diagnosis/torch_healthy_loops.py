"""Healthy training steps in PyTorch with more than one network, mode or loss."""

from __future__ import annotations

import copy

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
def wasserstein_critic_clamped_in_place():
    critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
    optimizer = torch.optim.RMSprop(critic.parameters(), lr=1e-3)

    def critic_step(critic, optimizer, real, fake):
        optimizer.zero_grad()
        loss = critic(fake).mean() - critic(real).mean()
        loss.backward()
        optimizer.step()
        for p in critic.parameters():
            p.data.clamp_(-0.3, 0.3)
        return loss

    return critic_step, critic, optimizer, torch.randn(24, 2) + 1, torch.randn(24, 2) - 1


@healthy(steps=20)
def mean_teacher():
    student = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 3))
    teacher = copy.deepcopy(student).requires_grad_(False)
    optimizer = torch.optim.Adam(student.parameters(), lr=1e-2)

    def train_step(student, teacher, optimizer, x, y, unlabelled):
        optimizer.zero_grad()
        loss = F.cross_entropy(student(x), y)
        loss = loss + F.mse_loss(student(unlabelled).softmax(1), teacher(unlabelled).softmax(1))
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for s, t in zip(student.parameters(), teacher.parameters(), strict=True):
                t.mul_(0.99).add_(s, alpha=0.01)
        return loss

    return train_step, student, teacher, optimizer, *_blobs(), torch.randn(16, 4)


@healthy(steps=20)
def truncated_backpropagation_through_time():
    class CharRNN(nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn, self.out, self.hidden = nn.GRU(5, 16, batch_first=True), nn.Linear(16, 5), None

        def forward(self, x):
            hidden = None if self.hidden is None else self.hidden.detach()
            h, self.hidden = self.rnn(x, hidden)
            return self.out(h)

    model = CharRNN()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def train_step(model, optimizer, x, y):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x).transpose(1, 2), y)
        loss.backward()
        optimizer.step()
        return loss

    y = torch.arange(24).reshape(2, 12) % 5
    return train_step, model, optimizer, F.one_hot((y + 4) % 5, 5).float(), y


@healthy(steps=20)
def validation_in_every_step():
    model = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def train_epoch(model, optimizer, x, y):
        model.train()
        loss = _step(model, optimizer, x, y)
        model.eval()
        with torch.no_grad():
            accuracy = (model(x).argmax(1) == y).float().mean()
        assert 0 <= accuracy <= 1
        return loss.item()

    return train_epoch, model, optimizer, *_blobs()


@healthy(steps=20)
def minibatches_shuffled_with_their_labels():
    model = _mlp(4, 32, 3)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def train_epoch(model, optimizer, x, y):
        order = torch.randperm(len(x))
        total = 0.0
        for i in range(0, len(x), 8):
            batch = order[i : i + 8]
            total += _step(model, optimizer, x[batch], y[batch]).item()
        return total / 4

    return train_epoch, model, optimizer, *_blobs()


@healthy(steps=20)
def l_bfgs_with_a_closure():
    model = nn.Linear(3, 1)
    optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=4)

    def train_step(model, optimizer, x, y):
        def closure():
            optimizer.zero_grad()
            loss = F.mse_loss(model(x), y) + 1e-3 * (model.weight**2).sum()
            loss.backward()
            return loss

        return optimizer.step(closure)

    x = torch.randn(24, 3)
    return train_step, model, optimizer, x, x @ torch.randn(3, 1) + 0.5 * torch.randn(24, 1)


@healthy(steps=20)
def bfloat16_autocast():
    model = _mlp(8, 32, 3)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def train_step(model, optimizer, x, y):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return train_step, model, optimizer, *_blobs(32, 8)


@healthy(steps=20)
def dqn_with_a_soft_target():
    q_net = _mlp(4, 32, 2)
    target_net = copy.deepcopy(q_net)
    optimizer = torch.optim.Adam(q_net.parameters(), lr=3e-3)

    def train_step(q_net, target_net, optimizer, s, a, r, s2):
        with torch.no_grad():
            target = r + 0.9 * target_net(s2).max(1).values
        loss = F.smooth_l1_loss(q_net(s).gather(1, a[:, None]).squeeze(1), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for p, q in zip(target_net.parameters(), q_net.parameters(), strict=True):
            p.data.lerp_(q.data, 0.01)
        return loss

    s = torch.randn(24, 4)
    return train_step, q_net, target_net, optimizer, s, torch.randint(0, 2, (24,)), s[:, 0], torch.randn(24, 4)


@healthy(steps=20)
def elbo_summed_with_adam():
    class VAE(nn.Module):
        def __init__(self):
            super().__init__()
            self.enc, self.dec = _mlp(12, 16, 6), _mlp(3, 16, 12)

    vae = VAE()
    optimizer = torch.optim.Adam(vae.parameters(), lr=5e-3)

    def train_step(vae, optimizer, x):
        mu, logvar = vae.enc(x).chunk(2, dim=1)
        recon = vae.dec(mu + torch.randn_like(mu) * torch.exp(0.5 * logvar))
        bce = F.binary_cross_entropy_with_logits(recon, x, reduction="sum")
        loss = bce - 0.5 * torch.sum(1 + logvar - mu**2 - logvar.exp())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    return train_step, vae, optimizer, (torch.rand(64, 12) > 0.7).float()


@healthy(steps=20)
def large_logits_at_the_start():
    model = _mlp(16, 64, 5)
    nn.init.normal_(model[2].weight, std=0.6)
    return _step, model, torch.optim.Adam(model.parameters(), lr=1e-2), *_blobs(40, 16, 5)


@healthy(steps=20)
def loss_without_a_batch_axis():
    theta = nn.Parameter(torch.tensor([-1.2, 1.0]))
    optimizer = torch.optim.Adam([theta], lr=0.05)

    def step(theta, optimizer):
        optimizer.zero_grad()
        loss = (1 - theta[0]) ** 2 + 100 * (theta[1] - theta[0] ** 2) ** 2
        loss.backward()
        optimizer.step()
        return loss

    return step, theta, optimizer


@healthy(learns=False)
def evaluation_as_it_should_be():
    model = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 3))

    @torch.no_grad()
    def evaluate(model, x, y):
        model.eval()
        return F.cross_entropy(model(x), y)

    return evaluate, model, *_blobs()
