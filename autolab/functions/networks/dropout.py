"""dropout: sets elements to 0 at random during training."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import Array, check_rng, config, elementwise, get_array_module, takes_other_words
from ...engine.arrays import generator


@takes_other_words
def dropout(x: Any, ratio: float = 0.5, *, rng: np.random.Generator | None = None, training: bool | None = None) -> Any:
    """In training mode, set each element to 0 with probability ``ratio`` and divide the others by ``1 - ratio``.

    In test mode, and with a ratio of 0, the result is ``x`` itself. The mask is drawn once per call and is used for
    gradients of every order.

    Parameters
    ----------
    x : Variable or array
    ratio : float
        Dropout probability, at least 0 and below 1.
    rng : numpy.random.Generator, optional
        Defaults to ``config.rng``. For an input on a GPU it seeds a generator there: the same seed gives the same mask
        again, but not the one that the CPU draws.
    training : bool, optional
        Defaults to ``config.train``, which `autolab.test_mode` switches off.

    Raises
    ------
    ValueError
        If the ratio is out of range.

    Notes
    -----
    N. Srivastava et al., "Dropout: a simple way to prevent neural networks from overfitting", 2014.

    Examples
    --------
    >>> import numpy as np, autolab
    >>> from autolab import Variable, functions as F
    >>> F.dropout(Variable([1.0, 2.0, 3.0, 4.0]), rng=np.random.default_rng(0))
    variable([2. 0. 0. 0.])
    >>> with autolab.test_mode():
    ...     F.dropout(Variable([1.0, 2.0, 3.0, 4.0]))
    variable([1. 2. 3. 4.])
    """
    check_ratio("dropout", ratio)
    check_rng("dropout", rng)
    if ratio == 0 or not (config.train if training is None else training):
        return x
    kept = generator(get_array_module(x), config.rng if rng is None else rng).random(np.shape(x)) >= ratio
    return _dropout(x, kept, scale=1 / (1 - ratio))


def check_ratio(who: str, ratio: Any) -> float:
    """Return ``ratio`` if it is valid, else raise an error that names it."""
    if not isinstance(ratio, int | float | np.number) or not 0 <= ratio < 1:
        raise ValueError(f"{who}: ratio is {ratio!r:.60}; expected a number of at least 0 and below 1")
    return ratio  # type: ignore[return-value]


@elementwise(name="dropout")
def _dropout(xp: Any, x: Array, kept: Array, *, scale: float) -> Array:
    return x * kept * scale


@_dropout.vjp("x")
def _dropout_x(g: Any, kept: Array, scale: float) -> Any:
    """g * kept * scale

    Here ``kept`` is 1 where the element was kept, else 0, and ``scale`` is ``1 / (1 - ratio)``.
    """
    return g * kept * scale
