"""Programs in PyTorch with numbers of the wrong size, and such that cannot learn at all."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from diagnosis.case import mistake


def _blobs(n=32, features=4, classes=3):
    t = torch.randint(0, classes, (n,))
    return torch.randn(n, features) * 0.5 + 2 * torch.randn(classes, features)[t], t


@mistake("vanishing")
def twenty_sigmoids():
    layers = [nn.Linear(4, 16), nn.Sigmoid()]  # <- layers = [nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU()]
    for _ in range(19):  # <- for _ in range(3):
        layers += [nn.Linear(16, 16), nn.Sigmoid()]  # <- layers += [nn.Linear(16, 16), nn.BatchNorm1d(16), nn.ReLU()]
    model = nn.Sequential(*layers, nn.Linear(16, 3))

    def loss_fn(model, x, y):
        return F.cross_entropy(model(x), y)  # <-

    return loss_fn, model, *_blobs()


@mistake("vanishing", "saturated")
def plain_recurrence_over_two_hundred_steps():
    class Memory(nn.Module):
        def __init__(self):
            super().__init__()
            self.cell, self.out = nn.RNNCell(2, 16), nn.Linear(16, 2)
            nn.init.normal_(self.cell.weight_hh, std=0.05)  # <- nn.init.orthogonal_(self.cell.weight_hh)

        def forward(self, x):
            h = torch.zeros(x.shape[0], 16)
            for t in range(x.shape[1]):  # <- for t in range(5):
                h = self.cell(x[:, t], h)  # <-
            return self.out(h)  # <-

    def loss_fn(model, x, y):
        return F.cross_entropy(model(x), y)

    x = torch.randn(8, 200, 2)
    return loss_fn, Memory(), x, (x[:, 0, 0] > 0).long()


@mistake("exploding", "large_initialisation", "not_finite")
def thirty_layers_of_standard_normal_weights():
    class Deep(nn.Module):
        def __init__(self, depth=30):
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(16, 16) for _ in range(depth))
            self.out = nn.Linear(16, 1)
            for layer in self.layers:
                nn.init.normal_(layer.weight)  # <- nn.init.orthogonal_(layer.weight)

        def forward(self, x):
            for layer in self.layers:
                x = F.leaky_relu(layer(x), 0.5)  # <- x = F.leaky_relu(layer(x), 0.9)
            return self.out(x)  # <-

    def loss_fn(model, x, y):
        return F.mse_loss(model(x), y)  # <-

    x = torch.randn(16, 16)
    return loss_fn, Deep(), x, x[:, :1]


@mistake("exploding", "not_finite")
def product_of_many_factors():
    class Chain(nn.Module):
        def __init__(self, n=40):
            super().__init__()
            self.gains = nn.Parameter(torch.full((n,), 3.0))  # <- self.gains = nn.Parameter(torch.full((n,), 1.05))

        def forward(self, x):
            for g in self.gains:
                x = x * g  # <-
            return x

    def loss_fn(chain, x, y):
        return F.l1_loss(chain(x), y)  # <-

    x = torch.randn(16, 1)
    return loss_fn, Chain(), x, 2 * x


@mistake("large_initialisation", "saturated", outside=True)
def weights_of_standard_deviation_ten():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1, self.fc2 = nn.Linear(64, 64), nn.Linear(64, 3)
            for layer in (self.fc1, self.fc2):
                nn.init.normal_(layer.weight, std=10.0)  # <- nn.init.xavier_normal_(layer.weight)

        def forward(self, x):
            h = self.fc1(x)  # <-
            h = torch.tanh(h)  # <-
            return self.fc2(h)  # <-

    def loss_fn(net, x, y):
        return F.cross_entropy(net(x), y)

    return loss_fn, Net(), *_blobs(32, 64)


@mistake("unnormalised_inputs", outside=True)
def years_and_salaries_as_they_are():
    model = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))

    def loss_fn(model, table, y):
        return F.binary_cross_entropy_with_logits(model(table), y)  # <- table => (table - table.mean(0)) / table.std(0)

    age, salary, year = torch.rand(40) * 50 + 18, torch.rand(40) * 90000 + 10000, torch.randint(1980, 2024, (40,))
    table = torch.stack([age, salary, year.float()], dim=1)  # <-
    return loss_fn, model, table, (salary > 50000).float().unsqueeze(1)


@mistake("unnormalised_inputs", outside=True)
def pixels_from_0_to_255():
    model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 4))

    def loss_fn(model, images, labels):
        return F.cross_entropy(model(images), labels)  # <- return F.cross_entropy(model(images / 127.5 - 1), labels)

    images = torch.randint(0, 256, (16, 3, 8, 8)).float()  # <-
    return loss_fn, model, images, torch.randint(0, 4, (16,))


@mistake("underflow")
def half_precision_without_loss_scaling():
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1)).half()  # <- .half() =>

    def loss_fn(model, x, y):
        error = model(x) - y  # <- error = model(x.float()) - y.float()
        return (error**2).mean() * 1e-5  # <- return (error**2).mean()

    x = torch.randn(64, 16).half()
    return loss_fn, model, x, x[:, :1]


@mistake("constant_output", "ignores_inputs", "softmax_over_batch", "wrong_axis")
def softmax_over_a_single_output():
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))

    def loss_fn(model, x, y):
        prob = F.softmax(model(x), dim=1)  # <- prob = torch.sigmoid(model(x))
        return F.mse_loss(prob, y)

    x = torch.randn(32, 4)
    return loss_fn, model, x, (x[:, :1] > 0).float()


@mistake("constant_output", "ignores_inputs")
def cross_entropy_with_one_class():
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))  # <- 6, 1 => 6, 2

    def loss_fn(model, x, y):
        return F.cross_entropy(model(x), y)  # <- return F.cross_entropy(model(x), torch.arange(len(y)) % 2)

    return loss_fn, model, torch.randn(32, 4), torch.zeros(32, dtype=torch.long)


@mistake("ignores_inputs", "constant_output")
def decoder_fed_with_zeros():
    class Autoencoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.enc, self.dec = nn.Linear(10, 4), nn.Linear(4, 10)

        def forward(self, x):
            code = torch.tanh(self.enc(x))
            code = torch.zeros_like(code)  # <- pass
            return self.dec(code)  # <-

    def loss_fn(model, x):
        return F.mse_loss(model(x), x)

    return loss_fn, Autoencoder(), torch.randn(20, 10)
