"""KernelProgram: the steps of a traced function that its results need, ready to run on arrays of any shapes.

A program as a single GPU kernel.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from ..engine import Array
from ..engine.arrays import compiled_kernel
from ..engine.backend import modules
from .symbols import KernelSteps, KernelTrace, Operation, Symbol, Value

# A program as C code for a CUDA kernel: one typed statement per step.

_TYPES = {
    "float16": "float",
    "float32": "float",
    "float64": "double",
    "bool": "bool",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long long",
    "uint8": "unsigned char",
    "uint16": "unsigned short",
    "uint32": "unsigned int",
    "uint64": "unsigned long long",
}
"""NumPy dtypes -> C types of the steps; float16 is computed in float32 and rounded at the end."""

_OPERATORS = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "true_divide": "/",
    "divide": "/",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
    "equal": "==",
    "not_equal": "!=",
    "logical_and": "&&",
    "logical_or": "||",
}

_FUNCTIONS = {
    **{name: name for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "cbrt", "hypot")},
    **{name: name for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "floor", "ceil", "rint", "trunc")},
    **{name: name for name in ("copysign", "fmod")},
    **{f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    "arctan2": "atan2",
    "absolute": "fabs",
    "fabs": "fabs",
}
"""NumPy functions of floats -> their names in C."""

_FORMULAS = {
    "negative": "-{0}",
    "positive": "{0}",
    "square": "{0} * {0}",
    "reciprocal": "{one} / {0}",
    "sign": "{0} != {0} ? {0} : ({type})(({0} > {zero}) - ({0} < {zero}))",
    "maximum": "({0} != {0} || {0} > {1}) ? {0} : {1}",
    "minimum": "({0} != {0} || {0} < {1}) ? {0} : {1}",
    "logaddexp": "{0} == {1} ? {0} + log(({type})2) : "
    "(({0} != {0} || {0} > {1}) ? {0} : {1}) + log1p(exp(-fabs({0} - {1})))",
    "remainder": "fmod({0}, {1}) == {zero} ? copysign(({type})0, {1}) : "
    "(({1} < {zero}) != (fmod({0}, {1}) < {zero}) ? fmod({0}, {1}) + {1} : fmod({0}, {1}))",
    "floor_divide": "{1} == {zero} ? {0} / {1} : copysign(rint(({0} - fmod({0}, {1})) / {1} - ({type})"
    "(fmod({0}, {1}) != {zero} && ({1} < {zero}) != (fmod({0}, {1}) < {zero}))), {0} / {1})",
    "isnan": "{0} != {0}",
    "isfinite": "{0} - {0} == {zero}",
    "isinf": "{0} == {0} && {0} - {0} != {zero}",
    "where": "{0} ? {1} : {2}",
    "astype": "({type}){0}",
    "constant": "{0}",
    "zeros_like": "({type})0",
    "ones_like": "({type})1",
    "logical_not": "!{0}",
}
"""Expressions in the type of the operands, ``{type}``; a comparison with itself detects NaN."""

_ANY_NUMBER = {"add", "subtract", "multiply", "negative", "positive", "square", "maximum", "minimum"}
_OF_BOOLS = {"bitwise_and": "&&", "bitwise_or": "||", "invert": "!"}
_TO_BOOL = {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "isnan", "isfinite", "isinf"}


class NotInC(Exception):
    """A step that cannot be written in C; NumPy's or CuPy's own functions compute it then."""


def parameters(program: KernelSteps) -> tuple[str, str]:
    """The parameters of the kernel in CuPy's notation: ``"float32 in0, float32 in1", "float32 out0"``.

    Raises
    ------
    NotInC
        If there is nothing to compute, or CUDA lacks a dtype.
    """
    ins = [f"{_checked(program.steps[i].dtype)} in{k}" for k, i in enumerate(program.inputs)]
    outs = [f"{_checked(program.steps[i].dtype)} out{k}" for k, i in enumerate(computed(program))]
    if not ins or not outs:
        raise NotInC
    return ", ".join(ins), ", ".join(outs)


def computed(program: KernelSteps) -> list[int]:
    """The results that are not inputs, each once."""
    return [i for i in dict.fromkeys(program.outputs) if i not in program.inputs]


def operation(program: KernelSteps) -> str:
    """The body of the kernel, one line per step; each input is loaded first, and once.

    Raises
    ------
    NotInC
        If a step cannot be written in C.
    """
    names: dict[int, str] = {}
    texts: dict[str, str] = {}
    for k, i in enumerate(program.inputs):
        names[i] = f"x{k}"
        texts[names[i]] = _loaded(k, program.steps[i].dtype)
    for i, step in program.steps.items():
        if i not in program.inputs:
            text = f"const {_TYPES[_checked(step.dtype)]} t{i} = {_expression(program, step, names)};"
            names[i] = f"t{i}"
            texts[names[i]] = text
    lines = [f"out{k} = {names[i]};" for k, i in enumerate(computed(program))]
    for name in reversed(texts):  # `zeros_like` has an operand that its C code does not use
        if any([re.search(rf"\b{name}\b", line) for line in lines]):
            lines.insert(0, texts[name])
    return "\n".join(lines)


def _loaded(k: int, dtype: np.dtype) -> str:
    """Load an input once: it is a reference to memory, which the compiler would reload in branches and after stores."""
    kind = _TYPES[_checked(dtype)]
    return f"const {kind} x{k} = {f'({kind})' if dtype == np.float16 else ''}in{k};"


def _checked(dtype: np.dtype) -> str:
    if dtype.name not in _TYPES:
        raise NotInC
    return dtype.name


def _expression(program: KernelSteps, step: Operation, names: dict[int, str]) -> str:
    def text(operand: Any, wanted: np.dtype) -> str:
        """An operand, cast to the dtype in which the step is computed."""
        if not isinstance(operand, Value):
            return _literal(operand, wanted)
        name, dtype = names[operand.index], program.steps[operand.index].dtype
        return name if dtype == wanted else f"({_TYPES[_checked(wanted)]}){name}"

    dtypes = [program.steps[o.index].dtype if isinstance(o, Value) else o for o in step.operands]
    if step.name == "where":
        condition, *branches = step.operands
        return _FORMULAS["where"].format(text(condition, np.dtype(bool)), *[text(o, step.dtype) for o in branches])
    if step.name == "astype" or step.name.endswith("_like"):
        return _FORMULAS[step.name].format(names[step.operands[0].index], type=_TYPES[step.dtype.name])
    if step.name == "around":
        return _rounded(step, lambda o: text(o, step.dtype))
    inside = _inside(step, dtypes)
    if step.name == "power":
        return _power(step.operands, lambda o: text(o, inside), inside)
    return _simple(step.name, [text(o, inside) for o in step.operands], inside)


def _inside(step: Operation, dtypes: list[Any]) -> np.dtype:
    """The dtype in which a step is computed: the common one of its operands, or that of the result if it is wider."""
    common = np.result_type(*dtypes)
    return common if step.name in _TO_BOOL or step.dtype.kind == common.kind else step.dtype


def _simple(name: str, operands: list[str], inside: np.dtype) -> str:
    if inside.kind == "b" and name in _OF_BOOLS:
        sign = _OF_BOOLS[name]
        return f"!{operands[0]}" if len(operands) == 1 else f"{operands[0]} {sign} {operands[1]}"
    if inside.kind != "f" and name not in _ANY_NUMBER | _TO_BOOL | {"logical_and", "logical_or", "constant"}:
        raise NotInC
    if name in _OPERATORS:
        return f"{operands[0]} {_OPERATORS[name]} {operands[1]}"
    if name in _FUNCTIONS:
        return f"{_FUNCTIONS[name]}({', '.join(operands)})"
    if name not in _FORMULAS:
        raise NotInC
    kind = _TYPES[_checked(inside)]
    return _FORMULAS[name].format(*operands, type=kind, zero=f"({kind})0", one=f"({kind})1")


def _power(operands: tuple[Any, ...], text: Callable[[Any], str], inside: np.dtype) -> str:
    base, exponent = operands
    if inside.kind != "f":
        raise NotInC
    if exponent == 2 and not isinstance(exponent, Value):
        return f"{text(base)} * {text(base)}"
    if exponent == 1 and not isinstance(exponent, Value):
        return text(base)
    return f"pow({text(base)}, {text(exponent)})"


def _rounded(step: Operation, text: Callable[[Any], str]) -> str:
    x, decimals = step.operands
    if decimals != 0 or step.dtype.kind != "f":
        raise NotInC
    return f"rint({text(x)})"


def _literal(number: Any, wanted: np.dtype) -> str:
    """A number as a C literal of the dtype ``wanted``."""
    value = number.item() if isinstance(number, np.generic) else number
    if not math.isfinite(value):
        raise NotInC
    plain = str(int(value)) if wanted.kind in "biu" else repr(float(value))
    plain = f"({plain})" if plain[0] == "-" else plain
    return plain if wanted == np.float64 else f"({_TYPES[_checked(wanted)]}){plain}"


_PLAIN = re.compile(r"[A-Za-z_]\w*\Z", re.ASCII)


class FusedKernel:
    """Computes all results of a program in one kernel, which CUDA compiles at the first call.

    A result that is an input is returned as the same array.
    """

    def __init__(self, program: KernelSteps, source: tuple[str, str, str, str]) -> None:
        self.source = source
        self._kernel = compiled_kernel(*source)
        self._labels = tuple(program.inputs.values())
        places = {i: k for k, i in enumerate(computed(program))}
        self._results = tuple([places[i] if i in places else program.inputs[i] for i in program.outputs])

    def __call__(self, given: Mapping[str, Any]) -> list[Array]:
        made = self._kernel(*[given[label] for label in self._labels])
        made = made if isinstance(made, tuple) else (made,)
        return [given[place] if isinstance(place, str) else made[place] for place in self._results]


def kernel_source(program: KernelSteps) -> tuple[str, str, str, str] | None:
    """The kernel of a program as arguments of `elementwise_kernel`: input and output parameters, C code, and a name.

    None if there is nothing to compute, or if a step cannot be written in C.
    """
    name = program.name if _PLAIN.match(program.name) else "fused"
    try:
        return (*parameters(program), operation(program), f"autolab_{name}")
    except NotInC:
        return None


def kernel_of(program: KernelSteps) -> FusedKernel | None:
    """The kernel of a program; None if there is none."""
    source = kernel_source(program)
    return None if source is None else FusedKernel(program, source)


# BlockPlan: a program run on the CPU in blocks that stay in the processor's cache from the first step to the last.

_BLOCK_BYTES = 1 << 20
"""Size of a block, all arrays together: about the second-level cache of a core."""
_WORTH_PLANNING = 1024
"""For fewer elements, planning takes longer than the steps."""

Shapes = Mapping[int, tuple[int, ...]]


class BlockPlan:
    """The steps of a program that depend on whole inputs, with a place in memory for each operand and each result.

    A whole input has the shape of the results; other inputs are the same for all blocks. A place is reused as soon as
    its value is no longer needed, and that of a result until the result is computed, so most steps work in place.

    Attributes
    ----------
    inputs : tuple of int
        The whole inputs.
    fixed : frozenset of int
        Values that are the same for all blocks: numbers, broadcast inputs, and what is computed from them.
    """

    def __init__(self, program: KernelSteps, shapes: Shapes, whole: tuple[int, ...]) -> None:
        steps, varying = program.steps, set(whole)
        for i, step in steps.items():
            if not varying.isdisjoint(step.values):
                varying.add(i)
        lines = {i: step for i, step in steps.items() if i in varying and i not in whole}
        self.inputs, self.fixed = whole, frozenset(steps) - varying
        self._results = {i: steps[i].dtype for i in program.outputs if i in lines}
        self._places = {i: place for place, i in enumerate((*whole, *self._results, *self.fixed))}
        self._contents: list[Any] = [None] * len(self._places)
        self._spare: list[tuple[int, np.dtype]] = []
        self._find_places(lines)
        self._calls = [(_writing(step), itemgetter(*self._row(i, step))) for i, step in lines.items()]
        self._shape = shapes[whole[0]]
        is_flat = all([own in ((), self._shape) for own in shapes.values()])
        self._form = (math.prod(self._shape),) if is_flat else self._shape
        self._length = max(1, self._elements(steps) // math.prod(self._form[1:]))

    def _elements(self, steps: Mapping[int, Operation]) -> int:
        """The number of elements in a block."""
        dtypes = [steps[i].dtype for i in (*self.inputs, *self._results)] + [dtype for _, dtype in self._spare]
        return min(math.prod(self._shape), _BLOCK_BYTES // sum([dtype.itemsize for dtype in dtypes]))

    def _find_places(self, lines: dict[int, Operation]) -> None:
        """Assign places to the intermediate values, from the last step to the first."""
        free: dict[np.dtype, list[int]] = defaultdict(list)
        for i, step in reversed(lines.items()):
            free[step.dtype].append(self._places[i])
            for operand in [o for o in step.values if o not in self._places]:
                dtype = lines[operand].dtype
                if not free[dtype]:
                    free[dtype].append(self._new_place(None))
                    self._spare.append((free[dtype][0], dtype))
                self._places[operand] = free[dtype].pop()

    def _new_place(self, content: Any) -> int:
        self._contents.append(content)
        return len(self._contents) - 1

    def _row(self, index: int, step: Operation) -> list[int]:
        """The places of a step's operands, followed by that of its result."""
        operands = [self._places[o.index] if isinstance(o, Value) else self._new_place(o) for o in step.operands]
        return [*operands, self._places[index]]

    def run(self, values: dict[int, Any]) -> None:
        """Add the results to ``values``, which must contain the whole inputs, C-contiguous, and the fixed values."""
        places = [*self._contents]
        for i in self.fixed:
            places[self._places[i]] = values[i]
        for i, dtype in self._results.items():
            values[i] = np.empty(self._shape, dtype)
        columns = [values[i].reshape(self._form) for i in (*self.inputs, *self._results)]
        for place, dtype in self._spare:
            places[place] = np.empty((self._length, *self._form[1:]), dtype)
        for start in range(0, self._form[0], self._length):
            for place, array in enumerate(columns):
                places[place] = array[start : start + self._length]
            if start + self._length > self._form[0]:
                for place, _ in self._spare:
                    places[place] = places[place][: self._form[0] - start]
            for function, row in self._calls:
                function(*row(places))


