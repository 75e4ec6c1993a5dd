"""One share of a tangent as a calculation: the tangent of the operand times the local derivative, added."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ...recording.model import Snapshot
from ..draw import say, shape_text
from ..draw.arrays import a_value, spoken_value, text_of
from ..draw.names import heading
from ..graph.rule_formulas import Token, derivative, grouped, in_names, names_in
from .share import Share
from .worksheet import Index, WorksheetProduct, index_text, tangent_product


class Push(Share):
    """The share of the tangent of ``step`` that comes from ``target`` through the input ``use``.

    ``upstream`` is the tangent of ``target``, None for a call with several results; ``before`` is that of ``step``
    before the share arrives, ``loss`` the symbol of what moves.
    """

    noun = "tangent"
    space = "out"

    @property
    def ends(self) -> tuple[str, str]:
        """The names of the operand and of the step that uses it."""
        return self.names[1], self.names[0]

    @property
    def symbols(self) -> tuple[Token, Token]:
        """Their derivatives with respect to what moves, along all paths."""
        return derivative(self.ends[0], self.loss, "d"), derivative(self.ends[1], self.loss, "d")

    @property
    def factors(self) -> tuple[Token, Token]:
        """``dw/dx = ∂w/∂h · dh/dx``."""
        return self.local, self.symbols[0]

    @cached_property
    def matrices(self) -> WorksheetProduct | None:
        """The share as a product of two matrices, if it is one."""
        return tangent_product(self.step, self.target, self.steps, self.share)

    def column(self, jacobian: Snapshot, chosen: Index) -> np.ndarray:
        """The derivatives of one element of the output with respect to all elements of the input."""
        return np.asarray(jacobian.values[chosen])

    def _local_at(self, chosen: Index) -> Token:
        return derivative(index_text(grouped(self.names[0]), chosen), self.names[1])

    # ------------------------------------------------------------------ words
    def _arrived(self) -> str:
        return say("term_whole", kind=self.noun, name=self.ends[0])

    def _name_of_g(self) -> dict[str, str]:
        return {"g": self._arrived()}

    def rule(self) -> dict[str, Any] | None:
        """The rule in the user's names: an elementwise rule is the same in both directions."""
        return None if self.use.local is None else super().rule()

    def notes(self) -> list[str]:
        """Further notes."""
        repeated = self.use.local is not None and self.upstream is not None and self.upstream.size < self.share.size
        if not repeated or self.upstream is None:
            return super().notes()
        shapes = {"small": shape_text(self.upstream.shape), "large": shape_text(self.share.shape)}
        return [say("repeated", name=self.ends[0], **shapes), *super().notes()]

    def told(self) -> str:
        """The share as read aloud."""
        (source, target), local, per = self.ends, self.use.local, say("moves_per", letter=self.loss)
        words = {"source": source, "target": target, "share": a_value(self.share), "per": per}
        if self.upstream is None:  # a call with several results
            return say("spoken_part_moves", **words)
        words["tangent"] = spoken_value(self.upstream)
        if local is None:
            return say("spoken_becomes", **words)
        if self.share.size > 1:
            return say("spoken_pushes", local=spoken_value(local), **words)
        subject = heading(self.step) if self.count == 1 else say("pushed_through", **words)
        return say("spoken_moves", subject=subject, local=self._named(text_of(local)), **words)

    def _named(self, value: str) -> str:
        """The local derivative, named as in the rule, with its value: ``w = 3``."""
        factor = (self.use.rule or "").removeprefix("g * ")
        text = in_names(factor, names_in(self.step, self.steps))
        is_named = factor != self.use.rule and grouped(factor) == factor and text[:1].isalpha()
        return f"{text} = {value}" if is_named else value
