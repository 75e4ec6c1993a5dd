"""The common base of functions with a backward of their own, in all styles: applied only once, retained values, checked
gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from threading import get_ident
from typing import Any
from weakref import ref

import numpy as np

from ..engine import Node, Variable, array_of, as_array, check_real, wrap
from ..engine.arrays import stopwatch
from ..engine.backend import Array, get_array_module, in_main_memory, is_array
from ..engine.creator import Creator
from ..engine.errors import COMPLAINTS, LIMIT, ReuseError, a_kind, mixed_devices
from ..engine.gradient_arrays import check_shape
from ..engine.modes import modes, overrides, watchers
from ..engine.multi_output import Bundle, MultiOutputNode
from ..engine.observe import ForwardEvent, notify
from ..engine.reach import returned_variable
from ..engine.sharing import (
    check_unchanged,
    copies,
    explained,
    is_watched,
    locked,
    of_user,
    unshared,
    unshared_variable,
)
from ..engine.tracebacks import add_note
from ..engine.walks import Ways
from ..shared.structure import rebuilt
from .call import Call
from .computed_attributes import computed_attributes


class Authored:
    """One application of a function that a user wrote; the object is the function of its node in the graph.

    Each style defines in `_gradients` what its `backward` is given and may return.
    """

    _call: Call | None = None

    def __getattr__(self, name: str) -> Any:
        node = None if self._call is None else self._call.made()
        if node is None or name not in ("inputs", "next_functions", "label", "rank"):
            return object.__getattribute__(self, name)
        return getattr(Creator(node), name)  # only where the user's class has no such name

    @property
    def name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    @property
    def written_backward(self) -> Callable[..., Any]:
        """The user's backward, whose source views show."""
        return type(self).backward  # type: ignore[attr-defined]  # every style has one

    @property
    def _written_forward(self) -> Any:
        """The user's forward, under any of its names."""
        written = [getattr(type(self), name, None) for name in ("forward", "forward_cpu", "forward_gpu")]
        return next((found for found in written if found is not None and of_user(found)), written[0])

    def input_label(self, i: int) -> str:
        """The name of an input in messages and views."""
        return f"inputs[{i}]"

    def _gradients(self, node: MultiOutputNode, g: Any, ways: Ways | None) -> Mapping[int, Variable | None]:
        """Call the user's backward: input index -> gradient, at least for every edge of ``node``.

        A style whose backward is told what to compute leaves out what is not in ``ways``, if that is given.
        """
        raise NotImplementedError

    # ------------------------------------------------------------------ forward
    def _apply(
        self, inputs: tuple[Any, ...], arrays: tuple[Any, ...], forward: Callable[..., Iterable[Variable]]
    ) -> tuple[Variable, ...]:
        """Run ``forward`` on the arrays, only once for this object, and connect its results to the graph."""
        if self._call is not None:
            raise ReuseError(
                f"{self.name}: this object was applied before; make a new one for every call: {self.name}()"
            )
        if len({type(array) for array in arrays}) > 1:
            self._check_devices(arrays)
        call = self._call = Call(self.name, len(inputs))
        stop = stopwatch(get_array_module(*arrays)) if watchers and modes().hooks else None
        before = copies(arrays) if is_watched() else []
        try:
            outputs = tuple(forward(arrays))
        except COMPLAINTS as error:
            self._note(error, arrays)
            raise
        seconds = 0.0 if stop is None else stop()
        if before:
            names = [self.input_label(i) for i in range(len(arrays))]
            announced = [None if i in call.changed_inputs else was for i, was in enumerate(before)]
            check_unchanged(announced, arrays, self.name, names, self._written_forward)
        edges = [
            (x.node, i, None, None, (arrays[i].shape, arrays[i].dtype))
            for i, x in enumerate(inputs)
            if isinstance(x, Variable) and x.node is not None
        ]
        if edges and not (overrides and not modes().enable_backprop):
            call.keep(arrays, outputs)
            node = MultiOutputNode.join(self, edges)
            call.made = ref(node)
            node.connect(outputs, call.constant_outputs)
        if watchers:
            notify(ForwardEvent(self, inputs, outputs, {}, seconds))
        return outputs

    def _note(self, error: Exception, arrays: tuple[Any, ...]) -> None:
        """Add to an error the function that raised it and its inputs, unless its message names the function."""
        if self.name not in str(error):
            given = ", ".join([f"{self.input_label(i)} {_kind(array)}" for i, array in enumerate(arrays)])
            add_note(error, f"{self.name}.forward was given {given or 'nothing'}"[:LIMIT])

    def _check_devices(self, arrays: tuple[Any, ...]) -> None:
        places = mixed_devices({self.input_label(i): array for i, array in enumerate(arrays)})
        if places is not None:
            raise TypeError(f"{self.name}: {places}"[:LIMIT])

    def _arrays(self, inputs: tuple[Any, ...]) -> tuple[Array, ...]:
        return tuple([x._data if isinstance(x, Variable) else self._array(x, ": an input") for x in inputs])

    def _results(self, results: list[Any]) -> list[Variable]:
        """The results as Variables, whose arrays are not shared with anything; the list is empty afterwards."""
        return [wrap(unshared(self._array(results.pop(0), ".forward: a result")), None) for _ in range(len(results))]

    def _array(self, value: Any, role: str) -> Array:
        if type(value) is np.ndarray and value.dtype.kind in "biuf":
            return value
        if isinstance(value, Variable):
            roots = [(self.name, self._written_forward), ("self", self.__dict__)]
            raise TypeError(returned_variable(f"{self.name}.forward", value, roots))
        what = f"{self.name}{role}"
        return check_real(as_array(value, what), what)

    def _running(self) -> Call:
        if self._call is None:
            raise RuntimeError(f"{self.name}: this object has not been applied yet, so it has no retained values")
        return self._call

    def held(self) -> Iterator[tuple[str, int, Any]]:
        """The retained values that backward will use: ``("input" or "result", index, array)``."""
        call = self._running()
        yield from [("input", i, array) for i, array in call.inputs.items()]
        yield from [("result", i, array) for i, array in call.outputs.items()]

    # ------------------------------------------------------------------ backward: what the engine calls
    def pull(
        self, node: MultiOutputNode, g: Any, create_graph: bool, ways: Ways | None = None
    ) -> list[tuple[Node, Any]]:
        """``[(parent, gradient)]`` for every edge of ``node``; a gradient may be None."""
        view = locked(g)
        try:
            found = dict(self._differentiably(node, view, ways) if create_graph else self._gradients(node, view, ways))
        except ValueError as error:
            explained(error, f"{self.name}.backward")
            raise
        return [
            (edge.parent, self._checked(_own(found, edge.place, view, g), edge, create_graph)) for edge in node.edges
        ]

    def _differentiably(self, node: MultiOutputNode, g: Any, ways: Ways | None) -> Mapping[int, Variable | None]:
        """The gradients, computed with retained values that are part of the graph, for higher orders."""
        thread, nodes = get_ident(), self._running().nodes
        outer, computed = nodes.get(thread), self._computed(node)
        try:
            nodes[thread] = node, {edge.place: edge.parent for edge in node.edges}
            for name, value in computed.items():
                self.__dict__[name] = self._behind(name, value, node)
            return self._gradients(node, g, ways)
        finally:
            self.__dict__.update(computed)
            if outer is None:
                nodes.pop(thread, None)

    def _computed(self, node: MultiOutputNode) -> dict[str, Any]:
        """The attributes that the user's forward has computed from inputs that require a gradient."""
        forward, own = self._written_forward, self.__dict__
        if not of_user(forward):
            return {}
        places = None if isinstance(self, ArrayForward) else frozenset([edge.place for edge in node.edges])
        return {name: own[name] for name in computed_attributes(forward, places) if name in own}

    def _behind(self, name: str, value: Any, node: MultiOutputNode) -> Any:
        """The content of such an attribute, which nothing can be differentiated through."""
        if isinstance(value, list | tuple | dict):
            return rebuilt(value, partial(self._behind, name, node=node))
        data = value._data if isinstance(value, Variable) else value
        if (type(data) is not float) if not hasattr(data, "dtype") else data.dtype.kind != "f":
            return value
        reason = (
            f"{self.name}: forward computes the attribute {name:.40} from its inputs, so a second derivative through "
            "it would be wrong; keep inputs or results for backward instead, or compute it again there"
        )
        return Barrier(self.name, reason).wrap(array_of(data), list(node.parents))

    def _checked(self, g: Any, edge: Any, create_graph: bool) -> Any:
        if g is None:
            return None
        if isinstance(g, Variable) and (g._data.shape, g._data.dtype) == edge.fit:  # the usual case
            return g if create_graph else g._data
        if not isinstance(g, Variable):
            raise TypeError(
                f"{self.name}.backward returned {a_kind(g)} for input {edge.place}; expected a Variable: "
                "compute gradients from the upstream ones and the Variables that were kept"
            )
        shape, dtype = edge.fit
        if g.shape != shape:
            check_shape(self.name, self.input_label(edge.place), g, shape)
        if not create_graph:
            return g._data if g.dtype == dtype else g._data.astype(dtype)
        return g if g.dtype == dtype else _cast(g, dtype)


