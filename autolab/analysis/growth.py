"""How the graph grows from one order of differentiation to the next, and how much of it is shared."""

from __future__ import annotations

from dataclasses import dataclass

from ..recording.model import Recording


@dataclass(frozen=True)
class Growth:
    """The size of the graph of one order.

    ``steps`` counts the steps computed for this order, ``reused`` the values of lower orders that it uses. ``unshared``
    is the number of steps from the input to the result if every use of a value computed it again: the size of the
    formula written out in full.

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
    """The sizes of the graphs of a recording and of its derivatives, by order.

    Examples
    --------
    >>> import autolab
    >>> from autolab.analysis import growth
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
                sizes.setdefault(step.id, 0)  # a reused value has the size that it has in the order that computed it
        steps = sum([step.kind == "call" and step.order == graph.order for step in graph.steps])
        reused = sum([step.kind == "reference" for step in graph.steps])
        names = [step.name or "" for step in graph.steps if step.id in graph.outputs]
        name = graph.function if graph.order else names[0] or "f"
        found.append(Growth(graph.order, name, steps, reused, sum([sizes[i] for i in graph.outputs])))
    return tuple(found)
