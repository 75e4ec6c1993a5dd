"""All about one step: facts, source, gradient rules with numbers, and the arrays themselves."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np

from ...recording.model import Recording, Snapshot, Step
from ...recording.outline import Group
from ..draw import bytes_text, clean, grad_status, say, seconds_text
from ..draw.arrays import MAX_CELLS, about, array_entry, text_of
from ..draw.colors import view_tone
from ..draw.heatmap_data import legends
from ..draw.names import heading
from .labels import group_heading, group_sentence
from .readings import Scales, view_scales
from .rule_formulas import in_names, names_in, numbers_in

# The attention weights of a step: a matrix for each head, whose rows are the tokens that look.

MOST_HEADS = 16
_LEAST = 32
"""Minimum rows and columns of a grid of heads, even on a page that has few cells for an array."""

_PRODUCTS = frozenset({"matmul", "bmm", "baddbmm", "einsum", "dot", "tensordot", "dot_general"})


def is_attention(recording: Recording, step: Step) -> bool:
    """Whether the rows of a step's value are weights that add up to 1 (or 0) and enter a matrix product."""
    value = step.value
    if step.kind != "call" or step.grad is None or value is None or value.size == 0 or len(value.shape) < 2:
        return False
    is_square = value.shape[-1] == value.shape[-2]
    if not value.is_whole or (len(value.shape) == 2 and not is_square) or value.shape[-1] == 1:
        return False
    sums = value.values.sum(axis=-1, dtype=float)
    adds_up = np.isclose(sums, 1, atol=0.02) | (sums == 0)
    return bool(value.minimum is not None and value.minimum >= 0 and adds_up.all()) and _is_mixed_by(recording, step)


def _is_mixed_by(recording: Recording, step: Step) -> bool:
    """Whether a matrix product uses the weights, perhaps after steps of the same shape, such as dropout."""
    assert step.value is not None
    same = {step.id}
    for user in recording.steps:
        if same.isdisjoint([operand.step for operand in user.operands]):
            continue
        if user.function in _PRODUCTS:
            return True
        if user.value is not None and user.value.shape == step.value.shape:
            same.add(user.id)
    return False


