"""Normalization layers, and Dropout."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from .. import initializers
from ..engine import (
    Parameter,
    Variable,
    as_array,
    check_number,
    check_real,
    check_rng,
    config,
    publish,
    takes_other_words,
    unwrap,
)
from ..engine.backend import Array, get_array_module
from ..engine.undisturbed import is_undisturbed
from ..functions import dropout, group_norm, instance_norm, layer_norm, rms_norm
from ..functions.networks.dropout import check_ratio
from .functional import batch_norm, running_averages
from .linear import check_size, initializer, shape_of
from .link import Link


class RunningAverages(Link):
    """A mixin for normalizations by averages of the input, which running averages follow in training, and replace in
    test mode."""

    _averages: ClassVar[tuple[str, str]] = ("avg_mean", "avg_var")
    _not_restored = _averages
    _is_of_batch_axis: ClassVar[bool] = True
    """Whether the averages are over the batch, and not only over each example."""
    avg_mean: Any
    avg_var: Any
    num_batches_tracked: Any
    eps: float

    def _normalized(self, normalize: Any, x: Any, weight: Any, bias: Any, trains: bool, share: float | None) -> Any:
        """``normalize(x, mean, var, weight, bias, trains, momentum, eps)``; ``share`` is that of the new averages,
        None if all batches count the same."""
        there, (first, second) = self.__dict__, self._averages
        mean, var = there[first], there[second]
        if mean is not None and not trains:
            return normalize(x, mean, var, weight, bias, False, 0.0, self.eps)
        y = normalize(x, None, None, weight, bias, True, 0.0, self.eps)
        if mean is None or is_undisturbed():
            return y
        stores: list[tuple[Any, str, Any]] = []
        data, are_tensors = unwrap(x), isinstance(mean, Variable)  # as in the torch facade
        if self._is_of_batch_axis and (count := there.get("num_batches_tracked")) is not None:
            new = np.asarray(unwrap(count) + 1)
            share = 1 / new.item() if share is None else share
            stores = [(count, "_data", new) if are_tensors else (self, "num_batches_tracked", new)]
        axes = (0, *range(2, data.ndim)) if self._is_of_batch_axis else tuple(range(2, data.ndim))
        held = (mean._data, var._data) if are_tensors else (mean, var)
        new_mean, new_var = running_averages(held, data, axes, 1 - (share or 0.0))
        if are_tensors:
            stores += (mean, "_data", new_mean), (var, "_data", new_var)
        else:
            stores += (self, first, new_mean), (self, second, new_var)
        publish(stores)
        return y


class BatchNormalization(RunningAverages):
    """Batch normalization: normalize each feature over the batch, in test mode with the running averages.

    Parameters
    ----------
    size : int or None
        Number of features, the length of axis 1; None takes it from the first input.
    decay : float
        Decay rate of the running averages: ``avg = decay * avg + (1 - decay) * new`` at each call in training mode.
    eps : float
        Added to the variance, to avoid a division by 0.

    Attributes
    ----------
    gamma, beta : Parameter
        Scale and offset of each feature, initially 1 and 0.
    avg_mean, avg_var : array
        The running averages: buffers, which are saved but not trained.

    Raises
    ------
    ValueError
        In training mode, if the batch has only one number per feature: its variance is 0, so the result would always
        be ``beta``, and the running averages would be wrong.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L, test_mode
    >>> bn = L.BatchNormalization(2, decay=0.5)
    >>> bn(np.array([[1.0, 5.0], [3.0, 5.0]], np.float32))
    variable([[-0.999995  0.      ]
              [ 0.999995  0.      ]])
    >>> bn.avg_mean
    array([1. , 2.5], dtype=float32)
    """

    @takes_other_words
    def __init__(self, size: int | None = None, decay: float = 0.9, eps: float = 1e-5) -> None:
        super().__init__()
        self.decay = check_number("BatchNormalization", "decay", decay, 0, 1)
        if 0 < self.decay < 0.01:  # PyTorch's second argument is eps
            raise ValueError(
                f"BatchNormalization: decay is {decay!r:.40}; expected one like 0.9. The order is (size, decay, eps)"
            )
        self.eps = check_number("BatchNormalization", "eps", eps, 0)
        self.gamma = Parameter(initializers.One())
        self.beta = Parameter(initializers.Zero())
        self.register_buffer("avg_mean", None)
        self.register_buffer("avg_var", None)
        if size is not None:
            self._size(check_size("BatchNormalization", "size", size), np)

    @property
    def momentum(self) -> float | None:
        """PyTorch's ``1 - decay``; None if the averages are those of all batches."""
        return None if self.decay is None else 1 - self.decay

    def _size(self, size: int, xp: Any) -> None:
        self.gamma.initialize((size,))
        self.beta.initialize((size,))
        self.avg_mean, self.avg_var = xp.zeros(size, np.float32), xp.ones(size, np.float32)

    def _checked(self, x: Any, is_of_batch: bool) -> Array:
        """The array of ``x``, or an error if it cannot be normalized."""
        what = "BatchNormalization: x"
        data = check_real(as_array(getattr(x, "array", x), what), what)
        shape = data.shape
        if len(shape) < 2:
            raise ValueError(f"BatchNormalization: x has shape {shape}; expected (batch, features, ...)")
        if is_of_batch and math.prod(shape) < 2 * shape[1]:
            raise ValueError(
                f"BatchNormalization: x has shape {shape}; a variance needs two numbers per feature. Train "
                "with more examples; for a single one use test_mode(), which uses the running averages"
            )
        return data

    @property
    def _is_of_batch(self) -> bool:
        """Whether the statistics are those of the batch: where there are no averages, also in test mode."""
        return config.train or (self.avg_mean is None and _is_sized(self.gamma))

    def forward(self, x: Any) -> Any:
        """Normalize ``x`` of shape ``(batch, features, ...)``."""
        trains = self._is_of_batch
        data = self._checked(x, trains)
        if not _is_sized(self.gamma):
            self._size(data.shape[1], get_array_module(data))
        share = None if self.decay is None else 1 - self.decay
        return self._normalized(batch_norm, x, self.gamma, self.beta, trains, share)

    def extra_repr(self) -> str:
        return f"{_size_of(self.gamma)}, decay={self.decay}, eps={self.eps}"


