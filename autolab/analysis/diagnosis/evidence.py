"""Evidence: what the rules know about a program: its graph, its rounds, and further runs with one thing changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partialmethod
from io import IOBase
from types import GeneratorType
from typing import Any

import numpy as np

from ...recording import Departure, Recording, Step, last_recording
from .comparisons import Objective, objectives, picks
from .copied_program import Program
from .program_graph import ProgramGraph
from .program_watch import ProgramWatch, TrainingEvent, up_to_loss
from .report import Certainty, CodeLine, ProgramFinding, called, holds
from .workbench import Changes, LiveParameter, Workbench

Found = Iterator[ProgramFinding]
"""What a rule finds."""

Place = Step | TrainingEvent | Departure | CodeLine | None


@dataclass
class Evidence(ProgramGraph):
    """What is known about a program. ``program`` is the user's own and is never run; only copies are. ``failed`` lists
    the rules that failed."""

    bench: Workbench
    program: Program
    rounds: int
    is_causal: bool
    facts: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.bench.rounds = self.rounds
        self.program = self.bench.settled(self.program)
        self.parameters = self.bench.parameters(self.program.named)
        self.watch = ProgramWatch(self.bench, self.program.copied())
        unrecorded = self._record()
        self.watch.run(max(1, self.rounds))
        if unrecorded is not None and self.watch.error is None and self.bench.gives_arrays is False:
            self.bench.gives_arrays = True
            unrecorded = self._record()
        once = [f"`{name}`" for name, v in self.program.named.items() if isinstance(v, GeneratorType | IOBase)]
        self.facts += [f"{name} can be read only once, and these runs have read from it." for name in once]
        if unrecorded is not None and self.watch.error is None:
            self.facts.append(f"The graph could not be recorded, and only updates were looked at: {unrecorded!s:.120}")
        if self.recording is not None and "steps_elsewhere" in self.recording.notes:
            self.facts.append("Values computed before the program ran, or in another thread, were not looked at.")
        if not self.bench.has_gradients:
            self.watch.has_loss = self.recording is not None and "no_gradient" not in self.recording.notes

    def _record(self) -> Exception | None:
        """Record the program; returns the error that ended it."""
        copy = self.program.copied()
        with self.bench.repeatable(), copy.world, np.errstate(all="ignore"):
            try:
                self.recording = self.bench.record(up_to_loss(self.bench, copy), copy, {})
            except Exception as error:
                self.recording = last_recording(error)
                return error
        return None

    # ------------------------------------------------------------------ predictions, targets and parameters
    @cached_property
    def objectives(self) -> list[Objective]:
        """The steps that compare predictions with targets."""
        return list(objectives(self))

    @cached_property
    def picks(self) -> list[tuple[Step, Step]]:
        """The steps that pick the score of one class per example, and the scores that they pick from."""
        return list(picks(self, self.objectives))

    @cached_property
    def held(self) -> set[str]:
        """The names of the parameters that an optimizer holds."""
        held = self.bench.held(self.program.named).values()
        return {p.name for tensors in held for p in self.bench.same(self.parameters, tensors)}

    @property
    def trainable(self) -> list[LiveParameter]:
        """The parameters that are not frozen."""
        return [p for p in self.parameters if p.trainable]

    def gradient(self, parameter: LiveParameter) -> np.ndarray | None:
        """The gradient of a parameter from the first backward pass."""
        if self.bench.has_gradients:
            return self.watch.gradients.get(parameter.name)
        step = next((s for s in self.steps.values() if s.name == parameter.name and s.kind in ("input", "leaf")), None)
        return None if step is None or step.grad is None else step.grad.values

    # ------------------------------------------------------------------ the probes
    def rerun(self, name: str, array: np.ndarray) -> Recording | None:
        """The program with other numbers in one of its arrays, the same random numbers, and batch norm in evaluation
        mode."""
        copy = self.bench.changed(self.program, name, array)
        self.bench.holding_statistics(copy.named)
        return self._probed(copy)

    def refed(self, step: Step, array: np.ndarray) -> Recording | None:
        """The same for an array that enters the graph with a step, however it came there: whatever uses it gets the
        other numbers."""
        assert step.value is not None
        shape, values = step.value.shape, step.value.values

        def exchanged(given: Any) -> Any:
            held = self.bench.array(given)
            is_it = held is not None and held.shape == shape and np.array_equal(held.astype(values.dtype), values)
            return self.bench.like(array, given) if is_it else given

        def change(call: Callable[..., Any], *given: Any) -> Any:
            return call(*map(exchanged, given))

        copy = self.program.copied()
        self.bench.holding_statistics(copy.named)
        return self._probed(copy, {user.id: change for user in self.users.get(step.id, []) if user.kind == "call"})

    def changed(self, changes: Changes) -> Recording | None:
        """The program with some steps changed, and its gradient; None if it cannot be run."""
        return self._probed(self.program.copied(), changes=changes)

    def _probed(self, copy: Program, changes: Changes | None = None, draws: bool = False) -> Recording | None:
        with self.bench.repeatable(), copy.world, np.errstate(all="ignore"):
            if draws:  # from the copy's generators, which may be its own
                self.bench.draw()
            try:
                return self.bench.record(up_to_loss(self.bench, copy, is_probe=changes is None), copy, changes or {})
            except Exception:
                return None

    @cached_property
    def with_other_parameters(self) -> Recording | None:
        """The program with slightly different parameters; None if that changes its steps."""
        values = {p.name: p.value() for p in self.parameters}
        found = self.with_parameters({name: v * v.dtype.type(1.1) + v.dtype.type(0.01) for name, v in values.items()})
        return found if found is not None and len(found.steps) >= len(self.steps) else None

    def with_parameters(self, values: Mapping[str, np.ndarray]) -> Recording | None:
        """The program before it ran, with other numbers in its parameters."""
        return self._probed(self.bench.with_parameters(self.program.copied(), values))

    @cached_property
    def with_other_draws(self) -> Recording | None:
        """The program with other random numbers; None if that changes its steps."""
        with self.bench.repeatable():
            self.bench.draw()
            found = self._probed(self.program.copied())
        return found if found is not None and self.has_same_steps(found) else None

    @cached_property
    def second_run(self) -> Recording | None:
        """The second round of the program, with other random numbers than the first."""
        first = ProgramWatch(self.bench, self.program.copied())
        first.run(1)
        return self._probed(first.program.copied(), draws=True)

    @cached_property
    def next_round(self) -> Recording | None:
        """The same; None if its steps are others than those of the first."""
        found = self.second_run
        return found if found is not None and self.has_same_steps(found) else None

    def has_same_steps(self, run: Recording) -> bool:
        """Whether another run begins with the steps of this one."""
        kinds = [step.function for step in run.steps[: len(self.steps)]]
        return kinds == [step.function for step in self.steps.values()]

    @cached_property
    def plain_run(self) -> Recording | None:
        """The program with its own numbers, for comparison with a rerun."""
        copy = self.program.copied()
        return self._probed(copy) if self.bench.holding_statistics(copy.named) else self.recording

    @cached_property
    def data(self) -> dict[str, np.ndarray]:
        """The arrays that the program was given, except parameters."""
        learned = {id(p.tensor) for p in self.parameters}
        given = {name: value for name, value in self.program.named.items() if id(value) not in learned}
        arrays = {name: self.bench.array(value) for name, value in given.items()}
        return {name: array for name, array in arrays.items() if array is not None and array.ndim}

    # ------------------------------------------------------------------ words
    def outer(self, step: Step) -> CodeLine | None:
        """The line of the function itself that computed a step, even through a helper; None if that is not known."""
        file = None if self.recording is None else self.recording.file
        return None if step.outer_line is None else CodeLine(step.outer_line, file)

    def called(self, step: Step) -> str:
        """The user's name for a value; for an unnamed array, that of the program's array with the same numbers."""
        text, value = called(step), step.value
        if text != "a value" or value is None:
            return text
        return next((f"`{name}`" for name, array in self.data.items() if self.is_array(step, array)), text)

    def is_array(self, step: Step, array: np.ndarray | None) -> bool:
        """Whether a value equals an array of several numbers, apart from its dtype."""
        return array is not None and array.size > 1 and holds(step, array)

    def found(
        self, kind: str, message: str, remedy: str, at: Place, told_at: Place = None, certainty: Certainty = "wrong"
    ) -> ProgramFinding:
        """A finding at a step, an event, a line, or nowhere; ``told_at`` is the line to blame if it is another one."""
        place, step = told_at or at or CodeLine(), at.id if isinstance(at, Step) else None
        return ProgramFinding(kind, message, remedy, place.line, place.file, certainty, step)

    suspect = partialmethod(found, certainty="suspicious")
    """A finding that may be intended."""
