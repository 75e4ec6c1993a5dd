"""The compiled result has the type and the dtype of the plain one, at every call: NumPy scalars, arrays, Variables."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import autolab
from autolab import Variable
from autolab import functions as F
from autolab.transforms.compiling import CompileWarning

NAMES = [name for name in dir(F) if name[0] != "_" and callable(getattr(F, name))]


def kind(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return type(value), [kind(item) for item in value]
    data = value._data if isinstance(value, Variable) else value
    return type(value), type(data), getattr(data, "dtype", None), getattr(data, "shape", None)


def given(dtype: str) -> list[list[Any]]:
    x = (np.abs(np.random.default_rng(0).normal(size=(3, 3))) + 0.5).astype(dtype)
    return [[x], [x, x], [x, np.array([0, 1, 2])], [x[0, 0:1].reshape(())]]


def results(function: Any, args: list[Any], calls: int) -> list[Any]:
    with autolab.using_config("rng", np.random.default_rng(0)):
        return [kind(function(*args)) for _ in range(calls)]


@pytest.mark.parametrize("dtype", ["f4", *[pytest.param(one, marks=pytest.mark.full) for one in ("f8", "f2")]])
def test_results_have_the_type_of_the_plain_call(dtype: str) -> None:
    wrong = []
    for name in NAMES:
        for arrays in given(dtype):
            for args in (arrays, [Variable(a) if a.dtype.kind == "f" else a for a in arrays]):
                function = getattr(F, name)
                with np.errstate(all="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        expected = results(function, args, 1)
                    except Exception:
                        continue
                    found = results(autolab.compile(lambda *a, f=function: f(*a)), args, 3)
                if found != 3 * expected:
                    wrong.append(f"{name} of {len(args)}, {kind(args[0])}: {found}, expected {expected[0]}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", ["sum", "mean", "max", "dot", "min", "norm", "var"])
def test_refused_and_checked_calls_have_them_too(name: str) -> None:
    function = getattr(F, name)

    def says_before(*args: Any) -> Any:
        print(end="")
        return function(*args)

    def says_after(*args: Any) -> Any:
        y = function(*args)
        print(end="")
        return y

    arrays = [np.arange(1, 4, dtype="f4")] * (2 if name == "dot" else 1)
    for args in (arrays, [Variable(a) for a in arrays]):
        expected = results(function, args, 1)
        assert results(autolab.compile(lambda *a: function(*a), check_every=2), args, 6) == 6 * expected
        for refused in (says_before, says_after):
            compiled = autolab.compile(refused)
            with pytest.warns(CompileWarning, match="print"):
                assert results(compiled, args, 3) == 3 * expected


def test_scalars_of_the_users_own_steps() -> None:
    steps = [
        lambda x: x.sum(),
        lambda x: F.mean(x) * 2 + x[0],
        lambda x: np.mean(x).astype("f8"),
        lambda x: (x.max(), F.sum(x), x[1:2], np.asarray([1.0]).sum()),
        lambda x: F.exp(F.mean(x)) + F.sum(Variable(x)),
        lambda x: F.mean(Variable(x)).data,
        lambda x: {"loss": F.norm(x), "all": (x > 0).all(), "which": x.argmax()},
    ]
    x = np.arange(3, dtype="f4")
    for i, step in enumerate(steps):
        compiled = autolab.compile(step)
        for _ in range(4):
            found, plain = compiled(x), step(x)
            found, plain = (list(v.values()) if isinstance(v, dict) else v for v in (found, plain))
            assert kind(found) == kind(plain), i
        assert not compiled.refusals, i
