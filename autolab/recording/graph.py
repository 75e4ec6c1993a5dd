"""graph(): the existing graph of a Variable, read from its nodes, with the values that they still hold."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import FrameType
from typing import Any

import numpy as np

from ..engine import MultiOutputNode, Node, OutputNode, Primitive, Variable, a_kind, array_of, nodes_below
from ..engine.backend import get_array_module, modules
from ..engine.retention import kept_values
from ..engine.store import last_start
from ..shared.foreign import bridge
from ..shared.norms import is_close
from .arrays import Budget
from .drafts import Draft, Use
from .locate import CodePosition
from .model import Recording, Step
from .record import record
from .rule_text import exact_text
from .step_text import expression_of

_BUDGET = 64 << 20
_MOST = 1 << 14  # the largest arrays that are computed again to see whether they have changed
_UNKNOWN = "?"


def graph(y: Any, /, *args: Any, **named: Any) -> Recording:
    """The existing graph of a Variable, without running anything again.

    A graph keeps only the values that gradient rules need, so a step shows its value only if it was kept or if one of
    the caller's variables still holds it; the recording says how many steps show none. Gradients are those of the last
    backward passes; that of ``y`` is the upstream gradient, if the last pass began there. Constant arrays that no rule
    needs are not kept either and are shown as ``?``. Attributes, such as an axis, are not shown.

    Parameters
    ----------
    y : Variable or callable
        A computed Variable; or a function, which is run: ``graph(f, x)`` is ``record(f, x)``.
    *args
        The arguments of a function.
    **named : Variable
        Names for values; all others have their own name, or that of the caller's variable. For a function, its keyword
        arguments.

    Returns
    -------
    Recording
        It displays itself like that of `record`, which contains more.

    Raises
    ------
    TypeError
        If ``y`` or one of ``named`` is not a Variable.

    Examples
    --------
    >>> import autolab
    >>> x = autolab.Variable(3.0)
    >>> y = x * x + 1
    >>> [step.source or step.name for step in autolab.graph(y).steps]
    ['x', 'x * x', '(x * x) + 1']
    """
    if (elsewhere := bridge(y)) is not None:
        return elsewhere.graph_in(sys._getframe(1), y, named)
    if callable(y) and not isinstance(y, Variable):
        return record(y, *args, **named)
    if args:
        raise TypeError("graph: got several values; expected one, and names of others by keyword: graph(y, x=x)")
    for what, value in {"y": y, **named}.items():
        if not isinstance(value, Variable):
            raise TypeError(f"graph: {what} is {a_kind(value)}; expected a Variable or a function")
    return graph_named(y, [*named.items(), *variables_in(sys._getframe(1))])


def graph_named(y: Variable, known: Sequence[tuple[str, Variable]]) -> Recording:
    """`graph` for a caller that already has Variables with their names."""
    return _GraphReader(y, known).recording()


def variables_in(frame: FrameType) -> list[tuple[str, Variable]]:
    """The Variables of a frame with their names, and the parameters of its links; not the names that Python or IPython
    gave."""
    own = {name: value for name, value in frame.f_locals.items() if not name.startswith("_")}
    found = [(value.name or name, value) for name, value in own.items() if isinstance(value, Variable)]
    links = [(name, link) for name, link in own.items() if hasattr(type(link), "namedparams")]
    for name, link in links:
        begin = f"{name}." if len(links) > 1 else ""
        found += [(begin + path[1:].replace("/", "."), parameter) for path, parameter in link.namedparams()]
    return found


def make_dot(var: Variable, params: Mapping[str, Variable] | None = None, **_: Any) -> Any:
    """``autolab.graph(var).to_graphviz()``; ``params`` gives Variables names."""
    return graph_named(var, [*(params or {}).items(), *variables_in(sys._getframe(1))]).to_graphviz()


def plot_dot_graph(output: Variable, verbose: bool = True, to_file: str | os.PathLike[str] = "graph.png") -> None:
    """``autolab.graph(output).save(to_file)``, which is always verbose."""
    graph_named(output, variables_in(sys._getframe(1))).save(to_file)


class _GraphReader:
    """The nodes of a graph as steps, in the order in which they were computed."""

    def __init__(self, y: Variable, known: Sequence[tuple[str, Variable]]) -> None:
        self._y, self._budget = y, Budget(_BUDGET)
        self._nodes = nodes_below(y.node) if y.node is not None else []
        self._ids = {node: i for i, node in enumerate(self._nodes)}
        self._names: dict[Node, str] = {}
        self._values: dict[Node, Any] = {}
        self._collect(known)

    def _collect(self, known: Sequence[tuple[str, Variable]]) -> None:
        """Collect the values that nodes keep, and those of the caller's variables with their names."""
        for node in self._nodes:
            if isinstance(node.function, Primitive) and not isinstance(node, MultiOutputNode):
                self._values |= _kept(node)
        used = {parent: node.order for node in reversed(self._nodes) for parent in node.parents}
        for name, variable in [*known, (self._y.name, self._y)]:
            if variable.node in self._ids:
                if abs(getattr(variable.node, "moved", 0)) <= used.get(variable.node, math.inf):
                    self._values.setdefault(variable.node, variable.data)  # a kept value is the one that was used
                elif self._values.get(variable.node) is variable._data:  # ``x.data -= step`` changed it in place
                    del self._values[variable.node]
                if name:
                    self._names.setdefault(variable.node, name)
        for node in self._nodes:
            if name := getattr(node, "name", None):
                self._names.setdefault(node, name)

    def recording(self) -> Recording:
        """The graph as plain data."""
        root, drafts = self._y.node, list[Draft]()
        for node in self._nodes:
            drafts.append(self._draft(node))
            if node.order:
                drafts[-1].place = CodePosition("", 0, source=expression_of(drafts[-1], drafts))
        if not drafts:
            drafts = [Draft(0, "constant", None, self._y.name, [], self._budget.snapshot(self._y.data))]
        name, output = ("graph", 0) if root is None else (self._names.get(root, "graph"), self._ids[root])
        is_reached = any([getattr(node, "passes", 0) for node in self._nodes])  # by a pass from here or elsewhere
        notes = () if self._fits() else ("values_changed",)
        told = "not_kept" if last_start(self._y) is None else "passed"
        made = graph_recording(name, drafts, output, self._budget, told if is_reached else "not_computed")
        return replace(made, notes=made.notes + notes)

    def _fits(self) -> bool:
        """Whether the known values are consistent with the steps; missing ones are computed if that is cheap. An array
        that was changed in place is no longer the one that its users were computed from."""
        known = dict(self._values)
        with np.errstate(all="ignore"):
            for node in self._nodes:
                made = _made(node, known)
                if made is not None and node in known and not is_close(known[node], made):
                    return False
                if made is not None and (not made.ndim or "keepdims" not in node.function.schema.defaults):
                    known.setdefault(node, made)
        return True

    def _draft(self, node: Node) -> Draft:
        value, g = self._values.get(node), getattr(node, "grad", None)
        if g is None and node is self._y.node:
            g = last_start(self._y)
        return Draft(
            id=self._ids[node],
            kind="leaf" if node.order == 0 else "part" if isinstance(node, OutputNode) else "call",
            function=None if node.order == 0 else node.function.name,
            name=self._names.get(node),
            uses=self._uses(node),
            value=None if value is None else self._budget.snapshot(value),
            requires_grad=True,
            grad=None if g is None else self._budget.snapshot(g.data),
        )

    def _uses(self, node: Node) -> list[Use]:
        """One use per input: a step if it needs a gradient, else the number that a rule kept, or ``?``."""
        function = node.function
        if not isinstance(function, Primitive):
            return [Use(f"inputs[{i}]", self._ids[parent], None) for i, parent in enumerate(node.parents)]
        steps = {edge.place: self._ids[edge.parent] for edge in node.edges}
        count = max(len(function.inputs) if not function.schema.variadic else 0, max(steps) + 1)
        numbers = {i: exact_text(value) or "array" for i, value in _beside(node).items()}
        texts = [None if i in steps else numbers.get(i, _UNKNOWN) for i in range(count)]
        return [Use(function.schema.label(i), steps.get(i), text) for i, text in enumerate(texts)]


