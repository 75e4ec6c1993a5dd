"""Healthy programs in PyTorch that were put aside."""

from __future__ import annotations

import copy
import math

import torch
import torch.nn.functional as F
from torch import nn

from diagnosis.case import healthy


def _clusters(n=40, features=6, classes=4):
    label = torch.randint(0, classes, (n,))
    return torch.randn(n, features) + 3 * torch.eye(classes, features)[label], label


def _net(a=6, hidden=24, b=4):
    return nn.Sequential(nn.Linear(a, hidden), nn.SiLU(), nn.Linear(hidden, b))


def _ce(net, x, label):
    return F.cross_entropy(net(x), label)


@healthy
def metrics_logged_beside_the_loss():
    log = {"accuracy": [], "loss": [], "confidence": []}

    def loss_fn(net, x, label):
        scores = net(x)
        loss = F.cross_entropy(scores, label)
        log["accuracy"].append((scores.argmax(1) == label).float().mean().item())
        log["confidence"].append(scores.softmax(1).max(1).values.detach().numpy().mean())
        log["loss"].append(float(loss))
        return loss

    return loss_fn, _net(), *_clusters()


@healthy
def mixup():
    def loss_fn(net, x, label):
        order = torch.randperm(len(x))
        lam = 0.7
        scores = net(lam * x + (1 - lam) * x[order])
        return lam * F.cross_entropy(scores, label) + (1 - lam) * F.cross_entropy(scores, label[order])

    return loss_fn, _net(), *_clusters()


@healthy
def fast_gradient_sign_adversary():
    def loss_fn(net, x, label):
        probe = x.clone().requires_grad_()
        (g,) = torch.autograd.grad(F.cross_entropy(net(probe), label), probe)
        return F.cross_entropy(net(x + 0.1 * g.sign()), label)

    return loss_fn, _net(), *_clusters()


@healthy
def low_rank_adapter_on_a_frozen_layer():
    class LoRA(nn.Module):
        def __init__(self):
            super().__init__()
            self.base = nn.Linear(6, 24).requires_grad_(False)
            self.a, self.b = nn.Parameter(torch.randn(2, 6) / 2), nn.Parameter(torch.zeros(24, 2))
            self.head = nn.Linear(24, 4)

        def forward(self, x):
            return self.head(torch.relu(self.base(x) + x @ self.a.T @ self.b.T))

    return _ce, LoRA(), *_clusters()


@healthy
def matrix_factorisation():
    class Factors(nn.Module):
        def __init__(self):
            super().__init__()
            self.user, self.item = nn.Embedding(10, 4), nn.Embedding(12, 4)
            self.bias = nn.Embedding(12, 1)

        def forward(self, u, i):
            return (self.user(u) * self.item(i)).sum(1) + self.bias(i).squeeze(1)

    u, i = torch.randint(0, 10, (60,)), torch.randint(0, 12, (60,))
    return lambda net, u, i, r: F.mse_loss(net(u, i), r), Factors(), u, i, 3 + torch.rand(60)


@healthy
def linear_autoencoder():
    net = nn.Sequential(nn.Linear(8, 2, bias=False), nn.Linear(2, 8, bias=False))
    x = torch.randn(40, 2) @ torch.randn(2, 8)
    return lambda net, x: F.mse_loss(net(x), x), net, x


@healthy
def separable_convolution_without_an_activation_inside():
    class Separable(nn.Module):
        def __init__(self, a, b):
            super().__init__()
            self.depth = nn.Conv2d(a, a, 3, padding=1, groups=a, bias=False)
            self.point, self.bn = nn.Conv2d(a, b, 1, bias=False), nn.BatchNorm2d(b)

        def forward(self, x):
            return F.relu(self.bn(self.point(self.depth(x))))

    net = nn.Sequential(Separable(3, 8), Separable(8, 8), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 3))
    label = torch.randint(0, 3, (12,))
    return _ce, net, torch.randn(12, 3, 6, 6) + label[:, None, None, None], label


