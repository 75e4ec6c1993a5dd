"""Healthy programs in PyTorch that were written after the rules, and tried on them once."""

from __future__ import annotations

import copy

import torch
import torch.nn.functional as F
from torch import nn

from diagnosis.case import healthy


def _classes(n=24, features=5, classes=4):
    labels = torch.randint(0, classes, (n,))
    return torch.randn(n, features) * 0.4 + 2 * torch.randn(classes, features)[labels], labels


def _numbers(n=24, features=5):
    x = torch.randn(n, features)
    return x, x[:, :1] - 0.5 * x[:, 1:2]


def _net(a, b, hidden=20):
    return nn.Sequential(nn.Linear(a, hidden), nn.Tanh(), nn.Linear(hidden, b))


def _classify(model, x, y):
    return F.cross_entropy(model(x), y)


def _regress(model, x, y):
    return F.mse_loss(model(x), y)


# ---------------------------------------------------------------------------------------------- networks
@healthy
def mlp_with_batch_norm_and_dropout():
    model = nn.Sequential(nn.Linear(5, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 4))
    return _classify, model, *_classes()


@healthy
def maxout():
    class Maxout(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.out = nn.Linear(5, 24), nn.Linear(8, 4)

        def forward(self, x):
            return self.out(self.a(x).view(-1, 8, 3).max(dim=2).values)

    return _classify, Maxout(), *_classes()


@healthy
def convnet_with_global_pooling():
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3, stride=2), nn.ReLU(), nn.AdaptiveMaxPool2d(1)
    )
    model.append(nn.Flatten()).append(nn.Linear(8, 3))
    return _classify, model, torch.randn(12, 1, 9, 9), torch.randint(0, 3, (12,))


@healthy
def preactivation_residual_block():
    class Block(nn.Module):
        def __init__(self, c):
            super().__init__()
            self.n1, self.n2 = nn.BatchNorm2d(c), nn.BatchNorm2d(c)
            self.c1, self.c2 = nn.Conv2d(c, c, 3, padding=1, bias=False), nn.Conv2d(c, c, 3, padding=1, bias=False)

        def forward(self, x):
            return x + self.c2(F.relu(self.n2(self.c1(F.relu(self.n1(x))))))

    model = nn.Sequential(nn.Conv2d(2, 6, 1), Block(6), Block(6), nn.Flatten(), nn.Linear(6 * 25, 3))
    return _classify, model, torch.randn(8, 2, 5, 5), torch.randint(0, 3, (8,))


