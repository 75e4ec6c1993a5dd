"""The memory that a run keeps for the backward pass: which arrays, of which size, at which step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..engine import Primitive, Savable, Variable, is_array, show
from .arrays import dtype_name
from .gradient_flow import LayerNames
from .model import KeptArray, Recording, Step


class KeptArrays:
    """Lists the arrays that steps keep, numbering each memory buffer; ``given`` are those from before the run."""

    def __init__(self, buffer_of: Callable[[Any], tuple[Any, int]], given: Iterable[Any]) -> None:
        self._buffer_of = buffer_of
        self._given = {buffer_of(array)[0] for array in given}
        self._numbers: dict[Any, int] = {}
        self._held: list[Any] = []  # keeps their addresses from being reused

    def told(self, arrays: Sequence[Any]) -> tuple[KeptArray, ...]:
        """Those of the arrays that were created in the run."""
        if not arrays:
            return ()
        found: dict[int, KeptArray] = {}
        for array in arrays:
            key, size = self._buffer_of(array)
            if key in self._given or not size:
                continue
            if key not in self._numbers:
                self._held.append(array)
            number = self._numbers.setdefault(key, len(self._numbers))
            found[number] = KeptArray(number, tuple(array.shape), dtype_name(array.dtype).removeprefix("torch."), size)
        return tuple(found.values())


def kept_by(node: Any) -> list[Any]:
    """The arrays that the gradient rules of an AutoLab node keep, without single numbers."""
    if isinstance(node.function, Primitive):
        if node.saved is None and node.more is None:
            return []
        return [array for edge in node.edges for array in _arrays(edge.saved)]
    return [array for *_, value in node.function.held() for array in _arrays(value)]


def _arrays(value: Any) -> list[Any]:
    if type(value) is np.ndarray:
        return [value] if value.ndim else []
    value = value._data if isinstance(value, Variable) else value
    if isinstance(value, tuple):
        return [found for item in value for found in _arrays(item)]
    return [value] if is_array(value) else []


def buffer_of(array: Any) -> tuple[int, int]:
    """The owner of an array's memory, and its size in bytes."""
    while type(array) is np.ndarray and isinstance(array.base, np.ndarray):
        array = array.base
    return id(array), int(array.nbytes)


@dataclass(frozen=True)
class StepMemory:
    """What a step keeps for its backward and no earlier step keeps: ``nbytes`` bytes, in ``arrays``. ``total`` is what
    the run keeps up to here. ``layer`` is the layer of the step, ``label`` what it computes."""

    step: int
    layer: str
    label: str
    nbytes: int
    total: int
    arrays: tuple[KeptArray, ...]


@dataclass(frozen=True)
class Release:
    """Memory that the backward pass frees once it is done with ``step``: ``nbytes`` bytes. ``total`` is what is still
    kept then. ``moment`` counts the steps of the run and then those of the backward pass."""

    step: int
    moment: int
    nbytes: int
    total: int


@dataclass(frozen=True, repr=False)
class KeptMemory(Savable):
    """The memory that a run keeps for the backward pass, step by step, created by `Recording.memory`.

    ``rows`` are the steps that keep something, in the order of the run. Memory that existed before the run, such as
    that of inputs and weights, is not counted; memory that several steps share is counted once, at the first of them.
    ``released`` is what the backward pass frees, in order; it is empty if everything is kept until the outputs are
    deleted, as in AutoLab, whose graphs can be differentiated again, and in JAX.

    Examples
    --------
    >>> import autolab
    >>> memory = autolab.record(lambda x: (x * x).exp().sum(), [1.0, 2.0, 3.0]).memory()
    >>> memory.peak, memory.largest.label, memory.largest.arrays[0].shape
    (24, '(x * x).exp()', (3,))
    """

    rows: tuple[StepMemory, ...]
    function: str
    recording: Recording = field(compare=False)
    released: tuple[Release, ...] = ()

    @property
    def peak(self) -> int:
        """The peak in bytes, reached when the backward pass begins."""
        return self.rows[-1].total if self.rows else 0

    @property
    def largest(self) -> StepMemory | None:
        """The step that keeps the most; None if none keeps anything."""
        return max(self.rows, key=lambda row: row.nbytes, default=None)

    @cached_property
    def by_layer(self) -> dict[str, int]:
        """The number of bytes per layer, the largest first."""
        found: dict[str, int] = {}
        for row in self.rows:
            found[row.layer] = found.get(row.layer, 0) + row.nbytes
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def explore(self) -> Any:
        """Open the live graph at the step that keeps the most."""
        return show(self, "live", self.largest.step if self.largest else None)

    def __repr__(self) -> str:
        return str(show(self, "text"))


def kept_memory(recording: Recording) -> KeptMemory:
    """The memory that the steps of a recording keep.

    Raises
    ------
    ValueError
        If the recording does not know it, because there is no gradient or because the graph existed before.
    """
    if all([step.keeps is None for step in recording.steps]):
        raise ValueError(
            f"memory: the recording of {recording.function:.60} does not know what is kept; expected one that "
            "`record` made of a function with a gradient"
        )
    seen: set[int] = set()
    names = LayerNames(recording)
    rows: list[StepMemory] = []
    for step in recording.steps:
        arrays = tuple([kept for kept in step.keeps or () if kept.buffer not in seen])
        if arrays:
            seen.update([kept.buffer for kept in arrays])
            size = sum([kept.nbytes for kept in arrays])
            total = size + (rows[-1].total if rows else 0)
            rows.append(StepMemory(step.id, names.of(step), step_label(step), size, total, arrays))
    return KeptMemory(tuple(rows), recording.function, recording, tuple(_released(recording)))


def _released(recording: Recording) -> Iterator[Release]:
    """When memory is freed: a buffer is freed once the backward pass is done with the last step that keeps it."""
    if not recording.frees_early:
        return
    turns = {step.of: turn for turn, step in enumerate(recording.backward)}
    sizes: dict[int, int] = {}
    last: dict[int, int] = {}
    for step in recording.steps:
        call = step.operands[0].step if step.kind == "part" else step.id
        for kept in step.keeps or ():
            sizes[kept.buffer] = kept.nbytes
            last[kept.buffer] = max(last.get(kept.buffer, -1), turns.get(call or 0, len(turns)))
    total = sum(sizes.values())
    for turn, done in enumerate(recording.backward):
        nbytes = sum([sizes[buffer] for buffer, free in last.items() if free == turn])
        if nbytes:
            total -= nbytes
            yield Release(done.of, len(recording.steps) + turn, nbytes, total)


def step_label(step: Step) -> str:
    """A short label for what a step computes."""
    return step.name or step.source or step.function or step.kind
