"""The base of all live views: it exchanges messages with its pages, one at a time, and belongs to a notebook.

A page shows answers: it sends the questions that the present picture needs (`questions.py`), and the view keeps
answering them whenever something is computed. What is looked at is decided by the page; the view only stores it, for a
second page and for a saved notebook.
"""

from __future__ import annotations

import json
import re
import threading
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import anywidget
import ipywidgets
import traitlets

from ...engine import Bundle, Savable, show
from ...engine.habits import instead
from .. import mimebundle
from ..draw import paragraph, prose
from ..draw.colors import palette
from ..draw.escape import with_code
from ..draw.messages import SENTENCES, say
from ..draw.svg import Look
from . import no_notebook, notebook
from .bundle import digest_of, module_text, style_text, zipped
from .columns import in_columns
from .computation import for_page, user_error
from .protocol import SHELVES, Shelf, answered, dispatch, not_understood, on_message, question_key

MOST_QUESTIONS = 64
MOST_LOOK = 200_000
"""Largest number of characters, as JSON, of what a page looks at."""

CALM: dict[str, Any] = {"error": None, "computing": "", "since": {}, "can_undo": False}

_LIVE = [key for key in SENTENCES if key.startswith("live_")]
WORDS = {key: say(key) for key in (*_LIVE, "still", "find_reach", "take", "take_png", "take_svg", "take_page")}
"""The words that every page knows."""


class FrontEnd(anywidget.AnyWidget):
    """The compressed module and style sheet of a kind of view; ``digest`` identifies the two together.

    It is no plain widget: JupyterLab saves the bytes of those as ``{}``.

    Parameters
    ----------
    kind : str
        The name of the module and of the style sheet, without suffix.
    """

    _esm = "export default {};"
    module = traitlets.Bytes().tag(sync=True)
    sheet = traitlets.Bytes().tag(sync=True)  # not `style`, which in a widget is a model
    digest = traitlets.Unicode().tag(sync=True)

    def __init__(self, kind: str) -> None:
        text = f"{module_text(f'{kind}.js')}//# sourceURL=autolab/{kind}.js\n"  # its name in the browser's debugger
        module, sheet = zipped(text), zipped(style_text(f"{kind}.css"))
        super().__init__(module=module, sheet=sheet, digest=digest_of(kind))


_held: dict[str, FrontEnd] = {}


def front_end(kind: str) -> FrontEnd:
    """The front end of a kind of view. It is created again if it was closed, as by ``Widget.close_all()``."""
    held = _held.get(kind)
    if held is None or held.comm is None:
        held = _held[kind] = FrontEnd(kind)
    return held


