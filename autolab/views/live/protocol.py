"""Messages and questions from a page: which method of a view handles which, and the fields that they must have."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, TypeVar, get_args

Method = TypeVar("Method", bound=Callable[..., Any])

Shelf = Literal["page", "numbers", "answers"]
SHELVES: tuple[Shelf, ...] = get_args(Shelf)
"""The traits that hold answers: about the program, about all numbers, and about what is looked at."""


class on_message:
    """Mark the method that handles the messages ``{"do": what, ...}`` of the page.

    Parameters
    ----------
    what : str
    **fields : type or tuple of types
        The other fields of the message, and their types. The method gets these as keyword arguments, and nothing
        else. A bool does not count as a number here, although it does in Python.

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
        """The fields of a message; a missing field or one of another type is an error."""
        for name, kinds in self.fields.items():
            expected = kinds if isinstance(kinds, tuple) else (kinds,)
            value = message.get(name)
            if not isinstance(value, expected) or (isinstance(value, bool) and bool not in expected):
                raise not_understood(message)
        return {name: message.get(name) for name in self.fields}


class on_question(on_message):
    """Mark the method that answers the questions ``[what, ...]`` of the page, which hold the fields in this order.

    Parameters
    ----------
    what : str
    shelf : {"page", "numbers", "answers"}
        The trait that keeps the answer.
    **fields : type or tuple of types
        As for `on_message`.

    Examples
    --------
    >>> class Double:
    ...     @on_question("double", "answers", x=int)
    ...     def _double(self, x):
    ...         return 2 * x
    >>> answered(Double(), ["double", 4])
    ('answers', 8)
    """

    def __init__(self, what: str, shelf: Shelf, **fields: type | tuple[type, ...]) -> None:
        super().__init__(what, **fields)
        self.shelf = shelf

    def __call__(self, method: Method) -> Method:
        method.on_question = self  # type: ignore[attr-defined]
        return method

    def given(self, question: Sequence[Any]) -> dict[str, Any]:
        """The fields of a question, by name; a question that does not fit is an error."""
        if len(question) != 1 + len(self.fields):
            raise not_understood(question)
        return self.arguments(dict(zip(self.fields, question[1:], strict=True)))


@cache
def handlers(kind: Any, mark: str = "on_message") -> dict[str, tuple[str, Any]]:
    """For each message that a class handles, or question that it answers: the name and the mark of its method."""
    methods = [(name, method) for base in reversed(kind.__mro__) for name, method in vars(base).items()]
    marks = [(name, getattr(method, mark)) for name, method in methods if hasattr(method, mark)]
    return {mark.what: (name, mark) for name, mark in marks}


def dispatch(view: object, message: Mapping[str, Any]) -> None:
    """Pass a message to the method marked for it. A message that fits none is an error and changes nothing."""
    what = message.get("do")
    kind: Any = type(view)
    found = handlers(kind).get(what) if isinstance(what, str) else None
    if found is None:
        raise not_understood(message)
    name, mark = found
    getattr(view, name)(**mark.arguments(message))


def answered(view: object, question: Any) -> tuple[Shelf, Any]:
    """The answer of the marked method of a view, and the trait that keeps it; a question that fits none is an error."""
    what = question[0] if isinstance(question, list) and question else None
    kind: Any = type(view)
    name, mark = handlers(kind, "on_question").get(what if isinstance(what, str) else "", ("", None))
    if mark is None:
        raise not_understood(question)
    return mark.shelf, getattr(view, name)(**mark.given(question))


def not_understood(message: Any) -> ValueError:
    """The error for a message that no page would send."""
    return ValueError(f"explore: the page sent a message that is not understood: {message!r:.100}")


def question_key(question: Sequence[Any]) -> str:
    """The key under which a question's answer is kept: the same text that the page makes of the question.

    Examples
    --------
    >>> question_key(["scene", 0, [-3, -1]])
    '["scene",0,[-3,-1]]'
    """
    return json.dumps(question, separators=(",", ":"), ensure_ascii=False)
