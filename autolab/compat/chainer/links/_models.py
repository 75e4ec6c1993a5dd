"""Recurrent cells, and the classifier."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....engine import a_kind
from ...table import signed
from .. import functions as F
from ..initializers import start, weight
from ..link import Chain, Link
from ..reporter import report
from ..variable import Variable
from ._layers import Linear


class _Gated(Chain):
    """The two linear maps of a long short-term memory; the four numbers of a unit are adjacent."""

    @signed
    def __init__(self, in_size, out_size, lateral_init, upward_init, bias_init, forget_bias_init):
        super().__init__()
        if out_size is None:
            in_size, out_size = None, in_size
        assert out_size is not None
        self.state_size = out_size
        b = np.empty((out_size, 4), np.float32)
        for i in range(4):
            b[:, i] = start(forget_bias_init, 1.0)((out_size,)) if i == 2 else start(bias_init)((out_size,))
        with self.init_scope():
            self.upward = Linear(in_size, 4 * out_size, initialW=weight(upward_init), initial_bias=b.reshape(-1))
            self.lateral = Linear(out_size, 4 * out_size, nobias=True, initialW=weight(lateral_init))


class StatelessLSTM(_Gated):
    """One step of a long short-term memory, which takes and returns its cell state and hidden state."""

    def forward(self, c: Any, h: Any, x: Any) -> Any:
        """The next cell state and hidden state; None as a state means zeros."""
        gates = self.upward(x) if h is None else self.upward(x) + self.lateral(h)
        c = np.zeros((len(x), self.state_size), gates.dtype) if c is None else c
        return F.lstm(c, gates)


class LSTM(_Gated):
    """A long short-term memory that keeps its states from call to call.

    Attributes
    ----------
    c, h : Variable or None
        Cell state and hidden state; None after `reset_state`.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> cell = chainer.links.LSTM(3, 4)
    >>> cell(np.ones((2, 3), np.float32)).shape
    (2, 4)
    """

    c: Any = None
    h: Any = None

    def reset_state(self) -> None:
        """Forget the states: the next call starts from zeros."""
        self.c = self.h = None

    def set_state(self, c: Variable, h: Variable) -> None:
        """Set the cell state and the hidden state."""
        self.c, self.h = c, h

    def forward(self, x: Any) -> Any:
        """The next hidden state. In a smaller batch than before, the states of the missing examples stay unchanged."""
        gates, batch, ended = self.upward(x), len(x), None
        if self.h is not None and len(self.h) > batch:
            ended = self.h[batch:]
        if self.h is not None and batch:
            gates = gates + self.lateral(self.h if ended is None else self.h[:batch])
        c = np.zeros((batch, self.state_size), gates.dtype) if self.c is None else self.c
        self.c, y = F.lstm(c, gates)
        self.h = y if ended is None else F.concat([y, ended], axis=0)
        return y


class StatelessGRU(Link):
    """One step of a gated recurrent unit: ``z * candidate + (1 - z) * h``."""

    @signed
    def __init__(self, in_size, out_size, init, inner_init, bias_init):
        super().__init__()
        self.out_size = out_size
        of_x = {"initialW": init, "initial_bias": bias_init}
        of_h = {"initialW": inner_init, "initial_bias": bias_init}
        with self.init_scope():
            self.W_r, self.U_r = Linear(in_size, out_size, **of_x), Linear(out_size, out_size, **of_h)
            self.W_z, self.U_z = Linear(in_size, out_size, **of_x), Linear(out_size, out_size, **of_h)
            self.W, self.U = Linear(in_size, out_size, **of_x), Linear(out_size, out_size, **of_h)

    def forward(self, h: Any, x: Any) -> Any:
        """The next hidden state; None as a state means zeros."""
        if h is None:
            h = np.zeros((len(x), self.out_size), self.xp.float32)
        r = F.sigmoid(self.W_r(x) + self.U_r(h))
        z = F.sigmoid(self.W_z(x) + self.U_z(h))
        return F.linear_interpolate(z, F.tanh(self.W(x) + self.U(r * h)), h)


class StatefulGRU(StatelessGRU):
    """A gated recurrent unit that keeps its hidden state from call to call."""

    h: Any = None

    def reset_state(self) -> None:
        """Forget the states: the next call starts from zeros."""
        self.h = None

    def set_state(self, h: Variable) -> None:
        """Set the hidden state."""
        self.h = h

    def forward(self, x: Any) -> Any:  # type: ignore[override]
        """The next hidden state; without one yet, the biases of ``U``, ``U_r`` and ``U_z`` do not count."""
        if self.h is None:
            self.h = F.sigmoid(self.W_z(x)) * F.tanh(self.W(x))
        else:
            self.h = super().forward(self.h, x)
        return self.h


GRU = StatefulGRU


class Classifier(Link):
    """A predictor and its loss function; reports ``loss`` and ``accuracy`` of every batch.

    Parameters
    ----------
    predictor : Link
    lossfun, accfun : callable
        Functions of the predictor's result and the labels.
    label_key : int or str
        The argument that holds the labels, by position or name.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.compat import chainer
    >>> model = chainer.links.Classifier(chainer.links.Linear(3, 2))
    >>> model(np.ones((5, 3), np.float32), np.zeros(5, np.int32)).shape
    ()
    """

    compute_accuracy = True

    @signed
    def __init__(self, predictor, lossfun, accfun, label_key):
        if not isinstance(label_key, int | str):
            raise TypeError(f"Classifier: label_key must be int or str; got {a_kind(label_key)}")
        super().__init__()
        self.lossfun, self.accfun, self.label_key = lossfun, accfun, label_key
        self.y = self.loss = self.accuracy = None
        with self.init_scope():
            self.predictor = predictor

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """The loss of a batch."""
        key = self.label_key
        rest = list(args)
        if isinstance(key, int):
            if not -len(rest) <= key < len(rest):
                raise ValueError(f"Classifier: Label key {key} is none of {len(rest)} arguments")
            t = rest.pop(key)
        elif key not in kwargs:
            raise ValueError(f"Classifier: Label key {key!r:.60} is no argument")
        else:
            t = kwargs.pop(key)
        self.accuracy = None
        self.y = self.predictor(*rest, **kwargs)
        self.loss = self.lossfun(self.y, t)
        report({"loss": self.loss}, self)
        if self.compute_accuracy:
            self.accuracy = self.accfun(self.y, t)
            report({"accuracy": self.accuracy}, self)
        return self.loss
