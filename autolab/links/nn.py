"""``autolab.nn``: the links, and PyTorch's layers where the same call would mean something else in `links`.

As in PyTorch, sequences have shape ``(length, batch, size)`` unless ``batch_first=True``, masks are True where
attention is not allowed, and ``momentum`` is the weight of the new value in a running average. Everything else is the
link of the same name.
"""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np

from .. import functions as F
from .. import initializers
from ..engine import Parameter, check_number, config
from ..engine.argument_checks import known
from ..functions.networks.dropout import check_ratio
from ..functions.pytorch_losses import bilinear
from . import attention, cells, conv, functional, linear, normalization, recurrent
from .chain import ChainList
from .link import Link
from .normalization import (
    BatchNormalization,
    GroupNormalization,
    InstanceNormalization,
    LayerNormalization,
    RMSNormalization,
    RunningAverages,
)


# ---------------------------------------------------------------------- other orders of arguments
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


Dropout: Any = _ordered("Dropout", normalization.Dropout, "p inplace")

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


# ---------------------------------------------------------------------- sequences
def _turned(x: Any, batch_first: bool) -> Any:
    return x if batch_first else F.swapaxes(x, axis1=0, axis2=1)


class _Recurrent(recurrent.PyTorchLayers, Link):
    """Stacked recurrent layers, called as in PyTorch: one layer of `links` for each layer and direction."""

    _kind: ClassVar[Any]

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        **settings: Any,
    ) -> None:
        super().__init__()
        name, ways = type(self).__name__, 1 + bidirectional
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.batch_first, self.bidirectional = batch_first, bidirectional
        self.dropout, settings["nobias"] = check_ratio(name, dropout), not bias
        sizes = [input_size, *[ways * hidden_size] * (num_layers - 1)]
        self.runs = ChainList(*[self._kind(size, hidden_size, **settings) for size in sizes for _ in range(ways)])

    def _runs(self) -> list[Any]:
        return [partial(self._run, run) for run in self.runs]

    def _run(self, run: Any, x: Any, states: tuple[Any, ...]) -> Any:
        if self._states > 1:
            return run(x, states)
        y, last = run(x, *states)
        return y, (last,)

    def _between(self, x: Any) -> Any:
        return F.dropout(x, ratio=self.dropout)


class LSTM(_Recurrent):
    """`links.LSTM` with PyTorch's axes: ``(length, batch, size)``, or ``(batch, length, size)`` with ``batch_first``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import nn
    >>> states, (h, c) = nn.LSTM(3, 4, num_layers=2, bidirectional=True)(np.ones((5, 2, 3), np.float32))
    >>> states.shape, h.shape, c.shape
    ((5, 2, 8), (4, 2, 4), (4, 2, 4))
    """

    _kind, _states = recurrent.LSTM, 2


class GRU(_Recurrent):
    """`links.GRU` with the axes of `LSTM`, and with ``reset_after=True`` as in PyTorch.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import nn
    >>> states, last = nn.GRU(3, 4, batch_first=True)(np.ones((2, 5, 3), np.float32))
    >>> states.shape, last.shape
    ((2, 5, 4), (1, 2, 4))
    """

    _kind = recurrent.GRU

    def __init__(self, *sizes: Any, **settings: Any) -> None:
        super().__init__(*sizes, **{"reset_after": True, **settings})


class RNN(_Recurrent):
    """`links.RNN` with the axes of `LSTM`; ``nonlinearity`` is ``"tanh"`` or ``"relu"``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import nn
    >>> states, last = nn.RNN(3, 4, nonlinearity="relu")(np.ones((5, 2, 3), np.float32))
    >>> states.shape, last.shape
    ((5, 2, 4), (1, 2, 4))
    """

    _kind = recurrent.RNN

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        *settings: Any,
        **named: Any,
    ) -> None:
        activation = _activation("RNN", nonlinearity)
        super().__init__(input_size, hidden_size, num_layers, *settings, activation=activation, **named)


def _activation(name: str, given: Any) -> Callable[[Any], Any]:
    if given not in ("tanh", "relu", "gelu") and not callable(given):
        raise ValueError(f"{name}: the activation is {given!r:.60}; expected 'tanh', 'relu', 'gelu' or a function")
    found: Callable[[Any], Any] = given if callable(given) else getattr(F, given)
    return found


