"""bind(): which arguments are inputs, under which names, and that the function still gets its arguments right."""

from __future__ import annotations

import functools
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.each import each
from hypothesis import given
from hypothesis import strategies as st

import autolab
from autolab import Parameter, Variable
from autolab.authoring import ContextFunction
from autolab.gradcheck import step_sweep, taylor_test
from autolab.shared.binding import bind


def plain(x, y):
    return x, y


def with_defaults(x, b=2.0, c=3.0):
    return x, b, c


def with_everything(x, /, b=2.0, *rest, key, other=5.0, **more):
    return x, b, rest, key, other, more


def with_kinds(x, n: int, flag: bool, mode: str, late: int = 3):
    return x, n, flag, mode, late


def with_texts(x, n: int, *dims: int, **sizes: int):
    return x, n, dims, sizes


def v(value: float) -> Any:
    """Stands in the expectations for an input of that value."""
    return pytest.approx(value)


CASES: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], list[str], Any]] = [
    (plain, (1, 2), {}, ["x", "y"], (v(1), v(2))),
    (plain, (), {"y": 2, "x": 1}, ["x", "y"], (v(1), v(2))),
    (plain, (1,), {"y": "text"}, ["x"], (v(1), "text")),
    (with_defaults, (1,), {}, ["x"], (v(1), 2.0, 3.0)),
    (with_defaults, (1,), {"c": 7}, ["x", "c"], (v(1), 2.0, v(7))),
    (with_everything, (1,), {"key": 2}, ["x", "key"], (v(1), 2.0, (), v(2), 5.0, {})),
    (
        with_everything,
        (1, 2, 3, 4),
        {"key": 5, "z": 6},
        ["x", "b", "rest[0]", "rest[1]", "key", "z"],
        (v(1), v(2), (v(3), v(4)), v(5), 5.0, {"z": v(6)}),
    ),
    (with_kinds, (1, 2, True, "m"), {}, ["x"], (v(1), 2, True, "m", 3)),
    (with_kinds, (1, 2), {"flag": False, "mode": "m", "late": 4}, ["x"], (v(1), 2, False, "m", 4)),
    (with_texts, (1, 2, 3, 4), {"a": 5}, ["x"], (v(1), 2, (3, 4), {"a": 5})),
    (lambda a, b: (a, b), (1, 2), {}, ["a", "b"], (v(1), v(2))),
    (functools.partial(with_defaults, c=9), (1,), {}, ["x"], (v(1), 2.0, 9)),
    (np.add, (1, 2), {}, ["x1", "x2"], v(3)),
    (max, (1, 2), {}, ["x0", "x1"], v(2)),
]


def _values(result: Any) -> Any:
    """Variables as numbers, so that a result can be compared."""
    if isinstance(result, Variable):
        return result.item()
    if isinstance(result, tuple):
        return tuple([_values(item) for item in result])
    return {k: _values(item) for k, item in result.items()} if isinstance(result, dict) else result


def _types(result: Any) -> Any:
    if isinstance(result, tuple | dict):
        items = result.values() if isinstance(result, dict) else result
        return [_types(item) for item in items]
    return isinstance(result, Variable) or type(result).__name__.startswith("Approx")


@each(("fn", "args", "inputs", "names", "expected"), CASES)
def test_signatures(fn: Callable, args: tuple, inputs: dict, names: list[str], expected: Any) -> None:
    bound = bind("record", fn, args, inputs)
    if not isinstance(fn, np.ufunc):  # NumPy chooses those names, and not in every version
        assert list(bound.variables) == names
        assert [variable.name for variable in bound.variables.values()] == names
    result = bound.call()
    assert _values(result) == expected
    assert _types(result) == _types(expected)
    assert bound.name == getattr(fn, "__name__", "partial") and bound.fn is fn


