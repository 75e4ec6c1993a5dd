"""Exercises of 03 Linear: y = x @ W.T + b with a batch of 5, 4 inputs and 3 outputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...engine.grad import grad
from ...engine.variable import Variable
from ..exercise import Arrays, Exercise, OwnGradient, Prediction, Values, normal
from ..judgement import Known

_BATCH = 5
_parts = normal(x=(_BATCH, 4), W=(3, 4), gy=(_BATCH, 3))


def _linked(answer: Any, inputs: Arrays) -> Any:
    """What a written link makes of ``x``, if it knows its parameter, and its result leads back to that."""
    link = answer(inputs["W"].shape)
    if link(inputs["x"]) is None:
        return None
    known = {name.lstrip("/"): parameter for name, parameter in link.namedparams()}
    if "W" not in known:
        raise Known("unregistered")
    W = known["W"]
    if np.any(W.data):
        raise Known("start")
    W.data = inputs["W"]
    y = link(inputs["x"])
    if not isinstance(y, Variable) or grad(y, W, np.ones(y.shape)) is None:
        raise Known("detached")
    return y


EXERCISES: tuple[Exercise, ...] = (
    Prediction("linear-predict-shape", lambda: "b", choices=("a", "b", "c")),
    Prediction("linear-predict-bias", lambda: float(_BATCH), {"one": lambda: 1.0, "mean": lambda: 1 / _BATCH}),
    Values(
        "linear-gx",
        _parts,
        lambda x, W, gy: gy @ W,
        {"no_upstream": lambda x, W, gy: np.broadcast_to(W.sum(axis=0), x.shape)},
    ),
    Values("linear-gW", _parts, lambda x, W, gy: gy.T @ x, {"turned": lambda x, W, gy: x.T @ gy}),
    Values(
        "linear-gb",
        normal(gy=(_BATCH, 3)),
        lambda gy: gy.sum(axis=0),
        {
            "copies": lambda gy: gy,
            "mean": lambda gy: gy.mean(axis=0),
            "other_axis": lambda gy: gy.sum(axis=1),
            "all": lambda gy: gy.sum(),
        },
    ),
    OwnGradient("linear-own", normal(x=(_BATCH, 4), W=(3, 4), b=(3,)), lambda x, W, b: x @ W.T + b),
    Values(
        "linear-own-link",
        normal(x=(_BATCH, 4), W=(_BATCH, 4)),
        lambda x, W: W * x,
        measure=_linked,
    ),
)
