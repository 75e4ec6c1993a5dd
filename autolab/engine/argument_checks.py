"""Checks the arguments of a class or a call, with clearer errors than Python's own.

Keywords under the names of other libraries: ``dim=`` for ``axis=``, ``bias=False`` for ``nobias=True``.

They are only looked up if a function is given a keyword that it does not have.
"""

from __future__ import annotations

import copyreg
import inspect
from collections.abc import Callable, Container, Mapping, Sequence
from functools import cache, partial, wraps
from typing import Any, ParamSpec, Self, TypeVar

import numpy as np

from .errors import LIMIT
from .habit_tables import KEYWORDS, NEEDLESS, OTHER_FORMS
from .habits import at, instead

P = ParamSpec("P")
R = TypeVar("R")


def in_own_words(function: str, names: Container[str], given: Mapping[str, Any]) -> dict[str, Any]:
    """Rename keywords to the names that a function accepts; unknown ones are unchanged.

    Examples
    --------
    >>> in_own_words("softmax", ("x", "axis"), {"dim": 1})
    {'axis': 1}
    >>> in_own_words("Linear", ("in_size", "nobias"), {"bias": False})
    {'nobias': True}
    """
    found: dict[str, Any] = {}
    for name, value in given.items():
        if name not in names and _is_needless(name, value, names):
            continue
        kept = name in names or (name in ("dim", "keepdim") and function in OTHER_FORMS)
        own = name if kept else _meant(name, names, {**given, **found})
        if own == "nobias" != name:
            own, value = (own, not value) if isinstance(value, bool) else (name, value)
        if own in ("axis", "axes") and name != own and type(value) in (list, tuple):
            value = tuple(value) or (None if "keepdims" in names else ())  # an empty dim means all axes of a reduction
        if own == "beta1" != name:
            pair = isinstance(value, tuple | list) and len(value) == 2
            found |= dict(zip(("beta1", "beta2"), value, strict=True)) if pair else {name: value}
        else:
            found[own] = value
    return found


def _is_needless(name: str, value: Any, names: Container[str]) -> bool:
    mark, values = NEEDLESS.get(name, ("", ()))
    known = values is None or (isinstance(value, bool | float | int | str | None) and value in values)
    return (not mark or mark in names) and known


def _meant(name: str, names: Container[str], given: Mapping[str, Any]) -> str:
    own = [target for target in KEYWORDS.get(name, ()) if target in names and target not in given]
    return own[0] if own else name


_PYTORCHS = {"axis": "dim", "keepdims": "keepdim", "ddof": "correction"}


def other_form(function: str, args: tuple[Any, ...], given: Mapping[str, Any]) -> Callable[[], Any] | None:
    """What a call means instead if a keyword says that it is PyTorch's, whose result differs."""
    if function not in OTHER_FORMS:
        return None
    if (
        "dim" not in given
        and "unbiased" not in given
        and not ("keepdim" in given and ("axis" in given or len(args) == 2))
    ):
        return None
    first, *more = args or [None]
    x = first if hasattr(first, "ndim") else np.asarray(first)
    return partial(_form(function), x, *more, **{_PYTORCHS.get(name, name): v for name, v in given.items()})


@cache
def _form(function: str) -> Callable[..., Any]:
    return at(OTHER_FORMS[function])


def unknown_keyword(who: str, name: str, names: list[str]) -> str:
    """The message about a keyword that a function does not have."""
    return f"{who}: got a keyword {name!r}; expected {', '.join(names) or 'none'}{instead('keywords', name)}"


def known(who: str, names: list[str], given: Mapping[str, Any]) -> Any:
    """Like `in_own_words`, but raises a TypeError for an unknown keyword."""
    words = in_own_words(who, names, given)
    for name in words:
        if name not in names:
            raise TypeError(unknown_keyword(who, name, names))
    return words


def takes_other_words(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate an AutoLab function so that it also accepts keywords under the names of other libraries.

    Examples
    --------
    >>> @takes_other_words
    ... def scaled(x, ratio):
    ...     return ratio * x
    >>> scaled(2.0, p=0.5)
    1.0
    """
    code = inspect.unwrap(function).__code__  # its signature takes longer to read: this is done in the import
    first, *others = names = [*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]]
    names = others if first == "self" else names
    own = frozenset(names)
    who = function.__qualname__

    @wraps(function)
    def call(*args: P.args, **given: P.kwargs) -> R:
        if given.keys() <= own:
            return function(*args, **given)
        form = other_form(who, args, given)
        if form is not None and not function.__module__.endswith(".values_and_places"):
            return form()
        asked = f"{type(args[0]).__name__}.{function.__name__}" if first == "self" and args else who
        return function(*args, **known(asked.removesuffix(".__init__"), names, given))

    vars(call)["in_own_words"] = partial(in_own_words, who, names)
    return call


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
