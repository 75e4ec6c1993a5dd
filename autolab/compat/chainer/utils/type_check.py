"""``chainer.utils.type_check``: conditions for `check_type_forward` of a function, and their errors.

    >>> import numpy as np
    >>> from autolab.compat.chainer.utils import type_check
    >>> in_types = type_check.get_types((np.ones((2, 3)),), "in_types", False)
    >>> type_check.expect(in_types.size() == 1, in_types[0].ndim == 2)

Conditions are truth values here, where Chainer had objects for them; a complaint has the source of the one that fails.
"""

from __future__ import annotations

import math
import sys
from ast import Name, walk
from collections.abc import Sequence
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from ....engine.source import by_position, segment


class InvalidType(TypeError, ValueError):
    """Raised if the types or shapes of a function's inputs are invalid.

    Attributes
    ----------
    expect, actual : str
    """

    def __init__(self, expect: Any, actual: Any = "", msg: str | None = None) -> None:
        super().__init__(f"Expect: {expect}\nActual: {actual}" if msg is None else msg)
        self.expect, self.actual = expect, actual


class TypeInfo(NamedTuple):
    """The shape and dtype of an array."""

    shape: tuple[int, ...]
    dtype: np.dtype

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    def __repr__(self) -> str:
        return f"{self.shape} {self.dtype}"


class TypeInfoTuple(tuple[TypeInfo, ...]):
    """The types of all inputs."""

    def size(self) -> int:
        """The number of inputs."""
        return len(self)


def get_types(data: Sequence[Any], name: str, accept_none: bool) -> TypeInfoTuple:
    """The types of arrays; with ``accept_none``, None counts as an array of dtype object without axes."""
    found = [np.array(None) if value is None and accept_none else value for value in data]
    return TypeInfoTuple([TypeInfo(value.shape, value.dtype) for value in found])


def make_variable(value: Any, name: str) -> Any:
    """The value itself."""
    return value


Variable = make_variable


def eval(exp: Any) -> Any:
    """The value itself."""
    return exp


def expect(*bool_exprs: Any) -> None:
    """Raise `InvalidType` for the first condition that does not hold."""
    for i, holds in enumerate(bool_exprs):
        if not holds:
            raise InvalidType(*_told(sys._getframe(1), i, len(bool_exprs)))


def _told(frame: FrameType, number: int, count: int) -> tuple[str, str]:
    """The source of a condition in the call that ``frame`` is executing, and the values of its names."""
    found = by_position(frame)
    if found is None or len(getattr(found.node, "args", ())) != count:
        return f"condition {number + 1} of {count}", "it does not hold"
    condition = found.node.args[number]
    names = dict.fromkeys([node.id for node in walk(condition) if isinstance(node, Name) and node.id in frame.f_locals])
    return segment(found.lines, condition), ", ".join([f"{name} is {frame.f_locals[name]!r:.100}" for name in names])


def argname(in_types: Sequence[Any], names: Sequence[str]) -> None:
    """Raise `InvalidType` unless there is a type for each of the names."""
    if len(in_types) != len(names):
        raise InvalidType(f"{len(names)} inputs: {', '.join(names)}", len(in_types))


_argname = argname


def expect_broadcast_shapes(*shape_types: Any) -> None:
    """Raise `InvalidType` unless the shapes broadcast."""
    try:
        np.broadcast_shapes(*shape_types)
    except ValueError:
        raise InvalidType("shapes that broadcast", ", ".join(map(str, shape_types))) from None


prod = math.prod
