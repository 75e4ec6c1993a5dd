"""What every live view is: it talks with its pages, one message after the other, and belongs to a notebook.

A page shows answers: it sends the questions that what it looks at needs (`questions.py`), and the view keeps answering
them whenever something is computed. What is looked at belongs to the page; the view only keeps it, so that a second
page and a saved notebook find it.
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

from ...engine.display import Bundle, Savable, show
from ...engine.habits import instead
from .. import mimebundle
from ..draw.colors import palette
from ..draw.escape import paragraph, prose
from ..draw.messages import say
from ..draw.svg import Look
from . import no_notebook, notebook
from .bundle import FrontEnd, front_end, module_text
from .columns import in_columns
from .computation import for_page, user_error
from .protocol import SHELVES, Shelf, answered, dispatch, not_understood, on_message, question_key

MOST_QUESTIONS = 64
MOST_LOOK = 200_000
"""What a page looks at is kept if its JSON has no more characters."""

CALM: dict[str, Any] = {"error": None, "computing": "", "since": {}, "can_undo": False}


class LiveView(anywidget.AnyWidget, Savable):
    """A widget that talks with its pages and knows of its notebook, from the end of its making until it is closed.

    A notebook's ``Out`` and ``_`` hold a view for good, so a closed one is an empty shell: it holds no session, no
    recording and no trait, and says so wherever somebody asks for one.

    ``condition``: the ``error`` that is shown, whether something is ``computing``, what has changed ``since``, and
    whether the last move ``can_undo``. ``still`` says why the inputs cannot be moved: ``graph``, where there is no
    function to run, ``page``, where there is no kernel; else it is empty. ``page``, ``numbers`` and ``answers`` hold
    answers by their questions, apart because they change at different times: with the program, with every number, and
    with what is looked at, which is the ``look``.
    """

    kind: ClassVar[str]
    """The name of its front end."""

    _esm = module_text("loader.js")
    _front_end = traitlets.Instance(FrontEnd).tag(sync=True, **ipywidgets.widget_serialization)
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
    _asked: Sequence[Any] = ()  # what the pages ask at present
    _shown: Sequence[weakref.ref[_Output]] = ()  # what was shown, as far as somebody holds it: IPython logs all outputs

    _locks: tuple[str, ...] = ("_turn",)
    _turn = traitlets.Instance(threading.Condition, ())  # messages may come from several threads: one after the other

    def __init__(self, words: Mapping[str, str], questions: Sequence[Any], **state: Any) -> None:
        """With what a page asks that has just been opened. From here on the view listens."""
        state |= self._answers(questions)
        super().__init__(_front_end=front_end(self.kind), palette=palette(), words=words, **state)
        self.on_msg(self._on_message)
        notebook.opened(self)

    def add_traits(self, **traits: Any) -> None:
        """Once for each kind: anywidget adds the same traits to every view, and traitlets makes a class for that, which
        would outlive the view."""
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
        """Answer a loader that cannot have the shared model; all else is for those who listen."""
        if content != {"do": "front end"}:
            super()._handle_custom_msg(content, buffers)
            return
        shared = self._front_end
        self.send({"front_end": shared.digest}, [shared.module, shared.style])

    def _on_message(self, _: Any, content: Any, buffers: Any) -> None:
        """Take one message. It is acknowledged whatever happens: the page waits for that before it sends the next."""
        if not isinstance(content, dict) or type(content.get("seq")) is not int:
            return
        with self._turn:
            if self.closed:
                return
            self._take(content)
            if self.closed:  # by a cell, meanwhile: what the answer has left
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
        """For a view whose messages take their time."""

    @on_message("hello")
    def _hello(self) -> None:
        """A page has opened, or is not sure that somebody answers: the acknowledgement is the answer."""

    @on_message("look", look=dict, questions=list)
    def _look_at(self, look: dict[str, Any], questions: list[Any]) -> None:
        """A page looks at something else, for which it needs the answers to these questions from now on."""
        if len(questions) > MOST_QUESTIONS or len(json.dumps(look)) > MOST_LOOK:
            raise not_understood({"do": "look", "questions": len(questions)})
        self._publish({**self._answers(questions), "look": look})
        self._turned()

    def _turned(self) -> None:
        """Something else is looked at: a view that has to compute it begins to."""

    @on_message("ask", question=list)
    def _ask(self, question: list[Any]) -> None:
        """A page needs an answer once: it is gone when the page looks at something else."""
        self._publish({"answers": {**self.answers, question_key(question): self._answer_once(question)}})

    def _answers(self, questions: Sequence[Any]) -> dict[str, Any]:
        """The traits with the answers to what is asked from now on."""
        found: dict[str, dict[str, Any]] = {shelf: {} for shelf in SHELVES}
        for question in questions:
            shelf, answer = self._answer(question)
            found[shelf][question_key(question)] = answer
        self._asked = questions
        return found

    def _answer(self, question: Any) -> tuple[Shelf, Any]:
        """The answer to one question, and where it is kept."""
        return answered(self, question)

    def _answer_anew(self) -> None:
        """The same questions have other answers now."""
        self._publish(self._answers(self._asked))

    def _answer_once(self, question: list[Any]) -> Any:
        """An answer that is not kept: a file of what is shown."""
        return show(self, "taken", question)

    def _publish(self, state: Mapping[str, Any]) -> None:
        """Set traits; what differs goes to the pages, in one message at the end of what is being done."""
        for name, value in state.items():
            self.set_trait(name, value)

    # ------------------------------------------------------------------ its condition
    def _tell(self, **changes: Any) -> None:
        """Let the pages know of an error, of what is being computed, or of what has changed since."""
        self._publish({"condition": {**self.condition, **changes}})

    @property
    def error(self) -> dict[str, Any] | None:
        """The error that the pages show."""
        return self.condition["error"] and dict(self.condition["error"])

    @property
    def computing(self) -> str:
        """``running`` or ``stopping`` while something is computed for which the pages do not wait; else empty."""
        return str(self.condition["computing"])

    @property
    def since(self) -> dict[str, Any]:
        """What has changed in the notebook since the picture was computed."""
        return dict(self.condition["since"])

    # ------------------------------------------------------------------ its life
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
        for ref in self._shown:
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
            remedy = instead("View", name)
            raise AttributeError(f"{kind!r} object has no attribute {name!r}{remedy}", name=name, obj=self)

    def explore(self) -> Self:
        """The view itself: it is live already."""
        return self

    # ------------------------------------------------------------------ where it is shown
    def _save_here(self, caller: str, kind: str, name: str) -> None:
        """Where no notebook draws: save the view as a page of its own, open it or print where it is."""
        if not notebook.draws():
            self._page_file = no_notebook.told(self._save, caller, [kind, *re.findall(r"\w+", name, re.ASCII)])

    def _save(self, path: Path) -> None:
        show(self, "page", path)

    def exported(self, path: Path) -> None:
        """The view was saved under a name that was asked for: a page that it saved by itself is not needed any more."""
        page, self._page_file = self._page_file, None
        if page is not None and page != path.absolute():
            no_notebook.removed(page)
            print(f"{page.name} is now {path}")

    def _still(self) -> object:
        """What the view shows, as it stands where nothing moves: in an untrusted notebook, on a web page, in a file."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {say('closed_view') if self.closed else self._in_a_line()}>"

    def __str__(self) -> str:
        """What a notebook would show, in words."""
        return repr(self) if self.closed else str(self._static()["text/plain"])

    def _in_a_line(self) -> str:
        """What the view shows, in a few words."""
        return str(self._still()).partition("\n")[0]

    def _static(self) -> Bundle:
        return mimebundle(self._still())

    def _farewell(self) -> Bundle:
        """What stands where a closed view is shown."""
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
        shown = _Output({**data, **self._static()})
        self._shown = [ref for ref in (*self._shown, weakref.ref(shown)) if ref() is not None]
        return shown, metadata


def at_rest(view: LiveView) -> Bundle:
    """What a view shows, where it does not move."""
    return view._static()


def svg_at_rest(view: LiveView, look: Look) -> Any:
    """The picture of what a view shows, where that has one."""
    return show(view._still(), "svg", look)


class _Output(dict[str, Any]):
    """What a notebook shows for a view. It can be referred to weakly, as a plain dict cannot."""

    __slots__ = ("__weakref__",)
