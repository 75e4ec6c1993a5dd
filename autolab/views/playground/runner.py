"""The part of the playground that runs in Python: it runs a program and passes messages of its live views to the page.

The page is not a notebook, but its live views are the same widgets. So this module replaces what they need of a
notebook: a shell with a cell that has run (`Shell`), and comms, whose messages go to the page as JSON and bytes
(`PageComm`). IPython itself is not loaded: it would be larger than AutoLab and NumPy together.
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
"""Sends a message to the page: its text, and the bytes that the text refers to."""

PROGRAM = "playground.py"
MOST_TEXT = 100_000
"""The maximum number of printed characters that the page gets."""

_VIEW = "application/vnd.jupyter.widget-view+json"


class Runner:
    """Runs programs one after the other; each starts with an empty namespace and closes the views of the previous one.

    Parameters
    ----------
    post : callable
        Called with the text and the bytes of each message.
    folder : path
        The folder in which the program is saved, so that errors and recordings can show its lines.
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
        """Run a program; everything that it displays and prints, and the value of its last line, go to the page.

        Returns
        -------
        bool
            Whether it ran to the end.
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
        """The program, with its last line replaced by code that opens the live graph at its current point.

        Other programs are returned as they were run.
        """
        session = getattr(self._last, "_session", None)
        tree = ast.parse(self._program)
        if session is None or not hasattr(session, "code") or not tree.body:
            return self._program
        lines = self._program.splitlines()
        return "\n".join([*lines[: tree.body[-1].lineno - 1], session.code(), ""])

    def receive(self, identity: str, content: str) -> None:
        """Receive a message from the page to one of the views, as JSON."""
        comm = self._comms.get(identity)
        if comm is not None:  # the view may have been closed in the meantime
            comm.handle_msg({"content": {"data": {"method": "custom", "content": json.loads(content)}}, "buffers": []})

    def show(self, *values: Any) -> None:
        """Display values on the page, as a notebook would: live views live, everything else as a picture and text."""
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
    """The parts of IPython's shell that live views need: which cell is running, and a notification when one has run."""

    def __init__(self) -> None:
        self._runs = 0
        self.events = Events()
        self.compile = SimpleNamespace(format_code_name=lambda file: None)
        self.kernel = SimpleNamespace(get_parent=self._parent)

    def begin(self) -> None:
        """A new run of the program begins; whatever it creates from now on belongs to this run."""
        self._runs += 1

    def end(self, error: BaseException | None) -> None:
        """The run has ended, perhaps with an error."""
        self.events.trigger("post_run_cell", SimpleNamespace(error_in_exec=error))

    def _parent(self) -> dict[str, Any]:
        return {"metadata": {"cellId": PROGRAM}, "header": {"msg_id": str(self._runs)}}


class Events:
    """Functions to call on events, by name."""

    def __init__(self) -> None:
        self.callbacks: dict[str, list[Callable[..., Any]]] = defaultdict(list)

    def register(self, event: str, function: Callable[..., Any]) -> None:
        """Call ``function`` on this event from now on."""
        self.callbacks[event].append(function)

    def unregister(self, event: str, function: Callable[..., Any]) -> None:
        """Stop calling ``function`` on this event."""
        self.callbacks[event].remove(function)

    def trigger(self, event: str, *given: Any) -> None:
        """Call the functions of an event."""
        for function in [*self.callbacks[event]]:
            function(*given)


class _Told(io.TextIOBase):
    """A stream that sends printed text to the page, one or more lines per message."""

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
    """Run a program. Returns the value of the last line if that is an expression, else None."""
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
    """The traceback with only the frames of the program: those of libraries would not help its author."""
    told = traceback.TracebackException.from_exception(error)
    told.stack = traceback.StackSummary.from_list([frame for frame in told.stack if frame.filename == path])
    told.__context__ = None  # what AutoLab or NumPy were doing at the time
    return "".join(told.format())


def _stand_in_for_ipython(shell: Shell, display: Callable[..., None]) -> None:
    """Provide the names that ipywidgets imports from IPython; of these, a page has only the shell and `display`."""
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
# The page caches the bytecode of imported modules, so that the next visit need not compile them. Pyodide comes with
# Python's own modules, NumPy and AutoLab as source; compiling it takes half of the startup time.

ZIP = ".zip/"
"""Python's own modules are in an archive."""

ARCHIVE = "/lib/bytecode.zip"
"""The same archive with bytecode next to the source: modules that were not imported are found there as source."""

_UNCHECKED = MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8)
"""The header of bytecode files that Python does not check: the page uses it only for the very same source files."""


def compiled() -> Iterator[tuple[str, bytes] | None]:
    """The bytecode files of the modules that are imported now, each with its path.

    It yields after every module, with None if there is no file yet: those of an archive are in one file, the last one.

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
