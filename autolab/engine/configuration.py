"""The user interface of the modes: `config`, `no_grad` and the like.

A ``no_grad`` that is open at a ``yield``: it also applies to the steps of the code that asked for the value.

Python gives generators no context of their own, so the block stays open while its generator waits. In a context manager
that is intended. In a loop over the values it hardly ever is, and the loop's steps would silently be left out of the
graph. So a block remembers the generator that opened it, and the frame that had asked for a value: if that frame is
still running and takes a step that is not recorded for this reason alone, it gets a warning, once per block. If the
generator is a context manager, the frame that asked has returned by then. Frames are identified by their addresses,
because a reference would keep their variables alive.

named_scope(): names the steps inside a ``with`` block, so that a graph can fold them into one box.

It costs next to nothing without observers: nothing is recorded then.
"""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from functools import wraps
from types import CodeType, FrameType, TracebackType
from typing import Any, Generic, TypeVar, overload

import numpy as np

from .errors import a_kind
from .habits import instead
from .modes import Modes, current, defaults, modes, overrides, watchers
from .reach import ModesOfForward
from .source import caller, file_label, warn_of
from .tracebacks import PACKAGE

_YIELDS = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
_BETWEEN = (PACKAGE, contextlib.__file__)
"""Files of frames that may lie between a ``with`` statement or an exit stack and the block that it opens."""


class OpenedBlock:
    """Where a generator opened a block: the address of its frame, and address and code of the frame that asked it for a
    value, because another frame may have the address later."""

    def __init__(self, generator: int, asker: tuple[int, CodeType], code: CodeType, line: int) -> None:
        self.generator, self.asker, self.code, self.line, self.is_told = generator, asker, code, line, False

    def is_waiting(self) -> bool:
        """Whether the current step belongs to the frame that asked, while the generator waits."""
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            if id(frame) == self.generator:
                return False
            if (id(frame), frame.f_code) == self.asker:
                return True
            frame = frame.f_back
        return self.asker[1].co_name == "<module>"  # a cell: the block stays open in all later cells


def opened_in(frame: FrameType | None) -> OpenedBlock | None:
    """The opened block, if ``frame`` belongs to a generator that is not run as a context manager."""
    if frame is None:
        return None
    if not frame.f_code.co_flags & _YIELDS:
        is_between = frame.f_code.co_filename.startswith(_BETWEEN)
        return opened_in(frame.f_back) if is_between else None
    asker = frame.f_back
    while asker is not None and asker.f_code.co_flags & _YIELDS:
        asker = asker.f_back
    if asker is None or asker.f_code.co_filename == contextlib.__file__:
        return opened_in(asker)
    return OpenedBlock(id(frame), (id(asker), asker.f_code), frame.f_code, frame.f_lineno)


class ModesOfGenerator(Modes):
    """The modes inside a block that a generator opened; a step that is not recorded may cause a warning."""

    opened: OpenedBlock

    @property
    def enable_backprop(self) -> bool:  # type: ignore[override]
        if not (self.recording or self.opened.is_told) and self._is_left_open():
            self.opened.is_told = True
            if (frame := caller()) is not None:
                warn_of(frame, self._said(), UserWarning)
        return self.recording

    def joins(self, args: Iterable[Any]) -> bool:
        return not any([getattr(x, "node", None) is not None for x in args]) or self.enable_backprop

    def _is_left_open(self) -> bool:
        """Whether this step would be recorded if no generator had left a block open."""
        level: Modes | None = self
        while level is not None and not level.recording:
            opened = level.__dict__.get("opened")
            if opened is None or not opened.is_waiting():
                return False
            level = level.before
        return True

    def _said(self) -> str:
        code, line = self.opened.code, self.opened.line
        return (
            f"this step is not recorded, as the generator {code.co_name:.40} waits at a yield inside its no_grad "
            f"({file_label(code.co_filename):.60}, line {line}); leave the block before the yield, or write `with "
            "no_grad():` around this step if that is meant"
        )


