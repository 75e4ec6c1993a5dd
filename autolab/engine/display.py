"""How objects are displayed: a registry of the functions that show each class, filled by the views.

Classes know nothing about pictures, and no package below the views imports one. A view is named as ``module:function``
and imported when the first such object is shown; `autolab.views` registers its own on import.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from importlib import import_module
from typing import Any, Literal

from .argument_checks import takes_other_words
from .habits import answer_habits

Bundle = dict[str, Any]

_VIEWS: dict[str, Mapping[str, str]] = {}
_failing: ContextVar[object] = ContextVar("autolab_failing", default=None)
"""What could not be drawn, while its text is sought."""


def register(class_name: str, views: Mapping[str, str]) -> None:
    """Register how objects of a class and its subclasses are shown.

    Parameters
    ----------
    class_name : str
        The qualified name of the class, such as ``"autolab.links.link.Link"``; the class need not be loaded.
    views : mapping of str to str
        For each way of showing, the function as ``"module:function"``; it takes the object and the arguments of `show`.
        ``"bundle"`` is what a notebook shows, ``"live"`` what ``.explore()`` opens, ``"text"`` what `str` returns.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from autolab.engine.display import register, show
    >>> register("fractions.Fraction", {"text": "math:floor"})
    >>> show(Fraction(7, 2), "text")
    3
    """
    _VIEWS[class_name] = views


def show(shown: object, way: str, *args: Any, **options: Any) -> Any:
    """Show an object in a registered way; errors of the view propagate, and LookupError means that there is no view."""
    return _view(type(shown), way)(shown, *args, **options)


def mimebundle(shown: object) -> Bundle:
    """What a notebook shows for an object: always ``text/plain``, and ``text/html`` if there is a picture.

    It never raises: a failing display must not hide the object, so the text then says what failed.

    Examples
    --------
    >>> import autolab
    >>> from autolab.engine.display import mimebundle
    >>> sorted(mimebundle(autolab.record(lambda x: x * x, 3.0)))
    ['text/html', 'text/plain']
    >>> mimebundle(7)
    {'text/plain': '7'}
    """
    try:
        bundle: Bundle = _view(type(shown), "bundle")(shown)
        return bundle
    except NotShown:
        return {"text/plain": _plain(shown)}
    except Exception as error:
        if _failing.get() is shown:  # its text is that of its bundle
            return {"text/plain": object.__repr__(shown)}
        token = _failing.set(shown)
        try:
            text = _plain(shown)
        finally:
            _failing.reset(token)
        return {"text/plain": f"{text}\nThe picture could not be drawn ({type(error).__name__}); this is the text."}


class NotShown(LookupError):
    """No view is registered for a class."""


class Displayed:
    """A class whose objects are displayed in notebooks by a view."""

    __slots__ = ()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Bundle:
        shown: Bundle = show(self, "output", mimebundle(self))
        return shown


class Savable(Displayed):
    """A class whose objects can be saved to a file as they are displayed."""

    __slots__ = ()

    @takes_other_words
    def save(self, path: str | os.PathLike[str], look: Literal["light", "dark", "auto"] = "light") -> None:
        """Save it as a page, ``.html``; if it is a picture, also as ``.svg``, ``.png`` or ``.pdf``.

        A live view is saved in its current state: groups of a graph that are open in it are open in the file, too.
        "Save as…" in its menu saves what is on the screen.

        Parameters
        ----------
        path
            The file; an existing one is replaced. For a live graph also with the suffix ``.dot``, ``.json`` for its
            data, or ``.gif`` or ``.mp4`` for its walk as a film, 1280 pixels wide.
        look
            ``light`` or ``dark``; ``auto`` for a page or an SVG that follows the reader's system.

        Raises
        ------
        ValueError
            If the suffix is unknown, or there is no picture.
        RuntimeError
            If typst is not installed for ``.png``, ``.pdf`` or a film, or ffmpeg for ``.mp4``.

        Examples
        --------
        >>> import autolab
        >>> bowl = autolab.plots.surface(lambda x, y: x**2 + y**2, (0.0, 0.0))
        >>> bowl.save("bowl.svg")
        """
        show(self, "file", path, look)

    def export_html(self, path: Any = None, *args: Any, **options: Any) -> Any:
        """`autolab.export_html` of this object: writes a page, or returns its text if there is no path."""
        return show(self, "html", path, *args, **options)


answer_habits(Savable, "View")


def _view(kind: type, way: str) -> Callable[..., Any]:
    for base in kind.__mro__:
        name = _VIEWS.get(f"{base.__module__}.{base.__qualname__}", {}).get(way)
        if name is not None:
            module, function = name.split(":")
            found: Callable[..., Any] = getattr(import_module(module), function)
            return found
    raise NotShown(f"{kind.__name__} has no view {way!r}")


def _plain(shown: object) -> str:
    try:
        return repr(shown)
    except Exception:
        return object.__repr__(shown)
