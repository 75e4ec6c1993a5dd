"""ProgramWatch: runs a copy of a program and notes every backward pass, clearing of gradients and update."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial, wraps
from typing import Any

import numpy as np

from ...engine import file_label
from ...recording.raised import place_of, told_as
from ...recording.scopes import is_users
from .copied_program import Program
from .report import CodeLine
from .workbench import Workbench, seeding_heard

MOST_BYTES = 1 << 26
"""Of larger gradients, only the norms are kept."""


@dataclass(frozen=True)
class TrainingEvent:
    """One event in a program. ``kind`` is ``backward``, ``zero`` or ``step``; ``loss`` is that of a backward pass.
    A ``seed`` is one that was set, and from which the same round has drawn; ``who`` is the seed.

    ``piled`` are gradients that an earlier update used and a backward pass has added to since. For each parameter that
    an update changed, ``sizes`` holds the norms of its gradient, of itself and of the change. ``along`` is the cosine
    between the changes and the gradients of all parameters together: -1 for plain gradient descent.
    """

    kind: str
    line: int | None
    file: str | None
    pass_: int
    who: Any = None
    loss: float = 0.0
    piled: dict[str, TrainingEvent] = field(default_factory=dict)
    sizes: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    along: float = 0.0


class _Reached(BaseException):
    """Raised once the loss is known, so that nothing after it runs."""

    def __init__(self, loss: Any) -> None:
        self.loss = loss


class ProgramWatch:
    """What a program did in a number of rounds.

    ``gradients`` are those of the first round, by parameter name; None where none arrived. ``losses`` holds the loss of
    every round, ``modes`` the modes of the models at its backward pass, ``slopes`` the gradients of the last pass.
    ``path`` has the steps of the last backward pass, if it went through steps of an earlier round again.
    ``error`` is the exception that ended the rounds, ``place`` its position.
    """

    def __init__(self, bench: Workbench, program: Program) -> None:
        self.bench, self.program = bench, program
        self.parameters = bench.parameters(program.named)
        self.events: list[TrainingEvent] = []
        self.losses: list[float] = []
        self.gradients: dict[str, np.ndarray | None] = {}
        self.first_moves: dict[str, np.ndarray] = {}  # of a pure step
        self.has_loss = False
        self.calls_backward = False
        self.has_drawn = False  # from a generator of Python or NumPy
        self.error: BaseException | None = None
        self.modes: dict[int, dict[str, tuple[bool, list[str]]]] = {}
        self._used: set[str] = set()
        self._values: dict[str, np.ndarray] = {}  # after the last backward pass or update
        self.slopes: dict[str, np.ndarray | None] = {}
        self._piled: dict[str, TrainingEvent] = {}
        self._round = 0
        # of this round, each with its generator's state now and then
        self._seeds: list[tuple[TrainingEvent, Callable[[], Any], Any]] = []
        self._passed: dict[int, int] = {}  # the round in which a backward pass first went through a step
        self.path: set[int] = set()

    def run(self, rounds: int) -> None:
        """Run the program; a returned loss is differentiated once."""
        world = self.program.world
        heard = self.bench.listening(self._hear), seeding_heard(self.bench, self._hear)
        with self.bench.repeatable(), world, heard[0], heard[1], np.errstate(all="ignore"):
            for self._round in range(rounds):
                count, before = len(self.events), {p.name: p.value().copy() for p in self.parameters}
                try:
                    result = self._run_once(count)
                except Exception as error:
                    self.error = error
                    return
                if self.bench.rounds and not self.bench.has_gradients:
                    self._advance(result, before)
                found = [event.loss for event in self.events[count:] if event.kind == "backward"]
                self.losses += found[:1]

    def _run_once(self, count: int) -> Any:
        """Run one round, after ``count`` events, and return the program's result."""
        self._seeds, before = [], Workbench.generators(self.bench)
        try:
            result = self.program()
        finally:
            self.has_drawn |= Workbench.generators(self.bench) != before
            self.events += [event for event, state, began in self._seeds if state() != began]
            self.calls_backward |= any(event.kind == "backward" for event in self.events[count:])
        self._note_own_update()
        loss = self.bench.loss_in(result)
        if loss is not None and not self.calls_backward:
            self._clear()
            self.bench.differentiate(loss)
        return result

    def _advance(self, result: Any, before: Mapping[str, np.ndarray]) -> None:
        """Pass the result of a pure training step to its next call; its gradient is not known."""
        self.program, loss = self.bench.advanced(self.program, result)
        self.parameters = self.bench.parameters(self.program.named)
        pairs = [(p.name, before[p.name], p.value()) for p in self.parameters]
        sizes = {name: (np.nan, _norm(old), _norm(new - old)) for name, old, new in pairs}
        self.first_moves = self.first_moves or {name: new - old for name, old, new in pairs}
        self.losses.append(float(loss))
        self.events.append(TrainingEvent("step", None, None, self._round, sizes=sizes))

    def _clear(self) -> None:
        for parameter in self.parameters:
            if hasattr(parameter.tensor, "grad"):
                parameter.tensor.grad = None

    @property
    def told(self) -> tuple[str, str]:
        """The type and the message of the error."""
        return ("", "") if self.error is None else told_as(self.error)

    @property
    def place(self) -> tuple[CodeLine, str | None]:
        """The line of the user's code that caused the error, and its text."""
        file, line, text = (None, None, None) if self.error is None else place_of(self.error)
        return CodeLine(line, file), text

    def heard(self, *kinds: str) -> list[TrainingEvent]:
        """The events of some kinds."""
        return [event for event in self.events if event.kind in kinds]

    # ------------------------------------------------------------------ events
    def _hear(self, kind: str, who: Any, go_on: Callable[[], Any]) -> Any:
        place = _users_place()
        if kind == "seed":
            answer = go_on()
            state = partial(_state, answer) if isinstance(answer, np.random.Generator) else self.bench.generators
            if isinstance(who, int | np.integer):  # others are drawn by chance, or are generators themselves
                self._seeds.append((TrainingEvent(kind, *place, self._round, int(who)), state, state()))
            return answer
        if kind == "backward":
            return self._backward(who, go_on, place)
        if kind == "step":
            return self._update(who, go_on, place)
        self.events.append(TrainingEvent(kind, *place, self._round, who))
        return go_on()

    def _backward(self, loss: Any, go_on: Callable[[], Any], place: CodeLine) -> Any:
        number = self.bench.array(loss)
        self.has_loss = True
        self.modes.setdefault(self._round, self.bench.training(self.program.named))
        before = {p.name: None if (g := p.grad()) is None else g.copy() for p in self.parameters}
        self._note_own_update()
        self._forget_cleared(before)
        value = np.nan if number is None else float(np.sum(number))
        event = TrainingEvent("backward", *place, self._round, loss=value)
        self.events.append(event)
        path = self.bench.path_of(loss)
        is_old = any([self._passed.setdefault(step, self._round) < self._round for step in path])
        self.path = path if is_old else set()
        answer = go_on()
        after = {p.name: p.grad() for p in self.parameters}
        self._piled |= {name: event for name in sorted(self._used) if _is_other(before[name], after.get(name))}
        if self._round == 0:
            for name, g in after.items():
                own = _new(g, before.get(name))
                if self.gradients.get(name) is None or (own is not None and not np.any(self.gradients[name])):
                    self.gradients[name] = own
        self._values = {p.name: p.value().copy() for p in self.parameters}
        self.slopes = {name: _new(g, before.get(name)) for name, g in after.items()}
        return answer

    def _note_own_update(self) -> None:
        """Note an update that the program makes without an optimizer: parameters have changed since the pass."""
        values = {p.name: p.value().copy() for p in self.parameters if p.name in self._values}
        moves = {name: values[name] - old for name, old in self._values.items() if _is_other(old, values[name])}
        if moves:
            piled = {name: event for name, event in self._piled.items() if name in moves}
            along = cosine(moves, self.slopes)
            sizes = {name: (np.nan, _norm(self._values[name]), _norm(move)) for name, move in moves.items()}
            event = TrainingEvent("own step", None, None, self._round, piled=piled, sizes=sizes, along=along)
            self.events.append(event)
            self._used |= set(moves)
            self._values = values

    def _forget_cleared(self, grads: Mapping[str, np.ndarray | None]) -> None:
        """Forget cleared gradients, which no longer accumulate."""
        self._used &= {name for name, g in grads.items() if g is not None and g.any()}
        self._piled = {name: event for name, event in self._piled.items() if name in self._used}

    def _update(self, who: Any, go_on: Callable[[], Any], place: CodeLine) -> Any:
        mine = self.bench.same(self.parameters, self.bench.held({"optimizer": who}).get("optimizer", []))
        before = {p.name: p.value().copy() for p in mine}
        self._forget_cleared({p.name: p.grad() for p in self.parameters})
        slopes = {p.name: None if (g := p.grad()) is None else g.copy() for p in mine}
        norms = {name: _norm(g) for name, g in slopes.items() if g is not None}
        piled = {name: event for name, event in self._piled.items() if name in norms}
        try:
            return go_on()  # this may run backward, and hooks may change gradients
        finally:  # the program may catch the error that no parameter has a gradient
            norms |= {p.name: _norm(g) for p in mine if (g := p.grad()) is not None}
            moves = {p.name: p.value() - before[p.name] for p in mine}
            sizes = {name: (norms.get(name, 0.0), _norm(before[name]), _norm(move)) for name, move in moves.items()}
            along = cosine(moves, slopes)
            self._used |= set(norms)
            self._values = {p.name: p.value().copy() for p in self.parameters}
            self.events.append(TrainingEvent("step", *place, self._round, who, piled=piled, sizes=sizes, along=along))


