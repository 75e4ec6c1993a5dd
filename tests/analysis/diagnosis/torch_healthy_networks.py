"""Healthy networks in PyTorch."""

from __future__ import annotations

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
def mlp():
    return (
        _classify,
        nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 3)),
        *_blobs(),
    )


@healthy
def mlp_with_gelu_and_layer_norm():
    model = nn.Sequential(nn.Linear(4, 32), nn.LayerNorm(32), nn.GELU(), nn.Linear(32, 32), nn.GELU(), nn.Linear(32, 3))
    return _classify, model, *_blobs()


@healthy
def linear_regression_with_one_output():
    x = torch.randn(40, 5)
    return _regress, nn.Linear(5, 1), x, x @ torch.randn(5, 1) + 0.1 * torch.randn(40, 1)


@healthy
def logistic_regression():
    model = nn.Linear(4, 1)

    def loss_fn(model, x, y):
        return F.binary_cross_entropy_with_logits(model(x).squeeze(1), y)

    x = torch.randn(40, 4)
    return loss_fn, model, x, (x[:, 0] > 0).float()


@healthy
def sigmoid_and_binary_cross_entropy():
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())
    x = torch.randn(40, 4)
    return lambda model, x, y: F.binary_cross_entropy(model(x), y), model, x, (x[:, :1] > 0).float()


@healthy
def softmax_and_its_own_log():
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3), nn.Softmax(dim=-1))

    def loss_fn(model, x, y):
        return F.nll_loss(torch.log(model(x) + 1e-9), y)

    return loss_fn, model, *_blobs()


@healthy
def lenet():
    class LeNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1, self.conv2 = nn.Conv2d(1, 6, 5, padding=2), nn.Conv2d(6, 16, 5)
            self.fc1, self.fc2 = nn.Linear(16 * 2 * 2, 32), nn.Linear(32, 10)

        def forward(self, x):
            x = F.max_pool2d(F.relu(self.conv1(x)), 2)
            x = F.max_pool2d(F.relu(self.conv2(x)), 2)
            return self.fc2(F.relu(self.fc1(x.flatten(1))))

    return _classify, LeNet(), torch.randn(12, 1, 16, 16), torch.randint(0, 10, (12,))


class _Block(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        return F.relu(x + self.bn2(self.conv2(out)))


@healthy
def resnet():
    model = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), _Block(8), _Block(8), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4)
    )
    return _classify, model, torch.randn(8, 3, 8, 8), torch.randint(0, 4, (8,))


@healthy
def resnet_whose_last_gamma_is_zero():
    blocks = [_Block(8), _Block(8)]
    for block in blocks:
        nn.init.zeros_(block.bn2.weight)
    model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), *blocks, nn.Flatten(), nn.Linear(8 * 36, 4))
    return _classify, model, torch.randn(8, 3, 6, 6), torch.randint(0, 4, (8,))


@healthy
def bias_before_batch_norm():
    model = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3))
    return _classify, model, *_blobs()


@healthy
def rezero():
    class ReZero(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(16, 16) for _ in range(4))
            self.alphas = nn.ParameterList(nn.Parameter(torch.zeros(1)) for _ in range(4))
            self.inp, self.out = nn.Linear(4, 16), nn.Linear(16, 3)

        def forward(self, x):
            x = self.inp(x)
            for alpha, layer in zip(self.alphas, self.layers, strict=True):
                x = x + alpha * F.relu(layer(x))
            return self.out(x)

    return _classify, ReZero(), *_blobs()


@healthy
def last_layer_starts_at_zero():
    model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 3))
    nn.init.zeros_(model[2].weight)
    nn.init.zeros_(model[2].bias)
    return _classify, model, *_blobs()


@healthy
def adaptive_layer_norm_starting_at_zero():
    class AdaBlock(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.norm = nn.LayerNorm(size, elementwise_affine=False)
            self.modulation = nn.Linear(6, 3 * size)
            self.mlp = nn.Sequential(nn.Linear(size, 2 * size), nn.GELU(), nn.Linear(2 * size, size))
            self.head = nn.Linear(size, size)
            nn.init.zeros_(self.modulation.weight)
            nn.init.zeros_(self.modulation.bias)

        def forward(self, x, c):
            shift, scale, gate = self.modulation(c).chunk(3, dim=-1)
            h = self.norm(x) * (1 + scale) + shift
            return self.head(x + gate * self.mlp(h))

    def loss_fn(model, x, c, noise):
        return F.mse_loss(model(x, c), noise)

    x = torch.randn(16, 8)
    return loss_fn, AdaBlock(8), x, torch.randn(16, 6), 0.5 * x
