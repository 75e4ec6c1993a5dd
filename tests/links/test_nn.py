"""`autolab.nn`: where the same call means something else to PyTorch than to `links`, it is PyTorch's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab import Variable, nn, test_mode
from autolab import functions as F
from autolab import links as L

RNG = np.random.default_rng(3)
S = RNG.normal(size=(5, 2, 3))
X = RNG.normal(size=(2, 3, 4, 5))
C, V = np.arange(1.0, 4), np.arange(1.0, 6)  # a number for each channel, and along the last axis
LABELS = RNG.integers(3, size=(2, 4, 5))


def same(a: Any, b: Any) -> None:
    np.testing.assert_allclose(getattr(a, "data", a), getattr(b, "data", b), rtol=1e-6, atol=1e-9)


@each("kind", ["LSTM", "GRU", "RNN"])
@each("layers", [1, 2])
@each("both_ways", [False, True])
def test_a_recurrent_layer_takes_the_length_first(kind: str, layers: int, both_ways: bool) -> None:
    layer = getattr(nn, kind)(3, 4, layers, bidirectional=both_ways)
    states, last = layer(Variable(S))
    x, lasts = np.swapaxes(S, 0, 1), []
    for i in range(layers):  # by the links of AutoLab, whose batches come first
        there = layer.runs[i * (1 + both_ways)](x)
        back = layer.runs[i * 2 + 1](x[:, ::-1]) if both_ways else None
        lasts += [there[1]] if back is None else [there[1], back[1]]
        x = there[0] if back is None else np.concatenate([there[0], back[0][:, ::-1]], axis=2)
    same(states, np.swapaxes(x, 0, 1))
    by_part = [*zip(*lasts, strict=True)] if kind == "LSTM" else [lasts]
    for found, part in zip(last if kind == "LSTM" else [last], by_part, strict=True):
        same(found, np.stack(part))
    again, _ = layer(Variable(S), last)
    layer.batch_first = True
    same(layer(Variable(np.swapaxes(S, 0, 1)), last)[0], np.swapaxes(again, 0, 1))


def test_recurrent_layers_refuse_what_they_have_not() -> None:
    with pytest.raises(ValueError, match=r"LSTM: input has shape \(3,\); expected 2 or 3 axes, the last of 3"):
        nn.LSTM(3, 4)(Variable(S[0, 0]))
    with pytest.raises(ValueError, match=r"GRU: hx has shape \(1, 2, 4\); expected \(2, 2, 4\)"):
        nn.GRU(3, 4, 2)(Variable(S), np.zeros((1, 2, 4)))
    with pytest.raises(ValueError, match="RNN: the activation is 'sin'"):
        nn.RNN(3, 4, nonlinearity="sin")
    assert nn.GRU(3, 4).runs[0].cell.reset_after and nn.GRUCell(3, 4).reset_after


def test_attention_takes_the_length_first_and_masks_say_what_is_hidden() -> None:
    x = Variable(RNG.normal(size=(2, 5, 4)))
    attention = nn.MultiheadAttention(4, 2, batch_first=True)
    seen, _ = attention(x, x, x)
    attention.batch_first = False
    turned = np.swapaxes(x, 0, 1)
    same(np.swapaxes(attention(turned, turned, turned)[0], 0, 1), seen)
    attention.batch_first = True
    later, padded = np.triu(np.ones((5, 5), bool), 1), np.array([[False] * 5, [False] * 3 + [True] * 2])
    _, both = attention(x, x, x, attn_mask=later, key_padding_mask=padded)
    assert not both[:, later].any() and not both[1, :, 3:].any()
    nearer = -np.abs(np.arange(5.0)[:, None] - np.arange(5.0))  # numbers are added, as ALiBi does
    _, added = attention(x, x, x, attn_mask=nearer, average_attn_weights=False)
    _, plain = attention(x, x, x, average_attn_weights=False)
    expected = plain * np.exp(nearer)
    same(added, expected / expected.sum(axis=-1, keepdims=True))
    _, mixed = attention(x, x, x, attn_mask=nearer, key_padding_mask=padded)
    assert mixed[0].all() and not mixed[1, :, 3:].any()
    with pytest.raises(ValueError, match="ratio"):
        nn.MultiheadAttention(4, 2, 1.5)


def test_an_encoder_hides_what_the_mask_hides() -> None:
    autolab.manual_seed(0)
    layer = nn.TransformerEncoderLayer(4, 2, 8, activation="gelu")
    encoder = nn.TransformerEncoder(layer, num_layers=2, norm=nn.LayerNorm(4))
    x = Variable(RNG.normal(size=(5, 2, 4)))
    with test_mode():
        encoder(x, mask=np.triu(np.ones((5, 5), bool), 1))[2, :, 0].sum().backward()
        assert x.grad[:3].data.any() and not x.grad[3:].data.any()
        same(layer(x), F.swapaxes(L.TransformerEncoderLayer.forward(layer, F.swapaxes(x, 0, 1)), 0, 1))
    first, second = encoder.layers
    assert first.wide.W is not second.wide.W and layer.dropout.ratio == layer.attention.dropout == 0.1
    attention = nn.MultiheadAttention(4, 2)
    for call in (encoder, layer, lambda x, is_causal: attention(x, x, x, is_causal=is_causal)):
        with pytest.raises(ValueError, match="is_causal is True without a mask; expected the mask: "):
            call(x, is_causal=True)
    assert nn.TransformerEncoderLayer(4, 2).wide.out_size == 2048


def test_layers_follow_their_settings() -> None:
    x, hidden = Variable(RNG.normal(size=(2, 5, 4))), np.array([[False] * 5, [False] * 3 + [True] * 2])
    settings = {"activation": "gelu", "layer_norm_eps": 0.5, "batch_first": True, "norm_first": True}
    layer = nn.TransformerEncoderLayer(4, 2, 8, 0.0, **settings)
    encoder = nn.TransformerEncoder(layer, 2, nn.LayerNorm(4, 0.5))
    h = x + layer.attention(F.layer_norm(x, eps=0.5), mask=~hidden[:, None])
    same(layer(x, None, hidden), h + layer.narrow(F.gelu(layer.wide(F.layer_norm(h, eps=0.5)))))
    y = layer(layer(x, None, hidden), None, hidden)
    same(encoder(x, src_key_padding_mask=hidden), F.layer_norm(y, eps=0.5))
    attention = nn.MultiheadAttention(4, 2, 0.25, False, batch_first=True)
    assert attention.dropout == 0.25 and attention.out.b is None and attention(x, x, x, need_weights=False)[1] is None
    same(nn.BatchNorm1d(3, 0.5)(X[..., 0]), F.batch_norm(X[..., 0], np.ones(3), np.zeros(3), eps=0.5))
    same(nn.PReLU(3, 0.5)(X), np.where(X > 0, X, X / 2))
    kept = nn.Dropout2d(0.25)(np.ones((50, 4, 2, 3)))
    assert {*kept.ravel()} == {0, 1 / 0.75} and (kept == kept[..., :1, :1]).all()
    layer = nn.GRU(3, 4, 2, dropout=0.25)
    with autolab.using_config("rng", np.random.default_rng(5)):
        found = layer(Variable(S))[0]
    inner = layer.runs[0](np.swapaxes(S, 0, 1))[0]
    dropped = F.dropout(inner, 0.25, rng=np.random.default_rng(5))
    same(found, np.swapaxes(layer.runs[1](dropped)[0], 0, 1))


def test_first_values_follow_their_settings() -> None:
    def drawn(name: str, *settings: Any, **named: Any) -> Any:
        weight = Variable(np.zeros((300, 200)))
        getattr(nn.init, name)(weight, *settings, **named)
        return weight.data

    assert 2 <= drawn("uniform_", 2, 3).min() < 2.1 and 2.9 < drawn("uniform_", 2, 3).max() <= 3
    spreads = {
        drawn("normal_", 2.0, 0.5).mean(): 2,
        drawn("normal_", 2.0, 0.5).std(): 0.5,
        drawn("xavier_uniform_", 3.0).std(): 3 * math.sqrt(2 / 500),
        drawn("xavier_normal_", 3.0).std(): 3 * math.sqrt(2 / 500),
        drawn("kaiming_uniform_", 2.0).std(): math.sqrt(2 / 5 / 200),
        drawn("kaiming_normal_", 2.0).std(): math.sqrt(2 / 5 / 200),
        drawn("kaiming_uniform_", mode="fan_out", nonlinearity="tanh").std(): 5 / 3 / math.sqrt(300),
        drawn("kaiming_normal_", mode="fan_out", nonlinearity="relu").std(): math.sqrt(2 / 300),
        drawn("orthogonal_", 3.0).std(): 3 / math.sqrt(300),
        nn.init.calculate_gain("leaky_relu", 2.0): math.sqrt(2 / 5),
    }
    assert [*spreads] == pytest.approx([*spreads.values()], rel=0.02)


def mean_and_spread(axes: Any) -> Any:
    return (X - X.mean(axes, keepdims=True)) / np.sqrt(X.var(axes, keepdims=True) + 1e-5)


FUNCTIONS: list[tuple[Callable[[Any], Any], Any]] = [
    (lambda x: nn.functional.pad(x, (1, 2)), np.pad(X, [(0, 0)] * 3 + [(1, 2)])),
    (
        lambda x: nn.functional.pad(x, (1, 0, 2, 3), "constant", 7.0),
        np.pad(X, [(0, 0), (0, 0), (2, 3), (1, 0)], constant_values=7.0),
    ),
    (lambda x: nn.functional.pad(x, (1, 1), mode="replicate"), np.pad(X, [(0, 0)] * 3 + [(1, 1)], mode="edge")),
    (lambda x: nn.functional.layer_norm(x, (4, 5)), mean_and_spread((2, 3))),
    (lambda x: nn.functional.layer_norm(x, x.shape[1:]), mean_and_spread((1, 2, 3))),
    (lambda x: nn.functional.batch_norm(x, np.ones(3), np.full(3, 4.0)), (X - 1) / np.sqrt(4 + 1e-5)),
    (lambda x: nn.functional.batch_norm(x, None, None, training=True), mean_and_spread((0, 2, 3))),
    (lambda x: nn.functional.dropout(x, 0.5, False), X),
    (lambda x: nn.functional.gelu(x, approximate="none"), F.gelu(X)),
    (
        lambda x: nn.functional.gelu(x, approximate="tanh"),
        X / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (X + 0.044715 * X**3))),
    ),
    (lambda x: nn.functional.pad(x, (2, 1), "circular"), np.pad(X, [(0, 0)] * 3 + [(2, 1)], mode="wrap")),
    (lambda x: nn.functional.layer_norm(x, (5,), V, V + 1, 0.5), F.layer_norm(X, V, V + 1, eps=0.5)),
    (lambda x: nn.functional.rms_norm(x, (5,), V, 0.5), F.rms_norm(X, V, eps=0.5)),
    (
        lambda x: nn.functional.batch_norm(x, C, C + 1, C + 2, C + 3, eps=0.5),
        F.batch_norm(X, C + 2, C + 3, C, C + 1, eps=0.5),
    ),
    (
        lambda x: nn.functional.batch_norm(x, None, None, C + 2, C + 3, True, 0.1, 0.5),
        F.batch_norm(X, C + 2, C + 3, eps=0.5),
    ),
    (lambda x: nn.functional.leaky_relu(x), np.where(X > 0, X, X / 100)),
    (lambda x: nn.functional.leaky_relu(x, 0.5), np.where(X > 0, X, X / 2)),
    (lambda x: nn.functional.normalize(x), X / np.sqrt((X**2).sum(1, keepdims=True))),
    (lambda x: nn.functional.normalize(x, 1.0, 2, 3.0), X / np.maximum(np.abs(X).sum(2, keepdims=True), 3)),
    (lambda x: nn.functional.cosine_similarity(x, x**2), F.cosine_similarity(X, X**2, axis=1)),
    (lambda x: nn.functional.cosine_similarity(x, x**2, 2, 9.0), F.cosine_similarity(X, X**2, 2, 9.0)),
    (
        lambda x: nn.functional.nll_loss(x, LABELS, C + 1, 2, "none"),
        -np.take_along_axis(X, LABELS[:, None], 1)[:, 0] * (C + 1)[LABELS] * (LABELS != 2),
    ),
    (lambda x: nn.functional.scaled_dot_product_attention(x, x, x, dropout_p=0.0, is_causal=True), None),
]


@each(("call", "expected"), FUNCTIONS)
def test_functions_mean_what_pytorch_means(call: Callable[[Any], Any], expected: Any) -> None:
    same(call(Variable(X)), F.attention(X, X, X, causal=True) if expected is None else expected)


def test_norms_and_cells_have_pytorchs_words() -> None:
    norm = nn.BatchNorm2d(3, momentum=0.25)
    norm(Variable(X.astype(np.float32)))
    same(norm.running_mean, 0.25 * X.mean((0, 2, 3), dtype=np.float32))
    same(norm.running_var, 0.75 + 0.25 * X.astype(np.float32).var((0, 2, 3), ddof=1))
    assert norm.running_var is norm.avg_var and isinstance(norm, nn.BatchNorm1d)
    cell = nn.LSTMCell(3, 4)
    assert cell.weight_ih is cell.W.W and cell.weight_hh is cell.U.W and cell.bias_ih is cell.W.b
    with pytest.raises(ValueError, match=r"^BatchNorm2d: momentum is 1.5; expected a number of at least 0.0"):
        nn.BatchNorm2d(3, momentum=1.5)


def test_utilities_of_sequences_and_vectors() -> None:
    parts = [Variable(S[:4, 0]), Variable(S[:2, 1])]
    padded = nn.utils.rnn.pad_sequence(parts, padding_value=-1.0)
    assert padded.shape == (4, 2, 3) and (padded[2:, 1].data == -1).all()
    same(padded[:2, 1], S[:2, 1])
    same(nn.utils.rnn.pad_sequence(parts, True, -1.0), np.swapaxes(padded, 0, 1))
    padded.sum().backward()
    same(parts[1].grad, np.ones((2, 3)))
    for part, g in zip(parts, (-3.0, 1.0), strict=True):
        part.grad = Variable(np.full(part.shape, g))
    assert nn.utils.clip_grad_norm_(parts, 21.0, 1.0).item() == 42
    factor = 21.0 / (42 + 1e-6)  # that of PyTorch
    assert [{*part.grad.data.ravel()} for part in parts] == [{-3 * factor}, {factor}]
    nn.utils.clip_grad_value_(parts, 0.75)
    assert [{*part.grad.data.ravel()} for part in parts] == [{-0.75}, {factor}]
    first, second = nn.Linear(3, 2), nn.Linear(3, 2)
    vector = nn.utils.parameters_to_vector(first.parameters())
    nn.utils.vector_to_parameters(vector, second.parameters())
    same(first.W, second.W)
    assert vector.shape == (8,) and second.b.dtype == np.float32


@pytest.mark.parametrize(
    ("made", "named"),
    [
        (lambda: nn.Linear(5, 4, False), lambda: L.Linear(5, 4, nobias=True)),
        (lambda: nn.Conv2d(3, 8, 3, 1, 2, 2), lambda: L.Conv2D(3, 8, 3, pad=2, dilate=2)),
        (lambda: nn.Conv1d(4, 8, 3, 2, 1, 1, 2, False), lambda: L.Conv1D(4, 8, 3, 2, 1, groups=2, nobias=True)),
        (
            lambda: nn.ConvTranspose2d(4, 2, 3, 2, 1, 1, 1, False),
            lambda: L.ConvTranspose2D(4, 2, 3, 2, 1, 1, nobias=True),
        ),
        (lambda: nn.Embedding(4, 5, 0), lambda: L.Embedding(4, 5, padding_idx=0)),
        (lambda: nn.LSTMCell(4, 5, True), lambda: L.LSTMCell(4, 5)),
        (lambda: nn.RNNCell(4, 5, True), lambda: L.RNNCell(4, 5)),
        (lambda: nn.GRUCell(4, 5, True), lambda: L.GRUCell(4, 5, reset_after=True)),
        (lambda: nn.Dropout(0.25, True), lambda: L.Dropout(0.25)),
    ],
)
def test_what_comes_by_position_means_what_it_means_in_pytorch(made: Any, named: Any) -> None:
    def told(link: Any) -> Any:
        settings = {name: value for name, value in vars(link).items() if isinstance(value, int | float | tuple)}
        return settings, {name: p.shape for name, p in link.state_dict().items()}

    with autolab.using_config("rng", np.random.default_rng(1)):
        found = told(made())
    with autolab.using_config("rng", np.random.default_rng(1)):
        assert found == told(named())
    assert isinstance(made(), type(named()))


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: nn.Linear(5, 4, True, 3), "Linear: got 4 arguments by position; expected at most 3"),
        (lambda: nn.Linear(5, 4, in_features=5), "Linear: in_features was given by position and by keyword"),
        (lambda: nn.LSTMCell(4, 5, bias=3), "LSTMCell: got a keyword 'bias'"),
        (lambda: nn.ConvTranspose2d(3, 8, 3, padding_mode="circular"), "2d: got a keyword 'padding_mode'"),
    ],
)
def test_what_it_does_not_have_is_said(made: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        made()


def test_settings_that_mean_nothing_are_refused() -> None:
    f, x = nn.functional, Variable(X)
    for call, said in (
        (lambda: f.gelu(x, "erf"), "gelu: approximate is 'erf'; expected 'none' or 'tanh'"),
        (lambda: f.celu(x, 0.0), "celu: .*alpha is 0.0; expected another number"),
        (lambda: f.hardtanh(x, 2.0, 1.0), "hardtanh: .*low is 2.0; expected at most high, 1.0"),
        (lambda: f.batch_norm(x, None, None), "batch_norm: running_mean or running_var is None; out of training"),
        (lambda: f.batch_norm(x[:1, :, :1, 0], None, None, training=True), "a variance needs two numbers per feature"),
    ):
        with pytest.raises(ValueError, match=said):
            call()


@pytest.mark.parametrize("x", [X[..., 0, 0], X[..., 0], X])
def test_prelu_has_a_slope_for_each_channel(x: np.ndarray) -> None:
    layer = nn.PReLU(3)
    layer.weight.data = np.array([0.25, 0.5, 2.0])
    slopes = layer.weight.data.reshape(3, *[1] * (x.ndim - 2))
    same(layer(Variable(x)), np.where(x > 0, x, slopes * x))


def _as_pytorchs(layer: Any, gates: str) -> dict[str, Any]:
    """The state of a recurrent layer of two layers and directions as PyTorch keeps it; half of each bias in each."""
    found: dict[str, Any] = {}
    for i, run in enumerate(layer.runs):
        cell, end = run.cell, f"_l{i // 2}{'_reverse' * (i % 2)}"
        inner = [getattr(cell, f"W{gate}") for gate in gates.split(",")]
        outer = [getattr(cell, f"U{gate}") for gate in gates.split(",")]
        own = [np.zeros(len(w.b), np.float32) if u.b is None else u.b.data for w, u in zip(inner, outer, strict=True)]
        found[f"weight_ih{end}"] = np.concatenate([w.W.data for w in inner])
        found[f"weight_hh{end}"] = np.concatenate([u.W.data for u in outer])
        halves = [w.b.data if u.b is not None else w.b.data / 2 for w, u in zip(inner, outer, strict=True)]
        others = [b if u.b is not None else w.b.data / 2 for w, u, b in zip(inner, outer, own, strict=True)]
        found |= {f"bias_ih{end}": np.concatenate(halves), f"bias_hh{end}": np.concatenate(others)}
    return found


@pytest.mark.parametrize(("kind", "gates"), [(nn.LSTM, ""), (nn.RNN, ""), (nn.GRU, "_r,_z,_h")])
def test_states_of_pytorchs_recurrent_layers_are_loaded(kind: Any, gates: str) -> None:
    layer, other = [kind(3, 4, num_layers=2, bidirectional=True) for _ in range(2)]
    for parameter in layer.params():
        parameter.data = np.random.default_rng(1).normal(size=parameter.shape).astype(np.float32)
    x = np.ones((5, 2, 3), np.float32)
    assert other.load_state_dict(_as_pytorchs(layer, gates)) == ([], [])
    np.testing.assert_allclose(other(x)[0].data, layer(x)[0].data, rtol=1e-6)


def test_states_of_pytorchs_attention_are_loaded() -> None:
    class Net(nn.Module):  # type: ignore[misc,name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.self_attn, self.linear1 = nn.MultiheadAttention(4, 2), nn.Linear(4, 3)

    attention, layer, net = nn.MultiheadAttention(4, 2), nn.TransformerEncoderLayer(4, 2, 8), Net()
    packed = {"in_proj_weight": np.arange(48.0).reshape(12, 4), "in_proj_bias": np.arange(12.0)}
    packed |= {"out_proj.weight": np.eye(4), "out_proj.bias": np.zeros(4)}
    attention.load_state_dict(packed)
    np.testing.assert_array_equal(attention.key.W.data, np.arange(16.0, 32).reshape(4, 4))
    np.testing.assert_array_equal(attention.value.b.data, [8, 9, 10, 11])
    state = {f"self_attn.{name}": value for name, value in packed.items()}
    net.load_state_dict({**state, "linear1.weight": np.zeros((3, 4)), "linear1.bias": np.ones(3)})
    np.testing.assert_array_equal(net.self_attn.query.b.data, [0, 1, 2, 3])
    sizes = {"linear1": (8, 4), "linear2": (4, 8)}
    state |= {f"{name}.weight": np.ones(size) for name, size in sizes.items()}
    state |= {f"{name}.bias": np.ones(size[0]) for name, size in sizes.items()}
    state |= {f"norm{i}.{kind}": np.ones(4) for i in (1, 2) for kind in ("weight", "bias")}
    layer.load_state_dict(state)
    np.testing.assert_array_equal(layer.attention.out.W.data, np.eye(4))
    assert layer.wide.b.data.tolist() == [1] * 8


@pytest.mark.parametrize("kind", [nn.MultiheadAttention, L.MultiheadAttention])
def test_masks_have_pytorchs_shapes_and_no_others(kind):
    rng, batch, heads, length, keys = np.random.default_rng(3), 2, 2, 3, 4
    attention = kind(4, heads)
    first = [] if kind is nn.MultiheadAttention else [1, 0]
    q, k = [np.swapaxes(rng.normal(size=(n, batch, 4)), 0, 1 if first else 0) for n in (length, keys)]
    forbidden = rng.random((batch * heads, length, keys)) < 0.4
    forbidden[..., 0] = False
    for mask in (forbidden, np.where(forbidden, -np.inf, 0.0), np.where(forbidden, -np.inf, 0.5)):
        weights = attention(q, k, k, attn_mask=mask, average_attn_weights=False)[1].data
        assert (weights.reshape(batch * heads, length, keys)[forbidden] == 0).all()
        assert (weights.reshape(batch * heads, length, keys)[~forbidden] > 0).all()
    padded = np.array([[False, True, False, False], [False, False, False, True]])
    both = attention(q, k, k, attn_mask=forbidden, key_padding_mask=padded, average_attn_weights=False)[1].data
    np.testing.assert_array_equal(both == 0, forbidden.reshape(both.shape) | padded[:, None, None])
    for shape in ((batch, length, keys), (heads, length, keys), (1, length, keys), (batch, 1, length, keys), (1, keys)):
        if shape != (batch * heads, length, keys):
            with pytest.raises(
                ValueError, match=r"MultiheadAttention: attn_mask has shape .*expected \(3, 4\), or \(4,"
            ):
                attention(q, k, k, attn_mask=np.zeros(shape, bool))
    for shape in ((keys, batch), (length, keys), (keys,)):
        with pytest.raises(ValueError, match=r"MultiheadAttention: key_padding_mask has shape .*expected \(2, 4\)"):
            attention(q, k, k, key_padding_mask=np.zeros(shape, bool))
    with pytest.raises(TypeError, match="attn_mask is of dtype int64; expected booleans"):
        attention(q, k, k, attn_mask=np.zeros((length, keys), int))
    layer, x = nn.TransformerEncoderLayer(4, heads, 8, 0.0), rng.normal(size=(length, batch, 4))
    with pytest.raises(
        ValueError, match=r"TransformerEncoderLayer: attn_mask has shape \(2, 3, 3\); expected \(3, 3\)"
    ):
        layer(x, np.zeros((batch, length, length), bool))


def test_the_gradient_of_a_learned_mask_arrives():
    attention, bias = nn.MultiheadAttention(4, 2), Variable(np.zeros((3, 3)))
    x = np.random.default_rng(0).normal(size=(3, 2, 4))
    F.sum(attention(x, x, x, attn_mask=bias)[0] ** 2).backward()
    assert bias.grad is not None and np.abs(bias.grad.data).max() > 0


def test_a_number_is_no_switch() -> None:
    """What stands third in PyTorch is not taken for a switch: heads, layers, dropout, dilation, eps, padding_idx."""
    wrong: list[tuple[Callable[[], Any], str]] = [
        (lambda: L.SelfAttention(8, 2), "SelfAttention: causal is 2; expected True or False"),  # type: ignore[arg-type]
        (lambda: L.MultiHeadAttention(8, 2, 0.1), "causal is 0.1; expected True or False"),  # type: ignore[arg-type]
        (lambda: L.GRU(3, 4, 2), "GRU: reset_after is 2; expected True or False"),  # type: ignore[arg-type]
        (lambda: L.GRUCell(3, 4, 1), "GRUCell: reset_after is 1"),  # type: ignore[arg-type]
        (lambda: L.LSTM(3, 4, 2), "forget_bias is 2; expected a float. Several layers are layers="),
        (lambda: L.Conv2D(1, 2, 3, 1, 0, 2), "Conv2D: nobias is 2; expected True or False"),  # type: ignore[arg-type]
        (lambda: L.Embedding(10, 3, 0), "Embedding: initialW is 0; expected an initializer. padding_idx=0"),
        (lambda: L.TransformerEncoderLayer(8, 2, 16, 0.1, F.relu, 1e-5), "norm_first is 1e-05"),  # type: ignore[arg-type]
    ]
    for make, message in wrong:
        with pytest.raises(TypeError, match=message):
            make()
    with pytest.raises(ValueError, match=r"BatchNormalization: decay is 1e-05; expected one like 0.9"):
        L.BatchNormalization(3, 1e-5)
    assert L.Linear(2, 3, np.bool_(True)).b is None  # type: ignore[arg-type]
