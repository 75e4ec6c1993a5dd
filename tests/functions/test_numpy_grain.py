"""A function that NumPy has takes NumPy's parameters, and every function its attributes by position as well."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.each import each

from autolab import Variable, elementwise, fuse, grad, primitive, record
from autolab import functions as F
from autolab.engine.habit_tables import answers

_OTHER_NAMES = {"neg": np.negative, "sub": np.subtract, "mul": np.multiply, "div": np.divide}
SEQUENCES = {"concatenate", "stack", "einsum"}
"""Their arrays come as one, which no signature of a declared function says."""


def _of_numpy(name: str) -> Any:
    return _OTHER_NAMES.get(name) or getattr(np, name, None) or getattr(np.linalg, name, None)


NAMES = [name for name in F.__all__ if callable(_of_numpy(name)) and name not in SEQUENCES]


def _signature(function: Any) -> inspect.Signature | None:
    try:
        found = inspect.signature(function)
    except ValueError:  # in C, before NumPy 2.4
        return None
    return None if {"args", "kwargs"} == {*found.parameters} else found  # a ufunc of NumPy 2.1 in Python 3.13


@each("name", NAMES)
def test_the_signature_is_numpys(name: str) -> None:
    own, theirs = inspect.signature(getattr(F, name)), _signature(_of_numpy(name))
    if theirs is None:
        pytest.skip("this release of NumPy does not say")
    others = theirs.parameters
    if "newshape" in others:
        pytest.skip("reshape has another word before NumPy 2.1")
    places = list(others)
    for place, (parameter, p) in enumerate(own.parameters.items()):
        if parameter not in others:
            positional = p.kind is p.POSITIONAL_ONLY and others[places[place]].kind is p.POSITIONAL_ONLY
            extra = p.kind is p.KEYWORD_ONLY and (
                any(q.kind is q.VAR_KEYWORD for q in others.values()) or name == "split"
            )
            assert positional or extra or name == "where", parameter
            continue
        if p.kind is not p.KEYWORD_ONLY:
            assert places[place] == parameter
        default = others[parameter].default
        if default is not p.empty and type(default).__name__ != "_NoValueType" and name != "svd":
            assert p.default == default, parameter


@each("name", NAMES)
def test_other_parameters_of_numpys_are_refused_by_name(name: str) -> None:
    function, theirs = getattr(F, name), _signature(_of_numpy(name))
    own = inspect.signature(function).parameters
    count = sum(p.default is p.empty and p.kind is not p.VAR_POSITIONAL for p in own.values())
    x = [Variable(np.eye(2))] * min(count, 2) + [0] * max(0, count - 2)
    if name == "where":
        x = [True, 1.0, 2.0]
    others = [p.name for p in theirs.parameters.values() if p.kind is not p.VAR_KEYWORD] if theirs else ["out"]
    for other in others:
        missing = other not in own and _of_numpy(name).__name__ and not (name == "clip" and other in ("min", "max"))
        if not missing or other in ("x1", "x2", "x", "y", "a", "shape", "newshape", "correction"):
            continue
        with pytest.raises(TypeError, match=rf"^{name}(:|\(\)) .*'{other}'"):
            function(*x, **{other: np.ones(1)})


X = np.random.default_rng(0).uniform(0.5, 2, (2, 3, 4))
V = np.array([3.0, 1.0, 2.0])
M = np.array([[2.0, 1.0], [1.0, 3.0]])
CALLS: list[tuple[str, Callable[[Any, Any], Any], np.ndarray]] = [
    ("sum", lambda f, x: f(x, 0), X),
    ("sum", lambda f, x: f(a=x, axis=(0, 2), keepdims=True), X),
    ("sum", lambda f, x: f(x, 0, None, None, True), X),
    ("mean", lambda f, x: f(x, -1), X),
    ("max", lambda f, x: f(x, 1), X),
    ("min", lambda f, x: f(x, 1, None, True), X),
    ("prod", lambda f, x: f(x, 0), X),
    ("var", lambda f, x: f(x, 0, ddof=1), X),
    ("std", lambda f, x: f(x, 0, None, None, 1, True), X),
    ("cumsum", lambda f, x: f(x, 1), X),
    ("cumprod", lambda f, x: f(a=x), X),
    ("reshape", lambda f, x: f(x, (4, 6)), X),
    ("transpose", lambda f, x: f(x, (2, 0, 1)), X),
    ("transpose", lambda f, x: f(a=x, axes=[1, 0, 2]), X),
    ("swapaxes", lambda f, x: f(x, 0, 2), X),
    ("moveaxis", lambda f, x: f(x, 0, -1), X),
    ("expand_dims", lambda f, x: f(x, 1), X),
    ("squeeze", lambda f, x: f(x[:1], 0), X),
    ("broadcast_to", lambda f, x: f(x, (2, 2, 3, 4)), X),
    ("concatenate", lambda f, x: f([x, x]), X),
    ("concatenate", lambda f, x: f((x, 2 * x), 1), X),
    ("concatenate", lambda f, x: f([x, x], axis=None), X),
    ("stack", lambda f, x: f([x, x], -1), X),
    ("split", lambda f, x: f(x, 3, 1)[2], X),
    ("split", lambda f, x: f(ary=x, indices_or_sections=[1, 2], axis=2)[1], X),
    ("einsum", lambda f, x: f("ijk,ijl->kl", x, x), X),
    ("einsum", lambda f, x: f("ijk->kji", x, optimize=True), X),
    ("tensordot", lambda f, x: f(x, x, ([0, 1], [0, 1])), X),
    ("dot", lambda f, x: f(x, V[:, None].T.repeat(4, 0)), X),
    ("outer", lambda f, x: f(a=x, b=x), V),
    ("repeat", lambda f, x: f(x, 2, 1), X),
    ("repeat", lambda f, x: f(x, np.array([1, 2]), 0), X),
    ("tile", lambda f, x: f(x, (2, 1)), X),
    ("tile", lambda f, x: f(A=x, reps=2), X),
    ("roll", lambda f, x: f(x, 1, 2), X),
    ("flip", lambda f, x: f(x, 0), X),
    ("pad", lambda f, x: f(x, 1, "reflect"), X),
    ("pad", lambda f, x: f(array=x, pad_width=1, constant_values=2.0), X),
    ("diagonal", lambda f, x: f(x, 1, 0, 2), X),
    ("trace", lambda f, x: f(x, 0, 1, 2), X),
    ("tril", lambda f, x: f(x, -1), X),
    ("triu", lambda f, x: f(m=x, k=1), X),
    ("sort", lambda f, x: f(x, 0), X),
    ("round", lambda f, x: f(x, 1), X),
    ("take_along_axis", lambda f, x: f(x, np.argsort(X, axis=1), 1), X),
    ("clip", lambda f, x: f(x, 1.0, None), X),
    ("clip", lambda f, x: f(x, 0.7, a_max=1.5), X),
    ("clip", lambda f, x: f(a=x, a_min=None, a_max=1.5), X),
    ("norm", lambda f, x: f(x, None, 1, True), X),
    ("inv", lambda f, x: f(a=x), M),
    ("solve", lambda f, x: f(x, b=M), M),
    ("cholesky", lambda f, x: f(x), M),
]


@each(("name", "call", "x"), CALLS)
def test_calls_as_numpy_takes_them(name: str, call: Callable[[Any, Any], Any], x: np.ndarray) -> None:
    """The same value on Variables and on arrays; and the same gradient as by NumPy's own name."""
    expected = call(_of_numpy(name), x)
    v = Variable(x)
    y = call(getattr(F, name), v)
    np.testing.assert_allclose(y.data, expected, rtol=1e-14)
    np.testing.assert_allclose(call(getattr(F, name), x), expected, rtol=1e-14)
    weights = np.random.default_rng(1).normal(size=y.shape)
    (g,) = grad([y], [v], [weights])
    (h,) = grad([call(_of_numpy(name), v)], [v], [weights])
    np.testing.assert_array_equal(g.data, h.data)


