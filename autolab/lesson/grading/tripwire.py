"""The tripwire: two audit hooks, which make Python code fail early, and report who looks for the answers.

They guard nothing. Whoever knows Python can go around them, through another interpreter in the same process for
example, or remove them. What must hold is held by the kernel; see `fences`.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Hook = Callable[[str, tuple[Any, ...]], None]


def refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook that refuses other processes, connections, and searches for itself.

    Signal handlers and other threads see its frame. Therefore all that it knows are constants of its code.
    """
    if event in {
        *("os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.exec", "os.system", "os.startfile", "pty.spawn"),
        *("os.kill", "os.killpg", "signal.pthread_kill", "subprocess.Popen", "ctypes.dlopen", "ctypes.dlsym"),
        *("socket.connect", "socket.bind", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname"),
        *("gc.get_objects", "gc.get_referrers", "gc.get_referents"),
    }:
        raise PermissionError(f"autolab grade: {event} is not allowed in a graded notebook")


def reporter(hidden: Sequence[Path], shown: Sequence[Path], tell: Callable[[str], Any]) -> Hook:
    """An audit hook that refuses to open or list what is ``hidden``, but not what is ``shown`` within, and tells it."""
    shut, known = [[posixpath.realpath(path) for path in paths] for paths in (hidden, shown)]

    def report(event: str, arguments: tuple[Any, ...]) -> None:
        if event not in ("open", "os.listdir", "os.scandir", "os.chdir") or not isinstance(arguments[0], str | bytes):
            return
        found = posixpath.realpath(os.fsdecode(arguments[0]))
        if _depth(found, shut) > _depth(found, known):
            tell(os.fsdecode(arguments[0]))
            raise PermissionError("autolab grade: a graded notebook may not open this file")

    return report


def _depth(found: str, roots: Sequence[str]) -> int:
    """The length of the innermost root that contains a path; 0 if none does."""
    return max([len(root) for root in roots if found == root or found.startswith(root + "/")], default=0)
