"""Evidence: what the rules ask of a program's runs and of its recording."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from io import IOBase
from types import GeneratorType

import numpy as np

from ...recording.model import Recording, Snapshot, Step
from ...recording.observations import Observation, Sign, observations
from ...recording.raised import last_recording
from ...recording.step import REARRANGED, sources_of
from .comparisons import Objective, objectives, picks
from .copied_program import Program
from .program_watch import ProgramWatch, TrainingEvent, up_to_loss
from .report import CodeLine, ProgramFinding
from .words import called
from .workbench import Changes, LiveParameter, Workbench

Place = Step | TrainingEvent | CodeLine

RESHAPES = REARRANGED | {"getitem", "broadcast_tensors"}
"""Functions that leave every number as it is; `getitem` and the casts leave some out or round them."""

SHAPED = frozenset(
    ("zeros_like", "ones_like", "full_like", "empty_like", "rand_like", "randn_like", "randint_like", "new_zeros")
)
"""Functions that take from an array its shape alone."""


@dataclass
class Evidence:
    """What is known of a program. ``program`` is the user's own and is never run; copies of it are. ``failed`` has
    the rules that could not look at it."""

    bench: Workbench
    program: Program
    rounds: int
    is_causal: bool
    facts: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.bench.rounds = self.rounds
        self.program = self.bench.settled(self.program)
        self.watch = ProgramWatch(self.bench, self.program.copied())
        copy = self.program.copied()
        self.recording: Recording | None = None
        unrecorded: Exception | None = None
        with self.bench.repeatable(), np.errstate(all="ignore"):
            try:
                self.recording = self.bench.record(up_to_loss(self.bench, copy), copy, {})
            except Exception as error:
                self.recording, unrecorded = last_recording(error), error
        self.watch.run(max(1, self.rounds))
        once = [f"`{name}`" for name, v in self.program.named.items() if isinstance(v, GeneratorType | IOBase)]
        self.facts += [f"{name} can be read only once, and these runs have read on in it." for name in once]
        if unrecorded is not None and self.watch.error is None:
            self.facts.append(f"The graph could not be recorded, and only updates were looked at: {unrecorded!s:.120}")
        if self.recording is not None and "steps_elsewhere" in self.recording.notes:
            self.facts.append("Values computed before the program ran, or in another thread, were not looked at.")
        if not self.bench.has_gradients:
            self.watch.has_loss = self.recording is not None and "no_gradient" not in self.recording.notes

    # ------------------------------------------------------------------ the graph
    @cached_property
    def steps(self) -> dict[int, Step]:
        """The steps by their ids."""
        return {} if self.recording is None else self.recording.by_id

    @property
    def calls(self) -> list[Step]:
        """The steps that a function made."""
        return [step for step in self.steps.values() if step.kind == "call"]

    @cached_property
    def users(self) -> dict[int, list[Step]]:
        """For each step those that use it."""
        found: dict[int, list[Step]] = {}
        for step in self.steps.values():
            for operand in step.operands:
                if operand.step is not None:
                    found.setdefault(operand.step, []).append(step)
        return found

    def uses(self, step: Step) -> list[Step]:
        """The steps that use a value, also where its elements are arranged or cast before, as ``w`` in ``x @ w.T``."""
        found = []
        for user in self.users.get(step.id, []):
            found += self.uses(user) if user.function in REARRANGED else [user]
        return found

    def operands(self, step: Step) -> list[Step]:
        """The steps that a step was computed from."""
        return [self.steps[operand.step] for operand in step.operands if operand.step is not None]

    def behind(self, starts: Iterable[Step]) -> set[int]:
        """These steps and all that they were computed from."""
        return sources_of(self.steps, [step.id for step in starts])

    @cached_property
    def loss(self) -> Step | None:
        """The step that is differentiated."""
        return self.steps[self.recording.outputs[0]] if self.recording is not None and self.recording.outputs else None

    @cached_property
    def used(self) -> set[int]:
        """The steps that the loss was computed from."""
        return set() if self.loss is None else self.behind([self.loss])

    @cached_property
    def learned(self) -> set[int]:
        """The leaves that are parameters."""
        return set(self._parameters_of_steps)

    def parameter(self, step: Step) -> LiveParameter | None:
        """The parameter that a leaf is: the one of its name, else the one with its numbers."""
        return self._parameters_of_steps.get(step.id)

    @cached_property
    def _parameters_of_steps(self) -> dict[int, LiveParameter]:
        found: dict[int, LiveParameter] = {}
        parameters = self.parameters
        for step in self.steps.values():
            if step.kind not in ("input", "leaf") or step.value is None:
                continue
            fitting = [p for p in parameters if p.value().shape == step.value.shape]
            named = [p for p in fitting if p.name == step.name]
            named += [p for p in fitting if (step.name or "").endswith(f".{p.path}")]
            equal = [p for p in fitting if step.kind == "leaf" and _is(step.value, p.value())] if not named else []
            fresh = [p for p in equal if p not in found.values()]  # many begin with the same numbers, as with 0
            if chosen := named[:1] or fresh[:1] or equal[:1]:
                found[step.id] = chosen[0]
        return found

    @cached_property
    def learning(self) -> set[int]:
        """The steps whose values depend on a parameter."""
        found = set(self.learned)
        for step in self.steps.values():
            if step.function not in SHAPED and any(operand.step in found for operand in step.operands):
                found.add(step.id)
        return found

    def made_by(self, step: Step, through: frozenset[str] = RESHAPES) -> Step:
        """The step that made the numbers: the first on the way back that is none of ``through``."""
        while True:
            given = self.operands(step)
            if step.kind == "part" and given[0].function == "broadcast_tensors":
                given = self.operands(given[0])[step.id - given[0].id - 1 :][:1]
            elif step.function not in through:
                return step
            if len(given) != 1:
                return step
            step = given[0]

    def way_to_loss(self, step: Step) -> list[Step] | None:
        """The steps from one up to the loss, where each is the only user of the one before; else None."""
        way: list[Step] = []
        while self.loss is not None and step.id != self.loss.id:
            user = self.only_user(step)
            if user is None:
                return None
            way.append(step := user)
        return way

    def ends_in(self, step: Step, through: frozenset[str]) -> bool:
        """Whether a value becomes the loss by nothing but some functions."""
        way = self.way_to_loss(step)
        return way is not None and all(user.function in through for user in way)

    def only_user(self, step: Step) -> Step | None:
        """The one step that takes a value on the way to the loss; None if there are more, or none."""
        users = {user.id: user for user in self.users.get(step.id, []) if user.id in self.used}
        return next(iter(users.values())) if len(users) == 1 else None

    @cached_property
    def observations(self) -> list[Observation]:
        """What the graph marks, at the steps between the parameters and the loss."""
        found = [] if self.recording is None else observations(self.recording)
        return [seen for seen in found if seen.step in self.learning & self.used]

    def observed(self, *signs: Sign) -> list[tuple[Step, Observation]]:
        """Those of some signs, with their steps."""
        return [(self.steps[seen.step], seen) for seen in self.observations if seen.sign in signs]

    # ------------------------------------------------------------------ what is learned
    @cached_property
    def objectives(self) -> list[Objective]:
        """The steps that compare predictions with targets."""
        return list(objectives(self))

    @cached_property
    def picks(self) -> list[tuple[Step, Step]]:
        """The steps that take the score of one class for each example, and these scores."""
        return list(picks(self))

    @cached_property
    def parameters(self) -> list[LiveParameter]:
        """All parameters of the program, as they were before it ran."""
        return self.bench.parameters(self.program.named)

    @property
    def trainable(self) -> list[LiveParameter]:
        """Those that are not frozen."""
        return [p for p in self.parameters if p.trainable]

    def gradient(self, parameter: LiveParameter) -> np.ndarray | None:
        """The gradient of a parameter by the first backward pass."""
        if self.bench.has_gradients:
            return self.watch.gradients.get(parameter.name)
        step = next((s for s in self.steps.values() if s.name == parameter.name and s.kind in ("input", "leaf")), None)
        return None if step is None or step.grad is None else step.grad.values

    # ------------------------------------------------------------------ the probes
    def rerun(self, name: str, array: np.ndarray) -> Recording | None:
        """The program with other numbers in one of its arrays, the same random numbers, and batch norm at rest."""
        copy = self.bench.changed(self.program, name, array)
        self.bench.holding_statistics(copy.named)
        return self._probed(copy)

    def changed(self, changes: Changes) -> Recording | None:
        """The program with some steps changed, and its gradient; None where that cannot be run."""
        return self._probed(self.program.copied(), changes=changes)

    def _probed(self, copy: Program, is_drawn_anew: bool = False, changes: Changes | None = None) -> Recording | None:
        with self.bench.repeatable(), np.errstate(all="ignore"):
            if is_drawn_anew:
                self.bench.draw()
            try:
                return self.bench.record(up_to_loss(self.bench, copy, is_probe=changes is None), copy, changes or {})
            except Exception:
                return None

    @cached_property
    def with_other_parameters(self) -> Recording | None:
        """The program with slightly other numbers in its parameters; None where its steps are others then."""
        values = {p.name: p.value() for p in self.parameters}
        found = self.with_parameters({name: v * v.dtype.type(1.1) + v.dtype.type(0.01) for name, v in values.items()})
        return found if found is not None and len(found.steps) >= len(self.steps) else None

    def with_parameters(self, values: Mapping[str, np.ndarray]) -> Recording | None:
        """The program as it was before it ran, with other numbers in its parameters."""
        return self._probed(self.bench.with_parameters(self.program.copied(), values))

    @cached_property
    def with_other_draws(self) -> Recording | None:
        """The program with other random numbers; None where its steps are others then."""
        found = self._probed(self.program.copied(), is_drawn_anew=True)
        kinds = None if found is None else [step.function for step in found.steps[: len(self.steps)]]
        return found if kinds == [step.function for step in self.steps.values()] else None

    @cached_property
    def plain_run(self) -> Recording | None:
        """The program with its own numbers, with which a rerun is compared."""
        copy = self.program.copied()
        return self._probed(copy) if self.bench.holding_statistics(copy.named) else self.recording

    @cached_property
    def data(self) -> dict[str, np.ndarray]:
        """The arrays that the program was given, but for parameters."""
        learned = {id(p.tensor) for p in self.parameters}
        pairs = [
            (name, self.bench.array(value)) for name, value in self.program.named.items() if id(value) not in learned
        ]
        return {name: array for name, array in pairs if array is not None and array.ndim}

    # ------------------------------------------------------------------ words
    def outer(self, step: Step) -> CodeLine | None:
        """The line of the function itself on which a step was made, also by a helper; None where that is not known."""
        if self.recording is None or step.outer_line is None:
            return None
        return CodeLine(step.outer_line, self.recording.file)

    def called(self, step: Step) -> str:
        """What the user calls a value; of an array without a name that of the program's array with its numbers."""
        text, value = called(step), step.value
        if text != "a value" or value is None:
            return text
        return next((f"`{name}`" for name, array in self.data.items() if self.is_array(step, array)), text)

    def is_array(self, step: Step, array: np.ndarray | None) -> bool:
        """Whether a value is an array of several numbers, up to its dtype."""
        value = step.value
        return value is not None and array is not None and array.size > 1 and _is(value, array.astype(value.dtype))

    def found(self, kind: str, message: str, remedy: str, at: Place, told_at: CodeLine | None = None) -> ProgramFinding:
        """A finding at a step, an event or a line; ``told_at`` is another line, which is to blame."""
        place, step = told_at or at, at.id if isinstance(at, Step) else None
        return ProgramFinding(kind, message, remedy, place.line, place.file, "wrong", step)

    def suspect(
        self, kind: str, message: str, remedy: str, at: Place, told_at: CodeLine | None = None
    ) -> ProgramFinding:
        """One for which there may be a reason."""
        return replace(self.found(kind, message, remedy, at, told_at), certainty="suspicious")


def _is(value: Snapshot, array: np.ndarray) -> bool:
    return value.is_whole and value.values.shape == array.shape and np.array_equal(value.values, array)