def _is_sized(gamma: Any) -> bool:
    return gamma is None or gamma.is_initialized


def _size_of(gamma: Any) -> int | None:
    return gamma.size if gamma is not None and gamma.is_initialized else None


class _AffineNorm(Link):
    """A normalization with a scale and an offset for each channel (axis 1), or for each element of the last axis."""

    beta: Any

    def __init__(self, size: int | None, eps: float, axis: int, gamma: Any = None, beta: Any = None) -> None:
        super().__init__()
        who = type(self).__name__
        self.eps, self._axis = check_number(who, "eps", eps, 0), axis
        shape = None if size is None else (check_size(who, "size", size),)
        self.gamma = Parameter(initializer(gamma, initializers.One()), shape)
        self.beta = Parameter(initializer(beta, initializers.Zero()), shape)

    def _sized(self, x: Any) -> None:
        """Initialize the parameters with the size of ``x``, if they have none yet."""
        if _is_sized(self.gamma):
            return
        shape = shape_of(type(self).__name__, x)
        if len(shape) < (2 if self._axis == 1 else 1):
            expected = "(examples, channels, ...)" if self._axis == 1 else "(..., size)"
            raise ValueError(f"{type(self).__name__}: x has shape {shape}; expected {expected}")
        for parameter in self.params():
            parameter.initialize((shape[self._axis],))

    def extra_repr(self) -> str:
        return f"{_size_of(self.gamma)}, eps={self.eps}"


class LayerNormalization(_AffineNorm):
    """Layer normalization: normalize over the last axis.

    Parameters
    ----------
    size : int or None
        Length of the last axis; None takes it from the first input.
    eps : float
        Added to the variance, to avoid a division by 0.
    initial_gamma, initial_beta : initializer, number or array, optional
        By default 1 and 0.

    Attributes
    ----------
    gamma, beta : Parameter
        Scale and offset of each element of the last axis, of shape ``(size,)``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> L.LayerNormalization(2)(np.array([[1.0, 3.0]], np.float32))
    variable([[-0.999995  0.999995]])
    """

    @takes_other_words
    def __init__(
        self, size: int | None = None, eps: float = 1e-5, initial_gamma: Any = None, initial_beta: Any = None
    ) -> None:
        super().__init__(size, eps, -1, initial_gamma, initial_beta)

    def forward(self, x: Any) -> Any:
        """Normalize ``x`` of shape ``(..., size)``."""
        self._sized(x)
        return layer_norm(x, self.gamma, self.beta, eps=self.eps)


