"""Mistakes as students make them, one by one: a right forward, a backward with one mistake, and what names it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from check_subjects import node

from autolab import check_gradients

Rule = Callable[..., Any]
Draw = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


@dataclass(frozen=True)
class Hidden:
    """``kinds`` are the findings that are right, ``says`` what the message of the very mistake contains (a pattern)."""

    name: str
    forward: Rule
    wrong: Rule
    shapes: tuple[tuple[int, ...], ...]
    kinds: tuple[str, ...]
    says: str
    draw: Draw

    def judged(self, seed: int) -> tuple[tuple[bool, bool, bool], str]:
        """Whether it is caught, of the right kind, and named; and the report."""
        rng = np.random.default_rng([seed, *self.name.encode()])
        report = check_gradients(node(self.forward, self.wrong), *[self.draw(rng, shape) for shape in self.shapes])
        blamed = [f for f in report.findings if not f.innocent]
        kind = any(f.kind in self.kinds for f in blamed)
        very = any(re.search(self.says, str(f)) for f in blamed if f.kind in self.kinds)
        return (report.verdict == "wrong", kind, very), str(report)


def usual(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return np.asarray(rng.normal(size=shape))


def positive(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return np.asarray(rng.uniform(0.3, 2, shape))


def away(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers of both signs that keep away from 0."""
    return positive(rng, shape) * rng.choice((-1.0, 1.0), shape)


def mistake(
    name: str, forward: Rule, wrong: Rule, shapes: Sequence[tuple[int, ...]], kinds: Sequence[str], says: str,
    draw: Draw = usual,
) -> Hidden:  # fmt: skip
    return Hidden(name, forward, wrong, tuple(shapes), tuple(kinds), says, draw)


# ---------------------------------------------------------------------- what the mistakes are made of
def rowsum(a):
    return a.sum(axis=-1, keepdims=True)


def rowmean(a):
    return a.mean(axis=-1, keepdims=True)


def centred(a):
    return a - rowmean(a)


def rms(a):
    return a / np.sqrt(rowmean(a * a))


def softmax(a):
    e = np.exp(a - a.max(axis=-1, keepdims=True))
    return e / rowsum(e)


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def phi(a):
    return np.exp(-a * a / 2) / math.sqrt(2 * math.pi)


_erf = np.vectorize(math.erf, otypes=[float])


def gauss_cdf(a):
    return 0.5 * (1 + _erf(a / math.sqrt(2)))


def one_hot(labels: Sequence[int], count: int) -> np.ndarray:
    return np.eye(count)[list(labels)]


# ---------------------------------------------------------------------- counts
def counts(hidden: Sequence[Hidden], seeds: Sequence[int], verbose: bool = False) -> tuple[int, int, int, int]:
    """All draws; caught, the right kind, the very mistake."""
    total = np.zeros(4, int)
    for h in hidden:
        for seed in seeds:
            judged, text = h.judged(seed)
            total += [1, *map(int, judged)]
            if verbose and not all(judged):
                print(f"--- {h.name} {seed} {judged} {h.kinds} {h.says}\n{text}")
    return tuple(map(int, total))  # type: ignore[return-value]
