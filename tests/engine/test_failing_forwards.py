"""A forward that fails runs once, in every style and on every way to it; numbers too large are refused by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from helpers import strict_module
from helpers.each import each

import autolab
from autolab import Variable, elementwise, primitive, to_gpu
from autolab import functions as F


@pytest.fixture
def rng() -> Iterator[np.random.Generator]:
    own = np.random.default_rng(1)
    with autolab.using_config("rng", own):
        yield own


def _failing(calls: list[str], error: Exception) -> Any:
    def fail(*arrays: Any) -> None:
        calls.append("run")
        autolab.config.rng.random()
        raise error

    return fail


def _made(calls: list[str], error: Exception) -> dict[str, Callable[..., Any]]:
    """The ways in which a forward may be written, each of them failing."""
    fail = _failing(calls, error)

    @elementwise(x=lambda g: g)
    def one(xp, x):
        return fail(x)

    @elementwise(a=lambda g: g, b=lambda g: g)
    def two(xp, a, b):
        return fail(a, b)

    @primitive(x=lambda g: g)
    def general(xp, x, w=None, *, axis=0):
        return fail(x)

    @primitive(xs=lambda g, index: g)
    def many(xp, *xs):
        return fail(*xs)

    @primitive(x=lambda g: g, outputs=("y", "z"))
    def several(xp, x):
        return fail(x)

    class Node_(autolab.FunctionNode):
        def forward(self, inputs):
            return fail(*inputs)

    class Old(autolab.authoring.Function):
        def forward(self, inputs):
            return fail(*inputs)

    class Simple(autolab.authoring.SimpleFunction):
        def forward(self, x):
            return fail(x)

    class Context(autolab.authoring.ContextFunction):
        @staticmethod
        def forward(ctx, x):
            return fail(x)

    return {
        "one": one,
        "two": lambda x: two(x, x),
        "two with a number": lambda x: two(x, 2.0),
        "two with a list": lambda x: two(x, [2.0]),
        "general": lambda x: general(x, axis=1),
        "general of two": lambda x: general(x, x),
        "many": lambda x: many(x, x),
        "several": several,
        "node": lambda x: Node_().apply((x,)),
        "old": lambda x: Old()(x),
        "simple": lambda x: Simple()(x),
        "context": lambda x: Context.apply(x),
    }


WAYS = tuple(_made([], ValueError()))


@each("way", WAYS)
@each("error", [ValueError, TypeError, IndexError, OverflowError, KeyError])
@each("make", [Variable, np.asarray], ids=["variable", "array"])
def test_a_forward_that_fails_runs_once(way: str, error: type[Exception], make: Any) -> None:
    calls: list[str] = []
    rng = np.random.default_rng(1)
    with autolab.using_config("rng", rng), pytest.raises(error, match="something else"):
        _made(calls, error("something else"))[way](make([1.0, 2.0]))
    assert calls == ["run"]
    again = np.random.default_rng(1)
    again.random()
    assert rng.random() == again.random()


def test_a_forward_that_returns_nothing_runs_once() -> None:
    calls: list[int] = []

    @elementwise(x=lambda g: g)
    def nothing(xp, x):
        calls.append(1)

    with pytest.raises(TypeError, match="nothing: the result: got None"):
        nothing(Variable(1.0))
    assert len(calls) == 1


def test_a_number_on_a_gpu_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with strict_module.installed():
        import cupy

        @elementwise(a=lambda g: g, b=lambda g: g)
        def joined(xp, a, b):
            return xp.hypot(a, b)

        calls: list[str] = []
        monkeypatch.setattr(cupy, "hypot", _failing(calls, ValueError("something else")))
        with pytest.raises(ValueError, match=r"joined: .*something else"):
            joined(Variable(to_gpu(np.ones(2))), 2.0)
        assert calls == ["run"]


@each("value", [2**64, 10**400, -(10**5000), 300], ids=["2**64", "10**400", "-10**5000", "300"])
@each("dtype", ["f8", "f4", "f2", "i8", "u1", "?"])
def test_numbers_too_large_beside_a_variable(value: int, dtype: str) -> None:
    """As NumPy has it, value or error; the error names the function."""
    array = np.ones(2, dtype)
    for name, ufunc in (("mul", np.multiply), ("add", np.add), ("maximum", np.maximum)):
        for swapped in (False, True):
            args = (value, array) if swapped else (array, value)
            with np.errstate(all="ignore"):
                try:
                    expected = ufunc(*args)
                except OverflowError:
                    with pytest.raises(OverflowError, match=rf"^{name}: .*expected a smaller"):
                        getattr(F, name)(*[a if a is value else Variable(a) for a in args])
                    continue
                got = getattr(F, name)(*[a if a is value else Variable(a) for a in args])
            assert (got.dtype, got.data.tobytes()) == (expected.dtype, expected.tobytes())


@pytest.mark.parametrize("data", [10**400, -(10**5000), [10**5000]], ids=["400 digits", "5000 digits", "list"])
def test_numbers_too_large_for_a_variable(data: Any) -> None:
    with pytest.raises(TypeError, match=r"Variable: data: got (an? )?(int|list)"):
        Variable(data)
