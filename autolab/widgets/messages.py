"""The messages of a page: which method of a view takes which, and what a message must hold."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeVar

Method = TypeVar("Method", bound=Callable[..., Any])


class on_message:
    """Marks the method that takes the messages ``{"do": what, ...}`` of the page.

    Parameters
    ----------
    what : str
    **fields : type or tuple of types
        What else the message must hold, and of which kind. The method gets these by name, and nothing else. A truth
        value is no number here, although Python counts it as one.

    Examples
    --------
    >>> class Zoom:
    ...     @on_message("zoom", factor=float)
    ...     def _zoom(self, factor): ...
    >>> sorted(handlers(Zoom))
    ['zoom']
    """

    def __init__(self, what: str, **fields: type | tuple[type, ...]) -> None:
        self.what = what
        self.fields = fields

    def __call__(self, method: Method) -> Method:
        method.on_message = self  # type: ignore[attr-defined]
        return method

    def arguments(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a message; what is missing or of another kind is an error."""
        for name, kinds in self.fields.items():
            expected = kinds if isinstance(kinds, tuple) else (kinds,)
            value = message.get(name)
            if not isinstance(value, expected) or (isinstance(value, bool) and bool not in expected):
                raise not_understood(message)
        return {name: message.get(name) for name in self.fields}


@cache
def handlers(kind: Any) -> dict[str, tuple[str, on_message]]:
    """For each message that a class takes, the name of its method and the mark on it."""
    marked = [(name, method) for base in reversed(kind.__mro__) for name, method in vars(base).items()]
    marks = [(name, method.on_message) for name, method in marked if hasattr(method, "on_message")]
    return {mark.what: (name, mark) for name, mark in marks}


def dispatch(view: object, message: Mapping[str, Any]) -> None:
    """Hand a message to the method that is marked for it; one that fits none is an error and changes nothing."""
    what = message.get("do")
    kind: Any = type(view)
    found = handlers(kind).get(what) if isinstance(what, str) else None
    if found is None:
        raise not_understood(message)
    name, mark = found
    getattr(view, name)(**mark.arguments(message))


def not_understood(message: Any) -> ValueError:
    """The error for a message that no page could have sent."""
    return ValueError(f"explore: the page sent a message that is not understood: {message!r:.100}")


def question_key(question: Sequence[Any]) -> str:
    """A question as its answer is looked up: the same text that the page makes of it.

    Examples
    --------
    >>> question_key(["scene", 0, [-3, -1]])
    '["scene",0,[-3,-1]]'
    """
    return json.dumps(question, separators=(",", ":"), ensure_ascii=False)
