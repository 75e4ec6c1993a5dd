"""Copies of the lessons in a student's folder, which can be updated without touching the student's work.

A file beside the notebooks records a digest of each copy, which tells whether the student has changed a notebook.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from ..shared.files import write
from ..views.draw import plural
from .shipped import notebooks

FOLDER = "autolab-notebooks"
_RECORD = ".autolab-lessons.json"
_THEIRS = "theirs"


# ---------------------------------------------------------------------------------------------------- which, and where
def wanted_lesson(name: str | None, here: Path) -> Path | None:
    """AutoLab's notebook of the lesson with this name or number; None if ``name`` is that of a file.

    Without a name it is the first lesson if the folder ``here`` has no notebooks, and None if it has some.

    Raises
    ------
    ValueError
        If there is neither a file nor a lesson with this name.
    """
    known = notebooks()
    if not name:
        return None if _has_notebooks(here) else next(iter(known.values()), None)
    if (here / name).is_file() or Path(name).name != name or name.endswith(".ipynb"):
        return None
    for lesson, path in known.items():
        if name in (lesson, path.stem, path.stem[:2]):
            return path
    raise ValueError(f"{name!r:.60} is neither a lesson nor a file; expected a notebook, or one of {', '.join(known)}")


def _has_notebooks(here: Path) -> bool:
    """Whether a folder, or a folder inside it, has notebooks other than the lessons."""
    places = [place for place in here.glob("[!.]*/") if place not in lesson_folders(here)]
    return any([place for place in (here, *places) if next(place.glob("*.ipynb"), None)])


def lesson_folders(here: Path) -> set[Path]:
    """The folders that contain the lessons: AutoLab's own, and that of the copies."""
    return {here / FOLDER, *[path.parent for path in notebooks().values()]}


def opened_from(here: Path, lesson: Path) -> Path:
    """The notebook that a student opens: that in the folder ``here``, in a checkout AutoLab's own, or else the copy."""
    if here in (lesson.parent, lesson.parents[1]):
        return lesson
    is_here = here.name == FOLDER or (here / lesson.name).is_file()
    return (here if is_here else here / FOLDER) / lesson.name


# ---------------------------------------------------------------------------------------------------- copying
def bring_lessons(folder: Path) -> list[str]:
    """Copy the lessons into ``folder``, which is created if needed; returns a sentence for each thing that was done.

    An existing notebook is updated if it has not been changed since it was copied. Otherwise a newer version is written
    beside it once, under another name. Deleted notebooks are copied again.

    Raises
    ------
    OSError
        The system's error. Each notebook is then either unchanged or complete.
    """
    folder.mkdir(exist_ok=True)
    before = _read(folder / _RECORD)
    known, copied, renewed, beside = dict(before), 0, [], []
    for source in notebooks().values():
        name, content = source.name, source.read_bytes()
        shipped, found = sha256(content).hexdigest(), _digest(folder / name)
        if found is None:
            write(folder / name, content)
            copied += 1
        elif shipped not in (found, before.get(name)):
            if found == before.get(name):
                write(folder / name, content)
                renewed.append(name)
            else:
                beside.append(
                    f"{name} holds your work; its new version is beside it: {_beside(folder / name, content)}"
                )
        known[name] = shipped
    if known != before:
        write(folder / _RECORD, json.dumps(known, indent=1))
    told = [f"Copied {plural(copied, 'lesson')} into the folder {folder.name}"] if copied else []
    return told + [f"There is a new version of {name}, which you had not changed" for name in renewed] + beside


def _beside(path: Path, content: bytes) -> str:
    """Write a newer version under a free name, unless an interrupted call has done so already; returns the name."""
    number = 1
    while True:
        new = path.with_stem(f"{path.stem}-new" + (f"-{number}" if number > 1 else ""))
        found = _digest(new)
        if found is None:
            write(new, content)
        if found in (None, sha256(content).hexdigest()):
            return new.name
        number += 1


def _digest(path: Path) -> str | None:
    """A digest of the content; None if nothing exists there, and ``_THEIRS`` for anything that cannot be our copy."""
    if not os.path.lexists(path):
        return None
    with suppress(OSError):
        if path.is_file() and not path.is_symlink():
            return sha256(path.read_bytes()).hexdigest()
    return _THEIRS


def _read(record: Path) -> dict[str, str]:
    """The digests of the last copies; empty if the file is damaged, so that any difference counts as the student's."""
    with suppress(OSError, ValueError):
        found = json.loads(record.read_bytes())
        if isinstance(found, dict):
            return {str(name): str(digest) for name, digest in found.items()}
    return {}