def _is_other(before: np.ndarray | None, after: np.ndarray | None) -> bool:
    return before is not None and after is not None and not np.array_equal(before, after, equal_nan=True)


def _new(after: np.ndarray | None, before: np.ndarray | None) -> np.ndarray | None:
    """The gradient from a pass; None if nothing arrived."""
    if after is None:
        return None
    return after.copy() if before is None else after - before


def cosine(moves: Mapping[str, np.ndarray], slopes: Mapping[str, np.ndarray | None]) -> float:
    """The cosine between all changes of parameters and their gradients; 0 if either is 0 or not finite."""
    known = [(moves[name], g) for name, g in slopes.items() if name in moves and g is not None]
    dot, of_moves, of_slopes = [
        sum(float(np.vdot(a, b)) for a, b in pairs)
        for pairs in (known, [(move, move) for move, _ in known], [(g, g) for _, g in known])
    ]
    size = np.sqrt(of_moves * of_slopes)
    return dot / size if np.isfinite(size) and size > 0 and np.isfinite(dot) else 0.0


def _state(rng: np.random.Generator) -> str:
    return str(rng.bit_generator.state)


def _norm(array: np.ndarray) -> float:
    with np.errstate(all="ignore"):
        return float(np.linalg.norm(array.astype(np.float64, copy=False).ravel()))


def _users_place() -> CodeLine:
    """The calling line of the user's code."""
    frame: Any = sys._getframe(2)
    while frame is not None and not is_users(frame.f_code.co_filename):
        frame = frame.f_back
    return CodeLine() if frame is None else CodeLine(frame.f_lineno, file_label(frame.f_code.co_filename))


def up_to_loss(bench: Workbench, program: Program, is_probe: bool = False) -> Callable[..., Any]:
    """The program's function up to the point where the loss is known: it returns the loss, for a probe without
    gradients."""

    def reach(loss: Any) -> None:
        raise _Reached(loss)

    fn = bench.until_loss(program.fn, reach)

    @wraps(program.fn)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            with program.world:
                result = fn(*args, **kwargs)
        except _Reached as reached:
            return bench.without_gradient(reached.loss) if is_probe else reached.loss
        loss = bench.loss_in(result)
        if loss is None:
            return result
        return bench.without_gradient(loss) if is_probe else loss

    return run
