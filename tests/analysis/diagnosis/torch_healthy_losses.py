"""Healthy losses in PyTorch: many cut gradients, clamp, sum or start at zero on purpose."""

from __future__ import annotations

import copy

import torch
import torch.nn.functional as F
from torch import nn

from diagnosis.case import healthy


def _mlp(a, hidden, b):
    return nn.Sequential(nn.Linear(a, hidden), nn.ReLU(), nn.Linear(hidden, b))


def _blobs(n=32, features=4, classes=3):
    t = torch.randint(0, classes, (n,))
    return torch.randn(n, features) * 0.5 + 2 * torch.randn(classes, features)[t], t


@healthy
def variational_autoencoder():
    class VAE(nn.Module):
        def __init__(self):
            super().__init__()
            self.enc, self.mu, self.logvar = nn.Linear(12, 16), nn.Linear(16, 3), nn.Linear(16, 3)
            self.dec = _mlp(3, 16, 12)

        def forward(self, x):
            h = F.relu(self.enc(x))
            mu, logvar = self.mu(h), self.logvar(h).clamp(-8, 8)
            z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
            return torch.sigmoid(self.dec(z)), mu, logvar

    def elbo(vae, x):
        recon, mu, logvar = vae(x)
        bce = F.binary_cross_entropy(recon, x, reduction="sum")
        kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
        return bce + kld

    return elbo, VAE(), (torch.rand(24, 12) > 0.7).float()


@healthy
def discriminator_with_a_detached_fake():
    generator, discriminator = _mlp(3, 16, 4), _mlp(4, 16, 1)

    def d_loss(discriminator, real, z):
        fake = generator(z).detach()
        real_score, fake_score = discriminator(real), discriminator(fake)
        return F.binary_cross_entropy_with_logits(
            real_score, torch.ones_like(real_score)
        ) + F.binary_cross_entropy_with_logits(fake_score, torch.zeros_like(fake_score))

    return d_loss, discriminator, torch.randn(16, 4) + 2, torch.randn(16, 3)


@healthy
def generator_against_a_discriminator():
    generator, discriminator = _mlp(3, 16, 4), _mlp(4, 16, 1)

    def g_loss(generator, z):
        score = discriminator(generator(z))
        return F.binary_cross_entropy_with_logits(score, torch.ones_like(score))

    return g_loss, generator, torch.randn(16, 3)


@healthy
def gradient_penalty():
    critic = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))

    def critic_loss(critic, real, fake):
        alpha = torch.rand(len(real), 1)
        mix = (alpha * real + (1 - alpha) * fake).requires_grad_()
        (grad,) = torch.autograd.grad(critic(mix).sum(), mix, create_graph=True)
        return critic(fake).mean() - critic(real).mean() + 10 * ((grad.norm(dim=1) - 1) ** 2).mean()

    return critic_loss, critic, torch.randn(16, 4) + 1, torch.randn(16, 4) - 1


@healthy
def info_nce():
    encoder = _mlp(6, 32, 8)

    def loss_fn(encoder, a, b):
        za, zb = F.normalize(encoder(a), dim=1), F.normalize(encoder(b), dim=1)
        logits = za @ zb.T / 0.1
        labels = torch.arange(len(a))
        return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2

    a = torch.randn(16, 6)
    return loss_fn, encoder, a, a + 0.1 * torch.randn(16, 6)


@healthy
def simsiam():
    class SimSiam(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder, self.predictor = _mlp(6, 32, 8), _mlp(8, 8, 8)

        def forward(self, x):
            z = self.encoder(x)
            return self.predictor(z), z.detach()

    def loss_fn(model, a, b):
        (p1, z1), (p2, z2) = model(a), model(b)
        return -(F.cosine_similarity(p1, z2).mean() + F.cosine_similarity(p2, z1).mean()) / 2

    a = torch.randn(16, 6)
    return loss_fn, SimSiam(), a + 0.1 * torch.randn(16, 6), a


@healthy
def moco():
    query = _mlp(6, 32, 8)
    key = copy.deepcopy(query)
    queue = F.normalize(torch.randn(32, 8), dim=1)

    def loss_fn(query, a, b):
        q = F.normalize(query(a), dim=1)
        with torch.no_grad():
            k = F.normalize(key(b), dim=1)
        logits = torch.cat([(q * k).sum(1, keepdim=True), q @ queue.T], dim=1) / 0.2
        return F.cross_entropy(logits, torch.zeros(len(a), dtype=torch.long))

    a = torch.randn(16, 6)
    return loss_fn, query, a, a + 0.1 * torch.randn(16, 6)


@healthy
def byol_with_a_frozen_target():
    online, predictor = _mlp(6, 32, 8), _mlp(8, 8, 8)
    target = copy.deepcopy(online).requires_grad_(False)
    model = nn.ModuleDict({"online": online, "predictor": predictor})

    def loss_fn(model, a, b):
        p = F.normalize(model["predictor"](model["online"](a)), dim=1)
        z = F.normalize(target(b), dim=1)
        return (2 - 2 * (p * z).sum(dim=1)).mean()

    a = torch.randn(16, 6)
    return loss_fn, model, a, a + 0.1 * torch.randn(16, 6)


@healthy
def vicreg():
    encoder = _mlp(6, 32, 8)

    def loss_fn(encoder, a, b):
        x, y = encoder(a), encoder(b)
        invariance = F.mse_loss(x, y)
        std = torch.sqrt(x.var(dim=0) + 1e-4)
        variance = F.relu(1 - std).mean()
        x = x - x.mean(dim=0)
        cov = (x.T @ x) / (len(x) - 1)
        off = cov - torch.diag(torch.diagonal(cov))
        return 25 * invariance + 25 * variance + off.pow(2).sum() / 8

    a = torch.randn(32, 6)
    return loss_fn, encoder, a, a + 0.1 * torch.randn(32, 6)


@healthy
def triplet_margin():
    embed = _mlp(4, 16, 8)

    def loss_fn(embed, anchor, positive, negative):
        return F.triplet_margin_loss(embed(anchor), embed(positive), embed(negative), margin=1.0)

    anchor = torch.randn(24, 4)
    return loss_fn, embed, anchor, anchor + 0.1 * torch.randn(24, 4), torch.randn(24, 4)
