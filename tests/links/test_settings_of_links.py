"""A setting of a link that is assigned acts as one that it was constructed with, or assigning it raises."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab import Link, nn
from autolab import links as L
from autolab.links import function_layers
from autolab.links.settings import MODES, WORDS

IMAGE, ROWS, SEQUENCE = (2, 4, 6, 6), (3, 4), (3, 2, 4)
MADE: list[tuple[Any, tuple[Any, ...], tuple[int, ...]]] = [
    *[(kind, (4, 3), ROWS) for kind in (L.Linear, nn.Linear, L.RNNCell, L.GRUCell, L.LSTMCell, nn.GRUCell)],
    *[(kind, (4, 3, 3), IMAGE) for kind in (L.Conv2D, nn.Conv2d, L.ConvTranspose2D, nn.ConvTranspose2d)],
    *[(kind, (4, 3, 3), (2, 4, 6)) for kind in (L.Conv1D, nn.Conv1d, L.ConvTranspose1D, nn.ConvTranspose1d)],
    *[(kind, (4,), IMAGE) for kind in (L.BatchNormalization, nn.BatchNorm2d, L.InstanceNormalization)],
    *[(kind, (4,), ROWS) for kind in (L.LayerNormalization, L.RMSNormalization, nn.LayerNorm, nn.BatchNorm1d)],
    (L.GroupNormalization, (2, 4), IMAGE),
    *[(kind, (0.5,), ROWS) for kind in (L.Dropout, nn.Dropout)],
    (nn.Dropout2d, (0.5,), IMAGE),
    *[(kind, (4, 2), SEQUENCE) for kind in (L.MultiHeadAttention, L.TransformerEncoderLayer)],
    (L.SelfAttention, (4,), SEQUENCE),
    (nn.TransformerEncoderLayer, (4, 2, 8), SEQUENCE),
    *[(kind, (4, 3), SEQUENCE) for kind in (L.RNN, L.LSTM, L.GRU, nn.RNN, nn.LSTM, nn.GRU)],
    (L.MLP, ((4, 3),), ROWS),
    (L.Dense, (3,), ROWS),
    *[(getattr(nn, name), (), ROWS) for name in ("ReLU", "LeakyReLU", "ELU", "CELU", "GELU", "Softmax", "Hardtanh")],
    *[(getattr(nn, name), (2,), IMAGE) for name in ("MaxPool2d", "AvgPool2d", "PixelShuffle")],
]
VALUES: dict[str, Any] = {
    **dict.fromkeys(("ratio", "p", "rate", "decay", "momentum", "eps", "epsilon", "dropout"), 0.25),
    **dict.fromkeys(("negative_slope", "alpha", "slope", "low"), 0.25),
    **dict.fromkeys(("stride", "strides", "dilate", "dilation", "dilation_rate"), 2),
    **dict.fromkeys(("pad", "padding", "dim", "axis"), 1),
    **dict.fromkeys(("causal", "is_causal", "norm_first", "batch_first", "bidirectional", "reset_after"), True),
    **dict.fromkeys(("heads", "num_heads", "nhead"), 4),
    **dict.fromkeys(("activation", "nonlinearity"), "relu"),
    "approximate": "tanh",
    "rng": None,
}


def numbers(link: Link, shape: tuple[int, ...]) -> list[np.ndarray]:
    """What it gives in training mode and, afterwards, in test mode, and its state."""
    x = np.random.default_rng(1).normal(size=shape).astype(np.float32)
    with autolab.using_config("rng", np.random.default_rng(2)):
        first = link(x)
    with autolab.test_mode():
        second = link(x)
    flat = [part for y in (first, second) for part in (y if isinstance(y, tuple) else (y,))]
    flat = [inner for part in flat for inner in (part if isinstance(part, tuple) else (part,))]
    return [*[np.asarray(getattr(part, "array", part)) for part in flat], *link.state().values()]


def made(kind: Any, args: tuple[Any, ...], **more: Any) -> Link:
    with autolab.using_config("rng", np.random.default_rng(0)):
        return kind(*args, **more)


def assigned() -> Iterator[tuple[Any, tuple[Any, ...], tuple[int, ...], str]]:
    for kind, args, shape in MADE:
        own = [name for name in vars(made(kind, args)) if name[0] != "_" and name in VALUES]
        words = {*WORDS, *VALUES, *own} - ({"rng"} - {*own})  # any link may have one of the user's
        for name in sorted(words - {"weight", "bias", "beta", "gamma", "running_mean", "running_var"}):
            yield kind, args, shape, name


def constructed(kind: Any, args: tuple[Any, ...], name: str, value: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments that construct the same."""
    if name in ("heads", "num_heads", "nhead"):
        return (args[0], value, *args[2:]), {}
    if name in ("ksize", "kernel_size", "kernel", "factor", "upscale_factor"):
        return (value,), {}
    if kind in (L.Dropout, nn.Dropout, nn.Dropout2d) and name != "rng":
        return (value,), {}
    if "momentum" in vars(kind) or kind in (nn.BatchNorm1d, nn.BatchNorm2d):
        theirs = kind is not L.BatchNormalization
        if name in ("momentum", "decay"):
            same = (name == "momentum") is theirs
            return args, {"momentum" if theirs else "decay": value if same else 1 - value}
    return args, {"eps" if name == "epsilon" else name: value}


