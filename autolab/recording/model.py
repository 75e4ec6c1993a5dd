"""Recording: the plain, frozen data that every view is a function of.

A recording holds no Variable and no graph node, so it keeps nothing alive but the arrays in its snapshots. Ids are
small integers, the same in every run of the same program, so two recordings of one function can be compared step by
step.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from ..engine import Displayed, show, takes_other_words
from ..engine.habits import answer_habits
from .arrays import KeptArray, Pool, Snapshot
from .step import LEAVES, BackwardStep, Kind, Opening, Operand, Scope, ScopeKind, Step

if TYPE_CHECKING:
    from graphviz import Digraph

    from .departures import Departure
    from .gradient_flow import GradientFlow
    from .kept_memory import KeptMemory
    from .outline import Outline
    from .raised import Raised

__all__ = [
    "LEAVES",
    "BackwardStep",
    "KeptArray",
    "Kind",
    "Opening",
    "Operand",
    "Pool",
    "Recording",
    "Scope",
    "ScopeKind",
    "Snapshot",
    "Step",
]


@dataclass(frozen=True)
class Recording(Displayed):
    """One run of a function and of its gradient, created by `autolab.record`.

    ``upstream`` holds, for each output, the gradient with which the backward pass began there; None if it has none. An
    output that was returned twice begins with the sum, and both entries hold that sum.
    ``higher`` are the recordings of the derivatives with respect to the input ``wrt``, by order. Each has its own
    ``order``, the steps of that order with their gradients, and the steps of lower orders that it uses, under the same
    ids; its ``starts`` are the constants, all ones, with which the backward pass began.
    ``pool`` is the state of the GPU's memory pool; None if no value was on a GPU.
    ``departures`` are the places where values left the graph as plain numbers or arrays.
    ``openable`` are the fused functions of the run that can be shown as steps, ``openings`` those that are.
    ``raised`` is the exception that ended the run early; None if there was none. A recording with one has the steps
    before it, its ``outputs`` are the values that nothing had used yet, and it has only the gradients that were
    complete by then.
    ``moved`` is the step that moves in forward mode (option ``forward``); its tangent is the direction.
    ``unreached`` are lines of the function that are known not to have run, such as a branch that was not taken.
    ``tokens`` are the labels of the positions of a sequence (option ``tokens``), for attention weights.
    ``frees_early`` is whether the backward pass, like PyTorch's, frees what a step keeps as soon as it is done with the
    step.

    Examples
    --------
    >>> import autolab
    >>> recording = autolab.record(lambda x, y: x * y, x=2.0, y=3.0)
    >>> [step.name or step.function for step in recording.steps], len(recording.backward)
    (['x', 'y', 'mul'], 1)
    >>> float(recording["x"].grad.values)
    3.0
    """

    function: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    steps: tuple[Step, ...]
    backward: tuple[BackwardStep, ...]
    source: str | None = None
    file: str | None = None
    first_line: int | None = None
    upstream: tuple[Snapshot | None, ...] = ()
    reduced: int = 0
    notes: tuple[str, ...] = field(default=())
    scopes: tuple[Scope, ...] = ()
    order: int = 0
    wrt: str | None = None
    higher: tuple[Recording, ...] = ()
    openable: tuple[str, ...] = ()
    openings: tuple[Opening, ...] = ()
    pool: Pool | None = None
    departures: tuple[Departure, ...] = ()
    raised: Raised | None = None
    unreached: tuple[int, ...] = ()
    starts: tuple[int, ...] = ()
    moved: int | None = None
    tokens: tuple[str, ...] = ()
    frees_early: bool = False

    @cached_property
    def id(self) -> str:
        """A digest that identifies the recording: equal runs have equal ids."""
        from .serialize import digest

        return digest(self.function if self.raised is None else f"{self.function} {self.raised}", self.steps)

    @cached_property
    def by_id(self) -> dict[int, Step]:
        """The steps by their ids."""
        return {step.id: step for step in self.steps}

    def slope(self, step: Step) -> Snapshot | None:
        """What is shown next to the value of a step: its gradient, or its tangent in forward mode."""
        return step.grad if self.moved is None else step.tangent

    @property
    def has_returned(self) -> bool:
        """Whether the function returned; if not, ``outputs`` are not its results."""
        return self.raised is None or self.raised.phase == "backward"

    def __iter__(self) -> Iterator[Step]:
        """The steps, in the order in which they ran."""
        return iter(self.steps)

    def __getitem__(self, name: str) -> Step:
        """The last step that the user's code calls ``name``, for instance ``recording["h"]``."""
        for step in reversed(self.steps):
            if step.name == name:
                return step
        names = ", ".join(dict.fromkeys(s.name for s in self.steps if s.name))
        raise KeyError(f"Recording: no step is called {name!r}; the names are {names}")

    @cached_property
    def outline(self) -> Outline:
        """The steps as a tree of scopes, so that any part can be shown as one box."""
        from .grouping import outline

        return outline(self)

    def flow(self) -> GradientFlow:
        """How much of the gradient reaches each layer, in order of depth: a plot, and a table.

        For each layer it has the norms of its value and of the gradient there, and the norm of its weights' gradient
        divided by that of the weights; gradients that vanish or explode are marked.

        Examples
        --------
        >>> import autolab
        >>> def deep(x, w):
        ...     for _ in range(3):
        ...         x = x * w * 0.05
        ...     return x.sum()
        >>> flow = autolab.record(deep, [1.0, 2.0], [1.0, 1.0]).flow()
        >>> [row.layer for row in flow.rows], [(row.layer, row.sign) for row in flow.marked]
        (['pass 1', 'pass 2', 'pass 3'], [('pass 1', 'vanishes')])
        """
        from .gradient_flow import gradient_flow

        return gradient_flow(self)

    def memory(self) -> KeptMemory:
        """The memory that the run keeps for the backward pass, step by step, with its peak: a plot, and a table.

        It also says what the backward pass frees, and when. For a JAX function, it is what the `jax.vjp` of each
        equation keeps; under ``jit``, the compiler may keep copies of it at the boundary, or less inside.

        Raises
        ------
        ValueError
            If the recording does not know it, because there is no gradient or because the graph existed before.

        Examples
        --------
        >>> import autolab
        >>> memory = autolab.record(lambda x: (x * x).sum(), [1.0, 2.0]).memory()
        >>> memory.peak, "x is there anyway, and sum keeps nothing"
        (0, 'x is there anyway, and sum keeps nothing')
        """
        from .kept_memory import kept_memory

        return kept_memory(self)

    def to_json(self) -> dict[str, Any]:
        """The recording as dictionaries, lists, strings, numbers and None; NaN and infinities as strings."""
        from .serialize import to_json

        return {"id": self.id, **to_json(self)}

    def to_graphviz(self) -> Digraph:
        """The graph as a `graphviz.Digraph`."""
        graph: Digraph = show(self, "graphviz")
        return graph

    def to_dot(self) -> str:
        """The graph in Graphviz's language, DOT."""
        return str(self.to_graphviz().source)

    @takes_other_words
    def save(
        self,
        path: str | os.PathLike[str],
        look: Literal["light", "dark", "auto"] = "light",
        direction: Literal["auto", "down", "right"] = "auto",
    ) -> None:
        """Save the graph as an ``.svg``, ``.png``, ``.pdf`` or ``.dot`` file or as an ``.html`` page that stays live,
        the walk through it as a ``.gif`` or ``.mp4`` film, 1280 pixels wide, or `to_json` as a ``.json`` file.

        ``direction`` is the direction of the graph; by default, sequences and long chains run to the right, everything
        else runs down.
        """
        show(self, "file", path, look, direction)

    def __str__(self) -> str:
        """Every step with its value and its gradient, and the backward pass, as a text table."""
        return str(show(self, "text"))

    def __repr__(self) -> str:
        return str(show(self, "line"))


answer_habits(Recording, "Recording")