def block_plan(program: KernelSteps, shapes: Shapes) -> BlockPlan | None:
    """A plan for computing a program block by block along the first axis, for inputs of these shapes.

    None if no input is whole, if each block would need a different part of another input, or if it does not pay off:
    whole arrays are as fast unless they are large and there are intermediate values.
    """
    steps = program.steps
    touched = sum([1 + len(step.values) for step in steps.values() if step.values])
    shape = np.broadcast_shapes(*shapes.values())
    whole = tuple([i for i, own in shapes.items() if own == shape])
    if not whole or math.prod(shape) < _WORTH_PLANNING:
        return None
    ends = (*whole, *program.outputs)
    is_large = math.prod(shape) * sum([steps[i].dtype.itemsize for i in ends]) > 2 * _BLOCK_BYTES
    has_between = any([step.values and i not in ends for i, step in steps.items()])
    if touched < 2 * len(ends) and not (is_large and has_between):
        return None
    if any([own != shape and len(own) == len(shape) and own[0] != 1 for own in shapes.values()]):
        return None
    return BlockPlan(program, shapes, whole)


def _writing(step: Operation) -> Callable[..., Any]:
    """The function of a step, which takes the array for its result as the last argument."""
    if step.name == "astype":
        return lambda x, out: np.copyto(out, x, casting="unsafe")
    function = getattr(np, step.name)
    if isinstance(function, np.ufunc):
        return lambda *places: function(*places[:-1], out=places[-1])
    return lambda *places: np.copyto(places[-1], function(*places[:-1]))


