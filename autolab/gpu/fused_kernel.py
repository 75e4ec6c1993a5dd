"""A program as a single GPU kernel."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..engine import Array
from ..engine.devices import compiled_kernel
from .needed_steps import KernelSteps
from .symbols import Operation, Value

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
