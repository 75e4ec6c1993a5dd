"""Layers that normalize."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...table import signed
from .._tensor import constant
from . import functional as F
from ._module import Module
from .parameter import Parameter


class _AffineNorm(Module):
    """A scale and an offset of a shape."""

    def _scale(self, shape: tuple[int, ...], wanted: bool, bias: bool = True) -> None:
        self.register_parameter("weight", Parameter(np.ones(shape, np.float32)) if wanted else None)
        self.register_parameter("bias", Parameter(np.zeros(shape, np.float32)) if wanted and bias else None)


class LayerNorm(_AffineNorm):
    """Each example over its last axes."""

    def __init__(self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape, self.eps, self.elementwise_affine = shape, eps, elementwise_affine
        self._scale(shape, elementwise_affine, bias)

    def forward(self, input: Any) -> Any:
        """The normalized examples."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        affine = f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        return f"{self.normalized_shape}, eps={self.eps}, {affine}"


class RMSNorm(_AffineNorm):
    """Each example over its last axes, divided by the root of the mean of the squares."""

    def __init__(self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self._scale(self.normalized_shape, elementwise_affine, bias=False)

    def forward(self, input: Any) -> Any:
        """The normalized examples."""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}"


class GroupNorm(_AffineNorm):
    """Groups of channels of each example."""

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True):
        super().__init__()
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self._scale((num_channels,), affine)

    def forward(self, input: Any) -> Any:
        """The normalized examples."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}"


class _BatchNorm(_AffineNorm):
    """Each feature over the batch; after ``eval()`` by the running averages."""

    running_mean: Any
    running_var: Any
    num_batches_tracked: Any
    axes: tuple[int, ...]

    @signed
    def __init__(self, num_features, eps, momentum, affine, track_running_stats):
        super().__init__()
        self.num_features, self.eps, self.momentum, self.affine = num_features, eps, momentum, affine
        self.track_running_stats = track_running_stats
        self._scale((num_features,), affine)
        tracks = track_running_stats
        self.register_buffer("running_mean", constant(np.zeros(num_features, np.float32)) if tracks else None)
        self.register_buffer("running_var", constant(np.ones(num_features, np.float32)) if tracks else None)
        self.register_buffer("num_batches_tracked", constant(np.asarray(0)) if tracks else None)

    def forward(self, input: Any) -> Any:
        """The normalized examples."""
        if input._data.ndim not in self.axes:
            raise ValueError(f"{type(self).__name__}: got {input._data.ndim} axes; expected {self.axes}")
        if self.training and self.track_running_stats:
            self.num_batches_tracked = constant(self.num_batches_tracked._data + 1)
        momentum = self.momentum
        if momentum is None:  # the mean of all batches
            momentum = 1 / max(int(self.num_batches_tracked), 1) if self.track_running_stats else 0.0
        running, training = (self.running_mean, self.running_var), self.training or self.running_mean is None
        return F.batch_norm(input, *running, self.weight, self.bias, training, momentum, self.eps)

    def extra_repr(self) -> str:
        said = f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}"
        return f"{said}, track_running_stats={self.track_running_stats}"


class BatchNorm1d(_BatchNorm):
    """Each feature of ``(batch, features)`` or ``(batch, features, length)`` over the batch."""

    axes = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Each channel of images over the batch."""

    axes = (4,)


class _InstanceNorm(_AffineNorm):
    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False):
        super().__init__()
        self.num_features, self.eps = num_features, eps
        self._scale((num_features,), affine)

    def forward(self, input: Any) -> Any:
        """The normalized examples."""
        return F.instance_norm(input, None, None, self.weight, self.bias, eps=self.eps)

    def extra_repr(self) -> str:
        return f"{self.num_features}, eps={self.eps}"


class InstanceNorm1d(_InstanceNorm):
    """Each channel of each sequence."""


class InstanceNorm2d(_InstanceNorm):
    """Each channel of each image."""
