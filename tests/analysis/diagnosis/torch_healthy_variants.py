"""Healthy programs in PyTorch that look like one of the mistakes."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

from diagnosis.case import healthy


def _blobs(n=32, features=4, classes=3):
    t = torch.randint(0, classes, (n,))
    return torch.randn(n, features) * 0.5 + 2 * torch.randn(classes, features)[t], t


def _mlp(a, hidden, b):
    return nn.Sequential(nn.Linear(a, hidden), nn.ReLU(), nn.Linear(hidden, b))


def _class_loss(model, x, y):
    return F.cross_entropy(model(x), y)


@healthy
def batch_norm_by_hand():
    class Norm(nn.Module):
        def __init__(self, size):
            super().__init__()
            self.gain, self.shift = nn.Parameter(torch.ones(size)), nn.Parameter(torch.zeros(size))
            self.register_buffer("mean", torch.zeros(size))
            self.register_buffer("var", torch.ones(size))

        def forward(self, x):
            if self.training:
                mean, var = x.mean(0), x.var(0)
                with torch.no_grad():
                    self.mean += 0.1 * (mean - self.mean)
                    self.var += 0.1 * (var - self.var)
            else:
                mean, var = self.mean, self.var
            return self.gain * (x - mean) / torch.sqrt(var + 1e-5) + self.shift

    return _class_loss, nn.Sequential(nn.Linear(4, 16), Norm(16), nn.ReLU(), nn.Linear(16, 3)), *_blobs()


@healthy
def inputs_standardised_over_the_batch():
    def loss_fn(model, x, y):
        x = (x - x.mean(0)) / x.std(0)
        return F.cross_entropy(model(x), y)

    return loss_fn, _mlp(4, 16, 3), *_blobs()


@healthy
def barlow_twins():
    def loss_fn(model, a, b):
        za, zb = model(a), model(b)
        za, zb = (za - za.mean(0)) / za.std(0), (zb - zb.mean(0)) / zb.std(0)
        c = za.T @ zb / len(a)
        off = c - torch.diag(torch.diag(c))
        return ((torch.diag(c) - 1) ** 2).sum() + 0.05 * (off**2).sum()

    a = torch.randn(32, 6)
    return loss_fn, _mlp(6, 16, 4), a, a + 0.1 * torch.randn(32, 6)


@healthy
def pearson_correlation_as_loss():
    def loss_fn(model, x, y):
        p = model(x)
        return 1 - F.cosine_similarity(p - p.mean(0), y - y.mean(0), dim=0).mean()

    x = torch.randn(32, 4)
    return loss_fn, _mlp(4, 16, 2), x, x[:, :2] ** 2


@healthy
def advantages_normalised():
    def loss_fn(policy, critic, states, actions, returns):
        advantages = returns - critic(states).squeeze(1).detach()
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        chosen = torch.distributions.Categorical(logits=policy(states))
        return -(chosen.log_prob(actions) * advantages).mean() - 0.01 * chosen.entropy().mean()

    states, actions = _blobs()
    return loss_fn, _mlp(4, 16, 3), _mlp(4, 16, 1).requires_grad_(False), states, actions, states[:, 0]


@healthy(learns=False)
def value_head_beside_a_policy():
    class ActorCritic(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.policy, self.value = nn.Linear(4, 16), nn.Linear(16, 3), nn.Linear(16, 1)

        def forward(self, x):
            h = torch.tanh(self.body(x))
            value = self.value(h)
            return self.policy(h), value

    def imitation(model, states, actions):
        logits, _ = model(states)
        return F.cross_entropy(logits, actions)

    return imitation, ActorCritic(), *_blobs()


@healthy
def auxiliary_head_while_training_the_main_one():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.main, self.aux = nn.Linear(4, 16), nn.Linear(16, 3), nn.Linear(16, 3)

        def forward(self, x):
            h = torch.relu(self.body(x))
            out = {"aux": self.aux(h), "main": self.main(h)}
            return out

    def loss_fn(model, x, y):
        return F.cross_entropy(model(x)["main"], y)

    return loss_fn, Net(), *_blobs()


@healthy
def denoising_of_drawn_noise():
    def loss_fn(model, x, y):
        noise = torch.randn_like(x)
        return F.mse_loss(model(x + noise), noise)

    return loss_fn, _mlp(4, 32, 4), *_blobs(64)


@healthy
def minibatch_drawn_in_the_loss():
    data, labels = _blobs(64)

    def loss_fn(model):
        i = torch.randint(0, 64, (32,))
        return F.cross_entropy(model(data[i]), labels[i])

    return loss_fn, _mlp(4, 16, 3)


@healthy(learns=False)
def discriminator_with_noisy_labels():
    def loss_fn(critic, real, fake):
        ones = 0.8 + 0.2 * torch.rand(len(real), 1)
        zeros = 0.2 * torch.rand(len(fake), 1)
        right = F.binary_cross_entropy_with_logits(critic(real), ones)
        return right + F.binary_cross_entropy_with_logits(critic(fake), zeros)

    return loss_fn, _mlp(4, 16, 1), torch.randn(16, 4) + 1, torch.randn(16, 4) - 1


@healthy
def mixup():
    def loss_fn(model, x, y):
        order, share = torch.randperm(len(x)), 0.7
        scores = model(share * x + (1 - share) * x[order])
        return share * F.cross_entropy(scores, y) + (1 - share) * F.cross_entropy(scores, y[order])

    return loss_fn, _mlp(4, 16, 3), *_blobs()


@healthy
def positive_outputs_for_positive_targets():
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1), nn.Softplus())
    x = torch.randn(32, 4)
    return lambda model, x, y: F.mse_loss(model(x), y), model, x, x[:, :1] ** 2 + 0.1


@healthy(steps=20)
def one_batch_norm_in_evaluation_on_purpose():
    model = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

    def train_step(model, optimizer, x, y):
        model.train()
        model[1].eval()
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return train_step, model, optimizer, *_blobs()


@healthy
def scores_through_log_softmax_twice():
    def loss_fn(model, x, y):
        return F.cross_entropy(F.log_softmax(model(x), 1), y)

    return loss_fn, _mlp(4, 16, 3), *_blobs()


@healthy
def attention_with_a_causal_mask_and_one_word():
    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.qkv, self.out = nn.Embedding(20, 8), nn.Linear(8, 24), nn.Linear(8, 3)

        def forward(self, tokens):
            q, k, v = self.qkv(self.embed(tokens)).chunk(3, dim=-1)
            scores = q @ k.transpose(1, 2) / 8**0.5
            mask = torch.ones(tokens.shape[1], tokens.shape[1]).triu(1).bool()
            weights = scores.masked_fill(mask, float("-inf")).softmax(-1)
            return self.out((weights @ v).mean(dim=1))

    tokens = torch.randint(0, 20, (12, 2))
    return _class_loss, Attention(), tokens, tokens[:, 0] % 3


@healthy
def last_layer_at_zero_before_log_softmax():
    model = _mlp(4, 32, 3)
    nn.init.zeros_(model[2].weight)

    def loss_fn(model, x, y):
        return F.nll_loss(F.log_softmax(model(x), dim=1), y)

    return loss_fn, model, *_blobs()


@healthy
def residual_layers_that_start_small():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList(nn.Linear(16, 16) for _ in range(8))
            self.inp, self.out = nn.Linear(4, 16), nn.Linear(16, 3)
            for layer in self.layers:
                nn.init.normal_(layer.weight, std=1e-4)

        def forward(self, x):
            h = self.inp(x)
            for layer in self.layers:
                h = h + torch.tanh(layer(h))
            return self.out(h)

    return _class_loss, Net(), *_blobs()


@healthy
def moments_matched():
    def loss_fn(model, z, x):
        fake = model(z)
        return F.mse_loss(fake.mean(0), x.mean(0)) + F.mse_loss(fake.std(0), x.std(0))

    return loss_fn, _mlp(4, 16, 2), torch.randn(32, 4), torch.randn(48, 2) + 2


@healthy
def training_mode_is_set_in_the_loss():
    model = nn.Sequential(nn.Conv2d(1, 6, 3), nn.Dropout2d(0.2), nn.ReLU(), nn.Flatten(), nn.Linear(6 * 16, 3)).eval()

    def loss_fn(model, x, y):
        model.train()
        return F.cross_entropy(model(x), y)

    return loss_fn, model, torch.randn(12, 1, 6, 6), torch.randint(0, 3, (12,))