def _kind(value: Any) -> str:
    """An input in a note: shape and dtype of an array, or the kind of anything else."""
    return f"{value.shape} {value.dtype}" if is_array(value) else a_kind(value)


def as_upstream(g: Any) -> Variable | None:
    """The upstream gradient of a node, as the Variable that a backward is given."""
    return g if g is None or isinstance(g, Variable) else wrap(array_of(g), None)


def _own(found: dict[int, Any], place: int, lent: Any, g: Any) -> Any:
    """Remove the gradient at a place from ``found``: with the array of ``g`` itself if it is what was lent, else
    unshared."""
    gradient = found[place]
    if isinstance(gradient, Variable) and gradient._data.base is not None:  # what is lent has a base
        for part, original in zip(_parts(lent), _parts(g), strict=True):
            if part is gradient._data:
                return wrap(original, gradient.node)
    del gradient
    return unshared_variable(found.pop(place))


def _parts(g: Any) -> list[Any]:
    return [getattr(part, "_data", part) for part in (g.values() if isinstance(g, Bundle) else [g])]


def _cast(g: Variable, dtype: np.dtype) -> Variable:
    from ..engine.primitive import Primitive

    return Primitive.cast(g, dtype=dtype)


class Barrier:
    """The function of a node where a derivative would be wrong: it raises an error when backward reaches it."""

    def __init__(self, name: str, reason: str) -> None:
        self.name, self.reason = name, reason

    def pull(self, node: Node, g: Any, create_graph: bool, ways: object = None) -> list[tuple[Node, Any]]:
        raise RuntimeError(self.reason)

    def wrap(self, data: Array, parents: list[Node]) -> Variable:
        """``data`` as a Variable that depends on ``parents``, but cannot be differentiated by them."""
        return wrap(data, MultiOutputNode.join(self, [(parent, 0, None, None, None) for parent in parents]))

    def joined(self, values: Mapping[int, Variable | None], parents: list[Node]) -> dict[int, Variable | None]:
        """The same for several values, as the results of one node."""
        found = {i: None if value is None else wrap(value._data, None) for i, value in values.items()}
        outputs = tuple([value for value in found.values() if value is not None])
        if outputs:
            MultiOutputNode.join(self, [(parent, 0, None, None, None) for parent in parents]).connect(outputs)
        return found


