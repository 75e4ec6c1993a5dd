"""The messages between the judge and the process of a notebook: lines of JSON with plain data and arrays.

Pickle is not used, as reading one can run code.
"""

from __future__ import annotations

import base64
import json
import socket
import time
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from ...authoring.function_node import FunctionNode
from ...engine import Variable
from ..judgement import has_gap

LONGEST = 8 << 20
"""The largest size of a message, in bytes."""


class LineBroken(BaseException):
    """The other side has ended, is too late, or has sent an invalid message.

    Not an Exception, so that code that attributes every Exception to the learner does not catch it.
    """


class Wire:
    """One end of a connection; it stops waiting at ``deadline``, a time of `time.monotonic`."""

    def __init__(self, end: socket.socket, deadline: float | None = None, longest: int = LONGEST) -> None:
        self.end, self.deadline, self.longest = end, deadline, longest
        self._held = b""
        self.answer: Any = None  # the number of the answer that the judge's requests are about
        self.opened = ""  # the problem of a notebook that tried to read a hidden file

    def send(self, message: dict[str, Any]) -> None:
        """Send a message."""
        self._wait_until_deadline()
        try:
            self.end.sendall(json.dumps(message).encode() + b"\n")
        except TimeoutError:
            raise LineBroken("time") from None
        except OSError:
            raise LineBroken("gone") from None

    def receive(self) -> dict[str, Any]:
        """The next message; reports of the audit hook in between are kept in ``opened``."""
        while "opened" in (message := self._next()):
            self.opened = f"it tried to open {message['opened']!s:.100}, which it may not read"
        return message

    def _next(self) -> dict[str, Any]:
        while b"\n" not in self._held:
            self._wait_until_deadline()
            try:
                more = self.end.recv(1 << 16)
            except TimeoutError:
                raise LineBroken("time") from None
            except OSError:
                raise LineBroken("gone") from None
            if not more:
                raise LineBroken("gone")
            self._held += more
            if len(self._held) > self.longest:
                raise LineBroken("size")
        line, _, self._held = self._held.partition(b"\n")
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            raise LineBroken("form") from None
        if not isinstance(message, dict):
            raise LineBroken("form")
        return message

    def _wait_until_deadline(self) -> None:
        if self.deadline is not None:
            left = self.deadline - time.monotonic()
            if left <= 0:
                raise LineBroken("time")
            self.end.settimeout(left)


# ---------------------------------------------------------------------------------------------------- values
def encoded(value: Any) -> Any:
    """A value for JSON; for a function or a class only the fact that it is one."""
    if value is None or value is ... or value is NotImplemented:
        return None
    if isinstance(value, Variable):
        return {"variable": _array(value.data)}
    if isinstance(value, np.ndarray | np.generic):
        return {"array": _array(np.asarray(value))}
    if isinstance(value, bool | int | float | str):
        return {"plain": value if not isinstance(value, str) else value[:1000]}
    if isinstance(value, tuple | list):
        return {type(value).__name__ if type(value) in (tuple, list) else "tuple": [encoded(part) for part in value]}
    if isinstance(value, dict):
        return {"dict": [[str(key), encoded(part)] for key, part in value.items()]}
    if isinstance(value, type) and issubclass(value, FunctionNode):
        return {"class": value.__name__[:100]}
    if isinstance(value, Lent):
        return {"lent": value.number}
    if callable(value):
        return {"function": has_gap(value)}
    return {"other": f"{value!r:.100}"}


@dataclass(frozen=True)
class Lent:
    """A function of the judge that an answer may call, by its number in the request."""

    number: int


class Other:
    """A value of which only the text was sent."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def decoded(message: Any) -> Any:
    """The value of a message, with `Other` for functions and classes; raises LineBroken if it is invalid."""
    if message is None:
        return None
    try:
        ((kind, held),) = message.items()
        return _READERS[kind](held)
    except LineBroken:
        raise
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        raise LineBroken("form") from None


def _array(array: Any) -> dict[str, Any]:
    array = np.asarray(array)
    if array.dtype.kind not in "biufc" or array.nbytes > LONGEST // 2:
        raise TypeError(f"lesson.check: an array of {array.dtype}, {array.nbytes} bytes, is not a valid answer")
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"dtype": array.dtype.str, "shape": list(array.shape), "data": data}


def _read_array(held: Any) -> np.ndarray:
    dtype, shape = np.dtype(str(held["dtype"])), tuple([int(n) for n in held["shape"]])
    data = base64.b64decode(held["data"], validate=True)
    if dtype.kind not in "biufc" or min(shape, default=0) < 0 or len(data) != prod(shape) * dtype.itemsize:
        raise LineBroken("form")
    return np.frombuffer(data, dtype).reshape(shape).copy()


def _read_plain(held: Any) -> Any:
    if not isinstance(held, bool | int | float | str):
        raise LineBroken("form")
    return held


_READERS: dict[str, Any] = {
    "variable": lambda held: Variable(_read_array(held)),
    "array": _read_array,
    "plain": _read_plain,
    "tuple": lambda held: tuple([decoded(part) for part in held]),
    "list": lambda held: [decoded(part) for part in held],
    "dict": lambda held: {str(key): decoded(part) for key, part in held},
    "other": lambda held: Other(str(held)[:100]),
    "function": lambda held: Other("a function"),
    "class": lambda held: Other("a class"),
    "lent": lambda held: Lent(int(held)),
}
