"""Chainer's layers: AutoLab's with Chainer's arguments and registration, and those that call a function."""

from __future__ import annotations

from functools import partial
from math import prod
from typing import Any

import numpy as np

from .... import functions as _functions
from .... import links as _links
from ...table import Settled, signed
from .. import functions as F
from ..configuration import config
from ..functions.networks import covering
from ..initializers import Normal, start, weight
from ..link import Link
from ..variable import Parameter as _Parameter
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


# ---------------------------------------------------------------------- a call of a function
class BatchNormalization(Link):
    """Batch normalization: each feature over the batch; in test mode, with the running averages.

    Parameters
    ----------
    size : int or tuple of int, optional
        Inferred from the first input by default.
    decay : float
    eps : float
    use_gamma, use_beta : bool
    axis : int or tuple of int, optional
        The axes to normalize over.

    Attributes
    ----------
    avg_mean, avg_var : array
    N : array
        The number of batches seen with ``finetune=True``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> chainer.links.BatchNormalization(2)(np.array([[0, 4], [2, 8]], np.float32)).array.round(2)
    array([[-1., -1.],
           [ 1.,  1.]], dtype=float32)
    """

    _not_restored = ("avg_mean", "avg_var")

    @signed
    def __init__(self, size, decay, eps, dtype, use_gamma, use_beta, initial_gamma, initial_beta, axis):
        super().__init__()
        self.decay, self.eps, self.axis = decay, eps, axis
        self._dtype = np.dtype(config.dtype if dtype is None else dtype)
        self.N: Any
        self.avg_mean: Any
        with self.init_scope():
            self.gamma = _Parameter(start(initial_gamma, 1.0)) if use_gamma else None
            self.beta = _Parameter(start(initial_beta)) if use_beta else None
        for name, value in (("avg_mean", None), ("avg_var", None), ("N", np.array(0))):
            self.register_buffer(name, value)
        if size is not None:
            self._sized((size,) if isinstance(size, int) else tuple(size))

    def _sized(self, shape: tuple[int, ...]) -> None:
        for parameter in self.params():
            parameter.initialize(shape)
        self.avg_mean, self.avg_var = np.zeros(shape, self._dtype), np.ones(shape, self._dtype)

    def forward(self, x: Any, finetune: bool = False) -> Any:
        """Normalize ``x``; with ``finetune``, the averages become means over all batches since `start_finetuning`."""
        if self.avg_mean is None:
            axes = {0, *range(2, x.ndim)} if self.axis is None else {*np.atleast_1d(self.axis)}
            self._sized(tuple([n for i, n in enumerate(x.shape) if i not in axes]))
        gamma = np.ones_like(self.avg_mean) if self.gamma is None else self.gamma
        beta = np.zeros_like(self.avg_mean) if self.beta is None else self.beta
        if not config.train:
            return F.fixed_batch_normalization(x, gamma, beta, self.avg_mean, self.avg_var, self.eps, self.axis)
        decay = self.decay
        if finetune:
            self.N = self.N + 1
            decay = 1.0 - 1.0 / float(self.N)
        kept = {"running_mean": self.avg_mean, "running_var": self.avg_var}
        return F.batch_normalization(x, gamma, beta, eps=self.eps, decay=decay, axis=self.axis, **kept)

    def start_finetuning(self) -> None:
        """Reset the number of batches to 0."""
        self.N = np.array(0)


class GroupNormalization(Link):
    """Group normalization: each group of channels of each example to mean 0 and variance 1, then scale and shift."""

    @signed
    def __init__(self, groups, size, eps, initial_gamma, initial_beta):
        super().__init__()
        self.groups, self.eps = groups, eps
        with self.init_scope():
            self.gamma = _Parameter(start(initial_gamma, 1.0), size)
            self.beta = _Parameter(start(initial_beta), size)

    def forward(self, x: Any) -> Any:
        """Normalize ``x`` of shape ``(examples, channels, ...)``."""
        for parameter in self.params():
            parameter.initialize((x.shape[1],))
        return F.group_normalization(x, self.groups, self.gamma, self.beta, self.eps)


class PReLU(Link):
    """``x`` where it is positive, otherwise ``W * x``."""

    def __init__(self, shape: Any = (), init: Any = 0.25) -> None:
        super().__init__()
        self.W: Any
        self.register_parameter("W", _Parameter(start(init), shape))

    def forward(self, x: Any) -> Any:
        """The result for ``x``."""
        return F.prelu(x, self.W)


class Swish(Link):
    """``x * sigmoid(beta * x)`` with a trainable ``beta``."""

    def __init__(self, beta_shape: Any, beta_init: Any = 1.0) -> None:
        super().__init__()
        with self.init_scope():
            self.beta = _Parameter(start(beta_init), beta_shape)

    def forward(self, x: Any) -> Any:
        """The result for ``x``."""
        if not self.beta.is_initialized:
            self.beta.initialize(x.shape[1:])
        return F.swish(x, self.beta)
