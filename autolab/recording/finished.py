"""Assembles the results of a run, forward and backward, into a recording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..engine.source import is_as_written
from .departures import Departures
from .drafts import Draft
from .inner import describe_inner_steps
from .locate import python_function, source_of
from .model import LEAVES, Recording, Scope
from .raised import Raised
from .unexecuted_lines import unexecuted_lines

_LAYERS = tuple([f"{__name__.partition('.')[0]}.{part}." for part in ("links", "compat")])
"""Modules whose code is not shown next to a net."""


def finished(
    drafts: Sequence[Draft],
    ends: Sequence[int] | None,
    scopes: tuple[Scope, ...],
    departures: Departures,
    ids: Mapping[Any, int],
    written: Any,
    raised: Raised | None,
    is_called_once: bool,
    **told: Any,
) -> Recording:
    """The run as plain data; a run that ended with ``raised`` has only the steps before it.

    ``ends`` are the outputs; None if the function did not return, in which case the unused values are the outputs.
    ``ids`` maps the keys of departed values to steps. ``written`` is the function that the user wrote;
    ``is_called_once`` is False if a wrapper may call it any number of times. ``told`` holds the other fields.
    """
    outputs = _unused(drafts) if ends is None else tuple(ends)
    describe_inner_steps(drafts, scopes, outputs)
    steps = tuple([draft.step("not_reached" if raised is None else "ended") for draft in drafts])
    source, file, first = source_of(None if str(getattr(written, "__module__", "")).startswith(_LAYERS) else written)
    lines = frozenset([step.outer_line for step in steps if step.outer_line is not None])
    last = None if raised is None else raised.outer_line
    code = getattr(python_function(written), "__code__", None)
    if source is None and code is not None and is_as_written(code) is False:
        told["notes"] = (*told.get("notes", ()), "source_changed")
    return Recording(
        outputs=outputs,
        steps=steps,
        source=source,
        file=file,
        first_line=first,
        scopes=scopes,
        departures=departures.settled(ids, steps),
        raised=raised,
        unreached=unexecuted_lines(source, first, lines, last) if is_called_once else (),
        **told,
    )


def _unused(drafts: Sequence[Draft]) -> tuple[int, ...]:
    """The values that nothing uses."""
    used = {use.step for draft in drafts for use in draft.uses}
    return tuple([draft.id for draft in drafts if draft.kind not in LEAVES and draft.id not in used])
