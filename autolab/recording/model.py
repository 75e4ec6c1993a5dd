"""Recording: the plain, frozen data that every view is a function of.

A recording holds no Variable and no graph node, so it keeps nothing alive but the arrays in its snapshots. Ids are
small integers, the same in every run of the same program, so two recordings of one function can be compared step by
step.
"""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..engine.display import Displayed, show

if TYPE_CHECKING:
    from graphviz import Digraph

    from .departures import Departure
    from .gradient_flow import GradientFlow
    from .kept_memory import KeptMemory
    from .outline import Outline
    from .raised import Raised

Kind = Literal["input", "leaf", "constant", "call", "part", "reference"]

ScopeKind = Literal["function", "loop", "pass", "link"]

LEAVES = ("input", "leaf", "constant")
"""The kinds of steps that no function made."""


@dataclass(frozen=True)
class Scope:
    """Steps that belong together in the user's code, so that a picture can show them as one box.

    ``kind`` is ``function`` (a call of a function that the recorded one calls), ``loop``, ``pass`` (one round of a
    loop; rounds in which nothing was recorded are not counted) or ``link`` (a ``with autolab.named_scope(...)`` block,
    and so every link). Scopes nest: ``parent`` is the id of the next outer one, None directly in the recorded function.
    ``label`` is the call as written, the loop's head, ``t = 3`` or the name that was given; ``name`` the user's own
    name of what a call returned. ``line`` is where the call, the loop or the block begins in ``file``.
    ``block`` is the name that a link, a module or a ``named_scope`` goes by, ``blocks.3: Block``; None elsewhere.
    ``steps`` are the ids of the steps that are in this scope and in none of its inner ones.

    Examples
    --------
    >>> import autolab
    >>> def power(x):
    ...     for t in range(2):
    ...         x = x * x
    ...     return x
    >>> [(scope.kind, scope.label, scope.steps) for scope in autolab.record(power, 3.0).scopes]
    [('loop', 'for t in range(2)', ()), ('pass', 't = 0', (1,)), ('pass', 't = 1', (2,))]
    """

    id: int
    parent: int | None
    kind: ScopeKind
    label: str
    name: str | None
    file: str | None
    line: int | None
    steps: tuple[int, ...]
    block: str | None = None


@dataclass(frozen=True)
class Pool:
    """CuPy's memory pool at the end of a run: bytes in use, the most that any step found in use, and bytes it holds."""

    used: int
    peak: int
    total: int


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What a recording keeps of one array: all of it, or a block-reduced copy, and the facts about the whole.

    ``values`` is a read-only NumPy array that belongs to the recording. Where ``block`` has an entry above 1, each of
    its cells stands for that many elements along the axis and holds the one of largest magnitude, with its sign.
    ``minimum`` and ``maximum`` are over the finite elements of the whole array; None if there is none.
    ``reduced_norm`` is kept where the values no longer tell the norm.

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

    @cached_property
    def norm(self) -> float:
        """The Euclidean norm of the whole array's finite elements."""
        if self.reduced_norm is not None:
            return self.reduced_norm
        if self.values.size == 1 and self.values.dtype.kind == "f":
            return abs(self.minimum or 0.0)
        values = np.abs(self.values.astype(complex if self.values.dtype.kind == "c" else float))
        finite = values[np.isfinite(values)]
        largest = float(finite.max(initial=0.0))  # squares of very small and large numbers would be 0 and infinite
        return largest * math.sqrt(float(np.square(finite / largest).sum())) if largest else 0.0

    @cached_property
    def size(self) -> int:
        """Number of elements of the whole array."""
        return math.prod(self.shape)

    @property
    def is_whole(self) -> bool:
        """True if ``values`` is the array itself and not a reduced copy."""
        return all(n == 1 for n in self.block)


@dataclass(frozen=True)
class KeptArray:
    """An array that a step keeps for its backward: ``nbytes`` is the size of the memory ``buffer`` that it is in, which
    other steps may keep as well."""

    buffer: int
    shape: tuple[int, ...]
    dtype: str
    nbytes: int


