"""The words at the boxes of a graph: names of groups of steps, devices, and the words by which a step is found."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ...recording.model import Recording, Step
from ...recording.outline import Group, Outline
from ..draw import clean, plural, say
from ..draw.names import expression, heading, label


def group_text(group: Group) -> str:
    """The call or the head of the loop as written, or the name of a block; for a run, its first and last."""
    if group.scope is not None:
        return clean(group.scope.label)
    if group.kind == "statement":
        return expression(group.steps[-1])
    first, last = _end(group, 0), _end(group, -1)
    if first is None or last is None or first.scope is None or last.scope is None:
        return f"… {group_count(group)}"
    return f"{clean(first.scope.label)} … {clean(last.scope.label)}"


def _end(group: Group, place: int) -> Group | None:
    """The first (``place`` 0) or the last (-1) group in a run; None if it is a step."""
    item = group.items[place]
    return None if not isinstance(item, Group) else _end(item, place) if item.kind == "run" else item


def group_name(group: Group) -> str | None:
    """The user's name for what a call returned."""
    if group.kind == "statement":
        return label(group.steps[-1]) if group.steps[-1].name else None
    return clean(group.scope.name) if group.scope is not None and group.scope.name else None


def group_heading(group: Group) -> str:
    """``h = layer(x, W)``, or just the call, loop or name."""
    name = group_name(group)
    return group_text(group) if name is None else f"{name} = {group_text(group)}"


def group_count(group: Group) -> str:
    """The size of a group: the blocks of a stack, the passes of a loop or of a run of passes, else the steps."""
    if group.kind == "stack":
        return plural(len(group.items), "block")
    rounds = _rounds(group)
    return plural(rounds, "pass", "passes") if rounds else plural(len(group.steps), "step")


def _rounds(group: Group) -> int:
    if group.kind not in ("loop", "run"):
        return 0
    return sum([_rounds(i) if i.kind == "run" else i.kind == "pass" for i in group.items if isinstance(i, Group)])


_CALLED = re.compile(r"([\w.]+)\(")


def plan_name(group: Group, outline: Outline) -> tuple[str, str]:
    """The name of a box of a plan, and its kind: ``blocks.0 … blocks.5`` and ``Block``."""
    path, kind = _block(group)
    is_row = group.is_repeated or group.kind == "run"
    inner = [item for item in group.items if isinstance(item, Group)] if is_row else []
    if inner and (group.kind != "loop" or _block(inner[0])[1]):
        names, kinds = zip(*[plan_name(item, outline) for item in inner], strict=True)
        first, last = names[0].split(_TO)[0], names[-1].split(_TO)[-1]
        name = first if first == last else first + _TO + last
        kind = ", ".join(dict.fromkeys(kinds)) if len(set(kinds)) <= _FEW_KINDS else ""
        return _in_block(path, group, outline) if path else name, kind
    if kind:
        return _in_block(path, group, outline), kind
    called = None if group.scope is None or group.kind not in ("link", "function") else _CALLED.match(group.scope.label)
    return called[1] if called else group_heading(group), ""


_TO = " … "
_FEW_KINDS = 3


def _block(group: Group) -> tuple[str, str]:
    """The path and the class of a link or module; empty for other groups."""
    path, _, kind = clean(group.scope.block if group.scope is not None and group.scope.block else "").rpartition(": ")
    return path, kind


def _in_block(path: str, group: Group, outline: Outline) -> str:
    """A path relative to the block around it: ``ln1`` for ``blocks.3.ln1``, but all of ``net.0``."""
    around = [_block(outline.groups[other])[0] for other in outline.around(group.id)]
    short = next((path.removeprefix(f"{other}.") for other in around[::-1] if other), path)
    if short.isdigit() and "." not in path:
        return f"{_block(group)[1]} {path}"
    return ".".join(path.split(".")[-2:]) if short.isdigit() else short or _block(group)[1]


def parameters_in(steps: Iterable[Step]) -> int:
    """The number of learnable numbers in these steps."""
    return sum([step.value.size for step in steps if step.kind in ("leaf", "input") and step.value is not None])


def results(recording: Recording, expanded: Collection[int]) -> dict[int, int]:
    """For each closed group that is drawn, the step whose numbers its box shows."""
    groups = [item for item in recording.outline.shown(expanded) if isinstance(item, Group)]
    return {group.id: group.result.id for group in groups if group.result}


def group_sentence(group: Group, recording: Recording) -> str:
    """What a closed group says about itself, besides its numbers."""
    count = len(group.steps)
    if group.kind == "run":
        calls = [step.id for step in group.steps]
        return say("hidden", count=count, first=min(calls), last=max(calls), total=len(recording.steps))
    several = len(group.results)
    more = " " + say("last_of_results", count=several) if several > 1 else ""
    return say("closed", what=say(f"is_{group.kind}"), inside=_inside(group)) + more


def _inside(group: Group) -> str:
    steps = plural(len(group.steps), "step")
    return f"{group_count(group)} with {steps}" if _rounds(group) else steps


def devices(recording: Recording) -> dict[int, str]:
    """The device of each step's value; empty if all are in main memory."""
    found = {step.id: step.value.device for step in recording.steps if step.value is not None}
    return found if any([device != "cpu" for device in found.values()]) else {}


def transfers(recording: Recording, holders: Mapping[int, int]) -> dict[tuple[int, int], str]:
    """The lines along which a value is copied to another device, as ``cpu → cuda:0``, by the boxes at their ends."""
    places = devices(recording)
    found: dict[tuple[int, int], str] = {}
    for step in recording.steps if places else ():
        for operand in step.operands:
            a, b = places.get(operand.step, ""), places.get(step.id, "")  # type: ignore[arg-type]
            if operand.step is not None and a and b and a != b and holders[operand.step] != holders[step.id]:
                found[holders[operand.step], holders[step.id]] = f"{a} → {b}"
    return found


def search_words(recording: Recording) -> dict[int, list[Any]]:
    """For each step, the text in which the search looks, and its lines in the source.

    The text consists of the words in its box, its function's name, and the labels of the calls, loops or blocks around
    it, in lower case.

    Examples
    --------
    >>> import autolab
    >>> [words for words, *_ in search_words(autolab.record(lambda x: x * x, x=2.0)).values()]
    ['x\\n\\n', 'x * x\\nmul\\n']
    """
    scopes = [f"{scope.name or ''} = {scope.label}" for scope in recording.scopes]
    return {
        step.id: [_words(step, "" if step.scope is None else scopes[step.scope]), step.line, step.outer_line]
        for step in recording.steps
    }


def _words(step: Step, scope: str) -> str:
    return f"{heading(step)}\n{step.function or ''}\n{scope}".casefold()
