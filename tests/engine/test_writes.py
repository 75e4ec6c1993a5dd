"""Every method, operator and function of NumPy that writes, on every part of a Variable: as NumPy (PyTorch, for its own
names) does it, or an error that says what to write; never nothing."""

from __future__ import annotations

import inspect
import operator
import random
import warnings

import numpy as np
import pytest

import autolab
from autolab import Variable
from autolab import functions as F
from autolab.engine.habit_tables import ALIASES
from autolab.engine.habits import Habit

NEW = np.array([[10.0, -20.0, 30.0], [-40.0, 50.0, -60.0], [70.0, -80.0, 90.0]])
MASK = np.array([[True, False, True], [False, True, False], [True, True, False]])


def like(p):
    """Numbers of the shape of a part."""
    return np.resize(NEW, np.shape(p))


TAKEN = {
    "x[0]": (lambda x: x[0],) * 2,
    "x[-1]": (lambda x: x[-1],) * 2,
    "x[0, 1]": (lambda x: x[0, 1], lambda x: x[0, 1, ...]),
    "x[:2]": (lambda x: x[:2],) * 2,
    "x[:, 1]": (lambda x: x[:, 1],) * 2,
    "x[::2, ::-1]": (lambda x: x[::2, ::-1],) * 2,
    "x[...]": (lambda x: x[...],) * 2,
    "x[:]": (lambda x: x[:],) * 2,
    "x[None]": (lambda x: x[None],) * 2,
    "x[0][1:]": (lambda x: x[0][1:],) * 2,
    "x[mask]": (lambda x: x[MASK],) * 2,
    "x[[0, 2]]": (lambda x: x[[0, 2]],) * 2,
    "x[[0, 1], [1, 2]]": (lambda x: x[[0, 1], [1, 2]],) * 2,
    "x.T": (lambda x: x.T,) * 2,
    "x.mT": (lambda x: x.mT, lambda x: x.T),
    "x.t()": (lambda x: x.t(), lambda x: x.T),
    "x.t()[0]": (lambda x: x.t()[0], lambda x: x.T[0]),
    "x.transpose(1, 0)": (lambda x: x.transpose(1, 0),) * 2,
    "x.permute(1, 0)": (lambda x: x.permute(1, 0), lambda x: x.T),
    "x.swapaxes(0, 1)": (lambda x: x.swapaxes(0, 1),) * 2,
    "x.reshape(-1)": (lambda x: x.reshape(-1),) * 2,
    "x.reshape(9, 1)": (lambda x: x.reshape(9, 1),) * 2,
    "x.view(-1)": (lambda x: x.view(-1), lambda x: x.reshape(-1)),
    "x.ravel()": (lambda x: x.ravel(),) * 2,
    "x.flatten()": (lambda x: x.flatten(), lambda x: x.reshape(-1)),
    "x.reshape(-1)[0:4]": (lambda x: x.reshape(-1)[0:4],) * 2,
    "x[None].squeeze()": (lambda x: x[None].squeeze(),) * 2,
    "x.unsqueeze(0)": (lambda x: x.unsqueeze(0), lambda x: x[None]),
    "x.diagonal()": (lambda x: x.diagonal(), lambda x: np.einsum("ii->i", x)),
    "x.diagonal(1)": (lambda x: x.diagonal(1), lambda x: np.einsum("ii->i", x[:2, 1:])),
    "next(iter(x))": (lambda x: next(iter(x)),) * 2,
    "list(x)[1]": (lambda x: list(x)[1],) * 2,
    "a, b, c = x": (lambda x: list(x)[2],) * 2,
    "x.split(1)[1]": (lambda x: x.split(1)[1], lambda x: x[1:2]),
    "x.chunk(3)[0]": (lambda x: x.chunk(3)[0], lambda x: x[:1]),
    "x.unbind()[0]": (lambda x: x.unbind()[0], lambda x: x[0]),
    "x.select(0, 1)": (lambda x: x.select(0, 1), lambda x: x[1]),
    "x.narrow(0, 1, 2)": (lambda x: x.narrow(0, 1, 2), lambda x: x[1:3]),
    "x.flip(0)": (lambda x: np.flip(x, 0), lambda x: x[::-1]),
    "np.split": (lambda x: np.split(x, 3)[1], lambda x: x[1:2]),
    "np.ravel": (np.ravel,) * 2,
    "np.transpose": (np.transpose,) * 2,
    "np.squeeze": (lambda x: np.squeeze(x[:, None]), lambda x: x),
    "np.expand_dims": (lambda x: np.expand_dims(x, 1),) * 2,
    "np.moveaxis": (lambda x: np.moveaxis(x, 0, 1),) * 2,
    "np.diagonal": (np.diagonal, lambda x: np.einsum("ii->i", x)),
    "np.atleast_2d": (lambda x: np.atleast_2d(x[1]),) * 2,
    "F.reshape": (lambda x: F.reshape(x, (9,)), lambda x: x.reshape(9)),
    "F.split": (lambda x: F.split(x, 3)[0], lambda x: x[:1]),
    "x.detach()": (lambda x: x.detach(), lambda x: x),
    "x": (lambda x: x,) * 2,
}
"""How a part is taken from a Variable, and how NumPy takes the same view."""


