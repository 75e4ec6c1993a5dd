"""Layers that run a cell along sequences: RNN, LSTM, GRU."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..engine import Array, as_array, get_array_module, takes_other_words, unwrap
from ..functions import concatenate, dropout, expand_dims, flip, reshape, split, stack, swapaxes, tanh
from ..functions.networks.dropout import check_ratio
from .cells import GRUCell, LSTMCell, RNNCell, pair_of, zeros_before
from .chain import ChainList
from .linear import check_size
from .link import Link


class _RecurrentLayer(Link):
    """A cell run along sequences; each layer above it runs along the hidden states of the one below."""

    _cell: Any
    cell: RNNCell | LSTMCell | GRUCell

    def __init__(self, layers: int, dropout: float, in_size: int | None, out_size: int | None, **settings: Any) -> None:
        super().__init__()
        kind, name = type(self), type(self).__name__
        self.cell = self._cell(in_size, out_size, **settings)
        size, count = self.cell.out_size, check_size(name, "layers", layers) - 1
        self.dropout = check_ratio(name, dropout)
        self.above: Any = ChainList(*[kind(size, size, **settings) for _ in range(count)]) if count else ()

    def forward(self, x: Any, state: Any = None) -> tuple[Any, Any]:
        """Run the layers along the sequences; returns all hidden states of the top layer, and the final state.

        Parameters
        ----------
        x : Variable or array
            Of shape ``(batch, length, in_size)``.
        state : Variable or array, or a pair of them, optional
            The initial state, by default zeros: ``h``, for an LSTM ``(h, c)``. Each has shape ``(batch, out_size)``,
            with stacked layers ``(layers, batch, out_size)``; a single layer takes both.

        Returns
        -------
        states, last
            The hidden states at all time steps, of shape ``(batch, length, out_size)``, and the state after the last
            step, with the axes of ``state``.
        """
        name, layers, is_pair = type(self).__name__, (self, *self.above), isinstance(self.cell, LSTMCell)
        parts: Any = None if state is None else pair_of(name, state) if is_pair else (state,)
        shape = None if parts is None else np.shape(getattr(parts[0], "array", parts[0]))
        stacked = len(layers) > 1 if shape is None else len(shape) == 3
        if shape is not None and shape[:1] * stacked != (len(layers),) * (stacked or len(layers) > 1):
            raise ValueError(f"{name}: state has shape {shape}; expected ({len(layers)}, batch, out_size), by layer")
        starts: Any = [parts] * len(layers) if not stacked or parts is None else [*zip(*parts, strict=True)]
        x, lasts = through([layer._along for layer in layers], x, starts, partial(dropout, ratio=self.dropout))
        last = tuple([stack(part) for part in zip(*lasts, strict=True)]) if stacked else lasts[0]
        return x, last if is_pair else last[0]

    def _along(self, x: Any, start: tuple[Any, ...] | None) -> tuple[Any, tuple[Any, ...]]:
        what = f"{type(self).__name__}: x"
        data = as_array(getattr(x, "array", x), what)
        if data.ndim != 3 or not data.shape[1]:
            raise ValueError(f"{what} has shape {data.shape}; expected (batch, length, in_size). A cell takes one step")
        cell: Any = self.cell
        is_pair = isinstance(cell, LSTMCell)
        step = cell.step if is_pair else lambda wx, states: (cell.step(wx, *states),)
        zeros = (zeros_before(cell, data[:, 0]),) * (1 + is_pair) if start is None else start
        return along(step, cell.of_input, x, zeros)


def along(
    step: Callable[[Any, Any], Any], of_input: Callable[[Any], Any], x: Any, states: Any
) -> tuple[Any, tuple[Any, ...]]:
    """The hidden states at all time steps of sequences, and the states after the last step.

    Parameters
    ----------
    step : callable
        From the projected input of one time step and the tuple of states before it to the tuple of states after it.
    of_input : callable
        Projects the inputs of all time steps at once; returns an array or a tuple of arrays.
    x : Variable or array
        Of shape ``(batch, length, size)``.
    states : tuple
        The initial states, the hidden state first.
    """
    _, length, size = np.shape(x)
    # Time steps first, so that the input of each step is contiguous in memory.
    wx, seen = of_input(reshape(swapaxes(x, axis1=0, axis2=1), shape=(-1, size))), []
    for here in zip(*[split(part, length) for part in wx], strict=True) if isinstance(wx, tuple) else split(wx, length):
        states = step(here, states)
        seen.append(states[0])
    return stack(seen, axis=1), states


def through(
    runs: Sequence[Callable[[Any, Any], Any]], x: Any, starts: Sequence[Any], drop: Callable[[Any], Any], ways: int = 1
) -> tuple[Any, list[Any]]:
    """Run stacked layers; returns the output of the top layer, and the final states of all.

    Parameters
    ----------
    runs : sequence of callable
        Each maps sequences and an initial state to the hidden states at all time steps and the final state. With two
        ``ways`` every second one runs backwards along the sequences.
    starts : sequence
        The initial state of each.
    drop : callable
        Applied between two layers.
    ways : int
        Number of directions: 1, or 2 for bidirectional layers.
    """
    lasts = []
    for i in range(0, len(runs), ways):
        x, seen = drop(x) if i else x, []
        for way in range(ways):
            y, last = runs[i + way](flip(x, axis=1) if way else x, starts[i + way])
            seen.append(flip(y, axis=1) if way else y)
            lasts.append(last)
        x = concatenate(seen, axis=2) if ways > 1 else seen[0]
    return x, lasts


class PyTorchStates:
    """How PyTorch's recurrent layers and cells take their input and their states.

    A class that derives from it holds the weights.
    """

    input_size: Any
    hidden_size: int
    _states = 1
    """Number of states: 2 for an LSTM."""
    _error: type[Exception] = ValueError

    def _array(self, input: Any, axes: int) -> Array:
        """The array of the input, which must have ``axes`` axes, or one less if it has no batch axis."""
        name = type(self).__name__
        data = as_array(unwrap(input), f"{name}: input")
        if data.ndim not in (axes - 1, axes) or self.input_size not in (None, data.shape[-1]):
            expected = f"{axes - 1} or {axes} axes, the last of {self.input_size}"
            raise self._error(f"{name}: input has shape {data.shape}; expected {expected}")
        return data

    def _before(self, hx: Any, data: Array, shape: tuple[int, ...]) -> tuple[Any, ...]:
        """The initial states, zeros by default."""
        name = type(self).__name__
        if hx is None:
            return (self._zeros(data, shape),) * self._states
        states = pair_of(name, hx) if self._states > 1 else (hx,)
        for state in states:
            if np.shape(unwrap(state)) != shape:
                raise self._error(f"{name}: hx has shape {np.shape(unwrap(state))}; expected {shape}")
        return states

    def _zeros(self, data: Array, shape: tuple[int, ...]) -> Any:
        return get_array_module(data).zeros(shape, data.dtype)


class PyTorchLayers(PyTorchStates):
    """What PyTorch's recurrent layers compute: one run along the sequences for each layer and direction."""

    batch_first: Any
    bidirectional: Any

    def _runs(self) -> Sequence[Callable[[Any, Any], Any]]:
        """What each layer and direction computes, as `through` takes it."""
        raise NotImplementedError

    def _between(self, x: Any) -> Any:
        """The dropout between two layers."""
        raise NotImplementedError

    def forward(self, input: Any, hx: Any = None) -> tuple[Any, Any]:
        """The hidden states at all time steps, and the final state of each layer and direction.

        Parameters
        ----------
        input : Variable or array
            Of shape ``(length, batch, input_size)``, or ``(batch, length, input_size)`` with ``batch_first``; a single
            sequence has no axis ``batch``, and neither have its states.
        hx : Variable or array, or a pair of them, optional
            The initial state, by default zeros: ``h``, for an LSTM ``(h, c)``, each of shape
            ``(num_layers * directions, batch, hidden_size)``, as is the final state.
        """
        data, runs = self._array(input, 3), self._runs()
        batched, turned = data.ndim == 3, data.ndim == 3 and not self.batch_first
        x = swapaxes(input, 0, 1) if turned else input if batched else expand_dims(input, 0)
        states = self._before(hx, data, (len(runs), *np.shape(x)[: 1 * batched], self.hidden_size))
        states = states if batched else tuple([expand_dims(state, 1) for state in states])
        y, lasts = through(runs, x, [*zip(*states, strict=True)], self._between, 1 + bool(self.bidirectional))
        ends = tuple([stack(part) for part in zip(*lasts, strict=True)])
        if not batched:
            y, ends = y[0], tuple([state[:, 0] for state in ends])
        return swapaxes(y, 0, 1) if turned else y, ends if self._states > 1 else ends[0]


