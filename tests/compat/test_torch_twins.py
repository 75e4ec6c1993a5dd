"""Layers and optimizers that both `autolab` and the torch facade have: every setting gives the same numbers in both.

What differs on purpose is in `ON_PURPOSE` of autolab/engine/habit_tables.py; what one of them refuses is below.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab import nn
from autolab.compat import torch
from autolab.engine.undisturbed import undisturbed

RNG = np.random.default_rng(0)
IMAGES, SERIES, ROWS = [RNG.normal(size=shape).astype(np.float32) for shape in ((2, 4, 6, 6), (2, 4, 7), (3, 4))]
VOLUMES = RNG.normal(size=(2, 4, 3, 2, 2)).astype(np.float32)
IDS = np.array([[1, 2, 0], [3, 1, 1]])

LAYERS: dict[str, tuple[tuple[Any, ...], Any]] = {
    "Linear": ((4, 3), ROWS),
    "Conv1d": ((4, 6, 3), SERIES),
    "Conv2d": ((4, 6, 3), IMAGES),
    "ConvTranspose1d": ((4, 6, 3), SERIES),
    "ConvTranspose2d": ((4, 6, 3), IMAGES),
    "Embedding": ((5, 3), IDS),
    "LayerNorm": (((4, 7),), SERIES),
    "RMSNorm": (((4, 7),), SERIES),
    "GroupNorm": ((2, 4), SERIES),
    "BatchNorm1d": ((4,), SERIES),
    "BatchNorm2d": ((4,), IMAGES),
    "InstanceNorm1d": ((4,), SERIES),
    "InstanceNorm2d": ((4,), IMAGES),
    "InstanceNorm3d": ((4,), VOLUMES),
    "PReLU": ((), SERIES),
    "Dropout": ((), SERIES),
    "Dropout2d": ((), IMAGES),
    "Flatten": ((), IMAGES),
    "Unflatten": ((1, (2, 2)), IMAGES),
    "LSTM": ((7, 3), SERIES),
    "GRU": ((7, 3), SERIES),
    "RNN": ((7, 3), SERIES),
    "LSTMCell": ((4, 3), ROWS),
    "GRUCell": ((4, 3), ROWS),
    "RNNCell": ((4, 3), ROWS),
}
OTHERS: dict[str, tuple[Any, ...]] = {
    "affine": (False, True),
    "batch_first": (True,),
    "bias": (False,),
    "bidirectional": (True,),
    "dilation": (2,),
    "elementwise_affine": (False,),
    "end_dim": (2,),
    "eps": (0.5,),
    "groups": (2,),
    "init": (0.5,),
    "inplace": (True,),
    "max_norm": (1.5,),
    "momentum": (0.3, None),
    "nonlinearity": ("relu",),
    "num_layers": (2,),
    "num_parameters": (4,),
    "p": (0.3,),
    "padding": (1,),
    "padding_idx": (1, -1),
    "start_dim": (0,),
    "stride": (2,),
    "track_running_stats": (False, True),
}
ALONE: dict[str, dict[str, Any]] = {
    "output_padding": {"stride": 2, "output_padding": 1},
    "dropout": {"num_layers": 3, "dropout": 0.3},
    "norm_type": {"max_norm": 1.5, "norm_type": 1.0},
    "padding_mode": {"padding": 1, "padding_mode": "circular"},
}
"""Settings that need others."""
REFUSED = {"proj_size", "scale_grad_by_freq", "sparse"}
"""What the core does not have: the facade takes them at their defaults only."""
ONLY_ZEROS = {(f"ConvTranspose{axes}d", "padding_mode") for axes in (1, 2)}
"""What PyTorch itself has at its default only."""
ELSEWHERE = {"device", "dtype"}
"""Of the whole model in AutoLab: ``to(...)``."""


def _cases() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, (sizes, _) in LAYERS.items():
        yield name, {}
        parameters = inspect.signature(getattr(torch.nn, name)).parameters
        for setting in [*parameters][len(sizes) :]:
            is_one = parameters[setting].kind is not inspect.Parameter.VAR_KEYWORD
            if is_one and setting not in REFUSED | ELSEWHERE and (name, setting) not in ONLY_ZEROS:
                for value in OTHERS.get(setting, (None,)) if setting not in ALONE else ():
                    yield name, {setting: value}
                if setting in ALONE:
                    yield name, ALONE[setting]


def _with_the_same_weights(theirs: Any, ours: Any) -> None:
    """New weights, which ours loads under PyTorch's names: it has all of them and no other."""
    for parameter in theirs.parameters():
        parameter.data = torch.from_numpy(RNG.uniform(0.5, 1.5, parameter.shape).astype(np.float32))
    ours.load_state_dict({name: value.numpy() for name, value in theirs.state_dict().items()})


