"""Primitive: a declared function, with a rule for the gradient of each input.

`Primitive.apply` and `Primitive.pull` are the definition of what happens in forward and in backward. `specialize.py`
has short cuts of `apply` for the commonest shapes of function; they give the same graph.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any, ClassVar

import numpy as np

from . import calls
from .arrays import as_array, check_real
from .backend import Array, get_array_module, modules, stopwatch
from .complaints import COMPLAINTS, complaint
from .config import modes, recording, watchers
from .errors import a_kind
from .gradient_shape import summed
from .kernels import direct_name, on_device
from .multi_output import MultiOutputNode
from .node import Node
from .observe import ForwardEvent, notify
from .operands import as_arrays, number_beside
from .schema import Keeper, Schema
from .variable import Variable, wrap
from .variadic import At, Inputs, Many

Rule = Callable[..., Any]
Reviver = Callable[[Node, Any], Any]


_ON_HOST = (np.ndarray, np.generic)


class Primitive:
    """A declared function: its forward on arrays, and for each input the rule of its gradient.

    Attributes
    ----------
    name : str
    schema : Schema
        Its inputs, attributes and outputs.
    inputs : tuple of str
        Names of the array inputs.
    elementwise : bool
        Whether gradients are summed to the shape of a broadcast input.
    keeps_shapes : bool
        Whether the result of a rule is known to have the shape of ``g``: AutoLab's own elementwise rules are tested for
        that, a user's are looked at in backward.
    domain : tuple of two floats or None
        Where the function is worth looking at; sliders and plots start there.
    direct : str or None
        The function of NumPy and CuPy that the forward is, if it does no more than call it.
    declared : dict
        Input name -> the rule as written.
    retained : dict
        Input name -> what its rule asks for besides ``g``.
    composite : callable or None
        The same function out of simpler ones, if it is fused: for showing what is inside, and for tests.
    takes_names : bool
        Whether inputs may be given by name.
    grain : NumPy function or None
        The one of the same name, whose parameters a call may use.
    renamed : dict
        Names of its parameters -> the function's own, where they differ.
    spelling : callable or None
        Gives the inputs and attributes of a call, where more than names differ.
    """

    sum_to: ClassVar[Callable[..., Any]]
    cast: ClassVar[Callable[..., Any]]

    def __init__(
        self,
        forward: Callable[..., Any],
        rules: dict[str, Rule],
        elementwise: bool,
        domain: tuple[float, float] | None,
        outputs: tuple[str, ...],
        name: str | None = None,
    ) -> None:
        self.schema = Schema.of(forward, outputs)
        self.keeps_shapes = elementwise and forward.__module__.startswith("autolab.")
        self.forward, self.name, self.elementwise, self.domain = forward, name or forward.__name__, elementwise, domain
        self.inputs, self.several = self.schema.inputs, len(outputs) > 1
        self.declared: dict[str, Rule] = {}
        self.retained: dict[str, tuple[str, ...]] = dict.fromkeys(self.inputs, ())
        self.composite: Callable[..., Any] | None = None
        self.grain: Any = None
        self.renamed: dict[str, str] = {}
        self.spelling: Callable[..., calls.Call] | None = None
        self.direct = direct_name(forward, len(self.inputs))
        is_ufunc = isinstance(getattr(np, self.direct or "", None), np.ufunc)
        self.takes_names = not (self.schema.fixed and len(self.inputs) <= 2 and (elementwise or is_ufunc))
        self._plans: dict[int, tuple[Rule, Keeper | None] | None] = {}
        self._place: dict[Rule, int] = {}
        self._revivers: dict[Rule, Reviver | None] = {}
        self.learn: Callable[[], None] = lambda: None  # tells a short cut the rules
        for name, rule in rules.items():
            self.add_rule(name, rule)

    def __repr__(self) -> str:
        return f"<function {self.name}{self.signature}>"

    @property
    def signature(self) -> inspect.Signature:
        """What people see: where calls are shortest, inputs go in by position alone, as those of NumPy's ufuncs."""
        shown = self.schema.signature
        if self.takes_names:
            return shown
        return shown.replace(parameters=[p.replace(kind=p.POSITIONAL_ONLY) for p in shown.parameters.values()])

    # ------------------------------------------------------------------ declaration
    def add_rule(self, name: str, rule: Rule) -> Rule:
        """Declare ``rule`` for the gradient of input ``name``; its parameters say what is kept for it."""
        self.retained[name] = self.schema.retained(name, rule)
        self.declared[name] = rule
        self._plans.clear()
        self.learn()
        return rule

    def add_composite(self, composite: Callable[..., Any]) -> Callable[..., Any]:
        """Declare what the function is made of, as ``composite(*inputs, **attributes)`` of declared functions."""
        self.composite = composite
        return composite

    def add_spelling(self, spelling: Callable[..., calls.Call]) -> Callable[..., calls.Call]:
        """Declare what a call means: ``spelling(*args, **keywords)`` gives ``(inputs, attributes)``."""
        self.spelling = spelling
        return spelling

    def rule(self, i: int) -> Rule | None:
        """The rule of the input at position ``i`` as ``rule(g, saved)``; None if it has no gradient."""
        plan = self.plan(i)
        return plan[0] if plan is not None else None

    def plan(self, i: int) -> tuple[Rule, Keeper | None] | None:
        """The rule at a position and what keeps its values; two threads may ask for the first time at once.

        The positions for which one name stands have one plan: there `At` tells them apart.
        """
        if self.schema.variadic:
            i = min(i, len(self.inputs) - 1)
        try:
            return self._plans[i]
        except KeyError:
            return self._plans.setdefault(i, self._compiled(i))

    def _compiled(self, i: int) -> tuple[Rule, Keeper | None] | None:
        """Each position gets a rule object of its own, so that a rule tells its input."""
        declared, retained = self.declared.get(self._name(i)), self.retained[self._name(i)]
        if declared is None:
            return None
        compiled = _compile(declared, len(retained))
        self._place[compiled], self._revivers[compiled] = i, self._reviver(retained)
        return compiled, self.schema.keeper(retained)

    def place(self, rule: Rule) -> int:
        """The position of the input whose gradient an edge's ``rule`` computes."""
        return rule.place if type(rule) is At else self._place[rule]

    def input_of(self, rule: Rule) -> str:
        """The declared name of that input."""
        return self._name(self.place(rule))

    def _name(self, i: int) -> str:
        return self.inputs[min(i, len(self.inputs) - 1)]

    # ------------------------------------------------------------------ forward
    def apply(self, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
        """Arrays in, arrays out; with any Variable among the inputs, Variables out, joined to the graph."""
        if len(args) != len(self.inputs) or self.schema.variadic:
            args, attributes = calls.plain(self, args, attributes)
        raw, with_variables, ready = [], False, True
        for arg in args:
            if isinstance(arg, Variable):
                with_variables = True
                raw.append(arg._data)
            else:
                ready = False
                raw.append(arg)
        try:
            if len(attributes) < len(self.schema.defaults):
                attributes = self.schema.completed(attributes)
            if not ready and (with_variables or any([type(array) not in modules for array in raw])):
                raw = as_arrays(self, raw)
            xp = (modules.get(type(raw[0])) if len(raw) == 1 else None) or get_array_module(*raw)
            stop = stopwatch(xp) if watchers and modes().hooks else None
            y = self.forward(xp, *raw, **attributes) if xp is np else self._on_device(xp, raw, attributes)
        except COMPLAINTS as error:
            return calls.again(self, error, args, raw, attributes)
        if not with_variables:
            return y
        seconds = 0.0 if stop is None else stop()
        results = self._several(y) if self.several else (y,)
        outputs = tuple([wrap(y if type(y) in modules else self.result(y, xp), None) for y in results])
        if recording():
            self._join(args, raw, outputs, attributes)
        if watchers:
            notify(ForwardEvent(self, args, outputs, attributes, seconds))
        return outputs if self.several else outputs[0]

    def number(self, xp: Any, value: float, dtype: np.dtype) -> Any:
        """What a number becomes beside arrays that have ``dtype`` in common."""
        return number_beside(self, xp, value, dtype)

    def _on_device(self, xp: Any, arrays: list[Any], attributes: dict[str, Any]) -> Any:
        return on_device.forward(self, xp, arrays, attributes)

    def _join(
        self, args: tuple[Any, ...], raw: list[Any], outputs: tuple[Variable, ...], attributes: dict[str, Any]
    ) -> None:
        """Give the outputs their nodes, if an input with a rule requires a gradient."""
        ys = tuple([y._data for y in outputs])
        edges, first = [], len(self.inputs) - 1
        inputs: Any = Inputs(raw, first) if self.schema.variadic else raw
        for i, arg in enumerate(args):
            if isinstance(arg, Variable) and arg.node is not None and (plan := self.plan(i)) is not None:
                rule, keep = plan
                if self.schema.variadic and i >= first:
                    rule, inputs.number = At(rule, i), i - first
                saved = None if keep is None else keep(inputs, ys, attributes)
                edges.append((arg.node, rule, saved, (raw[i].shape, raw[i].dtype)))
        if not edges:
            return
        if self.several:
            MultiOutputNode.join(self, edges).connect(outputs)
        elif ys[0].dtype.kind == "f":
            outputs[0].node = Node.join(self, edges)

    def result(self, y: Any, xp: Any) -> Array:
        """What a forward returned, as an array: NumPy gives scalars where a result is 0-d."""
        if isinstance(y, np.floating):
            return xp.asarray(y)
        what = f"{self.name}: the result"
        return xp.asarray(check_real(as_array(y, what), what))

    def _several(self, results: Any) -> tuple[Any, ...]:
        names = self.schema.outputs
        if not isinstance(results, tuple | list) or len(results) != len(names):
            came = f"{len(results)} results" if isinstance(results, tuple | list) else a_kind(results)
            raise TypeError(f"{self.name}: forward returned {came}; expected a tuple of {len(names)}, its outputs")
        return tuple(results)

    def complaint(self, error: Exception, arrays: Any, attributes: dict[str, Any] | None = None) -> Exception:
        """What a forward raised, with the function and its inputs named."""
        return complaint(self.name, self.schema, error, arrays, attributes)

    # ------------------------------------------------------------------ backward
    def pull(self, node: Node, g: Any, create_graph: bool) -> list[tuple[Node, Any]]:
        """``[(parent, gradient)]`` for every edge of ``node``: on arrays or, under ``create_graph``, on Variables.

        On Variables, saved values come back as the Variables that they were: the rule's parameter names say which.
        That is why the same rule serves every order.
        """
        if self.elementwise and not create_graph and not isinstance(g, _ON_HOST):
            found = on_device.pull(self, node, g)
            if found is not None:
                return found
        if isinstance(node, MultiOutputNode):
            g = node.all_gradients(g)
        pairs: list[tuple[Node, Any]] = []
        edge: Any = node
        while edge is not None:
            rule, saved = edge.rule, edge.saved
            if create_graph:
                saved = self.revived(node, rule, saved)
            gradient = rule(g, saved)
            pairs.append((edge.parent, gradient if edge.fit is None else self.fit(gradient, rule, edge.fit, g)))
            edge = edge.more
        return pairs

    def revived(self, node: Node, rule: Rule, saved: Any) -> Any:
        """What was kept for ``rule``, with Variables in place of arrays."""
        revive = self._revivers[rule.rule if type(rule) is At else rule]
        return saved if revive is None else revive(node, saved)

    def _reviver(self, names: tuple[str, ...]) -> Reviver | None:
        """What gives a rule the Variables of which it keeps the arrays, as ``revive(node, saved)``; None if it keeps
        none."""
        if len(names) == 1:
            return self._reviver_of(names[0])
        each = [self._reviver_of(name) for name in names]
        if not any(each):
            return None
        return lambda node, saved: tuple(
            [value if revive is None else revive(node, value) for revive, value in zip(each, saved, strict=True)]
        )

    def _reviver_of(self, name: str) -> Reviver | None:
        outputs, last = self.schema.outputs, len(self.inputs) - 1
        if name in outputs:
            i = outputs.index(name)
            return lambda node, value: self._output(node, i, value)
        if name not in self.inputs:
            return None  # a shape or an attribute
        place = self.inputs.index(name)
        if self.schema.variadic and place == last:
            return self._many
        return lambda node, value: self._input(node, place, value)

    def _output(self, node: Node, i: int, value: Any) -> Variable:
        return wrap(value, node.part(i) if isinstance(node, MultiOutputNode) else node)

    def _input(self, node: Node, place: int, value: Any) -> Any:
        """The input at ``place`` as a Variable; a constant, or an input that was left out, as it is."""
        edge: Any = node
        while edge is not None and self.place(edge.rule) <= place:  # they are in the order of the inputs
            if self.place(edge.rule) == place:
                return wrap(value, edge.parent)
            edge = edge.more
        return value

    def _many(self, node: Node, values: Many) -> tuple[Any, ...]:
        """The same for all inputs for which one name stands, once for all edges."""
        if values.variables is None:
            parents = {self.place(edge.rule): edge.parent for edge in node.edges}
            places = enumerate(values, len(self.inputs) - 1)
            values.variables = tuple([wrap(v, parents[i]) if i in parents else v for i, v in places])
        return values.variables

    def fit(self, g: Any, rule: Rule, fit: tuple[tuple[int, ...], np.dtype], upstream: Any) -> Any:
        """``g`` with the shape and dtype of its input; only elementwise functions may need to be summed."""
        shape, dtype = fit
        if getattr(g, "shape", None) != shape:
            g = summed(self, g, self._label(rule), shape, getattr(upstream, "shape", None))
        return g if g.dtype == dtype else Primitive.cast(g, dtype=dtype)

    def _label(self, rule: Rule) -> str:
        return self.schema.label(self.place(rule))


def _compile(rule: Rule, count: int) -> Rule:
    """``rule`` as ``compiled(g, saved)``; a new function each time, so that it tells the input apart."""
    if count == 0:
        return lambda g, saved: rule(g)
    if count == 1 and isinstance(rule, FunctionType):  # a copy saves a call in every step of backward
        return FunctionType(rule.__code__, rule.__globals__, rule.__name__, rule.__defaults__, rule.__closure__)
    if count == 1:
        return lambda g, saved: rule(g, saved)
    return lambda g, saved: rule(g, *saved)