@healthy
def clip_with_a_learned_temperature():
    class Clip(nn.Module):
        def __init__(self):
            super().__init__()
            self.image, self.text = _net(6, 16, 8), _net(4, 16, 8)
            self.log_scale = nn.Parameter(torch.tensor(math.log(1 / 0.07)))

        def forward(self, a, b):
            a, b = F.normalize(self.image(a), dim=-1), F.normalize(self.text(b), dim=-1)
            return self.log_scale.exp().clamp(max=100) * a @ b.T

    def loss_fn(net, a, b):
        logits, label = net(a, b), torch.arange(len(a))
        return (F.cross_entropy(logits, label) + F.cross_entropy(logits.mT, label)) / 2

    a = torch.randn(16, 6)
    return loss_fn, Clip(), a, a[:, :4] + 0.1 * torch.randn(16, 4)


@healthy
def batch_hard_mining():
    def loss_fn(net, x, label):
        z = F.normalize(net(x), dim=1)
        same = label[:, None] == label[None]
        with torch.no_grad():
            d = torch.cdist(z, z)
            far, near = (d * same).argmax(1), (d + 9.0 * same).argmin(1)
        return F.triplet_margin_loss(z, z[far], z[near], margin=0.5)

    return loss_fn, _net(6, 24, 8), *_clusters()


@healthy
def hardest_losses_only():
    def loss_fn(net, x, label):
        return F.cross_entropy(net(x), label, reduction="none").topk(20).values.mean()

    return loss_fn, _net(), *_clusters()


@healthy
def losses_scaled_by_their_own_size():
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.trunk, self.a, self.b = nn.Linear(6, 24), nn.Linear(24, 4), nn.Linear(24, 1)

        def forward(self, x):
            h = F.gelu(self.trunk(x))
            return self.a(h), self.b(h).squeeze(1)

    def loss_fn(net, x, label, size):
        scores, predicted = net(x)
        a, b = F.cross_entropy(scores, label), F.mse_loss(predicted, size)
        return a + b * (a / b).detach()

    x, label = _clusters()
    return loss_fn, Two(), x, label, x[:, 0] - x[:, 1]


@healthy
def homoscedastic_weights_of_tasks():
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.net, self.log_var = _net(6, 24, 2), nn.Parameter(torch.zeros(2))

    def loss_fn(model, x):
        error = (model.net(x) - x[:, :2]) ** 2
        return (torch.exp(-model.log_var) * error.mean(0) + model.log_var).sum()

    return loss_fn, Model(), torch.randn(40, 6)


@healthy
def targets_within_the_sigmoid():
    x = torch.randn(40, 6)
    return lambda net, x, y: F.mse_loss(net(x), y), nn.Sequential(_net(6, 24, 1), nn.Sigmoid()), x, torch.rand(40, 1)


@healthy
def targets_within_the_tanh():
    x = torch.randn(40, 6)
    net = nn.Sequential(_net(6, 24, 9), nn.Tanh())
    return lambda net, x, y: F.l1_loss(net(x), y), net, x, torch.sin(x.repeat(1, 2)[:, :9])


@healthy
def counts_by_a_poisson_loss():
    x = torch.randn(40, 6)
    return lambda net, x, y: F.poisson_nll_loss(net(x), y), _net(6, 24, 1), x, torch.poisson(torch.exp(x[:, :1]))


@healthy
def one_example_at_a_time():
    def loss_fn(net, x, y):
        return F.mse_loss(net(x), y)

    x = torch.randn(1, 6)
    return loss_fn, _net(6, 24, 1), x, x[:, :1]


@healthy
def gradient_reversal():
    class Reverse(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, g):
            return -0.1 * g

    class Dann(nn.Module):
        def __init__(self):
            super().__init__()
            self.trunk, self.kind, self.domain = nn.Linear(6, 24), nn.Linear(24, 4), nn.Linear(24, 2)

        def forward(self, x):
            h = torch.relu(self.trunk(x))
            return self.kind(h), self.domain(Reverse.apply(h))

    def loss_fn(net, x, label, domain):
        kind, where = net(x)
        return F.cross_entropy(kind, label) + F.cross_entropy(where, domain)

    return loss_fn, Dann(), *_clusters(), torch.arange(40) % 2