def _numbers(result: Any) -> list[np.ndarray]:
    if isinstance(result, tuple):
        return [array for part in result for array in _numbers(part)]
    return [np.asarray(getattr(result, "array", result))]


def _agree(theirs: Any, ours: Any) -> None:
    for a, b in zip(_numbers(theirs), _numbers(ours), strict=True):
        np.testing.assert_allclose(b, a, rtol=2e-5, atol=2e-6)
        assert a.dtype == b.dtype


@each(("name", "settings"), [*_cases()])
def test_a_layer_gives_the_facades_numbers(name: str, settings: dict[str, Any]) -> None:
    sizes, x = LAYERS[name]
    theirs, ours = getattr(torch.nn, name)(*sizes, **settings), getattr(nn, name)(*sizes, **settings)
    _with_the_same_weights(theirs, ours)
    for mode in (True, True, False):
        theirs.train(mode)
        ours.train(mode)
        for scale in (1, 2):
            given = x if x.dtype.kind == "i" else scale * x
            with autolab.using_config("rng", np.random.default_rng(1)):
                expected = theirs(torch.from_numpy(given.copy()))
            with autolab.using_config("rng", np.random.default_rng(1)):
                _agree(expected, ours(given.copy()))


def test_layers_of_two_inputs_or_without_a_batch_give_the_facades_numbers() -> None:
    theirs, ours = torch.nn.Bilinear(4, 4, 3), nn.Bilinear(4, 4, 3)
    _with_the_same_weights(theirs, ours)
    _agree(theirs(torch.from_numpy(ROWS), torch.from_numpy(ROWS + 1)), ours(ROWS, ROWS + 1))
    table = nn.Embedding(5, 3, 1, 0.5, 1.0)
    assert (table.max_norm, table.norm_type, table.padding_idx) == (0.5, 1.0, 1)
    table.max_norm, before = None, table.W.data.copy()
    table(IDS)
    assert (table.W.data == before).all() and abs(before).sum(1).max() > 0.6
    table.max_norm = 0.5
    with undisturbed():
        assert abs(table(IDS).data).sum(-1).max() < 0.51 and (table.W.data == before).all()
    table(IDS)
    assert abs(table.W.data).sum(1)[[0, 2, 3]].max() < 0.51 and (table.W.data[4] == before[4]).all()
    assert abs(ours.weight.data - 1).max() > 0 and nn.Bilinear(2, 2, 2, False).bias is None
    for name, x in (("InstanceNorm1d", SERIES), ("InstanceNorm2d", IMAGES), ("InstanceNorm3d", VOLUMES)):
        theirs, ours = [getattr(library, name)(4, track_running_stats=True) for library in (torch.nn, nn)]
        _agree(theirs(torch.from_numpy(x[0])), ours(x[0]))
        _agree(tuple(theirs.state_dict().values())[:2], tuple(ours.state_dict().values()))
    for mode in ("reflect", "replicate", "circular"):
        for settings in ({"padding": (2, 0)}, {"padding": 1, "dilation": (1, 2), "stride": 2}, {"padding": "same"}):
            theirs, ours = [lib.Conv2d(4, 2, 3, padding_mode=mode, **settings) for lib in (torch.nn, nn)]
            _with_the_same_weights(theirs, ours)
            _agree(theirs(torch.from_numpy(IMAGES)), ours(IMAGES))
    ours.padding_mode = "zeros"
    assert "padding_mode" not in repr(ours)
    with pytest.raises(ValueError, match="Conv2d: padding_mode='mirror'; expected"):
        ours.padding_mode = "mirror"


