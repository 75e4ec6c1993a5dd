"""The judge: it draws inputs, asks the process of the notebook for results, and compares them here."""

from __future__ import annotations

import contextlib
import re
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..authoring.function_node import FunctionNode
from ..engine.configuration import using_config
from ..engine.variable import Variable
from ..lesson.checking import exercises
from ..lesson.exercise import OwnGradient, Values
from ..lesson.judge import judged
from ..lesson.judgement import Judgement, Known, NotWritten
from ..lesson.results import Result
from .wire import LineBroken, Wire, decoded, encoded

PROBLEMS = {
    "time": "it ran longer than it may",
    "gone": "its process ended before the last cell",
    "size": "it sent too much",
    "form": "it sent something that is no answer",
}


class AnswerRaised(Exception):
    """What an answer raised in its own process."""


def judge_answers(line: Wire, lesson: str) -> tuple[dict[str, Result], str]:
    """The results of a lesson's exercises, from what the notebook's process hands in; and what went wrong, or ''."""
    known = exercises(lesson)
    results = {name: Result(name) for name in known}
    try:
        while "end" not in (message := line.receive()):
            name = message.get("answer")
            judgement = Judgement("not yet")
            if isinstance(name, str) and name in known:
                judgement = _judged(line, known[name], message.get("what"))
                results[name] = Result(name, judgement.state, judgement.kind)
            line.send({"state": judgement.state, "kind": judgement.kind})
    except LineBroken as broken:
        return results, PROBLEMS[str(broken)]
    return results, ""


def _judged(line: Wire, exercise: Any, what: Any) -> Judgement:
    answer = _answer(line, exercise, what)
    if isinstance(exercise, Values):
        exercise = replace(exercise, measure=lambda given, inputs: _asked(line, "measure", inputs, given))
    with using_config("train", True):
        judgement = judged(exercise, answer, np.random.default_rng())
    if judgement.state == "wrong" and isinstance(answer, type):
        return replace(judgement, kind=_cause(line) or judgement.kind)
    return judgement


def _cause(line: Wire) -> str:
    """What the notebook's process finds to be wrong with a class of its own, whose steps it can follow."""
    with contextlib.suppress(AnswerRaised, NotWritten, Known):
        told = _asked(line, "cause", None)
        return told if isinstance(told, str) and re.fullmatch(r"[a-z_]{1,40}", told) else ""
    return ""


def _answer(line: Wire, exercise: Any, what: Any) -> Any:
    """An answer that can be judged here: plain data, or what asks the other process."""
    if isinstance(what, dict) and "function" in what:
        return _RemoteFunction(bool(what["function"]))
    if isinstance(what, dict) and "class" in what:
        return _remote_class(line, isinstance(exercise, OwnGradient) and exercise.order > 1)
    return decoded(what)


class _RemoteFunction:
    """A function that is in the other process, where a measure calls it."""

    def __init__(self, leaves_gap: bool) -> None:
        self.leaves_gap = leaves_gap

    def __call__(self, *inputs: Any) -> Any:
        raise TypeError("this function is in the process of the notebook")


def _asked(line: Wire, do: str, given: Any, asker: Any = None) -> Any:
    """What comes of a request; what ``given`` holds is changed in place if the answer changed it."""
    line.send({"do": do, "with": encoded(given)})
    reply = line.receive()
    if "unwritten" in reply:
        raise NotWritten(SimpleNamespace(leaves_gap=bool(reply["unwritten"])))
    if "known" in reply:
        raise Known(str(reply["known"])[:100])
    if "raised" in reply:
        raise AnswerRaised(str(reply["raised"])[:400])
    if "is" not in reply:
        raise LineBroken("form")
    if "changed" in reply:
        _put_back(given, decoded(reply["changed"]))
    return decoded(reply["is"])


def _put_back(given: Any, changed: Any) -> None:
    if isinstance(given, np.ndarray):
        if isinstance(changed, np.ndarray) and changed.shape == given.shape:
            given[...] = changed
        return
    if isinstance(given, dict) and isinstance(changed, dict):
        given, changed = list(given.values()), list(changed.values())
    if isinstance(given, list | tuple) and isinstance(changed, list | tuple):
        for mine, theirs in zip(given, changed, strict=False):
            _put_back(mine, theirs)


def _remote_class(line: Wire, twice: bool) -> type[FunctionNode]:
    """A class whose forward and backward run in the other process; ``twice`` if its gradients have gradients."""

    class Answer(FunctionNode):
        def forward(self, inputs: tuple[Any, ...]) -> Any:
            self.retain_inputs(tuple(range(len(inputs))))
            made = _asked(line, "forward", list(inputs))
            if not (isinstance(made, tuple) and len(made) == 2 and isinstance(made[1], list)):
                raise LineBroken("form")
            self.node = made[0]
            return tuple(made[1])

        def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Variable | None, ...]) -> Any:
            upstream = [None if g is None else g.data for g in grad_outputs]
            asked = {"node": self.node, "targets": list(target_input_indexes), "upstream": upstream}
            returned = _asked(line, "backward", asked)
            inputs = self.get_retained_inputs()
            plain = isinstance(returned, tuple) and all([isinstance(g, Variable) for g in returned])
            if not (twice and plain and all([g is not None for g in grad_outputs])):
                return returned
            found = tuple([g.data for g in returned])
            return _remote_gradient(line, asked, found)().apply((*inputs, *grad_outputs))

    return Answer


def _remote_gradient(line: Wire, asked: dict[str, Any], found: tuple[Any, ...]) -> type[FunctionNode]:
    """The step from inputs and upstream gradients to the gradients ``found``, whose own gradients are asked for."""

    class Gradient(FunctionNode):
        def forward(self, inputs: tuple[Any, ...]) -> Any:
            return found

        def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Variable | None, ...]) -> Any:
            outer = [np.zeros_like(y) if g is None else g.data for y, g in zip(found, grad_outputs, strict=True)]
            return tuple(_asked(line, "second", asked | {"outer": outer}))

    return Gradient
