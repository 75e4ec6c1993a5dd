"""AutoLab's layers with Chainer's arguments and registration."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any

from .... import functions as _functions
from .... import links as _links
from ...table import Settled
from .. import functions as F
from ..functions.networks import covering
from ..initializers import Normal, start, weight
from ..link import Link
from ..variable import as_array

_BEGIN: dict[str, Any] = {"initialW": weight, "initial_gamma": partial(start, default=1.0)}
"""What makes first numbers of an argument, where it is not `start`."""


class _Layer(Settled, Link):
    """A layer of AutoLab's, with Chainer's arguments."""

    def _settle(self, given: dict[str, Any]) -> None:
        begin = {name: _BEGIN.get(name, start)(one) for name, one in given.items() if name.startswith("initial")}
        self._begin_as(**{**given, **begin})


class Linear(_Layer, _links.Linear):
    """``x @ W.T + b``; axes after the first are flattened.

    Parameters
    ----------
    in_size : int or None
        None: inferred from the first input. ``Linear(out)`` is short for ``Linear(None, out)``.
    out_size : int, optional
    nobias : bool
    initialW, initial_bias : initializer, number or array, optional

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> layer = chainer.links.Linear(3, 2)
    >>> layer(np.ones((5, 3), np.float32)).shape, layer.W.shape
    ((5, 2), (2, 3))
    """

    @classmethod
    def from_params(cls, W: Any, b: Any = None, nobias: bool = False) -> Linear:
        """A layer with this weight and bias."""
        bias = None if b is None else as_array(b)
        return cls(W.shape[1], W.shape[0], nobias or b is None, as_array(W), bias)

    def forward(self, x: Any, n_batch_axes: int = 1) -> Any:
        """The result for ``x`` of shape ``(examples, ...)``."""
        if not self.W.is_initialized:
            self.W.initialize((self.out_size, prod(x.shape[n_batch_axes:])))
        return F.linear(x, self.W, self.b, n_batch_axes=n_batch_axes)


class EmbedID(Link, _links.Embedding):
    """A table of embeddings, one row per index."""

    def __init__(self, in_size: int, out_size: int, initialW: Any = None, ignore_label: int | None = None) -> None:
        self._begin_as(in_size, out_size, weight(Normal(1.0) if initialW is None else initialW))
        self.ignore_label = ignore_label

    def forward(self, x: Any) -> Any:
        """The rows with the indices ``x``; zeros for ``ignore_label``."""
        return F.embed_id(x, self.W, self.ignore_label)


class _Convolution(_Layer):
    """A layer whose first argument may be the number of output channels."""

    def _settle(self, given: dict[str, Any]) -> None:
        if given["ksize"] is None:
            given |= {"in_channels": None, "out_channels": given["in_channels"], "ksize": given["out_channels"]}
        super()._settle(given)


class Convolution2D(_Convolution, _links.Conv2D):
    """A convolution over images.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> layer = chainer.links.Convolution2D(None, 4, ksize=3, pad=1)
    >>> layer(np.ones((2, 3, 8, 8), np.float32)).shape
    (2, 4, 8, 8)
    """


class Convolution1D(_Convolution, _links.Conv1D):
    """A convolution over sequences; ``cover_all`` as for `functions.convolution_1d`."""

    def _settle(self, given: dict[str, Any]) -> None:
        cover_all = given.pop("cover_all")
        super()._settle(given)
        self.cover_all = cover_all

    def convolve(x: Any, W: Any, b: Any = None, **how: Any) -> Any:  # called of the class
        return covering(_functions.conv1d, x, W, b, **how)

    def _result(self) -> dict[str, Any]:
        return {"cover_all": self.cover_all}


class Deconvolution2D(_Convolution, _links.ConvTranspose2D):
    """A transposed convolution over images; ``W`` has shape ``(in, out, height, width)``."""

    convolve = _functions.conv_transpose2d

    def _settle(self, given: dict[str, Any]) -> None:
        outsize = given.pop("outsize")
        super()._settle(given)
        self.outsize = outsize

    def _result(self) -> dict[str, Any]:
        return {"size": self.outsize}


class LayerNormalization(_Layer, _links.LayerNormalization):
    """Layer normalization: each example to mean 0 and variance 1, then scale and shift."""
