"""Functions of functions: closed forms, other engines, structures, composition."""

from __future__ import annotations

import inspect
import math
from collections import OrderedDict, defaultdict, namedtuple
from collections.abc import Callable
from typing import Any

import autograd
import autograd.numpy as anp
import numpy as np
import pytest
from helpers.each import each

import autolab
from autolab import Variable, elementwise
from autolab import functions as F
from autolab.transforms import grad, hessian, hvp, jacfwd, jacobian, jvp, nth_derivative, value_and_grad, vjp

X = np.array([0.3, -0.7, 1.1])
W = np.array([[0.5, -1.0, 2.0], [1.5, 0.3, -0.4]])


def layer(x: Any, w: Any) -> Any:
    return F.tanh(F.matmul(w, x)) * 2.0


def loss(x: Any, w: Any) -> Any:
    return F.sum(layer(x, w) ** 2) + F.sum(x**3)


def layer_reference(x: Any, w: Any) -> Any:
    return anp.tanh(anp.matmul(w, x)) * 2.0


def loss_reference(x: Any, w: Any) -> Any:
    return anp.sum(layer_reference(x, w) ** 2) + anp.sum(x**3)


def close(got: Variable, expected: Any, rtol: float = 1e-11) -> None:
    assert type(got) is Variable
    np.testing.assert_allclose(got.data, expected, rtol=rtol, atol=1e-13)


# ---------------------------------------------------------------------- against another engine
@pytest.mark.parametrize("wrt", [0, 1])
def test_against_hips_autograd(wrt: int) -> None:
    point, rng = (X, W), np.random.default_rng(0)
    v = rng.normal(size=point[wrt].shape)
    close(grad(loss, wrt)(*point), autograd.grad(loss_reference, wrt)(*point))
    close(jacobian(layer, wrt)(*point), autograd.jacobian(layer_reference, wrt)(*point))
    close(hessian(loss, wrt)(*point), autograd.hessian(loss_reference, wrt)(*point))
    close(hvp(loss, point, v, wrt=wrt), autograd.hessian_vector_product(loss_reference, wrt)(*point, v))
    value, tangent = jvp(layer, point, v, wrt=wrt)
    close(value, layer_reference(*point))
    expected = np.tensordot(autograd.jacobian(layer_reference, wrt)(*point), v, axes=v.ndim)
    close(tangent, expected)
    value, pull = vjp(layer, point, wrt=wrt)
    g = rng.normal(size=2)
    close(pull(g), autograd.make_vjp(layer_reference, wrt)(*point)[0](g))
    close(pull(2 * g), 2 * pull(g).data)


def test_third_and_fourth_order_by_composition() -> None:
    close(jacobian(hessian(loss))(X, W), autograd.jacobian(autograd.hessian(loss_reference))(X, W), 1e-10)
    along = grad(lambda x: F.sum(hvp(lambda z: loss(z, W), x, X * 2) * X))
    reference = autograd.grad(
        lambda x: anp.sum(autograd.hessian_vector_product(lambda z: loss_reference(z, W))(x, X * 2) * X)
    )
    close(along(X), reference(X), 1e-10)
    close(jacobian(along)(X), autograd.jacobian(reference)(X), 1e-10)


# ---------------------------------------------------------------------- closed forms
@pytest.mark.parametrize("n", range(7))
def test_nth_derivative(n: int) -> None:
    x = np.array([0.4, -1.2])
    close(nth_derivative(F.exp, n)(x), np.exp(x))
    close(nth_derivative(F.sin, n)(x), np.sin(x + n * np.pi / 2))
    close(nth_derivative(lambda x: x**4, n)(x), math.perm(4, n) * x ** max(4 - n, 0))
    close(nth_derivative(lambda k, x: F.exp(k * x), n, wrt="x")(3.0, 0.5), 3.0**n * np.exp(1.5))
    composed: Callable[..., Any] = nth_derivative(F.sin, 0)
    for _ in range(n):
        composed = grad(composed)
    close(composed(0.4), np.sin(0.4 + n * np.pi / 2))


@pytest.mark.parametrize("n", [1, 2])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_nth_derivative_takes_whatever_works_element_by_element(n: int, dtype: type) -> None:
    x = np.array([[0.0, 1e-4, -2.0], [5.0, np.inf, np.nan]], dtype)
    for fn in (F.tanh, F.log, F.sqrt, F.relu, lambda x: x * 1e-4 - x * 1e-4, lambda x: x @ np.eye(3, dtype=dtype)):
        with np.errstate(all="ignore"):
            assert nth_derivative(fn, n)(x).dtype == dtype
    assert nth_derivative(lambda x: Variable(np.ones(3)), n)(x[0]).data.tolist() == [0.0] * 3