def fill(value):
    def write(p):
        p[...] = value

    return write


def along(p):
    np.put_along_axis(p, np.zeros((1,) * p.ndim, int), 7.0, 0)


def first(p):
    p[(0,) * p.ndim] = 7.5


METHODS = {
    "add_": ((3.0,), lambda p: np.add(p, 3, out=p)),
    "sub_": ((3.0,), lambda p: np.subtract(p, 3, out=p)),
    "mul_": ((3.0,), lambda p: np.multiply(p, 3, out=p)),
    "div_": ((4.0,), lambda p: np.divide(p, 4, out=p)),
    "fill_": ((5.0,), fill(5.0)),
    "zero_": ((), fill(0.0)),
    "copy_": ((like,), lambda p: fill(like(p))(p)),
    "clamp_": ((2.0, 4.0), lambda p: np.clip(p, 2, 4, out=p)),
    "masked_fill_": ((lambda p: like(p) > 0, 7.0), lambda p: np.putmask(p, like(p) > 0, 7.0)),
    "relu_": ((), lambda p: np.maximum(p, 0, out=p)),
    "scatter_": ((0, lambda p: np.zeros((1,) * p.ndim, int), 7.5), first),
    "uniform_": ((), None),
    "normal_": ((), None),
}
"""The arguments of each method that writes, and what NumPy writes to the view; None for random numbers."""

OPERATORS = {
    "+=": lambda p, v: p.__iadd__(v),
    "-=": lambda p, v: p.__isub__(v),
    "*=": lambda p, v: p.__imul__(v),
    "/=": lambda p, v: p.__itruediv__(v),
    "//=": lambda p, v: p.__ifloordiv__(v),
    "%=": lambda p, v: p.__imod__(v),
    "**=": lambda p, v: p.__ipow__(v),
}

FUNCTIONS = {
    "np.copyto": lambda p: np.copyto(p, 7.0),
    "np.put": lambda p: np.put(p, [0], 7.0),
    "np.place": lambda p: np.place(p, like(p) > 0, [7.0]),
    "np.putmask": lambda p: np.putmask(p, like(p) > 0, 7.0),
    "np.put_along_axis": along,
    "np.fill_diagonal": lambda p: np.fill_diagonal(p, 7.0),
    "np.add.at": lambda p: np.add.at(p, ..., 7.0),
    "np.add(out=)": lambda p: np.add(p, 7.0, out=p),
    "np.exp(out)": lambda p: np.exp(p, p),
    "np.clip(out=)": lambda p: np.clip(p, 2.0, 4.0, out=p),
    "np.cumsum(out=)": lambda p: np.cumsum(p, 0, out=p),
    "p[...] = v": fill(7.0),
    "p.data = v": None,
}

REFUSALS = (ValueError, TypeError, AttributeError, RuntimeError, IndexError)


def numbers():
    return np.arange(1.0, 10.0).reshape(3, 3)[::-1].copy()


WHOLES = {
    "a constant": lambda: Variable(numbers(), requires_grad=False),
    "a leaf": lambda: Variable(numbers()),
    "a computed value": lambda: Variable(numbers()) * 1,
    "a reshaped value": lambda: autolab.zeros(9).reshape(3, 3) + 0 + numbers(),
    "a gradient": lambda: gradient(),
}


def gradient():
    w = Variable(np.ones((3, 3)))
    (w * numbers()).sum().backward()
    KEPT.append(w)
    return w.grad


KEPT: list[Variable] = []


def of_method(name):
    arguments, oracle = METHODS[name]

    def write(p):
        getattr(p, name)(*[a(p) if callable(a) else a for a in arguments])

    return write, oracle


