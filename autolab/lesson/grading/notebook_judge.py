"""The judge: it draws inputs, requests the results from the notebook's process, and compares them in its own."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...authoring.function_node import FunctionNode
from ...engine import Variable, using_config
from ..checking import exercises
from ..exercise import OwnGradient, Prediction, Witness
from ..judge import judged
from ..judgement import Judgement, NotWritten, is_empty
from ..results import Result
from .wire import Lent, LineBroken, Other, Wire, decoded, encoded

PROBLEMS = {
    "time": "it exceeded its time limit",
    "gone": "its process ended before the last cell",
    "size": "it sent too much data",
    "form": "it sent an invalid answer",
}


class AnswerRaised(Exception):
    """An exception that an answer raised in its own process."""


MOST_ANSWERS = 5
"""With more different answers to one exercise, they count as guesses."""


def judge_answers(line: Wire, lesson: str) -> tuple[dict[str, Result], str]:
    """Judge the answers that the notebook's process hands in; returns the results by exercise, and a problem or ''.

    For each exercise the last answer of a cell counts. Functions are judged at the end of the cell, plain data at the
    end of the notebook, so that no cell can find out from the judge, or from the time that it takes, which answer was
    right.
    """
    known = exercises(lesson)
    results = {name: Result(name) for name in known}
    given: dict[str, Any] = {}
    tried: dict[str, set[int]] = {name: set() for name in known}
    problem = ""
    try:
        while "end" not in (message := line.receive()):
            name = message.get("answer")
            if isinstance(name, str) and name in known:
                given[name] = message
                if not is_empty(message.get("what")):
                    tried[name].add(hash(json.dumps(message["what"])))
            elif "cell" in message:
                for name in [name for name, held in given.items() if _runs(held.get("what"))]:
                    results[name] = _result(line, known[name], given.pop(name))
                line.send({"state": "judged"})
    except LineBroken as broken:
        problem = PROBLEMS[str(broken)]
    for name, held in given.items():
        if not _runs(held.get("what")):
            with contextlib.suppress(LineBroken):
                results[name] = _result(line, known[name], held)
    return {
        name: _counted(known[name], result, len(tried[name])) for name, result in results.items()
    }, problem or line.opened


def _runs(what: Any) -> bool:
    """Whether an answer is a function or a class."""
    return isinstance(what, dict) and bool({"function", "class"} & set(what))


def _result(line: Wire, exercise: Any, message: dict[str, Any]) -> Result:
    line.answer = message.get("number")
    judgement = _judged(line, exercise, message.get("what"))
    return Result(exercise.name, judgement.state, judgement.kind)


def _counted(exercise: Any, result: Result, attempts: int) -> Result:
    """The result with the number of attempts; wrong if there were too many, or all choices have been tried."""
    if isinstance(exercise, Prediction | Witness):
        choices = getattr(exercise, "choices", ())
        if attempts > min(MOST_ANSWERS, len(choices) - 1 if choices else MOST_ANSWERS):
            return Result(exercise.name, "wrong", "tried_out", attempts=attempts)
    return replace(result, attempts=attempts)


def _judged(line: Wire, exercise: Any, what: Any) -> Judgement:
    answer = _answer(line, exercise, what)
    with using_config("train", True):
        judgement = judged(exercise, answer, np.random.default_rng())
    if judgement.state == "wrong" and isinstance(exercise, OwnGradient) and isinstance(answer, type):
        return replace(judgement, kind=_cause(line, exercise, judgement.kind) or judgement.kind)
    return judgement


def _cause(line: Wire, exercise: OwnGradient, kind: str) -> str:
    """The kind of mistake in a class, found by the notebook's process, which can inspect its steps."""
    if kind == "forward":
        return ""
    with contextlib.suppress(AnswerRaised, NotWritten):
        inputs = exercise.inputs(np.random.default_rng())
        told = _asked(line, "cause", {"inputs": inputs, "order": exercise.order})
        return told if isinstance(told, str) and re.fullmatch(r"[a-z_]{1,40}", told) else ""
    return ""


def _answer(line: Wire, exercise: Any, what: Any) -> Any:
    """An answer that can be judged here: plain data, or a proxy that calls the other process."""
    if isinstance(what, dict) and "function" in what:
        return _RemoteFunction(line, bool(what["function"]))
    if isinstance(what, dict) and "class" in what:
        return _remote_class(line, isinstance(exercise, OwnGradient) and exercise.order > 1)
    return decoded(what)


