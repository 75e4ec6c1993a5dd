"""The folder of the notebooks: nothing else is in it than their list, with a sentence and a picture for each."""

from __future__ import annotations

import re
import subprocess

import pytest
from helpers.checkout import ROOT
from helpers.each import each
from PIL import Image

from .lessons import NOTEBOOKS, answers, raw

FOLDER = ROOT / "notebooks"
_, *PARTS = re.split(r"^## ", (FOLDER / "README.md").read_text("utf-8"), flags=re.MULTILINE)
TOLD = "".join(raw(NOTEBOOKS[0])["cells"][-1]["source"])
LARGEST = 100_000
"""Bytes of a picture; all of them are below 2 MB."""


def pictures(notebook):
    return [cell["metadata"]["picture"] for cell in raw(notebook)["cells"] if "picture" in cell["metadata"]]


def size_of(picture):
    with Image.open(picture) as opened:
        return opened.size


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="a copy of the files, without their history")
def test_the_folder_holds_the_notebooks_and_their_list_alone():
    """As it is delivered: whoever works there adds files."""
    command = ["git", "ls-files", "notebooks"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert found == [*[f"notebooks/{notebook.name}" for notebook in NOTEBOOKS], "notebooks/README.md"]


def test_the_list_has_the_lessons_in_their_order():
    assert [re.match(r"\[.+\]\((.+)\)", part)[1] for part in PARTS] == [notebook.name for notebook in NOTEBOOKS]


@each("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_each_has_the_sentence_of_the_first_lesson_and_a_picture_light_and_dark(notebook):
    (part,) = [part for part in PARTS if f"]({notebook.name})" in part]
    sentence = part.splitlines()[2]
    if notebook != NOTEBOOKS[0]:
        link = re.search(rf"^\* \[(.+)\]\({notebook.name}\): (.+)$", TOLD, re.MULTILINE)
        assert part.startswith(f"[{link[1]}](") and sentence.lower() == link[2].lower()
    assert f'alt="{pictures(notebook)[0]}"' in part
    sources = re.findall(r' (?:src|srcset)="(.+?)"', part)
    assert [one.rpartition("/")[2] for one in sources] == [f"{notebook.stem}-dark.png", f"{notebook.stem}.png"]
    sizes = [size_of(FOLDER / source) for source in sources]
    assert sizes[0] == sizes[1] and all((FOLDER / source).stat().st_size <= LARGEST for source in sources)


@each("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_one_cell_is_the_picture_and_it_is_no_exercise(notebook):
    (told,) = pictures(notebook)
    (cell,) = [cell for cell in raw(notebook)["cells"] if "picture" in cell["metadata"]]
    assert cell["cell_type"] == "code" and cell["id"] not in answers(notebook)
    assert 30 < len(told) < 130 and '"' not in told
