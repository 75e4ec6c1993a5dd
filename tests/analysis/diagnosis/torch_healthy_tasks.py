"""Healthy losses in PyTorch of tasks: rewards, classes, ranks, densities, equations; and plain mathematics."""

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
def reinforce_with_a_baseline():
    class ActorCritic(nn.Module):
        def __init__(self):
            super().__init__()
            self.actor, self.critic = _mlp(4, 16, 2), _mlp(4, 16, 1)

    def loss_fn(model, states, actions, returns):
        logp = F.log_softmax(model.actor(states), dim=1).gather(1, actions[:, None]).squeeze(1)
        value = model.critic(states).squeeze(1)
        advantage = returns - value.detach()
        return -(logp * advantage).mean() + 0.5 * F.mse_loss(value, returns)

    states = torch.randn(24, 4)
    return loss_fn, ActorCritic(), states, torch.randint(0, 2, (24,)), states[:, 0] + 1


@healthy
def dqn():
    q_net = _mlp(4, 32, 2)
    target_net = copy.deepcopy(q_net)

    def td_loss(q_net, s, a, r, s2, done):
        q = q_net(s).gather(1, a.unsqueeze(1)).squeeze(1)
        with torch.no_grad():
            best = target_net(s2).max(dim=1).values
            target = r + 0.99 * best * (1 - done)
        return F.smooth_l1_loss(q, target)

    s = torch.randn(24, 4)
    return td_loss, q_net, s, torch.randint(0, 2, (24,)), s[:, 0], torch.randn(24, 4), (torch.rand(24) < 0.1).float()


@healthy
def double_dqn_with_argmax():
    q_net = _mlp(4, 32, 3)
    target_net = copy.deepcopy(q_net).requires_grad_(False)

    def td_loss(q_net, s, a, r, s2):
        q = q_net(s)[torch.arange(len(s)), a]
        best = q_net(s2).argmax(dim=1)
        target = r + 0.9 * target_net(s2)[torch.arange(len(s)), best]
        return F.mse_loss(q, target)

    s = torch.randn(24, 4)
    return td_loss, q_net, s, torch.randint(0, 3, (24,)), s[:, 0], torch.randn(24, 4)


@healthy
def ppo_with_a_clipped_ratio():
    policy = _mlp(4, 16, 2)
    states, actions = torch.randn(32, 4), torch.randint(0, 2, (32,))
    old = (
        F.log_softmax(policy(states) + 0.3 * torch.randn(32, 2), dim=1).gather(1, actions[:, None]).squeeze(1).detach()
    )

    def loss_fn(policy, states, actions, old, advantage):
        dist = torch.distributions.Categorical(logits=policy(states))
        ratio = torch.exp(dist.log_prob(actions) - old)
        clipped = torch.clamp(ratio, 0.8, 1.2)
        return -torch.min(ratio * advantage, clipped * advantage).mean() - 0.01 * dist.entropy().mean()

    return loss_fn, policy, states, actions, old, torch.randn(32)


@healthy
def soft_actor():
    actor, critic = _mlp(3, 16, 2), _mlp(4, 16, 1).requires_grad_(False)

    def actor_loss(actor, states):
        mean, log_std = actor(states).chunk(2, dim=1)
        normal = torch.distributions.Normal(mean, log_std.clamp(-5, 2).exp())
        u = normal.rsample()
        action = torch.tanh(u)
        logp = normal.log_prob(u) - torch.log(1 - action.pow(2) + 1e-6)
        return (0.2 * logp - critic(torch.cat([states, action], dim=1))).mean()

    return actor_loss, actor, torch.randn(32, 3)


@healthy
def frozen_backbone():
    class Finetuned(nn.Module):
        def __init__(self):
            super().__init__()
            self.backbone = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
            self.head = nn.Linear(32, 3)
            for p in self.backbone.parameters():
                p.requires_grad = False

        def forward(self, x):
            return self.head(self.backbone(x))

    return lambda m, x, y: F.cross_entropy(m(x), y), Finetuned(), torch.randn(12, 3, 6, 6), torch.randint(0, 3, (12,))


@healthy
def masked_loss():
    model = _mlp(3, 16, 1)

    def loss_fn(model, x, y, mask):
        error = (model(x).squeeze(-1) - y) ** 2
        return (error * mask).sum() / mask.sum()

    x = torch.randn(6, 8, 3)
    return loss_fn, model, x, x.sum(-1), (torch.rand(6, 8) < 0.6).float()


