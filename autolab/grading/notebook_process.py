"""The process of a notebook: it runs the cells, and answers what the judge asks about each answer.

Nothing here is trusted by the judge: whatever the notebook changes in this process, it can only send other answers.
"""

from __future__ import annotations

import ast
import builtins
import linecache
import re
import sys
import types
from contextlib import suppress
from typing import Any

import numpy as np

from ..engine.grad import grad
from ..engine.variable import Variable
from ..lesson import Outcome, checking
from ..lesson import own as own_lesson
from ..lesson.exercise import OwnGradient, Values
from ..lesson.judge import judged, noticing
from ..lesson.judgement import Known, NotWritten, has_gap
from .wire import Wire, decoded, encoded

_NO_PYTHON = re.compile(r"^(\s*)[%!?].*$|^(\s*)[\w.]+\?{1,2}$", re.MULTILINE)  # magics, the shell's, and questions


def run_cells(line: Wire, sources: list[str]) -> None:
    """Run the code cells one after the other; one that fails does not stop the next, as in a notebook."""
    import autolab.lesson as lesson

    _forget_answers()
    handed_in: list[_HandedIn] = []
    lesson.check = checking.check = _hand_in(line, handed_in)
    lesson.use = own_lesson.use = lambda folder: ""  # the judge has read them
    main = types.ModuleType("__main__")
    main.__dict__.update(display=lambda *shown, **options: None, get_ipython=lambda: None, __builtins__=builtins)
    sys.modules["__main__"] = main
    for number, source in enumerate(sources):
        with suppress(BaseException):
            _run(source, f"cell-{number}.py", main.__dict__)
        line.send({"cell": number})
        while "do" in (request := line.receive()):
            line.send(handed_in[request["of"]].reply(request))
    line.send({"end": True})


def _forget_answers() -> None:
    """What is right is known to the judge alone; here only what measures an answer is needed."""
    for name in checking.lessons():
        for exercise in checking.exercises(name).values():
            for part in () if isinstance(exercise, OwnGradient) else ("truth", "reference", "mistakes", "says"):
                object.__setattr__(exercise, part, None)


def _run(source: str, name: str, names: dict[str, Any]) -> None:
    """As in a notebook, the source of what a cell defines can be read."""
    if source.lstrip().startswith("%%") and not re.match(r"\s*%%(time|timeit|capture)\b", source):
        return
    source = _NO_PYTHON.sub(r"\1\2pass", source)
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(ast.parse(source, name), name, "exec"), names)


def _hand_in(line: Wire, handed_in: list[_HandedIn]) -> Any:
    def check(name: str, answer: Any, more: bool = False) -> Outcome:
        """Hand an answer in; nothing is said about it, so that nothing can be found out by asking often."""
        line.send({"answer": str(name)[:200], "number": len(handed_in), "what": encoded(answer)})
        handed_in.append(_HandedIn(name, answer))
        return Outcome(str(name), "not yet")

    return check


class _HandedIn:
    """An answer that is a function or a class, and the objects of the class that were made for the judge."""

    def __init__(self, name: str, answer: Any) -> None:
        self.name, self.answer = name, answer
        self.nodes: list[tuple[Any, tuple[Variable, ...], tuple[Variable, ...]]] = []

    def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        """What comes of a request; what the answer raises is told."""
        try:
            given = decoded(request["with"])
            was = [np.copy(x) for x in _arrays_in(given)]
            result = getattr(self, f"_{request['do']}")(given)
            changed = any(
                [not np.array_equal(a, b, equal_nan=True) for a, b in zip(was, _arrays_in(given), strict=True)]
            )
            return {"is": encoded(result)} | ({"changed": encoded(given)} if changed else {})
        except NotWritten as empty:
            return {"unwritten": has_gap(empty.by)}
        except NotImplementedError:
            return {"unwritten": True}
        except Known as mistake:
            return {"known": mistake.kind}
        except BaseException as error:
            return {"raised": [type(error).__name__[:100], f"{error!s:.300}"]}

    def _cause(self, _: Any) -> str:
        return judged(checking.exercise_called(self.name), self.answer, np.random.default_rng()).kind

    def _measure(self, inputs: dict[str, np.ndarray]) -> Any:
        exercise = checking.exercise_called(self.name)
        assert isinstance(exercise, Values)
        return exercise.measure(self.answer, inputs)

    def _forward(self, arrays: list[np.ndarray]) -> Any:
        node = type(self.answer.__name__, (self.answer,), {"forward": noticing(self.answer.forward)})()
        inputs = tuple([Variable(x) for x in arrays])
        results = node.apply(inputs)
        self.nodes.append((node, inputs, results))
        return len(self.nodes) - 1, [y.data for y in results]

    def _backward(self, asked: dict[str, Any]) -> Any:
        node, *_ = self.nodes[asked["node"]]
        upstream = tuple([None if g is None else Variable(g) for g in asked["upstream"]])
        return noticing(type(node).backward)(node, tuple(asked["targets"]), upstream)

    def _second(self, asked: dict[str, Any]) -> Any:
        """The gradients of what backward returns: with respect to the inputs and to the upstream gradients."""
        node, inputs, results = self.nodes[asked["node"]]
        upstream = [Variable(g) for g in asked["upstream"]]
        try:
            node.backward = lambda targets, given: _stop(type(node).backward(node, tuple(asked["targets"]), given))
            grad(results, inputs, upstream, create_graph=True)
        except _Returned as got:
            returned = got.args[0]
        finally:
            del node.backward
        return list(grad(list(returned), [*inputs, *upstream], asked["outer"]))


class _Returned(Exception):
    """What a backward returned while its retained values were parts of the graph."""


def _stop(returned: Any) -> Any:
    raise _Returned(returned)


def _arrays_in(given: Any) -> list[np.ndarray]:
    """The arrays that an answer is handed, in order."""
    if isinstance(given, np.ndarray):
        return [given]
    parts = given.values() if isinstance(given, dict) else given if isinstance(given, list | tuple) else ()
    return [array for part in parts for array in _arrays_in(part)]
