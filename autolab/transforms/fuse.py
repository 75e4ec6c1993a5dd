"""fuse: an elementwise Python function as a single function of the graph."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial, update_wrapper
from heapq import heappop
from types import CodeType, FunctionType, ModuleType
from typing import Any, NoReturn

import numpy as np

from ..engine import Array, Variable, config, get_array_module, using_config, wrap
from ..engine.backward import deliver
from ..engine.errors import COMPLAINTS, DeclarationError, FusionError
from ..engine.modes import modes, overrides, watchers
from ..engine.node import Edge, Node, new_order
from ..engine.observe import ForwardEvent, observe
from ..engine.primitive import Primitive, Rule
from ..engine.reach import Spot, is_plain, is_the_users
from ..engine.source import read_in
from ..engine.undisturbed import are_awaited
from ..gpu.kernel_program import KernelProgram
from ..gpu.symbols import Operation, Symbol, Value
from ..gpu.traced_function import UPSTREAM, TracedFunction, exact
from .compiling.reached_state import to_put_back
from .compiling.reads import Reads
from .compiling.traced_run import RecordedGenerator
from .compiling.walk import read_by, reads
from .compiling.watch import foreign, watched

# A program as a formula, for the views.

LONG = 72
"""Longer formulas, in characters, are not readable."""

_SIGNS = {
    "add": (" + ", 4),
    "subtract": (" - ", 4),
    "multiply": (" * ", 5),
    "true_divide": (" / ", 5),
    "divide": (" / ", 5),
    "power": (" ** ", 7),
    "less": (" < ", 2),
    "less_equal": (" <= ", 2),
    "greater": (" > ", 2),
    "greater_equal": (" >= ", 2),
    "equal": (" == ", 2),
    "not_equal": (" != ", 2),
}
_ATOM = 9


def formula(program: KernelProgram, renamed: dict[str, str]) -> str | None:
    """The single result of a program as one expression; None if that would be too long.

    ``renamed`` maps some of the inputs to other names.
    """
    texts: dict[int, tuple[str, int]] = {}
    for i, step in program.steps.items():
        if step.name == "input":
            texts[i] = renamed.get(step.operands[0], step.operands[0]), _ATOM
        else:
            texts[i] = _written(step, [texts[o.index] if isinstance(o, Value) else _number(o) for o in step.operands])
        if len(texts[i][0]) > LONG:
            return None
    return texts[program.outputs[0]][0]


def _written(step: Operation, operands: list[tuple[str, int]]) -> tuple[str, int]:
    """The expression of a step, and its operator precedence."""
    if step.name in _SIGNS:
        sign, strength = _SIGNS[step.name]
        left, right = operands
        return f"{_within(left, strength)}{sign}{_within(right, strength + 1)}", strength
    if step.name == "negative":
        return f"-{_within(operands[0], 6)}", 6
    if step.name in ("constant", "astype"):
        return operands[0]
    return f"{step.name}({', '.join([text for text, _ in operands])})", _ATOM


def _within(operand: tuple[str, int], strength: int) -> str:
    text, own = operand
    return text if own >= strength else f"({text})"


def _number(value: Any) -> tuple[str, int]:
    text = f"{value:.6g}"
    return text, 6 if text.startswith("-") else _ATOM


_NO_INPUT = "an array or a Variable that is none of its inputs"
_OFTEN = 4
"""From this check on, a trace has a test of its own, which is fast and takes time to make."""
_KINDS, _TRACES = 256, 16
"""Number of traces kept per function: combinations of dtypes and attributes, and states of what it reads from outside
for each."""


def fuse(fn: Callable[..., Any], /) -> Callable[..., Any]:
    """Fuse an elementwise Python function into a single function of the graph.

    The function is called once with symbols, which trace what it computes and, through the rules of the functions in
    it, its gradients. On a GPU the forward then is one kernel, and the backward one kernel for all gradients that are
    needed. On the CPU the same steps run one after the other, for large arrays in blocks that stay in the processor's
    cache. A call retains only the inputs that the gradients need; the backward recomputes intermediate values.
    Gradients of higher order go through the functions inside.

    Parameters
    ----------
    fn : callable
        Takes inputs by position and attributes (numbers, strings) by keyword, and returns one value. It may use
        operators, elementwise functions of AutoLab and NumPy, and other functions that use only these. What it reads
        around it, such as ``self.scale``, is compared at each call, as `compile` does: numbers, strings, functions,
        containers of up to 200 items, and numbers taken from arrays of up to 64 KiB. If something has changed, the
        function is traced again.

    Returns
    -------
    callable
        The same function, for Variables, arrays and numbers whose shapes broadcast together.

    Raises
    ------
    DeclarationError
        If it is not a function with named inputs.
    FusionError
        At the first call, if the function branches on the value of an array, looks at shapes, sums, uses an array that
        is not one of its inputs, changes anything outside, or reads something that cannot be compared, such as a
        random number, the time, a file or the name of an argument; or if the gradient of a function in it reads what
        may have changed by then. The message says which. What the call has changed is put back, but for large arrays.

    Examples
    --------
    >>> import autolab
    >>> @autolab.fuse
    ... def muladd(x, y, z):
    ...     return x * y + z
    >>> x, y, z = autolab.Variable(2.0), autolab.Variable(3.0), autolab.Variable(4.0)
    >>> w = muladd(x, y, z)
    >>> w.backward()
    >>> w, x.grad, w.creator.name
    (variable(10.0), variable(3.0), 'muladd')
    """
    function = Fused(fn)

    def call(*args: Any, **attributes: Any) -> Any:
        return fn(*args, **attributes) if are_awaited() else function.apply(args, attributes)

    update_wrapper(call, fn)
    call.__signature__, call.function = function.schema.signature, function  # type: ignore[attr-defined]
    return call


class FusedTrace(TracedFunction):
    """A trace, with what the function has read around its arguments: it is valid as long as that is unchanged.

    Attributes
    ----------
    around : Reads
    ran : set
        The user's code that ran.
    """

    def __init__(self, fused: Fused, dtypes: tuple[Any, ...], attributes: dict[str, Any]) -> None:
        self.ran: set[CodeType] = set()
        self._events: list[Any] = []
        self._refusal: FusionError | None = None
        super().__init__(fused.name, partial(self._observed, fused.fn), fused.inputs, dtypes, attributes)
        self._checks = 0

    def is_current(self) -> bool:
        """Whether the function would still read the same: a fast test is written for what is asked often."""
        self._checks += 1
        if self._checks < _OFTEN:
            return self.around.changed() is None
        self.is_current = self.around.guard(lambda bound: [])  # type: ignore[method-assign]
        return self.is_current()

    def refuse(self, what: str, line: tuple[str, int] | None = None) -> NoReturn:
        """Raise the first reason why the function cannot be fused, which it may not catch: what it calls is not
        called, and what it has changed is put back."""
        advice = "" if line is None else f" (line {line[1]}); pass what it gives as an argument"
        self._refusal = self._refusal or self._error(f"{what:.180}{advice}")
        raise self._refusal

    def _error(self, what: str) -> FusionError:
        return FusionError(f"{self.name} cannot be fused: {what}")

    def tells_apart(self, value: Variable) -> None:
        """What a Variable calls whose name is asked for."""
        self.refuse("it asks for the name of an argument, or for what made it")

    def before_draw(self, name: str) -> None:
        """What a generator calls that is about to draw."""
        self.refuse(f"it draws random numbers from config.rng ({name})")

    def _observed(self, fn: Callable[..., Any], *xs: Any, **attributes: Any) -> Any:
        """The result of the function; what it has read is noted, and what cannot be compared is refused."""
        self._xs, others = xs, [*attributes.values()]
        self._reach = found = self._reads(fn, others)
        self._put_back = to_put_back(found)
        with self._undone():
            try:
                y = self._watched(found, fn, xs, attributes)
                if found.has_grown():  # as on the first use of an object
                    self._reach = found = self._reads(fn, others)
                    y = self._watched(found, fn, xs, attributes)
            except TypeError as error:
                if any([sign in str(error) for sign in (Symbol.device, _NO_INPUT)]):
                    self._name_array(read_by(self.ran, found, fn, others, goes_on=True))
                raise
            self._check(found)
            self.around = found
            if not found.codes <= self.ran:
                self.around = read_by(self.ran, found, fn, others, goes_on=True)
                self.around.compare_written()
            self._check_around()
        return y

    @contextmanager
    def _undone(self) -> Iterator[None]:
        """A context that puts back what a refused function has changed; a refusal that it has caught is raised."""
        try:
            yield
            if self._refusal is not None:
                raise self._refusal
        except BaseException:
            self._put_back()
            if self._refusal is not None:
                raise self._refusal from None
            raise

    def _reads(self, fn: Callable[..., Any], others: list[Any]) -> Reads:
        """What the function can read, and nothing that could not be put back."""
        found = reads(fn, others, goes_on=True)
        found.compare_written()
        for path, value, _ in found.others:
            if not hasattr(value, "bit_generator") and not hasattr(value, "getstate"):  # whose calls are noticed
                self.refuse(f"it can advance {path}, which lies outside it; pass what it gives as an argument")
        return found

    def _watched(self, found: Reads, fn: Callable[..., Any], xs: Sequence[Any], attributes: dict[str, Any]) -> Any:
        self._events.clear()
        rng = using_config("rng", RecordedGenerator.of(modes().rng, self))
        with rng, observe(self._events.append), watched(self, found):
            return fn(*xs, **attributes)

    def _name_array(self, around: Reads) -> None:
        """Say which array or Variable was used, if there is one."""
        if (paths := [around.path_of(one) for one in around.reached()]) and self._refusal is None:
            self._refusal = self._error(f"it uses {paths[0]}, {_NO_INPUT}; pass it as one")

    def _check(self, found: Reads) -> None:
        if (kept := next((spot.path for spot in found.spots if _holds_symbol(spot.value)), None)) is not None:
            self.refuse(f"it changes {kept}, which lies outside it")
        if (own := next((e.function for e in self._events if not isinstance(e.function, Primitive)), None)) is not None:
            self.refuse(f"it applies {own.name:.40}, which has a backward of its own; expected declared functions")
        if (path := found.changed()) is not None:
            self.refuse(f"it changes {path}, which lies outside it")
        if any(["enable_backprop" in read_in(code) for code in self.ran]):
            self.refuse("it reads enable_backprop, which is set while it is fused")

    def _check_around(self) -> None:
        around = self.around
        if around.beyond is not None:
            self.refuse(around.beyond.what)
        for variable in around.variables:
            path = around.path_of(variable) or "one"
            self.refuse(f"it can read {path}, {_NO_INPUT}; pass it as one")

    def _differentiated(self, y: Variable, xs: list[Variable | None]) -> list[Symbol | None]:
        """Rules of the user's run later than the function: what they read may have changed by then."""
        found, ran, self.ran, self._result = self._reach, self.ran, set(), y
        with self._undone(), nullcontext() if all(map(_is_declared_here, self._events)) else watched(self, found):
            gradients = super()._differentiated(y, xs)
        rules = [spot.holder for spot in found.spots if spot.key == "__code__" and spot.value in self.ran]
        for spot in [spot for rule in rules for spot in reads(rule, [], goes_on=True).spots if spot.how != "attribute"]:
            if not _stays(spot):
                self._put_back()
                self.refuse(f"its rule for the gradient can read {spot.path}, which may change before it runs")
        self.ran |= ran
        del self._reach, self._put_back
        return gradients

    def again(self, xs: list[Any]) -> Any:
        """The result for Variables, by the functions that were applied in the trace."""
        known: dict[int, Any] = {}
        pairs = zip(self._xs, xs, strict=False)
        for event in [None, *self._events]:
            if event is not None:
                inputs = tuple([known.get(id(x), x) for x in event.inputs])
                made = event.function.apply(inputs, event.attributes)
                pairs = zip(event.outputs, made if isinstance(made, tuple) else (made,), strict=True)
            for before, now in pairs:
                known |= {id(before): now, id(getattr(before, "_data", None)): getattr(now, "_data", None)}
        return known[id(self._result)]


