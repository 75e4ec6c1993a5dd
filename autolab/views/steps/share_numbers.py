"""The formula of a share with its numbers, for the element that is followed."""

from __future__ import annotations

from typing import Any

from ...recording.model import Snapshot
from ...recording.rule_text import filled_in
from ..graph.rule_formulas import grouped, numbers_in, product_text, sum_text
from .share import Share
from .worksheet import Index, brought, index_text


def numbers_of(share: Share) -> list[str]:
    """The formula with its numbers, for the element that is followed."""
    if share.chosen is None or share.upstream is None or not share.upstream.is_whole:
        return []
    result = share.share.values[share.chosen]
    if share.output is not None:
        return _elementwise(share, share.output, result)
    if share.matrices is not None:
        return [_at(share, share.share, share.chosen) + sum_text(share.matrices.terms(share.chosen), result)]
    if share.jacobian is None:
        return [numbers_in(share.use.numbers)] if share.use.numbers else []
    column = share.column(share.jacobian, share.chosen).reshape(-1)
    pairs = list(zip(share.upstream.values.reshape(-1), column, strict=True))
    terms = [pair for pair in pairs if pair[1] != 0]
    return [_at(share, share.share, share.chosen) + sum_text(terms, result)]


def _elementwise(share: Share, output: Index, result: Any) -> list[str]:
    assert share.upstream is not None and share.use.local is not None
    factors = share.upstream.values[brought(output, share.upstream.shape)], share.use.local.values[output]
    if share.use.product is None:
        return [_at(share, share.share, output) + (_rule_at(share, output, result) or product_text(factors, result))]
    products = share.use.product.values
    one = _rule_at(share, output, products[output]) or product_text(factors, products[output])
    whole = sum_text([(products[index],) for index in share.outputs], result)
    return [f"{index_text('', output)}: {one}", f"{index_text(share.names[1], share.chosen or ())}: {whole}"]


def _at(share: Share, values: Snapshot, index: Index) -> str:
    return f"{index_text(grouped(share.ends[1]), index)}: " if values.size > 1 else ""


def _rule_at(share: Share, output: Index, result: Any) -> str | None:
    """The rule as declared, with the numbers of one element."""
    if share.use.rule is None or share.upstream is None:
        return None
    values: dict[str, Any] = {"g": share.upstream.values[brought(output, share.upstream.shape)]}
    if share.step.value is not None and share.step.value.is_whole:
        values["y"] = share.step.value.values[output]
    for operand in share.step.operands:
        given = share.steps[operand.step].value if operand.step is not None else None
        if given is not None and given.is_whole:
            values[operand.parameter] = given.values[brought(output, given.shape)]
        elif operand.constant is not None:
            values[operand.parameter] = _number(operand.constant)
    filled = filled_in(share.use.rule, values, result)
    return numbers_in(filled) if filled is not None and "=" in filled else None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
