"""GRUCell and SelfAttention: links for sequences."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..engine.backend import as_array
from ..functions import matmul, sigmoid, softmax, swapaxes, tanh
from .linear import Linear, check_size
from .link import Link


class GRUCell(Link):
    """One step of a gated recurrent unit.

    With the input ``x`` and the state ``h``::

        r = sigmoid(W_r x + U_r h)            what of the state the candidate sees
        z = sigmoid(W_z x + U_z h)            how much of the state stays
        c = tanh(W_h x + U_h (r * h))         the candidate
        h' = z * h + (1 - z) * c

    Parameters
    ----------
    in_size : int or None
        With None it is taken from the first input.
    out_size : int
        Length of the state.

    References
    ----------
    K. Cho et al., "Learning phrase representations using RNN encoder-decoder", 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> cell = L.GRUCell(None, 4)
    >>> x = np.ones((2, 3), np.float32)
    >>> h = cell(x)
    >>> cell(x, h).shape
    (2, 4)
    """

    def __init__(self, in_size: int | None, out_size: int) -> None:
        super().__init__()
        self.out_size = check_size("GRUCell", "out_size", out_size)
        self.W_r, self.U_r = Linear(in_size, out_size), Linear(out_size, out_size, nobias=True)
        self.W_z, self.U_z = Linear(in_size, out_size), Linear(out_size, out_size, nobias=True)
        self.W_h, self.U_h = Linear(in_size, out_size), Linear(out_size, out_size, nobias=True)

    def forward(self, x: Any, h: Any = None) -> Any:
        """The next state, of shape ``(batch, out_size)``; without ``h`` the state before is 0."""
        if h is None:
            data = as_array(getattr(x, "array", x), "GRUCell: x")
            h = self.xp.zeros((*data.shape[:-1], self.out_size), data.dtype)
        r = sigmoid(self.W_r(x) + self.U_r(h))
        z = sigmoid(self.W_z(x) + self.U_z(h))
        c = tanh(self.W_h(x) + self.U_h(r * h))
        return z * h + (1 - z) * c


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