def unheard(inside: Modes) -> Modes:
    """The same modes without hooks, in the same block. `notify` needs them at every step, so they are cached."""
    inside.unheard = found = modes_with({**inside.__dict__, "hooks": ()})
    return found


def modes_with(own: dict[str, Any]) -> Modes:
    """The modes with the given settings of a context."""
    if own.get("noticed") is not None:
        return ModesOfForward(own)
    return (Modes if own.get("opened") is None else ModesOfGenerator)(own)


# A context manager as a decorator: each call of the function runs inside its own block.


def inside(block: Callable[[], AbstractContextManager[Any]], function: Callable[..., Any], name: str) -> Any:
    """``function``, with each call inside its own ``block()``.

    Raises
    ------
    TypeError
        If it is not a function, or is a generator function: its steps run wherever the next value is requested.
    """
    if not callable(function):
        raise TypeError(f"{name}: got {function!r:.60}; expected a function to decorate, or nothing")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(
            f"{name}: {function.__name__} is a generator: the block would be left between its values; write "
            f"`with {name}():` inside it"
        )
    if inspect.iscoroutinefunction(function):

        @wraps(function)
        async def awaited(*args: Any, **keywords: Any) -> Any:
            with block():
                return await function(*args, **keywords)

        return awaited

    @wraps(function)
    def called(*args: Any, **keywords: Any) -> Any:
        with block():
            return function(*args, **keywords)

    return called


Value = TypeVar("Value")
F = TypeVar("F", bound=Callable[..., Any])


class Block:
    """A ``with`` block that sets one mode of this context and restores it, also after an exception.

    An interrupt on entry or exit does not leave it open, unless it hits the very first instructions of ``__exit__``;
    leaving an enclosing block then leaves it as well.
    """

    name: str

    def value(self) -> Any:
        """The value that the mode is set to."""
        raise NotImplementedError

    def __enter__(self) -> None:
        before = modes()
        try:
            own = {**before.__dict__, self.name: self.value(), "block": self, "before": before}
            if self.name == "enable_backprop":
                own["noticed"] = None
                own["opened"] = None if own[self.name] else opened_in(sys._getframe(1))
            current.set(modes_with(own))
            return
        except BaseException:
            current.set(before)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        inside = None
        try:
            inside = modes()
            current.set(_outside(self, inside))
        except BaseException:  # an interrupt on exit
            current.set(_outside(self, inside or modes()))
            raise


class ForwardBlock(Block):
    """The block of a forward that runs without graph and listeners; ``noticed`` is told what it uses from outside.

    Parameters
    ----------
    noticed : callable or None
        Takes a Variable that has a history, and so is no argument. Blocks that the forward itself opens end this.
    """

    def __init__(self, noticed: Callable[[Any], None] | None) -> None:
        self._noticed = noticed

    def __enter__(self) -> None:
        before = modes()
        own = {"enable_backprop": False, "hooks": (), "noticed": self._noticed, "opened": None}
        current.set(modes_with({**before.__dict__, **own, "block": self, "before": before}))


class Silence(Block):
    """A block without listeners: to steps (``hooks``), or to values that leave the graph (``exits``)."""

    def __init__(self, name: str) -> None:
        self.name = name

    def value(self) -> tuple[Any, ...]:
        return ()


def _outside(block: Block, inside: Modes) -> Modes:
    """The modes after a block and all those opened inside it are left; the current ones if the block is not open.

    A generator may be closed in a different context from the one in which it was started.
    """
    level = inside
    while level.before is not None:
        if level.block is block:
            return level.before
        level = level.before
    return inside


