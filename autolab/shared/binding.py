"""Binding: determines which arguments of a function are its inputs, under the names of its signature.

Recordings, checks and live views all take ``(fn, *args, options=None, **inputs)`` and bind in the same way.

The arguments of a bound call, with placeholders for its inputs, alone or inside lists, tuples and dicts.

The options of tools such as `record`: separated from the inputs of the function, and checked.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from ..engine import Variable, a_kind, as_array, check_real, hidden, is_array
from ..engine.undisturbed import undisturbed
from .foreign import wanted_by
from .structure import contains_itself, mapped, rebuilt


@dataclass(frozen=True)
class InputPlaceholder:
    """Marks the place of the input of this name among the arguments."""

    name: str


@dataclass(frozen=True)
class Structure:
    """An argument that is a list, tuple or dict containing placeholders."""

    tree: Any


def with_inputs(argument: Any, variables: Mapping[str, Variable]) -> Any:
    """An argument with placeholders replaced by their Variables; without placeholders, the object itself."""
    if isinstance(argument, Structure):
        return rebuilt(argument.tree, lambda leaf: with_inputs(leaf, variables))
    return variables[argument.name] if isinstance(argument, InputPlaceholder) else argument


def source_text(argument: Any, text: Callable[[InputPlaceholder], str]) -> str:
    """An argument as source text; functions, classes and other callables by their names."""
    if isinstance(argument, InputPlaceholder):
        return text(argument)
    tree = argument.tree if isinstance(argument, Structure) else argument
    if isinstance(tree, dict):
        return f"{{{', '.join([f'{key!r}: {source_text(item, text)}' for key, item in tree.items()])}}}"
    if not isinstance(tree, list | tuple):
        return (name_of(tree) if callable(tree) else None) or repr(tree)
    items = ", ".join([source_text(item, text) for item in tree])
    if hasattr(tree, "_fields"):
        return f"{type(tree).__name__}({items})"
    if isinstance(tree, list):
        return f"[{items}]"
    return f"({items},)" if len(tree) == 1 else f"({items})"


def named_in(argument: Any) -> Iterator[Any]:
    """The functions and classes whose names `source_text` writes."""
    tree = argument.tree if isinstance(argument, Structure) else argument
    if isinstance(tree, dict | list | tuple):
        if hasattr(tree, "_fields"):
            yield type(tree)
        for item in tree.values() if isinstance(tree, dict) else tree:
            yield from named_in(item)
    elif _has_name(tree):
        yield tree


def name_of(fn: Any) -> str | None:
    """The name of a callable in source text: its own, or else that of a variable of the notebook or script."""
    if _has_name(fn):
        return str(fn.__name__)
    names = [name for name, value in vars(sys.modules["__main__"]).items() if value is fn and not name.startswith("_")]
    return names[0] if names else None


def _has_name(value: Any) -> bool:
    return callable(value) and str(getattr(value, "__name__", "")).isidentifier()


def token_labels(caller: str, given: Any) -> tuple[str, ...]:
    """Check the option ``tokens``: one label for each position of a sequence; in a string, each character is a label.

    Raises
    ------
    TypeError
        If it is neither a string nor a list of strings.
    """
    if not isinstance(given, str | list | tuple) or not all([isinstance(label, str) for label in given]):
        raise TypeError(f"{caller}: option 'tokens' is {given!r:.60}; expected a list of strings, one per position")
    return tuple(given)


# What counts as an input: arrays, numbers and lists of numbers, also inside lists, tuples and dicts.

_MOST_AXES = 64
"""NumPy's limit."""


def is_input(value: Any, annotation: Any) -> bool:
    """Whether an argument is an input; an annotation can declare a number to be a size or a setting."""
    if isinstance(value, Variable):
        return True
    if annotation in (int, bool, str, "int", "bool", "str") or isinstance(value, bool | str | bytes) or value is None:
        return False
    return _is_array(value) or isinstance(value, int | float) or _is_numbers(value)


def _is_array(value: Any) -> bool:
    if isinstance(value, np.generic | np.ndarray):
        return value.dtype.kind in "biufc"
    return is_array(value)


