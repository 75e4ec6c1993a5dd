"""The process of a notebook: it runs the cells, and replies to the judge's requests about each answer.

The judge trusts nothing here: whatever the notebook changes in this process, it can only send other answers.
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

from ...engine import Variable, grad
from ...views.live import no_notebook
from .. import Outcome, checking, results
from .. import own as own_lesson
from ..exercise import OwnGradient
from ..judge import judged, noticing
from ..judgement import NotWritten, has_gap
from .wire import Lent, Other, Wire, decoded, encoded

_NO_PYTHON = re.compile(r"^(\s*)[%!?].*$|^(\s*)[\w.]+\?{1,2}$", re.MULTILINE)  # magics, shell commands, and help with ?


def run_cells(line: Wire, sources: list[str]) -> None:
    """Run the code cells in order; if one fails, the next is still run, as in a notebook."""
    import autolab.lesson as lesson

    handed_in: list[_HandedIn] = []
    lesson.check = checking.check = _hand_in(line, handed_in)
    lesson.use = own_lesson.use = lambda folder: ""  # the judge has loaded the exercises
    lesson.report = results.report = lambda lesson=None: ()  # the judge has the results
    no_notebook.told = lambda save, caller, words: None  # nobody looks at pages of views
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


def _run(source: str, name: str, names: dict[str, Any]) -> None:
    """Run a cell; as in a notebook, the source code of its definitions is available."""
    if source.lstrip().startswith("%%") and not re.match(r"\s*%%(time|timeit|capture)\b", source):
        return
    source = _NO_PYTHON.sub(r"\1\2pass", source)
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(ast.parse(source, name), name, "exec"), names)


def _hand_in(line: Wire, handed_in: list[_HandedIn]) -> Any:
    def check(name: str, answer: Any, more: bool = False) -> Outcome:
        """Hand in an answer; there is no feedback, so that nothing can be found out by repeated checks."""
        line.send({"answer": str(name)[:200], "number": len(handed_in), "what": encoded(answer)})
        handed_in.append(_HandedIn(line, answer))
        return Outcome(str(name), "not yet")

    return check


class _HandedIn:
    """An answer that was handed in, with the instances of its class and the calls that were made for the judge."""

    def __init__(self, line: Wire, answer: Any) -> None:
        self.line, self.answer = line, answer
        self.nodes: list[tuple[Any, tuple[Variable, ...], tuple[Variable, ...]]] = []
        self.calls: list[tuple[Any, list[Variable]]] = []

    def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply to a request; exceptions of the answer are part of the reply."""
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
        except BaseException as error:
            return {"raised": [type(error).__name__[:100], f"{error!s:.300}"]}

    def _cause(self, asked: dict[str, Any]) -> str:
        """The kind of mistake in a class's gradients, with its own forward as the reference."""

        def own(**inputs: Any) -> Variable:
            return self.answer().apply(tuple(inputs.values()))[0]

        exercise = OwnGradient("the answer", lambda rng: asked["inputs"], own, asked["order"])
        return judged(exercise, self.answer, np.random.default_rng()).kind

    def _call(self, asked: dict[str, Any]) -> Any:
        """Call the answer, or the result of an earlier call (a link, whose parameters are set first)."""
        called = self.answer if asked["of"] is None else self.calls[asked["of"]][0]
        inputs = [self._taken(x) for x in asked["inputs"]]
        named = {name: self._taken(x) for name, x in asked["named"].items()}
        parameters = dict(called.namedparams()) if asked["parameters"] else {}
        for name, data in asked["parameters"].items():
            parameters[name].data = data
        result = called(*inputs, **named)
        followed = [x for x in (*inputs, *named.values()) if isinstance(x, Variable)]
        self.calls.append((result, followed + [parameters[name] for name in asked["parameters"]]))
        is_called = callable(result) and not isinstance(result, Variable)
        return len(self.calls) - 1, is_called, has_gap(result) if is_called else result

    def _taken(self, given: Any) -> Any:
        """An argument for the answer; a function of the judge is replaced by one that calls the judge."""
        if not isinstance(given, Lent):
            return given

        def lent(*inputs: Any) -> Any:
            self.line.send({"lent": given.number, "with": encoded(list(inputs))})
            result = decoded(self.line.receive()["is"])
            if isinstance(result, Other):
                raise TypeError(f"this function cannot be called like this: {result!r}")
            return result

        return lent

    def _parameters(self, call: int) -> dict[str, Any]:
        """The parameters of a link that the answer has returned."""
        return {name: parameter.data for name, parameter in self.calls[call][0].namedparams()}

    def _gradients(self, asked: dict[str, Any]) -> list[Any]:
        """The gradients of a call's result with respect to its Variables and parameters."""
        result, followed = self.calls[asked["call"]]
        return list(grad(result, followed, asked["upstream"]))

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
        """The gradients of the results of backward, with respect to the inputs and to the upstream gradients."""
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
    """Carries the results of a backward, computed while its retained values were part of the graph."""


def _stop(returned: Any) -> Any:
    raise _Returned(returned)


def _arrays_in(given: Any) -> list[np.ndarray]:
    """The arrays among the arguments of an answer, in order."""
    if isinstance(given, np.ndarray):
        return [given]
    parts = given.values() if isinstance(given, dict) else given if isinstance(given, list | tuple) else ()
    return [array for part in parts for array in _arrays_in(part)]