class _Mode(Generic[Value]):
    """A mode as an attribute of `config`."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, owner: None, kind: type) -> _Mode[Value]: ...
    @overload
    def __get__(self, owner: Config, kind: type) -> Value: ...
    def __get__(self, owner: Config | None, kind: type) -> Any:
        if owner is None:
            return self
        return modes().recording if self._name == "enable_backprop" else getattr(modes(), self._name)

    def __set__(self, owner: Config, value: Value) -> None:
        _assign(self._name, _checked("config", self._name, value))

    def __delete__(self, owner: Config) -> None:
        if self._name not in modes().__dict__:
            raise AttributeError(f"config.{self._name} is not set here")
        _assign(self._name, unset=True)


class Config:
    """The modes of this context: of this thread, or of this task of asyncio.

    Assigning to a mode sets it for this context only; `global_config` sets the process default. A task starts with the
    modes of its creator, and so does what `asyncio.to_thread` runs; any other thread starts with the process default.
    A notebook cell that uses ``await`` is a separate task: the next cell does not see assignments made there.
    Generators, including ``async`` ones, have no context of their own: a block that is open at a ``yield`` also applies
    to the code that asked for the value. If a step in a loop over the values is not recorded for this reason, a warning
    names the generator.

    Attributes
    ----------
    enable_backprop : bool
        Whether functions record the graph. Default True.
    train : bool
        Whether dropout and batch normalization behave as in training. Default True.
    rng : numpy.random.Generator
        The generator of random functions that are not given ``rng=``. By default it shares its state with NumPy's own
        functions: ``numpy.random.seed(0)`` seeds both.

    Examples
    --------
    >>> import autolab
    >>> with autolab.using_config("train", False):
    ...     autolab.config.train
    False
    """

    enable_backprop = _Mode[bool]()
    train = _Mode[bool]()
    rng: _Mode[np.random.Generator] = _Mode()  # an annotation does not import numpy.random

    def __getattr__(self, name: str) -> Any:
        return _known("config", name)  # which is none

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(_known("config", name), value)


class GlobalConfig:
    """The process default of each mode, for contexts that have not set it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(defaults, _known("global_config", name))

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(Modes, name, _checked("global_config", name, value))
        if name == "enable_backprop":
            (overrides.discard if value else overrides.add)(name)


_NAMES = ("enable_backprop", "train", "rng")


def _known(owner: str, name: str) -> str:
    if name not in _NAMES:
        other = instead("keywords", name)
        raise AttributeError(f"{owner}: there is no mode {name!r}; the modes are {', '.join(_NAMES)}{other}")
    return name


def _checked(owner: str, name: str, value: Any) -> Any:
    kind = np.random.Generator if _known(owner, name) == "rng" else bool
    if not isinstance(value, kind):
        raise TypeError(f"{owner}.{name}: got {value!r:.60}; expected a {kind.__name__}")
    return value


def check_rng(who: str, rng: Any) -> Any:
    """Return ``rng`` if it is a generator or None; for anything else, such as a seed, raise an error naming ``who``."""
    if rng is not None and not isinstance(rng, np.random.Generator):
        raise TypeError(f"{who}: rng is {rng!r:.60}; expected a generator: numpy.random.default_rng(seed)")
    return rng


config = Config()


global_config = GlobalConfig()


def _assign(name: str, value: Any = None, unset: bool = False) -> None:
    """Set or unset a mode of this context. An assignment inside a block outlives the block, unless the block itself set
    the same mode."""
    levels = [modes()]
    while (level := levels[-1]).before is not None and level.block.name != name:
        levels.append(level.before)
    before = levels[-1].before
    for level in reversed(levels):
        own = {**level.__dict__, name: value, "before": before}
        if unset:
            del own[name]
        before = made = modes_with(own)
    current.set(made)