def of_operator(sign):
    def write(p):
        exec(f"p {sign} 3.0", {"p": p})

    def oracle(p):
        exec(f"p {sign} 3.0", {"p": p})

    return write, oracle


def cases():
    for name in METHODS:
        yield name, *of_method(name)
    for sign in OPERATORS:
        yield sign, *of_operator(sign)
    for name, write in FUNCTIONS.items():
        if write is None:
            yield name, lambda p: setattr(p, "data", like(p)), lambda p: fill(like(p))(p)
        else:
            yield name, write, write


def changed_alike(whole, way, name, no_grad):
    """None if the write has NumPy's effect or is refused, else what is wrong."""
    (take, viewed), (write, oracle) = TAKEN[way], {n: (w, o) for n, w, o in cases()}[name]
    x = WHOLES[whole]()
    with autolab.using_config("enable_backprop", not no_grad):
        before = x.data.copy()
        p = take(x)
        try:
            write(p)
        except REFUSALS as error:
            return (
                None if np.array_equal(x.data, before) and len(str(error)) <= 300 else f"refused, but changed: {error}"
            )
        if oracle is None:
            return None if not np.array_equal(x.data, before) or p is not x else "nothing happened"
        expected = before.copy()
        seen = viewed(expected)
        if name in OPERATORS and (seen.ndim == 0 or way == "x"):
            return None  # of NumPy's scalars, it is a new number; and ``x += 1`` gives the name x to a new value
        try:
            oracle(seen)
        except REFUSALS as error:
            return f"NumPy refuses: {error!s:.60}"
        if not np.allclose(x.data, expected, equal_nan=True):
            return f"got {x.data.tolist()} expected {expected.tolist()}"
        if name not in OPERATORS and not np.allclose(p.data, seen, equal_nan=True):
            return f"the part is {p.data.tolist()} expected {seen.tolist()}"
    return None


def everything():
    return [(w, t, n, g) for w in WHOLES for t in TAKEN for n, _, _ in cases() for g in (False, True)]


def wrong(some):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return [(*case, found) for case in some if (found := changed_alike(*case)) is not None]


def test_a_write_to_a_part_has_numpys_effect_or_is_refused():
    some = random.Random(0).sample(everything(), 150)
    assert not wrong(some)


@pytest.mark.full
def test_every_write_to_every_part_has_numpys_effect_or_is_refused():
    assert not wrong(everything())


STATEMENTS = [f"{way}.{name}" for way in TAKEN for name in METHODS] + [f"{way}[...] = 7.0" for way in TAKEN]


def silent(whole, statement, no_grad):
    """Whether a statement about an operand without a name does nothing, without a word."""
    way, dot, name = statement.rpartition(".")
    if dot and name in METHODS:
        arguments = [a(numbers()[0]) if callable(a) else a for a in METHODS[name][0]]
        source = f"take(x).{name}({', '.join([f'arguments[{i}]' for i in range(len(arguments))])})"
    else:
        way, source, arguments = statement.removesuffix("[...] = 7.0"), "take(x)[...] = 7.0", []
    x = WHOLES[whole]()
    before, take = x.data.copy(), TAKEN[way][0]
    with autolab.using_config("enable_backprop", not no_grad):
        try:
            exec(source, {"take": take, "x": x, "arguments": arguments})
        except REFUSALS:
            return False
    return np.array_equal(x.data, before)


def test_no_statement_silently_changes_nothing():
    every = [(w, s, g) for w in WHOLES for s in STATEMENTS for g in (False, True)]
    assert not [case for case in random.Random(1).sample(every, 150) if silent(*case)]
    for one in ("x[mask].fill_", "x[[0, 2]].zero_", "x[mask][...] = 7.0", "x[0, 1].zero_"):
        assert not [(w, one) for w in WHOLES if silent(w, one, False)]


def test_rows_in_a_loop_and_in_a_list():
    for no_grad in (False, True):
        for make in WHOLES.values():
            w = make()
            with autolab.using_config("enable_backprop", not no_grad):
                with pytest.raises(ValueError, match=r"h\[0\] \*= 2"):
                    for row in w:
                        row *= 2.0
                rows = list(w)
                with pytest.raises(ValueError, match="view of another array"):
                    rows[0] += 1.0
                first, *_ = w
                with pytest.raises(ValueError, match="view of another array"):
                    first -= 1.0
                q = w[0]
                for element in q:  # numbers, in NumPy as well
                    element += 1.0
    z = Variable(np.arange(3.0), requires_grad=False)
    with pytest.raises(ValueError, match="view"):
        for element in z:
            element.mul_(2.0)


