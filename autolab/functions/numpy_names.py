"""NumPy functions composed of other functions: for Variables they are composed of AutoLab's in the same way.

Those that correspond to a single declared function are registered next to it. NumPy arguments missing here have no
meaning for a gradient and are refused by name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np

from ..engine import Variable, as_array
from ..engine.arrays import HALF, SINGLE
from ..engine.numpy_protocol import adapt, foreign, register, unwrap
from .arrays.axes import expand_dims, swapaxes
from .arrays.diagonals import diagonal, on_diagonal, trace, tril, triu
from .arrays.indexing import getitem
from .arrays.joining import along, concatenate, place_of, split
from .arrays.repeating import flip
from .arrays.shape import broadcast_to, cast, reshape, transpose
from .elementwise.arithmetic import mul, sub
from .elementwise.cardinal_sine import sinc
from .elementwise.exponentials import expm1, log1p
from .elementwise.logistic import logsigmoid, sigmoid
from .elementwise.powers import abs, cbrt, pow
from .elementwise.rounding import round
from .elementwise.selection import where
from .elementwise.special import erf, erfc
from .linear_algebra.einstein import einsum
from .linear_algebra.matrix_functions import matrix_norm
from .linear_algebra.products import dot, matmul, outer, tensordot
from .linear_algebra.spectra import eigenvalues, eigh, singular_values
from .losses.entropy import xlogy
from .reductions.extrema import max, min
from .reductions.norms import norm
from .reductions.quantiles import merged_axes
from .reductions.reduce import Axis, mean, sum
from .working_precision import as_floats, given_arrays, in_full

Arrays = Sequence[Any]


# ---------------------------------------------------------------------- elementwise
def _of_floats(ufunc: np.ufunc, function: Callable[..., Any]) -> None:
    """Make ``ufunc`` on Variables call ``function`` if there are floats; the dtype of other results is NumPy's."""

    def called(*inputs: Any) -> Any:
        arrays = [unwrap(x) for x in inputs]
        if "f" in [(a if hasattr(a, "dtype") else np.asarray(a)).dtype.kind for a in arrays]:
            return function(*inputs)
        return Variable(ufunc(*arrays), requires_grad=False)

    register(ufunc, called)


_OWN: dict[np.ufunc, Callable[..., Any]] = {
    **dict.fromkeys((np.positive, np.conjugate), lambda x: x),  # all numbers are real
    np.exp2: lambda x: pow(2.0, x),
    **dict.fromkeys((np.deg2rad, np.radians), lambda x: mul(x, math.pi / 180)),
    **dict.fromkeys((np.rad2deg, np.degrees), lambda x: mul(x, 180 / math.pi)),
    np.rint: round,
    np.fabs: abs,
    np.vecdot: lambda a, b: einsum(a, b, subscripts="...i,...i->..."),
}
for _ufunc, _own in _OWN.items():
    _of_floats(_ufunc, _own)
adapt(np.real)(lambda val: val)


foreign.update(cbrt=cbrt, erf=erf, erfc=erfc, expit=sigmoid, expm1=expm1, log1p=log1p)  # of scipy.special
foreign.update(exp2=lambda x: pow(2.0, x), exp10=lambda x: pow(10.0, x), log_expit=logsigmoid, sinc=sinc, xlogy=xlogy)


@adapt(np.copy)
def copy(a: Any) -> Any:
    """A copy, as a differentiable step."""
    return cast(a, dtype=a.dtype) if a.dtype.kind == "f" else a.astype(a.dtype)


# ---------------------------------------------------------------------- shapes
def _at_least(ndim: int) -> Callable[..., Any]:
    def adapter(*arys: Any) -> Any:
        found = tuple([_lifted(x, ndim) for x in arys])
        return found[0] if len(found) == 1 else found

    return adapter


def _lifted(x: Any, ndim: int) -> Any:
    """Add axes of length 1 in front; a third axis is added at the end, as in NumPy."""
    while np.ndim(x) < ndim:
        x = expand_dims(x, axis=2 if np.ndim(x) == 2 else 0)
    return x


