"""Layers with parameters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...table import signed
from .. import _creation
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

    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}"
