"""The walls around the process of a notebook: limits of resources, and no other files, processes or connections.

The kernel of Linux holds them, by whatever the machine permits:

- `bubblewrap`, where it is installed: the interpreter that starts the notebooks of a class sees only the files of
  Python and AutoLab, and its folders have a limit for all of them together.
- `apart`: each notebook has namespaces of its own. Its processes end with it, all files but those of its folder are
  read-only, and the folder has a limit.
- `enclose`: Landlock for files, a filter of system calls, and no rights of root.

Limits of resources work on every Unix. The audit hooks of `tripwire` are no wall.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any

from . import system_calls, tripwire

_NEW_USER = 0x10000000
_NEW_OTHERS = 0x00020000 | 0x08000000 | 0x20000000 | 0x40000000  # mounts, IPC, processes, network
_PRIVATE, _NO_SUID_DEVICES_PROGRAMS = 0x00044000, 0x0E
_SET_MOUNTS, _HERE, _ALL_BELOW, _READ_ONLY = 442, -100, 0x8000, 1
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF, _NO_NEW_PRIVILEGES = 444, 445, 446, 38
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""The number of file access rights that each version of Landlock has."""


def limit(seconds: float, megabytes: int, file_megabytes: int = 16) -> None:
    """Limit the processor time, the memory, the size of each file and the number of open files."""
    import resource  # not available on Windows

    processor = max(1, round(seconds))
    for which, soft, hard in (
        (resource.RLIMIT_CPU, processor, processor + 1),
        (resource.RLIMIT_AS, megabytes << 20, megabytes << 20),
        (resource.RLIMIT_FSIZE, file_megabytes << 20, file_megabytes << 20),
        (resource.RLIMIT_NOFILE, 128, 128),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        with contextlib.suppress(ValueError, OSError):  # macOS has no memory limit; a lower existing limit stays
            resource.setrlimit(which, (soft, hard))


def holding() -> tuple[str, ...]:
    """The walls that hold on this system, determined by trying them in a process."""
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # as in `folder`
        folder = Path(name)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.write(write, ", ".join([*apart(folder, 1), *enclose(folder, ())]).encode())
            finally:
                os._exit(0)
        os.close(write)
        with os.fdopen(read) as told:
            inner = told.read()
        os.waitpid(child, 0)
        return (*["bubblewrap"] * bool(bubblewrap(folder, (), 1)), *inner.split(", ")) if inner else ()


def bubblewrap(work: Path, hidden: Sequence[Path], megabytes: int) -> list[str]:
    """The beginning of a command that runs another behind bubblewrap; empty if it is not installed or not permitted.

    Only the files of Python and AutoLab are there, to read, and ``work``, an empty folder with room for ``megabytes``.
    """
    program = shutil.which("bwrap")
    if program is None or sys.platform != "linux":
        return []
    command = [program, "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    command += ["--uid", "1000", "--gid", "1000"]  # root could not have a namespace within
    shown = sorted([path for path in _readable() if path.parts[1] != "dev"])
    for path in shown:
        command += ["--ro-bind-try", str(path), str(path)]
    for path in [path for path in hidden if path.exists() and any([path.is_relative_to(one) for one in shown])]:
        command += ["--tmpfs", str(path)] if path.is_dir() else ["--ro-bind", os.devnull, str(path)]
    command += ["--proc", "/proc", "--dev", "/dev", "--size", str(megabytes << 20), "--tmpfs", str(work)]
    tried = subprocess.run([*command, sys.executable, "-S", "-c", ""], stdin=subprocess.DEVNULL, capture_output=True)
    return [] if tried.returncode else command


def apart(folder: Path, megabytes: int) -> list[str]:
    """Give the processes that this one will fork namespaces of their own, in which ``folder`` has room for so much.

    Returns
    -------
    list of str
        What holds of "namespaces" (no network, and no process outside can be seen or outlives the first), "read-only
        files" outside the folder, and "quota".
    """
    libc = _linux()
    if libc is None:
        return []
    user, group, has_names = os.getuid(), os.getgid(), True
    if libc.unshare(_NEW_USER | _NEW_OTHERS) == 0:
        maps = {"setgroups": "deny", "uid_map": f"{user} {user} 1", "gid_map": f"{group} {group} 1"}
        try:
            for name, line in maps.items():
                Path("/proc/self", name).write_text(line)
        except OSError:
            has_names = False  # such a user can have no files in memory
    elif libc.unshare(_NEW_OTHERS):  # the second is for root, where namespaces of users are switched off
        return []
    libc.mount(None, b"/", None, _PRIVATE, None)
    change = struct.pack("QQQQ", _READ_ONLY, 0, 0, 0)
    read_only = libc.syscall(_SET_MOUNTS, _HERE, b"/", _ALL_BELOW, change, ctypes.c_size_t(len(change))) == 0
    quota = has_names and _mount_memory(libc, folder, f"size={megabytes}m,nr_inodes=10k,mode=700")
    _mount_memory(libc, Path("/proc"), "size=4k,mode=500")  # what is said there about processes outside
    return ["namespaces", *["read-only files"] * read_only, *["quota"] * quota]


def _mount_memory(libc: Any, folder: Path, options: str) -> bool:
    where = os.fsencode(folder)
    return bool(libc.mount(b"tmpfs", where, b"tmpfs", _NO_SUID_DEVICES_PROGRAMS, options.encode()) == 0)


def enclose(folder: Path, hidden: Sequence[Path], tell: Callable[[str], Any] = lambda path: None) -> list[str]:
    """Shut this process in: it can write only into ``folder``, and cannot read ``hidden`` nor much else.

    ``tell`` is called with the path if Python code tries to open a hidden file.

    Returns
    -------
    list of str
        What holds of "landlock" and "system calls".
    """
    libc = _linux()
    holds = []
    if libc is not None:
        libc.capset(struct.pack("Ii", 0x20080522, 0), bytes(24))  # all rights of root
        holds += ["landlock"] * _landlock(libc, folder, hidden)
        holds += ["system calls"] * system_calls.refuse(libc)
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):  # there is no input, and output is not read
        os.dup2(null, number)
    sys.addaudithook(tripwire.reporter(hidden, _readable(), tell))
    sys.addaudithook(FunctionType(tripwire.refuse.__code__, {"PermissionError": PermissionError}))
    return holds


def _linux() -> Any:
    return ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def _landlock(libc: Any, folder: Path, hidden: Sequence[Path]) -> bool:
    """From now on only the files of Python and AutoLab can be read, and only ``folder`` can be written."""
    version = libc.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)
    if version < 1:
        return False
    rights = (1 << _RIGHTS.get(version, 16)) - 1
    tcp, scopes = (3 if version >= 4 else 0), (3 if version >= 6 else 0)  # scopes: sockets by name, and signals
    attributes = struct.pack("QQQ", rights, tcp, scopes)[: 24 if version >= 6 else 16 if version >= 4 else 8]
    rules = libc.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if rules < 0:
        return False
    try:
        _allow(libc, rules, folder, rights & ~_EXECUTE)
        _allow(libc, rules, Path(os.devnull), _READ_FILE | _WRITE_FILE)
        for path in _readable():
            _allow(libc, rules, path, _READ_DIR if path.is_dir() else _READ_FILE)
            for part in _around(path.resolve(), [one.resolve() for one in hidden]):
                _allow(libc, rules, part, _READ_FILE)
        libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        return bool(libc.syscall(_RESTRICT_SELF, rules, 0) == 0)
    finally:
        os.close(rules)


def _allow(libc: Any, rules: int, path: Path, rights: int) -> None:
    with contextlib.suppress(OSError):
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        try:
            libc.syscall(_ADD_RULE, rules, 1, struct.pack("=Qi", rights, place), 0)
        finally:
            os.close(place)


def _around(path: Path, hidden: list[Path]) -> list[Path]:
    """The parts of a path without hidden files: Landlock can only allow access, and to everything inside."""
    if path in hidden:
        return []
    if not any([path in one.parents for one in hidden]):
        return [path]
    return [part for child in path.iterdir() for part in _around(child, hidden)]


def _readable() -> list[Path]:
    """The locations of Python, its packages and AutoLab."""
    packages = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages", "lib-dynload")]
    system = ["/usr", "/lib", "/lib64", "/etc", "/dev/urandom", "/sys/devices/system/cpu"]
    return [Path(path) for path in (sys.prefix, sys.base_prefix, *packages, *system)] + [Path(__file__).parents[2]]
