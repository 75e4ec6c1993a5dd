"""Numbers that are not finite, or too small for float16.

Safe ways to write a step that is not finite: each is tried in its place and reported with the numbers it gives.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...recording import NonfiniteOrigin, find_nonfinite
from ...recording.model import LEAVES, Recording, Step
from .evidence import Evidence, Found
from .report import at_line, called, listed, number, shape_of, short, whole
from .workbench import Changes

ALIASES = {
    "reciprocal": "div",
    "rsqrt": "sqrt",
    "log2": "log",
    "log10": "log",
    "log_softmax": "softmax",
    **dict.fromkeys(("acos", "asin", "arcsin"), "arccos"),
}
"""Functions that fail in the same way as others."""
_WITH_LOG = {"softmax": "log_softmax", "sigmoid": "logsigmoid"}
_LONGEST = 40
_ONE_LESS = 1 - 1e-6  # the largest cosine after clipping

_FLAT = ("log", "log2", "log10", "exp")  # where clipped elements, or those much smaller than the constant, do not learn

Way = tuple[str, Changes]
Change = Callable[..., Any]


def safe_way(e: Evidence, step: Step) -> str | None:
    """The first safe way to write a step that makes the loss and all gradients finite, with their numbers."""
    for text, changes in _ways(e, step):
        found = e.changed(changes)
        told = None if found is None else _numbers_of_line(e, found, step.function in _FLAT)
        if told is not None:
            return f"Write `{text}`: with the same numbers, {told}."
    return None


def _numbers_of_line(e: Evidence, found: Recording, moves: bool) -> str | None:
    """The loss and the largest gradient of a recording, if all are finite and, with ``moves``, it is not 0."""
    result = found.steps[found.outputs[0]].value
    grads = [s.grad for s in found.steps if s.kind in LEAVES and s.id in e.learned and s.grad is not None]
    if result is None or not grads or any(kept.nan_count or kept.inf_count for kept in (result, *grads)):
        return None
    largest = max(abs(end or 0.0) for g in grads for end in (g.minimum, g.maximum))
    if moves and not largest:
        return None
    loss = f"the loss is {number(result.values.item())}" if result.size == 1 else "the result is finite"
    return f"{loss} and {f'no gradient is larger than {number(largest)}' if largest else 'every gradient is 0'}"


def _ways(e: Evidence, step: Step) -> Iterator[Way]:
    """Alternatives, the best first, each with its changes to the graph."""
    given = e.operands(step)
    if not given:
        return
    function, of = step.function or "", [*map(_text, given)]
    kind, tiny = ALIASES.get(function, function), _tiny(step)
    written = [o.constant or ("..." if o.step is None else _text(e.steps[o.step])) for o in step.operands]
    every = [s.id for s in e.calls if (s.function, s.line, s.file) == (function, step.line, step.file)]

    def instead(change: Change) -> Changes:
        return dict.fromkeys(every, change)

    if (beside := _other_branch(e, step)) is not None:
        text, mask = beside
        yield f"{function}(where({text}, {of[0]}, 1))", {step.id: _within(e, mask)}
    if kind == "exp":
        yield from _shifted(e, step, of[0])
        yield f"{function}(clip({of[0]}, None, 80))", instead(lambda call, x: call(x.clip(None, 80.0)))
    if function == "log":
        yield from _logarithms(e, given[0], every)
    if kind in ("log", "sqrt", "pow"):
        rest = f" ** {written[1]}" if kind == "pow" and len(written) > 1 else ""
        head, least = "" if rest else function, float(tiny)
        yield f"{head}({of[0]} + {tiny}){rest}", instead(lambda call, x, *more: call(x + least, *more))
        clipped = f"{head}(clip({of[0]}, {tiny}, None)){rest}"
        yield clipped, instead(lambda call, x, *more: call(x.clip(least, None), *more))
    if kind == "div" and len(written) == 2:
        yield f"{_factor(written[0])} / ({written[1]} + {tiny})", instead(lambda call, a, b: call(a, b + float(tiny)))
    if kind == "arccos":
        text = f"{function}(clip({of[0]}, -1 + 1e-6, 1 - 1e-6))"
        yield text, instead(lambda call, x: call(x.clip(-_ONE_LESS, _ONE_LESS)))
    if kind == "softmax":
        yield f"{function}(clip({of[0]}, -1e4, None))", instead(lambda call, x, *more: call(x.clip(-1e4, None), *more))
    if kind in ("norm", "std"):
        yield from _roots(step, given[0], kind, of[0], tiny)


def _tiny(step: Step) -> str:
    """A constant that is small relative to usual numbers but not 0 in the step's precision."""
    return "1e-4" if step.value is not None and "16" in step.value.dtype else "1e-8"


def _text(step: Step) -> str:
    """The user's expression for a value if it is short and visible, else ``...``."""
    text = short(step.name or step.source or "...")
    is_seen = step.name or (step.source or "?") in (step.statement or "")
    return text if is_seen and len(text) <= _LONGEST and not re.search(r"\bv\d+\b", text) else "..."


def _factor(text: str) -> str:
    """An expression, in brackets if needed as a factor."""
    try:
        return f"({text})" if isinstance(ast.parse(text, mode="eval").body, ast.BinOp) else text
    except SyntaxError:
        return text


