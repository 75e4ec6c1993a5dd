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
    _more: ClassVar[tuple[str, ...]] = ()
    """Settings that `links` does not have, whose defaults are attributes of the class."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        name, order, init = type(self).__name__, self._order.split(), super().__init__
        if len(args) > len(order):
            raise TypeError(f"{name}: got {len(args)} arguments by position; expected at most {len(order)}")
        given = dict(zip(order, args, strict=False))
        if twice := sorted(given.keys() & settings.keys()):
            raise TypeError(f"{name}: {twice[0]} was given by position and by keyword; expected once")
        own, given = [*inspect.signature(init).parameters], {**given, **settings}
        init(**known(name, own, {key: value for key, value in given.items() if key not in self._more}))
        for key in given.keys() & {*self._more}:
            setattr(self, key, given[key])


def _ordered(name: str, kind: type, order: str, **body: Any) -> Any:
    """A layer of `links` under PyTorch's name, with PyTorch's order of positional arguments."""
    said = f"`links.{kind.__name__}`, called as in PyTorch."
    return type(name, (_Ordered, kind), {"__doc__": said, "__module__": __name__, "_order": order, **body})


_WINDOWS = "in_channels out_channels kernel_size stride padding "
Linear = _ordered("Linear", linear.Linear, "in_features out_features bias")
_BY_MODE = {"_more": ("padding_mode",)}
Conv1d = _ordered("Conv1d", conv.Conv1D, _WINDOWS + "dilation groups bias padding_mode", **_BY_MODE)
Conv2d = _ordered("Conv2d", conv.Conv2D, _WINDOWS + "dilation groups bias padding_mode", **_BY_MODE)
ConvTranspose1d = _ordered("ConvTranspose1d", conv.ConvTranspose1D, _WINDOWS + "output_padding groups bias dilation")
ConvTranspose2d = _ordered("ConvTranspose2d", conv.ConvTranspose2D, _WINDOWS + "output_padding groups bias dilation")


class Embedding(_Ordered, linear.Embedding):
    """`links.Embedding`, called as in PyTorch: the row ``padding_idx`` gets no gradient, whatever its numbers are."""

    _order, _from_end = "num_embeddings embedding_dim padding_idx max_norm norm_type", True
    _more = ("max_norm", "norm_type")
    max_norm, norm_type = None, 2.0

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
