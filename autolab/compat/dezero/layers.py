"""``dezero.layers``: objects that hold parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine import get_array_module
from ...links import Link
from ...serializers import load_npz, save_npz
from ..table import signed
from . import functions as F
from .core import Parameter
from .utils import pair


class Layer(Link):
    """Part of a model: parameters and layers assigned as attributes belong to it.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat.dezero import Layer, Parameter
    >>> class Scale(Layer):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.a = Parameter(np.array(2.0), name="a")
    ...
    ...     def forward(self, x):
    ...         return self.a * x
    >>> layer = Scale()
    >>> layer(np.array([1.0, 3.0])), [p.name for p in layer.params()]
    (variable([2. 6.]), ['a'])
    """

    def __call__(self, *inputs: Any, **settings: Any) -> Any:
        found = super().__call__(*inputs, **settings)
        return found[0] if isinstance(found, tuple) and len(found) == 1 else found

    @property
    def _params(self) -> set[str]:
        """The names of the parameters and layers that were assigned to it."""
        return {name for kind in ("parameter", "link") for name, _ in self._own(kind)}

    def save_weights(self, path: Any) -> None:
        """Save the arrays of all parameters to an npz file, under names such as ``l1/W``."""
        self.to_cpu()
        save_npz(path if str(path).endswith(".npz") else f"{path}.npz", self)

    def load_weights(self, path: Any) -> None:
        """Load the arrays that `save_weights` wrote: all of them or, on an error, none."""
        load_npz(path, self)


class _Weighted(Layer):
    """A layer with a bias and a weight, which is created at the first call if the input size is not given."""

    b: Parameter | None

    def __init__(self, out: int, nobias: bool, dtype: Any, size: int | None) -> None:
        super().__init__()
        self.dtype = dtype
        self.W = Parameter(None, name="W")
        if size is not None:
            self._draw(size, np)
        self.b = None if nobias else Parameter(np.zeros(out, dtype), name="b")

    def _shape(self, size: int) -> tuple[int, ...]:
        """The shape of the weight."""
        raise NotImplementedError

    def _draw(self, size: int, xp: Any) -> None:
        """Normally distributed numbers; their variance is 1 / (number of inputs of each output)."""
        shape = self._shape(size)
        inputs = size * int(np.prod(shape[2:]))
        self.W.data = xp.random.randn(*shape).astype(self.dtype) * np.sqrt(1 / inputs).astype(self.dtype)

    def _ready(self, x: Any) -> None:
        if self.W.data is None:
            self._draw(x.shape[1], get_array_module(x))


class Linear(_Weighted):
    """``x @ W + b``.

    Parameters
    ----------
    out_size : int
    nobias : bool
    dtype : dtype
    in_size : int, optional
        By default, that of the first input.
    """

    @signed
    def __init__(self, out_size, nobias, dtype, in_size):
        self.in_size, self.out_size = in_size, out_size
        super().__init__(out_size, nobias, dtype, in_size)

    def _shape(self, size: int) -> tuple[int, ...]:
        self.in_size = size
        return size, self.out_size

    def forward(self, x: Any) -> Any:
        """Apply the map to every row."""
        self._ready(x)
        return F.linear(x, self.W, self.b)


class Conv2d(_Weighted):
    """A convolution.

    Parameters
    ----------
    out_channels : int
    kernel_size, stride, pad : int or (int, int)
    nobias : bool
    dtype : dtype
    in_channels : int, optional
        By default, those of the first input.
    """

    _function = staticmethod(F.conv2d)

    @signed
    def __init__(self, out_channels, kernel_size, stride, pad, nobias, dtype, in_channels):
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size, self.stride, self.pad = kernel_size, stride, pad
        super().__init__(out_channels, nobias, dtype, in_channels)

    def _shape(self, size: int) -> tuple[int, ...]:
        self.in_channels = size
        return self.out_channels, size, *pair(self.kernel_size)

    def forward(self, x: Any) -> Any:
        """Apply the convolution to every image."""
        self._ready(x)
        return type(self)._function(x, self.W, self.b, self.stride, self.pad)


class Deconv2d(Conv2d):
    """A transposed convolution, with the parameters of `Conv2d`."""

    _function = staticmethod(F.deconv2d)

    def _shape(self, size: int) -> tuple[int, ...]:
        self.in_channels = size
        return size, self.out_channels, *pair(self.kernel_size)


class _Recurrent(Layer):
    """A layer with a hidden state and, in `LSTM`, a cell state."""

    h: Any = None
    c: Any = None

    def reset_state(self) -> None:
        """Reset to the initial state."""
        self.h = self.c = None


class RNN(_Recurrent):
    """A recurrent layer with tanh, which keeps its hidden state from call to call."""

    def __init__(self, hidden_size: int, in_size: int | None = None) -> None:
        super().__init__()
        self.x2h = Linear(hidden_size, in_size=in_size)
        self.h2h = Linear(hidden_size, in_size=None if in_size is None else hidden_size, nobias=True)

    def forward(self, x: Any) -> Any:
        """The next hidden state."""
        y = self.x2h(x)
        self.h = F.tanh(y if self.h is None else y + self.h2h(self.h))
        return self.h


class LSTM(_Recurrent):
    """A long short-term memory, which keeps its hidden state and cell state from call to call."""

    def __init__(self, hidden_size: int, in_size: int | None = None) -> None:
        super().__init__()
        for gate in "fiou":
            setattr(self, f"x2{gate}", Linear(hidden_size, in_size=in_size))
        for gate in "fiou":
            setattr(self, f"h2{gate}", Linear(hidden_size, in_size=hidden_size, nobias=True))

    def forward(self, x: Any) -> Any:
        """The next hidden state."""
        f, i, o = [F.sigmoid(self._reached(gate, x)) for gate in "fio"]
        new = i * F.tanh(self._reached("u", x))
        self.c = new if self.c is None else f * self.c + new
        self.h = o * F.tanh(self.c)
        return self.h

    def _reached(self, gate: str, x: Any) -> Any:
        y = vars(self)[f"x2{gate}"](x)
        return y if self.h is None else y + vars(self)[f"h2{gate}"](self.h)


class EmbedID(Layer):
    """A table of embeddings, one row per index."""

    def __init__(self, in_size: int, out_size: int) -> None:
        super().__init__()
        self.W = Parameter(np.random.randn(in_size, out_size), name="W")

    def forward(self, x: Any) -> Any:
        """The rows with the indices ``x``."""
        return self.W[x]


class BatchNorm(Layer):
    """Batch normalization. The running averages are parameters without a gradient, so that they are saved."""

    def __init__(self) -> None:
        super().__init__()
        for name in ("avg_mean", "avg_var", "gamma", "beta"):
            setattr(self, name, Parameter(None, name=name))

    def forward(self, x: Any) -> Any:
        """Normalize ``x`` of shape ``(batch, features)`` or ``(batch, channels, height, width)``."""
        own: dict[str, Any] = vars(self)
        for name, start in (("avg_mean", 0), ("avg_var", 1), ("gamma", 1), ("beta", 0)):
            if own[name].data is None:
                own[name].data = get_array_module(x).full(x.shape[1], start, dtype=x.dtype)
        return F.batch_nrom(x, own["gamma"], own["beta"], own["avg_mean"].data, own["avg_var"].data)
