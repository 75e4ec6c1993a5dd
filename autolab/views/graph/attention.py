"""The attention weights of a step: a matrix for each head, whose rows are the tokens that look."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ...recording.model import Recording, Snapshot, Step
from ..draw import clean, say
from ..draw.arrays import array_entry

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
