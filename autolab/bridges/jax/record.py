"""record(): one run of a JAX function, and of its gradient, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...engine.tracebacks import folded, hidden
from ...recording.model import Recording
from ...shared.binding import chosen_options
from .inputs import bind
from .run import JaxRun

OPTIONS = ("upstream", "budget")


def record(fn: Callable[..., Any], /, *args: Any, options: Mapping[str, Any] | None = None, **inputs: Any) -> Recording:
    """Run a JAX function on its inputs, then its gradient, and return every step of both as plain data.

    The function is traced (`jax.make_jaxpr`), and its equations are evaluated one by one, each with its own `jax.vjp`.
    Functions of the user's under ``jit``, the rounds of ``scan`` and the branch of ``cond`` that was taken are scopes;
    JAX's own functions and those with a rule of their own (``custom_vjp``) are one step. At the end the gradients of
    the inputs are compared with those of `jax.vjp` of the whole function.

    Parameters
    ----------
    fn : callable
        A function that JAX can trace, of arrays and pytrees of arrays.
    *args, **inputs
        Its arguments, bound by its signature. Arrays and floats, also inside pytrees, are the inputs. Anything else,
        such as an int, is passed on as it is.
    options : dict, optional
        ``upstream``: the upstream gradient of the output (by default ones of its shape); a tuple for several outputs.
        ``budget``: how many bytes of arrays the recording may keep (by default 64 MiB); larger ones are block-reduced.

    Returns
    -------
    Recording
        As that of `autolab.record`; every view shows it.

    Raises
    ------
    TypeError
        If the inputs do not fit the signature, or ``fn`` returns nothing.
    UnsupportedError
        If the function cannot be traced, or JAX has no gradient for it. The message names the reason.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> from autolab.bridges.jax import record
    >>> def loss(x, w):
    ...     h = x @ w
    ...     return (h * h).sum()
    >>> recording = record(loss, jnp.array([1.0, 2.0]), jnp.array([3.0, -1.0]))
    >>> [step.name or step.function for step in recording.steps], recording["h"].grad.values.item()
    (['x', 'w', 'h', 'mul', 'sum'], 2.0)
    """
    __tracebackhide__ = hidden()
    with folded():
        chosen = chosen_options("record", options, OPTIONS)
        return JaxRun(bind("record", fn, args, inputs), **chosen).record()
