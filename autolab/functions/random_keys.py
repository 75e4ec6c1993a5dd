"""``autolab.random``: random numbers determined by a key, as in JAX; NumPy draws them, so they differ from JAX's.

`autolab.randn` and similar functions draw from the generator ``config.rng`` instead, which changes with each call.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from ..engine.habits import answering

Key = np.random.SeedSequence


def key(seed: int) -> Key:
    """Make a key for the functions of this module from a seed.

    Examples
    --------
    >>> from autolab import random
    >>> one, other = random.split(random.key(0))
    >>> bool((random.normal(one, (2,)) == random.normal(one, (2,))).all()), random.uniform(other, (3,)).shape
    (True, (3,))
    """
    return Key(seed)


PRNGKey = key


def fold_in(key: Key, data: int) -> Key:
    """Derive a new key from a key and an integer."""
    return Key(key.entropy, spawn_key=(*key.spawn_key, int(data)))


def split(key: Key, num: int = 2) -> list[Key]:
    """Derive ``num`` independent keys from a key."""
    return [fold_in(key, i) for i in range(num)]


def _drawing(draw: Callable[..., Any]) -> Callable[..., Any]:
    """Give the generator of a key to a function that takes one."""

    @wraps(draw)
    def function(key: Key, *args: Any, **settings: Any) -> Any:
        return draw(np.random.default_rng(key), *args, **settings)

    return function


@_drawing
def normal(key: Any, shape: Any = (), dtype: Any = float) -> Any:
    """Numbers of the standard normal distribution."""
    return np.asarray(key.standard_normal(shape), dtype)


@_drawing
def uniform(key: Any, shape: Any = (), dtype: Any = float, minval: Any = 0.0, maxval: Any = 1.0) -> Any:
    """Numbers from ``minval`` up to, but not including, ``maxval``."""
    return np.asarray(key.uniform(minval, maxval, shape), dtype)


@_drawing
def randint(key: Any, shape: Any, minval: Any, maxval: Any, dtype: Any = int) -> Any:
    """Integers from ``minval`` up to, but not including, ``maxval``."""
    return key.integers(minval, maxval, shape, dtype)


@_drawing
def bernoulli(key: Any, p: Any = 0.5, shape: Any = None) -> Any:
    """Truth values, each true with probability ``p``."""
    return key.random(np.shape(p) if shape is None else shape) < p


@_drawing
def permutation(key: Any, x: Any, axis: int = 0) -> Any:
    """An array in another order along ``axis``; for an integer, those below it."""
    return key.permutation(x, axis)


@_drawing
def choice(key: Any, a: Any, shape: Any = (), replace: bool = True, p: Any = None) -> Any:
    """Elements of an array with probabilities ``p``; for an integer, those below it."""
    return key.choice(a, shape, replace, p)


__getattr__ = answering(__name__, "random")
