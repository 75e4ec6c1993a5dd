"""The fast paths of declared functions give the graph that `Primitive.apply` gives, values and errors included."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

import numpy as np
import pytest
from helpers.cases import Case
from helpers.each import each
from helpers.function_table import ROWS
from helpers.rows import Row
from helpers.signatures import direct_names

import autolab
from autolab import Variable, elementwise, grad, primitive
from autolab import functions as F
from autolab.engine.modes import watchers
from autolab.engine.node import Node
from autolab.engine.primitive import Primitive

DTYPES = (np.float64, np.float32, np.float16, np.int64, np.uint8, np.bool_)


@contextmanager
def the_long_way() -> Iterator[None]:
    """Within it somebody seems to listen, so that every fast path hands over to `apply`; nobody hears of it."""
    token = object()
    watchers.add(token)
    try:
        yield
    finally:
        watchers.discard(token)


def _plain(value: Any) -> Any:
    """What was kept, by value."""
    if isinstance(value, tuple):
        return tuple([_plain(item) for item in value])
    if not isinstance(value, np.ndarray):
        return repr(value)
    return value.shape, value.dtype, [*map(str, value.flat)] if value.dtype.char in "Og" else value.tobytes()


def _graph(ys: Any, leaves: list[Node | None]) -> list[Any]:
    """All that results are made of: values, and node by node the function and its edges."""
    ys = ys if isinstance(ys, tuple | list) else (ys,)
    found: list[Any] = [(type(y), _plain(np.asarray(getattr(y, "data", y)))) for y in ys]
    numbers: dict[Node, int] = {node: -i for i, node in enumerate(leaves, 1) if node is not None}
    waiting = [y.node for y in ys if isinstance(y, Variable) and y.node is not None]
    while waiting:
        node = waiting.pop(0)
        if node in numbers:
            found.append(numbers[node])
            continue
        numbers[node] = len(numbers)
        known = getattr(node.function, "schema", None)
        found.append(node.function if known else type(node.function))
        for edge in node.edges:
            found += [edge.place, _plain(edge.saved)] if known else []
            waiting.append(edge.parent)
    return found


def _gradients(ys: Any, xs: list[Variable], create_graph: bool) -> list[Any]:
    """Gradients with their dtypes, whatever an edge says about fitting them."""
    ys = [y for y in (ys if isinstance(ys, tuple | list) else (ys,)) if isinstance(y, Variable) and y.requires_grad]
    starts = [np.linspace(-1, 2, y.size).reshape(y.shape).astype(y.dtype) for y in ys]
    found = grad(ys, xs, starts, create_graph) if ys else ()
    return [None if g is None else _plain(g.data) for g in found]


def _outcome(call: Callable[..., Any], arrays: Any, make: Callable[[Any], Any], orders: bool = True) -> Any:
    """The graph and the gradients of a call, or what it complains about."""
    xs = [make(a) for a in arrays]
    variables = [x for x in xs if isinstance(x, Variable)]
    try:
        with np.errstate(all="ignore"):
            y = call(*xs)
            graph = _graph(y, [x.node for x in variables])
            return graph, *[_gradients(y, variables, again) for again in (False, True)[: 1 + orders]]
    except Exception as error:
        return type(error), str(error)


def _assert_same(call: Callable[..., Any], arrays: Any, make: Callable[[Any], Any], orders: bool = True) -> Any:
    short = _outcome(call, arrays, make, orders)
    with the_long_way():
        assert short == _outcome(call, arrays, make, orders)
    return short


def _inputs(case: Case, dtypes: tuple[type, ...]) -> list[np.ndarray]:
    made = case.make(np.random.default_rng(7), np.float64)
    kinds = [dtypes[i % len(dtypes)] if a.dtype.kind == "f" else a.dtype for i, a in enumerate(made)]
    return [a.astype(kind) for a, kind in zip(made, kinds, strict=True)]


def _compare(row: Row, each: tuple[tuple[type, ...], ...]) -> int:
    gone = [
        _assert_same(lambda *xs, case=case: case.call(row.function, *xs), _inputs(case, dtypes), make, row.order > 1)
        for case in row.cases
        for dtypes in each
        for make in (Variable, np.asarray)
    ]
    return len(gone)


@each("row", ROWS, ids=lambda row: row.name)
def test_every_function_gives_the_same_graph(row: Row) -> None:
    """R1's table, each case with Variables and with arrays; half precision and mixed dtypes among them."""
    first = row.cases[:1]
    assert _compare(row, ((np.float64,),)) == 2 * len(row.cases)
    _compare(Row(row.function, row.reference, first, order=row.order), (*[(d,) for d in DTYPES], DTYPES[1:3]))
    with autolab.no_grad():
        _compare(Row(row.function, row.reference, first, order=row.order), ((np.float64,),))


@pytest.mark.full
@each("row", ROWS, ids=lambda row: row.name)
def test_every_function_gives_the_same_graph_for_every_dtype(row: Row) -> None:
    each = tuple(product(DTYPES, repeat=1)) + tuple(product(DTYPES[:4], repeat=2))
    assert _compare(row, each) == 2 * len(row.cases) * len(each)


X = np.linspace(0.5, 2, 6).reshape(2, 3)
ODD: list[Any] = [
    *(X, X[0], X[:1].astype(np.float32), X.astype(np.float16), np.array(2.0), np.arange(1, 4), np.array([True] * 3)),
    *(np.float32(2), 2.0, 3, True, -0.0, float("nan"), 2**70, 10**400, [1.0, 2.0, 3.0], None, "text", 1j, X + 1j),
    *(np.zeros((0, 3)), X.T, np.ma.masked_array(X), np.ones(3, object), [[1.0], [2.0, 3.0]], np.longdouble(2)),
]


