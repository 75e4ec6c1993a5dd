"""The display of a diagnosis: each finding with its line, numbers and remedy, then facts, then what was examined; and
the live graph at the first finding."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...analysis.diagnosis import Diagnosis, ProgramFinding
from ...engine import Bundle
from ..draw import plural
from ..draw.escape import Markup, code, details, element, escape, fitting, join, paragraph, prose, with_code
from ..draw.names import where
from .explorer import explore
from .graph_view import choose_step

_MOST_WORDS = 1000


def bundle(diagnosis: Diagnosis) -> Bundle:
    """HTML, and the text of the diagnosis."""
    return fitting(_ever_smaller(diagnosis), str(diagnosis))


def _ever_smaller(diagnosis: Diagnosis) -> Iterator[Markup]:
    """The whole display; then the same without facts and without what was examined."""
    count = len(diagnosis.findings)
    head = plural(count, "finding") if count else "nothing found"
    parts = [paragraph(element("b", code(diagnosis.function), escape(f": {head}")))]
    parts += [element("ol", *map(_finding, diagnosis.findings))] if count else []
    facts = element("ul", *[element("li", with_code(fact)) for fact in diagnosis.facts])
    intended = [paragraph(escape("Facts that may be intended:")), facts] if diagnosis.facts else []
    looked = details("What was looked at", paragraph(escape(", ".join(diagnosis.looked_at), _MOST_WORDS * 2)))
    missing = element("ul", *[element("li", with_code(why)) for why in diagnosis.not_looked_at])
    others = [details("What could not be", missing)] if diagnosis.not_looked_at else []
    yield join([*parts, *intended, looked, *others])
    yield join(parts)


def _finding(finding: ProgramFinding) -> Markup:
    head = element("b", prose(f"{finding.certainty}: {finding.kind}{where(finding)}"))
    return element("li", head, element("div", with_code(finding.message)), element("div", with_code(finding.remedy)))


def explore_finding(diagnosis: Diagnosis) -> Any:
    """Open the live graph of a copy of the program, with the step of the first finding selected."""
    if diagnosis._origin is None or diagnosis.recording is None:
        raise ValueError("explore: there is no program to run: it could not be recorded, or this is a copy")
    fn, program = diagnosis._origin.up_to_loss()
    view = explore(fn, *program.args, **program.kwargs)
    choose_step(view, next((finding.step for finding in diagnosis.findings if finding.step is not None), None))
    return view