def _logarithms(e: Evidence, given: Step, logs: list[int]) -> Iterator[Way]:
    """Functions that contain the logarithm: for softmax, sigmoid and 1 - sigmoid."""
    is_rest = given.function == "sub" and given.operands[0].constant in ("1", "1.0")
    maker = next(iter(e.operands(given)), given) if is_rest else given
    scores = next(iter(e.operands(maker)), None)
    if scores is None or scores.value is None or not scores.value.is_whole or maker.function not in _WITH_LOG:
        return
    z, sign, held = scores.value.values, -1 if is_rest else 1, list[Any]()
    is_row = maker.function == "softmax"
    top = z.max(axis=-1, keepdims=True) if is_row else np.minimum(sign * z, 0)

    def keep(call: Change, x: Any, *more: Any) -> Any:
        held.append(x)
        return call(x, *more)

    def log(call: Change, _: Any) -> Any:
        """log(sigmoid(z)) is min(z, 0) - log(exp(min(z, 0)) + exp(min(z, 0) - z))."""
        if is_row:
            x = held[-1] - e.bench.like(top, held[-1])
            return x - call((math.e**x).sum(axis=-1, keepdims=True))
        low = e.bench.like(top, held[-1])
        return low - call(e.bench.like(np.exp(top), held[-1]) + math.e ** (low - sign * held[-1]))

    if not is_rest or not is_row:
        inner = f"-{_factor(_text(scores))}" if is_rest else _text(scores)
        yield f"{_WITH_LOG[maker.function]}({inner})", {maker.id: keep, **dict.fromkeys(logs, log)}


def _roots(step: Step, given: Step, kind: str, text: str, tiny: str) -> Iterator[Way]:
    """A norm or a standard deviation as a square root, over the axes that are not in the result."""
    x, y = given.value, step.value
    if x is None or y is None:
        return
    every = tuple(range(len(x.shape)))
    left = [axis for axis in every if x.shape[:axis] + x.shape[axis + 1 :] == y.shape]
    axes, at = ((left[0],), f", axis={left[0]}") if y.shape and left else (every, "")

    def root(_: Change, x: Any, *more: Any) -> Any:
        if kind == "norm":
            return ((x * x).sum(axis=axes) + float(tiny)) ** 0.5
        x = x - x.mean(axis=axes, keepdims=True)
        return ((x * x).mean(axis=axes) + float(tiny)) ** 0.5

    inner = f"sum({_factor(text)} ** 2{at})" if kind == "norm" else f"mean(({text} - mean) ** 2{at})"
    yield f"sqrt({inner} + {tiny})", {step.id: root}


def _other_branch(e: Evidence, step: Step) -> tuple[str, np.ndarray] | None:
    """For a value that ``where`` uses in part, the condition as text and the mask of the elements used."""
    for user in e.users.get(step.id, []):
        given = e.operands(user)
        if user.function != "where" or len(given) < 2 or (taken := given[0].value) is None or not taken.is_whole:
            continue
        is_first = given[1].id == step.id
        text = _condition(user.source or "")
        return (text, taken.values) if is_first else (f"~({text})", ~taken.values)
    return None


def _condition(source: str) -> str:
    """The condition of a call of ``where``, as written."""
    try:
        call = ast.parse(source, mode="eval").body
    except SyntaxError:
        return "..."
    return ast.unparse(call.args[0]) if isinstance(call, ast.Call) and len(call.args) == 3 else "..."


def _within(e: Evidence, mask: np.ndarray) -> Change:
    """The call with 1 in place of the elements that are not used."""

    def change(call: Change, x: Any, *more: Any) -> Any:
        kept = e.bench.like(mask.astype(float), x)
        return call(x * kept + (1 - kept), *more)

    return change


def _shifted(e: Evidence, step: Step, text: str) -> Iterator[Way]:
    """``exp`` after subtracting the maximum, in functions that allow it: softmax, logsumexp and softplus."""
    value = e.operands(step)[0].value
    users = [user for user in e.users.get(step.id, []) if user.id in e.used]
    if value is None or not value.is_whole or not value.shape:
        return
    x, like = value.values, e.bench.like
    sums = [user for user in users if user.function == "sum"]
    after = [user for between in sums or users for user in [between, *e.users.get(between.id, [])]]
    log = next((user for user in after if user.function in ("log", "log1p")), None)
    shift = x.max(axis=-1, keepdims=True) if sums else np.maximum(x, 0)
    with np.errstate(over="ignore"):
        one = np.exp(-shift)

    def less(call: Change, x: Any) -> Any:
        return call(x - like(shift, x))

    def plus(call: Change, y: Any, *more: Any) -> Any:
        y = call(y + like(one - 1, y) if log is not None and log.function == "log1p" else y, *more)
        return y + like(shift.reshape(y.shape), y)

    def one_less(call: Change, *given: Any) -> Any:
        y = next(array for array in given if getattr(array, "shape", ()))
        return y + like(one, y)

    if sums and log is not None:
        yield f"logsumexp({text})", {step.id: less, log.id: plus}
    elif sums and any(user.function == "div" for user in users):
        yield f"softmax({text})", {step.id: less}
    elif log is not None:
        ones = {user.id: one_less for user in users if user.function == "add"}
        yield f"softplus({text})", {step.id: less, **ones, log.id: plus}


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
