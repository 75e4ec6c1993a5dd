"""How an optimizer shows itself: its settings, what it has done, and its hooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .escape import element, escape, join
from .html import code, fact_table, paragraph
from .messages import plural, say
from .registry import Bundle

if TYPE_CHECKING:
    from ..optimizers import Optimizer


def optimizer_bundle(optimizer: Optimizer) -> Bundle:
    """A table of facts, and ``repr`` with the same facts as text."""
    facts = [(name, str(getattr(optimizer, name))) for name in optimizer.hyperparameters]
    facts += [("hook", name) for name in optimizer._hooks]
    if optimizer.target is None:
        sentence = say("optimizer_without_target")
    else:
        facts.append(("target", type(optimizer.target).__name__))
        sentence = say("optimizer_ready", updates=plural(optimizer.t, "update"))
    head = paragraph(element("b", code(type(optimizer).__name__)), escape(" " + sentence))
    return {"text/html": str(join([head, fact_table(facts)])), "text/plain": f"{optimizer!r}\n{sentence}"}
