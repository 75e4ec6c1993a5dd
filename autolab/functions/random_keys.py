"""``autolab.random``: random numbers determined by a key, as in JAX; NumPy draws them, so they differ from JAX's.

`autolab.randn` and similar functions draw from the generator ``config.rng`` instead, which changes with each call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

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