def _is_declared_here(event: ForwardEvent) -> bool:
    return str(event.function.forward.__module__).startswith("autolab.")


def _stays(spot: Spot) -> bool:
    """Whether a place belongs to a library, or holds a module or a function of one."""
    module = sys.modules.get(str(spot.holder.get("__name__"))) if isinstance(spot.holder, dict) else None
    is_there = module is not None and vars(module) is spot.holder and not is_the_users(module)
    is_known = (callable(spot.value) or isinstance(spot.value, ModuleType)) and not is_the_users(spot.value)
    return (is_there or is_known) and foreign(spot.value) is None


def _holds_symbol(value: Any) -> bool:
    return type(value) is Symbol or (isinstance(value, tuple) and Symbol in map(type, value))


class FusedNode(Node):
    """A node whose function computes all gradients in one call of `pull`."""

    __slots__ = ("program",)

    program: KernelProgram


class Fused(Primitive):
    """The function that `fuse` makes: its forward and rules come from a trace."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn
        super().__init__(_forward_of(fn, self._computed), {}, True, None, ("y",))
        self.composite = self._composite
        self._traces: dict[Any, list[FusedTrace]] = {}
        for i, name in enumerate(self.inputs):
            self.declared[name], self.retained[name] = partial(self._one_gradient, i), (*self.inputs, "trace")

    def traced(self, values: Sequence[Any], attributes: dict[str, Any]) -> FusedTrace:
        """The current trace of the function for the dtypes of these values (None if omitted) and these attributes."""
        dtypes = tuple([None if value is None else value.dtype for value in values])
        try:
            key = (dtypes, exact((*attributes.items(), config.train)))
        except TypeError:
            raise FusionError(
                f"{self.name}: its attributes are {attributes!r:.100}; expected numbers and strings"
            ) from None
        for trace in self._traces.get(key, ()):
            if trace.is_current():
                return trace
        if len(self._traces) >= _KINDS:
            self._traces.clear()
        made = FusedTrace(self, dtypes, attributes)
        self._write_formulas(made, _has_numbers(made.around))
        self._traces[key] = [made, *self._traces.get(key, ())[: _TRACES - 1]]
        return made

    def _write_formulas(self, trace: TracedFunction, has_constants: bool) -> None:
        """Write the formulas that the views show as rules, if these are the same for all dtypes and attributes."""
        for i, name in enumerate(self.inputs):
            if not trace.has_gradient(i):
                continue
            single = trace.gradients((i,), (False,))
            plain = not (self.schema.defaults or has_constants or "g" in self.inputs)
            text = formula(single, {UPSTREAM: "g"}) if plain else None
            self.formulas[name] = text or ""

    def _compiled(self, i: int) -> tuple[Rule, None]:
        declared = self.declared[self.inputs[i]]
        return lambda g, saved: declared(g, *saved), None

    # ------------------------------------------------------------------ forward
    def _computed(self, xp: Any, *arrays: Array, **attributes: Any) -> Array:
        arrays = tuple([np.asarray(a) if type(a) in (int, float) else a for a in arrays])  # if all are numbers
        program = self.traced(arrays, attributes).forward
        return program.on(xp, dict(zip(self.inputs, arrays, strict=True)))[0]

    def _on_device(self, xp: Any, arrays: list[Any], attributes: dict[str, Any]) -> Any:
        return self.forward(xp, *arrays, **attributes)  # which looks up the kernel of this trace

    def _composite(self, *inputs: Any, **attributes: Any) -> Any:
        """The function itself, unfused, without the omitted inputs."""
        return self.fn(*_present(inputs), **attributes)

    def number(self, xp: Any, value: float, dtype: np.dtype) -> Any:
        """A number with the dtype that it has in combination with arrays of ``dtype``; kernels accept it directly."""
        if dtype.kind != "f" and not (dtype.kind in "iu" and type(value) is int):
            dtype = np.asarray(value).dtype
        return dtype.type(value)

    def apply(self, args: tuple[Any, ...], attributes: dict[str, Any]) -> Any:
        """The same as `Primitive.apply`, in a third of the time if all inputs are NumPy Variables."""
        raw = [arg._data for arg in args if isinstance(arg, Variable) and type(arg._data) is np.ndarray]
        if len(raw) != len(args) and any([type(getattr(arg, "_data", None)) is Symbol for arg in args]):
            return self._composite(*args, **attributes)  # inside another one
        if watchers or not len(raw) == len(args) == len(self.inputs) or self.schema.defaults or attributes:
            return super().apply(args, attributes)
        trace = self.traced(raw, attributes)
        try:
            (y,) = trace.forward.run(np, dict(zip(self.inputs, raw, strict=True)))
        except COMPLAINTS:  # raised again there, with the name of the function
            return super().apply(args, attributes)
        if any([y is array for array in raw]):
            y = y.copy()
        output = wrap(y if type(y) is np.ndarray else self.result(y, np), None)
        if not overrides or modes().joins(args):
            self._join_traced(args, raw, output, trace)
        return output

    def _join(
        self, args: tuple[Any, ...], raw: list[Any], outputs: tuple[Variable, ...], attributes: dict[str, Any]
    ) -> None:
        self._join_traced(args, raw, outputs[0], self.traced(raw, attributes))

    def _join_traced(self, args: Sequence[Any], raw: list[Any], output: Variable, trace: FusedTrace) -> None:
        """One edge for each input that needs a gradient; all retain the same."""
        nodes = [arg.node if isinstance(arg, Variable) else None for arg in args]
        targets = tuple([i for i, node in enumerate(nodes) if node is not None and trace.has_gradient(i)])
        if not targets:
            return
        shape, xp = output._data.shape, get_array_module(output._data)
        program = trace.gradients(targets, tuple([raw[i].shape != shape for i in targets]))
        needed = [name in program.labels for name in self.inputs]
        kept = [v if n or v is None else Absent(xp, v.shape, v.dtype) for v, n in zip(raw, needed, strict=True)]
        saved = (*kept, trace)
        edges: Any = [(nodes[i], i, self.rule(i), saved, (raw[i].shape, raw[i].dtype)) for i in targets]
        output.node = FusedNode.join(self, edges)
        output.node.program = program

    # ------------------------------------------------------------------ backward
    def pull(self, node: Any, g: Any, create_graph: bool, ways: object = None) -> list[tuple[Node, Any]]:
        edges = list(node.edges)
        if create_graph or are_awaited():
            return self._pull_unfused(edges, g, create_graph)
        found = self._computed_by(node.program, g, edges[0].saved)
        return [(e.parent, self.fit(got, e, g)) for e, got in zip(edges, found, strict=True)]

    def _computed_by(self, program: KernelProgram, g: Array, saved: tuple[Any, ...]) -> list[Array]:
        given = {label: v for label, v in zip(self.inputs, saved[:-1], strict=True) if not isinstance(v, Absent)}
        given[UPSTREAM] = g
        return program.on(get_array_module(*given.values()), given)

    def _one_gradient(self, i: int, g: Any, *saved: Any) -> Any:
        """The rule of a single input, for code that asks for one."""
        return self._computed_by(saved[-1].gradients((i,), (False,)), g, saved)[0]

    def _pull_unfused(self, edges: list[Edge], g: Any, create_graph: bool) -> list[tuple[Node, Any]]:
        """Gradients through the functions inside, at the original inputs: they can be differentiated, and a
        floating-point error is attributed to a function inside."""
        *values, trace = edges[0].saved
        parents = {edge.place: edge.parent for edge in edges}
        xs = [None if v is None else wrap(_array(v), parents.get(i)) for i, v in enumerate(values)]
        floor = new_order()  # later nodes are inside
        # placeholders for absent inputs may lie outside the domain of a function
        with np.errstate(all="ignore"), using_config("enable_backprop", True):
            y = self._composite(*xs, **trace.attributes) if trace.is_current() else trace.again(xs)
        found: dict[Node, Any] = {y.node: g}
        heap = [(-y.node.order, y.node)] if y.node.order > floor else []
        while heap:
            node = heappop(heap)[1]
            deliver(node.function.pull(node, found.pop(node), create_graph), found, heap, floor)
        return [(edge.parent, found.pop(edge.parent, None)) for edge in edges]


@dataclass(slots=True)  # not frozen: made at every call, in a third of the time
class Absent:
    """A placeholder for an input that no gradient needs: it has its shape and dtype, and retains no array."""

    module: ModuleType
    shape: tuple[int, ...]
    dtype: np.dtype

    def array(self) -> Array:
        """Ones of that shape, in the memory of a single element."""
        return self.module.broadcast_to(self.module.ones((), self.dtype), self.shape)


def _has_numbers(around: Reads) -> bool:
    """Whether it includes numbers or strings other than constants of a library such as ``math.pi``."""
    own = [s for s in around.spots if s.key not in ("__defaults__", "__kwdefaults__")]
    return any([is_plain(s.value) and s.value is not None for s in own])


def _present(inputs: Sequence[Any]) -> Sequence[Any]:
    """The inputs without those omitted at the end."""
    while inputs and inputs[-1] is None:
        inputs = inputs[:-1]
    return inputs


def _array(value: Any) -> Array:
    return value.array() if isinstance(value, Absent) else value


def _forward_of(fn: Any, computed: Callable[..., Array]) -> Callable[..., Array]:
    """``forward(xp, *inputs, *, **attributes)`` with the names and defaults of ``fn``."""
    if not isinstance(fn, FunctionType):
        raise DeclarationError(f"fuse: got {fn!r:.60}; expected a Python function of Variables")
    parameters = list(inspect.signature(fn).parameters.values())
    if not parameters or any([p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters]):
        raise DeclarationError(
            f"{fn.__name__}: its parameters are {inspect.signature(fn)!s:.80}; expected named inputs"
        )

    def forward(xp: Any, *arrays: Array, **attributes: Any) -> Array:
        return computed(xp, *arrays, **attributes)

    both = inspect.Parameter.POSITIONAL_OR_KEYWORD
    inputs = [p if p.kind is p.KEYWORD_ONLY else p.replace(kind=both) for p in parameters]
    forward.__name__, forward.__module__, forward.__doc__ = fn.__name__, fn.__module__, fn.__doc__
    first = inspect.Parameter("xp", both)
    forward.__signature__ = inspect.Signature([first, *inputs])  # type: ignore[attr-defined]
    return forward
