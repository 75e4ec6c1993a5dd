"""CheckedFunction: what a report remembers of the function that it judged, so that it can be looked at again."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...shared.binding import Bound


@dataclass(frozen=True, eq=False)
class CheckedFunction:
    """``base`` is the function as it was given, with copies of its inputs; ``checked`` the one whose first derivatives
    were compared: ``base`` itself, or for a higher order its gradient. ``reveal`` is how much the report may say."""

    base: Bound
    checked: Bound
    order: int
    reveal: int


def kept(bound: Bound) -> Bound:
    """``bound`` with copies of its inputs: what the caller does with the arrays later changes nothing."""
    copies = {
        name: type(x)(x.array.copy(), name=x.name, requires_grad=x.requires_grad) for name, x in bound.variables.items()
    }
    return replace(bound, variables=copies)
