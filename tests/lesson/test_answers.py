"""Every exercise of every notebook: empty, solved, and with each wrong answer, which gets the hint that is meant."""

from __future__ import annotations

import re

from helpers.each import each

from autolab.lesson import checking
from autolab.lesson.messages import SENTENCES

from .lessons import EXERCISES, NOTEBOOKS, answers, cells, mistaken, run_exercise, solved

HELPS = re.compile(r"\?|\d|^Look at|stops with|is not a number|is not one of|must consist of")
ALL = [(notebook, name) for notebook in NOTEBOOKS for name in answers(notebook)]
WRONG = [(notebook, name, wrong) for notebook, name in ALL for wrong in answers(notebook)[name]["wrong"]]


def test_every_exercise_has_its_cell_and_its_answers():
    asked = {name for notebook in NOTEBOOKS for name, source in cells(notebook).items() if "lesson.check(" in source}
    assert asked == {name for _, name in ALL} == set(EXERCISES)


@each(("notebook", "name"), ALL, ids=lambda value: getattr(value, "stem", value))
def test_an_empty_answer_is_not_yet_one(monkeypatch, notebook, name):
    monkeypatch.setattr(checking, "_given", {})
    for _ in range(2):
        outcome = run_exercise(notebook, cells(notebook)[name])
        assert (outcome.exercise, outcome.state, outcome.hints) == (name, "not yet", ())


@each(("notebook", "name"), ALL, ids=lambda value: getattr(value, "stem", value))
def test_the_solution_passes(monkeypatch, notebook, name):
    monkeypatch.setattr(checking, "_given", {})
    outcome = run_exercise(notebook, solved(notebook, name))
    assert outcome.passed, outcome
    assert EXERCISES[name].says["right"] in str(outcome)


@each(("notebook", "name", "wrong"), WRONG, ids=[f"{name}-{wrong['kind']}" for _, name, wrong in WRONG], parts=4)
def test_a_wrong_answer_gets_its_hint(monkeypatch, notebook, name, wrong):
    monkeypatch.setattr(checking, "_given", {})
    source = mistaken(notebook, name, wrong)
    outcome = run_exercise(notebook, source)
    assert (outcome.state, outcome.kind, len(outcome.hints)) == ("wrong", wrong["kind"], 1)
    while outcome.further:
        before = len(outcome.hints)
        outcome = run_exercise(notebook, source)
        assert len(outcome.hints) == before + 1
    key = wrong.get("hint", wrong["kind"])
    hint = EXERCISES[name].says.get(key) or SENTENCES[key]
    begin, gap, _ = hint.partition("{")
    assert any([text == hint or (gap and text.startswith(begin)) for text in [one.text for one in outcome.hints]])
    assert HELPS.search(outcome.hints[0].text), "a first hint asks, or points to something on the screen"


def test_every_sentence_about_an_exercise_is_reached():
    reached = {(name, wrong.get("hint", wrong["kind"])) for _, name, wrong in WRONG} | {
        (name, "right") for _, name in ALL
    }
    assert {(name, key) for name, exercise in EXERCISES.items() for key in exercise.says} - reached == set()


def test_every_known_mistake_is_made():
    made = {(name, wrong["kind"]) for _, name, wrong in WRONG}
    known = {(name, kind) for name, exercise in EXERCISES.items() for kind in getattr(exercise, "mistakes", ())}
    assert known - made == set()


@each(("notebook", "name", "wrong"), [one for one in WRONG if not getattr(EXERCISES[one[1]], "what", 1)])
def test_nothing_is_said_of_an_array_that_the_answer_does_not_return(monkeypatch, notebook, name, wrong):
    monkeypatch.setattr(checking, "_given", {})
    outcome = run_exercise(notebook, mistaken(notebook, name, wrong))
    assert "your result" not in str(outcome)
