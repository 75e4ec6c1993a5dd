"""Every NumPy function that is taken, with every parameter of its signature, every dtype and layout, beside NumPy.

What comes is what NumPy gives, of the same dtype and shape and equal to rounding, or a refusal that names the function
and what it does not take. Gradients are compared with differences.
"""

from __future__ import annotations

import inspect
import re
import warnings
import zlib
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from autolab import Variable, grad
from autolab import functions as F
from autolab.engine import numpy_protocol
from autolab.engine.errors import DetachError

DTYPES = [np.dtype(name) for name in ("f8", "f2", "f4", "?", "u1", "i1", "i8")]
LAYOUTS = ("plain", "strided", "turned", "list", "single", "empty")
MASK = np.array([[True, False, True], [False, True, True]])


class Drawn:
    """Stands for an array of a shape, of the dtype and layout of the case."""

    def __init__(self, *shape: int, kind: str = "any") -> None:
        self.shape, self.kind = shape, kind

    def made(self, rng: np.random.Generator, dtype: np.dtype, layout: str) -> Any:
        shape = self.shape
        if layout == "single" and self.kind != "matrix":
            shape = ()
        if layout == "empty" and shape:
            shape = (0,) * len(shape) if self.kind == "matrix" else (*shape[:-1], 0)
        grown = (*shape[:-1], 2 * shape[-1]) if shape and layout == "strided" else shape
        if self.kind == "sorted":
            a = np.sort(rng.uniform(0.5, 120, grown), axis=-1) if grown else np.array(7.0)
        elif self.kind == "spread":
            a = rng.permutation(np.prod(grown, dtype=int)).reshape(grown) * 1.37 + 0.4
        else:
            a = (
                rng.uniform(-2, 2, grown)
                if dtype.kind == "f"
                else rng.uniform(0, 255 if dtype.kind == "u" else 120, grown)
            )
        if dtype.kind == "i" and self.kind != "sorted":
            a = a * rng.choice([-1, 1], grown)
        if self.kind == "definite":
            a = a @ a.T + 3 * np.eye(len(a)) if shape else a
        a = np.asarray(a.astype(dtype) if dtype.kind != "b" else a % 7 > 3)
        if layout == "strided" and shape:
            a = a[..., ::2]
        elif layout == "turned":
            a = np.asfortranarray(a[::-1])[::-1] if a.ndim else a
        return a