def _is_numbers(value: Any) -> bool:
    """Whether it is a list of numbers, or of such lists; the fields of a named tuple are inputs of their own."""
    if not isinstance(value, list | tuple) or hasattr(value, "_fields"):
        return False
    return len(value) > 0 and all([_is_number(item) or _is_numbers(item) for item in value])


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, int | float | np.generic) and not isinstance(value, bool)
    return is_number or (isinstance(value, np.ndarray) and value.ndim == 0)


def is_input_inside(value: Any) -> bool:
    """Whether an element of a structure is an input; integers there count as sizes or settings."""
    if isinstance(value, int | np.integer | np.bool_):
        return False
    if isinstance(value, list | tuple):
        return _is_numbers(value) and any([isinstance(i, float | np.floating) for i in _numbers(value)])
    return is_input(value, None)


def _numbers(value: Any) -> Iterator[Any]:
    for item in value:
        yield from _numbers(item) if isinstance(item, list | tuple) else (item,)


def holds_inputs(value: Any) -> bool:
    """Whether it is a list, tuple or dict that contains inputs."""
    if not isinstance(value, list | tuple | dict):
        return False
    items = value.values() if isinstance(value, dict) else value
    return any([is_input_inside(item) or holds_inputs(item) for item in items])


def _depth(value: Any) -> int:
    """How many lists or tuples are around the first number of a nested list."""
    depth = 0
    while isinstance(value, list | tuple) and value:
        value, depth = value[0], depth + 1
    return depth


def leaf(value: Any, name: str, what: str) -> Variable:
    """A new leaf with the value's own data (not copied), its class, and its ``requires_grad``."""
    if isinstance(value, Variable):
        kind = type(value)
        return kind(value.array, name=name, requires_grad=value.requires_grad)
    if (axes := _depth(value)) > _MOST_AXES:
        raise TypeError(f"{what} is a list nested {axes} deep; an array has at most {_MOST_AXES} axes")
    check_real(as_array(value, what), what)
    return Variable(value, name=name)


_OF_UFUNCS = ("out", "where", "casting", "order", "dtype", "subok")


