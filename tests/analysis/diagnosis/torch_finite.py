"""Programs in PyTorch in which a number stops being finite."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from diagnosis.case import mistake


@mistake("not_finite")
def log_of_zero():
    generator = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3), nn.ReLU())  # <- ReLU()) => Softplus())

    def entropy(generator, z):
        p = generator(z)
        p = p / (p.sum(1, keepdim=True) + 1e-6)
        return (p * torch.log(p)).sum(1).mean()  # <- return (p * torch.log(p + 1e-6)).sum(1).mean()

    return entropy, generator, torch.randn(16, 4)


@mistake("not_finite")
def masked_mean_of_an_empty_row():
    model = nn.Linear(3, 1)

    def loss_fn(model, x, y, mask):
        error = (model(x).squeeze(-1) - y) ** 2
        per_row = (error * mask).sum(1) / mask.sum(1)  # <- per_row = (error * mask).sum(1) / mask.sum(1).clamp(min=1)
        return per_row.mean()

    x = torch.randn(5, 6, 3)
    mask = (torch.rand(5, 6) < 0.6).float()
    mask[2] = 0
    return loss_fn, model, x, x.sum(-1), mask


@mistake("not_finite")
def root_of_a_zero_distance():
    embed = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))

    def contrastive(embed, a, b, same):
        d = ((embed(a) - embed(b)) ** 2).sum(1).sqrt()  # <- d = (((embed(a) - embed(b)) ** 2).sum(1) + 1e-9).sqrt()
        return (same * d**2 + (1 - same) * F.relu(1 - d) ** 2).mean()

    a = torch.randn(10, 4)
    b = a.clone()
    b[5:] = torch.randn(5, 4)
    return contrastive, embed, a, b, (torch.arange(10) < 5).float()


@mistake("not_finite")
def softmax_written_by_hand():
    model = nn.Linear(4, 3)

    def loss_fn(model, x, y):
        scores = model(x) / 0.005  # <- / 0.005 => / 1.0
        e = torch.exp(scores)  # <- e = torch.exp(scores - scores.max(1, keepdim=True).values)
        probs = e / e.sum(1, keepdim=True)  # <-
        return -torch.log(probs[torch.arange(len(y)), y] + 1e-8).mean()

    return loss_fn, model, torch.randn(16, 4), torch.randint(0, 3, (16,))


@mistake("not_finite")
def angle_of_equal_directions():
    net = nn.Linear(3, 3, bias=False)
    nn.init.eye_(net.weight)

    def angular_loss(net, x, target):
        cos = F.cosine_similarity(net(x), target, dim=1)
        return torch.acos(cos.clamp(-1, 1)).mean()  # <- return (1 - cos).mean()

    x = torch.eye(3).repeat(4, 1)
    target = x.clone()
    target[::3] = torch.tensor([0.6, 0.8, 0.0])
    return angular_loss, net, x, target


@mistake("not_finite")
def where_with_a_log_behind_it():
    net = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))

    def loss_fn(net, x, y):
        z = net(x).squeeze(1)
        out = torch.where(z > 0, torch.sqrt(z), 0.1 * z)  # <- t(z => t(torch.where(z > 0, z, 1.0)
        return F.mse_loss(out, y)

    return loss_fn, net, torch.randn(20, 2), torch.rand(20)


@mistake("not_finite", "learning_rate", "exploding", steps=20)
def nan_appears_after_some_steps():
    model = nn.Sequential(nn.Linear(2, 8), nn.Tanh(), nn.Linear(8, 1))
    opt = torch.optim.SGD(model.parameters(), lr=3.0)  # <- opt = torch.optim.SGD(model.parameters(), lr=0.01)

    def train_step(model, opt, x, counts):
        opt.zero_grad()
        rate = torch.exp(model(x))  # <-
        loss = (rate - counts * torch.log(rate)).mean()  # <-
        loss.backward()
        opt.step()
        return loss

    x = torch.randn(24, 2)
    return train_step, model, opt, x, torch.poisson(torch.exp(1.5 + x[:, :1]))
