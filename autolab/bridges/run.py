"""One run of another library's function and of its gradient, as a Recording."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from ..engine.errors import a_kind
from ..recording.arrays import Budget
from ..recording.departures import Departure
from ..recording.drafts import Draft, Use
from ..recording.inner import describe_inner_steps
from ..recording.model import BackwardStep, Recording, Scope, Snapshot, Step
from ..recording.raised import Raised
from ..recording.unexecuted_lines import unexecuted_lines
from ..shared.arguments import token_labels
from ..shared.binding import chosen_options
from .inputs import BridgeInputs

BUDGET = 64 << 20


def _nothing() -> None:
    """Nobody wants to stop the run."""


@dataclass
class GradientTotals:
    """The gradients of steps as far as they have arrived, the shares of which they are the sums, and snapshots of those
    sums that are kept anyway."""

    sums: dict[Any, Any] = field(default_factory=dict)
    parts: dict[Any, list[Any]] = field(default_factory=dict)
    kept: dict[Any, Snapshot] = field(default_factory=dict)

    def add(self, step: Any, g: Any) -> int:
        """How many shares have arrived with this one."""
        self.sums[step] = self.sums[step] + g if step in self.sums else g
        self.parts.setdefault(step, []).append(g)
        return len(self.parts[step])

    def deliver(self, use: Use, share: Any, budget: Budget, plain: Callable[[Any], Any] = lambda g: g) -> None:
        """Add the share of a use, which learns of it; ``plain(share)`` is what can be added."""
        use.contribution = budget.snapshot(share)
        count = self.add(use.step, plain(share))
        use.arrival, use.total = count - 1, budget.snapshot(self.sums[use.step]) if count > 1 else None
        self.kept[use.step] = use.total or use.contribution


@dataclass
class BridgeRun(ABC):
    """A run. ``upstream`` is an array, a tuple of one per output, a function of the outputs that gives one, or None.

    ``check`` is called at every step, and may raise to end the run. ``replaced`` has the values that calls are to give
    in place of their own, or functions that make them of the call and its operands, by the numbers of all calls, also
    of those that are left out in the end; ``numbers`` has these for the steps of the recording.
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
    frees_early: ClassVar[bool] = False  # see Recording

    def __post_init__(self) -> None:
        self.tokens = token_labels(self.inputs.caller, self.tokens)

    @abstractmethod
    def record(self) -> Recording:
        """Run forward and backward."""

    def starts(self, outputs: Sequence[Any]) -> list[Any]:
        """The upstream gradients, one per output."""
        caller = self.inputs.caller
        given = self.upstream(outputs) if callable(self.upstream) else self.upstream
        if given is None or len(outputs) == 1:
            given = (given,) * len(outputs)
        if not isinstance(given, list | tuple) or len(given) != len(outputs):
            came = f"{len(given)} of them" if isinstance(given, list | tuple) else a_kind(given)
            raise ValueError(
                f"{caller}: option 'upstream' is {came}; expected a tuple of {len(outputs)}, one per output"
            )
        starts = [self.inputs.library.like(y, g) for y, g in zip(outputs, given, strict=True)]
        for y, start in zip(outputs, starts, strict=True):
            if start.shape != y.shape:
                raise ValueError(
                    f"{caller}: option 'upstream' has shape {tuple(start.shape)}; expected {tuple(y.shape)}, that of "
                    "the output"
                )
        return starts

    def recording(
        self,
        drafts: Sequence[Draft],
        backward: Sequence[BackwardStep],
        outputs: Sequence[int],
        budget: Budget,
        has_gradient: bool,
        scopes_of: Callable[[Pruned], tuple[Scope, ...]],
        departures_of: Callable[[Sequence[Step], Mapping[int, int]], tuple[Departure, ...]],
    ) -> Recording:
        """All of it as plain data; what `raised` ended has no more than there is."""
        kept, raised, written = pruned(drafts, backward, outputs), self.raised, self.inputs.written
        self.numbers = tuple(kept.ids)
        ends = tuple([kept.ids[i] for i in outputs]) or _unused(kept.drafts)
        scopes = scopes_of(kept)
        describe_inner_steps(kept.drafts, scopes, ends)
        steps = tuple([draft.step("not_reached" if raised is None else "ended") for draft in kept.drafts])
        source, file, line = self.inputs.source
        lines = frozenset([step.outer_line for step in steps if step.outer_line is not None])
        is_known = (lines or raised is not None) and not hasattr(written, "__wrapped__")
        return Recording(
            function=self.inputs.name,
            inputs=tuple(range(len(self.inputs.values))),
            outputs=ends,
            steps=steps,
            backward=kept.backward,
            source=source,
            file=file,
            first_line=line,
            upstream=tuple(self.upstream_kept),
            reduced=budget.reduced,
            notes=() if has_gradient else ("no_gradient",),
            scopes=scopes,
            departures=departures_of(steps, kept.ids),
            raised=raised,
            tokens=self.tokens,
            frees_early=self.frees_early,
            unreached=unexecuted_lines(source, line, lines, raised and raised.outer_line) if is_known else (),
        )


def recorded(
    run: type[BridgeRun],
    kind: type[BridgeInputs],
    fn: Any,
    args: tuple[Any, ...],
    inputs: Mapping[str, Any],
    options: Mapping[str, Any] | None,
) -> Recording:
    """The recording of one run of a user's function."""
    chosen = chosen_options("record", options, ("upstream", "budget", "tokens"))
    return run(kind.bind("record", fn, args, inputs), **chosen).record()


def _unused(drafts: Sequence[Draft]) -> tuple[int, ...]:
    """The values that nothing uses."""
    used = {use.step for draft in drafts for use in draft.uses}
    return tuple([draft.id for draft in drafts if draft.kind in ("call", "part") and draft.id not in used])


@dataclass(frozen=True)
class Pruned:
    """The drafts that are left, with new numbers; ``ids`` has the new one of each old one."""

    drafts: list[Draft]
    backward: tuple[BackwardStep, ...]
    ids: dict[int, int]


def pruned(drafts: Sequence[Draft], backward: Sequence[BackwardStep], outputs: Sequence[int]) -> Pruned:
    """Without shapes, masks and assertions of the user's that are computed and only looked at."""
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
