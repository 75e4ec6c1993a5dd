"""How a declared function may be called: with NumPy's parameters if NumPy has it, else inputs, then attributes.

Every parameter may be passed by position or by name. Plain calls (all inputs by position, all attributes by name) do
not come here, so they cost nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from itertools import zip_longest
from types import FunctionType
from typing import TYPE_CHECKING, Any

from .argument_checks import in_own_words, unknown_keyword
from .errors import LIMIT, NoGradientError
from .habit_tables import answers

if TYPE_CHECKING:
    from .primitive import Primitive
    from .schema import Schema

Call = tuple[tuple[Any, ...], dict[str, Any]]
"""Inputs and attributes."""

LEFT_OUT = object()
"""Marks an input that was not given."""


def is_plain(function: Primitive, count: int, attributes: dict[str, Any]) -> bool:
    """Whether a call has as many inputs as the forward takes, by position, and no keyword that it does not know."""
    schema = function.schema
    usual = not function.spelling if schema.variadic else schema.required <= count <= len(schema.inputs)
    return usual and attributes.keys() <= schema.defaults.keys()


def plain(function: Primitive, args: tuple[Any, ...], attributes: dict[str, Any]) -> Call:
    """A call as inputs by position, with None for those left out, and attributes by name."""
    schema = function.schema
    if not is_plain(function, len(args), attributes):
        args, attributes = bound(function, args, attributes)
    check_count(schema, len(args))
    return args + (None,) * (len(schema.inputs) - len(args) - schema.variadic), attributes


def again(function: Primitive, error: Exception, args: tuple[Any, ...], arrays: Any, attributes: dict[str, Any]) -> Any:
    """The result of a call spelled differently from what its forward accepts; otherwise raise its complaint."""
    if not is_plain(function, len(args), attributes):
        return function.apply(args, attributes)
    check_count(function.schema, len(args))
    try:
        if len(attributes) < len(function.schema.defaults):
            attributes = function.schema.completed(attributes)
    except TypeError as missing:
        error = missing
    raise function.complaint(error, arrays, attributes) from None


def bound(function: Primitive, args: tuple[Any, ...], given: dict[str, Any]) -> Call:
    """The inputs and attributes that a call means.

    Raises
    ------
    TypeError
        If the function has no such parameter, or a required one is missing.
    """
    inputs, attributes = _meant(function, args, given)
    if function.schema.variadic:
        return inputs, attributes
    for name, value in attributes.items():
        if getattr(value, "requires_grad", False):
            raise TypeError(
                f"{function.name}: {name} is a Variable, whose gradient would be lost; expected its data, or numbers"
            )
    return inputs, attributes


def _meant(function: Primitive, args: tuple[Any, ...], given: dict[str, Any]) -> Call:
    if function.spelling is not None:
        return _as_spelled(function, function.spelling, args, given)
    if function.grain is not None:
        try:
            return in_grain(function, function.grain, args, given)
        except NoGradientError as error:
            raise TypeError(f"{function.name}: {error}") from None
    signature = function.schema.signature
    found = _bound(function, signature, args, given)
    inputs = [found.pop(name, None) for name in function.inputs]
    while inputs and inputs[-1] is None:
        inputs.pop()
    return tuple(inputs), found


def in_grain(function: Primitive, numpy_function: Any, args: tuple[Any, ...], given: dict[str, Any]) -> Call:
    """The same for a call with the parameters of ``numpy_function``; a `NoGradientError` for one that has no meaning
    here."""
    if function.spelling is not None:
        return _as_spelled(function, function.spelling, args, given)
    signature = signature_of(numpy_function)
    renamed = function.renamed
    if function.grain is numpy_function:  # older versions of NumPy lack some names
        given = {k if k in signature.parameters else renamed.get(k, k): v for k, v in given.items()}
    found = _bound(function, signature, args, given)
    schema = function.schema
    inputs: list[Any] = []
    attributes: dict[str, Any] = {}
    for place, (name, value) in enumerate(found.items()):
        own = renamed.get(name, name)
        if own in schema.defaults:
            attributes[own] = value
        elif own in schema.inputs:
            at = schema.inputs.index(own)
            inputs += [None] * (at + 1 - len(inputs))
            inputs[at] = value
        elif place < schema.required:
            inputs.append(value)
        elif value is not signature.parameters[name].default:
            raise NoGradientError(refusal(function.name, name))
    return tuple(inputs), attributes


def shown(signature: inspect.Signature, numpy_function: Any) -> inspect.Signature:
    """A function's signature, in which parameters after one that only NumPy has are keyword-only."""
    theirs = [*signature_of(numpy_function).parameters]
    parameters: list[inspect.Parameter] = []
    for p, name in zip_longest(signature.parameters.values(), theirs[: len(signature.parameters)]):
        behind = parameters[-1].kind is p.KEYWORD_ONLY if parameters else False
        parameters.append(p.replace(kind=p.KEYWORD_ONLY) if behind or p.name != name else p)
    return signature.replace(parameters=parameters)