@dataclass(frozen=True)
class Bound:
    """A function with its arguments. Its inputs are the numbers, lists of numbers, arrays and Variables among them, and
    arrays and floats inside lists, tuples and dicts.

    ``variables`` are new leaves under the names of the signature, such as ``params[0][w]`` for one inside ``params``;
    the caller's own Variables do not change. ``learned`` are the caller's own parameters of links; those in
    ``variables`` under the same names are new leaves as well. ``caller`` is the tool that bound them, for its messages.
    """

    fn: Callable[..., Any]
    name: str
    variables: dict[str, Variable]
    _args: tuple[Any, ...]
    _kwargs: dict[str, Any]
    caller: str = "record"
    learned: Mapping[str, Variable] = field(default_factory=dict)

    @property
    def given(self) -> Callable[..., Any]:
        """The function that was bound; ``fn`` wraps it if it also takes learned parameters."""
        return getattr(self.fn, "of_links", self.fn)

    @property
    def inputs(self) -> dict[str, Variable]:
        """The variables that are arguments, without learned parameters."""
        return {name: variable for name, variable in self.variables.items() if name not in self.learned}

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments by the names of the parameters; those without a name are called x0, x1 ..."""
        names = enumerate(_keywords(self.fn, len(self._args)))
        return {**dict(zip([name or f"x{i}" for i, name in names], self._args, strict=True)), **self._kwargs}

    @classmethod
    def of_variables(cls, fn: Callable[..., Any], name: str, variables: dict[str, Variable]) -> Bound:
        """``fn`` with ``variables`` as its positional arguments, under their names in the dictionary."""
        return cls(fn, name, variables, tuple([InputPlaceholder(key) for key in variables]), {})

    def call(self, variables: Mapping[str, Variable] | None = None) -> Any:
        """Run the function on ``variables`` (by default the bound ones)."""
        return self.prepared(variables)()

    def prepared(self, variables: Mapping[str, Variable] | None = None) -> Callable[[], Any]:
        """The function with ``variables`` (by default the bound ones) inserted, to be called any number of times.

        Except for `record`, calls leave the function's own state, such as running means, unchanged.
        """
        variables = {**self.variables, **(variables or {})}
        args = [with_inputs(a, variables) for a in self._args]
        call = partial(self._called, *args, **{k: with_inputs(a, variables) for k, a in self._kwargs.items()})
        return call if self.caller == "record" else partial(_undisturbed, call)

    def _called(self, *args: Any, **kwargs: Any) -> Any:
        """The function; if it is one of another library, which took Variables, the error says what to pass."""
        try:
            return self.fn(*args, **kwargs)
        except BaseException as error:
            __tracebackhide__ = hidden()
            made = wanted_by(error) if isinstance(error, TypeError | ValueError) else None
            if made is None or not self.inputs:
                raise
            given = ", ".join([f"{name}={made}({_shown(x)})" for name, x in [*self.inputs.items()][:3]])
            library = made.partition(".")[0]
            raise TypeError(f"{self.caller}: {self.name:.60} is written with {library}; pass {given:.150}") from error

    def code(self, text: Callable[[Variable], str]) -> str:
        """The call as source text, with ``text(variable)`` for each input; arguments are keywords where possible."""
        named = zip(_keywords(self.fn, len(self._args)), self._args, strict=True)
        parts = []
        for name, a in [*named, *self._kwargs.items()]:
            if name in self.learned:
                continue
            argument = source_text(a, lambda placeholder: text(self.variables[placeholder.name]))
            parts.append(f"{name}={argument}" if name else argument)
        name = f"{self.name}.apply" if _applies(self.given) else name_of(self.given) or "fn"
        return f"{name}({', '.join(parts)})"

    def learning(self, fn: Callable[..., Any], parameters: Mapping[str, Variable]) -> Bound:
        """``fn``, a wrapper of the function, with the same arguments, and with learned parameters as keywords."""
        keywords = {**self._kwargs, **{name: InputPlaceholder(name) for name in parameters}}
        fresh = {name: leaf(own, name, name) for name, own in parameters.items()}
        return replace(self, fn=fn, variables={**self.variables, **fresh}, _kwargs=keywords, learned=parameters)

    def standing(self) -> Bound:
        """The same without learned parameters as inputs: they keep their values."""
        keywords = {name: a for name, a in self._kwargs.items() if name not in self.learned}
        return replace(self, fn=self.given, variables=self.inputs, _kwargs=keywords, learned={})

    @property
    def has_arguments(self) -> bool:
        """Whether the function has any arguments."""
        return bool(self._args or self._kwargs)

    def named(self) -> dict[str, Any]:
        """The functions and classes among the arguments, which `code` writes by their names."""
        found = [value for a in [*self._args, *self._kwargs.values()] for value in named_in(a)]
        return {value.__name__: value for value in found}


def bind(caller: str, fn: Callable[..., Any], args: tuple[Any, ...], inputs: Mapping[str, Any]) -> Bound:
    """Bind ``args`` and ``inputs`` to the signature of ``fn``; ``caller`` names the tool in errors.

    Numbers and lists of numbers become float64 Variables. Arguments whose parameter is annotated ``int``, ``bool`` or
    ``str``, and anything that is not numeric, are passed on unchanged. In lists, tuples and dicts, at any depth, arrays
    and floats become Variables, and the rest is passed on unchanged.

    Raises
    ------
    TypeError
        If ``fn`` is not callable or the arguments do not fit its signature.
    """
    if not callable(fn):
        raise TypeError(f"{caller}: fn is {a_kind(fn)}; expected a function of Variables")
    if hasattr(fn, "written_backward") or (isinstance(fn, type) and hasattr(fn, "apply") and hasattr(fn, "backward")):
        fn = apply if _applies(apply := getattr(fn, "apply", fn)) else _applied(fn)
    name = _name(fn)
    slots = _Slots(caller, name)
    bound = fitted(caller, fn, args, inputs)
    if bound is None:
        positional = tuple([slots.take(f"x{i}", value) for i, value in enumerate(args)])
        return Bound(fn, name, slots.variables, positional, {k: slots.take(k, v) for k, v in inputs.items()}, caller)
    given = list(bound.arguments.items())
    if _applies(fn):
        fill_gaps(bound)
    for key, value in given:
        bound.arguments[key] = slots.take_parameter(bound.signature.parameters[key], value)
    return Bound(fn, name, slots.variables, bound.args, bound.kwargs, caller)


def fitted(
    caller: str,
    fn: Callable[..., Any],
    args: tuple[Any, ...],
    inputs: Mapping[str, Any],
    signature: inspect.Signature | None = None,
) -> inspect.BoundArguments | None:
    """The arguments by the names of the signature of ``fn``, or of a given one; None if there is no signature. Raises a
    TypeError if they do not fit."""
    signature = signature or signature_of(fn)
    if signature is None:
        return None
    inputs = dict(inputs)
    for parameter in [*signature.parameters.values()][len(args) :]:  # inputs of ufuncs can be given by name, too
        if parameter.kind is not parameter.POSITIONAL_ONLY or parameter.name not in inputs:
            break
        args = (*args, inputs.pop(parameter.name))
    try:
        return signature.bind(*args, **inputs)
    except TypeError as error:
        missing = str(error).partition("missing a required argument: '")[2].rstrip("'")
        told = f"; write {caller}(..., {missing}=...)" if missing else ""
        told = "; give it by position, as options= is for the tool" if missing == "options" else told
        raise TypeError(f"{caller}: {_name(fn)}{signature} does not take these inputs: {error}{told}") from None


def _shown(x: Variable) -> str:
    return repr(x.data.tolist()) if x.data.size == 1 else "..."


def fill_gaps(bound: inspect.BoundArguments) -> None:
    """Give omitted arguments their defaults where others follow: ``apply`` takes no keywords, and as many gradients are
    expected as it has arguments."""
    given = {*bound.arguments}
    bound.apply_defaults()
    for name in reversed([*bound.arguments]):
        if name in given:
            break
        del bound.arguments[name]


def _undisturbed(call: Callable[[], Any]) -> Any:
    with undisturbed():
        return call()


class _Slots:
    """Collects the inputs among the arguments, and replaces each by a placeholder."""

    def __init__(self, caller: str, function: str) -> None:
        self.variables: dict[str, Variable] = {}
        self._where = f"{caller}: {function}"

    def take_parameter(self, parameter: inspect.Parameter, value: Any) -> Any:
        """The argument of one parameter; ``*args`` and ``**kwargs`` may contain several inputs."""
        kind, name, annotation = parameter.kind, parameter.name, parameter.annotation
        if kind is parameter.VAR_POSITIONAL:
            return tuple([self.take(f"{name}[{i}]", item, annotation) for i, item in enumerate(value)])
        if kind is parameter.VAR_KEYWORD:
            return {key: self.take(key, item, annotation) for key, item in value.items()}
        return self.take(name, value, annotation)

    def take(self, name: str, value: Any, annotation: Any = inspect.Parameter.empty) -> Any:
        try:
            if is_input(value, annotation):
                return self._input(name, value)
            return self._take_inside(name, value) if holds_inputs(value) else value
        except RecursionError:
            what = "contains itself" if contains_itself(value) else "is nested too deeply"
            raise TypeError(f"{self._where}: input {name!r:.60} is {a_kind(value)} that {what}") from None

    def _take_inside(self, name: str, tree: Any) -> Structure:
        """A structure with its inputs replaced by placeholders."""

        def taken(key: Any, item: Any) -> Any:
            label = f"{name}[{key}]"
            if is_input_inside(item):
                return self._input(label, item)
            return self._take_inside(label, item) if holds_inputs(item) else item

        return Structure(mapped(tree, taken))

    def _input(self, name: str, value: Any) -> InputPlaceholder:
        if name in self.variables:
            raise TypeError(f"{self._where} has two inputs called {name!r}; rename one")
        self.variables[name] = leaf(value, name, f"{self._where}: input {name!r:.60}")
        return InputPlaceholder(name)


def _applied(written: Any) -> Callable[..., Any]:
    """A function that calls a new instance each time, for a class such as a `FunctionNode` or an instance of one."""

    def applied(*x: Any) -> Any:
        fresh = written() if isinstance(written, type) else copy(written)
        return getattr(fresh, "called", fresh)(*x)  # Chainer's are not callable themselves

    applied.__name__ = _name(written)
    return applied


def _name(fn: Any) -> str:
    """The function's own name; for ``F.apply`` the name of the class F, for an object that of its class."""
    if _applies(fn):
        return fn.__self__.__name__
    return getattr(fn, "__name__", type(fn).__name__)