def test_an_assigned_setting_is_that_of_the_construction_or_raises() -> None:
    honoured = set()
    for kind, args, shape, name in assigned():
        link, value = made(kind, args), VALUES.get(name, 5)
        where = f"{kind.__module__}.{kind.__name__}.{name}"
        if name not in WORDS and name not in vars(link) and not isinstance(link, function_layers.FunctionLayer):
            continue
        if isinstance(link.__dict__.get(name), Link):  # a part
            continue
        try:
            setattr(link, name, value)
        except (AttributeError, ValueError, TypeError) as error:
            assert type(link).__name__ in str(error) and len(str(error)) <= 300, (where, error)
            continue
        if name == "inplace":
            continue
        first, more = constructed(kind, args, name, value)
        try:
            wanted = numbers(made(kind, first, **more), shape)
        except Exception as error:
            with pytest.raises(type(error)):
                numbers(link, shape)
            continue
        for a, b in zip(numbers(link, shape), wanted, strict=True):
            np.testing.assert_array_equal(a, b, err_msg=where)
        honoured.add(f"{kind.__name__}.{name}")
    assert {"Dropout.p", "BatchNorm1d.momentum", "Conv2D.padding", "LeakyReLU.negative_slope"} <= honoured


def test_invalid_settings_are_refused_when_they_are_assigned() -> None:
    for link, name, value in (
        (L.Dropout(), "ratio", 1.0),
        (nn.Dropout(), "p", -0.1),
        (L.BatchNormalization(3), "decay", 2),
        (nn.BatchNorm1d(3), "momentum", -1),
        (L.LayerNormalization(3), "eps", -1),
        (nn.LSTM(3, 4), "dropout", 1.5),
        (L.Linear(3, 2), "trainable", 0),
        (L.RNNCell(3, 2), "activation", None),
        (L.MLP((3,)), "activation", "nothing"),
    ):
        before = {k: v for k, v in vars(link).items() if k != "_found"}
        with pytest.raises((ValueError, TypeError), match=rf"^{type(link).__name__}"):
            setattr(link, name, value)
        assert {k: v for k, v in vars(link).items() if k != "_found"}.keys() == before.keys()


