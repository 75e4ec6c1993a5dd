"""The lessons in a student's folder: what is copied, what is renewed, and that nobody's work is lost."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from autolab.lesson import copies
from autolab.lesson.copies import FOLDER, bring_lessons, lesson_folders, opened_from, wanted_lesson

from .lessons import NOTEBOOKS

COPIED = ["Copied 2 lessons into the folder autolab-notebooks"]


@pytest.fixture
def ship(tmp_path, monkeypatch) -> Callable[..., dict[str, Path]]:
    """Lets AutoLab have these lessons."""

    def shipped(**texts: str) -> dict[str, Path]:
        folder = tmp_path / "autolab" / "notebooks"
        folder.mkdir(parents=True, exist_ok=True)
        known = {name: folder / f"{number:02}_{name}.ipynb" for number, name in enumerate(texts)}
        for name, path in known.items():
            path.write_text(texts[name])
        monkeypatch.setattr(copies, "notebooks", lambda: known)
        return known

    shipped(start="first", linear="matrices")
    return shipped


@pytest.fixture
def folder(tmp_path, ship) -> Path:
    """A student's folder with the lessons."""
    folder = tmp_path / FOLDER
    assert bring_lessons(folder) == COPIED
    return folder


def texts(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.glob("*.ipynb"))}


def test_a_students_folder_holds_the_notebooks_and_no_answers(tmp_path):
    assert bring_lessons(tmp_path / FOLDER) == [f"Copied {len(NOTEBOOKS)} lessons into the folder autolab-notebooks"]
    for notebook in NOTEBOOKS:
        assert (tmp_path / FOLDER / notebook.name).read_bytes() == notebook.read_bytes()
    assert {path.name for path in (tmp_path / FOLDER).iterdir()} == {copies._RECORD, *[path.name for path in NOTEBOOKS]}


def test_nothing_is_done_twice(folder):
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert bring_lessons(folder) == []
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == before


def test_what_a_student_has_changed_stays_as_it_is(folder):
    (folder / "00_start.ipynb").write_text("mine")
    (folder / "my own.ipynb").write_text("mine too")
    assert bring_lessons(folder) == []
    assert texts(folder) == {"00_start.ipynb": "mine", "01_linear.ipynb": "matrices", "my own.ipynb": "mine too"}


def test_what_nobody_has_changed_is_renewed(folder, ship):
    ship(start="second", linear="matrices")
    assert bring_lessons(folder) == ["There is a new version of 00_start.ipynb, which you had not changed"]
    assert texts(folder) == {"00_start.ipynb": "second", "01_linear.ipynb": "matrices"}
    ship(start="third", linear="matrices", attention="tokens")
    assert len(bring_lessons(folder)) == 2
    assert texts(folder) == {"00_start.ipynb": "third", "01_linear.ipynb": "matrices", "02_attention.ipynb": "tokens"}


def test_a_newer_version_lies_beside_a_students_work_once(folder, ship):
    (folder / "00_start.ipynb").write_text("mine")
    ship(start="second", linear="matrices")
    told = "00_start.ipynb holds your work; its new version is beside it: 00_start-new.ipynb"
    assert bring_lessons(folder) == [told] and bring_lessons(folder) == []
    assert texts(folder) == {
        "00_start-new.ipynb": "second",
        "00_start.ipynb": "mine",
        "01_linear.ipynb": "matrices",
    }
    (folder / "00_start-new.ipynb").write_text("mine, too")
    ship(start="third", linear="matrices")
    assert bring_lessons(folder) == [told.replace("-new", "-new-2")]
    assert texts(folder)["00_start-new.ipynb"] == "mine, too" and texts(folder)["00_start-new-2.ipynb"] == "third"
    ship(start="mine", linear="matrices")
    assert bring_lessons(folder) == []


def test_what_was_deleted_comes_back(folder):
    (folder / "00_start.ipynb").unlink()
    assert bring_lessons(folder) == ["Copied 1 lesson into the folder autolab-notebooks"]
    assert texts(folder)["00_start.ipynb"] == "first"


@pytest.mark.parametrize("content", [None, b"", b"\xff{", b"[1]", b'{"00_start.ipynb": 3}'])
def test_without_the_list_of_what_was_copied_all_that_differs_counts_as_work(folder, ship, content):
    (folder / copies._RECORD).unlink()
    if content is not None:
        (folder / copies._RECORD).write_bytes(content)
    ship(start="second", linear="matrices")
    assert len(bring_lessons(folder)) == 1 and bring_lessons(folder) == []
    assert texts(folder) == {
        "00_start-new.ipynb": "second",
        "00_start.ipynb": "first",
        "01_linear.ipynb": "matrices",
    }