@healthy
def inception_with_concatenation():
    class Mixed(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.three = nn.Conv2d(2, 4, 1), nn.Conv2d(2, 4, 3, padding=1)
            self.fc = nn.Linear(8, 3)

        def forward(self, x):
            h = F.relu(torch.cat([self.one(x), self.three(x)], dim=1))
            return self.fc(h.mean(dim=(2, 3)))

    return _classify, Mixed(), torch.randn(12, 2, 6, 6), torch.randint(0, 3, (12,))


@healthy
def lstm_over_packed_sequences():
    class Reader(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(12, 8, padding_idx=0)
            self.lstm, self.out = nn.LSTM(8, 10, batch_first=True), nn.Linear(10, 2)

        def forward(self, tokens, lengths):
            h, _ = self.lstm(self.embed(tokens))
            last = h[torch.arange(len(tokens)), lengths - 1]
            return self.out(last)

    def loss_fn(model, tokens, lengths, y):
        return F.cross_entropy(model(tokens, lengths), y)

    lengths = torch.randint(2, 7, (10,))
    tokens = torch.randint(1, 12, (10, 6)) * (torch.arange(6) < lengths[:, None])
    return loss_fn, Reader(), tokens, lengths, (tokens[:, 0] > 5).long()


@healthy
def gru_decoder_with_teacher_forcing():
    class Decoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.cell, self.out = nn.Embedding(8, 10), nn.GRUCell(10, 10), nn.Linear(10, 8)

        def forward(self, h, words):
            scores = []
            for t in range(words.shape[1]):
                h = self.cell(self.embed(words[:, t]), h)
                scores.append(self.out(h))
            return torch.stack(scores, dim=1)

    def loss_fn(model, h, words):
        scores = model(h, words[:, :-1])
        return F.cross_entropy(scores.reshape(-1, 8), words[:, 1:].reshape(-1))

    return loss_fn, Decoder(), torch.randn(6, 10), (torch.arange(7) + torch.arange(6)[:, None]) % 8


@healthy(causal=True)
def decoder_layer_with_a_mask():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.place = nn.Embedding(9, 12), nn.Embedding(7, 12)
            self.layer = nn.TransformerEncoderLayer(12, 2, 24, dropout=0.0, batch_first=True)
            self.out = nn.Linear(12, 9)

        def forward(self, tokens):
            n = tokens.shape[1]
            mask = torch.full((n, n), float("-inf")).triu(1)
            h = self.embed(tokens) + self.place(torch.arange(n))
            return self.out(self.layer(h, src_mask=mask))

    def loss_fn(model, tokens):
        return F.cross_entropy(model(tokens[:, :-1]).transpose(1, 2), tokens[:, 1:])

    return loss_fn, Model(), (torch.arange(8) + torch.arange(5)[:, None]) % 9


@healthy
def vision_transformer():
    class ViT(nn.Module):
        def __init__(self):
            super().__init__()
            self.patch, self.cls = nn.Conv2d(1, 12, 4, stride=4), nn.Parameter(torch.zeros(1, 1, 12))
            self.place = nn.Parameter(0.02 * torch.randn(1, 5, 12))
            self.block = nn.TransformerEncoderLayer(12, 3, 24, dropout=0.0, batch_first=True, norm_first=True)
            self.head = nn.Linear(12, 3)

        def forward(self, x):
            h = self.patch(x).flatten(2).transpose(1, 2)
            h = torch.cat([self.cls.expand(len(x), -1, -1), h], dim=1) + self.place
            return self.head(self.block(h)[:, 0])

    return _classify, ViT(), torch.randn(10, 1, 8, 8), torch.randint(0, 3, (10,))


@healthy
def cross_attention_pooling():
    class Perceiver(nn.Module):
        def __init__(self):
            super().__init__()
            self.query, self.embed = nn.Parameter(torch.randn(2, 8)), nn.Embedding(15, 8)
            self.key, self.value, self.out = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(16, 3)

        def forward(self, tokens):
            h = self.embed(tokens)
            weights = torch.softmax(self.query @ self.key(h).mT / 8**0.5, dim=-1)
            return self.out((weights @ self.value(h)).flatten(1))

    tokens = torch.randint(0, 15, (10, 6))
    return _classify, Perceiver(), tokens, tokens[:, 1] % 3


@healthy
def tied_autoencoder():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.randn(6, 10) * 0.3)
            self.a, self.b = nn.Parameter(torch.zeros(6)), nn.Parameter(torch.zeros(10))

        def forward(self, x):
            return torch.tanh(x @ self.w.T + self.a) @ self.w + self.b

    return lambda model, x: F.mse_loss(model(x), x), Tied(), torch.randn(20, 10)


@healthy
def mixture_of_experts_with_top_one():
    class Experts(nn.Module):
        def __init__(self):
            super().__init__()
            self.gate, self.experts = nn.Linear(5, 2), nn.ModuleList(_net(5, 1) for _ in range(2))

        def forward(self, x):
            share, chosen = self.gate(x).softmax(1).max(dim=1)
            every = torch.stack([expert(x) for expert in self.experts], dim=1)
            return share[:, None] * every[torch.arange(len(x)), chosen]

    return _regress, Experts(), *_numbers()


@healthy
def factorised_embedding_is_two_linear_layers_on_purpose():
    class LowRank(nn.Module):
        def __init__(self):
            super().__init__()
            self.down, self.up, self.out = nn.Linear(20, 2, bias=False), nn.Linear(2, 20), nn.Linear(20, 4)

        def forward(self, x):
            return self.out(torch.relu(self.up(self.down(x))))

    return _classify, LowRank(), *_classes(24, 20)


@healthy
def film_conditioning():
    class Film(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.film, self.head = nn.Linear(5, 12), nn.Linear(3, 24), nn.Linear(12, 1)

        def forward(self, x, c):
            scale, shift = self.film(c).chunk(2, dim=1)
            return self.head(torch.relu(self.body(x) * (1 + scale) + shift))

    def loss_fn(model, x, c, y):
        return F.mse_loss(model(x, c), y)

    x, y = _numbers()
    return loss_fn, Film(), x, torch.randn(24, 3), y


# ---------------------------------------------------------------------------------------------- generative
@healthy
def vae_with_a_softplus_scale():
    class VAE(nn.Module):
        def __init__(self):
            super().__init__()
            self.enc, self.dec = nn.Linear(10, 8), _net(4, 10)

        def forward(self, x):
            mean, raw = self.enc(x).chunk(2, dim=1)
            std = F.softplus(raw) + 1e-4
            return self.dec(mean + std * torch.randn_like(std)), mean, std

    def elbo(model, x):
        out, mean, std = model(x)
        kl = 0.5 * (mean**2 + std**2 - 2 * std.log() - 1).sum(1)
        return (((out - x) ** 2).sum(1) + 0.1 * kl).mean()

    return elbo, VAE(), torch.randn(24, 10)


@healthy(learns=False)
def wasserstein_generator():
    critic = _net(3, 1)

    def generator_loss(generator, critic, z):
        return -critic(generator(z)).mean()

    return generator_loss, _net(4, 3), critic.requires_grad_(False), torch.randn(16, 4)


@healthy
def least_squares_discriminator():
    def loss_fn(critic, generator, real, z):
        with torch.no_grad():
            fake = generator(z)
        return 0.5 * ((critic(real) - 1) ** 2).mean() + 0.5 * (critic(fake) ** 2).mean()

    return loss_fn, _net(3, 1), _net(4, 3), torch.randn(16, 3) + 2, torch.randn(16, 4)


@healthy
def score_matching_with_random_levels():
    def loss_fn(model, x):
        level = 0.1 + torch.rand(len(x), 1)
        noise = torch.randn_like(x)
        predicted = model(torch.cat([x + level * noise, level], dim=1))
        return F.mse_loss(predicted, -noise)

    return loss_fn, _net(4, 3), torch.randn(40, 3)


@healthy
def masked_autoencoder():
    def loss_fn(model, x):
        mask = torch.rand(x.shape) < 0.5
        out = model(torch.where(mask, torch.zeros_like(x), x))
        return ((out - x) ** 2)[mask].mean()

    x = torch.randn(30, 1) * torch.ones(1, 6)
    return loss_fn, _net(6, 6), x


@healthy
def rotation_pretext_task():
    def loss_fn(model, images):
        turns = torch.randint(0, 4, (len(images),))
        turned = torch.stack([torch.rot90(image, int(k), (1, 2)) for image, k in zip(images, turns, strict=True)])
        return F.cross_entropy(model(turned), turns)

    images = torch.arange(36.0).view(1, 1, 6, 6).repeat(12, 1, 1, 1) / 18 - 1
    return loss_fn, nn.Sequential(nn.Flatten(), _net(36, 4)), images


# ---------------------------------------------------------------------------------------------- contrastive, policies
@healthy
def nt_xent_over_both_views():
    def loss_fn(model, a, b):
        z = F.normalize(torch.cat([model(a), model(b)]), dim=1)
        scores = z @ z.T / 0.5
        scores = scores.masked_fill(torch.eye(len(z), dtype=torch.bool), float("-inf"))
        n = len(a)
        return F.cross_entropy(scores, torch.cat([torch.arange(n) + n, torch.arange(n)]))

    a = torch.randn(12, 6)
    return loss_fn, _net(6, 4), a, a + 0.1 * torch.randn(12, 6)


@healthy
def supervised_contrastive():
    def loss_fn(model, x, y):
        z = F.normalize(model(x), dim=1)
        log_p = torch.log_softmax((z @ z.T / 0.3).masked_fill(torch.eye(len(z), dtype=torch.bool), -1e9), dim=1)
        same = ((y[:, None] == y) & ~torch.eye(len(y), dtype=torch.bool)).float()
        return -((log_p * same).sum(1) / same.sum(1).clamp(min=1)).mean()

    return loss_fn, _net(5, 4), *_classes()


@healthy
def advantage_actor_critic():
    class Agent(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.pi, self.v = nn.Linear(5, 16), nn.Linear(16, 3), nn.Linear(16, 1)

        def forward(self, s):
            h = torch.tanh(self.body(s))
            return self.pi(h), self.v(h).squeeze(1)

    def loss_fn(agent, states, actions, returns):
        logits, value = agent(states)
        advantage = (returns - value).detach()
        pg = -(F.log_softmax(logits, 1).gather(1, actions[:, None]).squeeze(1) * advantage).mean()
        return pg + 0.5 * F.mse_loss(value, returns)

    states = torch.randn(24, 5)
    return loss_fn, Agent(), states, torch.randint(0, 3, (24,)), 2 + states[:, 0]


@healthy
def fitted_q_iteration():
    def loss_fn(q, target, s, a, r, after):
        with torch.no_grad():
            goal = r + 0.9 * target(after).max(dim=1).values
        return F.smooth_l1_loss(q(s)[torch.arange(len(a)), a], goal)

    q = _net(5, 3)
    s = torch.randn(24, 5)
    return loss_fn, q, copy.deepcopy(q), s, torch.randint(0, 3, (24,)), s[:, 0], torch.randn(24, 5)


# ---------------------------------------------------------------------------------------------- losses and data
@healthy
def sequence_loss_with_padding_mask():
    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.out = nn.Embedding(10, 8, padding_idx=0), nn.Linear(8, 4)

        def forward(self, tokens):
            return self.out(self.embed(tokens))

    def loss_fn(model, tokens, tags):
        each = F.cross_entropy(model(tokens).transpose(1, 2), tags, reduction="none")
        mask = (tokens != 0).float()
        return (each * mask).sum() / mask.sum()

    tokens = torch.randint(0, 10, (8, 6))
    return loss_fn, Tagger(), tokens, tokens % 4


@healthy
def uncertainty_weighting_of_two_tasks():
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.a, self.b = nn.Linear(5, 16), nn.Linear(16, 4), nn.Linear(16, 1)
            self.log_var = nn.Parameter(torch.zeros(2))

        def forward(self, x):
            h = torch.relu(self.body(x))
            return self.a(h), self.b(h)

    def loss_fn(model, x, y, z):
        a, b = model(x)
        parts = torch.stack([F.cross_entropy(a, y), F.mse_loss(b, z)])
        return (torch.exp(-model.log_var) * parts + model.log_var).sum()

    x, y = _classes()
    return loss_fn, Two(), x, y, x[:, :1]


@healthy
def dice_and_cross_entropy():
    def loss_fn(model, x, mask):
        scores = model(x)
        p = torch.sigmoid(scores)
        dice = 1 - (2 * (p * mask).sum((1, 2, 3)) + 1) / ((p + mask).sum((1, 2, 3)) + 1)
        return dice.mean() + F.binary_cross_entropy_with_logits(scores, mask)

    x = torch.randn(6, 1, 7, 7)
    model = nn.Sequential(nn.Conv2d(1, 6, 3, padding=1), nn.ReLU(), nn.Conv2d(6, 1, 3, padding=1))
    return loss_fn, model, x, (x > 0.2).float()


@healthy
def frozen_features_in_eval_mode():
    backbone = nn.Sequential(nn.Linear(5, 16), nn.BatchNorm1d(16), nn.ReLU()).eval().requires_grad_(False)
    head = nn.Linear(16, 4)

    def loss_fn(head, backbone, x, y):
        return F.cross_entropy(head(backbone(x)), y)

    return loss_fn, head, backbone, *_classes()


@healthy
def poisson_regression():
    def loss_fn(model, x, counts):
        rate = torch.exp(model(x))
        return (rate - counts * torch.log(rate)).mean()

    x = torch.randn(40, 3)
    return loss_fn, nn.Linear(3, 1), x, torch.poisson(torch.exp(0.5 * x[:, :1]))


@healthy
def gaussian_process_likelihood():
    def loss_fn(log_scale, log_noise, x, y):
        k = torch.exp(-((x - x.T) ** 2) / (2 * log_scale.exp() ** 2)) + log_noise.exp() * torch.eye(len(x))
        root = torch.linalg.cholesky(k)
        alpha = torch.cholesky_solve(y, root)
        return 0.5 * (y * alpha).sum() + torch.log(torch.diagonal(root)).sum()

    x = torch.linspace(-2, 2, 20)[:, None]
    scale, noise = nn.Parameter(torch.tensor(0.0)), nn.Parameter(torch.tensor(-1.0))
    return loss_fn, scale, noise, x, torch.sin(3 * x)


@healthy(steps=12)
def schedule_and_clipping():
    model = _net(5, 4)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt, 60)

    def train(model, opt, schedule, x, y):
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        schedule.step()
        return loss

    return train, model, opt, schedule, *_classes()


@healthy(steps=12)
def two_updates_of_the_critic_for_one_of_the_actor():
    actor, critic = _net(4, 2), _net(6, 1)
    pi, q = torch.optim.Adam(actor.parameters(), lr=3e-3), torch.optim.Adam(critic.parameters(), lr=3e-3)

    def train(actor, critic, pi, q, states, rewards):
        for _ in range(2):
            actions = actor(states).detach()
            value = critic(torch.cat([states, actions], dim=1))
            loss = F.mse_loss(value, rewards)
            q.zero_grad()
            loss.backward()
            q.step()
        gain = -critic(torch.cat([states, actor(states)], dim=1)).mean()
        pi.zero_grad()
        gain.backward()
        pi.step()
        return loss

    states = torch.randn(24, 4)
    return train, actor, critic, pi, q, states, states[:, :1]


@healthy(steps=12)
def exponential_average_for_evaluation():
    model = _net(5, 4)
    average = copy.deepcopy(model).requires_grad_(False)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)

    def train(model, average, opt, x, y):
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        with torch.no_grad():
            for kept, p in zip(average.parameters(), model.parameters(), strict=True):
                kept.lerp_(p, 0.1)
            F.cross_entropy(average(x), y)
        return loss

    return train, model, average, opt, *_classes()