@each("n", [1, 2])
@each(
    "fn", [lambda x: x / F.sum(x), F.flip, F.softmax, F.cumsum, F.sort, lambda x: x * F.max(x), lambda x: x - F.mean(x)]
)
def test_nth_derivative_refuses_elements_that_depend_on_each_other(fn: Callable[..., Any], n: int) -> None:
    """The sum over all of them would pass for the derivative of each."""
    for x in (np.array([2.0, 1.0]), np.linspace(1.0, -1.0, 18)):
        with pytest.raises(ValueError, match=r"nth_derivative: .* lets the elements .* use jacobian"):
            nth_derivative(fn, n)(x)
        assert nth_derivative(fn, n)(x[:1]).shape == (1,)


MIXED: dict[str, tuple[Callable[..., Any], float, int]] = {  # the function, where, and the first order that shows it
    "order 3": (lambda x: x**2 + x[::-1] ** 3, 0.0, 3),
    "order 2": (lambda x: x**3 + F.flip(x) ** 2, 0.0, 2),
    "order 4, by a sum": (lambda x: F.sin(x) + F.sum(x) ** 4, 0.0, 4),
    "a product": (lambda x: x * F.flip(x) ** 2, 0.0, 3),
    "a pair among many": (lambda x: x**2 + F.concatenate(x[:2], x[3:2:-1] ** 2, x[2:3] ** 2, x[4:]) * 1e-3, 1.0, 1),
    "little": (lambda x: x**2 + 1e-5 * F.flip(x), 1.0, 1),
    "a function of one's own": (elementwise(x=lambda g, x: g * F.flip(x) ** 2)(lambda xp, x: x * 0), 0.0, 3),
}


@each("name", MIXED)
@each("size", [2, 5, 300])
def test_nth_derivative_refuses_them_at_every_order(name: str, size: int) -> None:
    fn, at, first = MIXED[name]
    if size == 2 and "many" in name:
        return
    x = np.full(size, at)
    for n in range(6):
        if n < first:
            nth_derivative(fn, n)(x)
            continue
        with pytest.raises(ValueError, match=r"nth_derivative: .* lets the elements .* use jacobian"):
            nth_derivative(fn, n)(x)


@pytest.mark.parametrize("n", range(5))
def test_nth_derivative_does_not_accuse_what_is_only_written_otherwise(n: int) -> None:
    """Elementwise in the end, by ways that are not."""
    x, eye = np.array([0.3, -1.2, 1e-3, 700.0, 2.0]), np.eye(5)
    plain = nth_derivative(lambda x: x**4 - F.exp(-x * x), n)(x).data
    for way in (
        lambda x: F.flip(F.flip(x) ** 4) - F.exp(-x * x),
        lambda x: eye @ (x**4) - F.exp(-x * x),
        lambda x: F.stack(*[v**4 - F.exp(-v * v) for v in x]),
        lambda x: F.sum(F.stack(x**4, -F.exp(-x * x)), axis=0),
    ):
        np.testing.assert_allclose(nth_derivative(way, n)(x).data, plain, rtol=1e-9)


def test_hessian_of_a_quadratic_form_and_of_several_arguments() -> None:
    A = np.arange(9.0).reshape(3, 3)
    close(hessian(lambda x: F.matmul(x, F.matmul(A, x)))(X), A + A.T)
    h = hessian(lambda x, y: F.sum(x * x) * y, wrt=("x", "y"))(X, 2.0)
    close(h[0][0], 4 * np.eye(3))
    close(h[0][1], 2 * X)
    close(h[1][0], 2 * X)
    close(h[1][1], 0.0)


def test_shapes() -> None:
    x = np.ones((2, 3))
    assert jacobian(lambda x: F.sum(x, axis=0))(x).shape == (3, 2, 3)
    assert jacobian(lambda x: x * 2)(1.0).shape == ()
    assert hessian(lambda x: F.sum(x**2))(x).shape == (2, 3, 2, 3)
    empty = jacobian(lambda x: x * 2)(np.ones(0))
    assert empty.shape == (0, 0)
    assert grad(lambda x: F.sum(x))(np.ones((0, 2))).shape == (0, 2)
    assert grad(lambda x: F.sum(x * 2, axis=0))(np.ones((1, 1))[0]).shape == (1,)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_derivatives_have_their_arguments_dtype(dtype: type) -> None:
    x = np.ones(2, dtype)
    for made in (grad(lambda x: F.sum(x * x)), jacobian(lambda x: x * x), nth_derivative(F.exp, 2)):
        assert made(x).dtype == dtype
    assert jvp(F.exp, x, np.ones(2))[1].dtype == dtype
    assert hvp(lambda x: F.sum(x**3), x, [1.0, 2.0][0] * np.ones(2)).dtype == dtype


