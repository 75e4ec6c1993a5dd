"""Consecutive linear layers."""

from __future__ import annotations

from ...recording.model import Step
from .evidence import Evidence, Found
from .program_graph import RESHAPES
from .report import at_line, called, shape_of

LINEAR = frozenset({"linear", "matmul", "mm", "addmm", "dot", "dot_general", "conv1d", "conv2d", "conv3d"})
_BETWEEN = (RESHAPES - {"getitem"}) | {"dropout", "identity"}


def pairs(e: Evidence) -> Found:
    """Two linear layers without a nonlinear function between them."""
    for step in e.calls:
        first = weight_of(e, step)
        if first is None or step.id not in e.used:
            continue
        below = _below(e, step)
        second = None if below is None else weight_of(e, below)
        if below is None or second is None or _home(e, step) != _home(e, below):
            continue
        inner, outer = _sizes(below, second), _sizes(step, first)
        if inner is None or outer is None or inner[1] < min(inner[0], outer[1]) or below.function != step.function:
            continue
        yield e.suspect(
            "no_nonlinearity",
            f"{at_line(below)} and {called(step)} in line {step.line} are two linear layers ({inner[0]} to {inner[1]} "
            f"to {outer[1]}) with no nonlinearity between them: together they are one linear layer.",
            "Put a nonlinearity such as relu between them.",
            at=step,
        )


def weight_of(e: Evidence, step: Step) -> Step | None:
    """The weight of a linear layer."""
    if step.function not in LINEAR or any(key == "groups" for key, _ in step.attributes):
        return None
    weights = [w for o in e.operands(step) if (w := e.made_by(o)).id in e.learned and len(shape_of(w)) > 1]
    return weights[0] if len(weights) == 1 else None


def _below(e: Evidence, step: Step) -> Step | None:
    """The layer that feeds a layer, if there are only a bias, changes of shape and dropout between them."""
    given = [o for o in e.operands(step) if o.id in e.learning and not e.is_parameter(o)]
    while len(given) == 1:
        below = given[0]
        others = [o for o in e.operands(below) if o.id in e.learning and not e.is_parameter(o)]
        is_bias = below.function == "add" and any(e.is_parameter(o) for o in e.operands(below))
        if len({user.id for user in e.users.get(below.id, []) if user.id in e.used}) > 1:
            return None  # it is used elsewhere, too, such as in a residual connection
        if below.function in LINEAR:
            return below
        if not is_bias and below.function not in _BETWEEN:
            return None
        given = others
    return None


def _home(e: Evidence, step: Step) -> int | None:
    """The scope around that of a layer."""
    if step.scope is None or e.recording is None:
        return None
    own = e.recording.scopes[step.scope]
    return own.parent if step.function in ("linear", "conv1d", "conv2d") and own.kind == "link" else own.id


def _sizes(step: Step, weight: Step) -> tuple[int, int] | None:
    """The numbers of inputs and outputs of a layer per example."""
    shape, made = shape_of(weight), shape_of(step)
    if not made:
        return None
    out = made[1 if step.function and step.function.startswith("conv") else -1]
    return (shape[1] if shape[0] == out else shape[0]), out
