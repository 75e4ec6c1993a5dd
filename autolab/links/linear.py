"""Linear, EltwiseParamProduct, Embedding: links with one weight. `functions.linear` computes, and checks the shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import functions, initializers
from ..engine import Parameter, as_array, check_real, takes_other_words, unwrap
from ..functions import embedding, linear
from ..functions.networks.embedding import padding_row
from .link import Link


class Linear(Link):
    """A fully connected layer: ``x @ W.T + b``.

    Parameters
    ----------
    in_size : int or None
        Length of the last axis of the input; None takes it from the first input. ``Linear(out)`` is short for
        ``Linear(None, out)``.
    out_size : int, optional
        Length of the last axis of the result.
    nobias : bool
        Omit the bias ``b``.
    initialW : initializer, number or array, optional
        By default `initializers.LeCunNormal`: normally distributed, with standard deviation ``1 / sqrt(in_size)``.
    initial_bias : initializer, number or array, optional
        By default 0.

    Attributes
    ----------
    W : Parameter
        Of shape ``(out_size, in_size)``; uninitialized until ``in_size`` is known.
    b : Parameter or None
        Of shape ``(out_size,)``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> layer = L.Linear(None, 2)
    >>> layer.W.data is None
    True
    >>> layer(np.ones((4, 3), np.float32)).shape, layer.W.shape
    ((4, 2), (2, 3))
    """

    b: Parameter | None

    @takes_other_words
    def __init__(
        self,
        in_size: int | None,
        out_size: int | None = None,
        nobias: bool = False,
        initialW: Any = None,
        initial_bias: Any = None,
    ) -> None:
        super().__init__()
        in_size, self.out_size = sizes("Linear", in_size, out_size)
        shape = None if in_size is None else (self.out_size, in_size)
        self.W = Parameter(initializer(initialW, initializers.LeCunNormal()), shape)
        self.register_parameter("b", None if nobias else bias(initial_bias, self.out_size))

    def forward(self, x: Any) -> Any:
        """``x @ W.T + b``, of shape ``(..., out_size)``, for ``x`` of shape ``(..., in_size)``."""
        if not self.W.is_initialized:
            shape = shape_of("Linear", x)
            if not shape:
                raise ValueError("Linear: x is a number; expected an array of shape (..., in_size)")
            self.W.initialize((self.out_size, shape[-1]))
        return linear(x, self.W) if self.b is None else linear(x, self.W, self.b)

    @property
    def in_size(self) -> int | None:
        """Length of the last axis of the input; None until it is known."""
        return self.W.shape[1] if self.W.is_initialized else None

    def extra_repr(self) -> str:
        return f"{self.in_size}, {self.out_size}" + (", nobias=True" if self.b is None else "")


class EltwiseParamProduct(Link):
    """Elementwise product with a trained array: ``W * x``.

    Parameters
    ----------
    shape : tuple of int
        Shape of ``W``; the input's shape must broadcast with it.
    initialW : initializer, number or array, optional
        By default `initializers.Normal` with standard deviation 1.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> L.EltwiseParamProduct((2, 3))(np.ones((2, 3), np.float32)).shape
    (2, 3)
    """

    def __init__(self, shape: Any, initialW: Any = None) -> None:
        super().__init__()
        self.W = Parameter(initializer(initialW, initializers.Normal(scale=1.0)), shape)

    def forward(self, x: Any) -> Any:
        """``W * x``."""
        return self.W * x

    def extra_repr(self) -> str:
        return str(self.W.shape)


class Embedding(Link):
    """A table of trained vectors, looked up by index: one row for each word of a vocabulary.

    Parameters
    ----------
    rows : int
        Size of the vocabulary; the indices are 0 to ``rows - 1``.
    size : int
        Length of each vector.
    initialW : initializer, number or array, optional
        By default `initializers.Normal` with standard deviation 1.
    padding_idx : int, optional
        The index used to pad sequences: its row is 0 and is not trained.

    Attributes
    ----------
    W : Parameter
        Of shape ``(rows, size)``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> L.Embedding(10, 4)(np.array([[1, 2, 3]])).shape
    (1, 3, 4)
    """

    _from_end = False
    """Whether a negative ``padding_idx`` counts from the end, as in PyTorch."""

    @takes_other_words
    def __init__(self, rows: int, size: int, initialW: Any = None, padding_idx: int | None = None) -> None:
        super().__init__()
        shape = check_size("Embedding", "rows", rows), check_size("Embedding", "size", size)
        self.padding_idx = padding_row("Embedding", padding_idx, rows, self._from_end)
        if type(initialW) is int:  # PyTorch's third argument is padding_idx
            raise TypeError(
                f"Embedding: initialW is {initialW}; expected an initializer. padding_idx={initialW} names a row"
            )
        self.W = Parameter(initializer(initialW, initializers.Normal(scale=1.0)), shape)
        if self.padding_idx is not None:
            self.W._data[self.padding_idx] = 0

    def forward(self, ids: Any) -> Any:
        """The rows with the indices ``ids``, an array of integers of any shape; the result adds an axis ``size``."""
        found = embedding(ids, self.W)
        return (
            found
            if self.padding_idx is None
            else found * (as_array(unwrap(ids), "Embedding: ids") != self.padding_idx)[..., None]
        )

    def extra_repr(self) -> str:
        rows, size = self.W.shape
        return f"{rows}, {size}"


def check_size(link: str, name: str, size: Any) -> int:
    """``size`` as a positive integer, or an error that names the link's argument."""
    if not isinstance(size, int | np.integer) or isinstance(size, bool) or size < 1:
        raise TypeError(f"{link}: {name} is {size!r:.60}; expected a positive integer")
    return int(size)