def _constant(value: Any) -> Variable:
    return Variable(value, requires_grad=False)


@pytest.mark.parametrize("name", ["add", "mul", "pow", "maximum", "where", "matmul", "tanh", "sum", "linear"])
def test_odd_operands_and_wrong_ones_are_met_alike(name: str) -> None:
    function = getattr(F, name)
    arity = min(len(function.function.inputs), 2)
    rest = [X > 1, X][: len(function.function.inputs) - arity] if name == "where" else []
    kept = ODD if arity == 2 else [*ODD, X[::-1]]
    makes = (Variable, _constant, lambda value: value)
    compared = 0
    for values in product(kept, repeat=arity):
        for ways in product(makes, repeat=arity):
            try:
                args = [make(value) for make, value in zip(ways, values, strict=True)]
            except Exception:
                continue  # no Variable of that
            _assert_same(lambda *xs: function(*rest, *xs), args, lambda x: x, False)
            compared += 1
    assert compared > (3000 if arity == 2 else 60)


@pytest.mark.parametrize("name", ["tanh", "mul", "sum", "linear", "where"])
def test_wrong_calls_are_met_alike(name: str) -> None:
    function, x = getattr(F, name), Variable(X)
    for arity in range(5):
        for attributes in ({}, {"axis": 1}, {"nothing": 1}, {"x": 1}, {"keepdims": True, "axis": 9}):
            _assert_same(lambda *xs, a=attributes: function(*xs, **a), [x] * arity, lambda v: v)


def test_what_stands_beside_the_input_of_a_function_without_attributes() -> None:
    """None is what a ufunc has there by itself, and PyTorch's ``inplace`` changes no result."""
    x = Variable(X)
    for y in (F.tanh(x, None), F.tanh(x, None, dtype=None), F.tanh(x, out=None, inplace=True)):
        assert y.data.tobytes() == np.tanh(X).tobytes() and y.requires_grad
    for wrong, message in (
        (lambda: F.tanh(x, unknown=1), "tanh: got a keyword 'unknown'; expected x"),
        (lambda: F.tanh(x, x=x), "tanh: got a keyword 'x'; expected x"),
        (lambda: F.tanh(x, function=1), "tanh: got a keyword 'function'; expected x"),
        (lambda: F.tanh(x, X.copy()), "tanh: does not take 'out'"),
        (lambda: F.tanh(x, None, X > 0), "tanh: does not take 'where'"),
        (lambda: F.tanh(X, dtype="f4"), "tanh: does not take 'dtype'"),
    ):
        with pytest.raises(TypeError, match=message):
            wrong()


def test_the_only_input_may_be_left_out() -> None:
    @primitive(x=lambda g: g)
    def made(xp: Any, x: Any = None) -> Any:
        return xp.zeros(2) if x is None else xp.copy(x)

    x = Variable(X)
    assert made().tolist() == made(None).tolist() == [0.0, 0.0]
    assert made(x=x).requires_grad and made(x).requires_grad and made(x=X).tolist() == X.tolist()


def test_a_difference_would_be_found() -> None:
    """Control: what a fast path of old forgot, and that the long way is `apply`."""
    tanh = F.tanh.function
    seen: list[Any] = []
    plain = Primitive.apply
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Primitive, "apply", lambda self, *rest: seen.append(self) or plain(self, *rest))
        F.tanh(Variable(1.0))
        assert seen == []
        with the_long_way():
            F.tanh(Variable(1.0))
    assert seen == [tanh]
    x = Variable(X)
    good = _graph(F.tanh(x), [x.node])
    for spoil in (
        lambda y: setattr(y.node, "saved", x.data),
        lambda y: setattr(y, "node", None),
        lambda y: setattr(y.node, "parent", Variable(1.0).node),
        lambda y: setattr(y, "_data", y.data.astype(np.float32)),
    ):
        y = F.tanh(x)
        spoil(y)
        assert _graph(y, [x.node]) != good


# ---------------------------------------------------------------------- forwards that are one call of NumPy's
@each(("name", "arity"), direct_names())
def test_a_forward_that_is_one_call_is_like_any_other(name: str, arity: int) -> None:
    """``return xp.isnan(x)`` has no gradient, whatever its rule says, as on two lines."""
    forward = {1: "def made(xp, a): return xp.{}(a)", 2: "def made(xp, a, b): return xp.{}(a, b)"}[arity]
    space: dict[str, Any] = {"__name__": "autolab.of_a_test"}  # AutoLab's own skip the look at shapes
    exec(forward.format(name), space)
    rules = {"a": lambda g: g, "b": lambda g: g} if arity == 2 else {"a": lambda g: g}
    function: Any = (elementwise if isinstance(getattr(np, name), np.ufunc) else primitive)(**rules)(space["made"])
    assert function.function.direct == name
    for dtypes in product(DTYPES, repeat=arity):
        for shape in ((), (3,)):
            _assert_same(function, [np.ones(shape, dtype) for dtype in dtypes], Variable, False)
    x = np.array([0.25, 0.5])
    with np.errstate(all="ignore"):
        y = function(*[Variable(x)] * arity)
    assert y.requires_grad == (y.dtype.kind == "f")
