"""One run of another library's function, and of its gradient, as a Recording."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from ..recording import BackwardStep, Raised, Recording, Scope, Snapshot
from ..recording.arrays import Budget
from ..recording.departures import Departures
from ..recording.drafts import Draft, Use
from ..recording.finished import finished
from ..recording.record import one_each
from ..shared.binding import chosen_options, token_labels
from .inputs import BridgeInputs
from .library import LibraryBudget

BUDGET = 64 << 20


def _nothing() -> None:
    """A check that never stops the run."""


@dataclass
class GradientTotals:
    """The gradients of steps accumulated so far, the shares in each sum, and snapshots of those sums that are kept
    anyway.
    """

    sums: dict[Any, Any] = field(default_factory=dict)
    parts: dict[Any, list[Any]] = field(default_factory=dict)
    kept: dict[Any, Snapshot] = field(default_factory=dict)

    def add(self, step: Any, g: Any) -> int:
        """Add a share, and return the number of shares so far."""
        self.sums[step] = self.sums[step] + g if step in self.sums else g
        self.parts.setdefault(step, []).append(g)
        return len(self.parts[step])

    def deliver(self, use: Use, share: Any, budget: Budget, plain: Callable[[Any], Any] = lambda g: g) -> None:
        """Add the share of a use, and store it there; ``plain(share)`` is the form that can be added."""
        use.contribution = budget.snapshot(share)
        count = self.add(use.step, plain(share))
        use.arrival, use.total = count - 1, budget.snapshot(self.sums[use.step]) if count > 1 else None
        self.kept[use.step] = use.total or use.contribution


@dataclass(eq=False)
class BridgeRun(ABC):
    """A run. ``upstream`` is an array, a tuple of one per output, a function of the outputs that returns one, or None.

    ``check`` is called at every step, and may raise to end the run. ``replaced`` has values that replace the results of
    calls, or functions that compute them from the call and its operands; its keys are the numbers of all calls,
    including those that are finally omitted. ``numbers`` are these numbers for the steps of the recording.
    """

    inputs: Any
    values: Mapping[str, Any] | None = None
    upstream: Any = None
    budget: int = BUDGET
    check: Callable[[], None] = _nothing
    replaced: Mapping[int, Any] = field(default_factory=dict)
    numbers: tuple[int, ...] = ()
    upstream_kept: Sequence[Snapshot | None] = ()
    raised: Raised | None = None
    tokens: Any = ()
    drafts: list[Draft] = field(default_factory=list)
    backward: list[BackwardStep] = field(default_factory=list)
    departures: Departures = field(default_factory=Departures)
    frees_early: ClassVar[bool] = False  # see Recording
    kind: ClassVar[type[BridgeInputs]]
    budgets: ClassVar[type[LibraryBudget]] = LibraryBudget
    """The class of the budget that makes the snapshots."""

    def __post_init__(self) -> None:
        self.tokens = token_labels(self.inputs.caller, self.tokens)
        self.kept: Any = self.budgets(self.budget, self.inputs.library)

    @abstractmethod
    def record(self) -> Recording:
        """Run forward and backward."""

    @abstractmethod
    def scopes(self, kept: Pruned) -> tuple[Scope, ...]:
        """The scopes of the steps that are kept."""

    # ------------------------------------------------------------------ steps
    def part(self, call: Draft, value: Any) -> Draft:
        """The draft of one of several results of a call."""
        draft = Draft(len(self.drafts), "part", call.function, None, [Use("part", call.id, None)], None)
        draft.value, draft.place, draft.outer_line = self.kept.snapshot(value), call.place, call.outer_line
        draft.scope, draft.is_inner = call.scope, call.is_inner
        return draft

    def went_back(self, draft: Draft) -> None:
        """Note that the backward pass has gone through a call, whose gradient is complete."""
        draft.reached = True
        self.backward.append(BackwardStep(len(self.backward), draft.id, draft.grad, 0.0))

    def starts(self, outputs: Sequence[Any]) -> list[Any]:
        """The upstream gradients, one per output."""
        given, like = self.upstream, self.inputs.library.like
        given = given(outputs) if callable(given) else given
        return one_each(self.inputs.caller, outputs, given, lambda y, g, what: like(y, g))

    # ------------------------------------------------------------------ the result
    def recording(self, outputs: Sequence[int], has_gradient: bool) -> Recording:
        """The run as plain data; if it `raised`, with everything until then."""
        kept = pruned(self.drafts, self.backward, outputs)
        self.numbers = tuple(kept.ids)
        return finished(
            kept.drafts,
            [kept.ids[i] for i in outputs] or None,
            self.scopes(kept),
            self.departures,
            kept.ids,
            self.inputs.python,
            self.raised,
            not hasattr(self.inputs.written, "__wrapped__"),
            function=self.inputs.name,
            inputs=tuple(range(len(self.inputs.values))),
            backward=kept.backward,
            upstream=tuple(self.upstream_kept),
            reduced=self.kept.reduced,
            notes=() if has_gradient else ("no_gradient",),
            tokens=self.tokens,
            frees_early=self.frees_early,
        )


def recorded(
    run: type[BridgeRun], fn: Any, args: tuple[Any, ...], inputs: Mapping[str, Any], options: Mapping[str, Any] | None
) -> Recording:
    """The recording of one run of a user's function."""
    chosen = chosen_options("record", options, ("upstream", "budget", "tokens"))
    return run(run.kind.bind("record", fn, args, inputs), **chosen).record()


@dataclass(frozen=True)
class Pruned:
    """The drafts that are kept, with new numbers; ``ids`` maps old numbers to new ones."""

    drafts: list[Draft]
    backward: tuple[BackwardStep, ...]
    ids: dict[int, int]


def pruned(drafts: Sequence[Draft], backward: Sequence[BackwardStep], outputs: Sequence[int]) -> Pruned:
    """Remove the user's shapes, masks and assertions that affect neither outputs nor gradients."""
    waiting = [d.id for d in drafts if d.kind == "input" or d.requires_grad] + list(outputs)
    kept: set[int] = set()
    parts: dict[int, list[int]] = {}
    for draft in drafts:
        if draft.kind == "part" and draft.uses[0].step is not None:
            parts.setdefault(draft.uses[0].step, []).append(draft.id)
    while waiting:
        step = waiting.pop()
        if step not in kept:
            kept.add(step)
            waiting += [use.step for use in drafts[step].uses if use.step is not None]
            waiting += parts.get(step, [])
    left = [draft for draft in drafts if draft.id in kept]
    ids = {draft.id: i for i, draft in enumerate(left)}
    for draft in left:
        draft.id = ids[draft.id]
        for use in draft.uses:
            use.step = None if use.step is None else ids[use.step]
    return Pruned(left, tuple([replace(step, of=ids[step.of]) for step in backward]), ids)