SETTINGS = {
    "alpha": 0.7,
    "amsgrad": True,
    "betas": (0.7, 0.8),
    "centered": True,
    "dampening": 0.3,
    "decoupled_weight_decay": True,
    "eps": 0.3,
    "initial_accumulator_value": 0.2,
    "lambd": 0.3,
    "lr": 0.3,
    "lr_decay": 0.3,
    "maximize": True,
    "momentum": 0.6,
    "momentum_decay": 0.3,
    "rho": 0.6,
    "t0": 2.0,
    "weight_decay": 0.2,
}
TOGETHER = {"nesterov": {"momentum": 0.6, "nesterov": True}, "dampening": {"momentum": 0.6, "dampening": 0.3}}
"""Settings that say nothing without others."""


def _settings_of(name: str) -> list[str]:
    given = inspect.signature(getattr(torch.optim, name)).parameters
    return [one for one in given if one in SETTINGS | TOGETHER]


def _trained(optim: Any, leaf: Any, name: str, *args: Any, **settings: Any) -> list[float]:
    w, found = leaf(np.array([1.0, -2.0, 0.5])), []
    optimizer = getattr(optim, name)([w], *args, **settings)
    for _ in range(4):
        optimizer.zero_grad()
        ((w - 3) ** 2 * 0.5 + w.sum() * w * 0.1).sum().backward()
        optimizer.step()
        found += w.tolist()
    return found


def _leaf(numbers: np.ndarray) -> Any:
    return torch.from_numpy(numbers).requires_grad_()


@pytest.mark.parametrize(
    "name", ["SGD", "Adam", "AdamW", "NAdam", "RAdam", "Adamax", "ASGD", "RMSprop", "Adagrad", "Adadelta"]
)
def test_an_optimizer_gives_the_facades_numbers(name: str) -> None:
    """By keyword, and by position in PyTorch's order where it is not refused; of SGD the default rate differs."""
    rate = {"lr": 0.01} if name == "SGD" else {}
    cases: list[tuple[list[Any], dict[str, Any]]] = [([], rate)]
    cases += [([], rate | TOGETHER.get(one, {one: SETTINGS.get(one)})) for one in _settings_of(name)]
    for args, settings in cases:
        expected = _trained(torch.optim, _leaf, name, *args, **settings)
        np.testing.assert_allclose(_trained(autolab.optim, autolab.Variable, name, **settings), expected, rtol=1e-9)
    values = [SETTINGS.get(one, False) for one in _settings_of(name)]
    for n in range(1, len(values) + 1):
        try:
            found = _trained(autolab.optim, autolab.Variable, name, *values[:n])
        except (TypeError, ValueError):
            assert n > 1
            continue
        np.testing.assert_allclose(found, _trained(torch.optim, _leaf, name, *values[:n]), rtol=1e-9)


CONTAINERS = """
len(row()) | row()[0] | row()[-1] | row()[1:] | row().append(one()) | row().insert(1, one())
row().extend([one()]) | row().pop(0) | row() + row() | row() * 2 | row().index(one()) | row()[5] | list(row())
[*row().state_dict()] | named() | named().one | [*named().state_dict()] | named().append(one())
named().insert(0, one()) | named().pop(0) | nn.ModuleList([one(), one()])[0:1]
nn.ModuleList([one()]).append(one()) | nn.ModuleList([one()]) + nn.ModuleList([one()])
nn.ModuleList([one()]).extend([one()]) | nn.ModuleList([one(), one()]).pop(0)
len(nn.ModuleList(one() for _ in "ab")) | [*nn.ModuleList([one(), one()]).state_dict()] | nn.ModuleList([3])
nn.ModuleList([one()])[1] | nn.ModuleList([one()]) * 2 | table()["a"] | table()["c"] | "a" in table()
table().keys() | len(table().values()) | table().items() | len(table()) | table().pop("a")
[*table().state_dict()] | table().update({"c": one()}) | changed(lambda t: t.update({"c": one()}))
changed(lambda t: t.pop("a")) | changed(lambda t: t.__delitem__("b")) | changed(lambda t: t.clear()) | table().a
assigned(row(), "1") | assigned(named(), "two") | assigned(nn.ModuleList([one(), one()]), "0")
added(row(), "1") | added(row(), "more") | added(named(), "two") | added(nn.ModuleList([one()]), "more")
repr(added(nn.Sequential(nn.ReLU()), "more").more) == repr(one()) | deepcopy(assigned(row(), "1"))
sizes(weights()) | sizes(weights().append(weight(4))) | sizes(weights() + weights()) | sizes(weights()[1:])
weights().pop(0).shape == (1,) | [*weights().state_dict()] | weights()[5] | sizes(assigned(weights(), "0", weight(3)))
deleted(row(), "1") | deleted(named(), "two") | repr(weights()).count("Parameter containing")
nn.ModuleDict([("a", one())]) | nn.ModuleDict(OrderedDict(a=one())) | table().pop("c") | table().__delitem__("c")
"""