@healthy
def ignored_labels():
    model = _mlp(4, 16, 3)

    def loss_fn(model, x, y):
        return F.cross_entropy(model(x), y, ignore_index=-100)

    x, y = _blobs()
    y[::4] = -100
    return loss_fn, model, x, y


@healthy
def mixed_losses_of_two_heads():
    class TwoHeads(nn.Module):
        def __init__(self):
            super().__init__()
            self.body, self.kind, self.size = nn.Linear(4, 16), nn.Linear(16, 3), nn.Linear(16, 1)

        def forward(self, x):
            h = F.relu(self.body(x))
            return self.kind(h), self.size(h).squeeze(1)

    def loss_fn(model, x, kind, size):
        scores, predicted = model(x)
        return F.cross_entropy(scores, kind) + 0.1 * F.l1_loss(predicted, size)

    x, kind = _blobs()
    return loss_fn, TwoHeads(), x, kind, x[:, 0]


@healthy
def label_smoothing():
    return lambda m, x, y: F.cross_entropy(m(x), y, label_smoothing=0.1), _mlp(4, 16, 3), *_blobs()


@healthy
def cross_entropy_with_probabilities():
    def loss_fn(model, x, target):
        return F.cross_entropy(model(x), target)

    x, y = _blobs()
    return loss_fn, _mlp(4, 16, 3), x, 0.9 * F.one_hot(y, 3).float() + 0.1 / 3


@healthy
def focal_loss():
    def loss_fn(model, x, y):
        bce = F.binary_cross_entropy_with_logits(model(x), y, reduction="none")
        p = torch.exp(-bce)
        return ((1 - p) ** 2 * bce).mean()

    x = torch.randn(40, 4)
    return loss_fn, _mlp(4, 16, 1), x, (x[:, :1] > 0.5).float()


@healthy
def straight_through_quantization():
    class Quantized(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc1, self.fc2 = nn.Linear(4, 16), nn.Linear(16, 3)

        def forward(self, x):
            h = torch.tanh(self.fc1(x))
            q = torch.round(h * 4) / 4
            h = h + (q - h).detach()
            return self.fc2(h)

    return lambda m, x, y: F.cross_entropy(m(x), y), Quantized(), *_blobs()


@healthy
def vector_quantized_autoencoder():
    class VQ(nn.Module):
        def __init__(self):
            super().__init__()
            self.enc, self.dec, self.codes = _mlp(8, 16, 3), _mlp(3, 16, 8), nn.Embedding(16, 3)

        def forward(self, x):
            z = self.enc(x)
            q = self.codes(torch.cdist(z, self.codes.weight).argmin(dim=1))
            commit = F.mse_loss(z, q.detach()) * 0.25 + F.mse_loss(q, z.detach())
            return self.dec(z + (q - z).detach()), commit

    def loss_fn(model, x):
        recon, commit = model(x)
        return F.mse_loss(recon, x) + commit

    return loss_fn, VQ(), torch.randn(24, 8)


@healthy
def hard_gumbel_softmax():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.enc, self.dec = _mlp(8, 16, 6), nn.Linear(6, 8)

        def forward(self, x):
            return self.dec(F.gumbel_softmax(self.enc(x), tau=1.0, hard=True))

    return lambda m, x: F.mse_loss(m(x), x), Model(), 1 + 2 * torch.randn(4, 8).repeat(6, 1)


@healthy
def mixture_density():
    net = _mlp(1, 16, 9)

    def loss_fn(net, x, y):
        logits, mu, log_sigma = net(x).chunk(3, dim=1)
        parts = torch.distributions.Normal(mu, log_sigma.exp()).log_prob(y)
        return -torch.logsumexp(F.log_softmax(logits, dim=1) + parts, dim=1).mean()

    y = torch.rand(40, 1) * 2 - 1
    return loss_fn, net, y + 0.3 * torch.sin(6 * y), y


@healthy
def physics_informed():
    net = nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))

    def loss_fn(net, t):
        t = t.clone().requires_grad_()
        u = net(t)
        (du,) = torch.autograd.grad(u.sum(), t, create_graph=True)
        (ddu,) = torch.autograd.grad(du.sum(), t, create_graph=True)
        return ((ddu + u) ** 2).mean() + ((net(torch.zeros(1, 1)) - 1) ** 2).mean()

    return loss_fn, net, torch.linspace(0, 2, 30).unsqueeze(1)


