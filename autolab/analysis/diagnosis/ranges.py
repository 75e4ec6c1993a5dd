"""Targets that an output cannot reach."""

from __future__ import annotations

import numpy as np

from .evidence import Evidence, Found
from .linear_layers import weight_of
from .words import at_line, called, ends, number, whole

_RANGES = {
    "sigmoid": (0.0, 1.0),
    "softmax": (0.0, 1.0),
    "tanh": (-1.0, 1.0),
    "logistic": (0.0, 1.0),
    "softsign": (-1.0, 1.0),
    "hardsigmoid": (0.0, 1.0),
    "hardtanh": (-1.0, 1.0),
    "elu": (-1.0, np.inf),
    **dict.fromkeys(("relu", "softplus", "exp", "square", "abs", "sqrt"), (0.0, np.inf)),
}


def unreachable(e: Evidence) -> Found:
    """Targets that a prediction cannot reach."""
    for o in e.objectives:
        target, maker = whole(o.target.value), e.made_by(o.prediction)
        even = maker.function in ("pow", "integer_pow") and (maker.value is None or (maker.value.minimum or 0.0) >= 0)
        if target is None or not target.size or o.target.id in e.learning:
            continue
        low, high = float(target.min()), float(target.max())
        given = whole(o.prediction.value)
        is_outside = given is not None and bool(((given < -1e-6) | (given > 1 + 1e-6)).any())
        if o.kind == "bce" and (is_outside or weight_of(e, maker) is not None):
            yield (e.found if is_outside else e.suspect)(
                "output_range",
                f"`{o.step.function}` expects probabilities, and gets any numbers from {called(o.prediction)}: here "
                f"between {ends(o.prediction)}.",
                "Apply a sigmoid first, or use binary_cross_entropy_with_logits.",
                at=o.step,
            )
            continue
        if o.kind in ("bce", "bce_logits") and (low < -1e-6 or high > 1 + 1e-6):
            what, reach = f"`{o.step.function}`", (0.0, 1.0)
        elif o.kind == "regression" and (even or maker.function in _RANGES):
            what, reach = at_line(maker), _RANGES["square" if even else maker.function or ""]
        else:
            continue
        outside = float(((target < reach[0] - 0.01) | (target > reach[1] + 0.01)).mean())
        if outside > 0.02:
            yield e.found(
                "output_range",
                f"{what} gives numbers between {number(reach[0])} and {number(reach[1])}, and {outside:.0%} of the "
                f"targets {e.called(o.target)} lie outside: they go from {number(low)} to {number(high)}.",
                "Leave the last layer without it, or scale the targets.",
                at=maker if o.kind == "regression" else o.step,
            )
