"""What the audit hook refuses. `fences` runs this file in a namespace of its own: see `fences.alone`.

A notebook may change every name that it can reach: in builtins, in modules, and in the frames of an error. Therefore
the deciding code uses copies, never raises an error itself, and calls no methods of its arguments: a path may be a
subclass of str whose methods lie.

If nothing else guards the files, a path must still lead to the same place when the system resolves it a moment later,
from any folder: another thread may have changed something on the way. Therefore links cannot be created in the folder,
the process cannot leave it, and ``..`` is refused inside it. Hidden files are also recognised by their inode, as they
may have other names.
"""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Callable
from typing import Any

_PROCESSES = (
    *("os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.exec", "os.system", "os.kill", "os.killpg"),
    *("os.startfile", "pty.spawn", "subprocess.Popen", "signal.pthread_kill", "os.setxattr", "os.removexattr"),
)
_NETWORK = (
    *("socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo"),
    *("socket.gethostbyname", "socket.gethostbyaddr"),
)
_SEARCHES = ("gc.get_objects", "gc.get_referrers", "gc.get_referents")  # they would find the hook
_REFUSED = frozenset((*_PROCESSES, *_NETWORK, *_SEARCHES))
_CHANGES = frozenset(
    (
        *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod"),
        *("os.chown", "os.utime"),
    )
)
_LEAVING = frozenset(("os.chdir", "os.symlink", "sqlite3.connect"))  # the last one can open any file
_OPENERS = frozenset(("_tkinter", "readline", "_sqlite3", "_gdbm", "_dbm", "h5py"))
"""Modules that open files without an audit event."""
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_NO_PATHS = (int, float, tuple, type(None))
_OPENS = "a graded notebook may not open this file"
_MEMORY = ("/proc",)


def decider(
    folder: str, hidden: tuple[str, ...], tell: Callable[[str], Any], files: bool
) -> Callable[[str, tuple[Any, ...]], str]:
    """A function that returns why an event is refused, or ''; ``files`` if nothing else guards other files."""
    inside = (posixpath.realpath(folder), posixpath.realpath(os.devnull))
    shut = tuple([posixpath.realpath(path) for path in hidden])
    beside = frozenset([posixpath.dirname(path) for path in shut])
    numbers = frozenset([number for path in shut for one in (path, *_within(path)) if (number := _number(one))])

    def decide(event: str, arguments: tuple[Any, ...]) -> str:
        if event in _REFUSED or event[:7] == "ctypes.":
            return f"{event} is not allowed in a graded notebook"
        if event == "open" and arguments[0] is not None and type(arguments[0]) is not int:
            path, _, flags = arguments
            return _about_opening(_text(path), flags or 0)
        if event == "import" and _is_foreign(*arguments[:2]):
            return "a graded notebook may not import this module"
        if files and event in _LEAVING | _CHANGES:
            paths = [_text(one) for one in arguments if type(one) not in _NO_PATHS]
            for path in paths:
                found = posixpath.realpath(path)
                if _is_hidden(found) or found in beside:
                    tell(path)
            if event in _LEAVING or not _may_change(event, arguments, paths):
                return "a graded notebook may not change this file"
        return ""

    def _is_foreign(name: Any, file: Any) -> bool:
        """Whether a module is machine code from the notebook's folder, or opens files without an audit event."""
        if file is not None and _under(posixpath.realpath(_text(file)), inside):
            return True
        return files and not _OPENERS.isdisjoint(_text(name).split("."))

    def _about_opening(path: str, flags: int) -> str:
        found = posixpath.realpath(path)
        if _is_hidden(found):
            tell(path)
            return _OPENS
        if files and _may_slip(path):
            return _OPENS
        if files and not _under(found, inside) and (flags & _WRITING or _under(found, _MEMORY) or _is_folder(found)):
            return _OPENS
        return ""

    def _is_hidden(found: str) -> bool:
        return _under(found, shut) or any([_number(path) in numbers for path in (found, *_above(found))])

    def _may_slip(path: str) -> bool:
        """Whether a path goes up by ``..`` from a place that a notebook can change."""
        if ".." not in path.split("/"):
            return False
        before = path[: path.index("..")]
        return not before.startswith("/") or _under(posixpath.realpath(before), (*inside, *_MEMORY))

    def _may_change(event: str, arguments: tuple[Any, ...], paths: list[str]) -> bool:
        places = arguments[2:] if event in ("os.rename", "os.link") else arguments[-1:]
        if event != "os.truncate" and any([type(one) is int and one != -1 for one in places]):
            return False  # relative to a folder that is open
        return all([_under(posixpath.realpath(path), inside) and not _may_slip(path) for path in paths])

    return decide


def _text(path: Any) -> str:
    """A path as a plain str, without calling its own methods, which might return another path than the system gets."""
    if issubclass(type(path), str):
        return str.__str__(path)
    if issubclass(type(path), bytes):
        return str(path, "utf-8", "surrogateescape")
    raise TypeError("no path")


def _under(found: str, roots: tuple[str, ...]) -> bool:
    return any([found == root or found.startswith(root + "/") for root in roots])


def _above(found: str) -> list[str]:
    """The folders that contain a path, starting at the root."""
    return [found[:i] for i in range(1, len(found)) if found[i] == "/"]


def _within(path: str) -> list[str]:
    """The paths in a folder; none if it cannot be read, in which case the notebook cannot read it either."""
    try:
        return [posixpath.join(path, name) for name in os.listdir(path)]
    except OSError:
        return []


def _number(path: str) -> tuple[int, int] | None:
    """Device and inode, which identify a file under any name; None if it does not exist."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _is_folder(found: str) -> bool:
    """Whether it is a folder, relative to which files could be opened by paths that cannot be checked here."""
    try:
        return stat.S_ISDIR(os.stat(found).st_mode)
    except OSError:
        return False
