"""Part: one feature of the live view, with its traits, the messages that it obeys and what it shows of a recording.

`Explorer` is put together from parts by inheritance, because the traits of a widget belong to one class. A new feature
is a module with a part, its name in the bases of `Explorer`, and a JavaScript module that `explorer.js` lists.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, TypeVar

import traitlets

from ..display.detail import MAX_CELLS
from ..recording.model import Recording
from .session import Session

Method = TypeVar("Method", bound=Callable[..., Any])


class obeys:
    """Marks the method that obeys the messages ``{"do": what, ...}`` of the page.

    Parameters
    ----------
    what : str
    **fields : type or tuple of types
        What else the message must hold, and of which kind. The method gets these by name, and nothing else. A truth
        value is no number here, although Python counts it as one.

    Examples
    --------
    >>> class Zoom(Part):
    ...     @obeys("zoom", factor=float)
    ...     def _zoom(self, factor): ...
    >>> sorted(Zoom._obeyed)
    ['zoom']
    """

    def __init__(self, what: str, **fields: type | tuple[type, ...]) -> None:
        self.what = what
        self.fields = fields

    def __call__(self, method: Method) -> Method:
        method.obeys = self  # type: ignore[attr-defined]
        return method

    def arguments(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a message; what is missing or of another kind is an error."""
        for name, kinds in self.fields.items():
            expected = kinds if isinstance(kinds, tuple) else (kinds,)
            value = message.get(name)
            if not isinstance(value, expected) or (isinstance(value, bool) and bool not in expected):
                raise not_understood(message)
        return {name: message.get(name) for name in self.fields}


class Part(traitlets.HasTraits):
    """What parts can rely on, and the two things that they may add to: `_shown` and messages.

    ``_session`` and ``_recording`` are there before any message arrives. Messages are obeyed one at a time.
    """

    _session: Session
    _recording: Recording
    _obeyed: dict[str, tuple[str, obeys]] = {}  # noqa: RUF012  # a new one in every subclass
    hold_sync: Callable[[], AbstractContextManager[None]]
    needs_session = False  # True for a part that is of no use without a kernel
    most_cells = MAX_CELLS  # rows and columns of a heatmap, at most

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = [(name, method.obeys) for name, method in vars(cls).items() if hasattr(method, "obeys")]
        inherited = {what: entry for base in reversed(cls.__bases__) for what, entry in _obeyed_by(base).items()}
        cls._obeyed = {**inherited, **{mark.what: (name, mark) for name, mark in own}}

    def _shown(self, recording: Recording) -> dict[str, Any]:
        """The traits that show a recording: a part adds its own to those of ``super()._shown(recording)``."""
        return {}

    def _refresh(self) -> None:
        """Compute at the present point, and show what comes out."""
        raise NotImplementedError

    def _obey(self, message: Mapping[str, Any]) -> None:
        """Hand a message to the method that is marked for it; one that fits none is an error and changes nothing."""
        what = message.get("do")
        if not isinstance(what, str) or what not in self._obeyed:
            raise not_understood(message)
        name, mark = self._obeyed[what]
        getattr(self, name)(**mark.arguments(message))

    def _publish(self, state: Mapping[str, Any]) -> None:
        """Set traits; what differs goes to the pages, in one message at the end of what is being obeyed."""
        for name, value in state.items():
            self.set_trait(name, value)


def _obeyed_by(base: type) -> dict[str, tuple[str, obeys]]:
    return base._obeyed if issubclass(base, Part) else {}


def not_understood(message: Mapping[str, Any]) -> ValueError:
    """The error for a message that no part of the view could have sent."""
    return ValueError(f"explore: the page sent a message that is not understood: {message!r:.100}")
