"""backward(): which gradients are computed, where they are stored, and how long they stay."""

from __future__ import annotations

import numpy as np
import pytest

import autolab
from autolab import Variable, grad
from autolab import functions as F
from autolab.engine.observe import observe


@pytest.mark.source("CI-03")
def test_the_first_example() -> None:
    x = Variable(np.array([5], np.float32))
    y = x**2 - 2 * x + 1
    assert y.data.tolist() == [16.0] and y.dtype == np.float32
    y.backward()
    assert x.grad.data.tolist() == [8.0] and x.grad.dtype == np.float32


@pytest.mark.source("CI-04", "CI-06", "X1")
def test_more_than_one_element_needs_a_start_gradient() -> None:
    x = Variable(np.array([[1, 2, 3], [4, 5, 6]], np.float32))
    y = x**2 - 2 * x + 1
    with pytest.raises(RuntimeError, match=r"6 elements.*set y\.grad.*sum"):
        y.backward()
    with pytest.raises(RuntimeError, match="grad_outputs"):
        grad(y, x)
    assert x.grad is None
    y.grad = np.ones((2, 3), np.float32)
    y.backward()
    assert x.grad.data.tolist() == [[0, 2, 4], [6, 8, 10]]


@pytest.mark.source("CI-05", "DZ-12")
def test_intermediate_gradients_are_kept_on_request() -> None:
    def program(x: Variable) -> tuple[Variable, Variable]:
        z = 2 * x
        return z, x**2 - z + 1

    x = Variable(np.array([5], np.float32))
    z, y = program(x)
    y.backward()
    assert z.grad is None and y.grad is None
    z, y = program(x)
    y.backward(retain_grad=True)
    assert z.grad.data.tolist() == [-1.0] and y.grad.data.tolist() == [1.0]


@pytest.mark.source("X2", "CK-05")
def test_a_start_gradient_survives_if_the_user_set_it() -> None:
    x = Variable([1.0, 2.0])
    y = x * x
    y.grad = start = np.array([1.0, 10.0])
    for times in (1, 2):
        y.backward()
        np.testing.assert_array_equal(y.grad.data, [1.0, 10.0])
        np.testing.assert_array_equal(x.grad.data, times * 2 * x.data * start)
    y.cleargrad()
    assert y.grad is None
    total = F.sum(y)
    total.backward()
    assert total.grad is None


@pytest.mark.source("X8")
def test_a_retained_gradient_is_no_start_gradient() -> None:
    """T-002-10: DeZero started the second pass from what the first had stored."""
    x = Variable(2.0)
    y = x * 3
    z = y * y
    z.backward(retain_grad=True)
    z.backward(retain_grad=True)
    assert (x.grad.item(), y.grad.item()) == (72.0, 12.0)
    x.cleargrad()
    y.grad = 1.0  # the user's, until the next pass replaces it
    z.backward(retain_grad=True)
    x.cleargrad()
    y.backward()
    assert x.grad.item() == 3.0


@pytest.mark.source("CO-27", "DZ-09", "X8")
def test_gradients_of_leaves_accumulate_until_cleared() -> None:
    x = Variable([1.0, 2.0])
    y = F.sum(x**3)
    y.backward()
    first = x.grad
    y.backward()
    np.testing.assert_array_equal(x.grad.data, 6 * x.data**2)
    np.testing.assert_array_equal(first.data, 3 * x.data**2)
    x.cleargrad()
    assert x.grad is None
    x.grad = np.array([100.0, 0.0])
    y.backward()
    np.testing.assert_array_equal(x.grad.data, [103.0, 12.0])
    x.grad = None
    assert x.grad is None


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (np.ones(3), ValueError, r"shape \(3,\); expected \(2,\)"),
        (Variable(np.ones((2, 1))), ValueError, r"shape \(2, 1\); expected \(2,\)"),
        (1.0, ValueError, r"shape \(\); expected \(2,\)"),
        ("text", TypeError, "str 'text'"),
        (np.ones(2, complex), TypeError, "complex"),
    ],
)
def test_grad_setter_checks(value: object, error: type[Exception], message: str) -> None:
    x = Variable([1.0, 2.0])
    with pytest.raises(error, match=rf"Variable\.grad.*{message}"):
        x.grad = value
    assert x.grad is None


def test_grad_of_a_constant_cannot_be_set() -> None:
    with pytest.raises(ValueError, match="does not require a gradient"):
        Variable([1, 2], requires_grad=False).grad = np.ones(2)


@pytest.mark.source("DZ-08")
def test_a_value_used_many_times() -> None:
    x = Variable(3.0)
    y = x + x
    y.backward()
    assert x.grad.item() == 2.0
    x.cleargrad()
    y = x + x + x * x
    y.backward()
    assert x.grad.item() == 8.0


@pytest.mark.source("DZ-10")
def test_diamonds_of_unequal_depth() -> None:
    x = Variable(2.0)
    a = x**2
    y = a**2 + a**2
    y.backward()
    assert (y.item(), x.grad.item()) == (32.0, 64.0)
    x.cleargrad()
    short = x * 1.0
    long = short
    for _ in range(5):
        long = long * 1.0 + short
    visited = []
    z = long * short
    with observe(lambda event: visited.append(event.node)):
        z.backward()
    assert x.grad.item() == 24.0 and len(visited) == len(set(visited)) == 12
    assert [node.order for node in visited] == sorted([node.order for node in visited], reverse=True)