def test_later_names_of_numpy_work_with_every_release() -> None:
    x = Variable(X)
    np.testing.assert_array_equal(F.clip(x, min=1, max=1.5).data, X.clip(1, 1.5))
    np.testing.assert_allclose(F.var(x, correction=1).data, X.var(ddof=1))


NETWORKS: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = [
    (lambda x: F.softmax(x, 1), lambda x: F.softmax(x, axis=1)),
    (lambda x: F.log_softmax(x=x, axis=0), lambda x: F.log_softmax(x, axis=0)),
    (lambda x: F.logsumexp(x, 0), lambda x: F.logsumexp(x, axis=0)),
    (lambda x: F.leaky_relu(x, 0.1), lambda x: F.leaky_relu(x, slope=0.1)),
    (lambda x: F.elu(x, 0.5), lambda x: F.elu(x, alpha=0.5)),
    (lambda x: F.max_pool2d(x[None], 2, 1), lambda x: F.max_pool2d(x[None], kernel=2, stride=1)),
    (lambda x: F.avg_pool2d(x[None], 2, 2, 1), lambda x: F.avg_pool2d(x[None], kernel=2, stride=2, padding=1)),
    (lambda x: F.conv1d(x, X[:, :, :2], None, 2, 1), lambda x: F.conv1d(x, X[:, :, :2], stride=2, padding=1)),
    (lambda x: F.huber(x, 0 * X, 0.5), lambda x: F.huber(x, t=0 * X, delta=0.5)),
    (lambda x: F.linear(x, w=np.ones((2, 4)), b=np.ones(2)), lambda x: F.linear(x, np.ones((2, 4)), np.ones(2))),
    (lambda x: F.layer_norm(x, eps=0.1), lambda x: F.layer_norm(x, None, None, -1, 0.1)),
]


