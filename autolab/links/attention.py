"""Links for sequences whose places look at each other, or at another sequence."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import and_
from typing import Any

import numpy as np

from ..engine.arrays import as_array
from ..engine.keyword_aliases import takes_other_words
from ..engine.numpy_protocol import unwrap
from ..engine.variable import Variable
from ..functions import dropout, expand_dims, matmul, relu, reshape, swapaxes
from ..functions.networks.dot_product_attention import weigh
from ..functions.networks.dropout import check_ratio
from .linear import Linear, check_size, shape_of
from .link import Link
from .normalization import Dropout, LayerNormalization


class SelfAttention(Link):
    """Every place of a sequence looks at all places, weighs them, and takes their mean.

    ``softmax(Q K^T / sqrt(size)) V`` with ``Q``, ``K`` and ``V`` linear in the input, and one more linear map.

    Parameters
    ----------
    size : int
        Length of the last axis.
    causal : bool
        Let no position look at later ones.

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

    @takes_other_words
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
        weights = weigh("SelfAttention", q, k, None, self.causal)
        self.weights = weights.data
        return self.out(matmul(weights, v))

    def extra_repr(self) -> str:
        return f"{self.size}" + (", causal=True" if self.causal else "")


class MultiHeadAttention(Link):
    """Attention by several heads at once, each in its own part of the vectors: see `functions.attention`.

    Queries, keys and values are linear in the inputs and are split into ``heads`` parts; what the heads see is put
    together again and goes through one more linear map.

    Parameters
    ----------
    size : int
        Length of the last axis, a multiple of ``heads``.
    heads : int
    causal : bool
        Let no position look at later ones.
    nobias : bool
        Leave the biases of the linear maps out.
    dropout : float
        Ratio of the weights that are dropped in training.

    Attributes
    ----------
    weights : array or None
        How much each place looked at each in the last call, of shape ``(batch, heads, length, keys)``.

    References
    ----------
    A. Vaswani et al., "Attention is all you need", 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> attention, x = L.MultiHeadAttention(4, 2), np.ones((2, 3, 4), np.float32)
    >>> padded = np.array([[[True, True, False]], [[True, True, True]]])
    >>> attention(x, mask=padded).shape, attention.weights[0, 0, 0]
    ((2, 3, 4), array([0.5, 0.5, 0. ], dtype=float32))
    """

    @takes_other_words
    def __init__(self, size: int, heads: int, causal: bool = False, nobias: bool = False, dropout: float = 0.0) -> None:
        super().__init__()
        self.dropout = check_ratio("MultiHeadAttention", dropout)
        size, heads = [check_size("MultiHeadAttention", k, n) for k, n in (("size", size), ("heads", heads))]
        if size % heads:
            raise ValueError(f"MultiHeadAttention: size is {size}; expected a multiple of heads, {heads}")
        self.size, self.heads, self.causal = size, heads, causal
        self.query, self.key = Linear(size, size, nobias), Linear(size, size, nobias)
        self.value, self.out = Linear(size, size, nobias), Linear(size, size, nobias)
        self.weights: Any = None

    def forward(self, x: Any, key: Any = None, value: Any = None, mask: Any = None) -> Any:
        """What is seen from every place of ``x`` of shape ``(batch, length, size)``.

        Parameters
        ----------
        x : Variable or array
        key : Variable or array, optional
            What is looked at, of shape ``(batch, keys, size)``; by default ``x`` itself.
        value : Variable or array, optional
            What is seen there, of the same shape; by default ``key``.
        mask : Variable or array, optional
            As for `functions.attention`; it broadcasts to ``(batch, length, keys)``, or with an axis of heads behind
            the batch.
        """
        return self._attend(x, key, value, mask)[0]

    def _attend(self, x: Any, key: Any, value: Any, mask: Any) -> tuple[Any, Any]:
        """What is seen, and the weights as they are in the graph."""
        key = x if key is None else key
        value = key if value is None else value
        batches = {shape_of("MultiHeadAttention", given)[:1] for given in (x, key, value)}
        if len(batches) > 1:
            raise ValueError(f"MultiHeadAttention: got shapes that begin {batches}; expected the same batch")
        q, k, v = [self._split(*given) for given in ((self.query, x), (self.key, key), (self.value, value))]
        if mask is not None:
            mask = mask if isinstance(mask, Variable) else as_array(mask, "MultiHeadAttention: mask")
            mask = expand_dims(mask, axis=1) if mask.ndim == 3 else mask
        weights = weigh("MultiHeadAttention", q, k, mask, self.causal)
        self.weights = weights.data
        seen = swapaxes(matmul(dropout(weights, self.dropout) if self.dropout else weights, v), axis1=1, axis2=2)
        return self.out(reshape(seen, shape=(*seen.shape[:2], self.size))), weights

    def _split(self, linear: Linear, x: Any) -> Any:
        """What a linear map makes of ``x``, of shape ``(batch, heads, length, size / heads)``."""
        shape = shape_of("MultiHeadAttention", x)
        if len(shape) != 3 or shape[-1] != self.size:
            raise ValueError(f"MultiHeadAttention: got shape {shape}; expected (batch, length, {self.size})")
        parts = reshape(linear(x), shape=(*shape[:2], self.heads, self.size // self.heads))
        return swapaxes(parts, axis1=1, axis2=2)

    def extra_repr(self) -> str:
        return f"{self.size}, {self.heads}" + (", causal=True" if self.causal else "")


class MultiheadAttention(MultiHeadAttention):
    """`MultiHeadAttention` as PyTorch calls it: masks say what is hidden, and the weights come with the result.

    Parameters
    ----------
    size, heads, causal, nobias, dropout
        As for `MultiHeadAttention`; batches come first.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> x = np.ones((2, 3, 4), np.float32)
    >>> y, weights = L.MultiheadAttention(4, 2)(x, x, x, key_padding_mask=np.array([[0, 0, 1], [0, 0, 0]], bool))
    >>> y.shape, weights[0, 0]
    ((2, 3, 4), variable([0.5 0.5 0. ]))
    """

    def forward(  # type: ignore[override]  # it is called in another way
        self,
        query: Any,
        key: Any,
        value: Any,
        key_padding_mask: Any = None,
        need_weights: bool = True,
        attn_mask: Any = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Any, Any]:
        """What is seen, and the weights, those of all heads averaged; gradients flow through both.

        Parameters
        ----------
        query, key, value : Variable or array
            Of shapes ``(batch, length, size)``.
        key_padding_mask : array of bool, optional
            Of shape ``(batch, keys)``, True where nobody looks.
        need_weights : bool
            Whether the second result is the weights, or None.
        attn_mask : array of bool, optional
            Of shape ``(length, keys)``, True where nobody looks; or of numbers that are added to the products.
        average_attn_weights : bool
            False gives the weights of each head.
        is_causal : bool
            PyTorch's hint that ``attn_mask`` is causal; the mask itself decides.
        """
        seen, weights = self._attend(query, key, value, visible(attn_mask, key_padding_mask))
        if not need_weights:
            return seen, None
        return seen, weights.mean(axis=1) if average_attn_weights else weights


def visible(attn_mask: Any, key_padding_mask: Any) -> Any:
    """PyTorch's two masks, which say what is hidden, as one for `MultiHeadAttention`; None if there is none."""
    given = ((attn_mask, np.s_[None]), (key_padding_mask, np.s_[:, None]))
    masks = [unwrap(mask)[place] for mask, place in given if mask is not None]
    if all([mask.dtype.kind != "f" or ((mask == 0) | (mask == -np.inf)).all() for mask in masks]):
        return reduce(and_, [mask == 0 for mask in masks]) if masks else None
    return sum([mask if mask.dtype.kind == "f" else np.where(mask, -np.inf, 0) for mask in masks])


class TransformerEncoderLayer(Link):
    """A block of a transformer: attention among the places, then a small network at each, both added to their input.

    Parameters
    ----------
    size : int
        Length of the last axis, a multiple of ``heads``.
    heads : int
    hidden : int, optional
        Units of the hidden layer of the small network; by default four times ``size``.
    dropout : float
        Ratio of the elements that are dropped, after either part and in the hidden layer.
    activation : callable
        By default `functions.relu`.
    norm_first : bool
        Normalize what goes into a part, instead of the sum of what goes in and comes out.
    causal : bool
        Let no position look at later ones.

    References
    ----------
    A. Vaswani et al., "Attention is all you need", 2017. The defaults of PyTorch differ: 2048 hidden units, dropout.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> L.TransformerEncoderLayer(8, heads=2)(np.ones((2, 3, 8), np.float32)).shape
    (2, 3, 8)
    """

    @takes_other_words
    def __init__(
        self,
        size: int,
        heads: int,
        hidden: int | None = None,
        dropout: float = 0.0,
        activation: Callable[[Any], Any] = relu,
        norm_first: bool = False,
        causal: bool = False,
    ) -> None:
        super().__init__()
        self.activation, self.norm_first = activation, norm_first
        self.attention = MultiHeadAttention(size, heads, causal)
        hidden = 4 * size if hidden is None else hidden
        self.wide, self.narrow = Linear(size, hidden), Linear(hidden, size)
        self.norm1, self.norm2 = LayerNormalization(size), LayerNormalization(size)
        self.dropout = Dropout(dropout)

    def forward(self, x: Any, mask: Any = None) -> Any:
        """``x`` of shape ``(batch, length, size)`` after both parts; ``mask`` as for `MultiHeadAttention`."""

        def attended(x: Any) -> Any:
            return self.dropout(self.attention(x, mask=mask))

        def fed_forward(x: Any) -> Any:
            return self.dropout(self.narrow(self.dropout(self.activation(self.wide(x)))))

        for part, norm in ((attended, self.norm1), (fed_forward, self.norm2)):
            x = x + part(norm(x)) if self.norm_first else norm(x + part(x))
        return x