A = Drawn(2, 3)
V = Drawn(4)
SQUARE, DEFINITE = Drawn(3, 3, kind="matrix"), Drawn(3, 3, kind="definite")
"""Arguments that a function needs: those of its parameters without default, in their order."""
NEEDED: dict[str, list[tuple[Any, ...]]] = {
    "reshape": [(A, (3, 2)), (A, -1)],
    "broadcast_to": [(A, (4, 2, 3))],
    "take_along_axis": [(A, np.array([[0, 1], [2, 0]]))],
    "swapaxes": [(A, 0, 1)],
    "moveaxis": [(A, 0, 1)],
    "rollaxis": [(A, 1)],
    "expand_dims": [(A, 1), (A, (0, 2))],
    "squeeze": [(Drawn(1, 3),)],
    "repeat": [(A, 2), (V, [1, 0, 2, 3])],
    "tile": [(A, 2), (A, (2, 1, 2))],
    "pad": [(A, 1), (A, ((1, 0), (2, 2)))],
    "roll": [(A, 1), (A, np.uint8(1))],
    "inv": [(SQUARE,)],
    "det": [(SQUARE,)],
    "slogdet": [(SQUARE,)],
    "cholesky": [(DEFINITE,)],
    "eigh": [(DEFINITE,)],
    "eigvalsh": [(DEFINITE,)],
    "pinv": [(A,), (SQUARE,)],
    "solve": [(SQUARE, Drawn(3)), (SQUARE, Drawn(3, 2))],
    "tensordot": [(Drawn(2, 3, 2), Drawn(3, 2, 4))],
    "dot": [(A, Drawn(3, 2)), (V, V), (A, Drawn())],
    "outer": [(V, V)],
    "inner": [(A, Drawn(4, 3)), (V, V)],
    "vdot": [(A, A)],
    "matmul": [(A, Drawn(3, 2)), (V, V)],
    "kron": [(A, Drawn(2, 2)), (V, A)],
    "cross": [(A, A), (Drawn(3), A), (Drawn(2), Drawn(3))],
    "einsum": [("ij->ji", A), ("ij,jk", A, Drawn(3, 2)), ("i,i->", V, V), ("ij->", A), ("ii->i", SQUARE)],
    "concatenate": [([A, A],), ([A, Drawn(1, 3)],), ([A, [[1, 2, 3]]],)],
    "stack": [([A, A],)],
    "hstack": [([A, A],), ([V, V],), ([V, [1, 2]],)],
    "vstack": [([A, Drawn(3)],)],
    "dstack": [([A, A],)],
    "column_stack": [([V, Drawn(4, 2)],)],
    "split": [(Drawn(4, 3), 2), (Drawn(4, 3), [1, 3])],
    "array_split": [(Drawn(5, 3), 2), (Drawn(4, 3), [1, 3])],
    "vsplit": [(Drawn(4, 3), 2)],
    "hsplit": [(Drawn(3, 4), 2)],
    "dsplit": [(Drawn(2, 3, 4), 2)],
    "select": [([MASK, ~MASK], [A, A]), ([MASK], [A])],
    "choose": [(np.array([[0, 1, 0], [1, 1, 0]]), [A, A])],
    "compress": [([True, False], A), ([True, False, True, False], V), (np.array([0, 1]), A)],
    "extract": [(MASK, A)],
    "where": [(MASK, A, A), (MASK, A, 1), (MASK, 2.5, A)],
    "cov": [(A,), (V,)],
    "corrcoef": [(A,), (V,)],
    "interp": [
        (Drawn(5), Drawn(4, kind="sorted"), V),
        (V, Drawn(1, kind="sorted"), Drawn(1)),
        (V, [0, 50, 100, 200], Drawn(4)),
        (V, np.array([1, 1, 3, 3]), Drawn(4)),
    ],
    "linspace": [(Drawn(), Drawn()), (A, Drawn(3)), (V, V)],
    "multi_dot": [([A, Drawn(3, 2), Drawn(2, 2)],)],
    "cond": [(SQUARE,)],
    "polyval": [(V, Drawn(3)), ([2, 1], V), (V, 3)],
    "svd": [(SQUARE,), (A,)],
    "matrix_power": [(SQUARE, 2), (SQUARE, 0), (SQUARE, -1)],
    "matrix_norm": [(A,)],
    "take": [(A, [0, 2]), (A, 1), (V, np.array([[0, 3], [1, 1]], np.uint8))],
    "diag": [(V,), (A,), (SQUARE,)],
    "append": [(A, A), (V, [1, 2]), (V, 2.5)],
    "block": [([[A, A], [A, A]],), ([V, V],)],
    "delete": [(A, 1), (V, [0, 2]), (V, slice(1, 3))],
    "insert": [(A, 1, 7), (V, 1, 2.5), (V, [0, 2], Drawn(2))],
    "partition": [(Drawn(5, kind="spread"), 2)],
    "qr": [(A,), (Drawn(3, 2),)],
    "lstsq": [(Drawn(3, 2), Drawn(3)), (Drawn(3, 2), Drawn(3, 2))],
    "convolve": [(V, Drawn(3)), (Drawn(2), V)],
    "correlate": [(V, Drawn(3)), (V, V), (Drawn(2), V)],
    "quantile": [(A, 0.3), (A, [0.0, 0.25, 1.0])],
    "percentile": [(A, 30), (A, [0, 25.0, 100])],
    "gradient": [(V,), (A,), (V, 2), (A, 0.5, 2), (V, [0, 1, 3, 4])],
    "atleast_1d": [(A,), (Drawn(),), (V, 2)],
    "atleast_2d": [(A,), (Drawn(),)],
    "atleast_3d": [(A,), (V,)],
    "broadcast_arrays": [(A, Drawn(3))],
    "ix_": [(V, Drawn(2))],
    "meshgrid": [(V, Drawn(3)), (V,)],
    "rot90": [(A,)],
    "diff": [(A,), (V,)],
    "trapezoid": [(A,), (V,)],
    "average": [(A,)],
    "vector_norm": [(V,), (A,)],
    "norm": [(V,), (A,)],
    "diagonal": [(SQUARE,), (A,)],
    "trace": [(SQUARE,), (A,)],
    "sort": [(A,)],
    "cumsum": [(A,)],
    "clip": [(A, 1, 2), (A, None, 1), (A, -1.5), (V, V, 100), (A, [1, 0, 2], None)],
}
AXES = [0, 1, -1, (0,), None]
"""What a parameter may be other than its default, by its name, or by function and name."""
OTHERS: dict[str, list[Any]] = {
    "axis": AXES,
    "axes": [(1, 0), (0, 1), 1, ([1], [0])],
    "keepdims": [True],
    "dtype": [np.float32, "f8", int],
    "out": [np.zeros((2, 3))],
    "initial": [3],
    "where": [MASK, True, np.array([[True], [False]])],
    "ddof": [1, 0.5, 7],
    "correction": [1],
    "mean": [A],
    "order": ["F", "A", "C"],
    "copy": [True, False],
    "subok": [True],
    "casting": ["unsafe"],
    "kind": ["stable"],
    "stable": [True],
    "offset": [1, -1],
    "axis1": [1],
    "axis2": [0],
    "k": [1, -1, 2],
    "decimals": [1, -1],
    "constant_values": [2, (1, 2)],
    "mode": [
        "reflect",
        "edge",
        "wrap",
        "symmetric",
        "linear_ramp",
        "maximum",
        "mean",
        "minimum",
        "median",
        "empty",
        "same",
        "valid",
        "full",
        "clip",
        "raise",
        "r",
        "complete",
        "raw",
    ],
    "nan": [1.0],
    "posinf": [2.0],
    "neginf": [-2.0],
    "min": [0],
    "max": [1],
    "ord": [1, 2, np.inf, -np.inf, 0, 3, "fro", "nuc", -1, -2, 0.5],
    "upper": [True],
    "UPLO": ["U", "L"],
    "rcond": [0.5, 1e-3],
    "rtol": [0.5],
    "hermitian": [True],
    "full_matrices": [False],
    "compute_uv": [False],
    "default": [5, A],
    "y": [A, [7, 1, 30]],
    "rowvar": [False],
    "bias": [True],
    "fweights": [np.array([2, 1, 3])],
    "aweights": [np.array([0.5, 1, 2])],
    "left": [-1.0],
    "right": [9.0],
    "period": [30.0, 360],
    "start": [1, -1, 2],
    "num": [1, 2, 0, 7],
    "endpoint": [False],
    "retstep": [True],
    "device": ["cpu"],
    "p": [1, 2, "fro", -2, np.inf],
    "x": [A, [1, 2, 5]],
    "dx": [0.5, 2],
    "weights": [A, [1, 2, 3], np.array([1.0, 2.0])],
    "returned": [True],
    "n": [2, 0],
    "prepend": [0, A],
    "append": [1, A],
    "axisa": [0],
    "axisb": [0],
    "axisc": [0],
    "edge_order": [2],
    "sparse": [True],
    "indexing": ["ij"],
    "optimize": [True],
    "overwrite_input": [True],
    "method": ["lower", "higher", "nearest", "midpoint", "median_unbiased"],
    "repeats": [],
    "end_values": [1],
    "stat_length": [1],
    "reflect_type": ["odd"],
    "a_min": [0],
    "a_max": [1],
}
EXTRA = {
    "pad": ("constant_values", "end_values", "stat_length", "reflect_type"),
    "clip": ("dtype", "where"),
    "einsum": ("dtype", "order"),
}
"""What stands behind ``**kwargs``."""


