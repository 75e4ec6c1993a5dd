"""compile: the decorator, its programs for each signature, and the checks that keep it correct."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Hashable
from functools import update_wrapper
from threading import Lock
from typing import Any

from ...engine import a_kind, takes_other_words
from ...engine.backward import watched_nodes
from ...engine.modes import listeners, modes, watchers
from ...engine.store import gradient_hooks, retained
from ...engine.undisturbed import are_awaited, float_setting, is_undisturbed
from ...engine.undisturbed import blocks as undisturbed_blocks
from ..gradients import for_solver
from .call_kinds import Signature, taker
from .call_tape import Refusal
from .compiled_program import CompiledProgram
from .report import CompileReport, table_of
from .traced_run import trace
from .walk import read_by

_MOST_PROGRAMS = 16
Taker = Callable[[Any, Any], Any]
"""A test for a kind of call: see `taker`."""

_tracing = Lock()
"""Held while a function is traced, because its parameters then contain recorded arrays."""


class CompileWarning(UserWarning):
    """Says that a compiled function runs uncompiled, and why."""


@takes_other_words
def compile(function: Any = None, *, check_every: int | None = 1000) -> Any:
    """Compile a function, or a whole training step: trace it once, then run it without the overhead of Python.

    The first call with arguments of a given kind (shapes, dtypes, modes; other arguments by value) runs the function
    itself and records each NumPy call. Later calls make only these, with results in reused buffers: no graph is built.
    The results are the same, bit for bit, and so are random draws.

    Parameters
    ----------
    function : callable
        Takes arrays, Variables, links and other objects. It may compute gradients and update parameters with an
        optimizer.
    check_every : int or None
        A program is compared with the function itself at its first run and then every ``check_every`` calls; None:
        never.

    Returns
    -------
    Compiled
        Called like the function. ``.function`` is the function itself, ``.report()`` says what was compiled.

    Warns
    -----
    CompileWarning
        Once, with the user's line, if something cannot be traced: a number taken out of an array, output, foreign code,
        or state that the function changes. The function then runs uncompiled.

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
    kind = _CompiledTransform if getattr(function, "of_transforms", None) is True else Compiled
    return kind(function, check_every)


