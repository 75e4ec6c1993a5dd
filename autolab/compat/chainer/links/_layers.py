"""Chainer's layers for which AutoLab has no link: parameters, and a call of one of `chainer.functions`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...table import signed
from .. import functions as F
from ..configuration import config
from ..initializers import start
from ..link import Link
from ..variable import Parameter as _Parameter


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
