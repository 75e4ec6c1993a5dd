"""Starts the processes of notebooks from a new interpreter, which has imported AutoLab but no exercises.

A forked process inherits the memory of its parent, where a search would find the exercises. Therefore the grading
process, which has imported them, forks only judges, and asks this interpreter to start the notebooks' processes. Where
bubblewrap is installed, all of them are behind it.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from . import fences, notebook_process
from .wire import LineBroken, Wire

PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); import autolab.lesson.grading.notebook_starter as it; "
)
_SERVE = "it.serve(int(sys.argv[2]), it.Path(sys.argv[3]), int(sys.argv[4]))"

_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
"""How many threads a product of matrices takes: each processor has a notebook of its own."""

LONGEST_ORDER = 128 << 20
"""The largest size of a notebook's cells in bytes, encoded as JSON."""


# ---------------------------------------------------------------------------------------------------- in the grader
@contextmanager
def starter(hidden: Sequence[Path], megabytes: int, processes: int) -> Iterator[socket.socket]:
    """Run the interpreter during the block; gives the socket for `RunningNotebook`.

    ``processes`` notebooks at a time have room for files of so many ``megabytes`` each. ``hidden`` is not to be seen.
    """
    ours, theirs = socket.socketpair()
    prefix = "autolab-grade-"
    with ours, tempfile.TemporaryDirectory(prefix=prefix, ignore_cleanup_errors=True) as work:
        with theirs:
            walls = fences.bubblewrap(Path(work), hidden, megabytes * (processes + 1))
            told = [json.dumps(sys.path), str(theirs.fileno()), work, str(megabytes)]
            command = [*walls, sys.executable, "-c", PROGRAM + _SERVE, *told]
            process = subprocess.Popen(
                command,
                env=os.environ | dict.fromkeys(_THREADS, "1"),
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        try:
            yield ours
        finally:
            process.kill()
            process.wait()


class RunningNotebook:
    """A notebook's process: ``line`` is the connection to it, and ``end`` terminates it."""

    def __init__(self, asked: socket.socket, deadline: float, order: dict[str, Any]) -> None:
        ours, theirs = socket.socketpair()
        control, keeper = socket.socketpair()
        with theirs, keeper:
            socket.send_fds(asked, [b"1"], [theirs.fileno(), keeper.fileno()])
        self.line = Wire(ours, deadline)
        self._control = Wire(control, longest=LONGEST_ORDER)
        self._control.send(order)

    def end(self) -> int:
        """Terminate it and its child processes; returns the number of the signal that ended it, or 0."""
        with self.line.end, self._control.end, suppress(LineBroken):
            self._control.send({"end": True})
            return int(self._control.receive()["ended_by"])
        return 0


# -------------------------------------------------------------------------------------------------- in the interpreter
def serve(number: int, work: Path, megabytes: int) -> None:
    """For each request on the socket with this number, start a keeper, which starts a notebook's process.

    The keeper is the first process of a namespace, if that is permitted: whatever is in it ends with the keeper.
    """
    _import_what_notebooks_use()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no process waits for a keeper
    warnings.simplefilter("ignore", DeprecationWarning)  # about forks with threads: NumPy's libraries support them
    with socket.socket(fileno=number) as requests:
        while True:
            told, ends, *_ = socket.recv_fds(requests, 1, 2)
            if not told:
                return
            if os.fork() == 0:
                requests.close()
                folder = Path(tempfile.mkdtemp(dir=work))
                fences.apart(folder, megabytes)
                if os.fork() == 0:
                    _keep(folder, *ends)
                os._exit(0)
            for end in ends:
                os.close(end)


def _import_what_notebooks_use() -> None:
    """Import the modules once, before the notebooks' processes are forked."""
    import autolab

    from ...training import extensions

    assert extensions and all([getattr(autolab, name) is not None for name in autolab.__all__])


def _keep(folder: Path, line: int, control: int) -> None:
    """The main function of a keeper: it starts a notebook's process, and terminates it when the judge asks for it or
    has ended."""
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        judge = Wire(socket.socket(fileno=control), longest=LONGEST_ORDER)
        order = judge.receive()
        child = os.fork()
        if child == 0:
            judge.end.detach()
            _answer_and_leave(line, order, folder)
        os.close(line)
        with suppress(LineBroken):
            judge.receive()
        ended_by = _end(child)
        shutil.rmtree(folder, ignore_errors=True)
        judge.send({"ended_by": ended_by})
    finally:
        os._exit(0)


def _answer_and_leave(line: int, order: dict[str, Any], folder: Path) -> None:
    """The main function of the notebook's process, which never returns."""
    try:
        os.setsid()
        kept = os.dup2(line, 3)
        os.closerange(4, 4096)
        os.chdir(folder)
        names = ("HOME", "TMPDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")
        os.environ.clear()
        os.environ.update({name: str(folder) for name in names} | {"PATH": os.defpath, "LANG": "C.UTF-8"})
        tempfile.tempdir = str(folder)
        fences.limit(order["seconds"], order["megabytes"])
        fences.enclose(folder, tuple(map(Path, order["hidden"])), _teller(kept))
        notebook_process.run_cells(Wire(socket.socket(fileno=kept)), order["sources"])
    finally:
        os._exit(0)


def _teller(line: int) -> Callable[[str], Any]:
    """A function that tells the judge about an attempt to read a hidden file; it holds its own references to what it
    calls."""
    write, quoted = os.write, json.encoder.encode_basestring_ascii
    return lambda path: write(line, b'{"opened": ' + quoted(path[-100:]).encode() + b"}\n")


def _end(child: int) -> int:
    """Terminate a notebook's process and its children; returns the number of the signal that ended it, or 0."""
    found, status = os.waitpid(child, os.WNOHANG)
    for end in (os.killpg, os.kill):
        with suppress(ProcessLookupError, PermissionError):
            end(child, signal.SIGKILL)
    return status & 0x7F if found else os.waitpid(child, 0)[1] & 0x7F
