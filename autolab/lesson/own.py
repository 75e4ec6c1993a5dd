"""Lessons of your own: `use` loads the exercises of a folder, so that `lesson.check` finds them."""

from __future__ import annotations

import os
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import get_args

from ..shared.files import shown_path, visible
from .exercise import Exercise
from .shipped import notebooks

own_lessons: dict[str, dict[str, Exercise]] = {}
own_folders: dict[str, Path] = {}


def use(folder: str | os.PathLike[str]) -> str:
    """Load the exercises of a lesson of your own by running ``exercises.py`` in ``folder``.

    The file defines ``EXERCISES``, a tuple. All names start with the name of the lesson and a hyphen. Another call
    loads the file again.

    Parameters
    ----------
    folder : str or path
        The folder of ``exercises.py``; ``"."`` for that of the notebook.

    Returns
    -------
    str
        The name of the lesson.

    Raises
    ------
    ValueError
        If the folder has no ``exercises.py``, the file raises an exception, or it does not define valid exercises.

    Examples
    --------
    >>> from pathlib import Path
    >>> from autolab import lesson
    >>> text = "from autolab.lesson.exercise import Prediction\\nEXERCISES = (Prediction('tiny-sum', lambda: 4.0),)"
    >>> _ = Path("exercises.py").write_text(text)
    >>> lesson.use(".")
    'tiny'
    >>> lesson.check("tiny-sum", 4).passed
    True
    """
    found = _read(Path(folder) / "exercises.py")
    names = {str(exercise.name).partition("-")[0] for exercise in found}
    if len(names) != 1 or not all(["-" in exercise.name for exercise in found]):
        told = ", ".join([repr(exercise.name) for exercise in found])
        raise ValueError(f"lesson.use: the exercises are called {told:.120}; expected names such as 'mine-first'")
    (name,) = names
    if name in notebooks():
        raise ValueError(f"lesson.use: AutoLab has a lesson {name!r:.40}; choose another name for yours")
    if len({exercise.name for exercise in found}) < len(found):
        raise ValueError(f"lesson.use: two exercises of {name!r:.40} have the same name")
    own_lessons[name] = {exercise.name: exercise for exercise in found}
    own_folders[name] = Path(folder).resolve()
    return name


def _read(path: Path) -> tuple[Exercise, ...]:
    """Run a file; returns the exercises that it defines."""
    if not path.is_file():
        raise ValueError(f"lesson.use: there is no file {shown_path(path)}; expected a folder with exercises.py")
    spec = spec_from_file_location("exercises", path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # a user's program may raise anything
        told = visible(error, 120)
        raise ValueError(f"lesson.use: {shown_path(path)} stops with {type(error).__name__}: {told}") from error
    found = getattr(module, "EXERCISES", None)
    if not isinstance(found, tuple) or not found or not all([isinstance(one, get_args(Exercise)) for one in found]):
        raise ValueError(f"lesson.use: {shown_path(path)} defines no EXERCISES; expected a tuple of exercises")
    return found
