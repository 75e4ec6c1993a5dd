"""Exercises of 07 find the bug: a published mistake, eight patients, and inputs on which they fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...authoring.function_node import FunctionNode
from ...engine.variable import Variable
from ...functions import abs as absolute_of
from ...functions import mean, sum
from ..exercise import Exercise, OwnGradient, Prediction, Witness, normal

NAMES = ("sign", "factor", "upstream", "part", "places", "mean", "damage", "healthy")


class Absolute(FunctionNode):
    """The absolute value, with a gradient as if nothing were negative."""

    def forward(self, inputs: Any) -> Any:
        return (abs(inputs[0]),)

    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        return grad_outputs


class AddBias(FunctionNode):
    """A bias for each row, with the mean over the rows as its gradient."""

    def forward(self, inputs: Any) -> Any:
        h, b = inputs
        return (h + b,)

    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        (g,) = grad_outputs
        return g, mean(g, axis=0)


def _applied(kind: type[FunctionNode]) -> Callable[..., Variable]:
    return lambda *inputs: kind().apply(inputs)[0]


def _named(patient: str, name: str) -> Prediction:
    return Prediction(f"bugs-name-{patient}", lambda: name, choices=NAMES)


EXERCISES: tuple[Exercise, ...] = (
    Prediction("bugs-predict-first", lambda: "c", choices=("a", "b", "c")),
    OwnGradient("bugs-mend", normal(x=(5, 4), y=(5, 4), z=(5, 4)), lambda x, y, z: x * y + z),
    _named("divide", "sign"),
    _named("sigmoid", "upstream"),
    _named("softplus", "healthy"),
    _named("absolute", "places"),
    Witness("bugs-witness-absolute", _applied(Absolute), absolute_of, corner=lambda x: x == 0),
    _named("normalize", "part"),
    _named("bias", "mean"),
    Witness("bugs-witness-bias", _applied(AddBias), lambda h, b: h + b, count=2),
    _named("exp", "damage"),
    _named("cube", "factor"),
    OwnGradient("bugs-own", normal(x=(7,)), lambda x: x / sum(x)),
)