def taken() -> list[Callable[..., Any]]:
    found = dict.fromkeys([*numpy_protocol.declared, *numpy_protocol.adapters])
    return [f for f in found if not isinstance(f, np.ufunc)]


def ufuncs() -> list[Any]:
    return [f for f in numpy_protocol.declared if isinstance(f, np.ufunc)]


def parameters(f: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(f).parameters)
    except ValueError:  # in C, before NumPy 2.4
        return {}


def needed(f: Callable[..., Any]) -> list[tuple[Any, ...]]:
    if isinstance(f, np.ufunc):
        return [(A, A), (A, Drawn(3)), (A, 2), (A, 0.5)] if f.nin == 2 else [(A,)]
    return NEEDED.get(f.__name__, [(A,), (V,)] if f.__name__ not in ("tril", "triu") else [(A,)])


Case = tuple[tuple[Any, ...], dict[str, Any]]


def calls(f: Callable[..., Any]) -> Iterator[Case]:
    """Arguments with placeholders: those needed, then each parameter at other values, by keyword and by position."""
    known = parameters(f)
    for args in needed(f):
        yield args, {}
        names = [p.name for p in known.values() if p.kind is p.POSITIONAL_OR_KEYWORD or p.kind is p.KEYWORD_ONLY]
        rest = [
            name
            for name in (*names, *EXTRA.get(f.__name__, ()))
            if name not in [*known][: len(args)] and name not in ("a",)
        ]
        if isinstance(f, np.ufunc):
            rest = ["dtype", "where", "out", "casting"]
        for name in rest:
            for value in OTHERS[name]:
                yield args, {name: value}
        defaults = [p.default for p in known.values() if p.kind is not p.KEYWORD_ONLY][len(args) :]
        for i, name in enumerate([*known][len(args) : len(args) + len(defaults)]):
            if (
                known[name].kind is known[name].POSITIONAL_OR_KEYWORD
                and "no value" not in repr(defaults[:i])
                and f.__name__ != "gradient"
            ):
                yield from [((*args, *defaults[:i], value), {}) for value in OTHERS.get(name, [])[:2]]


