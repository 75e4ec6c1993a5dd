"""Keywords under the names of other libraries: ``dim=`` for ``axis=``, ``bias=False`` for ``nobias=True``.

They are only looked up if a function is given a keyword that it does not have.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Mapping
from functools import cache, partial, wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

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