def test_freezing_by_the_words_of_keras_and_pytorch() -> None:
    class Net(Link):
        def __init__(self) -> None:
            super().__init__()
            self.p, self.momentum, self.size = 0.5, 0.9, 3  # what a user's own class calls its attributes
            self.size = 4
            self.inner = L.Linear(None, 2)

    for name in sorted(MODES - {"training"}):
        net = Net()
        for value in (False, True, False):
            setattr(net, name, value)
            assert [p.requires_grad for p in net.params()] == [value, value]
        net.inner(np.ones((1, 3), np.float32))
        assert not net.inner.W.requires_grad and (net.p, net.size) == (0.5, 4)
    with pytest.raises(AttributeError, match=r"Net.training is also .* write model\.eval\(\)"):
        net.training = False
    drop = L.Dropout(0.5)
    drop.training = False
    assert (drop(np.ones(50)) == 1).all() and not drop.training
    drop.training = True
    assert (drop(np.ones(50)) != 1).any() and drop.training


def test_weights_are_tied_and_biases_taken_away_by_pytorchs_names() -> None:
    table, out = nn.Embedding(5, 4), nn.Linear(4, 5)
    out.weight, out.bias = table.weight, None
    assert out.W is table.W and out.b is None and [name for name, _ in out.namedparams()] == ["/W"]
    np.testing.assert_allclose(out(np.eye(4, dtype=np.float32)).data, table.W.data.T)
    norm = nn.LayerNorm(3)
    norm.weight = autolab.Parameter(np.full(3, 2.0, np.float32))
    assert norm.gamma.data.tolist() == [2, 2, 2] and len(list(norm.params())) == 2


def test_parts_that_a_reader_adds_are_called_as_the_reader_likes() -> None:
    """What is a setting of some layer is a name like any other for a parameter, a link or a number of a net."""
    for kind, word in itertools.product((Link, L.Chain, nn.Module, nn.ModuleDict, L.ChainList, L.Sequential), WORDS):
        for value in (autolab.Parameter(np.ones(2)), L.Linear(2, 2), 0.5):
            net = kind()
            if isinstance(value, float) and kind in (L.ChainList, L.Sequential):
                continue  # whether a number is a setting of theirs, their layers would have to know
            setattr(net, word, value)
            assert getattr(net, word) is value, (kind, word)
            assert isinstance(value, float) or len(list(net.params())) == len(
                list(getattr(value, "params", list)()) or [1]
            )
    net = L.Linear(2, 2)
    net.scale = autolab.Parameter(np.ones(2, np.float32))
    assert [name for name, _ in net.namedparams()] == ["/W", "/b", "/scale"]
    with pytest.raises(AttributeError, match="Linear has no setting 'scale'"):
        L.Linear(2, 2).scale = 2.0


STATES = ("weight", "bias", "W", "b", "gamma", "beta", "scale", "running_mean", "avg_mean", "num_batches_tracked", "U")
STATES += ("weight_ih_l0", "in_proj_weight", "out_proj", "linear1", "T")


@each("kind", ["parameter", "buffer"])
@each("word", STATES)
def test_a_state_of_a_users_own_names_is_loaded_again(word: str, kind: str) -> None:
    """What layers call ``weight`` or ``W`` may be the name of a user's own parameter, in a link of any depth."""

    class Own(nn.Module):
        def __init__(self, value: float) -> None:
            super().__init__()
            if kind == "parameter":
                setattr(self, word, autolab.Parameter(np.full(2, value)))
            else:
                self.register_buffer(word, np.full(2, value))

    for wrap in (Own, lambda v: nn.Sequential(Own(v)), lambda v: nn.Sequential(nn.Linear(2, 2), nn.Sequential(Own(v)))):
        one, other, third = wrap(1.0), wrap(2.0), wrap(3.0)
        saved = one.state_dict()
        assert [name for name in saved if name.rpartition(".")[2] == word], (word, list(saved))
        other.load_state_dict(saved)
        assert not any(third.load_state_dict(saved, strict=False))
        for found in (other, third):
            for name, value in one.state().items():
                np.testing.assert_array_equal(found.state()[name], value)