def _as_spelled(function: Primitive, spelling: Any, args: tuple[Any, ...], given: dict[str, Any]) -> Call:
    given = in_own_words(function.name, signature_of(spelling).parameters, given)
    _bound(function, signature_of(spelling), args, given)
    return spelling(*args, **given)


def refusal(function: str, name: str) -> str:
    """The message about a NumPy parameter that a function does not accept."""
    told = answers("parameters").get(name, "").replace("`", "")
    return f"does not take {name!r}" + (f"; {told.format(name=function)}" if told else "")


_OF_UFUNCS = ("out", "where", "dtype", "inplace")


def refuse(function: Primitive, more: tuple[Any, ...] = (), /, **given: Any) -> None:
    """Refuse the first ufunc parameter that was given, or a superfluous input.

    None has no effect, and neither does PyTorch's ``inplace``.
    """
    given = {**dict(zip(_OF_UFUNCS, more, strict=False)), **given}
    for name in [name for name in given if name not in _OF_UFUNCS]:
        raise TypeError(unknown(function, name))
    names = [name for name, value in given.items() if value is not None and name != "inplace"]
    if names == ["out"] and not (function.direct or function.is_ufunc):
        check_count(function.schema, len(function.inputs) + 1)
    if names:
        raise TypeError(f"{function.name}: {refusal(function.name, names[0])}")


def _bound(
    function: Primitive, signature: inspect.Signature, args: tuple[Any, ...], given: dict[str, Any]
) -> dict[str, Any]:
    """The arguments by name, in the order of the parameters, those in ``**kwargs`` last."""
    given = in_own_words(function.name, signature.parameters, given)
    try:
        found = signature.bind(*args, **given)
    except TypeError as error:
        raise TypeError(_mismatch(function, args, given, str(error))) from None
    arguments = found.arguments
    for p in signature.parameters.values():
        if p.kind is p.VAR_KEYWORD and p.name in arguments:
            for name in arguments.pop(p.name):
                raise TypeError(unknown(function, name))
    return arguments


def _mismatch(function: Primitive, args: tuple[Any, ...], given: dict[str, Any], said: str) -> str:
    schema = function.schema
    names = [*schema.inputs, *schema.defaults]
    for name in given:
        if name not in names:
            return unknown(function, name)
    if "too many" in said or "multiple values" in said:
        if not schema.defaults:
            check_count(schema, len(args))
        what = "one argument by position and by name" if "multiple" in said else f"{len(args)} positional arguments"
        return f"{schema.function}: got {what}; expected at most {len(names)}: ({', '.join(names)})"
    missing = said.partition("'")[2].partition("'")[0]
    missing = function.renamed.get(missing, missing)
    if missing in schema.needed:
        return f"{schema.function}: {missing} must be given: {schema.function}({', '.join([*schema.inputs, missing])})"
    check_count(schema, len(args))
    return f"{schema.function}: {said}"[:LIMIT]


