"""Programs in PyTorch whose gradients do not reach what should learn."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from diagnosis.case import mistake


def _blobs(n=32, features=4, classes=3):
    t = torch.randint(0, classes, (n,))
    return torch.randn(n, features) * 0.5 + 2 * torch.randn(classes, features)[t], t


def _line(n=32, features=3):
    x = torch.randn(n, features)
    return x, x.sum(1, keepdim=True) + 0.1 * torch.randn(n, 1)


@mistake("cut_gradient", "unreached_parameter")
def encoder_output_is_detached():
    class AutoEncoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 3))
            self.decoder = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 12))

        def forward(self, x):
            code = self.encoder(x).detach()  # <- code = self.encoder(x)
            return self.decoder(code)

    def criterion(model, images):
        return F.mse_loss(model(images), images)

    return criterion, AutoEncoder(), torch.rand(16, 12)


@mistake("cut_gradient", "unreached_parameter")
def data_of_hidden_layer():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1 = nn.Linear(4, 16)
            self.fc2 = nn.Linear(16, 3)

        def forward(self, x):
            h = torch.relu(self.fc1(x))
            h = h.data  # <- pass
            return self.fc2(h)

    def loss_fn(net, x, y):
        return F.cross_entropy(net(x), y)

    return loss_fn, Net(), *_blobs()


@mistake("cut_gradient")
def losses_summed_with_item():
    model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))

    def total_loss(model, x, y):
        total = 0.0
        for xi, yi in zip(x, y, strict=True):
            loss = F.mse_loss(model(xi), yi)
            total += loss.item()  # <- total = total + loss
        total = torch.tensor(total / len(x), requires_grad=True)  # <- total = total / len(x)
        return total

    return total_loss, model, *_line()


@mistake("cut_gradient")
def loss_computed_in_numpy():
    model = nn.Linear(3, 1)

    def rmse(model, x, y):
        pred = model(x).detach().numpy()  # <- pred = model(x)
        error = np.sqrt(np.mean((pred - y.numpy()) ** 2))  # <- error = ((pred - y) ** 2).mean().sqrt()
        return torch.tensor(error, requires_grad=True)  # <- return error

    return rmse, model, *_line()


@mistake("cut_gradient")
def physics_term_made_float():
    net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))

    def loss_fn(net, t, u):
        fit = float(F.mse_loss(net(t), u))  # <- fit = F.mse_loss(net(t), u)
        smooth = sum((p**2).sum() for p in net.parameters())
        return fit + 1e-4 * smooth

    t = torch.linspace(0, 1, 20).unsqueeze(1)
    return loss_fn, net, t, torch.sin(3 * t)


@mistake("cut_gradient")
def predictions_collected_by_torch_tensor():
    model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))

    def loss_fn(model, x, y):
        preds = []
        for row in x:
            preds.append(model(row))
        preds = torch.tensor(preds, requires_grad=True)  # <- preds = torch.cat(preds)
        return ((preds - y[:, 0]) ** 2).mean()

    return loss_fn, model, *_line()


@mistake("cut_gradient", "unreached_parameter")
def features_under_no_grad():
    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.features = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
            self.head = nn.Linear(36, 3)

        def forward(self, x):
            with torch.no_grad():  # <- with torch.enable_grad():
                f = self.features(x)  # <-
            return self.head(f)

    def loss_fn(model, images, labels):
        return F.cross_entropy(model(images), labels)

    return loss_fn, Classifier(), torch.randn(12, 1, 8, 8), torch.randint(0, 3, (12,))


@mistake("cut_gradient", fails="does not require grad")
def argmax_in_the_loss():
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))

    def loss_fn(model, x, y):
        pred = model(x).argmax(dim=1)  # <- pred = model(x)
        return F.mse_loss(pred.float(), y.float())  # <- return F.cross_entropy(pred, y)

    return loss_fn, model, *_blobs()


@mistake("cut_gradient", fails="does not require grad")
def accuracy_as_loss():
    model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))

    def loss_fn(model, x, labels):
        prob = torch.sigmoid(model(x)).squeeze(1)
        pred = (prob > 0.5).float()  # <- pred = prob
        return 1 - (pred == labels).float().mean()  # <- return F.binary_cross_entropy(pred, labels)

    x = torch.randn(32, 3)
    return loss_fn, model, x, (x[:, 0] > 0).float()


@mistake("cut_gradient")
def dice_of_rounded_mask():
    unet = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 1, 3, padding=1), nn.Sigmoid())

    def dice_loss(unet, image, mask):
        pred = unet(image)
        pred = torch.round(pred)  # <- pass
        overlap = 2 * (pred * mask).sum() + 1
        return 1 - overlap / (pred.sum() + mask.sum() + 1)

    image = torch.randn(4, 1, 8, 8)
    return dice_loss, unet, image, (image > 0.3).float()


@mistake("cut_gradient", fails="does not require grad")
def ordinal_prediction_cast_to_integer():
    model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))

    def loss_fn(model, x, stars):
        rating = model(x).squeeze(1)
        rating = rating.long()  # <- pass
        return (rating - stars).abs().float().mean()  # <- return (rating - stars).abs().mean()

    x = torch.randn(24, 3)
    return loss_fn, model, x, (2.5 + 2 * x[:, 0]).clamp(1, 5).round()


@mistake("cut_gradient", "unreached_parameter")
def table_looked_up_at_int_of_a_float():
    class Lookup(nn.Module):
        def __init__(self, n):
            super().__init__()
            self.position = nn.Parameter(torch.tensor(2.3))
            self.register_buffer("table", torch.linspace(-1, 1, n) ** 2)

        def forward(self):
            i = int(self.position)  # <- i = self.position
            return self.table[i]  # <- return (2 * i / (len(self.table) - 1) - 1) ** 2

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.lookup = Lookup(9)
            self.scale = nn.Parameter(torch.ones(()))

        def forward(self):
            return self.scale * self.lookup()

    def loss_fn(model):
        return (model() - 0.5) ** 2

    return loss_fn, Model()


@mistake("unreached_parameter")
def second_layer_is_never_called():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1 = nn.Linear(8, 8)
            self.fc2 = nn.Linear(8, 8)  # <-
            self.out = nn.Linear(8, 2)

        def forward(self, x):
            x = F.relu(self.fc1(x))
            x = F.relu(self.fc1(x))  # <- x = F.relu(self.fc2(x))
            return self.out(x)

    def loss_fn(net, x, y):
        return F.cross_entropy(net(x), y)

    return loss_fn, Net(), *_blobs(32, 8, 2)


@mistake("frozen_parameter", fails="does not require grad", outside=True)
def head_is_frozen_with_the_backbone():
    class Finetuned(nn.Module):
        def __init__(self):
            super().__init__()
            self.backbone = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
            self.head = nn.Linear(16, 3)

        def forward(self, x):
            return self.head(self.backbone(x))

    model = Finetuned()
    for param in model.parameters():  # <- for param in model.backbone.parameters():
        param.requires_grad = False  # <-

    def loss_fn(model, x, y):
        return F.cross_entropy(model(x), y)

    return loss_fn, model, *_blobs(32, 8)


@mistake("unregistered_parameter")
def layers_in_a_plain_list():
    class MLP(nn.Module):
        def __init__(self, sizes):
            super().__init__()
            self.layers = []  # <- self.layers = nn.ModuleList()
            for a, b in pairwise(sizes):
                self.layers.append(nn.Linear(a, b))  # <-
            self.out = nn.Linear(sizes[-1], 3)

        def forward(self, x):
            for layer in self.layers:
                x = torch.relu(layer(x))  # <-
            return self.out(x)

    def loss_fn(model, x, y):
        return F.cross_entropy(model(x), y)

    return loss_fn, MLP([4, 16, 16]), *_blobs()


@mistake("unregistered_parameter")
def scale_is_a_tensor_and_no_parameter():
    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(3, 1)
            self.gain = torch.ones(1, requires_grad=True)  # <- self.gain = nn.Parameter(torch.ones(1))

        def forward(self, x):
            return self.gain * self.fc(x)  # <-

    def loss_fn(model, x, y):
        return F.mse_loss(model(x), y)

    return loss_fn, Scaled(), *_line()
