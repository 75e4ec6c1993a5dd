"""Settings: attributes that are checked when they are assigned, also under the names of other libraries.

What an optimizer or a hook is constructed with and what is assigned later go the same way, so that both mean the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

from ..engine import check_number
from ..engine.argument_checks import CheckedArguments, in_own_words
from ..engine.errors import LIMIT
from ..engine.habits import instead

Check = Callable[[str, str, Any], Any]
"""Takes the name of the class, that of the setting, and a value; returns the value to keep, or raises."""

_WORDS = """
    lr learning_rate alpha eps epsilon beta1 beta2 betas beta_1 beta_2 rho momentum nesterov dampening weight_decay
    weight_decay_rate maximize amsgrad centered lr_decay initial_accumulator_value decay decay_rate eta rate threshold
    max_norm clipnorm clipvalue global_clipnorm foreach fused capturable differentiable decoupled_weight_decay
    momentum_decay lambd t0
"""
WORDS = frozenset(_WORDS.split())
"""What settings of optimizers and hooks are called, here or in another library."""


def from_to(low: float, high: float | None = None) -> Check:
    """A check for a number of at least ``low`` and at most ``high``."""

    def check(who: str, name: str, value: Any) -> float:
        return check_number(who, name, value, low) if high is None else check_number(who, name, value, low, high)

    return check


def below_1(who: str, name: str, value: Any) -> float:
    """Check a decay rate of Adam's averages: with 1 they would remain 0, and be divided by 0."""
    if check_number(who, name, value, 0) >= 1:
        raise ValueError(f"{who}: {name} is {value!r:.60}; expected a number of at least 0 and below 1")
    return float(value)


def truth(who: str, name: str, value: Any) -> bool:
    """Check that a setting is True or False."""
    if value is not True and value is not False:
        raise TypeError(f"{who}: {name} is {value!r:.60}; expected True or False")
    return bool(value)


def one_of(*choices: str) -> Check:
    """A check for one of these words."""

    def check(who: str, name: str, value: Any) -> Any:
        if value not in choices:
            raise ValueError(f"{who}: {name} is {value!r:.60}; expected {' or '.join(map(repr, choices))}")
        return value

    return check


def at_least(low: float) -> Check:
    """A check for a number of at least ``low``, which stays what it is: a whole number remains one."""

    def check(who: str, name: str, value: Any) -> Any:
        check_number(who, name, value, low)
        return value

    return check


class Settings(CheckedArguments):
    """Base of what has settings: assigning one checks it, and a word of another library means its own or raises."""

    checks: ClassVar[dict[str, Check]] = {}
    """The check of each setting."""

    @classmethod
    def setting_names(cls) -> tuple[str, ...]:
        """The names of the settings."""
        return tuple(cls.checks)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in WORDS and name not in self.setting_names():
            object.__setattr__(self, name, value)
        else:
            self._set_of_all(name)
            self._set(name, value)

    def _set_of_all(self, name: str) -> None:
        """Raise if the setting cannot be assigned for all parameters at once."""

    def _set(self, name: str, value: Any) -> None:
        """Assign a setting, which may have the name that another library gives it."""
        cls = type(self)
        own = cls.setting_names()
        if name in own or name in cls.checks:
            object.__setattr__(self, name, self._checked(name, value))
            return
        is_ours = cls.__module__.startswith(__name__.partition(".")[0] + ".")
        if not is_ours and name not in ("learning_rate", "betas"):  # a user's class calls its attributes as it likes
            return object.__setattr__(self, name, value)
        meant = in_own_words(cls.__name__, own, {name: value})
        if not meant or not all([one in own for one in meant]):
            raise AttributeError(no_setting(cls.__name__, name, own))
        for one, part in meant.items():
            self._set(one, part)

    def _checked(self, name: str, value: Any) -> Any:
        check = self.checks.get(name)
        return value if check is None else check(type(self).__name__, name, value)


class Word:
    """The value of the settings that a word of another library stands for, as an attribute."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        found = [] if instance is None else [*read_as(owner, self._name)]
        if not found:
            raise AttributeError(f"{owner.__name__!r} object has no attribute {self._name!r}")
        values = tuple([getattr(instance, one) for one in found])
        return values if self._name == "betas" else values[0]


def read_as(cls: type[Settings], name: str) -> Iterator[str]:
    """The settings that a word of another library stands for; none if it is no such word."""
    own = cls.setting_names()
    if name in WORDS and name not in own:
        yield from [one for one in in_own_words(cls.__name__, own, {name: (0, 0)}) if one in own]


def no_setting(who: str, name: str, own: tuple[str, ...]) -> str:
    """The message about a setting that there is not."""
    return f"{who} has no setting {name!r:.60}; expected {', '.join(own) or 'none'}{instead('keywords', name)}"[:LIMIT]
