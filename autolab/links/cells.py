"""Cells, which take one step of a sequence: RNNCell, LSTMCell, GRUCell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import initializers
from ..engine.arrays import as_array
from ..engine.keyword_aliases import takes_other_words
from ..functions import sigmoid, split, tanh
from .linear import Linear, sizes
from .link import Link


class RNNCell(Link):
    """One step of a simple recurrent network: ``h' = activation(W x + U h)``.

    Parameters
    ----------
    in_size : int or None
        With None it is taken from the first input; a single size is that of the state.
    out_size : int
        Length of the state.
    activation : callable
        By default `tanh`.

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
        self, in_size: int | None, out_size: int | None = None, activation: Callable[[Any], Any] = tanh
    ) -> None:
        super().__init__()
        in_size, self.out_size = sizes("RNNCell", in_size, out_size)
        if not callable(activation):
            raise TypeError(f"RNNCell: activation is {activation!r:.60}; expected a function such as functions.tanh")
        self.activation = activation
        self.W, self.U = Linear(in_size, self.out_size), Linear(self.out_size, self.out_size, nobias=True)

    def forward(self, x: Any, h: Any = None) -> Any:
        """The next state, of shape ``(batch, out_size)``; without ``h`` the state before is 0."""
        return self.step(self.of_input(x), zeros_before(self, x) if h is None else h)

    def of_input(self, x: Any) -> Any:
        """What the step needs of its input; of a whole sequence at once."""
        return self.W(x)

    def step(self, wx: Any, h: Any) -> Any:
        """The state after ``h``."""
        return self.activation(wx + self.U(h))


class LSTMCell(Link):
    """One step of a long short-term memory.

    With the input ``x``, the state ``h`` and the memory ``c``::

        i, f, g, o = the four parts of  W x + U h
        c' = sigmoid(f) * c + sigmoid(i) * tanh(g)     what is kept, and what is added
        h' = sigmoid(o) * tanh(c')                     what is shown

    Parameters
    ----------
    in_size : int or None
        With None it is taken from the first input; a single size is that of the state.
    out_size : int
        Length of the state and of the memory.
    forget_bias : float
        What the bias of ``f`` is initially; 1 makes the memory last.

    References
    ----------
    S. Hochreiter, J. Schmidhuber, "Long short-term memory", 1997; F. Gers, J. Schmidhuber, F. Cummins, "Learning to
    forget", 2000. The parts are in the order of ``torch.nn.LSTMCell``.

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
    def __init__(self, in_size: int | None, out_size: int | None = None, forget_bias: float = 1.0) -> None:
        super().__init__()
        in_size, self.out_size = sizes("LSTMCell", in_size, out_size)
        out_size = self.out_size
        biases = [forget_bias if i // out_size == 1 else 0.0 for i in range(4 * out_size)]
        self.W = Linear(in_size, 4 * out_size, initial_bias=initializers.Constant(biases))
        self.U = Linear(out_size, 4 * out_size, nobias=True)

    def forward(self, x: Any, state: Any = None) -> tuple[Any, Any]:
        """The next state and memory, each of shape ``(batch, out_size)``; without ``state``, a pair, both were 0."""
        if state is None:
            state = zeros_before(self, x), zeros_before(self, x)
        return self.step(self.of_input(x), pair_of("LSTMCell", state))

    def of_input(self, x: Any) -> Any:
        """What the step needs of its input; of a whole sequence at once."""
        return self.W(x)

    def step(self, wx: Any, state: tuple[Any, Any]) -> tuple[Any, Any]:
        """The state and memory after ``state``."""
        h, c = state
        return lstm_state(wx + self.U(h), c)


class GRUCell(Link):
    """One step of a gated recurrent unit.

    With the input ``x`` and the state ``h``::

        r = sigmoid(W_r x + U_r h)            what of the state the candidate sees
        z = sigmoid(W_z x + U_z h)            how much of the state stays
        c = tanh(W_h x + U_h (r * h))         the candidate
        h' = c + z * (h - c)                  from the candidate to the state, as far as z says

    With ``reset_after=True`` the candidate is ``tanh(W_h x + r * (U_h h))``, and ``U_h`` has a bias of its own: that is
    how PyTorch and cuDNN compute it. It is another function: weights of one do not fit the other.

    Parameters
    ----------
    in_size : int or None
        With None it is taken from the first input; a single size is that of the state.
    out_size : int
        Length of the state.
    reset_after : bool
        Where the state is reset: before it is multiplied by ``U_h``, or after.

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
    def __init__(self, in_size: int | None, out_size: int | None = None, reset_after: bool = False) -> None:
        super().__init__()
        in_size, self.out_size = sizes("GRUCell", in_size, out_size)
        out_size = self.out_size
        self.reset_after = reset_after
        self.W_r, self.U_r = Linear(in_size, out_size), Linear(out_size, out_size, nobias=True)
        self.W_z, self.U_z = Linear(in_size, out_size), Linear(out_size, out_size, nobias=True)
        self.W_h, self.U_h = Linear(in_size, out_size), Linear(out_size, out_size, nobias=not reset_after)

    def forward(self, x: Any, h: Any = None) -> Any:
        """The next state, of shape ``(batch, out_size)``; without ``h`` the state before is 0."""
        return self.step(self.of_input(x), zeros_before(self, x) if h is None else h)

    def of_input(self, x: Any) -> tuple[Any, Any, Any]:
        """What the step needs of its input; of a whole sequence at once."""
        return self.W_r(x), self.W_z(x), self.W_h(x)

    def step(self, wx: tuple[Any, Any, Any], h: Any) -> Any:
        """The state after ``h``."""
        to_r, to_z, to_c = wx
        r = sigmoid(to_r + self.U_r(h))
        z = sigmoid(to_z + self.U_z(h))
        c = tanh(to_c + (r * self.U_h(h) if self.reset_after else self.U_h(r * h)))
        return c + z * (h - c)


def lstm_state(gates: Any, c: Any) -> tuple[Any, Any]:
    """The state and memory after the memory ``c``: see `LSTMCell`."""
    i, f, g, o = split(gates, 4, axis=-1)
    c = sigmoid(f) * c + sigmoid(i) * tanh(g)
    return sigmoid(o) * tanh(c), c


def gru_state(wx: Any, wh: Any, h: Any) -> Any:
    """The state after ``h``, with ``reset_after=True``: see `GRUCell`. ``wx`` and ``wh`` are the three products."""
    (x_r, x_z, x_c), (h_r, h_z, h_c) = [split(gates, 3, axis=-1) for gates in (wx, wh)]
    c = tanh(x_c + sigmoid(x_r + h_r) * h_c)
    return c + sigmoid(x_z + h_z) * (h - c)


def zeros_before(cell: Any, x: Any) -> Any:
    """The state before the first step."""
    data = as_array(getattr(x, "array", x), f"{type(cell).__name__}: x")
    return cell.xp.zeros((*data.shape[:-1], cell.out_size), data.dtype)


def pair_of(who: str, state: Any) -> tuple[Any, Any]:
    """The state and the memory."""
    if not isinstance(state, tuple | list) or len(state) != 2:
        raise TypeError(f"{who}: state is not a pair; expected (h, c), the state and the memory")
    return state[0], state[1]
