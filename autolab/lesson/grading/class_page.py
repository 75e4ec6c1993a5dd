"""The page of a graded class: for each exercise the number of right answers, and the mistakes in the others."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from ...views.draw import plural
from ...views.draw.escape import Markup, document, element, escape, join, table
from ..checking import exercises
from ..messages import SENTENCES
from ..results import Result
from .graded import Graded

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_STYLE = """
:root { color-scheme: light dark; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0 2rem; }
th, td { border-bottom: 1px solid #8886; padding: 0.3rem 0.6rem; text-align: left; vertical-align: top; }
td:first-child, th:first-child { width: 5rem; text-align: right; }
code { font-family: ui-monospace, Menlo, Consolas, monospace; }
"""


def page_of(graded: Sequence[Graded]) -> str:
    """The page, as one HTML document without scripts. File names and causes are escaped."""
    parts = [element("h1", escape("What the class got right, and what it got wrong"))]
    for lesson in dict.fromkeys([one.lesson for one in graded if one.lesson]):
        parts.append(_lesson(lesson, [one for one in graded if one.lesson == lesson]))
    troubled = [one for one in graded if one.problem]
    if troubled:
        rows = [element("li", element("code", escape(one.file)), escape(f": {one.problem}")) for one in troubled]
        parts += [element("h2", escape("Notebooks to look at")), element("ul", *rows)]
    return document("Grades", _STYLE, _POLICY, element("main", *parts))


def _lesson(lesson: str, graded: Sequence[Graded]) -> Markup:
    parts = [element("h2", escape(f"{lesson}: {plural(len(graded), 'notebook')}"))]
    for name, exercise in exercises(lesson).items():
        found = [result for one in graded for result in one.results if result.exercise == name]
        parts += [element("h3", element("code", escape(name))), _exercise(exercise, found)]
    return join(parts)


def _exercise(exercise: Any, found: Sequence[Result]) -> Markup:
    """A row for right answers, one per cause of wrong answers, most frequent first, and one for missing answers."""
    verdicts = Counter([result.verdict for result in found])
    causes = Counter([result.cause for result in found if result.verdict == "wrong"])
    rows = [_row(verdicts["right"], "right", "")]
    rows += [_row(count, cause, _sentence(exercise, cause)) for cause, count in causes.most_common()]
    missing = verdicts["not yet"] + verdicts["not tried"]
    rows += [_row(missing, "no answer", "")] if missing else []
    attempts = max([result.attempts for result in found], default=0)
    often = f"up to {attempts} different answers in one notebook" if attempts > 1 else ""
    rows += [_row(sum([result.attempts > 1 for result in found]), "more than one attempt", often)] if often else []
    return table(("students", "answer", "what helps"), rows)


def _row(count: int, cause: str, says: str) -> list[Markup]:
    return [escape(str(count)), escape(cause.replace("_", " ")), escape(says, 400)]


def _sentence(exercise: Any, cause: str) -> str:
    """The lesson's sentence for a mistake, or else the one of all exercises, about every answer with it at once."""
    says = exercise.says
    choices = ", ".join(map(str, getattr(exercise, "choices", ())))
    of_all = {"error": "an error.", "answer": "The answer", "kind": "of another kind", "choices": choices}
    about_all = SENTENCES.get(cause, "").format_map(defaultdict(lambda: "...", of_all))  # a notebook may name any cause
    return says.get(cause) or about_all or says.get("hint", "")
