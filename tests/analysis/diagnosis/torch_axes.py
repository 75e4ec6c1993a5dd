"""Programs in PyTorch for images and words whose axes are mistaken, and healthy ones like them."""

from __future__ import annotations

import copy

import torch
import torch.nn.functional as F
from torch import nn

from diagnosis.case import healthy, mistake


def _scenes():
    x = torch.randn(4, 3, 6, 7)
    return nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 3, 1)), x, (x[:, 0] > 0).long()


@mistake("wrong_axis")
def segmentation_with_a_softmax_over_the_width():
    def loss_fn(net, x, t):
        log_p = F.log_softmax(net(x), dim=-1)  # <- log_p = F.log_softmax(net(x), dim=1)
        return F.nll_loss(log_p, t)

    return loss_fn, *_scenes()


@mistake("wrong_axis")
def segmentation_with_a_softmax_over_the_height():
    net, x, t = _scenes()
    model = nn.Sequential(net, nn.LogSoftmax(dim=2))  # <- dim=2 => dim=1

    def loss_fn(model, x, t):
        return F.nll_loss(model(x), t)  # <-

    return loss_fn, model, x, t


@mistake("softmax_over_batch")
def segmentation_with_a_softmax_over_the_examples():
    def loss_fn(net, x, t):
        return F.nll_loss(F.log_softmax(net(x), dim=0), t)  # <- return F.nll_loss(F.log_softmax(net(x), dim=1), t)

    return loss_fn, *_scenes()


@mistake("cut_gradient")
def q_values_through_argmax_beside_a_target_network():
    net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
    target = copy.deepcopy(net)

    def loss_fn(net, target, s, r, s2):
        q = net(s).argmax(1).float()  # <- q = net(s).max(1).values
        with torch.no_grad():
            y = r + 0.9 * target(s2).max(1).values
        return F.smooth_l1_loss(q, y)

    s = torch.randn(16, 4)
    return loss_fn, net, target, s, s[:, 0], torch.randn(16, 4)


class Reader(nn.Module):
    def __init__(self, batch_first):
        super().__init__()
        self.embed, self.lstm = nn.Embedding(12, 8), nn.LSTM(8, 16, batch_first=batch_first)
        self.out = nn.Linear(16, 3)


@mistake("mixed_examples")
def batch_first_forgotten_for_words():
    class Last(Reader):
        def forward(self, words):
            h, _ = self.lstm(self.embed(words))  # <-
            return self.out(h[:, -1])

    def loss_fn(net, words, t):
        return F.cross_entropy(net(words), t)

    words = torch.randint(0, 12, (6, 9))
    return loss_fn, Last(False), words, words[:, -1] % 3  # <- Last(False) => Last(True)


@healthy
def tagger_of_words_with_time_first():
    class Tagger(Reader):
        def forward(self, words):
            return self.out(self.lstm(self.embed(words))[0])

    def loss_fn(net, words, t):
        return F.cross_entropy(net(words).transpose(1, 2), t)

    words = torch.randint(0, 12, (9, 6))
    return loss_fn, Tagger(False), words, words % 3


class Language(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.query, self.out = nn.Embedding(20, 8), nn.Linear(8, 8), nn.Linear(8, 20)

    def forward(self, words):
        x = self.embed(words)
        scores = self.query(x) @ x.transpose(1, 2) / 8**0.5
        later = torch.ones(words.shape[1], words.shape[1]).triu(1).bool()
        return self.out(x + scores.masked_fill(later, -1e9).softmax(-1) @ x)


def _words():
    return (torch.arange(9)[None] + torch.arange(6)[:, None] * 3) % 19 + 1


@healthy
def labels_padded_and_shifted():
    def loss_fn(net, ids, labels):
        scores = net(ids)
        labels = F.pad(labels, (0, 1), value=-100)[..., 1:].contiguous()
        return F.cross_entropy(scores.view(-1, 20), labels.view(-1), ignore_index=-100)

    return loss_fn, Language(), _words(), _words()


@healthy
def labels_shifted_beside_words():
    def loss_fn(net, ids, labels):
        scores = net(ids)[:, :-1]
        return F.cross_entropy(scores.reshape(-1, 20), labels[:, 1:].reshape(-1))

    return loss_fn, Language(), _words(), _words()


@mistake("shuffled_labels")
def labels_of_other_sentences():
    def loss_fn(net, ids, labels):
        scores = net(ids)[:, :-1]
        labels = labels.flip(0)[:, 1:]  # <- labels = labels[:, 1:]
        return F.cross_entropy(scores.reshape(-1, 20), labels.reshape(-1))  # <-

    return loss_fn, Language(), _words(), _words()


def _contrast(mask):
    def loss_fn(net, x):
        a, b = (F.normalize(net(x + 0.1 * torch.randn_like(x)), dim=1) for _ in range(2))
        z = torch.cat([a, b])
        return F.cross_entropy(mask(z @ z.T / 0.5), torch.cat([torch.arange(16) + 16, torch.arange(16)]))

    return loss_fn, nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 3)), torch.randn(16, 8)


@healthy
def own_similarities_filled():
    return _contrast(lambda s: s.fill_diagonal_(-1e9))


@healthy
def own_similarities_assigned():
    def mask(s):
        s = s.clone()
        s[torch.arange(32), torch.arange(32)] = -1e9
        return s

    return _contrast(mask)


@healthy
def own_similarities_scattered():
    own = torch.arange(32)[:, None]
    return _contrast(lambda s: s.scatter(1, own, -1e9))
