"""What a recording says about the way of a gradient: local derivatives, products, sums, and the line that ran."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from helpers.each import each
from helpers.nodes import MulAdd, SinCos

from autolab import Variable, elementwise, record
from autolab import functions as F
from autolab.recording.local_derivatives import CALLS

RNG = np.random.default_rng(5)


def local_derivatives_times_upstream(step, upstream):
    """The contributions of a step, worked out again from the derivatives that the recording keeps."""
    for use in step.operands:
        if use.local is not None:
            product = upstream * use.local.values
            assert (use.product is None) == (product.shape == use.contribution.shape)
            if use.product is not None:
                np.testing.assert_allclose(use.product.values, product)
                extra = tuple(range(product.ndim - len(use.contribution.shape)))
                axes = extra + tuple(
                    i + len(extra)
                    for i, n in enumerate(use.contribution.shape)
                    if n == 1 and product.shape[i + len(extra)] > 1
                )
                product = product.sum(axis=axes).reshape(use.contribution.shape)
            yield use, product
        elif use.jacobian is not None:
            yield use, np.tensordot(upstream, use.jacobian.values, upstream.ndim)


PROGRAMS = [
    (lambda a, b: a * b, [(4, 3), (4, 3)], 2),
    (lambda a, b: a / b, [(4, 3), (3,)], 2),
    (lambda a, b: a - b, [(4, 1), (3,)], 2),
    (lambda a: F.tanh(a), [(2, 3)], 1),
    (lambda a: a * 2.0, [()], 1),
    (lambda a, b: a @ b, [(4, 5), (5, 3)], 2),
    (lambda a, b, c: F.linear(a, b, c), [(4, 5), (3, 5), (3,)], 3),
    (lambda a: F.sum(a, axis=0), [(4, 3)], 1),
    (lambda a: a.reshape(3, 4).T, [(4, 3)], 1),
    (lambda a: F.softmax(a), [(2, 3)], 1),
    (lambda a: F.softmax_cross_entropy(a, np.array([0, 2])), [(2, 3)], 1),
    (lambda a: F.sum(a), [(0, 3)], 0),
]


@each(("program", "shapes", "explained"), PROGRAMS)
def test_upstream_times_local_derivatives_is_the_contribution(program, shapes, explained) -> None:
    arrays = [RNG.normal(size=shape) + 3 for shape in shapes]
    out = np.shape(program(*arrays))
    upstream = RNG.normal(size=out)
    r = record(program, *arrays, options={"upstream": upstream})
    (call,) = [step for step in r.steps if step.id == r.backward[0].of]
    found = list(local_derivatives_times_upstream(call, r.backward[0].upstream.values))
    assert len(found) == explained
    for use, contribution in found:
        np.testing.assert_allclose(use.contribution.values, contribution, atol=1e-12)
        assert use.local is None or use.local.shape == out
        assert use.jacobian is None or use.jacobian.shape == out + use.contribution.shape


def test_the_sums_of_a_reused_value_grow_in_the_order_of_the_backward_pass() -> None:
    def program(x):
        return x * x + x

    r = record(program, 3.0)
    product, total = r.steps[1:3]
    assert [(u.arrival, u.contribution.values.item(), u.total) for u in total.operands] == [
        (0, 1.0, None),
        (0, 1.0, None),
    ]
    assert [(u.arrival, u.total.values.item()) for u in product.operands] == [(1, 4.0), (2, 7.0)]
    assert r["x"].grad.values == 7.0
    assert [s.values.item() for s in r.upstream] == [1.0]


def test_an_output_that_is_used_on_begins_with_its_own_upstream_gradient() -> None:
    def program(x):
        a = x * 2.0
        return a, a * a, 3 * Variable(np.ones(2), requires_grad=False)

    r = record(program, [1.0, -1.0], options={"upstream": ([10.0, 20.0], None, None)})
    assert [None if s is None else s.values.tolist() for s in r.upstream] == [[10.0, 20.0], [1.0, 1.0], None]
    uses = r.steps[r.outputs[1]].operands
    assert [(u.arrival, u.total.values.tolist()) for u in uses] == [(1, [12.0, 18.0]), (2, [14.0, 16.0])]
    assert r["a"].grad.values.tolist() == [14.0, 16.0]


def test_functions_that_compute_all_gradients_at_once_have_no_derivatives_to_show() -> None:
    def program(x, y, z):
        s, c = SinCos().apply((x,))
        (w,) = MulAdd().apply((s, y, z))
        return w + c

    r = record(program, 0.5, 2.0, 3.0)
    for step in r.steps:
        for use in step.operands:
            if step.function in ("MulAdd", "SinCos"):
                assert (use.local, use.jacobian, use.code) == (None, None, None)
            if use.contribution is not None:
                assert use.arrival == 0


def test_a_rule_that_refuses_other_upstream_gradients_is_still_recorded() -> None:
    def picky(g):
        if np.any(g != 5.0):
            raise ValueError("only five")
        return g

    @elementwise(x=picky)
    def same(xp, x):
        return x + 0

    r = record(lambda x: same(x), 1.0, options={"upstream": 5.0})
    (use,) = r.steps[1].operands
    assert (use.local, use.contribution.values.item()) == (None, 5.0)
    assert use.code == "if np.any(g != 5.0):\n    raise ValueError('only five')\nreturn g"


def test_jacobians_are_small_and_few() -> None:
    def program(x):
        for _ in range(100):
            x = x.reshape(5, 10) if x.shape == (50,) else x.reshape(50)
        return x

    r = record(program, np.ones(50))
    kept = [step for step in r.steps[1:] if step.operands[0].jacobian is not None]
    assert len(kept) == CALLS // 50
    large = record(lambda x: F.sum(x, axis=0), np.ones((3, 65)))
    assert large.steps[1].operands[0].jacobian is None


def helper(v):
    doubled = v * 2.0
    return doubled


def outer(x):
    a = helper(x)
    b = helper(
        a,
    )
    return b + a


class Model:
    def __call__(self, x):
        return helper(x)


@pytest.mark.parametrize("fn", [outer, functools.partial(outer)])
def test_a_step_knows_the_line_of_the_recorded_function(fn) -> None:
    r = record(fn, 1.0)
    lines = r.source.splitlines()
    at = [lines[step.outer_line - r.first_line].strip() for step in r.steps[1:]]
    assert at == ["a = helper(x)", "b = helper(", "return b + a"]
    assert [step.outer_line == step.line for step in r.steps[1:]] == [False, False, True]
    assert r.steps[0].outer_line is None


def test_objects_that_are_called_have_a_source_too() -> None:
    r = record(Model(), 1.0)
    assert r.source.splitlines()[r.steps[1].outer_line - r.first_line].strip() == "return helper(x)"


def test_explanations_take_no_bytes_from_values_and_gradients() -> None:
    def program(x):
        for _ in range(20):
            x = x * x
        return x

    r = record(program, np.ones(1000), options={"budget": 1_200_000})
    assert r.reduced == 0
    locals_kept = [step.operands[0].local.is_whole for step in r.steps if step.kind == "call"]
    assert any(locals_kept) and not all(locals_kept)
