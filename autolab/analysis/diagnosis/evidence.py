"""Evidence: what the rules ask of a program's runs and of its recording."""

from __future__ import annotations

import inspect
import linecache
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ...engine.source import file_label
from ...recording.model import Operand, Recording, Snapshot, Step
from ...recording.raised import last_recording
from .program import Program
from .report import Certainty, ProgramFinding
from .watch import ProgramWatch, up_to_loss
from .workbench import LiveParameter, Workbench

RESHAPES = frozenset(
    [
        "reshape",
        "view",
        "flatten",
        "squeeze",
        "unsqueeze",
        "transpose",
        "permute",
        "swapaxes",
        "moveaxis",
        "contiguous",
        "expand_dims",
        "ravel",
        "T",
        "mT",
        "t",
        "broadcast_in_dim",
        "clone",
        "float",
        "double",
        "half",
        "to",
        "type",
        "convert_element_type",
        "cast",
        "copy",
        "getitem",
    ]
)
"""Functions that leave every number as it is; `getitem` and the casts leave some out or round them."""

LOSSES = {
    "cross_entropy": "cross_entropy",
    "softmax_cross_entropy": "cross_entropy",
    "nll_loss": "nll",
    "kl_div": "kl",
    "binary_cross_entropy": "bce",
    "binary_cross_entropy_with_logits": "bce_logits",
    "sigmoid_cross_entropy": "bce_logits",
    "mse_loss": "regression",
    "l1_loss": "regression",
    "smooth_l1_loss": "regression",
    "huber_loss": "regression",
    "huber": "regression",
    "smooth_l1": "regression",
    "mean_squared_error": "regression",
    "mean_absolute_error": "regression",
}
PICKING = {"gather", "take_along_axis", "getitem", "mul"}
_AFTER_DIFFERENCE = {"pow", "square", "abs", "mul", "norm", "integer_pow"}
_TARGETS = ("target", "t", "y")


@dataclass(frozen=True)
class Objective:
    """A step that compares a prediction with a target. ``kind`` is one of the values of `LOSSES`."""

    step: Step
    kind: str
    prediction: Step
    target: Step


