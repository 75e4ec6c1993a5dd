"""vmap: a function of one example, applied to a batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import functions as F
from ..engine import Primitive, Variable, a_kind, as_array, as_variable, takes_other_words, unwrap
from ..shared.structure import leaves, mapped, matched, rebuilt
from .gradients import named


@takes_other_words
def vmap(fn: Callable[..., Any], in_axes: Any = 0, out_axes: Any = 0) -> Callable[..., Any]:
    """Vectorize ``fn``, which is written for one example, over the examples of a batch.

    A declared elementwise function, such as ``functions.tanh``, is called once with the whole batch; any other function
    is called once per example. ``mapped.how`` says which: ``"batch"`` or ``"loop"``.

    Parameters
    ----------
    fn : callable
        Takes Variables, returns a Variable or a nested structure of them.
    in_axes : int, None or tuple of them
        The batch axis of each argument; None for an argument that all examples share. A dict, list or tuple of arrays
        has one axis for all, or a structure of axes like its own.
    out_axes : int, None or structure of them
        The batch axis of the results; None for a result that all examples share.

    Returns
    -------
    callable
        Takes the arguments of ``fn``; the batch axis of those given by keyword is 0. It can be differentiated and
        vectorized again.

    Raises
    ------
    TypeError
        If an axis is none, such as a batch in its place.
    ValueError
        If the arguments have different numbers of examples, or there are none.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab.transforms import vmap
    >>> def norm(x):
    ...     return (x * x).sum() ** 0.5
    >>> lengths = vmap(norm)
    >>> lengths(np.array([[3.0, 4.0], [5.0, 12.0]])), lengths.how
    (variable([ 5. 13.]), 'loop')
    """

    for name, given_axes in (("in_axes", in_axes), ("out_axes", out_axes)):
        if not all([isinstance(axis, int | np.integer) for _, axis in leaves(given_axes)]):
            raise TypeError(f"vmap: {name} is {given_axes!r:.60}; expected an axis, None or several; of x, vmap(f)(x)")

    def batched(*args: Any, **kwargs: Any) -> Any:
        axes = tuple(in_axes) if isinstance(in_axes, tuple | list) else (in_axes,) * len(args)
        if len(axes) != len(args):
            raise ValueError(f"vmap: in_axes has {len(axes)} entries; expected {len(args)}, one for each argument")
        given = [_in_front(f"argument {i}", arg, axis) for i, (arg, axis) in enumerate(zip(args, axes, strict=True))]
        by_name = {name: _in_front(f"argument {name}", arg, 0) for name, arg in kwargs.items()}
        size = _examples([given, by_name])
        if not kwargs and _is_elementwise(fn, given):
            made.how, result = "batch", fn(*[_example(arg, slice(None)) for arg in given])  # type: ignore[attr-defined]
        else:
            made.how = "loop"  # type: ignore[attr-defined]
            results = [fn(*_example(given, i), **_example(by_name, i)) for i in range(size)]
            columns = zip(*[matched(results[0], one, "vmap: a later result") for one in results], strict=True)
            stacked = iter([F.stack(list(column)) for column in columns])
            result = rebuilt(results[0], lambda _: next(stacked))
        return _moved(result, out_axes)

    made = named(batched, "vmap", fn)
    return made


@dataclass(frozen=True)
class _Shared:
    """An argument that all examples share."""

    value: Any


def _is_nested(arg: Any) -> bool:
    """Whether an argument is a structure; a list of numbers is an array."""
    return isinstance(arg, dict) or (
        isinstance(arg, list | tuple) and any([np.ndim(leaf) > 0 for _, leaf in leaves(arg) if hasattr(leaf, "shape")])
    )


def _in_front(what: str, arg: Any, axis: Any) -> Any:
    """An argument, or each array in it, with the batch axis in front."""
    if axis is None or arg is None:
        return _Shared(arg)
    if _is_nested(arg):
        axis_of = _branches(f"in_axes for {what}", axis, arg)
        return mapped(arg, lambda key, branch: _in_front(f"{what}[{key!r}]", branch, axis_of(key)))
    value = arg if isinstance(arg, Variable) else as_variable(as_array(arg, f"vmap: {what}"))
    if value.ndim == 0:
        raise ValueError(f"vmap: {what} is {a_kind(arg)} without axes; expected a batch, or None in in_axes")
    return value if axis == 0 else F.moveaxis(value, axis, 0)


def _branches(what: str, axes: Any, tree: Any) -> Callable[[Any], Any]:
    """The axis, or the axes, of each branch of a structure by its key."""
    if not isinstance(axes, dict | list | tuple):
        return lambda key: axes
    if not isinstance(tree, dict | list | tuple) or _keys(axes) != _keys(tree):
        raise ValueError(f"vmap: {what} is {axes!r:.60}; expected one axis, or a structure like {a_kind(tree)}")
    return axes.__getitem__


def _keys(tree: Any) -> set[Any]:
    return set(tree) if isinstance(tree, dict) else set(range(len(tree)))


def _examples(given: Any) -> int:
    sizes = {len(leaf) for _, leaf in leaves(given) if not isinstance(leaf, _Shared)}
    if len(sizes) != 1 or 0 in sizes:
        raise ValueError(f"vmap: the batch sizes are {sorted(sizes)}; expected a single one, of at least 1")
    return sizes.pop()


def _example(given: Any, i: Any) -> Any:
    return rebuilt(given, lambda leaf: leaf.value if isinstance(leaf, _Shared) else leaf[i])


def _moved(result: Any, axis: Any) -> Any:
    """The results, whose batch axis is in front, with that axis at ``axis``; without it, if that is None."""
    if isinstance(axis, dict | list | tuple):
        axis_of = _branches("out_axes", axis, result)
        return mapped(result, lambda key, branch: _moved(branch, axis_of(key)))
    if axis is None:
        return rebuilt(result, _single)
    return result if axis == 0 else rebuilt(result, lambda y: F.moveaxis(y, 0, axis))


def _single(y: Variable) -> Variable:
    if not np.array_equal(unwrap(y), np.broadcast_to(unwrap(y)[:1], y.shape), equal_nan=True):
        raise ValueError("vmap: out_axes is None for a result that differs between the examples; expected its axis")
    return y[0]


def _is_elementwise(fn: Any, given: list[Any]) -> bool:
    """Whether ``fn`` is a declared elementwise function that broadcasts the batch as it does one example.

    For any other function, one run says nothing about the next example: it may branch, draw random numbers, or read the
    whole batch.
    """
    function = getattr(fn, "function", None)
    if not (isinstance(function, Primitive) and function.elementwise and not function.several):
        return False
    batched = {np.ndim(arg) for arg in given if not isinstance(arg, _Shared)}
    shared = [np.ndim(arg.value) for arg in given if isinstance(arg, _Shared)]
    return len(batched) == 1 and max(shared, default=0) < batched.pop()