class LiveView(anywidget.AnyWidget, Savable):
    """A widget that exchanges messages with its pages and belongs to a notebook, from its creation until it is closed.

    A notebook's ``Out`` and ``_`` keep a view for ever, so a closed view is an empty shell: it has no session, no
    recording and no trait, and accessing one raises an error that says so.

    ``condition``: the ``error`` that is shown, whether something is ``computing``, what has changed ``since``, and
    whether the last move ``can_undo``. ``still`` says why the inputs cannot be moved: ``graph`` if there is no
    function to run, ``page`` if there is no kernel; else it is empty. ``page``, ``numbers`` and ``answers`` hold
    answers by their questions; they are separate because they change at different times: with the program, with every
    number, and with what is looked at, which is the ``look``.
    """

    kind: ClassVar[str]
    """The name of its front end."""

    _esm = module_text("loader.js")
    _front_end = traitlets.Instance(FrontEnd).tag(sync=True, **ipywidgets.widget_serialization)
    _digest = traitlets.Unicode().tag(sync=True)  # of the front end, which a page or its host may have already
    _extended: ClassVar[dict[type, type]] = {}

    palette = traitlets.Dict().tag(sync=True)
    words = traitlets.Dict().tag(sync=True)
    ack = traitlets.Int().tag(sync=True)
    still = traitlets.Unicode().tag(sync=True)
    condition = traitlets.Dict(CALM).tag(sync=True)
    page = traitlets.Dict().tag(sync=True, to_json=in_columns)
    numbers = traitlets.Dict().tag(sync=True, to_json=in_columns)
    answers = traitlets.Dict().tag(sync=True)
    look = traitlets.Dict().tag(sync=True)

    closed = False
    _page_file: Path | None = None  # the page that it saved by itself
    _asked: Sequence[Any] = ()  # the pages' present questions
    _shown: Sequence[
        weakref.ref[notebook.Output]
    ] = ()  # displayed outputs that are still referenced: IPython logs all outputs

    _locks: tuple[str, ...] = ("_turn",)
    _turn = traitlets.Instance(threading.Condition, ())  # messages may come from several threads: one at a time

    def __init__(self, questions: Sequence[Any], words: Mapping[str, str] | None = None, **state: Any) -> None:
        """``questions`` are those of a page that has just been opened; ``words`` are added to `WORDS`, or replace some
        of them. From here on the view receives messages.
        """
        state |= self._answers(questions) | {"palette": palette(), "words": {**WORDS, **(words or {})}}
        front = front_end(self.kind)
        super().__init__(_front_end=front, _digest=front.digest, **state)
        for name in self._locks:  # traitlets would make them at first access, two threads one each
            getattr(self, name)
        self.on_msg(self._on_message)
        notebook.opened(self)

    def add_traits(self, **traits: Any) -> None:
        """Extend the class once for each kind: anywidget adds the same traits to every view, for each of which
        traitlets would make a class that outlives the view.
        """
        kind = type(self)
        if kind not in self._extended or "_anywidget_id" not in traits:
            super().add_traits(**traits)
            self._extended[kind] = type(self)
            return
        self.__class__ = self._extended[kind]
        for name in traits:
            getattr(type(self), name).instance_init(self)

    # ------------------------------------------------------------------ messages
    def _handle_custom_msg(self, content: Any, buffers: Any) -> None:
        """Answer a loader that cannot get the shared model; pass all other messages on."""
        if content != {"do": "front end"}:
            super()._handle_custom_msg(content, buffers)
            return
        shared = self._front_end
        self.send({"front_end": shared.digest}, [shared.module, shared.sheet])

    def _on_message(self, _: Any, content: Any, buffers: Any) -> None:
        """Handle one message. It is acknowledged in every case: the page waits for that before it sends the next."""
        if not isinstance(content, dict) or type(content.get("seq")) is not int:
            return
        with self._turn:
            if self.closed:
                return
            self._take(content)
            if self.closed:  # by a cell, in the meantime: forget what the answer has set
                self._forget()

    def _take(self, content: dict[str, Any]) -> None:
        with self.hold_sync():
            try:
                dispatch(self, content)
                self._wait_a_little()
            except Exception as error:
                self._tell(error=for_page(user_error(error)))
            finally:
                self.ack = content["seq"]

    def _wait_a_little(self) -> None:
        """A hook for views that take time to answer."""

    @on_message("hello")
    def _hello(self) -> None:
        """A page has opened, or wants to know whether the kernel answers: the acknowledgement is the answer."""

    @on_message("look", look=dict, questions=list)
    def _look_at(self, look: dict[str, Any], questions: list[Any]) -> None:
        """A page shows something else and needs the answers to these questions from now on."""
        if len(questions) > MOST_QUESTIONS or len(json.dumps(look)) > MOST_LOOK:
            raise not_understood({"do": "look", "questions": len(questions)})
        self._publish({**self._answers(questions), "look": look})
        self._turned()

    def _turned(self) -> None:
        """Something else is looked at: a hook for a view that has to compute it."""

    @on_message("ask", question=list)
    def _ask(self, question: list[Any]) -> None:
        """A page needs an answer once; it is dropped as soon as the page looks at something else."""
        self._publish({"answers": {**self.answers, question_key(question): self._answer_once(question)}})

    def _answers(self, questions: Sequence[Any]) -> dict[str, Any]:
        """The traits with the answers to these questions, which are kept answered from now on."""
        found: dict[str, dict[str, Any]] = {shelf: {} for shelf in SHELVES}
        for question in questions:
            shelf, answer = self._answer(question)
            found[shelf][question_key(question)] = answer
        self._asked = questions
        return found

    def _answer(self, question: Any) -> tuple[Shelf, Any]:
        """The answer to one question, and the trait that keeps it."""
        return answered(self, question)

    def _answer_anew(self) -> None:
        """Answer the same questions again."""
        self._publish(self._answers(self._asked))

    def _answer_once(self, question: list[Any]) -> Any:
        """An answer that is not kept: a file with what is shown."""
        return show(self, "taken", question)

    def _publish(self, state: Mapping[str, Any]) -> None:
        """Set traits; the changes go to the pages in one message, at the end of the present operation."""
        for name, value in state.items():
            self.set_trait(name, value)

    # ------------------------------------------------------------------ its condition
    def _tell(self, **changes: Any) -> None:
        """Tell the pages of an error, of a computation, or of what has changed since."""
        self._publish({"condition": {**self.condition, **changes}})

    @property
    def error(self) -> dict[str, Any] | None:
        """The error that the pages show."""
        return self.condition["error"] and dict(self.condition["error"])

    @property
    def computing(self) -> str:
        """``running`` or ``stopping`` during a computation for which the pages do not wait; else empty."""
        return str(self.condition["computing"])

    @property
    def since(self) -> dict[str, Any]:
        """What has changed in the notebook since the picture was computed, for the pages."""
        return dict(self.condition["since"])

    # ------------------------------------------------------------------ life cycle
    def look_again(self) -> None:
        """A cell has run; by default nothing follows from that."""

    def close(self) -> None:
        """Remove the view from all pages, stop receiving messages, and release everything."""
        if self.closed:  # a closed view has no layout; accessing it would create one
            return
        notebook.closed(self)
        self.layout.close()  # a separate widget, which ipywidgets would keep alive
        super().close()
        self._forget()

    def _forget(self) -> None:
        """Reset everything to the state of a blank view, except the locks, for which a thread may be waiting."""
        blank = type(self).__new__(type(self))
        blank.closed = True
        blank._trait_values.clear()  # defaults; traits find them again on access
        for name in self._locks:
            setattr(blank, name, getattr(self, name))
        for ref in self._shown:
            if (shown := ref()) is not None:
                shown.clear()
                shown.update(self._farewell())
        self.__dict__ = blank.__dict__.copy()

    if not TYPE_CHECKING:  # type checkers know the attributes without it

        def __getattr__(self, name: str) -> Any:
            """Called only for missing attributes: in an open view, those that never existed."""
            kind = type(self).__name__
            if self.__dict__.get("closed"):
                raise AttributeError(f"{kind}: {say('closed_view')}", name=name, obj=self)
            remedy = instead("View", name)
            raise AttributeError(f"{kind!r} object has no attribute {name!r}{remedy}", name=name, obj=self)

    def explore(self) -> Self:
        """The view itself, as it is live already."""
        return self

    # ------------------------------------------------------------------ where it is shown
    def _save_here(self, caller: str, kind: str, name: str) -> None:
        """If no notebook displays the view, save it as a page of its own, and open that or print its path."""
        if not notebook.draws():
            self._page_file = no_notebook.told(self._save, caller, [kind, *re.findall(r"\w+", name, re.ASCII)])

    def _save(self, path: Path) -> None:
        show(self, "page", path)

    def exported(self, path: Path) -> None:
        """Remove the page that the view saved by itself: the user has now saved it at ``path``."""
        page, self._page_file = self._page_file, None
        if page is not None and page != path.absolute():
            no_notebook.removed(page)
            print(f"{page.name} is now {path}")

    def _still(self) -> object:
        """What to show where nothing moves: in an untrusted notebook, on a web page, in a file."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {say('closed_view') if self.closed else self._in_a_line()}>"

    def __str__(self) -> str:
        """What a notebook would show, as text."""
        return repr(self) if self.closed else str(self._static()["text/plain"])

    def _in_a_line(self) -> str:
        """A short description of what the view shows."""
        return str(self._still()).partition("\n")[0]

    def _static(self) -> Bundle:
        return mimebundle(self._still())

    def _until_it_moves(self) -> Bundle:
        """The static display that stands where the view is not drawn: without trust, or without what draws widgets."""
        still = self._static()
        if "text/html" not in still:
            return still
        return {**still, "text/html": still["text/html"] + str(paragraph(with_code(say("run_to_move"))))}

    def _farewell(self) -> Bundle:
        """What is displayed in place of a closed view."""
        text = f"{type(self).__name__}: {say('closed_view')}"
        return {"text/plain": text, "text/html": str(paragraph(prose(text)))}

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None, **others: Any) -> Any:
        if self.closed:
            return self._farewell(), {}
        notebook.shown(self)
        if notebook.read_later():
            return self._static(), {}
        live = super()._repr_mimebundle_(include=include, exclude=exclude, **others)
        data, metadata = live if isinstance(live, tuple) else (live or {}, {})
        shown = notebook.logged(self, {**data, **self._until_it_moves()})
        self._shown = [ref for ref in (*self._shown, weakref.ref(shown)) if ref() is not None]
        return shown, metadata


def at_rest(view: LiveView) -> Bundle:
    """The static display of a view."""
    return view._static()


def svg_at_rest(view: LiveView, look: Look) -> Any:
    """The picture of what a view shows, if there is one."""
    return show(view._still(), "svg", look)