@pytest.mark.source("DZ-04")
@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("create_graph", [False, True])
def test_every_node_is_visited_once(create_graph: bool, swapped: bool) -> None:
    """In any other order than that of creation, 2**n visits give the same gradients."""
    visits = 0

    def rule(g):
        nonlocal visits
        visits += 1
        return 0.5 * g

    @autolab.elementwise(x=rule)
    def half(xp, x):
        return 0.5 * x

    x = h = Variable(1.0)
    for _ in range(12):
        short, long = h, half(half(h))
        h = long + short if swapped else short + long
    g = grad(h, x, create_graph=create_graph)
    assert g.item() == pytest.approx(1.25**12)
    assert visits == 24


def test_a_leaf_is_its_own_output() -> None:
    x = Variable(2.0)
    x.backward()
    assert x.grad.item() == 1.0
    assert grad(x, x).item() == 1.0


def test_errors_say_what_to_do() -> None:
    for y in (Variable(1.0, requires_grad=False), Variable(np.array(1)), Variable(2.0, requires_grad=False) * 3):
        with pytest.raises(RuntimeError, match=r"requires a gradient.*no_grad"):  # T-002-9
            y.backward()


@pytest.mark.source("CN-11")
@pytest.mark.parametrize("create_graph", [False, True])
def test_no_two_gradients_share_an_array(create_graph: bool) -> None:
    """Rules hand on what they got: the gradients of x, y and z in ``x + y + z`` are one array inside the pass."""
    x, y, z, t = [Variable(np.ones((2, 3))) for _ in range(4)]
    root = x + y + z + t.T.reshape(2, 3) + F.broadcast_to(F.sum(t), shape=(2, 3))
    root.grad = start = np.ones((2, 3))
    root.backward(create_graph=create_graph)
    gradients = [v.grad.data for v in (x, y, z, t, root)]
    for i, g in enumerate(gradients):
        assert g.flags.writeable
        assert not any(np.shares_memory(g, other) for other in gradients[i + 1 :])
    x.grad.data *= 100
    np.testing.assert_array_equal([g.max() for g in gradients], [100, 1, 1, 7, 1])
    np.testing.assert_array_equal(start, 1)
    del x, y, z, t, root


@pytest.mark.parametrize("create_graph", [False, True])
def test_grad_returns_arrays_of_its_own(create_graph: bool) -> None:
    x, start = Variable([1.0, 2.0]), np.ones(2)
    y = x + 0.0
    results = [*grad([y, x + y], [x, x, y], [start, start], create_graph=create_graph), grad(y, x, Variable(start))]
    for i, g in enumerate(results):
        for other in [start, x.data, y.data, *[r.data for r in results[i + 1 :]]]:
            assert not np.shares_memory(g.data, other)
    np.testing.assert_array_equal(results[0].data, [3.0, 3.0])
    np.testing.assert_array_equal(results[2].data, [2.0, 2.0])


@pytest.mark.parametrize("shape", [(1,), (3, 1), (2, 2)])
def test_a_gradient_of_another_shape_is_not_added_to(shape: tuple[int, ...]) -> None:
    """The shapes may well broadcast; the sum would be the gradient of nothing."""
    x, z = Variable([1.0, 2.0, 3.0]), Variable(1.0)
    F.sum(x * x).backward()
    x.data = np.ones(shape)
    y = F.sum(x * x) * z
    with pytest.raises(ValueError, match=r"backward: .* gradient of shape \(3,\), .*call cleargrad"):
        y.backward()
    assert x.grad.data.tolist() == [2.0, 4.0, 6.0] and z.grad is None
    x.cleargrad()
    y.backward()
    assert x.grad.shape == shape


def test_accumulation_does_not_write_into_what_a_rule_returned() -> None:
    """A gradient may be added to in place only if the pass made the array itself."""
    kept = np.ones(2)

    @autolab.elementwise(x=lambda g: kept)
    def traitor(xp, x):
        return 1.0 * x

    x = Variable([1.0, 2.0])
    F.sum(traitor(x) + traitor(x) + traitor(x)).backward()
    np.testing.assert_array_equal(x.grad.data, [3.0, 3.0])
    np.testing.assert_array_equal(kept, [1.0, 1.0])


@pytest.mark.source("DZ-20")
def test_rosenbrock() -> None:
    x0, x1 = Variable(0.0), Variable(2.0)
    for step in range(1000):
        y = 100 * (x1 - x0**2) ** 2 + (x0 - 1) ** 2
        x0.cleargrad()
        x1.cleargrad()
        y.backward()
        if step == 0:
            assert (x0.grad.item(), x1.grad.item()) == (-2.0, 400.0)
        x0.data -= 0.001 * x0.grad
        x1.data -= 0.001 * x1.grad
    np.testing.assert_allclose([x0.item(), x1.item()], [0.683711857, 0.465952684], rtol=1e-8)


def test_changing_data_afterwards_does_not_change_the_graph() -> None:
    x = Variable([1.0, 2.0])
    y = F.sum(x * x)
    x.data = np.array([100.0, 100.0])
    y.backward()
    np.testing.assert_array_equal(x.grad.data, [2.0, 4.0])
