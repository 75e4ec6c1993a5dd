"""Messages for refused uses of a Variable: what would be lost, and how to write it without loss.

A remedy that is given without reservation preserves the gradient: a test runs them all.
"""

from __future__ import annotations

import linecache
import re
from types import FrameType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .variable import Variable

_KEEP = (
    "np.stack([a, b]) and np.concatenate([a, b]) join values, and np.where(mask, new, old) replaces elements, with "
    "their gradients"
)

INTO_ARRAY = (
    f"an assignment into an array would drop the gradient. {_KEEP}; float(x) is the bare number, without a gradient."
)
AS_ARRAY = (
    f"numpy.asarray(Variable): a plain array would drop the gradient. {_KEEP}; NumPy's functions take a Variable as it "
    "is. x.data is the bare array, without a gradient."
)
JOINED = "a plain array would drop the gradient; autolab.c_[x, y] and autolab.r_[x, y] join Variables, and keep it."
ELEMENT = (
    "Variable: elements of a leaf that requires a gradient cannot be assigned. Write x = x.copy() before it, whose "
    "elements can be. Before a leaf is used, x.data[...] = numbers changes it."
)
FLAT = "flatten images by F.reshape(x, (len(x), -1)) or L.Flatten()"
ALREADY = (
    "Variable: data is a Variable already; use it as it is. Variable(x.data) is a leaf with the same numbers, cut off "
    "from the graph of x."
)
ASSIGNED = (
    "Variable.data: got a Variable; expected an array. In a computation write x = y, which keeps the gradient; an "
    "update takes the numbers alone, y.data."
)
ONE_NUMBER = "expected one element, such as x[0]; np.sin(x), unlike math.sin(x), takes them all"
COPIED = (
    "Variable: a computed value cannot be pickled or copied with its graph; as no step changes it, it needs no copy. "
    "y.data.copy() is the array alone, without the graph."
)


def part(who: str) -> str:
    """The message for a write to a part of another value."""
    return (
        f"{who:.60}: this is a view of another array, which would not change with it. Write to the whole: h[0, 1] = v "
        "in place of row = h[0]; row[1] = v, and h[0] *= 2 in place of row *= 2; or make a copy: row = row.copy()."
    )


def thrown_away(who: str) -> str:
    """The message for a write that nobody would see."""
    return (
        f"{who:.60}: it would change a copy, which nothing holds, and h as little as h[mask].fill_(0) does. Write to "
        "the whole, h[mask] = 0; or name the copy: part = h[mask].fill_(0)."
    )


_UPDATE = r"\b(?P<name>\w+)\s*-=?[^#,;()\[\]=<>]*\b(?P=name)\.grad\b"
"""Matches ``w = w - lr * w.grad`` and ``w -= lr * w.grad``, but not lines that merely use such a gradient."""


_GUARD = r"\b(is|or|if)\b"


def check_rebinding(frame: FrameType) -> None:
    """Raise a TypeError for ``w -= lr * w.grad`` outside ``no_grad``: it would leave the leaf unchanged."""
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno, frame.f_globals)
    found = re.search(_UPDATE, line)
    if found is not None and not re.search(_GUARD, line):
        name = found["name"][:20]
        raise TypeError(
            f"Variable: {name} -= ... only gives the name {name} to a computed value, and the leaf stays as it is. "
            f"Write updates in a block: with autolab.no_grad(): {name} -= lr * {name}.grad"
        )


def check_update(variable: Variable, frame: FrameType) -> None:
    """Raise a TypeError if a missing gradient is about to be subtracted from its value.

    After an update such as ``w = w - lr * w.grad``, `variable` is no longer a leaf and gets no gradient: the next one
    would fail with an error that does not explain this.
    """
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno, frame.f_globals)
    found = re.search(_UPDATE, line)
    if found is None or re.search(_GUARD, line):
        return
    name, what = found["name"][:20], "a constant" if variable.node is None else "a computed value"
    raise TypeError(
        f"Variable.grad: {name} has no gradient, as it is {what} now: an assignment such as {name} = {name} - ... "
        f"makes it one. Change the leaf instead: {name}.data -= lr * {name}.grad.data"
    )
