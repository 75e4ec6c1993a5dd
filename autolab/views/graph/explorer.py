"""The live graph: Explorer, whose inputs can be moved.

The kernel computes and answers; the page keeps track of what is shown. A page that has the function as a program also
computes moves itself, until the kernel's result arrives.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from ...engine import Array, Variable, folded, hidden, show
from ...recording.model import Recording
from ...shared.binding import apart
from ...shared.collector import collector_waits
from ...shared.foreign import bridge
from ..draw import clean
from ..live import notebook
from ..live.bundle import module_text
from ..live.computation import Computation, UserError, for_page, user_error
from ..live.protocol import on_message, question_key
from ..live.session_view import SessionView
from ..live.widget import CALM
from .choices import OPTIONS
from .graph_view import RecordingView, explore_graph
from .questions import Reader
from .session import Session

_KEY = (str, int)
_NUMBER = (int, float)
_CODE_LIMIT = 100_000
_QUICK = 0.1
"""A function that takes more seconds is not run several more times just so that the page can compute."""
_MOST_SECONDS = 1.0


class Explorer(SessionView, RecordingView):
    """A live view of a function, created by `explore`: its graph, with the value and the gradient of every step. The
    inputs can be moved.

    All state is in the widget's model, so one model can have many views, and a saved notebook shows the last picture
    without being run.

    Examples
    --------
    >>> import autolab
    >>> view = autolab.explore(lambda x: x * x, 3.0)
    explore: no notebook to draw in; open ...html in a browser; later views go to the same folder
    >>> view.point["x"].item(), view.recording["x"].grad.values.item()
    (3.0, 6.0)
    >>> view.close()
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        with collector_waits():
            recording, error = _first(session)
            self._reader = Reader(recording, session=session)
            told = {"since": self._since(), "error": error and for_page(error, ended=True)}
            super().__init__(self._reader.first, condition=CALM | told)

    # ------------------------------------------------------------------ for Python
    @property
    def point(self) -> dict[str, Array]:
        """The current inputs, and the parameters of links that were moved, as arrays."""
        with self._lock:
            return self._session.point

    # ------------------------------------------------------------------ what is shown
    def _show_result(self, result: Recording) -> None:
        self._draw_anew(result)
        self._tell(error=None, since=self._since(), can_undo=self._session.can_undo)

    def _show_error(self, error: UserError) -> None:
        """Show what was computed before the error; if that is nothing, keep the picture of the previous point."""
        if error.recording is None:
            self._tell(error=for_page(error))
            self._show_free()
        else:
            self._draw_anew(error.recording)
            self._tell(error=for_page(error, ended=True), since=self._since())

    def _draw_anew(self, recording: Recording) -> None:
        with collector_waits():
            self._reader = Reader(recording, before=self._reader)
            self._answer_anew()

    def _wait_a_little(self, seconds: float | None = None) -> None:
        super()._wait_a_little(seconds)
        if self.computing:
            self._show_free()

    def _show_free(self) -> None:
        """Show the controls where they were moved to, although there are no results for that point yet."""
        free = [question for question in self._asked if question[0] == "free"]
        self._publish({"numbers": {**self.numbers, **{question_key(one): self._reader.ask(one) for one in free}}})

    def _answer_once(self, question: list[Any]) -> Any:
        if question == ["code"]:
            return clean(self._session.code(), limit=_CODE_LIMIT)
        if question == ["module"]:
            return module_text("moving.js")
        if question == ["motion"]:
            return self._motion()
        return show(self, "taken", question)

    def _motion(self) -> dict[str, Any]:
        """What a page needs to compute the next moves ahead of this kernel; empty if preparing it takes too long."""
        if self._running is not None or self.error or self._session.seconds_taken > _QUICK:
            return {}
        from .page_program import motion  # imported here so that the first picture does not wait for it

        found: dict[str, Any] = {}
        tracing = Computation(lambda check: found.update(motion(self._session, self.recording)), lambda *_: None)
        tracing.start()  # the user's function runs where it always does
        tracing.wait(_MOST_SECONDS)
        return found

    # ------------------------------------------------------------------ messages
    @on_message("move", key=_KEY, index=(int, type(None)), value=_NUMBER, final=bool)
    def _move(self, key: str | int, index: int | None, value: float, final: bool) -> None:
        self._moved(self._session.move(key, index, value, final))

    @on_message("draw", key=_KEY, distribution=str, scale=_NUMBER, seed=int)
    def _draw(self, key: str | int, distribution: str, scale: float, seed: int) -> None:
        self._moved(self._session.draw(key, distribution, scale, seed))

    @on_message("choose", setting=str, value=(str, int))
    def _choose(self, setting: str, value: str | int) -> None:
        self._moved(self._session.choose(setting, value))

    @on_message("intervene", step=int, value=(int, float, type(None)), final=bool)
    def _intervene(self, step: int, value: float | None, final: bool) -> None:
        """What if a step had another value? None restores the computed value."""
        self._moved(self._session.intervene(step, value, final))

    @on_message("undo")
    def _undo(self) -> None:
        self._session.undo()
        self._moved()

    @on_message("reset")
    def _reset(self) -> None:
        self._session.reset()
        self._moved()

    def _moved(self, changed: bool = True) -> None:
        """Compute again if the point has changed or the last computation failed."""
        if changed or self.error:
            self._refresh()
        self._tell(can_undo=self._session.can_undo)