INPUTS = [
    (2.0, np.float64),
    (2, np.float64),
    ([1, 2], np.float64),
    ((1.0, 2.0), np.float64),
    ([[1, 2], [3, 4]], np.float64),
    (np.float32(2), np.float32),
    (np.ones(2, np.float32), np.float32),
    (np.array([1, 2]), np.int64),
    (np.array([True]), np.bool_),
    ([np.float32(1)], np.float32),
]
OTHERS = [True, "text", b"bytes", None, {"a": 1}, [], ["a"], [1, None], [True], object(), len, 1j, slice(2)]
OTHERS += [np.array(["a"]), np.array([None]), np.datetime64("2026-01-01")]


@pytest.mark.parametrize(("value", "dtype"), INPUTS, ids=repr)
def test_numbers_become_variables(value: object, dtype: type) -> None:
    x = bind("record", lambda x: x, (value,), {}).call()
    assert type(x) is Variable and x.dtype == dtype and x.name == "x"
    assert x.requires_grad is (np.dtype(dtype).kind == "f")
    np.testing.assert_array_equal(x.data, value)


@each("value", OTHERS, ids=lambda value: type(value).__name__)
def test_anything_else_is_passed_on(value: object) -> None:
    bound = bind("record", lambda x: x, (value,), {})
    assert bound.call() is value and bound.variables == {}


def test_the_callers_variables_stay_as_they_are() -> None:
    w, constant = Parameter([1.0, 2.0], name="mine"), Variable([1.0], requires_grad=False)
    bound = bind("record", lambda w, c: (w, c), (w, constant), {})
    fresh, fixed = bound.call()
    assert type(fresh) is Parameter and fresh is not w and fresh.name == "w" and fresh.data is w.data
    assert not fixed.requires_grad
    fresh.grad = np.ones(2)
    assert w.grad is None and w.name == "mine"


def test_other_variables_can_take_their_place() -> None:
    bound = bind("record", lambda x, y: x * 10 + y, (1.0, 2.0), {})
    assert bound.call({"y": Variable(5.0)}).item() == 15.0
    assert bound.call().item() == 12.0


CODE = [
    (plain, (1, 2), {}, "plain(x=1.0, y=2.0)"),
    (with_defaults, (1,), {"c": 7}, "with_defaults(x=1.0, c=7.0)"),
    (with_kinds, (1, 2, True, "m"), {}, "with_kinds(x=1.0, n=2, flag=True, mode='m')"),
    (with_everything, (1, 2, 3), {"key": 4, "z": 5}, "with_everything(1.0, 2.0, 3.0, key=4.0, z=5.0)"),
    (lambda a: a, (1,), {}, "fn(a=1.0)"),
    (max, (1, 2), {}, "max(1.0, 2.0)"),
]


@pytest.mark.parametrize(("fn", "args", "inputs", "code"), CODE)
def test_the_call_as_code(fn: Callable, args: tuple, inputs: dict, code: str) -> None:
    bound = bind("record", fn, args, inputs)
    assert bound.code(lambda variable: repr(variable.item())) == code
    names = {fn.__name__ if fn.__name__.isidentifier() else "fn": fn}
    assert _values(eval(code, names)) == _values(bound.call())


def f(x, y=1.0):
    return x


ERRORS = [
    (3.0, (), {}, "record: fn is a float; expected a function"),
    (f, (), {}, r"record: f\(x, y=1\.0\) does not take these inputs: missing a required argument: 'x'"),
    (f, (1, 2, 3), {}, "too many positional arguments"),
    (f, (1,), {"z": 2}, "unexpected keyword argument 'z'"),
    (f, (1,), {"x": 2}, "multiple values for argument 'x'"),
    (with_everything, (1.0,), {"key": 1, "x": 2.0}, "two inputs called 'x'"),
    (f, (np.ones(2, complex),), {}, "complex"),
]


@pytest.mark.parametrize(("fn", "args", "inputs", "message"), ERRORS)
def test_errors(fn: Any, args: tuple, inputs: dict, message: str) -> None:
    with pytest.raises(TypeError, match=message) as caught:
        bind("record", fn, args, inputs)
    assert len(str(caught.value)) <= 300


