"""`grade`: grades all notebooks in a folder, a few at a time, and writes the results as a table and as a page."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from ...shared.files import FileFormatError, check_writable, reading, write
from ...views.draw import clean
from ..checking import exercises, lessons
from ..own import own_folders
from ..shipped import ANSWERS
from . import notebook_judge, notebook_starter
from .class_page import page_of
from .graded import Graded, NotebookLimits, table

_LARGEST = 20 << 20
_CHECKED = re.compile(r"\bcheck\(\s*[\"']([a-zA-Z]\w*)-")
_PATIENCE = 3
"""The elapsed time of a notebook may be this many times its processor time, as other programs use processors, too."""

_SPARE = 20.0
"""Seconds that a judge has in addition to those of the notebook, before it is killed as well."""


def grade(
    folder: str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    limits: NotebookLimits | None = None,
    processes: int | None = None,
    tell: Callable[[Graded], None] = lambda graded: None,
) -> list[Graded]:
    """Run and judge every notebook in a folder and its subfolders.

    Each notebook runs in a process of its own: in an empty folder, without a network, and with limits on time, memory
    and files (`fences` lists the protections of each system). Its answers are judged by another process, so that it
    cannot give itself points.

    Parameters
    ----------
    folder : str or path
        The folder of the notebooks, which are not changed.
    output : str or path, optional
        A file for the table, with the suffix ``.csv``; a page with the common mistakes is written next to it.
    limits : NotebookLimits, optional
    processes : int, optional
        Number of notebooks to run at a time; by default one per processor.
    tell : callable, optional
        Called with each result as soon as it is available.

    Returns
    -------
    list of Graded
        In the order of the paths.

    Raises
    ------
    ValueError
        If the folder does not exist or has no notebooks, or the output has another suffix.
    OSError
        If the output cannot be written, which is checked before the notebooks run.
    RuntimeError
        On a system that cannot fork processes, such as Windows.

    Examples
    --------
    >>> from autolab.lesson.grading import grade
    >>> grade("nowhere")
    Traceback (most recent call last):
    ...
    ValueError: grade: there is no folder 'nowhere'
    """
    root = Path(folder).resolve()
    if not root.is_dir():
        raise ValueError(f"grade: there is no folder {clean(folder, 100)!r}")
    target = None if output is None else Path(output)
    if target is not None and target.suffix.lower() != ".csv":
        raise ValueError(f"grade: got the output {clean(target, 100)!r}; expected a name that ends in .csv")
    if processes is not None and processes < 1:
        raise ValueError(f"grade: got processes={processes}; expected 1 or more")
    if not hasattr(os, "fork"):
        raise RuntimeError("grade: this needs a system whose processes can fork: Linux, macOS, or WSL on Windows")
    notebooks = notebooks_in(root)
    if not notebooks:
        raise ValueError(f"grade: {clean(folder, 100)!r} holds no notebook (*.ipynb)")
    if target is not None:
        for path in (target, target.with_suffix(".html")):
            check_writable(path, "grade")
    limits, processes = limits or NotebookLimits(), processes or _processors()
    with notebook_starter.starter([root, *_answers()], limits.disk_megabytes, processes) as asked:
        _warm()
        graded = _all(asked, root, notebooks, limits, processes, tell)
    if target is not None:
        write(target, table(graded))
        write(target.with_suffix(".html"), page_of(graded))
    return graded


def notebooks_in(root: Path) -> list[Path]:
    """The notebooks in a folder and its subfolders, relative to it."""
    found = [path.relative_to(root) for path in root.rglob("*.ipynb") if path.is_file()]
    return sorted([path for path in found if not any([part.startswith(".") for part in path.parts])])


def _processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _warm() -> None:
    """Import the exercises once, before the judges are forked."""
    for lesson in lessons():
        exercises(lesson)


# ---------------------------------------------------------------------------------------------------- the processes
def _all(
    asked: socket.socket,
    root: Path,
    notebooks: Sequence[Path],
    limits: NotebookLimits,
    processes: int,
    tell: Callable[[Graded], None],
) -> list[Graded]:
    """Judge the notebooks, ``processes`` at a time, each by a process of its own."""
    context = get_context("fork")
    waiting = list(reversed(notebooks))
    running: dict[Any, tuple[Path, Any, float]] = {}
    done: dict[Path, Graded] = {}
    while waiting or running:
        while waiting and len(running) < processes:
            path = waiting.pop()
            ours, theirs = context.Pipe(duplex=False)
            judge = context.Process(target=_judge_and_send, args=(theirs, asked, root, path, limits))
            _start(judge)
            theirs.close()
            running[ours] = (path, judge, time.monotonic() + _PATIENCE * limits.seconds + _SPARE)
        ready = wait(list(running), timeout=0.5)
        late = [end for end, (_, _, latest) in running.items() if time.monotonic() > latest]
        for end in {*ready, *late}:
            path, judge, _ = running.pop(end)
            done[path] = _received(end, judge, path, is_there=end in ready)
            tell(done[path])
    return [done[path] for path in notebooks]


def _start(judge: Any) -> None:
    """Start a process; Python 3.12 warns about forking with threads, but those of NumPy's libraries support it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        judge.start()


