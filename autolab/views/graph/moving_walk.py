"""The walk through a saved graph that moves: the shares of gradients, which its program computes as well, and the
moments of the walk, with marks in the place of all numbers that the program computes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ...engine import Array, BackwardEvent, ForwardEvent
from ...recording.drafts import Use
from ...recording.local_derivatives import LocalDerivatives, Sums
from ...recording.model import Operand, Recording, Snapshot, Step
from ...transforms.tracing import Untraceable
from ...transforms.tracing.signatures import trace_of
from ..draw import say
from ..draw.numbers import marked
from .questions import Reader

PARTS = ("contribution", "local", "product", "total")
"""What an operand holds of the share that it receives."""


class NoWalk(Untraceable):
    """The program cannot have the shares, but may have the values and the gradients."""


class TracedShares:
    """Observes a traced backward pass, and keeps of every share what the recording keeps.

    ``steps`` has the step of each node, by the node's order.
    """

    def __init__(self, recording: Recording, steps: Mapping[int, Step]) -> None:
        self._recording, self._steps = recording, steps
        self._uses: dict[tuple[int, int], Use] = {}
        self._locals, self._sums = LocalDerivatives(self), Sums(self)  # type: ignore[arg-type]

    def snapshot(self, array: Array) -> Array:
        """Arrays are kept as they are, since a snapshot has no trace."""
        return array

    def start(self, step: int, upstream: Any) -> None:
        """The upstream gradient of an output arrives."""
        self._sums.start(step, upstream)

    def hear(self, event: ForwardEvent | BackwardEvent) -> None:
        """Called after every step."""
        step = self._steps.get(event.node.order) if isinstance(event, BackwardEvent) else None
        if step is None or not isinstance(event, BackwardEvent):
            return
        for edge, share in zip(event.node.edges, event.gradients, strict=True):
            kept = step.operands[edge.place]
            if share is not None and kept.step is not None:
                use = self._uses[step.id, edge.place] = Use(kept.parameter, kept.step, None)
                use.contribution = share
                if kept.local is not None:
                    self._locals.fill_in_local(use, edge, event.upstream, share)
                self._sums.add(use, share)

    def arrays(self) -> Iterator[tuple[tuple[int, str, int], Snapshot, Any]]:
        """The arrays, with their places and what the recording keeps of them."""
        for back in self._recording.backward:
            step = self._recording.by_id[back.of]
            for k, operand in enumerate(step.operands):
                use = self._uses.get((step.id, k), Use("", None, None))
                for part in PARTS:
                    array, kept = getattr(use, part), getattr(operand, part)
                    if (array is None) != (kept is None) or (kept is not None and not kept.is_whole):
                        raise NoWalk(say("moves_changes"))
                    if array is not None and trace_of(array) is not None:
                        yield (step.id, part, k), kept, array


def moving_walk(recording: Recording, shown: Sequence[Sequence[Any]], cells: int, count: int) -> list[dict[str, Any]]:
    """The ``count`` moments of the walk with marks; of each only what is not the same in the saved one.

    ``shown`` are the arrays that the program computes, as `page_program.motion` lists them.
    """
    first, firsts = 0, {}
    for step, which, shape, _, *operand in shown:
        firsts[step, which, *operand] = first
        first += math.prod(shape)
    readers = [Reader(one, cells) for one in (recording, _marked(recording, firsts))]
    moments = [[reader.ask(["frame", k, None]) for reader in readers] for k in range(count)]
    return [{key: part for key, part in new.items() if part != old[key]} for old, new in moments]


def _marked(recording: Recording, firsts: Mapping[tuple[Any, ...], int]) -> Recording:
    """The recording with marks. Jacobians and filled-in rules, which the program does not compute, are left out."""

    def mark(snapshot: Snapshot | None, *place: Any) -> Snapshot | None:
        return marked(snapshot, firsts[place]) if snapshot is not None and place in firsts else snapshot

    def operand(step: Step, k: int) -> Operand:
        kept = step.operands[k]
        parts: dict[str, Any] = {part: mark(getattr(kept, part), step.id, part, k) for part in PARTS}
        return replace(kept, **parts, jacobian=None, numbers=None)

    steps = [
        replace(
            step,
            value=mark(step.value, step.id, "value"),
            grad=mark(step.grad, step.id, "grad"),
            operands=tuple([operand(step, k) for k in range(len(step.operands))]),
        )
        for step in recording.steps
    ]
    return replace(
        recording,
        steps=tuple(steps),
        backward=tuple([replace(back, upstream=mark(back.upstream, back.of, "grad")) for back in recording.backward]),
        upstream=tuple([mark(upstream, i, "upstream", 0) for i, upstream in enumerate(recording.upstream)]),
    )