@healthy
def surrogate_gradient_of_spikes():
    class Spike(torch.autograd.Function):
        @staticmethod
        def forward(ctx, v):
            ctx.save_for_backward(v)
            return (v > 0).float()

        @staticmethod
        def backward(ctx, g):
            (v,) = ctx.saved_tensors
            return g / (1 + 5 * v.abs()) ** 2

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(6, 32), nn.Linear(32, 4)

        def forward(self, x):
            v, total = torch.zeros(len(x), 32), 0.0
            for _ in range(4):
                v = 0.7 * v + self.a(x)
                s = Spike.apply(v - 0.5)
                v = v - 0.5 * s.detach()
                total = total + self.b(s)
            return total / 4

    return _ce, Net(), *_clusters()


@healthy
def spectral_norm():
    spectral = nn.utils.parametrizations.spectral_norm
    net = nn.Sequential(spectral(nn.Linear(6, 24)), nn.LeakyReLU(0.1), spectral(nn.Linear(24, 4)))
    return _ce, net, *_clusters()


@healthy
def experts_of_which_one_is_not_chosen():
    class Switch(nn.Module):
        def __init__(self):
            super().__init__()
            self.gate, self.experts = nn.Linear(6, 4), nn.ModuleList(nn.Linear(6, 4) for _ in range(4))
            with torch.no_grad():
                self.gate.bias[3] = -4.0

        def forward(self, x):
            p, chosen = self.gate(x).softmax(1).max(1)
            out = torch.zeros(len(x), 4)
            for i, expert in enumerate(self.experts):
                rows = chosen == i
                out[rows] = torch.tanh(expert(x[rows])) * 4
            return out * p.unsqueeze(1)

    return _ce, Switch(), *_clusters()


@healthy(causal=True)
def wavenet():
    class WaveNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed, self.head = nn.Embedding(10, 16), nn.Conv1d(16, 10, 1)
            self.filters = nn.ModuleList(nn.Conv1d(16, 16, 2, dilation=2**i) for i in range(3))
            self.gates = nn.ModuleList(nn.Conv1d(16, 16, 2, dilation=2**i) for i in range(3))

        def forward(self, tokens):
            h = self.embed(tokens).mT
            for i, (f, g) in enumerate(zip(self.filters, self.gates, strict=True)):
                padded = F.pad(h, (2**i, 0))
                h = h + torch.tanh(f(padded)) * torch.sigmoid(g(padded))
            return self.head(h)

    def loss_fn(net, tokens):
        return F.cross_entropy(net(tokens[:, :-1]), tokens[:, 1:])

    return loss_fn, WaveNet(), (3 * torch.arange(9) + torch.arange(5).unsqueeze(1)) % 10


@healthy
def bidirectional_tagger_with_packed_sequences():
    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(12, 8, padding_idx=0)
            self.lstm = nn.LSTM(8, 8, batch_first=True, bidirectional=True)
            self.fc = nn.Linear(16, 3)

        def forward(self, tokens, lengths):
            packed = nn.utils.rnn.pack_padded_sequence(self.embed(tokens), lengths, batch_first=True)
            h, _ = nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
            return self.fc(h)

    def loss_fn(net, tokens, lengths, tags):
        return F.cross_entropy(net(tokens, lengths).flatten(0, 1), tags.flatten(), ignore_index=-1)

    lengths = torch.tensor([7, 6, 4, 3])
    inside = torch.arange(7) < lengths.unsqueeze(1)
    tokens = torch.randint(1, 12, (4, 7)) * inside
    return loss_fn, Tagger(), tokens, lengths, torch.where(inside, tokens % 3, -1)


