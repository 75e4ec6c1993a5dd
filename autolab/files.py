"""Writing files so that a crash leaves the old one or the new one, never half of one; and refusing bad ones."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex

_PREFIX = ".autolab-"


class FileFormatError(ValueError):
    """A file is damaged, too large, or holds what must not be loaded. Nothing was loaded from it."""


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary file in the same folder, which takes the place of ``path`` when the block ends without an error.

    What is written reaches the disk before the name does, and the folder after it. Temporary files that a killed
    process left behind for the same path are swept away.

    Raises
    ------
    OSError
        As the system says: a full disk, a folder that cannot be written. The former file is as it was.
    """
    target = Path(path)
    _sweep(target)
    temporary = target.with_name(f"{_PREFIX}{target.name}-{os.getpid()}-{token_hex(4)}")
    try:
        temporary.touch(exist_ok=False)
        yield temporary
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o777)
        os.replace(temporary, target)
        _sync_folder(target.parent)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _sweep(target: Path) -> None:
    """Remove temporary files for ``target`` whose process is gone."""
    start = f"{_PREFIX}{target.name}-"
    for left in target.parent.glob(f"{_PREFIX}*"):
        owner = left.name.removeprefix(start).partition("-")[0]
        if left.name.startswith(start) and owner.isdigit() and not _is_alive(int(owner)):
            left.unlink(missing_ok=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is somebody else's
        return True
    return True


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return  # a folder cannot be opened there
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
