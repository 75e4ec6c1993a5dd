"""Convolution layers, and their transposes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import numpy as np

from .. import initializers
from ..engine import Parameter, takes_other_words
from ..functions import conv1d, conv2d, conv_transpose1d, conv_transpose2d
from ..functions.networks.conv_transpose import padded_transpose
from ..functions.networks.windows import named_padding, per_axis
from .functional import padded_by
from .linear import Activated, activation_of, bias, check_size, initializer, shape_of
from .link import Link


def _without_in_channels(init: Callable[..., None]) -> Callable[..., None]:
    """Take two sizes as ``out_channels`` and ``ksize``, as in Keras: ``Conv2D(8, 3)``, ``Conv2D(8, ksize=3)``.
    Sizes given by keyword keep their meaning."""

    @wraps(init)
    def begin(self: Any, *sizes: Any, **settings: Any) -> None:
        is_pair = len(sizes) + ("ksize" in settings) == 2 and "out_channels" not in settings and None not in sizes
        init(self, *(None,) * is_pair, *sizes, **settings)

    return begin


class _Conv(Link):
    """A convolution over ``axes`` axes; without ``in_channels`` their number is taken from the first input."""

    axes: int
    convolve: Any
    b: Parameter | None
    padding_mode: str = "zeros"

    @takes_other_words
    @_without_in_channels
    def __init__(
        self,
        in_channels: int | None = None,
        out_channels: int | None = None,
        ksize: int | tuple[int, ...] | None = None,
        stride: int | tuple[int, ...] = 1,
        pad: int | tuple[int, ...] | str = 0,
        nobias: bool = False,
        initialW: Any = None,
        initial_bias: Any = None,
        dilate: int | tuple[int, ...] = 1,
        groups: int = 1,
        activation: Any = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        if out_channels is None or ksize is None:
            missing = "ksize" if out_channels else "out_channels"
            raise TypeError(f"{name}: {missing} is missing; expected {name}(in_channels, out_channels, ksize)")
        self.out_channels = check_size(name, "out_channels", out_channels)
        sizes = tuple(ksize) if isinstance(ksize, tuple | list) else (ksize,) * self.axes
        if len(sizes) != self.axes:
            raise ValueError(f"{name}: ksize is {ksize!r:.60}; expected an integer or {self.axes} of them")
        self.ksize = tuple([check_size(name, "ksize", n) for n in sizes])
        self.stride, self.dilate = self._steps("stride", stride, 1), self._steps("dilate", dilate, 1)
        if isinstance(pad, str):
            steps, holes = (per_axis(value, self.axes, name, 1) for value in (stride, dilate))
            pad = named_padding(pad, self.ksize, steps, holes, f"{name}: pad")
        self.pad = self._steps("pad", pad, 0)
        self.groups = check_size(name, "groups", groups)
        self.activation = activation_of(name, activation)
        if self.out_channels % self.groups:
            raise ValueError(f"{name}: out_channels is {out_channels}; expected a multiple of groups, {groups}")
        self.W = Parameter(initializer(initialW, initializers.LeCunNormal()))
        if in_channels is not None:
            self._size(check_size(name, "in_channels", in_channels))
        self.register_parameter("b", None if nobias else bias(initial_bias, self.out_channels))

    def _steps(self, what: str, value: Any, least: int) -> Any:
        """Check a setting of the windows: one integer for all axes, or one for each."""
        values = value if isinstance(value, tuple | list) else (value,) * self.axes
        if len(values) != self.axes or not all([isinstance(n, int | np.integer) and n >= least for n in values]):
            many = f", or {self.axes} of them" if self.axes > 1 else ""
            raise ValueError(
                f"{type(self).__name__}: {what} is {value!r:.60}; expected an integer of at least {least}{many}"
            )
        return value

    def _size(self, in_channels: int) -> None:
        if in_channels % self.groups:
            what = type(self).__name__
            raise ValueError(f"{what}: in_channels is {in_channels}; expected a multiple of groups, {self.groups}")
        self.W.initialize(self._shape(in_channels))

    def _shape(self, in_channels: int) -> tuple[int, ...]:
        return self.out_channels, in_channels // self.groups, *self.ksize

    def forward(self, x: Any) -> Any:
        """Convolve ``x`` of shape ``(examples, in_channels, ...)``."""
        if not self.W.is_initialized:
            name, shape = type(self).__name__, shape_of(type(self).__name__, x)
            if len(shape) != self.axes + 2:
                axes = ", ".join(("height", "width") if self.axes == 2 else ("length",))
                raise ValueError(f"{name}: x has shape {shape}; expected (examples, in_channels, {axes})")
            self._size(shape[1])
        pad = self.pad
        if self.padding_mode != "zeros":
            widths, holes = per_axis(pad, self.axes, "pad", 0), per_axis(self.dilate, self.axes, "dilate", 1)
            x, pad = padded_by(x, self.padding_mode, widths, self.ksize, holes), 0
        inputs = (x, self.W) if self.b is None else (x, self.W, self.b)
        settings = {"stride": self.stride, "padding": pad, "dilation": self.dilate, "groups": self.groups}
        return type(self).convolve(*inputs, **settings, **self._result())

    def _result(self) -> dict[str, Any]:
        """Further keyword arguments of the convolution."""
        return {}

    @property
    def in_channels(self) -> int | None:
        """Length of axis 1 of the input; None until it is known."""
        return self.W.shape[1] * self.groups if self.W.is_initialized else None

    def extra_repr(self) -> str:
        channels = self.in_channels
        size = self.ksize[0] if len(set(self.ksize)) == 1 else self.ksize
        settings = [f"{channels}, {self.out_channels}, {size}"]
        settings += [f"{name}={value}" for name, value, usual in self._settings() if value != usual]
        return ", ".join(settings)

    def _settings(self) -> tuple[tuple[str, Any, Any], ...]:
        windows = ("stride", self.stride, 1), ("pad", self.pad, 0), ("dilate", self.dilate, 1)
        mode = "padding_mode", self.padding_mode, "zeros"
        return *windows, ("groups", self.groups, 1), ("nobias", self.b is None, False), mode


class Conv1D(Activated, _Conv):
    """1-D convolution, of sequences ``(examples, in_channels, length)``.

    Parameters
    ----------
    in_channels : int, optional
        Number of input channels; None, or two sizes as in ``Conv1D(8, 3)``, takes it from the first input.
    out_channels : int
        Number of output channels.
    ksize : int
        Length of the kernel.
    stride : int
        Distance from one window to the next.
    pad : int or str
        Number of zeros added at both ends of the sequence; ``"same"`` adds as many as keep its length.
    nobias : bool
        Omit the bias ``b``.
    initialW, initial_bias : initializer, number or array, optional
        By default `initializers.LeCunNormal` and 0.
    dilate : int
        Spacing between the elements that the kernel covers; 1 means adjacent.
    groups : int
        Number of groups that the channels are split into; each group of outputs sees only its own group of inputs.
    activation : callable or str, optional
        Function applied to the result, or its name in `functions`.

    Attributes
    ----------
    W : Parameter
        Of shape ``(out_channels, in_channels / groups, ksize)``.
    b : Parameter or None
        Of shape ``(out_channels,)``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> L.Conv1D(None, 4, 3)(np.ones((2, 1, 10), np.float32)).shape
    (2, 4, 8)
    """

    axes, convolve = 1, conv1d


class Conv2D(Activated, _Conv):
    """2-D convolution, of images ``(examples, in_channels, height, width)``.

    Parameters
    ----------
    in_channels : int, optional
        Number of input channels; None, or two sizes as in ``Conv2D(8, 3)``, takes it from the first input.
    out_channels : int
        Number of output channels.
    ksize : int or (int, int)
        Height and width of the kernel.
    stride : int or (int, int)
        Distance from one window to the next.
    pad : int, (int, int) or str
        Number of rows and columns of zeros added on each side; ``"same"`` adds as many as keep height and width.
    nobias : bool
        Omit the bias ``b``.
    initialW, initial_bias : initializer, number or array, optional
        By default `initializers.LeCunNormal` and 0.
    dilate : int or (int, int)
        Spacing between the elements that the kernel covers; 1 means adjacent.
    groups : int
        Number of groups that the channels are split into; each group of outputs sees only its own group of inputs.
    activation : callable or str, optional
        Function applied to the result, or its name in `functions`.

    Attributes
    ----------
    W : Parameter
        Of shape ``(out_channels, in_channels / groups, height, width)``.
    b : Parameter or None
        Of shape ``(out_channels,)``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> L.Conv2D(None, 4, 3, pad=1)(np.ones((2, 1, 8, 8), np.float32)).shape
    (2, 4, 8, 8)
    """

    axes, convolve = 2, conv2d


class _ConvTranspose(_Conv):
    """The transpose of a convolution: its result has the size of such a convolution's input."""

    @takes_other_words
    @_without_in_channels
    def __init__(
        self,
        in_channels: int | None = None,
        out_channels: int | None = None,
        ksize: int | tuple[int, ...] | None = None,
        stride: int | tuple[int, ...] = 1,
        pad: int | tuple[int, ...] = 0,
        output_padding: int | tuple[int, ...] = 0,
        groups: int = 1,
        nobias: bool = False,
        dilate: int | tuple[int, ...] = 1,
        initialW: Any = None,
        initial_bias: Any = None,
        activation: Any = None,
    ) -> None:
        more = nobias, initialW, initial_bias, dilate, groups, activation
        super().__init__(in_channels, out_channels, ksize, stride, pad, *more)
        self.output_padding = self._steps("output_padding", output_padding, 0)

    def _shape(self, in_channels: int) -> tuple[int, ...]:
        return in_channels, self.out_channels // self.groups, *self.ksize

    @property
    def in_channels(self) -> int | None:
        return self.W.shape[0] if self.W.is_initialized else None

    def _result(self) -> dict[str, Any]:
        return {"output_padding": self.output_padding}

    def _settings(self) -> tuple[tuple[str, Any, Any], ...]:
        return *super()._settings(), ("output_padding", self.output_padding, 0)


