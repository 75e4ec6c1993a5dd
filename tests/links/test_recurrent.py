"""Recurrent cells against their formulas, in plain NumPy; layers against their cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autolab import Variable, grad, numerical_grad, optimizers
from autolab import functions as F
from autolab import links as L

_rng = np.random.default_rng(0)
X, H, C = _rng.normal(size=(2, 3)), _rng.normal(size=(2, 4)), _rng.normal(size=(2, 4))
SEQUENCE = _rng.normal(size=(2, 5, 3))


def sigmoid(a: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-a))


def in_double(link: Any) -> Any:
    """With weights in float64, and biases that are not 0."""
    for i, parameter in enumerate(link.params()):
        parameter.data = np.random.default_rng(i).normal(size=parameter.shape)
    return link


def applied(layer: Any, value: np.ndarray) -> np.ndarray:
    return value @ layer.W.data.T + (0 if layer.b is None else layer.b.data)


def test_rnn_cell() -> None:
    cell = in_double(L.RNNCell(3, 4))
    np.testing.assert_allclose(cell(X, H).data, np.tanh(applied(cell.W, X) + applied(cell.U, H)), rtol=1e-14)
    relu = in_double(L.RNNCell(3, 4, activation=F.relu))
    np.testing.assert_allclose(relu(X, H).data, np.maximum(applied(relu.W, X) + applied(relu.U, H), 0), rtol=1e-14)


def test_lstm_cell_is_pytorchs() -> None:
    """The formulas of torch.nn.LSTMCell, gates in the order i, f, g, o."""
    cell = in_double(L.LSTMCell(3, 4))
    i, f, g, o = np.split(applied(cell.W, X) + applied(cell.U, H), 4, axis=1)
    c = sigmoid(f) * C + sigmoid(i) * np.tanh(g)
    h = sigmoid(o) * np.tanh(c)
    found = cell(X, (H, C))
    np.testing.assert_allclose(found[0].data, h, rtol=1e-13)
    np.testing.assert_allclose(found[1].data, c, rtol=1e-13)


def test_the_memory_lasts_at_first() -> None:
    cell = L.LSTMCell(3, 4)
    np.testing.assert_array_equal(cell.W.b.data, [0] * 4 + [1] * 4 + [0] * 8)
    np.testing.assert_array_equal(L.LSTMCell(3, 2, forget_bias=0.5).W.b.data, [0, 0, 0.5, 0.5, 0, 0, 0, 0])
    assert cell.W.b.dtype == np.float32


@pytest.mark.parametrize("reset_after", [False, True])
def test_gru_cell_resets_before_or_after_the_product(reset_after: bool) -> None:
    """With ``reset_after`` the formulas of torch.nn.GRUCell, else those of the paper."""
    cell = in_double(L.GRUCell(3, 4, reset_after))
    r = sigmoid(applied(cell.W_r, X) + applied(cell.U_r, H))
    z = sigmoid(applied(cell.W_z, X) + applied(cell.U_z, H))
    c = np.tanh(applied(cell.W_h, X) + (r * applied(cell.U_h, H) if reset_after else applied(cell.U_h, r * H)))
    np.testing.assert_allclose(cell(X, H).data, z * H + (1 - z) * c, rtol=1e-13)
    assert (cell.U_h.b is not None) == reset_after


LAYERS = {
    "RNN": lambda: L.RNN(3, 4),
    "LSTM": lambda: L.LSTM(3, 4),
    "GRU": lambda: L.GRU(3, 4),
    "GRU, reset after": lambda: L.GRU(3, 4, reset_after=True),
}


def _first(state: Any) -> Any:
    return state[0] if isinstance(state, tuple) else state


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_is_its_cell_step_by_step(name: str) -> None:
    layer = in_double(LAYERS[name]())
    states, last = layer(SEQUENCE)
    state: Any = None
    for t in range(5):
        state = layer.cell(SEQUENCE[:, t], state)
        np.testing.assert_allclose(states[:, t].data, _first(state).data, rtol=1e-13)
    np.testing.assert_allclose(_first(last).data, states[:, -1].data, rtol=0)
    halves = [layer(SEQUENCE[:, :2])]
    halves.append(layer(SEQUENCE[:, 2:], halves[0][1]))
    np.testing.assert_allclose(np.concatenate([h[0].data for h in halves], 1), states.data, rtol=1e-13)


@pytest.mark.parametrize("name", LAYERS)
def test_gradients_agree_with_differences(name: str) -> None:
    layer = in_double(LAYERS[name]())
    x = Variable(SEQUENCE)
    weights = np.random.default_rng(3).normal(size=(2, 5, 4))
    inputs = [x, *layer.params()]
    found = grad([layer(x)[0]], inputs, [weights])
    numeric = numerical_grad(lambda: (layer(x)[0].data,), tuple([p.data for p in inputs]), (weights,), eps=1e-5)
    for g, expected in zip(found, numeric, strict=True):
        np.testing.assert_allclose(g.data, expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", LAYERS)
def test_the_second_derivative_is_that_of_differences(name: str) -> None:
    layer = in_double(LAYERS[name]())

    def slope(x: Any, create_graph: bool) -> Any:
        return grad(F.sum(layer(x)[0] ** 2), x, create_graph=create_graph)

    x, direction = Variable(SEQUENCE), np.random.default_rng(5).normal(size=SEQUENCE.shape)
    second = grad(F.sum(slope(x, True) * direction), x).data
    step = 1e-6
    above, below = [slope(Variable(SEQUENCE + s * step * direction), False).data for s in (1, -1)]
    np.testing.assert_allclose(second, (above - below) / (2 * step), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["RNN", "LSTM", "GRU"])
def test_sizes_come_from_the_first_input_and_dtypes_stay(name: str) -> None:
    layer = getattr(L, name)(None, 4)
    states, _ = layer(SEQUENCE.astype(np.float32))
    assert states.shape == (2, 5, 4) and states.dtype == np.float32
    cell = getattr(L, f"{name}Cell")(None, 4)
    assert _first(cell(X.astype(np.float32))).dtype == np.float32


def test_an_lstm_learns_to_remember() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(32, 6, 1)).astype(np.float32)
    lstm, out = L.LSTM(1, 8), L.Linear(8, 1)

    class Model(L.Chain):
        def __init__(self) -> None:
            super().__init__()
            self.lstm, self.out = lstm, out

        def forward(self, x: Any) -> Any:
            return self.out(self.lstm(x)[1][0])

    model = Model()
    optimizer = optimizers.Adam(0.05).setup(model)
    losses = [optimizer.update(lambda: F.mean_squared_error(model(x), x[:, 0])) for _ in range(60)]
    assert losses[-1].data < 0.2 * losses[0].data


@pytest.mark.parametrize("kind", [L.RNN, L.LSTM, L.GRU])
def test_layers_run_one_above_the_other(kind: Any) -> None:
    deep = in_double(kind(3, 4, layers=2, dropout=0.5).eval())
    first, second = [kind(n, 4) for n in (3, 4)]
    for alone, cell in ((first, deep.cell), (second, deep.above[0].cell)):
        alone.cell = cell
    y, state = deep(SEQUENCE)
    below, one = first(SEQUENCE)
    above, two = second(below)
    np.testing.assert_array_equal(y.data, above.data)
    for got, *each in zip(*(part if isinstance(part, tuple) else (part,) for part in (state, one, two)), strict=True):
        np.testing.assert_array_equal(got.data, [part.data for part in each])
    np.testing.assert_array_equal(deep(SEQUENCE, state)[0].data, second(first(SEQUENCE, one)[0], two)[0].data)
    assert (deep.train()(SEQUENCE)[0].data != y.data).any() and len(list(deep.params())) == 2 * len(
        list(first.params())
    )


def test_the_state_of_one_layer_may_have_an_axis_of_layers() -> None:
    layer = in_double(L.LSTM(3, 4, num_layers=1, batch_first=True))
    y, (h, c) = layer(SEQUENCE, (H[None], C[None]))
    expected, last = layer(SEQUENCE, (H, C))
    np.testing.assert_array_equal(y.data, expected.data)
    assert h.shape == c.shape == (1, 2, 4) and (h[0].data == last[0].data).all()


REFUSED = [
    (lambda: L.LSTM(3, 4)(X), ValueError, r"LSTM: x has shape \(2, 3\); expected \(batch, length, in_size\)"),
    (lambda: L.GRU(3, 4)(SEQUENCE[:, :0]), ValueError, r"GRU: x has shape \(2, 0, 3\).*\. A cell takes one step"),
    (lambda: L.LSTMCell(3, 4)(X, H), TypeError, r"LSTMCell: state is not a pair; expected \(h, c\)"),
    (lambda: L.LSTM(3, 4)(SEQUENCE, H), TypeError, r"LSTM: state is not a pair"),
    (lambda: L.RNN(), TypeError, r"RNN: in_size is missing; expected RNN\(in_size\)"),
    (
        lambda: L.RNN(3, 4, layers=2)(SEQUENCE, H),
        ValueError,
        r"RNN: state has shape \(2, 4\); expected \(2, batch, out",
    ),
    (lambda: L.GRU(3, 4)(SEQUENCE, [H, H]), ValueError, r"GRU: state has shape \(2, 2, 4\); expected \(1, batch, out"),
    (lambda: L.RNN(3, 4, layers=0), TypeError, "RNN: layers is 0"),
    (lambda: L.RNNCell(3, -1), TypeError, "RNNCell: out_size is -1"),
    (lambda: L.LSTM(3, 4, hidden_size=3), TypeError, "LSTM: out_size was given twice"),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSED)
def test_bad_input_is_refused_by_name(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
