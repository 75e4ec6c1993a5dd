"""What a ctx is told: what to save, what is changed in place, what has no gradient (SOURCES.md section 6)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from written import ctx_style, shown

import autolab
from autolab import Variable, grad
from autolab import functions as F
from autolab.authoring import ContextFunction


@pytest.mark.source("PT-07", "PT-13")
def test_what_is_saved_comes_back() -> None:
    seen: list[Any] = []
    integers = np.array([1, 0])

    def forward(ctx, x, mask):
        assert ctx.saved_tensors == ()
        y = x * mask
        ctx.save_for_backward(y, None, x, mask, integers)
        return y

    def backward(ctx, g):
        seen.append(ctx.saved_tensors)
        return g * ctx.saved_tensors[3], None

    x, mask = Variable([2.0, 3.0]), np.array([0.0, 2.0])
    y = ctx_style(forward, backward).apply(x, mask)
    for create_graph in (False, True):
        grad(y, x, np.ones(2), create_graph=create_graph)
        saved_y, none, saved_x, saved_mask, saved_integers = seen.pop()
        assert none is None and saved_x.data is x.data and saved_y.data is y.data and saved_mask.data is mask
        assert saved_integers.data is integers
        differentiable = [v is not None and v.requires_grad for v in (saved_y, none, saved_x, saved_mask)]
        assert differentiable == [create_graph, False, create_graph, False]


@pytest.mark.source("PT-13")
@pytest.mark.parametrize("kind", ["an argument", "a result"])
def test_any_order_through_arguments_and_results(kind: str) -> None:
    def forward(ctx, x):
        y = F.exp(x)
        ctx.save_for_backward(x if kind == "an argument" else y)
        return y

    def backward(ctx, g):
        (saved,) = ctx.saved_tensors
        return g * (F.exp(saved) if kind == "an argument" else saved)

    x = Variable([0.5, -1.0])
    y = ctx_style(forward, backward).apply(x)
    for _ in range(4):
        y = grad(y, x, np.ones(2), create_graph=True)
        np.testing.assert_allclose(y.data, np.exp(x.data), rtol=1e-15)


@pytest.mark.source("PT-13")
@pytest.mark.parametrize("as_array", [False, True])
def test_a_derivative_through_a_saved_intermediate_is_refused(as_array: bool) -> None:
    """Rule 4 of RELIABILITY.md; PyTorch would silently take it for a constant."""

    def forward(ctx, x):
        e = F.exp(x)
        ctx.save_for_backward(e.data if as_array else e)
        return e * e

    def backward(ctx, g):
        (e,) = ctx.saved_tensors
        return g * 2.0 * e * e

    x = Variable(0.5)
    y = ctx_style(forward, backward).apply(x)
    e2 = np.exp(1.0)
    assert grad(y, x).item() == pytest.approx(2 * e2)
    first = grad(y * x, x, create_graph=True)
    assert first.item() == pytest.approx(2 * e2 * 0.5 + e2)
    message = "saved value 0 is neither an argument nor a result.*one more result and save that.*attribute"
    for create_graph in (False, True):
        shown(lambda c=create_graph: grad(first, x, create_graph=c), RuntimeError, message)


@pytest.mark.source("PT-13", "PT-09")
def test_an_intermediate_as_one_more_result() -> None:
    def forward(ctx, x):
        e = F.exp(x)
        ctx.save_for_backward(e)
        return e * e, e

    def backward(ctx, g, g_e):
        (e,) = ctx.saved_tensors
        return g * 2.0 * e * e + g_e * e

    x = Variable(0.5)
    y, _ = ctx_style(forward, backward).apply(x)
    for n in range(1, 4):
        y = grad(y, x, create_graph=True)
        assert y.item() == pytest.approx(2**n * np.exp(1.0))


@pytest.mark.source("PT-12")
def test_attributes_are_constants() -> None:
    """A mask that belongs to no argument passes every derivative unharmed."""

    def forward(ctx, x):
        ctx.mask = np.array([0.0, 2.0])
        ctx.save_for_backward(x)
        return x * x * ctx.mask

    x = Variable([2.0, 3.0])
    y = ctx_style(forward, lambda ctx, g: g * 2 * ctx.mask * ctx.saved_tensors[0]).apply(x)
    second = grad(grad(y, x, np.ones(2), create_graph=True), x, np.ones(2))
    assert second.data.tolist() == [0.0, 4.0]


class InPlace(ContextFunction):
    """x += 1, squared on the way back, so that its value matters."""

    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.data[...] += 1.0
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y


@pytest.mark.source("PT-08")
def test_a_dirty_argument_goes_on_as_the_result() -> None:
    x = Variable([1.0, 2.0])
    h = F.exp(x)
    kept = h.data
    doubled = h * h
    result = InPlace.apply(h)
    assert result is h and isinstance(h.creator, InPlace)
    e = np.exp(x.data)
    np.testing.assert_array_equal(h.data, e + 1)
    np.testing.assert_array_equal(kept, e)  # what exp and mul kept for their gradients is as it was
    first = grad(h, x, np.ones(2), create_graph=True)
    np.testing.assert_allclose(first.data, (e + 1) * e, rtol=1e-15)
    np.testing.assert_allclose(grad(first, x, np.ones(2)).data, (e + 1) * e * e + (e + 1) * e, rtol=1e-15)
    np.testing.assert_allclose(grad(doubled, x, np.ones(2)).data, 2 * e * e, rtol=1e-15)


@pytest.mark.source("PT-08")
def test_marking_what_cannot_be_changed() -> None:
    x = Variable([1.0, 2.0])
    mine = ctx_style(lambda ctx, x: (ctx.mark_dirty(x), x)[1], lambda ctx, g: g)
    shown(lambda: mine.apply(x), RuntimeError, "argument 0 is a leaf that requires a gradient")
    with autolab.no_grad():
        assert InPlace.apply(x) is x and x.data.tolist() == [2.0, 3.0] and x.requires_grad
    c = Variable([1.0], requires_grad=False)
    assert InPlace.apply(c) is c and c.item() == 2.0 and not c.requires_grad
    lost = ctx_style(lambda ctx, x: (ctx.mark_dirty(x), x * 2)[1], lambda ctx, g: g)
    shown(lambda: lost.apply(x * 1), ValueError, "argument 0 is marked dirty; forward must return it")
    other = ctx_style(lambda ctx, x: (ctx.mark_dirty(x * 1), x)[1], lambda ctx, g: g)
    shown(lambda: other.apply(x * 1), ValueError, "expected a Variable among the arguments")


def test_an_argument_returned_as_it_is() -> None:
    """It is a new Variable: the gradient passes through the function."""
    mine = ctx_style(lambda ctx, x: x, lambda ctx, g: -g)
    x = Variable(2.0)
    y = mine.apply(x)
    assert y is not x and grad(y, x).item() == -1.0


@pytest.mark.source("PT-09")
def test_results_without_a_gradient() -> None:
    def forward(ctx, x):
        y, top, where = x * 2, np.asarray(x.data.max()), x.data.argmax()
        ctx.mark_non_differentiable(top)
        ctx.save_for_backward(y, top)
        return y, top, where

    def backward(ctx, g, g_top, g_where):
        assert g_top.data.tolist() == 0.0 and g_where.data.tolist() == 0
        assert not ctx.saved_tensors[1].requires_grad
        return g * 2

    x = Variable([1.0, 5.0])
    y, top, where = ctx_style(forward, backward).apply(x)
    assert [v.requires_grad for v in (y, top, where)] == [True, False, False]
    for create_graph in (False, True):
        assert grad(y, x, np.ones(2), create_graph=create_graph).data.tolist() == [2.0, 2.0]
    lone = ctx_style(lambda ctx, x: (ctx.mark_non_differentiable(x), x)[1], None).apply(x)
    assert not lone.requires_grad
    wrong = ctx_style(lambda ctx, x: (ctx.mark_non_differentiable(x), x * 2)[1], None)
    shown(lambda: wrong.apply(x), ValueError, "mark_non_differentiable got a value that forward does not return")


@pytest.mark.source("PT-10")
@pytest.mark.parametrize("materialize", [True, False])
@pytest.mark.parametrize("create_graph", [True, False])
def test_undefined_upstream_gradients(materialize: bool, create_graph: bool) -> None:
    seen: list[Any] = []

    def forward(ctx, x):
        if not materialize:
            ctx.set_materialize_grads(False)
        return x * 2, x * 3

    def backward(ctx, g, h):
        seen.append((g, h))
        return h * 3

    x = Variable([1.0, 2.0])
    _, b = ctx_style(forward, backward).apply(x)
    grad(b, x, np.ones(2), create_graph=create_graph)
    g, h = seen.pop()
    assert h.data.tolist() == [1.0, 1.0]
    assert g.data.tolist() == [0.0, 0.0] if materialize else g is None
