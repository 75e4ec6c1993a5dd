"""How a Variable shows itself: a card with its value, its gradient and one sentence about it."""

from __future__ import annotations

from typing import Any

from ...recording.arrays import snapshot
from ...recording.model import Snapshot
from ..draw import grad_status
from ..draw.arrays import about, text_of
from ..draw.escape import Markup, clean, element, escape, join
from ..draw.heatmap import MAX_CELLS, Panel, describe, heatmaps
from ..draw.html import code, fact_table, paragraph, picture
from ..draw.messages import say
from ..draw.registry import Bundle

_WRITTEN_OUT = 1000
_KEPT_CELLS = MAX_CELLS * MAX_CELLS


def bundle(variable: Any) -> Bundle:
    """A card as HTML, and the representation with a sentence as text. Large arrays are reduced where they are."""
    if variable.array is None:
        return _without_size(variable)
    value = snapshot(variable.array, _KEPT_CELLS)
    gradient = None if variable._grad is None else snapshot(variable._grad._data, _KEPT_CELLS)
    return {
        "text/html": str(_card(variable, value, gradient)),
        "text/plain": _text(variable, value, gradient),
    }


def _without_size(parameter: Any) -> Bundle:
    """A parameter that gets its size later."""
    sentence = say("no_size")
    name = f"{parameter.name}: " if parameter.name else ""
    html = join([paragraph(element("b", code(f"{name}{type(parameter).__name__}"))), paragraph(escape(sentence))])
    return {"text/html": str(html), "text/plain": f"{parameter!r}\n{clean(name)}{sentence}"}


def _card(variable: Any, value: Snapshot, gradient: Snapshot | None) -> Markup:
    kind = code(type(variable).__name__)
    name = join([code(variable.name), escape(": "), kind]) if variable.name else kind
    facts = [("value", text_of(value)), *([] if gradient is None else [("gradient", text_of(gradient))])]
    facts += [(fact, words) for fact, words in about(value)]
    parts = [paragraph(element("b", name)), fact_table(facts), paragraph(escape(grad_status.of_variable(variable)))]
    if value.size > 1:
        panels = [Panel("value", value)] + ([] if gradient is None else [Panel("gradient", gradient)])
        parts.insert(1, picture(heatmaps(panels), " ".join(describe(panel) for panel in panels)))
    return join(parts)


def _text(variable: Any, value: Snapshot, gradient: Snapshot | None) -> str:
    whole = repr(variable) if value.size <= _WRITTEN_OUT else f"variable({text_of(value)})"
    name = f"{clean(variable.name)}: " if variable.name else ""
    facts = ", ".join(_phrase(fact, words) for fact, words in about(value))
    sentence = grad_status.of_variable(variable)
    reached = sentence if gradient is None else f"{sentence.removesuffix('.')}: {text_of(gradient)}."
    return f"{whole}\n{name}{facts}. {reached}"


def _phrase(fact: str, words: str) -> str:
    return words if fact in ("dtype", "device", "size") else f"{fact} {words}"