def _applies(fn: Any) -> bool:
    """Whether it is ``F.apply`` for a class F with ``forward(ctx, ...)``."""
    owner = getattr(fn, "__self__", None)
    return isinstance(owner, type) and getattr(fn, "__name__", "") == "apply" and hasattr(owner, "forward")


def signature_of(fn: Any) -> inspect.Signature | None:
    """The signature of a function; None if it has none."""
    try:
        if not _applies(fn):
            return inspect.signature(fn)
        of_forward = inspect.signature(fn.__self__.forward)  # apply(*args) does not name them
        first = getattr(fn.__self__, "_first", 1)  # after ctx
        return of_forward.replace(parameters=list(of_forward.parameters.values())[first:])
    except ValueError:  # built-ins have none
        return _of_ufunc(fn) if isinstance(fn, np.ufunc) else None


def _of_ufunc(fn: np.ufunc) -> inspect.Signature:
    """The signature of a ufunc, which NumPy itself provides from 2.4 on."""
    inputs = ["x"] if fn.nin == 1 else [f"x{i + 1}" for i in range(fn.nin)]
    settings = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in _OF_UFUNCS]
    return inspect.Signature([*[inspect.Parameter(x, inspect.Parameter.POSITIONAL_ONLY) for x in inputs], *settings])