def _first(session: Session) -> tuple[Recording, UserError | None]:
    """The first recording. If the function raises: in a notebook the steps before the error; elsewhere it is raised."""
    try:
        return session.record(), None
    except Exception as raised:
        error = user_error(raised)
        if error.recording is None or notebook.shell() is None:
            raise
        return error.recording, error


def explore(fn: Callable[..., Any], /, *args: Any, options: Mapping[str, Any] | None = None, **inputs: Any) -> Explorer:
    """Explore a function live: move its inputs and watch the value and the gradient of every step follow.

    In plain Python, where there is no notebook to draw in, the view is saved as a page in the folder ``autolab_pages``
    and opened in the browser, if there is one; the path of the first page is printed.

    Parameters
    ----------
    fn : callable
        Takes Variables and returns a Variable or a tuple of them. Given a computed Variable ``y`` instead,
        ``explore(y)`` is ``y.explore()``.
    *args, **inputs
        The arguments of ``fn``, bound to its signature as by `autolab.record`; arrays inside lists, tuples and dicts
        are inputs, too. Numbers and the cells of small arrays can be dragged in their boxes; the box of a larger array
        opens a window that shows all of it. The same holds for the parameters of a link that is explored or passed as
        an argument, up to 64 parameters with a million elements in total. Everything is copied: the caller's arrays,
        Variables and links never change. An option may be given as a keyword if ``fn`` has no input of that name:
        ``explore(f, x=1.0, order=2)``.
    options : dict, optional
        ``upstream``, ``budget``, ``order``, ``wrt``, ``open``, ``forward``, ``tokens`` and ``replace`` (keys are step
        numbers), as for `record`; ``parameters``: arrays that replace parameters of links, by their names in the graph
        (``l1.W``); ``seconds``: the time limit of a computation (default 60); ``train``: the mode (default: the current
        one).

    Returns
    -------
    Explorer
        ``.point`` holds the current inputs and the parameters that were moved, ``.recording`` what the picture shows;
        ``.close()`` closes the view. For a Variable, a `GraphView`, which has no ``point``.

    Raises
    ------
    TypeError
        If the inputs do not fit the signature, or ``fn`` returns anything but Variables.

    Examples
    --------
    >>> import autolab
    >>> def muladd(x, y, z):
    ...     h = x * y
    ...     return h + z
    >>> view = autolab.explore(muladd, x=2.0, y=3.0, z=4.0)
    explore: no notebook to draw in; open ...html in a browser; later views go to the same folder
    """
    __tracebackhide__ = hidden()
    if isinstance(fn, Variable) and not (args or inputs or options):
        return explore_graph(fn, sys._getframe(1))
    with folded():
        if (elsewhere := bridge(fn, args, inputs)) is not None:
            return elsewhere.explore(fn, *args, options=options, **inputs)
        explorer = explorer_of(fn, args, options, inputs)
    explorer._save_here("explore", "explore", explorer.recording.function)
    return explorer


def explorer_of(
    fn: Callable[..., Any], args: tuple[Any, ...], options: Mapping[str, Any] | None, inputs: Mapping[str, Any]
) -> Explorer:
    """The view that `explore` shows, not displayed yet."""
    inputs, options = apart(fn, inputs, options, OPTIONS)
    return Explorer(Session(fn, args, options, inputs))
