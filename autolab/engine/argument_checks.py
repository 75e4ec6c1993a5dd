"""Checks the arguments of a class or a call, with clearer errors than Python's own."""

from __future__ import annotations

import copyreg
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Self

from .complaints import LIMIT
from .keyword_aliases import unknown_keyword


class CheckedArguments:
    """The base of classes whose arguments are checked, under their own names, before ``__init__`` runs.

    Examples
    --------
    >>> class Decay(CheckedArguments):
    ...     def __init__(self, rate):
    ...         self.rate = rate
    >>> Decay()
    Traceback (most recent call last):
    TypeError: Decay: rate is missing; expected Decay(rate)
    """

    def __new__(cls, *args: Any, **settings: Any) -> Self:
        check_arguments(cls, args, settings)
        return super().__new__(cls)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Copies are made without arguments, so they bypass ``__new__``, which would require them."""
        made = super().__reduce_ex__(protocol)
        if isinstance(made, str) or made[0] is not copyreg.__newobj__:  # type: ignore[attr-defined]
            return made
        return (blank, made[1][:1], *made[2:])


def blank(cls: type) -> Any:
    """An object of a class before its ``__init__``."""
    return object.__new__(cls)


def check_arguments(cls: type, args: tuple[Any, ...], settings: dict[str, Any]) -> None:
    """Raise a TypeError that names the class if its ``__init__`` does not take these arguments.

    Examples
    --------
    >>> from autolab import links as L
    >>> L.Embedding(8)
    Traceback (most recent call last):
    TypeError: Embedding: size is missing; expected Embedding(rows, size)
    """
    made: Any = cls
    parameters = list(inspect.signature(made.__init__).parameters.values())[1:]
    settings = getattr(made.__init__, "in_own_words", dict)(settings)
    if wrong := _wrong(cls.__name__, parameters, args, settings) or _no_switch(made, parameters, args, settings):
        raise TypeError(f"{cls.__name__}: {wrong}"[:LIMIT])


def _no_switch(
    cls: Any, parameters: Sequence[inspect.Parameter], args: tuple[Any, ...], settings: dict[str, Any]
) -> str | None:
    """What is wrong with a switch of one of AutoLab's own classes: a number in its place is meant for something else,
    as the 2 of ``SelfAttention(8, 2)``."""
    if not (cls.__init__.__module__ or "").startswith("autolab."):
        return None
    given = inspect.Signature(parameters).bind(*args, **settings).arguments
    names = ", ".join([p.name for p in parameters])
    for p in parameters:
        value = given.get(p.name, True)
        if isinstance(p.default, bool) and not isinstance(value, bool) and type(value).__name__ != "bool":
            return f"{p.name} is {value!r:.40}; expected True or False. The order is ({names})"
    return None


def check_call(
    name: str, method: Callable[..., Any], error: TypeError, args: tuple[Any, ...], given: dict[str, Any]
) -> None:
    """If ``error`` was raised before a method was entered, raise one that names its object and the argument.

    Examples
    --------
    >>> from autolab import links as L
    >>> L.Linear(3, 2)()
    Traceback (most recent call last):
    TypeError: Linear: x is missing; expected a call with (x)
    """
    if error.__traceback__ is None or error.__traceback__.tb_next is not None:
        return
    parameters = list(inspect.signature(method).parameters.values())
    if wrong := _wrong("a call with ", parameters, args, given):
        raise TypeError(f"{name}: {wrong}"[:LIMIT]) from None


def _wrong(
    called: str, parameters: Sequence[inspect.Parameter], args: tuple[Any, ...], settings: dict[str, Any]
) -> str | None:
    """What is wrong with arguments, in words; None if they fit."""
    try:
        inspect.Signature(parameters).bind(*args, **settings)
    except TypeError as raised:
        error = str(raised)
    else:
        return None
    names = [p.name for p in parameters]
    takes_any = any([p.kind is p.VAR_KEYWORD for p in parameters])
    for name in settings:
        if name not in names and not takes_any:
            return unknown_keyword("", name, names)[2:]
    needed = [p.name for p in parameters if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD]
    name = error.partition("'")[2].partition("'")[0]
    if "missing" in error:
        return f"{name} is missing; expected {called}({', '.join(needed)})"
    if "multiple" in error:
        return f"{name} was given twice"
    return f"got too many arguments; expected at most {len(names)}: {', '.join(names) or 'none'}"
