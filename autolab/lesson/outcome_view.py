"""How an outcome is displayed: in words, and with the errors as a heatmap. The expected array is never shown."""

from __future__ import annotations

from ..engine import Bundle
from ..recording.arrays import snapshot
from ..views.draw.escape import Markup, element, join, paragraph, picture, prose, with_code
from ..views.draw.heatmap_svg import MAX_CELLS, Panel, describe, heatmaps
from .judgement import Hint, worst
from .messages import say
from .outcome import Outcome


def bundle(outcome: Outcome) -> Bundle:
    """The outcome as HTML and as text."""
    parts = [paragraph(element("b", prose(outcome.headline)))]
    if outcome.hints:
        parts.append(element("ol", *(element("li", _hint(hint)) for hint in outcome.hints)))
    if outcome.closing:
        parts.append(paragraph(prose(outcome.closing)))
    return {"text/html": str(join(parts)), "text/plain": str(outcome)}


def _hint(hint: Hint) -> Markup:
    if hint.errors is None or not hint.errors.ndim:
        return with_code(hint.text)
    panel = Panel(say("error"), snapshot(hint.errors, MAX_CELLS * MAX_CELLS), worst(hint.errors))
    return join([with_code(hint.text), paragraph(picture(heatmaps([panel]), describe(panel)))])