# ---------------------------------------------------------------------- structures and the choice of arguments
def test_nested_structures() -> None:
    Pair = namedtuple("Pair", "first second")
    params = {"a": [1.0, np.array([2.0, 3.0])], "b": (Pair(Variable(4.0), None), ())}

    def f(p: Any) -> Any:
        return F.sum(p["a"][1]) * p["a"][0] + p["b"][0].first ** 2

    value, g = value_and_grad(f)(params)
    assert value.item() == 21.0
    assert list(g) == ["a", "b"] and type(g["a"]) is list and type(g["b"][0]) is Pair
    assert (g["a"][0].item(), g["a"][1].data.tolist(), g["b"][0].first.item()) == (5.0, [1.0, 1.0], 8.0)
    assert g["b"][0].second is None and g["b"][1] == ()
    assert params["a"][0] == 1.0 and type(params["b"][0].first) is Variable
    h = hessian(f)(params)
    assert h["a"][0]["a"][1].data.tolist() == [1.0, 1.0] and h["b"][0].first["b"][0].first.item() == 2.0
    assert h["a"][1]["a"][0].shape == (2,) and h["a"][1]["b"][0].first.data.tolist() == [0.0, 0.0]


def test_structures_with_arrays_of_different_shapes() -> None:
    """The layers of a network as a list of (W, b)."""
    rng = np.random.default_rng(0)
    layers = [(rng.normal(size=(4, 3)), rng.normal(size=4)), (rng.normal(size=(1, 4)), rng.normal(size=1))]
    x, t = rng.normal(size=(5, 3)), rng.normal(size=(5, 1))

    def loss(parameters: Any, x: Any) -> Any:
        for W, b in parameters[:-1]:
            x = F.tanh(x @ W.T + b)
        W, b = parameters[-1]
        return F.mean_squared_error(x @ W.T + b, t)

    found = grad(loss)(layers, x)
    assert [type(pair) for pair in found] == [tuple, tuple]
    way = [(rng.normal(size=W.shape), rng.normal(size=b.shape)) for W, b in layers]

    def along(h: float) -> Any:
        moved = [(W + h * dW, b + h * db) for (W, b), (dW, db) in zip(layers, way, strict=True)]
        return F.sum(loss(moved, x))

    slope = sum(
        [float((g.data * d).sum()) for pair, ds in zip(found, way, strict=True) for g, d in zip(pair, ds, strict=True)]
    )
    assert slope == pytest.approx((along(1e-6) - along(-1e-6)) / 2e-6, rel=1e-6)
    close(jvp(loss, (layers, x), (way, np.zeros_like(x)))[1], slope)
    value, pull = vjp(loss, (layers, x), wrt=0)
    close(value, loss(layers, x))
    close(pull(1.0)[1][0], found[1][0].data)
    bends = hvp(loss, (layers, x), way, wrt=0)
    assert [[g.shape for g in pair] for pair in bends] == [[(4, 3), (4,)], [(1, 4), (1,)]]
    h = hessian(loss)(layers[1:], np.tanh(x @ layers[0][0].T + layers[0][1]))
    assert h[0][0][0][1].shape == (1, 4, 1)
    j = jacobian(lambda pair: pair[0] @ pair[1][0])((rng.normal(size=(2, 3)), [rng.normal(size=3)]))
    assert (j[0].shape, j[1][0].shape) == ((2, 2, 3), (2, 3))


@pytest.mark.parametrize("kind", [dict, OrderedDict, lambda pairs: defaultdict(list, pairs)])
def test_kinds_of_dicts_stay(kind: Any) -> None:
    g = grad(lambda d: d["x"] * d["y"])(kind([("x", 2.0), ("y", 3.0)]))
    assert type(g) is type(kind([])) and (g["x"].item(), g["y"].item()) == (3.0, 2.0)


def test_structures_in_results() -> None:
    def f(x: Any) -> Any:
        return {"double": x * 2, "rest": [F.sum(x), (x * x,)]}

    j = jacobian(f)(X)
    close(j["double"], 2 * np.eye(3))
    close(j["rest"][0], np.ones(3))
    close(j["rest"][1][0], np.diag(2 * X))
    value, tangent = jvp(f, X, np.ones(3))
    close(tangent["rest"][1][0], 2 * X)
    close(value["rest"][0], X.sum())
    _, pull = vjp(f, X)
    close(pull({"double": np.ones(3), "rest": [1.0, (np.zeros(3),)]}), np.full(3, 3.0))


