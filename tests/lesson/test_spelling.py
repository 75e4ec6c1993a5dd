"""Every word of the lessons is in words.txt or, where one lesson alone needs it, in the ``words`` of its answers.toml.

Somebody has read it there; a new word is read and added.
"""

from __future__ import annotations

import re
from pathlib import Path

from autolab.lesson.messages import SENTENCES

from .lessons import EXERCISES, NOTEBOOKS, own_words, raw

SHARED = (Path(__file__).parent / "words.txt").read_text("utf-8").split()
KNOWN = {*SHARED, *[word for notebook in NOTEBOOKS for word in own_words(notebook)]}
NO_WORDS = re.compile(r"`[^`]*`|\$+[^$]*\$+|<[^>]*>|\]\([^)]*\)|\{[^}]*\}")  # code, formulas, tags, addresses, gaps


def words_of(text: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Za-z]+(?:['’][a-z]+)?", NO_WORDS.sub(" ", text))}


def said() -> dict[str, str]:
    """Every text that a lesson shows, by where it stands."""
    cells = [cell for notebook in NOTEBOOKS for cell in raw(notebook)["cells"] if cell["cell_type"] == "markdown"]
    about = {f"{name}.{key}": text for name, exercise in EXERCISES.items() for key, text in exercise.says.items()}
    return {cell["id"]: "".join(cell["source"]) for cell in cells} | SENTENCES | about


def test_every_word_is_known():
    unknown = {place: sorted(words_of(text) - KNOWN) for place, text in said().items()}
    assert {place: words for place, words in unknown.items() if words} == {}


def test_every_known_word_is_used():
    used = set().union(*map(words_of, said().values()))
    assert sorted(SHARED) == SHARED and KNOWN - used == set()


def test_a_wrong_word_is_found():
    assert words_of("A `gradeint` is a [nubmer](03_linear.ipynb) of {cuont} $\\frca{x}$.") - KNOWN == {"nubmer"}
