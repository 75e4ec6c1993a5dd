"""The modes as people set them: `config`, `no_grad` and the like."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import TracebackType
from typing import Any, Generic, TypeVar, overload

import numpy as np

from .decorating import inside
from .habits import instead
from .left_open import modes_with, opened_in
from .modes import Modes, current, defaults, modes, overrides

Value = TypeVar("Value")
F = TypeVar("F", bound=Callable[..., Any])


class Block:
    """A ``with`` block that sets one mode of this context and sets it back, also after an exception.

    An interrupt on the way in or out does not keep it open, unless it falls on the very first instructions of
    ``__exit__``; then leaving a block around it leaves it as well.
    """

    name: str

    def value(self) -> Any:
        """What the mode is set to."""
        raise NotImplementedError

    def __enter__(self) -> None:
        before = modes()
        try:
            own = {**before.__dict__, self.name: self.value(), "block": self, "before": before}
            if self.name == "enable_backprop":
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
        except BaseException:  # an interrupt on the way out
            current.set(_outside(self, inside or modes()))
            raise


class Silence(Block):
    """Nobody listens inside: to steps (``hooks``), or to what leaves the graph (``exits``)."""

    def __init__(self, name: str) -> None:
        self.name = name

    def value(self) -> tuple[Any, ...]:
        return ()


def _outside(block: Block, inside: Modes) -> Modes:
    """The modes once a block is left, with all that were opened in it; those that are, where the block is not open.

    A generator may be closed in another context than that in which it was begun.
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

    Assigning to one sets it for this context alone; `global_config` sets the process default. A task begins with the
    modes of its creator, and so does what `asyncio.to_thread` runs; any other thread with the process default. A
    notebook cell that uses ``await`` is a task of its own: the next cell does not see what is assigned there.
    Generators, ``async`` ones too, have no context of their own: a block that stands open at a ``yield`` holds for
    whoever asked for the value. Where a loop over the values takes a step that is not recorded for this reason, a
    warning names the generator.

    Attributes
    ----------
    enable_backprop : bool
        Whether functions record the graph. Default True.
    train : bool
        Whether dropout and batch normalization behave as in training. Default True.
    rng : numpy.random.Generator
        What random functions draw from unless they are given ``rng=``. By default it is where NumPy's own functions
        draw: ``numpy.random.seed(0)`` seeds both.

    Examples
    --------
    >>> import autolab
    >>> with autolab.using_config("train", False):
    ...     autolab.config.train
    False
    """

    enable_backprop = _Mode[bool]()
    train = _Mode[bool]()
    rng: _Mode[np.random.Generator] = _Mode()  # an annotation alone imports no numpy.random

    def __getattr__(self, name: str) -> Any:
        return _known("config", name)  # which is none

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(_known("config", name), value)


class GlobalConfig:
    """The process default of every mode: what a context sees that has not set it for itself."""

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
    """``rng`` itself, which is a generator or None; of anything else, such as a seed, ``who`` says what is expected."""
    if rng is not None and not isinstance(rng, np.random.Generator):
        raise TypeError(f"{who}: rng is {rng!r:.60}; expected a generator: numpy.random.default_rng(seed)")
    return rng


config = Config()


global_config = GlobalConfig()


def _assign(name: str, value: Any = None, unset: bool = False) -> None:
    """Set a mode of this context, or unset it. What is assigned in a block stays when the block is left, unless the
    block has set the same mode."""
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
    """Set a mode of this context inside a ``with`` block; the former value comes back, also after an exception.

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
    """A mode of this context that is set at once, as by an assignment; in a ``with`` block until its end."""

    def __init__(self, name: str, value: Any) -> None:
        self._name, self._value, self._before = name, value, getattr(modes(), name)
        self._set(value)

    def _set(self, value: Any) -> None:
        _assign(self._name, value, unset=value == getattr(defaults, self._name))  # what is unset costs nothing

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None:
        self._set(self._before)

    def __call__(self, function: F) -> F:
        """As a decorator: in each call of ``function`` alone."""
        self._set(self._before)
        return inside(lambda: FromNowOn(self._name, self._value), function, self._name)


@overload
def no_grad() -> using_config: ...


@overload
def no_grad(function: F) -> F: ...


def no_grad(function: Any = None) -> Any:
    """Record nothing inside a ``with`` block: results have no creator, and no input is kept for backward.

    Also a decorator, with and without brackets: nothing that the function computes is recorded.

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
    """Dropout and batch normalization behave as in testing inside a ``with`` block: ``using_config("train",
    False)``.

    Examples
    --------
    >>> import autolab
    >>> with autolab.test_mode():
    ...     print(autolab.config.train)
    False
    """
    return using_config("train", False)


test_mode.__test__ = False  # type: ignore[attr-defined]  # pytest would collect it by its name