class GroupNormalization(_AffineNorm):
    """Group normalization: normalize groups of channels of each example. See `functions.group_norm`.

    Parameters
    ----------
    groups : int
        Number of groups that the channels are split into.
    size : int or None
        Number of channels, the length of axis 1; None takes it from the first input.
    eps : float
        Added to the variance, to avoid a division by 0.

    Attributes
    ----------
    gamma, beta : Parameter
        Scale and offset of each channel, initially 1 and 0.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> L.GroupNormalization(2, eps=0.0)(np.array([[1.0, 3.0, 10.0, 30.0]], np.float32))
    variable([[-1.  1. -1.  1.]])
    """

    @takes_other_words
    def __init__(self, groups: int, size: int | None = None, eps: float = 1e-5) -> None:
        super().__init__(size, eps, axis=1)
        self.groups = check_size("GroupNormalization", "groups", groups)

    def forward(self, x: Any) -> Any:
        """Normalize ``x`` of shape ``(examples, channels, ...)``."""
        self._sized(x)
        return group_norm(x, self.groups, self.gamma, self.beta, eps=self.eps)

    def extra_repr(self) -> str:
        return f"{self.groups}, {super().extra_repr()}"


class InstanceNormalization(_AffineNorm):
    """Instance normalization: normalize each channel of each example. See `functions.instance_norm`.

    Parameters and attributes are those of `GroupNormalization`, without ``groups``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> L.InstanceNormalization(1, eps=0.0)(np.array([[[1.0, 3.0]]], np.float32))
    variable([[[-1.  1.]]])
    """

    @takes_other_words
    def __init__(self, size: int | None = None, eps: float = 1e-5) -> None:
        super().__init__(size, eps, axis=1)

    def forward(self, x: Any) -> Any:
        """Normalize ``x`` of shape ``(examples, channels, ...)``."""
        self._sized(x)
        return instance_norm(x, self.gamma, self.beta, eps=self.eps)


class RMSNormalization(_AffineNorm):
    """RMS normalization: divide by the root mean square over the last axis. See `functions.rms_norm`.

    Parameters
    ----------
    size : int or None
        Length of the last axis; None takes it from the first input.
    eps : float
        Added to the mean square, to avoid a division by 0.

    Attributes
    ----------
    gamma : Parameter
        Scale of each element of the last axis, initially 1.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> L.RMSNormalization(eps=0.0)(np.array([[3.0, 3.0]], np.float32))
    variable([[1. 1.]])
    """

    @takes_other_words
    def __init__(self, size: int | None = None, eps: float = 1e-5) -> None:
        super().__init__(size, eps, axis=-1)
        self.beta = None

    def forward(self, x: Any) -> Any:
        """Normalize ``x`` of shape ``(..., size)``."""
        self._sized(x)
        return rms_norm(x, self.gamma, eps=self.eps)


class Dropout(Link):
    """Set elements to 0 at random in training mode; the identity in test mode. See `functions.dropout`.

    Parameters
    ----------
    ratio : float
        Probability that an element is dropped; the others are divided by ``1 - ratio``.
    rng : numpy.random.Generator, optional
        Draws the elements; by default ``autolab.config.rng``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> L.Dropout(0.5, rng=np.random.default_rng(0))(np.ones(4))
    array([2., 0., 0., 0.])
    """

    @takes_other_words
    def __init__(self, ratio: float = 0.5, rng: np.random.Generator | None = None) -> None:
        super().__init__()
        self.ratio, self.rng = check_ratio("Dropout", ratio), check_rng("Dropout", rng)

    @property
    def p(self) -> float:
        """PyTorch's name for ``ratio``."""
        return self.ratio

    def forward(self, x: Any) -> Any:
        """``x`` with some of its elements set to 0."""
        return dropout(x, ratio=self.ratio, rng=self.rng)

    def extra_repr(self) -> str:
        return str(self.ratio)
