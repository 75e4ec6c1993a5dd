"""The run of a function that is recorded on a tape: it is the actual call, with all its effects.

Constants, recorded while a function is traced: an array that a recorded one indexes has to be on the tape as well.

``table[t]`` and ``np.eye(3)[t]`` ask NumPy's array, which knows nothing of tapes. Therefore, as long as a function is
traced, the arrays in its reach are recorded ones, and so is what it makes with NumPy's names.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import wraps
from time import perf_counter
from traceback import walk_tb
from types import CodeType
from typing import Any, Self

import numpy as np

from ...engine import Leaf, Variable, new_order, using_config
from ...engine.arrays import thread_time
from ...engine.modes import modes
from ...engine.reach import Spot, is_plain
from ...engine.store import exclusive, own, publish
from ..tracing.array import replaced
from .call_tape import CallTape, Refusal
from .nested import EnteredArguments, flat, named, outs, unwrapped, variables_in
from .reached_state import Effect, Given, Out, ReachedState, StatePlace
from .reads import Reads, same
from .recorded_array import Recorded, open_tape, taped, users_frame
from .references import mapped, plain, recorded_in
from .returned import gradients_since, not_passed, spent
from .walk import reads
from .watch import attributes_asked, profiled, watched

_MAKING: tuple[Any, ...] = (
    *(np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.arange, np.linspace, np.eye, np.identity, np.tri),
    *(np.zeros, np.ones, np.empty, np.full, np.indices),
)
"""Functions that make an array of no array."""


@contextmanager
def recorded_constants(tape: CallTape, found: Reads) -> Iterator[None]:
    """Record the arrays that a function finds around it, and those that it makes."""
    entering = _Entering(tape, found.codes)
    places = []
    try:
        for spot in found.spots:
            value = spot.value
            if spot.holder is not sys.modules and spot.how != "class":
                inside = entering.of(value)
                if inside is not value and spot.put(inside):
                    places.append((spot, value, inside))
        yield
    finally:
        for spot, value, inside in places:
            now = spot.now()
            spot.put(value if now is inside else unwrapped(now))


class _Entering:
    """What stands for each constant."""

    def __init__(self, tape: CallTape, codes: set[CodeType]) -> None:
        self._tape, self._codes = tape, codes
        self._known: dict[int, Any] = {}

    def of(self, value: Any) -> Any:
        if type(value) is np.ndarray and value.dtype.kind in "biufc":
            if id(value) not in self._known:
                self._known[id(value)] = self._tape.constant(value)
            return self._known[id(value)]
        if type(value) is tuple:
            inside = tuple(map(self.of, value))
            return value if all([a is b for a, b in zip(value, inside, strict=True)]) else inside
        if value is np:
            return _NumPyInside(self)
        return self.making(value) if any([value is one for one in _MAKING]) else value

    def making(self, function: Any) -> Any:
        """A function that makes arrays; what the user's code makes is recorded."""

        @wraps(function, assigned=("__name__", "__doc__"))
        def make(*args: Any, **options: Any) -> Any:
            tape = self._tape
            if open_tape.get() is not tape or sys._getframe(1).f_code not in self._codes:
                return function(*args, **options)
            if not any([tape.depends[one._slot] for one in recorded_in((args, options))]):
                return tape.call(function, args, options)
            made = function(*mapped(args, _counted), **mapped(options, _counted))
            return tape.constant(made) if type(made) is np.ndarray else made

        return make


def _counted(value: Any) -> Any:
    """A size that is computed, as a number that has to be the same in each run."""
    is_size = isinstance(value, Recorded) and not value._value.ndim and value._value.dtype.kind in "iu"
    return operator.index(value) if is_size else value


class _NumPyInside:
    """NumPy, as the user's code finds it."""

    def __init__(self, entering: _Entering) -> None:
        self.__dict__.update({one.__name__: entering.making(one) for one in _MAKING})

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


# A random generator whose draws are recorded on a tape.

_IN_PLACE = ("shuffle", "spawn")


def _noted(name: str) -> Callable[..., Any]:
    def draw(self: Any, *args: Any, **options: Any) -> Any:
        self.tape.before_draw(name)
        found = getattr(np.random.Generator(self.bit_generator), name)(*plain(args), **plain(options))
        tape: CallTape = self.tape
        if name in _IN_PLACE or options.get("out") is not None:
            tape.refuse(f"it calls {name} of a generator, which writes into an array")
            return found
        if not isinstance(found, np.ndarray):
            tape.refuse(f"it draws a number for Python: {name}")
            return found
        return tape.draw(name, found, args, options)

    return draw