AT = [
    0,
    -1,
    (0, 1),
    slice(0, 2),
    (slice(None), 1),
    ...,
    None,
    MASK,
    [0, 2],
    ([0, 1], [1, 2]),
    (slice(None, None, 2), 0),
]


def test_an_element_of_the_whole_can_be_changed_by_any_operator():
    """``w[0] += 1`` takes a part, and puts it back."""
    for no_grad in (False, True):
        for name, make in WHOLES.items():
            for at in AT:
                for sign in OPERATORS:
                    x = make()
                    if name == "a leaf" and not no_grad:
                        continue
                    expected = x.data.copy()
                    exec(f"a[at] {sign} 2.0", {"a": expected, "at": at})
                    with autolab.using_config("enable_backprop", not no_grad):
                        exec(f"x[at] {sign} 2.0", {"x": x, "at": at})
                    np.testing.assert_allclose(x.data, expected, err_msg=f"{name}, {at}, {sign}")
                    assert name != "a computed value" or no_grad or x.requires_grad


def test_what_is_no_part_can_be_changed():
    """A view whose whole is gone, a copy, an own array, and a leaf that was made of a part."""
    h = F.tanh(Variable(numbers())).reshape(-1)
    h += 1.0  # tanh keeps the array for its gradient, but nobody else can see it
    i, f = np.split(Variable(np.ones((3, 4))) * 2, 2, 1)
    i += f
    batch = Variable(numbers(), requires_grad=False)[[0, 1]]
    batch.sub_(1.0)
    np.testing.assert_array_equal(batch.data, numbers()[[0, 1]] - 1)
    table = numbers()
    rows = Variable(table[:2], requires_grad=False)
    rows.zero_()
    rows[0] = 1.0
    np.testing.assert_array_equal(rows.data, [[1, 1, 1], [0, 0, 0]])
    np.testing.assert_array_equal(table, numbers())
    rows.__setitem__(0, 2.0)
    operator.setitem(rows, 1, 3.0)
    np.testing.assert_array_equal(rows.data, [[2, 2, 2], [3, 3, 3]])
    operator.methodcaller("zero_")(rows)
    assert not rows.data.any()
    w = Variable(numbers(), requires_grad=False)
    row = w[0].requires_grad_()
    with autolab.no_grad():
        row -= 1.0
        row.mul_(2.0)
    assert row.data.tolist() == [12.0, 14.0, 16.0]
    total = 0
    for element in Variable(np.arange(3.0)):
        total += element
    first = Variable(np.arange(3.0))[0]
    first += 1.0
    assert float(total.data) == 3.0


def test_orders_that_numpys_arrays_take_are_no_statements_here():
    x = Variable([3.0, 1.0, 2.0], requires_grad=False)
    with pytest.raises(TypeError, match=r"x = x\.sort\(\)"):
        x.sort()
    with pytest.raises(TypeError, match=r"x = x\.at\[i\]\.set\(v\)"):
        x.at[0].set(5.0)
    with pytest.raises(TypeError, match=r"x = x\.at\[i\]\.add\(v\)"):
        x.at[0].add(5.0)
    assert x.sort().data.tolist() == [1.0, 2.0, 3.0] and x.at[0].set(5.0).data[0] == 5.0


def test_what_was_computed_before_a_write_of_numpys_stays_right():
    """They changed the array itself, which the gradient of an earlier step needed."""
    for write in FUNCTIONS.values():
        w, x = Variable(numbers()), Variable(numbers(), requires_grad=False)
        y = (w * x).sum()
        try:
            write(x)
        except (*REFUSALS, TypeError):
            continue
        y.backward()
        np.testing.assert_array_equal(w.grad.data, numbers())


def test_every_method_that_writes_is_known_here():
    names = {n for n in [*dir(Variable), *ALIASES["Variable"]] if n.endswith("_") and not n.endswith("__")}
    names -= {n for n in names if isinstance(inspect.getattr_static(Variable, n, None), Habit)}  # a sentence
    assert names - {"_repr_mimebundle_", "requires_grad_"} == set(METHODS)
    own = {n for n in vars(Variable) if n.startswith("__i") and n[3:-2] in OPERATIONS}
    assert own == {f"__i{n}__" for n in OPERATIONS}


OPERATIONS = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or"]
