"""The steps of a recording, the scopes around them, and the operands that connect them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .arrays import KeptArray, Snapshot
from .rule_text import filled_in

Kind = Literal["input", "leaf", "constant", "call", "part", "reference"]

ScopeKind = Literal["function", "loop", "pass", "link"]

LEAVES = ("input", "leaf", "constant")
"""The kinds of steps that are not results of a function."""
REARRANGED = frozenset(
    (
        *("reshape", "view", "flatten", "squeeze", "unsqueeze", "transpose", "permute", "swapaxes", "moveaxis"),
        *("contiguous", "expand_dims", "ravel", "T", "mT", "t", "broadcast_in_dim", "clone", "float", "double"),
        *("half", "to", "type", "convert_element_type", "cast", "copy"),
    )
)
"""Functions that only rearrange numbers; casts also round them."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Steps that belong together in the user's code, so that a picture can show them as one box.

    ``kind`` is ``function`` (a call of a function from the recorded one), ``loop``, ``pass`` (one iteration of a loop;
    iterations in which nothing was recorded are not counted) or ``link`` (a ``with autolab.named_scope(...)`` block,
    and so every link). Scopes nest: ``parent`` is the id of the next outer scope; None directly in the recorded
    function. ``label`` is the call as written, the head of the loop, ``t = 3`` or the given name; ``name`` is the
    user's name for what a call returned. ``line`` is where the call, the loop or the block begins in ``file``.
    ``block`` is the name of a link, a module or a ``named_scope``, such as ``blocks.3: Block``; None elsewhere.
    ``steps`` are the ids of the steps directly in this scope, not in an inner one.

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


def enclosing(scopes: Sequence[Any], scope: int | None) -> Iterator[int]:
    """A scope and the scopes around it, from the inside out."""
    while scope is not None:
        yield scope
        scope = scopes[scope].parent


def innermost_around(scopes: Sequence[Any], a: int | None, b: int | None) -> int | None:
    """The innermost scope around two others."""
    around = set(enclosing(scopes, a))
    return next((scope for scope in enclosing(scopes, b) if scope in around), None)


class FilledIn:
    """Writes the rule with its numbers, on request."""

    __slots__ = ("_filling",)  # the names in the rule, the upstream gradient, and the numbers of the other names
    _filling: Any

    def __getattr__(self, name: str) -> Any:
        if name == "_filling":
            return None
        if name != "numbers":
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r:.60}", name=name, obj=self)
        object.__setattr__(self, "numbers", self._filled_in())
        return self.numbers

    def _filled_in(self: Any) -> str | None:
        if self._filling is None or self.contribution is None:
            return None
        names, g, numbers = self._filling
        values = dict(zip(names, (g and g.values, *numbers), strict=True))
        return filled_in(self.rule, values, self.contribution.values)