class RNN(_RecurrentLayer):
    """A simple recurrent network: `RNNCell` along sequences, in one or more layers.

    Parameters
    ----------
    in_size, out_size, activation, nobias
        As for `RNNCell`.
    layers : int
        Number of stacked layers.
    dropout : float
        Dropout probability between layers, in training mode.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> states, last = L.RNN(3, 4)(np.ones((2, 5, 3), np.float32))
    >>> states.shape, last.shape
    ((2, 5, 4), (2, 4))
    """

    _cell = RNNCell

    @takes_other_words
    def __init__(
        self,
        in_size: int | None,
        out_size: int | None = None,
        activation: Callable[[Any], Any] = tanh,
        layers: int = 1,
        dropout: float = 0.0,
        nobias: bool = False,
    ) -> None:
        super().__init__(layers, dropout, in_size, out_size, activation=activation, nobias=nobias)


class LSTM(_RecurrentLayer):
    """A long short-term memory: `LSTMCell` along sequences, in one or more layers.

    Parameters
    ----------
    in_size, out_size, forget_bias, nobias
        As for `LSTMCell`.
    layers : int
        Number of stacked layers.
    dropout : float
        Dropout probability between layers, in training mode.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> states, (h, c) = L.LSTM(3, 4)(np.ones((2, 5, 3), np.float32))
    >>> states.shape, h.shape, c.shape
    ((2, 5, 4), (2, 4), (2, 4))
    """

    _cell = LSTMCell

    @takes_other_words
    def __init__(
        self,
        in_size: int | None,
        out_size: int | None = None,
        forget_bias: float = 1.0,
        layers: int = 1,
        dropout: float = 0.0,
        nobias: bool = False,
    ) -> None:
        super().__init__(layers, dropout, in_size, out_size, forget_bias=forget_bias, nobias=nobias)


class GRU(_RecurrentLayer):
    """A gated recurrent unit: `GRUCell` along sequences, in one or more layers.

    Parameters
    ----------
    in_size, out_size, reset_after, nobias
        As for `GRUCell`.
    layers : int
        Number of stacked layers.
    dropout : float
        Dropout probability between layers, in training mode.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import links as L
    >>> states, last = L.GRU(3, 4)(np.ones((2, 5, 3), np.float32))
    >>> states.shape, last.shape
    ((2, 5, 4), (2, 4))
    """

    _cell = GRUCell

    @takes_other_words
    def __init__(
        self,
        in_size: int | None,
        out_size: int | None = None,
        reset_after: bool = False,
        layers: int = 1,
        dropout: float = 0.0,
        nobias: bool = False,
    ) -> None:
        super().__init__(layers, dropout, in_size, out_size, reset_after=reset_after, nobias=nobias)
