"""What the hook of Python refuses. `fences` runs this file with names of its own: see `fences.alone`.

A notebook may change every name that it can reach: of builtins, of modules, in the frames that an error shows. So the
deciding code sees copies, no error leaves it, and nothing of what it is given is called: a path may be a subclass of
str whose methods lie.
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
_SEARCHES = ("gc.get_objects", "gc.get_referrers", "gc.get_referents")  # which would find this
_REFUSED = frozenset((*_PROCESSES, *_NETWORK, *_SEARCHES))
_CHANGES = frozenset(
    (
        *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod"),
        *("os.chown", "os.utime", "sqlite3.connect"),
    )
)
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_OPENS = "a notebook that is graded opens no file here"
_MEMORY = ("/proc",)


def decider(
    folder: str, hidden: tuple[str, ...], tell: Callable[[str], Any], files: bool
) -> Callable[[str, tuple[Any, ...]], str]:
    """What says why an event is refused, or ''; ``files`` if nobody else guards the files outside ``folder``."""
    inside = (posixpath.realpath(folder), posixpath.realpath(os.devnull))
    shut = tuple([posixpath.realpath(path) for path in hidden])

    def decide(event: str, arguments: tuple[Any, ...]) -> str:
        if event in _REFUSED or event[:7] == "ctypes.":
            return f"{event} is not allowed in a notebook that is graded"
        if event == "open" and arguments[0] is not None and type(arguments[0]) is not int:
            path, _, flags = arguments
            return _about_opening(_text(path), flags or 0)
        if files and event in _CHANGES and not _may_change(event, arguments):
            return "a notebook that is graded changes no file here"
        return ""

    def _about_opening(path: str, flags: int) -> str:
        found = posixpath.realpath(path)
        if _under(found, shut):
            tell(path)
            return _OPENS
        if files and not _under(found, inside) and (flags & _WRITING or _under(found, _MEMORY) or _is_folder(found)):
            return _OPENS
        return ""

    def _may_change(event: str, arguments: tuple[Any, ...]) -> bool:
        places = arguments[2:] if event in ("os.rename", "os.link") else arguments[-1:]
        if event != "os.truncate" and any([type(one) is int and one != -1 for one in places]):
            return False  # relative to a folder that is open
        paths = [one for one in arguments if type(one) not in (int, float, tuple, type(None))]
        return all([_under(posixpath.realpath(_text(path)), inside) for path in paths])

    return decide


def _text(path: Any) -> str:
    """A path as text of the type str itself; who asks an object for its path may get another one than the system."""
    if issubclass(type(path), str):
        return str.__str__(path)
    if issubclass(type(path), bytes):
        return str(path, "utf-8", "surrogateescape")
    raise TypeError("no path")


def _under(found: str, roots: tuple[str, ...]) -> bool:
    return any([found == root or found.startswith(root + "/") for root in roots])


def _is_folder(found: str) -> bool:
    """Whether files could be opened relative to it, by paths that nobody here can follow."""
    try:
        return stat.S_ISDIR(os.stat(found).st_mode)
    except OSError:
        return False