class RecordedGenerator(np.random.Generator):
    """``config.rng`` while a function is traced: it draws from the same bit generator."""

    tape: Any

    @classmethod
    def of(cls, rng: np.random.Generator, tape: Any) -> Self:
        made = cls(rng.bit_generator)
        made.tape = tape
        return made


for _name in dir(np.random.Generator):
    if _name[0] != "_" and callable(getattr(np.random.Generator, _name)):
        setattr(RecordedGenerator, _name, _noted(_name))


@dataclass(eq=False)
class Traced:
    """The outcome of a traced run: the tape, the result and the effects.

    Attributes
    ----------
    result
        What the function returned.
    spec
        The same with an `Out` or a `StatePlace` for each array and Variable.
    effects : list of Effect
        What the run stored in places, since the last update.
    starts, pulled, inputs
        For a result that may be differentiated: the slots of the upstream gradients, the gradients, and what they are
        the gradients of: Variables, or positions of arguments.
    seconds : float or None
        Duration of the last call of the function itself for comparison.
    """

    tape: CallTape
    found: Reads
    state: ReachedState | None = None
    result: Any = None
    spec: Any = None
    effects: Sequence[Effect] = ()
    starts: Sequence[int] = ()
    pulled: Sequence[Out] = ()
    inputs: Sequence[Any] = ()
    seconds: float | None = None

    def observed(self, function: Any, leaves: list[Any], args: Any, options: Any) -> tuple[Any, list[Any] | None]:
        """Call the function itself; returns also the arrays that a dry run of the program has to give."""
        told: list[list[Any]] = []
        updates = [step for step in self.tape.steps if step.kind == "update"]
        first = updates[0] if updates else None

        def look(effects: Sequence[Effect], result: Any = None) -> None:
            arrays = [effect.place.now(leaves) for effect in effects if effect.slot is not None]
            told.append([np.array(array) for array in [*arrays, *(outs(self.spec, result) if first is None else [])]])

        if first is not None:
            effects = first.args[0]

            def update(own: Callable[[], None]) -> None:
                look(effects)
                own()

            with overridden(first.function.__self__, update):
                result = self._timed(function, args, options)
        else:
            begin = new_order()
            result = self._timed(function, args, options)
            look(self.effects, result)
            told[0] += self._pulled_from(result, leaves, begin)
        return result, told[0] if told else None

    def _timed(self, function: Any, args: Any, options: Any) -> Any:
        # A view that computes in its own thread may make this one wait for milliseconds, which do not count.
        start = perf_counter(), thread_time()
        result = function(*args, **options)
        self.seconds = min(perf_counter() - start[0], thread_time() - start[1])
        return result

    def _pulled_from(self, result: Any, leaves: list[Any], begin: int) -> list[Any]:
        """The gradients of a result that the function has computed since ``begin``, for upstream gradients of 1."""
        if not self.pulled:
            return []
        ys = variables_in(self.spec, result)
        nodes = [(leaves[one.index] if type(one) is Given else one).node for one in self.inputs]
        found = gradients_since(begin, ys, [np.ones_like(y._data) for y in ys], nodes)
        return [found.get(node) for node in nodes]


@contextmanager
def overridden(optimizer: Any, by: Callable[[Callable[[], None]], Any]) -> Iterator[None]:
    """A context in which a function that receives the original update replaces the update of an optimizer."""
    own = type(optimizer)._step.__get__(optimizer)
    optimizer.__dict__["_step"] = lambda: by(own)
    try:
        yield
    finally:
        optimizer.__dict__.pop("_step", None)


def trace(function: Any, leaves: list[Any], objects: list[Any], args: Any, options: Any) -> Traced:
    """Call a function and record what it does with arrays; but not a call that first creates its parameters."""
    found = reads(function, objects)
    arrays = {id(array): path for path, array, _ in found.arrays}
    if twice := [arrays[id(leaf)] for leaf in leaves if id(leaf) in arrays]:
        found.beyond = Refusal(f"an argument is also {twice[0]}, which it can read")
    tape = CallTape()
    if found.beyond is not None:
        tape.refusal = found.beyond
    if found.beyond is not None or not all([getattr(v, "is_initialized", True) for v in found.variables]):
        return Traced(tape, found, result=function(*args, **options))
    given = [(leaf, Given(i)) for i, leaf in enumerate(leaves) if isinstance(leaf, Variable)]
    state = ReachedState([*given, *[(v, v) for v in found.variables]], found.buffers)
    state.note(found.written, found.reread)
    run = _NotedRun(tape, state, found, leaves)
    try:
        result = run(function, args, options)
    except Exception as error:
        was_by_tracing = isinstance(error, TypeError | AttributeError | BufferError)
        has_effects = tape.is_final or (tape.refusal or found.changed()) is not None
        if tape.is_final or (has_effects and not was_by_tracing):
            raise  # it is not run again, because what it did cannot be undone
        run.undo()
        tape.refuse(f"it raises {type(error).__name__} when it is traced", _raised_at(error))
        return Traced(tape, found, result=function(*args, **options))
    return run.traced(result)


