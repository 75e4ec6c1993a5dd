"""What users of other libraries type first works: upstream gradients, updates by hand, and what requires a gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autolab import Parameter, Variable, debug, grad, no_grad, optimizers
from autolab import functions as F
from autolab import links as L


# ---------------------------------------------------------------------- an upstream gradient
@pytest.mark.parametrize("upstream", [np.array([1.0, 10.0]), [1.0, 10.0], Variable([1.0, 10.0]), np.float32([1, 10])])
@pytest.mark.parametrize("as_keyword", [False, True])
def test_backward_takes_an_upstream_gradient(upstream: Any, as_keyword: bool) -> None:
    x = Variable([1.0, 2.0])
    y = x * x
    y.backward(gradient=upstream) if as_keyword else y.backward(upstream)
    np.testing.assert_array_equal(x.grad.data, [2, 40])
    assert y.grad is None and x.grad.dtype == x.dtype


def test_a_bool_in_first_place_still_means_retain_grad() -> None:
    x = Variable(3.0)
    h = x * x
    y = h * 2.0
    y.backward(True)
    assert h.grad.data == 2
    y.backward(2.0)
    assert x.grad.data == 12 + 24


def test_the_array_that_was_given_is_nobody_elses() -> None:
    g = np.array([1.0, 1.0])
    x = Variable([1.0, 2.0])
    (x + 0.0).backward(g)
    g[:] = 7
    np.testing.assert_array_equal(x.grad.data, [1, 1])


def test_an_upstream_gradient_can_be_differentiated() -> None:
    x, g = Variable(2.0), Variable(3.0)
    (x * x).backward(gradient=g, create_graph=True)
    assert grad(x.grad, g).data == 4


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda y: y.backward([1.0, 2.0, 3.0]), ValueError, r"backward: gradient: got shape \(3,\); expected \(2,\)"),
        (lambda y: y.backward("ones"), TypeError, r"backward: gradient: got str 'ones'; expected real numbers"),
        (lambda y: y.backward([1.0, 1.0], gradient=[1.0, 1.0]), TypeError, "given twice"),
        (lambda y: y.backward(), RuntimeError, r"2 elements and no upstream gradient; .* y.backward\(g\)"),
        (lambda y: y.backward(True, 1), TypeError, "create_graph is an int; expected True or False"),
    ],
)
def test_a_wrong_upstream_gradient_changes_nothing(call: Any, kind: type, message: str) -> None:
    x = Variable([1.0, 2.0])
    with pytest.raises(kind, match=message):
        call(x * x)
    assert x.grad is None


def test_an_upstream_gradient_that_was_set_as_well_is_refused() -> None:
    y = Variable([1.0, 2.0]) * 2.0
    y.grad = [1.0, 1.0]
    with pytest.raises(ValueError, match=r"got an upstream gradient, and y.grad is set"):
        y.backward([1.0, 1.0])


# ---------------------------------------------------------------------- updates by hand
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("make", [Variable, Parameter])
def test_an_update_inside_no_grad_changes_the_leaf(make: Any, dtype: str) -> None:
    array = np.array([1.0, -2.0], dtype)
    w = same = make(array)
    for _ in range(3):
        w.cleargrad()
        F.sum(w * w).backward()
        with no_grad():
            w -= 0.25 * w.grad
    assert w is same and w.requires_grad and w.dtype == dtype
    np.testing.assert_array_equal(w.data, [0.125, -0.25])
    np.testing.assert_array_equal(array, [1, -2])


def test_all_four_operators_change_it() -> None:
    w = Variable([1.0, 2.0])
    with no_grad():
        w += 1.0
        w *= np.array([2.0, 3.0])
        w /= 2.0
        w -= Variable([1.0, 0.5])
    np.testing.assert_array_equal(w.data, [1.0, 4.0])
    assert w.requires_grad


def test_outside_no_grad_and_for_computed_values_a_name_gets_a_new_value() -> None:
    w = before = Variable([1.0, 2.0])
    w += 1.0
    assert w is not before and w.creator is not None
    with no_grad():
        y = computed = before * 2.0
        y += 1.0
    assert y is not computed
    np.testing.assert_array_equal(before.data, [1, 2])


def test_a_graph_from_before_the_update_stays_right_and_the_gradient_is_said_to_be_stale() -> None:
    w, v = Variable([1.0, 2.0]), Variable([3.0, 4.0])
    with debug.check_inplace():
        y = F.sum(w * v)
        with no_grad():
            w -= 1.0
        y.backward()
    np.testing.assert_array_equal(v.grad.data, [1, 2])
    w = Variable(2.0)
    (w * w).backward()
    with no_grad():
        w -= 1.0
    assert "stale" in w.grad_status


def test_an_update_outside_no_grad_would_change_nothing_and_is_refused() -> None:
    w, lr = Variable([1.0, 2.0]), 0.5
    F.sum(w * w).backward()
    for p in [w]:
        with pytest.raises(
            TypeError, match=r"p -= ... only gives the name p .* with autolab.no_grad\(\): p -= lr \* p.grad"
        ):
            p -= lr * p.grad
    g = grad(F.sum(w * w), w, create_graph=True)
    before = w
    w -= lr * g  # a step of the graph, to be differentiated
    assert w is not before and w.creator is not None


def test_an_update_that_does_not_fit_changes_nothing() -> None:
    w = Variable([1.0, 2.0], name="w")
    with (
        no_grad(),
        pytest.raises(ValueError, match=r"Variable: w -= \.\.\. inside no_grad changes its array: non-broad"),
    ):
        w -= np.ones((3, 2))
    np.testing.assert_array_equal(w.data, [1, 2])


# ---------------------------------------------------------------------- what requires a gradient
def test_requires_grad_can_be_set_on_leaves() -> None:
    x = Variable([1.0, 2.0])
    F.sum(x).backward()
    x.requires_grad = False
    assert not x.requires_grad and x.grad is None and not (x * 2.0).requires_grad
    assert x.requires_grad_().requires_grad
    F.sum(x * 3.0).backward()
    np.testing.assert_array_equal(x.grad.data, [3, 3])
    for value, kind in ((1, TypeError), (None, TypeError)):
        with pytest.raises(kind, match=r"Variable.requires_grad: got .*; expected True or False"):
            x.requires_grad = value
    with pytest.raises(ValueError, match=r"only a leaf has this setting; x.detach\(\)"):
        (x * 2.0).requires_grad = False
    with pytest.raises(TypeError, match="the data is int64; only floating-point data has gradients"):
        Variable(np.array([1, 2])).requires_grad = True


def test_frozen_parameters_stay_as_they_are() -> None:
    model = L.Sequential(L.Linear(None, 3), F.tanh, L.Linear(3, 2))
    model[0].freeze()  # also before its parameters have a size
    optimizer = optimizers.SGD(lr=0.5).setup(model)
    x, t = np.ones((4, 5), np.float32), np.zeros(4, int)
    model(x)
    before = [p.data.copy() for p in model.params()]
    optimizer.update(lambda: F.softmax_cross_entropy(model(x), t))
    moved = [not np.array_equal(p.data, was) for p, was in zip(model.params(), before, strict=True)]
    assert moved == [False, False, True, True]
    model.requires_grad_(False).unfreeze()
    assert all([p.requires_grad for p in model.params()])
