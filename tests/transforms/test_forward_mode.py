"""Forward mode, vmap and checkpoint give the numbers of the backward passes, of each example, and of what is kept."""

from __future__ import annotations

import random
import tracemalloc
from typing import Any
from unittest import mock

import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab import Variable, grad, transforms
from autolab import functions as F
from autolab import links as L
from autolab.shared.structure import leaves
from autolab.transforms.forward_mode import Tape, UnseenStepError

FUNCTIONS = {
    "power": lambda x: x**3 - 2 * x,
    "broadcast": lambda x: x[0] * x + F.exp(x).mean(axis=0),
    "softmax of a product": lambda x: F.softmax(x @ x.T, axis=1),
    "shapes": lambda x: F.concatenate([x.T, F.reshape(x, (4, 4))[:2] * 2.0]),
    "a nest of results": lambda x: {"a": F.sort(x), "b": (F.relu(x), F.max(x))},
    "several results": lambda x: F.svd(x)[1] + F.slogdet(x)[1],
    "layer norm": lambda x: F.layer_norm(x) * F.var(x, axis=0),
    "fused": lambda x: F.muladd(x, x, 3.0) + F.expadd(x, x),
    "a gradient inside": lambda x: transforms.grad(lambda y: F.sum(y**3))(x),
    "not of x": lambda x: x * 0.0 + np.ones((4, 4)),
    "a constant": lambda x: (x, Variable(np.ones(3), requires_grad=False)),
}


def backwards(fn: Any, x: Any, t: Any) -> Any:
    with mock.patch.object(Tape, "pushed", side_effect=UnseenStepError):
        return transforms.jvp(fn, x, t)


@each("fn", FUNCTIONS.values(), ids=FUNCTIONS)
@each("dtype", ["float64", "float32"])
def test_tangents_are_those_of_two_backward_passes(fn: Any, dtype: str) -> None:
    rng = np.random.default_rng(0)
    x, t = (rng.normal(size=(4, 4)).astype(dtype) for _ in range(2))
    with mock.patch.object(Tape, "pushed", autospec=True, side_effect=Tape.pushed) as pushed:
        value, tangent = transforms.jvp(fn, x, t)
    assert pushed.called
    for (_, a), (_, b), (_, y) in zip(leaves(tangent), leaves(backwards(fn, x, t)[1]), leaves(value), strict=True):
        np.testing.assert_allclose(a.data, b.data, rtol=1e-12 if dtype == "float64" else 1e-4, atol=1e-6)
        assert a.dtype == y.dtype and a.shape == y.shape and not a.requires_grad


def test_a_step_that_nobody_saw_is_computed_backwards() -> None:
    def hidden(x: Any) -> Any:
        with autolab.engine.observe.silence:
            h = x * x
        return h * 3.0

    _, tangent = transforms.jvp(hidden, np.array([1.0, 2.0]), np.array([1.0, 1.0]))
    np.testing.assert_array_equal(tangent.data, [6, 12])


def test_a_differentiable_tangent_is_computed_backwards() -> None:
    x = Variable(np.array([1.0, 2.0]))
    _, tangent = transforms.jvp(lambda x: x**3, x, np.ones(2))
    np.testing.assert_array_equal(grad(F.sum(tangent), x).data, [6, 12])


def test_jacobians_agree() -> None:
    def fn(x: Any, w: Any) -> Any:
        return {"a": w @ x, "b": F.sum(x * x)}

    x, w = np.arange(1.0, 4.0), np.random.default_rng(0).normal(size=(2, 3))
    for one, other in zip(
        leaves(transforms.jacfwd(fn, (0, "w"))(x, w)), leaves(transforms.jacrev(fn, (0, "w"))(x, w)), strict=True
    ):
        assert one[0] == other[0] and one[1].shape == other[1].shape
        np.testing.assert_allclose(one[1].data, other[1].data, rtol=1e-13)
    assert transforms.jacfwd(lambda x: x)(np.zeros(0)).shape == (0, 0)
    assert transforms.jacfwd(lambda x: x**2)(2.0).data == 4
    x = Variable(2.0)
    assert grad(transforms.jacfwd(lambda x: x**3)(x), x).data == 12


