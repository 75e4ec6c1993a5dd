"""Why a gradient is NaN, infinite, exactly zero or None: a search through the backward pass.

A pass is a net of arrays: values, gradients, and the shares that a step's backward sends to its operands, each with the
arrays that it was computed from. A defect is traced from an array to its sources, until arrays are reached that have it
although none of their sources does. A gradient that is None is not in the net: nothing arrived.

The net comes from a recording (`autolab.recording.nonfinite`), or from running the last pass again (`replay`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from ..engine import Array, Node, Variable, get_array_module, grad, nodes_below
from ..engine.observe import BackwardEvent, observe, silence
from ..engine.store import last_start
from ..engine.undisturbed import quietly

MOST_STEPS = 20_000
"""Longer passes are not run again."""


class Place(NamedTuple):
    """An array of the net: the value or the gradient of a step, or the share that its backward sends to an operand."""

    role: Literal["value", "gradient", "share"]
    step: Any
    operand: int | None = None


@dataclass(frozen=True, slots=True)
class State:
    """Whether an array is exactly zero everywhere, and whether it contains NaN or infinities."""

    zero: bool
    nan: bool
    inf: bool

    @property
    def finite(self) -> bool:
        """Whether it contains neither NaN nor infinities."""
        return not (self.nan or self.inf)


class Net:
    """A graph of arrays, in which each is known only by its `State` and by the arrays that it was computed from.

    Attributes
    ----------
    states : dict of Place to State
    sources, uses : dict of Place to list of Place
        The arrays of the net that an array was computed from, and those that were computed from it.
    names : dict
        Step -> the name of its function.
    starts : set of Place
        The gradients with which the pass began.
    """

    def __init__(self, starts: Iterable[Place] = ()) -> None:
        self.states: dict[Place, State] = {}
        self.sources: dict[Place, list[Place]] = {}
        self.uses: dict[Place, list[Place]] = {}
        self.names: dict[Hashable, str] = {}
        self.starts = set(starts)

    def add(self, place: Place, state: State, sources: Iterable[Place]) -> None:
        """Add an array; those that it was computed from must have been added before."""
        self.states[place], self.uses[place] = state, []
        self.sources[place] = [source for source in sources if source in self.states]
        for source in self.sources[place]:
            self.uses[source].append(place)

    def origins(self, place: Place, is_wrong: Callable[[Place], bool]) -> list[Place]:
        """The origins of a defect of an array, nearest first: the arrays that have it although no source does."""
        found, waiting, seen = [], deque([place]), {place}
        while waiting:
            here = waiting.popleft()
            wrong = [source for source in self.sources.get(here, ()) if is_wrong(source)]
            if not wrong:
                found.append(here)
            waiting += [source for source in dict.fromkeys(wrong) if source not in seen]
            seen.update(wrong)
        return found

    def reached(self, place: Place) -> list[Place]:
        """The arrays that were computed from this one, itself first."""
        found, waiting = {place: None}, deque([place])
        while waiting:
            for use in self.uses[waiting.popleft()]:
                if use not in found:
                    found[use] = None
                    waiting.append(use)
        return list(found)


@dataclass(frozen=True)
class Provenance:
    """Where a defect of a gradient comes from: ``producers`` are the functions whose backward introduced it; otherwise
    the pass ``started`` with it, or it arose when shares were added (``summed``)."""

    producers: tuple[str, ...] = field(default=())
    started: bool = False
    summed: bool = False


def provenance(net: Net, step: Hashable, kind: Literal["zero", "nonfinite"]) -> Provenance:
    """Why the gradient of a step is exactly zero, or contains NaN or infinities.

    Examples
    --------
    >>> from autolab import Variable, functions as F
    >>> from autolab.debug.provenance import provenance, replay
    >>> x = Variable([-1.0, -2.0])
    >>> provenance(replay(F.relu(x).sum(), x), x.node, "zero").producers
    ('relu',)
    """

    def is_wrong(place: Place) -> bool:
        state = net.states[place]
        return place.role != "value" and (state.zero if kind == "zero" else not state.finite)

    gradient = Place("gradient", step)
    if kind == "zero" and not all([net.states[share].zero for share in net.sources.get(gradient, ())]):
        return Provenance(summed=True)
    found = net.origins(gradient, is_wrong)
    producers = [net.names[place.step] for place in found if place.role == "share"]
    return Provenance(
        tuple(dict.fromkeys(producers)),
        started=any([place in net.starts for place in found]),
        summed=any([place.role == "gradient" and bool(net.sources.get(place)) for place in found]),
    )


# ---------------------------------------------------------------------------------------------- running a pass again
def replay(output: Variable, target: Variable) -> Net | None:
    """The net of a backward pass from ``output``, run again; None if that is impossible. No gradients are stored, and
    observers are not notified."""
    net = Net([Place("gradient", output.node)])
    arrived: dict[Node, list[Place]] = {}

    def hear(event: Any) -> None:
        if isinstance(event, BackwardEvent):
            _note(net, arrived, event)

    start = output.grad if getattr(output.node, "given", False) else last_start(output)
    try:
        with quietly(), silence, observe(hear):
            (found,) = grad(output, [target], start)
    except Exception:  # a user's own backward may refuse to run twice: then there is no explanation, but no error
        return None
    if found is not None and target.node is not None:
        net.add(Place("gradient", target.node), state_of(found), arrived.get(target.node, ()))
    return net


def _note(net: Net, arrived: dict[Node, list[Place]], event: BackwardEvent) -> None:
    node = event.node
    gradient = Place("gradient", node)
    net.add(gradient, state_of(event.upstream), arrived.pop(node, ()))
    net.names[node] = str(getattr(node.function, "name", type(node.function).__name__))
    for i, (parent, share) in enumerate(zip(node.parents, event.gradients, strict=False)):
        if share is not None:
            net.add(Place("share", node, i), state_of(share), [gradient])
            arrived.setdefault(parent, []).append(Place("share", node, i))


def state_of(g: Any) -> State:
    """The state of an array, of a Variable, or of several arrays together."""
    if isinstance(g, dict):
        states = [state_of(part) for part in g.values()]
        return State(all([s.zero for s in states]), any([s.nan for s in states]), any([s.inf for s in states]))
    array = g.array if isinstance(g, Variable) else g
    xp = get_array_module(array)
    return State(not bool(array.any()), bool(xp.isnan(array).any()), bool(xp.isinf(array).any()))


# ---------------------------------------------------------------------------------------------- no gradient
Missing = Literal["start", "detached", "not_input", "not_passed_on", "not_kept"]


def missing(variable: Variable, output: Variable) -> Missing:
    """Why a Variable got no gradient from a pass from ``output``.

    ``start``: the pass began there; ``not_kept``: an intermediate value, whose gradient was passed on but not kept;
    ``not_passed_on``: a leaf of the graph, but no rule gave it a gradient; ``detached``: the graph contains its array
    as a constant; ``not_input``: it is not in the graph.

    Examples
    --------
    >>> from autolab import Variable
    >>> x, y = Variable(2.0), Variable(3.0)
    >>> missing(x, y * y), missing(x, y * x.data)
    ('not_input', 'detached')
    """
    nodes = graph_of(output)
    if variable.node is output.node:
        return "start"
    if variable.node in nodes:
        return "not_passed_on" if variable.creator is None else "not_kept"
    return "detached" if _keeps_array(nodes, variable.array) else "not_input"


def graph_of(output: Variable) -> set[Node]:
    """All nodes that a value depends on, including its own."""
    return set() if output.node is None else set(nodes_below(output.node))


def _keeps_array(nodes: set[Node], array: Array) -> bool:
    """Whether a graph retains this very array, or a view of it, for its rules; False for arrays on a GPU."""
    if not isinstance(array, np.ndarray):
        return False
    kept = [saved for node in nodes for edge in node.edges for saved in _arrays(getattr(edge, "saved", None))]
    return any([np.may_share_memory(saved, array) for saved in kept])


def _arrays(saved: Any) -> list[np.ndarray]:
    if isinstance(saved, np.ndarray):
        return [saved]
    return [array for item in saved for array in _arrays(item)] if isinstance(saved, tuple | list) else []
