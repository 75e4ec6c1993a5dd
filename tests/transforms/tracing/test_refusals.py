"""What no program does is refused by its name, and what a program cannot know makes it a guard."""

from __future__ import annotations

import math
from collections import deque

import numpy as np
import pytest
from helpers.each import each

from autolab import FunctionNode, Variable, grad
from autolab import functions as F
from autolab.transforms.tracing import Untraceable, replay, trace


def swallowed(x):
    try:
        return [x * float(x[0])]
    except Exception:
        return [x]


@each(
    ("function", "named"),
    [
        (lambda x: [x * float(x[0])], "float"),
        (lambda x: [x * int(x[0])], "int"),
        (lambda x: [x * x[0].item()], "item"),
        (lambda x: [x * len(x.tolist())], "tolist"),
        (lambda x: [x * round(x[0])], "round"),
        (lambda x: [x * math.sin(x[0])], "float"),
        (lambda x: [x * len(str(x))], "str"),
        (lambda x: [x * len(f"{x}")], "format"),
        (lambda x: [x * len(repr(x))], "repr"),
        (lambda x: [x[: x.argmax()]], "slice"),
        (lambda x: [x[x > 0]], "mask"),
        (lambda x: [np.nonzero(x)[0]], "nonzero"),
        (lambda x: [np.where(x > 0)[0]], "where"),
        (lambda x: [np.unique(x)], "unique"),
        (lambda x: [np.asarray(x)], "asarray"),
        (lambda x: [np.linalg.matrix_rank(x[:, None])], "matrix_rank"),
        (lambda x: [np.interp(x, [0, 1], [2, 3])], "interp"),
        (lambda x: [np.exp(x, out=np.empty(3))], "NumPy array"),
        (lambda x: [F.dropout(Variable(x), 0.5).data], "random"),
        (swallowed, "float"),
    ],
)
def test_an_escape_is_refused_by_name(function, named):
    with pytest.raises(Untraceable, match=named):
        trace(function, [np.array([0.5, -1.0, 2.0])])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: [x * 2 if x[0] > 0 else x * 3],
        lambda x: [x * max(x[0], x[1])],
        lambda x: [x[np.argmax(x)] * x],
        lambda x: [np.sort(x) * x],
        lambda x: [x * (x > 0)],
        lambda x: [np.where(x > 0, x, 0.1 * x)],
    ],
)
def test_a_program_is_right_wherever_its_guards_hold(function):
    points = np.random.default_rng(0).normal(size=(40, 3))
    (found,), fits = replay(trace(function, [points[0]]), [points])
    assert fits[0] and fits.sum() >= 8
    for point, y, right in zip(points, found, fits, strict=True):
        assert not right or np.array_equal(y, function(point)[0])


def test_a_view_sees_what_is_written_through_another():
    def function(x):
        y = x * 1.0
        rows, first = y.reshape(2, 2), y[0]
        rows[:, 1] = x[:2] * 10
        rows += 1
        return [y, first]

    points = np.arange(8.0).reshape(2, 4)
    (found, first), _ = replay(trace(function, [np.zeros(4)]), [points])
    assert found.tolist() == [[1.0, 1.0, 3.0, 11.0], [5.0, 41.0, 7.0, 51.0]] and first.tolist() == [0.0, 4.0]


def test_a_function_with_both_forwards_uses_that_of_main_memory():
    class Square(FunctionNode):
        def forward_cpu(self, inputs):
            self.retain_inputs((0,))
            return (inputs[0] ** 2,)

        def backward(self, indexes, grad_outputs):
            return (2 * self.get_retained_inputs()[0] * grad_outputs[0],)

    def function(a):
        x = Variable(a)
        (y,) = Square().apply((x,))
        return [y.data, grad(F.sum(y), x).data]

    (values, slopes), _ = replay(trace(function, [np.ones(2)]), [np.array([[1.0, 3.0]])])
    assert values.tolist() == [[1.0, 9.0]] and slopes.tolist() == [[2.0, 6.0]]


def test_what_a_function_keeps_is_an_ordinary_array_afterwards():
    class Cell:
        pass

    class Slotted:
        __slots__ = ("held",)

    kept, named, queue, cell, slotted = [], {}, deque(), Cell(), Slotted()
    last = None

    def function(x):
        nonlocal last
        y = Variable(x) * 2
        kept.extend([x * 2, (x, [x + 1]), np.zeros_like(x), y])
        named["x"] = last = kept[0][:1]
        cell.held = slotted.held = x
        queue.append(x)
        return [y.data]

    trace(function, [np.ones(2)])
    arrays = [
        kept[0],
        *kept[1][1],
        kept[1][0],
        kept[2],
        kept[3]._data,
        named["x"],
        last,
        cell.held,
        slotted.held,
        *queue,
    ]
    assert [type(array) for array in arrays] == [np.ndarray] * len(arrays)
    assert kept[0].tolist() == [2.0, 2.0] and np.shares_memory(kept[0], named["x"])


def test_what_a_function_that_raises_has_kept_is_an_ordinary_array_too():
    kept = []

    def function(x):
        kept.append(x)
        return [float(x[0])]

    with pytest.raises(Untraceable):
        trace(function, [np.ones(2)])
    assert type(kept[0]) is np.ndarray


@pytest.mark.parametrize(
    "norm",
    [F.layer_norm, F.rms_norm, lambda x: F.batch_norm(x, np.ones(4), np.zeros(4)), lambda x: F.group_norm(x, groups=1)],
)
@pytest.mark.parametrize("size", [1e160, 1e300])
def test_a_norm_of_numbers_whose_squares_are_infinite_is_computed_by_the_function_itself(norm, size):
    def run(a):
        x = Variable(a)
        y = norm(x)
        return [y.data, grad(F.sum(y * y * y), x).data]

    points = np.random.default_rng(0).normal(size=(4, 3, 4))
    points[2:] *= size
    with np.errstate(all="ignore"):
        found, fits = replay(trace(run, [points[0]]), [points])
    assert fits.tolist() == [True, True, False, False]
    for i in (0, 1):
        np.testing.assert_allclose(found[0][i], run(points[i])[0], rtol=1e-12)
    with pytest.raises(Untraceable, match="floating-point error"):
        trace(run, [points[2]])