# ---------------------------------------------------------------------- vmap
@pytest.mark.parametrize(
    ("fn", "how"),
    [
        (F.tanh, "batch"),
        (lambda x: F.tanh(x) * 3.0 + x, "loop"),
        (lambda x: x * 2.0 if x.data.max() > 0 else -x, "loop"),
        (lambda x: x * float(x.data.max()), "loop"),
        (lambda x: x - F.mean(x), "loop"),
        (lambda x: x[::-1], "loop"),
        (lambda x: F.sum(x), "loop"),
        (lambda x: (x, x * 2.0), "loop"),
        (lambda x: x + np.arange(3.0), "loop"),
    ],
)
def test_vmap_is_the_function_of_each_example(fn: Any, how: str) -> None:
    x = Variable(np.random.default_rng(0).normal(size=(5, 3)))
    mapped = transforms.vmap(fn)
    result = mapped(x)
    expected = [fn(x[i]) for i in range(5)]
    for k, (_, y) in enumerate(leaves(result)):
        each = [list(leaves(one))[k][1].data for one in expected]
        np.testing.assert_array_equal(y.data, np.stack(each))
    assert mapped.how == how


def test_vmap_takes_axes_and_is_differentiable() -> None:
    rng = np.random.default_rng(0)
    x, w = Variable(rng.normal(size=(3, 5))), Variable(rng.normal(size=3))
    y = transforms.vmap(lambda x, w: F.sum(x * w), in_axes=(1, None))(x, w)
    np.testing.assert_allclose(y.data, w.data @ x.data)
    F.sum(y).backward()
    np.testing.assert_allclose(w.grad.data, x.data.sum(axis=1))
    columns = transforms.vmap(lambda x: x * 2.0, in_axes=1, out_axes=1)(x)
    np.testing.assert_array_equal(columns.data, 2 * x.data)
    pairs = transforms.vmap(transforms.vmap(lambda a, b: a * b, (None, 0)), (0, None))(x[0], w)
    np.testing.assert_array_equal(pairs.data, np.outer(x.data[0], w.data))


def test_vmap_takes_structures_of_arrays_and_of_axes() -> None:
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=(3, 4)), rng.normal(size=(4, 3))
    np.testing.assert_array_equal(transforms.vmap(lambda pair: pair[0] + pair[1])([x, 2 * x]).data, 3 * x)
    for axes in (({"x": 0, "w": (1, None)},), [{"x": 0, "w": [1, None]}]):
        y = transforms.vmap(lambda d: d["x"] * d["w"][0] * d["w"][1], axes)({"x": x, "w": (w, 2.0)})
        np.testing.assert_array_equal(y.data, x * w.T * 2)
    both = transforms.vmap(lambda x, shared: {"y": x, "s": shared * 2}, (0, None), {"y": 1, "s": None})(x, Variable(w))
    np.testing.assert_array_equal(both["y"].data, x.T)
    np.testing.assert_array_equal(both["s"].data, 2 * w)
    np.testing.assert_array_equal(transforms.vmap(lambda x, w: x * w)(x, w=w.T).data, x * w.T)

    def net(layers: Any, x: Any) -> Any:
        for w, b in layers:
            x = F.tanh(w @ x + b)
        return F.sum(x)

    layers = [(w.T, np.ones(3)), (rng.normal(size=(2, 3)), np.zeros(2))]
    found = transforms.grad(lambda layers: F.sum(transforms.vmap(net, (None, 0))(layers, x)))(layers)
    each = [transforms.grad(net)(layers, row) for row in x]
    np.testing.assert_allclose(found[0][0].data, sum([one[0][0].data for one in each]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda v: transforms.vmap(lambda d: d["a"], ({"b": 0},))({"a": np.ones(2)}),
            "in_axes for argument 0 is .*; expected one axis, or a structure like a dict",
        ),
        (
            lambda v: transforms.vmap(lambda d: d["a"])({"a": 2.0, "b": np.ones(2)}),
            r"argument 0\['a'\] is a float without",
        ),
        (lambda v: transforms.vmap(lambda x: x, out_axes=(0, 1))(np.ones(2)), "out_axes is .*like a Variable"),
        (lambda v: transforms.vmap(lambda x: x, out_axes=None)(np.arange(2.0)), "out_axes is None for a result that"),
        (lambda v: v(np.ones((3, 2)), np.ones((4, 2))), r"the batch sizes are \[3, 4\]"),
        (lambda v: v(np.ones((0, 2)), np.ones((0, 2))), r"the batch sizes are \[0\]"),
        (lambda v: v(1.0, np.ones(2)), "argument 0 is a float without axes"),
        (lambda v: transforms.vmap(lambda a, b: a, (0,))(np.ones(2), np.ones(2)), "in_axes has 1 entries; expected 2"),
    ],
)
def test_wrong_batches_are_refused(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"vmap: .*{message}"):
        call(transforms.vmap(lambda a, b: a + b))


