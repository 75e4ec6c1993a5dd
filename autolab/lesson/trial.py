"""`tried`: tests whether a lesson judges every answer in its ``answers.toml`` as intended."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..shared.files import visible
from . import checking
from .lesson_folder import LessonFolder
from .messages import SENTENCES


def tried(folder: LessonFolder, name: str) -> tuple[int, list[str]]:
    """The number of answers tried, and a sentence for each problem.

    Every exercise is tried empty, with its right answer, and with each wrong one, which must be recognised and get the
    intended sentence. Every known mistake and every sentence must be reached by some answer.

    Parameters
    ----------
    folder : LessonFolder
    name : str
        The name of the lesson, whose exercises must have been loaded: see `lesson.use`.

    Examples
    --------
    >>> count, problems = tried(LessonFolder.called("start"), "start")
    >>> count > 30, problems
    (True, [])
    """
    known = checking.exercises(name)
    problems = [f"{one}: answers.toml has no answers for it" for one in known if one not in folder.answers]
    problems += [f"{one}: no exercise has this name" for one in folder.answers if one not in known]
    count = 0
    for one, exercise in known.items():
        for source, state, kind, sentence in _cases(folder, one, exercise) if one in folder.answers else ():
            count += 1
            problem = _problem(folder, one, source, (state, kind, sentence))
            problems += [f"{one}, {kind or state}: {problem}"] if problem else []
        problems += [f"{one}: {missing}" for missing in _unreached(folder.answers.get(one, {}), exercise)]
    return count, problems


def _cases(folder: LessonFolder, name: str, exercise: Any) -> Iterator[tuple[str, str, str, str]]:
    """For each answer the source, and the expected state, kind of mistake and sentence."""
    yield folder.cells.get(name, ""), "not yet", "", ""
    yield folder.solved(name), "right", "", exercise.says.get("right", "")
    for wrong in folder.answers[name].get("wrong", ()):
        key = wrong.get("hint", wrong["kind"])
        sentence = exercise.says.get(key) or SENTENCES.get(key, "")
        yield folder.mistaken(name, wrong), "wrong", wrong["kind"], sentence


def _problem(folder: LessonFolder, name: str, source: str, expected: tuple[str, str, str]) -> str:
    state, kind, sentence = expected
    checking._given.pop(name, None)
    try:
        outcome = folder.run(source)
        while getattr(outcome, "further", 0):
            outcome = folder.run(source)
    except Exception as error:  # a user's program may raise anything
        return f"the cell stops with {type(error).__name__}: {visible(error, 120)}"
    finally:
        checking._given.pop(name, None)
    if (outcome.state, outcome.kind) != (state, kind):
        return f"it is judged {outcome.state!r} {outcome.kind!r}"
    shown = [outcome.remark, *[hint.text for hint in outcome.hints]]
    if any([text.startswith(sentence.partition("{")[0]) for text in shown]):
        return ""
    return f"it does not get the sentence {sentence!r:.120}"


def _unreached(entry: dict[str, Any], exercise: Any) -> list[str]:
    """Sentences and mistakes that no answer reaches."""
    wrong = entry.get("wrong", ())
    said = {"right", *[one.get("hint", one["kind"]) for one in wrong]}
    made = {one["kind"] for one in wrong}
    silent = [f"no answer reaches the sentence {key!r}" for key in exercise.says if key not in said]
    unmade = [kind for kind in getattr(exercise, "mistakes", ()) if kind not in made]
    return [*silent, *[f"no answer makes the mistake {kind!r}" for kind in unmade]]
