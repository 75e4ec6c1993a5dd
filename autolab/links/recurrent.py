"""Cells, which take one step of a sequence, and layers, which run a cell along one: RNN, LSTM, GRU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import initializers
from ..engine.arrays import as_array
from ..engine.keyword_aliases import takes_other_words
from ..functions import sigmoid, split, stack, tanh
from .linear import Linear, check_size
from .link import Link


class RNNCell(Link):
    """One step of a simple recurrent network: ``h' = activation(W x + U h)``.

    Parameters
    ----------
    in_size : int or None
        With None it is taken from the first input.
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
    def __init__(self, in_size: int | None, out_size: int, activation: Callable[[Any], Any] = tanh) -> None:
        super().__init__()
        self.out_size = check_size("RNNCell", "out_size", out_size)
        if not callable(activation):
            raise TypeError(f"RNNCell: activation is {activation!r:.60}; expected a function such as functions.tanh")
        self.activation = activation
        self.W, self.U = Linear(in_size, out_size), Linear(out_size, out_size, nobias=True)

    def forward(self, x: Any, h: Any = None) -> Any:
        """The next state, of shape ``(batch, out_size)``; without ``h`` the state before is 0."""
        return self.step(self.of_input(x), _zeros(self, x) if h is None else h)

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
        With None it is taken from the first input.
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
    def __init__(self, in_size: int | None, out_size: int, forget_bias: float = 1.0) -> None:
        super().__init__()
        self.out_size = check_size("LSTMCell", "out_size", out_size)
        biases = [forget_bias if i // out_size == 1 else 0.0 for i in range(4 * out_size)]
        self.W = Linear(in_size, 4 * out_size, initial_bias=initializers.Constant(biases))
        self.U = Linear(out_size, 4 * out_size, nobias=True)

    def forward(self, x: Any, state: Any = None) -> tuple[Any, Any]:
        """The next state and memory, each of shape ``(batch, out_size)``; without ``state``, a pair, both were 0."""
        if state is None:
            state = _zeros(self, x), _zeros(self, x)
        return self.step(self.of_input(x), _pair("LSTMCell", state))

    def of_input(self, x: Any) -> Any:
        """What the step needs of its input; of a whole sequence at once."""
        return self.W(x)

    def step(self, wx: Any, state: tuple[Any, Any]) -> tuple[Any, Any]:
        """The state and memory after ``state``."""
        h, c = state
        i, f, g, o = split(wx + self.U(h), 4, axis=-1)
        c = sigmoid(f) * c + sigmoid(i) * tanh(g)
        return sigmoid(o) * tanh(c), c


class GRUCell(Link):
    """One step of a gated recurrent unit.

    With the input ``x`` and the state ``h``::

        r = sigmoid(W_r x + U_r h)            what of the state the candidate sees
        z = sigmoid(W_z x + U_z h)            how much of the state stays
        c = tanh(W_h x + U_h (r * h))         the candidate
        h' = z * h + (1 - z) * c

    With ``reset_after=True`` the candidate is ``tanh(W_h x + r * (U_h h))``, and ``U_h`` has a bias of its own: that is
    how PyTorch and cuDNN compute it. It is another function: weights of one do not fit the other.

    Parameters
    ----------
    in_size : int or None
        With None it is taken from the first input.
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
    def __init__(self, in_size: int | None, out_size: int, reset_after: bool = False) -> None:
        super().__init__()
        self.out_size = check_size("GRUCell", "out_size", out_size)
        self.reset_after = reset_after
        self.W_r, self.U_r = Linear(in_size, out_size), Linear(out_size, out_size, nobias=True)
        self.W_z, self.U_z = Linear(in_size, out_size), Linear(out_size, out_size, nobias=True)
        self.W_h, self.U_h = Linear(in_size, out_size), Linear(out_size, out_size, nobias=not reset_after)

    def forward(self, x: Any, h: Any = None) -> Any:
        """The next state, of shape ``(batch, out_size)``; without ``h`` the state before is 0."""
        return self.step(self.of_input(x), _zeros(self, x) if h is None else h)

    def of_input(self, x: Any) -> tuple[Any, Any, Any]:
        """What the step needs of its input; of a whole sequence at once."""
        return self.W_r(x), self.W_z(x), self.W_h(x)

    def step(self, wx: tuple[Any, Any, Any], h: Any) -> Any:
        """The state after ``h``."""
        to_r, to_z, to_c = wx
        r = sigmoid(to_r + self.U_r(h))
        z = sigmoid(to_z + self.U_z(h))
        c = tanh(to_c + (r * self.U_h(h) if self.reset_after else self.U_h(r * h)))
        return z * h + (1 - z) * c


class _RecurrentLayer(Link):
    """A cell that runs along sequences."""

    cell: RNNCell | LSTMCell | GRUCell

    def forward(self, x: Any, state: Any = None) -> tuple[Any, Any]:
        """The states at all places, of shape ``(batch, length, out_size)``, and what the cell hands on behind the last.

        ``x`` has shape ``(batch, length, in_size)``. Without ``state`` it begins with 0.
        """
        what = f"{type(self).__name__}: x"
        data = as_array(getattr(x, "array", x), what)
        if data.ndim != 3 or not data.shape[1]:
            raise ValueError(f"{what} has shape {data.shape}; expected (batch, length, in_size), of some length")
        cell: Any = self.cell
        if state is None:
            start = _zeros(cell, data[:, 0])
            state = (start, start) if isinstance(cell, LSTMCell) else start
        elif isinstance(cell, LSTMCell):
            state = _pair(type(self).__name__, state)
        wx, seen = cell.of_input(x), []
        for t in range(data.shape[1]):
            here = tuple([part[:, t] for part in wx]) if isinstance(wx, tuple) else wx[:, t]
            state = cell.step(here, state)
            seen.append(state[0] if isinstance(state, tuple) else state)
        return stack(seen, axis=1), state


class RNN(_RecurrentLayer):
    """`RNNCell` along sequences.

    Parameters
    ----------
    in_size, out_size, activation
        As for `RNNCell`.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> states, last = L.RNN(3, 4)(np.ones((2, 5, 3), np.float32))
    >>> states.shape, last.shape
    ((2, 5, 4), (2, 4))
    """

    @takes_other_words
    def __init__(self, in_size: int | None, out_size: int, activation: Callable[[Any], Any] = tanh) -> None:
        super().__init__()
        self.cell = RNNCell(in_size, out_size, activation)


class LSTM(_RecurrentLayer):
    """`LSTMCell` along sequences.

    Parameters
    ----------
    in_size, out_size, forget_bias
        As for `LSTMCell`.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> states, (h, c) = L.LSTM(3, 4)(np.ones((2, 5, 3), np.float32))
    >>> states.shape, h.shape, c.shape
    ((2, 5, 4), (2, 4), (2, 4))
    """

    @takes_other_words
    def __init__(self, in_size: int | None, out_size: int, forget_bias: float = 1.0) -> None:
        super().__init__()
        self.cell = LSTMCell(in_size, out_size, forget_bias)


class GRU(_RecurrentLayer):
    """`GRUCell` along sequences.

    Parameters
    ----------
    in_size, out_size, reset_after
        As for `GRUCell`.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> states, last = L.GRU(3, 4)(np.ones((2, 5, 3), np.float32))
    >>> states.shape, last.shape
    ((2, 5, 4), (2, 4))
    """

    @takes_other_words
    def __init__(self, in_size: int | None, out_size: int, reset_after: bool = False) -> None:
        super().__init__()
        self.cell = GRUCell(in_size, out_size, reset_after)


def _zeros(cell: Any, x: Any) -> Any:
    """The state before the first step."""
    data = as_array(getattr(x, "array", x), f"{type(cell).__name__}: x")
    return cell.xp.zeros((*data.shape[:-1], cell.out_size), data.dtype)


def _pair(who: str, state: Any) -> tuple[Any, Any]:
    if not isinstance(state, tuple | list) or len(state) != 2:
        raise TypeError(f"{who}: state is not a pair; expected (h, c), the state and the memory")
    return state[0], state[1]
