"""Programs in PyTorch that run and mean something else: variants that were put aside."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import nn

from diagnosis.case import mistake


def _clusters(n=40, features=6, classes=4):
    label = torch.randint(0, classes, (n,))
    return torch.randn(n, features) + 3 * torch.eye(classes, features)[label], label


@mistake("broadcast_loss")
def flat_predictions_against_a_column_of_targets():
    net = nn.Sequential(nn.Linear(5, 16), nn.ELU(), nn.Linear(16, 1), nn.Flatten(0))

    def huber(net, x, y):
        return F.smooth_l1_loss(net(x), y)  # <- return F.smooth_l1_loss(net(x), y.flatten())

    x = torch.randn(30, 5)
    return huber, net, x, x[:, 1:2] - x[:, 2:3]


@mistake("broadcast_loss")
def weights_of_examples_against_a_column():
    net = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))

    def weighted(net, x, y, weight):
        errors = F.binary_cross_entropy_with_logits(net(x), y, reduction="none")
        return (errors * weight).mean()  # <- return (errors.squeeze(1) * weight).mean()

    x = torch.randn(30, 5)
    return weighted, net, x, (x[:, :1] > 0).float(), torch.rand(30)


@mistake("wrong_axis", "mixed_examples")
def layer_norm_by_hand_over_the_batch():
    class Norm(nn.Module):
        def forward(self, h):
            mean = h.mean(dim=0, keepdim=True)  # <- dim=0 => dim=1
            std = h.std(dim=0, keepdim=True)  # <- dim=0 => dim=1
            return (h - mean) / (std + 1e-5)  # <-

    net = nn.Sequential(nn.Conv1d(2, 6, 3), nn.ReLU(), nn.Flatten(), Norm(), nn.Linear(36, 2))
    x = torch.randn(20, 2, 8)
    return lambda net, x, y: F.cross_entropy(net(x), y), net, x, (x[:, 0, 0] > 0).long()


@mistake("softmax_over_batch", "mixed_examples", "wrong_axis")
def experts_gated_over_the_batch():
    class Mixture(nn.Module):
        def __init__(self):
            super().__init__()
            self.experts = nn.ModuleList(nn.Linear(5, 1) for _ in range(3))
            self.gate = nn.Linear(5, 3)

        def forward(self, x):
            weight = self.gate(x).softmax(dim=0)  # <- weight = self.gate(x).softmax(dim=1)
            return (weight * torch.cat([e(x) for e in self.experts], dim=1)).sum(dim=1)

    x = torch.randn(30, 5)
    return lambda net, x, y: F.mse_loss(net(x), y), Mixture(), x, x[:, 0].abs()


@mistake("softmax_over_batch", "mixed_examples", "wrong_axis")
def attention_weights_over_the_first_axis():
    class Pool(nn.Module):
        def __init__(self):
            super().__init__()
            self.key, self.value, self.out = nn.Linear(4, 1), nn.Linear(4, 8), nn.Linear(8, 2)

        def forward(self, x):
            weights = torch.softmax(self.key(x), 0)  # <- weights = torch.softmax(self.key(x), 1)
            return self.out((weights * self.value(x)).sum(1))

    x = torch.randn(14, 6, 4)
    return lambda net, x, y: F.cross_entropy(net(x), y), Pool(), x, (x[:, 0, 0] > 0).long()


@mistake("one_hot_target", fails="multi-target not supported")
def one_hot_rows_for_nll_loss():
    net = nn.Sequential(nn.Linear(6, 4), nn.LogSoftmax(dim=1))

    def nll(net, x, label):
        rows = torch.eye(4)[label].long()  # <- rows = label
        return F.nll_loss(net(x), rows)  # <-

    return nll, net, *_clusters()


@mistake("one_hot_target", "broadcast_loss", "output_range")
def class_numbers_for_binary_cross_entropy():
    net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))

    def loss_fn(net, x, label):
        target = label.float().unsqueeze(1).expand(-1, 4)  # <- target = F.one_hot(label, 4).float()
        return F.binary_cross_entropy_with_logits(net(x), target)  # <-

    return loss_fn, net, *_clusters()


@mistake("mixed_examples")
def heads_split_by_a_wrong_view():
    class MultiHead(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv, self.out = nn.Linear(8, 24), nn.Linear(8, 2)

        def forward(self, x):
            n, t, _ = x.shape
            parts = [z.reshape(t, n, 2, 4) for z in self.qkv(x).chunk(3, -1)]  # <- t, n, 2 => n, t, 2
            q, k, v = [z.transpose(0, 1).transpose(1, 2) for z in parts]  # <- transpose(0, 1).transpose => transpose
            h = (q @ k.transpose(-1, -2) / 2).softmax(-1) @ v
            return self.out(h.transpose(1, 2).reshape(n, t, 8).mean(1))  # <-

    x = torch.randn(10, 5, 8)
    return lambda net, x, y: F.cross_entropy(net(x), y), MultiHead(), x, (x[:, :, 0].mean(1) > 0).long()


@mistake("mixed_examples")
def frames_flattened_across_videos():
    class Video(nn.Module):
        def __init__(self):
            super().__init__()
            self.frame, self.out = nn.Linear(6, 10), nn.Linear(10, 1)

        def forward(self, clips):
            n, t, _ = clips.shape
            h = torch.relu(self.frame(clips.flatten(0, 1)))
            return self.out(h.view(t, n, -1).mean(0)).squeeze(1)  # <- t, n, -1).mean(0 => n, t, -1).mean(1

    clips = torch.randn(9, 4, 6) + torch.randn(9, 1, 1)
    return lambda net, clips, y: F.mse_loss(net(clips), y), Video(), clips, clips[:, :, 0].mean(1)


class _Next(nn.Module):
    def __init__(self, mixer, width=12):
        super().__init__()
        self.embed, self.place = nn.Embedding(10, width), nn.Embedding(7, width)
        self.mixer, self.head = mixer, nn.LazyLinear(10)

    def forward(self, tokens):
        h = self.embed(tokens) + self.place(torch.arange(tokens.shape[1]))
        return self.head(self.mixer(h))


def _language(net, tokens):
    scores = net(tokens[:, :-1])
    return F.cross_entropy(scores.flatten(0, 1), tokens[:, 1:].flatten())


def _text():
    return (3 * torch.arange(8) + torch.arange(5).unsqueeze(1)) % 10


def _ready(net):
    net(_text()[:, :-1])
    return net


@mistake("causal_leak", causal=True)
def multihead_attention_without_its_mask():
    class Mixer(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention = nn.MultiheadAttention(12, 2, batch_first=True)
            self.norm, self.mask = nn.LayerNorm(12), nn.Transformer.generate_square_subsequent_mask(7)

        def forward(self, h):
            mixed, _ = self.attention(h, h, h)  # <- h, h, h => h, h, h, attn_mask=self.mask
            return self.norm(h + mixed)

    return _language, _ready(_Next(Mixer())), _text()


@mistake("causal_leak", causal=True)
def bidirectional_gru_as_a_language_model():
    class Mixer(nn.Module):
        def __init__(self):
            super().__init__()
            self.gru = nn.GRU(12, 12, batch_first=True, bidirectional=True)  # <- True, bidirectional=True => True

        def forward(self, h):
            return self.gru(h)[0]  # <-

    return _language, _ready(_Next(Mixer())), _text()


@mistake("causal_leak", causal=True)
def mask_applied_after_the_softmax():
    class Mixer(nn.Module):
        def __init__(self):
            super().__init__()
            self.q, self.k, self.v = nn.Linear(12, 12), nn.Linear(12, 12), nn.Linear(12, 12)

        def forward(self, h):
            scores = self.q(h) @ self.k(h).mT / math.sqrt(12)
            causal = torch.tril(torch.ones(h.shape[1], h.shape[1]))
            weights = F.softmax(scores, -1)  # <- scores => scores.masked_fill(causal == 0, -torch.inf)
            weights = weights * causal  # <-
            return h + weights @ self.v(h)  # <-

    return _language, _ready(_Next(Mixer())), _text()


@mistake("double_softmax")
def probabilities_given_as_logits():
    policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 3), nn.Softmax(-1))  # <- , nn.Softmax(-1) =>

    def loss_fn(policy, states, actions, returns):
        dist = torch.distributions.Categorical(logits=policy(states))  # <-
        return -(dist.log_prob(actions) * returns).mean()  # <-

    states = torch.randn(30, 4)
    return loss_fn, policy, states, (states[:, 0] > 0).long(), torch.rand(30) + 0.5


@mistake("double_softmax")
def softmax_at_the_end_of_a_convnet():
    class Cnn(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(1, 6, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
            self.fc = nn.Linear(24, 3)
            self.prob = nn.Softmax(dim=1)

        def forward(self, x):
            return self.prob(self.fc(self.body(x)))  # <- return self.fc(self.body(x))

    def loss_fn(net, x, y):
        logp = torch.log_softmax(net(x), dim=1)  # <-
        return -(F.one_hot(y, 3) * logp).sum(1).mean()

    label = torch.randint(0, 3, (15,))
    return loss_fn, Cnn(), torch.randn(15, 1, 8, 8) + label[:, None, None, None], label


@mistake("double_sigmoid")
def segmentation_squashed_twice():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Conv2d(1, 6, 3, padding=1), nn.Conv2d(6, 1, 1)

        def forward(self, x):
            return self.b(F.relu(self.a(x))).sigmoid()  # <- return self.b(F.relu(self.a(x)))

    def loss_fn(net, x, mask):
        pred = net(x)
        return F.binary_cross_entropy(torch.sigmoid(pred), mask)  # <-

    x = torch.randn(5, 1, 7, 7)
    return loss_fn, Net(), x, (x > 0).float()


@mistake("missing_log")
def kl_divergence_of_probabilities():
    student = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 4))

    def distil(student, x, soft):
        return F.kl_div(F.softmax(student(x), dim=1), soft, reduction="batchmean")  # <- F.softmax => F.log_softmax

    x, label = _clusters()
    return distil, student, x, 0.9 * F.one_hot(label, 4).float() + 0.025


@mistake("rectified_logits")
def relu_before_bce_with_logits():
    net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3), nn.ReLU())  # <- 3), nn.ReLU() => 3)

    def loss_fn(net, x, tags):
        return F.binary_cross_entropy_with_logits(net(x), tags)  # <-

    x = torch.randn(30, 5)
    return loss_fn, net, x, (x[:, :3] > 0).float()


@mistake("no_nonlinearity")
def convolutions_without_an_activation():
    class Stack(nn.Module):
        def __init__(self):
            super().__init__()
            self.c1, self.c2, self.fc = nn.Conv2d(1, 4, 3), nn.Conv2d(4, 4, 3), nn.Linear(36, 2)

        def forward(self, x):
            x = self.c1(x)  # <- x = torch.relu(self.c1(x))
            x = self.c2(x)  # <- x = torch.relu(self.c2(x))
            return self.fc(x.flatten(1))  # <-

    x = torch.randn(20, 1, 7, 7)
    return lambda net, x, y: F.cross_entropy(net(x), y), Stack(), x, (x.abs().mean((1, 2, 3)) > 0.8).long()


@mistake("no_nonlinearity")
def activation_made_and_never_called():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.hidden, self.act, self.out = nn.Linear(2, 20), nn.ReLU(), nn.Linear(20, 1)

        def forward(self, x):
            h = self.hidden(x)  # <- h = self.act(self.hidden(x))
            return self.out(h)  # <-

    x = torch.randn(40, 2)
    return lambda net, x, y: F.mse_loss(net(x), y), Net(), x, x[:, :1].abs()


@mistake("output_range")
def tanh_output_for_temperatures():
    class Forecast(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm, self.fc = nn.LSTM(1, 8, batch_first=True), nn.Linear(8, 1)

        def forward(self, x):
            h, _ = self.lstm(x)
            return torch.tanh(self.fc(h[:, -1]))  # <- return self.fc(h[:, -1])

    def loss_fn(net, x, y):
        return F.l1_loss(net(x), y)  # <-

    x = torch.randn(20, 6, 1)
    return loss_fn, Forecast(), x, 5 + 2 * x[:, -1]


@mistake("output_range", "rectified_logits", "dead_units")
def clamped_output_for_standardised_targets():
    net = nn.Sequential(nn.Linear(5, 16), nn.GELU(), nn.Linear(16, 1), nn.Softplus())  # <- , nn.Softplus() =>

    def loss_fn(net, x, y):
        return ((net(x) - y) ** 2).mean()  # <-

    x = torch.randn(30, 5)
    return loss_fn, net, x, x[:, :1] - x[:, 1:2]


@mistake("dead_units", "clamped")
def relu_spelled_as_clamp_after_a_bad_norm():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc, self.norm, self.out = nn.Linear(6, 24), nn.LayerNorm(24), nn.Linear(24, 4)
            nn.init.constant_(self.norm.bias, -12.0)  # <- nn.init.zeros_(self.norm.bias)

        def forward(self, x):
            h = self.norm(self.fc(x))  # <-
            h = h.clamp(min=0)  # <-
            return self.out(h)

    return lambda net, x, y: F.cross_entropy(net(x), y), Net(), *_clusters()


@mistake("saturated", "large_initialisation", "unnormalised_inputs", outside=True)
def sigmoid_units_of_huge_weights():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc, self.out = nn.Linear(6, 24), nn.Linear(24, 4)
            with torch.no_grad():
                self.fc.weight.mul_(200)  # <- self.fc.weight.mul_(1)

        def forward(self, x):
            h = self.fc(x)  # <-
            return self.out(torch.sigmoid(h))  # <-

    return lambda net, x, y: F.cross_entropy(net(x), y), Net(), *_clusters()


@mistake("clamped", "constant_output", "output_range")
def prediction_clamped_to_an_empty_range():
    net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
    nn.init.constant_(net[2].bias, -4.0)

    def loss_fn(net, x, minutes):
        out = torch.clamp(net(x), 0.0, 60.0)  # <- out = net(x)
        return F.mse_loss(out, minutes)

    x = torch.randn(30, 5)
    return loss_fn, net, x, 3 + x[:, :1].abs()


@mistake("dropout", "wrong_mode", learns=False)
def dropout2d_active_in_evaluation():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.fc = nn.Conv2d(1, 8, 3), nn.Linear(8, 3)

        def forward(self, x):
            h = F.dropout2d(F.relu(self.conv(x)), 0.4)  # <- h = F.dropout2d(F.relu(self.conv(x)), 0.4, self.training)
            return self.fc(h.mean((2, 3)))

    net = Net()
    net.eval()
    return lambda net, x, y: F.cross_entropy(net(x), y), net, torch.randn(12, 1, 6, 6), torch.randint(0, 3, (12,))


@mistake("symmetric_units", "large_initialisation", "exploding")
def weights_all_one():
    net = nn.Sequential(nn.Linear(6, 10), nn.Tanh(), nn.Linear(10, 4))

    @torch.no_grad()
    def init(layer):
        if isinstance(layer, nn.Linear):
            layer.weight.fill_(1.0)  # <- nn.init.kaiming_uniform_(layer.weight)
            layer.bias.zero_()

    net.apply(init)

    def loss_fn(net, x, y):
        return F.cross_entropy(net(x), y)  # <-

    return loss_fn, net, *_clusters()


@mistake("vanishing")
def forty_tanh_layers_of_small_weights():
    class Deep(nn.Module):
        def __init__(self):
            super().__init__()
            self.first = nn.Linear(6, 20)
            self.layers = nn.ModuleList(nn.Linear(20, 20) for _ in range(25))  # <- 25 => 2
            self.last = nn.Linear(20, 4)
            for layer in self.layers:
                nn.init.normal_(layer.weight, std=0.05)  # <- nn.init.xavier_normal_(layer.weight)

        def forward(self, x):
            x = torch.tanh(self.first(x))  # <-
            for layer in self.layers:
                x = torch.tanh(layer(x))  # <-
            return self.last(x)  # <-

    return lambda net, x, y: F.cross_entropy(net(x), y), Deep(), *_clusters()


@mistake("exploding", "not_finite", "no_nonlinearity")
def recurrence_that_doubles():
    class Linear(nn.Module):
        def __init__(self):
            super().__init__()
            self.inp, self.out = nn.Linear(2, 8), nn.Linear(8, 1)
            self.rec = nn.Parameter(2.5 * torch.eye(8))  # <- self.rec = nn.Parameter(0.5 * torch.eye(8))

        def forward(self, x):
            h = torch.zeros(len(x), 8)
            for t in range(x.shape[1]):
                h = self.inp(x[:, t]) + h @ self.rec  # <- h = torch.tanh(self.inp(x[:, t]) + h @ self.rec)
            return self.out(h)  # <-

    def loss_fn(net, x, y):
        return (net(x) - y).abs().mean()  # <-

    x = torch.randn(10, 40, 2)
    return loss_fn, Linear(), x, x[:, -1, :1]


@mistake("large_initialisation", "saturated", "exploding", outside=True)
def uniform_weights_from_minus_five_to_five():
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.w1 = nn.Parameter(torch.empty(128, 64).uniform_(-5, 5))  # <- 5, 5 => 0.1, 0.1
            self.w2 = nn.Parameter(torch.empty(64, 2).uniform_(-5, 5))  # <- 5, 5 => 0.1, 0.1

        def forward(self, x):
            h = torch.relu(x @ self.w1)  # <-
            return h @ self.w2  # <-

    x = torch.randn(30, 128)
    return lambda net, x, y: F.cross_entropy(net(x), y), Net(), x, (x[:, 0] > 0).long()


@mistake("unnormalised_inputs", "exploding", outside=True)
def prices_in_the_millions_beside_ratios():
    net = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))

    def loss_fn(net, table, y):
        return F.mse_loss(net(table), y)  # <- return F.mse_loss(net((table - table.mean(0)) / table.std(0)), y)

    ratios = torch.rand(30, 3)
    table = torch.cat([ratios, 1e6 * (1 + torch.rand(30, 1))], dim=1)  # <-
    return loss_fn, net, table, ratios[:, :1]


@mistake("underflow", "not_finite", "vanishing", "missing_log", "constant_output")
def likelihood_multiplied_in_half_precision():
    net = nn.Linear(6, 4).half()  # <- net = nn.Linear(6, 4)

    def likelihood(net, x, label):
        p = F.softmax(net(x), dim=1)  # <- p = F.log_softmax(net(x.float()), dim=1)
        p = p[torch.arange(len(label)), label]  # <-
        return 1 - p.prod()  # <- return -p.mean()

    x, label = _clusters()
    return likelihood, net, x.half(), label


@mistake("not_finite")
def deviation_of_a_single_reward():
    policy = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))

    def loss_fn(policy, state, action, rewards):
        advantage = (rewards - rewards.mean()) / (rewards.std() + 1e-8)  # <- advantage = rewards - 0.5
        logp = F.log_softmax(policy(state), dim=1).gather(1, action)
        return -(logp.squeeze(1) * advantage).mean()

    return loss_fn, policy, torch.randn(1, 4), torch.tensor([[1]]), torch.tensor([1.0])


@mistake("not_finite")
def log_of_one_minus_a_saturated_sigmoid():
    net = nn.Linear(5, 1)
    nn.init.constant_(net.bias, 20.0)  # <- 20.0 => 0.0

    def bce(net, x, y):
        p = torch.sigmoid(net(x))
        return -(y * torch.log(p) + (1 - y) * torch.log(1 - p)).mean()  # <- return F.binary_cross_entropy(p, y)

    x = torch.randn(30, 5)
    return bce, net, x, (x[:, :1] > 0).float()


@mistake("not_finite")
def row_of_attention_fully_masked():
    class Pool(nn.Module):
        def __init__(self):
            super().__init__()
            self.score, self.out = nn.Linear(4, 1), nn.Linear(4, 2)

        def forward(self, x, present):
            scores = self.score(x).squeeze(-1).masked_fill(~present, float("-inf"))  # <- float("-inf") => -1e4
            weights = scores.softmax(dim=1)  # <-
            return self.out((weights.unsqueeze(-1) * x).sum(1))

    x = torch.randn(8, 5, 4)
    present = torch.rand(8, 5) > 0.3
    present[3] = False
    return lambda net, x, m, y: F.cross_entropy(net(x, m), y), Pool(), x, present, (x[:, 0, 0] > 0).long()


@mistake("not_finite")
def power_of_one_half_at_zero():
    net = nn.Linear(5, 1, bias=False)

    def loss_fn(net, x, y):
        energy = net(x)[:, 0].abs()
        return ((energy**0.5 - y) ** 2).mean()  # <- return (((energy + 1e-4) ** 0.5 - y) ** 2).mean()

    x = torch.randn(30, 5)
    x[7] = 0
    return loss_fn, net, x, 2 * x[:, 2].abs().sqrt()


@mistake("ignores_inputs", "constant_output")
def noise_fed_instead_of_the_picture():
    net = nn.Sequential(nn.Linear(9, 16), nn.ReLU(), nn.Linear(16, 2))

    def loss_fn(net, pictures, label):
        x = torch.ones_like(pictures)  # <- x = pictures
        return F.cross_entropy(net(x.flatten(1)), label)  # <-

    pictures = torch.randn(20, 3, 3)
    return loss_fn, net, pictures, (pictures[:, 1, 1] > 0).long()


@mistake("constant_output", "ignores_inputs", "wrong_axis")
def direction_of_a_single_number():
    net = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1), nn.Softplus())

    def loss_fn(net, x, y):
        z = F.normalize(net(x), dim=1)  # <- z = net(x)
        return F.mse_loss(z, y)

    x = torch.randn(30, 5)
    return loss_fn, net, x, x[:, :1].abs()
