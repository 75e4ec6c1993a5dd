"""Which attributes a user's forward computes from its inputs: read in its source, nothing is run.

An array that forward keeps on the object is a constant for every derivative. That is right for a random mask, for
shapes and for what only jumps, such as ``x > 0``. Of anything else that depends on the inputs, a second derivative
would silently lack a part; so a differentiable backward gets it behind a barrier.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable
from types import CodeType, FunctionType
from typing import Any
from weakref import WeakKeyDictionary

from ..engine.source import placed

_TELLING = frozenset(["shape", "dtype", "ndim", "size", "itemsize", "nbytes", "device", "requires_grad"])
_JUMPING = frozenset(
    [
        "all",
        "any",
        "argmax",
        "argmin",
        "argpartition",
        "argsort",
        "argwhere",
        "around",
        "bincount",
        "bool",
        "ceil",
        "count_nonzero",
        "digitize",
        "empty_like",
        "equal",
        "fix",
        "flatnonzero",
        "floor",
        "get_array_module",
        "greater",
        "greater_equal",
        "heaviside",
        "int",
        "isclose",
        "isfinite",
        "isinf",
        "isinstance",
        "isnan",
        "len",
        "less",
        "less_equal",
        "logical_and",
        "logical_not",
        "logical_or",
        "logical_xor",
        "ndim",
        "nonzero",
        "not_equal",
        "ones_like",
        "range",
        "repr",
        "result_type",
        "rint",
        "round",
        "searchsorted",
        "shape",
        "sign",
        "signbit",
        "size",
        "str",
        "trunc",
        "type",
        "zeros_like",
    ]
)
"""Functions and methods whose results depend on shapes alone, or have no slope."""


def computed_attributes(forward: Any, places: frozenset[int] | None = None) -> frozenset[str]:
    """The attributes that a forward sets to something with a slope in its inputs; all that it sets, without a source.

    Parameters
    ----------
    forward : function
    places : frozenset of int, optional
        The inputs that count, by their places among its parameters; by default all of them.

    Examples
    --------
    >>> class Own:
    ...     def forward(self, x):
    ...         self.n, self.mask = len(x), x > 0
    ...         self.squares = x * x
    >>> sorted(computed_attributes(Own.forward))
    ['squares']
    """
    if not isinstance(forward, FunctionType):
        return frozenset()
    known = _known.setdefault(forward, {})
    if places not in known:
        known[places] = _read(forward, places)
    return known[places]


_known: WeakKeyDictionary[FunctionType, dict[frozenset[int] | None, frozenset[str]]] = WeakKeyDictionary()


def _read(forward: FunctionType, places: frozenset[int] | None) -> frozenset[str]:
    code = forward.__code__
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(forward))).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):
        return _stored(code)
    if not isinstance(tree, ast.FunctionDef):
        return _stored(code)
    owner, *names = [arg.arg for arg in (*tree.args.posonlyargs, *tree.args.args)]
    rest = [tree.args.vararg.arg] if tree.args.vararg is not None else []
    inputs = [name for i, name in enumerate(names) if places is None or i in places]
    slopes = _Dependence(owner, [*inputs, *(rest if places is None or max(places) >= len(names) else [])])
    slopes.run(tree.body)
    return frozenset([name[1:] for name in slopes.known if name.startswith(".")])


def _stored(code: CodeType) -> frozenset[str]:
    return frozenset([name for _, opname, name in placed(code) if opname == "STORE_ATTR"])


class _Dependence:
    """The names, and attributes of the owner as ``.name``, that have a slope in the inputs, statement by statement."""

    def __init__(self, owner: str, inputs: Iterable[str]) -> None:
        self.owner, self.known = owner, set(inputs)

    def run(self, body: Iterable[ast.stmt], is_sure: bool = True) -> None:
        for statement in body:
            if isinstance(statement, ast.Assign):
                for target in statement.targets:
                    self._assign(target, statement.value, is_sure)
            elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
                self._assign(statement.target, statement.value, is_sure)
            elif isinstance(statement, ast.AugAssign):
                self._assign(statement.target, statement.value, False)
            elif isinstance(statement, ast.For):
                self._assign(statement.target, statement.iter, False)
            for part in ("body", "orelse", "finalbody"):
                inner = getattr(statement, part, None)
                if isinstance(inner, list) and not isinstance(statement, ast.FunctionDef | ast.ClassDef):
                    self.run(inner, False)
                    self.run(inner, False)

    def _assign(self, target: ast.expr, value: ast.expr, is_sure: bool) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            parts = value.elts if isinstance(value, ast.Tuple | ast.List) else [value] * len(target.elts)
            for one, part in zip(target.elts, parts, strict=False):
                self._assign(one, part, is_sure)
            return
        is_part = isinstance(target, ast.Subscript)
        while isinstance(target, ast.Subscript | ast.Starred):
            target = target.value
        name = self._name(target)
        if name is not None and self.has(value):
            self.known.add(name)
        elif name is not None and is_sure and not is_part:
            self.known.discard(name)

    def _name(self, target: ast.expr) -> str | None:
        if isinstance(target, ast.Name):
            return target.id
        is_own = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
        return f".{target.attr}" if is_own and target.value.id == self.owner else None  # type: ignore[attr-defined]

    def has(self, value: ast.AST | None) -> bool:
        """Whether an expression has a slope in the inputs."""
        if value is None or isinstance(value, ast.Constant | ast.Compare | ast.Lambda):
            return False
        if isinstance(value, ast.Name):
            return value.id in self.known
        if isinstance(value, ast.Attribute):
            own = self._name(value)
            return value.attr not in _TELLING and (own in self.known if own is not None else self.has(value.value))
        if isinstance(value, ast.Subscript):
            return self.has(value.value)
        if isinstance(value, ast.UnaryOp | ast.BinOp) and isinstance(value.op, ast.Not | ast.Invert | ast.FloorDiv):
            return False
        if isinstance(value, ast.IfExp):
            return self.has(value.body) or self.has(value.orelse)
        if isinstance(value, ast.Call):
            called = value.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            given = [*value.args, *[keyword.value for keyword in value.keywords]]
            if name in _JUMPING or (name == "where" and len(given) == 1):
                return False
            given = given[1:] if name in ("where", "full_like") else given
            return any(map(self.has, given)) or (isinstance(called, ast.Attribute) and self.has(called.value))
        return any(map(self.has, ast.iter_child_nodes(value)))