def test_the_choice_of_arguments() -> None:
    def f(x: Any, y: Any, *, z: Any) -> Any:
        return x * y**2 * z**3

    assert grad(f)(2.0, 3.0, z=1.0).item() == 9.0
    assert grad(f, 1)(2.0, 3.0, z=1.0).item() == grad(f, "y")(2.0, 3.0, z=1.0).item() == 12.0
    assert grad(f, 1)(2.0, y=3.0, z=1.0).item() == grad(f, "x")(y=2.0, x=3.0, z=1.0).item() * 3.0
    assert [g.item() for g in grad(f, ("z", 0))(2.0, 3.0, z=1.0)] == [54.0, 9.0]
    assert grad(f, (0,))(2.0, 3.0, z=1.0)[0].item() == 9.0
    assert [g.item() for g in vjp(lambda x, y: x * y, (2.0, 3.0))[1](1.0)] == [3.0, 2.0]
    assert vjp(lambda x, y: x * y, (2.0, 3.0), wrt="y")[1](1.0).item() == 2.0
    assert jvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 10.0))[1].item() == 23.0
    assert [v.item() for v in hvp(lambda x, y: x * y, (2.0, 3.0), (1.0, 10.0))] == [10.0, 1.0]
    assert grad(lambda *xs: xs[0] * xs[1], 1)(2.0, 3.0).item() == 2.0


def test_other_arguments_pass_through() -> None:
    def f(x: Any, how: str, flag: Any = None) -> Any:
        assert how == "square" and flag is marker
        return x * x

    marker = object()
    assert grad(f)(3.0, "square", flag=marker).item() == 6.0


def test_made_functions_can_be_looked_at() -> None:
    def f(x: Any, scale: float = 2.0) -> Any:
        """About f."""
        return x * scale

    for make in (grad, value_and_grad, jacobian, hessian, lambda f: nth_derivative(f, 2)):
        made = make(f)
        assert str(inspect.signature(made)) == str(inspect.signature(f))
        assert made.__name__.endswith("(f)") and made.__doc__ != f.__doc__
    assert grad(grad(f)).__name__ == "grad(grad(f))"


def test_the_module_is_reached_lazily_and_grad_stays_the_engines() -> None:
    assert autolab.transforms.grad is grad
    assert autolab.grad is not grad
    assert "transforms" in dir(autolab) and "authoring" in dir(autolab)


def _reordering(p: dict[str, Any]) -> Variable:
    p["a"] = p.pop("a") * 1.0
    return p["a"] * 2 + p["b"] * 5


def test_what_a_function_does_to_a_dict_or_list_leaves_each_gradient_in_its_place() -> None:
    point = {"a": np.array(3.0), "b": np.array(4.0)}
    for transform in (grad, jacobian, jacfwd):
        slopes = transform(_reordering)(point)
        assert [(key, float(slope.data)) for key, slope in slopes.items()] == [("a", 2.0), ("b", 5.0)]
    assert float(jvp(_reordering, (point,), ({"a": 1.0, "b": 0.0},))[1].data) == 2
    popped, appended = [grad(f)([2.0, 3.0]) for f in (lambda p: p.pop() * p.pop() ** 2, _appending)]
    assert [float(g.data) for g in (*popped, *appended)] == [12.0, 4.0, 3.0, 2.0]


def _appending(p: list[Any]) -> Variable:
    p.append(1.0)
    return p[0] * p[1]


def test_results_of_vmap_are_put_together_by_their_keys_and_must_be_alike() -> None:
    def swapped(x: Variable) -> dict[str, Variable]:
        return {"p": x, "q": -x} if x.data > 0 else {"q": -x, "p": x}

    found = autolab.transforms.vmap(swapped)(X)
    assert list(found) == ["p", "q"] and np.array_equal(found["p"].data, X) and np.array_equal(found["q"].data, -X)
    for other in (lambda x: {"q": x}, lambda x: (x,), lambda x: None):
        with pytest.raises(TypeError, match=r"vmap: a later result is .*; expected a dict with the keys"):
            autolab.transforms.vmap(lambda x, other=other: {"p": x} if x.data > 0 else other(x))(X)
    with pytest.raises(TypeError, match=r"vmap: a later result\[1\] is a Variable; expected None"):
        autolab.transforms.vmap(lambda x: (x, None) if x.data > 0 else (x, x))(X)