class using_config(Block):
    """Set a mode of this context inside a ``with`` block; afterwards it is restored, also after an exception.

    Parameters
    ----------
    name : str
        ``enable_backprop``, ``train`` or ``rng``.
    value
        The value inside the block.

    Examples
    --------
    >>> import autolab
    >>> with autolab.using_config("enable_backprop", False):
    ...     y = autolab.Variable(2.0) * 3
    >>> y.requires_grad
    False
    """

    def __init__(self, name: str, value: Any) -> None:
        self.name = _known("using_config", name)
        self._value = _checked("using_config", name, value)

    def value(self) -> Any:
        return self._value

    def __call__(self, function: F) -> F:
        """As a decorator: each call of ``function`` runs inside the block."""
        return inside(lambda: using_config(self.name, self._value), function, "using_config")


class FromNowOn:
    """Sets a mode of this context immediately, like an assignment; as a context manager, until the block ends."""

    def __init__(self, name: str, value: Any) -> None:
        self._name, self._value, self._before = name, value, getattr(modes(), name)
        self._set(value)

    def _set(self, value: Any) -> None:
        _assign(self._name, value, unset=value == getattr(defaults, self._name))  # unset modes cost nothing

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None:
        self._set(self._before)

    def __call__(self, function: F) -> F:
        """As a decorator: only inside each call of ``function``."""
        self._set(self._before)
        return inside(lambda: FromNowOn(self._name, self._value), function, self._name)


@overload
def no_grad() -> using_config: ...


@overload
def no_grad(function: F) -> F: ...


def no_grad(function: Any = None) -> Any:
    """Disable recording inside a ``with`` block: results have no creator, and no input is retained for backward.

    Also a decorator, with or without parentheses: nothing that the function computes is recorded.

    Examples
    --------
    >>> import autolab
    >>> with autolab.no_grad():
    ...     y = autolab.Variable(2.0) * 3
    >>> y.requires_grad
    False
    >>> @autolab.no_grad
    ... def predict(x):
    ...     return 3 * x
    >>> predict(autolab.Variable(2.0)).requires_grad
    False
    """
    return using_config("enable_backprop", False) if function is None else inside(no_grad, function, "no_grad")


def test_mode() -> using_config:
    """Switch dropout and batch normalization to test mode inside a ``with`` block: ``using_config("train", False)``.

    Examples
    --------
    >>> import autolab
    >>> with autolab.test_mode():
    ...     print(autolab.config.train)
    False
    """
    return using_config("train", False)


test_mode.__test__ = False  # type: ignore[attr-defined]  # pytest would collect it by its name


class Mark:
    """One entry of a scope: its label, and the frame and line that opened it.

    ``paths``: for the call of a link, the names of all links in it, by identity.
    """

    def __init__(self, label: str, frame: FrameType, line: int, paths: Mapping[int, str] | None = None) -> None:
        self.label, self.frame, self.line, self.paths = label, frame, line, paths


class named_scope(Block):
    """Give the steps inside a ``with`` block a name under which a recording keeps them together.

    Parameters
    ----------
    label : str
        The label of the box.

    Raises
    ------
    TypeError
        If ``label`` is not a string.

    Examples
    --------
    >>> import autolab
    >>> def program(x):
    ...     with autolab.named_scope("square"):
    ...         y = x * x
    ...     return y + 1
    >>> recording = autolab.record(program, x=3.0)
    >>> [(scope.kind, scope.label, scope.steps) for scope in recording.scopes]
    [('link', 'square', (1,))]
    """

    name = "marks"
    _paths: Mapping[int, str] | None = None

    def __init__(self, label: str) -> None:
        if not isinstance(label, str):
            raise TypeError(f"named_scope: label is {a_kind(label)}; expected a string")
        self._label = label

    def value(self) -> tuple[Mark, ...]:
        if not watchers:
            return modes().marks
        frame = _opener()
        return (*modes().marks, Mark(self._label, frame, frame.f_lineno, self._paths))


def _opener() -> FrameType:
    """The frame whose ``with`` statement, or exit stack, opens the scope."""
    frame = sys._getframe(3)  # above this function, `value` and `__enter__`
    while frame.f_code.co_filename == contextlib.__file__ and frame.f_back is not None:
        frame = frame.f_back
    return frame