for _ndim, _function in enumerate((np.atleast_1d, np.atleast_2d, np.atleast_3d), start=1):
    adapt(_function)(_at_least(_ndim))


@adapt(np.broadcast_arrays)
def _broadcast_arrays(*args: Any) -> tuple[Any, ...]:
    shape = np.broadcast_shapes(*[np.shape(x) for x in args])
    return tuple([broadcast_to(x, shape=shape) for x in args])


@adapt(np.ix_)
def _open_mesh(*args: Any) -> tuple[Any, ...]:
    """Each argument along its own axis; integers and masks, which are indices, are returned as NumPy arrays."""
    pairs = zip(args, np.ix_(*map(unwrap, args)), strict=True)
    return tuple([reshape(x, shape=m.shape) if getattr(x, "requires_grad", False) else m for x, m in pairs])


for _turned in (np.matrix_transpose, np.linalg.matrix_transpose):
    adapt(_turned)(lambda x: swapaxes(x, axis1=-1, axis2=-2))
adapt(np.fliplr)(lambda m: flip(m, axis=1))
adapt(np.flipud)(lambda m: flip(m, axis=0))


@adapt(np.rot90)
def _rot90(m: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    first, second = places = _places("rot90", m, axes)
    turned = swapaxes(m, axis1=first, axis2=second) if k % 2 else m
    flipped = {0: (), 1: (first,), 2: places, 3: (second,)}[index(k) % 4]
    return flip(turned, axis=flipped) if flipped else turned


def _places(function: str, x: Any, axes: Any) -> tuple[int, ...]:
    """Two axes counted from the front."""
    places = tuple([place_of(function, axis, np.shape(x)) for axis in axes])
    if len(places) != 2 or places[0] == places[1]:
        raise ValueError(f"{function}: axes is {axes!r:.60}; expected two different axes")
    return places


def _with_axes(function: str, x: Any, least: int, most: int | None = None) -> None:
    """Refuse an array with fewer axes than ``least``, or more than ``most``."""
    if np.ndim(x) < least or (most is not None and np.ndim(x) > most):
        number = f"{least} or more" if most is None else f"{least}" if most == least else f"{least} to {most}"
        raise ValueError(f"{function}: got shape {np.shape(x)}; expected {number} axes")


# ---------------------------------------------------------------------- joining and splitting
@adapt(np.hstack)
def _hstack(tup: Arrays) -> Any:
    parts = [_lifted(x, 1) for x in tup]
    return concatenate(parts, axis=0 if np.ndim(parts[0]) == 1 else 1)


adapt(np.vstack)(lambda tup: concatenate([_lifted(x, 2) for x in tup], axis=0))
adapt(np.dstack)(lambda tup: concatenate([_lifted(x, 3) for x in tup], axis=2))
adapt(np.column_stack)(
    lambda tup: concatenate([x if np.ndim(x) > 1 else reshape(x, shape=(-1, 1)) for x in tup], axis=1)
)


@adapt(np.array_split)
def _array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> list[Any]:
    if isinstance(indices_or_sections, int):
        length = np.shape(ary)[place_of("array_split", axis, np.shape(ary))]
        parts = np.array_split(np.arange(length), indices_or_sections)
        indices_or_sections = np.cumsum([len(part) for part in parts])[:-1].tolist()
    return split(ary, sections=indices_or_sections, axis=axis)


@adapt(np.vsplit)
def _vsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    _with_axes("vsplit", ary, 2)
    return split(ary, sections=indices_or_sections, axis=0)


@adapt(np.hsplit)
def _hsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    return split(ary, sections=indices_or_sections, axis=0 if np.ndim(ary) == 1 else 1)


@adapt(np.dsplit)
def _dsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    _with_axes("dsplit", ary, 3)
    return split(ary, sections=indices_or_sections, axis=2)


@adapt(np.take)
def take(a: Any, indices: Any, axis: int | None = None, mode: str = "raise") -> Any:
    """The elements at ``indices`` along an axis, or of the flattened array. Booleans count as 0 and 1."""
    if axis is None:
        a, axis = reshape(a, shape=-1), 0
    axis, places = place_of("take", axis, np.shape(a)), as_array(unwrap(indices), "take: indices")
    if places.dtype.kind not in "iub":
        raise TypeError(f"take: indices is {indices!r:.60}; expected whole numbers")
    places, length = places.astype(np.intp), np.shape(a)[axis]
    if mode in ("clip", "wrap") and length:
        places = places.clip(0, length - 1) if mode == "clip" else places % length
    elif mode != "raise":
        raise ValueError(f"take: mode is {mode!r:.40}; expected 'raise', 'clip' or 'wrap', and an axis with elements")
    try:
        return getitem(a, index=along(axis, places))
    except IndexError:
        raise IndexError(f"take: indices is {indices!r:.60}; expected {-length} to {length - 1}") from None


@adapt(np.diag)
def _diag(v: Any, k: int = 0) -> Any:
    _with_axes("diag", v, 1, 2)
    if np.ndim(v) != 1:
        return diagonal(v, offset=k)
    n = np.shape(v)[0] + abs(index(k))
    return on_diagonal(v, shape=(n, n), offset=k, axis1=0, axis2=1)


# ---------------------------------------------------------------------- reductions and differences
@adapt(np.average)
def _average(a: Any, axis: Axis = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False) -> Any:
    if weights is None:
        (a,) = given_arrays("average", a=a)
        found = mean(a, axis=axis, keepdims=keepdims)
        total = np.asarray(a.size / found.size if found.size else 0.0)
    else:
        a, weights = given_arrays("average", a=a, weights=weights)
        floats = () if a.dtype.kind == "f" else (np.float64,)
        dtype = np.result_type(a.dtype, weights.dtype, *floats)
        a, weights = [as_floats(x, SINGLE if dtype == HALF else dtype) for x in (a, weights)]
        if weights.shape != a.shape:
            weights = _along_axes(weights, a, axis)
        total = sum(weights, axis=axis, keepdims=keepdims)
        if (unwrap(total) == 0).any():
            raise ZeroDivisionError("average: the weights add up to 0; expected another sum")
        found = as_floats(sum(mul(a, weights), axis=axis, keepdims=keepdims) / total, dtype)
    return (found, broadcast_to(as_floats(total, found.dtype), shape=found.shape)) if returned else found


def _along_axes(weights: Any, a: Any, axis: Any) -> Any:
    """Weights given along some axes only, in a shape that broadcasts to that of ``a``."""
    shape = np.shape(a)
    if axis is None:
        raise TypeError(f"average: weights have shape {np.shape(weights)}, a has shape {shape}; expected axis= as well")
    axes = [place_of("average", i, shape) for i in (axis if isinstance(axis, tuple) else (axis,))]
    expected = tuple([shape[i] for i in axes])
    if np.shape(weights) != expected or len(set(axes)) < len(axes):
        raise ValueError(
            f"average: weights have shape {np.shape(weights)}; expected {expected}, the lengths along axis={axis!r:.40}"
        )
    ordered = transpose(weights, axes=tuple(np.argsort(axes).tolist()))
    kept = tuple([n if i in axes else 1 for i, n in enumerate(shape)])
    return broadcast_to(reshape(ordered, shape=kept), shape=shape)


@adapt(np.nansum)
def _nansum(a: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
    (a,) = given_arrays("nansum", a=a)
    known = a if a.dtype.kind != "f" else where(np.isnan(unwrap(a)), 0.0, a)
    return sum(known, axis=axis, keepdims=keepdims)


@adapt(np.nanmean)
def _nanmean(a: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
    (a,) = given_arrays("nanmean", a=a)
    if a.dtype.kind != "f":
        return mean(a, axis=axis, keepdims=keepdims)
    (a,), rounded = in_full("nanmean", a=a)
    known = sum(~np.isnan(unwrap(a)), axis=axis, keepdims=keepdims)
    return rounded(_nansum(a, axis, keepdims=keepdims) / np.asarray(known).astype(a.dtype))


@adapt(np.ptp)
def _ptp(a: Any, axis: Axis = None, *, keepdims: bool = False) -> Any:
    return sub(max(a, axis=axis, keepdims=keepdims), min(a, axis=axis, keepdims=keepdims))


@adapt(np.diff)
def _diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = np._NoValue, append: Any = np._NoValue) -> Any:
    (a,) = given_arrays("diff", a=a)
    place = place_of("diff", axis, a.shape)
    if index(n) < 0:
        raise ValueError(f"diff: n is {n}; expected an order of at least 0")
    if not n:
        return a
    ends = [None if end is np._NoValue else _edge(end, a.shape, place) for end in (prepend, append)]
    parts = [part for part in (ends[0], a, ends[1]) if part is not None]
    a = a if len(parts) == 1 else concatenate(parts, axis=place)
    for _ in range(n):
        after, before = getitem(a, index=along(place, slice(1, None))), getitem(a, index=along(place, slice(-1)))
        a = np.not_equal(after, before) if a.dtype.kind == "b" else sub(after, before)
    return a


def _edge(end: Any, shape: tuple[int, ...], place: int) -> Any:
    """What `diff` puts before or after an array; a number is repeated."""
    (end,) = given_arrays("diff", end=end)
    return end if end.ndim else broadcast_to(end, shape=(*shape[:place], 1, *shape[place + 1 :]))


# ---------------------------------------------------------------------- linear algebra
adapt(np.inner)(lambda a, b: tensordot(a, b, axes=(-1, -1)) if np.ndim(a) and np.ndim(b) else mul(a, b))
adapt(np.vdot)(lambda a, b: dot(reshape(a, shape=-1), reshape(b, shape=-1)))
adapt(np.linalg.matmul)(lambda x1, x2: matmul(x1, x2))
adapt(np.linalg.tensordot)(lambda x1, x2, axes=2: tensordot(x1, x2, axes=axes))
adapt(np.linalg.diagonal)(lambda x, offset=0: diagonal(x, offset=offset, axis1=-2, axis2=-1))
adapt(np.linalg.trace)(lambda x, offset=0: trace(x, offset=offset, axis1=-2, axis2=-1))
adapt(np.linalg.svdvals)(lambda x: singular_values(x))
adapt(np.linalg.eigvalsh)(lambda a, UPLO=None: eigenvalues(by_triangle(a, UPLO)))
adapt(np.linalg.eigh)(lambda a, UPLO=None: eigh(by_triangle(a, UPLO)))


def by_triangle(a: Any, UPLO: str | None) -> Any:
    """With ``UPLO``, as in NumPy, one triangle is read. Without it, both are: the same for a symmetric matrix."""
    if UPLO is None:
        return a
    if UPLO not in ("L", "U", "l", "u"):
        raise ValueError(f"eigh: UPLO is {UPLO!r:.60}; expected 'L' or 'U'")
    read, strict = (tril(a), tril(a, k=-1)) if UPLO in "Ll" else (triu(a), triu(a, k=1))
    return read + swapaxes(strict, axis1=-1, axis2=-2)


@adapt(np.linalg.norm)
def _norm(x: Any, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> Any:
    if ord in (None, "fro") or axis is not None or np.ndim(x) != 2:
        return norm(x, ord=ord, axis=axis, keepdims=keepdims)
    return matrix_norm(x, ord=ord, keepdims=keepdims)


@adapt(np.linalg.outer)
def _outer(x1: Any, x2: Any, /) -> Any:
    for x in (x1, x2):
        _with_axes("outer", x, 1, 1)
    return outer(x1, x2)


@adapt(np.linalg.vector_norm)
def _vector_norm(x: Any, /, *, axis: Any = None, keepdims: bool = False, ord: float = 2) -> Any:
    lines, shape = merged_axes("vector_norm", x, axis, keepdims)
    return reshape(norm(lines, ord=ord, axis=-1), shape=shape)
