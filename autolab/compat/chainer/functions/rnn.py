"""``chainer.functions.rnn``"""

from __future__ import annotations

from typing import Any

from .... import functions as F
from ..variable import as_array
from ._adapt import composed


def _gates(x: Any, count: int) -> list[Any]:
    """The parts of ``x`` for each unit: they stand beside each other."""
    shape = as_array(x).shape
    each = F.reshape(x, shape=(shape[0], shape[1] // count, count, *shape[2:]))
    return [F.getitem(each, index=(slice(None), slice(None), i)) for i in range(count)]


@composed
def lstm(c_prev: Any, x: Any) -> tuple[Any, Any]:
    """One step of a long short-term memory: the memory and the result.

    ``x`` has four numbers for each unit: the input, and the gates of input, forgetting and output. Of a batch that has
    become smaller, the memories of the examples that are left out stay as they are.
    """
    batch, before = len(as_array(x)), len(as_array(c_prev))
    if batch > before:
        raise ValueError(f"lstm: x has {batch} examples; expected at most {before}, those of c_prev")
    ended = None if batch == before else F.getitem(c_prev, index=slice(batch, None))
    c_prev = c_prev if ended is None else F.getitem(c_prev, index=slice(batch))
    a, i, f, o = _gates(x, 4)
    c = F.add(F.mul(F.tanh(a), F.sigmoid(i)), F.mul(F.sigmoid(f), c_prev))
    h = F.mul(F.tanh(c), F.sigmoid(o))
    return (c if ended is None else F.concatenate([c, ended], axis=0)), h


@composed
def slstm(c_prev1: Any, c_prev2: Any, x1: Any, x2: Any) -> tuple[Any, Any]:
    """`lstm` of two branches with one memory."""
    a1, i1, f1, o1 = _gates(x1, 4)
    a2, i2, f2, o2 = _gates(x2, 4)
    new = F.add(F.mul(F.tanh(a1), F.sigmoid(i1)), F.mul(F.tanh(a2), F.sigmoid(i2)))
    kept = F.add(F.mul(F.sigmoid(f1), c_prev1), F.mul(F.sigmoid(f2), c_prev2))
    c = F.add(new, kept)
    return c, F.mul(F.tanh(c), F.sigmoid(F.add(o1, o2)))


@composed
def tree_lstm(*inputs: Any) -> tuple[Any, Any]:
    """`lstm` of a node of a tree: the memories of its children, and the numbers of the node.

    The last argument has for each unit the input, the gates of input and output, and one of forgetting for each child.
    """
    *memories, x = inputs
    parts = F.split(x, 3 + len(memories), axis=1)
    a, i, o, *gates = parts
    c = F.mul(F.tanh(a), F.sigmoid(i))
    for gate, memory in zip(gates, memories, strict=True):
        c = F.add(c, F.mul(F.sigmoid(gate), memory))
    return c, F.mul(F.tanh(c), F.sigmoid(o))
