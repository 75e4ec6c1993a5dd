"""Recurrent cells, which compute one time step of a sequence: RNNCell, LSTMCell, GRUCell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import functions, initializers
from ..engine import as_array, takes_other_words
from ..functions import sigmoid, split, tanh
from .linear import Linear, sizes
from .link import Link


class RNNCell(Link):
    """One time step of a simple recurrent network: ``h' = activation(W x + U h)``.

    Parameters
    ----------
    in_size : int or None
        Size of the input; None takes it from the first input. ``RNNCell(out)`` is short for ``RNNCell(None, out)``.
    out_size : int, optional
        Size of the hidden state.
    activation : callable or str
        Or its name in `functions`; by default `tanh`.
    nobias : bool
        Omit the bias.

    References
    ----------
    J. L. Elman, "Finding structure in time", 1990.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> cell = L.RNNCell(3, 4)
    >>> x = np.ones((2, 3), np.float32)
    >>> h = cell(x)
    >>> cell(x, h).shape
    (2, 4)
    """

    @takes_other_words
    def __init__(
        self,
        in_size: int | None,
        out_size: int | None = None,
        activation: Callable[[Any], Any] | str = tanh,
        nobias: bool = False,
    ) -> None:
        super().__init__()
        in_size, self.out_size = sizes("RNNCell", in_size, out_size)
        self.activation: Any = getattr(functions, activation, None) if isinstance(activation, str) else activation
        if not callable(self.activation):
            raise TypeError(f"RNNCell: activation is {activation!r:.60}; expected a function such as functions.tanh")
        self.W, self.U = Linear(in_size, self.out_size, nobias), Linear(self.out_size, self.out_size, nobias=True)

    def forward(self, x: Any, h: Any = None) -> Any:
        """The next hidden state, of shape ``(batch, out_size)``, for ``x`` of shape ``(batch, in_size)``.

        ``h`` is the previous hidden state, by default zeros.
        """
        return self.step(self.of_input(x), zeros_before(self, x) if h is None else h)

    def of_input(self, x: Any) -> Any:
        """The part of a step that depends on ``x`` alone; a layer computes it for all time steps at once."""
        return self.W(x)

    def step(self, wx: Any, h: Any) -> Any:
        """The hidden state that follows ``h``; ``wx`` is the result of `of_input`."""
        return self.activation(wx + self.U(h))


class LSTMCell(Link):
    """One time step of a long short-term memory (LSTM).

    With the input ``x``, the hidden state ``h`` and the cell state ``c``::

        i, f, g, o = the four parts of  W x + U h
        c' = sigmoid(f) * c + sigmoid(i) * tanh(g)     forget gate, input gate
        h' = sigmoid(o) * tanh(c')                     output gate

    Parameters
    ----------
    in_size : int or None
        Size of the input; None takes it from the first input. ``LSTMCell(out)`` is short for ``LSTMCell(None, out)``.
    out_size : int, optional
        Size of the hidden state and of the cell state.
    forget_bias : float
        Initial bias of the forget gate; with 1 the cell state decays slowly at first.
    nobias : bool
        Omit the biases.

    References
    ----------
    S. Hochreiter, J. Schmidhuber, "Long short-term memory", 1997; F. Gers, J. Schmidhuber, F. Cummins, "Learning to
    forget", 2000. The gates are in the order of ``torch.nn.LSTMCell``.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> cell = L.LSTMCell(3, 4)
    >>> x = np.ones((2, 3), np.float32)
    >>> state = cell(x)
    >>> h, c = cell(x, state)
    >>> h.shape, c.shape
    ((2, 4), (2, 4))
    """

    @takes_other_words
    def __init__(
        self, in_size: int | None, out_size: int | None = None, forget_bias: float = 1.0, nobias: bool = False
    ) -> None:
        super().__init__()
        in_size, self.out_size = sizes("LSTMCell", in_size, out_size)
        if isinstance(forget_bias, bool) or (isinstance(forget_bias, int) and forget_bias > 1):  # PyTorch's order
            raise TypeError(f"LSTM: forget_bias is {forget_bias}; expected a float. Several layers are layers=")
        out_size = self.out_size
        biases = [forget_bias if i // out_size == 1 else 0.0 for i in range(4 * out_size)]
        self.W = Linear(in_size, 4 * out_size, nobias, initial_bias=initializers.Constant(biases))
        self.U = Linear(out_size, 4 * out_size, nobias=True)

    def forward(self, x: Any, state: Any = None) -> tuple[Any, Any]:
        """The next hidden state and cell state, each of shape ``(batch, out_size)``.

        ``x`` has shape ``(batch, in_size)``; ``state`` is the previous pair ``(h, c)``, by default zeros.
        """
        if state is None:
            state = zeros_before(self, x), zeros_before(self, x)
        return self.step(self.of_input(x), pair_of("LSTMCell", state))

    def of_input(self, x: Any) -> Any:
        """The part of a step that depends on ``x`` alone; a layer computes it for all time steps at once."""
        return self.W(x)

    def step(self, wx: Any, state: tuple[Any, Any]) -> tuple[Any, Any]:
        """The hidden state and cell state that follow ``state``; ``wx`` is the result of `of_input`."""
        h, c = state
        return lstm_state(wx + self.U(h), c)


class GRUCell(Link):
    """One time step of a gated recurrent unit (GRU).

    With the input ``x`` and the hidden state ``h``::

        r = sigmoid(W_r x + U_r h)            reset gate: how much of h the candidate sees
        z = sigmoid(W_z x + U_z h)            update gate: how much of h is kept
        c = tanh(W_h x + U_h (r * h))         candidate
        h' = (1 - z) * c + z * h              computed as c + z * (h - c)

    With ``reset_after=True`` the candidate is ``tanh(W_h x + r * (U_h h))``, and ``U_h`` has a bias of its own, as in
    PyTorch and cuDNN. This is a different function: weights trained for one do not fit the other.

    Parameters
    ----------
    in_size : int or None
        Size of the input; None takes it from the first input. ``GRUCell(out)`` is short for ``GRUCell(None, out)``.
    out_size : int, optional
        Size of the hidden state.
    reset_after : bool
        Apply the reset gate after the multiplication by ``U_h`` instead of before.
    nobias : bool
        Omit the biases.

    References
    ----------
    K. Cho et al., "Learning phrase representations using RNN encoder-decoder", 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> cell = L.GRUCell(None, 4)
    >>> x = np.ones((2, 3), np.float32)
    >>> h = cell(x)
    >>> cell(x, h).shape
    (2, 4)
    """

    @takes_other_words
    def __init__(
        self, in_size: int | None, out_size: int | None = None, reset_after: bool = False, nobias: bool = False
    ) -> None:
        super().__init__()
        in_size, self.out_size = sizes("GRUCell", in_size, out_size)
        out_size = self.out_size
        self.reset_after = reset_after
        self.W_r, self.U_r = Linear(in_size, out_size, nobias), Linear(out_size, out_size, nobias=True)
        self.W_z, self.U_z = Linear(in_size, out_size, nobias), Linear(out_size, out_size, nobias=True)
        self.W_h = Linear(in_size, out_size, nobias)
        self.U_h = Linear(out_size, out_size, nobias=nobias or not reset_after)

    def forward(self, x: Any, h: Any = None) -> Any:
        """The next hidden state, of shape ``(batch, out_size)``, for ``x`` of shape ``(batch, in_size)``.

        ``h`` is the previous hidden state, by default zeros.
        """
        return self.step(self.of_input(x), zeros_before(self, x) if h is None else h)

    def of_input(self, x: Any) -> tuple[Any, Any, Any]:
        """The part of a step that depends on ``x`` alone; a layer computes it for all time steps at once."""
        return self.W_r(x), self.W_z(x), self.W_h(x)

    def step(self, wx: tuple[Any, Any, Any], h: Any) -> Any:
        """The hidden state that follows ``h``; ``wx`` is the result of `of_input`."""
        to_c = self.U_h(h) if self.reset_after else lambda r: self.U_h(r * h)
        return gru_state(wx, (self.U_r(h), self.U_z(h), to_c), h)


def lstm_state(gates: Any, c: Any) -> tuple[Any, Any]:
    """The hidden state and cell state that follow the cell state ``c``, from the gates ``W x + U h`` of `LSTMCell`."""
    i, f, g, o = split(gates, 4, axis=-1)
    c = sigmoid(f) * c + sigmoid(i) * tanh(g)
    return sigmoid(o) * tanh(c), c


def gru_state(wx: Any, wh: Any, h: Any) -> Any:
    """The hidden state that follows ``h`` in a `GRUCell`.

    ``wx`` and ``wh`` are the products of ``x`` and of ``h`` with the weights of its three parts, joined or in a tuple.
    Where the reset gate comes before the product, the last of ``wh`` is a function of the gate.
    """
    parts = [gates if isinstance(gates, tuple) else split(gates, 3, axis=-1) for gates in (wx, wh)]
    (x_r, x_z, x_c), (h_r, h_z, h_c) = parts
    r = sigmoid(x_r + h_r)
    c = tanh(x_c + (h_c(r) if callable(h_c) else r * h_c))
    return c + sigmoid(x_z + h_z) * (h - c)


def zeros_before(cell: Any, x: Any) -> Any:
    """The default initial state: zeros, in the dtype of ``x``."""
    data = as_array(getattr(x, "array", x), f"{type(cell).__name__}: x")
    return cell.xp.zeros((*data.shape[:-1], cell.out_size), data.dtype)


def pair_of(who: str, state: Any) -> tuple[Any, Any]:
    """``state`` as the pair ``(h, c)``, or an error that names ``who``."""
    if not isinstance(state, tuple | list) or len(state) != 2:
        raise TypeError(f"{who}: state is not a pair; expected (h, c), the hidden state and the cell state")
    return state[0], state[1]
