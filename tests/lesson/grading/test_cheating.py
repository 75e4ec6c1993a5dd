"""Notebooks that know nothing and try everything earn no point; those that read where the answers are are named."""

from __future__ import annotations

import json
import os

import pytest

from autolab.lesson.exercise import Prediction
from autolab.lesson.grading import NotebookLimits, fences, grade, notebook_starter
from lesson.lessons import EXERCISES, NOTEBOOKS, answers

from .submissions import submission

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
FILES = {
    "open": "open(path).read()",
    "os.open": "os.read(os.open(path, os.O_RDONLY), 9)",
    "dir_fd": "os.read(os.open('start/answers.toml', os.O_RDONLY, dir_fd=os.open(folder, os.O_RDONLY)), 9)",
    "pathlib": "pathlib.Path(path).read_bytes()",
    "pkgutil": "pkgutil.get_data('autolab.lessons', 'start/answers.toml')",
    "resources": "importlib.resources.files('autolab.lessons').joinpath('start/answers.toml').read_text()",
    "linecache": "linecache.getlines(path)[0]",
    "symlink": "(os.symlink(path, 'link'), open('link').read())",
    "hardlink": "(os.link(path, 'link'), open('link').read())",
    "copy": "shutil.copyfile(path, 'copy')",
    "chdir": "(os.chdir(folder), open('start/answers.toml').read())",
    "numpy": "numpy.fromfile(path, numpy.uint8)[0]",
    "cat": "subprocess.check_output(['cat', path])",
    "source": "open(path.replace('answers.toml', 'exercises.py')).read()",
    "reload": "importlib.reload(importlib.import_module('autolab.lessons.start.exercises'))",
    "zip": "zipfile.ZipFile('x.zip', 'w').write(path)",
    "memory": "open('/proc/self/mem', 'rb').read(1)",
}
READS = """
import importlib, importlib.resources, linecache, os, pathlib, pkgutil, shutil, subprocess, zipfile
import autolab.lessons, numpy
from autolab import lesson
folder = os.path.dirname(autolab.lessons.__file__)
path = os.path.join(folder, "start", "answers.toml")
try:
    read = bool({how})
except Exception:
    read = False
if read:
    lesson.check("start-sign", "down")
"""
TRIES = {
    "all": "for g in tries:\n    lesson.check(name, g)",
    "stops": "for g in tries:\n    if lesson.check(name, g).passed:\n        break",
    "backwards": "for g in reversed(tries):\n    lesson.check(name, g)",
    "state": "for g in tries:\n    if lesson.check(name, g).state == 'right':\n        break",
    "report": "for g in tries:\n    lesson.check(name, g)\n    if 'right' in str(lesson.report()):\n        break",
    "passed": "lesson.Outcome.passed = True\nfor g in tries:\n    lesson.check(name, g)",
}


def write(path, *cells):
    path.write_text(json.dumps({"cells": [{"cell_type": "code", "source": source} for source in cells]}))


def test_who_tries_all_answers_has_given_none(tmp_path):
    """Each of the lessons, once in each way; every prediction of them."""
    count = 0
    for notebook in NOTEBOOKS:
        asked = [name for name in answers(notebook) if isinstance(EXERCISES[name], Prediction)]
        count += len(asked)
        if not asked:
            continue
        for way, source in TRIES.items():
            if (NOTEBOOKS.index(notebook) + len(way)) % 3 and way != "all":
                continue
            cells = []
            for name in asked:
                tries = list(EXERCISES[name].choices) or [*range(-30, 31), 0.5, 0.25, 1 / 16, 1 / 3]
                cells.append(f"from autolab import lesson\nlesson.check({name!r}, None)")
                cells.append(f"name, tries = {name!r}, {tries!r}\n{source}")
            write(tmp_path / f"{notebook.stem}-{way}.ipynb", *cells)
    assert count == 44
    for one in grade(tmp_path, tmp_path / "grades.csv", NotebookLimits(seconds=20)):
        assert (one.points, one.problem) == (0, ""), one
    assert "more than one attempt" in (tmp_path / "grades.html").read_text()


def test_who_reads_the_answers_finds_none_and_is_named(tmp_path):
    for way, how in FILES.items():
        write(tmp_path / f"{way}.ipynb", READS.replace("{how}", how), 'lesson.check("start-zero", None)')
    told = {one.file: one.problem for one in grade(tmp_path) if one.points == 0}
    assert len(told) == len(FILES)
    if "bubblewrap" in fences.holding():  # then there is no such file, and who looks before opening it opens nothing
        return
    silent = {file[:-6] for file, problem in told.items() if "may not read" not in problem}
    assert silent <= {"dir_fd", "hardlink", "cat", "memory"}, silent


def test_one_answer_for_each_exercise_earns_all(tmp_path):
    for notebook in NOTEBOOKS[::4]:
        right = submission(notebook, dict.fromkeys(answers(notebook), 0))
        (tmp_path / notebook.name).write_text(json.dumps(right))
    for one in grade(tmp_path):
        assert (one.points, one.problem) == (len(one.results), ""), one


def test_the_memory_holds_no_exercise(tmp_path, monkeypatch):
    """Also where nothing keeps a notebook from searching: no module, no object, no function of the exercises."""
    without = "it.fences.enclose = it.fences.apart = lambda *of: []; "
    monkeypatch.setattr(notebook_starter, "PROGRAM", notebook_starter.PROGRAM + without)
    monkeypatch.setattr(fences, "bubblewrap", lambda *of: [])
    source = f"""
import gc, sys
from autolab import lesson
def of_exercises(one):
    module = str(getattr(one, "__module__", ""))
    return "lessons." in module or type(one).__module__ == "autolab.lesson.exercise"
found = [one for one in gc.get_objects() if of_exercises(one)]
found += [name for name in sys.modules if name.endswith("exercises")]
with open({str(tmp_path / "found")!r}, "w") as file:
    file.write(repr(found))
"""
    write(tmp_path / "a.ipynb", source, "lesson.check('start-zero', None)")
    assert grade(tmp_path)[0].points == 0 and (tmp_path / "found").read_text() == "[]"
