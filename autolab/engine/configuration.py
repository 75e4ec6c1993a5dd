"""The user interface of the modes: `config`, `no_grad` and the like."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from types import TracebackType
from typing import Any, Generic, TypeVar, overload

import numpy as np

from .habits import instead
from .left_open import modes_with, opened_in
from .modes import Modes, current, defaults, modes, overrides

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