@dataclass(frozen=True, slots=True)
class Operand(FilledIn):
    """One input of a step, and the share that the step's backward sent to it.

    ``parameter`` is the function's own name for the input (``a`` of ``mul(a, b)``; ``inputs[0]`` of a FunctionNode).
    ``step`` is the id of the step that computed the value; None for a number written in the code, which is then in
    ``constant``.
    ``rule`` is the gradient rule as declared, for instance ``g * b``; None if the function computes all gradients at
    once.
    ``numbers`` is the same rule with small values filled in, or None.
    ``code`` is the rule's source: the formula, or the body of a rule of several lines.
    ``contribution`` is the share that this use added to the operand's gradient; None if the operand needs no gradient.

    Where the share comes from: for an elementwise function, ``local`` holds the local derivatives, of the output's
    shape, and ``product`` the upstream gradient times these before the sum over broadcast axes (None if nothing was
    summed). For any other declared function on small arrays, ``jacobian`` holds the derivative of every element of the
    output (first axes) with respect to every element of the operand (last axes).

    Where it goes: ``arrival`` is its index, from 0, among everything that arrived at the operand's gradient, including
    the upstream gradient of an output, and ``total`` is the sum up to and including it; None for the first, which is
    the sum.

    In forward mode, ``tangent`` is what this use adds to the tangent of the step's result: the local derivative times
    the operand's own tangent. ``tangent_total`` is the sum up to and including it; None for the first, which is the
    sum.

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


class Called:
    """Remembers the declared function and the attributes of a call, which are no data, to compute it again."""

    __slots__ = ("_call",)

    @property
    def call(self) -> tuple[Any, Mapping[str, Any]] | None:
        """The function and its attributes; None if it is not a declared function, or in a copy."""
        return getattr(self, "_call", None)


@dataclass(frozen=True, slots=True, repr=False)
class Step(Called):
    """One value of a run. The steps of a recording are in the order in which they were computed (a Wengert list).

    ``kind`` is ``input`` (an argument), ``leaf`` (a Variable from outside the function, with a gradient of its own),
    ``constant`` (an array, or a Variable that needs no gradient), ``call`` (the result of a function) or ``part`` (one
    of several results; its only operand is the call, which then has no value); in the graph of a derivative also
    ``reference`` (a value of lower order).
    ``name`` is the user's name for the value, ``source`` the expression as written, and ``statement`` the whole
    statement.
    ``line`` counts from 1 in ``file`` (a notebook cell or a module). ``outer_line`` is the line of the recorded
    function itself that was running, in the recording's file; the two differ if that line called another function.
    ``status`` is the key of the sentence about the gradient. ``scope`` is the id of the innermost `Scope` around the
    step. ``attributes`` are the names and texts of the function's attributes that differ from their defaults.
    ``order`` is 0 for a step of the function, 1 for one of its derivative, and so on; ``of`` is then the id of the step
    of lower order whose gradient it helps to compute. ``replaced`` is True if the value was not computed from the
    operands but given instead (option ``replace``); then no gradient flows to the operands.
    ``tangent`` is, in forward mode, how fast the value moves with the input that moves; None if it does not move.
    ``keeps`` are the arrays created in the run that the step keeps for its backward; None if that is not known.

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

    def __repr__(self) -> str:
        written = " = ".join(filter(None, (self.name, self.source))) or self.function or ""
        single = [(what, kept) for what, kept in (("value", self.value), ("gradient", self.grad)) if kept]
        numbers = "".join([f", {what} {kept.values:.6g}" for what, kept in single if kept.shape == ()])
        return f"<Step {self.id}: {self.kind} {written:.200}{numbers}>"


def sources_of(steps: Mapping[int, Step] | Sequence[Step], ends: Iterable[int]) -> set[int]:
    """The ids of some steps and of all steps that they were computed from."""
    found, waiting = set[int](), list(ends)
    while waiting:
        step = waiting.pop()
        if step not in found:
            found.add(step)
            waiting += [operand.step for operand in steps[step].operands if operand.step is not None]
    return found


@dataclass(frozen=True, slots=True)
class BackwardStep:
    """One step of the backward pass: ``upstream`` arrived at forward step ``of``, whose operands then got their shares.

    The shares are the ``contribution`` of each operand of the forward step. ``upstream`` is None at a call with several
    results, where the gradients of its parts arrived.

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
    """A fused function that is shown as its separate steps, and how much the two computations differ.

    ``step`` is the last of these steps, ``scope`` contains them all. ``value`` is the largest difference between the
    values, ``allowed`` the difference that rounding explains; ``gradients`` holds, for each input, its name and the
    same two numbers.
    """

    step: int
    function: str
    scope: int
    value: float
    allowed: float
    gradients: tuple[tuple[str, float, float], ...] = ()

    @property
    def agrees(self) -> bool:
        """Whether the value and the gradients are the same up to rounding."""
        pairs = [(self.value, self.allowed), *[(apart, allowed) for _, apart, allowed in self.gradients]]
        return all(apart <= allowed for apart, allowed in pairs)
