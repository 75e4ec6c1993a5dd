"""Programs in PyTorch that take numbers for what they are not, whose data arrives in batches; and healthy ones."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from diagnosis.case import healthy, mistake


def _sides(n=24, features=6):
    x = torch.randn(n, features)
    return x, (x[:, :1] > 0).float()


@mistake("exchanged_arguments")
def binary_cross_entropy_of_the_targets():
    def loss_fn(net, x, t):
        return F.binary_cross_entropy_with_logits(t, net(x))  # <- t, net(x) => net(x), t

    return loss_fn, nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1)), *_sides()


def _classify(net, x, t):
    return F.cross_entropy(net(x), t)


@mistake("padding")
def word_that_is_taken_for_padding():
    class Words(nn.Module):
        def __init__(self, padding):
            super().__init__()
            self.embed, self.out = nn.Embedding(6, 8, padding_idx=padding), nn.Linear(8, 2)

        def forward(self, ids):
            return self.out(torch.relu(self.embed(ids)).mean(1))  # <-

    ids = torch.randint(1, 6, (24, 8))
    return _classify, Words(1), ids, (ids == 1).sum(1).gt(1).long()  # <- Words(1) => Words(0)


@healthy
def sentences_of_two_parts_that_are_padded():
    net = nn.Sequential(nn.Embedding(6, 8, padding_idx=0), nn.Flatten(), nn.ReLU(), nn.Linear(64, 2))
    ids = torch.randint(1, 6, (24, 8))
    for k, row in enumerate(ids):
        row[1 + k % 3 : 4], row[5 + k % 3 :] = 0, 0
    return _classify, net, ids, ids[:, 0].gt(2).long()


class _Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))

    def forward(self, x):
        return self.net(x)


def _pairs(noise):
    a = torch.randn(24, 6)
    return a, a + noise * torch.randn(24, 6)


@mistake("uphill", steps=3)
def similarity_of_pairs_minimized():
    f = _Encoder()
    optimizer = torch.optim.Adam(f.parameters(), lr=0.01)

    def step(f, optimizer, a, b):
        optimizer.zero_grad()
        loss = F.cosine_similarity(f(a), f(b)).mean()  # <- loss = 1 - F.cosine_similarity(f(a), f(b)).mean()
        loss.backward()
        optimizer.step()
        return loss

    return step, f, optimizer, *_pairs(0.5)


@healthy
def similarity_of_strangers_minimized():
    def loss_fn(f, g, a, b):
        return F.cosine_similarity(f(a), g(b)).mean()

    return loss_fn, _Encoder(), _Encoder(), torch.randn(24, 6), torch.randn(24, 6)


def _epoch(net, optimizer, loader):
    for x, t in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(net(x), t)
        loss.backward()
        optimizer.step()
    return loss


@mistake("mixed_examples", steps=2)
def recurrent_net_along_the_batch_of_a_loader():
    class Series(nn.Module):
        def __init__(self, batch_first):
            super().__init__()
            self.rnn, self.out = nn.GRU(4, 8, batch_first=batch_first), nn.Linear(8, 2)

        def forward(self, x):
            return self.out(self.rnn(x)[0][:, -1])  # <-

    x = torch.randn(24, 7, 4)
    loader = DataLoader(TensorDataset(x, (x[:, :, 0].sum(1) > 0).long()), batch_size=12)
    net = Series(batch_first=False)  # <- batch_first=False => batch_first=True
    return _epoch, net, torch.optim.Adam(net.parameters(), lr=0.05), loader


@mistake("mixed_examples")
def recurrent_net_along_the_batch_of_a_dict():
    class Series(nn.Module):
        def __init__(self, batch_first):
            super().__init__()
            self.rnn, self.out = nn.GRU(4, 8, batch_first=batch_first), nn.Linear(8, 2)

        def forward(self, x):
            return self.out(self.rnn(x)[0][:, -1])  # <-

    def loss_fn(net, batch):
        return F.cross_entropy(net(batch["x"]), batch["t"])

    x = torch.randn(12, 7, 4)
    net = Series(batch_first=False)  # <- batch_first=False => batch_first=True
    return loss_fn, net, {"x": x, "t": (x[:, :, 0].sum(1) > 0).long()}


class _Tagger(nn.Module):
    """Time first: the numbers of the words, their positions, a recurrent net."""

    def __init__(self):
        super().__init__()
        self.embed, self.rnn, self.out = nn.Embedding(9, 8), nn.GRU(8, 8), nn.Linear(8, 9)
        self.register_buffer("positions", 0.1 * torch.randn(7, 1, 8))

    def forward(self, ids):
        return self.out(self.rnn(self.embed(ids) + self.positions)[0])


@healthy
def words_with_time_first_in_a_tuple():
    def loss_fn(net, batch):
        x, t = batch
        return F.cross_entropy(net(x).reshape(-1, 9), t.reshape(-1))

    ids = torch.randint(0, 9, (8, 6))
    return loss_fn, _Tagger(), (ids[:-1], ids[1:])


def _next_word(net, batch):
    inputs, targets = batch
    return F.cross_entropy(net(inputs).transpose(1, 2), targets)


@mistake("causal_leak", causal=True)
def no_mask_over_the_words_of_a_tuple():
    class Reader(nn.Module):
        def __init__(self, masked):
            super().__init__()
            self.embed, self.out, self.masked = nn.Embedding(9, 8), nn.Linear(8, 9), masked
            self.layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
            self.register_buffer("positions", 0.1 * torch.randn(12, 8))

        def forward(self, ids):
            mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1]) if self.masked else None
            return self.out(self.layer(self.embed(ids) + self.positions[: ids.shape[1]], src_mask=mask))  # <-

    ids = torch.randint(0, 9, (12, 8))
    return _next_word, Reader(masked=False), (ids[:, :-1], ids[:, 1:])  # <- masked=False => masked=True


@healthy(causal=True)
def as_many_sequences_as_words_in_each():
    class Reader(nn.Module):
        def __init__(self, masked):
            super().__init__()
            self.embed, self.out, self.masked = nn.Embedding(9, 8), nn.Linear(8, 9), masked
            self.layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
            self.register_buffer("positions", 0.1 * torch.randn(12, 8))

        def forward(self, ids):
            mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1]) if self.masked else None
            return self.out(self.layer(self.embed(ids) + self.positions[: ids.shape[1]], src_mask=mask))

    ids = torch.randint(0, 9, (12, 13))
    return _next_word, Reader(masked=True), (ids[:, :-1], ids[:, 1:])


@mistake("not_finite")
def mean_over_a_mask_that_selects_nothing():
    def loss_fn(net, x, t, mask):
        return F.mse_loss(net(x)[mask], t[mask])  # <-

    x, t = _sides(12)
    return loss_fn, nn.Linear(6, 1), x, t, torch.zeros(12, dtype=torch.bool)
