"""Recordings for the display's tests: built by hand where a field matters, run where the whole matters."""

from __future__ import annotations

from typing import Any

import numpy as np

import autolab
from autolab.recording.arrays import snapshot
from autolab.recording.model import Operand, Recording, Step


def step(identity: int, value: Any = 1.0, grad: Any = None, **fields: Any) -> Step:
    """A step with sensible defaults; ``of`` lists the ids of its operands."""
    of = fields.pop("of", ())
    defaults = {"kind": "call" if of else "input", "function": "mul" if of else None, "name": None}
    defaults |= {"operands": tuple(Operand(chr(97 + i), source) for i, source in enumerate(of))}
    defaults |= {"status": "ok" if grad is not None else "not_reached"}
    kept = {
        "value": None if value is None else snapshot(np.asarray(value)),
        "grad": None if grad is None else snapshot(np.asarray(grad)),
    }
    return Step(identity, **{**defaults, **kept, **fields})


def recording(*steps: Step, **fields: Any) -> Recording:
    """A recording of a function ``f``; the last step is the output."""
    inputs = tuple(s.id for s in steps if s.kind == "input")
    defaults = {"function": "f", "inputs": inputs, "outputs": (steps[-1].id,), "backward": ()}
    return Recording(**{**defaults, "steps": steps, **fields})


def named(*names: str) -> Recording:
    """A recording of three steps for each name, in which every word that a user can choose is that name."""
    steps, backward = [], []
    for first, name in zip(range(0, 3 * len(names), 3), names, strict=True):
        x = step(first, 2.0, 3.0, name=name)
        k = step(first + 1, np.array([1.0, np.nan, np.inf]), kind="constant", name=name, status="constant")
        words = {"name": name, "function": name, "source": name, "statement": name, "file": name, "line": 1}
        used = Operand(name, first, rule=name, numbers=name, contribution=x.grad)
        operands = (used, Operand(name, None, constant=name))
        y = step(first + 2, 6.0, 1.0, of=(first, first + 1), operands=operands, backward_code=name, **words)
        steps += [x, k, y]
        backward.append(autolab.recording.BackwardStep(first, first + 2, y.grad, 0.0))
    title = names[0]
    return recording(*steps, function=title, file=title, source=title, notes=names, backward=tuple(backward))


def muladd(x: Any, y: Any, z: Any) -> Any:
    h = x * y
    w = h + z
    return w


def net(x: Any, w: Any, b: Any) -> Any:
    h = np.tanh(x @ w + b)
    loss = np.sum(h * h)
    return loss


def again_and_again(x: Any, y: Any, times: int) -> Any:
    out = x
    for _ in range(times):
        a = np.sin(out * y)
        out = a + x
    return out


class Halves(autolab.FunctionNode):
    """A function with two results."""

    def forward(self, inputs: Any) -> Any:
        (x,) = inputs
        return x / 2, x / 2

    def backward(self, target_input_indexes: Any, grad_outputs: Any) -> Any:
        return ((grad_outputs[0] + grad_outputs[1]) / 2,)


def halves(x: Any) -> Any:
    a, b = Halves().apply((x,))
    return a * b


def recorded_muladd() -> Recording:
    return autolab.record(muladd, 2.0, 3.0, 4.0)


def recorded_net() -> Recording:
    rng = np.random.default_rng(0)
    return autolab.record(net, rng.normal(size=(5, 4)), rng.normal(size=(4, 3)), np.zeros(3))


def recorded_chain(length: int) -> Recording:
    return autolab.record(again_and_again, 1.0, 2.0, times=length // 3)
