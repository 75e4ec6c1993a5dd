"""Arrays built from several others: append, block, meshgrid, and the products kron and cross."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...engine import numpy_protocol, takes_other_words
from ..elementwise.arithmetic import mul, sub
from ..working_precision import given_arrays, in_full
from .axes import moveaxis
from .indexing import getitem
from .joining import concatenate, place_of, stack
from .shape import broadcast_to, reshape


@numpy_protocol.adapt(np.append)
@takes_other_words
def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """Append ``values`` to ``arr`` along an axis; without an axis, both are flattened first.

    Raises
    ------
    ValueError
        If the shapes do not match, or the axis does not exist.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.append(Variable([1.0, 2.0]), [3.0])
    variable([1. 2. 3.])
    """
    both = given_arrays("append", arr=arr, values=values)
    if axis is None:
        both = [reshape(part, shape=-1) for part in both]
        axis = 0
    place = place_of("append", axis, both[0].shape)
    if both[0].ndim != both[1].ndim:
        raise ValueError(f"append: got shapes {both[0].shape} and {both[1].shape}; expected equal numbers of axes")
    return concatenate(both, axis=place)


@numpy_protocol.adapt(np.block)
@takes_other_words
def block(arrays: Any) -> Any:
    """Assemble an array from a nested list of blocks: the innermost lists are joined along the last axis, the lists
    around them along the last but one, and so on.

    Parameters
    ----------
    arrays : nested list of Variables and arrays
        All at the same depth. Blocks with fewer axes than the depth of the list get axes of length 1 in front.

    Raises
    ------
    ValueError
        If the lists are not equally deep, one is empty, or the shapes do not match.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> a = Variable([[1.0, 2.0]])
    >>> F.block([[a, [[3.0]]], [0.0 * a, [[4.0]]]])
    Traceback (most recent call last):
    ValueError: block: the lists are not equally deep: found depths 2 and 4
    >>> F.block([[a, 3.0], [0.0 * a, 4.0]])
    variable([[1. 2. 3.]
              [0. 0. 4.]])
    """
    depths = sorted(set(_depths(arrays)))
    if len(depths) > 1:
        raise ValueError(f"block: the lists are not equally deep: found depths {depths[0]} and {depths[-1]}")
    parts = _leaves(arrays)
    ndim = max([depths[0], *[x.ndim for x in parts]])
    given = iter([reshape(x, shape=(1,) * (ndim - x.ndim) + x.shape) for x in parts])
    return _together(arrays, given, depths[0])


def _depths(arrays: Any, depth: int = 0) -> Iterator[int]:
    if not isinstance(arrays, list):
        yield depth
        return
    if not arrays:
        raise ValueError("block: a list is empty; expected at least one array in each")
    for part in arrays:
        yield from _depths(part, depth + 1)


def _leaves(arrays: Any) -> list[Any]:
    if isinstance(arrays, list):
        return [x for part in arrays for x in _leaves(part)]
    return given_arrays("block", arrays=arrays)


def _together(arrays: Any, given: Iterator[Any], depth: int) -> Any:
    if not isinstance(arrays, list):
        return next(given)
    parts = [_together(part, given, depth - 1) for part in arrays]
    try:
        return concatenate(parts, axis=-depth)
    except ValueError:
        shapes = " and ".join([str(part.shape) for part in parts])
        raise ValueError(f"block: got shapes {shapes[:150]}, which do not fit along axis {-depth}") from None


@numpy_protocol.adapt(np.meshgrid)
@takes_other_words
def meshgrid(*xi: Any, sparse: bool = False, indexing: str = "xy") -> tuple[Any, ...]:
    """Coordinate arrays of a grid: each of ``xi`` repeated along the axes of the others.

    Parameters
    ----------
    *xi : Variable or array
        One-dimensional; a number counts as an array of length 1.
    sparse : bool
        Do not repeat elements: the results broadcast against each other.
    indexing : str
        ``"xy"``: the first varies along axis 1 and the second along axis 0, as in a picture; ``"ij"``: each ``xi[i]``
        varies along axis ``i``.

    Raises
    ------
    ValueError
        If ``indexing`` is neither, or one of ``xi`` has more than one axis.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.meshgrid(Variable([1.0, 2.0]), [3.0, 4.0, 5.0])[0].shape
    (3, 2)
    """
    if indexing not in ("xy", "ij"):
        raise ValueError(f"meshgrid: indexing is {indexing!r:.40}; expected 'xy' or 'ij'")
    given = [v for i, x in enumerate(xi) for v in given_arrays("meshgrid", **{f"xi[{i}]": x})]
    if any([x.ndim > 1 for x in given]):
        raise ValueError(
            f"meshgrid: got shapes {', '.join([str(x.shape) for x in given])[:150]}; expected one axis each"
        )
    places = list(range(len(given)))
    if indexing == "xy" and len(given) > 1:
        places[:2] = 1, 0
    count = len(given)
    lines = [
        reshape(x, shape=tuple([-1 if i == place else 1 for i in range(count)]))
        for x, place in zip(given, places, strict=True)
    ]
    if sparse:
        return tuple(lines)
    shape = np.broadcast_shapes(*[line.shape for line in lines])
    return tuple([broadcast_to(line, shape=shape) for line in lines])


@numpy_protocol.adapt(np.kron)
@takes_other_words
def kron(a: Any, b: Any) -> Any:
    """Kronecker product: blocks, each an element of ``a`` times all of ``b``.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.kron(Variable([1.0, 10.0]), [1.0, 2.0])
    variable([ 1.  2. 10. 20.])
    """
    a, b = given_arrays("kron", a=a, b=b)
    ndim = max(a.ndim, b.ndim)
    outer, inner = [(1,) * (ndim - x.ndim) + x.shape for x in (a, b)]
    spread = reshape(a, shape=tuple([n for size in outer for n in (size, 1)]))
    block = reshape(b, shape=tuple([n for size in inner for n in (1, size)]))
    return reshape(mul(spread, block), shape=tuple([m * n for m, n in zip(outer, inner, strict=True)]))


@numpy_protocol.adapt(np.cross)
@takes_other_words
def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: int | None = None) -> Any:
    """Cross product of vectors with three components; the other axes broadcast.

    Parameters
    ----------
    a, b : Variable or array
    axisa, axisb, axisc : int
        The axis of the components in ``a``, in ``b`` and in the result.
    axis : int, optional
        The same axis for all three.

    Raises
    ------
    ValueError
        If there are not three components, or an axis does not exist.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.cross(Variable([1.0, 0.0, 0.0]), [0.0, 1.0, 0.0])
    variable([0. 0. 1.])
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    parts = []
    both, rounded = in_full("cross", whole=True, a=a, b=b)
    for x, place in zip(both, (axisa, axisb), strict=True):
        at = place_of("cross", place, x.shape)
        if x.shape[at] != 3:
            raise ValueError(f"cross: got shape {x.shape}; expected three components along axis {place}")
        moved = moveaxis(x, source=at, destination=-1)
        parts.append([moved[..., i] for i in range(3)])
    if all([x.dtype.kind == "b" for x in both]):
        raise TypeError("cross: got booleans; expected numbers, which can be subtracted")
    (a1, a2, a3), (b1, b2, b3) = parts
    pairs = ((a2, b3, a3, b2), (a3, b1, a1, b3), (a1, b2, a2, b1))
    found = stack([sub(mul(p, q), mul(r, s)) for p, q, r, s in pairs], axis=-1)
    return rounded(moveaxis(found, source=-1, destination=place_of("cross", axisc, found.shape)))


