"""Programs in PyTorch whose shapes fit, and mean something else."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

from diagnosis.case import mistake


def _blobs(n=32, features=4, classes=3):
    t = torch.randint(0, classes, (n,))
    return torch.randn(n, features) * 0.5 + 2 * torch.randn(classes, features)[t], t


@mistake("broadcast_loss")
def column_of_predictions_against_flat_targets():
    model = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
    criterion = nn.MSELoss()

    def loss_fn(model, x, y):
        y_pred = model(x)
        loss = criterion(y_pred, y)  # <- loss = criterion(y_pred.squeeze(1), y)
        return loss

    x = torch.randn(64, 3)
    return loss_fn, model, x, x[:, 0] * 2 + 0.1 * torch.randn(64)


@mistake("broadcast_loss")
def td_error_of_a_column_and_a_row():
    q_net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))

    def td_loss(q_net, state, action, reward):
        q = q_net(state).gather(1, action.unsqueeze(1))
        delta = reward - q  # <- delta = reward - q.squeeze(1)
        return (delta**2).mean()

    state = torch.randn(16, 4)
    return td_loss, q_net, state, torch.randint(0, 2, (16,)), state[:, 0]


@mistake("wrong_axis", "mixed_examples")
def pooled_over_the_batch():
    class TextClassifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(20, 8)
            self.fc = nn.Linear(8, 2)

        def forward(self, tokens):
            h = self.embed(tokens)
            pooled = h.mean(dim=0)  # <- pooled = h.mean(dim=1)
            return self.fc(pooled)

    def loss_fn(model, tokens, labels):
        return F.cross_entropy(model(tokens), labels)

    tokens = torch.randint(0, 20, (12, 12))
    return loss_fn, TextClassifier(), tokens, (tokens[:, 0] > 9).long()


@mistake("wrong_axis", "mixed_examples")
def embeddings_normalised_over_the_batch():
    encoder = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 8))

    def info_nce(encoder, a, b):
        za = F.normalize(encoder(a), dim=0)  # <- za = F.normalize(encoder(a), dim=1)
        zb = F.normalize(encoder(b), dim=0)  # <- zb = F.normalize(encoder(b), dim=1)
        logits = za @ zb.T / 0.1
        return F.cross_entropy(logits, torch.arange(len(a)))

    a = torch.randn(16, 6)
    return info_nce, encoder, a, a + 0.1 * torch.randn(16, 6)


@mistake("softmax_over_batch")
def softmax_over_dimension_zero():
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))

    def loss_fn(model, x, y):
        log_probs = F.log_softmax(model(x), dim=0)  # <- log_probs = F.log_softmax(model(x), dim=1)
        return F.nll_loss(log_probs, y)

    return loss_fn, model, *_blobs()


@mistake("softmax_over_batch")
def softmax_layer_over_the_batch():
    policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2), nn.Softmax(dim=0))  # <- 0 => 1

    def policy_loss(policy, states, actions, returns):
        probs = policy(states)  # <-
        chosen = probs.gather(1, actions.unsqueeze(1)).squeeze(1)
        return -(torch.log(chosen) * returns).mean()

    states = torch.randn(20, 4)
    return policy_loss, policy, states, (states[:, 0] > 0).long(), torch.rand(20) + 0.5


@mistake("one_hot_target", fails="Expected floating point type")
def integer_one_hot_rows_for_cross_entropy():
    model = nn.Linear(4, 3)

    def loss_fn(model, x, y):
        target = F.one_hot(y, 3)  # <- target = y
        return F.cross_entropy(model(x), target)  # <-

    return loss_fn, model, *_blobs()


@mistake("one_hot_target", "broadcast_loss", "output_range")
def class_numbers_where_one_hot_rows_belong():
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3), nn.Softmax(dim=1))

    def loss_fn(model, x, y):
        probs = model(x)
        return ((probs - y.unsqueeze(1)) ** 2).mean()  # <- return ((probs - F.one_hot(y, 3)) ** 2).mean()

    return loss_fn, model, *_blobs()


@mistake("mixed_examples")
def view_where_a_transpose_belongs():
    class SeriesNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.rnn = nn.GRU(3, 12)
            self.fc = nn.Linear(12, 1)

        def forward(self, x):
            batch, time, features = x.shape
            x = x.view(time, batch, features)  # <- x = x.transpose(0, 1)
            out, _ = self.rnn(x)
            return self.fc(out[-1]).squeeze(1)

    def loss_fn(model, x, y):
        return F.mse_loss(model(x), y)

    x = torch.randn(8, 5, 3)
    return loss_fn, SeriesNet(), x, x[:, :, 0].sum(1)


@mistake("mixed_examples", "wrong_axis")
def batch_first_is_forgotten():
    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(10, 8)
            self.lstm = nn.LSTM(8, 16)  # <- self.lstm = nn.LSTM(8, 16, batch_first=True)
            self.fc = nn.Linear(16, 4)

        def forward(self, tokens):
            h, _ = self.lstm(self.embed(tokens))  # <-
            return self.fc(h)

    def loss_fn(model, tokens, tags):
        return F.cross_entropy(model(tokens).reshape(-1, 4), tags.reshape(-1))

    tokens = torch.randint(0, 10, (6, 7))
    return loss_fn, Tagger(), tokens, tokens % 4


class _Attention(nn.Module):
    def __init__(self, size, mask):
        super().__init__()
        self.qkv, self.proj, self.mask = nn.Linear(size, 3 * size), nn.Linear(size, size), mask

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        scores = q @ k.transpose(1, 2) / math.sqrt(q.shape[-1])
        scores = self.mask(scores)
        return self.proj(scores.softmax(-1) @ v)


class _LanguageModel(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.embed, self.place = nn.Embedding(12, 16), nn.Parameter(0.1 * torch.randn(8, 16))
        self.attention, self.norm, self.head = attention, nn.LayerNorm(16), nn.Linear(16, 12)

    def forward(self, tokens):
        h = self.embed(tokens) + self.place[: tokens.shape[1]]
        return self.head(self.norm(h + self.attention(h)))


def _next_token(model, tokens):
    scores = model(tokens[:, :-1])
    return F.cross_entropy(scores.transpose(1, 2), tokens[:, 1:])


@mistake("causal_leak", causal=True)
def attention_without_a_causal_mask():
    class SelfAttention(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.q, self.k, self.v = nn.Linear(size, size), nn.Linear(size, size), nn.Linear(size, size)

        def forward(self, x):
            scores = self.q(x) @ self.k(x).transpose(-2, -1) / x.shape[-1] ** 0.5
            keep = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool)  # <- ) => ).tril()
            scores = scores.masked_fill(~keep, float("-inf"))  # <-
            weights = F.softmax(scores, dim=-1)  # <-
            return weights @ self.v(x)  # <-

    tokens = (torch.arange(9) + torch.arange(6).unsqueeze(1)) % 12
    return _next_token, _LanguageModel(SelfAttention(16)), tokens


@mistake("causal_leak", causal=True)
def causal_mask_is_off_by_one():
    def mask(scores):
        n = scores.shape[-1]
        future = torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=2)  # <- 2 => 1
        return scores.masked_fill(future, -1e9)  # <-

    tokens = (torch.arange(9) + torch.arange(6).unsqueeze(1)) % 12
    return _next_token, _LanguageModel(_Attention(16, mask)), tokens


@mistake("causal_leak", causal=True)
def causal_convolution_padded_on_both_sides():
    class Wave(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.conv, self.head = nn.Embedding(12, 16), nn.Conv1d(16, 16, 3), nn.Linear(16, 12)

        def forward(self, tokens):
            h = self.embed(tokens).transpose(1, 2)
            h = F.pad(h, (1, 1))  # <- h = F.pad(h, (2, 0))
            h = F.relu(self.conv(h))  # <-
            return self.head(h.transpose(1, 2))

    tokens = (torch.arange(9) + torch.arange(6).unsqueeze(1)) % 12
    return _next_token, Wave(), tokens
