"""SelfAttention: a link for sequences whose places look at each other."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..functions import matmul, softmax, swapaxes
from .linear import Linear, check_size
from .link import Link


class SelfAttention(Link):
    """Every place of a sequence looks at all places, weighs them, and takes their mean.

    ``softmax(Q K^T / sqrt(size)) V`` with ``Q``, ``K`` and ``V`` linear in the input, and one more linear map.

    Parameters
    ----------
    size : int
        Length of the last axis.
    causal : bool
        Let no place look at those behind it.

    Attributes
    ----------
    weights : array or None
        How much each place looked at each in the last call, of shape ``(batch, length, length)``.

    References
    ----------
    A. Vaswani et al., "Attention is all you need", 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> attention = L.SelfAttention(4, causal=True)
    >>> attention(np.ones((2, 3, 4), np.float32)).shape, attention.weights.shape
    ((2, 3, 4), (2, 3, 3))
    """

    def __init__(self, size: int, causal: bool = False) -> None:
        super().__init__()
        size = check_size("SelfAttention", "size", size)
        self.size, self.causal = size, causal
        self.query, self.key = Linear(size, size), Linear(size, size)
        self.value, self.out = Linear(size, size), Linear(size, size)
        self.weights = None

    def forward(self, x: Any) -> Any:
        """What is seen from every place, for ``x`` of shape ``(batch, length, size)``."""
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = matmul(q, swapaxes(k, axis1=-1, axis2=-2)) / math.sqrt(self.size)
        if self.causal:
            length = scores.shape[-1]
            scores = scores + self.xp.triu(self.xp.full((length, length), -np.inf, scores.dtype), 1)
        weights = softmax(scores, axis=-1)
        self.weights = weights.data
        return self.out(matmul(weights, v))

    def extra_repr(self) -> str:
        return f"{self.size}" + (", causal=True" if self.causal else "")
