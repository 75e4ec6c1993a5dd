"""The steps of a recording in progress: they get a value first and a gradient later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from .arrays import maker
from .locate import CodePosition
from .model import KeptArray, Kind, Operand, Snapshot, Step
from .step import FilledIn

_NOWHERE = CodePosition(file="", line=0)
_step = maker(Step)
_names = [entry.name for entry in fields(Step)]
_first, _rest = attrgetter(*_names[:4]), attrgetter(*_names[_names.index("seconds") :])  # fields that a draft has, too


@dataclass(init=False, slots=True)
class Use(FilledIn):
    """One input of a step of a recording in progress: an `Operand` whose fields are filled in one by one.

    It has the same slots, so changing its class turns it into an `Operand`.
    """

    parameter: str
    step: int | None
    constant: str | None
    rule: str | None
    numbers: str | None
    contribution: Snapshot | None
    code: str | None
    local: Snapshot | None
    product: Snapshot | None
    jacobian: Snapshot | None
    arrival: int | None
    total: Snapshot | None
    tangent: Snapshot | None
    tangent_total: Snapshot | None

    def __init__(self, parameter: str, step: int | None, constant: str | None) -> None:
        self.parameter, self.step, self.constant = parameter, step, constant
        self.rule = self.code = self.contribution = self.local = self.product = self.jacobian = None
        self.arrival = self.total = self.tangent = self.tangent_total = None


@dataclass(slots=True)
class Draft:
    """A step of a recording in progress; its gradient comes later."""

    id: int
    kind: Kind
    function: str | None
    name: str | None
    uses: list[Use]
    value: Snapshot | None
    place: CodePosition | None = None
    outer_line: int | None = None
    is_inner: bool = False  # a step of AutoLab's own code, so its expression is made from its operands
    seconds: float = 0.0
    requires_grad: bool = False
    is_float: bool = True
    reached: bool = False
    grad: Snapshot | None = None
    backward_code: str | None = None
    attributes: tuple[tuple[str, str], ...] = ()
    scope: int | None = None
    order: int = 0
    of: int | None = None
    replaced: bool = False
    tangent: Snapshot | None = None
    keeps: tuple[KeptArray, ...] | None = None
    call: tuple[Any, Mapping[str, Any]] | None = None

    def step(self, missing: str = "not_reached") -> Step:
        """The step as plain data; ``missing`` is the status if it needs a gradient and got none."""
        place = self.place or _NOWHERE
        for use in self.uses:
            use.__class__ = Operand  # type: ignore[assignment]
        made: Step = _step(
            *_first(self),
            tuple(self.uses),
            self.value,
            self.grad,
            self._status(missing),
            place.source,
            place.statement,
            place.file or None,
            place.line or None,
            *_rest(self),
        )
        if self.call is not None:
            object.__setattr__(made, "_call", self.call)
        return made

    def _status(self, missing: str) -> str:
        if self.grad is None:
            if self.reached:
                return "ok"
            return "integer" if not self.is_float else missing if self.requires_grad else "constant"
        if self.grad.nan_count or self.grad.inf_count:
            return "nonfinite"
        return "zero" if self.grad.minimum == self.grad.maximum == 0 else "ok"
