"""NumPy's functions on Variables, with odd arguments: the value that NumPy gives, or an error that says whose it is."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import numpy as np
import pytest

from autolab import Variable
from autolab import functions as F
from autolab.engine import numpy_functions, numpy_protocol

_rng = np.random.default_rng(0)
ARRAYS = [_rng.uniform(0.2, 2, shape) for shape in ((), (3,), (2, 3), (2, 3, 4), (0, 3))]
ARRAYS.append(np.diag([3.0, 4.0, 5.0]) + 0.1)
ODD: list[Any] = [
    *(None, 0, 1, 2, -1, -2, -3, 5, -7, True, False, np.int64(1), np.int32(-1), np.bool_(True), np.array(1)),
    *(np.array([0, 1]), (), (0,), (1,), (0, 1), (1, 0), (-1,), (-1, 0), (0, 0), [], [0], [0, 1], [True, False], [1, 1]),
    *([True, False, True], (np.int64(0),), 1.0, 0.5, "x", slice(0, 1), Ellipsis, (0, 1, 2), (2, 3), (3, 2), np.inf),
    *([[0, 1], [1, 0]], np.nan, ((0, 1), (1, 0)), ((0,), (0,)), np.array(-1)),
]
JOINING = {"concatenate", "stack", "hstack", "vstack", "dstack", "column_stack"}
UNTOUCHED = {"newshape", "out", "dtype", "casting", "like", "order", "where", "subok", "signature", "initial"}
MORE = {
    "clip": "one bound alone",
    "average": "what is empty: NaN with a warning, as mean has it",
    "tensordot": "True for 1 among the axes",
    "trapezoid": "True for an axis, which NumPy 2.0 refuses",
    **dict.fromkeys(("median", "percentile", "quantile"), "no axis of what is empty, which NumPy cannot reshape"),
    **dict.fromkeys(("eigh", "eigvalsh"), "UPLO=None, which reads both triangles"),
}
"""What AutoLab takes and NumPy does not."""
UNASKED = "multi_dot"
"""NumPy asks no row of an array that has none, and complains itself."""


def _tells_parameters(f: Callable[..., Any]) -> bool:
    """Before NumPy 2.4 its functions in C do not."""
    try:
        return bool(inspect.signature(f))
    except ValueError:
        return False


TAKEN = [f for f in dict.fromkeys([*numpy_protocol.declared, *numpy_protocol.adapters]) if not isinstance(f, np.ufunc)]
OWN_LISTS = (np.choose, np.select)
"""NumPy goes through their lists before it asks AutoLab."""
FUNCTIONS = [f for f in TAKEN if _tells_parameters(f) and f not in OWN_LISTS]
KNOWN = {*F.__all__, *[f.__name__ for f in TAKEN], "Variable"}


def _inputs(f: Callable[..., Any]) -> Iterator[tuple[Any, ...]]:
    names = [p.name for p in inspect.signature(f).parameters.values() if p.default is p.empty]
    for array in ARRAYS:
        if f.__name__ in JOINING:
            yield ([array, array],)
        elif f.__name__ == "einsum":
            yield from [(text, array) for text in ("ij->ji", "ij", "i->", "...i", "ii")]
        elif f.__name__ == "where":
            yield array > 1, array, array
        elif {"b", "x2", "v"} & set(names[1:]):
            yield from [(array, array), (array, ARRAYS[1])]
        else:
            yield (array,)


def _calls(f: Callable[..., Any]) -> Iterator[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Every input by itself, and with every odd value for each argument."""
    for arrays in _inputs(f):
        yield arrays, {}
        rest = list(inspect.signature(f).parameters.values())[len(arrays) :]
        rest = [p for p in rest if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD) and p.name not in UNTOUCHED]
        for p in rest if f.__name__ != "einsum" else ():
            needed = {q.name: 1 for q in rest if q.default is q.empty and q is not p}
            for value in ODD:
                yield arrays, {**needed, p.name: value}


def _variables(arrays: tuple[Any, ...]) -> list[Any]:
    """The first array of floats as a Variable."""
    found: list[Any] = []
    for a in arrays:
        if isinstance(a, list):
            a = [Variable(a[0]), *a[1:]]
        elif isinstance(a, np.ndarray) and a.dtype.kind == "f" and not any([isinstance(x, Variable) for x in found]):
            a = Variable(a)
        found.append(a)
    return found


def _arrays(value: Any) -> list[np.ndarray]:
    if isinstance(value, tuple | list):
        return [array for item in value for array in _arrays(item)]
    return [np.asarray(value.data if isinstance(value, Variable) else value)]


def _is_same(found: Any, expected: Any) -> bool:
    pairs = list(zip(_arrays(found), _arrays(expected), strict=True))
    kinds = [(x.shape, x.dtype) == (y.shape, y.dtype) for x, y in pairs]
    return all(kinds) and all([np.allclose(x, y, 1e-10, equal_nan=True) for x, y in pairs])


def _is_named(error: Exception) -> bool:
    about = re.match(r"numpy\.|(\w+)\b", str(error))
    own = type(error).__module__.startswith(("autolab", "builtins"))
    return own and about is not None and about[1] in {None, *KNOWN} and len(str(error)) <= 300


