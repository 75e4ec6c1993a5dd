"""Layers with parameters; their arguments are in the table."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ....functions.networks.embedding import padding_row
from ....functions.networks.windows import check_padding_mode
from ....links.functional import padded_by
from ....links.normalization import RunningAverages
from .. import _creation
from .._tensor import constant
from . import functional as F
from ._module import Layer
from .parameter import Parameter


def _uniform(shape: tuple[int, ...], reach: float) -> Parameter:
    """The initial weights of linear layers and convolutions, uniform in ``[-reach, reach]``."""
    return Parameter(_creation.source().uniform(-reach, reach, shape).astype(np.float32))


def _start(module: Layer, weight: tuple[int, ...], outputs: int, inputs: int) -> None:
    """A weight and a bias, uniform between ``-1 / sqrt(inputs)`` and ``1 / sqrt(inputs)``."""
    reach = 1 / math.sqrt(inputs) if inputs else 0.0
    module.weight = _uniform(weight, reach)
    module.register_parameter("bias", _uniform((outputs,), reach) if module.bias else None)


class Linear(Layer):
    """``x @ weight.T + bias``

    Examples
    --------
    >>> from autolab.compat import torch
    >>> layer = torch.nn.Linear(3, 2)
    >>> layer, layer.weight.shape, layer(torch.ones(5, 3)).shape
    (Linear(in_features=3, out_features=2, bias=True), torch.Size([2, 3]), torch.Size([5, 2]))
    """

    _function, _shown = F.linear, "in_features={in_features}, out_features={out_features}, bias={bias}"

    def _begin(self) -> None:
        _start(self, (self.out_features, self.in_features), self.out_features, self.in_features)


class Bilinear(Layer):
    """``x1 @ weight[k] @ x2 + bias[k]`` for each ``k``."""

    _function, _inputs = F.bilinear, 2
    _shown = "in1_features={in1_features}, in2_features={in2_features}, out_features={out_features}, bias={bias}"

    def _begin(self) -> None:
        shape = (self.out_features, self.in1_features, self.in2_features)
        _start(self, shape, self.out_features, self.in1_features)

    def forward(self, input1: Any, input2: Any) -> Any:  # type: ignore[override]
        """The result for pairs of vectors."""
        return self._function(input1, input2, *self._others(self))


class _Convolution(Layer):
    """Base class of convolutions."""

    axes: int
    padding_mode = "zeros"
    _transposed = False

    def _begin(self) -> None:
        for name in ("kernel_size", "stride", "padding", "dilation", *["output_padding"] * self._transposed):
            if not isinstance(getattr(self, name), str):
                setattr(self, name, F._each(getattr(self, name), self.axes))
        check_padding_mode(type(self).__name__, self.padding_mode)
        outer, inner = self.out_channels, self.in_channels
        if self._transposed:
            outer, inner = inner, outer
        shape = (outer, inner // self.groups, *self.kernel_size)
        _start(self, shape, self.out_channels, math.prod(shape[1:]))

    def forward(self, input: Any) -> Any:
        """The result for an input of shape ``(batch, in_channels, ...)``."""
        if self.padding_mode == "zeros" or (self.padding == "same" and {*self.stride} != {1}):
            return self._function(input, *self._others(self))
        padded = padded_by(input, self.padding_mode, self.padding, self.kernel_size, self.dilation)
        return self._function(padded, self.weight, self.bias, self.stride, 0, self.dilation, self.groups)

    def extra_repr(self) -> str:
        said = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        usual = {"padding": (0,) * self.axes, "dilation": (1,) * self.axes, "groups": 1}
        others = [f", {name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value]
        said += "".join(others) + ("" if self.bias is not None else ", bias=False")
        return said + (f", padding_mode={self.padding_mode}" if self.padding_mode != "zeros" else "")


class Conv1d(_Convolution):
    """A convolution over sequences."""

    axes, _function = 1, F.conv1d


class Conv2d(_Convolution):
    """A convolution over images.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> torch.nn.Conv2d(1, 4, 3, padding=1)(torch.ones(2, 1, 8, 8)).shape
    torch.Size([2, 4, 8, 8])
    """

    axes, _function = 2, F.conv2d


class _Transposed(_Convolution):
    _transposed = True


class ConvTranspose1d(_Transposed):
    """A transposed convolution over sequences."""

    axes, _function = 1, F.conv_transpose1d


class ConvTranspose2d(_Transposed):
    """A transposed convolution over images."""

    axes, _function = 2, F.conv_transpose2d


class Embedding(Layer):
    """A table of embeddings, one row for each index."""

    padding_idx: int | None
    _function, _shown = F.embedding, "{num_embeddings}, {embedding_dim}"

    def _begin(self) -> None:
        rows = _creation.source().standard_normal((self.num_embeddings, self.embedding_dim)).astype(np.float32)
        self.padding_idx = padding_row("Embedding", self.padding_idx, self.num_embeddings)
        if self.padding_idx is not None:
            rows[self.padding_idx] = 0
            self._shown += ", padding_idx={padding_idx}"
        self._shown += ", max_norm={max_norm}" if self.max_norm is not None else ""
        self._shown += ", norm_type={norm_type}" if self.norm_type != 2 else ""
        self.weight = Parameter(rows)

    @classmethod
    def from_pretrained(cls, embeddings: Any, freeze: bool = True, padding_idx: int | None = None, **more: Any) -> Any:
        """A layer with these embeddings, whose memory is shared; with ``freeze`` they are not trained."""
        layer = cls(*embeddings.shape, padding_idx=padding_idx, **more)
        layer.weight = Parameter(embeddings, requires_grad=not freeze)
        return layer


class _AffineNorm(Layer):
    """Base class of normalizations: an optional scale and offset."""

    axes: tuple[int, ...]
    bias = True  # that of Python, where it is no setting
    _shown = "{num_features}, eps={eps}, momentum={momentum}, affine={affine}, bias={bias}, track_running_stats="

    _sizes, _wanted = "num_features", "affine"
    """The settings for the shape of the scale, and for whether there is one."""

    def _begin(self) -> None:
        shape, wanted = F._each(getattr(self, self._sizes), 1), getattr(self, self._wanted)
        self.register_parameter("weight", Parameter(np.ones(shape, np.float32)) if wanted else None)
        self.register_parameter("bias", Parameter(np.zeros(shape, np.float32)) if wanted and self.bias else None)

    def _check(self, input: Any) -> None:
        if input._data.ndim not in self.axes:
            raise ValueError(f"{type(self).__name__}: got {input._data.ndim} axes; expected {self.axes}")


class LayerNorm(_AffineNorm):
    """Layer normalization: each example over its last axes."""

    normalized_shape: Any
    _function, _sizes, _wanted = F.layer_norm, "normalized_shape", "elementwise_affine"
    _shown = "{normalized_shape}, eps={eps}, elementwise_affine={elementwise_affine}, bias={bias}"

    def _begin(self) -> None:
        self.normalized_shape = F._each(self.normalized_shape, 1)
        super()._begin()


class RMSNorm(LayerNorm):
    """Root mean square normalization: each example divided by the RMS over its last axes."""

    bias, _function = False, F.rms_norm
    _shown = "{normalized_shape}, eps={eps}, elementwise_affine={elementwise_affine}"


class GroupNorm(_AffineNorm):
    """Group normalization: each example over groups of channels."""

    _function, _sizes = F.group_norm, "num_channels"
    _shown = "{num_groups}, {num_channels}, eps={eps}, affine={affine}, bias={bias}"


class _TrackingNorm(RunningAverages, _AffineNorm):
    """Base class of normalizations with running averages."""

    _shown = _AffineNorm._shown + "{track_running_stats}"
    _averages = _not_restored = ("running_mean", "running_var")

    def _begin(self) -> None:
        super()._begin()
        begin = {"running_mean": np.zeros, "running_var": np.ones}
        averages = {name: make(self.num_features, np.float32) for name, make in begin.items()}
        for name, array in {**averages, "num_batches_tracked": np.asarray(0)}.items():
            self.register_buffer(name, constant(array) if self.track_running_stats else None)

    def forward(self, input: Any) -> Any:
        """The normalized input; outside training, with the running averages."""
        self._check(input)
        trains = self.training or self.running_mean is None
        return self._normalized(self._function, input, self.weight, self.bias, trains, self.momentum)


class BatchNorm1d(_TrackingNorm):
    """Batch normalization of inputs of shape ``(batch, features)`` or ``(batch, features, length)``."""

    axes, _function = (2, 3), F.batch_norm


class BatchNorm2d(_TrackingNorm):
    """Batch normalization of images: each channel over the batch."""

    axes, _function = (4,), F.batch_norm


class _InstanceNorm(_TrackingNorm):
    """Normalization of each channel of each example, which may have no axis for the batch."""

    _function = F.instance_norm
    _is_of_batch_axis = False

    def forward(self, input: Any) -> Any:
        """The normalized input; outside training, with the running averages if there are any."""
        return F._batched(max(self.axes) - 2, input, super().forward)


class InstanceNorm1d(_InstanceNorm):
    """Instance normalization: each channel of each sequence."""

    axes = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Instance normalization: each channel of each image."""

    axes = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Instance normalization: each channel of each volume."""

    axes = (4, 5)
