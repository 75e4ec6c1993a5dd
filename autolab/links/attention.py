"""Attention: links in which each position of a sequence attends to others, or to another sequence."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import and_
from typing import Any

import numpy as np

from ..engine import Variable, as_array, takes_other_words, unwrap
from ..functions import dropout, expand_dims, matmul, relu, reshape, swapaxes
from ..functions.networks.dot_product_attention import weigh, without_hidden
from ..functions.networks.dropout import check_ratio
from .linear import Linear, check_size, shape_of
from .link import Link
from .normalization import Dropout, LayerNormalization


class SelfAttention(Link):
    """Single-head scaled dot-product self-attention: each position takes a weighted mean over all positions.

    ``softmax(Q K^T / sqrt(size)) V``, followed by a linear map; ``Q``, ``K`` and ``V`` are linear in the input.

    Parameters
    ----------
    size : int
        Length of the last axis.
    causal : bool
        Mask later positions, so that no position attends to them.

    Attributes
    ----------
    weights : array or None
        The attention weights of the last call, of shape ``(batch, length, length)``.

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

    _observed = ("weights",)

    def forward(self, x: Any) -> Any:
        """Attend from each position of ``x``; both ``x`` and the result have shape ``(batch, length, size)``."""
        q, k, v = self.query(x), self.key(x), self.value(x)
        weights = weigh("SelfAttention", q, k, None, self.causal)
        self.weights = weights.data
        return self.out(matmul(weights, v))

    def extra_repr(self) -> str:
        return f"{self.size}" + (", causal=True" if self.causal else "")


class MultiHeadAttention(Link):
    """Multi-head attention: several heads attend in parallel, each in its own subspace. See `functions.attention`.

    Queries, keys and values are linear in the inputs and are split into ``heads`` parts; the results of the heads are
    concatenated and pass through one more linear map.

    Parameters
    ----------
    size : int
        Length of the last axis, a multiple of ``heads``.
    heads : int
        Number of heads.
    causal : bool
        Mask later positions, so that no position attends to them.
    nobias : bool
        Omit the biases of the linear maps.
    dropout : float
        Dropout probability of the attention weights, in training mode.

    Attributes
    ----------
    weights : array or None
        The attention weights of the last call, before dropout, of shape ``(batch, heads, length, keys)``.

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

    _observed = ("weights",)

    def forward(self, x: Any, key: Any = None, value: Any = None, mask: Any = None) -> Any:
        """Attend from each position of ``x``; the result has shape ``(batch, length, size)``.

        Parameters
        ----------
        x : Variable or array
            The queries come from it; of shape ``(batch, length, size)``.
        key : Variable or array, optional
            Of shape ``(batch, keys, size)``; by default ``x``, which is self-attention.
        value : Variable or array, optional
            Of the same shape as ``key``; by default ``key``.
        mask : Variable or array, optional
            As for `functions.attention`; it broadcasts to ``(batch, length, keys)`` or
            ``(batch, heads, length, keys)``.
        """
        return self._attend(x, key, value, mask)[0]

    def _attend(self, x: Any, key: Any, value: Any, mask: Any) -> tuple[Any, Any]:
        """The result, and the attention weights as a Variable of the graph."""
        key = x if key is None else key
        value = key if value is None else value
        batches = {shape_of("MultiHeadAttention", given)[:1] for given in (x, key, value)}
        if len(batches) > 1:
            raise ValueError(f"MultiHeadAttention: got shapes that begin with {batches}; expected the same batch size")
        q, k, v = [self._split(*given) for given in ((self.query, x), (self.key, key), (self.value, value))]
        if mask is not None:
            mask = mask if isinstance(mask, Variable) else as_array(mask, "MultiHeadAttention: mask")
            mask = expand_dims(mask, axis=1) if mask.ndim == 3 else mask
            k, v = without_hidden("MultiHeadAttention", q, k, v, mask)
        weights = weigh("MultiHeadAttention", q, k, mask, self.causal)
        self.weights = weights.data
        seen = swapaxes(matmul(dropout(weights, self.dropout) if self.dropout else weights, v), axis1=1, axis2=2)
        return self.out(reshape(seen, shape=(*seen.shape[:2], self.size))), weights

    def _split(self, linear: Linear, x: Any) -> Any:
        """``linear(x)`` split into heads, of shape ``(batch, heads, length, size / heads)``."""
        parts = reshape(linear(x), shape=(*self._stack(x), self.heads, self.size // self.heads))
        return swapaxes(parts, axis1=1, axis2=2)

    def _stack(self, x: Any) -> tuple[int, ...]:
        """The batch size and the length of an input, whose shape is checked."""
        shape = shape_of("MultiHeadAttention", x)
        if len(shape) != 3 or shape[-1] != self.size:
            raise ValueError(f"MultiHeadAttention: got shape {shape}; expected (batch, length, {self.size})")
        return shape[:2]

    def extra_repr(self) -> str:
        return f"{self.size}, {self.heads}" + (", causal=True" if self.causal else "")


class MultiheadAttention(MultiHeadAttention):
    """`MultiHeadAttention`, called as in PyTorch: masks are True where attention is not allowed, and the attention
    weights are returned with the result.

    Parameters
    ----------
    size, heads, causal, nobias, dropout
        As for `MultiHeadAttention`; the batch axis is first.

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
        """The result, and the attention weights, averaged over the heads; gradients flow through both.

        Parameters
        ----------
        query, key, value : Variable or array
            Of shapes ``(batch, length, size)``, ``(batch, keys, size)`` and ``(batch, keys, size)``.
        key_padding_mask : array of bool or of float, optional
            Of shape ``(batch, keys)``, True at the positions to ignore; floats are added to the scores.
        need_weights : bool
            Whether to return the weights; otherwise the second result is None.
        attn_mask : array of bool or of float, optional
            Of shape ``(length, keys)``, or ``(batch * heads, length, keys)`` with a mask for each head of each example:
            True where attention is not allowed; floats are added to the scores.
        average_attn_weights : bool
            False returns the weights of each head, of shape ``(batch, heads, length, keys)``.
        is_causal : bool
            PyTorch's hint that ``attn_mask`` is causal: only the mask counts, so it needs one.
        """
        name = type(self).__name__
        (batch, length), (_, keys) = self._stack(query), self._stack(key)
        shape = batch, self.heads, length, keys
        mask = visible(name, attn_mask, key_padding_mask, is_causal, shape)
        seen, weights = self._attend(query, key, value, mask)
        if not need_weights:
            return seen, None
        return seen, weights.mean(axis=1) if average_attn_weights else weights