def head_entry(which: str, snapshot: Snapshot, tokens: tuple[str, ...], most: int) -> dict[str, Any]:
    """Like `array_entry`, but the cells hold the matrices of all heads, one after the other, example by example; as
    many examples as there is space for, and at least one.
    """
    length, keys = snapshot.shape[-2:]
    heads = snapshot.shape[-3] if len(snapshot.shape) > 2 else 1
    examples = snapshot.values.reshape(-1, heads, length, keys)[:, :MOST_HEADS]
    most = max(most, _LEAST)
    side = most // math.ceil(math.sqrt(examples.shape[1]))
    room = max(1, most**2 // (examples.shape[1] * min(side, length) * min(side, keys)))
    one = replace(snapshot, shape=(length, keys), block=(1, 1))
    found = [array_entry(which, replace(one, values=m), side) for example in examples[:room] for m in example]
    labels = [[clean(t, 40) for t in tokens] if len(tokens) == n else [*map(str, range(n))] for n in (length, keys)]
    looks = "attention_looks" if len(tokens) in (length, keys) else "attention_positions"
    title = say("attention_head", head="{head}") if len(snapshot.shape) > 3 else "[{head}]"  # of examples, or of heads
    told = {
        "titles": [title.format(head=i) for i in range(examples.shape[1])] if heads > 1 else [""],
        "example": say("attention_example"),
        "tokens": labels,
        "looks": say(looks, row="{row}", column="{column}"),
    }
    parts = [say("attention_rows"), found[0]["caption"]]
    for key, shown, of in (("attention_examples", room, len(examples)), ("attention_heads", MOST_HEADS, heads)):
        if shown < of:
            parts.append(say(key, shown=shown, of=of))
    caption = " ".join(filter(None, parts))
    return {**found[0], "caption": caption, "heads": told, "cells": b"".join([entry["cells"] for entry in found])}


_STATEMENT_LIMIT = 1000


def detail(recording: Recording, node: int, most: int = MAX_CELLS, scales: Scales | None = None) -> dict[str, Any]:
    """Details of a step or a group of steps as plain data, with its arrays as float32 cells, at most ``most`` rows and
    columns. ``scales`` are the colour scales of the view, by default `view_scales`.

    Raises
    ------
    KeyError
        If the recording has no such step or group.
    """
    scales = view_scales(recording) if scales is None else scales
    group = recording.outline.groups.get(node)
    if group is not None:
        return _group_detail(recording, group, most, scales)
    if node not in recording.by_id:
        raise KeyError(f"detail: got node {node}, which the recording of {clean(recording.function)} does not have")
    return _step_detail(recording, recording.by_id[node], most, scales)


def home(recording: Recording, node: int | None) -> Recording:
    """The graph of a step or group: that of the derivative that it helps to compute, or that of the function."""
    for graph in recording.higher:
        if node in graph.outline.groups or any([s.id == node and s.order == graph.order for s in graph.steps]):
            return graph
    return recording


def _step_detail(recording: Recording, step: Step, most: int, scales: Scales) -> dict[str, Any]:
    return {
        "id": step.id,
        "title": heading(step),
        "facts": [*facts(step), *_memory(recording, step)],
        "source": _place(step.file, step.line, step.statement or step.source or ""),
        "rules": _rules(recording, step),
        "backward_code": None if step.backward_code is None else step.backward_code[:4000],
        "status": grad_status.explained(recording)(step),
        "arrays": _arrays(recording, step, most, scales),
    }


def _memory(recording: Recording, step: Step) -> list[list[str]]:
    """The memory pool of the GPU, if the value is on it."""
    pool = recording.pool
    if pool is None or step.value is None or step.value.device == "cpu":
        return []
    return [["GPU memory", f"{bytes_text(pool.used)} of {bytes_text(pool.total)}"]]


def _group_detail(recording: Recording, group: Group, most: int, scales: Scales) -> dict[str, Any]:
    shown = group.result
    numbers = [] if shown is None else [fact for fact in facts(shown) if fact[0] not in ("function", "time")]
    steps = [["steps", str(len(group.steps))], ["time", seconds_text(sum(step.seconds for step in group.steps))]]
    return {
        "id": group.id,
        "title": group_heading(group),
        "facts": [*numbers, *steps],
        "source": _source_of_group(recording, group),
        "rules": [],
        "backward_code": None,
        "status": group_sentence(group, recording),
        "arrays": [] if shown is None else _arrays(recording, shown, most, scales),
    }


def _source_of_group(recording: Recording, group: Group) -> dict[str, Any] | None:
    scope = group.scope
    if scope is None:
        return None
    head = recording.scopes[scope.parent] if scope.kind == "pass" and scope.parent is not None else scope
    return _place(scope.file, scope.line, head.label)


def facts(step: Step) -> list[list[str]]:
    """Facts about the value as pairs of words: what it is, its size and range."""
    found = []
    if step.value is not None:
        found += [["value", text_of(step.value)], ["gradient", "none" if step.grad is None else text_of(step.grad)]]
        found += about(step.value)
    if step.function:
        found.append(["function", clean(step.function)])
    if step.kind == "call" and step.seconds:  # unknown for a graph that already existed
        found.append(["time", seconds_text(step.seconds)])
    return found


def _place(file: str | None, line: int | None, statement: str) -> dict[str, Any] | None:
    if file is None or line is None:
        return None
    return {"file": clean(file), "line": line, "statement": clean(statement, _STATEMENT_LIMIT)}


def _rules(recording: Recording, step: Step) -> list[dict[str, Any]]:
    names, shares = names_in(step, recording.by_id), _shares(recording)
    return [
        {
            "parameter": clean(operand.parameter),
            "filled": None if operand.numbers is None else numbers_in(operand.numbers),
            "text": say(
                "gradient_of" if shares[operand.step] == 1 else "share_for",
                name=names[operand.parameter],
                rule=in_names(operand.rule, names),
            ),
        }
        for operand in step.operands
        if operand.rule is not None and operand.step is not None
    ]


def _shares(recording: Recording) -> Counter[int]:
    """For each step, the number of shares of its gradient, including its upstream gradient as an output."""
    used = [operand.step for step in recording.steps for operand in step.operands if operand.rule is not None]
    started = [output for output, _ in zip(recording.outputs, recording.upstream, strict=False)]
    return Counter([step for step in (*used, *started) if step is not None])


def _arrays(recording: Recording, step: Step, most: int, scales: Scales) -> list[dict[str, Any]]:
    arrays = []
    shows_heads = is_attention(recording, step)
    of_value = 1.0 if shows_heads else scales.value  # weights are fractions of 1, whatever else the view shows
    for which, snapshot, scale in (("value", step.value, of_value), ("grad", step.grad, scales.grad)):
        if snapshot is not None and snapshot.size > 0:
            if shows_heads and snapshot.is_whole:
                entry = head_entry(which, snapshot, recording.tokens, most)
            else:
                entry = array_entry(which, snapshot, most)
            arrays.append({**entry, **_bars(snapshot, entry["caption"], scale)})
    return arrays


def _bars(snapshot: Snapshot, caption: str, scale: float) -> dict[str, Any]:
    """The colour bars below a heatmap, one per scale; none for a single number."""
    if snapshot.size == 1:
        return {}
    counted = "" if snapshot.is_whole else say("heat_counts_blocks")
    return {"bars": legends(snapshot, view_tone(scale)), "caption": " ".join(filter(None, [caption, counted]))}
