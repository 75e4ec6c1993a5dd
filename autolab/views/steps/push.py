"""One share of a tangent as a calculation: the tangent of what is used, times the local derivative, added."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

from ...recording.arrays import snapshot
from ...recording.model import Snapshot
from ..draw.arrays import spoken_value, text_of
from ..draw.messages import say
from ..draw.names import heading
from ..draw.numbers import shape_text
from ..graph.formulas import Token, derivative, grouped, in_names, index_text, names_in, product_text, sum_text
from .share import Share
from .worksheet import Index, Sheet, WorksheetProduct, brought, index_of, strongest, tangent_product


class Push(Share):
    """The share of the tangent of ``step`` that comes from ``target``, which it uses through its input ``use``.

    ``upstream`` is the tangent of ``target``, None of a call with several results; ``before`` is that of ``step``
    before the share arrives, ``loss`` the letter of what moves.
    """

    @property
    def share(self) -> Snapshot:
        """The share itself."""
        assert self.use.tangent is not None
        return self.use.tangent

    @property
    def is_summed(self) -> bool:
        """Whether an element of the share is a sum of products."""
        return self.use.local is None and (self.upstream is None or self.upstream.size > 1)

    def formula(self) -> list[Token]:
        """The chain rule: ``dw/dx = ∂w/∂h · dh/dx``, with dots for the shares of other inputs."""
        result, source = [derivative(name, self.loss, "d") for name in self.names]
        summed: list[Token] = ["Σ"] if self.is_summed else []
        before: list[Token] = ["…", "+"] if self.number > 1 else []
        after: list[Token] = ["+", "…"] if self.number < self.count else []
        return [result, "=", *before, *summed, self.local, "·", source, *after]

    def pairs(self) -> list[tuple[Token, str]]:
        """Local derivative and tangent of numbers, each symbol with its number; nothing for arrays."""
        found = super().pairs()
        if not found:
            return []
        (_, tangent), times, local = found
        return [local, times, (derivative(self.names[1], self.loss, "d"), tangent)]

    @cached_property
    def chosen(self) -> Index | None:
        """The element of the share that is followed; None where the numbers are not all there."""
        if not self.share.is_whole or not self.share.size:
            return None
        index = index_of(self.share.shape, self.pick[1], self.pick[2]) if self.pick else None
        return strongest(self.share) if index is None else index

    @cached_property
    def matrices(self) -> WorksheetProduct | None:
        """The share as a product of two matrices, where it is one."""
        return tangent_product(self.step, self.use, self.steps)

    # ------------------------------------------------------------------ lines
    def write(self, sheet: Sheet) -> None:
        """The calculation, from the tangent that comes in to the one that comes out."""
        result = [derivative(self.names[0], self.loss, "d")] if self.count == 1 else []
        if self.matrices is not None and self.chosen is not None and self.matrices.fits(sheet.most):
            self.matrices.write(sheet, self._received(), result, "out", self.chosen)
        else:
            if self.upstream is not None:
                source = [derivative(self.names[1], self.loss, "d")]
                sheet.add("", say("term_tangent", name=self.names[1]), self.upstream, source)
            sign, row = "→", self._row()
            if self.use.local is not None:
                sign = "="
                sheet.add("×", say("term_local"), self.use.local, [self.local], "out", self.chosen)
            elif row is not None:
                sign, of = "Σ" if self.is_summed else "=", index_text(grouped(self.names[0]), self.chosen or ())
                sheet.add("×", say("term_local"), row, [derivative(of, self.names[1])])
            sheet.add(sign, self._received(), self.share, result, "out", self.chosen)
        if self.before is not None:
            sheet.add("+", say("term_tangent_before", name=self.names[0]), self.before, (), "out", self.chosen)
            sheet.add("=", say("term_tangent_after", name=self.names[0]), self.total, (), "out", self.chosen)

    @property
    def total(self) -> Snapshot:
        """The tangent with this share."""
        return self.use.tangent_total or self.share

    def _row(self) -> Snapshot | None:
        """The derivatives of the element that is followed by all of the input."""
        if self.use.jacobian is None or self.chosen is None or not self.use.jacobian.is_whole:
            return None
        return replace(snapshot(self.use.jacobian.values[self.chosen]), device=self.use.jacobian.device)

    # ------------------------------------------------------------------ words
    def numbers(self) -> list[str]:
        """The product, or the sum of products, for the element that is followed."""
        tangent, row = self.upstream, self._row()
        if self.chosen is None or tangent is None or not tangent.is_whole:
            return []
        result = self.share.values[self.chosen]
        at = f"{index_text(grouped(self.names[0]), self.chosen)}: " if self.share.size > 1 else ""
        if self.use.local is not None:
            here = tangent.values[brought(self.chosen, tangent.shape)]
            return [at + product_text((here, self.use.local.values[self.chosen]), result)]
        if self.matrices is not None:
            return [at + sum_text(self.matrices.terms(self.chosen), result)]
        if row is None:
            return []
        terms = zip(tangent.values.reshape(-1), row.values.reshape(-1), strict=True)
        return [at + sum_text([pair for pair in terms if pair[1] != 0], result)]

    def rule(self) -> dict[str, Any] | None:
        """The rule in the reader's names: an elementwise one is the same in both directions."""
        if self.use.rule is None or self.use.local is None:
            return None
        tangent = say("term_tangent", name=self.names[1])
        text = in_names(self.use.rule, {**names_in(self.step, self.steps), "g": tangent})
        return {
            "text": f"{self._received()} = {text}",
            "where": say("rule_of", function=self.step.function, parameter=self.use.parameter),
            "declared": self.use.rule,
            "code": None,
        }

    def _received(self) -> str:
        return say("term_tangent" if self.count == 1 else "term_share", name=self.names[0])

    def notes(self) -> list[str]:
        """What else has to be said."""
        found, source = [], self.upstream
        if self.is_one_of_several_uses:
            found.append(say("this_use", use=self.use_name, name=self.names[1], parameter=self.use.parameter))
        if self.use.local is not None and source is not None and source.size < self.share.size:
            shapes = {"small": shape_text(source.shape), "large": shape_text(self.share.shape)}
            found.append(say("repeated", name=self.names[1], **shapes))
        if self.count > 1:
            found.append(
                say("first_share" if self.number == 1 else "later_share", arrived=self.number, count=self.count)
            )
        return found

    def title(self) -> str:
        """What happens."""
        return say("walk_pushes", source=self.names[1], target=self.names[0])

    def sentence(self) -> str:
        """The share as one would read it aloud."""
        (target, source), local, per = self.names, self.use.local, say("moves_per", letter=self.loss)
        words = {"source": source, "target": target, "share": spoken_value(self.share)}
        if self.upstream is None:  # one of several results
            return say("spoken_part_moves", per=per, **words)
        words["tangent"] = spoken_value(self.upstream)
        if local is None:
            told = say("spoken_becomes", **words)
        elif self.share.size > 1:
            told = say("spoken_pushes", local=spoken_value(local), **words)
        else:
            subject = heading(self.step) if self.count == 1 else say("pushed_through", **words)
            told = say("spoken_moves", subject=subject, per=per, local=self._named(text_of(local)), **words)
        if self.count == 1:
            return told
        if self.number == 1:
            return f"{told} {say('spoken_first', count=self.count, target=target)}"
        total = spoken_value(self.total)
        sums = say("spoken_tangent_sum", arrived=self.number, count=self.count, target=target, total=total)
        return f"{told} {sums}"

    def _named(self, value: str) -> str:
        """The local derivative as the rule names it, with its value: ``w = 3``."""
        factor = (self.use.rule or "").removeprefix("g * ")
        text = in_names(factor, names_in(self.step, self.steps))
        is_named = factor != self.use.rule and grouped(factor) == factor and text[:1].isalpha()
        return f"{text} = {value}" if is_named else value