class _RemoteFunction:
    """A proxy of a function in the other process: the answer, or the result of call number ``of``, such as a link.

    A call takes data, Variables and functions; its result can be differentiated, in the other process.
    """

    def __init__(self, line: Wire, leaves_gap: bool, of: int | None = None) -> None:
        self.line, self.leaves_gap, self.of = line, leaves_gap, of
        self._parameters: dict[str, Variable] = {}

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        lent: list[Callable[..., Any]] = []

        def handed(given: Any) -> Any:
            if not callable(given) or isinstance(given, Variable):
                return given
            lent.append(given)
            return Lent(len(lent) - 1)

        parameters = {name: parameter.data for name, parameter in self._parameters.items()}
        asked = {"of": self.of, "inputs": [handed(x) for x in inputs], "parameters": parameters}
        asked["named"] = {name: handed(x) for name, x in named.items()}
        made = _asked(self.line, "call", asked, lent)
        if not (isinstance(made, tuple) and len(made) == 3):
            raise LineBroken("form")
        call, is_called, result = made
        if is_called:
            return _RemoteFunction(self.line, bool(result), call)
        followed = [x for x in (*inputs, *named.values()) if isinstance(x, Variable)] + [*self._parameters.values()]
        if not (isinstance(result, Variable) and followed):
            return result
        return _remote_result(self.line, call, result)().apply(tuple(followed))[0]

    def namedparams(self) -> list[tuple[str, Variable]]:
        """The current parameters of a link; values assigned to them here are sent with the next call."""
        found = _asked(self.line, "parameters", self.of)
        if not isinstance(found, dict):
            raise LineBroken("form")
        self._parameters = {name: Variable(data) for name, data in found.items() if data is not None}
        return list(self._parameters.items())


def _remote_result(line: Wire, call: int, result: Variable) -> type[FunctionNode]:
    """A function node for a call in the other process, whose backward requests the gradients from there."""

    class RemoteResult(FunctionNode):
        def forward(self, inputs: tuple[Any, ...]) -> Any:
            return (result.data,)

        def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Variable | None, ...]) -> Any:
            (upstream,) = grad_outputs
            found = _asked(line, "gradients", {"call": call, "upstream": upstream})
            return tuple(found) if isinstance(found, list) else found

    return RemoteResult


def _asked(line: Wire, do: str, given: Any, lent: Sequence[Callable[..., Any]] = ()) -> Any:
    """Send a request; returns the reply. Arrays in ``given`` are changed in place if the answer changed them.

    Meanwhile the answer may call the functions in ``lent``.
    """
    line.send({"do": do, "of": line.answer, "with": encoded(given)})
    while "lent" in (reply := line.receive()):
        line.send({"is": _lent_result(lent, reply)})
    if "unwritten" in reply:
        raise NotWritten(SimpleNamespace(leaves_gap=bool(reply["unwritten"])))
    if "raised" in reply:
        raise AnswerRaised(str(reply["raised"])[:400])
    if "is" not in reply:
        raise LineBroken("form")
    if "changed" in reply:
        _put_back(given, decoded(reply["changed"]))
    return decoded(reply["is"])


def _lent_result(lent: Sequence[Callable[..., Any]], asked: dict[str, Any]) -> Any:
    """The result of a lent function for the arguments of the answer's call, as a message."""
    number, inputs = asked["lent"], decoded(asked.get("with"))
    if number not in range(len(lent)) or not isinstance(inputs, list):
        raise LineBroken("form")
    try:
        return encoded(lent[number](*inputs))
    except Exception as error:
        return encoded(Other(f"{type(error).__name__}: {error!s:.80}"))


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
    """A class whose forward and backward run in the other process; ``twice`` if it can be differentiated twice."""

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
    """A function node from inputs and upstream gradients to the gradients ``found``, for second derivatives."""

    class Gradient(FunctionNode):
        def forward(self, inputs: tuple[Any, ...]) -> Any:
            return found

        def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Variable | None, ...]) -> Any:
            outer = [np.zeros_like(y) if g is None else g.data for y, g in zip(found, grad_outputs, strict=True)]
            return tuple(_asked(line, "second", asked | {"outer": outer}))

    return Gradient
