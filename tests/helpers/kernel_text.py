"""What the C of an elementwise kernel computes: expressions of C on NumPy's arrays, read by a parser of their own."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

_TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:[eE][-+]?\d+)?)|([A-Za-z_]\w*)|(\|\||&&|[=!<>]=|[-+*/<>!?:(),=;]))")
_TYPES = {
    "float": np.float32,
    "double": np.float64,
    "float16": np.float16,
    "bool": np.bool_,
    "float32": np.float32,
    "float64": np.float64,
    "signed char": np.int8,
    "short": np.int16,
    "int": np.int32,
    "long long": np.int64,
    "unsigned char": np.uint8,
    "unsigned short": np.uint16,
    "unsigned int": np.uint32,
    "unsigned long long": np.uint64,
}
_WORDS = {word for name in _TYPES for word in name.split()}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: getattr(np, name) for name in ("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "cbrt")},
    **{name: getattr(np, name) for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "floor", "ceil", "rint")},
    **{f"a{name}": getattr(np, f"arc{name}") for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
    "atan2": np.arctan2,
    "fabs": np.fabs,
    "pow": np.power,
    "hypot": np.hypot,
    "copysign": np.copysign,
    "fmod": np.fmod,
    "trunc": np.trunc,
}
_LEVELS: tuple[dict[str, Any], ...] = (
    {"||": np.logical_or},
    {"&&": np.logical_and},
    {"==": np.equal, "!=": np.not_equal},
    {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal},
    {"+": np.add, "-": np.subtract},
    {"*": np.multiply, "/": np.true_divide},
)
"""Binary signs, those that bind least first."""


def run(text: str, values: dict[str, Any]) -> dict[str, Any]:
    """Execute ``[const type] name = expression;`` statements; ``values`` are changed."""
    for statement in filter(str.strip, text.split(";")):
        left, _, right = statement.partition("=")
        *kind, name = left.split()
        with np.errstate(all="ignore"):
            value = _Reader(right, values).all()
        wanted = " ".join([word for word in kind if word not in ("const", "auto")])
        values[name] = np.asarray(value).astype(_TYPES[wanted]) if wanted else value
    return values


class _Reader:
    def __init__(self, text: str, values: dict[str, Any]) -> None:
        self._tokens = [match.group().strip() for match in _TOKEN.finditer(text)]
        assert "".join(self._tokens) == "".join(text.split()), f"not read: {text}"
        self._values, self._at = values, 0

    def all(self) -> Any:
        value = self._ternary()
        assert self._at == len(self._tokens), self._tokens[self._at :]
        return value

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self, expected: str = "") -> str:
        token = self._next()
        assert token and (not expected or token == expected), f"{token!r} where {expected!r} was expected"
        self._at += 1
        return token

    def _ternary(self) -> Any:
        condition = self._binary(0)
        if self._next() != "?":
            return condition
        self._take("?")
        a = self._ternary()
        self._take(":")
        return np.where(condition, a, self._ternary())

    def _binary(self, level: int) -> Any:
        if level == len(_LEVELS):
            return self._unary()
        value = self._binary(level + 1)
        while self._next() in _LEVELS[level]:
            ufunc = _LEVELS[level][self._take()]
            value = ufunc(_number(value), _number(self._binary(level + 1)))
        return value

    def _unary(self) -> Any:
        token = self._take()
        if token == "-":
            return -_number(self._unary())
        if token == "!":
            return np.logical_not(self._unary())
        if token == "(" and self._next() in _WORDS:
            words = [self._take()]
            while self._next() != ")":
                words.append(self._take())
            self._take(")")
            return np.asarray(self._unary()).astype(_TYPES[" ".join(words)])
        if token == "(":
            value = self._ternary()
            self._take(")")
            return value
        return self._atom(token)

    def _atom(self, token: str) -> Any:
        if token[0].isdigit():
            return np.int32(token) if token.isdigit() else np.float64(token)
        if self._next() != "(":
            return self._values[token]
        self._take("(")
        arguments = [self._ternary()]
        while self._next() == ",":
            self._take(",")
            arguments.append(self._ternary())
        self._take(")")
        return _FUNCTIONS[token](*arguments)


def _number(value: Any) -> Any:
    """Truth counts as 0 and 1."""
    return np.asarray(value).astype(np.int32) if np.asarray(value).dtype == bool else value