@healthy
def mlp_mixer():
    class Mixer(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens, self.channels = _net(9, 16, 9), _net(8, 16, 8)
            self.n1, self.n2, self.inp, self.head = nn.LayerNorm(8), nn.LayerNorm(8), nn.Linear(4, 8), nn.Linear(8, 3)

        def forward(self, x):
            h = self.inp(x)
            h = h + self.tokens(self.n1(h).transpose(1, 2)).transpose(1, 2)
            h = h + self.channels(self.n2(h))
            return self.head(h.mean(1))

    label = torch.randint(0, 3, (12,))
    return _ce, Mixer(), torch.randn(12, 9, 4) + label[:, None, None], label


@healthy
def point_net():
    class PointNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.each, self.all = _net(3, 16, 24), _net(24, 16, 2)

        def forward(self, points):
            return self.all(self.each(points).max(dim=1).values)

    points = torch.randn(16, 20, 3)
    points[:8] *= 0.4
    return _ce, PointNet(), points, (torch.arange(16) < 8).long()


@healthy
def neural_ode_by_euler():
    class Ode(nn.Module):
        def __init__(self):
            super().__init__()
            self.f, self.head = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 6)), nn.Linear(6, 4)

        def forward(self, x):
            for _ in range(20):
                x = x + 0.05 * self.f(x)
            return self.head(x)

    return _ce, Ode(), *_clusters()


@healthy
def bayes_by_backprop():
    class Bayes(nn.Module):
        def __init__(self):
            super().__init__()
            self.mu, self.rho = nn.Parameter(torch.zeros(6, 1)), nn.Parameter(torch.full((6, 1), -3.0))

    def loss_fn(model, x, y):
        sigma = F.softplus(model.rho)
        w = model.mu + sigma * torch.randn_like(sigma)
        kl = (0.5 * (sigma**2 + model.mu**2) - torch.log(sigma)).sum()
        return 0.5 * ((x @ w - y) ** 2).sum() + kl

    x = torch.randn(40, 6)
    return loss_fn, Bayes(), x, x[:, :1] * 2


@healthy
def sampled_actions_in_reinforce():
    def loss_fn(policy, states):
        dist = torch.distributions.Categorical(logits=policy(states))
        actions = dist.sample()
        rewards = (actions == (states[:, 0] > 0).long()).float()
        return -(dist.log_prob(actions) * (rewards - rewards.mean())).mean() - 0.01 * dist.entropy().mean()

    return loss_fn, _net(6, 24, 2), torch.randn(60, 6)


@healthy
def cox_partial_likelihood():
    def loss_fn(net, x, times, died):
        risk = net(x).squeeze(1)
        order = torch.argsort(times, descending=True)
        risk, died = risk[order], died[order]
        return -((risk - torch.logcumsumexp(risk, 0)) * died).sum() / died.sum()

    x = torch.randn(40, 6)
    return loss_fn, _net(6, 24, 1), x, torch.exp(-x[:, 0]) + 0.1 * torch.rand(40), (torch.rand(40) < 0.7).float()


@healthy
def maximum_mean_discrepancy():
    def loss_fn(net, z, x):
        y = net(z)

        def kernel(a, b):
            return torch.exp(-(((a[:, None] - b[None]) ** 2).sum(-1)) / 2).mean()

        return kernel(y, y) + kernel(x, x) - 2 * kernel(y, x)

    return loss_fn, _net(3, 24, 2), torch.randn(32, 3), torch.randn(32, 2) + 1


@healthy
def soft_prompt_before_a_frozen_model():
    frozen = _net(6, 24, 4).requires_grad_(False)

    class Prompt(nn.Module):
        def __init__(self):
            super().__init__()
            self.offset = nn.Parameter(torch.zeros(6))

        def forward(self, x):
            return frozen(x + self.offset)

    x, label = _clusters()
    return _ce, Prompt(), x, torch.ones_like(label)


@healthy(steps=20, learns=False)
def step_without_a_result():
    net = _net()
    adam = torch.optim.Adam(net.parameters(), lr=5e-3)

    def fit(net, adam, x, label):
        adam.zero_grad()
        F.cross_entropy(net(x), label).backward()
        adam.step()

    return fit, net, adam, *_clusters()


@healthy(steps=20)
def epoch_over_a_shuffled_data_loader():
    net = _net()
    adam = torch.optim.Adam(net.parameters(), lr=5e-3)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(*_clusters()), batch_size=8, shuffle=True)

    def epoch(net, adam, loader):
        running = 0.0
        for x, label in loader:
            adam.zero_grad()
            loss = F.cross_entropy(net(x), label)
            loss.backward()
            adam.step()
            running += loss.item() * len(x)
        return running / 40

    return epoch, net, adam, loader


