"""Primitive: a declared function, with a rule for the gradient of each input.

`Primitive.apply` and `Primitive.pull` define what happens in forward and backward. For the most common kinds of
function, `fast_path_binary.py` and `declare.py` have faster equivalents of `apply` that build the same graph.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from . import calls
from .argument_checks import other_form
from .arrays import as_array, check_real, stopwatch
from .backend import Array, get_array_module, modules
from .errors import COMPLAINTS, complaint
from .gradient_arrays import SlicedGradient, summed
from .modes import modes, overrides, watchers
from .multi_output import MultiOutputNode, several
from .node import Edge, Node
from .numpy_protocol import direct_name, on_device
from .observe import ForwardEvent, notify
from .reach import returned_variable
from .retention import Keeper, Reviver, keeper, reviver
from .schema import Inputs, Schema, as_arrays, number_beside
from .sharing import compiled, guarded_forward, of_user
from .variable import Variable, wrap

Rule = Callable[..., Any]


class Primitive:
    """A declared function: its forward on arrays, and a gradient rule for each input.

    Attributes
    ----------
    schema : Schema
        The inputs, attributes and outputs; `inputs` are the names of the array inputs.
    elementwise : bool
        Whether gradients are summed to the shape of a broadcast input.
    keeps_shapes : bool
        Whether rules are known to keep the shape of ``g``: AutoLab's own elementwise rules are tested for that.
    domain : tuple of two floats or None
        The interval in which the function is interesting; sliders and plots start there.
    direct, is_ufunc : str or None, bool
        The NumPy and CuPy function that the forward calls, if it does nothing else; whether that is a ufunc.
    declared, retained, formulas : dict
        Input name -> the rule as written; what it retains besides ``g``; its formula, the first line of its docstring.
    composite : callable or None
        For a fused function, the same function composed of simpler ones: to show what is inside, and for tests.
    takes_names, grain, renamed, spelling
        How it may be called (`calls`): by name; like a NumPy function; with that function's names; in a special way.
    """

    sum_to: ClassVar[Any]
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
        self.schema = Schema(forward, outputs)
        self.run = guarded_forward(forward) if of_user(forward) else forward  # called when the function is applied
        self.keeps_shapes = elementwise and self.run is forward
        self.forward, self.name, self.elementwise, self.domain = forward, name or forward.__name__, elementwise, domain
        self.inputs, self.several = self.schema.inputs, len(outputs) > 1
        self.declared: dict[str, Rule] = {}
        self.retained: dict[str, tuple[str, ...]] = dict.fromkeys(self.inputs, ())
        self.composite: Callable[..., Any] | None = None
        self.grain: Any = None
        self.renamed: dict[str, str] = {}
        self.spelling: Callable[..., calls.Call] | None = None
        self.direct = direct_name(forward, len(self.inputs))
        of_numpy = vars(np).get(self.direct or self.name * (self.run is forward))  # getattr might import numpy.fft
        self.is_ufunc = isinstance(of_numpy, np.ufunc)
        self.takes_names = not (self.schema.fixed and len(self.inputs) <= 2 and (elementwise or self.is_ufunc))
        self.formulas: dict[str, str] = {}
        self._plans: dict[int, tuple[Rule, Keeper | None] | None] = {}
        self._revivers: dict[int, Reviver | None] = {}
        self.learn: Callable[[], None] = lambda: None  # updates the fast path when rules are added
        for name, rule in rules.items():
            self.add_rule(name, rule)

    def _holds(self) -> tuple[dict[str, str], str]:
        return {"forward": "part", "declared": "part"}, "own"

    def __repr__(self) -> str:
        return f"<function {self.name}{self.signature}>"

    @property
    def signature(self) -> inspect.Signature:
        """The signature shown to users: in the fastest calls, inputs are positional-only, as for NumPy's ufuncs."""
        return self.schema.signature if self.takes_names else calls.LateSignature.of(self._without_names)

    def _without_names(self) -> inspect.Signature:
        shown = self.schema.signature.parameters.values()
        return inspect.Signature([p.replace(kind=p.POSITIONAL_ONLY) for p in shown])

    def add_rule(self, name: str, rule: Rule) -> Rule:
        """Declare ``rule`` for the gradient of input ``name``; its parameters say what is retained for it."""
        self.retained[name] = self.schema.retained(name, rule)
        self.declared[name] = rule
        if rule.__doc__:
            self.formulas[name] = rule.__doc__.strip().partition("\n")[0]
        self._plans.clear()
        self._revivers.clear()
        self.learn()
        return rule

    def add_composite(self, composite: Callable[..., Any]) -> Callable[..., Any]:
        """Declare what the function is composed of, as ``composite(*inputs, **attributes)`` of declared functions."""
        self.composite = composite
        return composite

    def add_spelling(self, spelling: Callable[..., calls.Call]) -> Callable[..., calls.Call]:
        """Declare how to interpret a call: ``spelling(*args, **keywords)`` returns ``(inputs, attributes)``."""
        self.spelling = spelling
        return spelling

    def rule(self, i: int) -> Rule | None:
        """The rule of the input at position ``i`` as ``rule(g, saved)``; None if it has no gradient."""
        return None if (plan := self.plan(i)) is None else plan[0]

    def plan(self, i: int) -> tuple[Rule, Keeper | None] | None:
        """The rule at a position, and the keeper of its values; safe if two threads ask for the first time at once."""
        if self.schema.variadic:
            i = min(i, len(self.inputs) - 1)
        try:
            return self._plans[i]
        except KeyError:
            return self._plans.setdefault(i, self._compiled(i))

    def _compiled(self, i: int) -> tuple[Rule, Keeper | None] | None:
        name = self.input_at(i)
        declared, retained = self.declared.get(name), self.retained[name]
        who = f"{self.name}: the rule of input {name!r}"
        return None if declared is None else (compiled(who, declared, len(retained)), keeper(self.schema, retained))

    def input_at(self, place: int) -> str:
        """The declared name of the input at a position; the last one may stand for many."""
        return self.inputs[min(place, len(self.inputs) - 1)]

    def apply(self, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
        """Arrays in, arrays out; if any input is a Variable, Variables out, as part of the graph."""
        defaults = self.schema.defaults
        if len(args) != len(self.inputs) or self.schema.variadic or not attributes.keys() <= defaults.keys():
            if self.run is self.forward and (form := other_form(self.name, args, attributes)) is not None:
                return form()
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
            if len(attributes) < len(defaults):
                attributes = self.schema.completed(attributes)
            if not ready and (with_variables or any([type(array) not in modules for array in raw])):
                raw = as_arrays(self, raw)
            xp = (modules.get(type(raw[0])) if len(raw) == 1 else None) or get_array_module(*raw)
            stop = stopwatch(xp) if watchers and modes().hooks else None
            y = self.run(xp, *raw, **attributes) if xp is np else self._on_device(xp, raw, attributes)
        except COMPLAINTS as error:
            raise self.complaint(error, raw, attributes) from None
        if not with_variables:
            return y
        seconds = 0.0 if stop is None else stop()
        results = several(self.name, self.schema.outputs, y) if self.several else (y,)
        outputs = tuple([wrap(y if type(y) in modules else self.result(y, xp), None) for y in results])
        if not overrides or modes().joins(args):
            self._join(args, raw, outputs, attributes)
        if watchers:
            notify(ForwardEvent(self, args, outputs, attributes, seconds))
        return outputs if self.several else outputs[0]

    def number(self, xp: Any, value: float, dtype: np.dtype) -> Any:
        """A number converted to be combined with arrays whose common dtype is ``dtype``."""
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
                if self.schema.variadic:
                    inputs.number = i - first
                saved = self._beside(args, raw, i) if keep is None else keep(inputs, ys, attributes)
                edges.append((arg.node, i, rule, saved, (raw[i].shape, raw[i].dtype)))
        if not edges:
            return
        if self.several:
            MultiOutputNode.join(self, edges).connect(outputs)
        elif ys[0].dtype.kind == "f":
            outputs[0].node = Node.join(self, edges)

    def _beside(self, args: tuple[Any, ...], raw: list[Any], i: int) -> Any:
        """Retained for a rule that needs nothing: the number combined with its input, to be shown in the graph."""
        return raw[1 - i] if self.elementwise and len(args) == 2 and type(args[1 - i]) in (float, int) else None

    def result(self, y: Any, xp: Any) -> Array:
        """The result of a forward as an array: NumPy returns scalars for 0-d results."""
        if isinstance(y, np.floating):
            return xp.asarray(y)
        if isinstance(y, Variable):
            raise TypeError(returned_variable(f"{self.name}: its forward", y, [(self.name, self.forward)]))
        return xp.asarray(check_real(as_array(y, what := f"{self.name}: the result"), what))

    def complaint(self, error: Exception, arrays: Any, attributes: dict[str, Any] | None = None) -> Exception:
        """The error of a forward, with the function and its inputs named."""
        return complaint(self.name, self.schema, error, arrays, attributes)

    def pull(self, node: Node, g: Any, create_graph: bool, ways: object = None) -> list[tuple[Node, Any]]:
        """``[(parent, gradient)]`` for every edge of ``node``: on arrays or, with ``create_graph``, on Variables.

        With Variables, retained values come back as the Variables that they were; the names of the rule's parameters
        say which. This is why the same rule serves every order.
        """
        on_device_only = self.elementwise and not create_graph and not isinstance(g, np.ndarray | np.generic)
        if on_device_only and (found := on_device.pull(self, node, g)) is not None:
            return found
        if isinstance(node, MultiOutputNode):
            g = node.all_gradients(g)
        pairs: list[tuple[Node, Any]] = []
        edge: Any = node
        while edge is not None:
            gradient = edge.rule(g, self.revived(node, edge) if create_graph else edge.saved)
            pairs.append((edge.parent, gradient if edge.fit is None else self.fit(gradient, edge, g)))
            edge = edge.more
        return pairs

    def revived(self, node: Node, edge: Edge) -> Any:
        """What was retained for the rule of an edge, as Variables instead of arrays."""
        place = min(edge.place, len(self.inputs) - 1) if self.schema.variadic else edge.place
        try:
            revive = self._revivers[place]
        except KeyError:
            revive = self._revivers[place] = reviver(self.schema, self.retained[self.inputs[place]])
        return edge.saved if revive is None else revive(node, edge.saved)

    def fit(self, g: Any, edge: Edge, upstream: Any) -> Any:
        """``g`` with the shape and dtype of its input; only elementwise functions may need to be summed."""
        shape, dtype = edge.fit  # type: ignore[misc]  # not called for None
        if type(g) is SlicedGradient:
            g = g.whole()
        if getattr(g, "shape", None) != shape:
            g = summed(self, g, edge.place, shape, getattr(upstream, "shape", None))
        return g if g.dtype == dtype else Primitive.cast(g, dtype=dtype)
