"""The results of a compiled function that may be differentiated, as one step of the graph.

The boundary of a compiled function: whatever computed its inputs is not part of it, and may differ at each call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from ...authoring.function_node import FunctionNode
from ...engine import Array, Node, Primitive, Variable, new_order, using_config, wrap
from ...engine.backward import gradients, watched_nodes
from ...engine.gradient_arrays import SlicedGradient
from ...engine.store import Gradients, publish
from ..applied import same
from .call_tape import CallTape
from .nested import variables_in
from .reached_state import Given
from .references import mapped

if TYPE_CHECKING:
    from .compiled_program import CompiledProgram


def gradients_since(
    begin: int, ys: list[Variable], starts: list[Any], nodes: Iterable[Node | None], create_graph: bool = False
) -> Gradients:
    """The gradients of what existed before the function was called; the pass does not continue into earlier steps."""
    made = frozenset([node for node in nodes if node is not None and node.order])
    starts = [g if isinstance(g, Variable) else wrap(g, None) for g in starts]
    found = gradients(ys, starts, create_graph, made, begin if made else 0)
    return {node: g.whole() if type(g) is SlicedGradient else g for node, g in found.items()}


@contextmanager
def not_passed(earlier: Iterable[Node], tape: CallTape) -> Iterator[None]:
    """Refuse a backward pass inside that continues into what computed the inputs: at each call that may differ."""

    def tell(_: bool) -> None:
        tape.refuse("its backward pass continues into what computed its inputs")

    told = {ref(node): tell for node in earlier}
    watched_nodes.update(told)
    try:
        yield
    finally:
        for key in told:
            del watched_nodes[key]


Stores = list[tuple[Any, str, Any]]
"""Attributes with their values: an object, a name, and the value."""


def joined(
    program: CompiledProgram,
    function: Callable[..., Any],
    leaves: list[Any],
    args: Any,
    options: Any,
    found: Any,
    kept: Stores,
) -> Any:
    """The results of a run, connected to the graph; ``kept`` is what was in the attributes that it has set."""
    result, saved = found
    ys = variables_in(program.traced.spec, result)
    holders = program.traced.inputs
    inputs = [leaves[one.index] if type(one) is Given else one for one in holders]
    beside = [place.now(leaves) for place in program.beside] if program.beside else []
    if program.is_nested:
        args, options = mapped((args, options), lambda item: item)

    def again(given: Sequence[Variable]) -> Any:
        """The function itself, with its arguments replaced by others."""
        others = {id(x): y for x, y, one in zip(inputs, given, holders, strict=True) if type(one) is Given}
        pairs = [(x._data, y._data) for x, y in zip(inputs, given, strict=True) if id(x) not in others]
        pairs += [(place.now(leaves), data) for place, data in zip(program.beside, beside, strict=True)]
        if (changed := "a parameter" if any([a is not b for a, b in pairs]) else program.around.changed()) is not None:
            raise RuntimeError(
                f"compile: {changed:.80} has changed since the call, which cannot be repeated for gradients of higher "
                "order; compute them before the update"
            )
        args_again, options_again = mapped((args, options), lambda item: others.get(id(item), item))
        now = program.kept()
        publish(kept)
        try:
            with using_config("train", program.train):
                return function(*args_again, **options_again)
        finally:
            publish(now)

    call = _CompiledCall(program, again, saved, [y._data for y in ys])
    for y, made in zip(ys, call.apply(inputs), strict=True):
        y.node = made.node
    return result


class _CompiledCall(FunctionNode):
    """The run of a compiled function. Its program computes gradients; differentiable ones come from the function."""

    def __init__(
        self,
        program: CompiledProgram,
        again: Callable[[Sequence[Variable]], Any],
        saved: list[Array],
        results: list[Array],
    ) -> None:
        self._program, self._again, self._saved, self._results_now = program, again, saved, results

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        self.retain_inputs(tuple(range(len(inputs))))
        results, self._results_now = self._results_now, []
        self._shapes = [(y.shape, y.dtype) for y in results]
        return tuple(results)

    def backward(
        self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Variable | None, ...]
    ) -> tuple[Variable | None, ...]:
        inputs = self.get_retained_inputs()
        if any([x.requires_grad for x in inputs]):  # only then do they come with a graph
            return self._by_the_function(inputs, target_input_indexes, grad_outputs)
        pairs = zip(grad_outputs, self._shapes, strict=True)
        starts = [np.zeros(*shape) if g is None else g._data for g, shape in pairs]
        found = self._program.pull(starts, self._saved)
        given = {i for i, g in enumerate(grad_outputs) if g is not None}
        fits = [not those or not given.isdisjoint(those) for those in self._program.upstream]
        return tuple([wrap(found[i], None) if fits[i] else None for i in target_input_indexes])

    def _by_the_function(
        self, inputs: tuple[Variable, ...], targets: tuple[int, ...], upstream: tuple[Variable | None, ...]
    ) -> tuple[Variable | None, ...]:
        if self._program.forward.draws:
            raise RuntimeError(
                "compile: the function draws random numbers, so it cannot be repeated for gradients of higher order; "
                "call the function itself: .function"
            )
        with using_config("enable_backprop", True):
            holders = self._program.traced.inputs  # the function reads a parameter itself, and not a copy
            pairs = zip(inputs, holders, strict=True)
            inputs = tuple([same(x) if type(one) is Given else x for x, one in pairs])
            begin = new_order()
            outputs = variables_in(self._program.traced.spec, self._again(inputs))
            reached = [(y, g) for y, g in zip(outputs, upstream, strict=True) if g is not None]
            nodes = [x.node for x in inputs]
            found: dict[Any, Any] = gradients_since(
                begin, [y for y, _ in reached], [g for _, g in reached], nodes, True
            )
        return tuple([found.get(nodes[i]) for i in targets])


def _used_up(g: Any, saved: Any) -> Any:
    raise RuntimeError(
        "backward: this value comes out of a compiled step, which keeps no graph; call backward inside of the compiled "
        "function, or compile the function that computes the value"
    )


_SPENT = Primitive(lambda xp, x: x, {}, True, None, ("y",), "compiled")
_NOBODY = Node.leaf()


def spent(value: Variable) -> Variable:
    """Mark a value as requiring a gradient, although its graph is not kept."""
    value.node = node = Node()
    node.parent, node.place, node.rule, node.saved, node.fit, node.more = _NOBODY, 0, _used_up, None, None, None
    node.function, node.order = _SPENT, new_order()
    return value