@pytest.mark.parametrize(
    "name", [name for name in transforms.__all__ if name not in ("checkpoint", "jet", "jvp", "vjp")]
)
def test_a_point_beside_the_function_is_taken_or_named(name: str) -> None:
    """As PyTorch takes it; what comes back is never a function that waits for a point."""
    transform, x = getattr(transforms, name), np.ones(2)
    for point in (x, Variable(x), 1.5):
        try:
            found = transform(np.tanh if "e_grad" in name else lambda v: (v * v).sum(), point)
        except (TypeError, ValueError) as error:
            assert str(error).startswith({"jacrev": "jacobian: "}.get(name, f"{name}: ")), error
        else:
            assert not callable(found)


# ---------------------------------------------------------------------- checkpoint
def test_a_checkpoint_has_the_same_gradients_of_every_order() -> None:
    x, w = Variable([1.0, 2.0]), Variable(0.5)

    def fn(x: Any) -> Any:
        return F.sum(F.exp(F.sin(x)) * w), x * w

    def first(call: Any) -> Any:
        total, other = call(x)
        return grad(total + F.sum(other**2), (x, w), create_graph=True)

    for plain, again in zip(first(fn), first(transforms.checkpoint(fn)), strict=True):
        np.testing.assert_array_equal(plain.data, again.data)
        second = [grad(F.sum(g), (x, w)) for g in (plain, again)]
        for a, b in zip(*second, strict=True):
            np.testing.assert_allclose(a.data, b.data, rtol=1e-14)


def test_arguments_that_depend_on_each_other_are_counted_once() -> None:
    def second(call: Any) -> Any:
        u = Variable(2.0)
        g = grad(call(u, u * 2.0), u, create_graph=True)
        return g.data, grad(g, u).data

    def product(a: Any, b: Any) -> Any:
        return a * b * b

    assert second(product) == second(transforms.checkpoint(product)) == (48, 48)


def test_what_would_be_counted_twice_is_refused() -> None:
    w, x = Variable(3.0), Variable(1.5)
    h = w * 2.0
    with pytest.raises(ValueError, match="checkpoint: the function uses a computed value from outside"):
        transforms.checkpoint(lambda x: x * h * w)(x)
    y = transforms.checkpoint(lambda x: x * w)(h)
    assert grad(y, w).data == 12
    with pytest.raises(RuntimeError, match="checkpoint: an argument was computed from a value that"):
        grad(transforms.checkpoint(lambda x: x * w)(h), w, create_graph=True)


def test_a_checkpoint_takes_and_returns_structures() -> None:
    def fn(p: Any, scale: Any = 1.0) -> Any:
        return {"y": p["w"] ** 2 * p["b"][0], "z": (p["w"] * scale, None)}

    def total(fn: Any) -> Any:
        return lambda w: sum([y for _, y in leaves(fn({"w": w * 2, "b": [w + 1, 5]}, scale=w))])

    first, second = transforms.grad(total(fn)), transforms.grad(total(transforms.checkpoint(fn)))
    assert first(3.0).data == second(3.0).data
    assert transforms.grad(first)(3.0).data == transforms.grad(second)(3.0).data


def test_a_parameter_that_a_checkpoint_returns_as_it_is_gets_its_gradient() -> None:
    w, x = Variable(np.array([2.0, 3.0])), Variable(np.array([1.0, 5.0]))
    for fn in (lambda x: w, lambda x: (x * x, w), lambda x: (w * x, x, w)):
        told = []
        for function in (fn, transforms.checkpoint(fn)):
            y = function(x)
            total = sum([F.sum(part**3) for part in (y if isinstance(y, tuple) else (y,))])
            told.append([None if g is None else g.data.tolist() for g in grad(total, [w, x])])
        assert told[0] == told[1]


