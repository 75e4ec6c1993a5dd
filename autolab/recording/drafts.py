"""Steps while a recording is being made: a value comes first, its gradient later."""

from __future__ import annotations

from dataclasses import dataclass

from .locate import CodePosition
from .model import KeptArray, Kind, Operand, Snapshot, Step
from .snapshot import made

_NOWHERE = CodePosition(file="", line=0)


@dataclass(init=False)
class Use:
    """One input of a step, while the recording is made: an `Operand` whose fields are found one by one."""

    parameter: str
    step: int | None
    constant: str | None
    rule: str | None = None
    numbers: str | None = None
    contribution: Snapshot | None = None
    code: str | None = None
    local: Snapshot | None = None
    product: Snapshot | None = None
    jacobian: Snapshot | None = None
    arrival: int | None = None
    total: Snapshot | None = None
    tangent: Snapshot | None = None
    tangent_total: Snapshot | None = None

    def __init__(self, parameter: str, step: int | None, constant: str | None) -> None:
        self.parameter, self.step, self.constant = parameter, step, constant


@dataclass
class Draft:
    """A step while the recording is made: its gradient comes later."""

    id: int
    kind: Kind
    function: str | None
    name: str | None
    uses: list[Use]
    value: Snapshot | None
    place: CodePosition | None = None
    outer_line: int | None = None
    is_inner: bool = False  # nobody wrote it down: it is a step of AutoLab's own code, and its operands say what it is
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

    def step(self, missing: str = "not_reached") -> Step:
        """The same as plain data; ``missing`` is the status of what needs a gradient and got none."""
        place = self.place or _NOWHERE
        return made(
            Step,
            id=self.id,
            kind=self.kind,
            function=self.function,
            name=self.name,
            operands=tuple([made(Operand, **vars(use)) for use in self.uses]),
            value=self.value,
            grad=self.grad,
            status=self._status(missing),
            source=place.source,
            statement=place.statement,
            file=place.file or None,
            line=place.line or None,
            seconds=self.seconds,
            backward_code=self.backward_code,
            outer_line=self.outer_line,
            attributes=self.attributes,
            scope=self.scope,
            order=self.order,
            of=self.of,
            replaced=self.replaced,
            tangent=self.tangent,
            keeps=self.keeps,
        )

    def _status(self, missing: str) -> str:
        if self.grad is None:
            if self.reached:
                return "ok"
            return "integer" if not self.is_float else missing if self.requires_grad else "constant"
        if self.grad.nan_count or self.grad.inf_count:
            return "nonfinite"
        return "zero" if self.grad.minimum == self.grad.maximum == 0 else "ok"
