"""The commands for teachers, which `cli` delegates: `grade`, `lesson` and `gallery`."""

from __future__ import annotations

import argparse
import json
import re
import time
from pathlib import Path
from typing import Any


def add_commands(commands: Any) -> None:
    """Add them to the parser of the command line."""
    grader = commands.add_parser("grade", help="run and judge the notebooks of a class")
    grader.add_argument("folder", help="where the notebooks are; they stay as they are")
    grader.add_argument("-o", "--output", default="grades.csv", help="the table; a page about mistakes goes beside it")
    grader.add_argument("--lesson", help="the folder of a lesson of your own, with its exercises.py")
    grader.add_argument("--seconds", type=_positive, default=30, help="processor seconds for each notebook (30)")
    grader.add_argument("--megabytes", type=_positive, default=4096, help="megabytes for each notebook (4096)")
    grader.add_argument("--processes", type=_positive, help="how many notebooks run at once (one per processor)")
    author = commands.add_parser("lesson", help="begin, try or release a lesson of your own")
    tasks = author.add_subparsers(dest="task", required=True, metavar="task")
    beginner = tasks.add_parser("new", help="make a folder with a notebook, exercises and answers that work")
    beginner.add_argument("folder", help="the folder to make; the lesson gets its name")
    trier = tasks.add_parser("try", help="try every answer in answers.toml, right and wrong")
    trier.add_argument("folder", help="the folder of the lesson")
    releaser = tasks.add_parser("release", help="write the notebook from which nbgrader or otter makes an assignment")
    releaser.add_argument("folder", help="the folder of the lesson, or the name of one of AutoLab's")
    releaser.add_argument("--format", choices=("nbgrader", "otter"), default="nbgrader", help="by default nbgrader")
    releaser.add_argument("-o", "--output", default="course", help="the folder of the course; by default course")
    shower = commands.add_parser("gallery", help="write an interactive page for each function, and an index")
    shower.add_argument("names", nargs="*", help="functions; all of them if none is named")
    shower.add_argument("-o", "--output", default="gallery", help="the folder to write; by default gallery")


def run(arguments: argparse.Namespace) -> int:
    """Run the requested command; returns the exit status."""
    tasks = {"grade": _grade, "gallery": _gallery, "new": _new, "try": _try, "release": _release}
    return tasks[arguments.task if arguments.command == "lesson" else arguments.command](arguments)


def _positive(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 10**7:
        raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a positive integer")
    return int(text)


def _grade(arguments: argparse.Namespace) -> int:
    from .. import lesson
    from ..lesson.grading import Graded, NotebookLimits, grade
    from ..lesson.grading.fences import holding
    from ..lesson.grading.folder import notebooks_in

    if arguments.lesson:
        lesson.use(arguments.lesson)
    counted, total = 0, len(notebooks_in(Path(arguments.folder)))

    def tell(graded: Graded) -> None:
        nonlocal counted
        counted += 1
        points = f"{graded.points:3} of {len(graded.results):2}"
        print(f"{counted:4} of {total}: {points}  {graded.file!a:.80} {graded.problem}", flush=True)

    started = time.monotonic()
    limits = NotebookLimits(arguments.seconds, arguments.megabytes)
    graded = grade(arguments.folder, arguments.output, limits, arguments.processes, tell)
    page = Path(arguments.output).with_suffix(".html")
    print(f"\n{len(graded)} notebooks in {time.monotonic() - started:.0f} s. Written: {arguments.output}, {page}")
    print(f"Each ran behind: {', '.join(['limits of time, memory and files', *holding()])}; and a tripwire.")
    return 0


# ---------------------------------------------------------------------------------------------------- lessons
_TEMPLATE = Path(__file__).parents[1] / "lesson" / "template"


def _new(arguments: argparse.Namespace) -> int:
    from ..lesson.shipped import notebooks
    from ..shared.files import write

    folder = Path(arguments.folder)
    name = folder.name
    if not re.fullmatch("[a-z][a-z0-9]{1,30}", name):
        raise ValueError(f"a lesson cannot be called {name!r:.60}; expected small letters and digits, as in softsign")
    if name in notebooks():
        raise ValueError(f"AutoLab has a lesson {name!r}; choose another name for yours")
    if folder.exists():
        raise ValueError(f"{arguments.folder!r:.100} exists; expected the name of a new folder")
    folder.mkdir(parents=True)
    for template in sorted(_TEMPLATE.glob("*.*")):
        target = folder / template.name.replace("NAME", name)
        write(target, template.read_text("utf-8").replace("NAME", name))
        print(f"Written: {target}")
    return 0


def _try(arguments: argparse.Namespace) -> int:
    from .. import lesson
    from ..lesson.lesson_folder import LessonFolder, tried

    folder = LessonFolder.at(arguments.folder)
    count, problems = tried(folder, lesson.use(arguments.folder))
    for problem in problems:
        print(problem)
    print(f"{count} answers tried, {len(problems)} problems")
    return 1 if problems else 0


def _release(arguments: argparse.Namespace) -> int:
    from .. import lesson
    from ..lesson.lesson_folder import NBGRADER_CONFIG, LessonFolder, released
    from ..lesson.shipped import notebooks
    from ..shared.files import write

    source, course = Path(arguments.folder), Path(arguments.output)
    own = arguments.folder not in notebooks()
    folder = LessonFolder.at(source) if own else LessonFolder.called(arguments.folder)
    nbgrader = arguments.format == "nbgrader"
    target = course / "source" / source.name if nbgrader else course / source.name
    target.mkdir(parents=True, exist_ok=True)
    book = released(folder, arguments.format, own)
    texts = {target / folder.notebook.name: json.dumps(book, indent=1) + "\n"}
    if nbgrader:
        texts[course / "nbgrader_config.py"] = NBGRADER_CONFIG
    if own:
        lesson.use(source)
        texts[target / "exercises.py"] = (source / "exercises.py").read_text("utf-8")
    for path, text in texts.items():
        write(path, text)
        print(f"Written: {path}")
    return 0


# ---------------------------------------------------------------------------------------------------- the gallery
def _gallery(arguments: argparse.Namespace) -> int:
    from ..views.gallery.site import build

    def tell(done: int, total: int, name: str) -> None:
        print(f"{done:4} of {total}: {name}", flush=True)

    print(f"Written: {build(arguments.output, arguments.names or None, tell)}")
    return 0