def test_a_structure_is_filled_only_with_as_many_arrays_as_it_has_places() -> None:
    arrays, structure = autolab.tree_util.tree_flatten({"a": [1.0, None], "b": 2.0})
    assert autolab.tree_util.tree_unflatten(structure, arrays) == {"a": [1.0, None], "b": 2.0}
    for wrong in ([1.0], [1.0, 2.0, 3.0]):
        with pytest.raises(ValueError, match=f"leaves has {len(wrong)} entries; expected 2"):
            autolab.tree_util.tree_unflatten(structure, wrong)


SLOPES = autograd.grad(lambda w: anp.sum(autograd.jacobian(layer_reference)(X, w) ** 2))(W)


def test_a_gradient_of_each_element_is_with_respect_to_the_argument_that_is_meant():
    close(autolab.elementwise_grad(lambda x, y: x * y**2, 1)(X, X + 1), 2 * X * (X + 1))
    close(autolab.elementwise_grad(lambda x, y: x * y**2, "y")(X, y=X + 1), 2 * X * (X + 1))
    close(hvp(loss, wrt=1)(X, W, W + 1), hvp(loss, (X, W), W + 1, wrt=1).data)
    for matrix in (jacobian, jacfwd):  # of another gradient, too
        close(grad(lambda w, of=matrix: F.sum(of(layer)(X, w=w) ** 2))(W), SLOPES)


# ---------------------------------------------------------------------- a second result
def beside(x: Any, w: Any) -> tuple[Any, dict[str, Any]]:
    return loss(x, w), {"hidden": layer(x, w), "n": 3}


@pytest.mark.parametrize("transform", [grad, jacobian, jacfwd, hessian, autolab.grad])
@pytest.mark.parametrize("wrt", [0, (0, 1)])
def test_a_second_result_is_returned_beside_what_the_first_gives(transform, wrt):
    found, other = transform(beside, wrt, has_aux=True)(X, w=W)
    expected = transform(loss, wrt)(X, W)
    assert str(found) == str(expected) and other["n"] == 3 and not other["hidden"].requires_grad
    np.testing.assert_array_equal(other["hidden"].data, layer(X, W).data)


def test_a_second_result_comes_last_in_products():
    value, tangent, other = jvp(beside, (X, W), (X, W), has_aux=True)
    assert (value.data, tangent.data, other["n"]) == (*[y.data for y in jvp(loss, (X, W), (X, W))], 3)
    for found in (vjp(beside, (X, W), has_aux=True), autolab.vjp(beside, X, W, has_aux=True)):
        value, pull, other = found
        assert str(pull(1.0)) == str(vjp(loss, (X, W))[1](1.0)) and other["n"] == 3
    value, tangent, _ = jvp(beside, (X, W), W, wrt=1, has_aux=True)
    assert tangent.data == jvp(loss, (X, W), W, wrt=1)[1].data
    assert str(vjp(beside, (X, W), wrt=1, has_aux=True)[1](1.0)) == str(vjp(loss, (X, W), wrt=1)[1](1.0))
    gradient, other = grad(lambda x: ((x * x).sum(), "other"), X, has_aux=True)
    assert other == "other" and np.array_equal(gradient.data, 2 * X)
    matrix, other = jacobian(lambda x: (x * x, "other"), X, has_aux=True)
    assert other == "other" and np.array_equal(matrix.data, np.diag(2 * X))
    with pytest.raises(TypeError, match="jvp: has_aux=True, but the function returned a Variable; expected a pair"):
        jvp(loss, (X, W), (X, W), has_aux=True)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_the_axis_of_a_batch_leaves_the_order_of_the_others(axis):
    batch = np.arange(24.0).reshape(2, 3, 4)
    seen = np.stack([np.take(batch, i, axis) for i in range(batch.shape[axis])])
    close(autolab.vmap(lambda x: F.cumsum(x * 1.0, axis=0), axis)(batch), np.cumsum(seen, axis=1))
    close(autolab.vmap(lambda x: F.flip(x), 0, axis)(batch), np.moveaxis(batch[:, ::-1, ::-1], 0, axis))


@pytest.mark.parametrize("matrix", [jacobian, jacfwd])
def test_a_matrix_of_derivatives_has_the_dtype_of_its_argument(matrix):
    assert matrix(layer)(X.astype(np.float32), W).dtype == np.float32


def test_a_batch_at_once_is_that_of_its_examples():
    square = np.arange(9.0).reshape(3, 3)
    close(autolab.vmap(F.add, (0, None))(X, X), X[:, None] + X)
    close(autolab.vmap(F.add)(X, square), X[:, None] + square)