def made(value: Any, rng: np.random.Generator, dtype: np.dtype, layout: str) -> Any:
    if isinstance(value, Drawn):
        return value.made(rng, dtype, layout)
    if isinstance(value, list) and any([isinstance(v, Drawn | list) for v in value]):
        return [made(v, rng, dtype, layout) for v in value]
    return value


def filled(case: Case, f: Callable[..., Any], dtype: np.dtype, layout: str) -> Case:
    args, options = case
    rng = np.random.default_rng(zlib.crc32(f"{f.__name__}".encode()))
    found = (
        tuple([made(v, rng, dtype, layout) for v in args]),
        {k: made(v, rng, dtype, layout) for k, v in options.items()},
    )
    return found


def as_variables(case: Case, layout: str) -> Case:
    """Floating arrays become Variables; in the layout of lists only the first, and the others lists."""
    seen = [False]

    def turned(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            if layout == "list" and seen[0]:
                return value.tolist() if value.dtype.kind == "f" and value.dtype.itemsize == 8 else value
            if value.dtype.kind != "b" or not seen[0]:
                seen[0] = True
                return Variable(value)
        if isinstance(value, list):
            return [turned(v) for v in value]
        return value

    args, options = case
    given = [v if isinstance(v, np.ndarray) and v is MASK else turned(v) for v in args]
    return tuple(given), {k: v if k in ("where", "fweights", "out") else turned(v) for k, v in options.items()}


def parts(value: Any) -> list[np.ndarray]:
    if isinstance(value, tuple | list):
        return [p for item in value for p in parts(item)]
    return [np.asarray(getattr(value, "data", value) if isinstance(value, Variable) else value)]


def outcome(f: Callable[..., Any], case: Case) -> tuple[bool, Any]:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return True, f(*case[0], **case[1])
        except Exception as error:
            return False, error


REFUSED = {
    "pad": "mode",
    "norm": "ord|elements",
    "matrix_norm": "elements",
    "qr": "mode",
    "ravel": "order",
    "cross": "three components",
    "correlate": "longer",
    "gradient": "shape|booleans",
    "partition": "kth",
    "compress": "axis",
    "squeeze": "axis",
    "trapezoid": "equal lengths|boolean",
    "choose": "numbers outside",
    "sort": "stable",
    "svd": "full_matrices",
    "cond": "p",
    "extract": "extract",
    "quantile": "at least one",
    "percentile": "at least one",
}
"""What a refusal is about that does not name the parameter: a value that it does not take, or a shape."""
MORE = {
    "clip": "one bound, or bounds by both names",
    "norm": "float16 of matrices",
    "matrix_norm": "float16",
    "matrix_power": "float16",
    "average": "what is empty: NaN",
    "quantile": "booleans",
    "percentile": "booleans",
}
"""What AutoLab takes and NumPy does not."""
BETTER = {"quantile", "percentile"}
"""NumPy's differences of int8 wrap around there; ours have the dtype of the array, whatever that of q."""
ORDERS = {"partition": lambda x: np.sort(x, axis=None), "eigh": np.abs}
"""The order beside the place, and the signs of vectors, are NumPy's own business."""


def near(x: np.ndarray, y: np.ndarray, digits: float) -> bool:
    if x.dtype.kind != "f":
        return np.array_equal(x, y)
    x, y = x.astype(np.float64), y.astype(np.float64)
    off = 64 * max(digits, 2.3e-16)
    return np.allclose(x, y, rtol=off, atol=off * np.abs(y[np.isfinite(y)]).max(initial=1), equal_nan=True)


def difference(f: Callable[..., Any], found: Any, expected: Any, dtype: np.dtype) -> str | None:
    """What is other than NumPy's, in words."""
    x, y = parts(found), parts(expected)
    if len(x) != len(y):
        return f"{len(x)} results for {len(y)}"
    for p, q in zip(x, y, strict=True):
        if p.shape != q.shape:
            return f"shape {p.shape} for {q.shape}"
        if p.dtype != q.dtype and f.__name__ not in BETTER:
            return f"dtype {p.dtype} for {q.dtype}"
        in_order = ORDERS.get(f.__name__, np.asarray)
        if not near(in_order(p), in_order(q), float(np.finfo(dtype).eps) if dtype.kind == "f" else 0):
            return f"{p.tolist()} for {q.tolist()}"
    return None


def is_named(f: Callable[..., Any], case: Case, error: Exception, is_usual: bool) -> bool:
    """Whether a refusal names the function and, if it works without them, one of the further parameters."""
    said = str(error)
    if not isinstance(error, TypeError | ValueError | IndexError) or len(said) > 300:
        return False
    names = [*case[1]] or [*parameters(f)]
    if isinstance(error, DetachError):  # ``out`` of a ufunc
        return ("in place" in said or "out=" in said) and f.__name__ in said
    about = [*[re.escape(name) for name in names], REFUSED.get(f.__name__, "float16")] if is_usual else [""]
    return bool(re.search(rf"\b{f.__name__}\b|^[\w.]+: ", said) and re.search("|".join(about), said))


def look(f: Callable[..., Any], keep: Callable[[int], bool]) -> int:
    """Compare a part of the calls of a function; how many they were."""
    count = 0
    for case, dtype, layout in product(calls(f), DTYPES, LAYOUTS):
        count += 1
        if not keep(zlib.crc32(f"{f.__name__} {count}".encode())):
            continue
        told = (f.__name__, dtype.str, layout, ascii(filled(case, f, dtype, layout))[:600])
        expected = outcome(f, filled(case, f, dtype, layout))
        worked, found = outcome(f, as_variables(filled(case, f, dtype, layout), layout))
        if not worked and not isinstance(expected[1], Exception):
            usual = (case[0][: len(needed(f)[0])], {})
            alone = bool(case[1]) and outcome(f, as_variables(filled(usual, f, dtype, layout), layout))[0]
            assert is_named(f, case, found, alone), (*told, found)
        elif worked and expected[0]:
            wrong = difference(f, found, expected[1], dtype)
            unset = "where" in case[1] and (isinstance(f, np.ufunc) or f is np.clip)  # what it leaves is in memory
            assert wrong is None or unset or (f.__name__ in BETTER and dtype.kind == "i"), (*told, wrong)
        elif worked and not isinstance(f, np.ufunc):
            assert f.__name__ in MORE, (*told, found, expected[1])
    return count


def test_some_parameters_beside_numpy() -> None:
    for f in [*taken(), *ufuncs()]:
        assert look(f, lambda draw: draw % 40 == 0)


@pytest.mark.full
def test_all_parameters_beside_numpy() -> None:
    for f in [*taken(), *ufuncs()]:
        assert look(f, lambda draw: True)


def slopes(f: Callable[..., Any], case: Case) -> tuple[float, float] | None:
    """The derivative along a random direction, by gradients and by differences; None if there is none."""
    made = filled(case, f, np.dtype("f8"), "plain")
    rng = np.random.default_rng(1)
    ways: list[np.ndarray] = []
    inputs: list[Variable] = []

    def moved(value: Any, step: float) -> Any:
        if isinstance(value, list):
            return [moved(v, step) for v in value]
        if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
            return value
        if len(ways) <= len(inputs):
            ways.append(rng.normal(size=value.shape))
        inputs.append(Variable(value + step * ways[len(inputs)]))
        return inputs[-1]

    def total(step: float) -> Any:
        inputs.clear()
        args = [moved(v, step) for v in made[0]]
        y = f(*args, **{k: moved(v, step) for k, v in made[1].items()})
        weights = np.random.default_rng(2)
        shares = [F.sum(p * weights.normal(size=p.shape)) for p in leaves(y) if p.requires_grad]
        return sum(shares[1:], shares[0]) if shares else None

    worked, y = outcome(total, ((0.0,), {}))
    if not worked or y is None or not np.isfinite(y.data):
        return None
    found = [None if g is None else g.data for g in grad([y], list(inputs), [np.ones(())])]
    along = sum([float((g * way).sum()) for g, way in zip(found, ways, strict=True) if g is not None])
    step = 1e-6
    return along, float((total(step).data - total(-step).data) / (2 * step))


def leaves(y: Any) -> list[Variable]:
    if isinstance(y, tuple | list):
        return [p for item in y for p in leaves(item)]
    return [y] if isinstance(y, Variable) else []


UNEVEN = {"pinv", "lstsq"}
"""Their gradient is that among matrices of the same rank, not of those of which ``rcond`` leaves out a part."""


def check_slopes(keep: Callable[[int], bool]) -> None:
    count = 0
    for f in [*taken(), *ufuncs()]:
        for i, case in enumerate(calls(f)):
            uneven = (f.__name__ in UNEVEN and (case[1] or len(case[0]) > len(needed(f)[0]))) or any(
                [v is np.float32 for v in case[0]]
            )
            if uneven or "dtype" in case[1] or not keep(zlib.crc32(f"{f.__name__} {i}".encode())):
                continue
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                pair = slopes(f, case)
            if pair is not None and np.isfinite(pair).all():
                count += 1
                off = abs(pair[0] - pair[1])
                assert off <= 1e-4 * max(1, *map(abs, pair)), (
                    f.__name__,
                    ascii(filled(case, f, DTYPES[0], "plain"))[:500],
                    pair,
                )
    assert count > 20


def test_some_gradients_beside_differences() -> None:
    check_slopes(lambda draw: draw % 3 == 0)


@pytest.mark.full
def test_all_gradients_beside_differences() -> None:
    check_slopes(lambda draw: True)


KNOTS: dict[str, tuple[Any, Any, Any]] = {
    "beside an infinite one": ([1.0, 2.0, 2.5, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, np.inf, 4.0]),
    "equal ones at both ends": ([-1.0, 0.0, 0.5, 1.0, 2.0], [0.0, 0.0, 1.0, 1.0], [1.0, 2.0, 3.0, 5.0]),
    "a step": ([-0.5, 0.0, 0.5], [-1.0, 0.0, 0.0, 1.0], [2.0, 3.0, 5.0, 7.0]),
    "a single one": ([0.0, 1.0, 2.0], [1.0], [2.0]),
    "infinitely far": ([-5.0, 0.0, 5.0, np.inf, np.nan], [-np.inf, 0.0, np.inf], [1.0, 2.0, 3.0]),
    "equal infinite values": ([0.0, 0.5, 1.0], [0.0, 1.0], [np.inf, np.inf]),
}
SLOPES = {
    "a step": [1.0, 2.0, 2.0],
    "a single one": [0.0, 0.0, 0.0],
    "equal ones at both ends": [0.0, 1.0, 1.0, 0.0, 0.0],
}


def test_interpolation_at_its_knots() -> None:
    for name, (x, xp, fp) in KNOTS.items():
        for kind in (None, *[{end: -7.0} for end in ("left", "right")]):
            v = Variable(x)
            y = np.interp(v, xp, fp, **(kind or {}))
            np.testing.assert_array_equal(y.data, np.interp(x, xp, fp, **(kind or {})), err_msg=name)
            (g,) = grad([y], [v], [np.ones(y.shape)])
            assert np.isfinite(g.data).all(), name
            np.testing.assert_array_equal(g.data, SLOPES.get(name, g.data), err_msg=name)


def test_linspace_is_numpys_to_the_last_bit() -> None:
    rng = np.random.default_rng(0)
    for _ in range(500):
        start, stop, num = *rng.normal(size=2) * 10.0 ** rng.integers(-5, 6), int(rng.integers(2, 60))
        for more in ({}, {"endpoint": False}):
            y = np.linspace(Variable(start), stop, num, **more)
            np.testing.assert_array_equal(y.data, np.linspace(start, stop, num, **more))


def test_means_of_many_halves() -> None:
    many = np.full(70_000, 2.0, np.float16)
    for f in (np.nanmean, np.mean, np.average, lambda x: np.average(x, weights=many), lambda x: np.cov(x) + 2):
        x = Variable(many)
        y = f(x)
        np.testing.assert_allclose(y.data, 2.0)
        y.backward()
        np.testing.assert_allclose(x.grad.data.astype(float).sum(), 0.0 if y.dtype == np.float64 else 1.0, atol=2e-2)


def test_norms_and_deviations_of_any_size() -> None:
    """They grow with their input, and so do not overflow or vanish before it does; their slopes do not change."""
    rng = np.random.default_rng(0)
    measures: dict[str, Callable[[Any], Any]] = {
        "norm": F.norm,
        "norm of rows": lambda x: F.norm(x, axis=1),
        "norm of order 3": lambda x: F.norm(x, 3, -1),
        "matrix norm": F.matrix_norm,
        "vector norm": np.linalg.vector_norm,
        "deviation": lambda x: F.std(x, 1),
    }
    for (name, f), dtype in product(measures.items(), (np.float32, np.float64)):
        usual = rng.normal(size=(2, 3)).astype(dtype)
        reach = float(np.log10(np.finfo(dtype).max))
        for power in (-0.85 * reach, -0.6 * reach, 0.6 * reach, 0.97 * reach):
            scale = dtype(2.0 ** round(power * np.log2(10)))
            found = []
            for x in (Variable(usual), Variable(usual * scale)):
                y = f(x)
                found += [y.data, grad(F.sum(y / y.size), x).data]
            np.testing.assert_allclose(found[2] / scale, found[0], rtol=1e-5, err_msg=f"{name}, {scale}")
            np.testing.assert_allclose(found[3], found[1], rtol=1e-4, atol=1e-5, err_msg=f"{name}, {scale}")


SHARED = [
    name for name in dir(np.ndarray) if not name.startswith("_") and hasattr(Variable, name) and hasattr(np, name)
]
OWN_METHODS = {"sort", "put", "resize", "repeat", "squeeze", "transpose", "reshape"}
"""``x.sort()`` returns, as in PyTorch; the others take lengths and axes one by one, which functions do not."""


def check_methods(keep: Callable[[int], bool]) -> None:
    """The methods that arrays have, too: their parameters are those of NumPy's functions."""
    count = 0
    for name in [n for n in SHARED if n not in OWN_METHODS and getattr(np, n) in taken()]:
        for case, dtype, layout in product(calls(getattr(np, name)), DTYPES, LAYOUTS[:-1]):
            count += 1
            (x, *args), options = filled(case, getattr(np, name), dtype, layout)
            if not keep(zlib.crc32(f"{name} {count}".encode())) or not isinstance(x, np.ndarray):
                continue
            call = lambda v, name=name, args=args, options=options: getattr(v, name)(*args, **options)  # noqa: E731
            told = (f"x.{name}", dtype.str, layout, ascii((args, options))[:300])
            worked, found = outcome(call, ((Variable(x),), {}))
            fine, expected = outcome(call, ((x,), {}))
            if worked and fine and "where" not in options:
                wrong = difference(getattr(np, name), found, expected, dtype)
                assert wrong is None, (*told, wrong)
            elif fine and not worked:
                assert isinstance(found, TypeError | ValueError) and len(str(found)) <= 300, (*told, found)
                assert re.search(rf"\b{name}\b|^Variable\.reshape: order", str(found)), (*told, found)


def test_some_methods_beside_numpy() -> None:
    check_methods(lambda draw: draw % 8 == 0)


@pytest.mark.full
def test_all_methods_beside_numpy() -> None:
    check_methods(lambda draw: True)