def sizes(link: str, in_size: Any, out_size: Any) -> tuple[int | None, int]:
    """The sizes of a link's input and output; a single size is the output's, as in DeZero."""
    if out_size is None:
        in_size, out_size = None, in_size
    return None if in_size is None else check_size(link, "in_size", in_size), check_size(link, "out_size", out_size)


def shape_of(link: str, x: Any) -> tuple[int, ...]:
    """The shape of a link's input, or an error that names the link if it is not an array of real numbers."""
    what = f"{link}: x"
    shape: tuple[int, ...] = check_real(as_array(getattr(x, "array", x), what), what).shape
    return shape


def initializer(given: Any, default: initializers.Initializer) -> Any:
    """The initializer of a parameter: ``given`` itself, the default for None, a constant for a number or array."""
    if given is None:
        return default
    if callable(given):
        return given
    if isinstance(given, str):
        raise TypeError(
            f"the initializer of a parameter is {given!r:.60}; expected one such as initializers.HeNormal(), a number "
            "or an array"
        )
    return initializers.Constant(given)


def bias(given: Any, size: int) -> Parameter:
    """A bias vector, initialized with ``given``, by default 0."""
    return Parameter(initializer(given, initializers.Zero()), (size,))


class Activated(Link):
    """A mixin for layers, which applies their ``activation``, a function or None, to the result."""

    activation: Any

    def forward(self, x: Any) -> Any:
        """The activation of the layer's result."""
        y = super().forward(x)
        return y if self.activation is None else self.activation(y)

    def extra_repr(self) -> str:
        """The layer's settings, and the name of the activation."""
        name = getattr(self.activation, "__name__", self.activation)
        return super().extra_repr() + ("" if self.activation is None else f", activation={name}")


def activation_of(link: str, given: Any) -> Any:
    """The activation as a function, which may be given by its name in `functions`; None for None and ``"linear"``."""
    found = None if given == "linear" else getattr(functions, given, given) if isinstance(given, str) else given
    if found is None or callable(found):
        return found
    raise TypeError(f"{link}: activation is {given!r:.60}; expected a function, or the name of one in F")