def _outcome(f: Callable[..., Any], args: Any, options: dict[str, Any]) -> tuple[bool, Any]:
    try:
        return True, f(*args, **options)
    except Exception as error:
        return False, error


def _look(f: Callable[..., Any], part: slice) -> int:
    calls = list(_calls(f))[part]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for arrays, options in calls:
            told = f.__name__, [np.shape(a) for a in arrays], {k: ascii(v)[:60] for k, v in options.items()}
            fine, expected = _outcome(f, deepcopy(arrays), options)  # some may overwrite what they are given
            worked, found = _outcome(f, _variables(deepcopy(arrays)), options)
            if not worked:
                assert _is_named(found) or (f.__name__ == UNASKED and not arrays[0].size), (told, found)
            elif fine and f.__name__ == "partition":  # the order on both sides of the place is NumPy's own business
                axis = options.get("axis", -1)
                assert _is_same(np.sort(found, axis), np.sort(expected, axis)), (told, found, expected)
                assert _is_same(np.take(found, options["kth"], axis), np.take(expected, options["kth"], axis)), told
            elif fine:
                assert _is_same(found, expected), (told, found, expected)
            else:
                assert f.__name__ in MORE, (told, found, expected)
    return len(calls)


def _name(f: Callable[..., Any]) -> str:
    return f"{f.__module__}.{f.__name__}"


@pytest.mark.parametrize("f", FUNCTIONS, ids=_name)
def test_some_odd_arguments(f: Callable[..., Any]) -> None:
    assert _look(f, slice(0, None, 7)) > 0


@pytest.mark.full
@pytest.mark.parametrize("f", FUNCTIONS, ids=_name)
def test_all_odd_arguments(f: Callable[..., Any]) -> None:
    assert _look(f, slice(None)) > 0


def test_a_difference_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Control: another value, an error without a name, and a value where NumPy has none."""
    monkeypatch.setattr(numpy_functions, "_NAMED", re.compile(""))  # so that nothing is named afterwards
    adapters: list[Callable[..., Any]] = [
        lambda m, k=1, axes=(0, 1): Variable(np.rot90(m.data, k, axes) + 1),
        lambda m, k=1, axes=(0, 1): Variable(np.rot90(m.data, k, axes)),
        lambda m, k=1, axes=(0, 1): Variable(np.zeros(2)),
    ]
    for adapter in adapters:
        monkeypatch.setitem(numpy_protocol.adapters, np.rot90, adapter)
        with pytest.raises(AssertionError):
            _look(np.rot90, slice(None))


X = np.linspace(0.5, 2, 24).reshape(2, 3, 4)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.take(x, [True, False]),
        lambda x: np.take(x, np.array([[True], [False]]), axis=1),
        lambda x: x.take([True, False]),
        lambda x: np.average(x, axis=(0,), weights=[1.0, 3.0]),
        lambda x: np.average(x, axis=(2, 0), weights=X[:, 0].T),
        lambda x: np.average(x, axis=(0, -1), weights=X[:, 1], keepdims=True),
        lambda x: np.split(x, np.array(3), axis=1)[2],
        lambda x: np.diff(x, np.int64(2), axis=np.array(1)),
    ],
)
def test_values_of_odd_arguments(call: Callable[[Any], Any]) -> None:
    y = call(Variable(X))
    assert y.requires_grad
    np.testing.assert_allclose(y.data, call(X), rtol=1e-14)


REFUSED: list[tuple[Callable[[Any], Any], type[Exception], str]] = [
    (lambda x: np.diff(x, n=-1), ValueError, "diff: n is -1; expected an order of at least 0"),
    (lambda x: np.take(x, [0.5]), TypeError, r"take: indices is \[0.5\]; expected whole numbers"),
    (lambda x: np.average(x, (0,), [1.0]), ValueError, r"average: weights have shape \(1,\); expected \(2,\)"),
    (lambda x: np.average(x, weights=[1.0]), TypeError, r"average: weights have shape \(1,\).* expected axis= as well"),
    (lambda x: np.average(x, 0, [1.0, -1.0]), ZeroDivisionError, "average: the weights add up to 0"),
    (lambda x: np.rot90(x, axes=(0, 0)), ValueError, r"rot90: axes is \(0, 0\); expected two different axes"),
    (lambda x: np.rot90(x, k=None), TypeError, "numpy.rot90: k=None: .*NoneType"),
    (lambda x: np.diag(x), ValueError, r"diag: got shape \(2, 3, 4\); expected 1 to 2 axes"),
    (lambda x: np.vsplit(x[0, 0], 2), ValueError, r"vsplit: got shape \(4,\); expected 2 or more axes"),
    (lambda x: F.split(x, sections=1.5), TypeError, "split: sections is 1.5; expected a number of parts"),
    (lambda x: np.split(x, 2, axis=None), TypeError, "split: axis is None; expected a whole number"),
]


@pytest.mark.parametrize(("call", "error", "message"), REFUSED)
def test_odd_arguments_are_refused_by_name(call: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        call(Variable(X))