@dataclass
class Evidence:
    """What is known of a program. ``program`` is the user's own and is never run; copies of it are."""

    bench: Workbench
    program: Program
    rounds: int
    is_causal: bool
    facts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.program = self.bench.settled(self.program)
        self.watch = ProgramWatch(self.bench, self.program.copied())
        self.trained = bool(self.rounds)
        copy = self.program.copied()
        self.recording_error: Exception | None = None
        self.recording: Recording | None = None
        with self.bench.repeatable(), np.errstate(all="ignore"):
            try:
                self.recording = self.bench.record(up_to_loss(self.bench, copy), copy)
            except Exception as error:
                self.recording_error, self.recording = error, last_recording(error)
        self.watch.run(max(1, self.rounds) if self.bench.has_gradients else 1)
        if not self.bench.has_gradients:
            self.watch.has_loss = self.recording is not None and "no_gradient" not in self.recording.notes

    # ------------------------------------------------------------------ the graph
    @cached_property
    def steps(self) -> dict[int, Step]:
        """The steps by their ids."""
        return {} if self.recording is None else {step.id: step for step in self.recording.steps}

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

    def operands(self, step: Step) -> list[Step]:
        """The steps that a step was computed from."""
        return [self.steps[operand.step] for operand in step.operands if operand.step is not None]

    def behind(self, starts: Iterable[Step]) -> set[int]:
        """These steps and all that they were computed from."""
        found: set[int] = set()
        waiting = list(starts)
        while waiting:
            step = waiting.pop()
            if step.id not in found:
                found.add(step.id)
                waiting += self.operands(step)
        return found

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
        return {step.id for step in self.steps.values() if self.is_parameter(step)}

    def is_parameter(self, step: Step) -> bool:
        """Whether a step is a parameter that a call of the program's uses."""
        if step.kind not in ("input", "leaf"):
            return False
        return self.parameter(step) is not None

    def parameter(self, step: Step) -> LiveParameter | None:
        """The parameter that a leaf is: the one of its name, else the one with its numbers."""
        return self._parameters_of_steps.get(step.id)

    @cached_property
    def _parameters_of_steps(self) -> dict[int, LiveParameter]:
        found = {}
        parameters = self.parameters
        for step in self.steps.values():
            if step.kind not in ("input", "leaf") or step.value is None:
                continue
            fitting = [p for p in parameters if p.value().shape == step.value.shape]
            named = [p for p in fitting if p.name == step.name or (step.name or "").endswith(f".{p.path}")]
            chosen = named[:1] or [p for p in fitting if step.kind == "leaf" and _is(step.value, p.value())][:1]
            if chosen:
                found[step.id] = chosen[0]
        return found

    @cached_property
    def learning(self) -> set[int]:
        """The steps whose values depend on a parameter."""
        found = set(self.learned)
        for step in self.steps.values():
            if any(operand.step in found for operand in step.operands):
                found.add(step.id)
        return found

    def made_by(self, step: Step, through: frozenset[str] = RESHAPES) -> Step:
        """The step that made the numbers: the first on the way back that is none of ``through``."""
        while step.function in through and len(self.operands(step)) == 1:
            step = self.operands(step)[0]
        return step

    def ends_in(self, step: Step, through: frozenset[str]) -> bool:
        """Whether a value becomes the loss by nothing but some functions."""
        while self.loss is not None and step.id != self.loss.id:
            users = {user.id: user for user in self.users.get(step.id, []) if user.id in self.used}
            if len(users) != 1:
                return False
            (step,) = users.values()
            if step.function not in through:
                return False
        return True

    # ------------------------------------------------------------------ what is learned
    @cached_property
    def objectives(self) -> list[Objective]:
        """The steps that compare predictions with targets."""
        return list(self._objectives())

    def _objectives(self) -> Iterator[Objective]:
        for step in self.calls:
            kind, operands = LOSSES.get(step.function or ""), [o for o in step.operands if o.step is not None]
            if step.function in ("sub", "subtract") and len(operands) == 2 and self._is_error(step, operands):
                kind = "regression"
            if kind is None and step.function in PICKING and len(operands) > 1:
                kind = self._picking(step, operands)
            if kind is None or len(operands) < 2:
                continue
            target = next((o for o in operands if o.parameter in _TARGETS), operands[1])
            if step.function == "sub" or kind == "picked":
                target = next(o for o in operands if o.step not in self.learning)
            prediction = next(o for o in operands if o is not target)
            assert prediction.step is not None and target.step is not None
            yield Objective(step, kind, self.steps[prediction.step], self.steps[target.step])

    def _is_error(self, step: Step, operands: list[Operand]) -> bool:
        """Whether a difference is one of a prediction and a target, which is then squared."""
        targets = [o for o in operands if o.step not in self.learning]
        after = [user.function for user in self.users.get(step.id, [])]
        return len(targets) == 1 and bool(_AFTER_DIFFERENCE & set(after)) and step.id in self.used

    def _picking(self, step: Step, operands: list[Operand]) -> str | None:
        """``picked`` where one score of each example is taken, by indices or with one-hot rows."""
        given = [(self.steps[o.step].value, o.step in self.learning) for o in operands if o.step is not None]
        scores = [value for value, is_learned in given if is_learned and value is not None]
        others = [value for value, is_learned in given if not is_learned]
        if len(scores) != 1 or not others or len(scores[0].shape) != 2 or step.id not in self.used:
            return None
        shape, index = scores[0].shape, others[-1]
        if index is None or not index.shape or index.shape[0] != shape[0]:
            return None
        if step.function == "mul":
            is_one_hot = index.is_whole and index.shape == shape and np.isin(index.values, (0, 1)).all()
            return "picked" if is_one_hot and (index.values.sum(axis=1) == 1).all() else None
        return "picked" if index.values.dtype.kind in "iu" else None

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

    def _probed(self, copy: Program) -> Recording | None:
        with self.bench.repeatable(), np.errstate(all="ignore"):
            try:
                return self.bench.record(up_to_loss(self.bench, copy, is_probe=True), copy)
            except Exception:
                return None

    @cached_property
    def with_other_parameters(self) -> Recording | None:
        """The program with slightly other numbers in its parameters; None where its steps are others then."""
        copy = self.program.copied()
        for parameter in self.bench.parameters(copy.named):
            value = parameter.value()
            self.bench.write(parameter.tensor, value * value.dtype.type(1.1) + value.dtype.type(0.01))
        found = self._probed(copy)
        return found if found is not None and len(found.steps) >= len(self.steps) else None

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
    def found(
        self,
        kind: str,
        message: str,
        remedy: str,
        at: Step | None = None,
        certainty: Certainty = "wrong",
        line: int | None = None,
        file: str | None = None,
    ) -> ProgramFinding:
        """A finding at a step, or at a line."""
        if at is not None and line is None:
            line, file = at.line, at.file
        return ProgramFinding(kind, message, remedy, line, file, certainty, None if at is None else at.id)

    def _code(self) -> Any:
        return getattr(inspect.unwrap(getattr(self.program.fn, "__func__", self.program.fn)), "__code__", None)

    def line_above(self, pattern: str) -> tuple[int | None, str | None]:
        """The last line above the function that fits, where something was made that the function uses."""
        code = self._code()
        above = [] if code is None else linecache.getlines(code.co_filename)[: code.co_firstlineno - 1]
        found = [i for i, text in enumerate(above, 1) if re.search(pattern, text)]
        return (found[-1], file_label(code.co_filename)) if found else (None, None)

    def line_near(self, text: str) -> tuple[int | None, str | None]:
        """The line of the function's file that holds a text, the nearest to its first."""
        code = self._code()
        lines = [] if code is None else linecache.getlines(code.co_filename)
        found = [i for i, line in enumerate(lines, 1) if text in line]
        return (
            (min(found, key=lambda i: abs(i - code.co_firstlineno)), file_label(code.co_filename))
            if found
            else (None, None)
        )

    def line_in(self, text: str) -> tuple[int | None, str | None]:
        """The line of the function that holds a text."""
        first, file = self.first_line
        lines = (self.recording.source or "").splitlines() if self.recording is not None else []
        at = next((i for i, line in enumerate(lines) if text in line), None)
        return (None if at is None or first is None else first + at), file

    @property
    def first_line(self) -> tuple[int | None, str | None]:
        """Where the function begins."""
        return (None, None) if self.recording is None else (self.recording.first_line, self.recording.file)