def graph_recording(name: str, drafts: Sequence[Draft], output: int, budget: Budget, without: str) -> Recording:
    """The nodes of a graph as a recording; ``without`` is the status of a call whose gradient is not known."""
    steps = tuple([_step(draft, without) for draft in drafts])
    parted = {step.operands[0].step for step in steps if step.kind == "part"}
    missing = any([step.value is None and step.id not in parted for step in steps])
    return Recording(
        function=name,
        inputs=tuple([step.id for step in steps if step.kind == "leaf"]),
        outputs=(output,),
        steps=steps,
        backward=(),
        reduced=budget.reduced,
        notes=("values_missing",) if missing else (),
    )


def _step(draft: Draft, without: str) -> Step:
    step = draft.step()
    if draft.kind == "constant":
        return replace(step, status="constant")
    if step.grad is None:
        return replace(step, status="not_computed" if step.kind == "leaf" else without)
    return replace(step, status="value_not_kept") if step.value is None else step


def _saved(node: Node) -> list[tuple[str, Any]]:
    """The names and values that the rules of a node keep."""
    return [pair for edge in node.edges for pair in kept_values(node.function, edge)]


def _kept(node: Node) -> dict[Node, Any]:
    """The arrays that a node keeps: those of other nodes and its own."""
    function = node.function
    parents = {edge.place: edge.parent for edge in node.edges}
    found: dict[Node, Any] = {}
    for name, value in _saved(node):
        if type(value) not in modules:
            continue
        if name in function.schema.outputs:
            found[node] = array_of(value)
        elif name in function.inputs and (parent := parents.get(function.inputs.index(name))) is not None:
            found[parent] = array_of(value)
    return found


def _made(node: Node, known: Mapping[Node, Any]) -> Any:
    """The value of a step of AutoLab's, computed from its operands, up to axes of length 1; None if they are too large
    or not all known."""
    function = node.function
    if not isinstance(function, Primitive) or function.run is not function.forward or function.schema.variadic:
        return None
    given = _beside(node) | {edge.place: known.get(edge.parent) for edge in node.edges}
    arrays, saved = [given.get(i) for i in range(len(function.inputs))], dict(_saved(node))
    names = function.schema.defaults.keys()
    if (
        function.several
        or names - saved.keys() - {"keepdims"}
        or any([a is None or np.size(a) > _MOST for a in arrays])
    ):
        return None
    return function.forward(get_array_module(*arrays), *arrays, **{name: saved[name] for name in names & saved.keys()})


def _beside(node: Node) -> dict[int, Any]:
    """The inputs that a rule kept, or the number next to its input, by position."""
    inputs = node.function.inputs
    found = {inputs.index(name): value for name, value in _saved(node) if name in inputs}
    for edge in node.edges:
        if edge.saved is not None and len(inputs) == 2 and not kept_values(node.function, edge):
            found[1 - edge.place] = edge.saved
    return found
