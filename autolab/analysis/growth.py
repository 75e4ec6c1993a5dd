"""How the graph grows from one order to the next, and how much of it is shared."""

from __future__ import annotations

from dataclasses import dataclass

from ..recording.model import Recording


@dataclass(frozen=True)
class Growth:
    """The graph of one order in numbers.

    ``steps`` are computed for this order, ``reused`` are values of lower orders that it takes over. ``unshared`` is how
    many steps the result would take from the input on, had every use of a value to compute it again: the size of the
    formula when it is written out.

    Examples
    --------
    >>> import autolab
    >>> from autolab.analysis import growth
    >>> (numbers,) = growth(autolab.record(lambda x: x * x * x, 2.0))
    >>> numbers.order, numbers.steps, numbers.reused
    (0, 2, 0)
    """

    order: int
    name: str
    steps: int
    reused: int
    unshared: int


def growth(recording: Recording) -> tuple[Growth, ...]:
    """The numbers of a recording and of its derivatives, in order.

    Examples
    --------
    >>> import autolab
    >>> found = growth(autolab.record(lambda x: x * x * x, 2.0, options={"order": 1}))
    >>> [(g.steps, g.reused) for g in found]
    [(2, 0), (6, 1)]
    """
    sizes: dict[int, int] = {}
    found = []
    for graph in (recording, *recording.higher):
        for step in graph.steps:
            if step.kind in ("call", "part"):
                operands = sum([sizes[use.step] for use in step.operands if use.step is not None])
                sizes[step.id] = (step.kind == "call") + operands
            else:
                sizes.setdefault(step.id, 0)  # a reference has its size from the order that computed it
        steps = sum([step.kind == "call" and step.order == graph.order for step in graph.steps])
        reused = sum([step.kind == "reference" for step in graph.steps])
        names = [step.name or "" for step in graph.steps if step.id in graph.outputs]
        name = graph.function if graph.order else names[0] or "f"
        found.append(Growth(graph.order, name, steps, reused, sum([sizes[i] for i in graph.outputs])))
    return tuple(found)
