"""Layers with parameters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...table import signed
from .. import _creation
from .._tensor import constant
from . import functional as F
from ._module import Module
from ._windows import _each
from .parameter import Parameter


def _uniform(shape: tuple[int, ...], reach: float) -> Parameter:
    """Where the weights of linear layers and convolutions begin."""
    return Parameter(_creation.source().uniform(-reach, reach, shape).astype(np.float32))


def _start(module: Module, weight: tuple[int, ...], outputs: int, inputs: int, bias: bool) -> None:
    """A weight and a bias between ``-1 / sqrt(inputs)`` and that."""
    reach = 1 / math.sqrt(inputs) if inputs else 0.0
    module.weight = _uniform(weight, reach)
    module.register_parameter("bias", _uniform((outputs,), reach) if bias else None)


class Linear(Module):
    """``x @ weight.T + bias``

    Examples
    --------
    >>> from autolab.compat import torch
    >>> layer = torch.nn.Linear(3, 2)
    >>> layer, layer.weight.shape, layer(torch.ones(5, 3)).shape
    (Linear(in_features=3, out_features=2, bias=True), torch.Size([2, 3]), torch.Size([5, 2]))
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        _start(self, (out_features, in_features), out_features, in_features, bias)
        self.to(device, dtype)

    def forward(self, input: Any) -> Any:
        """The result for ``(..., in_features)``."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Bilinear(Module):
    """``x1 @ weight[k] @ x2 + bias[k]`` for each ``k``."""

    def __init__(self, in1_features: int, in2_features: int, out_features: int, bias: bool = True):
        super().__init__()
        _start(self, (out_features, in1_features, in2_features), out_features, in1_features, bias)

    def forward(self, input1: Any, input2: Any) -> Any:
        """The result for pairs of vectors."""
        from .._products import einsum

        y = einsum("...i,kij,...j->...k", input1, self.weight, input2)
        return y if self.bias is None else y + self.bias


class _Convolution(Module):
    """What convolutions have in common."""

    axes: int
    function: Any
    transposed = False

    @signed
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias):
        super().__init__()
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride = _each(kernel_size, self.axes), _each(stride, self.axes)
        self.padding = padding if isinstance(padding, str) else _each(padding, self.axes)
        self.dilation = _each(dilation, self.axes)
        outer, inner = (in_channels, out_channels) if self.transposed else (out_channels, in_channels)
        shape = (outer, inner // groups, *self.kernel_size)
        _start(self, shape, out_channels, math.prod(shape[1:]), bias)

    def forward(self, input: Any) -> Any:
        """The result for ``(batch, in_channels, ...)``."""
        settings = [v[0] if self.axes == 1 and isinstance(v, tuple) else v for v in self._settings()]
        return type(self).function(input, self.weight, self.bias, *settings)

    def _settings(self) -> tuple[Any, ...]:
        return self.stride, self.padding, self.dilation, self.groups

    def extra_repr(self) -> str:
        said = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        said += f", padding={self.padding}" if self.padding != (0,) * self.axes else ""
        said += f", dilation={self.dilation}" if self.dilation != (1,) * self.axes else ""
        said += f", groups={self.groups}" if self.groups != 1 else ""
        return said + ("" if self.bias is not None else ", bias=False")


class Conv1d(_Convolution):
    """A convolution of sequences."""

    axes, function = 1, staticmethod(F.conv1d)


class Conv2d(_Convolution):
    """A convolution of images.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> torch.nn.Conv2d(1, 4, 3, padding=1)(torch.ones(2, 1, 8, 8)).shape
    torch.Size([2, 4, 8, 8])
    """

    axes, function = 2, staticmethod(F.conv2d)


class _Transposed(_Convolution):
    transposed = True

    @signed
    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation):
        self_padding = _each(output_padding, self.axes)
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias)
        self.output_padding = self_padding

    def _settings(self) -> tuple[Any, ...]:
        return self.stride, self.padding, self.output_padding, self.groups, self.dilation


class ConvTranspose1d(_Transposed):
    """The transpose of a convolution of sequences."""

    axes, function = 1, staticmethod(F.conv_transpose1d)


class ConvTranspose2d(_Transposed):
    """The transpose of a convolution of images."""

    axes, function = 2, staticmethod(F.conv_transpose2d)


class Embedding(Module):
    """A row of numbers for each word."""

    _shown = "{num_embeddings}, {embedding_dim}"

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None):
        super().__init__()
        self.num_embeddings, self.embedding_dim, self.padding_idx = num_embeddings, embedding_dim, padding_idx
        rows = _creation.source().standard_normal((num_embeddings, embedding_dim)).astype(np.float32)
        if padding_idx is not None:
            rows[padding_idx] = 0
        self.weight = Parameter(rows)

    def forward(self, input: Any) -> Any:
        """The rows of the words."""
        return F.embedding(input, self.weight, self.padding_idx)


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

    _shown = "{normalized_shape}, eps={eps}"

    def __init__(self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True):
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps = eps
        self._scale(self.normalized_shape, elementwise_affine, bias=False)

    def forward(self, input: Any) -> Any:
        """The normalized examples."""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)


class GroupNorm(_AffineNorm):
    """Groups of channels of each example."""

    _shown = "{num_groups}, {num_channels}, eps={eps}, affine={affine}"

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True):
        super().__init__()
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        self._scale((num_channels,), affine)

    def forward(self, input: Any) -> Any:
        """The normalized examples."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)


class _BatchNorm(_AffineNorm):
    """Each feature over the batch; after ``eval()`` by the running averages."""

    _shown = (
        "{num_features}, eps={eps}, momentum={momentum}, affine={affine}, track_running_stats={track_running_stats}"
    )
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


class BatchNorm1d(_BatchNorm):
    """Each feature of ``(batch, features)`` or ``(batch, features, length)`` over the batch."""

    axes = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Each channel of images over the batch."""

    axes = (4,)


class _InstanceNorm(_AffineNorm):
    _shown = "{num_features}, eps={eps}"

    def __init__(self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False):
        super().__init__()
        self.num_features, self.eps = num_features, eps
        self._scale((num_features,), affine)

    def forward(self, input: Any) -> Any:
        """The normalized examples."""
        return F.instance_norm(input, None, None, self.weight, self.bias, eps=self.eps)


class InstanceNorm1d(_InstanceNorm):
    """Each channel of each sequence."""


class InstanceNorm2d(_InstanceNorm):
    """Each channel of each image."""