@numpy_protocol.adapt(np.linalg.cross)
def _cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    return cross(x1, x2, axis, axis, axis)


@numpy_protocol.adapt(np.delete)
def _delete(arr: Any, obj: Any, axis: int | None = None) -> Any:
    """Let NumPy delete from an array of positions, then take the elements at those left."""
    (arr,) = given_arrays("delete", arr=arr)
    places = np.arange(arr.size).reshape(arr.shape)
    return getitem(reshape(arr, shape=-1), index=_by_numpy(np.delete, places, obj, axis))


def _by_numpy(function: Any, *args: Any) -> Any:
    """Apply a NumPy function to positions; an error about a missing axis names the function."""
    try:
        return function(*args)
    except np.exceptions.AxisError as error:
        raise ValueError(f"{function.__name__}: {error}") from None


@numpy_protocol.adapt(np.insert)
def _insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
    arr, values = given_arrays("insert", arr=arr, values=values)
    if arr.dtype.kind != "f" and getattr(values, "requires_grad", False):
        raise TypeError(f"insert: arr holds {arr.dtype}, in which values lose their gradient; write arr.astype(float)")
    values = values.astype(arr.dtype)  # as NumPy does
    places = np.arange(arr.size + values.size)
    behind = places[arr.size :].reshape(values.shape)
    joined = concatenate(reshape(arr, shape=-1), reshape(values, shape=-1))
    return getitem(joined, index=_by_numpy(np.insert, places[: arr.size].reshape(arr.shape), obj, behind, axis))
