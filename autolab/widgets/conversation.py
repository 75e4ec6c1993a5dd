"""What every live view is: it talks with its pages, one message after the other, and belongs to a notebook."""

from __future__ import annotations

import re
import tempfile
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import traitlets

from ..display import mimebundle
from ..display.colors import palette
from ..display.html import paragraph, prose
from ..display.messages import say
from ..display.registry import Bundle
from . import notebook
from .front_end import LightWidget
from .part import Part, obeys
from .user_error import for_page, user_error

_WORDS = (
    "live_silent",
    "live_stale",
    "live_computing",
    "live_old",
    "live_stopping",
    "live_saved",
    "still",
    "find_reach",
    "rest",
)


class Conversation(Part):
    """Takes the page's messages and acknowledges them. ``still`` says why the inputs cannot be
    moved: ``graph``, where there is no function to run, ``page``, where there is no kernel; else it is empty.
    """

    needs_session = True

    palette = traitlets.Dict().tag(sync=True)
    words = traitlets.Dict().tag(sync=True)
    ack = traitlets.Int().tag(sync=True)
    still = traitlets.Unicode().tag(sync=True)
    error = traitlets.Dict(allow_none=True).tag(sync=True)

    closed = False
    _given: Sequence[weakref.ref[_Shown]] = ()  # what was shown, as far as somebody holds it: IPython logs all outputs

    _locks: tuple[str, ...] = ("_turn",)
    _turn = traitlets.Instance(threading.Condition, ())  # messages may come from several threads: one after the other

    def _on_message(self, _: Any, content: Any, buffers: Any) -> None:
        """Obey one message. It is acknowledged whatever happens: the page waits for that before it sends the next."""
        if not isinstance(content, dict) or type(content.get("seq")) is not int:
            return
        with self._turn:
            if self.closed:
                return
            self._answer(content)
            if self.closed:  # by a cell, meanwhile: what the answer has left
                self._forget()

    def _answer(self, content: dict[str, Any]) -> None:
        with self.hold_sync():
            try:
                self._obey(content)
                self._wait_a_little()
            except Exception as error:
                self.error = for_page(user_error(error))
            finally:
                self.ack = content["seq"]

    def _wait_a_little(self) -> None:
        """For a part whose obeying takes its time."""

    @obeys("hello")
    def _hello(self) -> None:
        """A page has opened, or is not sure that somebody answers: the acknowledgement is the answer."""


class LiveView(Conversation, LightWidget):
    """A widget that talks with its pages and knows of its notebook, from the end of its making until it is closed.

    A notebook's ``Out`` and ``_`` hold a view for good, so a closed one is an empty shell: it holds no session, no
    recording and no trait, and says so wherever somebody asks for one.
    """

    def _listen(self) -> None:
        """Begin to listen; the last thing that the making of a view does."""
        self.on_msg(self._on_message)
        notebook.opened(self)

    def look_again(self) -> None:
        """A cell has run: what was computed before it stays as it was."""

    def close(self) -> None:
        """Remove the views, stop listening, and let go of everything."""
        if self.closed:  # it has no layout any more; asking for it would make one
            return
        notebook.closed(self)
        self.layout.close()  # a widget of its own, which ipywidgets would keep
        super().close()
        self._forget()

    def _forget(self) -> None:
        """Be as one that was never made, but for the locks, for which somebody may be waiting."""
        blank = type(self).__new__(type(self))
        blank.closed = True
        blank._trait_values.clear()  # defaults, which a trait finds again when it is asked
        for name in self._locks:
            setattr(blank, name, getattr(self, name))
        for ref in self._given:
            if (shown := ref()) is not None:
                shown.clear()
                shown.update(self._farewell())
        self.__dict__ = blank.__dict__.copy()

    if not TYPE_CHECKING:  # attributes are known without it

        def __getattr__(self, name: str) -> Any:
            """Only for what is not there: in an open view that is what never was."""
            kind = type(self).__name__
            if self.__dict__.get("closed"):
                raise AttributeError(f"{kind}: {say('closed_view')}", name=name, obj=self)
            raise AttributeError(f"{kind!r} object has no attribute {name!r}", name=name, obj=self)

    def state(self) -> dict[str, Any]:
        """All that the pages know: what a saved page begins with."""
        parts = [base for base in type(self).__mro__ if issubclass(base, Part)]
        names = [name for part in parts for name in part.class_own_traits(sync=True)]
        return {name: getattr(self, name) for name in names if not name.startswith("_")}

    def _save_here(self, caller: str, kind: str, name: str) -> None:
        """Where there is no notebook to draw in: save the view as a page in the current folder, and print its path."""
        if notebook.shell() is not None:
            return
        stem = "_".join([kind, *re.findall(r"\w+", name, flags=re.ASCII)])[:100]
        try:
            path = self._saved_in(Path.cwd(), stem)
        except OSError:  # the folder is read-only, full, or gone
            try:
                path = self._saved_in(Path(tempfile.mkdtemp(prefix="autolab-")), stem)
            except OSError as error:
                print(
                    f"{caller}: no notebook to draw in, and no page could be saved ({error.strerror}); "
                    "export_html(view, path) saves it where there is room"
                )
                return
        print(f"{caller}: no notebook to draw in; open {path} in a browser")

    def _saved_in(self, folder: Path, stem: str) -> Path:
        from .export import export_html

        export_html(self, folder / f"{stem}.html")
        return folder / f"{stem}.html"

    def _static(self) -> Bundle:
        """What stands where there is no live view: in an untrusted notebook, on a web page."""
        return mimebundle(self)

    def _farewell(self) -> Bundle:
        """What stands where a closed view is shown."""
        text = f"{type(self).__name__}: {say('closed_view')}"
        return {"text/plain": text, "text/html": str(paragraph(prose(text)))}

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        if self.closed:
            return self._farewell(), {}
        notebook.shown(self)
        live = super()._repr_mimebundle_(**kwargs)
        data, metadata = live if isinstance(live, tuple) else (live or {}, {})
        shown = _Shown({**data, **self._static()})
        self._given = [ref for ref in (*self._given, weakref.ref(shown)) if ref() is not None]
        return shown, metadata


class _Shown(dict[str, Any]):
    """What a notebook shows for a view. It can be referred to weakly, as a plain dict cannot."""

    __slots__ = ("__weakref__",)


def at_first() -> dict[str, Any]:
    """The traits with which every view begins: colours, words, and no error."""
    return {"palette": palette(), "words": {key: say(key) for key in _WORDS}, "error": None}
