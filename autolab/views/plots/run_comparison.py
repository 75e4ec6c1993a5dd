"""How a comparison of two runs is displayed: their differences step by step, sentences about the first one, and a table
of the steps that differ."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from ...analysis.run_comparison import RunComparison, StepDifference
from ...recording.model import LEAVES, Recording
from ..draw import clean, number
from ..draw.chart import Line, chart
from ..draw.messages import listed, plural, say
from ..draw.names import label, shorten
from .layers import Plotted

_LABEL = 60
_NOISE = 1e-9  # smaller differences are of no interest here


def plotted(found: RunComparison) -> Plotted:
    """The differences between the runs over the steps."""
    title = say("compare_title", function=clean(found.function))
    return Plotted(title, _chart(found, title), _words(found), _table(found))


def text(found: RunComparison) -> str:
    """The sentences as text."""
    return f"{say('compare_title', function=clean(found.function))}. {_words(found)}"


def _chart(found: RunComparison, title: str) -> dict[str, Any]:
    lines = [_line("value", found, found.values), _line("gradient", found, found.gradients)]
    first = found.value or found.gradient
    at = None if first is None else first.b
    told = "" if first is None else say("compare_mark", label=shorten(label(found.b.steps[first.b]), _LABEL))
    ends = () if at is None else (at,)
    plot = chart(f"{title}: {say('compare_relative')}", lines, True, say("compare_step"), at, ends, mark_words=told)
    plot["note"] = f"{say('compare_up')} {plot['note']}".strip()
    for line in plot["lines"]:
        line["last"] = ""
    for tick in plot["y"]["ticks"]:
        tick[1] = tick[1] if tick[0] > _NOISE else say("compare_same")
    return plot


def _line(kind: str, found: RunComparison, sizes: Sequence[float]) -> Line:
    """The line of computed values and of inputs that differ; weights, which mostly agree, would make it jagged."""
    points = [
        (j, max(size, _NOISE))
        for (_, j), size in zip(found.pairs, sizes, strict=True)
        if math.isfinite(size) and (size > _NOISE or found.b.steps[j].kind not in LEAVES)
    ]
    return Line(say(f"compare_{kind}"), [x for x, _ in points], [y for _, y in points])


def _words(found: RunComparison) -> str:
    if not found.pairs:
        return say("compare_none")
    if found.agree:
        return say("compare_agree", count=plural(len(found.pairs), "step"))
    return " ".join(_sentences(found))


def _sentences(found: RunComparison) -> Iterator[str]:
    if found.value is None:
        yield say("compare_values_agree")
    else:
        yield _where("compare_first", found.value, found.b)
        yield from _why(found)
    yield say("compare_gradients_agree") if found.gradient is None else _where("compare_back", found.gradient, found.b)


def _where(key: str, one: StepDifference, run: Recording) -> str:
    step = run.steps[one.b]
    place = say("compare_place", layer=clean(one.layer)) if one.layer != (step.name or step.source) else ""
    place += "" if step.line is None else say("compare_line", line=step.line)
    how = "by" if math.isfinite(one.size) else "not_finite"
    told = say(f"compare_{how}", size=number(one.size), scale=number(one.scale))
    return say(key, label=shorten(label(step), _LABEL), place=place, how=told)


def _why(found: RunComparison) -> Iterator[str]:
    one = found.value
    assert one is not None
    for given in one.because:
        how = given.relation or ("" if math.isfinite(given.size) else "not_finite")
        kind = f"compare_because{how and '_' + how}"
        words = {"label": shorten(label(found.b.steps[given.b]), _LABEL), "size": number(given.size)}
        yield say(kind, factor=number(given.factor), **words)
    for key, run, missing in (("a", found.a, one.missing_a), ("b", found.b, one.missing_b)):
        if missing:
            yield say(f"compare_only_{key}", labels=_labels(run, missing))
    if one.relation and not one.because:
        yield say(f"compare_{one.relation}", factor=number(one.factor))


def _labels(run: Recording, steps: Sequence[int]) -> str:
    return listed([shorten(label(run.steps[i]), _LABEL) for i in steps], 3)


def _table(found: RunComparison) -> list[list[str]]:
    heads = [say("memory_step"), say("memory_label"), say("compare_value"), say("compare_gradient")]
    rows = [heads]
    for (_, j), *sizes in zip(found.pairs, found.values, found.gradients, strict=True):
        rows.append([str(j), label(found.b.steps[j]), *["" if math.isnan(size) else number(size) for size in sizes]])
    return rows
