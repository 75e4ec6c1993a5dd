"""What runs in the playground's Python: it runs a program and hands the messages of its live views to the page.

The page is no notebook, but its live views are the same widgets. So this module stands in for what they ask of a
notebook: a shell with a cell that has run (`Shell`), and comms, whose messages go to the page as JSON and bytes
(`PageComm`). IPython itself is not loaded: it would weigh more than AutoLab and NumPy together.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import linecache
import marshal
import sys
import traceback
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from comm.base_comm import BaseComm

Post = Callable[[str, "list[bytes]"], None]
"""Hands a message to the page: its text, and bytes that the text refers to."""

PROGRAM = "playground.py"
MOST_TEXT = 100_000
"""Of what a program prints, the page gets so many characters."""

_VIEW = "application/vnd.jupyter.widget-view+json"


class Runner:
    """Runs programs, one after the other; each begins with no names, and closes the views of the one before.

    Parameters
    ----------
    post : callable
        Given the text of each message and its bytes.
    folder : path
        Where the program is written, so that errors and recordings can show its lines.
    """

    def __init__(self, post: Post, folder: str | Path = ".") -> None:
        self._post, self._path = post, Path(folder) / PROGRAM
        self._shell = Shell()
        self._comms: dict[str, PageComm] = {}
        self._program = ""
        self._last: Any = None
        _stand_in_for_ipython(self._shell, self.show)
        import comm

        comm.create_comm = self._open

    def run(self, program: str) -> bool:
        """Run a program; what it shows and prints, and the value of its last line, go to the page.

        Returns
        -------
        bool
            Whether it ran to its end.
        """
        self._path.write_text(program, encoding="utf-8")
        linecache.checkcache(str(self._path))
        self._shell.begin()
        namespace = {"__name__": "__main__", "__file__": str(self._path)}
        told, raised = _Told(self._tell), None
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
            try:
                value = _run(program, str(self._path), namespace)
                self._program, self._last = program, value
                if value is not None:
                    self.show(value)
                return True
            except SystemExit as end:
                return not end.code
            except BaseException as error:
                raised = error
                self._tell(_traceback(error, str(self._path)))
                return False
            finally:
                told.flush()
                self._shell.end(raised)

    def program_here(self) -> str:
        """The program with its last line as code that opens the live graph at the point to which it was moved.

        Other programs are as they were run.
        """
        session = getattr(self._last, "_session", None)
        tree = ast.parse(self._program)
        if session is None or not hasattr(session, "code") or not tree.body:
            return self._program
        lines = self._program.splitlines()
        return "\n".join([*lines[: tree.body[-1].lineno - 1], session.code(), ""])

    def receive(self, identity: str, content: str) -> None:
        """A message of the page to one of the views, as JSON."""
        comm = self._comms.get(identity)
        if comm is not None:  # a view that was closed meanwhile hears nothing
            comm.handle_msg({"content": {"data": {"method": "custom", "content": json.loads(content)}}, "buffers": []})

    def show(self, *values: Any) -> None:
        """Show values on the page, as a notebook would: live views live, everything else as picture and text."""
        for value in values:
            data = _bundle(value)
            if _VIEW in data:
                self._send({"do": "view", "model": data[_VIEW]["model_id"]})
            else:
                self._send({"do": "show", "text": data["text/plain"][:MOST_TEXT], "html": data.get("text/html")})

    def _tell(self, text: str) -> None:
        self._send({"do": "print", "text": text})

    def _send(self, message: dict[str, Any], buffers: list[bytes] | None = None) -> None:
        self._post(json.dumps(message), buffers or [])

    def _open(self, **options: Any) -> PageComm:
        opened = PageComm(self._send, self._comms, **options)
        return opened


class PageComm(BaseComm):
    """The Python end of a widget's comm: its messages go to the page in the order in which they are published."""

    def __init__(self, send: Callable[..., None], comms: dict[str, PageComm], **options: Any) -> None:
        self._send, self._comms = send, comms
        super().__init__(**options)

    def publish_msg(
        self, msg_type: str, data: Any = None, metadata: Any = None, buffers: Any = None, **keys: Any
    ) -> None:
        """Send one message; opening and closing a comm are messages, too."""
        data = data or {}
        if msg_type == "comm_open":
            self._comms[self.comm_id] = self
        elif msg_type == "comm_close":
            self._comms.pop(self.comm_id, None)
        found = [bytes(buffer) for buffer in buffers or []]
        self._send({"do": msg_type, "model": self.comm_id, "data": data}, found)


class Shell:
    """What live views ask of IPython's shell: which cell runs, and to be told when one has run."""

    def __init__(self) -> None:
        self._runs = 0
        self.events = Events()
        self.compile = SimpleNamespace(format_code_name=lambda file: None)
        self.kernel = SimpleNamespace(get_parent=self._parent)

    def begin(self) -> None:
        """The program runs once more: from now on, what it makes belongs to this run."""
        self._runs += 1

    def end(self, error: BaseException | None) -> None:
        """It has run, or raised."""
        self.events.trigger("post_run_cell", SimpleNamespace(error_in_exec=error))

    def _parent(self) -> dict[str, Any]:
        return {"metadata": {"cellId": PROGRAM}, "header": {"msg_id": str(self._runs)}}


