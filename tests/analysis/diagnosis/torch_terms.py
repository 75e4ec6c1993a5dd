"""Programs in PyTorch whose losses are made of the wrong terms, and steps that are all the same; and healthy ones."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from diagnosis.case import healthy, mistake


class _Words(nn.Module):
    def __init__(self, is_masked):
        super().__init__()
        self.embed, self.out, self.is_masked = nn.Embedding(11, 8), nn.Linear(8, 11), is_masked
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        self.positions = nn.Parameter(0.1 * torch.randn(14, 8))

    def read(self, words):
        mask = nn.Transformer.generate_square_subsequent_mask(words.shape[1]) if self.is_masked else None
        return self.out(self.layer(words, src_mask=mask))

    def forward(self, ids):
        return self.read(self.embed(ids) + self.positions[: ids.shape[1]])


@mistake("shifted_targets")
def labels_shifted_twice():
    def loss_fn(net, ids, labels):
        return F.cross_entropy(net(ids)[:, :-1].transpose(1, 2), labels[:, 1:])  # <-

    ids = torch.randint(0, 11, (8, 14))
    return loss_fn, _Words(is_masked=True), ids[:, :-1], ids[:, 1:]  # <- ids[:, :-1], ids[:, 1:] => ids, ids


@mistake("no_positions")
def tags_of_words_without_positions():
    def loss_fn(net, ids, tags):
        scores = net.read(net.embed(ids))  # <- scores = net(ids)
        return F.cross_entropy(scores.transpose(1, 2), tags)

    ids = torch.randint(0, 11, (16, 9))
    net = _Words(is_masked=False)
    net.positions.requires_grad_(False)  # <- pass
    return loss_fn, net, ids, ids.roll(1, 1)


@mistake("undetached_target")
def target_of_the_next_state_with_its_gradient():
    q = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))

    def loss_fn(q, s, a, r, s2):
        now = q(s).gather(1, a[:, None]).squeeze(1)
        best = q(s2).max(1).values  # <- best = q(s2).max(1).values.detach()
        return F.mse_loss(now, r + 0.9 * best)  # <-

    return loss_fn, q, torch.randn(32, 4), torch.randint(0, 3, (32,)), torch.randn(32), torch.randn(32, 4)


@mistake("mixed_reductions")
def mean_of_errors_beside_a_sum_of_divergences():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.encode, self.decode = nn.Linear(20, 8), nn.Linear(4, 20)

        def forward(self, x):
            mean, log_var = self.encode(x).chunk(2, 1)
            return self.decode(mean + torch.exp(0.5 * log_var) * torch.randn_like(mean)), mean, log_var

    def loss_fn(net, x):
        y, mean, log_var = net(x)
        kl = -0.5 * torch.sum(1 + log_var - mean**2 - log_var.exp())  # <- torch.sum( => torch.mean(
        return F.mse_loss(y, x) + kl  # <-

    return loss_fn, Net(), torch.randn(32, 20)


@mistake("masked_mean")
def mean_over_what_the_mask_leaves_out():
    lengths = torch.tensor([9, 4, 6, 2, 7, 5, 3, 8])
    mask = (torch.arange(9)[None] < lengths[:, None]).float()
    x = torch.randn(8, 9, 5) * mask[..., None]

    def loss_fn(net, x, t, weight):
        error = (net(x).squeeze(-1) - t) ** 2 * weight  # <-
        return error.mean()  # <- return error.sum() / weight.sum()

    return loss_fn, nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 1)), x, x.sum(-1), mask


@mistake("copied_weights")
def weights_tied_by_a_copy():
    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.rnn = nn.Embedding(11, 8), nn.GRU(8, 8, batch_first=True)
            self.out = nn.Linear(8, 11)  # <-
            self.out.weight.data = self.embed.weight.data.clone()  # <- self.out.weight = self.embed.weight

        def forward(self, ids):
            return self.out(self.rnn(self.embed(ids))[0]).transpose(1, 2)

    ids = torch.randint(0, 11, (8, 14))
    return (lambda net, x, t: F.cross_entropy(net(x), t)), Tied(), ids[:, :-1], ids[:, 1:]


def _trainable():
    net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Dropout(0.2), nn.Linear(16, 2))
    x = torch.randn(64, 6)
    return net, torch.optim.Adam(net.parameters(), 0.02), x, (x[:, 0] > 0).long()


@mistake("same_batch", steps=5)
def first_batch_of_the_loader_in_every_step():
    net, optimizer, x, t = _trainable()
    loader = DataLoader(TensorDataset(x, t), batch_size=16, shuffle=False)  # <- shuffle=False => shuffle=True

    def step(net, optimizer, loader):
        x, t = next(iter(loader))
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), t)  # <-
        loss.backward()
        optimizer.step()
        return loss

    return step, net, optimizer, loader


@mistake("same_random_numbers", steps=5)
def seed_in_every_step():
    def step(net, optimizer, x, t):
        torch.manual_seed(0)  # <- pass
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), t)
        loss.backward()
        optimizer.step()
        return loss

    return step, *_trainable()


@healthy(steps=5)
def next_rows_of_the_data_in_each_step():
    net, optimizer, x, t = _trainable()
    place = [0]

    def step(net, optimizer, x, t):
        rows = slice(place[0] % 64, place[0] % 64 + 16)
        place[0] += 16
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x[rows]), t[rows])
        loss.backward()
        optimizer.step()
        return loss

    return step, net, optimizer, x, t
