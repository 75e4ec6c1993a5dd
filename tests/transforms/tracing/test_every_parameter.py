"""Every parameter of every function of NumPy's that can be traced: it does what NumPy does, or it is refused."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import reduce
from typing import Any

import numpy as np
import pytest
from helpers.each import each

from autolab.engine.backend import get_array_module
from autolab.transforms.tracing import TracedArray, replay, trace
from autolab.transforms.tracing.signatures import handlers, numpys

POINTS = [np.random.default_rng(seed).normal(size=(3, 3)) for seed in range(8)]
Call = Callable[[Any], Any]

OTHERS: dict[str, tuple[Call, ...]] = {
    "swapaxes": (lambda x: 0, lambda x: 1),
    "moveaxis": (lambda x: 0, lambda x: 1),
    "rollaxis": (lambda x: 1,),
    "expand_dims": (lambda x: 0,),
    "broadcast_to": (lambda x: (2, 3, 3),),
    "roll": (lambda x: 1,),
    "tile": (lambda x: 2,),
    "repeat": (lambda x: 2,),
    "resize": (lambda x: (2, 5),),
    **dict.fromkeys(["split", "array_split", "hsplit", "vsplit"], (lambda x: 3,)),
    "lib.stride_tricks.as_strided": (lambda x: (2, 2), lambda x: (24, 8)),
    "lib.stride_tricks.sliding_window_view": (lambda x: (2, 2),),
    "reshape": (lambda x: 9,),
    "append": (lambda x: x[0],),
    "pad": (lambda x: 1,),
    "full_like": (lambda x: x[0, 0],),
    "where": (lambda x: x, lambda x: 2 * x),
    "clip": (lambda x: -0.5, lambda x: 0.5),
    **dict.fromkeys(["allclose", "isclose", "array_equal", "outer"], (lambda x: x,)),
    **dict.fromkeys(["matmul", "linalg.matmul", "dot", "inner", "vdot", "vecdot"], (lambda x: x * 2,)),
    **dict.fromkeys(["linalg.vecdot", "tensordot", "linalg.tensordot", "linalg.solve"], (lambda x: x * 2,)),
    "take": (lambda x: [0, 2, 1],),
    "take_along_axis": (lambda x: np.array([[0, 2, 1]]),),
}
"""What a function needs besides the array."""

FIRST: dict[str, Call] = {
    "dsplit": lambda x: x[None],
    "linalg.cholesky": lambda x: x @ x.T + np.eye(3),
    "linalg.outer": lambda x: x[0],
    **dict.fromkeys(["diag", "convolve"], lambda x: x[0]),
    **dict.fromkeys(["concatenate", "stack", "linalg.multi_dot"], lambda x: [x, x + 1]),
    **dict.fromkeys(["vstack", "row_stack", "hstack", "dstack", "column_stack"], lambda x: [x, x + 1]),
    "where": lambda x: x > 0,
    "full": lambda x: (3, 3),
    "einsum": lambda x: "ij,jk->ik",
}
OTHERS |= {
    "dsplit": (lambda x: 3,),
    "linalg.outer": (lambda x: x[1],),
    "convolve": (lambda x: x[1],),
    "full": (lambda x: x[0, 0],),
    "einsum": (lambda x: x, lambda x: x + 1),
}

LEFT_OUT = {"add.at", "put_along_axis", "empty_like", "row_stack"}
"""Two change an array and return nothing, one has any numbers, and one is an old name, which NumPy 2.5 has no more."""


REFUSED = {
    *["append", "casting", "copy", "device", "dtype", "equal_nan", "like", "mean", "mode", "nan", "ndmax", "neginf"],
    *["ord", "order", "posinf", "prepend", "rcond", "reflect_type", "requirements", "returned", "rtol", "signature"],
    *["subok", "weights", "writeable", "clip's where", "vecdot's axis", "vecdot's keepdims"],
}
"""Parameters some of whose values may be refused; the others are traced, unless the value is computed."""


def computed(x: Any) -> Any:
    """A whole number that depends on the input, and is 0 or 1."""
    return np.where(x[0, 0] > 0, 1, 0)


VALUES: dict[str, tuple[Call, ...]] = {
    **dict.fromkeys(["axis", "axis1", "axis2", "axes", "source", "destination"], (
        lambda x: 0, lambda x: -1, lambda x: (0, 1), lambda x: None, lambda x: ([0], [1]))),
    "start": (lambda x: 2,),
    **dict.fromkeys(["k", "offset", "ndmin", "ndmax", "n", "decimals"], (
        lambda x: 1, lambda x: -1, lambda x: 2, lambda x: 4)),
    **dict.fromkeys(["dtype"], (lambda x: np.float32, lambda x: int, lambda x: bool, lambda x: complex)),
    "out": (lambda x: np.zeros_like(x), lambda x: np.zeros_like(x[0]), lambda x: x * 1),
    **dict.fromkeys(["keepdims", "subok", "equal_nan", "returned", "full_matrices", "compute_uv", "hermitian"], (
        lambda x: True, lambda x: False)),
    **dict.fromkeys(["upper", "stable", "descending", "writeable", "check_bounds", "copy", "optimize"], (
        lambda x: True, lambda x: False, lambda x: None)),
    "initial": (lambda x: 5.0, lambda x: x[0, 0]),
    "where": (lambda x: x > 0, lambda x: np.eye(3, dtype=bool), lambda x: True),
    "mean": (lambda x: 0.25, lambda x: x[0, 0]),
    "correction": (lambda x: 1, lambda x: 0.5),
    "ddof": (lambda x: 1, lambda x: 12),
    "weights": (lambda x: x, lambda x: np.arange(9.0).reshape(3, 3)),
    **dict.fromkeys(["prepend", "append", "a_min", "a_max", "min", "max", "x", "y"], (
        lambda x: x[0, 0], lambda x: 0.3, lambda x: x)),
    **dict.fromkeys(["nan", "posinf", "neginf", "rtol", "atol", "rcond"], (lambda x: 0.25, lambda x: abs(x[0, 0]))),
    "order": (lambda x: "F", lambda x: "C", lambda x: "A", lambda x: "K"),
    "kind": (lambda x: "stable", lambda x: "heapsort"),
    "mode": (lambda x: "wrap", lambda x: "clip", lambda x: "same", lambda x: "valid", lambda x: "edge",
             lambda x: "reflect", lambda x: "linear_ramp", lambda x: "complete", lambda x: "r", lambda x: "raw"),
    "casting": (lambda x: "unsafe", lambda x: "no"),
    "signature": (lambda x: "dd->d",),
    "like": (lambda x: x,),
    "device": (lambda x: "cpu",),
    "requirements": (lambda x: ["C"],),
    "shape": (lambda x: (9,), lambda x: (3, 3)),
    "strides": (lambda x: (8, 24),),
    "UPLO": (lambda x: "U",),
    "ord": (lambda x: 1, lambda x: 2, lambda x: np.inf, lambda x: -np.inf, lambda x: 0, lambda x: 3.0,
            lambda x: "fro", lambda x: "nuc", lambda x: -1),
    "norm": (lambda x: "ortho", lambda x: "forward"),
    "newshape": (lambda x: 9,),
    "axes": (lambda x: 1, lambda x: 0, lambda x: (1, 0), lambda x: ([0], [1]), lambda x: [(0,), (1,), (0,)]),
    "kwargs": (),
}  # fmt: skip
KEYWORDS = {
    "pad": {"constant_values": lambda x: 2.0, "reflect_type": lambda x: "odd", "end_values": lambda x: 3.0},
    "einsum": {"dtype": lambda x: np.float32, "order": lambda x: "F", "casting": lambda x: "unsafe"},
    "clip": {"dtype": lambda x: np.float32, "where": lambda x: x > 0},
}
"""What the functions with ``**kwargs`` know."""


def calls(name: str) -> Iterator[tuple[str, Call]]:
    """The function as it is, and with each of its parameters set to each of its values, a computed one too."""

    def function(*args: Any, **options: Any) -> Any:
        return reduce(getattr, name.split("."), get_array_module(*args, *options.values()))(*args, **options)

    first, others = FIRST.get(name, lambda x: x), OTHERS.get(name, ())
    yield "", lambda x: function(first(x), *[other(x) for other in others])
    try:
        parameters = list(inspect.signature(numpys(name)).parameters.values())
    except ValueError:  # an older NumPy tells none of some functions
        return
    needed = [first, *others]
    for i, parameter in enumerate(parameters):
        values = VALUES[parameter.name] if i >= len(needed) and parameter.kind not in (2, 4) else ()
        for value in (*values, computed):
            if parameter.kind is parameter.VAR_POSITIONAL:
                break
            if i < len(needed):
                if "as_strided" in name:  # what it reads outside of an array ends the process
                    break
                yield (
                    f"{parameter.name} computed",
                    lambda x, i=i: function(*[computed(x) if j == i else given(x) for j, given in enumerate(needed)]),
                )
                break
            label = parameter.name + " computed" * (value is computed)
            if parameter.kind is parameter.POSITIONAL_ONLY:
                yield label, lambda x, value=value: function(*[given(x) for given in needed], value(x))
            elif parameter.kind is not parameter.VAR_KEYWORD:
                yield (
                    label,
                    lambda x, value=value, key=parameter.name: function(
                        *[given(x) for given in needed], **{key: value(x)}
                    ),
                )
    for key, value in KEYWORDS.get(name, {}).items():
        yield key, lambda x, key=key, value=value: function(*[given(x) for given in needed], **{key: value(x)})
        if name == "pad":
            yield key, lambda x, key=key, value=value: np.pad(x, 1, "reflect", **{key: value(x)})


def flat(result: Any) -> list[Any]:
    if isinstance(result, list | tuple):
        return [part for item in result for part in flat(item)]
    return [result]


@pytest.mark.filterwarnings("ignore:Degrees of freedom")
@each("name", sorted(handlers.keys() - LEFT_OUT))
def test_a_parameter_does_what_numpy_does_or_is_refused(name: str) -> None:
    done = 0
    for label, call in calls(name):
        with np.errstate(all="ignore"):
            try:
                expected = [[np.asarray(part) for part in flat(call(x))] for x in POINTS]
            except Exception:  # NumPy does not take it either
                continue
            try:
                program = trace(lambda x, call=call: flat(call(x)), [POINTS[0]])
            except Exception as error:
                assert label.endswith("computed") or {label, f"{name}'s {label}"} & REFUSED, f"{label}: {error!r}"
                continue
            found, fits = replay(program, [np.stack(POINTS)])
        done += 1
        assert fits[0] and (fits.all() or label.endswith("computed")), label
        for i in np.flatnonzero(fits):
            assert len(found) == len(expected[i]), label
            for a, b in zip(found, expected[i], strict=True):
                assert a.shape[1:] == b.shape and a.dtype == b.dtype, label
                np.testing.assert_allclose(a[i], b, rtol=1e-9 if b.dtype != np.float32 else 1e-5, err_msg=label)
    assert done


NEWER = {"reshape": {"copy"}, "clip": {"min", "max"}}
"""What NumPy has from 2.1 on."""


def test_every_handler_names_numpys_parameters() -> None:
    """A name that NumPy does not have would never be given."""
    for name, handler in handlers.items():
        try:
            known = list(inspect.signature(numpys(name)).parameters.values())
        except ValueError:
            continue
        except AttributeError:
            assert name in LEFT_OUT, name
            continue
        optional = [
            p.name
            for p in inspect.signature(handler).parameters.values()
            if p.kind not in (2, 4) and p.default is not p.empty
        ]
        names = {p.name for p in known} | set(KEYWORDS.get(name, ())) | {"axis", "where"}
        assert set(optional) <= names | NEWER.get(name, set()), name


def test_a_result_is_written_where_out_says() -> None:
    def summed(x: Any) -> list[Any]:
        y, z = np.zeros_like(x), np.ones_like(x)
        np.sum(x, axis=0, out=y[1])
        np.multiply(x, 10, where=x > 0, out=z)
        np.maximum(0.5, 0.25, where=x > 0, out=z)
        return [y, z, np.var(x, where=x > 0), np.mean(x, axis=1, where=x < 1, keepdims=True)]

    found, _ = replay(trace(summed, [POINTS[0]]), [np.stack(POINTS)])
    for i, x in enumerate(POINTS):
        for a, b in zip(found, summed(x), strict=True):
            np.testing.assert_allclose(a[i], b, rtol=1e-12)


def test_what_changes_an_array_is_computed_elsewhere_too() -> None:
    def added(x: Any) -> list[Any]:
        y = np.zeros_like(x)
        np.add.at(y, (np.argsort(x[0]), 0), x[1])
        np.put_along_axis(y, np.argmax(x, axis=1, keepdims=True), x[:, :1], axis=1)
        return [y]

    (found,), fits = replay(trace(added, [POINTS[0]]), [np.stack(POINTS)])
    assert fits.all()
    for y, x in zip(found, POINTS, strict=True):
        assert np.array_equal(y, added(x)[0])


@pytest.mark.parametrize("mode", ["clip", "wrap"])
def test_computed_places_are_clipped_where_they_are_computed(mode: str) -> None:
    def taken(x: Any) -> list[Any]:
        return [np.take(x, np.argsort(x[0], kind="stable") + 1, axis=1, mode=mode)]

    (found,), _ = replay(trace(taken, [POINTS[0]]), [np.stack(POINTS)])
    assert all([np.array_equal(y, taken(x)[0]) for y, x in zip(found, POINTS, strict=True)])


def test_a_constant_that_numpy_writes_to_is_not_the_old_one() -> None:
    def filled(x: Any) -> list[Any]:
        y = np.zeros_like(x)
        before = x + y
        np.copyto(y, 3.0)
        np.add(y, 1.0, out=y, where=np.eye(3, dtype=bool))
        return [before, x + y]

    assert isinstance(np.zeros_like(TracedArray.of(POINTS[0])), TracedArray)
    found, _ = replay(trace(filled, [POINTS[0]]), [np.stack(POINTS)])
    assert np.array_equal(found[1], np.stack([filled(x)[1] for x in POINTS]))