class MultiheadAttention(attention.MultiheadAttention):
    """`links.MultiheadAttention` with the axes ``(length, batch, size)``, unless ``batch_first=True``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import nn
    >>> x = np.ones((3, 2, 4), np.float32)
    >>> y, weights = nn.MultiheadAttention(4, 2)(x, x, x)
    >>> y.shape, weights.shape
    ((3, 2, 4), (2, 3, 3))
    """

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True, *, batch_first: bool = False
    ) -> None:
        super().__init__(embed_dim, num_heads, nobias=not bias, dropout=dropout)
        self.batch_first = batch_first

    def forward(  # type: ignore[override]  # called as in PyTorch
        self, query: Any, key: Any, value: Any, *masks: Any, **more: Any
    ) -> tuple[Any, Any]:
        """The result, with the axes of the input, and the attention weights, ``(batch, length, keys)``."""
        seen, weights = super().forward(*[_turned(x, self.batch_first) for x in (query, key, value)], *masks, **more)
        return _turned(seen, self.batch_first), weights


class TransformerEncoderLayer(attention.TransformerEncoderLayer):
    """`links.TransformerEncoderLayer` with PyTorch's axes, defaults and masks.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import nn
    >>> nn.TransformerEncoderLayer(8, 2, dim_feedforward=16)(np.ones((3, 2, 8), np.float32)).shape
    (3, 2, 8)
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
    ) -> None:
        activation = _activation("TransformerEncoderLayer", activation)
        super().__init__(d_model, nhead, dim_feedforward, dropout, activation, norm_first)
        self.norm1.eps = self.norm2.eps = layer_norm_eps
        self.attention.dropout = dropout  # PyTorch drops attention weights, too
        self.batch_first = batch_first

    def forward(self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool = False) -> Any:
        """Both parts applied to ``src``; a mask is True where attention is not allowed."""
        x = _turned(src, self.batch_first)
        batch, length = self.attention._stack(x)
        shape = batch, self.attention.heads, length, length
        mask = attention.visible("TransformerEncoderLayer", src_mask, src_key_padding_mask, is_causal, shape)
        return _turned(super().forward(x, mask), self.batch_first)


class TransformerEncoder(Link):
    """A stack of copies of a `TransformerEncoderLayer`, followed by an optional normalization.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import nn
    >>> encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16), num_layers=2)
    >>> encoder(np.ones((3, 2, 8), np.float32)).shape
    (3, 2, 8)
    """

    def __init__(self, encoder_layer: Link, num_layers: int, norm: Any = None) -> None:
        super().__init__()
        self.layers, self.norm = ChainList(*[copy.deepcopy(encoder_layer) for _ in range(num_layers)]), norm

    def forward(self, src: Any, mask: Any = None, src_key_padding_mask: Any = None, is_causal: Any = None) -> Any:
        """All layers applied to ``src``; masks as for `TransformerEncoderLayer`."""
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask, is_causal)
        return src if self.norm is None else self.norm(src)


# ---------------------------------------------------------------------- normalizations
class BatchNorm1d(BatchNormalization):
    """`links.BatchNormalization` with PyTorch's ``momentum``, which is ``1 - decay``.

    Examples
    --------
    >>> from autolab import nn
    >>> nn.BatchNorm2d(3, momentum=0.25).decay
    0.75
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        *,
        bias: bool = True,
    ) -> None:
        share = 0.1 if momentum is None else check_number(type(self).__name__, "momentum", momentum, 0.0, 1.0)
        super().__init__(num_features, 1 - share, eps)
        _leave_out(self, affine, bias)
        if not track_running_stats:
            del self.avg_mean, self.avg_var
            self.avg_mean = self.avg_var = None
        elif momentum is None:  # the averages of all batches
            vars(self)["decay"] = None
            self.register_buffer("num_batches_tracked", np.asarray(0))


class BatchNorm2d(BatchNorm1d):
    """The same as `BatchNorm1d`, which takes images as well."""


class InstanceNorm1d(RunningAverages, InstanceNormalization):
    """`links.InstanceNormalization` with PyTorch's settings: running averages and a scale and offset on request.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import nn
    >>> nn.InstanceNorm1d(1, eps=0.0)(np.array([[[1.0, 3.0]]]))
    array([[[-1.,  1.]]])
    """

    _axes, _is_of_batch_axis = 1, False

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps)
        _leave_out(self, affine, bias)
        self.momentum = momentum
        for name, start in zip(self._averages, (0, 1), strict=True):
            if track_running_stats:
                self.register_buffer(name, np.full(num_features, start, np.float32))
            else:
                setattr(self, name, None)

    def forward(self, x: Any) -> Any:
        """Normalize ``x`` of shape ``(examples, channels, ...)``, or of a single example."""
        trains, batch = config.train or self.avg_mean is None, x if x.ndim > self._axes + 1 else x[None]
        y = self._normalized(functional.instance_norm, batch, self.gamma, self.beta, trains, self.momentum)
        return y if batch is x else y[0]