def _received(end: Any, judge: Any, path: Path, is_there: bool) -> Graded:
    try:
        found = end.recv() if is_there else None  # from our own judge, which runs no code of the notebook
    except EOFError:
        found = None
    judge.kill()
    judge.join()
    end.close()
    return found if isinstance(found, Graded) else Graded(str(path), problem="it could not be judged")


def _judge_and_send(end: Any, asked: socket.socket, root: Path, path: Path, limits: NotebookLimits) -> None:
    with suppress(KeyboardInterrupt):  # Ctrl-C reaches the grader as well, which then ends
        end.send(_graded_notebook(asked, root, path, limits))


def _graded_notebook(asked: socket.socket, root: Path, path: Path, limits: NotebookLimits) -> Graded:
    """Judge one notebook, which another process runs in the sandbox."""
    if not (root / path).resolve().is_relative_to(root):
        return Graded(str(path), problem="it is a link to a file outside the folder, and was not run")
    try:
        sources = _sources(root / path)
    except (OSError, FileFormatError) as error:
        return Graded(str(path), problem=f"it cannot be read: {clean(error, 160)}")
    lesson = lesson_of(sources)
    if not lesson:
        return Graded(str(path), problem="it checks no exercise that is known")
    order = {"seconds": limits.seconds, "megabytes": limits.megabytes, "sources": sources}
    order["hidden"] = [str(path) for path in (root, *_answers())]
    running = notebook_starter.RunningNotebook(asked, time.monotonic() + _PATIENCE * limits.seconds, order)
    try:
        results, problem = notebook_judge.judge_answers(running.line, lesson)
    finally:
        ended_by = running.end()
    if problem == notebook_judge.PROBLEMS["gone"] and ended_by == signal.SIGXCPU:
        problem = f"{notebook_judge.PROBLEMS['time']}: {limits.seconds:g} s of the processor"
    elif problem == notebook_judge.PROBLEMS["time"]:
        problem += f": {_PATIENCE * limits.seconds:g} s, with less than {limits.seconds:g} s of the processor"
    return Graded(str(path), lesson, tuple(results.values()), problem)


def _answers() -> list[Path]:
    """The locations of the exercises and their answers."""
    places = [path for path in ANSWERS.iterdir() if (path / "exercises.py").exists()]
    own = [path / name for path in own_folders.values() for name in ("exercises.py", "answers.toml", "__pycache__")]
    return [*places, *own]


# ---------------------------------------------------------------------------------------------------- reading notebooks
def _sources(path: Path) -> list[str]:
    """The code cells of a notebook."""
    with reading(path):
        if path.stat().st_size > _LARGEST:
            raise ValueError(f"it has more than {_LARGEST >> 20} MB")
        book = json.loads(path.read_bytes())
        cells = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
        sources = ["".join(cell["source"]) for cell in cells]
    return sources


def lesson_of(sources: Sequence[str]) -> str:
    """The lesson whose exercises a notebook checks most often; empty if there is none.

    Examples
    --------
    >>> lesson_of(['lesson.check("start-zero", found)', "1 + 1"])
    'start'
    """
    known = lessons()
    asked = [name for source in sources for name in _CHECKED.findall(source) if name in known]
    return max(known, key=asked.count) if asked else ""