@dataclass(frozen=True)
class Operand:
    """One input of a step, and what the step's backward sent to it.

    ``parameter`` is the function's own name of the input (``a`` of ``mul(a, b)``; ``inputs[0]`` of a FunctionNode).
    ``step`` is the id of the step that made the value; None for a number written in the code, which is then
    ``constant``.
    ``rule`` is the gradient rule as declared, for instance ``g * b``; None where the function computes all gradients
    at once.
    ``numbers`` is the same rule with small values filled in, or None.
    ``code`` is the rule's source: the formula, or the body of a rule of several lines.
    ``contribution`` is the gradient that this use added to the operand's gradient; None if it needed none.

    Where the contribution comes from: of an elementwise function ``local`` holds the local derivatives, of the output's
    shape, and ``product`` the upstream gradient times these before the sum over broadcast axes (None where nothing was
    summed). Of any other declared function on small arrays ``jacobian`` holds the derivative of every element of the
    output (first axes) with respect to every element of the operand (last axes).

    Where it goes: ``arrival`` counts from 0 what arrived at the operand's gradient, the start of an output included,
    and ``total`` is the sum after this contribution; None for the first, which is the sum.

    In forward mode ``tangent`` is what this use adds to the tangent of the step's result: the local derivative times
    the operand's own tangent. ``tangent_total`` is the sum after it; None for the first, which is the sum.

    Examples
    --------
    >>> import autolab
    >>> product = autolab.record(lambda x, y: x * y, x=2.0, y=3.0).steps[-1]
    >>> [(use.parameter, use.rule, float(use.contribution.values)) for use in product.operands]
    [('a', 'g * b', 3.0), ('b', 'g * a', 2.0)]
    """

    parameter: str
    step: int | None
    constant: str | None = None
    rule: str | None = None
    numbers: str | None = None
    contribution: Snapshot | None = None
    code: str | None = None
    local: Snapshot | None = None
    product: Snapshot | None = None
    jacobian: Snapshot | None = None
    arrival: int | None = None
    total: Snapshot | None = None
    tangent: Snapshot | None = None
    tangent_total: Snapshot | None = None


@dataclass(frozen=True)
class Step:
    """One value of the run, in the order in which the values came to be (a Wengert list).

    ``kind`` is ``input`` (an argument), ``leaf`` (a Variable that the function brought along, with a gradient of its
    own), ``constant`` (an array, or a Variable that needs no gradient), ``call`` (the result of a function) or ``part``
    (one of several results; its only operand is the call, which then has no value); in the graph of a derivative also
    ``reference`` (a value of lower order).
    ``name`` is the user's own name of the value; ``source`` the expression as written, ``statement`` the whole
    statement.
    ``line`` counts from 1 in ``file`` (a notebook cell or a module). ``outer_line`` is the line of the recorded
    function itself that was running then, in the recording's file: it differs where that line called another function.
    ``status`` is the key of the sentence about the gradient. ``scope`` is the id of the innermost `Scope` that the step
    is in. ``attributes`` are the names and texts of the function's attributes that differ from their defaults.
    ``order`` is 0 for a step of the function, 1 for one of its derivative, and so on; ``of`` is then the id of the step
    of lower order whose gradient it helps to compute. ``replaced`` is True where the value is not what the function
    made of its operands, but was given in its place (option ``replace``): no gradient flows to the operands.
    ``tangent`` says, in forward mode, how fast the value moves with the input that does; None where it stands still.
    ``keeps`` are the arrays made in the run that the step keeps for its backward; None where that is not known.

    Examples
    --------
    >>> import autolab
    >>> def square(x):
    ...     y = x * x
    ...     return y
    >>> step = autolab.record(square, x=3.0)["y"]
    >>> step.kind, step.function, step.source, float(step.value.values), step.status
    ('call', 'mul', 'x * x', 9.0, 'ok')
    """

    id: int
    kind: Kind
    function: str | None
    name: str | None
    operands: tuple[Operand, ...]
    value: Snapshot | None
    grad: Snapshot | None
    status: str
    source: str | None = None
    statement: str | None = None
    file: str | None = None
    line: int | None = None
    seconds: float = 0.0
    backward_code: str | None = None
    outer_line: int | None = None
    attributes: tuple[tuple[str, str], ...] = ()
    order: int = 0
    of: int | None = None
    scope: int | None = None
    replaced: bool = False
    tangent: Snapshot | None = None
    keeps: tuple[KeptArray, ...] | None = None


@dataclass(frozen=True)
class BackwardStep:
    """One step of the backward pass: ``upstream`` arrived at forward step ``of``, whose operands then got their share.

    The shares are the ``contribution`` of the forward step's operands. ``upstream`` is None at a call with several
    results: what arrived there are the gradients of its parts.

    Examples
    --------
    >>> import autolab
    >>> recording = autolab.record(lambda x: 5.0 * (x * x), x=3.0)
    >>> [(recording.steps[step.of].source, float(step.upstream.values)) for step in recording.backward]
    [('5.0 * (x * x)', 1.0), ('x * x', 5.0)]
    """

    id: int
    of: int
    upstream: Snapshot | None
    seconds: float


