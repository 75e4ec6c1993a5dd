"""The loops and branches of ``jax.lax``."""

from __future__ import annotations

import operator

import numpy as np
import pytest

import autolab
from autolab import Variable
from autolab.transforms import lax

XS = np.array([1.0, 2.0, 3.0])


def test_a_scan_gives_the_last_carry_and_all_results_and_their_gradients():
    w, xs = Variable(2.0), Variable(XS)

    def step(carry, x):
        carry = {"h": carry["h"] * w + x}
        return carry, (carry["h"], -x)

    carry, (hs, negative) = autolab.lax.scan(step, {"h": 0.0}, xs)
    np.testing.assert_array_equal(hs.data, [1, 4, 11])
    np.testing.assert_array_equal(negative.data, -XS)
    assert carry["h"].data == 11
    dw, dx = autolab.grad(carry["h"], [w, xs])
    assert dw.data == 4 * 1 + 2
    np.testing.assert_array_equal(dx.data, [4, 2, 1])


def test_a_scan_runs_backwards_over_structures_and_over_nothing():
    total, seen = lax.scan(lambda c, x: (c + x["a"], c), 0.0, {"a": Variable(XS)}, reverse=True)
    assert total.data == 6
    np.testing.assert_array_equal(seen.data, [5, 3, 0])
    assert lax.scan(lambda c, x: (c + 1, x), 0, None, length=4) == (4, None)
    assert lax.scan(lambda c, x: (c, x), 7, XS[:0]) == (7, None)


def test_loops_and_branches():
    x = Variable(3.0)
    y = lax.fori_loop(1, 4, lambda i, value: value * i + x, 0.0)
    assert (y.data, autolab.grad(y, x).data) == ((3 * 2 + 3) * 3 + 3, 10)
    assert lax.while_loop(lambda v: v < 50, lambda v: v * v, x).data == 81
    assert lax.cond(x > 2, lambda a, b: a * b, lambda a, b: a + b, x, 5.0).data == 15
    assert lax.cond(False, lambda a, b: a * b, lambda a, b: a + b, x, 5.0).data == 8
    assert autolab.grad(lax.stop_gradient([x])[0] * x, x).data == 3
    assert lax.stop_gradient(2.0) == 2.0


@pytest.mark.parametrize(
    ("xs", "length"), [(XS, 2), ({"a": XS, "b": XS[:2]}, None), ({"a": XS[:2], "b": XS}, None), (None, None)]
)
def test_a_scan_whose_number_of_steps_is_not_clear_is_refused(xs, length):
    with pytest.raises(ValueError, match=r"scan: xs and length give \[.*\] steps; expected one number"):
        lax.scan(lambda c, x: (c, None), 0.0, xs, length)


def test_a_scan_takes_what_jax_takes_and_refuses_what_it_would_misread():
    assert lax.scan(f=lambda c, _: (c + 1, c), init=0.0, length=3, unroll=2)[0] == 3
    assert lax.fori_loop(0, 3, body_fun=lambda i, c: c + i, init_val=1) == 4
    assert lax.while_loop(cond_fun=lambda c: c < 5, body_fun=lambda c: c + 2, init_val=0) == 6
    with pytest.raises(TypeError, match=r"scan: f returned .*; expected a pair, the next carry and a result"):
        lax.scan(lambda c, x: c + x, np.zeros(2), np.ones((3, 2)))
    with pytest.raises(TypeError, match=r"scan: xs holds a float; expected arrays"):
        lax.scan(lambda c, x: (c + x, x), 0.0, [1.0, 2.0])


def test_structures_are_listed_and_reduced_as_in_jax():
    tree = {"b": 2.0, "a": [3.0, None]}
    assert autolab.tree.leaves(tree) == [3, 2] and autolab.tree.flatten(tree)[0] == [3, 2]
    assert autolab.tree.unflatten(autolab.tree.structure(tree), [5, 6]) == {"a": [5, None], "b": 6}
    assert autolab.tree_structure(tree) == autolab.tree_structure({"a": [1, None], "b": 7})
    assert list(autolab.tree.map(lambda x, y: x * y, tree, {"a": [10.0, None], "b": 100.0}).items()) == [
        ("b", 200),
        ("a", [30, None]),
    ]
    assert autolab.tree.leaves({2: "x", "a": "y"}) == ["x", "y"]
    assert autolab.tree_reduce(operator.mul, tree) == 6 and autolab.tree.reduce(max, [-2.0, -1.0]) == -1
    assert autolab.tree_reduce(operator.add, tree, initializer=10) == 15
