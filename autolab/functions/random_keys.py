"""``autolab.random``: JAX's random numbers, which follow from a key alone; NumPy draws them, so they are not JAX's.

`autolab.randn` and its like draw from ``config.rng`` instead, one after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Key = np.random.SeedSequence


def key(seed: int) -> Key:
    """A key for the functions of this module.

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
    """Another key, one for each number."""
    return Key(key.entropy, spawn_key=(*key.spawn_key, int(data)))


def split(key: Key, num: int = 2) -> list[Key]:
    """Keys that are independent of each other."""
    return [fold_in(key, i) for i in range(num)]


def _drawing(draw: Callable[..., Any]) -> Callable[..., Any]:
    def function(key: Key, *args: Any, **settings: Any) -> Any:
        return draw(np.random.default_rng(key), *args, **settings)

    return function


normal = _drawing(lambda rng, shape=(), dtype=float: np.asarray(rng.standard_normal(shape), dtype))
randint = _drawing(lambda rng, shape, minval, maxval: rng.integers(minval, maxval, shape))
bernoulli = _drawing(lambda rng, p=0.5, shape=None: rng.random(np.shape(p) if shape is None else shape) < p)
permutation = _drawing(lambda rng, x, axis=0: rng.permutation(x, axis))
choice = _drawing(lambda rng, a, shape=(), replace=True, p=None: rng.choice(a, shape, replace, p))
uniform = _drawing(
    lambda rng, shape=(), dtype=float, minval=0.0, maxval=1.0: np.asarray(rng.uniform(minval, maxval, shape), dtype)
)
