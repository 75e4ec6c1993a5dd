"""What keeps a notebook's process from harm: limits of the system, no network, no files outside its folder.

Three layers. The limits hold on every Unix. On Linux the kernel takes away the network (a network namespace), other
programs (a filter of system calls) and the files outside the folder (Landlock), where it is allowed to. A hook of
Python refuses the rest: processes, signals, ctypes, connections and, where there is no Landlock, files. The hook guards
against what Python code does, not against an attack on the interpreter itself.
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
"""How many rights to files a version of Landlock knows."""


def limit(seconds: float, megabytes: int, file_megabytes: int = 16) -> None:
    """Limits on the processor's time, the memory, the size of files and how many are open."""
    import resource  # which Windows has not

    processor = max(1, round(seconds))
    for which, soft, hard in (
        (resource.RLIMIT_CPU, processor, processor + 1),
        (resource.RLIMIT_AS, megabytes << 20, megabytes << 20),
        (resource.RLIMIT_FSIZE, file_megabytes << 20, file_megabytes << 20),
        (resource.RLIMIT_NOFILE, 128, 128),
        (resource.RLIMIT_CORE, 0, 0),
    ):
        with contextlib.suppress(ValueError, OSError):  # macOS knows no limit of memory; a lower limit stays
            resource.setrlimit(which, (soft, hard))


def holding() -> tuple[str, ...]:
    """What `enclose` can do on this system; found out by a process that does it."""
    context = get_context("fork")
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # as in `folder`
        with context.Pool(1) as pool:
            return pool.apply(enclose, (Path(folder), ()))


def enclose(folder: Path, hidden: tuple[Path, ...], tell: Callable[[str], Any] = lambda path: None) -> tuple[str, ...]:
    """Shut this process in: it may write into ``folder`` alone, and read neither ``hidden`` nor much else.

    ``tell`` is called with the path of what is hidden where Python code tries to open it.

    Returns
    -------
    tuple of str
        What holds: "network namespace", "landlock", "system calls", and always "audit hook".
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
    """A user namespace also takes the rights of root away; where it is refused, root can do without it."""
    return libc.unshare(_NEW_USER | _NEW_NET) == 0 or libc.unshare(_NEW_NET) == 0


def _landlock(libc: Any, folder: Path, hidden: tuple[Path, ...]) -> bool:
    """Only what Python and AutoLab are made of can be read from here on, and only ``folder`` be written."""
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
    """The parts of a path that hold nothing hidden: Landlock only allows, and all that is inside."""
    if path in hidden:
        return []
    if not any([path in one.parents for one in hidden]):
        return [path]
    return [part for child in path.iterdir() for part in _around(child, hidden)]


def _readable() -> list[Path]:
    """Where Python, its packages and AutoLab are."""
    packages = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages", "lib-dynload")]
    system = ["/usr", "/lib", "/lib64", "/etc", "/dev/urandom", "/sys/devices/system/cpu"]
    return [Path(path) for path in (sys.prefix, sys.base_prefix, *packages, *system)] + [Path(__file__).parents[2]]


def _silence() -> None:
    """There is nothing to read, and nobody who reads what is printed."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)


# ---------------------------------------------------------------------------------------------------- the hook
def _guard(
    folder: Path, hidden: tuple[Path, ...], tell: Callable[[str], Any], files: bool
) -> Callable[[str, tuple[Any, ...]], None]:
    """The hook, which cannot be taken off again."""
    make = alone("autolab.lesson.grading.guard", posixpath=SimpleNamespace(**alone("posixpath")))["decider"]
    decider = make(str(folder), tuple(map(str, hidden)), tell, files)

    errors: Any = PermissionError, ImportError  # who can do without a module expects the second one

    def guard(event: str, arguments: tuple[Any, ...], decide: Any = decider, errors: Any = errors) -> None:
        try:
            told = decide(event, arguments)
        except BaseException:
            told = f"{event} is not allowed in a notebook that is graded"
        decide = None  # the error shows this frame
        if told:
            raise errors[event == "import"](f"autolab grade: {told}")

    return guard


def alone(name: str, **names: Any) -> dict[str, Any]:
    """What a module defines, run again with copies of the builtins and modules that it uses: nobody else has them."""
    loader: Any = getattr(find_spec(name), "loader", None)  # of a frozen module a class
    code = loader.get_code(name)
    space: dict[str, Any] = {"__builtins__": dict(vars(builtins)), "__name__": name}
    exec(code, space)
    modules = {key: SimpleNamespace(**vars(one)) for key, one in space.items() if isinstance(one, ModuleType)}
    space.update(modules | names)
    return space
