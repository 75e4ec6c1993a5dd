"""What a run made, forward and backward, as one recording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .departures import Departures
from .drafts import Draft
from .inner import describe_inner_steps
from .locate import source_of
from .model import LEAVES, Recording, Scope
from .raised import Raised
from .unexecuted_lines import unexecuted_lines

_LAYERS = tuple([f"{__name__.partition('.')[0]}.{part}." for part in ("links", "compat")])
"""Modules whose code a user does not want to read beside a net."""


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
    """All of it as plain data; what ``raised`` ended has no more than there is.

    ``ends`` are the outputs; None where the function did not return, so that they are what nothing uses. ``ids`` has
    the steps of what departed, ``written`` is what the user wrote; nobody knows how often a wrapper of it calls it.
    ``told`` is the rest.
    """
    outputs = _unused(drafts) if ends is None else tuple(ends)
    describe_inner_steps(drafts, scopes, outputs)
    steps = tuple([draft.step("not_reached" if raised is None else "ended") for draft in drafts])
    source, file, first = source_of(None if str(getattr(written, "__module__", "")).startswith(_LAYERS) else written)
    lines = frozenset([step.outer_line for step in steps if step.outer_line is not None])
    last = None if raised is None else raised.outer_line
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
