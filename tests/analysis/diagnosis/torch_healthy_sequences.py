"""Healthy networks in PyTorch for sequences; and some of unusual build."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

from diagnosis.case import healthy


def _blobs(n=32, features=4, classes=3):
    t = torch.randint(0, classes, (n,))
    return torch.randn(n, features) * 0.5 + 2 * torch.randn(classes, features)[t], t


def _classify(model, x, y):
    return F.cross_entropy(model(x), y)


def _regress(model, x, y):
    return F.mse_loss(model(x), y)


@healthy
def lstm_classifier():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(3, 16, num_layers=2, batch_first=True)
            self.fc = nn.Linear(16, 2)

        def forward(self, x):
            out, _ = self.lstm(x)
            return self.fc(out[:, -1])

    x = torch.randn(12, 10, 3)
    return _classify, Model(), x, (x[:, -1, 0] > 0).long()


@healthy
def gru_with_time_first():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.gru, self.fc = nn.GRU(3, 16), nn.Linear(16, 1)

        def forward(self, x):
            out, _ = self.gru(x.transpose(0, 1))
            return self.fc(out[-1])

    x = torch.randn(12, 7, 3)
    return _regress, Model(), x, x[:, :, 0].sum(1, keepdim=True)


@healthy
def lstm_cells_by_hand():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell, self.fc = nn.LSTMCell(2, 12), nn.Linear(12, 1)

        def forward(self, x):
            h, c = torch.zeros(len(x), 12), torch.zeros(len(x), 12)
            for t in range(x.shape[1]):
                h, c = self.cell(x[:, t], (h, c))
            return self.fc(h).squeeze(-1)

    x = torch.randn(10, 8, 2)
    return _regress, Model(), x, x[:, :, 1].mean(1)


class _Attention(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads, self.qkv, self.proj = heads, nn.Linear(size, 3 * size), nn.Linear(size, size)

    def forward(self, x):
        batch, time, size = x.shape
        q, k, v = [z.view(batch, time, self.heads, -1).transpose(1, 2) for z in self.qkv(x).chunk(3, dim=-1)]
        scores = q @ k.transpose(-2, -1) / math.sqrt(size // self.heads)
        future = torch.triu(torch.ones(time, time, dtype=torch.bool), diagonal=1)
        weights = scores.masked_fill(future, float("-inf")).softmax(dim=-1)
        return self.proj((weights @ v).transpose(1, 2).reshape(batch, time, size))


class _TransformerBlock(nn.Module):
    def __init__(self, size, heads=2):
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(size), _Attention(size, heads)
        self.norm2, self.mlp = (
            nn.LayerNorm(size),
            nn.Sequential(nn.Linear(size, 4 * size), nn.GELU(), nn.Linear(4 * size, size)),
        )

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class _GPT(nn.Module):
    def __init__(self, words=12, size=16, length=8, depth=2, tied=False):
        super().__init__()
        self.embed, self.place = nn.Embedding(words, size), nn.Embedding(length, size)
        self.blocks = nn.Sequential(*[_TransformerBlock(size) for _ in range(depth)])
        self.norm, self.head = nn.LayerNorm(size), nn.Linear(size, words, bias=False)
        if tied:
            self.head.weight = self.embed.weight

    def forward(self, tokens):
        h = self.embed(tokens) + self.place(torch.arange(tokens.shape[1]))
        return self.head(self.norm(self.blocks(h)))


def _next_token(model, tokens):
    logits = model(tokens[:, :-1])
    return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), tokens[:, 1:].reshape(-1))


def _counting(rows=6, length=9, words=12):
    return (torch.arange(length) + torch.arange(rows).unsqueeze(1)) % words


@healthy(causal=True)
def causal_transformer():
    return _next_token, _GPT(), _counting()


@healthy(causal=True)
def language_model_with_tied_weights():
    return _next_token, _GPT(tied=True), _counting()


@healthy
def pytorchs_own_transformer_encoder():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True)
            self.embed, self.encoder, self.fc = nn.Embedding(20, 16), nn.TransformerEncoder(layer, 2), nn.Linear(16, 2)

        def forward(self, tokens):
            return self.fc(self.encoder(self.embed(tokens)).mean(dim=1))

    tokens = torch.randint(0, 20, (12, 7))
    return _classify, Model(), tokens, (tokens[:, 0] > 9).long()


@healthy(causal=True)
def scaled_dot_product_attention():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.qkv, self.head = nn.Embedding(12, 16), nn.Linear(16, 48), nn.Linear(16, 12)
            self.place = nn.Parameter(0.02 * torch.randn(8, 16))

        def forward(self, tokens):
            x = self.embed(tokens) + self.place
            q, k, v = self.qkv(x).chunk(3, -1)
            return self.head(x + F.scaled_dot_product_attention(q, k, v, is_causal=True))

    return _next_token, Model(), _counting()


@healthy
def embedding_with_padding():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.fc = nn.Embedding(20, 8, padding_idx=0), nn.Linear(8, 2)

        def forward(self, tokens):
            mask = (tokens != 0).unsqueeze(-1)
            h = (self.embed(tokens) * mask).sum(1) / mask.sum(1).clamp(min=1)
            return self.fc(h)

    tokens = torch.randint(1, 20, (16, 6))
    tokens[:8, 4:] = 0
    return _classify, Model(), tokens, (tokens[:, 0] > 9).long()


@healthy
def dropout_while_training():
    model = nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Dropout(0.5), nn.Linear(64, 3))
    return _classify, model, *_blobs()


@healthy
def unet():
    class UNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.down, self.mid = nn.Conv2d(1, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1)
            self.up, self.out = nn.ConvTranspose2d(8, 8, 2, stride=2), nn.Conv2d(16, 1, 1)

        def forward(self, x):
            a = F.relu(self.down(x))
            b = F.relu(self.mid(F.max_pool2d(a, 2)))
            return self.out(torch.cat([a, F.relu(self.up(b))], dim=1))

    def loss_fn(model, image, mask):
        return F.binary_cross_entropy_with_logits(model(image), mask)

    image = torch.randn(4, 1, 8, 8)
    return loss_fn, UNet(), image, (image > 0).float()


@healthy
def siren():
    class Sine(nn.Module):
        def __init__(self, a, b, first):
            super().__init__()
            self.fc = nn.Linear(a, b)
            bound = 1 / a if first else math.sqrt(6 / a) / 30
            nn.init.uniform_(self.fc.weight, -bound, bound)

        def forward(self, x):
            return torch.sin(30 * self.fc(x))

    x = torch.linspace(-1, 1, 64).unsqueeze(1)
    return _regress, nn.Sequential(Sine(1, 32, True), Sine(32, 32, False), nn.Linear(32, 1)), x, torch.sin(8 * x)


@healthy
def depthwise_separable_convolutions():
    model = nn.Sequential(
        nn.Conv2d(3, 8, 1),
        nn.ReLU6(),
        nn.Conv2d(8, 8, 3, padding=1, groups=8),
        nn.BatchNorm2d(8),
        nn.ReLU6(),
        nn.Conv2d(8, 8, 1),
        nn.BatchNorm2d(8),
        nn.Flatten(),
        nn.Linear(8 * 36, 3),
    )
    return _classify, model, torch.randn(8, 3, 6, 6), torch.randint(0, 3, (8,))


@healthy
def graph_convolution():
    class GCN(nn.Module):
        def __init__(self):
            super().__init__()
            self.w1, self.w2 = nn.Linear(5, 16), nn.Linear(16, 3)

        def forward(self, x, a):
            return self.w2(a @ F.relu(self.w1(a @ x)))

    def loss_fn(model, x, a, y, known):
        return F.cross_entropy(model(x, a)[known], y[known])

    a = ((torch.rand(20, 20) < 0.2).float() + torch.eye(20)).clamp(max=1)
    a = (a + a.T).clamp(max=1)
    a = a / a.sum(1, keepdim=True)
    y = torch.randint(0, 3, (20,))
    return loss_fn, GCN(), torch.randn(20, 5), a, y, torch.arange(20) < 12


@healthy
def squeeze_and_excitation():
    class SE(nn.Module):
        def __init__(self, c):
            super().__init__()
            self.conv, self.fc1, self.fc2 = nn.Conv2d(3, c, 3), nn.Linear(c, c // 2), nn.Linear(c // 2, c)
            self.head = nn.Linear(c, 3)

        def forward(self, x):
            h = F.relu(self.conv(x))
            gate = torch.sigmoid(self.fc2(F.relu(self.fc1(h.mean((2, 3))))))
            return self.head((h * gate[:, :, None, None]).mean((2, 3)))

    return _classify, SE(8), torch.randn(8, 3, 6, 6), torch.randint(0, 3, (8,))