def visible(name: str, attn_mask: Any, key_padding_mask: Any, is_causal: Any, shape: tuple[int, ...]) -> Any:
    """PyTorch's two masks, True where attention is not allowed, as one for `MultiHeadAttention`; None if none.

    ``shape`` is that of the attention weights: ``(batch, heads, length, keys)``. The result broadcasts to it.
    """
    batch, heads, length, keys = shape
    if is_causal and attn_mask is None:
        raise ValueError("is_causal is True without a mask; expected the mask: np.triu(np.ones((n, n), bool), 1)")
    masks = []
    if attn_mask is not None:
        mask = _of_dtype(name, "attn_mask", attn_mask)
        if mask.shape not in ((length, keys), (batch * heads, length, keys)):
            each = f"or {(batch * heads, length, keys)}, one for each of {heads} heads of each example"
            raise ValueError(f"{name}: attn_mask has shape {mask.shape}; expected {(length, keys)}, {each}")
        masks.append(reshape(mask, shape=(1, 1, *mask.shape) if mask.ndim == 2 else shape))
    if key_padding_mask is not None:
        mask = _of_dtype(name, "key_padding_mask", key_padding_mask)
        if mask.shape != (batch, keys):
            raise ValueError(
                f"{name}: key_padding_mask has shape {mask.shape}; expected {(batch, keys)}: (batch, keys)"
            )
        masks.append(reshape(mask, shape=(batch, 1, 1, keys)))
    plain = [unwrap(mask) for mask in masks]
    learned = any([getattr(mask, "requires_grad", False) for mask in masks])
    if not learned and all([mask.dtype.kind != "f" or ((mask == 0) | (mask == -np.inf)).all() for mask in plain]):
        return reduce(and_, [mask == 0 for mask in plain]) if plain else None
    return sum([m if m.dtype.kind == "f" else np.where(unwrap(m), -np.inf, 0).astype(np.float32) for m in masks])


def _of_dtype(name: str, what: str, mask: Any) -> Any:
    mask = mask if isinstance(mask, Variable) else as_array(mask, f"{name}: {what}")
    if mask.dtype.kind not in "bf":
        raise TypeError(f"{name}: {what} is of dtype {mask.dtype}; expected booleans (True: not allowed) or floats")
    return mask


class TransformerEncoderLayer(Link):
    """A transformer encoder block: self-attention, then a feed-forward network, each with a residual connection.

    Parameters
    ----------
    size : int
        Length of the last axis, a multiple of ``heads``.
    heads : int
        Number of heads.
    hidden : int, optional
        Size of the hidden layer of the feed-forward network; by default four times ``size``.
    dropout : float
        Dropout probability after each of the two parts and in the hidden layer, in training mode.
    activation : callable
        By default `functions.relu`.
    norm_first : bool
        Normalize the input of each part (pre-norm) instead of the sum after it (post-norm).
    causal : bool
        Mask later positions, so that no position attends to them.

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
        """Both parts applied to ``x`` of shape ``(batch, length, size)``; ``mask`` as for `MultiHeadAttention`."""

        def attended(x: Any) -> Any:
            return self.dropout(self.attention(x, mask=mask))

        def fed_forward(x: Any) -> Any:
            return self.dropout(self.narrow(self.dropout(self.activation(self.wide(x)))))

        for part, norm in ((attended, self.norm1), (fed_forward, self.norm2)):
            x = x + part(norm(x)) if self.norm_first else norm(x + part(x))
        return x
