"""The lessons in a folder of the student's: copied there, and later renewed without touching what the student has done.

Whether somebody has worked on a notebook is seen from its bytes: a file beside the notebooks says what was copied.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from ..shared.files import write
from ..views.draw.messages import plural
from .shipped import notebooks

FOLDER = "autolab-notebooks"
_RECORD = ".autolab-lessons.json"
_THEIRS = "theirs"


# ---------------------------------------------------------------------------------------------------- which, and where
def wanted_lesson(name: str | None, here: Path) -> Path | None:
    """AutoLab's notebook of the lesson with this name or number; None for the name of a file.

    Without a name it is the first lesson where the folder ``here`` has no notebooks, and None where it has some.

    Raises
    ------
    ValueError
        If it can only be a lesson's name, and none has it.
    """
    known = notebooks()
    if not name:
        return None if _has_notebooks(here) else next(iter(known.values()), None)
    if (here / name).is_file() or Path(name).name != name or name.endswith(".ipynb"):
        return None
    for lesson, path in known.items():
        if name in (lesson, path.stem, path.stem[:2]):
            return path
    raise ValueError(f"{name!r:.60} is no lesson and no file; expected a notebook, or one of {', '.join(known)}")


def _has_notebooks(here: Path) -> bool:
    """Whether a folder, or one in it, has notebooks other than the lessons."""
    places = [place for place in here.glob("[!.]*/") if place not in lesson_folders(here)]
    return any([place for place in (here, *places) if next(place.glob("*.ipynb"), None)])


def lesson_folders(here: Path) -> set[Path]:
    """The folders that hold the lessons: AutoLab's own, and that of the copies."""
    return {here / FOLDER, *[path.parent for path in notebooks().values()]}


def opened_from(here: Path, lesson: Path) -> Path:
    """Which notebook a student opens: the one in the folder ``here``, in a checkout AutoLab's own, else the copy."""
    if here in (lesson.parent, lesson.parents[1]):
        return lesson
    is_here = here.name == FOLDER or (here / lesson.name).is_file()
    return (here if is_here else here / FOLDER) / lesson.name


# ---------------------------------------------------------------------------------------------------- copying
def bring_lessons(folder: Path) -> list[str]:
    """Copy the lessons into ``folder``, which is made if need be; what was done, in a sentence each.

    A notebook that is there and was not changed since it was copied is renewed. If it was, a newer version is put
    beside it once, under another name. What was deleted comes back.

    Raises
    ------
    OSError
        As the system says. Each notebook is then as it was, or whole.
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
    """Write a newer version under a free name, unless a call that was interrupted has done so; the name."""
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
    """What tells contents apart; None where nothing is, and a word of its own for what cannot be a copy of ours."""
    if not os.path.lexists(path):
        return None
    with suppress(OSError):
        if path.is_file() and not path.is_symlink():
            return sha256(path.read_bytes()).hexdigest()
    return _THEIRS


def _read(record: Path) -> dict[str, str]:
    """What was copied last time; of a damaged file nothing, so that whatever differs counts as the student's."""
    with suppress(OSError, ValueError):
        found = json.loads(record.read_bytes())
        if isinstance(found, dict):
            return {str(name): str(digest) for name, digest in found.items()}
    return {}
