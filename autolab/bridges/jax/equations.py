"""One equation of a jaxpr: as a function of its operands, with its vector-Jacobian product and the name of its step."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import numpy as np
from jax import numpy as jnp
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal, Var, jaxpr_as_fun

from ..needed import UnsupportedError
from .inputs import is_float
from .levels import function_of

Texts = tuple[tuple[str, str], ...]
INLINED = ("jit", "pjit", "closed_call", "core_call", "remat", "remat2", "checkpoint")
"""Primitives that only call a jaxpr."""


def vjp_of(fn: Callable[..., Any], values: Sequence[Any], places: Sequence[int]) -> tuple[Any, Callable[[Any], Any]]:
    """`jax.vjp` of a function with respect to the arguments at the positions ``places``."""

    def of_needing(*needing: Any) -> Any:
        given = list(values)
        for place, value in zip(places, needing, strict=True):
            given[place] = value
        return fn(*given)

    return jax.vjp(of_needing, *[values[i] for i in places])


def shares_of(vjp: Callable[[Any], Sequence[Any]], cotangents: list[Any]) -> Sequence[Any]:
    """The share of each use, from the vjp; the one case in which JAX has none is an error that says so."""
    try:
        return vjp(cotangents)
    except ValueError as error:
        if "while_loop" not in str(error):
            raise
        raise UnsupportedError(
            "record: JAX has no gradient through while_loop with a number of rounds that it does not know; use scan"
        ) from None


def cotangent(y: Any, g: Any) -> Any:
    """The gradient ``g`` of a result as a cotangent for JAX's vjp; zeros if no gradient has arrived."""
    if not is_float(y):
        return np.zeros(y.shape, jax.dtypes.float0)
    return jnp.zeros_like(y) if g is None else jnp.asarray(g, y.dtype)


def as_function(equation: Any, info: Any) -> Callable[..., list[Any]]:
    """An equation as a function of its operands: a jaxpr of its own, with a separate variable for every use."""
    operands = [var if isinstance(var, Literal) else Var(var.aval) for var in equation.invars]
    variables, outputs = [var for var in operands if isinstance(var, Var)], list(equation.outvars)
    nameless = info._replace(arg_names=None, result_paths=None)
    single = Jaxpr([], variables, outputs, [equation.replace(invars=operands)], equation.effects, nameless)
    evaluate = jaxpr_as_fun(ClosedJaxpr(single, ()))

    def fn(*arrays: Any) -> list[Any]:
        pairs = zip(operands, arrays, strict=True)
        return list(evaluate(*[array for var, array in pairs if isinstance(var, Var)]))

    return fn


def inner_jaxpr(params: Mapping[str, Any]) -> Any:
    """The closed jaxpr of a call."""
    found = params.get("jaxpr", params.get("call_jaxpr"))
    return found if hasattr(found, "jaxpr") else ClosedJaxpr(found, ())


def title_of(equation: Any) -> str:
    """``relu`` for a function that is a single step, else the name of the primitive."""
    name = str(equation.primitive.name)
    if name in INLINED or name.startswith("custom_"):
        inner = inner_jaxpr(equation.params)
        name = str(equation.params.get("name") or function_of(inner.jaxpr)[0] or name).strip("_")
    return name.removeprefix("reduce_") if name in ("reduce_sum", "reduce_max", "reduce_min", "reduce_prod") else name


def texts_of(equation: Any) -> Texts:
    """Names and texts of the parameters that are plain data."""
    found = [(key, value) for key, value in equation.params.items() if key not in ("name", "inline", "keep_unused")]
    return tuple([(key, f"{value!r:.60}") for key, value in found if _is_plain(value)])


def _is_plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return bool(value) and all(_is_plain(item) for item in value)
    return isinstance(value, int | float | str) and value is not False
