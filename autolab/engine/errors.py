"""The engine's exceptions. Each is a subclass of the built-in exception that a caller would expect to catch.

Errors of a forward, restated for the function that was called: which input, what came, what was expected.

Messages for refused uses of a Variable: what would be lost, and how to write it without loss.

A remedy that is given without reservation preserves the gradient: a test runs them all.
"""

from __future__ import annotations

import linecache
import math
import re
from collections.abc import Callable, Sized
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np

from .backend import device_name, is_array

if TYPE_CHECKING:
    from .schema import Schema
    from .variable import Variable


class GradientShapeError(ValueError):
    """A backward returned a gradient whose shape is not that of its input.

    ``got`` and ``expected`` are the two shapes.
    """

    def __init__(
        self, message: str, got: tuple[int, ...] | None = None, expected: tuple[int, ...] | None = None
    ) -> None:
        super().__init__(message)
        self.got, self.expected = got, expected


class GradientCountError(ValueError):
    """A backward returned a number of gradients that is not that of the inputs (or of the inputs that need one)."""


class DeclarationError(TypeError):
    """A function is declared incorrectly: an unknown rule name, or a backward with an old signature."""


class FusionError(TypeError):
    """A function cannot be fused: it is not purely elementwise."""


class NoGradientError(TypeError):
    """A NumPy function that has no gradient here was applied to a Variable."""


class DetachError(TypeError):
    """An operation would silently lose a gradient: a conversion to a plain array, or a change in place."""


class DamagedValueError(RuntimeError):
    """A value that backward needs was changed in place after the forward pass; see `autolab.check_inplace`.

    ``file`` and ``line`` locate the step that needs it; None and 0 if unknown.
    """

    def __init__(self, message: str, file: str | None = None, line: int = 0) -> None:
        super().__init__(message)
        self.file, self.line = file, line


class ReuseError(RuntimeError):
    """One function object was applied twice; it can appear in only one place of a graph."""


def counted(gradients: Sized) -> str:
    """The number of gradients in words, for messages.

    Examples
    --------
    >>> counted([1.0]), counted([])
    ('1 gradient', '0 gradients')
    """
    return f"{len(gradients)} gradient{'s' * (len(gradients) != 1)}"


_SPELLED = "AEFHILMNORSXn"  # letters whose names begin with a vowel's sound: an MLP, an ndarray


def a_kind(value: object) -> str:
    """The name of a value's type with an article, for messages.

    Examples
    --------
    >>> a_kind(3), a_kind([]), a_kind(None)
    ('an int', 'a list', 'None')
    """
    if value is None:
        return "None"
    name = type(value).__name__
    vowels = _SPELLED if name[:2].isupper() or name.startswith("nd") else "AEIOaeio"
    return f"{'an' if name[0] in vowels else 'a'} {name}"


def check_number(who: str, name: str, value: Any, low: float, high: float = math.inf) -> float:
    """``value`` as a number from ``low`` to ``high``, or an error that names it."""
    is_number = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not is_number or not low <= value <= high:
        upto = "" if high == math.inf else f" and at most {high}"
        raise ValueError(f"{who}: {name} is {value!r:.60}; expected a number of at least {low}{upto}")
    return float(value)


def check_whole(who: str, name: str, value: Any, low: int, high: float = math.inf) -> int:
    """``value`` as a whole number from ``low`` to ``high``, or an error that names it."""
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or not low <= value <= high:
        expected = f"of at least {low}" if high == math.inf else f"from {low} to {high}"
        raise ValueError(f"{who}: {name} is {value!r:.60}; expected a whole number {expected}")
    return int(value)


def no_switch(function: str, **switches: Any) -> TypeError:
    """The error for a keyword of a backward pass that is neither True nor False."""
    given = ", ".join([f"{name} is {a_kind(value)}" for name, value in switches.items()])
    where = "gradient=" if function == "backward" else "grad_outputs"
    return TypeError(f"{function}: {given}; expected True or False. An upstream gradient goes to {where}")


LIMIT = 300

COMPLAINTS = (ValueError, TypeError, IndexError, OverflowError)
"""What a forward raises if its inputs are invalid."""

_SHAPES = "expected shapes that broadcast: sizes equal or 1, counted from the last axis"


def _range(what: str, size: str) -> str:
    return f"an {what} from -{size} to {int(size) - 1}" if size != "0" else f"no {what}: there is none"