class ConvTranspose1D(Activated, _ConvTranspose):
    """1-D transposed convolution, for upsampling sequences: each element is spread over a window of the result.

    Parameters
    ----------
    in_channels : int, optional
        Number of input channels; None, or two sizes as in ``ConvTranspose1D(8, 3)``, takes it from the first input.
    out_channels, ksize : int
        Number of output channels; length of the kernel.
    stride : int
        Distance from one window to the next.
    pad : int
        Number of elements cut off at both ends of the result.
    output_padding : int
        Number of elements added at the end of the result.
    groups, nobias, dilate, initialW, initial_bias, activation
        As for `Conv1D`.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> L.ConvTranspose1D(2, 1, 4, stride=2, pad=1)(np.ones((1, 2, 5), np.float32)).shape
    (1, 1, 10)
    """

    axes, convolve = 1, partial(padded_transpose, conv_transpose1d)


class ConvTranspose2D(Activated, _ConvTranspose):
    """2-D transposed convolution, for upsampling images: each element is spread over a window of the result.

    Parameters
    ----------
    in_channels : int, optional
        Number of input channels; None, or two sizes as in ``ConvTranspose2D(8, 3)``, takes it from the first input.
    out_channels : int
        Number of output channels.
    ksize : int or (int, int)
        Height and width of the kernel.
    stride : int or (int, int)
        Distance from one window to the next.
    pad : int or (int, int)
        Number of rows and columns cut off on each side of the result.
    output_padding : int or (int, int)
        Number of rows and columns added at the bottom and right of the result.
    groups, nobias, dilate, initialW, initial_bias, activation
        As for `Conv2D`.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> L.ConvTranspose2D(2, 1, 4, stride=2, pad=1)(np.ones((1, 2, 7, 7), np.float32)).shape
    (1, 1, 14, 14)
    """

    axes, convolve = 2, partial(padded_transpose, conv_transpose2d)
