"""What a recording keeps of an array, as plain data: its numbers or a reduction of them. `arrays.py` creates it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from typing import Any, TypeVar

import numpy as np

from ..shared.norms import norm

T = TypeVar("T")


def maker(kind: type[T]) -> Callable[..., T]:
    """A constructor of a frozen dataclass with slots that takes a fifth of the time of its ``__init__``.

    It creates an instance of a class with the same slots whose fields can be set, and then changes its class to
    ``kind``.
    """
    settable = type(kind.__name__, (kind,), {"__slots__": (), "__setattr__": object.__setattr__})
    names = [entry.name for entry in fields(kind)]  # type: ignore[arg-type]
    code = [f"def make({', '.join(names)}):", "self = _new(_settable)", *[f"self.{name} = {name}" for name in names]]
    known: dict[str, Any] = {"_new": object.__new__, "_settable": settable, "_kind": kind}
    exec("\n    ".join([*code, "self.__class__ = _kind", "return self"]), known)  # as `dataclass` does
    known["make"].__defaults__ = tuple([f.default for f in fields(kind) if f.default is not MISSING])  # type: ignore[arg-type]
    return known["make"]


@dataclass(frozen=True)
class Pool:
    """CuPy's memory pool at the end of a run: bytes in use, the peak over all steps, and bytes that the pool holds."""

    used: int
    peak: int
    total: int


class _Measured:
    """Caches the norm of a snapshot."""

    __slots__ = ("_norm",)
    _norm: float


@dataclass(frozen=True, eq=False, slots=True)
class Snapshot(_Measured):
    """What a recording keeps of one array: all of it, or a block-reduced copy, and facts about the whole array.

    ``values`` is a read-only NumPy array that belongs to the recording. If ``block`` has an entry above 1, each cell
    represents that many elements along the axis and holds the one of largest magnitude, with its sign.
    ``minimum`` and ``maximum`` are those of the finite elements of the whole array; None if there are none.
    ``reduced_norm`` is the norm of the whole array if it cannot be computed from the values.

    Examples
    --------
    >>> import autolab
    >>> snapshot = autolab.record(lambda x: x * 2.0, [1.0, float("inf")]).steps[0].value
    >>> snapshot.shape, snapshot.maximum, snapshot.inf_count, snapshot.is_whole
    ((2,), 1.0, 1, True)
    """

    shape: tuple[int, ...]
    dtype: str
    device: str
    nbytes: int
    values: np.ndarray
    block: tuple[int, ...]
    minimum: float | None
    maximum: float | None
    nan_count: int
    inf_count: int
    reduced_norm: float | None = None

    def __str__(self) -> str:
        """As NumPy prints it; for an array that is not kept whole, its dtype and shape."""
        return str(self.values) if self.is_whole else f"{self.dtype} array of shape {self.shape}"

    @property
    def norm(self) -> float:
        """The Euclidean norm of the whole array's finite elements."""
        try:
            return self._norm
        except AttributeError:
            object.__setattr__(self, "_norm", self._measured())
        return self._norm

    def _measured(self) -> float:
        if self.reduced_norm is not None:
            return self.reduced_norm
        if self.size == 1 and self.minimum is not None and "complex" not in self.dtype:
            return abs(self.minimum)
        values = self.values.astype(complex if self.values.dtype.kind == "c" else float)
        return norm([values[np.isfinite(values)]])

    @property
    def size(self) -> int:
        """The number of elements of the whole array."""
        return math.prod(self.shape)

    @property
    def precision(self) -> float:
        """The machine epsilon of its dtype; 0 if the dtype does not round."""
        return float(np.finfo(self.values.dtype).eps) if self.values.dtype.kind == "f" else 0.0

    @property
    def is_whole(self) -> bool:
        """Whether ``values`` is the whole array rather than a reduced copy."""
        return all(n == 1 for n in self.block)


class SingleNumber(Snapshot):
    """The snapshot of a single float64, which is all that it stores: a run on numbers creates three at every step."""

    __slots__ = ("number",)
    number: float

    shape = ()  # what all numbers have in common is stored once
    dtype, device, nbytes, block, reduced_norm = "float64", "cpu", 8, (), None

    def __new__(cls, number: float = 0.0, **facts: Any) -> Any:
        return Snapshot(**facts) if facts else super().__new__(cls)  # `replace` turns it into an ordinary snapshot

    def __init__(self, number: float) -> None:
        object.__setattr__(self, "number", number)

    def __reduce__(self) -> tuple[Any, ...]:
        return SingleNumber, (self.number,)

    @property
    def values(self) -> np.ndarray:
        values = np.array(self.number)
        values.setflags(write=False)
        return values

    @property
    def minimum(self) -> float | None:
        return self.number if math.isfinite(self.number) else None

    maximum = minimum

    @property
    def nan_count(self) -> int:
        return int(math.isnan(self.number))

    @property
    def inf_count(self) -> int:
        return int(math.isinf(self.number))


@dataclass(frozen=True)
class KeptArray:
    """An array that a step keeps for its backward. ``nbytes`` is the size of its memory ``buffer``, which other steps
    may keep as well."""

    buffer: int
    shape: tuple[int, ...]
    dtype: str
    nbytes: int
