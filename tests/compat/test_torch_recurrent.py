"""Recurrent layers in PyTorch's names: trained, recorded, explored; tests/bridges compares them with PyTorch's."""

from __future__ import annotations

import numpy as np
import pytest

import autolab
from autolab import nn as own
from autolab.compat import torch

nn, optim = torch.nn, torch.optim


class Tagger(nn.Module):
    """The sign of the sum so far, at each place."""

    def __init__(self, kind):
        super().__init__()
        self.rnn = kind(1, 8, batch_first=True)
        self.out = nn.Linear(8, 2)

    def forward(self, x):
        self.rnn.flatten_parameters()
        states, _ = self.rnn(x)
        return self.out(states)


def sums():
    x = torch.from_numpy(np.random.default_rng(0).normal(size=(16, 6, 1)).astype(np.float32))
    return x, (x.sum(dim=2).cumsum(1) > 0).long()


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_a_recurrent_network_learns_with_clipped_gradients(kind):
    torch.manual_seed(0)
    net, (x, t) = Tagger(kind), sums()
    optimizer = optim.Adam(net.parameters(), lr=0.05)
    for _ in range(40):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x).flatten(0, 1), t.flatten()).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        assert sum([float((p.grad**2).sum()) for p in net.parameters()]) <= 0.2501
        optimizer.step()
    assert (net(x).argmax(2) == t).float().mean().item() > 0.9


def test_a_layer_is_autolabs_own_with_the_sum_of_both_biases():
    torch.manual_seed(0)
    ours, layer = own.LSTM(3, 4), nn.LSTM(3, 4)
    run = ours.runs[0].cell
    for parameter, weights in ((run.W.W, [layer.weight_ih_l0]), (run.U.W, [layer.weight_hh_l0])):
        parameter.data = sum([w.detach().numpy() for w in weights])
    run.W.b.data = (layer.bias_ih_l0 + layer.bias_hh_l0).detach().numpy()
    x = np.random.default_rng(0).normal(size=(5, 2, 3)).astype(np.float32)
    (y, (h, c)), (states, last) = ours(x), layer(torch.from_numpy(x))
    for a, b in ((y, states), (h, last[0]), (c, last[1])):
        np.testing.assert_allclose(a.data, b.detach().numpy(), rtol=1e-5, atol=1e-6)


def test_dropout_between_layers_follows_the_mode():
    torch.manual_seed(0)
    layer, x = nn.GRU(3, 50, num_layers=2, dropout=0.5), torch.ones(4, 2, 3)
    assert not torch.equal(layer(x)[0], layer(x)[0])
    layer.eval()
    assert torch.equal(layer(x)[0], layer(x)[0])


def test_a_gru_is_recorded_checked_and_explored(tmp_path, monkeypatch, capsys):
    pytest.importorskip("anywidget")
    monkeypatch.chdir(tmp_path)
    torch.manual_seed(0)
    layer = nn.GRU(2, 3).double()
    x = torch.from_numpy(np.random.default_rng(0).normal(size=(4, 1, 2))).requires_grad_()

    def last_of(x):
        return layer(x)[1].sum()

    assert autolab.record(last_of, x).scopes[0].label == "layer(x)  # GRU"
    assert autolab.check_gradients(last_of, x).verdict == "right"
    autolab.explore(last_of, x)
    assert "; open " in capsys.readouterr().out
    assert "last_of" in (tmp_path / "autolab_pages" / "explore_last_of.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            lambda: nn.LSTM(3, 4)(torch.ones(5, 2, 2)),
            r"LSTM: input has shape \(5, 2, 2\); expected 2 or 3 axes, the last",
        ),
        (
            lambda: nn.GRU(3, 4)(torch.ones(5, 2, 3), torch.ones(2, 4)),
            r"GRU: hx has shape \(2, 4\); expected \(1, 2, 4\)",
        ),
        (
            lambda: nn.LSTM(3, 4)(torch.ones(5, 2, 3), torch.ones(1, 2, 4)),
            r"LSTM: state is not a pair; expected \(h, c\)",
        ),
        (lambda: nn.GRU(3, 4)([1.0]), "GRU: input is a list; expected a tensor"),
        (lambda: nn.RNN(3, 4, nonlinearity="gelu"), "RNN: nonlinearity is 'gelu'; expected 'tanh' or 'relu'"),
        (lambda: nn.LSTM(3, 4, proj_size=2), "LSTM: proj_size=2 is not part of"),
        (lambda: nn.utils.rnn.pack_padded_sequence, "pass the padded batch to the layer; .* are the final states"),
    ],
)
def test_errors_say_what_was_expected(wrong, said):
    with pytest.raises((RuntimeError, TypeError, ValueError, NotImplementedError, AttributeError), match=said):
        wrong()


@pytest.mark.parametrize("kind", [nn.GRU, nn.RNN, nn.LSTM])
def test_what_the_hint_about_packed_sequences_says_gives_the_states_of_each_sequence(kind):
    with pytest.raises(AttributeError) as caught:
        nn.utils.rnn.pack_padded_sequence  # noqa: B018  # the access is what is tested
    hint, lengths, sequences = str(caught.value), torch.tensor([2, 4]), [torch.ones(2, 1), torch.ones(4, 1)]
    torch.manual_seed(0)
    for batch_first, code in ((False, "out[lengths - 1, range(len(lengths))]"), (True, "out[range(len(lengths)), len")):
        place = hint[hint.index(code) :].partition("]")[0] + "]"
        layer = kind(1, 3, batch_first=batch_first)
        out, _ = layer(nn.utils.rnn.pad_sequence(sequences, batch_first=batch_first))
        alone = torch.stack([layer(x)[0][-1] for x in sequences])
        assert torch.allclose(eval(place, {"out": out, "lengths": lengths, "range": range, "len": len}), alone)
    layer = kind(1, 3, bidirectional=True)
    x, n = nn.utils.rnn.pad_sequence(sequences)[:, 0], 2
    assert "layer(x[:n])" in hint and torch.allclose(layer(x[:n])[0], layer(sequences[0])[0])
