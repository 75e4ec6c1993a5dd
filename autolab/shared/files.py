"""The one way in which AutoLab writes files, whole or not at all; and the one error of a file that cannot be read.

A file is written under another name in the same folder and then takes the place of the old one: whatever happens on the
way, a crash or a full disk, one of the two is there, whole.
"""

from __future__ import annotations

import errno
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO

_LEFT = re.compile(r"\.autolab-([0-9a-f]{16}|elsewhere)-(\d{1,9})-(\d{1,20})-[0-9a-f]{8}")
"""A temporary name: where the process runs that writes the file, its number, and when it was started."""

_DAY = 86_400.0
_DAMAGE = (None, errno.EINVAL, errno.EOVERFLOW, errno.EFBIG)
"""Of an OSError from inside a file: a place that the file names and that does not exist. Others are the system's."""


_FREE, _FREE_RATIO = 64 << 20, 64


class FileFormatError(ValueError):
    """A file is damaged, too large, or does not hold what is wanted. Nothing was loaded from it."""


# ---------------------------------------------------------------------------------------------------- reading
@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn whatever a damaged file makes the block raise into a `FileFormatError` that names the file.

    An error of the system, such as a file that is missing or may not be read, stays what it is.
    """
    try:
        yield
    except FileFormatError:
        raise
    except OSError as error:
        if error.errno not in _DAMAGE:
            raise
        raise refused(path, f"it is damaged ({visible(error)})") from None
    except Exception as error:  # readers of damaged files raise nearly everything
        raise refused(path, f"it is damaged, or of another kind ({visible(error) or type(error).__name__})") from None


def free_bytes(size: int) -> int:
    """What may be read of a file of ``size`` bytes where nobody knows how much to expect.

    Numbers that were trained or measured hardly get smaller by packing; what unpacks to much more is no such thing.
    """
    return max(_FREE, _FREE_RATIO * size)


def refused(path: str | os.PathLike[str], why: str) -> FileFormatError:
    """The error that says why nothing was loaded."""
    return FileFormatError(f"{shown_path(path)}: {why}. Nothing was loaded.")


def visible(text: object, limit: int = 80) -> str:
    """One line of a text that may come from a file: what cannot be seen is escaped, and the end cut off.

    Examples
    --------
    >>> visible("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    head = str(text)[: limit + 1]
    seen = "".join([c if c.isprintable() else c.encode("unicode_escape").decode() for c in head])
    return seen if len(seen) <= limit else seen[: limit - 1] + "…"


def shown_path(path: str | os.PathLike[str]) -> str:
    """A path for a message; of a long one the end."""
    text = os.fsdecode(path)
    return visible(text, 100) if len(text) <= 90 else "…" + visible(text[-89:], 100)


# ---------------------------------------------------------------------------------------------------- writing
def write(path: str | os.PathLike[str], content: str | bytes | bytearray | memoryview) -> None:
    """Write a file whole or not at all; text goes into it as UTF-8. It raises what `replacing` raises."""
    with replacing(path) as file:
        file.write(content.encode("utf-8", "replace") if isinstance(content, str) else content)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A new file that takes the place of ``path`` when the block ends without an error.

    What is written reaches the disk before the name does, and the folder after it. A symbolic link stays, and what it
    leads to is replaced; a file keeps its permissions. Temporary files that a killed process left in the folder are
    removed.

    Raises
    ------
    OSError
        As the system says, with the name of ``path``: a full disk, a folder that is missing or cannot be written,
        something else than a file in its place. The former file is as it was.
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
    """The file that a path leads to, which need not exist; an OSError where no file can be put there."""
    given = os.fsdecode(path)
    target = Path(os.path.realpath(given))
    wrong = None
    if target.is_symlink():
        wrong = errno.ELOOP
    elif target.is_dir() or given.endswith(os.sep):
        wrong = errno.EISDIR
    elif target.exists() and not target.is_file():  # a device or a pipe, which nothing may take the place of
        wrong = errno.EINVAL
    elif target.exists() and not os.access(target, os.W_OK):
        wrong = errno.EACCES
    if wrong is not None:
        raise OSError(wrong, os.strerror(wrong), given)
    return target


def _take_over(old: os.stat_result, temporary: Path) -> None:
    """Give the new file the owner, as far as the system allows it, and the permissions of the old one."""
    new = temporary.stat()
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        with suppress(PermissionError):
            os.chown(temporary, old.st_uid, old.st_gid)
    temporary.chmod(old.st_mode & 0o777)


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return  # a folder cannot be opened there
    with suppress(PermissionError):  # a folder that may be written to and not read
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some file systems cannot do it with folders
                raise
        finally:
            os.close(handle)


# ---------------------------------------------------------------------------------------------------- what is left over
def _temporary_name() -> str:
    """A name that says which process writes the file; it is short, whatever the name of the file itself."""
    process = os.getpid()
    return f".autolab-{_process_space() or 'elsewhere'}-{process}-{_started(process) or 0}-{token_hex(4)}"


def _sweep(folder: Path) -> None:
    """Remove the temporary files of processes that are gone.

    A process number means something only in its own place: what was written elsewhere, in another container or on
    another machine that shares the folder, is removed when nobody has written to it for a day. A temporary file that
    cannot be removed, such as another user's, stops nobody from saving.
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
    """Where process numbers mean the same: this container, since this start of the machine.

    None where the system does not say.
    """
    try:
        identity = Path("/proc/sys/kernel/random/boot_id").read_text() + os.readlink("/proc/self/ns/pid")
    except OSError:
        return None
    return sha256(identity.encode()).hexdigest()[:16]


def _is_running(process: int, started: int) -> bool:
    """Whether it is, and is the one that was started then: numbers are given out again."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is another user's
        pass
    return _started(process) in (started, None)


def _started(process: int) -> int | None:
    """When a process was started, in ticks since the start of the machine; None where that cannot be seen."""
    try:
        line = Path(f"/proc/{process}/stat").read_text(errors="replace")
    except OSError:
        return None
    return int(line.rpartition(")")[2].split()[19])