_SHAPES = 64
"""Number of combinations of shapes for which plans are kept."""

Kernel = Callable[[Mapping[str, Any]], list[Array]]


class ProgramLine(NamedTuple):
    """A step with precomputed information: its operands as indices or numbers, and the values last used here."""

    index: int  # type: ignore[assignment]  # tuple has a method of that name
    step: Operation
    operands: list[tuple[int | None, Any]]
    last: list[int]

    def result(self, xp: Any, values: Mapping[int, Any]) -> Array:
        """The result of the step, from the values of earlier steps."""
        operands = [number if place is None else values[place] for place, number in self.operands]
        if self.step.name == "astype":
            return operands[0].astype(self.step.dtype)
        return operands[0] if self.step.name == "constant" else getattr(xp, self.step.name)(*operands)


class KernelProgram(KernelSteps):
    """The steps for some of a trace's values, ready to run."""

    def __init__(self, name: str, trace: KernelTrace, outputs: Sequence[Symbol]) -> None:
        super().__init__(name, trace, outputs)
        self.labels = frozenset(self.inputs.values())
        self._kernels: dict[ModuleType, Kernel | None] = {}
        self._plans: dict[Any, BlockPlan | None] = {}
        self._lines = [self._line(i, step) for i, step in self.steps.items() if i not in self.inputs]

    def _line(self, index: int, step: Operation) -> ProgramLine:
        places = [o.index if isinstance(o, Value) else None for o in step.operands]
        return ProgramLine(index, step, list(zip(places, step.operands, strict=True)), self._last_uses(index))

    def _last_uses(self, index: int) -> list[int]:
        """The values last used at a step, except inputs and results, which belong to the caller."""
        later = {o for i, step in self.steps.items() if i > index for o in step.values}
        return sorted({*self.steps[index].values} - later - set(self.outputs) - set(self.inputs))

    def on(self, xp: ModuleType, given: Mapping[str, Any]) -> list[Array]:
        """The results for arrays of ``xp``, given by input label: by one kernel on a GPU, else step by step."""
        is_sized = xp is not np and any([type(given[label]) in modules for label in self.inputs.values()])
        kernel = self.kernel(xp) if is_sized else None  # a kernel needs an array to know the number of elements
        return self.run(xp, given) if kernel is None else kernel(given)

    def kernel(self, xp: ModuleType) -> Kernel | None:
        """A kernel that computes all results; None if ``xp`` has no kernels, or a step cannot be written in C."""
        if xp not in self._kernels:
            self._kernels[xp] = kernel_of(self) if hasattr(xp, "ElementwiseKernel") else None
        return self._kernels[xp]

    def run(self, xp: ModuleType, given: Mapping[str, Any]) -> list[Array]:
        """The results, computed step by step; for large NumPy arrays block by block."""
        values: dict[int, Any] = {i: given[label] for i, label in self.inputs.items()}
        plan = self._plan(values) if xp is np else None
        if plan is not None:
            for line in self._lines:
                if line.index in plan.fixed:
                    values[line.index] = line.result(np, values)
            plan.run(values)
        else:
            for line in self._lines:
                values[line.index] = line.result(xp, values)
                for place in line.last:
                    del values[place]
        return [values[i] for i in self.outputs]

    def _plan(self, values: dict[int, Any]) -> BlockPlan | None:
        """The plan for computing arrays of these shapes block by block, if there is one."""
        key = tuple([v.shape if type(v) is np.ndarray else () for v in values.values()])
        if key not in self._plans:
            if len(self._plans) >= _SHAPES:
                self._plans.clear()
            self._plans[key] = block_plan(self, dict(zip(values, key, strict=True)))
        plan = self._plans[key]
        return plan if plan is not None and all([values[i].flags.c_contiguous for i in plan.inputs]) else None
