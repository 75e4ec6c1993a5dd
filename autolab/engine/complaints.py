"""Errors of a forward, restated for the function that was called: which input, what came, what was expected."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .backend import device_name, is_array

if TYPE_CHECKING:
    from .schema import Schema

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
