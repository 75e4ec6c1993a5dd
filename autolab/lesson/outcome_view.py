"""How an outcome is drawn: words, and the errors as a heatmap. The expected array is not drawn."""

from __future__ import annotations

from ..recording.arrays import snapshot
from ..views.draw.escape import Markup, element, join
from ..views.draw.heatmap import MAX_CELLS, Panel, describe, heatmaps
from ..views.draw.html import paragraph, picture, prose
from ..views.draw.registry import Bundle
from .judgement import Step, worst
from .messages import say
from .outcome import Outcome


def bundle(outcome: Outcome) -> Bundle:
    """HTML and text."""
    parts = [paragraph(element("b", prose(outcome.headline)))]
    if outcome.steps:
        parts.append(element("ol", *(element("li", _step(step)) for step in outcome.steps)))
    if outcome.closing:
        parts.append(paragraph(prose(outcome.closing)))
    return {"text/html": str(join(parts)), "text/plain": str(outcome)}


def _step(step: Step) -> Markup:
    if step.errors is None or not step.errors.ndim:
        return prose(step.text)
    panel = Panel(say("error"), snapshot(step.errors, MAX_CELLS * MAX_CELLS), worst(step.errors))
    return join([prose(step.text), paragraph(picture(heatmaps([panel]), describe(panel)))])
