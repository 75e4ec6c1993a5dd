"""Recurrent layers over lists of sequences of different lengths: ``NStepLSTM`` and others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....links.cells import gru_state, lstm_state
from .. import functions as F
from ..initializers import Normal, start, weight
from ..link import ChainList, Link
from ..variable import Parameter


class _NStep(ChainList):
    """Stacked layers, each with ``w0``, ``w1`` ... and ``b0``, ``b1`` ...: first those for the input, then those for
    the hidden state.

    Parameters
    ----------
    n_layers, in_size, out_size : int
    dropout : float
        Dropout probability between layers, in training.
    initialW, initial_bias : initializer, number or array, optional
    """

    direction, n_gates = 1, 1

    def __init__(
        self, n_layers: int, in_size: int, out_size: int, dropout: float, initialW: Any = None, initial_bias: Any = None
    ) -> None:
        self._begin_with = initialW, initial_bias
        way = self.direction
        widths = [in_size] * way + [out_size * way] * (n_layers - 1) * way
        super().__init__(*[self._layer(width, out_size) for width in widths])
        self.n_layers, self.out_size, self.dropout = n_layers, out_size, dropout

    def _layer(self, width: int, out_size: int) -> Link:
        layer, (begin, bias) = Link(), self._begin_with
        for i in range(2 * self.n_gates):
            size = width if i < self.n_gates else out_size
            layer.register_parameter(
                f"w{i}", Parameter(weight(Normal(size**-0.5) if begin is None else begin), (out_size, size))
            )
            layer.register_parameter(f"b{i}", Parameter(start(bias), out_size))
        return layer

    def forward(self, hx: Any, xs: Sequence[Any]) -> tuple[Any, list[Any]]:
        """The final states, of shape ``(layers * directions, sequences, out_size)``, and the outputs of each sequence.

        ``hx`` is the initial state; None means zeros.
        """
        (hy,), ys = self._along([hx], xs)
        return hy, ys

    def _along(self, starts: list[Any], xs: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Run all layers. Sequences are sorted by decreasing length, so unfinished ones are a slice of the batch."""
        order = np.argsort([-len(x) for x in xs], kind="stable")
        zeros = np.zeros((len(self), len(xs), self.out_size), xs[0].dtype)
        states = [zeros if start is None else F.permutate(start, order, axis=1) for start in starts]
        steps, lasts = F.transpose_sequence([xs[i] for i in order]), []
        for first in range(0, len(self), self.direction):
            steps = [F.dropout(x, self.dropout) for x in steps] if first else steps
            ways = []
            for i in range(first, first + self.direction):
                seen, last = self._one_way(self[i], steps[:: 1 if i == first else -1], [state[i] for state in states])
                ways.append(seen[:: 1 if i == first else -1])
                lasts.append(last)
            steps = [F.concat(both, axis=1) for both in zip(*ways, strict=True)]
        ends = [F.permutate(F.stack(last), order, axis=1, inv=True) for last in zip(*lasts, strict=True)]
        ys = F.transpose_sequence(steps)
        return ends, [ys[i] for i in np.argsort(order)]

    def _one_way(self, layer: Link, steps: Sequence[Any], states: list[Any]) -> tuple[list[Any], list[Any]]:
        """The outputs of each time step, and the final states of all sequences."""
        n, seen = self.n_gates, []
        of_x, of_h = [
            [F.concat([getattr(layer, f"{kind}{i}") for i in numbers], axis=0) for kind in "wb"]
            for numbers in (range(n), range(n, 2 * n))
        ]
        for x in steps:
            here, others = [state[: len(x)] for state in states], [state[len(x) :] for state in states]
            new = self._step(F.linear(x, *of_x), F.linear(here[0], *of_h), *here)
            states = [F.concat(both, axis=0) if len(both[1]) else both[0] for both in zip(new, others, strict=True)]
            seen.append(new[0])
        return seen, states

    def _step(self, from_x: Any, from_h: Any, *states: Any) -> tuple[Any, ...]:
        """The next states, given what the input and the hidden state contribute to each gate."""
        raise NotImplementedError


class NStepRNNTanh(_NStep):
    """Stacked recurrent layers with tanh, over a list of sequences."""

    _activation = staticmethod(F.tanh)

    def _step(self, from_x: Any, from_h: Any, *states: Any) -> tuple[Any, ...]:
        return (self._activation(from_x + from_h),)


class NStepRNNReLU(NStepRNNTanh):
    """Stacked recurrent layers with relu, over a list of sequences."""

    _activation = staticmethod(F.relu)


class NStepGRU(_NStep):
    """Stacked gated recurrent units, over a list of sequences; weights: reset gate, update gate, candidate."""

    n_gates = 3

    def _step(self, from_x: Any, from_h: Any, *states: Any) -> tuple[Any, ...]:
        return (gru_state(from_x, from_h, states[0]),)


class NStepLSTM(_NStep):
    """Stacked long short-term memories, over a list of sequences; weights: input, forget, candidate and output gate.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> layer = chainer.links.NStepLSTM(n_layers=2, in_size=3, out_size=4, dropout=0.1)
    >>> hy, cy, ys = layer(None, None, [np.ones((5, 3), np.float32), np.ones((2, 3), np.float32)])
    >>> hy.shape, cy.shape, [y.shape for y in ys]
    ((2, 2, 4), (2, 2, 4), [(5, 4), (2, 4)])
    """

    n_gates = 4

    def forward(self, hx: Any, cx: Any, xs: Sequence[Any]) -> tuple[Any, Any, list[Any]]:  # type: ignore[override]
        """The final hidden states and cell states, and the outputs of each sequence; None as a state means zeros."""
        (hy, cy), ys = self._along([hx, cx], xs)
        return hy, cy, ys

    def _step(self, from_x: Any, from_h: Any, *states: Any) -> tuple[Any, ...]:
        return lstm_state(from_x + from_h, states[1])


class NStepBiRNNTanh(NStepRNNTanh):
    """`NStepRNNTanh` in both directions, with the outputs concatenated."""

    direction = 2


class NStepBiRNNReLU(NStepRNNReLU):
    """`NStepRNNReLU` in both directions, with the outputs concatenated."""

    direction = 2


class NStepBiGRU(NStepGRU):
    """`NStepGRU` in both directions, with the outputs concatenated."""

    direction = 2


class NStepBiLSTM(NStepLSTM):
    """`NStepLSTM` in both directions, with the outputs concatenated."""

    direction = 2
