"""An axis that a tensor does not have and a count beyond its length are refused, by the facade and by AutoLab."""

import inspect
import itertools
import re

import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab import compat
from autolab import functions as F
from autolab.compat import torch
from autolab.compat.torch._methods import functions

X = torch.ones(2, 3)
INDEX = torch.zeros(2, 3, dtype=torch.int64)


@each("dim", [2, 7, -3])
@each(
    "call",
    [
        lambda dim: X.select(dim, 0),
        lambda dim: X.narrow(dim, 0, 1),
        lambda dim: X.flatten(dim),
        lambda dim: X.flatten(0, dim),
        lambda dim: X.unflatten(dim, (3, 1)),
        lambda dim: X.squeeze(dim),
        lambda dim: X.split(1, dim),
        lambda dim: X.unbind(dim),
        lambda dim: X.chunk(2, dim),
        lambda dim: X.norm(dim=dim),
        lambda dim: X.topk(1, dim),
        lambda dim: X.gather(dim, INDEX),
        lambda dim: X.index_select(dim, INDEX[0]),
        lambda dim: X.scatter(dim, INDEX, X),
        lambda dim: X.scatter_add(dim, INDEX, X),
        lambda dim: X.index_add(dim, INDEX[0], X),
        lambda dim: F.gather(X.numpy(), dim, INDEX.numpy()),
        lambda dim: F.index_add(autolab.Variable(X.numpy()), dim, INDEX[0].numpy(), X.numpy()),
        lambda dim: autolab.Variable(X.numpy()).flatten(dim),
        lambda dim: autolab.topk(X.numpy(), 1, dim),
    ],
)
def test_an_axis_that_is_not_there_is_refused(call, dim):
    with pytest.raises((ValueError, IndexError), match=f"={dim} .*shape .2, 3|axis {dim}.*dimension 2"):
        call(dim)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: X.topk(4), "topk: k is 4; expected 0 to 3"),
        (lambda: X.topk(-1), "topk: k is -1; expected 0 to 3"),
        (lambda: X.split(-1), "split: size is -1; expected lengths above 0"),
        (lambda: X.narrow(1, 2, 2), "narrow: start is 2 and length is 2; expected a part of an axis of length 3"),
        (lambda: X.flatten(1, 0), "flatten: start_dim is 1 and end_dim is 0"),
        (lambda: autolab.Variable(X.numpy()).narrow(1, 2, 2), "narrow: start is 2"),
        (
            lambda: F.scatter_add(X.numpy(), 0, INDEX[0].numpy(), 1.0),
            "scatter_add: index has shape .3,.; expected 2",
        ),
        (lambda: torch.nn.functional.rms_norm(X, (2,)), "rms_norm: x has shape .2, 3.; expected .2,. as its last axes"),
    ],
)
def test_a_count_or_shape_that_does_not_fit_is_refused(call, told):
    with pytest.raises((ValueError, RuntimeError), match=told):
        call()


def test_a_tensor_without_axes_has_a_median_along_its_only_one():
    x = torch.tensor(3.0, requires_grad=True)
    values, indices = x.median(dim=0, keepdim=True)
    values.backward()
    assert (values.shape, indices.item(), x.grad.item()) == ((), 0, 1.0)


def test_ends_of_a_range_that_are_tensors_lose_no_digits():
    first = torch.linspace(torch.tensor(-4.3), -3, 50, dtype=torch.float64)
    np.testing.assert_array_equal(first.numpy(), np.linspace(np.float32(-4.3).item(), -3, 50))


BESIDE = {
    "gather": {"index": INDEX},
    "scatter": {"index": INDEX, "src": X},
    "scatter_add": {"index": INDEX, "src": X},
    "scatter_reduce": {"index": INDEX, "src": X, "reduce": "sum"},
    "index_copy": {"index": INDEX[0, :1], "source": X[:, :1]},
    "index_fill": {"index": INDEX[0], "value": 1.0},
    "index_add": {"index": INDEX[0], "source": X},
    "index_select": {"index": INDEX[0]},
    "take_along_dim": {"indices": INDEX},
    "narrow": {"start": 0, "length": 1},
    "select": {"index": 0},
    "topk": {"k": 1},
    "chunk": {"chunks": 2},
    "split": {"split_size_or_sections": 1},
    "repeat_interleave": {"repeats": 2},
    "unflatten": {"sizes": (1, -1)},
    "cross": {"other": X},
    "cosine_similarity": {"x2": X},
}


def test_every_function_of_dim_takes_axis_and_keepdims():
    for name, function in functions().items():
        names = inspect.signature(function).parameters
        if "dim" not in names:
            continue
        first = [X, X] if "tensors" in names else torch.arange(6.0).reshape(2, 3)
        keeps = [("keepdim", "keepdims")] if "keepdim" in names else []
        for own, other in [("dim", "axis"), *keeps]:
            given = {"dim": 1, own: 1}
            want = function(first, **BESIDE.get(name, {}), **given)
            got = function(
                first, **BESIDE.get(name, {}), **{other if key == own else key: value for key, value in given.items()}
            )
            for a, b in zip(*[y if isinstance(y, tuple) else (y,) for y in (got, want)], strict=True):
                assert torch.equal(a, b), name
    with pytest.raises(TypeError, match="sum: got dim, axis; expected one name for each argument"):
        X.sum(dim=1, axis=1)


WRONG = ("wrong", -7, torch.ones(7), np.ones(3), object())


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_a_function_cannot_use_is_refused_under_its_name():
    """No message of Python's or NumPy's own: each begins with a function, and says what came."""
    found = []
    for module in (torch, torch.nn.functional):
        for name in compat.originals()[module.__name__.removeprefix("autolab.compat.")]:
            function = getattr(module, name, None)
            if not inspect.isfunction(function) or name.startswith(("set_", "manual_seed", "save", "load")):
                continue
            names = [p for p in inspect.signature(function).parameters.values() if p.kind == p.POSITIONAL_OR_KEYWORD]
            needed = {p.name: X / 2 for p in names if p.default is p.empty}
            for p, wrong in itertools.product(names, WRONG):
                try:
                    function(**needed | {p.name: wrong})
                except (AttributeError, IndexError, TypeError, ValueError) as error:
                    if re.match(r"[\w.]+(\.__\w+__)?(\(\))?:? ", str(error)) is None:
                        found.append((name, p.name, wrong, error))
                except RuntimeError:
                    pass
    assert not found