class Compiled:
    """A compiled function; see `compile`."""

    def __init__(self, function: Callable[..., Any], check_every: int | None = 1000) -> None:
        if not callable(function):
            raise TypeError(f"compile: got {a_kind(function)}; expected a function")
        if check_every is not None and (type(check_every) is not int or check_every < 1):
            raise ValueError(f"compile: check_every is {check_every!r:.60}; expected a positive integer or None")
        self.function, self.check_every = function, check_every
        self._programs: dict[Hashable, list[CompiledProgram]] = {}
        self._refused: dict[Hashable, tuple[Refusal, Taker]] = {}
        self._warned = False
        self._last: CompiledProgram | None = None
        self._is_refused: Taker | None = None  # a quick test for the kind of the last call, if that was refused
        self._put_off = 0
        update_wrapper(self, function, updated=())

    def __repr__(self) -> str:
        return f"<compiled {getattr(self.function, '__name__', 'function')}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or "function" not in vars(self):
            raise AttributeError(name)
        return getattr(self.function, name)  # such as the parameters of a compiled link

    def __get__(self, instance: Any, owner: type) -> Any:
        if instance is None:
            return self
        held = instance.__dict__.get("_compiled")
        if held is None or getattr(held, "of", None) is not instance:
            held = instance.__dict__["_compiled"] = _Methods(instance)
        if self not in held:
            held[self] = type(self)(self.function.__get__(instance, owner), self.check_every)
        return held[self]

    def __reduce__(self) -> Any:  # a copy starts without programs: these belong to the original
        return type(self), (self.function, self.check_every)

    def __call__(self, *args: Any, **options: Any) -> Any:
        if (is_refused := self._is_refused) is not None and is_refused(args, options) is not None:
            return self.function(*args, **options)
        if (
            _errors_are_awaited()
            or listeners
            or watched_nodes
            or retained
            or gradient_hooks
            or (undisturbed_blocks and is_undisturbed())
            or (watchers and modes().hooks)
        ):
            return self.function(*args, **options)
        program = self._last
        if program is not None:
            leaves = program.takes(args, options)
            if leaves is not None and program.fits(leaves):
                return program(self, leaves, args, options)
        try:
            signature = Signature(args, options)
            programs = self._programs.setdefault(signature.key, [])
        except TypeError:
            return self.function(*args, **options)
        if signature.key in self._refused:
            self._last, self._is_refused = None, self._refused[signature.key][1]
            return self.function(*args, **options)
        for program in programs:
            if program.fits(signature.leaves):
                self._last, self._is_refused = None if signature.has_twins else program, None
                return program(self, signature.leaves, args, options)
        return self._first(signature, programs, args, options)

    def _first(self, signature: Signature, programs: list[CompiledProgram], args: Any, options: Any) -> Any:
        key = signature.key
        if len(programs) >= _MOST_PROGRAMS or len(self._programs) > 8 * _MOST_PROGRAMS:
            too_many = Refusal("there are too many kinds of calls: arguments or its surroundings change")
            self.refuse(key, taker(args, options), too_many)
            return self.function(*args, **options)
        if not _tracing.acquire(False):  # another thread's function, or the one that calls this one
            return self.function(*args, **options)
        try:
            takes = taker(args, options)
            traced = trace(self.function, signature.leaves, signature.objects, args, options)
        finally:
            _tracing.release()
        if traced.tape.refusal is not None:
            self.refuse(key, takes, traced.tape.refusal)
        elif traced.state is not None:
            around = read_by(traced.tape.ran, traced.found, self.function, signature.objects)
            programs.append(CompiledProgram(key, traced, around, signature, takes))
        else:
            self._put_off += 1
            if self._put_off > _MOST_PROGRAMS:
                self.refuse(key, takes, Refusal("an object around it gets a new attribute at each call"))
        return traced.result

    def refuse(self, key: Hashable, takes: Taker, refusal: Refusal) -> None:
        self._last = None
        self._programs.pop(key, None)
        self._is_refused = takes
        if len(self._refused) < 64 * _MOST_PROGRAMS:
            self._refused[key] = refusal, takes
        if len(self._refused) >= (64 if any(self._programs.values()) else 1) * _MOST_PROGRAMS:
            self._is_refused = _all  # whatever the arguments are
        if not self._warned:
            self._warned = True
            name = getattr(self.function, "__name__", "the function")
            text = f"compile: {name} runs as it is written: {refusal.what}"
            if refusal.frame is None:
                warnings.warn(text, CompileWarning, stacklevel=4)
            else:
                warnings.warn_explicit(text, CompileWarning, *refusal.frame)

    def report(self) -> CompileReport:
        """What became of each NumPy call, and how long calls take; a notebook shows it as a table.

        Returns
        -------
        CompileReport
            With the most frequently called program first.
        """
        name = getattr(self.function, "__name__", "function")
        programs = sorted(self.programs, key=lambda program: -program.calls)
        return CompileReport(name, [table_of(program) for program in programs], [*self.refusals, *_awaited()])

    @property
    def refusals(self) -> list[str]:
        """Why calls are not compiled, one sentence for each kind of call."""
        return [refusal.what for refusal, _ in self._refused.values()]

    @property
    def programs(self) -> list[CompiledProgram]:
        """The programs, in the order in which they were made."""
        return [program for found in self._programs.values() for program in found]


class _CompiledTransform(Compiled):
    """A compiled `grad(f)` or the like: a solver gets plain arrays from it, too."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        found = super().__call__(*args, **options)
        return for_solver(found, sys._getframe(1))


def _all(args: Any, options: Any) -> Any:
    """Every call."""
    return ()


class _Methods(dict[Compiled, Compiled]):
    """The compiled methods of an object. A copy of the object makes its own, because these run on the original."""

    def __init__(self, of: Any) -> None:
        self.of = of

    def __reduce__(self) -> Any:
        return dict, ()


try:  # the object that NumPy itself reads: takes a hundredth of the time of geterr
    from numpy._core.umath import _extobj_contextvar

    _float_setting: Callable[[], Any] = _extobj_contextvar.get
except ImportError:
    _float_setting = float_setting
_known: tuple[Any, Any, Any, bool] = (None, None, None, False)


def _awaited() -> list[str]:
    """Why all compiled functions currently run uncompiled."""
    reasons = {
        "floating-point errors are reported": _errors_are_awaited(),
        "something listens to steps or backward passes": listeners or (watchers and modes().hooks),
        "check_inplace watches a graph": watched_nodes,
        "a Variable keeps its gradient, see retain_grad": retained,
        "the gradient of a value has a hook": gradient_hooks,
        "a tool looks at a function, which must change nothing": is_undisturbed(),
    }
    return [f"at this moment {why}" for why, holds in reasons.items() if holds]


def _errors_are_awaited() -> bool:
    """`are_awaited`, evaluated again only when the handling of floating-point errors has changed."""
    global _known
    how, held = _float_setting(), warnings.filters
    first = held[0] if held else None
    if how != _known[0] or held is not _known[1] or first is not _known[2]:
        _known = how, held, first, are_awaited()
    return _known[3]