def _is(value: Snapshot, array: np.ndarray) -> bool:
    return value.is_whole and value.values.shape == array.shape and np.array_equal(value.values, array)


def whole(value: Snapshot | None) -> np.ndarray | None:
    """The numbers of a float array, where all were kept."""
    if value is None or not value.is_whole or value.values.dtype.kind not in "fiub" or not value.size:
        return None
    return value.values.astype(np.float64)


def called(step: Step) -> str:
    """What the user calls a value: its name, or the expression; of a step inside a layer, the function and the call."""
    if step.source and step.statement and step.source not in step.statement and step.line is not None:
        return f"{step.function} in `{_short(step.statement)}`"
    text = step.name if step.name and step.kind != "call" else step.source or step.name or step.function or "a value"
    return f"`{_short(text)}`"


def _short(text: str) -> str:
    text = text.partition("  #")[0]
    return text if len(text) <= 60 else text[:57] + "..."


def at_line(step: Step) -> str:
    """``Line 7, `F.relu(h)```."""
    return called(step) if step.line is None else f"Line {step.line}, {called(step)},"


def number(x: float) -> str:
    """A number as text reads it."""
    return f"{x:.3g}"


def listed(names: Iterable[str], most: int = 3) -> str:
    """Names in a row; of many only the first."""
    every = list(names)
    shown = every[:most] + ([f"{len(every) - most} more"] if len(every) > most else [])
    return " and ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))
