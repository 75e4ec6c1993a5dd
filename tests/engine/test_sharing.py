"""No gradient and no result changes with what users' rules and forwards hold. AutoLab's own rules are trusted."""

from __future__ import annotations

import zlib
from functools import partial
from typing import Any

import numpy as np
import pytest
from helpers.each import each
from helpers.function_table import ROWS
from helpers.rows import Row

from autolab import Variable, elementwise, grad, primitive
from autolab import functions as F
from autolab.engine.sharing import locked, of_user


def variables() -> tuple[Variable, Variable]:
    return Variable([1.0, 2.0, 3.0]), Variable([4.0, 5.0, 6.0])


@pytest.mark.parametrize("retain_grad", [False, True])
def test_two_rules_that_return_one_buffer(retain_grad: bool) -> None:
    buffer = np.empty(3)

    @elementwise(a=lambda g, b: np.multiply(g, b, out=buffer), b=lambda g, a: np.multiply(g, a, out=buffer))
    def product(xp: Any, a: Any, b: Any) -> Any:
        return xp.multiply(a, b)

    a, b = variables()
    for _ in range(2):  # and the sum of two passes
        product(a * 1.0, b * 1.0).sum().backward(retain_grad=retain_grad)
    np.testing.assert_array_equal(a.grad.data, [8.0, 10.0, 12.0])
    np.testing.assert_array_equal(b.grad.data, [2.0, 4.0, 6.0])


@pytest.mark.parametrize("view", [lambda c: c[:], lambda c: np.broadcast_to(c, (3,)), lambda c: c])
def test_a_rule_that_returns_what_it_keeps(view: Any) -> None:
    kept = np.ones(3)

    @elementwise(x=lambda g: view(kept))
    def same(xp: Any, x: Any) -> Any:
        return x + 0

    x, _ = variables()
    (gx,) = grad(same(x).sum(), [x])
    kept[:] = 7.0
    np.testing.assert_array_equal(gx.data, np.ones(3))


@pytest.mark.parametrize("which", ["g", "a"])
def test_a_rule_that_writes_to_what_it_was_given_is_named(which: str) -> None:
    def in_place(g: Any, a: Any) -> Any:
        if which == "g":
            g *= a
            return g
        a *= g
        return a

    @elementwise(a=lambda g, b: g * b, b=in_place)
    def product(xp: Any, a: Any, b: Any) -> Any:
        return xp.multiply(a, b)

    a, b = variables()
    with pytest.raises(ValueError, match="read-only") as caught:
        product(a, b).sum().backward()
    assert "product: the rule of input 'b' changes an array in place" in caught.value.__notes__[0]
    assert caught.traceback[-1].name == "in_place"
    np.testing.assert_array_equal(a.data, [1.0, 2.0, 3.0])
    assert a.grad is None


def test_a_rule_that_returns_its_input_for_either_order() -> None:
    @elementwise(a=lambda g, b: b, b=lambda g, a: a)
    def forgetful(xp: Any, a: Any, b: Any) -> Any:
        return xp.multiply(a, b)

    for create_graph in (False, True):
        a, b = variables()
        forgetful(a, b).sum().backward(create_graph=create_graph)
        b.data += 1
        np.testing.assert_array_equal(a.grad.data, [4.0, 5.0, 6.0])


def test_a_forward_with_a_buffer_for_all_calls() -> None:
    buffer, pair = np.empty(3), (np.empty(3), np.empty(3))

    @elementwise(x=lambda g, y: g * y)
    def exp(xp: Any, x: Any) -> Any:
        return np.exp(x, out=buffer)

    @primitive(outputs=("s", "c"), x=lambda g, s, c: g[0] * c - g[1] * s)
    def sincos(xp: Any, x: Any) -> Any:
        return np.sin(x, out=pair[0]), np.cos(x, out=pair[1])

    a, b = variables()
    ya, (sa, _) = exp(a), sincos(a)
    exp(b), sincos(b)
    np.testing.assert_array_equal(ya.data, np.exp(a.data))
    np.testing.assert_array_equal(grad(ya, a, np.ones(3)).data, np.exp(a.data))
    np.testing.assert_array_equal(sa.data, np.sin(a.data))
    np.testing.assert_array_equal(grad(sa, a, np.ones(3)).data, np.cos(a.data))


def test_what_nobody_else_holds_is_not_copied() -> None:
    made = []

    def rule(g: Any, b: Any) -> Any:
        result = g * b
        made.append(result.ctypes.data)
        return result

    @elementwise(a=rule)
    def product(xp: Any, a: Any, b: Any) -> Any:
        return xp.multiply(a, b)

    a, b = variables()
    product(a, b).sum().backward()
    assert a.grad.data.ctypes.data == made[0]


def _nodes(y: Variable) -> list[Any]:
    found, waiting = {}, [y.node]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found:
            found[node] = node
            waiting += node.parents
    return list(found)


def _watched(rule: Any, returned: list[tuple[Any, Any]], g: Any, saved: Any) -> Any:
    result = rule(locked(g), locked(saved))
    returned.append((result, np.array(result)) if isinstance(result, np.ndarray) else (0, 0))
    return result


@each("row", [row for row in ROWS if row.order], ids=lambda row: row.name)
def test_autolabs_own_rules_need_no_guard(row: Row) -> None:
    """They write to nothing that they are given, and what they returned does not change with what comes after."""
    returned: list[tuple[Any, Any]] = []
    for case in row.cases:
        arrays = case.make(np.random.default_rng(zlib.crc32(f"{row.name} {case.label}".encode())), np.float64)
        xs = [Variable(a) for a in arrays]
        y = case.call(row.function, *xs)
        for edge in [edge for node in _nodes(y) for edge in node.edges if edge.rule is not None]:
            edge.rule = partial(_watched, edge.rule, returned)
        grad([y], xs, [np.ones(y.shape)])
    assert returned
    for now, then in returned:
        np.testing.assert_array_equal(now, then)


def test_which_rules_are_guarded() -> None:
    declared = [f.function for f in map(partial(getattr, F), F.__all__) if hasattr(f, "function")]
    assert len(declared) > 100
    assert not [f.name for f in declared if of_user(f.forward) or any(map(of_user, f.declared.values()))]
    assert of_user(lambda g: g)