def unknown(function: Primitive, name: str) -> str:
    """The message about a keyword that a function does not have, with a hint for NumPy's parameters."""
    taken = function.grain is not None or function.spelling is not None or function.elementwise
    if name in answers("parameters") and taken:
        return f"{function.name}: {refusal(function.name, name)}"
    return no_keyword(function.schema, name)


@cache
def signature_of(function: Any) -> inspect.Signature:
    """The signature of a function, cached: computing it takes longer than most calls."""
    return inspect.signature(function)


def parameters_of(function: Any) -> list[tuple[str, Any, Any]]:
    """Name, kind and default of each parameter. For a plain function they are read from its code, which is fast."""
    while type(function) is FunctionType and [*vars(function)] == ["__wrapped__"]:
        function = vars(function)["__wrapped__"]
    code = function.__code__ if type(function) is FunctionType and not vars(function) else None
    if code is None or code.co_flags & inspect.CO_VARKEYWORDS or code.co_posonlyargcount:
        return [(p.name, p.kind, p.default) for p in inspect.signature(function).parameters.values()]
    kinds, empty, names = inspect.Parameter, inspect.Parameter.empty, code.co_varnames
    inputs, last = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    given, by_name = function.__defaults__ or (), function.__kwdefaults__ or {}
    defaults = [*[empty] * (inputs - len(given)), *given]
    rest = names[last : last + 1] if code.co_flags & inspect.CO_VARARGS else ()
    return [
        *[(name, kinds.POSITIONAL_OR_KEYWORD, value) for name, value in zip(names, defaults, strict=False)],
        *[(name, kinds.VAR_POSITIONAL, empty) for name in rest],
        *[(name, kinds.KEYWORD_ONLY, by_name.get(name, empty)) for name in names[inputs:last]],
    ]


class LateSignature(inspect.Signature):
    """A signature computed by ``make()`` on first use: computing all of them would take a tenth of the import time."""

    __slots__ = ("make",)
    make: Callable[[], inspect.Signature]

    @classmethod
    def of(cls, make: Callable[[], inspect.Signature]) -> LateSignature:
        found = cls.__new__(cls)
        found.make = make
        return found

    def __getattr__(self, name: str) -> Any:
        if name not in inspect.Signature.__slots__:  # the slots are empty until then
            raise AttributeError(name)
        super().__init__([*self.make().parameters.values()])
        return getattr(self, name)


def call_signature(forward: Callable[..., Any]) -> inspect.Signature:
    """Inputs, then attributes, which may be positional too, up to one without a default after one with a default."""
    shown: list[inspect.Parameter] = []
    for p in [*inspect.signature(forward).parameters.values()][1:]:  # the first is xp
        before = shown[-1] if shown else p
        by_name = before.kind in (p.VAR_POSITIONAL, p.KEYWORD_ONLY)
        if p.kind is p.KEYWORD_ONLY and not by_name and (p.default is not p.empty or before.default is p.empty):
            p = p.replace(kind=p.POSITIONAL_OR_KEYWORD)
        shown.append(p)
    return inspect.Signature(shown)


def check_count(schema: Schema, count: int) -> None:
    """Raise a TypeError unless a function takes ``count`` inputs."""
    if count >= schema.required and (schema.variadic or count <= len(schema.inputs)):
        return
    most = "or more" if schema.variadic else f"to {len(schema.inputs)}" if len(schema.inputs) > schema.required else ""
    expected = " ".join([str(schema.required), *[most] * bool(most), "array" if schema.required == 1 else "arrays"])
    behind = f", then {', '.join(schema.defaults)}" if schema.defaults else ""
    names, came = ", ".join(schema.inputs), f"{count} positional argument{'s' * (count != 1)}"
    raise TypeError(f"{schema.function}: got {came}; expected {expected} ({names}){behind}")


def no_keyword(schema: Schema, name: str) -> str:
    """The message about a keyword that a function does not have."""
    return unknown_keyword(schema.function, name, [*schema.inputs, *schema.defaults])
