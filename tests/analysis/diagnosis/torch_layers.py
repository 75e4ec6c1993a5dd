"""Programs in PyTorch with a nonlinearity too many or too few, or with units that do not answer."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from diagnosis.case import mistake


def _blobs(n=32, features=4, classes=3):
    t = torch.randint(0, classes, (n,))
    return torch.randn(n, features) * 0.5 + 2 * torch.randn(classes, features)[t], t


def _sides(n=32, features=4):
    x = torch.randn(n, features)
    return x, (x[:, :1] > 0).float()


@mistake("double_softmax")
def softmax_before_cross_entropy():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1 = nn.Linear(4, 32)
            self.fc2 = nn.Linear(32, 3)

        def forward(self, x):
            x = F.relu(self.fc1(x))
            return F.softmax(self.fc2(x), dim=1)  # <- return self.fc2(x)

    criterion = nn.CrossEntropyLoss()

    def loss_fn(net, inputs, labels):
        return criterion(net(inputs), labels)  # <-

    return loss_fn, Net(), *_blobs()


@mistake("double_sigmoid")
def sigmoid_before_bce_with_logits():
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1), nn.Sigmoid())  # <- , nn.Sigmoid() =>
    criterion = nn.BCEWithLogitsLoss()

    def loss_fn(model, x, y):
        return criterion(model(x), y)  # <-

    return loss_fn, model, *_sides()


@mistake("missing_log")
def probabilities_into_nll_loss():
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3), nn.Softmax(dim=1))  # <- Soft => LogSoft

    def loss_fn(model, x, y):
        return F.nll_loss(model(x), y)  # <-

    return loss_fn, model, *_blobs()


@mistake("missing_log")
def scores_into_nll_loss():
    net = nn.Sequential(nn.Flatten(), nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 3))

    def loss_fn(net, images, labels):
        output = net(images)  # <- output = F.log_softmax(net(images), dim=1)
        return F.nll_loss(output, labels)  # <-

    return loss_fn, net, torch.randn(24, 1, 4, 4), torch.randint(0, 3, (24,))


@mistake("rectified_logits")
def relu_after_the_last_layer():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(1, 4, 3)
            self.fc = nn.Linear(4 * 36, 3)

        def forward(self, x):
            x = F.relu(self.conv(x))
            x = F.relu(self.fc(x.flatten(1)))  # <- x = self.fc(x.flatten(1))
            return x

    def loss_fn(net, images, labels):
        return F.cross_entropy(net(images), labels)  # <-

    return loss_fn, Net(), torch.randn(24, 1, 8, 8), torch.randint(0, 3, (24,))


@mistake("no_nonlinearity")
def two_linear_layers_in_a_row():
    model = nn.Sequential(nn.Linear(2, 16), nn.Linear(16, 16), nn.Linear(16, 2))  # <- nn.Linear(16, 16) => nn.Tanh()

    def loss_fn(model, x, y):
        return F.cross_entropy(model(x), y)  # <-

    x = torch.tensor([[0.0, 0], [0, 1], [1, 0], [1, 1]]).repeat(8, 1)
    return loss_fn, model, x, (x[:, 0] != x[:, 1]).long()


@mistake("output_range")
def sigmoid_output_for_house_prices():
    class Regressor(nn.Module):
        def __init__(self):
            super().__init__()
            self.hidden, self.out = nn.Linear(4, 16), nn.Linear(16, 1)

        def forward(self, x):
            x = torch.relu(self.hidden(x))
            return torch.sigmoid(self.out(x))  # <- return self.out(x)

    def loss_fn(model, x, price):
        return F.mse_loss(model(x), price)  # <-

    x = torch.randn(32, 4)
    return loss_fn, Regressor(), x, 3 + 2 * x[:, :1]


@mistake("output_range")
def tanh_generator_for_pixels_to_255():
    decoder = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 9), nn.Tanh())

    def loss_fn(decoder, z, images):
        out = decoder(z)  # <-
        return F.l1_loss(out, images)  # <- return F.l1_loss(out, images / 127.5 - 1)

    return loss_fn, decoder, torch.randn(16, 4), torch.randint(0, 256, (16, 9)).float()


@mistake("output_range", "rectified_logits", "dead_units")
def relu_output_for_negative_returns():
    model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1), nn.ReLU())  # <- , nn.ReLU() =>

    def loss_fn(model, x, log_return):
        return F.smooth_l1_loss(model(x), log_return)  # <-

    x = torch.randn(32, 4)
    return loss_fn, model, x, x[:, :1] - 1


@mistake("dead_units")
def relus_with_a_large_negative_bias():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1, self.fc2 = nn.Linear(4, 32), nn.Linear(32, 3)
            nn.init.constant_(self.fc1.bias, -20.0)  # <- nn.init.constant_(self.fc1.bias, 0.0)

        def forward(self, x):
            h = self.fc1(x)  # <-
            h = F.relu(h)  # <-
            return self.fc2(h)

    def loss_fn(net, x, y):
        return F.cross_entropy(net(x), y)

    return loss_fn, Net(), *_blobs()


@mistake("saturated", "unnormalised_inputs")
def tanh_of_raw_sensor_values():
    model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))

    def loss_fn(model, readings, y):
        out = model(readings)  # <- out = model(readings / 1000 - 1)
        return F.mse_loss(out, y)

    readings = 1000 + 1000 * torch.randn(32, 4)
    return loss_fn, model, readings, readings[:, :1] / 1000 - 1


@mistake("clamped", "output_range")
def probability_clamped_instead_of_squashed():
    model = nn.Linear(4, 1)
    nn.init.constant_(model.bias, 3.0)

    def loss_fn(model, x, y):
        p = model(x)
        p = p.clamp(1e-6, 1 - 1e-6)  # <- p = torch.sigmoid(p)
        return F.binary_cross_entropy(p, y)

    return loss_fn, model, *_sides()


@mistake("dropout", "ignores_inputs", "constant_output")
def dropout_of_one():
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Dropout(1.0), nn.Linear(16, 3))  # <- 1.0 => 0.1

    def loss_fn(model, x, y):
        return F.cross_entropy(model(x), y)  # <-

    return loss_fn, model, *_blobs()


@mistake("dropout", "wrong_mode", learns=False)
def functional_dropout_in_evaluation():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1, self.fc2 = nn.Linear(4, 32), nn.Linear(32, 3)

        def forward(self, x):
            h = F.relu(self.fc1(x))
            h = F.dropout(h, 0.5)  # <- h = F.dropout(h, 0.5, self.training)
            return self.fc2(h)

    def validation_loss(net, x, y):
        return F.cross_entropy(net(x), y)

    return validation_loss, Net().eval(), *_blobs()


@mistake("batch_norm_single", fails="Expected more than 1 value per channel")
def batch_norm_with_one_example():
    norm = nn.BatchNorm1d(16)  # <- norm = nn.LayerNorm(16)
    model = nn.Sequential(nn.Linear(4, 16), norm, nn.ReLU(), nn.Linear(16, 3))

    def loss_fn(model, x, y):
        return F.cross_entropy(model(x), y)  # <-

    x, y = _blobs()
    return loss_fn, model, x[:1], y[:1]


@mistake("symmetric_units", "constant_output", "ignores_inputs", "dead_units")
def all_weights_zero():
    model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3))
    for p in model.parameters():
        nn.init.zeros_(p)  # <- nn.init.normal_(p, std=0.3)

    def loss_fn(model, x, y):
        return F.cross_entropy(model(x), y)  # <-

    return loss_fn, model, *_blobs()


@mistake("symmetric_units")
def all_weights_the_same_constant():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1, self.fc2 = nn.Linear(4, 8), nn.Linear(8, 3)
            for layer in (self.fc1, self.fc2):
                nn.init.constant_(layer.weight, 0.1)  # <- nn.init.xavier_uniform_(layer.weight)
                nn.init.zeros_(layer.bias)

        def forward(self, x):
            return self.fc2(torch.relu(self.fc1(x)))  # <-

    def loss_fn(net, x, y):
        return F.cross_entropy(net(x), y)

    return loss_fn, Net(), *_blobs()
