"""Arrays inside lists, tuples and dicts are inputs of their own, as code for JAX and autograd passes parameters."""

from __future__ import annotations

import collections
from typing import Any

import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab import Parameter, Variable
from autolab.shared.binding import bind

Layer = collections.namedtuple("Layer", ["W", "b"])
W, b = np.array([[0.5, -0.25], [1.0, 2.0]]), np.array([0.125, -1.0])
PARTS = [
    ([W, b], ["p[0]", "p[1]"]),
    ((W, b), ["p[0]", "p[1]"]),
    ([b, b], ["p[0]", "p[1]"]),  # of equal shapes: still two, and no matrix
    ({"W": W, "b": b}, ["p[W]", "p[b]"]),
    ([(W, b), (W, b)], ["p[0][0]", "p[0][1]", "p[1][0]", "p[1][1]"]),
    (Layer(W, b), ["p[0]", "p[1]"]),
    (Layer(2.0, [3.0]), ["p[0]", "p[1]"]),
    (collections.OrderedDict(W=W, rest={"b": [b]}), ["p[W]", "p[rest][b][0]"]),
    ({"W": Variable(W), "b": Parameter(b)}, ["p[W]", "p[b]"]),
    ({"W": W, "scale": 0.5, "size": 3, "name": "tanh", "none": None, "shape": [2, 2]}, ["p[W]", "p[scale]"]),
    ({"W": W, "points": [1.0, 2.0], "rates": {"lr": 0.5}}, ["p[W]", "p[points]", "p[rates][lr]"]),
    ([W, (0.5, np.float32(1)), (0.5, {})], ["p[0]", "p[1]", "p[2][0]"]),
    ({"a": 2.0, "b": np.float32(3)}, ["p[a]", "p[b]"]),
]


def unwrapped(value: Any) -> Any:
    """A structure with arrays in the place of Variables."""
    if isinstance(value, Variable):
        return value.data.tolist()
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, dict):
        return {key: unwrapped(item) for key, item in value.items()}
    return [unwrapped(item) for item in value] if isinstance(value, list | tuple) else value


@each(("tree", "names"), PARTS, ids=repr)
def test_each_array_is_an_input(tree: Any, names: list[str]) -> None:
    bound = bind("record", lambda p: p, (tree,), {})
    assert list(bound.variables) == names
    assert [x.name for x in bound.variables.values()] == names
    seen = bound.call()
    assert type(seen) is type(tree)
    assert unwrapped(seen) == unwrapped(tree)
    replaced = bound.call({names[0]: Variable(7.0)})
    assert 7.0 in (np.ravel(np.asarray(x.data))[0] for x in variables_in(replaced))


def variables_in(value: Any) -> list[Variable]:
    if isinstance(value, Variable):
        return [value]
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [x for item in items for x in variables_in(item)]


@pytest.mark.parametrize("tree", [{"size": 3}, [], [[], {}], {"a": [None, "x"]}, ["a", 1], {"is": True}], ids=repr)
def test_what_holds_no_input_is_passed_on(tree: Any) -> None:
    bound = bind("record", lambda p: p, (tree,), {})
    assert bound.call() is tree and not bound.variables


def test_what_was_given_stays_as_it_is() -> None:
    mine, layers = Variable(W, name="mine"), {"W": W, "n": [1, 2]}
    recording = autolab.record(lambda p, q: (p[0] * q["W"] * q["n"][1]).sum(), [mine], layers)
    assert [recording.steps[i].name for i in recording.inputs] == ["p[0]", "q[W]"]
    assert mine.grad is None and mine.name == "mine" and layers["W"] is W
    assert recording["q[W]"].grad.values.tolist() == (2 * W).tolist()


def net(params: Any, x: Any) -> Any:
    for weights, bias in params[:-1]:
        x = np.tanh(x @ weights + bias)
    weights, bias = params[-1]
    return ((x @ weights + bias) ** 2).sum()


PARAMS = [(W, b), (W.T, b * 2)]


def test_the_gradients_of_a_net_whose_layers_are_a_list() -> None:
    x = np.array([[0.3, -0.4], [1.0, 0.2], [0.0, 0.5]])
    recording = autolab.record(net, PARAMS, x)
    expected, _ = autolab.transforms.grad(net, wrt=(0, 1))(PARAMS, x)
    for i, layer in enumerate(expected):
        for j, gradient in enumerate(layer):
            np.testing.assert_allclose(recording[f"params[{i}][{j}]"].grad.values, gradient.data, rtol=1e-12)
    report = autolab.check_gradients(net, PARAMS, x)
    assert report.verdict == "right"
    assert [item.name for item in report.inputs] == [recording.steps[i].name for i in recording.inputs]


@autolab.primitive(w=lambda g, w, x: g * x, x=lambda g, w, x: 0.5 * g * w)
def half_forgotten(xp, w, x):
    return 0.5 * w * x


def test_a_wrong_gradient_inside_is_found_and_named() -> None:
    report = autolab.check_gradients(lambda p: half_forgotten(p["w"], p["x"]).sum(), {"w": b, "x": b + 1})
    assert report.verdict == "wrong"
    assert [item.name for item in report.inputs if item.verdict == "wrong"] == ["p[w]"]


def test_the_call_as_code_has_the_structure() -> None:
    tree = {"W": [W], "layer": (0.5, b), "n": 3}
    bound = bind("explore", net, (tree, 2.0), {})
    code = bound.code(lambda variable: repr(variable.data.tolist()))
    assert code == "net(params={'W': [[[0.5, -0.25], [1.0, 2.0]]], 'layer': (0.5, [0.125, -1.0]), 'n': 3}, x=2.0)"
    named = bind("explore", net, (Layer(W, [b]), 2.0), {})
    assert named.code(lambda variable: "array").startswith("net(params=Layer(array, [array]), x=array)")


def test_a_structure_that_holds_itself_is_refused() -> None:
    tree: list[Any] = [W]
    tree.append(tree)
    with pytest.raises(TypeError, match=r"record: <lambda>: input 'p' is a list that contains itself"):
        bind("record", lambda p: p, (tree,), {})
    with pytest.raises(TypeError, match=r"input 'p\[1\]': got a masked array"):
        bind("record", lambda p: p, ([W, np.ma.masked_array(b, [True, False])],), {})


def test_where_nothing_is_an_input_the_error_says_so() -> None:
    class Settings:
        rate = 0.5

    with pytest.raises(TypeError, match=r"record: <lambda> returned a float; .*: none of its arguments is an input"):
        autolab.record(lambda settings: settings.rate * 2, Settings())
