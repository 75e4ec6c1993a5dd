"""Modes: a process default, overridden per thread.

`overrides` holds one token for every block or assignment, in any thread, that may have switched recording off. While
it is empty, the hot path asks no further: reading a thread-local costs more than many a step. A token too many is
slow, never wrong. Adding and discarding one is a single C call, so an interrupt cannot leave a lock held.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import numpy as np

overrides: set[object] = set()


class Config(threading.local):
    """The modes of this thread. Assigning to one sets it for this thread alone; `global_config` sets the process
    default.

    Attributes
    ----------
    enable_backprop : bool
        Whether functions record the graph. Default True.
    train : bool
        Whether dropout and batch normalization behave as in training. Default True.
    rng : numpy.random.Generator
        What random functions draw from unless they are given ``rng=``.

    Examples
    --------
    >>> import autolab
    >>> with autolab.using_config("train", False):
    ...     autolab.config.train
    False
    """

    enable_backprop: bool = True
    train: bool = True
    rng: np.random.Generator
    hooks: tuple[Any, ...] = ()  # of observe()
    exits: tuple[Any, ...] = ()  # of watch_leaving()
    marks: tuple[Any, ...] = ()  # of scope()
    opened: list[_Open]  # the blocks that this thread is in

    def __init__(self) -> None:
        self.__dict__["opened"] = []

    def __getattr__(self, name: str) -> Any:
        _known("config", name)
        Config.rng = np.random.default_rng()  # on first use: importing numpy.random takes longer than importing autolab
        return Config.rng

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, _checked("config", name, value))
        if name == "enable_backprop":
            overrides.add(name)


class GlobalConfig:
    """The process default of every mode: what a thread sees that has not set it for itself."""

    def __getattr__(self, name: str) -> Any:
        _known("global_config", name)
        if not hasattr(Config, name):
            return Config.__getattr__(config, name)
        return getattr(Config, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(Config, name, _checked("global_config", name, value))
        if name == "enable_backprop":
            overrides.add(name)


_NAMES = ("enable_backprop", "train", "rng")


def _known(owner: str, name: str) -> str:
    if name not in _NAMES:
        raise AttributeError(f"{owner}: there is no mode {name!r}; the modes are {', '.join(_NAMES)}")
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


def recording() -> bool:
    """Whether a function applied now, in this thread, joins the graph."""
    return not overrides or config.enable_backprop


class Block:
    """A ``with`` block that sets one attribute of this thread's config and sets it back, also after an exception.

    An interrupt on the way in or out does not keep it open, unless it falls on the very first instruction of
    ``__exit__``; then leaving a block around it leaves it as well. ``tokens`` holds one object for
    every open block of its kind, in any thread.
    """

    name: str
    tokens: set[object] | None = None

    def value(self) -> Any:
        """What the attribute is set to."""
        raise NotImplementedError

    def __enter__(self) -> None:
        own = config.__dict__
        opened = _Open(self, self.name in own, own.get(self.name))
        try:
            config.opened.append(opened)
            if self.tokens is not None:
                self.tokens.add(opened)
            own[self.name] = self.value()
            return
        except BaseException:
            _leave(opened)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        opened = None
        try:
            opened = self._last_entry()
            _leave(opened)
        except BaseException:  # an interrupt on the way out
            _leave(opened or self._last_entry())
            raise

    def _last_entry(self) -> _Open | None:
        for opened in reversed(config.opened):
            if opened.block is self:
                return opened
        return None


@dataclass(eq=False, slots=True)
class _Open:
    """One entry of a block, and what it goes back to."""

    block: Block
    was_set: bool
    before: Any


def _leave(opened: _Open | None) -> None:
    """Leave a block and all that were opened in it. An entry is dropped last, so that an interrupt loses none."""
    own, stack = config.__dict__, config.opened
    while opened in stack:
        last = stack[-1]
        if last.was_set:
            own[last.block.name] = last.before
        else:
            own.pop(last.block.name, None)
        if last.block.tokens is not None:
            last.block.tokens.discard(last)
        stack.pop()


class using_config(Block):
    """Set a mode of this thread inside a ``with`` block; the former value returns, also after an exception.

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
        self.tokens = overrides if name == "enable_backprop" else None
        self._value = _checked("using_config", name, value)

    def value(self) -> Any:
        return self._value


def no_grad() -> using_config:
    """Record nothing inside a ``with`` block: results have no creator, and no input is kept for backward.

    Examples
    --------
    >>> import autolab
    >>> with autolab.no_grad():
    ...     y = autolab.Variable(2.0) * 3
    >>> y.requires_grad
    False
    """
    return using_config("enable_backprop", False)


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