def test_a_checkpoint_of_what_has_changed_is_refused() -> None:
    model, x = L.Linear(2, 1), np.ones((3, 2), np.float32)
    loss = F.sum(transforms.checkpoint(model)(x) ** 2)
    model.W.data = model.W.data + 1
    with pytest.raises(RuntimeError, match="checkpoint: a value that the function uses from outside has changed"):
        loss.backward()
    assert model.W.grad is None and model.b.grad is None


@pytest.mark.parametrize("draw", [np.random.default_rng(0).random, random.Random(0).random, lambda: next(numbers)])
def test_a_function_that_does_not_do_the_same_again_is_told(draw) -> None:
    x = Variable(np.linspace(1.0, 2.0, 5))
    y = transforms.checkpoint(lambda x: F.sum(x) * draw())(x)
    with pytest.raises(RuntimeError, match="checkpoint: the function gave different results when backward ran it"):
        y.backward()
    assert x.grad is None


numbers = iter([0.25, 0.5, 0.75])


@pytest.mark.parametrize("values", [[np.nan, 1.0, -np.inf], [], [1e-320, 1e308, 0.0]])
def test_numbers_at_the_ends_are_the_same_again(values) -> None:
    x = Variable(np.array(values))
    with np.errstate(all="ignore"):
        transforms.checkpoint(lambda x: x * 2)(x).backward(np.ones(len(values)))
    assert x.grad is not None and x.grad.data.tolist() == [2.0] * len(values)


def test_a_checkpoint_of_a_link_draws_the_same_masks_and_moves_running_means_once() -> None:
    x = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
    found = []
    for change in (lambda model: model, transforms.checkpoint):
        with autolab.using_config("rng", np.random.default_rng(3)):
            own = np.random.default_rng(4)
            dropouts = L.Dropout(0.5), L.Dropout(0.5, rng=own)
            model = L.Sequential(L.Linear(4, 8), L.BatchNormalization(8), F.tanh, *dropouts, L.Linear(8, 2))
            model[0].rng = 7  # no generator
            loss = F.sum(change(model)(x) ** 2)
            loss.backward()
            drawn = [rng.random() for rng in (autolab.config.rng, own)]
            state = list(model.state().values())
            found.append([loss.data, *[p.grad.data for p in model.params()], *state, *drawn])
    for a, b in zip(*found, strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_checkpoint_keeps_less() -> None:
    x = Variable(np.ones(100_000))

    def fn(x: Any) -> Any:
        for _ in range(20):
            x = F.sin(x)
        return x

    kept = []
    for call in (fn, transforms.checkpoint(fn)):
        tracemalloc.start()
        y = call(x)
        kept.append(tracemalloc.get_traced_memory()[0])
        tracemalloc.stop()
        y.backward(np.ones(100_000))
    assert kept[1] < kept[0] / 5


def test_a_checkpoint_refuses_what_is_no_variable() -> None:
    with pytest.raises(TypeError, match="checkpoint: the function returned a ndarray; expected Variables"):
        transforms.checkpoint(lambda x: x.data)(Variable(1.0))
    with autolab.no_grad():
        assert not transforms.checkpoint(lambda x: x * 2.0)(Variable(1.0)).requires_grad


def _assigned(x: Variable) -> Variable:
    y = x * 1
    y[1] = y[0] * 3
    y[2] += y[1]
    return y * y


def _in_place(x: Variable) -> Variable:
    y = F.exp(x)
    y.mul_(x)
    return y.add_(y[0])


@pytest.mark.parametrize("fn", [_assigned, _in_place, lambda x: _assigned(_in_place(x))])
def test_values_that_are_assigned_to_keep_their_tangents(fn: Any) -> None:
    """The Variable has another node after the assignment."""
    x, t = np.array([1.0, 2.0, 3.0]), np.array([1.0, 10.0, 100.0])
    slopes = transforms.jacrev(fn)(x).data
    assert slopes.any()
    np.testing.assert_allclose(transforms.jacfwd(fn)(x).data, slopes, rtol=1e-12)
    np.testing.assert_allclose(transforms.jvp(fn, x, t)[1].data, slopes @ t, rtol=1e-12)