def _shown(library: Any, code: str) -> Any:
    def one() -> Any:
        return library.Linear(2, 2)

    def row() -> Any:
        return library.Sequential(one(), library.ReLU(), one())

    def named() -> Any:
        return library.Sequential(OrderedDict(one=one(), two=library.ReLU()))

    def table() -> Any:
        return library.ModuleDict({"a": one(), "b": library.ReLU()})

    def changed(change: Any) -> Any:
        found = table()
        change(found)
        return found

    def weight(size: int) -> Any:
        ones = np.ones(size, np.float32)
        return library.Parameter(torch.from_numpy(ones) if library is torch.nn else ones)

    def weights() -> Any:
        return library.ParameterList([weight(1), weight(2)])

    def sizes(given: Any) -> Any:
        return type(given).__name__, [p.shape[0] for p in given], [name for name, _ in given.named_parameters()]

    def assigned(model: Any, name: str, value: Any = None) -> Any:
        setattr(model, name, one() if value is None else value)
        return model

    def deleted(model: Any, name: str) -> Any:
        delattr(model, name)
        return model

    def added(model: Any, name: str) -> Any:
        model.add_module(name, one())
        return model

    def seen(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return type(value), [seen(part) for part in value]
        if not isinstance(value, autolab.Link):
            return value
        parts = [*value] if isinstance(value, library.Sequential | library.ModuleList) else []
        assert not parts or {id(part) for part in parts} == {id(part) for part in value.children()}
        return type(value).__name__, [(name, seen(part)) for name, part in value.named_children()]

    known = {"nn": library, "OrderedDict": OrderedDict, "deepcopy": deepcopy}
    try:
        found = eval(code, known | locals())
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        return type(error)
    return seen(found)


@each("code", CONTAINERS.strip().replace("\n", " | ").split(" | "))
def test_a_container_does_what_the_facades_does(code: str) -> None:
    assert _shown(nn, code) == _shown(torch.nn, code)


MARGINS = {
    "f.margin_ranking_loss(x, c([0.0, 0.0]), c([1.0, 1.0]))": [-0.5, -0.5],
    "f.hinge_embedding_loss(x, c([-1.0, -1.0]), 0.0)": [-0.5, -0.5],
    "f.cosine_embedding_loss(x + c([[1.0, 0.0]]), c([[0.0, 1.0]]), c([-1.0]))": [0, 1],
    "f.triplet_margin_loss(x + c([[0.0, 0.0]]), c([[0.0, 0.0]]), c([[0.0, 1.0]]), 1.0, eps=0.0)": [0, 1],
}
"""Gradients of PyTorch 2.13, whose ``clamp(min=0)`` has the slope 1 at 0."""


def test_losses_with_a_margin_push_where_it_is_just_reached() -> None:
    for code, expected in MARGINS.items():
        x, v = torch.zeros(2, requires_grad=True), autolab.Variable(np.zeros(2))
        eval(code, {"f": torch.nn.functional, "x": x, "c": torch.tensor}).backward()
        eval(code, {"f": nn.functional, "x": v, "c": np.array}).backward()
        np.testing.assert_allclose(np.stack([x.grad.numpy(), v.grad.data]), [expected] * 2, err_msg=code)