class InstanceNorm2d(InstanceNorm1d):
    """`InstanceNorm1d` of images."""

    _axes = 2


class InstanceNorm3d(InstanceNorm1d):
    """`InstanceNorm1d` of volumes."""

    _axes = 3


class LayerNorm(LayerNormalization):
    """`links.LayerNormalization` over as many last axes as ``normalized_shape`` has.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import nn
    >>> nn.LayerNorm((2, 3))(np.ones((4, 2, 3))).shape
    (4, 2, 3)
    """

    def __init__(
        self, normalized_shape: Any, eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True
    ) -> None:
        super().__init__(None, eps)
        shape = tuple(normalized_shape) if isinstance(normalized_shape, tuple | list) else (normalized_shape,)
        self.axes = tuple(range(-len(shape), 0))
        self.gamma.initialize(shape)
        self.beta.initialize(shape)
        _leave_out(self, elementwise_affine, bias)

    def forward(self, x: Any) -> Any:
        """Normalize ``x`` of shape ``(..., *normalized_shape)``."""
        return F.layer_norm(x, self.gamma, self.beta, axis=self.axes, eps=self.eps)


class RMSNorm(RMSNormalization):
    """`links.RMSNormalization` over as many last axes as ``normalized_shape`` has; ``eps`` is that of the dtype.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import nn
    >>> nn.RMSNorm((2, 3))(np.ones((4, 2, 3))).shape
    (4, 2, 3)
    """

    def __init__(self, normalized_shape: Any, eps: float | None = None, elementwise_affine: bool = True) -> None:
        super().__init__(None, eps or 0.0)
        shape = tuple(normalized_shape) if isinstance(normalized_shape, tuple | list) else (normalized_shape,)
        vars(self)["eps"], self.normalized_shape = eps, shape
        self.gamma.initialize(shape)
        _leave_out(self, elementwise_affine)

    def forward(self, x: Any) -> Any:
        """Normalize ``x`` of shape ``(..., *normalized_shape)``."""
        return functional.rms_norm(x, self.normalized_shape, self.gamma, self.eps)


class GroupNorm(GroupNormalization):
    """`links.GroupNormalization`, with or without scale and offset.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import nn
    >>> nn.GroupNorm(2, 4, affine=False)(np.ones((1, 4, 3))).shape
    (1, 4, 3)
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int | None = None,
        eps: float = 1e-5,
        affine: bool = True,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_groups, num_channels, eps)
        _leave_out(self, affine, bias)


def _leave_out(link: Any, affine: bool, bias: bool = True) -> None:
    """Take away the scale and the offset of a normalization, or the offset alone."""
    if not affine:
        link.gamma = None
    if not (affine and bias):
        link.beta = None


# ---------------------------------------------------------------------- others
class Bilinear(Link):
    """``x1 @ weight[k] @ x2 + bias[k]`` for each ``k``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import nn
    >>> nn.Bilinear(2, 3, 4)(np.ones((5, 2)), np.ones((5, 3))).shape
    (5, 4)
    """

    bias: Any

    def __init__(self, in1_features: int, in2_features: int, out_features: int, bias: bool = True) -> None:
        super().__init__()
        start = initializers.Uniform(in1_features**-0.5)
        self.weight = Parameter(start, (out_features, in1_features, in2_features))
        self.register_parameter("bias", Parameter(start, (out_features,)) if bias else None)

    def forward(self, x1: Any, x2: Any) -> Any:
        """The result, of shape ``(..., out_features)``, for vectors along the last axes."""
        return bilinear(x1, x2, self.weight, self.bias)


class PReLU(Link):
    """`functions.prelu` with trained slopes: a single one, or one per channel (axis 1).

    Examples
    --------
    >>> from autolab import Variable, nn
    >>> nn.PReLU()(Variable([-4.0, 2.0]))
    variable([-1.  2.])
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25) -> None:
        super().__init__()
        self.weight = Parameter(init, (num_parameters,))

    def forward(self, x: Any) -> Any:
        """``x`` where it is positive, else ``weight * x``."""
        return F.prelu(x, self.weight)


class Dropout2d(Dropout):
    """`links.Dropout` of whole channels (axis 1).

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import nn, test_mode
    >>> with test_mode():
    ...     nn.Dropout2d(0.5)(np.ones((1, 2, 1, 1)))[0, :, 0, 0]
    array([1., 1.])
    """

    def forward(self, x: Any) -> Any:
        """In training mode set whole channels to 0, and divide the others by ``1 - p``."""
        return x * super().forward(np.ones(x.shape[:2] + (1,) * (x.ndim - 2), x.dtype))


def __getattr__(name: str) -> Any:
    return getattr(sys.modules[__package__], name)