@dataclass(frozen=True)
class Opening:
    """A fused function that is shown as the steps of its composite, and how far both are apart.

    ``step`` is the last of these steps, ``scope`` holds them all. ``value`` is the largest difference of the values,
    ``allowed`` what may come from rounding; ``gradients`` has for each input its name and the same two numbers.
    """

    step: int
    function: str
    scope: int
    value: float
    allowed: float
    gradients: tuple[tuple[str, float, float], ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether value and gradients are the same but for rounding."""
        pairs = [(self.value, self.allowed), *[(apart, allowed) for _, apart, allowed in self.gradients]]
        return all(apart <= allowed for apart, allowed in pairs)


@dataclass(frozen=True)
class Recording(Displayed):
    """One run of a function and of its gradient. See `autolab.record`.

    ``upstream`` has for each output the gradient that the backward pass began with there; None where it has none. An
    output that was returned twice begins with the sum, and both entries hold it.
    ``higher`` are the recordings of the derivatives by the input ``wrt``, in order. Each has its own ``order``, the
    steps of that order with their gradients, and what it uses of lower ones, under the same ids; its ``starts`` are the
    constants, all ones, with which the backward pass began.
    ``pool`` are the figures of the GPU's memory, None where no value was on one.
    ``departures`` are the places where values left the graph: numbers and arrays that were taken out of it.
    ``openable`` are the fused functions of the run that have a composite, ``openings`` those that are opened.
    ``raised`` says what ended the run before its end; None mostly. Such a recording has the steps up to there, its
    ``outputs`` are the values that nothing used so far, and gradients are only those that were complete by then.
    ``moved`` is the step that moves in forward mode (option ``forward``): its tangent is the direction.
    ``unreached`` are lines of the function that were proved not to be reached, such as a branch that was not taken.
    ``tokens`` are the labels of the positions of a sequence (option ``tokens``), for attention weights.

    Examples
    --------
    >>> import autolab
    >>> recording = autolab.record(lambda x, y: x * y, x=2.0, y=3.0)
    >>> [step.name or step.function for step in recording.steps], len(recording.backward)
    (['x', 'y', 'mul'], 1)
    >>> float(recording["x"].grad.values)
    3.0
    """

    id: str
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

    @property
    def has_returned(self) -> bool:
        """Whether the function returned; if not, ``outputs`` are no results of its."""
        return self.raised is None or self.raised.phase == "backward"

    def __getitem__(self, name: str) -> Step:
        """The last step with the user's name ``name``, for instance ``recording["h"]``."""
        for step in reversed(self.steps):
            if step.name == name:
                return step
        names = ", ".join(dict.fromkeys(s.name for s in self.steps if s.name))
        raise KeyError(f"Recording: no step is called {name!r}; the names are {names}")

    @cached_property
    def outline(self) -> Outline:
        """The steps as a tree of scopes, so that any part can be shown as one box."""
        from .outline import outline

        return outline(self)

    def flow(self) -> GradientFlow:
        """How much of the gradient reaches each layer, in order of depth: a plot, and a table.

        Of each layer it has the norms of its value, of the gradient there, and the gradient of its weights divided by
        the weights; what vanishes or explodes is marked.

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
        """What the run keeps for the backward pass, step by step, with the peak and where it is: a plot, and a table.

        Raises
        ------
        ValueError
            If the recording does not know it: there is no gradient, or the run is JAX's.

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

        return to_json(self)

    def to_graphviz(self) -> Digraph:
        """The graph as a `graphviz.Digraph`."""
        graph: Digraph = show(self, "graphviz")
        return graph

    def save(
        self,
        path: str | os.PathLike[str],
        look: Literal["light", "dark", "auto"] = "light",
        direction: Literal["auto", "down", "right"] = "auto",
    ) -> None:
        """Write the graph to an ``.svg``, ``.png``, ``.pdf`` or ``.dot`` file or an ``.html`` page that stays live, or
        its walk to a ``.gif`` or ``.mp4`` film, 1280 pixels wide.

        ``direction``: where the graph runs; by default time and long chains run to the right, everything else down.
        """
        show(self, "file", path, look, direction)

    def __str__(self) -> str:
        """Every step with its value and its gradient, and the backward pass: a table in words."""
        return str(show(self, "text"))

    def __repr__(self) -> str:
        return str(show(self, "line"))