@healthy
def maml_inner_step():
    net = nn.Linear(3, 1)

    def meta_loss(net, x, y, x2, y2):
        inner = F.mse_loss(net(x), y)
        gw, gb = torch.autograd.grad(inner, (net.weight, net.bias), create_graph=True)
        w, b = net.weight - 0.1 * gw, net.bias - 0.1 * gb
        return F.mse_loss(F.linear(x2, w, b), y2)

    x, x2, w = torch.randn(16, 3), torch.randn(16, 3), torch.randn(3, 1)
    return meta_loss, net, x, x @ w, x2, x2 @ w


@healthy
def distillation():
    teacher = _mlp(4, 32, 3).eval()
    student = _mlp(4, 8, 3)

    def loss_fn(student, x, y):
        with torch.no_grad():
            soft = F.softmax(teacher(x) / 2, dim=1)
        scores = student(x)
        return 4 * F.kl_div(F.log_softmax(scores / 2, dim=1), soft, reduction="batchmean") + F.cross_entropy(scores, y)

    return loss_fn, student, *_blobs()


@healthy
def ctc():
    model = nn.GRU(4, 6, batch_first=True)

    def loss_fn(model, x, y):
        logp = F.log_softmax(model(x)[0], dim=2).transpose(0, 1)
        return F.ctc_loss(logp, y, torch.full((6,), 10), torch.full((6,), 3))

    return loss_fn, model, torch.randn(6, 10, 4), torch.randint(1, 6, (6, 3))


@healthy
def quantile_regression():
    def pinball(model, x, y):
        error = y - model(x)
        q = torch.tensor([0.1, 0.5, 0.9])
        return torch.max(q * error, (q - 1) * error).mean()

    x = torch.randn(40, 2)
    return pinball, _mlp(2, 16, 3), x, x[:, :1] + 0.3 * torch.randn(40, 1)


@healthy
def gaussian_likelihood_with_clamped_variance():
    def nll(model, x, y):
        mean, logvar = model(x).chunk(2, dim=1)
        logvar = torch.clamp(logvar, min=-4, max=4)
        return 0.5 * (logvar + (y - mean) ** 2 / logvar.exp()).mean()

    x = torch.randn(40, 2)
    return nll, _mlp(2, 16, 2), x, x[:, :1]


@healthy
def multi_label_targets():
    x = torch.randn(32, 6)
    return lambda m, x, y: F.binary_cross_entropy_with_logits(m(x), y), _mlp(6, 16, 6), x, (x > 0.3).float()


@healthy
def ranking_of_pairs():
    def loss_fn(model, better, worse):
        return F.softplus(model(worse) - model(better)).mean()

    x = torch.randn(24, 4)
    return loss_fn, _mlp(4, 16, 1), x + torch.tensor([0.5, 0, 0, 0]), x


@healthy
def normalising_flow():
    class Coupling(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = _mlp(1, 16, 2)
            nn.init.zeros_(self.net[2].weight)
            nn.init.zeros_(self.net[2].bias)

        def forward(self, x):
            a, b = x.chunk(2, dim=1)
            s, t = self.net(a).chunk(2, dim=1)
            return torch.cat([a, b * torch.exp(torch.tanh(s)) + t], dim=1), torch.tanh(s).sum(1)

    def nll(flow, x):
        z, logdet = flow(x)
        return (0.5 * (z**2).sum(1) - logdet).mean()

    a = torch.randn(40, 1)
    return nll, Coupling(), torch.cat([a, a**2 + 0.1 * torch.randn(40, 1)], dim=1)


@healthy
def denoising_diffusion():
    net = _mlp(3, 32, 2)

    def loss_fn(net, x, t, noise):
        a = torch.cos(t * 1.5)
        noisy = a * x + torch.sqrt(1 - a**2) * noise
        return F.mse_loss(net(torch.cat([noisy, t], dim=1)), noise)

    return loss_fn, net, torch.randn(32, 2), torch.rand(32, 1), torch.randn(32, 2)


@healthy
def rosenbrock():
    def banana(p):
        x, y = p
        return (1 - x) ** 2 + 100 * (y - x**2) ** 2

    return banana, nn.Parameter(torch.tensor([-1.2, 1.0]))


@healthy
def one_number():
    def loss_fn(w):
        return (w - 3.0) ** 2

    return loss_fn, torch.tensor(0.5, requires_grad=True)
