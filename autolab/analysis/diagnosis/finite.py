"""Numbers that are not finite, or too small for float16."""

from __future__ import annotations

import numpy as np

from ...recording import NonfiniteOrigin, Step, find_nonfinite
from .evidence import Evidence, Found
from .safe import ALIASES, safe_way
from .words import at_line, called, listed, number, shape_of, whole

_SAFE = {
    "log": ("the logarithm of 0 or of a negative number", "Use log_softmax or logsigmoid, or log(x + 1e-8)."),
    "div": ("a division by 0", "Add a small number to the denominator, such as 1e-8."),
    "sqrt": ("the square root of 0 or of a negative number", "Use sqrt(x + 1e-8): at 0 its gradient is infinite."),
    "exp": ("exp of more than 88 (float64: 709)", "Subtract the maximum first, or use logsumexp, softmax or softplus."),
    "norm": ("the norm of zeros", "Use sqrt(sum(x**2) + 1e-8): at 0 the norm has no gradient."),
    "pow": ("a power of 0 or of a negative number", "Keep the base above 0, for example with clamp(min=1e-8)."),
    "where": ("the other branch of where", "Make the argument safe before the function, not its result after it."),
    "arccos": ("arccos at -1 or 1", "Clamp the argument to (-1 + 1e-6, 1 - 1e-6)."),
    "softmax": ("a row of -inf only", "Leave at least one number of each row unmasked."),
    "std": (
        "the standard deviation of equal numbers, or of one",
        "Give it two numbers or more, and use sqrt(variance + 1e-8).",
    ),
}
_OVERFLOWS = {
    "log": ("the slope of the logarithm, 1 / x, overflows", _SAFE["log"][1]),
    "div": ("a division that overflows", _SAFE["div"][1]),
    "pow": ("a power that overflows", "Make the numbers smaller, for example by dividing by their mean size."),
}
_ROWS = ("softmax", "log_softmax")  # entries masked with -inf are meant to be infinite


def not_finite(e: Evidence) -> Found:
    """The first step that produced a NaN or an infinity that reaches the loss or a gradient, and why."""
    if e.recording is None:
        return
    origins = find_nonfinite(e.recording).origins
    rows = [origin for origin in origins if origin.function in _ROWS and origin.phase == "forward"]
    meant = [origin.because for origin in rows]
    for origin in [origin for origin in origins if origin not in meant]:
        made = {*origin.values, origin.step} if origin.phase == "forward" else set(origin.values)
        reaches = e.loss is not None and e.loss.id in made
        bad = [p.name for p in e.trainable if (g := e.gradient(p)) is not None and not np.isfinite(g).all()]
        if not e.trainable:  # then the gradients of the arguments count
            bad = [e.steps[id].name or "an input" for id in origin.gradients if e.steps[id].kind == "input"]
        if not reaches and not (origin.gradients and bad):
            continue
        cause = origin if origin in rows else origin.because or origin
        step = e.steps[cause.step]
        if cause.how in ("given", "written"):
            user, named = next(iter(e.users.get(step.id, [])), step), e.called(step)
            told = f"{at_line(user)} gets an array that holds" if named == "a value" else f"{named} holds"
            told += f" {_what(cause)} before anything is computed with it"
            step = user
            remedy = "Look for it in the data, with numpy.isnan(x), and for a division by a standard deviation of 0."
        else:
            name = ALIASES.get(step.function or "", step.function or "")
            why, remedy = _SAFE.get(name, (f"the function {name}", "Keep its arguments in the domain."))
            if name in _OVERFLOWS and cause.what == "inf" and not _is_at_zero(e, step, name):
                why, remedy = _OVERFLOWS[name]
            if origin.phase == "backward" and "where" in {u.function for u in e.users.get(step.id, [])}:
                why, remedy = f"{why}, in a branch that where() does not take", _SAFE["where"][1]
            if empty := [o for o in e.operands(step) if 0 in shape_of(o)]:
                why = f"an average over nothing, as {called(empty[0])} is empty (shape {shape_of(empty[0])})"
                remedy = "Leave the loss out where the mask selects nothing, or divide the sum by max(count, 1)."
            told = f"{at_line(step)} gives {_what(cause)} in the {cause.phase} pass: {why}{_numbers(e, step)}"
            remedy = remedy if empty else safe_way(e, step) or remedy
        yield e.found("not_finite", f"{told}. It reaches {'the loss' if reaches else listed(bad)}.", remedy, at=step)
        return


def _what(origin: NonfiniteOrigin) -> str:
    return "NaN" if origin.what == "nan" else "infinity"


def _is_at_zero(e: Evidence, step: Step, name: str) -> bool:
    """Whether a divisor or a base is 0 somewhere, or a logarithm's argument at most 0; otherwise numbers overflow."""
    at = step.operands[0 if name == "pow" else -1].step
    x = None if at is None else whole(e.steps[at].value)
    return x is None or bool(((x <= 0) if name == "log" else (x == 0)).any())


def _numbers(e: Evidence, step: Step) -> str:
    given = [o.value for o in e.operands(step) if o.value is not None and o.value.minimum is not None]
    ends = [(number(v.minimum or 0.0), number(v.maximum or 0.0)) for v in given]
    told = [low if low == high else f"{low} to {high}" for low, high in ends]
    return f" (its input{'s' * (len(told) > 1)}: {'; '.join(told)})" if told else ""


def underflow(e: Evidence) -> Found:
    """float16 gradients that are 0 because of underflow."""
    for step in [s for s in e.calls if s.id in e.learning and s.value is not None and s.value.dtype == "float16"]:
        g = whole(step.grad)
        users = [u for u in e.users.get(step.id, []) if u.grad is not None and u.grad.norm > 0]
        if g is None or not users or g.size < 2:
            continue
        small = float((np.abs(g) < 6e-5).mean())
        if small > 0.5:
            yield e.found(
                "underflow",
                f"{at_line(step)} is float16, and {small:.0%} of its gradient is below 6e-5, the smallest that float16 "
                f"holds in full: {float((g == 0).mean()):.0%} became 0.",
                "Scale the loss (GradScaler), or use bfloat16 or float32.",
                at=step,
            )
            return