_EXPECTED: tuple[tuple[str, str | Callable[..., str]], ...] = (
    (r"could not be broadcast together with shapes|shape mismatch|not broadcastable", _SHAPES),
    (r"could not be broadcast together with remapped", "expected sizes that the input broadcasts to"),
    (r"does not have enough dimensions", "expected at least one axis each; with a number, multiply: a * b"),
    (r"^solve.*core dimension", "expected b with as many rows as a"),
    (r"core dimension|not aligned", "expected equal sizes where they meet: the last axis of a, the last but one of b"),
    (r"shape-mismatch for sum", "expected equal sizes of the axes that are summed over"),
    (r"Size of label (.*) for operand (\d+).*", r"expected one size for each letter; \1 has two"),
    (
        r"out of bounds for axis (\d+) with size (\d+)",
        lambda axis, size: f"expected {_range('index', size)} on axis {axis}",
    ),
    (r"out of bounds for array of dimension (\d+)", lambda ndim: f"expected {_range('axis', ndim)}"),
    (r"repeated axis|duplicate value|axes don't match", "expected each axis once"),
    (r"cannot reshape array of size (\d+)", r"expected a shape of \1 elements in all; one size may be -1"),
    (r"cannot select an axis to squeeze", "expected axes of size 1"),
    (r"zero-size array", "expected at least one element"),
    (r"must be square", "expected square matrices"),
    (r"Singular matrix|reported by .getr", "expected matrices that have an inverse; these are singular"),
    (r"not positive definite|reported by .potrf", "expected symmetric, positive definite matrices"),
    (r"at least two.dimension", "expected at least two axes"),
    (r"negative (values|dimensions)|counts cannot be negative", "expected numbers not below 0"),
    (r"only integers, slices", "expected integers, slices, ..., None, or arrays of integers or booleans"),
    (r"interpreted as an integer|invalid literal for int|must be an integer|safely cast", "expected integers"),
    (
        r"Python integer (\S+) out of bounds for (\w+)",
        lambda number, dtype: (
            f"{number:.40} is none of {dtype}'s; expected a smaller number, or floats: x.astype(float)"
        ),
    ),
    (r"int too large to convert", "the number is too large for the dtype; expected a smaller one"),
    (r"did not contain a loop|not supported for the input types", "expected numbers"),
)
"""Messages of NumPy, or of CuPy's cuSOLVER routines, and what was expected; no other code reads these texts."""


def complaint(
    function: str, schema: Schema, error: Exception, arrays: Any, attributes: dict[str, Any] | None = None
) -> Exception:
    """``error``, which a forward raised, with the function and its inputs named.

    Type and traceback are kept. An error that already names the function, or has its own class, is left unchanged.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> F.sum(Variable([1.0, 2.0]), axis=3)
    Traceback (most recent call last):
    ValueError: sum: a has shape (2,), axis=3: expected an axis from -1 to 0
    """
    kind = next((k for k in COMPLAINTS if isinstance(error, k)), None)
    own_class = type(error) is not kind and not type(error).__module__.startswith("numpy")
    expected = expectation(str(error))
    if kind is None or own_class or (expected is None and str(error).startswith(f"{function}:")):
        return error
    inputs = [(schema.label(i), array) for i, array in enumerate(arrays) if array is not None]
    if (devices := mixed_devices(dict(inputs))) is not None:
        return TypeError(f"{function}: {devices}"[:LIMIT]).with_traceback(error.__traceback__)
    given = [f"{label} has shape {np.shape(array)}" for label, array in inputs]
    if expected is not None:
        given += [f"{k}={v!r:.40}" for k, v in (attributes or {}).items() if _is_shown(v, schema.defaults.get(k))]
    what = f": {expected or str(error)[: LIMIT // 2]}"
    text = f"{function}: {', '.join(given)}"
    if len(text + what) > LIMIT:
        text = text[: LIMIT - len(what) - 1] + "…"
    return kind(text + what).with_traceback(error.__traceback__)


def mixed_devices(arrays: dict[str, Any]) -> str | None:
    """A message about the device of each array, if they are not on the same one."""
    places = {name: device_name(array) for name, array in arrays.items() if is_array(array)}
    if len({place.partition(":")[0] for place in places.values()}) < 2:
        return None
    each = ", ".join([f"{name} is on {place}" for name, place in places.items()])
    return f"{each}: expected all on one device; move them with to_gpu or to_cpu"


def expectation(said: str) -> str | None:
    """What was expected, where a message of NumPy or of CuPy's cuSOLVER routines is known."""
    for pattern, expected in _EXPECTED:
        if (found := re.search(pattern, said)) is not None:
            return found.expand(expected) if isinstance(expected, str) else expected(*found.groups())
    return None


def _is_shown(value: Any, default: Any) -> bool:
    """Whether an attribute belongs in a message: not an array, which is too long, nor a switch left at its default."""
    return not is_array(value) and not (value is default and (value in (None, False) or isinstance(value, str)))


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
