"""Pages for plain Python, where no notebook displays a view: each in a file of its own, opened in a browser if there is
one."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

FOLDER = "autolab_pages"
"""In the current folder; it holds all pages of one program and nothing else."""

MOST_TABS = 8
"""If a program makes more views, perhaps in a loop, no more of them are opened."""

_LONGEST = 100  # the maximum length of a name
_opened = 0
_told: set[tuple[bool, Path]] = set()  # (whether it was opened, folder): each is reported once


def told(save: Callable[[Path], None], caller: str, words: Sequence[str]) -> Path | None:
    """Save a page under a name made of these words, and open it or print its path; nothing is printed for later pages
    in the same folder.

    Returns
    -------
    Path or None
        The page if no browser shows it yet.
    """
    try:
        path = saved_somewhere(save, "_".join(words)[:_LONGEST])
    except OSError as error:
        print(
            f"{caller}: no notebook to draw in, and no page could be saved ({error.strerror}); "
            "export_html(view, path) saves it where there is room"
        )
        return None
    is_open = opened(path)
    if (is_open, path.parent) not in _told:
        _told.add((is_open, path.parent))
        where = f"{path} is open in the browser" if is_open else f"open {path} in a browser"
        print(f"{caller}: no notebook to draw in; {where}; later views go to the same folder")
    return None if is_open else path


def removed(page: Path) -> None:
    """Remove a page, and the folder if it was the last one."""
    page.unlink(missing_ok=True)
    with suppress(OSError):
        page.parent.rmdir()


def saved_somewhere(save: Callable[[Path], None], stem: str) -> Path:
    """Save a page under a new name: below the current folder, or in a new folder if that is not writable.

    Raises
    ------
    OSError
        If the page cannot be written anywhere.
    """
    try:
        return _saved(save, Path.cwd() / FOLDER, stem)
    except OSError:  # the folder is read-only, full, or gone
        return _saved(save, Path(tempfile.mkdtemp(prefix="autolab-")), stem)


def _saved(save: Callable[[Path], None], folder: Path, stem: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = _taken(folder, stem)
    try:
        save(path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path


def _taken(folder: Path, stem: str) -> Path:
    """Create an empty file, so that no other program takes the name in the meantime."""
    for number in count(1):
        path = folder / (f"{stem}.html" if number == 1 else f"{stem}_{number}.html")
        try:
            path.touch(exist_ok=False)
        except FileExistsError:
            continue
        return path
    raise AssertionError("there are always more numbers")


def opened(path: Path) -> bool:
    """Open the page in a browser, if there is a screen; ``BROWSER=none`` prevents it. Returns whether it was opened."""
    global _opened
    if _opened >= MOST_TABS or not sys.stdout.isatty() or not has_screen() or os.environ.get("BROWSER") == "none":
        return False
    import webbrowser

    _opened += 1
    return webbrowser.open(path.as_uri())


def has_screen() -> bool:
    """Whether a browser could open a window. A text browser would take over the terminal."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