def _keywords(fn: Callable[..., Any], count: int) -> list[str | None]:
    """The keywords by which the first ``count`` positional arguments could be given; None for those without one."""
    signature = None if _applies(fn) else signature_of(fn)
    parameters = list(signature.parameters.values())[:count] if signature else []
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(positional) < count:  # before arguments in *args, no other can be a keyword
        return [None] * count
    return [p.name if p.kind is p.POSITIONAL_OR_KEYWORD else None for p in positional]


def apart(fn: Any, inputs: Mapping[str, Any], options: Any, known: tuple[str, ...]) -> tuple[dict[str, Any], Any]:
    """The inputs and the options of a call: a keyword that the tool takes, but not the function, is an option.

    Examples
    --------
    >>> apart(lambda x: x, {"x": 1.0, "order": 2}, None, ("order", "wrt"))
    ({'x': 1.0}, {'order': 2})
    >>> apart(lambda order: order, {"order": 2.0}, None, ("order", "wrt"))
    ({'order': 2.0}, None)
    """
    signature = signature_of(fn) if callable(fn) else None
    parameters = {} if signature is None else signature.parameters
    takes_any = signature is None or any([p.kind is p.VAR_KEYWORD for p in parameters.values()])
    found = {} if takes_any else {name: inputs[name] for name in known if name in inputs and name not in parameters}
    if not found or not isinstance(options, Mapping | None):
        return dict(inputs), options
    return {name: value for name, value in inputs.items() if name not in found}, {**found, **(options or {})}


def chosen_options(caller: str, options: Any, known: tuple[str, ...]) -> dict[str, Any]:
    """``options`` as a new dictionary; a TypeError if it is not a mapping, or has keys that are not ``known``."""
    names = ", ".join([f"{name!r}" for name in known])
    if options is not None and not isinstance(options, Mapping):
        what = f"{caller}: options is {a_kind(options)}; expected a dict with {names}"
        raise TypeError(f"{what:.230}; an input of that name has to be renamed, or given by position")
    unknown = ", ".join([f"{key!r:.60}" for key in options or {} if key not in known])
    if unknown:
        raise TypeError(f"{caller}: unknown options {unknown:.150}; expected {names}")
    return dict(options or {})


def settle(
    caller: str,
    defaults: Mapping[str, Any],
    given: Mapping[str, Any],
    options: Mapping[str, Any] | None,
    inputs: dict[str, Any],
) -> dict[str, Any]:
    """The options of a call, with their defaults.

    Entries of ``options`` are meant for the tool; a keyword of the same name, in ``given``, is then an input of the
    function and is added to ``inputs``.

    Examples
    --------
    >>> inputs = {}
    >>> settle("f", {"rng": None}, {"rng": 3.0}, {"rng": "generator"}, inputs), inputs
    ({'rng': 'generator'}, {'rng': 3.0})
    """
    chosen = dict(given)
    for name, value in chosen_options(caller, options, tuple(defaults)).items():
        if given[name] is not defaults[name]:
            inputs[name] = given[name]
        chosen[name] = value
    return chosen
