"""ProgramGraph: what the rules know about the graph that a program computed and the parameters in it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from ...recording import Departure, Recording, Step
from ...recording.observations import Observation, Sign, observations
from ...recording.step import REARRANGED, sources_of
from .report import holds
from .workbench import LiveParameter

RESHAPES = REARRANGED | {"getitem", "broadcast_tensors"}
"""Functions that do not compute new numbers, although `getitem` drops some and casts round them."""

SHAPED = frozenset(
    ("zeros_like", "ones_like", "full_like", "empty_like", "rand_like", "randn_like", "randint_like", "new_zeros")
)
"""Functions that use only the shape of an array."""


class ProgramGraph:
    """The steps of a program's recording; none if it could not be recorded."""

    recording: Recording | None
    parameters: list[LiveParameter]
    """All parameters of the program, in their state before it ran."""

    @classmethod
    def of(cls, recording: Recording, parameters: list[LiveParameter]) -> ProgramGraph:
        """The graph of another run of the program."""
        graph = ProgramGraph()
        graph.recording, graph.parameters = recording, parameters
        return graph

    @cached_property
    def steps(self) -> dict[int, Step]:
        """The steps by their ids."""
        return {} if self.recording is None else self.recording.by_id

    @cached_property
    def calls(self) -> list[Step]:
        """The steps computed by a function."""
        return [step for step in self.steps.values() if step.kind == "call"]

    @cached_property
    def users(self) -> dict[int, list[Step]]:
        """For each step, the steps that use it."""
        found: dict[int, list[Step]] = {}
        for step in self.steps.values():
            for operand in step.operands:
                if operand.step is not None:
                    found.setdefault(operand.step, []).append(step)
        return found

    def uses(self, step: Step) -> list[Step]:
        """The steps that use a value, even after rearranging or casting it, as ``w`` in ``x @ w.T``."""
        found = []
        for user in self.users.get(step.id, []):
            found += self.uses(user) if user.function in REARRANGED else [user]
        return found

    def operands(self, step: Step) -> list[Step]:
        """The steps that a step was computed from."""
        return [self.steps[operand.step] for operand in step.operands if operand.step is not None]

    def behind(self, starts: Iterable[Step]) -> set[int]:
        """The ids of these steps and of all that they were computed from."""
        return sources_of(self.steps, [step.id for step in starts])

    @property
    def departures(self) -> tuple[Departure, ...]:
        """The places where values left the graph."""
        return () if self.recording is None else self.recording.departures

    @property
    def left(self) -> set[int]:
        """The steps whose values left the graph."""
        return {step for gone in self.departures for step in gone.steps}

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
        """The parameter of a leaf: the one with its name, else the one with the same numbers."""
        return self._parameters_of_steps.get(step.id)

    @cached_property
    def _parameters_of_steps(self) -> dict[int, LiveParameter]:
        found: dict[int, LiveParameter] = {}
        for step in self.steps.values():
            if step.kind not in ("input", "leaf") or step.value is None:
                continue
            fitting = [p for p in self.parameters if p.value().shape == step.value.shape]
            named = [p for p in fitting if p.name == step.name]
            named += [p for p in fitting if (step.name or "").endswith(f".{p.path}")]
            equal = [p for p in fitting if step.kind == "leaf" and holds(step, p.value())] if not named else []
            fresh = [p for p in equal if p not in found.values()]  # many start with equal numbers, such as zeros
            if chosen := named[:1] or fresh[:1] or equal[:1]:
                found[step.id] = chosen[0]
        return found

    @cached_property
    def learning(self) -> set[int]:
        """The steps whose values depend on a parameter."""
        return self.after(self.learned, SHAPED)

    def after(self, starts: set[int], but: frozenset[str] = frozenset()) -> set[int]:
        """The ids of these steps and of all computed from them, except through the functions ``but``."""
        found = set(starts)
        for step in self.steps.values():
            if step.function not in but and any(operand.step in found for operand in step.operands):
                found.add(step.id)
        return found

    @cached_property
    def trained(self) -> list[Step]:
        """The calls between the parameters and the loss."""
        return [step for step in self.calls if step.id in self.learning & self.used]

    def made_by(self, step: Step, through: frozenset[str] = RESHAPES) -> Step:
        """The step that computed the numbers: the first one backwards whose function is not in ``through``."""
        while True:
            given = self.operands(step)
            if step.kind == "part" and given[0].function == "broadcast_tensors":
                given = self.operands(given[0])[step.id - given[0].id - 1 :][:1]
            elif step.function not in through:
                return step
            if len(given) != 1:
                return step
            step = given[0]

    def is_parameter(self, step: Step) -> bool:
        """Whether the numbers are those of a parameter, as in ``w.T``."""
        return self.made_by(step).id in self.learned

    def named_parameters(self, steps: set[int]) -> list[LiveParameter]:
        """The parameters among some steps, in order."""
        return [p for i in sorted(steps) if (p := self.parameter(self.steps[i])) is not None]

    def way_to_loss(self, step: Step) -> list[Step] | None:
        """The steps from one to the loss, if each is the only user of the one before; else None."""
        way: list[Step] = []
        while self.loss is not None and step.id != self.loss.id:
            user = self.only_user(step)
            if user is None:
                return None
            way.append(step := user)
        return way

    def ends_in(self, step: Step, through: frozenset[str]) -> bool:
        """Whether the loss is computed from a value only through some functions."""
        way = self.way_to_loss(step)
        return way is not None and all(user.function in through for user in way)

    def only_user(self, step: Step) -> Step | None:
        """The only step on the way to the loss that uses a value; None if there are none or several."""
        users = {user.id: user for user in self.users.get(step.id, []) if user.id in self.used}
        return next(iter(users.values())) if len(users) == 1 else None

    def observed(self, *signs: Sign) -> list[tuple[Step, Observation]]:
        """The observations with some signs at the steps between the parameters and the loss."""
        found = [] if self.recording is None else observations(self.recording)
        marked = [seen for seen in found if seen.sign in signs and seen.step in self.learning & self.used]
        return [(self.steps[seen.step], seen) for seen in marked]
