"""Layers with PyTorch's order of positional arguments, where those of `links` have another."""

from __future__ import annotations

import inspect
from typing import Any, ClassVar

from ..engine.keyword_aliases import known
from . import cells, conv, functional, linear, normalization


class _Ordered:
    """A mixin for layers of `links`, which gives positional arguments their names in PyTorch.

    Examples
    --------
    >>> from autolab import nn
    >>> nn.Linear(5, 4, False), nn.Conv2d(3, 8, 3, 1, 2, 2)
    (Linear(5, 4, nobias=True), Conv2d(3, 8, 3, pad=2, dilate=2))
    """

    _order: ClassVar[str]

    def __init__(self, *args: Any, **settings: Any) -> None:
        name, order, init = type(self).__name__, self._order.split(), super().__init__
        if len(args) > len(order):
            raise TypeError(f"{name}: got {len(args)} arguments by position; expected at most {len(order)}")
        given = dict(zip(order, args, strict=False))
        if twice := sorted(given.keys() & settings.keys()):
            raise TypeError(f"{name}: {twice[0]} was given by position and by keyword; expected once")
        own, given = [*inspect.signature(init).parameters], {**given, **settings}
        init(**known(name, own, given))


def _ordered(name: str, kind: type, order: str, **body: Any) -> Any:
    """A layer of `links` under PyTorch's name, with PyTorch's order of positional arguments."""
    said = f"`links.{kind.__name__}`, called as in PyTorch."
    return type(name, (_Ordered, kind), {"__doc__": said, "__module__": __name__, "_order": order, **body})


_WINDOWS = "in_channels out_channels kernel_size stride padding "
Linear = _ordered("Linear", linear.Linear, "in_features out_features bias")


class _Padded(_Ordered):
    _order = _WINDOWS + "dilation groups bias"

    def __init__(self, *args: Any, padding_mode: str = "zeros", **settings: Any) -> None:
        if len(args) > 8:
            args, padding_mode = args[:8] + args[9:], args[8]
        super().__init__(*args, **settings)
        self.padding_mode = padding_mode


class Conv1d(_Padded, conv.Conv1D):
    """`links.Conv1D`, called as in PyTorch; ``padding_mode`` is zeros, reflect, replicate or circular."""


class Conv2d(_Padded, conv.Conv2D):
    """`links.Conv2D`, called as in PyTorch; ``padding_mode`` is zeros, reflect, replicate or circular."""


ConvTranspose1d = _ordered("ConvTranspose1d", conv.ConvTranspose1D, _WINDOWS + "output_padding groups bias dilation")
ConvTranspose2d = _ordered("ConvTranspose2d", conv.ConvTranspose2D, _WINDOWS + "output_padding groups bias dilation")


class Embedding(_Ordered, linear.Embedding):
    """`links.Embedding`, called as in PyTorch: the row ``padding_idx`` gets no gradient, whatever its numbers are."""

    _order, _from_end = "num_embeddings embedding_dim padding_idx", True
    norm_type = 2.0

    def __init__(self, *args: Any, max_norm: float | None = None, norm_type: float = 2.0, **settings: Any) -> None:
        if more := args[3:5]:
            max_norm, norm_type = (*more, norm_type)[:2]
        super().__init__(*args[:3], *args[5:], **settings)
        self.max_norm = max_norm
        if norm_type != self.norm_type:
            self.norm_type = norm_type

    def forward(self, ids: Any) -> Any:
        """The rows with the indices ``ids``."""
        return functional.embedding(ids, self.W, self.padding_idx, self.max_norm, self.norm_type)


Dropout = _ordered("Dropout", normalization.Dropout, "p inplace")

_NAMES = {
    "weight_ih": property(lambda self: self.W.W),
    "weight_hh": property(lambda self: self.U.W),
    "bias_ih": property(lambda self: self.W.b),
}
"""The parameters of a cell under PyTorch's names; its single bias replaces PyTorch's two."""

LSTMCell = _ordered("LSTMCell", cells.LSTMCell, "input_size hidden_size bias", **_NAMES)
RNNCell = _ordered("RNNCell", cells.RNNCell, "input_size hidden_size bias nonlinearity", **_NAMES)


class GRUCell(_Ordered, cells.GRUCell):
    """`links.GRUCell` with PyTorch's ``reset_after=True``."""

    _order = "input_size hidden_size bias"

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **{"reset_after": True, **settings})
