"""vmap: a function of one example, applied to a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .. import functions as F
from ..engine import Primitive, Variable, a_kind, as_array, as_variable, takes_other_words
from ..shared.structure import matched, rebuilt
from .gradients import named

Axis = int | None


@takes_other_words
def vmap(fn: Callable[..., Any], in_axes: Axis | tuple[Axis, ...] = 0, out_axes: int = 0) -> Callable[..., Any]:
    """Vectorize ``fn``, which is written for one example, over the examples of a batch.

    A declared elementwise function, such as ``functions.tanh``, is called once with the whole batch; any other function
    is called once per example. ``mapped.how`` says which: ``"batch"`` or ``"loop"``.

    Parameters
    ----------
    fn : callable
        Takes Variables, returns a Variable or a nested structure of them.
    in_axes : int, None or tuple of them
        The batch axis of each argument; None for an argument that all examples share.
    out_axes : int
        The batch axis of the results.

    Returns
    -------
    callable
        Takes the arguments by position. It can be differentiated and vectorized again.

    Raises
    ------
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

    def mapped(*args: Any) -> Any:
        axes = in_axes if isinstance(in_axes, tuple) else (in_axes,) * len(args)
        if len(axes) != len(args):
            raise ValueError(f"vmap: in_axes has {len(axes)} entries; expected {len(args)}, one for each argument")
        pairs = enumerate(zip(args, axes, strict=True))
        given = [arg if axis is None else _in_front(i, arg, axis) for i, (arg, axis) in pairs]
        size = _examples(given, axes)
        if _is_elementwise(fn, given, axes):
            made.how, result = "batch", fn(*given)  # type: ignore[attr-defined]
        else:
            made.how = "loop"  # type: ignore[attr-defined]
            results = [fn(*_example(given, axes, i)) for i in range(size)]
            columns = zip(*[matched(results[0], one, "vmap: a later result") for one in results], strict=True)
            stacked = iter([F.stack(list(column)) for column in columns])
            result = rebuilt(results[0], lambda _: next(stacked))
        return result if out_axes == 0 else rebuilt(result, lambda y: F.moveaxis(y, 0, out_axes))

    made = named(mapped, "vmap", fn)
    return made


def _in_front(i: int, arg: Any, axis: int) -> Any:
    value = arg if isinstance(arg, Variable) else as_variable(as_array(arg, f"vmap: argument {i}"))
    if value.ndim == 0:
        raise ValueError(f"vmap: argument {i} is {a_kind(arg)} without axes; expected a batch, or None in in_axes")
    return value if axis == 0 else F.moveaxis(value, axis, 0)


def _examples(given: list[Any], axes: tuple[Axis, ...]) -> int:
    sizes = {len(arg) for arg, axis in zip(given, axes, strict=True) if axis is not None}
    if len(sizes) != 1 or 0 in sizes:
        raise ValueError(f"vmap: the batch sizes are {sorted(sizes)}; expected a single one, of at least 1")
    return sizes.pop()


def _example(given: list[Any], axes: tuple[Axis, ...], i: int) -> list[Any]:
    return [arg if axis is None else arg[i] for arg, axis in zip(given, axes, strict=True)]


def _is_elementwise(fn: Any, given: list[Any], axes: tuple[Axis, ...]) -> bool:
    """Whether ``fn`` is a declared elementwise function that broadcasts the batch as it does one example.

    For any other function, one run says nothing about the next example: it may branch, draw random numbers, or read the
    whole batch.
    """
    function = getattr(fn, "function", None)
    batched = {np.ndim(arg) for arg, axis in zip(given, axes, strict=True) if axis is not None}
    shared = [np.ndim(arg) for arg, axis in zip(given, axes, strict=True) if axis is None]
    is_declared = isinstance(function, Primitive) and function.elementwise and not function.several
    return is_declared and len(batched) == 1 and max(shared, default=0) < batched.pop()
