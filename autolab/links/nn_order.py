"""Layers with PyTorch's order of positional arguments, where those of `links` have another."""

from __future__ import annotations

import inspect
from typing import Any, ClassVar

from ..engine.keyword_aliases import known
from . import cells, conv, linear
from .normalization import Dropout as _Dropout


class _Ordered:
    """A mixin for layers of `links`, which gives positional arguments their names in PyTorch."""

    _order: ClassVar[str]

    def __init__(self, *args: Any, **settings: Any) -> None:
        name, order, init = type(self).__name__, self._order.split(), super().__init__
        if len(args) > len(order):
            raise TypeError(f"{name}: got {len(args)} arguments by position; expected at most {len(order)}")
        given = dict(zip(order, args, strict=False))
        if twice := sorted(given.keys() & settings.keys()):
            raise TypeError(f"{name}: {twice[0]} was given by position and by keyword; expected once")
        own, given = [*inspect.signature(init).parameters], {**given, **settings}
        if given.get("bias") is True and "nobias" not in own:
            del given["bias"]  # the layer always has one
        init(**known(name, own, given))


class Linear(_Ordered, linear.Linear):
    """`links.Linear`, called as in PyTorch.

    Examples
    --------
    >>> from autolab import nn
    >>> nn.Linear(5, 4, False)
    Linear(5, 4, nobias=True)
    """

    _order = "in_features out_features bias"


class Conv1d(_Ordered, conv.Conv1D):
    """`links.Conv1D`, called as in PyTorch."""

    _order = "in_channels out_channels kernel_size stride padding dilation groups bias"


class Conv2d(_Ordered, conv.Conv2D):
    """`links.Conv2D`, called as in PyTorch.

    Examples
    --------
    >>> from autolab import nn
    >>> nn.Conv2d(3, 8, 3, 1, 2, 2)
    Conv2d(3, 8, 3, pad=2, dilate=2)
    """

    _order = "in_channels out_channels kernel_size stride padding dilation groups bias"


class ConvTranspose1d(_Ordered, conv.ConvTranspose1D):
    """`links.ConvTranspose1D`, called as in PyTorch."""

    _order = "in_channels out_channels kernel_size stride padding output_padding groups bias dilation"


class ConvTranspose2d(_Ordered, conv.ConvTranspose2D):
    """`links.ConvTranspose2D`, called as in PyTorch."""

    _order = "in_channels out_channels kernel_size stride padding output_padding groups bias dilation"


class Embedding(_Ordered, linear.Embedding):
    """`links.Embedding`, called as in PyTorch."""

    _order = "num_embeddings embedding_dim padding_idx"
    _from_end = True


class Dropout(_Ordered, _Dropout):
    """`links.Dropout`, called as in PyTorch."""

    _order = "p inplace"


class _Weights(_Ordered):
    """The parameters of a cell under PyTorch's names; its single bias replaces PyTorch's two."""

    W: Any
    U: Any
    weight_ih = property(lambda self: self.W.W)
    weight_hh = property(lambda self: self.U.W)
    bias_ih = property(lambda self: self.W.b)
    _order = "input_size hidden_size bias"


class LSTMCell(_Weights, cells.LSTMCell):
    """`links.LSTMCell`, called as in PyTorch; its parameters have PyTorch's names, too."""


class RNNCell(_Weights, cells.RNNCell):
    """`links.RNNCell`, called as in PyTorch; its parameters have PyTorch's names, too."""

    _order = "input_size hidden_size bias activation"


class GRUCell(_Ordered, cells.GRUCell):
    """`links.GRUCell` with PyTorch's ``reset_after=True``."""

    _order = "input_size hidden_size bias"

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **{"reset_after": True, **settings})
