"""How an object is shown: it asks here, and a package of views has said which function shows which class.

Classes know nothing about pictures, and nothing below the views imports one. A view is named as ``module:function``
and imported when the first such object is shown; `autolab.views` enters its own on import.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Literal

from .habits import answer_habits
from .keyword_aliases import takes_other_words

Bundle = dict[str, Any]

_VIEWS: dict[str, Mapping[str, str]] = {}


def register(class_name: str, views: Mapping[str, str]) -> None:
    """Say how objects of a class, and of its subclasses, are shown.

    Parameters
    ----------
    class_name : str
        The qualified name of the class, such as ``"autolab.links.link.Link"``; the class need not be loaded.
    views : mapping of str to str
        For each way of showing, the function as ``"module:function"``; it takes the object and what `show` is given.
        ``"bundle"`` is what a notebook shows, ``"live"`` what ``.explore()`` opens, ``"text"`` what `str` gives.

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
    """Show an object in one of its ways; what the view raises passes through, and LookupError says that it has none."""
    return _view(type(shown), way)(shown, *args, **options)


def mimebundle(shown: object) -> Bundle:
    """What a notebook shows for an object: always ``text/plain``, and ``text/html`` where there is a picture.

    It never raises: a display that fails must not hide the object, so the text then says what failed.

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
        failed = f"The picture could not be drawn ({type(error).__name__}); this is the text."
        return {"text/plain": f"{_plain(shown)}\n{failed}"}


class NotShown(LookupError):
    """No view is registered for a class."""


class Displayed:
    """A class whose objects show themselves in notebooks as a view draws them."""

    __slots__ = ()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Bundle:
        return mimebundle(self)


class Savable(Displayed):
    """A class whose objects can be written to a file as they show themselves."""

    __slots__ = ()

    @takes_other_words
    def save(self, path: str | os.PathLike[str], look: Literal["light", "dark", "auto"] = "light") -> None:
        """Write it to a page that ends in ``.html``; where it is a picture, also to ``.svg``, ``.png`` or ``.pdf``.

        A live view is written as it stands: the groups of a graph that are open in it are open in the file, too. "Save
        as…" in its menu saves what is on the screen.

        Parameters
        ----------
        path
            Where to. Of a live graph also with the suffix ``.dot``, ``.json`` for its data, or ``.gif`` or ``.mp4`` for
            its walk as a film, 1280 pixels wide. An existing file is replaced.
        look
            ``light`` or ``dark``; ``auto`` for a page or an SVG that follows its reader's system.

        Raises
        ------
        ValueError
            If the suffix is another one, or it has no picture of its own.
        RuntimeError
            If ``.png``, ``.pdf`` or a film is asked for and typst is not installed, or ``.mp4`` without ffmpeg.

        Examples
        --------
        >>> import autolab
        >>> bowl = autolab.plots.surface(lambda x, y: x**2 + y**2, (0.0, 0.0))
        >>> bowl.save("bowl.svg")
        """
        show(self, "file", path, look)

    def export_html(self, path: Any = None, *args: Any, **options: Any) -> Any:
        """`autolab.export_html` of it: a page, or without a path its text."""
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
