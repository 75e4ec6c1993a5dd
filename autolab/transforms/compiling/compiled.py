"""compile: the decorator, its programs for each signature, and the checks that keep it right."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Hashable
from functools import cached_property, update_wrapper
from threading import Lock
from time import perf_counter
from typing import Any

import numpy as np

from ...engine.backward import guards as watched_nodes
from ...engine.errors import a_kind
from ...engine.float_errors import are_awaited, float_setting
from ...engine.modes import listeners, modes, watchers
from ...engine.store import leaf_hooks, retained
from .arguments import Signature, taker
from .executable import Executable, Miss, named
from .lowering import Lowered
from .report import CompileReport, table_of
from .returned import joined
from .state import Given, Out, StatePlace
from .tape import Refusal, memory, slots_in
from .tracing import Traced, outs, trace

_MOST_PROGRAMS = 16
_tracing = Lock()
"""Held while a function is traced: recorded arrays stand in its parameters then."""


class CompileWarning(UserWarning):
    """A compiled function runs as it is written, and why."""


def compile(function: Any = None, *, check_every: int | None = 1000) -> Any:
    """A function, or a whole training step, traced once and then run without Python's share of the work.

    The first call with arguments of a kind (shapes, dtypes, modes, other arguments by value) runs the function as it is
    and notes each call of NumPy's. Later calls make those alone, into buffers that are used again: no graph is built,
    no step is looked up. The numbers are the same, bit for bit, and so are random draws.

    Parameters
    ----------
    function : callable
        Takes arrays, Variables, links and other objects. It may compute gradients, and update parameters by an
        optimizer.
    check_every : int or None
        The first run of a program and every so many calls it is compared with the function itself; None: never.

    Returns
    -------
    Compiled
        Called as the function is. ``.function`` is the function itself, ``.report()`` says what was compiled.

    Warns
    -----
    CompileWarning
        Once, with the user's line, if something cannot be traced: a number that leaves it for Python, output, foreign
        code, state that the function changes. It then runs as it is written.

    Examples
    --------
    >>> import numpy as np
    >>> import autolab
    >>> from autolab import functions as F, links as L, optimizers
    >>> model = L.Linear(2, 1, initialW=1.0)
    >>> optimizer = optimizers.SGD(lr=0.1).setup(model)
    >>> @autolab.compile
    ... def step(x, t):
    ...     model.cleargrads()
    ...     loss = F.mean_squared_error(model(x), t)
    ...     loss.backward()
    ...     optimizer.update()
    ...     return loss
    >>> x, t = np.ones((4, 2), np.float32), np.zeros((4, 1), np.float32)
    >>> [round(float(step(x, t).data), 4) for _ in range(3)]
    [4.0, 0.64, 0.1024]
    """
    if function is None:
        return lambda fn: compile(fn, check_every=check_every)
    return Compiled(function, check_every)


class Compiled:
    """A compiled function; see `compile`."""

    def __init__(self, function: Callable[..., Any], check_every: int | None = 1000) -> None:
        if not callable(function):
            raise TypeError(f"compile: got {a_kind(function)}; expected a function")
        if check_every is not None and (type(check_every) is not int or check_every < 1):
            raise ValueError(f"compile: check_every is {check_every!r:.60}; expected a positive integer or None")
        self.function, self.check_every = function, check_every
        self._programs: dict[Hashable, list[CompiledProgram]] = {}
        self._refused: dict[Hashable, Refusal] = {}
        self._warned = False
        self._last: CompiledProgram | None = None
        self._put_off = 0
        update_wrapper(self, function, updated=())

    def __repr__(self) -> str:
        return f"<compiled {getattr(self.function, '__name__', 'function')}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "function" not in vars(self):
            raise AttributeError(name)
        return getattr(self.function, name)  # a compiled link has its parameters

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        held = instance.__dict__.setdefault("_compiled", {})
        if self not in held:
            held[self] = Compiled(self.function.__get__(instance, owner), self.check_every)
        return held[self]

    def __call__(self, *args: Any, **options: Any) -> Any:
        if (
            _errors_are_awaited()
            or listeners
            or watched_nodes
            or retained
            or leaf_hooks
            or (watchers and modes().hooks)
        ):
            return self.function(*args, **options)
        program = self._last
        if program is not None:
            leaves = program.takes(args, options)
            if leaves is not None and program.fits():
                return program(self, leaves, args, options)
        try:
            signature = Signature(args, options)
            programs = self._programs.setdefault(signature.key, [])
        except TypeError:
            return self.function(*args, **options)
        if signature.key in self._refused:
            return self.function(*args, **options)
        for program in programs:
            if program.fits():
                self._last = None if signature.has_twins else program
                return program(self, signature.leaves, args, options)
        return self._first(signature, programs, args, options)

    def _first(self, signature: Signature, programs: list[CompiledProgram], args: Any, options: Any) -> Any:
        key = signature.key
        if len(programs) >= _MOST_PROGRAMS or len(self._programs) > 8 * _MOST_PROGRAMS:
            self._refuse(
                key, Refusal("there are too many kinds of calls: arguments or what stands around it change", None)
            )
            return self.function(*args, **options)
        if not _tracing.acquire(False):  # another thread's function, or the one that calls this one
            return self.function(*args, **options)
        try:
            takes = taker(args, options)
            traced = trace(self.function, signature.leaves, signature.objects, args, options)
        finally:
            _tracing.release()
        if traced.refusal is not None:
            self._refuse(key, traced.refusal)
        elif traced.state is not None:
            programs.append(CompiledProgram(key, traced, signature.objects, takes))
        else:
            self._put_off += 1
            if self._put_off > _MOST_PROGRAMS:
                self._refuse(key, Refusal("an object around it gets another attribute at each call", None))
        return traced.result

    def _refuse(self, key: Hashable, refusal: Refusal) -> None:
        self._last = None
        self._programs.pop(key, None)
        if len(self._refused) < 64 * _MOST_PROGRAMS:
            self._refused[key] = refusal
        if not self._warned:
            self._warned = True
            name = getattr(self.function, "__name__", "the function")
            text = f"compile: {name} runs as it is written: {refusal.what}"
            if refusal.frame is None:
                warnings.warn(text, CompileWarning, stacklevel=4)
            else:
                warnings.warn_explicit(text, CompileWarning, *refusal.frame)

    def report(self) -> CompileReport:
        """What became of each call of NumPy's, and how long calls take; a notebook shows it as a table.

        Returns
        -------
        CompileReport
            The program with the most calls comes first.
        """
        name = getattr(self.function, "__name__", "function")
        programs = sorted(self.programs, key=lambda program: -program.calls)
        return CompileReport(name, [table_of(program) for program in programs], self.refusals)

    @property
    def refusals(self) -> list[str]:
        """Why calls are not compiled, one sentence for each kind of call."""
        return [refusal.what for refusal in self._refused.values()]

    @property
    def programs(self) -> list[CompiledProgram]:
        """The programs, in the order in which they were made."""
        return [program for found in self._programs.values() for program in found]


class CompiledProgram:
    """A traced function for one kind of calls.

    Attributes
    ----------
    traced : Traced
    forward : Executable
    backward : Executable or None
        What computes the gradients of what the function returned, if they may be asked for.
    calls : int
        How often it was run.
    seconds : float
        How long the shortest run took.
    """

    def __init__(self, key: Hashable, traced: Traced, objects: list[Any], takes: Any) -> None:
        self.key, self.traced, self.calls = key, traced, 0
        self.takes, self.seconds = takes, math.inf
        self.fits = traced.guard()
        self._held = objects  # their ids are in the key
        self._busy, self._pulling = Lock(), Lock()
        self._low = Lowered(traced.tape, named(traced.told, traced.effects, traced.tape.steps))
        self.forward, self.backward = self._forward(), self._backward()
        self._shared = self._sharing()
        self._near = list(dict.fromkeys([place for a, b, _ in self._shared for place in (a, b)]))
        self._are_apart = not any([is_so for _, _, is_so in self._shared])

    def _sharing(self) -> list[tuple[StatePlace, StatePlace, bool]]:
        """Of what is given and written to: which other arrays share its memory."""
        low, sources = self._low, self.traced.tape.sources
        values = self.traced.tape.values
        return [
            (where, other, np.may_share_memory(values[slot], values[also]))
            for slot, where in sources.items()
            if where is not None and low.memory[slot] in low.written
            for also, other in sources.items()
            if other is not None and also != slot
        ]

    def _is_shared_alike(self, leaves: list[Any]) -> bool:
        """Whether arrays that share memory did so when the function was traced, and those alone."""
        if self._are_apart:
            owners = [memory(place.now(leaves)) for place in self._near]
            if not any([owner.base is not None for owner in owners]):
                return len({id(owner) for owner in owners}) == len(owners)
        return all([np.may_share_memory(a.now(leaves), b.now(leaves)) is so for a, b, so in self._shared])

    def _forward(self, dry: bool = False) -> Executable:
        traced, low = self.traced, self._low.copy()
        steps = [step for step in low.steps if not step.is_backward]
        saved = [] if dry else [Out(slot, False) for slot in self._saved]
        result = [traced.spec, saved] if traced.pulled else traced.spec
        return Executable(low, steps, traced.tape.sources, result, traced.effects, dry)

    @cached_property
    def _saved(self) -> list[int]:
        """The slots that forward leaves for backward."""
        low, traced = self._low, self.traced
        steps = [step for step in low.steps if step.is_backward]
        made = {slot for step in steps for _, slot in step.outs} | set(traced.starts)
        used = {low.slot(slot) for slot in slots_in([(step.args, step.options) for step in steps])}
        used |= {low.slot(out.slot) for out in traced.pulled}
        return sorted([slot for slot in used - made if slot not in low.static])

    def _backward(self) -> Executable | None:
        traced = self.traced
        if not traced.pulled:
            return None
        steps = [step for step in self._low.steps if step.is_backward]
        sources = {slot: StatePlace(Given(i), "self") for i, slot in enumerate([*traced.starts, *self._saved])}
        return Executable(self._low.copy(), steps, sources, list(traced.pulled))

    def __call__(self, owner: Compiled, leaves: list[Any], args: Any, options: Any) -> Any:
        if (self._shared and not self._is_shared_alike(leaves)) or not self._busy.acquire(False):
            return owner.function(*args, **options)
        try:
            every = owner.check_every
            if every is not None and self.calls % every == 0:
                self.calls += 1
                return self._checked(owner, leaves, args, options)
            self.calls += 1
            before = modes().rng.bit_generator.state if self.forward.draws else None
            start = perf_counter()
            try:
                found = self.forward.run(leaves)
                self.seconds = min(self.seconds, perf_counter() - start)
            except Miss:
                pass
            except Exception:
                if self.traced.tape.is_final:
                    raise
            else:
                return found if self.backward is None else joined(self, owner.function, leaves, args, options, found)
            if before is not None:
                modes().rng.bit_generator.state = before
        finally:
            self._busy.release()
        return owner.function(*args, **options)

    def pull(self, starts: list[Any], saved: list[Any]) -> list[np.ndarray]:
        """The gradients, given those of the results and what forward has left."""
        assert self.backward is not None
        with self._pulling:
            found: list[np.ndarray] = self.backward.run([*starts, *saved])
        return found

    def _alone(self, leaves: list[Any]) -> list[Any]:
        """What the program gives, up to the first update; where the result may be differentiated, gradients as well."""
        if self.backward is None:
            found: list[Any] = self._forward(dry=True).run(leaves)
            return found
        result, saved = self.forward.run(leaves)
        results = outs(self.traced.spec, result)
        return [*results, *self.pull([np.ones_like(y) for y in results], saved)]

    def _checked(self, owner: Compiled, leaves: list[Any], args: Any, options: Any) -> Any:
        """A call of the function itself, beside which the program is run without leaving anything behind."""
        before = modes().rng.bit_generator.state if self.forward.draws else None
        try:
            found = self._alone(leaves)
        except Exception:
            found = None
        if before is not None:
            modes().rng.bit_generator.state = before
        result, expected = self.traced.observed(owner.function, leaves, args, options)
        if found is not None and (expected is None or not _equal(found, expected)):
            owner._refuse(self.key, Refusal("its program gives other bits than it does itself", None))
        return result


try:  # the object that NumPy asks itself: a hundredth of the time of geterr
    from numpy._core.umath import _extobj_contextvar

    _float_setting: Callable[[], Any] = _extobj_contextvar.get
except ImportError:
    _float_setting = float_setting
_known: tuple[Any, Any, Any, bool] = (None, None, None, False)


def _errors_are_awaited() -> bool:
    """`are_awaited`, asked again only when what is done about floating-point errors has changed."""
    global _known
    how, held = _float_setting(), warnings.filters
    first = held[0] if held else None
    if how != _known[0] or held is not _known[1] or first is not _known[2]:
        _known = how, held, first, are_awaited()
    return _known[3]


def _equal(found: list[Any], expected: list[Any]) -> bool:
    return len(found) == len(expected) and all(
        [
            a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()
            for a, b in zip(map(np.asarray, found), map(np.asarray, expected), strict=True)
        ]
    )
