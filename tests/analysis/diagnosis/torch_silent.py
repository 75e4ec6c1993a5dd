"""Programs in PyTorch that nothing was said of once, and healthy ones like them."""

from __future__ import annotations

import math

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from diagnosis.case import healthy, mistake


def _classes(n=24, features=5, classes=4):
    labels = torch.randint(0, classes, (n,))
    return torch.randn(n, features) * 0.4 + 2 * torch.randn(classes, features)[labels], labels


def _net(a, b, hidden=20):
    return nn.Sequential(nn.Linear(a, hidden), nn.Tanh(), nn.Linear(hidden, b))


def _train(model, optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss


class _Head(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, h):
        w = torch.softmax(self.q(h) @ self.k(h).transpose(1, 2) / math.sqrt(h.shape[-1]), dim=-1)
        return h + w @ self.v(h)


@mistake("no_positions")
def own_attention_over_words_without_positions():
    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.word = nn.Embedding(11, 12)
            self.a, self.out = _Head(12), nn.Linear(12, 3)

        def forward(self, ids):
            h = self.word(ids)  # <- h = self.word(ids) + torch.sin(torch.arange(84.0).view(7, 12))
            return self.out(self.a(h))

    ids = torch.randint(0, 11, (10, 7))
    tags = (ids + ids.roll(1, 1)) % 3
    return lambda net, ids, tags: F.cross_entropy(net(ids).flatten(0, 1), tags.flatten()), Tagger(), ids, tags


@mistake("carried_state", steps=6)
def lstm_state_goes_on_into_other_sentences():
    class Reads(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm, self.out = nn.LSTM(3, 16, batch_first=True), nn.Linear(16, 2)
            self.state = None

        def forward(self, x):
            h, state = self.lstm(x, self.state)  # <- h, state = self.lstm(x)
            self.state = tuple(s.detach() for s in state)
            return self.out(h[:, -1])

    data = torch.randn(40, 6, 3)
    labels = (data.sum((1, 2)) > 0).long()
    net = Reads()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)

    def step(net, optimizer):
        i = torch.randperm(40)[:8]
        return _train(net, optimizer, F.cross_entropy(net(data[i]), labels[i]))

    return step, net, optimizer


@mistake("same_random_numbers", steps=6)
def generator_made_in_the_step():
    net = _net(5, 4)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)

    def step(net, optimizer, x, y):
        rng = np.random.default_rng(0)  # <- rng = np.random.default_rng()
        noise = torch.from_numpy(rng.normal(0, 0.1, x.shape)).float()  # <-
        return _train(net, optimizer, F.cross_entropy(net(x + noise), y))

    return step, net, optimizer, *_classes()


@mistake("uphill", steps=12)
def divergence_with_the_wrong_sign():
    class Vae(nn.Module):
        def __init__(self):
            super().__init__()
            self.enc, self.mu, self.logvar, self.dec = nn.Linear(6, 16), nn.Linear(16, 3), nn.Linear(16, 3), _net(3, 6)

        def forward(self, x):
            h = torch.relu(self.enc(x))
            mu, logvar = self.mu(h), self.logvar(h)
            return self.dec(mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)), mu, logvar

    net = Vae()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)

    def step(net, optimizer, x):
        made, mu, logvar = net(x)
        kl = 0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp(), dim=1).mean()  # <- 0.5 => -0.5
        rec = F.mse_loss(made, x, reduction="none").sum(1).mean()
        return _train(net, optimizer, rec + kl)  # <-

    return step, net, optimizer, torch.randn(20, 6)


@mistake("wrong_axis")
def rows_standardised_by_a_vector_of_equal_length():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inp, self.out = nn.Linear(5, 16), nn.Linear(16, 3)

        def forward(self, x):
            h = self.inp(x)
            h = (h - h.mean(1)) / h.std(1)  # <- h = (h - h.mean(1, keepdim=True)) / h.std(1, keepdim=True)
            return self.out(torch.relu(h))

    x, y = _classes(16, 5, 3)
    return lambda net, x, y: F.cross_entropy(net(x), y), Net(), x, y


@mistake("padding")
def padding_number_is_a_class():
    def loss(net, x, t):
        return F.cross_entropy(net(x), t, ignore_index=0)  # <- return F.cross_entropy(net(x), t)

    return loss, _net(5, 4), *_classes()


@mistake("uphill", steps=6)
def positive_and_negative_exchanged():
    net = _net(6, 4)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)

    def step(net, optimizer, anchor, positive, negative):
        a, p, n = net(anchor), net(positive), net(negative)
        return _train(net, optimizer, F.triplet_margin_loss(a, n, p))  # <- a, n, p => a, p, n

    a = torch.randn(16, 6)
    return step, net, optimizer, a, a + 0.1 * torch.randn(16, 6), torch.randn(16, 6)


@mistake("shifted_targets")
def decoder_is_given_the_words_it_predicts():
    class Translator(nn.Module):
        def __init__(self):
            super().__init__()
            self.src, self.tgt = nn.Embedding(9, 8), nn.Embedding(9, 8)
            self.enc, self.dec = nn.GRU(8, 16, batch_first=True), nn.GRU(8, 16, batch_first=True)
            self.out = nn.Linear(16, 9)

        def forward(self, src, tgt):
            _, state = self.enc(self.src(src))
            h, _ = self.dec(self.tgt(tgt), state)
            return self.out(h)

    def loss(net, src, tgt):
        scores = net(src, tgt)  # <- scores = net(src, tgt[:, :-1]); tgt = tgt[:, 1:]
        return F.cross_entropy(scores.transpose(1, 2), tgt)  # <-

    src = torch.randint(1, 9, (12, 6))
    return loss, Translator(), src, torch.cat([torch.zeros(12, 1).long(), src.flip(1)], 1)


