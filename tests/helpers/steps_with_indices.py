"""Losses of training steps as people write them: labels, masks and counts select, compare and count.

Each takes scores ``s`` (a Variable, n by k), the labels ``t``, the input ``x`` and ``w``, a world with constants.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

import autolab
from autolab import functions as F

K = 4

EYE = np.eye(K)
HALVES = np.eye(K, dtype="f")
WEIGHTS = np.array([0.5, 2.0, 1.0, 0.25], "f")
TABLES = (np.arange(K * K, dtype="f").reshape(K, K), [np.array([3, 0, 2, 1])])
NEXT = {"next": np.array([1, 2, 3, 0])}


def reinforce(s: Any, t: Any, x: Any, w: Any) -> Any:
    logp = F.log_softmax(s)
    noise = autolab.config.rng.gumbel(size=s.shape)
    actions = (s.data + noise).argmax(axis=1)
    reward = (actions == t).astype("f")
    advantage = reward - reward.mean()
    return -F.mean(logp[np.arange(len(actions)), actions] * advantage)


def deep_q(s: Any, t: Any, x: Any, w: Any) -> Any:
    q = s[np.arange(s.shape[0]), t]
    best = s.data[::-1].max(axis=1)
    done = t == 0
    target = x[:, 0] + np.float32(0.9) * best * ~done
    return F.mean((q - target) ** 2)


def double_q(s: Any, t: Any, x: Any, w: Any) -> Any:
    greedy = np.argmax(s.data, axis=1)
    target = np.take_along_axis(s.data[::-1], greedy[:, None], axis=1)[:, 0]
    return F.mean(F.abs(F.take_along_axis(s, t[:, None], 1)[:, 0] - target))


def hard_triplets(s: Any, t: Any, x: Any, w: Any) -> Any:
    d = F.sum((s[:, None] - s[None]) ** 2, axis=2)
    same = t[:, None] == t[None]
    far = np.where(same, d.data, -np.inf).argmax(axis=1)
    near = np.where(same, np.inf, d.data).argmin(axis=1)
    i = np.arange(len(t))
    return F.mean(F.relu(d[i, far] - d[i, near] + 0.2))


def masked_language(s: Any, t: Any, x: Any, w: Any) -> Any:
    chosen = autolab.config.rng.random(t.shape) < 0.5
    return F.sum(F.softmax_cross_entropy(s, t, reduction="none") * chosen) / np.maximum(chosen.sum(), 1)


def only_masked(s: Any, t: Any, x: Any, w: Any) -> Any:
    mask = t != 1
    return F.softmax_cross_entropy(s[mask], t[mask])


def without_padding(s: Any, t: Any, x: Any, w: Any) -> Any:
    keep = (t != 0).astype("f")
    return F.sum(-F.log_softmax(s)[np.arange(len(t)), t] * keep) / keep.sum()


def smooth(s: Any, t: Any, x: Any, w: Any) -> Any:
    target = np.eye(K, dtype="f")[t] * np.float32(0.9) + np.float32(0.1 / K)
    return -F.mean(F.sum(F.log_softmax(s) * target, axis=1))


def focal(s: Any, t: Any, x: Any, w: Any) -> Any:
    logp = F.log_softmax(s)[np.arange(t.shape[0]), t]
    return -F.mean((1 - F.exp(logp)) ** 2 * logp * WEIGHTS[t])


def each_class(s: Any, t: Any, x: Any, w: Any) -> Any:
    total = 0.0
    for k in range(K):
        total = total + F.sum(s * (t == k)[:, None]) / (1 + np.count_nonzero(t == k))
    return total


def balanced(s: Any, t: Any, x: Any, w: Any) -> Any:
    counts = np.bincount(t, minlength=K)
    return F.mean(-F.log_softmax(s)[np.arange(len(t)), t] / counts[t])


def cutmix(s: Any, t: Any, x: Any, w: Any) -> Any:
    order = autolab.config.rng.permutation(len(t))
    return 0.7 * F.softmax_cross_entropy(s, t) + 0.3 * F.softmax_cross_entropy(s, t[order])


def dropped(s: Any, t: Any, x: Any, w: Any) -> Any:
    keep = autolab.config.rng.random(s.shape) < 0.8
    return F.softmax_cross_entropy(s * keep / np.float32(0.8), t)


def scheduled(s: Any, t: Any, x: Any, w: Any) -> Any:
    own = autolab.config.rng.random(len(t)) < 0.5
    return F.softmax_cross_entropy(s, np.where(own, s.data.argmax(1), t))


def pseudo_labels(s: Any, t: Any, x: Any, w: Any) -> Any:
    p = F.softmax(s.data)
    sure = p.max(axis=1) > 0.3
    return F.sum(F.softmax_cross_entropy(s, p.argmax(axis=1), reduction="none") * sure) / (1 + sure.sum())


def mined(s: Any, t: Any, x: Any, w: Any) -> Any:
    each = F.softmax_cross_entropy(s, t, reduction="none")
    worst = np.argsort(each.data)[-3:]
    return F.mean(each[worst])


def ranked(s: Any, t: Any, x: Any, w: Any) -> Any:
    order = np.argsort(t, kind="stable")
    ordered = s[order]
    return F.mean(F.relu(1 - (ordered[1:] - ordered[:-1])))


def centers(s: Any, t: Any, x: Any, w: Any) -> Any:
    return F.mean((s - TABLES[0][t]) ** 2)


def looped(s: Any, t: Any, x: Any, w: Any) -> Any:
    total = 0.0
    for i in range(len(t)):
        total = total - F.log_softmax(s)[i, t[i]]
    return total / len(t)


def over_labels(s: Any, t: Any, x: Any, w: Any) -> Any:
    return sum([F.sum(s[:, k]) for k in t]) / len(t)


def margin(s: Any, t: Any, x: Any, w: Any) -> Any:
    i = np.arange(len(s))
    right = s[i, t]
    others = F.max(s - 1e4 * F.one_hot(t, K), axis=1)
    return F.mean(F.relu(1 + others - right))


def contrastive(s: Any, t: Any, x: Any, w: Any) -> Any:
    z = s / F.sqrt(F.sum(s**2, axis=1, keepdims=True) + 1e-6)
    similar = z @ z.T
    positive = (t[:, None] == t[None, :]) & ~np.eye(len(t), dtype=bool)
    logp = F.log_softmax(similar - 1e4 * np.eye(len(t), dtype="f"), axis=1)
    return -F.sum(logp * positive) / np.maximum(positive.sum(), 1)


def transitions(s: Any, t: Any, x: Any, w: Any) -> Any:
    return -F.sum(s[np.arange(len(t) - 1), t[:-1]] * TABLES[0][t[:-1], t[1:]]) / len(t)


def scored(s: Any, t: Any, x: Any, w: Any) -> Any:
    hits = (s.data.argmax(axis=-1) == t).sum()
    return F.softmax_cross_entropy(s, t) * (1 + hits / len(t))


def with_one_more(s: Any, t: Any, x: Any, w: Any) -> Any:
    return F.softmax_cross_entropy(s, (t + 1) % K) + F.softmax_cross_entropy(s, NEXT["next"][t])


LOSSES: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "fancy": lambda s, t, x, w: -F.mean(F.log_softmax(s)[np.arange(len(t)), t]),
    "fancy, range": lambda s, t, x, w: -F.mean(F.log_softmax(s)[range(len(t)), t]),
    "fancy of a list": lambda s, t, x, w: -F.mean(F.log_softmax(s)[list(range(len(t))), t]),
    "mask": lambda s, t, x, w: F.sum(s[t > 1] ** 2),
    "mask of the mean": lambda s, t, x, w: F.mean(s[t != 2]),
    "mask of both": lambda s, t, x, w: F.sum(F.softmax(s)[(t > 0) & (t < 3)]),
    "mask of the scores": lambda s, t, x, w: F.sum(s[s.data > 0]) / 8,
    "two masks": lambda s, t, x, w: F.sum(s[t == 1]) * F.sum(s[t == 2]),
    "one_hot": lambda s, t, x, w: -F.mean(F.sum(F.log_softmax(s) * F.one_hot(t, K), axis=1)),
    "eye": lambda s, t, x, w: -F.sum(F.log_softmax(s) * np.eye(K)[t]),
    "eye of float32": lambda s, t, x, w: F.mean((F.softmax(s) - np.eye(K, dtype=np.float32)[t]) ** 2),
    "identity": lambda s, t, x, w: F.sum(s * np.identity(K, "f")[t]),
    "eye outside": lambda s, t, x, w: -F.sum(F.log_softmax(s) * HALVES[t]) + F.sum(s * EYE[t]),
    "eye of the world": lambda s, t, x, w: F.sum(s * w.eye[t]) + F.sum(s * w.held["eye"][t]),
    "table in a tuple": lambda s, t, x, w: F.softmax_cross_entropy(s, TABLES[1][0][t]),
    "array of weights": lambda s, t, x, w: F.mean(np.array([1.0, 2.0, 0.5, 3.0])[t] * s[:, 0]),
    "weights by label": lambda s, t, x, w: F.sum(WEIGHTS[t] * F.softmax_cross_entropy(s, t, reduction="none")),
    "np.take of weights": lambda s, t, x, w: F.sum(np.take(WEIGHTS, t) * s[:, 1]),
    "np.take": lambda s, t, x, w: F.sum(np.take(s, t, axis=1)),
    "take_along_axis": lambda s, t, x, w: F.sum(F.take_along_axis(s, t[:, None], 1)),
    "np.take_along_axis": lambda s, t, x, w: F.sum(np.take_along_axis(s, t[:, None], 1) ** 2),
    "argmax": lambda s, t, x, w: F.sum(s[t.argmax()]) + F.sum(s[np.argmin(t)]),
    "argmax of the scores": lambda s, t, x, w: F.softmax_cross_entropy(s, s.data.argmax(axis=1)),
    "argsort": lambda s, t, x, w: F.sum(s[np.argsort(t)[:2]]),
    "largest": lambda s, t, x, w: F.sum(s * (t == t.max())[:, None]),
    "np.where": lambda s, t, x, w: F.sum(s[np.where(t == 1)]),
    "np.where of three": lambda s, t, x, w: F.sum(F.where((t == 1)[:, None], s, s * 0.1)),
    "flatnonzero": lambda s, t, x, w: F.sum(s[np.flatnonzero(t >= 2)] ** 2),
    "nonzero": lambda s, t, x, w: F.sum(s[t.nonzero()]),
    "cross_entropy": lambda s, t, x, w: F.cross_entropy(s, (t + 1) % K),
    "first label": lambda s, t, x, w: F.sum(s[t[0]]) + F.sum(s[:, t[-1]]),
    "bincount": lambda s, t, x, w: F.sum(s * np.bincount(t, minlength=K)),
    "unique": lambda s, t, x, w: F.sum(s[:, np.unique(t)]),
    "unique, inverse": lambda s, t, x, w: F.sum(s[np.unique(t, return_inverse=True)[1].reshape(-1)]),
    "count": lambda s, t, x, w: F.sum(s) / (t > 0).sum(),
    "count_nonzero": lambda s, t, x, w: F.sum(s) / np.count_nonzero(t),
    "length": lambda s, t, x, w: F.sum(s) / len(t[t > 0]) if len(t[t > 0]) else F.sum(s),
    "slice": lambda s, t, x, w: F.mean(s[: t[0] + 1]),
    "slice by a length": lambda s, t, x, w: F.mean(s[: len(t) // 2]),
    "arange of a label": lambda s, t, x, w: F.sum(s[np.arange(t[0] + 1)]),
    "cumulative": lambda s, t, x, w: F.sum(s * (np.cumsum(t) % 2)[:, None]),
    "repeat": lambda s, t, x, w: F.sum(np.repeat(s, t, axis=0)),
    "searchsorted": lambda s, t, x, w: F.sum(s[np.arange(len(t)), np.searchsorted(np.arange(K), t)]),
    "isin": lambda s, t, x, w: F.sum(s * np.isin(t, [0, 2])[:, None]),
    "embedding": lambda s, t, x, w: F.sum(s * F.embedding(t, EYE)),
    "negative": lambda s, t, x, w: F.sum(s[np.arange(len(t)), -t]),
    "boolean column": lambda s, t, x, w: F.sum(s[:, np.bincount(t, minlength=K) > 1]),
    "assigned": lambda s, t, x, w: F.sum(s * assigned(t)),
    "linalg": lambda s, t, x, w: F.sum(s @ np.linalg.inv(np.eye(K) + np.eye(K)[t].T @ np.eye(K)[t])),
    **{
        one.__name__: one
        for one in (
            *(reinforce, deep_q, double_q, hard_triplets, masked_language, only_masked, without_padding, smooth, focal),
            *(each_class, balanced, cutmix, dropped, scheduled, pseudo_labels, mined, ranked, centers, looped),
            *(over_labels, margin, contrastive, transitions, scored, with_one_more),
        )
    },
}


def assigned(t: Any) -> Any:
    made = np.zeros((len(t), K), "f")
    made[np.arange(len(t)), t] = 1
    return made


def world() -> SimpleNamespace:
    return SimpleNamespace(eye=np.eye(K, dtype="f"), held={"eye": np.eye(K)}, labels=None)