class ArrayForward(Authored):
    """A function whose forward maps a tuple of arrays to a tuple of arrays, and chooses what to retain."""

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Compute the results as a tuple of arrays, even for one. By default calls `forward_cpu` or `forward_gpu`."""
        if in_main_memory(get_array_module(*inputs)):
            return self.forward_cpu(inputs)
        return self.forward_gpu(inputs)

    def forward_cpu(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """`forward` for NumPy arrays, if the two differ."""
        raise NotImplementedError(f"{self.name}: write forward(self, inputs), or forward_cpu and forward_gpu")

    def forward_gpu(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """`forward` for CuPy arrays, if the two differ."""
        raise NotImplementedError(f"{self.name}: write forward(self, inputs), or forward_cpu and forward_gpu")

    def retain_inputs(self, indexes: Iterable[int], *more: Any) -> None:
        """In forward: retain these inputs for backward, and no others. Takes one tuple of indexes."""
        self._running().retained_inputs = self._indexes("retain_inputs", indexes, more)

    def retain_outputs(self, indexes: Iterable[int], *more: Any) -> None:
        """In forward: retain these results for backward. Takes one tuple of indexes."""
        self._running().retained_outputs = self._indexes("retain_outputs", indexes, more)

    def _indexes(self, method: str, indexes: Any, more: tuple[Any, ...]) -> tuple[int, ...]:
        if more or not isinstance(indexes, list | tuple) or not all([isinstance(i, int) and i >= 0 for i in indexes]):
            came = ", ".join(map(_shown, (indexes, *more)))
            raise TypeError(
                f"{self.name}.{method}: got {came:.100}; expected one tuple of indexes from 0, such as (0,) or (0, 1)"
            )
        return tuple(indexes)

    def _forward(self, arrays: tuple[Array, ...]) -> list[Variable]:
        results: Any = self.forward(arrays)
        if not isinstance(results, tuple):
            raise TypeError(f"{self.name}.forward returned {a_kind(results)}; expected a tuple, as in return (y,)")
        results = list(results)
        return self._results(results)


def _shown(value: Any) -> str:
    """An argument in a message, without the numbers of arrays."""
    if isinstance(value, list | tuple):
        inner = ", ".join(map(_shown, value))
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return repr(value) if isinstance(value, int | str) else a_kind(value)