class Events:
    """Functions to call when something has happened, by its name."""

    def __init__(self) -> None:
        self.callbacks: dict[str, list[Callable[..., Any]]] = defaultdict(list)

    def register(self, event: str, function: Callable[..., Any]) -> None:
        """Call it from now on."""
        self.callbacks[event].append(function)

    def unregister(self, event: str, function: Callable[..., Any]) -> None:
        """No more."""
        self.callbacks[event].remove(function)

    def trigger(self, event: str, *given: Any) -> None:
        """It has happened."""
        for function in [*self.callbacks[event]]:
            function(*given)


class _Told(io.TextIOBase):
    """What is printed, a message for each line or more."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell, self._waiting, self._told = tell, "", 0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self._waiting += text
        if "\n" in text:
            self.flush()
        return len(text)

    def flush(self) -> None:
        room, self._waiting, waiting = MOST_TEXT - self._told, "", self._waiting
        if waiting and room > 0:
            self._told += len(waiting)
            self._tell(waiting[:room] + ("\n(more was printed)\n" if len(waiting) > room else ""))


def _run(program: str, path: str, namespace: dict[str, Any]) -> Any:
    """The value of the last line if that is an expression, None otherwise."""
    tree = ast.parse(program, path)
    last = tree.body[-1] if tree.body else None
    if not isinstance(last, ast.Expr):
        return exec(compile(tree, path, "exec"), namespace)
    tree.body.pop()
    exec(compile(tree, path, "exec"), namespace)
    return eval(compile(ast.Expression(last.value), path, "eval"), namespace)


def _bundle(value: Any) -> dict[str, Any]:
    found = value._repr_mimebundle_() if hasattr(value, "_repr_mimebundle_") else {}
    data = found[0] if isinstance(found, tuple) else found
    return data or {"text/plain": repr(value)}


def _traceback(error: BaseException, path: str) -> str:
    """The error with the frames of the program alone: those of libraries would not help whoever wrote it."""
    told = traceback.TracebackException.from_exception(error)
    told.stack = traceback.StackSummary.from_list([frame for frame in told.stack if frame.filename == path])
    told.__context__ = None  # what AutoLab or NumPy were doing when it came
    return "".join(told.format())


def _stand_in_for_ipython(shell: Shell, display: Callable[..., None]) -> None:
    """ipywidgets imports these names of IPython; of what they do, a page has the shell and `display`."""
    names: dict[str, dict[str, Any]] = {
        "IPython": {"get_ipython": lambda: shell, "display": display},
        "IPython.display": {"display": display, "clear_output": lambda *given, **options: None},
        "IPython.core": {},
        "IPython.core.interactiveshell": {"InteractiveShell": Shell},
    }
    for name, content in names.items():
        module = sys.modules[name] = ModuleType(name)
        vars(module).update(content, __path__=[])


# ---------------------------------------------------------------------------------------------------- bytecode
# The page keeps that of what was imported, so that the next visit need not compile. Pyodide brings Python's own
# modules, NumPy and AutoLab as text; to compile it takes half of a start.

ZIP = ".zip/"
"""Python's own modules are in an archive."""

ARCHIVE = "/lib/bytecode.zip"
"""The same archive with bytecode beside the text: a module that was not imported is found there as text."""

_UNCHECKED = MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)
"""The head of a file of bytecode that Python takes as it is: the page gives it to the very same files only."""


def compiled() -> Iterator[tuple[str, bytes] | None]:
    """The files to keep of the modules that are imported now: each with its path.

    It pauses after every module, with None where there is no file yet: those of an archive are in one file, the last.

    Examples
    --------
    >>> path, content = next(file for file in compiled() if file)
    >>> path.endswith(".pyc"), content[:4] == MAGIC_NUMBER
    (True, True)
    """
    archive, inside = "", dict[str, bytes]()
    for module in [*sys.modules.values()]:
        spec = getattr(module, "__spec__", None)
        if spec is None or not (spec.origin or "").endswith(".py"):
            continue
        code = spec.loader.get_code(spec.name)
        if code is None:
            continue
        content = _UNCHECKED + marshal.dumps(code)
        before, in_archive, name = spec.origin.partition(ZIP)
        if in_archive:
            archive, inside[f"{name}c"] = before + ZIP.rstrip("/"), content
            yield None
        else:
            yield cache_from_source(spec.origin), content
    if archive:
        yield ARCHIVE, _with(Path(archive).read_bytes(), inside)


def _with(archive: bytes, files: dict[str, bytes]) -> bytes:
    """The archive with these files added."""
    held = io.BytesIO(archive)
    with zipfile.ZipFile(held, "a") as added:
        for name, content in files.items():
            added.writestr(name, content)
    return held.getvalue()
