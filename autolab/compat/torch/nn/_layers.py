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
from ._windows import _batched, _each
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

    _shown = "in_features={in_features}, out_features={out_features}, bias={bias}"

    def _begin(self) -> None:
        _start(self, (self.out_features, self.in_features), self.out_features, self.in_features)

    def forward(self, input: Any) -> Any:
        """The result for an input of shape ``(..., in_features)``."""
        return F.linear(input, self.weight, self.bias)


class Bilinear(Layer):
    """``x1 @ weight[k] @ x2 + bias[k]`` for each ``k``."""

    _shown = "in1_features={in1_features}, in2_features={in2_features}, out_features={out_features}, bias={bias}"

    def _begin(self) -> None:
        shape = (self.out_features, self.in1_features, self.in2_features)
        _start(self, shape, self.out_features, self.in1_features)

    def forward(self, input1: Any, input2: Any) -> Any:
        """The result for pairs of vectors."""
        return F.bilinear(input1, input2, self.weight, self.bias)


class _Convolution(Layer):
    """Base class of convolutions."""

    axes: int
    function: Any
    padding_mode = "zeros"
    _transposed = False
    _order: tuple[str, ...] = ("stride", "padding", "dilation", "groups")

    def _begin(self) -> None:
        for name in {"kernel_size", *self._order} - {"groups"}:
            if not isinstance(getattr(self, name), str):
                setattr(self, name, _each(getattr(self, name), self.axes))
        check_padding_mode(type(self).__name__, self.padding_mode)
        outer, inner = self.out_channels, self.in_channels
        if self._transposed:
            outer, inner = inner, outer
        shape = (outer, inner // self.groups, *self.kernel_size)
        _start(self, shape, self.out_channels, math.prod(shape[1:]))

    def forward(self, input: Any) -> Any:
        """The result for an input of shape ``(batch, in_channels, ...)``."""
        settings = [getattr(self, name) for name in self._order]
        if self.padding_mode != "zeros" and (self.padding != "same" or {*self.stride} == {1}):
            input = padded_by(input, self.padding_mode, self.padding, self.kernel_size, self.dilation)
            settings[1] = 0
        settings = [v[0] if self.axes == 1 and isinstance(v, tuple) else v for v in settings]
        return type(self).function(input, self.weight, self.bias, *settings)

    def extra_repr(self) -> str:
        said = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        usual = {"padding": (0,) * self.axes, "dilation": (1,) * self.axes, "groups": 1}
        others = [f", {name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value]
        said += "".join(others) + ("" if self.bias is not None else ", bias=False")
        return said + (f", padding_mode={self.padding_mode}" if self.padding_mode != "zeros" else "")


class Conv1d(_Convolution):
    """A convolution over sequences."""

    axes, function = 1, staticmethod(F.conv1d)


class Conv2d(_Convolution):
    """A convolution over images.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> torch.nn.Conv2d(1, 4, 3, padding=1)(torch.ones(2, 1, 8, 8)).shape
    torch.Size([2, 4, 8, 8])
    """

    axes, function = 2, staticmethod(F.conv2d)


class _Transposed(_Convolution):
    _transposed = True
    _order = ("stride", "padding", "output_padding", "groups", "dilation")


class ConvTranspose1d(_Transposed):
    """A transposed convolution over sequences."""

    axes, function = 1, staticmethod(F.conv_transpose1d)


class ConvTranspose2d(_Transposed):
    """A transposed convolution over images."""

    axes, function = 2, staticmethod(F.conv_transpose2d)


class Embedding(Layer):
    """A table of embeddings, one row for each index."""

    padding_idx: int | None
    _shown = "{num_embeddings}, {embedding_dim}"

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

    def forward(self, input: Any) -> Any:
        """The embeddings of the indices in ``input``."""
        return F.embedding(input, self.weight, self.padding_idx, self.max_norm, self.norm_type)


class _AffineNorm(Layer):
    """Base class of normalizations: an optional scale and offset."""

    axes: tuple[int, ...]
    bias = True  # that of Python, where it is no setting
    _shown = "{num_features}, eps={eps}, momentum={momentum}, affine={affine}, bias={bias}, track_running_stats="

    def _begin(self) -> None:
        self._scale((self.num_features,), self.affine)

    def _check(self, input: Any) -> None:
        if input._data.ndim not in self.axes:
            raise ValueError(f"{type(self).__name__}: got {input._data.ndim} axes; expected {self.axes}")

    def _scale(self, shape: tuple[int, ...], wanted: bool) -> None:
        self.register_parameter("weight", Parameter(np.ones(shape, np.float32)) if wanted else None)
        self.register_parameter("bias", Parameter(np.zeros(shape, np.float32)) if wanted and self.bias else None)


class LayerNorm(_AffineNorm):
    """Layer normalization: each example over its last axes."""

    normalized_shape: Any
    _shown = "{normalized_shape}, eps={eps}, elementwise_affine={elementwise_affine}, bias={bias}"

    def _begin(self) -> None:
        if isinstance(self.normalized_shape, int):
            self.normalized_shape = (self.normalized_shape,)
        self.normalized_shape = tuple(self.normalized_shape)
        self._scale(self.normalized_shape, self.elementwise_affine)

    def forward(self, input: Any) -> Any:
        """The normalized input."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class RMSNorm(LayerNorm):
    """Root mean square normalization: each example divided by the RMS over its last axes."""

    bias = False
    _shown = "{normalized_shape}, eps={eps}, elementwise_affine={elementwise_affine}"

    def forward(self, input: Any) -> Any:
        """The normalized input."""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)


class GroupNorm(_AffineNorm):
    """Group normalization: each example over groups of channels."""

    _shown = "{num_groups}, {num_channels}, eps={eps}, affine={affine}, bias={bias}"

    def _begin(self) -> None:
        self._scale((self.num_channels,), self.affine)

    def forward(self, input: Any) -> Any:
        """The normalized input."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)


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

    axes, _function = (2, 3), staticmethod(F.batch_norm)


class BatchNorm2d(_TrackingNorm):
    """Batch normalization of images: each channel over the batch."""

    axes, _function = (4,), staticmethod(F.batch_norm)


class _InstanceNorm(_TrackingNorm):
    """Normalization of each channel of each example, which may have no axis for the batch."""

    _function = staticmethod(F.instance_norm)
    _is_of_batch_axis = False

    def forward(self, input: Any) -> Any:
        """The normalized input; outside training, with the running averages if there are any."""
        return _batched(max(self.axes) - 2, input, super().forward)


class InstanceNorm1d(_InstanceNorm):
    """Instance normalization: each channel of each sequence."""

    axes = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Instance normalization: each channel of each image."""

    axes = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Instance normalization: each channel of each volume."""

    axes = (4, 5)
