"""The sandbox of a notebook's process: resource limits, no network, no files outside its folder.

It has three layers. The resource limits work on every Unix. On Linux the kernel denies access to the network (a network
namespace), other programs (a filter of system calls) and files outside the folder (Landlock), as far as the system
permits it. An audit hook of Python refuses the rest: processes, signals, ctypes, connections and, without Landlock,
files. The hook protects against Python code, not against an attack on the interpreter itself.
"""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import os
import struct
import sys
import tempfile
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from . import system_calls

_NEW_USER, _NEW_NET = 0x10000000, 0x40000000
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF, _NO_NEW_PRIVILEGES = 444, 445, 446, 38
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1, 2, 4, 8
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""The number of file access rights that each version of Landlock has."""


def limit(seconds: float, megabytes: int, file_megabytes: int = 16) -> None:
    """Limit the processor time, the memory, the size of files and the number of open files."""
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
    """The protections that `enclose` achieves on this system, determined by trying it in a process."""
    context = get_context("fork")
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # as in `folder`
        with context.Pool(1) as pool:
            return pool.apply(enclose, (Path(folder), ()))


def enclose(folder: Path, hidden: tuple[Path, ...], tell: Callable[[str], Any] = lambda path: None) -> tuple[str, ...]:
    """Put this process into the sandbox: it can write only into ``folder``, and cannot read ``hidden`` nor much else.

    ``tell`` is called with the path if Python code tries to open a hidden file.

    Returns
    -------
    tuple of str
        The active protections: "network namespace", "landlock", "system calls", and always "audit hook".
    """
    holds = []
    libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
    if libc is not None and _without_network(libc):
        holds.append("network namespace")
    if libc is not None and _landlock(libc, folder, hidden):
        holds.append("landlock")
    if libc is not None and system_calls.refuse(libc):
        holds.append("system calls")
    _silence()
    sys.addaudithook(_guard(folder, hidden, tell, files="landlock" not in holds))
    return (*holds, "audit hook")


def _without_network(libc: Any) -> bool:
    """Enter a new network namespace. A user namespace also removes the rights of root; if it is refused, root can do
    without it."""
    return libc.unshare(_NEW_USER | _NEW_NET) == 0 or libc.unshare(_NEW_NET) == 0


def _landlock(libc: Any, folder: Path, hidden: tuple[Path, ...]) -> bool:
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
        return libc.syscall(_RESTRICT_SELF, rules, 0) == 0
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


def _silence() -> None:
    """Redirect the standard streams to the null device: there is no input, and output is not read."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)


# ---------------------------------------------------------------------------------------------------- the hook
def _guard(
    folder: Path, hidden: tuple[Path, ...], tell: Callable[[str], Any], files: bool
) -> Callable[[str, tuple[Any, ...]], None]:
    """The audit hook, which cannot be removed again."""
    make = alone("autolab.lesson.grading.guard", posixpath=SimpleNamespace(**alone("posixpath")))["decider"]
    decider = make(str(folder), tuple(map(str, hidden)), tell, files)

    errors: Any = PermissionError, ImportError  # code that can do without a module catches the second

    def guard(event: str, arguments: tuple[Any, ...], decide: Any = decider, errors: Any = errors) -> None:
        try:
            told = decide(event, arguments)
        except BaseException:
            told = f"{event} is not allowed in a graded notebook"
        decide = None  # the frame of the error gives access to it
        if told:
            raise errors[event == "import"](f"autolab grade: {told}")

    return guard


def alone(name: str, **names: Any) -> dict[str, Any]:
    """Run a module again with private copies of the builtins and modules that it uses; returns its namespace."""
    loader: Any = getattr(find_spec(name), "loader", None)  # for a frozen module, a class
    code = loader.get_code(name)
    space: dict[str, Any] = {"__builtins__": dict(vars(builtins)), "__name__": name}
    exec(code, space)
    modules = {key: SimpleNamespace(**vars(one)) for key, one in space.items() if isinstance(one, ModuleType)}
    space.update(modules | names)
    return space