@mistake("shuffled_labels", steps=5)
def two_loaders_that_shuffle_apart():
    x, y = _classes(32)
    xs = torch.utils.data.DataLoader(x, batch_size=32, shuffle=True)  # <- True => False
    ys = torch.utils.data.DataLoader(y, batch_size=32, shuffle=True)  # <- True => False
    net = _net(5, 4)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)

    def step(net, optimizer):
        for a, b in zip(xs, ys, strict=True):
            loss = _train(net, optimizer, F.cross_entropy(net(a), b))  # <-
        return loss

    return step, net, optimizer


@mistake("mixed_examples")
def last_example_taken_for_the_last_step():
    class Reads(nn.Module):
        def __init__(self):
            super().__init__()
            self.gru, self.out = nn.GRU(4, 16, batch_first=True), nn.Linear(16, 3)

        def forward(self, x):
            h, _ = self.gru(x)
            return self.out(h[-1])  # <- return self.out(h[:, -1])

    x = torch.randn(8, 8, 4)
    return lambda net, x, t: F.cross_entropy(net(x), t), Reads(), x, x[:, -1].argmax(1).clamp(max=2)


@mistake("shuffled_labels")
def contrastive_labels_of_zeros():
    def loss(net, a, b):
        za, zb = F.normalize(net(a), dim=1), F.normalize(net(b), dim=1)
        logits = za @ zb.T / 0.1
        same = torch.zeros(len(a)).long()  # <- same = torch.arange(len(a))
        return F.cross_entropy(logits, same)  # <-

    a = torch.randn(16, 6)
    return loss, _net(6, 8), a, a + 0.1 * torch.randn(16, 6)


@mistake("cut_gradient")
def penalty_of_the_data_of_weights():
    def loss(net, x, y):
        penalty = sum(p.data.abs().sum() for p in net.parameters())  # <- p.data.abs() => p.abs()
        return F.cross_entropy(net(x), y) + 1e-3 * penalty

    return loss, _net(5, 4), *_classes()


@healthy(steps=4)
def state_goes_on_where_each_sequence_does():
    text = torch.randint(0, 11, (6, 61))
    net, out = nn.LSTM(11, 16, batch_first=True), nn.Linear(16, 11)
    optimizer = torch.optim.Adam([*net.parameters(), *out.parameters()], lr=1e-2)
    held = {"at": 0, "state": None}

    def step(net, out, optimizer):
        at = held["at"]
        h, state = net(F.one_hot(text[:, at : at + 10], 11).float(), held["state"])
        held["at"], held["state"] = (at + 10) % 60, tuple(s.detach() for s in state)
        return _train(net, optimizer, F.cross_entropy(out(h).transpose(1, 2), text[:, at + 1 : at + 11]))

    return step, net, out, optimizer


@healthy(steps=4)
def queue_of_keys_with_the_positive_in_column_0():
    query, key, pictures = _net(6, 8), _net(6, 8).requires_grad_(False), torch.randn(40, 6)
    optimizer = torch.optim.Adam(query.parameters(), lr=1e-2)
    held = {"queue": F.normalize(torch.randn(24, 8), dim=1)}

    def step(query, key, optimizer):
        x = pictures[torch.randperm(40)[:8]]
        q = F.normalize(query(x + 0.1 * torch.randn_like(x)), dim=1)
        k = F.normalize(key(x + 0.1 * torch.randn_like(x)), dim=1)
        scores = torch.cat([(q * k).sum(1, keepdim=True), q @ held["queue"].T], 1) / 0.2
        loss = _train(query, optimizer, F.cross_entropy(scores, torch.zeros(8, dtype=torch.long)))
        held["queue"] = torch.cat([held["queue"][8:], k.detach()])
        return loss

    return step, query, key, optimizer


@healthy(learns=False)
def domain_classifier_behind_a_reversed_gradient():
    class Reverse(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, g):
            return -g

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.features, self.label, self.domain = _net(5, 8), nn.Linear(8, 4), nn.Linear(8, 2)

        def forward(self, x):
            h = self.features(x)
            return self.label(h), self.domain(Reverse.apply(h))

    def loss_fn(net, x, y, where):
        label, domain = net(x)
        return F.cross_entropy(label, y) + F.cross_entropy(domain, where)

    return loss_fn, Net(), *_classes(), torch.arange(24) % 2


@healthy
def words_with_padding_that_is_left_out():
    net = nn.Sequential(nn.Embedding(9, 12), nn.Linear(12, 9))
    lengths = torch.tensor([8, 5, 7, 3, 6, 4])
    words = torch.randint(1, 9, (6, 9)) * (torch.arange(9) <= lengths[:, None])

    def loss_fn(net, words):
        return F.cross_entropy(net(words[:, :-1]).flatten(0, 1), words[:, 1:].flatten(), ignore_index=0)

    return loss_fn, net, words


@healthy
def variance_predicted_by_its_logarithm():
    def loss_fn(net, x, y):
        mean, log = net(x).chunk(2, dim=1)
        return (0.5 * log + 0.5 * (y - mean) ** 2 * torch.exp(-log)).mean()

    x = torch.randn(24, 5)
    return loss_fn, _net(5, 2), x, x[:, :1]
