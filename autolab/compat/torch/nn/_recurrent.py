"""Recurrent layers and cells: AutoLab's steps with PyTorch's weights, which have a second bias for the hidden state."""

from __future__ import annotations

import math
from functools import partial
from typing import Any, ClassVar

from .... import functions as _engine
from ....links.cells import gru_state, lstm_state
from ....links.recurrent import PyTorchLayers, PyTorchStates, along
from .._arguments import expect, tensor_of
from .._tensor import constant
from . import functional as F
from ._layers import _uniform
from ._module import Layer

States = tuple[Any, ...]


class _Gated(PyTorchStates, Layer):
    """The weights of the gates, and one step computed from the weighted input and the weighted hidden state."""

    _gates, _error = 1, RuntimeError
    _usual: ClassVar[dict[str, Any]]
    """Default settings: `repr` shows only those that differ."""

    def _weigh(self, input_size: int, end: str = "") -> None:
        """Create the weights and biases whose names end in ``end``."""
        rows = self._gates * self.hidden_size
        shapes: dict[str, States] = {"weight_ih": (rows, input_size), "weight_hh": (rows, self.hidden_size)}
        for name, shape in (shapes | {"bias_ih": (rows,), "bias_hh": (rows,)} if self.bias else shapes).items():
            self.register_parameter(name + end, _uniform(shape, 1 / math.sqrt(self.hidden_size)))

    def _linear(self, end: str, x: Any) -> Any:
        return F.linear(x, getattr(self, f"weight_{end}"), getattr(self, f"bias_{end}") if self.bias else None)

    def _step(self, end: str, wx: Any, states: States) -> States:
        return self._after(wx, self._linear(f"hh{end}", states[0]), states)

    def _after(self, wx: Any, wh: Any, states: States) -> States:
        """The states after this step."""
        raise NotImplementedError

    def _array(self, input: Any, axes: int) -> Any:
        return super()._array(tensor_of(type(self).__name__, input), axes)

    def _before(self, hx: Any, data: Any, shape: tuple[int, ...]) -> States:
        states = super()._before(hx, data, shape)
        return tuple([tensor_of(type(self).__name__, state, "hx") for state in states])

    def _zeros(self, data: Any, shape: tuple[int, ...]) -> Any:
        return constant(super()._zeros(data, shape))

    def extra_repr(self) -> str:
        others = {name: getattr(self, name, usual) for name, usual in self._usual.items()}
        said = [f", {name}={value}" for name, value in others.items() if value != self._usual[name]]
        return f"{self.input_size}, {self.hidden_size}" + "".join(said)


class _Layer(PyTorchLayers, _Gated):
    """Stacked recurrent layers: a cell for each layer and direction."""

    _usual = {"num_layers": 1, "bias": True, "batch_first": False, "dropout": 0, "bidirectional": False}  # noqa: RUF012

    def _begin(self) -> None:
        name, drop = type(self).__name__, self.dropout
        expect(self.num_layers > 0, name, "num_layers", self.num_layers, "a number above 0")
        expect(type(drop) in (int, float) and 0 <= drop <= 1, name, "dropout", drop, "a probability, from 0 to 1")
        self._ways = ["", "_reverse"] if self.bidirectional else [""]
        for i in range(self.num_layers):
            for way in self._ways:
                self._weigh(self.hidden_size * len(self._ways) if i else self.input_size, f"_l{i}{way}")

    def flatten_parameters(self) -> None:
        """Does nothing; it is there for programs that call it for PyTorch's GPU kernels."""

    def _runs(self) -> list[Any]:
        return [partial(self._run, f"_l{i}{way}") for i in range(self.num_layers) for way in self._ways]

    def _run(self, end: str, x: Any, states: States) -> tuple[Any, States]:
        return along(partial(self._step, end), partial(self._linear, f"ih{end}"), x, states)

    def _between(self, x: Any) -> Any:
        return F.dropout(x, p=self.dropout, training=self.training)


class _Cell(_Gated):
    """A cell, which computes one time step."""

    _usual = {"bias": True, "nonlinearity": "tanh"}  # noqa: RUF012

    def _begin(self) -> None:
        self._weigh(self.input_size)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The next hidden state; for an LSTM, the pair of hidden state and cell state, as ``hx`` is."""
        data = self._array(input, 2)
        states = self._before(hx, data, (*data.shape[:-1], self.hidden_size))
        states = self._step("", self._linear("ih", input), states)
        return states if self._states > 1 else states[0]


class _LSTM(_Gated):
    _gates, _states = 4, 2

    def _after(self, wx: Any, wh: Any, states: States) -> States:
        return lstm_state(wx + wh, states[1])


class _GRU(_Gated):
    _gates = 3

    def _after(self, wx: Any, wh: Any, states: States) -> States:
        return (gru_state(wx, wh, states[0]),)


class _RNN(_Gated):
    def _after(self, wx: Any, wh: Any, states: States) -> States:
        return (getattr(_engine, self.nonlinearity)(wx + wh),)

    def _begin(self) -> None:
        if self.nonlinearity not in ("tanh", "relu"):
            given = f"nonlinearity is {self.nonlinearity!r:.40}"
            raise ValueError(f"{type(self).__name__}: {given}; expected 'tanh' or 'relu'")
        super()._begin()


class LSTM(_LSTM, _Layer):
    """A long short-term memory over sequences of shape ``(length, batch, size)``, or ``(batch, length, size)`` with
    ``batch_first``; sequences of different lengths are padded.

    Examples
    --------
    >>> from autolab.compat import torch
    >>> states, (h, c) = torch.nn.LSTM(3, 4, num_layers=2, bidirectional=True)(torch.ones(5, 2, 3))
    >>> states.shape, h.shape, c.shape
    (torch.Size([5, 2, 8]), torch.Size([4, 2, 4]), torch.Size([4, 2, 4]))
    """


class GRU(_GRU, _Layer):
    """A gated recurrent unit over sequences, in the layout of `LSTM`."""


class RNN(_RNN, _Layer):
    """A simple (Elman) recurrent network over sequences, in the layout of `LSTM`."""


class LSTMCell(_LSTM, _Cell):
    """One step of a long short-term memory: the next hidden state and cell state."""


class GRUCell(_GRU, _Cell):
    """One step of a gated recurrent unit."""


class RNNCell(_RNN, _Cell):
    """One step of a simple recurrent network."""