@pytest.mark.parametrize(("short", "long"), NETWORKS)
def test_attributes_by_position(short: Callable[[Any], Any], long: Callable[[Any], Any]) -> None:
    found = []
    for call in (short, long):
        x = Variable(X)
        y = call(x)
        found.append((y.data, grad([y], [x], [np.ones(y.shape)])[0].data))
        np.testing.assert_array_equal(call(X), y.data)
    np.testing.assert_array_equal(found[0][0], found[1][0])
    np.testing.assert_array_equal(found[0][1], found[1][1])


def test_dropout_takes_its_ratio_second() -> None:
    first, second = np.random.default_rng(0), np.random.default_rng(0)
    np.testing.assert_array_equal(F.dropout(X, 0.3, rng=first), F.dropout(X, ratio=0.3, rng=second))


def test_functions_of_users_take_attributes_by_position_and_inputs_by_name() -> None:
    @elementwise(x=lambda g, power, x: g * power * x ** (power - 1))
    def raised(xp, x, *, power=2):
        return x**power

    @primitive(a=lambda g, b: g * b, b=lambda g, a: g * a)
    def times(xp, a, b):
        return a * b

    x = Variable(3.0)
    assert raised(x, 3).data == 27 and grad(raised(x, 3), x).data == 27
    assert times(x, b=2.0).data == 6 and grad(times(a=2.0, b=x), x).data == 2
    with pytest.raises(TypeError, match="raised: got one argument by position and by name; expected at most 2"):
        raised(x, x=3)


def test_recordings_and_fused_functions_know_both_spellings() -> None:
    by_position = record(lambda x: F.sum(F.clip(x, 0.7, max=1.5), 1), X).steps
    by_name = record(lambda x: F.sum(F.clip(x, 0.7, 1.5), axis=1), X).steps
    assert [(s.function, s.attributes) for s in by_position] == [(s.function, s.attributes) for s in by_name]

    @fuse
    def squashed(x):
        return F.leaky_relu(F.clip(x, a_max=1.5), 0.1) + F.elu(x, 2.0)

    x = Variable(X - 1)
    y = squashed(x)
    np.testing.assert_allclose(y.data, _squashed(x.data), rtol=1e-14)


def _squashed(x: np.ndarray) -> np.ndarray:
    low = np.minimum(x, 1.5)
    return np.where(low > 0, low, 0.1 * low) + np.where(x > 0, x, 2 * np.expm1(x))


def test_every_remedy_is_of_a_parameter_of_numpys() -> None:
    known = {p for name in NAMES if (s := _signature(_of_numpy(name))) for p in s.parameters}
    assert known >= set(answers("parameters")) - {"casting", "subok", "where", "order", "like"}


REFUSED: list[tuple[Callable[[Any], Any], str]] = [
    (lambda x: F.sum(x, 0, "f4"), "sum: does not take 'dtype'; cast the input first"),
    (lambda x: F.exp(x, out=X), r"exp: does not take 'out'; the result is always a new array: y = exp\(...\)"),
    (lambda x: F.exp(x, where=X > 1), "exp: does not take 'where'; take the elements first"),
    (lambda x: F.add(x, x, X), "add: does not take 'out'"),
    (lambda x: F.relu(x, 1), r"relu: got 2 positional arguments; expected 1 array \(x\)"),
    (lambda x: F.softmax(x, nothing=1), "softmax: got a keyword 'nothing'; expected x, axis"),
    (lambda x: F.concatenate([x], dtype="f4"), "concatenate: does not take 'dtype'"),
    (
        lambda x: F.concatenate(x, 1),
        r"concatenate: input 'xs': got a Variable; expected a sequence: concatenate\(\[a, b",
    ),
    (lambda x: F.einsum(x, x), "einsum: subscripts is a Variable; expected a text"),
    (lambda x: F.reshape(), "reshape: got 0 positional arguments; expected 1 array"),
    (lambda x: F.reshape(x), r"reshape: shape must be given: reshape\(a, shape\)"),
    (lambda x: F.sum(x, a=x), "sum: got one argument by position and by name"),
]


@each(("call", "message"), REFUSED)
def test_refusals_say_what_to_do(call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(TypeError, match=message) as caught:
        call(Variable(X))
    assert len(str(caught.value)) <= 300


def test_arrays_may_come_one_by_one() -> None:
    x = Variable(X)
    for f in (F.concatenate, F.stack):
        np.testing.assert_array_equal(f(x, x, axis=1).data, f([x, x], 1).data)
        np.testing.assert_array_equal(f(x).data, f([x]).data)  # one part, where NumPy takes the parts of x
    np.testing.assert_array_equal(np.concatenate(x).data, np.concatenate(X))
    np.testing.assert_array_equal(np.stack(x, axis=1).data, np.stack(X, axis=1))
