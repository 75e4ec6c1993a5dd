"""One share of a gradient as a calculation: upstream gradient times local derivative, summed over broadcast axes,
added.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, ClassVar

import numpy as np

from ...recording.arrays import snapshot
from ...recording.model import Operand, Snapshot, Step
from ..draw import number, say, shape_text
from ..draw.arrays import a_value, spoken_value
from ..draw.names import label
from ..graph.rule_formulas import Token, derivative, grouped, in_names, names_in
from .worksheet import (
    Index,
    Sheet,
    Space,
    WorksheetProduct,
    brought,
    index_of,
    index_text,
    is_product,
    share_product,
    strongest,
)

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")

_HOW = {
    r"g$": "how_unchanged",
    r"-g$": "how_negated",
    r"g \* (\w+)$": "how_times",
    r"g / (\w+)$": "how_divided",
    r"broadcast_to\(g[,)]": "how_repeated",
    r"broadcast_to\(g / n[,)]": "how_mean",
    r"reshape\(g[,)]": "how_reshaped",
    r"transpose\(g[,)]": "how_transposed",
}
"""Rules of the simplest forms, and how they are told."""

Pick = tuple[Space, int, int]
"""A selected cell: whether the array has the output's or the input's shape, the row and the column."""


@dataclass
class Share:
    """The share that ``step`` sends to ``target`` through its input ``use``.

    ``before`` is the gradient of ``target`` before it arrives; it is share ``number`` (from 1) of ``count``. ``loss``
    is the symbol of what is differentiated.
    """

    step: Step
    use: Operand
    target: Step
    steps: Mapping[int, Step]
    upstream: Snapshot | None
    before: Snapshot | None
    number: int
    count: int
    loss: str
    pick: Pick | None = None
    noun: ClassVar[str] = "gradient"  # what it is a share of
    space: ClassVar[Space] = "in"  # which shape it has

    # ------------------------------------------------------------------ names
    @cached_property
    def names(self) -> tuple[str, str]:
        """The names of the step and of its input."""
        return label(self.step), label(self.target)

    @property
    def ends(self) -> tuple[str, str]:
        """The sender's and the receiver's names."""
        return self.names

    @property
    def symbols(self) -> tuple[Token, Token]:
        """The derivatives of the sender and of the receiver."""
        return derivative(self.loss, self.names[0]), derivative(self.loss, self.names[1])

    @property
    def factors(self) -> tuple[Token, Token]:
        """The factors of the product."""
        return self.symbols[0], self.local

    @cached_property
    def is_one_of_several_uses(self) -> bool:
        """Whether the call uses the receiver more than once, as ``x * x`` does."""
        return sum(operand.step == self.use.step for operand in self.step.operands) > 1

    @cached_property
    def use_name(self) -> str:
        """``x₂`` for the second use of ``x`` in a call."""
        uses = [operand for operand in self.step.operands if operand.step == self.use.step]
        number = 1 + [operand.parameter for operand in uses].index(self.use.parameter)
        return grouped(self.names[1]) + str(number).translate(_SUBSCRIPTS)

    @property
    def local(self) -> tuple[str, str]:
        """The local derivative as a fraction: of the sender with respect to the receiver, or to this use of it."""
        return derivative(self.names[0], self.use_name if self.is_one_of_several_uses else self.names[1])

    def formula(self) -> list[Token]:
        """The chain rule: ``∂w/∂x = ∂w/∂h · ∂h/∂x``, with dots for the shares of other uses."""
        summed: list[Token] = ["Σ"] if self.is_summed else []
        before: list[Token] = ["…", "+"] if self.number > 1 else []
        after: list[Token] = ["+", "…"] if self.number < self.count else []
        return [self.symbols[1], "=", *before, *summed, self.factors[0], "·", self.factors[1], *after]

    def pairs(self) -> list[tuple[Token, str]]:
        """The factors, each symbol with its number; empty for arrays."""
        local = self.use.local if self.use.local is not None else self.use.jacobian
        if local is None or self.upstream is None or local.size != 1 or self.upstream.size != 1:
            return []
        numbers = [number(values.values.reshape(-1)[0]) for values in (self.upstream, local)]
        first, second = [(symbol, numbers[symbol == self.local]) for symbol in self.factors]
        return [first, ("·", "·"), second]

    # ------------------------------------------------------------------ arrays
    @property
    def share(self) -> Snapshot:
        """The share itself."""
        assert self.use.contribution is not None
        return self.use.contribution

    @property
    def is_summed(self) -> bool:
        """Whether an element of the share is a sum of products."""
        if self.use.local is not None:
            return self.use.product is not None
        return self.upstream is None or self.upstream.size > 1

    @cached_property
    def chosen(self) -> Index | None:
        """The element of the share that is followed; None if not all numbers are known."""
        if not self.share.is_whole or not self.share.size:
            return None
        match self.pick:
            case (self.space, row, column):
                index = index_of(self.share.shape, row, column)
            case ("out", row, column) if self.use.local is not None:
                output = index_of(self.use.local.shape, row, column)
                index = None if output is None else brought(output, self.share.shape)
            case _:
                index = None
        return strongest(self.share) if index is None else index

    @cached_property
    def outputs(self) -> list[Index]:
        """The elements of an elementwise function's output for which the followed one is used."""
        if self.chosen is None or self.use.local is None or not self.use.local.is_whole:
            return []
        large, chosen = self.use.local.shape, self.chosen
        extra = len(large) - len(chosen)
        small, first = (1,) * extra + self.share.shape, (0,) * extra + chosen
        ranges = [range(n) if n != m else (i,) for n, m, i in zip(large, small, first, strict=True)]
        return list(product(*ranges))

    @cached_property
    def output(self) -> Index | None:
        """The element of the output that is followed: the picked one, else the first."""
        if self.pick and self.pick[0] == "out" and self.use.local is not None:
            picked = index_of(self.use.local.shape, self.pick[1], self.pick[2])
            if picked in self.outputs:
                return picked
        return self.outputs[0] if self.outputs else None

    @cached_property
    def matrices(self) -> WorksheetProduct | None:
        """The share as a product of two matrices, if it is one."""
        return share_product(self.step, self.use, self.steps, self.upstream)

    @property
    def jacobian(self) -> Snapshot | None:
        """The Jacobian, if all of it was kept: of a large one there are only samples."""
        return self.use.jacobian if self.use.jacobian is not None and self.use.jacobian.is_whole else None

    # ------------------------------------------------------------------ lines
    def write(self, sheet: Sheet) -> None:
        """Write the calculation, from what arrived at the sender to the receiver's new gradient."""
        if self.matrices is not None and self.chosen is not None and self.matrices.fits(sheet.most):
            self.matrices.write(sheet, self._received(), self._receives(), self.space, self.chosen)
            self._write_sum(sheet)
            return
        if self.upstream is not None:
            marked: Space | None = "out" if self.use.local is not None else None
            mark = None if self.output is None else brought(self.output, self.upstream.shape)
            sheet.add("", self._arrived(), self.upstream, [self.symbols[0]], marked, mark)
        if self.use.local is not None:
            self._write_elementwise(sheet, self.use.local)
        elif self.jacobian is not None and self.chosen is not None:
            self._write_jacobian(sheet, self.jacobian, self.chosen)
        else:
            self._write_share(sheet, "→")
        self._write_sum(sheet)

    def _write_sum(self, sheet: Sheet) -> None:
        """Add what had arrived before."""
        if self.before is not None:
            words = {"kind": self.noun, "name": self.ends[1]}
            sheet.add("+", say("term_before", **words), self.before, (), self.space, self.chosen)
            sheet.add("=", say("term_after", **words), self.use.total or self.share, (), self.space, self.chosen)

    def _write_elementwise(self, sheet: Sheet, local: Snapshot) -> None:
        sheet.add("×", say("term_local"), local, [self.local], "out", self.output)
        if self.use.product is None:
            self._write_share(sheet, "=")
            return
        sheet.add("=", say("term_product"), self.use.product, (), "out", self.output)
        self._write_share(sheet, "Σ", f"{say('term_sum', axes=self.axes())}: ")

    def _write_jacobian(self, sheet: Sheet, jacobian: Snapshot, chosen: Index) -> None:
        column = replace(snapshot(self.column(jacobian, chosen)), device=jacobian.device)
        sheet.add("×", say("term_local"), column, [self._local_at(chosen)])
        self._write_share(sheet, "Σ" if self.is_summed else "=")

    def _local_at(self, chosen: Index) -> Token:
        return derivative(self.names[0], index_text(grouped(self.names[1]), chosen))

    def column(self, jacobian: Snapshot, chosen: Index) -> np.ndarray:
        """The derivatives of all elements of the output with respect to one element of the input."""
        outputs = jacobian.shape[: len(jacobian.shape) - len(chosen)]
        rows = jacobian.values.reshape((*outputs, self.share.size))
        place = int(np.ravel_multi_index(chosen, self.share.shape)) if chosen else 0
        return np.asarray(rows[..., place])

    def _write_share(self, sheet: Sheet, sign: str, prefix: str = "") -> None:
        sheet.add(sign, prefix + self._received(), self.share, self._receives(), self.space, self.chosen)

    def _receives(self) -> list[Token]:
        return [self.symbols[1]] if self.count == 1 else []

    def _arrived(self) -> str:
        """The name of what arrived at the sender."""
        return say("term_upstream")

    # ------------------------------------------------------------------ words
    def axes(self) -> str:
        """The axes of the output over which the products are summed."""
        assert self.use.product is not None
        large, small = self.use.product.shape, self.share.shape
        extra = len(large) - len(small)
        axes = [i for i, n in enumerate(large) if i < extra or (small[i - extra] == 1 and n != 1)]
        if len(axes) == len(large):
            return say("all_axes")
        return say("axis" if len(axes) == 1 else "axes", axes=", ".join(map(str, axes)))

    def rule(self) -> dict[str, Any] | None:
        """The rule in the user's names and as code; None if the function computes all gradients at once."""
        if self.use.rule is None:
            return None
        text = in_names(self.use.rule, {**names_in(self.step, self.steps), **self._name_of_g()})
        if self.use.product is not None:
            text = say("summed", rule=text, axes=self.axes())
        return {
            "text": f"{self._received()} = {text}",
            "where": say("rule_of", function=self.step.function, parameter=self.use.parameter),
            "declared": self.use.rule,
            "code": None if self.use.code == self.use.rule else self.use.code,
        }

    def _name_of_g(self) -> dict[str, str]:
        return {}

    def _received(self) -> str:
        """What the receiver gets: the whole gradient or one share of it."""
        return say("term_whole" if self.count == 1 else "term_share", kind=self.noun, name=self.ends[1])

    def notes(self) -> list[str]:
        """Further notes."""
        target = self.names[1]
        use = say("this_use", use=self.use_name, name=target, parameter=self.use.parameter)
        found = [use] if self.is_one_of_several_uses else []
        if self.use.product is not None:
            shapes = {"small": shape_text(self.share.shape), "large": shape_text(self.use.product.shape)}
            found.append(say("reduced_why", name=target, **shapes))
        if not is_product(self.use.product or self.share, self.upstream, self.use.local):
            found.append(say("not_linear"))
        if self.upstream is not None and self.upstream.dtype != self.share.dtype:
            found.append(say("cast", kind=self.noun, dtype=self.share.dtype, name=self.ends[1]))
        return found

    def told(self) -> str:
        """The share as read aloud: with its numbers or, of an array, with how it is computed."""
        if self.share.size > 1:
            key = "spoken_array" if self.ends[0].isidentifier() and self.ends[0][-1] != "s" else "spoken_array_of"
            return say(key, source=self.ends[0], target=self.ends[1], how=self._how())
        upstream = say("absent") if self.upstream is None else spoken_value(self.upstream)
        words = {"source": self.ends[0], "target": self.ends[1], "share": a_value(self.share), "upstream": upstream}
        if self.use.local is None or self.use.product is not None:
            return say("spoken_share", **words)
        return say("spoken_product", local=spoken_value(self.use.local), **words)

    def _how(self) -> str:
        """How the upstream gradient becomes the share, in a few words."""
        if self.matrices is not None:
            upstream = say("term_upstream")
            left, right = [f"the {name}" if name == upstream else name for name in self.matrices.names]
            return say("how_matrix", left=left, right=right)
        key = "how_rule" if self.use.local is None else "how_local"
        factor = ""
        for pattern, found in _HOW.items():
            match = re.match(pattern, self.use.rule or "")
            if match and all([name in self._factors for name in match.groups()]):
                key, factor = found, "".join([self._factors[name] for name in match.groups()])
        told = say(key, function=self.step.function, factor=factor)
        return told if self.use.product is None else say("summed", rule=told, axes=self.axes())

    @cached_property
    def _factors(self) -> dict[str, str]:
        """What an upstream number may be multiplied with: by the name in the rule, a number or the cell of an array."""
        names = names_in(self.step, self.steps)
        sources = {o.parameter: self.steps[o.step].value for o in self.step.operands if o.step is not None}
        arrays = {name for name, value in [("y", self.step.value), *sources.items()] if value and value.size > 1}
        return {name: say("how_cell", name=text) if name in arrays else text for name, text in names.items()}