class _NotedRun:
    """One traced call."""

    def __init__(self, tape: CallTape, state: ReachedState, found: Reads, leaves: list[Any]) -> None:
        self.tape, self.state, self.found, self.leaves = tape, state, found, leaves
        self._rng = modes().rng if "numpy.random" in sys.modules else None
        self._drawn: Any = None if self._rng is None else self._rng.bit_generator.state
        self._global: Any = np.random.get_state() if found.draws else None
        self._before = state.snapshot()
        self.effects: list[Effect] = []
        self._begin = new_order()
        self._earlier = state.earlier()
        self._results: Any = None
        self._asked: set[tuple[int, str]] = set()
        self._pulled: tuple[list[int], list[Out], list[Any]] = ([], [], [])

    def __call__(self, function: Any, args: Any, options: Any) -> Any:
        tape, state = self.tape, self.state
        arrays: dict[int, Recorded] = {}
        for i, leaf in enumerate(self.leaves):
            if not isinstance(leaf, Variable) and id(leaf) not in arrays:
                arrays[id(leaf)] = tape.source(leaf, StatePlace(Given(i), "self"))
        entered = EnteredArguments((args, options), arrays)
        try:  # an interrupt may come when only some arrays are replaced
            with exclusive():
                state.enter(tape, tape.source)
            return self._watched(function, entered)
        finally:
            with exclusive():
                state.leave()
            if entered.leave():
                tape.refuse("it changes an argument")

    def _watched(self, function: Any, entered: EnteredArguments) -> Any:
        tape = self.tape
        rng = RecordedGenerator.of(modes().rng, tape)
        with ExitStack() as overrides, taped(tape):
            for optimizer in self.found.optimizers:
                overrides.enter_context(overridden(optimizer, self._update))
            overrides.enter_context(recorded_constants(tape, self.found))
            self._asked = overrides.enter_context(attributes_asked(self.found.asked, self.found.codes))
            with using_config("rng", rng), watched(tape, self.found):
                args, options = entered.values
                with not_passed(self._earlier, tape):
                    result = function(*args, **options)
                self.effects = self.state.effects()
                self._differentiate(result)
                self._results = self._spec(result)
        return result

    def _update(self, own: Callable[[], None]) -> None:
        self.tape.update(own, self.state.effects())
        self.state.leave()
        asked = {*self._asked}
        try:
            with taped(None), profiled(None):
                own()
        finally:
            self._asked &= asked  # each run calls hooks as they are
            self.state.enter(self.tape, self.tape.load)

    def undo(self) -> None:
        """Restore the state before the call."""
        publish(self._before)
        if self._rng is not None:
            self._rng.bit_generator.state = self._drawn
        if self._global is not None:
            np.random.set_state(self._global)
        self._unwrap()

    def traced(self, result: Any) -> Traced:
        tape = self.tape
        if any([effect.slot == -1 for effect in self.effects]):
            tape.refuse("it stores an array that was not computed from its inputs")
        result = unwrapped(result)
        self._unwrap()
        tape.check_constants()
        self._check_stale()
        if (self.found.has_grown() or self._sets_another()) and tape.refusal is None:
            return Traced(tape, self.found, result=result)  # the next call finds the attribute
        if self.state.is_altered():
            tape.refuse("it gives a Variable another name, or changes whether it requires a gradient")
        self._note_asked()
        used = [place for holder, place in self.found.asked if (id(holder), place.key) in self._asked]
        self.found.spots += used
        self.found.noted += used
        if (path := self.found.changed()) is not None:
            tape.refuse(f"it changes {path}", self.found.line_of(path, tape.ran))
        return Traced(tape, self.found, self.state, result, self._results, self.effects, *self._pulled)

    def _check_stale(self) -> None:
        """Refuse if the function reads what a link has left in an attribute in a former call."""
        tape = self.tape
        used = {*named(self._results, self.effects, tape.steps), *[slot for step in tape.steps for slot in step.slots]}
        for slot, name in self.state.stale.items():
            del tape.sources[slot]
            if slot in used:
                tape.refuse(f"it reads {name} before it is set", self.found.line_of(name, tape.ran))

    def _note_asked(self) -> None:
        """The name of a parameter is compared at each call; an argument may have any name."""
        for variable in self.tape.asked:
            holder = next((h for v, h in self.state.variables if v is variable), None)
            if type(holder) is Given:
                self.tape.refuse("it asks for the name of an argument, or for what made it")
            elif holder is not None:
                self.found.noted.append(Spot.at("a name", variable, "_name", "attribute"))

    def _sets_another(self) -> bool:
        """Whether a write-only attribute was given a value that a program does not store. If the value is unchanged, a
        program is correct as long as it stays so."""
        updates = [effect for step in self.tape.steps if step.kind == "update" for effect in step.args[0]]
        stored = [(id(effect.place.holder), effect.place.name) for effect in (*updates, *self.effects)]
        kept = [one for one in self.state.attributes if (id(one[0]), one[1]) not in stored]
        now = [Spot.at(name, held.__dict__, name, "item") for held, name, _ in kept]
        self.found.noted += now
        return not all([same(spot.value, before) for spot, (_, _, before) in zip(now, kept, strict=True)])

    def _is_step(self) -> bool:
        """Whether the function has computed gradients of its own, or updated something."""
        is_updated = any([step.kind == "update" for step in self.tape.steps])
        return is_updated or any([effect.place.kind in ("grad", "data") for effect in self.effects])

    def _differentiate(self, result: Any) -> None:
        """Record how the gradients of the results are computed from upstream gradients."""
        known = {id(v) for v, _ in self.state.variables}
        ys = [one for one in flat(result) if isinstance(one, Variable) and id(one) not in known]
        if self._is_step() or not any([y.node is not None for y in ys]):
            return
        leaves_something = self.tape.is_final or not all([effect.is_only_kept for effect in self.effects])
        if leaves_something or not all([isinstance(y._data, Recorded) and y.node is not None for y in ys]):
            return self.tape.refuse("it returns a value that is to be differentiated, and changes or returns others")
        self.tape.is_backward = True
        starts = [self.tape.source(np.ones_like(y._data._value), None) for y in ys]
        found: dict[Any, Any] = gradients_since(self._begin, ys, starts, self._earlier)
        inputs = [(v, holder) for v, holder in self.state.variables if v.node in found]
        if self._earlier & found.keys() - {v.node for v, _ in inputs}:
            return self.tape.refuse("its result depends on a gradient that can be differentiated itself")
        pulled = [own(found[v.node], set())._data for v, _ in inputs]
        pairs = zip(pulled, inputs, strict=True)
        if any([not isinstance(g, Recorded) or g._value.shape != v.shape for g, (v, _) in pairs]):
            return self.tape.refuse("its gradients do not depend on what it is given")
        self._pulled = [g._slot for g in starts], [Out(g._slot, False) for g in pulled], [h for _, h in inputs]

    def _spec(self, result: Any) -> Any:
        """The returned structure, with places instead of the values in them."""
        if isinstance(result, Variable):
            holder = next((h for v, h in self.state.variables if v is result), None)
            if holder is not None:
                return StatePlace(holder, "self")
            if not isinstance(result._data, Recorded):
                return self._no_data("a Variable that it does not compute")
            if self.state.is_former_gradient(result):
                return self._no_data("a gradient that was there before the call or an update; expected its data")
            if isinstance(result.node, Leaf):
                return self._no_data("a new Variable that requires a gradient of its own")
            is_spent = result.node is not None and not self._pulled[0]
            return Out(result._data._slot, True, spent if is_spent else None, name=result._name)
        if isinstance(result, Recorded):
            return Out(result._slot, False, is_scalar=result._is_scalar)
        if type(result) in (list, tuple):
            return type(result)([self._spec(item) for item in result])
        if type(result) is dict:
            return {key: self._spec(item) for key, item in result.items()}
        return result if is_plain(result) else self._no_data(type(result).__name__)

    def _no_data(self, what: str) -> None:
        self.tape.refuse(f"it returns {what}")

    def _unwrap(self) -> None:
        replaced([one for made in self.tape.made if (one := made()) is not None])


def _raised_at(error: BaseException) -> tuple[str, int] | None:
    """The innermost of the user's lines in the traceback of an error."""
    lines = [(frame, line) for frame, line in walk_tb(error.__traceback__) if users_frame(frame) is frame]
    return (lines[-1][0].f_code.co_filename, lines[-1][1]) if lines else None