class Scaled(ContextFunction):
    @staticmethod
    def forward(ctx: Any, x: Any, scale: float = 2.0, shift: Any = None) -> Any:
        return x * scale if shift is None else x * scale + shift


def test_apply_goes_by_the_name_of_its_class_and_the_parameters_of_forward() -> None:
    bound = bind("record", Scaled.apply, (3.0,), {"shift": 1.0})
    assert (bound.name, list(bound.variables)) == ("Scaled", ["x", "shift"])
    assert bound.call().item() == 7.0  # apply takes no keywords: the default in between is filled in, and no input
    assert bound.code(lambda x: str(x.item())) == "Scaled.apply(3.0, 2.0, 1.0)"
    with pytest.raises(TypeError, match=r"Scaled\(x.*does not take these inputs"):
        bind("record", Scaled.apply, (), {"y": 1.0})


NAMES = ("a", "b", "c", "d")


@given(
    by_keyword=st.lists(st.sampled_from(NAMES), unique=True),
    positional=st.integers(0, 4),
    keyword_only=st.integers(0, 4),
)
def test_arguments_arrive_where_python_would_put_them(
    by_keyword: list[str], positional: int, keyword_only: int
) -> None:
    """Any mixture of positional and named arguments, with defaults skipped anywhere."""
    first_keyword_only = 4 - keyword_only
    spec = [f"{name}=-{i + 1}.0" for i, name in enumerate(NAMES)]
    spec.insert(first_keyword_only, "*") if keyword_only else None
    fn = eval(f"lambda {', '.join(spec)}: (a, b, c, d)")
    args = tuple([10.0 + i for i in range(min(positional, first_keyword_only))])
    inputs = {name: 20.0 + i for i, name in enumerate(by_keyword) if name not in NAMES[: len(args)]}
    bound = bind("record", fn, args, inputs)
    assert _values(bound.call()) == fn(*args, **inputs)
    assert set(bound.variables) == {*NAMES[: len(args)], *inputs}


def test_inputs_may_have_any_name() -> None:
    """Also those of the tools' own parameters; `options` by position, as the message says."""

    def product(fn, x, n=2):
        return fn * x * n

    for tool in (autolab.record, autolab.explore, autolab.check_gradients, autolab.interact, taylor_test, step_sweep):
        assert tool(product, fn=2.0, x=3.0) is not None
        with pytest.raises(TypeError, match="position"):
            tool(lambda options, x: options * x, options=2.0, x=3.0)
    assert autolab.record(lambda options, x: options * x, 2.0, 3.0).inputs == (0, 1)

    def power(x, n):
        y = 1.0
        for _ in range(n):
            y = y * x
        return y

    with pytest.raises(TypeError, match=r"functools\.partial\(f, n=3\)"):
        autolab.record(power, x=2.0, n=3)
    assert autolab.record(functools.partial(power, n=3), x=2.0).steps[-1].value.values == 8.0


@pytest.mark.parametrize("n", [100, 600, 3000])
def test_a_deep_list_is_called_deep_and_not_circular(n: int) -> None:
    p: Any = 2.0
    for _ in range(n):
        p = [p]
    with pytest.raises(TypeError, match="nested"):
        autolab.record(lambda p: p, p)
    ring: list[Any] = [1.0]
    ring.append(ring)
    with pytest.raises(TypeError, match="contains itself"):
        autolab.record(lambda p: p, ring)


def test_expressions_of_many_terms_are_recorded_and_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "long_sum.py").write_text("def f(x):\n    return " + " + ".join([f"x * {i}" for i in range(700)]))
    recording = autolab.record(import_module("long_sum").f, x=1.0)
    assert recording.steps[-1].value.values == sum(range(700)) and len(recording.steps) > 1398
    recording.save(tmp_path / "sum.svg")