@healthy(steps=20)
def frozen_batch_norm_while_fine_tuning():
    net = nn.Sequential(nn.Linear(6, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Linear(24, 4))
    x, label = _clusters()
    for _ in range(30):
        net(x)
    adam = torch.optim.Adam(net.parameters(), lr=5e-3)

    def fit(net, adam, x, label):
        net.train()
        net[1].eval()
        adam.zero_grad()
        loss = F.cross_entropy(net(x), label)
        loss.backward()
        adam.step()
        return loss

    return fit, net, adam, x, label


@healthy(steps=20)
def sharpness_aware_minimisation():
    net = _net()
    sgd = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)

    def fit(net, sgd, x, label):
        loss = F.cross_entropy(net(x), label)
        loss.backward()
        norm = sum(p.grad.pow(2).sum() for p in net.parameters()).sqrt()
        moves = [0.05 * p.grad / norm for p in net.parameters()]
        with torch.no_grad():
            for p, e in zip(net.parameters(), moves, strict=True):
                p.add_(e)
        sgd.zero_grad()
        F.cross_entropy(net(x), label).backward()
        with torch.no_grad():
            for p, e in zip(net.parameters(), moves, strict=True):
                p.sub_(e)
        sgd.step()
        sgd.zero_grad()
        return loss

    return fit, net, sgd, *_clusters()


@healthy(steps=20)
def langevin_noise():
    net = _net()
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)

    def fit(net, sgd, x, label):
        sgd.zero_grad()
        loss = F.cross_entropy(net(x), label)
        loss.backward()
        sgd.step()
        with torch.no_grad():
            for p in net.parameters():
                p.add_(0.002 * torch.randn_like(p))
        return loss

    return fit, net, sgd, *_clusters()


@healthy(steps=20)
def actor_and_critic_in_turns():
    actor, critic = _net(3, 24, 1), _net(4, 24, 1)
    target = copy.deepcopy(critic).requires_grad_(False)
    opt_a, opt_c = torch.optim.Adam(actor.parameters(), lr=1e-3), torch.optim.Adam(critic.parameters(), lr=3e-3)

    def fit(actor, critic, target, opt_a, opt_c, s, a, r, s2):
        with torch.no_grad():
            y = r + 0.9 * target(torch.cat([s2, torch.tanh(actor(s2))], 1))
        c_loss = F.mse_loss(critic(torch.cat([s, a], 1)), y)
        opt_c.zero_grad()
        c_loss.backward()
        opt_c.step()
        a_loss = -critic(torch.cat([s, torch.tanh(actor(s))], 1)).mean()
        opt_a.zero_grad()
        a_loss.backward()
        opt_a.step()
        with torch.no_grad():
            for p, q in zip(target.parameters(), critic.parameters(), strict=True):
                p.lerp_(q, 0.01)
        return c_loss

    s, a = torch.randn(30, 3), torch.rand(30, 1) * 2 - 1
    return fit, actor, critic, target, opt_a, opt_c, s, a, s[:, :1] * a, torch.randn(30, 3)


@healthy(steps=20)
def least_squares_on_plain_tensors():
    w, b = torch.zeros(3, requires_grad=True), torch.zeros((), requires_grad=True)

    def descend(w, b, x, y):
        loss = ((x @ w + b - y) ** 2).mean()
        loss.backward()
        with torch.no_grad():
            for p in (w, b):
                p -= 0.1 * p.grad
                p.grad.zero_()
        return loss.item()

    x = torch.randn(30, 3)
    return descend, w, b, x, x @ torch.tensor([1.0, -2, 0.5]) + 3


@healthy
def kepler_equation():
    def residual(anomaly, mean):
        return ((anomaly - 0.3 * torch.sin(anomaly) - mean) ** 2).sum()

    return residual, torch.zeros(5, requires_grad=True), torch.linspace(0.2, 1.5, 5)