@pytest.mark.parametrize("stopped_at", [0, 1, 2, 3, 4])
def test_when_it_is_interrupted_every_notebook_is_whole_and_the_next_call_goes_on(
    folder, ship, monkeypatch, stopped_at
):
    (folder / "00_start.ipynb").write_text("mine")
    ship(start="second", linear="tensors", attention="tokens")
    write, count = copies.write, 0

    def stop(*given):
        nonlocal count
        if count == stopped_at:
            raise KeyboardInterrupt
        count += 1
        write(*given)

    monkeypatch.setattr(copies, "write", stop)
    if stopped_at < 4:
        with pytest.raises(KeyboardInterrupt):
            bring_lessons(folder)
    monkeypatch.setattr(copies, "write", write)
    bring_lessons(folder)
    assert texts(folder) == {
        "00_start-new.ipynb": "second",
        "00_start.ipynb": "mine",
        "01_linear.ipynb": "tensors",
        "02_attention.ipynb": "tokens",
    }
    assert bring_lessons(folder) == []


def test_what_is_no_copy_of_ours_is_left_alone(folder, ship, tmp_path):
    (folder / "00_start.ipynb").rename(tmp_path / "elsewhere.ipynb")
    (folder / "00_start.ipynb").symlink_to(tmp_path / "elsewhere.ipynb")
    (folder / "01_linear.ipynb").unlink()
    (folder / "01_linear.ipynb").mkdir()
    ship(start="second", linear="tensors")
    assert len(bring_lessons(folder)) == 2
    assert (tmp_path / "elsewhere.ipynb").read_text() == "first" and (folder / "01_linear.ipynb").is_dir()
    assert [(folder / name).read_text() for name in ("00_start-new.ipynb", "01_linear-new.ipynb")] == [
        "second",
        "tensors",
    ]


@pytest.mark.skipif(os.name == "nt", reason="pipes and permissions of another kind")
def test_what_cannot_be_read_is_left_alone(folder, ship):
    for name in ("00_start.ipynb", "01_linear.ipynb"):
        (folder / name).unlink()
    os.mkfifo(folder / "00_start.ipynb")
    (folder / "01_linear.ipynb").symlink_to("nowhere")
    ship(start="second", linear="tensors")
    assert len(bring_lessons(folder)) == 2
    assert stat.S_ISFIFO((folder / "00_start.ipynb").stat().st_mode) and not (folder / "nowhere").exists()


def test_a_folder_that_cannot_be_made_is_an_error_of_the_system(tmp_path, ship):
    (tmp_path / FOLDER).write_text("a file")
    with pytest.raises(FileExistsError):
        bring_lessons(tmp_path / FOLDER)
    assert (tmp_path / FOLDER).read_text() == "a file"


# ---------------------------------------------------------------------------------------------------- which, and where
@pytest.mark.parametrize("name", ["linear", "01", "01_linear"])
def test_a_lesson_has_a_name_and_a_number(ship, tmp_path, name):
    assert wanted_lesson(name, tmp_path).name == "01_linear.ipynb"


def test_a_file_goes_before_a_lesson_and_a_path_is_no_lesson(ship, tmp_path):
    (tmp_path / "linear").write_text("")
    for name in ("linear", "folder/start", "start.ipynb", os.path.join(tmp_path, "start")):
        assert wanted_lesson(name, tmp_path) is None


def test_an_unknown_lesson_is_a_sentence_with_those_there_are(ship, tmp_path):
    said = "'lineal' is neither a lesson nor a file; expected a notebook, or one of start, linear"
    with pytest.raises(ValueError, match=f"^{said}$"):
        wanted_lesson("lineal", tmp_path)


@pytest.mark.parametrize(
    ("file", "is_offered"),
    [
        ("notes.txt", True),
        (f"{FOLDER}/00_start.ipynb", True),
        (".hidden/a.ipynb", True),
        ("far/away/a.ipynb", True),
        ("a.ipynb", False),
        ("work/a.ipynb", False),
    ],
)
def test_lessons_are_offered_where_there_are_no_notebooks(ship, tmp_path, file, is_offered):
    here = tmp_path / "here"
    (here / file).parent.mkdir(parents=True)
    (here / file).write_text("")
    assert (wanted_lesson(None, here) is not None) == is_offered


def test_they_are_offered_in_the_checkout_and_opened_there(ship, tmp_path):
    lesson = ship(start="first")["start"]
    for here in (lesson.parent, lesson.parents[1]):
        assert opened_from(here, lesson) == lesson and lesson.parent in lesson_folders(here)
    assert wanted_lesson(None, lesson.parents[1]) == lesson


def test_they_are_copied_into_one_folder_wherever_it_is_entered(ship, tmp_path):
    lesson = ship(start="first")["start"]
    copy = tmp_path / FOLDER / lesson.name
    assert opened_from(tmp_path, lesson) == opened_from(tmp_path / FOLDER, lesson) == copy
    (tmp_path / lesson.name).write_text("")
    assert opened_from(tmp_path, lesson) == tmp_path / lesson.name
