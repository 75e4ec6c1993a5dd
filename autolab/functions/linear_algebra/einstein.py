"""Einstein summation: products of arrays, summed over any of their axes, each named by a letter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...engine import Array, a_kind, get_array_module
from ...engine.calls import Call
from ...engine.declare import primitive
from ..arrays.shape import sum_to

Shape = tuple[int, ...]

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@primitive(numpy=np.einsum)
def einsum(xp: Any, *operands: Array, subscripts: str) -> Array:
    """Multiply arrays and sum over axes as given by subscripts: ``"ij,jk->ik"`` is the product of two matrices.

    Parameters
    ----------
    subscripts : str
        A letter for each axis of each operand, with commas between operands, and the letters of the result after
        ``->``. Letters missing from the result are summed over; a letter repeated within an operand takes its diagonal;
        ``...`` stands for axes that broadcast. Without ``->`` the result has the letters that occur once, in
        alphabetical order.
    *operands : Variable or array
        They may also come first, followed by ``subscripts=``; or, as in NumPy, each may be followed by a list of axis
        numbers, with an optional list for the result at the end.

    Returns
    -------
    Variable or array

    Raises
    ------
    ValueError
        If the subscripts do not match the operands.

    Examples
    --------
    >>> import numpy as np
    >>> from autolab import Variable, functions as F
    >>> F.einsum("ij,j->i", Variable([[1.0, 2.0], [3.0, 4.0]]), [1.0, 10.0])
    variable([21. 43.])
    >>> np.einsum("ii", Variable([[1.0, 2.0], [3.0, 4.0]]))
    variable(5.0)
    """
    if not isinstance(subscripts, str):
        raise TypeError(f"einsum: subscripts is {a_kind(subscripts)}; expected a text such as 'ij,jk->ik'")
    common = xp.result_type(*operands)  # otherwise two byte operands are multiplied as bytes first
    return xp.einsum(subscripts, *[x.astype(common, copy=False) for x in operands], optimize=True)


@einsum.vjp("operands")
def _einsum_operand(
    g: Any, index: int, operands: tuple[Any, ...], operands_shapes: tuple[Shape, ...], subscripts: str
) -> Any:
    """einsum(g, others)

    An axis that only this operand has is filled by a vector of ones, and a diagonal by the identity matrix: constants
    that take part in the product like other operands.
    """
    terms, out = labels(subscripts, operands_shapes)
    own, shape = terms[index], operands_shapes[index]
    factors = [(out, g), *[(terms[i], x) for i, x in enumerate(operands) if i != index]]
    xp = get_array_module(g)
    sizes = [(label, n) for text, x in factors for label, n in zip(text, x.shape, strict=True)]
    known = dict.fromkeys([label for label, _ in sizes], 1) | {label: n for label, n in sizes if n != 1}
    free = _unused("".join([*terms, out]))
    wanted = ""
    for label, n in zip(own, shape, strict=True):
        if label in wanted:
            wanted += free.pop()
            factors.append((label + wanted[-1], xp.eye(n, dtype=g.dtype)))
            continue
        if known.get(label) != n:
            factors.append((label, xp.ones(n, g.dtype)))
        wanted += label
    text = ",".join([text for text, _ in factors]) + "->" + wanted
    gradient = einsum(*[x for _, x in factors], subscripts=text)
    return gradient if gradient.shape == shape else sum_to(gradient, shape=shape)


def labels(subscripts: str, shapes: Sequence[Shape]) -> tuple[list[str], str]:
    """The letters of the axes of each operand and of the result, with ``...`` and an implicit result spelled out."""
    inputs, arrow, out = subscripts.replace(" ", "").partition("->")
    terms = inputs.split(",")
    counts = [len(shape) - len(term.replace("...", "")) for term, shape in zip(terms, shapes, strict=True)]
    stack = "".join(_unused(subscripts)[: max(counts)])
    terms = [term.replace("...", stack[len(stack) - n :]) for term, n in zip(terms, counts, strict=True)]
    if arrow:
        return terms, out.replace("...", stack)
    letters = inputs.replace(",", "").replace("...", "")
    return terms, stack + "".join(sorted([letter for letter in set(letters) if letters.count(letter) == 1]))


def _unused(letters: str) -> list[str]:
    return [letter for letter in _LETTERS if letter not in letters]


@einsum.spelling
def _einsum(*operands: Any, subscripts: Any = None, optimize: Any = True) -> Call:
    """``einsum("ij,j->i", a, b)``, ``einsum(a, b, subscripts="ij,j->i")`` or ``einsum(a, [0, 1], b, [1], [0])``."""
    if subscripts is None and len(operands) > 1 and isinstance(operands[1], list | tuple):
        *lists, out = [_word(axes) for axes in (*operands[1::2], operands[-1])]
        is_given = len(operands) % 2
        subscripts, operands = ",".join(lists) + f"->{out}" * is_given, operands[: len(operands) - is_given : 2]
    if subscripts is None:
        subscripts, *operands = operands or (None,)  # type: ignore[assignment]
    return tuple(operands), {"subscripts": subscripts}


def _word(axes: Any) -> str:
    """The letters that stand for a list of axis numbers."""
    letters = sorted(_LETTERS)
    for axis in axes:
        if axis is not ... and not (isinstance(axis, int | np.integer) and 0 <= axis < len(letters)):
            raise ValueError(f"einsum: an axis is {axis!s:.40}; expected a number from 0 to {len(letters) - 1}, or ...")
    return "".join(["..." if axis is ... else letters[axis] for axis in axes])
