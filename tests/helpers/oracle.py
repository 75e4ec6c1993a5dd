"""Derivatives of any order from two engines: AutoLab, and HIPS autograd as the independent one.

Both follow the same plan. Order 1 is the gradient of ``sum(w * fn(*arrays))``; order n + 1 is the gradient of the
sum of ``v * g`` over the gradients ``g`` of order n, each with a random weight ``v``. From order 2 on ``w`` itself
is differentiated too.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import autograd
import autograd.numpy as anp
import numpy as np

import autolab
from autolab import Variable
from autolab import functions as F

Arrays = Sequence[np.ndarray]


class Weights:
    """The random weights of one comparison, the same for both engines."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def like(self, order: int, i: int, shape: tuple[int, ...]) -> np.ndarray:
        return np.random.default_rng([self._seed, order, i]).uniform(0.5, 1.5, shape)


def ours(
    fn: Callable[..., Variable], arrays: Arrays, order: int, weights: Weights
) -> list[tuple[Variable | None, ...]]:
    """Gradients of order 1 to ``order``; None where there is no dependence."""
    xs = [Variable(a) for a in arrays]
    y = fn(*xs)
    w = Variable(weights.like(0, 0, y.shape).astype(y.dtype))
    gradients = [autolab.grad(y, xs, w, create_graph=order > 1)]
    for n in range(1, order):
        terms = [
            F.sum(g * weights.like(n, i, g.shape).astype(g.dtype))
            for i, g in enumerate(gradients[-1])
            if g is not None and g.requires_grad
        ]
        gradients.append(autolab.grad(terms, [w, *xs], create_graph=n + 1 < order))
    return gradients


def reference(fn: Callable[..., Any], arrays: Arrays, order: int, weights: Weights) -> list[tuple[np.ndarray, ...]]:
    """The same from HIPS autograd in float64; zeros where there is no dependence."""
    arrays = [np.asarray(a, np.float64) for a in arrays]
    w = weights.like(0, 0, np.shape(fn(*arrays)))

    def start(w: Any, *xs: Any) -> Any:
        return anp.sum(w * fn(*xs))

    everything = tuple(range(len(arrays) + 1))
    levels = [autograd.grad(start, everything[1:])]
    for n in range(1, order):
        levels.append(autograd.grad(_weighted_sum(levels[-1], n, weights), everything))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Output seems independent of input")
        return [level(w, *arrays) for level in levels]


def _weighted_sum(gradient: Callable[..., Any], n: int, weights: Weights) -> Callable[..., Any]:
    def total(w: Any, *xs: Any) -> Any:
        return sum(anp.sum(g * weights.like(n, i, np.shape(g))) for i, g in enumerate(gradient(w, *xs)))

    return total


def zeros_for_none(gradients: Sequence[Variable | None], shapes: Sequence[tuple[int, ...]]) -> list[np.ndarray]:
    """The arrays of ``gradients``."""
    return [np.zeros(s) if g is None else g.data for g, s in zip(gradients, shapes, strict=True)]
