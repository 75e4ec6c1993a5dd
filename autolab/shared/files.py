"""How AutoLab writes all files, atomically, and the error for files that cannot be read.

A file is written under a temporary name in the same folder, and then replaces the old one: whatever happens meanwhile,
such as a crash or a full disk, one of the two exists and is complete.

Values as JSON can hold them.
"""

from __future__ import annotations

import errno
import math
import os
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO

import numpy as np

_LEFT = re.compile(r"\.autolab-([0-9a-f]{16}|elsewhere)-(\d{1,9})-(\d{1,20})-[0-9a-f]{8}")
"""A temporary name: where the writing process runs, its id, and when it was started."""

_DAY = 86_400.0
_DAMAGE = (None, errno.EINVAL, errno.EOVERFLOW, errno.EFBIG)
"""The errno of an OSError caused by damaged content, such as an invalid offset; others come from the system."""


_FREE, _FREE_RATIO = 64 << 20, 64


class FileFormatError(ValueError):
    """A file is damaged, too large, or does not contain what is expected. Nothing was loaded from it."""


# ---------------------------------------------------------------------------------------------------- reading
@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn any error that a damaged file causes in the block into a `FileFormatError` that names the file.

    Errors of the system, such as for a file that is missing or may not be read, are passed on.
    """
    try:
        yield
    except FileFormatError:
        raise
    except OSError as error:
        if error.errno not in _DAMAGE:
            raise
        raise refused(path, f"it is damaged ({visible(error)})") from None
    except Exception as error:  # readers of damaged files raise nearly any exception
        raise refused(path, f"it is damaged, or of another kind ({visible(error) or type(error).__name__})") from None


def free_bytes(size: int) -> int:
    """The most memory to use for a file of ``size`` bytes when the expected size is unknown.

    Trained or measured numbers hardly compress; a file that unpacks to much more does not contain such numbers.
    """
    return max(_FREE, _FREE_RATIO * size)


def refused(path: str | os.PathLike[str], why: str) -> FileFormatError:
    """The error for a file from which nothing was loaded, and the reason."""
    return FileFormatError(f"{shown_path(path)}: {why}. Nothing was loaded.")


def visible(text: object, limit: int = 80) -> str:
    """A text that may come from a file, as one line: unprintable characters are escaped, and a long end is cut off.

    Examples
    --------
    >>> visible("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    head = str(text)[: limit + 1]
    seen = "".join([c if c.isprintable() else c.encode("unicode_escape").decode() for c in head])
    return seen if len(seen) <= limit else seen[: limit - 1] + "…"


def shown_path(path: str | os.PathLike[str]) -> str:
    """A path for a message; only the end of a long one."""
    text = os.fsdecode(path)
    return visible(text, 100) if len(text) <= 90 else "…" + visible(text[-89:], 100)


# ---------------------------------------------------------------------------------------------------- writing
def write(path: str | os.PathLike[str], content: str | bytes | bytearray | memoryview) -> None:
    """Write a file atomically; text is encoded as UTF-8. Raises the errors of `replacing`."""
    with replacing(path) as file:
        file.write(content.encode("utf-8", "replace") if isinstance(content, str) else content)


def check_writable(path: str | os.PathLike[str], function: str) -> None:
    """Check, before work that takes long, that ``path`` can be written; raises an OSError if it cannot."""
    if os.path.isdir(path):
        raise IsADirectoryError(f"{function}: {shown_path(path)!r} is a folder; expected the name of a file")
    if not os.access(_target(path).parent, os.W_OK):
        raise OSError(f"{function}: the folder of {shown_path(path)!r} is not there or cannot be written")


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a new file that replaces ``path`` when the block ends without an error.

    The content is flushed to disk before the file is renamed, and the folder afterwards. Through a symbolic link its
    target is replaced; a file keeps its permissions. Temporary files that a killed process has left in the folder are
    removed.

    Raises
    ------
    OSError
        The system's error, with the name of ``path``: a full disk, a folder that is missing or cannot be written, or
        something other than a file at ``path``. An existing file is then unchanged.
    """
    temporary = None
    try:
        target = _target(path)
        _sweep(target.parent)
        temporary = target.with_name(_temporary_name())
        with open(temporary, "xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            _take_over(target.stat(), temporary)
        os.replace(temporary, target)
        _sync_folder(target.parent)
    except BaseException as error:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno and error.filename in (None, str(temporary)):
            raise OSError(error.errno, os.strerror(error.errno), os.fsdecode(path)) from None
        raise


def _target(path: str | os.PathLike[str]) -> Path:
    """The file that a path refers to, which need not exist; an OSError if no file can be written there."""
    given = os.fsdecode(path)
    target = Path(os.path.realpath(given))
    wrong = None
    if target.is_symlink():
        wrong = errno.ELOOP
    elif target.is_dir() or given.endswith(os.sep):
        wrong = errno.EISDIR
    elif target.exists() and not target.is_file():  # a device or a pipe, which must not be replaced
        wrong = errno.EINVAL
    elif target.exists() and not os.access(target, os.W_OK):
        wrong = errno.EACCES
    if wrong is not None:
        raise OSError(wrong, os.strerror(wrong), given)
    return target


def _take_over(old: os.stat_result, temporary: Path) -> None:
    """Give the new file the permissions of the old one, and its owner as far as the system allows it."""
    new = temporary.stat()
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        with suppress(PermissionError):
            os.chown(temporary, old.st_uid, old.st_gid)
    temporary.chmod(old.st_mode & 0o777)


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return  # a folder cannot be opened there
    with suppress(PermissionError):  # a folder that may be written but not read
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some file systems cannot sync folders
                raise
        finally:
            os.close(handle)


# ---------------------------------------------------------------------------------------------------- temporary files
def _temporary_name() -> str:
    """A name that identifies the writing process; it is short, however long the name of the file is."""
    process = os.getpid()
    return f".autolab-{_process_space() or 'elsewhere'}-{process}-{_started(process) or 0}-{token_hex(4)}"


def _sweep(folder: Path) -> None:
    """Remove the temporary files of processes that no longer exist.

    Process ids are valid only in their own process space: files written elsewhere, in another container or on another
    machine that shares the folder, are removed after a day without changes. A temporary file that cannot be removed,
    such as another user's, does not prevent saving.
    """
    with suppress(OSError):
        for name in [name for name in os.listdir(folder) if name.startswith(".autolab-")]:
            found = _LEFT.fullmatch(name)
            if found and _is_left(folder / name, found[1], int(found[2]), int(found[3])):
                with suppress(OSError):
                    os.unlink(folder / name)


def _is_left(path: Path, place: str, process: int, started: int) -> bool:
    if place == _process_space():
        return not _is_running(process, started)
    with suppress(OSError):
        return time.time() - path.stat().st_mtime > _DAY
    return False


def _process_space() -> str | None:
    """Identifies the process space, in which process ids are valid: this container, since the last boot.

    None if the system does not tell.
    """
    try:
        identity = Path("/proc/sys/kernel/random/boot_id").read_text() + os.readlink("/proc/self/ns/pid")
    except OSError:
        return None
    return sha256(identity.encode()).hexdigest()[:16]


def _is_running(process: int, started: int) -> bool:
    """Whether the process is running, and is the one that was started then: process ids are reused."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it belongs to another user
        pass
    return _started(process) in (started, None)


def _started(process: int) -> int | None:
    """When a process was started, in clock ticks since boot; None if that is unknown."""
    try:
        line = Path(f"/proc/{process}/stat").read_text(errors="replace")
    except OSError:
        return None
    return int(line.rpartition(")")[2].split()[19])


def as_json(value: Any) -> Any:
    """``value`` with arrays as nested lists, and NaN and infinities as strings, since JSON has no such numbers.

    Examples
    --------
    >>> import numpy as np
    >>> as_json({"loss": float("nan"), "rates": np.array([0.5, np.inf])})
    {'loss': 'NaN', 'rates': [0.5, 'Infinity']}
    """
    if isinstance(value, Mapping):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    if isinstance(value, np.ndarray | np.generic):
        if isinstance(value, np.ndarray) and value.ndim:
            return [as_json(item) for item in value]
        value = float(value) if value.dtype.kind == "f" else value.item()  # item() of a longdouble is a longdouble
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
